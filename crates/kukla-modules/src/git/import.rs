//! The files of a commit as a tree of the store.

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use kukla_syntax::{Problem, ProblemKind};

use crate::digest::Digest;
use crate::store::{Limits, Store, TreeBuilder};

/// The deepest directories.
const DEEPEST: usize = 64;

/// Adds the files of a commit to the store.
pub fn tree(
    store: &Store,
    repository: &gix::Repository,
    commit: ObjectId,
    limits: Limits,
) -> Result<Digest, Problem> {
    let object = repository.find_object(commit).map_err(|_| absent(commit))?;
    let commit = object.peel_to_commit().map_err(|_| absent(commit))?;
    let tree = commit.tree_id().map_err(|_| absent(commit.id))?.detach();
    let mut builder = store.build(limits)?;
    directory(repository, &mut builder, tree, "", 0)?;
    Ok(builder.finish()?.0)
}

fn absent(id: ObjectId) -> Problem {
    Problem::not_found(format!("git object {id} is not in the repository"))
}

fn directory(
    repository: &gix::Repository,
    builder: &mut TreeBuilder<'_>,
    id: ObjectId,
    prefix: &str,
    depth: usize,
) -> Result<(), Problem> {
    if depth > DEEPEST {
        return Err(Problem::new(ProblemKind::LimitExceeded, "refused to unpack")
            .on(prefix)
            .because(format!("directories are more than {DEEPEST} deep")));
    }
    let tree = repository.find_object(id).map_err(|_| absent(id))?.try_into_tree().map_err(|_| absent(id))?;
    for entry in tree.iter() {
        let entry =
            entry.map_err(|error| Problem::invalid("the git repository is damaged").because(error))?;
        let name = std::str::from_utf8(entry.filename()).map_err(|_| {
            Problem::new(ProblemKind::Denied, "refused to unpack")
                .on(format!("'{}'", entry.filename()))
                .because("its name is not valid UTF-8")
        })?;
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
        let id = entry.object_id();
        match entry.kind() {
            EntryKind::Tree => directory(repository, builder, id, &path, depth + 1)?,
            kind @ (EntryKind::Blob | EntryKind::BlobExecutable) => {
                let bytes = blob(repository, builder, &path, id)?;
                builder.file(&path, kind == EntryKind::BlobExecutable, &bytes)?;
            }
            EntryKind::Link => {
                let target = blob(repository, builder, &path, id)?;
                builder.link(&path, &String::from_utf8_lossy(&target))?;
            }
            // The checkout of a submodule that is not initialised.
            EntryKind::Commit => builder.directory(&path)?,
        }
    }
    Ok(())
}

fn blob(
    repository: &gix::Repository,
    builder: &mut TreeBuilder<'_>,
    path: &str,
    id: ObjectId,
) -> Result<Vec<u8>, Problem> {
    let size = repository.find_header(id).map_err(|_| absent(id))?.size();
    builder.charge(path, size)?;
    Ok(repository.find_object(id).map_err(|_| absent(id))?.detach().data)
}
