//! Modules that nobody maintains any more, and requirements that do not hold.

use std::fmt;

use kukla_syntax::Problem;
use kukla_values::semver::Version;

use super::Dependents;
use crate::lock::{Lock, Origin};
use crate::parallel;
use crate::sources::Sources;

/// A finding about a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name with its author.
    pub title: String,
    /// The locked version.
    pub version: String,
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The finding in words.
    pub message: String,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// The Forge lists the module as deprecated.
    Deprecated,
    /// The Forge does not have the module or the version any more.
    Withdrawn,
    /// The metadata excludes the version of Puppet.
    Puppet,
    /// A required module is missing.
    Missing,
    /// A required module has another version.
    Bound,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FindingKind::Deprecated => "deprecated",
            FindingKind::Withdrawn => "withdrawn",
            FindingKind::Puppet => "puppet",
            FindingKind::Missing => "missing",
            FindingKind::Bound => "bound",
        })
    }
}

/// The findings about the modules of a lock, for a version of Puppet.
pub fn audit(sources: &Sources, lock: &Lock, puppet: &Version) -> Result<Vec<Finding>, Problem> {
    let forge = sources.forge(Some(&lock.forge));
    let dependents = Dependents::new(lock);
    let found = parallel::map(&lock.modules, sources.threads(), |module| {
        let mut findings = Vec::new();
        let mut find = |kind: FindingKind, message: String| {
            let (title, version) = (module.title.clone(), module.shown_version());
            findings.push(Finding { title, version, kind, message });
        };
        if let Origin::Forge { version } = &module.origin {
            match forge.state(&module.title)? {
                None => find(FindingKind::Withdrawn, "the Forge no longer has the module".to_owned()),
                Some(state) => {
                    if let Some(since) = state.deprecated_since {
                        let day = since.split([' ', 'T']).next().unwrap_or_default();
                        let reason = state.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                        let instead = state
                            .superseded_by
                            .map(|name| format!("; use {name} instead"))
                            .unwrap_or_default();
                        find(FindingKind::Deprecated, format!("deprecated since {day}{reason}{instead}"));
                    }
                    let releases = forge.releases(&module.title)?;
                    if !releases.is_empty()
                        && !releases.iter().any(|known| known.version.to_string() == *version)
                    {
                        find(FindingKind::Withdrawn, format!("the Forge no longer has version {version}"));
                    }
                }
            }
        }
        let metadata =
            module.content.as_ref().map(|content| sources.metadata(content)).transpose()?.flatten();
        for requirement in metadata.iter().flat_map(|metadata| &metadata.requirements) {
            if matches!(&*requirement.name, "puppet" | "openvox") && !requirement.accepts(puppet) {
                find(FindingKind::Puppet, format!("requires {requirement}, which excludes {puppet}"));
            }
        }
        for dependency in &module.dependencies {
            match dependents.find(dependency) {
                None => find(FindingKind::Missing, format!("requires {dependency}, which is not installed")),
                Some(found) => {
                    let version = found.version.as_deref().and_then(|text| Version::parse(text).ok());
                    if let Some(version) = version.filter(|version| !dependency.accepts(version)) {
                        find(
                            FindingKind::Bound,
                            format!("requires {dependency}, and {version} is installed"),
                        );
                    }
                }
            }
        }
        Ok(findings)
    });
    Ok(found.into_iter().collect::<Result<Vec<_>, Problem>>()?.into_iter().flatten().collect())
}
