//! The record of a deployment in `.r10k-deploy.json`: the fields of r10k, and below `kukla` what makes an unchanged environment known at once.

use std::path::{Path, PathBuf};

use kukla_syntax::Problem;
use serde_json::{Value as Json, json};

use super::versions;
use crate::digest::Digest;
use crate::lock::{LockedModule, Origin};

/// The name of the file.
pub const STAMP_FILE: &str = ".r10k-deploy.json";

/// The record of a deployed environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The commit.
    pub signature: String,
    /// The additions of Kukla; none if r10k has deployed the environment.
    pub details: Option<StampDetails>,
}

/// The additions of Kukla to the record of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StampDetails {
    /// The digest of the settings that decide about the content.
    pub settings: Digest,
    /// Whether the versions of some modules can change though the commit does not: a branch, the latest release.
    pub is_moving: bool,
    /// The modules.
    pub modules: Vec<DeployedModule>,
}

/// A module of a deployed environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployedModule {
    /// The name with its author, if it has one.
    pub title: String,
    /// The directory, relative to that of the environment.
    pub path: PathBuf,
    /// The place that it comes from, with the exact version.
    pub source: String,
    /// The version or commit for people.
    pub version: String,
}

impl DeployedModule {
    /// The record of a locked module.
    pub fn of(module: &LockedModule) -> DeployedModule {
        let spec = if module.keep_spec { " with spec" } else { "" };
        let source = match &module.origin {
            Origin::Forge { version } => format!("forge {version}{spec}"),
            Origin::Git { url, commit, .. } => {
                format!("git {} {commit}{spec}", crate::network::without_password(url))
            }
            Origin::Tarball { url } => {
                let archive = module.archive.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("tarball {} {archive}{spec}", crate::network::without_password(url))
            }
            Origin::Local => "local".to_owned(),
        };
        DeployedModule {
            title: module.title.clone(),
            path: module.path(),
            source,
            version: module.shown_version(),
        }
    }

    /// The version of a release on the Forge.
    pub fn forge_version(&self) -> Option<&str> {
        self.source.strip_prefix("forge ")?.split(' ').next()
    }
}

impl Stamp {
    /// The record in a directory, if there is a valid one of a deployment that succeeded.
    pub fn read(directory: &Path) -> Option<Stamp> {
        let text = std::fs::read(directory.join(STAMP_FILE)).ok()?;
        let json: Json = serde_json::from_slice(&text).ok()?;
        let details = json.get("kukla").and_then(details).filter(|_| json["deploy_success"] == true);
        Some(Stamp { signature: json["signature"].as_str()?.to_owned(), details })
    }

    /// The identifier of the version, for catalogs; none if r10k has deployed the environment.
    pub fn code_id(&self) -> Option<String> {
        let details = self.details.as_ref()?;
        Some(versions::code_id(&self.signature, details.is_moving, &details.modules))
    }

    /// The text of the record.
    pub fn text(&self, name: &str, times: [&str; 2], modules: &[LockedModule]) -> String {
        let deploys: Vec<Json> = modules
            .iter()
            .map(|module| {
                let (version, commit) = match &module.origin {
                    Origin::Git { reference, commit, .. } => (Some(reference.clone()), Some(commit)),
                    Origin::Forge { version } => (Some(version.clone()), None),
                    Origin::Tarball { .. } | Origin::Local => (module.version.clone(), None),
                };
                json!({"name": module.name, "version": version, "sha": commit})
            })
            .collect();
        let mut record = json!({
            "name": name, "signature": self.signature, "started_at": times[0], "finished_at": times[1],
            "deploy_success": true, "module_deploys": deploys,
        });
        if let Some(details) = &self.details {
            let modules: Vec<Json> = details
                .modules
                .iter()
                .map(|module| {
                    json!({
                        "title": module.title, "path": module.path, "source": module.source, "version": module.version,
                    })
                })
                .collect();
            record["kukla"] = json!({
                "settings": details.settings.as_str(), "moving": details.is_moving, "code_id": self.code_id(), "modules": modules,
            });
        }
        let mut text = serde_json::to_string_pretty(&record).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Writes the record into a directory that nobody sees yet.
    pub fn write(
        &self,
        directory: &Path,
        name: &str,
        times: [&str; 2],
        modules: &[LockedModule],
    ) -> Result<(), Problem> {
        let path = directory.join(STAMP_FILE);
        std::fs::write(&path, self.text(name, times, modules))
            .map_err(|error| Problem::io("write", &path, &error))
    }
}

fn details(json: &Json) -> Option<StampDetails> {
    let module = |json: &Json| {
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        Some(DeployedModule {
            title: text("title")?,
            path: text("path")?.into(),
            source: text("source")?,
            version: text("version")?,
        })
    };
    Some(StampDetails {
        settings: Digest::parse(json["settings"].as_str()?).ok()?,
        is_moving: json["moving"].as_bool()?,
        modules: json["modules"].as_array()?.iter().map(module).collect::<Option<Vec<_>>>()?,
    })
}
