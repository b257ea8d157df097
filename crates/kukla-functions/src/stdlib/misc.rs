//! Functions of no other family: `pick`, `pick_default`, `clamp`, `time`, `fact`, `os_version_gte`, `stdlib::ensure`, `stdlib::sort_by`,
//! `stdlib::rewrap_sensitive_data`, `stdlib::has_function`, `stdlib::type_of`, `deprecation`, `pry` and more.

use std::cmp::Ordering;
use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Flow, Location};
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::messages::Log;
use kukla_eval::settings::LogLevel;
use kukla_eval::vm::Vm;
use kukla_syntax::{Strict, bail, diagnostic};
use kukla_values::semver::versioncmp;
use kukla_values::{Array, Hash, Result, Str, Type, Value};

use crate::codes::{CLAMP_OF_TEXT, DEPRECATED, NO_DEBUGGER, NOTHING_PICKED, NOTHING_TO_PICK_FROM};
use crate::items::items;
use crate::iterate::call;
use crate::legacy::{LEGACY, at_least, legacy, wrong_count, wrong_number_of, wrong_type};
use crate::logging::deprecated;
use crate::ruby;

builtins! {
    /// The first argument that is neither undef nor an empty string; an error if there is none.
    ///
    /// ```puppet
    /// pick(undef, '', 'a', 'b')    # => 'a'
    /// ```
    "pick" {
        LEGACY => pick;
        tools "Array[Any, 1] *$values >> NotUndef"
    }

    /// The first argument that is neither undef nor an empty string, or else the last one.
    ///
    /// ```puppet
    /// pick_default(undef, '')    # => ''
    /// ```
    "pick_default" {
        LEGACY => pick_default;
        tools "Array[Any, 1] *$values >> Any"
    }

    /// The middle one of three numbers, so that one of them stays between the others.
    ///
    /// ```puppet
    /// clamp(3, 5, 4)        # => 4
    /// clamp([1, 8], 10)     # => 8
    /// ```
    "clamp" {
        LEGACY => clamp;
        tools "Array[Variant[Numeric, String, Array], 1] *$values >> Numeric"
    }

    /// Seconds since 1970.
    ///
    /// ```puppet
    /// time() =~ Integer    # => true
    /// ```
    "time": ReadsClock, BeyondRuby {
        LEGACY => time;
        tools "Optional[String] $timezone = undef >> Integer"
    }
    /// The same as `time`.
    ///
    /// ```puppet
    /// stdlib::time() =~ Integer    # => true
    /// ```
    "stdlib::time": ReadsClock, BeyondRuby { "Optional[String] $_timezone = undef >> Integer" => |vm: &mut Vm<'_>, _zone: Value| seconds(vm) }

    /// The value of a fact at a path written with dots, or undef.
    ///
    /// ```puppet
    /// fact('no.such.fact')    # => undef
    /// ```
    "fact": ReadsVariables { "String $fact_name >> Any" => fact }

    /// Whether the operating system is of a name and at least of a version.
    "os_version_gte": ReadsVariables, TypedResult { "String[1] $os, String[1] $version >> Boolean" => os_version_gte_flat }
    /// Whether the operating system is of a name and at least of a version.
    "stdlib::os_version_gte": ReadsVariables, TypedResult { "String[1] $os, String[1] $version >> Boolean" => os_version_gte }

    /// The value of `ensure` for a kind of resource from `present`, `absent` or a boolean.
    ///
    /// ```puppet
    /// stdlib::ensure(true)                     # => 'present'
    /// stdlib::ensure('absent', 'service')      # => 'stopped'
    /// stdlib::ensure(true, 'directory')        # => 'directory'
    /// ```
    "stdlib::ensure" {
        "Variant[Boolean, Enum['present', 'absent']] $ensure, Optional[Enum['directory', 'link', 'mounted', 'service', 'file', 'package']] $resource = undef >> String" => ensure
    }

    /// The elements sorted by what a lambda gives for each; of a hash, a hash.
    ///
    /// ```puppet
    /// stdlib::sort_by(['aaa', 'b', 'cc']) |$x| { length($x) }    # => ['b', 'cc', 'aaa']
    /// ```
    "stdlib::sort_by" {
        "Array $ary, Callable[1, 1] &$block >> Array" => |vm: &mut Vm<'_>, values: Value, block: Option<Block>| sort_by(vm, values, block),
        "String $str, Callable[1, 1] &$block >> String" => sort_text_by,
        "Hash $hsh, Variant[Callable[1, 1], Callable[2, 2]] &$block >> Hash" => sort_hash_by,
    }

    /// Data with every `Sensitive` in it opened, given to a lambda; if there was one, the whole result is `Sensitive`.
    ///
    /// ```puppet
    /// stdlib::rewrap_sensitive_data({a => Sensitive(1)}) =~ Sensitive    # => true
    /// stdlib::rewrap_sensitive_data([1]) |$x| { $x + [2] }               # => [1, 2]
    /// ```
    "stdlib::rewrap_sensitive_data" { "Any $data, Optional[Callable[Any]] &$block >> Any" => rewrap_sensitive_data }

    /// Whether there is a function of a name.
    ///
    /// ```puppet
    /// stdlib::has_function('upcase')         # => true
    /// stdlib::has_function('no_such')        # => false
    /// ```
    "stdlib::has_function" { "String[1] $function_name >> Boolean" => has_function }

    /// The most detailed type of a value; the same as `type`.
    ///
    /// ```puppet
    /// stdlib::type_of(5)    # => Integer[5, 5]
    /// ```
    "stdlib::type_of" { "Any $value >> Type" => |value: Value| Type::of(&value) }

    /// Warns that something is deprecated; an error if the setting `strict` requires it, unless that setting is ignored.
    "deprecation": Logs, BeyondRuby { "String $key, String $message, Boolean $use_strict_setting = true >> Undef" => deprecation }

    /// Would stop for a debugger of Ruby; refused.
    "pry" {
        LEGACY => pry;
        tools "Any *$args >> Undef"
    }

    /// A template rendered now, or as a `Deferred` if a value is only known on the node.
    "stdlib::deferrable_epp": ReadsFiles { "String $template, Hash $variables >> Variant[String, Sensitive[String], Deferred]" => deferrable_epp }
}

fn is_blank(value: &Value) -> bool {
    value.is_undef() || value.as_str() == Some("")
}

fn pick(Rest(args): Rest) -> Result<Value> {
    let args = legacy(args)?;
    let found = args.into_iter().find(|value| !is_blank(value));
    Ok(found.ok_or_else(|| diagnostic!(NOTHING_PICKED))?)
}

fn pick_default(Rest(args): Rest) -> Result<Value> {
    let mut args = legacy(args)?;
    let Some(default) = args.pop() else {
        bail!(NOTHING_TO_PICK_FROM);
    };
    Ok(args.into_iter().find(|value| !is_blank(value)).unwrap_or(default))
}

fn clamp(Rest(args): Rest) -> Result<i64> {
    let args = ruby::flatten(&at_least("clamp", 1, args)?);
    if args.len() != 3 {
        return Err(wrong_count("clamp", "Wrong number of arguments, need three to clamp"));
    }
    for arg in &args {
        match arg {
            Value::String(text)
                if !text
                    .split('\n')
                    .any(|line| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit())) =>
            {
                bail!(CLAMP_OF_TEXT { text });
            }
            Value::Hash(_) => {
                let shown = ruby::to_s(arg);
                return Err(wrong_type("clamp", format_args!("The Hash type is not allowed ({shown})")));
            }
            _ => {}
        }
    }
    let mut numbers = args.iter().map(ruby::value_to_i).collect::<Result<Vec<_>>>()?;
    numbers.sort_unstable();
    Ok(numbers[1])
}

