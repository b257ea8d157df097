//! Functions of stdlib 9 that differ from those of version 8. They apply where the environment has such a version.
//!
//! Most old names only warn there and call the namespaced function.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::types::mismatch;
use kukla_values::{Array, Result, Str, Type, Value};

use crate::codes::{ASSERTED_TYPE, TOO_FEW_TO_VALIDATE, URIESCAPE_UNAVAILABLE};
use crate::legacy::LEGACY;
use crate::ruby;
use crate::stdlib::arrays::{matches, sieve};
use crate::stdlib::misc::{deprecation, deprecation_at, place_in_module};
use crate::stdlib::validate::refused;

/// Calls the namespaced function, with a warning.
fn renamed(vm: &mut Vm<'_>, name: &str, args: Vec<Value>, block: Option<Block>) -> Flow<Value> {
    let why = format!("This function is deprecated, please use stdlib::{name} instead.");
    deprecation(vm, name.into(), why.into(), false)?;
    vm.call(&format!("stdlib::{name}"), args, block)
}

macro_rules! renamed {
    ($name:literal) => {
        |vm: &mut Vm<'_>, Rest(args): Rest| renamed(vm, $name, args, None)
    };
}

builtins! {
    /// Deprecated: use `stdlib::batch_escape`.
    "batch_escape": Deprecated {
        "Any *$args" => renamed!("batch_escape");
        tools "Any $string >> String"
    }
    /// Deprecated: use `stdlib::ensure_packages`.
    "ensure_packages": ChangesCatalog, Deprecated {
        "Any *$args" => renamed!("ensure_packages");
        tools "Variant[String[1], Array[String[1]], Hash[String[1], Any]] $packages, Hash $default_attributes = {} >> Undef"
    }
    /// Deprecated: use `stdlib::fqdn_rand_string`.
    "fqdn_rand_string": ReadsVariables, Deprecated {
        "Any *$args" => renamed!("fqdn_rand_string");
        tools "Integer[1] $length, Optional[String] $charset = undef, Any *$seed >> String"
    }
    /// Deprecated: use `stdlib::fqdn_rotate`.
    "fqdn_rotate": ReadsVariables, Deprecated {
        "Any *$args" => renamed!("fqdn_rotate");
        tools "String $input, Variant[Integer, String] *$seeds >> String", "Array $input, Variant[Integer, String] *$seeds >> Array"
    }
    /// Deprecated: use `stdlib::has_interface_with`.
    "has_interface_with": ReadsVariables, Deprecated {
        "Any *$args" => renamed!("has_interface_with");
        tools "String $interface >> Boolean", "String $kind, String $value >> Boolean"
    }
    /// Deprecated: use `stdlib::merge`.
    "merge": Deprecated {
        "Any *$args, Optional[Variant[Callable[2,2], Callable[3,3]]] &$block" => |vm: &mut Vm<'_>, Rest(args): Rest, block: Option<Block>| renamed(vm, "merge", args, block);
        tools "Variant[Hash, Undef, String[0, 0]] *$args >> Hash", "Iterable *$args, Variant[Callable[2, 2], Callable[3, 3]] &$block >> Hash"
    }
    /// Deprecated: use `stdlib::os_version_gte`.
    "os_version_gte": ReadsVariables, Deprecated {
        "Any *$args" => renamed!("os_version_gte");
        tools "String[1] $os, String[1] $version >> Boolean"
    }
    /// Deprecated: use `stdlib::parsehocon`.
    "parsehocon": Deprecated {
        "Any *$args" => renamed!("parsehocon");
        tools "String $hocon_string, Any $default = undef >> Any"
    }
    /// Deprecated: PSON is gone from Puppet 8.
    "parsepson": Deprecated { "String[1] $pson_string, Any $default = undef >> Any" => parsepson }
    /// Deprecated: use `stdlib::powershell_escape`.
    "powershell_escape": Deprecated {
        "Any *$args" => renamed!("powershell_escape");
        tools "Any $string >> String"
    }
    /// The elements that do not match a regular expression.
    "reject" {
        LEGACY => reject;
        tools "Variant[Array, Hash] $values, Variant[String, Regexp] $pattern >> Array"
    }
    /// Deprecated: use `stdlib::seeded_rand`.
    "seeded_rand": Deprecated {
        "Any *$args" => renamed!("seeded_rand");
        tools "Integer[1] $max, String $seed >> Integer"
    }
    /// Deprecated: use `stdlib::seeded_rand_string`.
    "seeded_rand_string": Deprecated {
        "Any *$args" => renamed!("seeded_rand_string");
        tools "Integer[1] $length, String $seed, String[2] $charset = undef >> String"
    }
    /// Deprecated: use `stdlib::shell_escape`.
    "shell_escape": Deprecated {
        "Any *$args" => renamed!("shell_escape");
        tools "Any $string >> String"
    }
    /// Deprecated: the seconds since 1970; use `Timestamp`.
    "stdlib::time": ReadsClock, BeyondRuby { "Optional[String] $_timezone = undef >> Integer" => |vm: &mut Vm<'_>, _zone: Value| time(vm) }
    /// Deprecated: the seconds since 1970; use `Timestamp`.
    "time": ReadsClock, Deprecated, BeyondRuby {
        "Any *$args" => |vm: &mut Vm<'_>, Rest(args): Rest| vm.call("stdlib::time", args, None);
        tools "Optional[String] $timezone = undef >> Integer"
    }
    /// Deprecated: use `stdlib::to_json`.
    "to_json": Deprecated {
        "Any *$args" => renamed!("to_json");
        tools "Any $data >> Variant[String, Sensitive[String]]"
    }
    /// Deprecated: use `stdlib::to_json_pretty`.
    "to_json_pretty": Deprecated {
        "Any *$args" => renamed!("to_json_pretty");
        tools "Variant[Hash, Array] $data, Optional[Boolean] $skip_undef = false, Hash $opts = undef >> Variant[String, Sensitive[String]]"
    }
    /// Deprecated: use `stdlib::to_python`.
    "to_python": Deprecated {
        "Any *$args" => renamed!("to_python");
        tools "Any $object >> String"
    }
    /// Deprecated: use `stdlib::to_ruby`.
    "to_ruby": Deprecated {
        "Any *$args" => renamed!("to_ruby");
        tools "Any $object >> String"
    }
    /// Deprecated: use `stdlib::to_toml`.
    "to_toml": Deprecated {
        "Any *$args" => renamed!("to_toml");
        tools "Hash $data >> Variant[String, Sensitive[String]]"
    }
    /// Deprecated: use `stdlib::to_yaml`.
    "to_yaml": Deprecated {
        "Any *$args" => renamed!("to_yaml");
        tools "Any $data, Hash $options = {} >> Variant[String, Sensitive[String]]"
    }
    /// Deprecated: use `stdlib::type_of`, or `type`.
    "type_of": Deprecated {
        "Any *$args" => renamed!("type_of");
        tools "Any $value >> Type"
    }
    /// Refused: Ruby has dropped the method behind it.
    "uriescape": Deprecated {
        LEGACY => uriescape;
        tools "String $text >> String", "Array $texts >> Array"
    }
    /// Deprecated: use `stdlib::validate_domain_name`.
    "validate_domain_name": Deprecated {
        "Any *$args" => renamed!("validate_domain_name");
        tools "Array[Any, 1] *$values >> Undef"
    }
    /// Deprecated: use `stdlib::validate_email_address`.
    "validate_email_address": Deprecated {
        "Any *$args" => renamed!("validate_email_address");
        tools "Array[Any, 1] *$values >> Undef"
    }
    /// Deprecated: fails unless a value is of a type.
    "validate_legacy": Deprecated {
        LEGACY => validate_legacy;
        tools "Variant[Type, String] $type, String $function, Any $value, Any *$arguments >> Undef"
    }
}

fn parsepson(vm: &mut Vm<'_>, _text: Str, default: Option<Value>) -> Flow<Value> {
    let why = "This method is deprecated. From Puppet 8, PSON is no longer natively supported. Please use JSON.parse().";
    match (deprecation(vm, "parsepson".into(), why.into(), true), default) {
        (Ok(()), _) => Ok(Value::Undef),
        (Err(_), Some(default)) => Ok(default),
        (Err(raise), None) => Err(raise),
    }
}

fn reject(Rest(args): Rest) -> Result<Array> {
    let (collection, regexp) = sieve("reject", args)?;
    match &collection {
        Value::Array(values) => Ok(values.iter().filter(|value| !matches(&regexp, value)).cloned().collect()),
        // A pair never matches a regular expression.
        Value::Hash(hash) => {
            Ok(hash.iter().map(|(key, value)| vec![key.clone(), value.clone()].into()).collect())
        }
        other => Err(ruby::no_method("grep_v", other)),
    }
}

fn uriescape(_args: Rest) -> Result<Value> {
    bail!(URIESCAPE_UNAVAILABLE)
}

/// stdlib writes this one in Puppet, so the warning names a line of that file.
fn time(vm: &mut Vm<'_>) -> Flow<i64> {
    let why = "The stdlib `time` function is deprecated. Please direcly use native Puppet functionality instead. eg. `Integer(Timestamp().strftime('%s'))`";
    let place = place_in_module(vm, "functions/time.pp", "deprecation(");
    deprecation_at(vm, place, "time", why, false)?;
    Ok(vm.world().now().seconds())
}

fn validate_legacy(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    // Puppet's own function counts the scope as its first argument.
    if args.len() < 3 {
        bail!(TOO_FEW_TO_VALIDATE { given: args.len() + 1 });
    }
    let (wanted, Value::String(_)) = (&args[0], &args[1]) else { return Err(refused(&args)) };
    let wanted: Arc<Type> = match wanted {
        Value::Type(ty) => Arc::clone(ty),
        Value::String(text) => Arc::new(vm.parse_type(text)?),
        _ => return Err(refused(&args)),
    };
    let why = "This method is deprecated, please use Puppet data types to validate parameters";
    deprecation(vm, "validate_legacy".into(), why.into(), true)?;
    if wanted.contains(&args[2]) {
        return Ok(());
    }
    let subject = format!("validate_legacy({wanted}, ...)");
    bail!(ASSERTED_TYPE { mismatch: mismatch::describe(&subject, &wanted, &Type::of(&args[2])) })
}
