//! A replacement of a function is used by every caller.

use kukla::{Compiler, MemoryWorld, Node, SiteSpec};

const FUNCTIONS: &str = "Puppet::Parser::Functions.newfunction(:inner, type: :rvalue) { |_| 'the module' }
Puppet::Parser::Functions.newfunction(:outer, type: :rvalue) { |_| function_inner(['x']) }
";

#[test]
fn functions_of_the_old_api_find_the_replacement() {
    let world = MemoryWorld::default()
        .with("/site/modules/m/lib/puppet/parser/functions/inner.rb", FUNCTIONS)
        .with("/site/modules/m/lib/puppet/parser/functions/outer.rb", FUNCTIONS)
        .with("/site/modules/m/metadata.json", "{}")
        .with("/overrides/functions/inner.json", r#"[{"arguments": ["x"], "result": "the replacement"}]"#);
    let compiler = Compiler::new(world);
    let mut spec = SiteSpec { code: Some("outer()".into()), ..SiteSpec::at("/site") };
    for (overrides, expected) in [(None, "the module"), (Some("/overrides"), "the replacement")] {
        spec.settings.overrides = overrides.map(Into::into);
        let value = compiler.open(&spec).unwrap().eval(&Node::named("n")).result.unwrap();
        assert_eq!(value.as_str(), Some(expected));
    }
}

#[test]
fn names_that_are_computed_lead_to_the_replacement_and_not_out_of_its_directory() {
    let world = MemoryWorld::default()
        .with("/site/environment.conf", "")
        .with("/overrides/functions/inner.json", r#"[{"result": "the replacement"}]"#)
        .with("/overrides/outside.json", r#"[{"result": "outside"}]"#);
    let compiler = Compiler::new(world);
    let eval = |code: &str| {
        let mut spec = SiteSpec { code: Some(code.into()), ..SiteSpec::at("/site") };
        spec.settings.overrides = Some("/overrides".into());
        compiler.open(&spec).unwrap().eval(&Node::named("n")).result
    };
    assert_eq!(eval("call(\"${'in'}ner\")").unwrap().as_str(), Some("the replacement"));
    assert!(eval("call(\"${'..'}/outside\")").is_err());
}