fn time(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<i64> {
    if args.len() > 1 {
        return Err(wrong_number_of("time", args.len(), "0 or 1").into());
    }
    // The name of the time zone changes nothing, but Ruby insists that it is text.
    match legacy(args)?.first() {
        None | Some(Value::String(_) | Value::Boolean(false)) => {}
        Some(Value::Array(zone)) if zone.is_empty() => {}
        Some(Value::Hash(zone)) if zone.is_empty() => {}
        Some(zone @ (Value::Array(_) | Value::Hash(_) | Value::Default)) => {
            return Err(ruby::no_conversion(zone, "String").into());
        }
        Some(zone) => return Err(ruby::no_method("empty?", zone).into()),
    }
    Ok(seconds(vm))
}

fn seconds(vm: &mut Vm<'_>) -> i64 {
    vm.world().now().seconds()
}

fn fact(vm: &mut Vm<'_>, name: Str) -> Value {
    let mut here = Value::from(vm.node().facts.clone());
    let mut walked: Vec<String> = Vec::new();
    for key in fact_path(&name) {
        let at =
            walked.iter().map(|step| if step.contains('.') { format!("\"{step}\"") } else { step.clone() });
        let at = at.collect::<Vec<_>>().join(".");
        here = match &here {
            Value::Undef => return Value::Undef,
            Value::Hash(hash) => hash.get(key.as_str()).cloned().unwrap_or_default(),
            Value::Array(values) => match ruby::integer(&key) {
                Ok(index) => {
                    let index = if index < 0 { index + values.len() as i64 } else { index };
                    usize::try_from(index)
                        .ok()
                        .and_then(|index| values.get(index))
                        .cloned()
                        .unwrap_or_default()
                }
                Err(_) => {
                    warn(
                        vm,
                        format!(
                            "fact request for {name} returning nil: '{at}' is an array; cannot index to '{key}'"
                        ),
                    );
                    Value::Undef
                }
            },
            _ => {
                let why = format!(
                    "fact request for {name} returning nil: '{at}' is not a collection; cannot walk to '{key}'"
                );
                warn(vm, why);
                Value::Undef
            }
        };
        walked.push(key);
    }
    here
}

/// The steps of a dotted path; quotes keep dots.
fn fact_path(name: &str) -> Vec<String> {
    let mut steps = Vec::new();
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        match c {
            '"' => match rest[1..].split_once('"') {
                Some((step, after)) if !step.is_empty() => {
                    steps.push(step.to_owned());
                    rest = after;
                }
                _ => rest = &rest[1..],
            },
            '.' => rest = &rest[1..],
            _ => {
                let end = rest.find(['.', '"']).unwrap_or(rest.len());
                steps.push(rest[..end].to_owned());
                rest = &rest[end..];
            }
        }
    }
    steps
}

