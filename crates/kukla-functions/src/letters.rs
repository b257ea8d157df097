//! Case and white space: `upcase`, `downcase`, `capitalize`, `camelcase`, `strip`, `lstrip`, `rstrip`, `chomp`, `chop`.
//!
//! All take a string, or a collection of strings in which numbers pass through unchanged.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::vm::Vm;
use kukla_values::case::{capitalize, downcase, upcase};
use kukla_values::{Array, Hash, Result, Str, Value};

use crate::items::items;

builtins! {
    /// Text in upper case, also in nested arrays and hashes.
    ///
    /// ```puppet
    /// upcase('hello')            # => 'HELLO'
    /// upcase(['a', {b => 'c'}])  # => ['A', {'B' => 'C'}]
    /// ```
    "upcase" {
        type "StringData = Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]";
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| upcase(&arg),
        "Array[StringData] $arg >> Array" => |arg: Array| deep(&arg.into(), upcase),
        "Hash[StringData, StringData] $arg >> Hash" => |arg: Hash| deep(&arg.into(), upcase),
    }

    /// Text in lower case, also in nested arrays and hashes.
    ///
    /// ```puppet
    /// downcase('Hello')    # => 'hello'
    /// ```
    "downcase" {
        type "StringData = Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]";
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| downcase(&arg),
        "Array[StringData] $arg >> Array" => |arg: Array| deep(&arg.into(), downcase),
        "Hash[StringData, StringData] $arg >> Hash" => |arg: Hash| deep(&arg.into(), downcase),
    }

    /// Text with its first letter in upper case and the others in lower case.
    ///
    /// ```puppet
    /// capitalize('hELLO')    # => 'Hello'
    /// ```
    "capitalize" {
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| capitalize(&arg),
        "Iterable[Variant[String, Numeric]] $arg >> Array" => |vm: &mut Vm<'_>, arg: Value| each(vm, &arg, capitalize),
    }

    /// Text whose words, separated by underscores, are joined in camel case.
    ///
    /// ```puppet
    /// camelcase('hello_world')    # => 'HelloWorld'
    /// ```
    "camelcase" {
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| camel(&arg),
        "Iterable[Variant[String, Numeric]] $arg >> Array" => |vm: &mut Vm<'_>, arg: Value| each(vm, &arg, camel),
    }

    /// Text without leading and trailing white space.
    ///
    /// ```puppet
    /// strip("\t hello \n")    # => 'hello'
    /// ```
    "strip" {
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| strip(&arg),
        "Iterable[Variant[String, Numeric]] $arg >> Array" => |vm: &mut Vm<'_>, arg: Value| each(vm, &arg, strip),
    }

    /// Text without leading white space.
    ///
    /// ```puppet
    /// lstrip("  hello ")    # => 'hello '
    /// ```
    "lstrip" {
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| left(&arg),
        "Iterable[Variant[String, Numeric]] $arg >> Array" => |vm: &mut Vm<'_>, arg: Value| each(vm, &arg, left),
    }

    /// Text without trailing white space.
    ///
    /// ```puppet
    /// rstrip("  hello ")    # => '  hello'
    /// ```
    "rstrip" {
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| right(&arg),
        "Iterable[Variant[String, Numeric]] $arg >> Array" => |vm: &mut Vm<'_>, arg: Value| each(vm, &arg, right),
    }

    /// Text without the line end it may end in.
    ///
    /// ```puppet
    /// chomp("hello\r\n")    # => 'hello'
    /// chomp("hello\n\n")    # => "hello\n"
    /// ```
    "chomp" {
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| chomp(&arg),
        "Iterable[Variant[String, Numeric]] $arg >> Array" => |vm: &mut Vm<'_>, arg: Value| each(vm, &arg, chomp),
    }

    /// Text without its last character; a carriage return and line feed go together.
    ///
    /// ```puppet
    /// chop('hello')       # => 'hell'
    /// chop("hello\r\n")   # => 'hello'
    /// ```
    "chop" {
        "Numeric $arg >> Numeric" => same,
        "String $arg >> String" => |arg: Str| chop(&arg),
        "Iterable[Variant[String, Numeric]] $arg >> Array" => |vm: &mut Vm<'_>, arg: Value| each(vm, &arg, chop),
    }
}

fn same(arg: Value) -> Value {
    arg
}

fn each(vm: &mut Vm<'_>, arg: &Value, change: fn(&str) -> Str) -> Flow<Array> {
    let items = items(arg)?;
    vm.check_size(items.size_hint().0)?;
    vm.charge(items.size_hint().0 as u64)?;
    Ok(items.map(|item| shallow(&item, change)).collect())
}

fn shallow(value: &Value, change: fn(&str) -> Str) -> Value {
    match value {
        Value::String(text) => change(text).into(),
        other => other.clone(),
    }
}

fn deep(value: &Value, change: fn(&str) -> Str) -> Result<Value> {
    Ok(match value {
        Value::String(text) => change(text).into(),
        Value::Array(values) => {
            values.iter().map(|value| deep(value, change)).collect::<Result<Array>>()?.into()
        }
        Value::Hash(hash) => {
            let entries = hash.iter().map(|(key, value)| Ok((deep(key, change)?, deep(value, change)?)));
            entries.collect::<Result<Hash>>()?.into()
        }
        other => other.clone(),
    })
}

fn camel(text: &str) -> Str {
    text.split('_').map(capitalize).collect()
}

fn space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\0')
}

fn strip(text: &str) -> Str {
    text.trim_matches(space).into()
}

fn left(text: &str) -> Str {
    text.trim_start_matches(space).into()
}

fn right(text: &str) -> Str {
    text.trim_end_matches(space).into()
}

fn chomp(text: &str) -> Str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r'])).unwrap_or(text).into()
}

fn chop(text: &str) -> Str {
    if let Some(rest) = text.strip_suffix("\r\n") {
        return rest.into();
    }
    let mut chars = text.chars();
    chars.next_back();
    chars.as_str().into()
}
