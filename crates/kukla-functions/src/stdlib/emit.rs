//! Other notations: `to_yaml`, `to_toml`, `to_python`, `to_ruby`.

use kukla_eval::builtins;
use kukla_eval::error::Raised;
use kukla_formats::yaml;
use kukla_syntax::diagnostic;
use kukla_values::{Hash, Result, Value, richdata};
use serde_json::Value as Json;

use crate::codes::UNWRITABLE_YAML;
use crate::ruby;
use crate::stdlib::misc::{rewrapped, unwrapped};

builtins! {
    /// A value as YAML, as Ruby's library writes it.
    ///
    /// ```puppet
    /// to_yaml({a => [1, 'yes']})    # => "---\na:\n- 1\n- 'yes'\n"
    /// ```
    "to_yaml" { "Any $data, Hash $options = {} >> String" => to_yaml }
    /// The same as `to_yaml`; if there is anything `Sensitive` in the value, so is the result.
    ///
    /// ```puppet
    /// stdlib::to_yaml([1])    # => "---\n- 1\n"
    /// ```
    "stdlib::to_yaml" { "Any $data, Hash $options = {} >> Variant[String, Sensitive[String]]" => namespaced_yaml }

    /// A hash as TOML, keys sorted, tables after plain values.
    ///
    /// ```puppet
    /// to_toml({b => {c => 'x'}, a => 1})    # => "a = 1\n[b]\nc = \"x\"\n"
    /// ```
    "to_toml": TypedResult { "Hash $data >> String" => to_toml }
    /// The same as `to_toml`; if there is anything `Sensitive` in the value, so is the result.
    ///
    /// ```puppet
    /// stdlib::to_toml({a => 1})    # => "a = 1\n"
    /// ```
    "stdlib::to_toml" { "Hash $data >> Variant[String, Sensitive[String]]" => namespaced_toml }

    /// A value as Python code.
    ///
    /// ```puppet
    /// to_python({a => [true, undef]})    # => '{"a": [True, None]}'
    /// ```
    "to_python" { "Any $object >> String" => to_python }
    /// The same as `to_python`.
    ///
    /// ```puppet
    /// stdlib::to_python(false)    # => 'False'
    /// ```
    "stdlib::to_python" { "Any $object >> String" => to_python }

    /// A value as Ruby code.
    ///
    /// ```puppet
    /// to_ruby({a => [true, undef]})    # => '{"a" => [true, nil]}'
    /// ```
    "to_ruby" { "Any $object >> String" => to_ruby }
    /// The same as `to_ruby`.
    ///
    /// ```puppet
    /// stdlib::to_ruby('a')    # => '"a"'
    /// ```
    "stdlib::to_ruby" { "Any $object >> String" => to_ruby }
}

fn to_yaml(data: Value, options: Hash) -> Result<String> {
    let number = |name: &str, default: i32| match options.get(name) {
        Some(Value::Integer(n)) => i32::try_from(*n).unwrap_or(default),
        _ => default,
    };
    if let Some(width @ (Value::String(_) | Value::Array(_) | Value::Hash(_))) = options.get("line_width") {
        return Err(match width {
            Value::Array(_) => ruby::no_method("<", width),
            other => ruby::incomparable(other, &Value::Integer(0)),
        });
    }
    let layout = yaml::Layout {
        indentation: number("indentation", 2),
        line_width: number("line_width", 0),
        fold: match options.get("line_width") {
            Some(Value::Integer(width)) => usize::try_from(*width).ok(),
            _ => None,
        },
        canonical: options.get("canonical").is_some_and(Value::is_true),
        header: options.get("header").is_some_and(Value::is_true),
    };
    Ok(yaml::emit_with(&data, layout).map_err(|reason| diagnostic!(UNWRITABLE_YAML { reason }))?)
}

fn namespaced_yaml(data: Value, options: Hash) -> Result<Value> {
    let (open, sensitive) = unwrapped(&data);
    Ok(rewrapped(to_yaml(open, options)?.into(), sensitive))
}

fn to_toml(data: Hash) -> Result<String> {
    let mut out = String::new();
    write_table(&mut out, &data, &[], false)?;
    Ok(out)
}

