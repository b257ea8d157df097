//! Rich data: values as JSON, the way Puppet writes them into catalogs.
//!
//! Plain data is plain JSON. Everything else is an object with the name of its type under `__ptype` and, if it can be made
//! from one value, that value under `__pvalue`: `{"__ptype": "Timespan", "__pvalue": "0-00:00:01.5"}`.

mod read;
mod sink;
mod types;

use kukla_syntax::article::a_an;
use kukla_syntax::{bail, deep, diagnostic};
use serde_json::Value as Json;

use crate::codes::{
    NUMBER_NOT_IN_JSON, SERIALIZATION_DEFAULT_CONVERTED_TO_STRING, SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING,
    SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING, SERIALIZED_TOO_DEEP,
};
use crate::format::{class_name, inspect, interpolate, to_s};
use crate::iterator::Lister;
use crate::types::object::Object;
use crate::{Error, Hash, Result, Str, Value};

pub use read::from_json;
use sink::{Builder, Sink, Text};
use types::Part;

/// The key that names a type.
pub const TYPE_KEY: &str = "__ptype";
/// The key of the value it is made from.
pub const VALUE_KEY: &str = "__pvalue";

/// How deep values may nest.
const MAX_DEPTH: usize = 500;

/// The values that may be written, and the beginning of messages about them.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether values that plain JSON does not know keep their type; if not they become strings, with a warning each.
    pub rich_data: bool,
    /// The owner of the value, such as `Notify[x]`.
    pub prefix: Str,
}

impl Default for Options {
    fn default() -> Options {
        Options { rich_data: true, prefix: Str::new() }
    }
}

/// Called for every value that lost its type; under `strict` it returns the error.
pub type Warn<'a> = &'a mut dyn FnMut(Error) -> Result<()>;

/// Appends a value as JSON text.
pub fn write(value: &Value, options: &Options, warn: Warn<'_>, out: &mut String) -> Result<()> {
    Writer::new(Text::new(out), options, warn).value(value)
}

/// A value as a JSON document.
pub fn to_json_with(value: &Value, options: &Options, warn: Warn<'_>) -> Result<Json> {
    let mut writer = Writer::new(Builder::default(), options, warn);
    writer.value(value)?;
    Ok(writer.sink.finish())
}

/// A value as a JSON document that keeps its type.
pub fn to_json(value: &Value) -> Result<Json> {
    to_json_with(value, &Options::default(), &mut |_| Ok(()))
}

struct Writer<'a, S> {
    sink: S,
    options: &'a Options,
    warn: Warn<'a>,
    path: Vec<Value>,
    lister: Lister,
}

