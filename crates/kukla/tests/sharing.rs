//! The data that the sites of a process share, and the messages of each compilation about the files it uses.

use std::sync::Barrier;

use kukla::rpc::Request;
use kukla::{Compiler, Log};
use serde_json::json;

use crate::common::Site;

/// An environment with something questionable in the site manifest, a module's first file, another one, a function, a type that
/// another type refers to, a template, a file nothing uses, and the metadata of a module.
const QUESTIONABLE: &[(&str, &str)] = &[
    (
        "manifests/site.pp",
        "$a = { x => 1, x => 2 }\ninclude app::web\nif defined('lost::thing') { }\nnotice(app::f(1))\nnotice(app::g(2))\nnotice(epp('app/page.epp'))\n",
    ),
    ("modules/app/manifests/init.pp", "class app { $b = { x => 1, x => 2 } }"),
    ("modules/app/manifests/web.pp", "class app::web(App::Outer $o = 1) { $c = { x => 1, x => 2 } }"),
    ("modules/app/manifests/idle.pp", "class app::idle { $d = { x => 1, x => 2 } }"),
    ("modules/app/functions/f.pp", "function app::f(App::Outer $x) { $e = { x => 1, x => 2 }\n app::g($x) }"),
    ("modules/app/functions/g.pp", "function app::g($x) { $f = { x => 1, x => 2 }\n $x }"),
    ("modules/app/types/outer.pp", "type App::Outer = Variant[App::Inner, String]"),
    ("modules/app/types/inner.pp", "type App::Inner = Variant[Integer, Struct[{ x => { a => 1, a => 2 } }]]"),
    ("modules/app/templates/page.epp", "<% $g = { x => 1, x => 2 } %>page"),
    ("modules/lost/metadata.json", r#"{"name": "lost"}"#),
    ("modules/lost/manifests/init.pp", "class lost { }"),
];

fn request(site: &Site) -> Request {
    site.request_with(json!({"node": "web", "facts": {}, "settings": {"strict": "warning"}}))
}

/// The log of a compilation, each message with the file and line it is about.
fn logs(compiler: &Compiler, site: &Site) -> Vec<String> {
    let Request { site: spec, node, .. } = request(site);
    let outcome = compiler.open(&spec).expect("a site").compile(&node);
    let line = |log: &Log| {
        let at = log.location.as_ref();
        let place = at.map(|at| format!(" {}:{}", site.relative(at.file().unwrap_or_default()), at.line()));
        format!("{}: {}{}", log.level.name(), log.message, place.unwrap_or_default())
    };
    let mut logs: Vec<String> = outcome.logs.iter().map(line).collect();
    logs.extend(outcome.result.err().map(|failure| failure.to_string()));
    logs
}

#[test]
fn every_compilation_says_what_is_questionable_in_what_it_uses() {
    let site = Site::new("questionable", QUESTIONABLE);
    let compiler = Compiler::default();
    let cold = logs(&compiler, &site);
    let wrong = |file: &str| cold.iter().filter(|line| line.contains(file)).count();
    for file in ["site.pp:1", "init.pp:1", "web.pp:1", "f.pp:1", "g.pp:1", "inner.pp:1", "page.epp:1"] {
        assert_eq!(wrong(file), 1, "{file}: {cold:#?}");
    }
    assert_eq!(wrong("idle.pp"), 0, "{cold:#?}");
    assert_eq!(wrong("metadata"), 1, "{cold:#?}");
    let order =
        ["site.pp:1", "init.pp:1", "web.pp:1", "inner.pp:1", "metadata", "f.pp:1", "g.pp:1", "page.epp:1"];
    let places: Vec<_> = order.iter().map(|file| cold.iter().position(|line| line.contains(file))).collect();
    assert!(places.is_sorted(), "{cold:#?}");
    for _ in 0..3 {
        assert_eq!(logs(&compiler, &site), cold);
    }
}

#[test]
fn threads_that_load_a_site_together_say_the_same() {
    let site = Site::new("questionable-threads", QUESTIONABLE);
    let alone = logs(&Compiler::default(), &site);
    for _ in 0..10 {
        let (compiler, start) = (Compiler::default(), Barrier::new(4));
        std::thread::scope(|scope| {
            let run = || {
                start.wait();
                (logs(&compiler, &site), logs(&compiler, &site))
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            for thread in threads {
                let (first, second) = thread.join().expect("no panic");
                assert_eq!(first, alone);
                assert_eq!(second, alone);
            }
        });
    }
}

#[test]
fn revisions_share_what_is_equal() {
    let one = Site::new("revision-one", QUESTIONABLE);
    let other = Site::new("revision-other", QUESTIONABLE);
    let compiler = Compiler::default();
    let first = logs(&compiler, &one);
    let lowered = compiler.programs().lowered();
    assert!(lowered >= 8, "{lowered}");
    assert_eq!(logs(&compiler, &other), first);
    assert_eq!(compiler.programs().lowered(), lowered);
    // Names mean what the other revision says they do, even in files that both have.
    other.put("modules/app/functions/g.pp", "function app::g($x) { \"other ${x}\" }");
    let second = logs(&compiler, &other);
    assert_eq!(compiler.programs().lowered(), lowered + 1);
    assert_eq!(second.iter().filter(|line| *line == "notice: other 1").count(), 1, "{second:#?}");
    assert_eq!(logs(&compiler, &one), first);
    assert_eq!(compiler.programs().lowered(), lowered + 1);
}

#[test]
fn a_text_is_read_again_where_other_rules_hold() {
    let text = "class app::web { }";
    let site = |name: &str, wanted: &str| {
        let manifest = format!("include app::{wanted}");
        let file = format!("modules/app/manifests/{wanted}.pp");
        Site::new(name, &[("manifests/site.pp", &manifest), (&file, text)])
    };
    let compiler = Compiler::default();
    assert_eq!(logs(&compiler, &site("right-place", "web")), Vec::<String>::new());
    let wrong = logs(&compiler, &site("wrong-place", "server")).concat();
    assert!(wrong.contains("The name 'app::web' is unacceptable in file"), "{wrong}");
}
