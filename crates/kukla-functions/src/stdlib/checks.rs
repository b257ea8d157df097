//! Questions about values that types answer better: the `is_*` family, and `type3x`. stdlib 9 no longer has them.
//!
//! Those that stdlib deprecated first say so through `deprecation`, which under `strict` = `error`, the default, is the end of it.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::diagnostic;
use kukla_values::{Result, Value};

use crate::codes::KIND_WITHOUT_OLD_NAME;
use crate::legacy::{LEGACY, exactly, legacy, wrong_number, wrong_number_of};
use crate::ruby;
use crate::stdlib::misc::deprecation;
use crate::stdlib::network::Address;
use crate::stdlib::random::spells_integer;

builtins! {
    /// Whether a text is an absolute path of Unix or Windows. Deprecated: match with `Stdlib::Absolutepath`.
    "is_absolute_path": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_absolute_path", "Absolute_Path");
        tools "Any $value >> Boolean"
    }
    /// Whether a value is an array. Deprecated: match with `Array`.
    "is_array": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_array", "Array");
        tools "Any $value >> Boolean"
    }
    /// Whether a value is a boolean. Deprecated: match with `Boolean`.
    "is_bool": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_bool", "Bool");
        tools "Any $value >> Boolean"
    }
    /// Whether a value is a float or spells one. Deprecated: match with `Float`.
    "is_float": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_float", "Float");
        tools "Any $value >> Boolean"
    }
    /// Whether a value is an integer or spells one. Deprecated: match with `Integer`.
    "is_integer": Deprecated {
        LEGACY => |Rest(args): Rest| quietly(args, "is_integer");
        tools "Any $value >> Boolean"
    }
    /// Whether a value is a number or spells one. Deprecated: match with `Numeric`.
    "is_numeric": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_numeric", "Numeric");
        tools "Any $value >> Boolean"
    }
    /// Whether a value is a string that does not spell a number. Deprecated: match with `String`.
    "is_string": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_string", "String");
        tools "Any $value >> Boolean"
    }
    /// Whether a text is an address of IPv4 or IPv6. Deprecated: match with `Stdlib::IP::Address`.
    "is_ip_address": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_ip_address", "Ip_address");
        tools "Any $value >> Boolean"
    }
    /// Whether a text is an address of IPv4. Deprecated: match with `Stdlib::IP::Address::V4`.
    "is_ipv4_address": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_ipv4_address", "Ipv4");
        tools "Any $value >> Boolean"
    }
    /// Whether a text is an address of IPv6. Deprecated: match with `Stdlib::IP::Address::V6`.
    "is_ipv6_address": Deprecated {
        LEGACY => |vm: &mut Vm<'_>, args: Rest| check(vm, args, "is_ipv6_address", "Ipv6");
        tools "Any $value >> Boolean"
    }

    /// Whether a text is a domain name; `Stdlib::Fqdn` and `Stdlib::Dns::Zone` say so too.
    ///
    /// ```puppet
    /// is_domain_name('example.com')    # => true
    /// is_domain_name('-x.com')         # => false
    /// ```
    "is_domain_name": Deprecated {
        LEGACY => is_domain_name;
        tools "Any $value >> Boolean"
    }
    /// Whether a text is an address of electronic mail.
    ///
    /// ```puppet
    /// is_email_address('me@example.com')    # => true
    /// ```
    "is_email_address": Deprecated {
        LEGACY => is_email_address;
        tools "Any $value >> Boolean"
    }
    /// Whether there is a function of the old API of a name.
    ///
    /// ```puppet
    /// is_function_available('no_such')    # => false
    /// ```
    "is_function_available" {
        LEGACY => is_function_available;
        tools "Any $name >> Boolean"
    }
    /// Whether a value is a hash.
    ///
    /// ```puppet
    /// is_hash({})    # => true
    /// ```
    "is_hash": Deprecated {
        LEGACY => is_hash;
        tools "Any $value >> Boolean"
    }
    /// Whether a text is a hardware address.
    ///
    /// ```puppet
    /// is_mac_address('00:a0:1f:12:7f:a0')    # => true
    /// ```
    "is_mac_address": Deprecated {
        LEGACY => is_mac_address;
        tools "Any $value >> Boolean"
    }
    /// The type of a value by its old name; a string that spells a number counts as one.
    ///
    /// ```puppet
    /// type3x('1.5')    # => 'float'
    /// ```
    "type3x": Deprecated {
        LEGACY => type3x;
        tools "Any $value >> String"
    }
}

