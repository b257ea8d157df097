//! Names that a program computes, and those in its data, are not kept.

use kukla::values::Name;
use kukla::{Compiler, MemoryWorld, Node, SiteSpec};

const MODULE: &str = "/control/modules/app/manifests/init.pp";

/// Evaluates code that spells names only at run time: `$n` in it is a text that no source has.
fn run(case: &str, code: &str) -> Result<(), String> {
    let world = MemoryWorld::default()
        .with("/control/manifests/site.pp", format!("$n = \"zz_${{'{case}'}}_name\"\n{code}"))
        .with(MODULE, "class app { }")
        .with("/control/hiera.yaml", "{version: 5, hierarchy: [{name: common, path: common.yaml}]}")
        .with("/control/data/common.yaml", "{other: 1}");
    let mut node = Node::named("web1.example.com");
    node.facts.insert(format!("zz_{case}_name"), "a fact");
    let site = Compiler::new(world).open(&SiteSpec::at("/control")).map_err(|failure| failure.to_string())?;
    site.compile(&node).result.map(drop).map_err(|failure| failure.to_string())
}

#[test]
fn computed_names_are_not_kept() {
    for (case, code) in [
        ("fact", "if getvar($n) != 'a fact' { fail('not found') }"),
        ("variable", "getvar(\"${n}_x\") getvar(\"app::${n}\") getvar(\"${n}::x\")"),
        ("settings", "getvar(\"settings::${n}\")"),
        ("class", "if defined($n) or defined(\"app::${n}\") { fail('not there') }"),
        (
            "function",
            "if stdlib::has_function($n) or stdlib::has_function(\"app::${n}\") { fail('not there') }",
        ),
        ("title", "notify { $n: }"),
        ("key", "lookup($n, { default_value => 1 })"),
        ("data", "lookup({ name => 'x', default_values_hash => { 'x' => { $n => 1 } } })"),
        ("reference", "if defined(Notify[$n]) or Resource[$n] == 1 { fail('not there') }"),
        ("type", "if $n =~ Enum[$n, 'x'] { } else { fail('it is') }"),
        ("tag", "tag($n)"),
    ] {
        assert_eq!(run(case, code), Ok(()), "{case}");
        for text in [format!("zz_{case}_name"), format!("app::zz_{case}_name"), format!("Zz_{case}_name")] {
            assert_eq!(Name::existing(&text), None, "{case}");
        }
    }
    for (case, code) in [
        ("include", "include \"app::${n}\""),
        ("call", "call($n)"),
        ("declared", "create_resources($n, { 'x' => { } })"),
        ("argument", "notice(inline_epp('<%- | $a = 1 | -%>x', { $n => 1 }))"),
    ] {
        let failure = run(case, code).expect_err(case);
        assert!(failure.contains(&format!("zz_{case}_name")), "{failure}");
        assert_eq!(Name::existing(&format!("zz_{case}_name")), None, "{case}");
        assert_eq!(Name::existing(&format!("app::zz_{case}_name")), None, "{case}");
    }
}
