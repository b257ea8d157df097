//! Files of tests: those of a project, and those that paths name.

use std::path::{Path, PathBuf};

use kukla::syntax::Problem;
use kukla::world::{World, is_directory};

use crate::model::Language;

/// A file of tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestFile {
    /// Its path, absolute.
    pub path: PathBuf,
    /// Only the examples around this line.
    pub line: Option<usize>,
}

/// Directories that hold no tests of their own, or tests that need machines to run on (`rake spec` leaves those out, too).
const SKIPPED: [&str; 6] = ["fixtures", "vendor", "node_modules", "target", "examples", "acceptance"];

/// The deepest directory to search.
const DEEPEST: usize = 12;

/// The language of a file, by its name: `*_spec.rb`, or a chapter below a directory `tests`.
pub fn language(path: &Path) -> Option<Language> {
    let name = path.file_name()?.to_str()?;
    if name.ends_with("_spec.rb") {
        return Some(Language::Rspec);
    }
    let is_chapter = name.ends_with(".md") && name != "README.md";
    is_chapter.then_some(Language::Chapter)
}

/// The files of tests that paths name: files, files with a line (`tests/ntp.md:12`), directories to search. Sorted, each once.
pub fn find(world: &dyn World, paths: &[PathBuf]) -> Result<Vec<TestFile>, Problem> {
    let mut files = Vec::new();
    for path in paths {
        if is_directory(world, path) {
            let directory = world.resolve(path);
            let in_tests = directory.components().any(|part| part.as_os_str() == "tests");
            search(world, &directory, in_tests, 0, &mut files);
            continue;
        }
        let (file, line) = split_line(world, path);
        if !world.exists(&file) {
            return Err(Problem::not_found("cannot find").on(path.display()));
        }
        if language(&file).is_none() {
            return Err(Problem::invalid("not a file of tests:")
                .on(path.display())
                .help("name a chapter (*.md), an RSpec file (*_spec.rb) or a directory"));
        }
        files.push(TestFile { path: world.resolve(&file), line });
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// `tests/ntp.md:12` as the file and the line.
fn split_line(world: &dyn World, path: &Path) -> (PathBuf, Option<usize>) {
    if !world.exists(path)
        && let Some((file, line)) = path.to_str().and_then(|text| text.rsplit_once(':'))
        && let Ok(line) = line.parse()
    {
        return (file.into(), Some(line));
    }
    (path.to_owned(), None)
}

fn search(world: &dyn World, directory: &Path, in_tests: bool, depth: usize, files: &mut Vec<TestFile>) {
    if depth > DEEPEST {
        return;
    }
    for entry in world.list(directory) {
        let path = directory.join(&entry.name);
        if entry.is_directory {
            if !entry.is_link && !entry.name.starts_with('.') && !SKIPPED.contains(&entry.name.as_str()) {
                search(world, &path, in_tests || entry.name == "tests", depth + 1, files);
            }
            continue;
        }
        match language(&path) {
            Some(Language::Chapter) if !in_tests => {}
            Some(_) => files.push(TestFile { path, line: None }),
            None => {}
        }
    }
}
