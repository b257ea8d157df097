//! Deeply nested input, on threads with as little stack as a program that embeds the compiler may give it.

use kukla::analysis::{Analysis, Rules};
use kukla::rpc::Server;
use kukla::syntax::{Source, pn::Pn};
use kukla::{Compiler, MemoryWorld, Node, SiteSpec};
use serde_json::json;

/// Less than any system gives a thread unasked.
const SMALL: usize = 256 << 10;

/// Runs something on a thread with a small stack. A stack that overflows ends the process, so coming back is what is tested.
fn on_a_small_stack(run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(SMALL).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("no panic");
    });
}

/// Programs that nest: expressions, types, strings within strings, and what they evaluate to.
fn programs() -> Vec<(&'static str, String)> {
    let around = |open: &str, inner: &str, close: &str, levels: usize| {
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    let reduce = |start: &str, step: &str| {
        format!("$x = Integer[1, 100000].reduce({start}) |$m, $n| {{ {step} }}\n$y = $x == $x\n\"${{x}}\"")
    };
    vec![
        ("parentheses", around("(", "1", ")", 100_000)),
        ("parentheses that fit", around("(", "1", ")", 450)),
        ("arrays", around("[", "1", "]", 100_000)),
        ("arrays that fit", format!("$x = {}\n[$x == $x, \"${{x}}\", type($x)]", around("[", "1", "]", 450))),
        ("hashes that fit", format!("$x = {}\n[$x == $x, \"${{x}}\"]", around("{'a' => ", "1", "}", 450))),
        ("types", around("Array[", "Integer", "]", 100_000)),
        ("types that fit", format!("[1] =~ {}", around("Array[", "Integer", "]", 450))),
        ("negations", around("!", "true", "", 100_000)),
        ("sums", format!("1{}", " + 1".repeat(100_000))),
        ("if", around("if true { ", "1", " }", 20_000)),
        ("if without an end", "if true { ".repeat(20_000)),
        ("if without an end on many lines", "if true {\n".repeat(20_000)),
        ("blocks without an end", format!("{}}}", "if true { ".repeat(900))),
        ("strings", around("\"${", "1", "}\"", 2_000)),
        ("lambdas", around("[1].each |$x| { ", "1", " }", 20_000)),
        ("a long elsif", format!("if false {{ 0 }}{} else {{ 2 }}", " elsif false { 1 }".repeat(20_000))),
        ("nested arrays made", reduce("[]", "[$m]")),
        ("hidden nesting", reduce("[]", "if $n % 2 == 0 { [[1], $m] } else { [$m, [1]] }")),
        ("nested hashes made", reduce("{}", "{'a' => $m, 'b' => $n}")),
        ("nested types made", reduce("Integer", "Array[$m]")),
        ("nested secrets", reduce("1", "Sensitive([$m])")),
        ("nested objects", reduce("1", "Deferred('f', [$m])")),
        (
            "nested iterators",
            "$x = Integer[1, 3000].reduce([1]) |$m, $n| { $m.reverse_each }\n$x.each |$i| { }".into(),
        ),
        ("a function that calls itself", "function f($n) { f($n + 1) }\nf(1)".into()),
        ("a define in itself", "define d() { d { \"${title}x\": } }\nd { 'a': }".into()),
        ("a type in text", format!("Type('{}')", around("Array[", "Integer", "]", 100_000))),
        ("text of JSON", format!("parsejson('{}', 'no')", around("[", "", "]", 100_000))),
        ("text of YAML", format!("parseyaml('{}', 'no')", around("[", "", "]", 3_000))),
        ("a pattern", format!("'a' =~ Regexp('{}')", around("(", "a", ")", 10_000))),
    ]
}

#[test]
fn programs_are_evaluated_and_compiled() {
    for (name, code) in programs() {
        eprintln!("{name}");
        on_a_small_stack(|| {
            let compiler = Compiler::new(MemoryWorld::default());
            let site = compiler.open(&SiteSpec::of(code.as_str())).expect("a site");
            let node = Node::named("n");
            let value = site.eval(&node);
            if let Ok(value) = &value.result {
                let text = kukla::values::format::interpolate(value);
                assert!(!text.is_empty(), "{name}");
                assert!(value == &value.clone());
            }
            if let Ok(catalog) = site.compile(&node).result {
                assert!(catalog.to_json().starts_with('{') && !catalog.to_yaml().is_empty());
            }
        });
    }
}

#[test]
fn programs_are_parsed_and_checked() {
    for (name, code) in programs() {
        eprintln!("{name}");
        on_a_small_stack(|| {
            let analysis = Analysis::new(&Source::new("site.pp", code.as_str()), &Rules::default());
            if !analysis.has_no_tree() {
                let pn = Pn::of(&analysis.parse.tree);
                assert!(pn.to_text().starts_with('('), "{name}");
                assert!(pn.to_json().starts_with('{'), "{name}");
            }
        });
    }
}

#[test]
fn requests_are_answered() {
    for (name, code) in programs() {
        eprintln!("{name}");
        on_a_small_stack(|| {
            let server = Server::new(MemoryWorld::default());
            for method in ["eval", "compile", "parse"] {
                let answer = server.answer(&json!({"method": method, "params": {"code": code}}).to_string());
                assert!(answer.starts_with("{\"id\":null,"), "{name}: {answer}");
            }
        });
    }
    let nested = "[".repeat(100_000);
    on_a_small_stack(|| {
        let answer = Server::new(MemoryWorld::default()).answer(&format!("{{\"params\": {nested}"));
        assert!(answer.contains("BAD_REQUEST"), "{answer}");
    });
}

#[test]
fn data_is_read_and_merged() {
    let nested = |levels: usize| format!("{}1{}", "{a: ".repeat(levels), "}".repeat(levels));
    for levels in [400, 4_000] {
        on_a_small_stack(|| {
            let hiera = "{version: 5, hierarchy: [{name: all, paths: [one.yaml, two.yaml]}]}";
            let world = MemoryWorld::default()
                .with("/site/hiera.yaml", hiera)
                .with("/site/data/one.yaml", format!("k: {}", nested(levels)))
                .with("/site/data/two.yaml", format!("k: {}", nested(levels)))
                .with("/site/manifests/site.pp", "notify { 'x': message => lookup('k', Hash, 'deep') }");
            let site = Compiler::new(world).open(&SiteSpec::at("/site")).expect("a site");
            let compiled = site.compile(&Node::named("n"));
            assert_eq!(compiled.result.map(|catalog| catalog.to_json()).is_ok(), levels < 500);
        });
    }
}
