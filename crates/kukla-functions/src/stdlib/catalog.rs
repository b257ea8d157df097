//! Functions that declare resources unless they are declared, and ask what is.

use kukla_eval::builtins;
use kukla_eval::error::{Failure, Flow, Raise};
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_values::format::interpolate;
use kukla_values::{Hash, Str, Type, Value};

builtins! {
    /// Fails unless the class or define that calls it was declared from its own module.
    "assert_private" { "Any *$args" => assert_private }

    /// Whether a resource is declared with these attributes.
    ///
    /// ```puppet
    /// defined_with_params(Notify['a'], {'message' => 'x'})    # => false
    /// ```
    "defined_with_params" { "Any *$args" => defined_with_params }

    /// Declares packages unless they are declared with the same attributes; `ensure` is `installed` unless said otherwise.
    "ensure_packages" {
        "Variant[String[1], Array[String[1]], Hash[String[1], Any]] $packages, Hash $default_attributes = undef" => ensure_packages,
    }

    /// Declares packages unless they are declared with the same attributes; `ensure` is `installed` unless said otherwise, or
    /// `present` where that is what a declared package says.
    "stdlib::ensure_packages" {
        "Variant[String[1], Array[String[1]]] $packages, Hash $default_attributes = undef" => namespaced_packages,
        "Hash[String[1], Any] $packages, Hash $default_attributes = undef" => namespaced_packages_hash,
    }

    /// Declares a resource (or several) unless it is declared with the same attributes.
    "ensure_resource" { "Any *$args" => ensure_resource }

    /// Declares the resources of a hash from titles to attributes, unless they are declared with the same attributes.
    "ensure_resources" { "Any *$args" => ensure_resources }

    /// The value of an attribute of a declared resource, or an empty string.
    "getparam" { "Any *$args" => getparam }

    /// The resource that text refers to, which must be declared.
    "stdlib::str2resource" { "String $res_string" => str2resource }
}

fn assert_private(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    if args.len() > 1 {
        let message =
            format!("assert_private(): Wrong number of arguments given ({}}}) for 0 or 1)", args.len());
        return Err(Raise::runtime(message));
    }
    if vm.variable("module_name").unwrap_or_default() == vm.variable("caller_module_name").unwrap_or_default()
    {
        return Ok(Value::Undef);
    }
    let message = match args.first() {
        Some(Value::String(message)) => message.to_string(),
        _ => {
            let (kind, name) = vm.code_in_charge();
            format!("{kind} {name} is private")
        }
    };
    Err(Raise::runtime(message))
}

/// A reference as text: `Type[title]`.
fn reference(value: &Value) -> Flow<String> {
    match value {
        Value::String(text) => Ok(text.to_string()),
        Value::Type(ty) if let Some(reference) = kukla_eval::catalog::reference_text(ty) => Ok(reference),
        other => {
            Err(Raise::runtime(format!("Reference is not understood: '{}'", Type::of(other).generalized())))
        }
    }
}

/// The attributes a function was given, if any: no value and empty text count as none.
fn attributes(value: Option<&Value>) -> Flow<Hash> {
    match value {
        None | Some(Value::Undef) => Ok(Hash::new()),
        Some(Value::String(text)) if text.is_empty() => Ok(Hash::new()),
        Some(Value::Hash(hash)) => Ok(hash.clone()),
        Some(other) => {
            let actual = Type::of(other).generalized();
            Err(Raise::runtime(format!("the attributes of a resource are a Hash, got {actual}")))
        }
    }
}

fn is_declared(vm: &Vm<'_>, reference: &str, params: &Hash) -> bool {
    let Some(id) = vm.declared(reference) else { return false };
    if vm.container_id() == Some(id) {
        return false;
    }
    params.iter().all(|(name, wanted)| {
        let current = vm.declared_attribute(id, &interpolate(name)).unwrap_or_default();
        current == *wanted
    })
}

fn defined_with_params(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    match args.first() {
        None | Some(Value::Undef) => Err(Raise::runtime("Must specify a reference")),
        Some(value) => Ok(is_declared(vm, &reference(value)?, &attributes(args.get(1))?).into()),
    }
}

