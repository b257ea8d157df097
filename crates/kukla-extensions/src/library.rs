//! Puppet's own classes as modules know them: those that are there once any of them is named, and those that `require` or a first mention brings.

use kukla_catalog::types;
use kukla_eval::Environment;
use kukla_ruby::class::ClassId;
use kukla_ruby::{Result, Ruby};
use kukla_values::{Hash, Str, Value};

use crate::{scope, template};

/// Puppet's own classes, all loaded once code names any of them, in the order in which they build on each other.
pub const PUPPET: &[(&str, &str)] = &[
    ("puppet/puppet.rb", include_str!("puppet/puppet.rb")),
    ("puppet/parser.rb", include_str!("puppet/parser.rb")),
    ("puppet/functions.rb", include_str!("puppet/functions.rb")),
    ("puppet/types.rb", include_str!("puppet/types.rb")),
    ("puppet/util.rb", include_str!("puppet/util.rb")),
];

/// Libraries that only some code needs.
pub const ON_DEMAND: &[(&str, &str)] = &[
    ("hiera", include_str!("puppet/hiera.rb")),
    ("puppet/core_types", include_str!("puppet/core_types.rb")),
    ("puppet/http", include_str!("puppet/http.rb")),
    ("puppet/parameter", include_str!("puppet/parameter.rb")),
    ("puppet/type", include_str!("puppet/type.rb")),
    ("puppet/resource_api", include_str!("puppet/resource_api.rb")),
];

/// Libraries that come with Puppet, by the first part of the name that `require` is given.
pub const KNOWN: &[&str] = &["puppet", "facter", "hiera", "semantic_puppet", "pson", "safe_yaml"];

/// The constants by which code gets at all this.
const NAMES: &[&str] = &["Facter", "Hiera", "Puppet", "PuppetX", "SemanticPuppet"];

/// Classes of `Digest` that Puppet itself has required, so that modules never do.
const DIGESTS: &[&str] = &["Base", "Class", "Instance", "MD5", "SHA1", "SHA2", "SHA256", "SHA384", "SHA512"];

/// Promises Puppet's own classes to an interpreter. Most templates never name them, and bringing them takes longer than most templates.
pub fn start(ruby: &mut Ruby<'_>) -> Result<()> {
    ruby.promise(NAMES, bring);
    for name in DIGESTS {
        let name = ruby.symbols.intern(name);
        ruby.promise_constant(ClassId::DIGEST, name, "digest".into());
    }
    template::declare(ruby)
}

/// Brings Puppet's own classes.
pub fn bring(ruby: &mut Ruby<'_>) -> Result<()> {
    ruby.declare(scope::CLASSES)?;
    template::publish(ruby)?;
    for (name, text) in PUPPET {
        match kukla_ruby::built_in(name, text) {
            Ok(program) => ruby.run_program(&program)?,
            Err(problem) => {
                return Err(ruby.runtime_error(format!("{name}:{}: {}", problem.line, problem.message)));
            }
        };
    }
    Ok(())
}

/// A library of Puppet's own, by the name that `require` is given; one that is there already has no text.
pub fn find(feature: &str) -> Option<(&'static str, &'static str)> {
    let wanted = match feature {
        "puppet/property" | "puppet/provider" | "puppet/coercion" => "puppet/parameter",
        "puppet/resource_api/simple_provider" => "puppet/resource_api",
        // Of the backends for Hiera 3 two come with it.
        "hiera/backend/yaml_backend" | "hiera/backend/json_backend" => "hiera",
        other if other.starts_with("hiera/backend/") => return None,
        other if other.starts_with("hiera/") => "hiera",
        other if other.starts_with("puppet/parameter/") || other.starts_with("puppet/property/") => {
            "puppet/parameter"
        }
        other => other,
    };
    if let Some(found) = ON_DEMAND.iter().find(|(name, _)| *name == wanted) {
        return Some(*found);
    }
    // The type of a name is a question of its own, and a provider is never needed.
    let is_type = |name: &str| name.strip_prefix("puppet/type/").is_some_and(|rest| !rest.contains('/'));
    let first = wanted.split('/').next().unwrap_or_default();
    let is_puppets = KNOWN.contains(&first);
    (wanted == "puppet_x" || is_puppets && !is_type(wanted)).then_some(("puppet", ""))
}

/// The attributes of a resource type that comes with Puppet, as Ruby sees them.
pub fn outline(name: &str) -> Option<Value> {
    let ty = types::core(name).or_else(|| types::bundled(name))?;
    let list =
        |names: &[&'static str]| Value::from(names.iter().map(|name| Value::from(*name)).collect::<Vec<_>>());
    let entries = [
        ("properties", list(&ty.properties)),
        ("parameters", list(&ty.parameters)),
        ("namevars", list(&ty.namevars)),
    ];
    Some(Value::Hash(entries.into_iter().map(|(name, names)| (Value::from(name), names)).collect::<Hash>()))
}

/// The providers that modules have for a resource type.
pub fn providers(environment: &Environment, type_name: &str) -> Vec<Str> {
    let mut names: Vec<Str> = Vec::new();
    for library in environment.libraries() {
        let directory = library.join("puppet/provider").join(type_name);
        for file in environment.reading(|world| world.list(&directory)) {
            let name = file.name.strip_suffix(".rb").map(Str::from);
            names.extend(name.filter(|name| !names.contains(name)));
        }
    }
    names
}
