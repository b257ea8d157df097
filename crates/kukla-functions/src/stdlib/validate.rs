//! Checks that types do better: the `validate_*` family.
//!
//! stdlib 9 keeps a few of them. Those that it dropped first say that they are deprecated, which under `strict` = `error`, the default,
//! is an error; `validate_legacy` asks them without that.

use std::borrow::Cow;
use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Flow, Raise};
use kukla_eval::function::Rest;
use kukla_eval::messages::Log;
use kukla_eval::settings::LogLevel;
use kukla_eval::vm::Vm;
use kukla_syntax::{Diagnostic, bail, diagnostic};
use kukla_values::regexp::Regexp;
use kukla_values::types::mismatch;
use kukla_values::{Error, Result, Type, Value};
use kukla_world::FileError;

use crate::codes::{
    ABOVE_LIMIT, ASSERTED_TYPE, BELOW_LIMIT, COMMAND_FAILED, COMMAND_NO_STRING, COMMAND_NOT_RUN,
    CONTENT_REFUSED, CONTENT_REFUSED_WITH_MESSAGE, INVALID_CERTIFICATE, INVALID_RSA_KEY,
    KEY_OF_OTHER_CERTIFICATE, LENGTH_OUT_OF_RANGE, LENGTHS_REVERSED, LIMITS_REVERSED, NO_AUGEAS, NO_COERCION,
    NO_METHOD, NO_PATTERN_MATCHES, NO_PATTERN_MATCHES_WITH_MESSAGE, NO_SHELL, NOT_SIGNED_BY_RSA, NOT_VALID,
    NOTHING_TO_VALIDATE_BY, TOO_FEW_TO_VALIDATE,
};
use crate::legacy::{LEGACY, legacy, wrong_count, wrong_type};
use crate::ruby;
use crate::stdlib::checks::{domain_name, email_address, holds, warn_unless_text};
use crate::stdlib::misc::deprecation;
use crate::x509::{Certificate, RsaKey, WrongKeyType};

builtins! {
    /// Fails unless all arguments are domain names.
    "stdlib::validate_domain_name" {
        type "Stdlib::Fqdn = Pattern[/\\A(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]*[a-zA-Z0-9])\\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\\-]*[A-Za-z0-9])\\z/]";
        type "Stdlib::Dns::Zone = Pattern[/\\A((([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])\\.)+|\\.)\\z/]";
        "Variant[Stdlib::Fqdn, Stdlib::Dns::Zone] *$values >> Undef" => |values: Rest| some("domain_name", values)
    }
    /// Fails unless all arguments are addresses of electronic mail.
    "stdlib::validate_email_address" {
        type "Stdlib::Email = Pattern[/\\A[a-zA-Z0-9.!#$%&'*+\\/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\\z/]";
        "Stdlib::Email *$values >> Undef" => |values: Rest| some("email_address", values)
    }
    /// Fails unless all arguments are domain names.
    ///
    /// ```puppet
    /// validate_domain_name('example.com')    # => undef
    /// ```
    "validate_domain_name" {
        LEGACY => |vm: &mut Vm<'_>, Rest(args): Rest| validate(vm, "validate_domain_name", &legacy(args)?);
        tools "Array[Any, 1] *$values >> Undef"
    }
    /// Fails unless all arguments are addresses of electronic mail.
    ///
    /// ```puppet
    /// validate_email_address('me@example.com')    # => undef
    /// ```
    "validate_email_address" {
        LEGACY => |vm: &mut Vm<'_>, Rest(args): Rest| validate(vm, "validate_email_address", &legacy(args)?);
        tools "Array[Any, 1] *$values >> Undef"
    }
    /// Fails unless a command accepts a file with a content; `%` in the command is replaced by the file, which otherwise comes last.
    "validate_cmd": RunsCommands, BeyondRuby {
        LEGACY => validate_cmd;
        tools "String $text, Variant[String, Array] $command, String $message = undef >> Undef"
    }
    /// Would check a text with a lens of Augeas, which is not at hand.
    "validate_augeas": RunsCommands, BeyondRuby {
        LEGACY => validate_augeas;
        tools "String $text, String $lens, Array[String] $tests = [], String $message = undef >> Undef"
    }
    /// Would check that a certificate and a private key belong together; OpenSSL is not at hand.
    "validate_x509_rsa_key_pair": BeyondRuby {
        LEGACY => validate_x509_rsa_key_pair;
        tools "String $certificate, String $key >> Undef"
    }
    /// Fails unless a value is of a type; what an old function of the family accepted passes with a warning.
    "validate_legacy": Deprecated {
        LEGACY => validate_legacy;
        tools "Variant[Type, String] $type, String $function, Any $value, Any *$arguments >> Undef"
    }
}

