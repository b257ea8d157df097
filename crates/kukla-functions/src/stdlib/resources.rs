//! Resources: `ensure_resource`, `ensure_resources`, `ensure_packages`, `defined_with_params`, `getparam`, `stdlib::str2resource`,
//! `assert_private`.

use kukla_catalog::ResourceRef;
use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::settings::LogLevel;
use kukla_eval::vm::Vm;
use kukla_syntax::{bail, diagnostic};
use kukla_values::case;
use kukla_values::types::capitalize;
use kukla_values::{Error, Hash, Result, Str, Type, Value};

use crate::codes::{
    MISSING_ARGUMENT, PRIVATE_TO_MODULE, PRIVATE_WITH_MESSAGE, REFERENCE_NOT_UNDERSTOOD,
    REFERENCE_WITHOUT_TITLE, RESOURCE_NOT_DECLARED,
};
use crate::legacy::{LEGACY, legacy, wrong_count, wrong_type};
use crate::ruby;

builtins! {
    /// Declares a resource unless one like it is declared already.
    ///
    /// ```puppet
    /// ensure_resource('notify', 'a', {message => 'hi'})
    /// ensure_resource('notify', 'a', {message => 'hi'})
    /// Notify['a']['message']    # => 'hi'
    /// ```
    "ensure_resource": ChangesCatalog {
        LEGACY => ensure_resource;
        tools "String $type, Variant[String, Array] $titles, Hash $attributes = {} >> Undef"
    }

    /// Declares resources, given as a hash of titles and attributes, unless ones like them are declared already.
    ///
    /// ```puppet
    /// ensure_resources('notify', {'a' => {message => 'hi'}}, {tag => 'x'})
    /// defined(Notify['a'])    # => true
    /// ```
    "ensure_resources": ChangesCatalog {
        LEGACY => ensure_resources;
        tools "String $type, Hash $resources, Hash $defaults = {} >> Undef"
    }

    /// Declares packages, given by name, as an array or as a hash of names and attributes, unless they are declared already.
    ///
    /// ```puppet
    /// ensure_packages(['vim', 'git'])
    /// Package['git']['ensure']    # => 'installed'
    /// ```
    "ensure_packages": ChangesCatalog, TypedResult { "Variant[String[1], Array[String[1]], Hash[String[1], Any]] $packages, Hash $default_attributes = {} >> Undef" => ensure_packages }

    /// Declares packages unless they are declared already, also where that was with the other word for installed.
    ///
    /// ```puppet
    /// package { 'vim': ensure => present }
    /// stdlib::ensure_packages('vim')
    /// Package['vim']['ensure']    # => 'present'
    /// ```
    "stdlib::ensure_packages": ChangesCatalog {
        "Variant[String[1], Array[String[1]]] $packages, Hash $default_attributes = {} >> Undef" => namespaced_packages,
        "Hash[String[1], Any] $packages, Hash $default_attributes = {} >> Undef" => namespaced_packages,
    }

    /// Whether a resource is declared with some attributes; without a title, any resource of the type.
    ///
    /// ```puppet
    /// notify { 'a': message => 'hi' }
    /// defined_with_params(Notify['a'], {message => 'hi'})    # => true
    /// defined_with_params('Notify[a]', {message => 'no'})    # => false
    /// ```
    "defined_with_params": ReadsCatalog {
        LEGACY => defined_with_params;
        tools "Variant[String, Type[Resource]] $reference, Hash $attributes = {} >> Boolean"
    }

    /// The value of a resource's attribute, or an empty string.
    ///
    /// ```puppet
    /// notify { 'a': message => 'hi' }
    /// getparam(Notify['a'], 'message')    # => 'hi'
    /// getparam(Notify['b'], 'message')    # => ''
    /// ```
    "getparam": ReadsCatalog {
        LEGACY => getparam;
        tools "Variant[String, Type[CatalogEntry]] $reference, String $name >> Any"
    }

    /// A reference to the declared resource that a text such as `File[/etc/x]` names.
    ///
    /// ```puppet
    /// notify { 'a': }
    /// stdlib::str2resource('Notify[a]')    # => Notify['a']
    /// ```
    "stdlib::str2resource": ReadsCatalog { "String $res_string >> Type[Resource]" => str2resource }

    /// Fails unless the class or define that calls it is declared from its own module.
    "assert_private": ReadsVariables {
        LEGACY => assert_private;
        tools "Optional[String] $message = undef >> Undef"
    }
}

