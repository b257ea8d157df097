//! Values in each output format.

use clap::ValueEnum;
use kukla::rpc::from_json;
use kukla::values::{Value, format};

/// The output format of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ValueFormat {
    /// Puppet notation, as in a manifest
    #[default]
    Puppet,
    /// JSON, with rich data in Puppet's form
    Json,
    /// YAML, with rich data in Puppet's form
    Yaml,
    /// Text, as interpolation into a string gives it
    Text,
}

impl ValueFormat {
    /// The value in this format, or as text if the format cannot express it.
    pub fn print(self, value: &Value) -> String {
        let text = || format::interpolate(value).to_string();
        match self {
            // The format %p of undef is empty.
            Self::Puppet if *value == Value::Undef => "undef".into(),
            Self::Puppet => {
                format::format_value(value, &"%p".into()).map_or_else(|_| text(), |t| t.to_string())
            }
            Self::Json => rich(value).to_string(),
            // Values that YAML cannot express are written as rich data.
            Self::Yaml => kukla::formats::yaml::emit(value)
                .or_else(|_| kukla::formats::yaml::emit(&from_json(&rich(value))))
                .map_or_else(|_| text(), |yaml| yaml.trim_start_matches("---").trim().to_owned()),
            Self::Text => text(),
        }
    }
}

/// A value as rich data, with sensitive values redacted: rich data would show them.
fn rich(value: &Value) -> serde_json::Value {
    let mut json = kukla::rpc::rich(value);
    kukla::secrets::redact_json(&mut json);
    json
}