fn some(name: &str, Rest(values): Rest) -> Result<()> {
    if values.is_empty() {
        let function = format!("stdlib::validate_{name}");
        return Err(wrong_count(&function, "Wrong number of arguments need at least one"));
    }
    Ok(())
}

/// The check of a function of the family.
fn validate(vm: &mut Vm<'_>, name: &str, args: &[Value]) -> Flow<()> {
    match name {
        "validate_integer" | "validate_numeric" => return Ok(validate_number(name, args)?),
        "validate_re" => return Ok(validate_re(args)?),
        "validate_slength" => return Ok(validate_slength(args)?),
        _ => {}
    }
    if args.is_empty() {
        return Err(wrong_count(name, "wrong number of arguments (0; must be > 0)").into());
    }
    for arg in args {
        let class = ruby::class(arg);
        let not = |wanted: &str| Err(not_valid(arg, wanted));
        let not_of = |kind: &str| not(&format!("{kind}.  It looks to be a {class}"));
        let text = |test: &dyn Fn(&str) -> bool, wanted: &str| match arg.as_str() {
            None => not("a string."),
            Some(text) if test(text) => Ok(()),
            Some(_) => not(wanted),
        };
        let is = |question: &str| holds(question, arg).unwrap_or(false);
        let verdict = match name {
            "validate_absolute_path" => {
                let paths = if let Value::Array(paths) = arg { paths.to_vec() } else { vec![arg.clone()] };
                let wrong = paths.iter().find(|path| !holds("is_absolute_path", path).unwrap_or(false));
                wrong.map_or(Ok(()), |path| {
                    warn_unless_text(vm, path);
                    Err(not_valid(path, "an absolute path."))
                })
            }
            "validate_array" if is("is_array") => Ok(()),
            "validate_array" => not_of("an Array"),
            "validate_bool" if is("is_bool") => Ok(()),
            "validate_bool" => not_of("a boolean"),
            "validate_hash" if matches!(arg, Value::Hash(_)) => Ok(()),
            "validate_hash" => not_of("a Hash"),
            "validate_string" if matches!(arg, Value::String(_) | Value::Undef) => Ok(()),
            "validate_string" => not_of("a string"),
            "validate_domain_name" => text(&domain_name, "a syntactically correct domain name"),
            "validate_email_address" => text(&email_address, "a valid email address"),
            "validate_ip_address" => text(&|_| is("is_ip_address"), "a valid IP address."),
            "validate_ipv4_address" => text(&|_| is("is_ipv4_address"), "a valid IPv4 address."),
            "validate_ipv6_address" => text(&|_| is("is_ipv6_address"), "a valid IPv6 address."),
            _ => {
                let receiver = "Scope(Class[main]):Puppet::Parser::Scope";
                bail!(NO_METHOD { name: format_args!("function_{name}"), receiver });
            }
        };
        verdict?;
    }
    Ok(())
}

fn not_valid(value: &Value, wanted: &str) -> Error {
    diagnostic!(NOT_VALID { value: ruby::inspect(value), wanted }).into()
}

