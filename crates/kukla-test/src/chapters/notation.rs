//! Plain data in Puppet notation, read without the help of the implementation under test.

use serde_json::{Map, Number, Value};

/// The value that `text` spells, if it is plain data: numbers, strings, booleans, undef, arrays, hashes with string keys.
pub fn plain(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text };
    let value = reader.value()?;
    reader.rest.trim().is_empty().then_some(value)
}

/// A reader of values inside a longer line, such as the attributes of a resource.
pub struct Reader<'a> {
    /// The rest of the text.
    pub rest: &'a str,
}

impl Reader<'_> {
    /// Skips blanks and then `token`, if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A lower-case word such as an attribute name.
    pub fn word(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let good = word.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        if good {
            self.rest = rest;
        }
        good.then(|| word.to_owned())
    }

    /// A value of plain data.
    pub fn value(&mut self) -> Option<Value> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next()? {
            '\'' | '"' => self.string().map(Value::String),
            '[' => self.array(),
            '{' => self.hash(),
            '-' | '0'..='9' => self.number(),
            _ => Some(match self.word()?.as_str() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "undef" => Value::Null,
                "default" => return None,
                _ if self.rest.starts_with(['(', '.', ':']) => return None,
                word => Value::String(word.to_owned()),
            }),
        }
    }

    /// A quoted string; escapes as in Puppet, no interpolation.
    pub fn string(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        let mut out = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Some(out);
                }
                '$' if quote == '"' => return None,
                '\\' => out.push_str(&escape(quote, chars.next()?.1)?),
                c => out.push(c),
            }
        }
        None
    }

    fn array(&mut self) -> Option<Value> {
        self.eat("[");
        let mut items = Vec::new();
        while !self.eat("]") {
            items.push(self.value()?);
            if !self.eat(",") && !self.rest.trim_start().starts_with(']') {
                return None;
            }
        }
        Some(Value::Array(items))
    }

    fn hash(&mut self) -> Option<Value> {
        self.eat("{");
        let mut entries = Map::new();
        while !self.eat("}") {
            let Value::String(key) = self.value()? else { return None };
            if key.starts_with("__p") || !self.eat("=>") {
                return None;
            }
            entries.insert(key, self.value()?);
            if !self.eat(",") && !self.rest.trim_start().starts_with('}') {
                return None;
            }
        }
        Some(Value::Object(entries))
    }

    fn number(&mut self) -> Option<Value> {
        let end =
            self.rest.find(|c: char| !c.is_alphanumeric() && !"+-.".contains(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        let digits = text.strip_prefix('-').unwrap_or(text);
        let octal_or_hex = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        if octal_or_hex || !digits.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) {
            return None;
        }
        let number = match text.parse::<i64>() {
            Ok(n) => Number::from(n),
            Err(_) if text.contains(['.', 'e', 'E']) => Number::from_f64(text.parse().ok()?)?,
            Err(_) => return None,
        };
        self.rest = rest;
        Some(Value::Number(number))
    }
}

fn escape(quote: char, c: char) -> Option<String> {
    Some(match (quote, c) {
        (_, '\\') => "\\".into(),
        ('\'', '\'') => "'".into(),
        ('\'', c) => format!("\\{c}"),
        (_, 'n') => "\n".into(),
        (_, 't') => "\t".into(),
        (_, 'r') => "\r".into(),
        (_, 's') => " ".into(),
        (_, c @ ('"' | '\'' | '$')) => c.into(),
        _ => return None,
    })
}

/// A value in Puppet's notation; sensitive ones are hidden.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "undef".into(),
        Value::String(text) if text.contains(['\n', '\t']) => format!("{text:?}").replace('$', "\\$"),
        Value::String(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(shown).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(entries) => {
            let text = |name: &str| entries.get(name).and_then(Value::as_str);
            match text("__ptype") {
                Some("Sensitive") => "Sensitive [value redacted]".into(),
                Some("Default") => "default".into(),
                Some(kind) => match entries.get("__pvalue").or(entries.get("__value")) {
                    Some(Value::String(value)) => format!("{kind}({value})"),
                    Some(value) => format!("{kind}({})", shown(value)),
                    None => kind.to_owned(),
                },
                None => {
                    let entries: Vec<String> =
                        entries.iter().map(|(key, value)| format!("'{key}' => {}", shown(value))).collect();
                    format!("{{{}}}", entries.join(", "))
                }
            }
        }
        other => other.to_string(),
    }
}

/// Are two JSON values the same, integers and floats kept apart? With `ordered`, the order of keys counts.
pub fn same(a: &Value, b: &Value, ordered: bool) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) if x.is_f64() && y.is_f64() => {
            let (x, y) = (x.as_f64().unwrap_or_default(), y.as_f64().unwrap_or_default());
            (x - y).abs() <= 1e-12 * x.abs().max(1.0)
        }
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y, ordered))
        }
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len()
                && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| same(v, w, ordered)))
                && (!ordered || x.keys().eq(y.keys()))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn data() {
        assert_eq!(
            plain("[1, -2.5, 'it\\'s', \"a\\nb\", undef, {a => true}]"),
            Some(json!([1, -2.5, "it's", "a\nb", null, {"a": true}]))
        );
        assert_eq!(plain("Integer"), None);
        assert_eq!(plain("0x10"), None);
        assert_eq!(plain("\"${x}\""), None);
        assert_eq!(plain("foo('x')"), None);
        assert_eq!(plain("1 + 1"), None);
        assert_eq!(plain("1e3"), Some(json!(1000.0)));
    }

    #[test]
    fn sameness() {
        assert!(!same(&json!(1), &json!(1.0), false));
        assert!(same(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1}), false));
        assert!(!same(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1}), true));
    }
}
