//! Values, as people and programs want to see them.

use clap::ValueEnum;
use kukla::rpc::from_json;
use kukla::values::{Value, format};

/// How a value is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ValueFormat {
    /// Puppet notation, as one would write it in a program
    #[default]
    Puppet,
    /// JSON, rich data in Puppet's form
    Json,
    /// YAML, rich data in Puppet's form
    Yaml,
    /// The text that interpolation into a string gives
    Text,
}

impl ValueFormat {
    /// The value's text; what a form cannot express is printed as text.
    pub fn print(self, value: &Value) -> String {
        let text = || format::interpolate(value).to_string();
        match self {
            // Formatting nothing gives nothing, but here nothing is an answer.
            Self::Puppet if *value == Value::Undef => "undef".into(),
            Self::Puppet => {
                format::format_value(value, &"%p".into()).map_or_else(|_| text(), |t| t.to_string())
            }
            Self::Json => rich(value).to_string(),
            // What YAML has no form for, it has in the form of JSON.
            Self::Yaml => kukla::formats::yaml::emit(value)
                .or_else(|_| kukla::formats::yaml::emit(&from_json(&rich(value))))
                .map_or_else(|_| text(), |yaml| yaml.trim_start_matches("---").trim().to_owned()),
            Self::Text => text(),
        }
    }
}

/// A value as rich data, which would show what is sensitive.
fn rich(value: &Value) -> serde_json::Value {
    let mut json = kukla::rpc::rich(value);
    kukla::secrets::redact_json(&mut json);
    json
}
