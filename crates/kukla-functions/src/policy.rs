//! Policies: claims about the resources of a finished catalog.

use kukla_catalog::{Catalog, Resource};
use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_syntax::{Severity, diagnostic};
use kukla_values::{Hash, Str, Type, Value};

use crate::codes::NO_INSPECTED_CATALOG;
use crate::iterate::call;

builtins! {
    /// Claims something about resources of a finished catalog: that a lambda gives something true for each of them, or without a lambda that
    /// there is one. The lambda gets a hash with the attributes of the resource, its `type`, `title` and `tags`.
    ///
    /// Policies are in files of their own (`policies/*.pp`); `kukla test`, `kukla compile --all --policy` and others check them.
    ///
    /// ```puppet
    /// policy('files are not writable by everybody', File) |$file| { $file['mode'] !~ /[2367]$/ }    # error: there is no catalog
    /// ```
    "policy" {
        "String[1] $message, Variant[Type, Array[Type, 1]] $resources, Enum['error', 'warning', 'notice'] $severity = 'error', Callable[1, 1] &$check >> Undef" => each,
        "String[1] $message, Variant[Type, Array[Type, 1]] $resources, Enum['error', 'warning', 'notice'] $severity = 'error' >> Undef" => exists,
    }
}

fn each(vm: &mut Vm<'_>, message: Str, resources: Value, severity: Str, block: Option<Block>) -> Flow<Value> {
    let Some(catalog) = vm.inspected() else { return Err(diagnostic!(NO_INSPECTED_CATALOG).into()) };
    let wanted = resource_filters(&resources);
    for (at, resource) in catalog.resources.iter().enumerate() {
        if !wanted.iter().any(|wanted| wanted.includes(resource)) {
            continue;
        }
        vm.charge(1)?;
        let subject = Value::Hash(described(resource));
        if !call(vm, &block, vec![subject])?.is_true() {
            vm.report_violation(level(&severity), &message, Some(at));
        }
    }
    Ok(Value::Undef)
}

fn exists(vm: &mut Vm<'_>, message: Str, resources: Value, severity: Str) -> Flow<Value> {
    let Some(catalog) = vm.inspected() else { return Err(diagnostic!(NO_INSPECTED_CATALOG).into()) };
    let is_there =
        |wanted: &ResourceFilter, catalog: &Catalog| catalog.resources.iter().any(|one| wanted.includes(one));
    if !resource_filters(&resources).iter().all(|wanted| is_there(wanted, &catalog)) {
        vm.report_violation(level(&severity), &message, None);
    }
    Ok(Value::Undef)
}

fn level(severity: &str) -> Severity {
    match severity {
        "warning" => Severity::Warning,
        "notice" => Severity::Deprecation,
        _ => Severity::Error,
    }
}

/// Resources by type and perhaps title.
struct ResourceFilter {
    /// The type; none for all.
    type_name: Option<Str>,
    title: Option<Str>,
}

impl ResourceFilter {
    fn includes(&self, resource: &Resource) -> bool {
        let is_of_type =
            self.type_name.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(&resource.type_name));
        let is_class = || resource.type_name.as_str() == "Class";
        is_of_type
            && self.title.as_ref().is_none_or(|title| match is_class() {
                true => title.trim_start_matches("::").eq_ignore_ascii_case(&resource.title),
                false => *title == resource.title,
            })
    }
}

fn resource_filters(resources: &Value) -> Vec<ResourceFilter> {
    match resources {
        Value::Array(types) => types.iter().flat_map(resource_filters).collect(),
        Value::Type(ty) => vec![match &**ty {
            Type::Resource(None) => ResourceFilter { type_name: None, title: None },
            Type::Resource(Some(resource)) => {
                ResourceFilter { type_name: Some(resource.name.clone()), title: resource.title.clone() }
            }
            Type::Class(title) => ResourceFilter { type_name: Some("Class".into()), title: title.clone() },
            other => ResourceFilter { type_name: Some(other.name()), title: None },
        }],
        _ => Vec::new(),
    }
}

/// The attributes of a resource, its type, title and tags.
fn described(resource: &Resource) -> Hash {
    let mut hash: Hash =
        resource.parameters.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let tags: Vec<Value> = resource.tags.iter().cloned().map(Value::String).collect();
    for (name, value) in [
        ("type", Value::String(resource.type_name.clone())),
        ("title", Value::String(resource.title.clone())),
        ("tags", tags.into()),
    ] {
        if !hash.contains_key(name) {
            hash.insert(name, value);
        }
    }
    hash
}