/// Warns as Puppet itself does.
pub fn warn(vm: &mut Vm<'_>, message: String) {
    vm.push_log(Log {
        level: LogLevel::Warning,
        message,
        source: "Puppet".into(),
        location: None,
        issue: None,
        rule: None,
    });
}

fn os_version_gte_flat(vm: &mut Vm<'_>, os: Str, version: Str) -> Result<bool> {
    let facts = &vm.node().facts;
    if facts.get("operatingsystem").and_then(Value::as_str) != Some(os.as_str()) {
        return Ok(false);
    }
    match facts.get("operatingsystemmajrelease") {
        Some(Value::String(release)) => Ok(versioncmp(release, &version, false) != Ordering::Less),
        other => Err(ruby::no_method("scan", other.unwrap_or(&Value::Undef))),
    }
}

fn os_version_gte(vm: &mut Vm<'_>, os: Str, version: Str) -> Result<bool> {
    let step = |value: &Value, key: &str| match value {
        Value::Hash(hash) => Ok(hash.get(key).cloned().unwrap_or_default()),
        other => Err(ruby::no_method("[]", other)),
    };
    let facts = step(&vm.node().facts.clone().into(), "os")?;
    if step(&facts, "name")?.as_str() != Some(os.as_str()) {
        return Ok(false);
    }
    match step(&step(&facts, "release")?, "major")? {
        Value::String(release) => Ok(versioncmp(&release, &version, false) != Ordering::Less),
        other => Err(ruby::no_method("scan", &other)),
    }
}

