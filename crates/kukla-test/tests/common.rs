//! The example site, and changes of its files in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::diff::Changes;
use kukla::{DiskWorld, Policy, World};
use kukla_test::coverage::Collector;
use kukla_test::discovery::{self, TestFile};
use kukla_test::model::Suite;
use kukla_test::runner::{self, Filter, RunOptions};
use kukla_test::{Overlay, Project};

/// The directory of the example site.
pub fn site() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site").canonicalize().expect("the example")
}

/// The options of a run without anything special.
pub fn options() -> RunOptions {
    RunOptions {
        filter: Filter::default(),
        fail_fast: true,
        modulepath: None,
        policy: Policy::default(),
        list: false,
        accept: false,
        show_changes: |_: &Changes| String::new(),
        parsed: None,
        record: false,
        coverage: None,
        render: |_| String::new(),
    }
}

/// The disk.
pub fn disk() -> Arc<dyn World> {
    Arc::new(DiskWorld::default())
}

/// The disk with other texts for some files.
pub fn changed(files: Vec<(PathBuf, String)>) -> Arc<dyn World> {
    Arc::new(Overlay::new(disk(), files.into_iter().map(|(path, text)| (path, text.into_bytes()))))
}

/// The text of a file with a part replaced, which it must have.
pub fn with(path: &str, part: &str, new: &str) -> (PathBuf, String) {
    let path = site().join(path);
    let text = String::from_utf8(disk().read(&path).expect("a file")).expect("text");
    assert!(text.contains(part), "{} has no `{part}`", path.display());
    (path, text.replacen(part, new, 1))
}

/// The tests at or below a directory.
pub fn tests(root: &Path) -> Vec<TestFile> {
    discovery::find(&*disk(), &[root.to_owned()]).expect("tests")
}

/// Runs tests and counts what they reach.
pub fn measure(files: &[TestFile]) -> (Vec<Suite>, Arc<Collector>) {
    let collector = Arc::new(Collector::default());
    let options = RunOptions { coverage: Some(Arc::clone(&collector)), fail_fast: false, ..options() };
    (runner::run(&disk(), files, &options, &()), collector)
}

/// The project in a directory.
pub fn project(root: &Path) -> Project {
    Project::locate(&disk(), root, &Policy::default())
}
