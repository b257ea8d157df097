//! How much there is in a directory of a revision, with all that is below it.
//!
//! A repository stores equal directories once, so one of a few kilobytes can hold more files than there is memory, and directories
//! inside each other without end. Every walk begins at a directory whose extent was checked.

use std::sync::PoisonError;

use gix::ObjectId;
use kukla_syntax::{Problem, ProblemKind};

use crate::objects::{Kind, Objects};

/// The most files and directories in a revision.
const MOST_ENTRIES: u64 = 2_000_000;
/// The most bytes in all their paths.
const MOST_TEXT: u64 = 256 << 20;
/// The most directories inside each other, as git limits them.
const MOST_LEVELS: u32 = 2048;

/// The extent of a directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Files and directories in it, at any level.
    entries: u64,
    /// Bytes in their paths, from this directory.
    text: u64,
    /// Directories inside each other.
    levels: u32,
    /// Whether there are links.
    pub has_links: bool,
}

impl Extent {
    /// An error if a walk through it would take too long, or too much memory.
    pub fn check(&self) -> Result<(), Problem> {
        let wrong = match self {
            extent if extent.levels > MOST_LEVELS => {
                format!("its directories are nested more than {MOST_LEVELS} levels deep")
            }
            extent if extent.entries > MOST_ENTRIES => format!("it has more than {MOST_ENTRIES} files"),
            extent if extent.text > MOST_TEXT => {
                format!("the paths of its files have more than {MOST_TEXT} bytes")
            }
            _ => return Ok(()),
        };
        Err(Problem::new(ProblemKind::LimitExceeded, "cannot read commit").because(wrong))
    }

    /// Adds a directory inside this one.
    fn add(&mut self, name: &str, inner: Extent) {
        let name = name.len() as u64 + 1;
        self.entries = self.entries.saturating_add(inner.entries);
        self.text = self.text.saturating_add(inner.text).saturating_add(name.saturating_mul(inner.entries));
        self.levels = self.levels.max(inner.levels.saturating_add(1));
        self.has_links |= inner.has_links;
    }
}

impl Objects {
    /// The extent of a directory, each of those below it looked at once.
    pub fn extent(&self, tree: ObjectId) -> Extent {
        let known =
            |id: &ObjectId| self.extents.read().unwrap_or_else(PoisonError::into_inner).get(id).copied();
        let mut open = vec![tree];
        while let Some(&id) = open.last() {
            if known(&id).is_some() {
                open.pop();
                continue;
            }
            let entries = self.tree(id);
            let mut extent = Extent { entries: entries.len() as u64, levels: 1, ..Extent::default() };
            let waiting = open.len();
            for entry in &*entries {
                extent.text = extent.text.saturating_add(entry.name.len() as u64 + 1);
                extent.has_links |= entry.kind == Kind::Link;
                if entry.kind == Kind::Directory {
                    match known(&entry.id) {
                        Some(inner) => extent.add(&entry.name, inner),
                        None => open.push(entry.id),
                    }
                }
            }
            if open.len() == waiting {
                self.extents.write().unwrap_or_else(PoisonError::into_inner).insert(id, extent);
                open.pop();
            }
        }
        known(&tree).unwrap_or_default()
    }
}