fn ensure(ensure: Value, resource: Option<Str>) -> Str {
    let present = matches!(ensure, Value::Boolean(true)) || ensure.as_str() == Some("present");
    match (resource.as_deref(), present) {
        (Some("package"), true) => "installed".into(),
        (Some("service"), true) => "running".into(),
        (Some("service"), false) => "stopped".into(),
        (Some(kind), true) => kind.into(),
        (None, true) => "present".into(),
        (_, false) => "absent".into(),
    }
}

fn sort_by(vm: &mut Vm<'_>, values: Value, block: Option<Block>) -> Flow<Array> {
    let two = block.as_ref().is_some_and(|block| block.parameter_count() == 2);
    let mut keyed = Vec::new();
    for item in items(&values)? {
        let args = match &item {
            Value::Array(pair) if two => pair.to_vec(),
            item => vec![item.clone()],
        };
        vm.check_size(keyed.len() + 1)?;
        keyed.push((call(vm, &block, args)?, item));
    }
    ruby::sort_by(&mut keyed, &mut |a, b| Ok(ruby::ordered(&a.0, &b.0)?))?;
    Ok(keyed.into_iter().map(|(_, item)| item).collect())
}

fn sort_text_by(vm: &mut Vm<'_>, text: Value, block: Option<Block>) -> Flow<String> {
    Ok(ruby::join(&sort_by(vm, text, block)?, ""))
}

fn sort_hash_by(vm: &mut Vm<'_>, hash: Value, block: Option<Block>) -> Flow<Hash> {
    let pairs = sort_by(vm, hash, block)?;
    let pairs = pairs.iter().filter_map(Value::as_array).filter(|pair| pair.len() == 2);
    Ok(pairs.map(|pair| (pair[0].clone(), pair[1].clone())).collect())
}

fn rewrap_sensitive_data(vm: &mut Vm<'_>, data: Value, block: Option<Block>) -> Flow<Value> {
    let (open, sensitive) = unwrapped(&data);
    let result = if block.is_some() { call(vm, &block, vec![open])? } else { open };
    Ok(rewrapped(result, sensitive))
}

/// Data with every `Sensitive` in it opened, and whether there was one.
pub fn unwrapped(data: &Value) -> (Value, bool) {
    let mut sensitive = false;
    let open = open(data, &mut sensitive);
    (open, sensitive)
}

/// A result, sensitive if what it was made from was.
pub fn rewrapped(result: Value, sensitive: bool) -> Value {
    if sensitive { Value::Sensitive(Arc::new(result)) } else { result }
}

fn open(value: &Value, sensitive: &mut bool) -> Value {
    match value {
        Value::Sensitive(inner) => {
            *sensitive = true;
            open(inner, sensitive)
        }
        Value::Array(values) => values.iter().map(|value| open(value, sensitive)).collect::<Array>().into(),
        Value::Hash(hash) => {
            let mut entries = Hash::new();
            for (key, value) in hash {
                let key = match key {
                    Value::Sensitive(inner) => {
                        *sensitive = true;
                        (**inner).clone()
                    }
                    key => key.clone(),
                };
                entries.insert(key, open(value, sensitive));
            }
            entries.into()
        }
        other => other.clone(),
    }
}

fn has_function(vm: &mut Vm<'_>, name: Str) -> Flow<bool> {
    vm.function_exists(&name)
}

/// Warns of a deprecated thing, or fails where `strict` is error and counts.
pub fn deprecation(vm: &mut Vm<'_>, key: Str, message: Str, use_strict: bool) -> Flow<()> {
    let outer = vm.stack().nth(1).map(|(file, line)| frame(file, line)).unwrap_or_default();
    let message = format!("{message} at {}:{outer}", place(vm.caller().as_ref()));
    deprecate(vm, &key, &message, use_strict)
}

/// The same, with a line of one of stdlib's own files.
pub fn deprecation_at(
    vm: &mut Vm<'_>,
    file: Option<(String, usize)>,
    key: &str,
    message: &str,
    use_strict: bool,
) -> Flow<()> {
    let inner = match file {
        Some((path, line)) => format!("[{}, {line}]", ruby::inspect_str(&path)),
        None => place(None),
    };
    let message = format!("{message} at {inner}:{}", place(vm.caller().as_ref()));
    deprecate(vm, key, &message, use_strict)
}

