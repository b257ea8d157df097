//! The environments that a deployment concerns: all, some by name, or those of branches that were pushed.

use std::path::Path;

use super::desired::DesiredEnvironment;
use super::settings::{SourceKind, SourceSettings};

/// The environments that a deployment concerns.
#[derive(Clone, Copy, Debug, Default)]
pub enum Selection<'s> {
    /// All.
    #[default]
    All,
    /// Those with these names. Others whose branch is gone are removed as well, as with r10k.
    Named(&'s [String]),
    /// Those of these branches. If a branch is gone, only its own environment is removed.
    Branches(&'s [RepositoryBranch]),
}

/// A branch of a repository that was pushed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryBranch {
    /// The addresses by which the repository is known: URLs, or its path on its host.
    pub repositories: Vec<String>,
    /// The branch.
    pub branch: String,
}

impl Selection<'_> {
    /// Whether an environment is deployed.
    pub(super) fn includes(&self, environment: &DesiredEnvironment) -> bool {
        match self {
            Selection::All => true,
            Selection::Named(names) => names.contains(&environment.directory),
            Selection::Branches(branches) => environment.checkout.as_ref().is_some_and(|checkout| {
                branches.iter().any(|pushed| {
                    pushed.branch == checkout.reference && pushed.is_of_repository(&checkout.remote)
                })
            }),
        }
    }

    /// Whether a directory that no source has any more is removed.
    pub(super) fn may_remove(&self, path: &Path, sources: &[SourceSettings]) -> bool {
        let Selection::Branches(branches) = self else { return true };
        let is_of = |source: &SourceSettings, pushed: &RepositoryBranch| {
            pushed.is_of_source(source)
                && matches!(source.naming.of_branch(&pushed.branch), Ok(Ok(name)) if source.basedir.join(&name.directory) == path)
        };
        branches.iter().any(|pushed| sources.iter().any(|source| is_of(source, pushed)))
    }
}

impl RepositoryBranch {
    /// Whether the branches of a source are those of the repository.
    pub fn is_of_source(&self, source: &SourceSettings) -> bool {
        match &source.kind {
            SourceKind::Git(settings) => self.is_of_repository(&settings.remote),
            SourceKind::Listed(_) => false,
        }
    }

    fn is_of_repository(&self, remote: &str) -> bool {
        let remote = repository_path(remote);
        self.repositories.iter().any(|known| repository_path(known).eq_ignore_ascii_case(remote))
    }
}

/// The path of a repository on its host, which is the same in all of its URLs. Hosts often have several names, so they are not compared: what is
/// deployed always comes from the remote of the settings.
fn repository_path(url: &str) -> &str {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        // `git@host:group/name.git`, unless it is a path with a colon in it.
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') => path,
            _ => url,
        },
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    // Bitbucket serves repositories below `scm`, but only over HTTP.
    path.strip_prefix("scm/").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_one_path_in_all_of_its_urls() {
        for url in [
            "https://git.example.com/ops/control.git",
            "https://user:secret@git.example.com:8443/ops/control/",
            "ssh://git@git.example.com:7999/ops/control.git",
            "https://git.example.com/scm/ops/control.git",
            "git@git.example.com:ops/control.git",
            "git@git.example.com:/ops/control",
            "ops/control",
        ] {
            assert_eq!(repository_path(url), "ops/control", "{url}");
        }
        assert_eq!(repository_path("file:///srv/git/control"), "srv/git/control");
        assert_eq!(repository_path("/srv/git/a:b.git"), "srv/git/a:b");
        for empty in ["", "https://git.example.com", ":", "/"] {
            assert_eq!(repository_path(empty), "", "{empty}");
        }
    }
}
