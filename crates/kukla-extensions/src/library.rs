//! Puppet's own classes as modules know them: those that are there from the start, and those that `require` or a first mention brings.

use std::path::Path;

use kukla_catalog::types;
use kukla_eval::Environment;
use kukla_ruby::{Result, Ruby};
use kukla_values::{Hash, Str, Value};

use crate::programs::RubyPrograms;
use crate::scope;

/// What is there from the start, in the order in which they build on each other.
const PUPPET: &[(&str, &str)] = &[
    ("puppet/puppet.rb", include_str!("puppet/puppet.rb")),
    ("puppet/parser.rb", include_str!("puppet/parser.rb")),
    ("puppet/functions.rb", include_str!("puppet/functions.rb")),
    ("puppet/types.rb", include_str!("puppet/types.rb")),
    ("puppet/util.rb", include_str!("puppet/util.rb")),
];

/// What only some code needs.
const ON_DEMAND: &[(&str, &str)] = &[
    ("puppet/core_types", include_str!("puppet/core_types.rb")),
    ("puppet/http", include_str!("puppet/http.rb")),
    ("puppet/parameter", include_str!("puppet/parameter.rb")),
    ("puppet/type", include_str!("puppet/type.rb")),
    ("puppet/resource_api", include_str!("puppet/resource_api.rb")),
];

/// Brings Puppet's own classes into an interpreter.
pub fn start(ruby: &mut Ruby<'_>, programs: &RubyPrograms) -> Result<()> {
    ruby.declare(scope::CLASSES)?;
    for (name, text) in PUPPET {
        let program = programs.code(Path::new(name), text.as_bytes());
        match program {
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
    let is_puppets =
        matches!(first, "puppet" | "facter" | "hiera" | "semantic_puppet" | "pson" | "safe_yaml");
    (wanted == "puppet_x" || is_puppets && !is_type(wanted)).then_some(("puppet", ""))
}

/// The attributes of a resource type that comes with Puppet, as Ruby is told of them.
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
    for module in environment.modules() {
        let directory = module.root.join("lib/puppet/provider").join(type_name);
        for file in environment.reading(|world| world.list(&directory)) {
            let name = file.name.strip_suffix(".rb").map(Str::from);
            names.extend(name.filter(|name| !names.contains(name)));
        }
    }
    names
}
