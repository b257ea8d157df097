//! Newer versions than the locked ones, and what changed since.

use kukla_syntax::Problem;
use kukla_values::semver::Version;

use crate::git::{References, is_commit};
use crate::lock::{Lock, LockedModule, Origin};
use crate::parallel;
use crate::sources::{ControlRepository, Sources};

/// A module with a newer version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outdated {
    /// The name with its author.
    pub title: String,
    /// The locked version.
    pub current: String,
    /// The latest version.
    pub latest: String,
    /// The changelog of the versions since, if there is one.
    pub changes: Vec<String>,
}

/// The modules of a lock that have newer versions.
pub fn outdated(
    sources: &Sources,
    lock: &Lock,
    control: &ControlRepository,
) -> Result<Vec<Outdated>, Problem> {
    let forge = sources.forge(Some(&lock.forge));
    let found = parallel::map(&lock.modules, sources.threads(), |module| {
        let newer = |latest: String, changes: Vec<String>| {
            let (title, current) = (module.title.clone(), module.shown_version());
            Some(Outdated { title, current, latest, changes })
        };
        Ok(match &module.origin {
            Origin::Forge { version } => {
                let latest = forge.latest(&module.title)?;
                let current = Version::parse(version).ok();
                if current.is_some_and(|current| latest.version.compare(&current).is_gt()) {
                    let latest = latest.version.to_string();
                    let changelog = forge.changelog(&module.title, &latest)?.unwrap_or_default();
                    newer(latest, changes_since(&changelog, version))
                } else {
                    None
                }
            }
            Origin::Git { url, reference, commit } => {
                let references = sources.git(url, control)?.references()?;
                newer_commit(module, &references, reference, commit)
                    .and_then(|latest| newer(latest, Vec::new()))
            }
            Origin::Tarball { .. } | Origin::Local => None,
        })
    });
    Ok(found.into_iter().collect::<Result<Vec<_>, Problem>>()?.into_iter().flatten().collect())
}

/// The newest tag of a higher version, or the commit that the branch has now.
fn newer_commit(
    module: &LockedModule,
    references: &References,
    reference: &str,
    commit: &str,
) -> Option<String> {
    if let Some(tag) = newer_tag(references, reference) {
        return Some(tag);
    }
    if is_commit(reference) {
        let current = module.version.as_deref()?;
        return newer_tag(references, current);
    }
    let now = references.find(reference)?;
    (now != commit).then(|| format!("{reference} ({})", now.get(..10).unwrap_or(&now)))
}

/// The tag of the highest stable version above that of a tag; both may begin with `v`.
pub fn newer_tag(references: &References, reference: &str) -> Option<String> {
    let version =
        |tag: &str| Version::parse(tag.trim_start_matches(['v', 'V'])).ok().filter(Version::is_stable);
    let current = version(reference)?;
    let tags = references.all.iter().filter_map(|known| Some((known.tag()?, version(known.tag()?)?)));
    let newest =
        tags.filter(|(_, version)| version.compare(&current).is_gt()).max_by(|a, b| a.1.compare(&b.1));
    newest.map(|(tag, _)| tag.to_owned())
}

/// The lines of a changelog above the section of a version.
pub fn changes_since(changelog: &str, version: &str) -> Vec<String> {
    let is_heading = |line: &str| {
        line.starts_with('#')
            || line.starts_with('[')
            || line.starts_with("Release")
            || line.starts_with("Version")
    };
    let names_version = |line: &str| {
        line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '.' || letter == '-'))
            .any(|word| word.trim_start_matches('v').trim_end_matches('.') == version)
    };
    let mut lines: Vec<String> = Vec::new();
    let mut has_started = false;
    for line in changelog.lines() {
        if is_heading(line) && names_version(line) {
            break;
        }
        has_started |= line.starts_with('#') && line.chars().any(|letter| letter.is_ascii_digit());
        let blank = line.trim().is_empty();
        if has_started && !(blank && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(line.trim_end().to_owned());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::RemoteReference;

    #[test]
    fn the_changelog_ends_at_the_locked_version() {
        let text = "# Change log\n\nAll notable changes.\n\n## [v2.1.0](https://x/2.1.0) (2024)\n\n- b\n\n\n## 2.0.0\n- a\n\n## [v1.0.0](u)\n- old\n";
        assert_eq!(
            changes_since(text, "1.0.0"),
            ["## [v2.1.0](https://x/2.1.0) (2024)", "", "- b", "", "## 2.0.0", "- a"]
        );
        assert_eq!(changes_since(text, "2.1.0"), Vec::<String>::new());
    }

    #[test]
    fn the_newest_tag_is_a_stable_version() {
        let tag = |name: &str| RemoteReference { name: format!("refs/tags/{name}"), commit: "a".repeat(40) };
        let all = ["v1.0.0", "v1.10.0", "v1.9.0", "v2.0.0-rc1", "other"].map(tag).to_vec();
        let references = References { head: None, all };
        assert_eq!(newer_tag(&references, "v1.0.0").as_deref(), Some("v1.10.0"));
        assert_eq!(newer_tag(&references, "v1.10.0"), None);
        assert_eq!(newer_tag(&references, "main"), None);
    }
}
