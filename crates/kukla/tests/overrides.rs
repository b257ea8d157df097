//! What stands in for a function does so whoever calls it.

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
