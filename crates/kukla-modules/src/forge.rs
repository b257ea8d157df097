//! The API of a Forge, version 3: releases of modules and their archives.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use kukla_syntax::{Problem, ProblemKind, suggest};
use kukla_values::semver::Version;
use md5::{Digest as _, Md5};
use serde_json::Value as Json;

use crate::digest::{Digest, hex};
use crate::metadata::Metadata;
use crate::network::Network;
use crate::store::{Limits, Store, wrong_digest};
use crate::unpack::{self, Layout};

/// The Forge that Puppetfiles mean if they name none.
pub const PUBLIC_FORGE: &str = "https://forgeapi.puppet.com";

/// The largest answer of the API and the largest archive, in bytes.
const LARGEST_ANSWER: u64 = 256 << 20;
const LARGEST_ARCHIVE: u64 = 512 << 20;

/// The fields of releases that are large and of no use here.
const NEEDLESS: &str =
    "readme,reference,changelog,license,tags,tasks,plans,uri,module.uri,malware_scan,validation_score";

/// A Forge.
#[derive(Debug)]
pub struct Forge<'s> {
    store: &'s Store,
    network: &'s Network,
    /// The URL that Puppetfiles and locks have, without a slash at its end.
    name: String,
    /// The URL that is asked: the same, or that of a mirror.
    url: String,
    authorization: Option<String>,
    /// Answers of this process.
    answers: Mutex<BTreeMap<String, Arc<Vec<Release>>>>,
}

/// A release of a module.
#[derive(Clone, Debug)]
pub struct Release {
    /// The version.
    pub version: Version,
    /// The contents of its metadata.json.
    pub metadata: Metadata,
    /// The place of the archive.
    pub file: String,
    /// The SHA-256 digest of the archive, if the Forge has it.
    pub sha256: Option<Digest>,
    /// The MD5 digest of the archive, if the Forge has it.
    pub md5: Option<String>,
    /// Whether the release was withdrawn.
    pub is_deleted: bool,
}

/// The state of a module on the Forge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleState {
    /// The day since which it is deprecated.
    pub deprecated_since: Option<String>,
    /// The reason of the deprecation.
    pub reason: Option<String>,
    /// The module that replaces it.
    pub superseded_by: Option<String>,
    /// The latest version.
    pub latest: Option<String>,
}

