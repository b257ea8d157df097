//! Small things Ruby does that data files and messages depend on.

use kukla_values::Value;

/// Ruby's `Float#to_s`: decimal between 1e-4 and 1e15, scientific outside.
pub fn float_text(n: f64) -> String {
    if n.is_nan() {
        return "NaN".into();
    }
    if n.is_infinite() {
        return if n > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let magnitude = n.abs();
    if magnitude != 0.0 && !(1e-4..1e15).contains(&magnitude) {
        let text = format!("{n:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = if digits.contains('.') { digits.to_owned() } else { format!("{digits}.0") };
        let exponent: i32 = exponent.parse().unwrap_or(0);
        format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    } else {
        let text = format!("{n}");
        if text.contains('.') { text } else { format!("{text}.0") }
    }
}

/// Ruby's `String#inspect`.
pub fn inspect_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0b' => out.push_str("\\v"),
            '\x0c' => out.push_str("\\f"),
            '\x1b' => out.push_str("\\e"),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            c if (c as u32) < 0x20 || c == '\x7f' => out.push_str(&format!("\\x{:02X}", c as u32)),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The name of the Ruby class Puppet keeps such a value in; messages use it.
pub fn class_name(value: &Value) -> &'static str {
    match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Boolean(true) => "TrueClass",
        Value::Boolean(false) => "FalseClass",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
        Value::Regexp(_) => "Regexp",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Type(_) => "Puppet::Pops::Types::PAnyType",
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        Value::SemVer(_) => "SemanticPuppet::Version",
        Value::SemVerRange(_) => "SemanticPuppet::VersionRange",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Uri(_) => "URI::Generic",
        Value::Iterator(_) => "Puppet::Pops::Types::Iterable",
        Value::Callable(_) => "Puppet::Pops::Evaluator::Closure",
        Value::Object(_) => "Object",
    }
}

/// Ruby's `inspect` of data; what is sensitive stays hidden.
pub fn inspect(value: &Value) -> String {
    match value {
        Value::Undef => "nil".into(),
        Value::Default => ":default".into(),
        Value::Boolean(b) => b.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Float(n) => float_text(*n),
        Value::String(text) => inspect_text(text),
        Value::Regexp(regexp) => format!("/{}/", regexp.source()),
        Value::Array(array) => format!("[{}]", array.iter().map(inspect).collect::<Vec<_>>().join(", ")),
        Value::Hash(hash) => {
            let entries: Vec<String> =
                hash.iter().map(|(k, v)| format!("{}=>{}", inspect(k), inspect(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Sensitive(_) => "#<Sensitive [value redacted]>".into(),
        other => format!("#<{}>", class_name(other)),
    }
}

/// Ruby's `to_s` of data: text as it is, nothing for nil, everything inside a collection inspected.
pub fn to_s(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::Default => "default".into(),
        Value::String(text) => text.to_string(),
        Value::Sensitive(_) => "Sensitive [value redacted]".into(),
        other => inspect(other),
    }
}