fn check(vm: &mut Vm<'_>, Rest(args): Rest, name: &str, compat: &str) -> Flow<bool> {
    // Puppet's own slip: the check for IPv6 warns under the other's name.
    let key = if name == "is_ipv6_address" { "is_ipv4_address" } else { name };
    let why = format!(
        "This method is deprecated, please use match expressions with Stdlib::Compat::{compat} instead. They are described at https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions."
    );
    deprecation(vm, key.into(), why.into(), true)?;
    if let (1, "is_absolute_path") = (args.len(), name) {
        warn_unless_text(vm, &legacy(args.clone())?[0]);
    }
    quietly(args, name)
}

/// Warns, once for each system, of a path that is not a string.
pub fn warn_unless_text(vm: &mut Vm<'_>, path: &Value) {
    if path.as_str().is_none() {
        vm.warn(not_a_path(path));
        vm.warn(not_a_path(path));
    }
}

/// Puppet's message when it tests whether a value that is not a string is an absolute path.
pub fn not_a_path(value: &Value) -> String {
    let (shown, class) = (ruby::to_s(value), ruby::class(value));
    format!("Cannot check if {shown} is an absolute path because it is a '{class}' and not a String'")
}

/// The check alone.
fn quietly(args: Vec<Value>, name: &str) -> Flow<bool> {
    let args = legacy(args)?;
    match name {
        "is_absolute_path" => drop(exactly(name, 1, args.clone())?),
        "is_array" | "is_string" if !args.is_empty() => {}
        _ => one(name, &args)?,
    }
    Ok(holds(name, &args[0])?)
}

fn one(name: &str, args: &[Value]) -> Flow<()> {
    let given = args.len();
    match name {
        _ if given == 1 => Ok(()),
        "is_array" | "is_string" | "is_bool" => Err(wrong_number(name, given, 1).into()),
        _ => Err(wrong_number_of(name, given, 1).into()),
    }
}

/// Whether a value is what the name of an `is_*` function says.
pub fn holds(name: &str, value: &Value) -> Result<bool> {
    let text = value.as_str();
    Ok(match name {
        "is_absolute_path" => text.is_some_and(is_absolute),
        "is_array" => matches!(value, Value::Array(_)),
        "is_bool" => matches!(value, Value::Boolean(_)),
        "is_float" => {
            matches!(value, Value::Float(_))
                || text.is_some_and(|text| ruby::float_to_s(ruby::to_f(text)) == text)
        }
        "is_integer" => matches!(value, Value::Integer(_)) || text.is_some_and(spells_integer),
        "is_numeric" => {
            matches!(value, Value::Integer(_) | Value::Float(_)) || text.is_some_and(spells_number)
        }
        "is_string" => text.is_some_and(|text| {
            ruby::float_to_s(ruby::to_f(text)) != text && ruby::to_i(text).to_string() != text
        }),
        "is_ip_address" => text.is_some_and(|text| Address::parse(text).is_ok()),
        "is_ipv4_address" => text.is_some_and(|text| Address::parse(text).is_ok_and(|address| !address.v6)),
        "is_ipv6_address" => text.is_some_and(|text| Address::parse(text).is_ok_and(|address| address.v6)),
        _ => false,
    })
}

/// An absolute path of Unix, or of Windows: `C:\x`, `\\host\share`, `\\?\x`.
pub fn is_absolute(path: &str) -> bool {
    let slash = |c: char| c == '/' || c == '\\';
    if path.starts_with('/') {
        return true;
    }
    let mut chars = path.chars();
    if let (Some(drive), Some(':'), Some(next)) = (chars.next(), chars.next(), chars.next())
        && drive.is_ascii_alphabetic()
        && slash(next)
    {
        return true;
    }
    let mut parts = match path.strip_prefix(slash).and_then(|rest| rest.strip_prefix(slash)) {
        Some(rest) => rest.split(slash),
        None => return false,
    };
    matches!((parts.next(), parts.next()), (Some(host), Some(share)) if !host.is_empty() && !share.is_empty())
}