fn deprecate(vm: &mut Vm<'_>, key: &str, message: &str, use_strict: bool) -> Flow<()> {
    match vm.environment().settings.strict {
        Strict::Off if use_strict => {}
        Strict::Error if use_strict => bail!(DEPRECATED { key, message }),
        // Puppet names the line of Ruby that warns.
        _ => match place_in_module(vm, "lib/puppet/functions/deprecation.rb", "deprecation_warning(") {
            Some((path, line)) => {
                vm.warn_once(key, format!("{message}\n   (location: {path}:{line}:in `deprecation')"))
            }
            None => deprecated(vm, key, message),
        },
    }
    Ok(())
}

/// The first line of a file of the environment's stdlib that holds a text, comments aside.
pub fn place_in_module(vm: &Vm<'_>, file: &str, text: &str) -> Option<(String, usize)> {
    let path = vm.environment().module("stdlib")?.root.join(file);
    let source = String::from_utf8(vm.world().read(&path).ok()?).ok()?;
    let at = source.lines().position(|line| !line.trim_start().starts_with('#') && line.contains(text))?;
    Some((path.to_string_lossy().into_owned(), at + 1))
}

/// The place of a call as Ruby prints it.
fn place(location: Option<&Location>) -> String {
    match location {
        Some(location) => frame(location.file(), location.line()),
        None => frame(None, 0),
    }
}

fn frame(file: Option<&str>, line: u32) -> String {
    format!("[{}, {line}]", ruby::inspect_str(file.unwrap_or("unknown")))
}

fn pry(_args: Rest) -> Result<Value> {
    bail!(NO_DEBUGGER)
}

fn is_deferred(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.ty.label() == "Deferred")
}

fn deferrable_epp(vm: &mut Vm<'_>, template: Str, variables: Hash) -> Flow<Value> {
    let deferred = holds(&variables, &is_deferred);
    epp_or_deferred(vm, deferred, template, variables)
}

fn epp_or_deferred(vm: &mut Vm<'_>, deferred: bool, template: Str, variables: Hash) -> Flow<Value> {
    if !deferred {
        return vm.call("epp", vec![template.into(), variables.into()], None);
    }
    let path = vm.call("find_template", vec![template.into()], None)?;
    let text = vm.call("file", vec![path], None)?;
    let arguments = Value::from(vec![text, variables.into()]);
    vm.call(
        "new",
        vec![Type::builtin("Deferred").unwrap_or_default().into(), "inline_epp".into(), arguments],
        None,
    )
}

fn holds(hash: &Hash, wanted: &dyn Fn(&Value) -> bool) -> bool {
    hash.values().any(|value| match value {
        Value::Hash(inner) => holds(inner, wanted),
        other => wanted(other),
    })
}

/// The form of these functions before version 9.
pub mod old {
    use super::*;

    builtins! {
        /// Warns of something deprecated, once for each key; where `strict` is error it fails.
        "deprecation": Logs, BeyondRuby { "String $key, String $message >> Undef" => |vm: &mut Vm<'_>, key: Str, message: Str| deprecation(vm, key, message, true) }

        /// A template rendered, or if a variable is deferred, deferred too.
        "stdlib::deferrable_epp": ReadsFiles { "String $template, Hash $variables >> Variant[String, Sensitive[String], Deferred]" => |vm: &mut Vm<'_>, template: Str, variables: Hash| {
            let deferred = variables.values().any(is_deferred);
            epp_or_deferred(vm, deferred, template, variables)
        } }

        /// The value of `ensure` of a kind of resource for `present` or `absent`.
        "stdlib::ensure" {
            "Variant[Boolean, Enum['present', 'absent']] $ensure, Enum['directory', 'link', 'mounted', 'service', 'file', 'package'] $resource >> String" => |wanted: Value, resource: Str| ensure(wanted, Some(resource))
        }
    }
}
