//! JSON as Ruby's library writes it: `to_json`, `to_json_pretty`.

use kukla_eval::builtins;
use kukla_syntax::bail;
use kukla_values::codes::NUMBER_NOT_IN_JSON;
use kukla_values::{Array, Hash, Result, Str, Value, json};

use crate::codes::JSON_TOO_DEEP;
use crate::ruby;
use crate::stdlib::misc::{rewrapped, unwrapped};

builtins! {
    /// A value as JSON on one line.
    ///
    /// ```puppet
    /// to_json({a => [1, undef]})    # => '{"a":[1,null]}'
    /// ```
    "to_json" { "Any $data >> String" => to_json }
    /// The same as `to_json`; if there is anything `Sensitive` in the value, so is the result.
    ///
    /// ```puppet
    /// stdlib::to_json({a => 1})    # => '{"a":1}'
    /// ```
    "stdlib::to_json" { "Any $data >> Variant[String, Sensitive[String]]" => namespaced }

    /// A value as JSON on several lines, formatted by the options; optionally without undef entries at the top.
    ///
    /// ```puppet
    /// to_json_pretty({a => 1})                            # => "{\n  \"a\": 1\n}\n"
    /// to_json_pretty([1, undef], true)                    # => "[\n  1\n]\n"
    /// to_json_pretty([1], false, {indent => "\t"})        # => "[\n\t1\n]\n"
    /// ```
    "to_json_pretty" { "Variant[Hash, Array] $data, Optional[Boolean] $skip_undef = false, Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}] $opts = undef >> String" => to_json_pretty }
    /// The same as `to_json_pretty`; if there is anything `Sensitive` in the value, so is the result.
    ///
    /// ```puppet
    /// stdlib::to_json_pretty([])    # => "[\n\n]\n"
    /// ```
    "stdlib::to_json_pretty" { "Variant[Hash, Array] $data, Optional[Boolean] $skip_undef = false, Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}] $opts = undef >> Variant[String, Sensitive[String]]" => namespaced_pretty }
}

fn to_json(data: Value) -> Result<String> {
    Layout::compact().write(&data)
}

fn namespaced(data: Value) -> Result<Value> {
    let (open, sensitive) = unwrapped(&data);
    Ok(rewrapped(to_json(open)?.into(), sensitive))
}

fn to_json_pretty(data: Value, skip_undef: Option<bool>, opts: Option<Hash>) -> Result<String> {
    let skip = skip_undef == Some(true);
    let data = match data {
        Value::Array(values) if skip => {
            values.into_iter().filter(|value| !value.is_undef()).collect::<Array>().into()
        }
        Value::Hash(hash) if skip => {
            let kept = hash.iter().filter(|(_, value)| !value.is_undef());
            kept.map(|(key, value)| (key.clone(), value.clone())).collect::<Hash>().into()
        }
        data => data,
    };
    Ok(Layout::pretty(&opts.unwrap_or_default()).write(&data)? + "\n")
}

fn namespaced_pretty(data: Value, skip_undef: Option<bool>, opts: Option<Hash>) -> Result<Value> {
    let (open, sensitive) = unwrapped(&data);
    Ok(rewrapped(to_json_pretty(open, skip_undef, opts)?.into(), sensitive))
}

/// How JSON is laid out.
struct Layout {
    indent: Str,
    space: Str,
    space_before: Str,
    object_nl: Str,
    array_nl: Str,
    allow_nan: bool,
    max_nesting: usize,
}

impl Layout {
    fn compact() -> Layout {
        Layout {
            indent: Str::new(),
            space: Str::new(),
            space_before: Str::new(),
            object_nl: Str::new(),
            array_nl: Str::new(),
            allow_nan: false,
            max_nesting: 100,
        }
    }

    fn pretty(options: &Hash) -> Layout {
        let text = |name: &str, default: &str| match options.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(_) => Str::new(),
            None => default.into(),
        };
        Layout {
            indent: text("indent", "  "),
            space: text("space", " "),
            space_before: text("space_before", ""),
            object_nl: text("object_nl", "\n"),
            array_nl: text("array_nl", "\n"),
            allow_nan: options.get("allow_nan").is_some_and(Value::is_true),
            max_nesting: match options.get("max_nesting") {
                Some(Value::Integer(depth)) => usize::try_from(*depth).unwrap_or(0),
                Some(_) => 0,
                None => 100,
            },
        }
    }

    fn write(&self, value: &Value) -> Result<String> {
        let mut out = String::new();
        self.write_value(&mut out, value, 0)?;
        Ok(out)
    }

    fn write_value(&self, out: &mut String, value: &Value, depth: usize) -> Result<()> {
        match value {
            Value::Undef => out.push_str("null"),
            Value::Boolean(b) => out.push_str(if *b { "true" } else { "false" }),
            Value::Integer(n) => out.push_str(&n.to_string()),
            Value::Float(n) if !n.is_finite() && !self.allow_nan => {
                bail!(NUMBER_NOT_IN_JSON { number: ruby::float_to_s(*n) });
            }
            Value::Float(n) => out.push_str(&ruby::float_to_s(*n)),
            Value::Array(values) => return self.write_array(out, values, depth + 1),
            Value::Hash(hash) => return self.write_object(out, hash, depth + 1),
            other => json::string(out, &ruby::to_s(other)),
        }
        Ok(())
    }

    fn check(&self, depth: usize) -> Result<()> {
        let limit = if self.max_nesting == 0 { 1000 } else { self.max_nesting };
        // Ruby names the depth before the one that is too much.
        if depth > limit {
            bail!(JSON_TOO_DEEP { depth: depth - 1 });
        }
        Ok(())
    }

    fn write_array(&self, out: &mut String, values: &[Value], depth: usize) -> Result<()> {
        self.check(depth)?;
        out.push('[');
        out.push_str(&self.array_nl);
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                out.push(',');
                out.push_str(&self.array_nl);
            }
            out.push_str(&self.indent.repeat(depth));
            self.write_value(out, value, depth)?;
        }
        if !self.array_nl.is_empty() {
            out.push_str(&self.array_nl);
            out.push_str(&self.indent.repeat(depth - 1));
        }
        out.push(']');
        Ok(())
    }

    fn write_object(&self, out: &mut String, hash: &Hash, depth: usize) -> Result<()> {
        self.check(depth)?;
        out.push('{');
        for (at, (key, value)) in hash.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            out.push_str(&self.object_nl);
            out.push_str(&self.indent.repeat(depth));
            json::string(out, &ruby::to_s(key));
            out.push_str(&self.space_before);
            out.push(':');
            out.push_str(&self.space);
            self.write_value(out, value, depth)?;
        }
        if !self.object_nl.is_empty() {
            out.push_str(&self.object_nl);
            out.push_str(&self.indent.repeat(depth - 1));
        }
        out.push('}');
        Ok(())
    }
}
