//! metadata.json: the name, version and dependencies of a module.

use std::fmt;

use kukla_syntax::Problem;
use kukla_values::semver::{Version, VersionRange};
use serde_json::Value as Json;

/// The parts of a metadata.json that are of use here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The name with its author: `puppetlabs-stdlib`.
    pub name: String,
    /// The version as written.
    pub version: String,
    /// The modules that it requires.
    pub dependencies: Vec<Dependency>,
    /// The versions of Puppet and OpenVox that it requires.
    pub requirements: Vec<Dependency>,
    /// The licence as written.
    pub license: Option<String>,
    /// The summary.
    pub summary: Option<String>,
    /// The page of the project.
    pub project_page: Option<String>,
}

/// A required module and its accepted versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// The name with its author: `puppetlabs-stdlib`.
    pub name: String,
    /// The range as written; empty for any version.
    pub range: String,
}

impl Dependency {
    /// Whether a version is accepted. A range that is not valid accepts all.
    pub fn accepts(&self, version: &Version) -> bool {
        self.parse_range().is_none_or(|range| range.includes(version))
    }

    /// The range; none if it accepts any version or is not valid.
    pub fn parse_range(&self) -> Option<VersionRange> {
        match self.range.trim() {
            "" => None,
            range => VersionRange::parse(range).ok(),
        }
    }

    /// Reads `puppetlabs-stdlib >= 9.0.0 < 10.0.0`.
    pub fn parse(text: &str) -> Dependency {
        let (name, range) = text.split_once(' ').unwrap_or((text, ""));
        Dependency { name: normal_name(name), range: range.trim().to_owned() }
    }
}

impl fmt::Display for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.range.is_empty() { Ok(()) } else { write!(f, " {}", self.range) }
    }
}

/// A name with a hyphen between author and module.
pub fn normal_name(name: &str) -> String {
    name.trim().replacen('/', "-", 1)
}

impl Metadata {
    /// Reads a metadata.json.
    pub fn parse(text: &[u8]) -> Result<Metadata, Problem> {
        // Some editors put a byte order mark before the text.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let json: Json = serde_json::from_slice(text)
            .map_err(|error| Problem::invalid("invalid metadata.json").because(error))?;
        Ok(Metadata::of_json(&json))
    }

    /// Reads the value of a metadata.json.
    pub fn of_json(json: &Json) -> Metadata {
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        Metadata {
            name: normal_name(json["name"].as_str().unwrap_or_default()),
            version: text("version").unwrap_or_default(),
            dependencies: dependencies(&json["dependencies"]),
            requirements: dependencies(&json["requirements"]),
            license: text("license"),
            summary: text("summary"),
            project_page: text("project_page").or_else(|| text("source")),
        }
    }
}

fn dependencies(list: &Json) -> Vec<Dependency> {
    let entries = list.as_array().into_iter().flatten();
    let read = entries.filter_map(|entry| {
        let name = normal_name(entry["name"].as_str()?);
        let range = entry["version_requirement"].as_str().or_else(|| entry["version_range"].as_str());
        Some(Dependency { name, range: range.unwrap_or_default().trim().to_owned() })
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_accept_versions_as_puppet_does() {
        let text = br#"{"name": "puppet/nginx", "version": "5.0.0", "license": "MIT", "dependencies": [
            {"name": "puppetlabs/stdlib", "version_requirement": ">= 5.0.1 < 9.0.0"}, {"name": "a-b"}],
            "requirements": [{"name": "puppet", "version_requirement": ">= 7.0.0 < 9.0.0"}]}"#;
        let metadata = Metadata::parse(text).unwrap();
        assert_eq!(metadata.name, "puppet-nginx");
        let [stdlib, any] = metadata.dependencies.as_slice() else { panic!("two dependencies") };
        let accepts = |version: &str| stdlib.accepts(&Version::parse(version).unwrap());
        assert_eq!(
            ["5.0.0", "5.0.1", "8.9.9", "9.0.0", "9.0.0-rc1"].map(accepts),
            [false, true, true, false, false]
        );
        assert!(any.accepts(&Version::parse("1.0.0").unwrap()));
        assert_eq!(Dependency::parse(&stdlib.to_string()), *stdlib);
        assert!(Metadata::parse(b"{").is_err());
    }
}
