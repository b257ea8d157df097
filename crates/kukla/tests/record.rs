//! The dependency record of a compilation: complete, whether files were read for it or for others before it.

use std::collections::BTreeSet;

use kukla::world::record::{Input, Question, Record, Recorded};
use kukla::{Compiler, DiskWorld};

use crate::common::Site;

const FILES: [(&str, &str); 14] = [
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n- name: All\n  paths: [\"nodes/%{trusted.certname}.yaml\", \"%{role}.yaml\", common.yaml]\n- name: Any\n  glob: extra/*.yaml\n",
    ),
    (
        "manifests/site.pp",
        "include app\nnotify { lookup('greeting'): }\nif $trusted['certname'] == b { include app::only_b }",
    ),
    ("modules/app/manifests/only_b.pp", "class app::only_b { }"),
    ("data/nodes/a.yaml", "app::size: 1"),
    ("data/nodes/b.yaml", "app::size: 2"),
    ("data/common.yaml", "greeting: \"hello %{lookup('name')}\"\nlookup_options: {name: {merge: unique}}"),
    ("data/extra/one.yaml", "name: one"),
    (
        "modules/app/manifests/init.pp",
        "class app(Integer $size, App::Colour $colour, String $unused = 'x') {\n  notify { app::shout($colour): message => epp('app/motd.epp') }\n  notify { \"${size} ${file('app/plain')}\": }\n}",
    ),
    ("modules/app/functions/shout.pp", "function app::shout($text) { \"${text}!\" }"),
    ("modules/app/types/colour.pp", "type App::Colour = Enum[red, green]"),
    ("modules/app/templates/motd.epp", "welcome <%= $facts['os'] %>"),
    ("modules/app/files/plain", "plain"),
    ("modules/app/hiera.yaml", "version: 5\nhierarchy:\n- name: Own\n  path: own.yaml\n"),
    ("modules/app/data/own.yaml", "app::colour: red"),
];

/// The catalog of a node without what changes from time to time, or the error; and its inputs.
fn compile(compiler: &Compiler, site: &Site, node: &str) -> (String, Record, Vec<Input>) {
    let mut request = site.request(node, "any");
    request.node.facts.insert("os", "Debian");
    let opened = compiler.open(&request.site).expect("a site");
    let outcome = opened.compile(&request.node);
    let text = outcome.result.map_or_else(
        |failure| failure.message(),
        |catalog| catalog.resources.iter().map(|resource| format!("{resource:?}\n")).collect(),
    );
    let record = *outcome.record.expect("recorded");
    let ledger = opened.environment.world.ledger().expect("a ledger");
    let mut inputs = ledger.inputs(&record.code);
    inputs.extend(ledger.inputs(&record.data));
    (text, record, inputs)
}

fn recording() -> Compiler {
    Compiler::new(Recorded::new(DiskWorld::default()))
}

fn fresh(site: &Site, node: &str) -> String {
    compile(&recording(), site, node).0
}

fn files(inputs: &[Input]) -> BTreeSet<String> {
    let path = |input: &Input| match &input.question {
        Question::Read(path) | Question::Data(path) => Some(path.display().to_string()),
        _ => None,
    };
    inputs.iter().filter_map(path).collect()
}

#[test]
fn whatever_changes_a_catalog_is_in_its_record() {
    let site = Site::new("record", &FILES);
    let compiler = recording();
    let (before, _, inputs) = compile(&compiler, &site, "a");
    let holds = |inputs: &[Input]| inputs.iter().all(|input| input.holds(&DiskWorld::default()));
    assert!(holds(&inputs) && before.contains("hello"), "{before}");
    let new = [
        ("data/nodes/a.yaml", "greeting: other"),
        ("data/extra/another.yaml", "name: another"),
        ("data/common.yaml", "greeting: bye"),
        ("modules/app/data/own.yaml", "app::colour: green"),
        ("modules/app/templates/motd.epp", "go away"),
        ("modules/app/files/plain", "fancy"),
        ("modules/app/functions/shout.pp", "function app::shout($text) { \"${text}?\" }"),
        ("modules/app/types/colour.pp", "type App::Colour = Enum[blue]"),
        ("modules/app/manifests/init.pp", "class app { }"),
        ("modules/app/hiera.yaml", "version: 5\nhierarchy: []\n"),
        ("modules/app/metadata.json", "{"),
        ("manifests/site.pp", "include app"),
        ("environment.conf", "manifest = elsewhere"),
        ("hiera.yaml", "version: 5\n"),
    ];
    for (file, text) in new {
        site.put(file, text);
        assert_ne!(fresh(&site, "a"), before, "{file} decides nothing, which shows nothing");
        assert!(!holds(&inputs), "{file} is not in the record");
        match FILES.iter().find(|(known, _)| *known == file) {
            Some((_, text)) => site.put(file, text),
            None => site.remove(file),
        }
        assert!(holds(&inputs), "{file} is back");
    }
}

#[test]
fn what_was_read_for_others_counts_and_what_was_not_used_does_not() {
    let site = Site::new("record-shared", &FILES);
    let compiler = recording();
    let (_, cold, inputs) = compile(&compiler, &site, "a");
    let (_, warm, _) = compile(&compiler, &site, "a");
    assert_eq!(cold, warm);
    let (_, other, others) = compile(&compiler, &site, "b");
    let name = |file: &str| site.root().join(file).display().to_string();
    for shared in
        ["data/common.yaml", "data/extra/one.yaml", "modules/app/data/own.yaml", "modules/app/files/plain"]
    {
        assert!(files(&inputs).contains(&name(shared)) && files(&others).contains(&name(shared)), "{shared}");
    }
    assert!(files(&inputs).contains(&name("data/nodes/a.yaml")));
    assert!(!files(&others).contains(&name("data/nodes/a.yaml")), "{:?}", files(&others));
    assert!(files(&others).contains(&name("modules/app/manifests/only_b.pp")));
    let (_, again, _) = compile(&compiler, &site, "a");
    assert_eq!(again, cold, "what was read for b since is nothing to a");
    let keys: Vec<&str> = others
        .iter()
        .filter_map(|input| match &input.question {
            Question::Key(key) => Some(key.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(keys, ["lookup_options", "app::size", "app::colour", "app::unused", "greeting", "name"]);
    let asked: Vec<&str> = other.facts.iter().map(String::as_str).collect();
    assert_eq!(asked, ["facts.os", "role", "trusted"]);
}

#[test]
fn nothing_is_recorded_unless_asked() {
    let site = Site::new("record-off", &FILES);
    assert!(site.compile(&Compiler::default(), "a", "any").record.is_none());
}
