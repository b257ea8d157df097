//! Network interfaces among the facts: `has_interface_with`, `has_ip_address`, `has_ip_network`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::case::downcase;
use kukla_values::{Hash, Result, Str, Value};

use crate::codes::NO_INTERFACES_FACT;
use crate::legacy::{LEGACY, legacy, wrong_number};
use crate::ruby;

builtins! {
    /// Whether there is a network interface of a name, or one that has a value: `macaddress`, `netmask`, `ipaddress` or `network`.
    "has_interface_with": ReadsVariables {
        LEGACY => |vm: &mut Vm<'_>, Rest(args): Rest| has_interface_with(vm, legacy(args)?);
        tools "String $interface >> Boolean", "String $kind, String $value >> Boolean"
    }
    /// Whether an interface has an address.
    "has_ip_address": ReadsVariables {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| of_kind(vm, args, "has_ip_address", "ipaddress");
        tools "String $address >> Boolean"
    }
    /// Whether an interface is in a network.
    "has_ip_network": ReadsVariables {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| of_kind(vm, args, "has_ip_network", "network");
        tools "String $network >> Boolean"
    }

    /// Whether there is a network interface of a name, or one that has a value.
    "stdlib::has_interface_with": ReadsVariables {
        "String[1] $interface >> Boolean" => has_interface,
        "Enum['macaddress','netmask','ipaddress','network','ip','mac'] $kind, String[1] $value >> Boolean" => any_interface,
    }
    /// Whether an interface has an address.
    "stdlib::has_ip_address": ReadsVariables {
        type "Stdlib::IP::Address::V4::Nosubnet = Pattern[/\\A([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])(\\.([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])){3}\\z/]";
        "Stdlib::IP::Address::V4::Nosubnet $ip_address >> Boolean" => |vm: &mut Vm<'_>, value: Str| any_interface(vm, "ip".into(), value)
    }
    /// Whether an interface is in a network.
    "stdlib::has_ip_network": ReadsVariables {
        type "Stdlib::IP::Address::V4::Nosubnet = Pattern[/\\A([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])(\\.([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])){3}\\z/]";
        "Stdlib::IP::Address::V4::Nosubnet $ip_network >> Boolean" => |vm: &mut Vm<'_>, value: Str| any_interface(vm, "network".into(), value)
    }
}

/// `$facts['networking']['interfaces']`.
fn interfaces(vm: &Vm<'_>) -> Result<Hash> {
    let step = |value: &Value, key: &str| match value {
        Value::Hash(hash) => Ok(hash.get(key).cloned().unwrap_or_default()),
        other => Err(ruby::no_method("[]", other)),
    };
    match step(&step(&vm.node().facts.clone().into(), "networking")?, "interfaces")? {
        Value::Hash(interfaces) => Ok(interfaces),
        other => Err(ruby::no_method("key?", &other)),
    }
}

fn has_interface(vm: &mut Vm<'_>, name: Str) -> Result<bool> {
    Ok(interfaces(vm)?.contains_key(name.as_str()))
}

fn any_interface(vm: &mut Vm<'_>, kind: Str, value: Str) -> Result<bool> {
    let kind = match kind.as_str() {
        "ipaddress" => "ip",
        "macaddress" => "mac",
        other => other,
    };
    let has = |facts: &Value| {
        facts.as_hash().and_then(|facts| facts.get(kind)).and_then(Value::as_str) == Some(&value)
    };
    Ok(interfaces(vm)?.values().any(has))
}

fn of_kind(vm: &mut Vm<'_>, Rest(args): Rest, name: &str, kind: &str) -> Flow<bool> {
    let args = legacy(args)?;
    let [value] = args.as_slice() else {
        return Err(wrong_number(name, args.len(), 1).into());
    };
    has_interface_with(vm, vec![kind.into(), value.clone()])
}

/// The older function asks flat facts (`interfaces`, `ipaddress_eth0`); where those are gone, the structured ones.
fn has_interface_with(vm: &mut Vm<'_>, args: Vec<Value>) -> Flow<bool> {
    if args.is_empty() || args.len() > 2 {
        return Err(wrong_number("has_interface_with", args.len(), "1 or 2").into());
    }
    let listed = match vm.variable("interfaces")? {
        Some(Value::String(listed)) => listed,
        Some(Value::Undef) => return Ok(false),
        Some(other) => return Err(ruby::no_method("split", &other).into()),
        None if vm.node().facts.contains_key("networking") => return Ok(structured(vm, &args)?),
        None if vm.environment().settings.strict_variables => {
            bail!(NO_INTERFACES_FACT);
        }
        None => return Ok(false),
    };
    let [kind, value] = args.as_slice() else {
        return Ok(args[0].as_str().is_some_and(|name| listed.split(',').any(|listed| listed == name)));
    };
    let kind = ruby::to_s(kind);
    if vm.variable(&kind)?.is_some_and(|fact| ruby::equal(&fact, value)) {
        return Ok(true);
    }
    for interface in listed.split(',') {
        let fact = vm.variable(&format!("{kind}_{}", downcase(interface)))?.unwrap_or_default();
        if ruby::equal(&fact, value) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn structured(vm: &mut Vm<'_>, args: &[Value]) -> Result<bool> {
    match args {
        [name] => has_interface(vm, ruby::to_s(name)),
        [kind, value, ..] => any_interface(vm, ruby::to_s(kind), ruby::to_s(value)),
        [] => Ok(false),
    }
}
