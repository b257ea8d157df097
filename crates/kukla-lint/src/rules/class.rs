//! Class definitions and their names.

use kukla_syntax::Code;

use crate::manifest::{Definition, Manifest};
use crate::report::{Edit, Report};
use crate::rule::{Done, another, rules};
use crate::settings::Settings;
use crate::token::Kind;

rules! {
    RULES;

    /// A class or a defined type is in a file where Puppet does not look for it: `a::b::c` belongs into `a/manifests/b/c.pp`, `a` into
    /// `a/manifests/init.pp`. With `--relative` the name of the directory of the module does not count.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # ntp/manifests/server.pp
    /// class ntp::client { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # ntp/manifests/client.pp
    /// class ntp::client { }
    /// ```
    AUTOLOADER_LAYOUT = "autoloader_layout": Error, "puppet-lint", on, None, autoloader_layout,
        "{name} not in autoload module layout";

    /// A class inherits from a class `params`. Data in the module (`data/common.yaml`) does the same without a class that everything depends on.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp inherits ntp::params { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp { }
    /// ```
    CLASS_INHERITS_FROM_PARAMS_CLASS = "class_inherits_from_params_class": Warning, "puppet-lint", off, None, inherits_from_params,
        "class inheriting from params class";

    /// Code is outside of classes and defined types. In a module nothing should be; site manifests have good reasons.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// include
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class role::web { include nginx }
    /// ```
    CODE_ON_TOP_SCOPE = "code_on_top_scope": Warning, "puppet-lint", off, None, code_on_top_scope,
        "code outside of class or define block - {value}";

    /// A class inherits from a class of another module, which ties the two modules together.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class web inherits nginx { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class web { include nginx }
    /// ```
    INHERITS_ACROSS_NAMESPACES = "inherits_across_namespaces": Warning, "puppet-lint", on, None, inherits_across_namespaces,
        "class inherits across module namespaces";

    /// The name of a class or a defined type has a dash, which Puppet refuses.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class my-ntp { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class my_ntp { }
    /// ```
    NAMES_CONTAINING_DASH = "names_containing_dash": Error, "puppet-lint", on, None, dash,
        "{type} name containing a dash";

    /// The name of a class or a defined type has an upper-case letter, which Puppet refuses. The fix writes it in lower case; other places that
    /// use the name are not changed.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class myNtp { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class myntp { }
    /// ```
    NAMES_CONTAINING_UPPERCASE = "names_containing_uppercase": Error, "puppet-lint", on, Value, uppercase,
        "{type} '{name}' contains illegal uppercase";

    /// A class or a defined type is defined within a class, where Puppet does not find it before the outer class is loaded.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp {
    ///   class config { }
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp::config { }
    /// ```
    NESTED_CLASSES_OR_DEFINES = "nested_classes_or_defines": Warning, "puppet-lint", on, None, nested,
        "class defined inside a class";
}

static NESTED_DEFINE: Code = another(&NESTED_CLASSES_OR_DEFINES, "defined type defined inside a class");

/// The kind of a definition in words.
pub(super) fn word(definition: &Definition) -> &'static str {
    if definition.kind == Kind::Class { "class" } else { "defined type" }
}

fn autoloader_layout(manifest: &Manifest<'_>, settings: &Settings, report: &mut Report) -> Done {
    if manifest.full_path.is_empty() {
        return Ok(());
    }
    for (at, name) in named(manifest) {
        let mut parts = name.split("::");
        let module = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        let file = if rest.is_empty() { "init".to_owned() } else { rest.join("/") };
        let path = if settings.relative {
            format!("manifests/{file}.pp")
        } else {
            format!("/{}/manifests/{file}.pp", if rest.is_empty() { name } else { module })
        };
        if !manifest.full_path.ends_with(&path) {
            report.at(manifest, at, &AUTOLOADER_LAYOUT).fact("name", name);
        }
    }
    Ok(())
}

/// The names of classes and defined types, with their positions.
fn named<'m, 't>(manifest: &'m Manifest<'t>) -> impl Iterator<Item = (usize, &'t str)> + use<'m, 't> {
    manifest.definitions().filter_map(|definition| definition.name.map(|at| (at, manifest.value(at))))
}

fn inherits_from_params(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.classes().iter().filter_map(|class| class.inherited) {
        if manifest.value(at).ends_with("::params") {
            report.at(manifest, at, &CLASS_INHERITS_FROM_PARAMS_CLASS);
        }
    }
    Ok(())
}

fn code_on_top_scope(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let mut scopes: Vec<_> = manifest.definitions().map(Definition::tokens).collect();
    scopes.sort_by_key(|scope| scope.start);
    let (mut next, mut covered) = (0, 0);
    for at in manifest.positions() {
        while let Some(scope) = scopes.get(next).filter(|scope| scope.start <= at) {
            covered = covered.max(scope.end);
            next += 1;
        }
        if at >= covered && !manifest.kind(at).is_formatting() {
            report.at(manifest, at, &CODE_ON_TOP_SCOPE).fact("value", manifest.value(at));
        }
    }
    Ok(())
}

fn inherits_across_namespaces(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let module = |at| manifest.value(at).split("::").find(|part| !part.is_empty());
    for class in manifest.classes() {
        let (Some(name), Some(inherited)) = (class.name, class.inherited) else { continue };
        if module(name) != module(inherited) {
            report.at(manifest, inherited, &INHERITS_ACROSS_NAMESPACES);
        }
    }
    Ok(())
}

fn dash(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for definition in manifest.definitions() {
        if let Some(name) = definition.name.filter(|name| manifest.value(*name).contains('-')) {
            report.at(manifest, name, &NAMES_CONTAINING_DASH).fact("type", word(definition));
        }
    }
    Ok(())
}

fn uppercase(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for definition in manifest.definitions() {
        let Some(at) = definition.name else { continue };
        let name = manifest.value(at);
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let lower = Edit::replace(manifest.get(at), manifest.source(at).to_lowercase());
            let finding = report.at(manifest, at, &NAMES_CONTAINING_UPPERCASE);
            finding.fact("type", word(definition)).fact("name", name).fixed_by([lower]);
        }
    }
    Ok(())
}

fn nested(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for class in manifest.classes() {
        for at in class.start + 1..=class.end {
            let code = match manifest.kind(at) {
                Kind::Class => &NESTED_CLASSES_OR_DEFINES,
                Kind::Define => &NESTED_DEFINE,
                _ => continue,
            };
            if manifest.next_code_kind(at).is_some_and(|kind| kind != Kind::Lbrace) {
                report.at(manifest, at, code);
            }
        }
    }
    Ok(())
}
