//! Where the Puppet code of a module or an environment lies.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use kukla_world::World;

/// The definitions in a file of Puppet code, by the directory it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// Classes and defined types, in `manifests`.
    Manifest,
    /// Functions, in `functions`.
    Function,
    /// Type aliases, in `types`.
    Type,
}

impl CodeKind {
    fn directory(self) -> &'static str {
        match self {
            CodeKind::Manifest => "manifests",
            CodeKind::Function => "functions",
            CodeKind::Type => "types",
        }
    }
}

/// The files of Puppet code below one directory. Each kind is listed once, when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct CodeFiles {
    listed: [OnceLock<Listing>; 3],
}

/// The files of one kind.
#[derive(Debug)]
struct Listing {
    directory: PathBuf,
    /// Paths within the directory, as `server/config.pp`.
    files: FxHashSet<Box<str>>,
}

impl CodeFiles {
    /// The file for a name, given without that of the module, if there is one.
    pub fn find<'n>(
        &self,
        world: &dyn World,
        root: &Path,
        kind: CodeKind,
        segments: impl Iterator<Item = &'n str>,
    ) -> Option<PathBuf> {
        let mut file = String::with_capacity(64);
        for segment in segments {
            if !file.is_empty() {
                file.push('/');
            }
            file.push_str(segment);
        }
        file.push_str(".pp");
        let Listing { directory, files } = self.listed[kind as usize].get_or_init(|| {
            let directory = root.join(kind.directory());
            Listing { files: list(world, &directory), directory }
        });
        files.contains(&*file).then(|| directory.join(file))
    }
}

/// The maximal number of segments in a name and in the path of its file. Circular links end here.
const DEEPEST: usize = 16;

fn list(world: &dyn World, directory: &Path) -> FxHashSet<Box<str>> {
    let mut files = FxHashSet::default();
    let mut open = vec![(String::new(), 0, Vec::new())];
    while let Some((within, depth, links)) = open.pop() {
        for entry in world.list(&directory.join(&within)) {
            let path = if within.is_empty() { entry.name } else { format!("{within}/{}", entry.name) };
            if !entry.is_directory {
                files.insert(path.into());
                continue;
            }
            let mut links = links.clone();
            if entry.is_link {
                let target = world.resolve(&directory.join(&path));
                let here = world.resolve(&directory.join(&within));
                // A link to where one comes from, or that was followed before, leads to nothing new.
                if here.starts_with(&target) || links.contains(&target) {
                    continue;
                }
                links.push(target);
            }
            if depth < DEEPEST {
                open.push((path, depth + 1, links));
            }
        }
    }
    files
}