impl<'a, S: Sink> Writer<'a, S> {
    fn new(sink: S, options: &'a Options, warn: Warn<'a>) -> Writer<'a, S> {
        Writer { sink, options, warn, path: Vec::new(), lister: Lister::default() }
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Undef => self.sink.null(),
            Value::Boolean(flag) => self.sink.boolean(*flag),
            Value::Integer(number) => self.sink.integer(*number),
            Value::Float(number) if number.is_finite() => self.sink.float(*number),
            Value::Float(number) => {
                bail!(NUMBER_NOT_IN_JSON { number: crate::format::float_text(*number) });
            }
            Value::String(text) => self.sink.text(text),
            Value::Array(values) => return self.array(values),
            Value::Hash(hash) => return self.hash(hash),
            Value::Sensitive(inner) => {
                self.open("Sensitive");
                self.sink.key(VALUE_KEY);
                self.value(inner)?;
                self.sink.close_hash();
            }
            Value::Default if self.options.rich_data => {
                self.open("Default");
                self.sink.close_hash();
            }
            Value::Default => {
                let place = self.place();
                (self.warn)(diagnostic!(SERIALIZATION_DEFAULT_CONVERTED_TO_STRING { place }).into())?;
                self.sink.text("default");
            }
            Value::Iterator(_) => {
                let members = self.lister.list(value)?;
                return self.array(&members);
            }
            value if !self.options.rich_data => return self.as_text(value),
            Value::Type(ty) => return self.part(&types::described(ty)),
            Value::Object(object) => return self.object(object),
            Value::Host(_) => return self.as_text(value),
            Value::Regexp(regexp) => self.pair("Regexp", &regexp.to_kept()),
            Value::Timestamp(stamp) => self.pair("Timestamp", &stamp.to_string()),
            Value::Timespan(span) => self.pair("Timespan", &span.to_string()),
            Value::SemVer(version) => self.pair("SemVer", &version.to_string()),
            Value::SemVerRange(range) => self.pair("SemVerRange", &range.to_string()),
            Value::Binary(bytes) => self.pair("Binary", &bytes.to_base64()),
            Value::Uri(uri) => self.pair("URI", &uri.to_string()),
        }
        Ok(())
    }

    fn open(&mut self, name: &str) {
        self.sink.open_hash();
        self.sink.key(TYPE_KEY);
        self.sink.text(name);
    }

    fn pair(&mut self, name: &str, value: &str) {
        self.open(name);
        self.sink.key(VALUE_KEY);
        self.sink.text(value);
        self.sink.close_hash();
    }

    fn at(&mut self, key: Value, value: &Value) -> Result<()> {
        if self.path.len() >= MAX_DEPTH {
            bail!(SERIALIZED_TOO_DEEP);
        }
        self.path.push(key);
        let written = deep(|| self.value(value));
        self.path.pop();
        written
    }

    fn array(&mut self, values: &[Value]) -> Result<()> {
        self.sink.open_array();
        for (at, value) in values.iter().enumerate() {
            self.at(Value::Integer(at as i64), value)?;
        }
        self.sink.close_array();
        Ok(())
    }

    fn hash(&mut self, hash: &Hash) -> Result<()> {
        let plain = hash.keys().all(|key| key.as_str().is_some_and(|key| key != TYPE_KEY));
        if plain || !self.options.rich_data {
            self.sink.open_hash();
            for (key, value) in hash {
                let text = match key {
                    Value::String(text) => text.clone(),
                    key => self.key_as_text(key)?,
                };
                self.sink.key(&text);
                self.at(key.clone(), value)?;
            }
            self.sink.close_hash();
            return Ok(());
        }
        self.open("Hash");
        self.sink.key(VALUE_KEY);
        self.sink.open_array();
        for (key, value) in hash {
            self.at(key.clone(), key)?;
            self.at(key.clone(), value)?;
        }
        self.sink.close_array();
        self.sink.close_hash();
        Ok(())
    }

    /// The attributes in the order of `new`, without those at the end that have their defaults.
    fn object(&mut self, object: &Object) -> Result<()> {
        let attributes = object.ty.given_attributes();
        let mut count = object.values.len().min(attributes.len());
        while count > 0 && attributes[count - 1].value.as_ref() == Some(&object.values[count - 1]) {
            count -= 1;
        }
        self.open(&object.ty.label());
        for (attribute, value) in attributes.iter().zip(&object.values).take(count) {
            self.sink.key(&attribute.name);
            self.at(Value::String(attribute.name.clone()), value)?;
        }
        self.sink.close_hash();
        Ok(())
    }

    fn part(&mut self, part: &Part) -> Result<()> {
        match part {
            Part::Value(value) => return self.at(Value::Undef, value),
            Part::Each(parts) => {
                self.sink.open_array();
                for part in parts {
                    self.part(part)?;
                }
                self.sink.close_array();
            }
            Part::Made(name, fields) => {
                self.open(name);
                for (key, part) in fields {
                    self.sink.key(key);
                    self.part(part)?;
                }
                self.sink.close_hash();
            }
        }
        Ok(())
    }

    fn as_text(&mut self, value: &Value) -> Result<()> {
        let text = match value {
            Value::Regexp(_) => interpolate(value),
            value => to_s(value),
        };
        let (place, value) = (self.place(), named(value));
        (self.warn)(diagnostic!(SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING { place, value, text }).into())?;
        self.sink.text(&text);
        Ok(())
    }

    fn key_as_text(&mut self, key: &Value) -> Result<Str> {
        let text = match key {
            Value::Regexp(_) => interpolate(key),
            key => to_s(key),
        };
        let (place, key) = (self.place(), named(key));
        (self.warn)(diagnostic!(SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING { place, key, text }).into())?;
        Ok(text)
    }

    /// Where in the data this is: `Notify[x]['message'][0]`.
    fn place(&self) -> String {
        let mut out = String::from(self.options.prefix.as_str());
        for step in &self.path {
            let step = match step {
                Value::Undef => "null".into(),
                Value::String(text) => crate::format::quote(text, false).into(),
                step => inspect(step),
            };
            out.push_str(&format!("[{step}]"));
        }
        out
    }
}

/// A value as the warnings name it, with its article: by its type if it is one, else by its class.
fn named(value: &Value) -> String {
    match value {
        Value::Type(ty) => a_an(&format!("{}-Type", ty.kind())),
        Value::Object(object) => a_an(&object.ty.label()),
        value => a_an(&class_name(value)),
    }
}

#[cfg(test)]
mod tests;
