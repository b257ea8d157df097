//! Another thread reads what a text names before the compilation asks for it, and nothing but the time is different.

use std::sync::Arc;

use kukla::{Compiler, Node, SiteSpec};
use kukla_world::MemoryWorld;
use kukla_world::record::Recorded;

/// A site in which classes name classes, defined types, aliases, functions and templates, some of them where they are not used.
fn world() -> MemoryWorld {
    let mut world = MemoryWorld::default()
        .with("/site/manifests/site.pp", "node default { include a0 }\nnode 'other' { include broken }\n")
        .with("/site/modules/broken/manifests/init.pp", "class broken { if { }")
        .with("/site/modules/broken/types/kind.pp", "type Broken::Kind = [")
        .with("/site/modules/broken/functions/f.pp", "function broken::f( {")
        .with("/site/modules/broken/templates/t.epp", "<% if { %>")
        .with(
            "/site/modules/broken/lib/puppet/type/broken_type.rb",
            "Puppet::Type.newtype(:broken_type) do (",
        );
    for n in 0..30 {
        let (root, next) = (format!("/site/modules/a{n}"), (n + 1) % 30);
        world = world
            .with(
                format!("{root}/manifests/init.pp"),
                format!(
                    "class a{n} (A{n}::Kind $kind = 'x') {{\n  if $facts['never'] {{\n    include broken\n    broken_type {{ 'x': }}\n    $a = broken::f()\n    $b = epp('broken/t.epp')\n  }}\n  include a{next}\n  contain a{n}::part\n  a{n}::thing {{ 'x': }}\n}}\n"
                ),
            )
            .with(
                format!("{root}/manifests/part.pp"),
                format!(
                    "class a{n}::part {{ file {{ '/{n}': content => template('a{n}/t.erb') }}\n  notify {{ \"${{a{n}::f()}}\": message => epp('a{n}/t.epp') }} }}\n"
                ),
            )
            .with(
                format!("{root}/manifests/thing.pp"),
                format!("define a{n}::thing {{ a{n}_type {{ $title: size => 1 }} }}\n"),
            )
            .with(format!("{root}/types/kind.pp"), format!("type A{n}::Kind = Enum['x']\n"))
            .with(format!("{root}/functions/f.pp"), format!("function a{n}::f() {{ 'f{n}' }}\n"))
            .with(format!("{root}/templates/t.erb"), "<%= 1 + 1 %>")
            .with(format!("{root}/templates/t.epp"), "<%= 1 + 1 %>")
            .with(
                format!("{root}/lib/puppet/type/a{n}_type.rb"),
                format!(
                    "Puppet::Type.newtype(:a{n}_type) do\n  newparam(:name, namevar: true)\n  newproperty(:size)\nend\n"
                ),
            );
    }
    world
}

fn catalog(compiler: &Compiler) -> String {
    let site = compiler.open(&SiteSpec::at("/site")).expect("a site");
    site.compile(&Node::named("n")).result.expect("a catalog").to_json()
}

#[test]
fn the_catalog_is_the_same() {
    // Nothing is read ahead while the inputs of a catalog are recorded.
    let recorded = catalog(&Compiler::new(Recorded::new(world())));
    assert!(recorded.contains("a29_type") || recorded.contains("A29_type"), "{recorded}");
    let world = Arc::new(world());
    for _ in 0..50 {
        assert_eq!(catalog(&Compiler::new(Arc::clone(&world))), recorded);
    }
}

#[test]
fn what_is_wrong_with_a_text_is_told_by_who_uses_it() {
    let compiler = Compiler::new(world());
    let site = compiler.open(&SiteSpec::at("/site")).expect("a site");
    let failure =
        |name: &str| site.compile(&Node::named(name)).result.err().map(|failure| failure.to_string());
    assert_eq!(failure("n"), None);
    let error = failure("other").expect("a failure");
    assert!(error.contains("broken/manifests/init.pp"), "{error}");
}