fn ensure_one(vm: &mut Vm<'_>, type_name: &str, title: &Value, params: &Hash) -> Flow<()> {
    let title = interpolate(title);
    if !is_declared(vm, &format!("{type_name}[{title}]"), params) {
        let instances: Hash = [(title, Value::Hash(params.clone()))].into_iter().collect();
        vm.create_resources(type_name, &instances, &Hash::new())?;
    }
    Ok(())
}

/// The type and title that both functions begin with.
fn type_and_title(args: &[Value]) -> Flow<(Str, &Value)> {
    match args {
        [] | [Value::Undef, ..] => Err(Raise::runtime("Must specify a type")),
        [_] | [_, Value::Undef, ..] => Err(Raise::runtime("Must specify a title")),
        [type_name, title, ..] => Ok((interpolate(type_name), title)),
    }
}

fn ensure_resource(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let (type_name, titles) = type_and_title(&args)?;
    let params = attributes(args.get(2))?;
    for title in flat(titles) {
        ensure_one(vm, &type_name, &title, &params)?;
    }
    Ok(Value::Undef)
}

fn ensure_resources(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let (type_name, resources) = type_and_title(&args)?;
    let params = attributes(args.get(2))?;
    let Value::Hash(resources) = resources else {
        return Err(Raise::runtime("ensure_resources(): Requires second argument to be a Hash"));
    };
    for (title, own) in resources {
        let params = merged(&params, &attributes(Some(own))?);
        ensure_one(vm, &type_name, title, &params)?;
    }
    Ok(Value::Undef)
}

fn ensure_packages(vm: &mut Vm<'_>, packages: Value, defaults: Option<Hash>) -> Flow<Value> {
    let mut params = merged(&installed(), &defaults.unwrap_or_default());
    if params.get("ensure").and_then(Value::as_str) == Some("present") {
        params.insert("ensure", "installed");
    }
    match &packages {
        Value::Hash(packages) => {
            for (title, own) in packages {
                let params = merged(&params, &attributes(Some(own))?);
                ensure_one(vm, "package", title, &params)?;
            }
        }
        titles => {
            for title in flat(titles) {
                ensure_one(vm, "package", &title, &params)?;
            }
        }
    }
    Ok(Value::Undef)
}

fn namespaced_packages(vm: &mut Vm<'_>, packages: Value, defaults: Option<Hash>) -> Flow<Value> {
    for title in flat(&packages) {
        let mut params = merged(&installed(), &defaults.clone().unwrap_or_default());
        if matches!(params.get("ensure").and_then(Value::as_str), Some("present" | "installed")) {
            let present: Hash = [("ensure", "present")].into_iter().collect();
            let declared = is_declared(vm, &format!("Package[{}]", interpolate(&title)), &present);
            params.insert("ensure", if declared { "present" } else { "installed" });
        }
        ensure_one(vm, "package", &title, &params)?;
    }
    Ok(Value::Undef)
}

fn namespaced_packages_hash(vm: &mut Vm<'_>, packages: Hash, defaults: Option<Hash>) -> Flow<Value> {
    for (title, own) in &packages {
        let params = merged(&defaults.clone().unwrap_or_default(), &attributes(Some(own))?);
        namespaced_packages(vm, title.clone(), Some(params))?;
    }
    Ok(Value::Undef)
}

fn installed() -> Hash {
    [("ensure", "installed")].into_iter().collect()
}

fn merged(below: &Hash, above: &Hash) -> Hash {
    let mut all = below.clone();
    for (key, value) in above {
        all.insert(key.clone(), value.clone());
    }
    all
}

fn flat(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values.iter().flat_map(flat).collect(),
        other => vec![other.clone()],
    }
}

fn getparam(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let Some(wanted) = args.first().filter(|value| !value.is_undef()) else {
        return Err(Raise::runtime("Must specify a reference"));
    };
    let Some(Value::String(name)) = args.get(1) else {
        return Err(Raise::runtime("Must specify name of a parameter"));
    };
    let found = vm.declared(&reference(wanted)?).and_then(|id| vm.declared_attribute(id, name));
    Ok(found.unwrap_or_else(|| "".into()))
}

fn str2resource(vm: &mut Vm<'_>, text: Str) -> Flow<Value> {
    match vm.declared(&text) {
        Some(id) => Ok(vm.declared_reference(id)),
        None => {
            let message = format!(
                "stdlib::str2resource(): could not find {text}, this is parse order dependent and values should not be quoted"
            );
            Err(Failure::new("RUNTIME_ERROR", message).into())
        }
    }
}