fn namespaced_toml(data: Value) -> Result<Value> {
    let (open, sensitive) = unwrapped(&data);
    let toml = to_toml(open.as_hash().cloned().unwrap_or_default())?;
    Ok(rewrapped(toml.into(), sensitive))
}

/// Writes a table: its plain values, then the tables in it, then the arrays of tables. A table that is an element of an array has its
/// heading written for it.
fn write_table(out: &mut String, hash: &Hash, path: &[String], headed: bool) -> Result<()> {
    let mut keys: Vec<Value> = hash.keys().cloned().collect();
    let order = &mut |a: &Value, b: &Value| Ok(ruby::ordered(a, b)?);
    if let Err(raise) = ruby::sort_by(&mut keys, order) {
        return match raise.into_reason() {
            Raised::Error(wrong) => Err(wrong.into()),
            _ => Ok(()),
        };
    }
    let value = |key: &Value| hash.get(key).cloned().unwrap_or_default();
    let is_tables = |value: &Value| matches!(value, Value::Array(values) if matches!(values.first(), Some(Value::Hash(_))));
    let is_simple = |value: &Value| !matches!(value, Value::Hash(_)) && !is_tables(value);
    if !headed && !path.is_empty() && (hash.is_empty() || hash.values().any(is_simple)) {
        out.push_str(&format!("[{}]\n", path.join(".")));
    }
    for key in &keys {
        let value = value(key);
        if is_simple(&value) {
            out.push_str(&format!("{} = {}\n", toml_key(key)?, toml_value(&value)));
        }
    }
    let below = |key: &Value| -> Result<Vec<String>> {
        let mut below = path.to_vec();
        below.push(toml_key(key)?);
        Ok(below)
    };
    for key in &keys {
        if let Value::Hash(inner) = value(key) {
            write_table(out, &inner, &below(key)?, false)?;
        }
    }
    for key in &keys {
        let tables = value(key);
        if !is_tables(&tables) {
            continue;
        }
        let path = below(key)?;
        for table in &ruby::to_array(&tables) {
            out.push_str(&format!("[[{}]]\n", path.join(".")));
            let Value::Hash(table) = table else { return Err(ruby::no_method("keys", table)) };
            write_table(out, table, &path, true)?;
        }
    }
    Ok(())
}

fn toml_key(key: &Value) -> Result<String> {
    let text = ruby::to_s(key);
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.split('\n').any(|line| line.chars().all(bare)) {
        return Ok(text.into());
    }
    match key {
        Value::String(text) => Ok(format!("\"{}\"", text.replace("\"", "\\\""))),
        other => Err(ruby::no_method("gsub", other)),
    }
}

fn toml_value(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let shown = ruby::inspect_str(text);
            shown.replace("\\#{", "#{").replace("\\#$", "#$").replace("\\#@", "#@")
        }
        Value::Regexp(regexp) => ruby::inspect_str(&format!("/{}/", regexp.source())),
        other => ruby::inspect(other).into(),
    }
}

fn to_python(object: Value) -> Result<String> {
    const PYTHON: Notation = Notation { none: "None", yes: "True", no: "False", arrow: ": " };
    Ok(PYTHON.write(&richdata::to_json(&object)?))
}

fn to_ruby(object: Value) -> Result<String> {
    const RUBY: Notation = Notation { none: "nil", yes: "true", no: "false", arrow: " => " };
    Ok(RUBY.write(&richdata::to_json(&object)?))
}

/// How a language writes data.
struct Notation {
    none: &'static str,
    yes: &'static str,
    no: &'static str,
    arrow: &'static str,
}

impl Notation {
    fn write(&self, data: &Json) -> String {
        match data {
            Json::Null => self.none.into(),
            Json::Bool(true) => self.yes.into(),
            Json::Bool(false) => self.no.into(),
            Json::Number(number) => match number.as_i64() {
                Some(number) => number.to_string(),
                None => ruby::float_to_s(number.as_f64().unwrap_or_default()),
            },
            Json::String(text) => ruby::inspect_str(text),
            Json::Array(values) => {
                let values: Vec<String> = values.iter().map(|value| self.write(value)).collect();
                format!("[{}]", values.join(", "))
            }
            Json::Object(entries) => {
                let entry = |(key, value): (&String, &Json)| {
                    format!("{}{}{}", ruby::inspect_str(key), self.arrow, self.write(value))
                };
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