/// `-?(0|[1-9]\d*)(\.\d+)?([eE]-?\d+)?` on some line.
fn spells_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.split('\n').any(|line| {
        let line = line.strip_prefix('-').unwrap_or(line);
        let (mantissa, exponent) = match line.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (line, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        digits(whole)
            && (whole == "0" || !whole.starts_with('0'))
            && fraction.is_none_or(digits)
            && exponent.is_none_or(|exponent| digits(exponent.strip_prefix('-').unwrap_or(exponent)))
    })
}

fn single(name: &str, args: Vec<Value>) -> Result<Value> {
    let args = legacy(args)?;
    match <[Value; 1]>::try_from(args) {
        Ok([value]) => Ok(value),
        Err(args) => Err(wrong_number_of(name, args.len(), 1)),
    }
}

fn is_domain_name(Rest(args): Rest) -> Result<bool> {
    Ok(single("is_domain_name", args)?.as_str().is_some_and(domain_name))
}

/// Whether a text is a domain name as stdlib sees it.
pub fn domain_name(text: &str) -> bool {
    if text == "." {
        return true;
    }
    let domain = text.strip_suffix('.').unwrap_or(text);
    if domain.is_empty() || domain.chars().count() > 255 {
        return false;
    }
    // stdlib's patterns look at lines, and one that fits is enough.
    let top = |line: &str| {
        line.rsplit_once('.')
            .is_some_and(|(_, last)| !last.is_empty() && last.chars().all(|c| c.is_ascii_alphabetic()))
    };
    if domain.contains('.') && !domain.split('\n').any(top) {
        return false;
    }
    let plain = |line: &str| !line.is_empty() && line.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let label = |label: &str| {
        (1..=63).contains(&label.chars().count())
            && !label.ends_with('-')
            && !label.starts_with('-')
            && label.split('\n').any(plain)
    };
    domain.split('.').all(label)
}

fn is_email_address(Rest(args): Rest) -> Result<bool> {
    Ok(single("is_email_address", args)?.as_str().is_some_and(email_address))
}

/// Whether a text is an address of electronic mail as stdlib sees it: `([\w+\-].?)+@[a-z\d\-]+(\.[a-z]+)*\.[a-z]+`.
pub fn email_address(text: &str) -> bool {
    let regexp = kukla_values::regexp::Regexp::new(r"\A([\w+\-].?)+@[a-z\d\-]+(\.[a-z]+)*\.[a-z]+\z");
    regexp.is_ok_and(|regexp| regexp.is_match(text))
}

fn is_function_available(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<bool> {
    let args = legacy(args)?;
    match args.as_slice() {
        [Value::String(name)] => vm.function_exists(name),
        [_] => Ok(false),
        _ => Err(wrong_number_of("is_function_available?", args.len(), 1).into()),
    }
}

fn is_hash(Rest(args): Rest) -> Result<bool> {
    let args = legacy(args)?;
    match args.as_slice() {
        [value] => Ok(matches!(value, Value::Hash(_))),
        _ => Err(wrong_number("is_hash", args.len(), 1)),
    }
}

fn is_mac_address(Rest(args): Rest) -> Result<bool> {
    let value = single("is_mac_address", args)?;
    let text = match &value {
        Value::String(text) => text,
        Value::Undef | Value::Default => return Ok(false),
        other => return Err(ruby::no_conversion(other, "String")),
    };
    let part = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_hexdigit());
    Ok(text.split('\n').any(|line| {
        let parts: Vec<&str> = line.split(':').collect();
        matches!(parts.len(), 6 | 20) && parts.into_iter().all(part)
    }))
}

fn type3x(Rest(args): Rest) -> Result<&'static str> {
    let args = legacy(args)?;
    let [value] = args.as_slice() else {
        return Err(wrong_number("type3x", args.len(), 1));
    };
    match value {
        Value::Boolean(_) => Ok("boolean"),
        Value::Integer(_) => Ok("integer"),
        Value::Float(_) => Ok("float"),
        Value::Array(_) => Ok("array"),
        Value::Hash(_) => Ok("hash"),
        Value::String(text) if ruby::to_i(text).to_string() == text.as_str() => Ok("integer"),
        Value::String(text) if ruby::float_to_s(ruby::to_f(text)) == text.as_str() => Ok("float"),
        Value::String(_) => Ok("string"),
        _ => Err(diagnostic!(KIND_WITHOUT_OLD_NAME).into()),
    }
}