impl<'s> Forge<'s> {
    /// The Forge of a Puppetfile or a lock, asked at another URL if there is a mirror. The key is that of the Forge that is asked.
    pub fn new(
        store: &'s Store,
        network: &'s Network,
        name: Option<&str>,
        mirror: Option<&str>,
        key: Option<&str>,
    ) -> Forge<'s> {
        let name = normal_url(name.filter(|name| !name.is_empty()).unwrap_or(PUBLIC_FORGE));
        let url = mirror.map_or_else(|| name.clone(), normal_url);
        let authorization = key.map(|key| match key.contains(' ') {
            true => key.to_owned(),
            false => format!("Bearer {key}"),
        });
        Forge { store, network, name, url, authorization, answers: Mutex::default() }
    }

    /// The URL that Puppetfiles and locks have.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn headers(&self, url: &str) -> Vec<(String, String)> {
        // Keys are not for other servers, such as those that archives are stored on.
        let own = url.strip_prefix(&self.url).is_some_and(|rest| rest.starts_with('/'));
        let key = self.authorization.iter().filter(|_| own);
        key.map(|key| ("Authorization".to_owned(), key.clone())).collect()
    }

    fn cached(&self, path: &str) -> PathBuf {
        let digest = Digest::of(format!("{}{path}", self.url).as_bytes());
        self.store.root().join("forge").join(format!("{}.json", digest.as_str()))
    }

    /// The answer to a path of the API. Without connections, the last one.
    fn ask(&self, path: &str, is_final: bool) -> Result<Option<Json>, Problem> {
        let cached = self.cached(path);
        if (is_final || self.network.options().offline)
            && let Ok(text) = fs::read(&cached)
            && let Ok(json) = serde_json::from_slice(&text)
        {
            return Ok(Some(json));
        }
        let url = format!("{}{path}", self.url);
        let Some(text) = self.network.read(&url, &self.headers(&url), LARGEST_ANSWER)? else {
            return Ok(None);
        };
        let json = serde_json::from_slice(&text).map_err(|error| {
            Problem::invalid("invalid answer of the Forge")
                .on(&url)
                .because(error)
                .help("is it a Forge with the API v3?")
        })?;
        self.store.write(&cached, &text)?;
        Ok(Some(json))
    }

    /// All releases of a module, the latest first; none if the Forge does not have it.
    pub fn releases(&self, name: &str) -> Result<Arc<Vec<Release>>, Problem> {
        if let Some(known) = self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Ok(Arc::clone(known));
        }
        let mut releases = Vec::new();
        let mut next = Some(format!("/v3/releases?module={name}&limit=100&exclude_fields={NEEDLESS}"));
        while let Some(path) = next {
            let Some(page) = self.ask(&path, false)? else { break };
            let rows = page["results"].as_array().cloned().unwrap_or_default();
            releases.extend(rows.iter().filter_map(Release::of_json));
            next = page["pagination"]["next"]
                .as_str()
                .map(str::to_owned)
                .filter(|next| *next != path && !rows.is_empty());
        }
        releases.retain(|release| !release.is_deleted);
        releases.sort_by(|a, b| b.version.compare(&a.version));
        let releases = Arc::new(releases);
        let mut known = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(name.to_owned(), Arc::clone(&releases));
        Ok(releases)
    }

    /// One release of a module.
    pub fn release(&self, name: &str, version: &str) -> Result<Release, Problem> {
        let path = format!("/v3/releases/{name}-{version}");
        match self.ask(&path, true)?.as_ref().and_then(Release::of_json) {
            Some(release) => Ok(release),
            None => Err(self.unknown(name, Some(version))),
        }
    }

    /// The latest stable release of a module.
    pub fn latest(&self, name: &str) -> Result<Release, Problem> {
        let releases = self.releases(name)?;
        let stable = releases.iter().find(|release| release.version.is_stable()).or(releases.first());
        stable.cloned().ok_or_else(|| self.unknown(name, None))
    }

    /// The problem of a module or a release that the Forge does not have.
    pub fn unknown(&self, name: &str, version: Option<&str>) -> Problem {
        let known = self.releases(name).unwrap_or_default();
        let (Some(version), false) = (version, known.is_empty()) else {
            return Problem::not_found(format!("the Forge {} has no module '{name}'", self.url));
        };
        let versions: Vec<String> = known.iter().map(|release| release.version.to_string()).collect();
        let problem = Problem::not_found(format!("the module '{name}' has no version {version}"));
        match suggest::nearest(version, versions.iter().map(String::as_str)) {
            Some(near) => problem.help(format!("did you mean {near}? The latest is {}", versions[0])),
            None => problem.help(format!("the latest version is {}", versions[0])),
        }
    }

    /// Whether a module is deprecated, and its latest version.
    pub fn state(&self, name: &str) -> Result<Option<ModuleState>, Problem> {
        let path = format!("/v3/modules/{name}?exclude_fields=releases,{NEEDLESS}");
        let Some(json) = self.ask(&path, false)? else { return Ok(None) };
        let text = |value: &Json| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Some(ModuleState {
            deprecated_since: text(&json["deprecated_at"]),
            reason: text(&json["deprecated_for"]),
            superseded_by: text(&json["superseded_by"]["slug"]),
            latest: text(&json["current_release"]["version"]),
        }))
    }

    /// The changelog of a release, if the Forge has it.
    pub fn changelog(&self, name: &str, version: &str) -> Result<Option<String>, Problem> {
        let path = format!("/v3/releases/{name}-{version}?include_fields=changelog");
        let answer = self.ask(&path, true)?;
        Ok(answer.and_then(|json| json["changelog"].as_str().map(str::to_owned)))
    }

    /// The name under which the store records the tree of a release.
    pub fn source(&self, name: &str, version: &str) -> String {
        format!("forge {} {name} {version}", self.name)
    }

    /// The tree of a release in the store, and the digest of its archive; it is downloaded if it is not there.
    pub fn tree(
        &self,
        name: &str,
        version: &str,
        expected: Option<&Digest>,
        limits: Limits,
    ) -> Result<(Digest, Option<Digest>), Problem> {
        let source = self.source(name, version);
        if let Some((tree, _)) = self.store.tree_of(&source) {
            return Ok((tree, expected.cloned()));
        }
        let release = self.release(name, version)?;
        let file = release.file.as_str();
        let url = match file.contains("://") {
            true => file.to_owned(),
            false => format!("{}/{}", self.url, file.trim_start_matches('/')),
        };
        let shown = format!("{name} {version}");
        let mut attempts = self.network.options().retries;
        let (archive, bytes) = loop {
            let bytes = self.network.read(&url, &self.headers(&url), LARGEST_ARCHIVE)?;
            let bytes = bytes.ok_or_else(|| {
                Problem::not_found("cannot download")
                    .on(&url)
                    .because("the Forge lists the archive but does not have it")
            })?;
            match release.check(&shown, &bytes, expected) {
                Ok(archive) => break (archive, bytes),
                // A proxy or a cut connection may be the reason.
                Err(_) if attempts > 0 => attempts -= 1,
                Err(problem) => return Err(problem),
            }
        };
        let unpacked = unpack::unpack(self.store, &mut &bytes[..], Layout::ForgeRelease, limits);
        let tree = unpacked
            .map_err(|problem| Problem::new(problem.kind(), "cannot unpack").on(&shown).caused_by(problem))?;
        self.store.record_source(&source, &tree)?;
        Ok((tree, Some(archive)))
    }
}

