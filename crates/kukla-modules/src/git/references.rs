//! The branches and tags of a repository.

use kukla_syntax::Problem;

/// The branches and tags of a repository, with the commit of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// The commit of the default branch.
    pub head: Option<String>,
    /// All of them by name.
    pub all: Vec<RemoteReference>,
}

/// A branch or a tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemoteReference {
    /// The full name: `refs/tags/v1.0.0`.
    pub name: String,
    /// The commit, or the tag object if the server does not say more.
    pub commit: String,
}

impl RemoteReference {
    /// The name without `refs/heads/` or `refs/tags/`.
    pub fn short_name(&self) -> &str {
        ["refs/tags/", "refs/heads/"]
            .iter()
            .find_map(|prefix| self.name.strip_prefix(prefix))
            .unwrap_or(&self.name)
    }

    /// The name of a tag.
    pub fn tag(&self) -> Option<&str> {
        self.name.strip_prefix("refs/tags/")
    }

    /// The name of a branch.
    pub fn branch(&self) -> Option<&str> {
        self.name.strip_prefix("refs/heads/")
    }
}

impl References {
    /// The commit of a name, in the order in which git looks for one: tags before branches.
    pub fn find(&self, name: &str) -> Option<String> {
        if name == "HEAD" {
            return self.head.clone();
        }
        let candidates = [
            name.to_owned(),
            format!("refs/{name}"),
            format!("refs/tags/{name}"),
            format!("refs/heads/{name}"),
        ];
        // r10k's caches have no remotes; their names are those of branches.
        let without_remote = name.strip_prefix("origin/").map(|name| format!("refs/heads/{name}"));
        let mut candidates = candidates.into_iter().chain(without_remote);
        candidates.find_map(|name| {
            let found = self.all.iter().find(|reference| reference.name == name)?;
            Some(found.commit.clone())
        })
    }
}

/// The references of a repository of this machine.
pub fn of_repository(repository: &gix::Repository) -> Result<References, Problem> {
    let failed =
        |error: gix::Error| Problem::invalid("cannot read the branches of the git repository").because(error);
    let mut references =
        References { head: repository.head_id().ok().map(|id| id.to_string()), all: Vec::new() };
    let platform = repository.references().map_err(failed)?;
    for reference in platform.all().map_err(failed)? {
        let Ok(mut reference) = reference else { continue };
        let name = reference.name().as_bstr().to_string();
        if !name.starts_with("refs/heads/") && !name.starts_with("refs/tags/") {
            continue;
        }
        let Ok(id) = reference.peel_to_id() else { continue };
        references.all.push(RemoteReference { name, commit: id.to_string() });
    }
    references.all.sort();
    Ok(references)
}
