//! Servers that fail: an error with a reason, and nothing half in the store or in place.

use std::time::Duration;

use kukla_modules::install::InstallOptions;
use kukla_syntax::ProblemKind;

use crate::common::forge::{Fault, Server};
use crate::common::scratch::Scratch;

const TEXT: &str = "mod 'a/b', '1.0.0'\n";

fn serve() -> Server {
    let server = Server::start();
    let large = "x".repeat(300_000);
    server.release("a-b", "1.0.0", &[], &[("manifests/init.pp", "class b {}\n"), ("files/large", &large)]);
    server
}

#[test]
fn a_cut_connection_is_tried_again_and_then_reported() {
    let scratch = Scratch::new("cut");
    let server = serve();
    server.fail(Fault::CutFirst(2));
    let sources = scratch.sources_with(&server, |options| options.network.retries = 3);
    scratch.pin(&sources, TEXT).unwrap();
    let other = Scratch::new("cut-2");
    server.fail(Fault::Cut);
    let problem = other.pin(&other.sources(&server), TEXT).unwrap_err();
    assert_eq!(problem.kind(), ProblemKind::Unavailable, "{problem}");
    assert!(problem.to_string().contains("cannot fetch 'a-b': cannot download"), "{problem}");
    // Afterwards everything works.
    server.fail(Fault::None);
    let lock = other.pin(&other.sources(&server), TEXT).unwrap();
    other.install(&other.sources(&server), &lock, InstallOptions::default()).unwrap();
}

#[test]
fn an_archive_with_another_digest_is_not_unpacked() {
    let scratch = Scratch::new("digest");
    let server = serve();
    server.fail(Fault::WrongArchive);
    let problem = scratch.pin(&scratch.sources(&server), TEXT).unwrap_err();
    assert_eq!(problem.kind(), ProblemKind::Conflict);
    assert!(
        problem.to_string().contains("the archive of a-b 1.0.0 is not the expected one: expected sha256:"),
        "{problem}"
    );
    assert_eq!(std::fs::read_dir(scratch.root.join("store/objects")).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(scratch.root.join("store/tmp")).unwrap().count(), 0);
}

#[test]
fn a_release_that_was_replaced_is_noticed() {
    let scratch = Scratch::new("replaced");
    let server = serve();
    let mut lock = scratch.pin(&scratch.sources(&server), TEXT).unwrap();
    let other = Server::start();
    other.release("a-b", "1.0.0", &[], &[("manifests/init.pp", "class b { exec { 'evil': } }\n")]);
    let elsewhere = Scratch::new("replaced-2");
    let problem = elsewhere
        .sources(&other)
        .fetch(&mut lock.clone(), &elsewhere.control(), &kukla_modules::sources::Silent)
        .unwrap_err();
    assert_eq!(problem.kind(), ProblemKind::Conflict, "the digest of the archive differs: {problem}");
    lock.modules[0].archive = None;
    let problem = elsewhere
        .sources(&other)
        .fetch(&mut lock, &elsewhere.control(), &kukla_modules::sources::Silent)
        .unwrap_err();
    assert!(problem.to_string().contains("the content of 'a-b' is not the expected one"), "{problem}");
}

#[test]
fn servers_that_fail_or_stay_silent_are_reported() {
    let scratch = Scratch::new("broken");
    let server = serve();
    server.fail(Fault::Broken);
    let problem = scratch.pin(&scratch.sources(&server), TEXT).unwrap_err();
    assert!(problem.to_string().contains("the server failed (HTTP status 500)"), "{problem}");
    server.fail(Fault::Silent);
    let sources =
        scratch.sources_with(&server, |options| options.network.patience = Duration::from_millis(200));
    let problem = scratch.pin(&sources, TEXT).unwrap_err();
    assert_eq!(problem.kind(), ProblemKind::TimedOut, "{problem}");
    let gone = scratch.sources_with(&server, |options| options.forge = Some("http://127.0.0.1:1".to_owned()));
    assert_eq!(scratch.pin(&gone, TEXT).unwrap_err().kind(), ProblemKind::Unavailable);
}

#[test]
fn modules_and_versions_that_do_not_exist_have_suggestions() {
    let scratch = Scratch::new("unknown");
    let server = serve();
    let problem = scratch.pin(&scratch.sources(&server), "mod 'a/b', '1.0.1'\n").unwrap_err().with_help();
    assert!(
        problem.contains("the module 'a-b' has no version 1.0.1") && problem.contains("did you mean 1.0.0?"),
        "{problem}"
    );
    let problem = scratch.pin(&scratch.sources(&server), "mod 'a/c', :latest\n").unwrap_err().to_string();
    assert!(problem.contains("has no module 'a-c'"), "{problem}");
}

#[test]
fn a_private_forge_requires_its_key() {
    let scratch = Scratch::new("key");
    let server = serve();
    server.require_key("s3cret");
    let problem = scratch.pin(&scratch.sources(&server), TEXT).unwrap_err();
    assert_eq!(problem.kind(), ProblemKind::Denied, "{problem}");
    let sources = scratch.sources_with(&server, |options| options.forge_key = Some("s3cret".to_owned()));
    scratch.pin(&sources, TEXT).unwrap();
}
