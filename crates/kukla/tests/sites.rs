//! The questions that sites ask the world, and when.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use kukla::world::{CommandOutput, DirectoryEntry, FileResult, Stamp};
use kukla::{Compiler, MemoryWorld, Node, SiteSpec, World};

/// A world in memory whose files can be declared changed, and that counts what it is asked.
#[derive(Debug, Default)]
struct CountingWorld {
    world: MemoryWorld,
    version: AtomicU64,
    questions: AtomicUsize,
}

impl CountingWorld {
    fn new(files: &[(&str, &str)]) -> Arc<CountingWorld> {
        let world = files.iter().fold(MemoryWorld::default(), |world, (path, text)| world.with(*path, *text));
        Arc::new(CountingWorld { world, ..CountingWorld::default() })
    }

    /// The number of questions since the last call.
    fn questions(&self) -> usize {
        self.questions.swap(0, Ordering::Relaxed)
    }

    fn count_question(&self) -> &MemoryWorld {
        self.questions.fetch_add(1, Ordering::Relaxed);
        &self.world
    }
}

impl World for CountingWorld {
    fn inner(&self) -> Option<&dyn World> {
        Some(&self.world)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.count_question().read(path)
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        self.count_question().list(path)
    }

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        self.count_question().env(name)
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        self.count_question().run(command)
    }

    fn exists(&self, path: &Path) -> bool {
        self.count_question().exists(path)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        let found = self.count_question().stamp(path)?;
        Some(Stamp { version: self.version.load(Ordering::Relaxed), ..found })
    }
}

const SITE: [(&str, &str); 4] = [
    ("/control/manifests/site.pp", "include app"),
    (
        "/control/modules/app/manifests/init.pp",
        "class app ($greeting) { notify { \"${greeting} ${trusted['certname']}\": } }",
    ),
    (
        "/control/hiera.yaml",
        "{version: 5, hierarchy: [{name: all, paths: ['nodes/%{trusted.certname}.yaml', common.yaml]}]}",
    ),
    ("/control/data/common.yaml", "app::greeting: hello"),
];

#[test]
fn a_node_costs_no_question_but_those_about_its_own_files() {
    let mut files = SITE.to_vec();
    files.push(("/control/data/nodes/other.yaml", "app::greeting: hey"));
    let world = CountingWorld::new(&files);
    let compiler = Compiler::new(Arc::clone(&world));
    let site = compiler.open(&SiteSpec::at("/control")).expect("a site");
    site.compile(&Node::named("n0")).result.expect("compiles");
    world.questions();
    let first = site.compile(&Node::named("n1")).result.expect("compiles");
    assert!(first.find("Notify", "hello n1").is_some());
    let own = world.questions();
    assert!((1..=4).contains(&own), "{own} questions about one data file that is not there");
    for n in 2..100 {
        site.compile(&Node::named(format!("n{n}"))).result.expect("compiles");
    }
    let all = world.questions();
    assert!(all < 20, "{all} questions about files of a directory that can be read once");
    site.compile(&Node::named("n1")).result.expect("compiles");
    assert_eq!(world.questions(), 0, "what was asked is known");
}

#[test]
fn a_site_is_the_same_until_a_file_changes() {
    let world = CountingWorld::new(&SITE);
    let compiler = Compiler::new(Arc::clone(&world));
    let spec = SiteSpec::at("/control");
    let site = compiler.open(&spec).expect("a site");
    assert!(Arc::ptr_eq(&site, &compiler.open(&spec).expect("a site")));
    world.version.store(1, Ordering::Relaxed);
    assert!(!site.is_current());
    let changed = compiler.open(&spec).expect("a site");
    assert!(!Arc::ptr_eq(&site, &changed) && changed.is_current());
    // Who still has the old one can go on with it.
    site.compile(&Node::named("n")).result.expect("compiles");
}

#[test]
fn environment_timeout_spares_the_question() {
    let mut files = SITE.to_vec();
    files.push(("/control/environment.conf", "environment_timeout = 5m"));
    let world = CountingWorld::new(&files);
    let compiler = Compiler::new(Arc::clone(&world));
    let site = compiler.open(&SiteSpec::at("/control")).expect("a site");
    world.questions();
    world.version.store(1, Ordering::Relaxed);
    assert!(Arc::ptr_eq(&site, &compiler.open(&SiteSpec::at("/control")).expect("a site")));
    assert_eq!(world.questions(), 0);
}

#[test]
fn threads_that_open_a_site_at_once_get_one_that_stays() {
    let compiler = Compiler::new(CountingWorld::new(&SITE));
    let start = Barrier::new(4);
    let open = || {
        start.wait();
        compiler.open(&SiteSpec::at("/control")).expect("a site")
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        let kept = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        let kept: Vec<_> = kept.collect();
        assert!(kept.iter().all(|site| Arc::ptr_eq(site, &kept[0])));
    });
}

#[test]
fn a_site_that_cannot_be_opened_says_why() {
    let compiler =
        Compiler::new(CountingWorld::new(&[("/control/environment.conf", "environment_timeout = soon")]));
    let failure = compiler.open(&SiteSpec::at("/control")).expect_err("no time");
    assert!(failure.to_string().contains("environment_timeout"), "{failure}");
}

#[test]
fn files_of_modules_are_named_without_detours() {
    let world = MemoryWorld::default().with("/m/site/a/manifests/init.pp", "class a { notify { 'x': } }");
    let mut spec = SiteSpec::of("include a");
    spec.modulepath = Some(vec!["/m/./b/../site".into()]);
    let site = Compiler::new(world).open(&spec).expect("a site");
    let catalog = site.compile(&Node::named("n")).result.expect("a catalog").to_json();
    assert!(catalog.contains(r#""file":"/m/site/a/manifests/init.pp""#), "{catalog}");
}
