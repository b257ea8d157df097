//! Functions that change the catalog or ask about it.

use kukla_eval::builtins;
use kukla_eval::error::{Flow, Raise};
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_values::{Hash, Value};

builtins! {
    /// Includes classes and contains them in the class or define that calls it: they are applied before it counts as done.
    "contain" { "Any *$names" => contain }

    /// Declares a resource for each entry of a hash from titles to attributes, on top of common attributes. The type may begin
    /// with `@` (virtual) or `@@` (exported), and may be `class`.
    ///
    /// ```puppet
    /// create_resources('notify', {'a' => {'message' => 'hello'}}, {'withpath' => true})
    /// ```
    "create_resources" { "Any *$args" => create_resources }

    /// Whether one of its arguments exists: a class or resource type by name, a variable by its name with `$`, a declared
    /// resource or class by reference.
    ///
    /// ```puppet
    /// defined('file')    # => true
    /// ```
    "defined" { "Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] *$vals" => defined }

    /// Declares classes, unless they are declared already.
    "include" { "Any *$names" => include }

    /// Makes virtual resources real, wherever they are declared.
    "realize" { "Any *$references" => realize }

    /// Includes classes and has the class or define that calls it wait for them.
    "require" { "Any *$names" => require }

    /// Tags the class or define that calls it, and all it contains.
    "tag" { "Any *$tags" => tag }

    /// Whether the catalog, or the class or define that calls it, has all of these tags.
    "tagged" { "Any *$tags" => tagged }
}

fn include(vm: &mut Vm<'_>, Rest(names): Rest) -> Flow {
    vm.include(&names)
}

fn require(vm: &mut Vm<'_>, Rest(names): Rest) -> Flow {
    vm.require(&names)
}

fn contain(vm: &mut Vm<'_>, Rest(names): Rest) -> Flow {
    vm.contain(&names)
}

fn realize(vm: &mut Vm<'_>, Rest(references): Rest) -> Flow<Value> {
    vm.realize(&references).map(|()| Value::Undef)
}

fn tag(vm: &mut Vm<'_>, Rest(tags): Rest) -> Flow<Value> {
    vm.tag(&tags).map(|()| Value::Undef)
}

fn tagged(vm: &mut Vm<'_>, Rest(tags): Rest) -> bool {
    vm.tagged(&tags)
}

fn defined(vm: &mut Vm<'_>, Rest(values): Rest) -> Flow<Value> {
    for value in &values {
        if vm.defined(value)? {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

fn create_resources(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow {
    let (type_name, instances, defaults) = match &args[..] {
        [type_name, instances] => (type_name, instances, None),
        [type_name, instances, defaults] => (type_name, instances, Some(defaults)),
        _ => {
            let message =
                format!("create_resources(): wrong number of arguments ({}; must be 2 or 3)", args.len());
            return Err(Raise::runtime(message));
        }
    };
    let Value::Hash(instances) = instances else {
        return Err(Raise::runtime("create_resources(): second argument must be a hash"));
    };
    let defaults = match defaults {
        None => Hash::new(),
        Some(Value::Hash(defaults)) => defaults.clone(),
        Some(_) => {
            return Err(Raise::runtime("create_resources(): third argument, if provided, must be a hash"));
        }
    };
    vm.create_resources(&kukla_values::format::interpolate(type_name), instances, &defaults)
}