/// `validate_integer` and `validate_numeric`: a number or an array of them, at most the second and at least the third argument.
fn validate_number(name: &str, args: &[Value]) -> Result<()> {
    let whole = name == "validate_integer";
    let kind = if whole { "an Integer" } else { "a Numeric" };
    if args.is_empty() || args.len() > 3 {
        let given = args.len();
        let objection = format_args!("Wrong number of arguments; must be 1, 2 or 3, got {given}");
        return Err(wrong_count(name, objection));
    }
    let number = |value: &Value| -> Option<f64> {
        let text = ruby::to_s(value);
        if whole { ruby::integer(&text).ok().map(|n| n as f64) } else { ruby::float(&text).ok() }
    };
    let shown = |n: f64| if whole { format!("{}", n as i64) } else { ruby::float_to_s(n) };
    let limit = |at: usize, nth: &str, class: &dyn Fn(&Value) -> Cow<'static, str>| match args.get(at) {
        None => Ok(None),
        Some(value) => number(value).map(Some).ok_or_else(|| {
            let (given, class) = (ruby::to_s(value), class(value));
            let objection =
                format_args!("Expected {nth} argument to be unset or {kind}, got {given}:{class}");
            wrong_type(name, objection)
        }),
    };
    let unset = args.len() > 2 && ruby::to_s(&args[1]).is_empty();
    let max = if unset { None } else { limit(1, "second", &|_| "String".into())? };
    let min = limit(2, "third", &ruby::class)?;
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        bail!(LIMITS_REVERSED { function: name, max: shown(max), min: shown(min) });
    }
    let input = &args[0];
    let within = |n: f64, given: &str| {
        if let Some(max) = max.filter(|max| n > *max) {
            bail!(ABOVE_LIMIT { function: name, value: given, limit: shown(max) });
        }
        if let Some(min) = min.filter(|min| n < *min) {
            bail!(BELOW_LIMIT { function: name, value: given, limit: shown(min) });
        }
        Ok(())
    };
    match input {
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                let read = if matches!(value, Value::Hash(_)) { None } else { number(value) };
                let n = read.ok_or_else(|| {
                    let class = ruby::class(value);
                    let objection =
                        format_args!("Expected element at array position {at} to be {kind}, got {class}");
                    wrong_type(name, objection)
                })?;
                within(n, &ruby::inspect(input))?;
            }
            Ok(())
        }
        // Of a hash both functions say that it is `validate_integer` that refuses it.
        Value::Hash(_) => Err(no_number("validate_integer", kind, input)),
        value => {
            let n = number(value).ok_or_else(|| no_number(name, kind, value))?;
            within(n, &shown(n))
        }
    }
}

fn no_number(name: &str, kind: &str, given: &Value) -> Error {
    let class = ruby::class(given);
    wrong_type(name, format_args!("Expected first argument to be {kind} or Array, got {class}"))
}

fn validate_re(args: &[Value]) -> Result<()> {
    if args.len() != 2 && args.len() != 3 {
        let given = args.len();
        let objection = format_args!("wrong number of arguments ({given}; must be 2 or 3)");
        return Err(wrong_count("validate_re", objection));
    }
    let Value::String(text) = &args[0] else {
        let class = ruby::class(&args[0]);
        return Err(wrong_type("validate_re", format_args!("input needs to be a String, not a {class}")));
    };
    for pattern in ruby::flatten(&args[1..2]) {
        if Regexp::new(ruby::text(&pattern)?)?.try_is_match(text)? {
            return Ok(());
        }
    }
    if let Some(message) = args.get(2).filter(|message| message.is_true()) {
        bail!(NO_PATTERN_MATCHES_WITH_MESSAGE { message: ruby::to_s(message) });
    }
    bail!(NO_PATTERN_MATCHES { value: ruby::inspect(&args[0]), patterns: ruby::inspect(&args[1]) })
}

