//! A mistake in Kukla is one node's misfortune.

use std::path::Path;

use kukla::world::FileResult;
use kukla::{Compiler, MemoryWorld, Node, SiteSpec, World};

/// A world that panics when a certain file is read.
#[derive(Debug)]
struct Faulty(MemoryWorld);

impl World for Faulty {
    fn inner(&self) -> Option<&dyn World> {
        Some(&self.0)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        assert!(!path.ends_with("fatal"), "a mistake");
        self.0.read(path)
    }
}

fn world() -> Faulty {
    let site = "node b { notice(file('/fatal')) } node default { notify { a: } }";
    Faulty(MemoryWorld::default().with("/site/manifests/site.pp", site).with("/fatal", ""))
}

#[test]
fn other_nodes_are_compiled_all_the_same() {
    let compiler = Compiler::new(world());
    let site = compiler.open(&SiteSpec::at("/site")).unwrap();
    for name in ["a", "b", "c", "b", "a"] {
        let result = site.compile(&Node::named(name)).result;
        match (name, result) {
            ("b", Err(failure)) => {
                assert_eq!(failure.code.name, "INTERNAL_FAILURE");
                assert!(failure.message().contains("a mistake"), "{failure}");
                assert!(failure.hints.iter().any(|hint| hint.contains("report")), "{failure}");
            }
            ("b", Ok(_)) => panic!("it should have failed"),
            (_, result) => assert!(result.is_ok(), "{name}: {result:?}"),
        }
    }
}

#[test]
fn requests_after_it_are_answered() {
    let server = kukla::rpc::Server::new(world());
    let answer = server.answer(r#"{"id": 1, "method": "eval", "params": {"code": "file('/fatal')"}}"#);
    assert!(answer.contains("INTERNAL_FAILURE") && answer.contains("please report it"), "{answer}");
    let answer = server.answer(r#"{"id": 2, "method": "eval", "params": {"code": "1"}}"#);
    assert!(answer.contains(r#""result""#), "{answer}");
}
