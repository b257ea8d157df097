//! The fields of `metadata.json` without which Puppet does not load a module.

use serde::de::IgnoredAny;

/// The fields that Puppet requires, read without storing their values: nearly every file has them. A file that does not fit is
/// examined more closely.
#[derive(serde::Deserialize)]
struct RequiredFields {
    source: Option<IgnoredAny>,
    author: Option<IgnoredAny>,
    version: Option<IgnoredAny>,
    license: Option<IgnoredAny>,
    #[serde(rename = "dependencies")]
    _dependencies: Vec<IgnoredAny>,
}

impl RequiredFields {
    fn is_complete(&self) -> bool {
        [&self.source, &self.author, &self.version, &self.license].iter().all(|field| field.is_some())
    }
}

/// The reason why Puppet does not accept a `metadata.json`, and so its directory as a module.
pub(super) fn metadata_fault(module: &str, bytes: &[u8], is_strict: bool) -> Option<String> {
    if bytes.is_empty()
        || serde_json::from_slice::<RequiredFields>(bytes).is_ok_and(|found| found.is_complete())
    {
        return None;
    }
    let metadata: serde_json::Value = match serde_json::from_slice(bytes) {
        Ok(metadata) => metadata,
        Err(error) => {
            return is_strict.then(|| {
                format!("{module} has an invalid and unparsable metadata.json file. The parse error: {error}")
            });
        }
    };
    if metadata.as_object().is_none_or(serde_json::Map::is_empty) {
        return None;
    }
    let required = ["source", "author", "version", "license", "dependencies"];
    if let Some(missing) = required.into_iter().find(|key| metadata[key].is_null()) {
        return Some(format!("No {missing} module metadata provided for {module}"));
    }
    let dependencies = &metadata["dependencies"];
    (!dependencies.is_array()).then(|| {
        format!(
            "The value for the key dependencies in the file metadata.json of the module {module} must be an array, not: '{dependencies}'"
        )
    })
}