/// The URL with a scheme and without a slash at its end. Pages of the public Forge lead to its API.
fn normal_url(url: &str) -> String {
    const PAGES: [&str; 3] =
        ["https://forge.puppet.com", "https://forge.puppetlabs.com", "https://forgeapi.puppetlabs.com"];
    let url = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
    let url = url.trim_end_matches('/').to_owned();
    let plain = url.replacen("http://", "https://", 1);
    if PAGES.contains(&plain.as_str()) { PUBLIC_FORGE.to_owned() } else { url }
}

impl Release {
    fn of_json(json: &Json) -> Option<Release> {
        let metadata = Metadata::of_json(&json["metadata"]);
        let version = json["version"].as_str().unwrap_or(&metadata.version);
        let version = Version::parse(version).ok()?;
        let digest = |value: &Json| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        Some(Release {
            version,
            metadata,
            file: json["file_uri"].as_str().unwrap_or_default().to_owned(),
            sha256: digest(&json["file_sha256"]).and_then(|text| Digest::parse(&text).ok()),
            md5: digest(&json["file_md5"]),
            is_deleted: json["deleted_at"].is_string(),
        })
    }

    /// Checks an archive before anything in it is used.
    fn check(&self, shown: &str, bytes: &[u8], expected: Option<&Digest>) -> Result<Digest, Problem> {
        let what = format!("the archive of {shown}");
        let actual = Digest::of(bytes);
        for known in expected.into_iter().chain(&self.sha256) {
            if *known != actual {
                return Err(wrong_digest(&what, known, &actual));
            }
        }
        match (&self.md5, expected.or(self.sha256.as_ref())) {
            (Some(md5), None) if !md5.eq_ignore_ascii_case(&hex(&Md5::digest(bytes))) => Err(Problem::new(
                ProblemKind::Conflict,
                format!("the content of {what} is not the expected one"),
            )
            .because(format!("expected md5:{md5}, got md5:{}", hex(&Md5::digest(bytes))))),
            _ => Ok(actual),
        }
    }
}
