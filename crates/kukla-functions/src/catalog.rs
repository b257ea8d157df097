//! The catalog: `include`, `require`, `contain`, `create_resources`, `realize`, `tag`, `tagged`, `defined`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Hash, Type, Value};

use crate::codes::{CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING, REFERENCE_WITHOUT_TITLE};
use crate::legacy::{LEGACY, at_least, wrong_count, wrong_type};
use crate::ruby;

builtins! {
    /// Declares classes, each once however often it is asked for, and gives references to them.
    ///
    /// ```puppet
    /// class a { }
    /// include('a')    # => [Class['a']]
    /// ```
    "include": RunsCode, ChangesCatalog { "Array[Any, 1] *$names >> Array[Type[Class]]" => |vm: &mut Vm<'_>, Rest(names): Rest| {
        makes_catalog(vm, "include")?;
        vm.include(&names)
    } }

    /// Declares classes that must come before whatever asks for them.
    ///
    /// ```puppet
    /// class a { }
    /// require('a')    # => [Class['a']]
    /// ```
    "require": RunsCode, ChangesCatalog { "Array[Any, 1] *$names >> Array[Type[Class]]" => |vm: &mut Vm<'_>, Rest(names): Rest| {
        makes_catalog(vm, "require")?;
        vm.require(&names)
    } }

    /// Declares classes that are contained in the class that asks for them: what depends on that one depends on them.
    ///
    /// ```puppet
    /// class a { }
    /// contain('a')    # => [Class['a']]
    /// ```
    "contain": RunsCode, ChangesCatalog { "Array[Any, 1] *$names >> Array[Type[Class]]" => |vm: &mut Vm<'_>, Rest(names): Rest| {
        makes_catalog(vm, "contain")?;
        vm.contain(&names)
    } }

    /// Declares a resource of a type for each key of a hash, with the attributes that are its value; a second hash gives defaults.
    ///
    /// ```puppet
    /// create_resources('notify', {'hello' => {message => 'hi'}})
    /// defined(Notify['hello'])    # => true
    /// ```
    "create_resources": RunsCode, ChangesCatalog {
        LEGACY => create_resources;
        tools "String $type, Hash[Any, Hash] $resources, Hash $defaults = {} >> Undef"
    }

    /// Makes virtual resources real.
    ///
    /// ```puppet
    /// @notify { 'a': }
    /// realize(Notify['a'])    # => undef
    /// ```
    "realize": ChangesCatalog {
        LEGACY => realize;
        tools "Array[Variant[String, Type[CatalogEntry], Array], 1] *$references >> Undef"
    }

    /// Adds tags to the class or resource that is being evaluated, and so to all in it.
    ///
    /// ```puppet
    /// tag('web')    # => undef
    /// ```
    "tag": ChangesCatalog {
        LEGACY => tag;
        tools "Array[Variant[Scalar, Array], 1] *$tags >> Undef"
    }

    /// Whether the class or resource that is being evaluated, or the catalog, has all of some tags.
    ///
    /// ```puppet
    /// tagged('no_such_tag')    # => false
    /// ```
    "tagged": ReadsCatalog {
        LEGACY => tagged;
        tools "Array[Variant[Scalar, Array], 1] *$tags >> Boolean"
    }

    /// Whether there is a class, type, variable (`'$name'`) or declared resource.
    ///
    /// ```puppet
    /// defined('file')            # => true
    /// defined(File['/x'])        # => false
    /// defined('$facts')          # => true
    /// ```
    "defined": ReadsCatalog { "Array[Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]], 1] *$vals >> Boolean" => defined }
}

/// Scripts, which run with the setting `tasks`, make no catalog.
fn makes_catalog(vm: &Vm<'_>, operation: &str) -> Flow<()> {
    if !vm.environment().settings.tasks {
        return Ok(());
    }
    let failure = diagnostic!(CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING { operation });
    Err(failure.on_line_of(vm.caller()).into())
}

fn create_resources(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    let args = at_least("create_resources", 2, args)?;
    makes_catalog(vm, "create_resources")?;
    let given = args.len();
    if given > 3 {
        let objection = format_args!("wrong number of arguments ({given}; must be 2 or 3)");
        return Err(wrong_count("create_resources", objection).into());
    }
    let Value::Hash(instances) = &args[1] else {
        return Err(wrong_type("create_resources", "second argument must be a hash").into());
    };
    let defaults = match args.get(2) {
        None => Hash::new(),
        Some(Value::Hash(defaults)) => defaults.clone(),
        Some(_) => {
            let objection = "third argument, if provided, must be a hash";
            return Err(wrong_type("create_resources", objection).into());
        }
    };
    let Value::String(kind) = &args[0] else { return Err(ruby::no_method("sub", &args[0]).into()) };
    if let Some(wrong) = instances.values().find(|attributes| !matches!(attributes, Value::Hash(_))) {
        return Err(ruby::no_conversion(wrong, "Hash").into());
    }
    vm.create_resources(kind, instances, &defaults)?;
    Ok(())
}

fn realize(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    let references = ruby::flatten(&at_least("realize", 1, args)?);
    makes_catalog(vm, "realize")?;
    for reference in &references {
        if !is_reference(reference) {
            bail!(REFERENCE_WITHOUT_TITLE { reference: ruby::inspect_str(&ruby::to_s(reference)) });
        }
    }
    vm.realize(&references)
}

/// Whether a value refers to one resource: `File['/x']`, or the same in text.
fn is_reference(value: &Value) -> bool {
    match value {
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(resource)) => resource.title.is_some(),
            Type::Class(name) => name.is_some(),
            _ => false,
        },
        Value::String(text) => {
            text.split_once('[').is_some_and(|(name, rest)| !name.is_empty() && rest.ends_with(']'))
        }
        _ => false,
    }
}

fn tag(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    let tags = at_least("tag", 1, args)?;
    makes_catalog(vm, "tag")?;
    vm.tag(&tags)
}

fn tagged(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<bool> {
    let tags = at_least("tagged", 1, args)?;
    makes_catalog(vm, "tagged")?;
    Ok(vm.tagged(&tags))
}

fn defined(vm: &mut Vm<'_>, Rest(values): Rest) -> Flow<bool> {
    for value in &values {
        if vm.defined(value)? {
            return Ok(true);
        }
    }
    Ok(false)
}
