//! The store: shared, checked, collected.

use std::time::Duration;

use kukla_modules::install::{InstallOptions, compare};
use kukla_modules::sources::Silent;
use kukla_modules::store::Store;

use crate::common::forge::Server;
use crate::common::scratch::Scratch;

fn serve() -> Server {
    let server = Server::start();
    server.release("a-b", "1.0.0", &[], &[("manifests/init.pp", "class b {}\n"), ("files/same", "same\n")]);
    server.release("a-b", "2.0.0", &[], &[("manifests/init.pp", "class b { }\n"), ("files/same", "same\n")]);
    server
}

#[test]
fn an_edit_through_a_link_is_found_and_the_module_fetched_again() {
    let scratch = Scratch::new("edit");
    let server = serve();
    let sources = scratch.sources(&server);
    let mut lock = scratch.pin(&sources, "mod 'a/b', '1.0.0'\n").unwrap();
    scratch.install(&sources, &lock, InstallOptions::default()).unwrap();
    // Appends to the file itself, as `echo >> FILE` does.
    let path = scratch.control().base.join("modules/b/manifests/init.pp");
    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, b"# edited\n").unwrap();
    drop(file);
    let content = lock.modules[0].content.clone().unwrap();
    let store = Store::open(&scratch.root.join("store")).unwrap();
    let is_linked = store.tree(&content).is_none();
    let fresh = scratch.sources(&server);
    fresh.fetch(&mut lock, &scratch.control(), &Silent).unwrap();
    let tree = fresh.store.tree(&content).expect("it is whole again");
    assert_eq!(compare(&tree, false, &scratch.control().base.join("modules/b")).len(), 1);
    assert!(is_linked || cfg!(not(target_os = "linux")), "the file system can link");
}

#[test]
fn collecting_keeps_what_is_used_and_shared() {
    let scratch = Scratch::new("collect");
    let server = serve();
    let sources = scratch.sources(&server);
    let one = scratch.pin(&sources, "mod 'a/b', '1.0.0'\n").unwrap();
    let two = scratch.pin(&sources, "mod 'a/b', '2.0.0'\n").unwrap();
    let content = |lock: &kukla_modules::lock::Lock| lock.modules[0].content.clone().unwrap();
    let store = || Store::open(&scratch.root.join("store")).unwrap();
    assert_eq!(store().collect(Duration::from_secs(3600), false).unwrap().trees, 0, "all were used just now");
    scratch.install(&sources, &one, InstallOptions::default()).unwrap();
    let dry = store().collect(Duration::ZERO, true).unwrap();
    assert!(store().tree(&content(&two)).is_some(), "nothing is deleted");
    let collected = store().collect(Duration::ZERO, false).unwrap();
    assert_eq!((dry.trees, dry.objects), (collected.trees, collected.objects));
    assert_eq!(collected.trees, 1, "the other one is installed");
    assert!(store().tree(&content(&one)).is_some() && store().tree(&content(&two)).is_none());
    // A second fetch brings it back.
    let fresh = scratch.sources(&server);
    fresh.fetch(&mut two.clone(), &scratch.control(), &Silent).unwrap();
    assert!(fresh.store.tree(&content(&two)).is_some());
}

#[test]
fn many_processes_can_fill_one_store() {
    let scratch = Scratch::new("many");
    let server = serve();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (scratch, server) = (&scratch, &server);
            scope.spawn(move || {
                let sources = scratch.sources(server);
                let version = if number % 2 == 0 { "1.0.0" } else { "2.0.0" };
                let lock = scratch.pin(&sources, &format!("mod 'a/b', '{version}'\n")).unwrap();
                let base = scratch.root.join(format!("control-{number}"));
                kukla_modules::install::install(&sources.store, &lock, &base, InstallOptions::default())
                    .unwrap();
                let tree = sources.store.tree(lock.modules[0].content.as_ref().unwrap()).unwrap();
                assert_eq!(compare(&tree, false, &base.join("modules/b")), []);
            });
        }
    });
    assert_eq!(std::fs::read_dir(scratch.root.join("store/tmp")).unwrap().count(), 0);
}