/// The reference in text: `file[/x]`.
fn parse_reference(text: &str) -> Result<ResourceRef> {
    let Some(found) = ResourceRef::parse(text) else {
        bail!(REFERENCE_WITHOUT_TITLE { reference: ruby::inspect_str(text) });
    };
    Ok(ResourceRef::new(capitalize(&found.type_name().to_lowercase()), found.title().clone()))
}

/// The reference in text or as a type; one that names a type alone has no title.
fn reference(value: &Value) -> Result<ResourceRef> {
    match value {
        Value::String(text) => parse_reference(text),
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(resource)) => {
                Ok(ResourceRef::new(resource.name.clone(), resource.title.clone().unwrap_or_default()))
            }
            Type::Class(name) => Ok(ResourceRef::new("Class", name.clone().unwrap_or_default())),
            _ => Err(not_understood(value)),
        },
        other => Err(not_understood(other)),
    }
}

fn not_understood(value: &Value) -> Error {
    diagnostic!(REFERENCE_NOT_UNDERSTOOD { kind: ruby::class(value) }).into()
}

fn defined_with_params(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<bool> {
    let args = legacy(args)?;
    let Some(given) = args.first().filter(|given| given.is_true()) else {
        bail!(MISSING_ARGUMENT { what: "a reference" });
    };
    let reference = reference(given)?;
    let params = match args.get(1) {
        Some(Value::Hash(params)) => params.clone(),
        None | Some(Value::Undef | Value::Boolean(false)) => Hash::new(),
        Some(Value::String(text)) if text.is_empty() => Hash::new(),
        // Only a resource that is there is compared with them.
        Some(_) if !is_defined(vm, &reference, &Hash::new()) => return Ok(false),
        Some(other) => return Err(ruby::no_method("map", other).into()),
    };
    Ok(is_defined(vm, &reference, &params))
}

fn is_defined(vm: &Vm<'_>, reference: &ResourceRef, params: &Hash) -> bool {
    let candidates = if reference.title().is_empty() {
        vm.declared_of_type(reference.type_name())
    } else {
        vm.declared(reference).into_iter().collect()
    };
    let current = vm.container_id();
    let matches = |resource| {
        params.iter().all(|(key, value)| {
            let actual = vm.declared_attribute(resource, &ruby::to_s(key)).unwrap_or_default();
            (actual.is_undef() && value.is_undef()) || ruby::equal(&actual, value)
        })
    };
    candidates.into_iter().any(|resource| Some(resource) != current && matches(resource))
}

fn ensure_resource(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    let args = legacy(args)?;
    let (kind, title, params) = request(&args)?;
    declare_unless_there(vm, &kind, &title, params)
}

/// The kind, title and attributes that a function was asked to ensure.
fn request(args: &[Value]) -> Result<(Value, Value, Value)> {
    let given = |at: usize| args.get(at).filter(|value| value.is_true());
    let Some(kind) = given(0) else { bail!(MISSING_ARGUMENT { what: "a type" }) };
    let Some(title) = given(1) else { bail!(MISSING_ARGUMENT { what: "a title" }) };
    Ok((kind.clone(), title.clone(), given(2).cloned().unwrap_or_else(|| Hash::new().into())))
}

fn declare_unless_there(vm: &mut Vm<'_>, kind: &Value, title: &Value, params: Value) -> Flow<()> {
    for item in ruby::flatten(std::slice::from_ref(title)) {
        let reference = parse_reference(&format!("{}[{}]", ruby::to_s(kind), ruby::to_s(&item)))?;
        let wanted = match &params {
            Value::Hash(params) => params.clone(),
            _ => Hash::new(),
        };
        if !is_defined(vm, &reference, &wanted) {
            let Value::String(kind) = kind else { return Err(ruby::no_method("capitalize", kind).into()) };
            if !matches!(params, Value::Hash(_)) {
                return Err(ruby::no_conversion(&params, "Hash").into());
            }
            let instances = Hash::from_iter([(item, params.clone())]);
            vm.create_resources(&case::capitalize(kind), &instances, &Hash::new())?;
        }
    }
    Ok(())
}

fn ensure_resources(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    let args = legacy(args)?;
    let (kind, titles, params) = request(&args)?;
    let Value::Hash(titles) = &titles else {
        return Err(wrong_type("ensure_resources", "Requires second argument to be a Hash").into());
    };
    for (title, attributes) in titles {
        let merged = if attributes.is_true() { merged(&params, attributes)? } else { params.clone() };
        declare_unless_there(vm, &kind, title, merged)?;
    }
    Ok(())
}

fn merged(defaults: &Value, attributes: &Value) -> Result<Value> {
    let Value::Hash(mut merged) = defaults.clone() else { return Err(ruby::no_method("merge", defaults)) };
    let Value::Hash(attributes) = attributes else { return Err(ruby::no_conversion(attributes, "Hash")) };
    merged.make_mut().extend(attributes.iter().map(|(key, value)| (key.clone(), value.clone())));
    Ok(merged.into())
}

fn ensure_packages(vm: &mut Vm<'_>, packages: Value, attributes: Hash) -> Flow<()> {
    let mut defaults = Hash::from_iter([("ensure", "installed")]);
    defaults.make_mut().extend(attributes.iter().map(|(key, value)| (key.clone(), value.clone())));
    if defaults.get("ensure").and_then(Value::as_str) == Some("present") {
        defaults.insert("ensure", "installed");
    }
    match packages {
        Value::Hash(packages) => {
            for (name, attributes) in &packages {
                let all = if attributes.is_true() {
                    merged(&defaults.clone().into(), attributes)?
                } else {
                    defaults.clone().into()
                };
                declare_unless_there(vm, &"package".into(), name, all)?;
            }
            Ok(())
        }
        names => declare_unless_there(vm, &"package".into(), &names, defaults.into()),
    }
}

fn namespaced_packages(vm: &mut Vm<'_>, packages: Value, attributes: Hash) -> Flow<()> {
    if let Value::Hash(packages) = &packages {
        for (name, own) in packages {
            let all = merged(&attributes.clone().into(), own)?;
            namespaced_packages(vm, name.clone(), all.as_hash().cloned().unwrap_or_default())?;
        }
        return Ok(());
    }
    for name in &ruby::to_array(&packages) {
        let mut all = Hash::from_iter([("ensure", "installed")]);
        all.make_mut().extend(attributes.iter().map(|(key, value)| (key.clone(), value.clone())));
        if matches!(all.get("ensure").and_then(Value::as_str), Some("present" | "installed")) {
            let present = Hash::from_iter([("ensure", "present")]);
            let there = is_defined(vm, &ResourceRef::new("Package", ruby::to_s(name)), &present);
            all.insert("ensure", if there { "present" } else { "installed" });
        }
        declare_unless_there(vm, &"package".into(), name, all.into())?;
    }
    Ok(())
}

fn getparam(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let args = legacy(args)?;
    let Some(given) = args.first().filter(|given| given.is_true()) else {
        bail!(MISSING_ARGUMENT { what: "a reference" });
    };
    let Some(Value::String(param)) = args.get(1) else {
        bail!(MISSING_ARGUMENT { what: "name of a parameter" });
    };
    let found = match given {
        _ if param.is_empty() => None,
        Value::Type(_) => reference(given).ok(),
        other => Some(parse_reference(&ruby::to_s(other))?),
    };
    let resource = found.and_then(|reference| vm.declared(&reference));
    Ok(match resource.map(|resource| vm.declared_attribute(resource, param).unwrap_or_default()) {
        None | Some(Value::Undef) => "".into(),
        Some(value) => value,
    })
}

fn str2resource(vm: &mut Vm<'_>, text: Str) -> Flow<Value> {
    let reference = parse_reference(&text)?;
    match vm.declared(&reference) {
        Some(resource) => Ok(vm.declared_reference(resource)),
        None => bail!(RESOURCE_NOT_DECLARED { reference }),
    }
}

fn assert_private(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    let args = legacy(args)?;
    if args.len() > 1 {
        let objection = format_args!("Wrong number of arguments given ({}}}) for 0 or 1)", args.len());
        return Err(wrong_count("assert_private", objection).into());
    }
    // The site manifest belongs to no module and has no caller.
    let at_top = vm.is_at_top();
    if !at_top && vm.variable("module_name")? == vm.variable("caller_module_name")? {
        return Ok(());
    }
    match args.first() {
        Some(Value::String(message)) => bail!(PRIVATE_WITH_MESSAGE { message }),
        _ => {
            let (kind, name) = vm.code_in_charge();
            bail!(PRIVATE_TO_MODULE { kind, name })
        }
    }
}

/// The functions that stdlib 9 no longer has.
pub mod old {
    use super::*;

    builtins! {
        /// The former name of `assert_private`; since the word is reserved, only `call('private')` reaches it.
        "private": ReadsVariables, Deprecated {
            LEGACY => private;
            tools "Optional[String] $message = undef >> Undef"
        }
    }

    fn private(vm: &mut Vm<'_>, args: Rest) -> Flow<()> {
        vm.log(
            LogLevel::Warning,
            "private() DEPRECATED: This function will cease to function on Puppet 4; please use assert_private() before upgrading to puppet 4 for backwards-compatibility, or migrate to the new parser's typing system.",
        );
        assert_private(vm, args)
    }
}