fn validate_slength(args: &[Value]) -> Result<()> {
    if args.len() != 2 && args.len() != 3 {
        let given = args.len();
        let objection = format_args!("Wrong number of arguments ({given}; must be 2 or 3)");
        return Err(wrong_count("validate_slength", objection));
    }
    let number = |value: &Value| match value {
        Value::Integer(n) => Some(*n),
        Value::Float(n) => ruby::float_to_i(*n).ok(),
        Value::String(text) => ruby::integer(text).ok(),
        _ => None,
    };
    let refuse = |nth: &str, value: &Value| {
        let (shown, class) = (ruby::to_s(value), ruby::class(value));
        wrong_type("validate_slength", format_args!("Expected {nth}, got {shown}:{class}"))
    };
    let max = number(&args[1])
        .filter(|max| *max > 0)
        .ok_or_else(|| refuse("second argument to be a positive Numeric", &args[1]))?;
    let min = match args.get(2).filter(|min| min.is_true()) {
        None => 0,
        Some(min) => number(min)
            .filter(|min| *min >= 0)
            .ok_or_else(|| refuse("third argument to be unset or a positive Numeric", min))?,
    };
    if max < min {
        bail!(LENGTHS_REVERSED);
    }
    let within = |text: &str, length: usize| {
        if (min..=max).contains(&(text.chars().count() as i64)) {
            return Ok(());
        }
        bail!(LENGTH_OUT_OF_RANGE { value: ruby::inspect(&args[0]), min, max, length })
    };
    match &args[0] {
        Value::String(text) => within(text, text.chars().count()),
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                let Value::String(text) = value else {
                    let class = ruby::class(value);
                    let objection =
                        format_args!("Expected element at array position {at} to be a String, got {class}");
                    return Err(wrong_type("validate_slength", objection));
                };
                within(text, values.len())?;
            }
            Ok(())
        }
        other => {
            let class = ruby::class(other);
            let objection = format_args!("Expected first argument to be a String or Array, got {class}");
            Err(wrong_type("validate_slength", objection))
        }
    }
}

/// Puts the content into a file that the command gets; everything happens in one shell, so that nothing is left behind. The first line it
/// writes is the path of the file.
const CHECK: &str = r#"f=$(mktemp -t validate_cmd.XXXXXXXXXX) || exit 1; trap 'rm -f "$f"' EXIT; echo "$f"; printf %s "$1" >"$f"; eval "$2" 2>&1"#;

fn validate_cmd(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    let args = legacy(args)?;
    if args.len() != 2 && args.len() != 3 {
        let objection = format_args!("wrong number of arguments ({}; must be 2 or 3)", args.len());
        return Err(wrong_count("validate_cmd", objection).into());
    }
    let fails = |cause: Diagnostic| match args.get(2) {
        // Ruby would add the text of the cause to the message, which only a text allows.
        Some(message @ Value::Array(_)) => {
            Err(ruby::no_conversion(&Value::from(""), &ruby::class(message)).into())
        }
        Some(message @ (Value::Integer(_) | Value::Float(_))) => {
            bail!(NO_COERCION { kind: ruby::class(message) })
        }
        Some(message @ (Value::Hash(_) | Value::Boolean(true) | Value::Default)) => {
            Err(ruby::no_method("+", message).into())
        }
        Some(message) if message.is_true() => {
            let message = ruby::to_s(message);
            Err(diagnostic!(CONTENT_REFUSED_WITH_MESSAGE { message }).because(cause).into())
        }
        _ => {
            let command = ruby::inspect(&args[1]);
            Err(diagnostic!(CONTENT_REFUSED { command }).because(cause).into())
        }
    };
    let Value::String(command) = &args[1] else {
        let cause = ruby::no_conversion(&args[1], "String");
        return fails(diagnostic!(COMMAND_NO_STRING).because(cause));
    };
    let placed = Regexp::new(r"\s%(\s|$)")?.is_match(command);
    let on = |path: &str| {
        if placed { command.replace("%", path) } else { ecow::eco_format!("{command} {path}") }
    };
    let content = ruby::to_s(&args[0]);
    let shell = ["/bin/sh", "-c", CHECK, "validate_cmd", &content, &on("\"$f\"")].map(String::from);
    match vm.world().run(&shell) {
        Ok(output) if output.code == Some(0) => Ok(()),
        Ok(output) => {
            let written = String::from_utf8_lossy(&output.stdout);
            let (path, printed) = written.split_once('\n').unwrap_or((&written, ""));
            // Ruby runs a plain command without a shell, and then a program that is not there just fails.
            let shell = command.contains(|c: char| "*?{}[]<>()~&|\\$;'`\"\n#=%".contains(c));
            let (code, printed) = match output.code.unwrap_or(1) {
                126 | 127 if placed || !shell => (1, ""),
                code => (code, printed),
            };
            fails(diagnostic!(COMMAND_FAILED { command: on(path), code, output: printed }))
        }
        Err(FileError::NotFound) => fails(diagnostic!(NO_SHELL { command })),
        Err(FileError::Refused(refusal)) => fails(refusal.diagnostic()),
        Err(FileError::Other(reason)) => fails(diagnostic!(COMMAND_NOT_RUN { reason })),
    }
}

