//! Values in each output format.

use clap::ValueEnum;
use kukla::rpc::from_json;
use kukla::values::Shown;

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
    pub fn print(self, value: &Shown) -> String {
        match self {
            Self::Puppet => value.to_string(),
            Self::Json => value.to_json().to_string(),
            // Values that YAML cannot express are written as rich data.
            Self::Yaml => kukla::formats::yaml::emit(value.as_value())
                .or_else(|_| kukla::formats::yaml::emit(&from_json(&value.to_json())))
                .map_or_else(
                    |_| value.to_text().to_string(),
                    |yaml| yaml.trim_start_matches("---").trim().to_owned(),
                ),
            Self::Text => value.to_text().to_string(),
        }
    }
}