fn validate_augeas(_args: Rest) -> Result<()> {
    bail!(NO_AUGEAS)
}

fn validate_x509_rsa_key_pair(Rest(args): Rest) -> Result<()> {
    let args = legacy(args)?;
    if args.len() != 2 {
        let given = args.len();
        let objection = format_args!("wrong number of arguments ({given}; must be 2)");
        return Err(wrong_count("validate_x509_rsa_key_pair", objection));
    }
    if let Some(wrong) = args.iter().find(|arg| arg.as_str().is_none()) {
        return Err(not_valid(wrong, "a string."));
    }
    let (certificate, key) = (ruby::to_s(&args[0]), ruby::to_s(&args[1]));
    let certificate =
        Certificate::read(&certificate).map_err(|reason| diagnostic!(INVALID_CERTIFICATE { reason }))?;
    let key = RsaKey::read(&key).map_err(|reason| diagnostic!(INVALID_RSA_KEY { reason }))?;
    match certificate.is_signed_by(&key) {
        Ok(true) => Ok(()),
        Ok(false) => bail!(KEY_OF_OTHER_CERTIFICATE),
        Err(WrongKeyType) => bail!(NOT_SIGNED_BY_RSA),
    }
}

fn validate_legacy(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<()> {
    // Puppet's own function counts the scope as its first argument.
    if args.len() < 3 {
        bail!(TOO_FEW_TO_VALIDATE { given: args.len() + 1 });
    }
    let (wanted, Value::String(function)) = (&args[0], &args[1]) else { return Err(refused(&args)) };
    let wanted: Arc<Type> = match wanted {
        Value::Type(ty) => Arc::clone(ty),
        Value::String(text) => Arc::new(vm.parse_type(text)?),
        _ => return Err(refused(&args)),
    };
    let value = &args[2];
    let previously = match validate(vm, function, &args[2..]) {
        Ok(()) => true,
        Err(raise) if raise.diagnostic().is_some_and(|failure| failure.is(&NO_METHOD)) => {
            return Err(raise);
        }
        Err(_) => false,
    };
    if wanted.contains(value) {
        if !previously {
            let message = format!("Accepting previously invalid value for target type '{wanted}'");
            vm.push_log(Log {
                level: LogLevel::Notice,
                message,
                source: "Puppet".into(),
                location: None,
                issue: None,
                rule: None,
            });
        }
        return Ok(());
    }
    let mismatch = mismatch::describe(&format!("validate_legacy({function})"), &wanted, &Type::of(value));
    if previously {
        return deprecation(vm, "validate_legacy".into(), mismatch.into(), true);
    }
    bail!(ASSERTED_TYPE { mismatch })
}

/// Puppet's message when neither of its two signatures matches.
pub fn refused(args: &[Value]) -> Raise {
    let kind = |at: usize| match &args[at] {
        Value::Type(ty) => format!("Type[{}]", ty.name()),
        other => Type::of(other).name().to_string(),
    };
    let mut signatures = String::new();
    for (parameter, wanted) in [("target_type", "Type"), ("type_string", "String")] {
        signatures +=
            &format!("\n  (Any scope, {wanted} {parameter}, String function_name, Any value, Any args*)");
        let fits = if wanted == "Type" { args[0].as_type().is_some() } else { args[0].as_str().is_some() };
        if !fits {
            signatures +=
                &format!("\n    rejected: parameter '{parameter}' expects a {wanted} value, got {}", kind(0));
        }
        if args[1].as_str().is_none() && fits {
            signatures +=
                &format!("\n    rejected: parameter 'function_name' expects a String value, got {}", kind(1));
        }
    }
    diagnostic!(NOTHING_TO_VALIDATE_BY { signatures }).into()
}

/// The functions that stdlib 9 no longer has.
pub mod old {
    use super::*;

    macro_rules! deprecated {
        ($name:literal, $compat:literal) => {
            |vm: &mut Vm<'_>, Rest(args): Rest| {
                let why = concat!(
                    "This method is deprecated, please use the stdlib validate_legacy function,\n                    with ",
                    $compat,
                    ". There is further documentation for validate_legacy function in the README."
                );
                deprecation(vm, $name.into(), why.into(), true)?;
                validate(vm, $name, &args)
            }
        };
    }

    builtins! {
        /// Fails unless all arguments are absolute paths, or arrays of them. Deprecated: use `Stdlib::Absolutepath`.
        "validate_absolute_path": Deprecated {
            LEGACY => deprecated!("validate_absolute_path", "Stdlib::Compat::Absolute_Path");
            tools "Array[Any, 1] *$values >> Undef"
        }
        /// Fails unless all arguments are arrays. Deprecated: use `Array`.
        "validate_array": Deprecated {
            LEGACY => deprecated!("validate_array", "Stdlib::Compat::Array");
            tools "Array[Any, 1] *$values >> Undef"
        }
        /// Fails unless all arguments are booleans. Deprecated: use `Boolean`.
        "validate_bool": Deprecated {
            LEGACY => deprecated!("validate_bool", "Stdlib::Compat::Bool");
            tools "Array[Any, 1] *$values >> Undef"
        }
        /// Fails unless all arguments are hashes. Deprecated: use `Hash`.
        "validate_hash": Deprecated {
            LEGACY => deprecated!("validate_hash", "Stdlib::Compat::Hash");
            tools "Array[Any, 1] *$values >> Undef"
        }
        /// Fails unless a value is an integer within limits. Deprecated: use `Integer`.
        "validate_integer": Deprecated {
            LEGACY => deprecated!("validate_integer", "Stdlib::Compat::Integer");
            tools "Any $value, Any $max = undef, Any $min = undef >> Undef"
        }
        /// Fails unless all arguments are addresses. Deprecated: use `Stdlib::IP::Address`.
        "validate_ip_address": Deprecated {
            LEGACY => deprecated!("validate_ip_address", "Stdlib::Compat::Ip_Address");
            tools "Array[Any, 1] *$values >> Undef"
        }
        /// Fails unless all arguments are addresses of IPv4. Deprecated: use `Stdlib::IP::Address::V4`.
        "validate_ipv4_address": Deprecated {
            LEGACY => deprecated!("validate_ipv4_address", "Stdlib::Compat::Ipv4_Address");
            tools "Array[Any, 1] *$values >> Undef"
        }
        /// Fails unless all arguments are addresses of IPv6. Deprecated: use `Stdlib::IP::Address::V6`.
        "validate_ipv6_address": Deprecated {
            LEGACY => deprecated!("validate_ipv6_address", "Stdlib::Compat::Ipv6_address");
            tools "Array[Any, 1] *$values >> Undef"
        }
        /// Fails unless a value is a number within limits. Deprecated: use `Numeric`.
        "validate_numeric": Deprecated {
            LEGACY => deprecated!("validate_numeric", "Stdlib::Compat::Numeric");
            tools "Any $value, Any $max = undef, Any $min = undef >> Undef"
        }
        /// Fails unless a text matches one of some regular expressions. Deprecated: use `Pattern`.
        "validate_re": Deprecated {
            LEGACY => deprecated!("validate_re", "Pattern[]");
            tools "Any $text, Variant[String, Array] $patterns, String $message = undef >> Undef"
        }
        /// Fails unless a text has a length within limits. Deprecated: use `String[1, 10]`.
        "validate_slength": Deprecated {
            LEGACY => deprecated!("validate_slength", "String[]");
            tools "Variant[String, Array] $text, Variant[Integer, String] $max, Variant[Integer, String] $min = undef >> Undef"
        }
        /// Fails unless all arguments are strings. Deprecated: use `String`.
        "validate_string": Deprecated {
            LEGACY => deprecated!("validate_string", "Stdlib::Compat::String");
            tools "Array[Any, 1] *$values >> Undef"
        }
    }
}
