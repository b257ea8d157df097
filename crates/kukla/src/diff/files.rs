//! The files in which two sides differ, and whether the differences are significant.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use kukla_format::diff_lines;
use kukla_hiera::DataFormat;
use kukla_hiera::parts::{Difference, FileParts};
use kukla_ruby::comments::{template_without_comments, without_comments};
use kukla_syntax::Source;
use kukla_syntax::pn::Pn;
use kukla_syntax::{Parse, parse, parse_epp};
use kukla_values::Str;
use kukla_world::World;
use kukla_world::record::{Digest, Question};
use similar::ChangeTag;

use super::{FileDifference, FileStatus};

/// A side as files: its world and its root.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'w> {
    /// Its world.
    pub world: &'w dyn World,
    /// Its root.
    pub root: &'w Path,
}

/// The files in which two sides differ.
#[derive(Debug)]
pub struct Files<'w> {
    before: Tree<'w>,
    after: Tree<'w>,
    changed: BTreeMap<PathBuf, ChangedFile>,
    /// Directories with other entries than before.
    lists: BTreeSet<PathBuf>,
    /// Paths of which only one side has something: files, and directories with all that is in them.
    one_sided: BTreeSet<PathBuf>,
    /// Whether a file can have several paths, so that its path does not decide whether it has changed.
    has_links: bool,
}

#[derive(Clone, Debug)]
struct ChangedFile {
    status: FileStatus,
    meaning: Meaning,
    /// The lines in which the sides differ, found when someone asks.
    lines: OnceLock<Lines>,
}

/// The lines of a file that only one side has, from one.
#[derive(Clone, Debug, Default)]
struct Lines {
    before: BTreeSet<u32>,
    after: BTreeSet<u32>,
}

/// Whether the difference of a file is significant.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    /// It is not: other comments, blanks or positions.
    Same,
    /// As data, only under these keys.
    Keys(BTreeSet<String>),
    /// It is.
    Other,
}

/// Whether an input is the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SameAnswer {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// Only for nodes that looked up none of these keys.
    UnlessLookedUp(BTreeSet<String>),
}

/// Beyond this depth links form a cycle.
const DEEPEST: usize = 64;

impl<'w> Files<'w> {
    /// The files in which two sides differ, if they are known; `has_links` is whether a file can have several paths.
    pub fn new(
        before: Tree<'w>,
        after: Tree<'w>,
        changed: BTreeMap<PathBuf, FileStatus>,
        has_links: bool,
    ) -> Files<'w> {
        let mut files = Files {
            before,
            after,
            changed: BTreeMap::new(),
            lists: BTreeSet::new(),
            one_sided: BTreeSet::new(),
            has_links,
        };
        for (path, status) in changed {
            let meaning = match status {
                FileStatus::Modified => files.meaning(&path),
                _ => Meaning::Other,
            };
            if status != FileStatus::Modified {
                files.note_one_sided(&path, status);
            }
            files.changed.insert(path, ChangedFile { status, meaning, lines: OnceLock::new() });
        }
        files
    }

    /// Compares all files of both sides, except hidden ones.
    pub fn compare(before: Tree<'w>, after: Tree<'w>) -> Files<'w> {
        let (mut changed, mut has_links) = (BTreeMap::new(), false);
        compare(before, after, Path::new(""), DEEPEST, &mut changed, &mut has_links);
        Files::new(before, after, changed, has_links)
    }

    fn note_one_sided(&mut self, path: &Path, status: FileStatus) {
        let other = if status == FileStatus::Added { self.before } else { self.after };
        let mut gone = path;
        // The outermost directory that only one side has.
        while let Some(parent) = gone.parent() {
            self.one_sided.insert(gone.to_owned());
            if parent.as_os_str().is_empty() || other.world.exists(&other.root.join(parent)) {
                self.lists.insert(parent.to_owned());
                return;
            }
            self.lists.insert(parent.to_owned());
            gone = parent;
        }
    }

    /// The significance of the difference of a file that both sides have.
    fn meaning(&self, path: &Path) -> Meaning {
        let inside = |name: &str| path.components().any(|part| part.as_os_str() == name);
        let texts = || {
            let read = |tree: Tree<'_>| String::from_utf8(tree.world.read(&tree.root.join(path)).ok()?).ok();
            Some((read(self.before)?, read(self.after)?))
        };
        let is_same_program = |parse: fn(&Source) -> Parse| {
            texts().is_some_and(|(old, new)| {
                let (old, new) = (parse(&Source::unnamed(old)), parse(&Source::unnamed(new)));
                old.is_ok() && new.is_ok() && Pn::of(&old.tree).to_text() == Pn::of(&new.tree).to_text()
            })
        };
        let is_same_ruby = |plain: fn(&str) -> Option<String>| {
            texts().is_some_and(|(old, new)| plain(&old).is_some_and(|old| plain(&new) == Some(old)))
        };
        let data = |format: DataFormat| {
            let empty =
                FileParts { format, module: None, keys: BTreeMap::new(), rest: Digest::of::<&[u8]>([]) };
            let parts =
                |tree: Tree<'_>| empty.read_again(tree.world, &Str::from(tree.root.join(path).to_str()?));
            match (parts(self.before), parts(self.after)) {
                (Some(old), Some(new)) => match old.difference(&new) {
                    Difference::Everything => Meaning::Other,
                    Difference::Keys(keys) if keys.is_empty() => Meaning::Same,
                    Difference::Keys(keys) => Meaning::Keys(keys.iter().map(ToString::to_string).collect()),
                },
                _ => Meaning::Other,
            }
        };
        // In files that nodes fetch every byte is significant.
        match path.extension().and_then(|ending| ending.to_str()) {
            _ if inside("files") => Meaning::Other,
            Some("pp") if !inside("templates") && is_same_program(parse) => Meaning::Same,
            Some("epp") if is_same_program(parse_epp) => Meaning::Same,
            Some("rb") if !inside("templates") && is_same_ruby(without_comments) => Meaning::Same,
            Some("erb") if is_same_ruby(template_without_comments) => Meaning::Same,
            Some("yaml" | "yml" | "eyaml") if !inside("templates") => data(DataFormat::Yaml),
            Some("json") if !inside("templates") => data(DataFormat::Json),
            _ => Meaning::Other,
        }
    }

    /// Whether no difference is significant.
    pub fn is_insignificant(&self) -> bool {
        self.changed.values().all(|changed| changed.meaning == Meaning::Same)
    }

    /// Whether a file differs on the new side, by its path on the old side.
    pub fn is_changed(&self, path: &Path) -> bool {
        path.strip_prefix(self.before.root).is_ok_and(|inside| self.changed.contains_key(inside))
    }

    /// Whether the difference of a file of either side is significant.
    pub(super) fn is_significant(&self, path: &Path) -> bool {
        self.changed.get(self.shown(path)).is_some_and(|changed| changed.meaning != Meaning::Same)
    }

    /// Whether a file that nodes may fetch is another.
    pub(super) fn serves_changed(&self) -> bool {
        self.changed.keys().any(|path| path.components().any(|part| part.as_os_str() == "files"))
    }

    /// How well a place explains a change: 2 if the sides differ there, 1 if they differ in the file, 0 if they do not.
    pub(super) fn rank(&self, path: &Path, line: Option<u32>, key: Option<&str>, is_after: bool) -> u8 {
        let inside = self.shown(path);
        let Some(changed) = self.changed.get(inside) else { return 0 };
        if changed.meaning == Meaning::Same {
            return 0;
        }
        if let (Some(key), Meaning::Keys(keys)) = (key, &changed.meaning) {
            return if keys.contains(key) { 2 } else { 0 };
        }
        if line.is_some_and(|line| self.lines_of(inside, changed, is_after).contains(&line)) { 2 } else { 1 }
    }

    /// The first line of a file of either side that the other does not have.
    pub(super) fn first_line(&self, path: &Path, is_after: bool) -> Option<u32> {
        let inside = self.shown(path);
        let changed = self.changed.get(inside).filter(|changed| changed.meaning != Meaning::Same)?;
        self.lines_of(inside, changed, is_after).first().copied()
    }

    fn lines_of<'c>(&self, inside: &Path, changed: &'c ChangedFile, is_after: bool) -> &'c BTreeSet<u32> {
        let lines = changed.lines.get_or_init(|| self.lines(inside));
        if is_after { &lines.after } else { &lines.before }
    }

    fn lines(&self, inside: &Path) -> Lines {
        let read = |tree: Tree<'_>| {
            let text = tree.world.read(&tree.root.join(inside)).unwrap_or_default();
            String::from_utf8_lossy(&text).into_owned()
        };
        let (old, new) = (read(self.before), read(self.after));
        let mut lines = Lines::default();
        let number = |at: Option<usize>| at.and_then(|at| u32::try_from(at + 1).ok());
        for change in diff_lines(&old, &new, None).iter_all_changes() {
            match change.tag() {
                ChangeTag::Delete => lines.before.extend(number(change.old_index())),
                ChangeTag::Insert => lines.after.extend(number(change.new_index())),
                ChangeTag::Equal => {}
            }
        }
        lines
    }

    /// Whether something below a directory is another.
    pub fn is_changed_below(&self, directory: &Path) -> bool {
        let Ok(inside) = directory.strip_prefix(self.before.root) else { return false };
        self.changed.keys().any(|path| path.starts_with(inside)) || self.has_links && !self.changed.is_empty()
    }

    /// A path of the old side as it is on the new side.
    pub fn after(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(self.before.root) {
            Ok(inside) => self.after.root.join(inside),
            Err(_) => path.to_owned(),
        }
    }

    /// The sides.
    pub fn sides(&self) -> (Tree<'w>, Tree<'w>) {
        (self.before, self.after)
    }

    /// A path of either side, from where the side begins.
    pub fn shown<'p>(&self, path: &'p Path) -> &'p Path {
        let within = |tree: Tree<'_>| path.strip_prefix(tree.root).ok();
        within(self.after).or_else(|| within(self.before)).unwrap_or(path)
    }

    /// The files, for a report.
    pub fn differences(&self) -> Vec<FileDifference> {
        let difference = |(path, changed): (&PathBuf, &ChangedFile)| FileDifference {
            path: path.clone(),
            status: changed.status,
            is_significant: changed.meaning != Meaning::Same,
            nodes: Vec::new(),
        };
        self.changed.iter().map(difference).collect()
    }

    /// Whether an input is the same on both sides. Inputs outside of the sides count as the same.
    pub(super) fn holds(&self, question: &Question) -> SameAnswer {
        let (Question::Read(path) | Question::Data(path) | Question::Exists(path) | Question::List(path)) =
            question
        else {
            return SameAnswer::Yes;
        };
        let resolved;
        let mut inside = path.strip_prefix(self.before.root).ok();
        if self.has_links {
            // By whatever name: the same file.
            let (old, new) = (self.before.world.resolve(path), self.after.world.resolve(&self.after(path)));
            let (old, new) = (old.strip_prefix(self.before.root), new.strip_prefix(self.after.root));
            match (old, new) {
                (Ok(old), Ok(new)) if old == new => {
                    resolved = old.to_owned();
                    inside = Some(&resolved);
                }
                (Err(_), Err(_)) => return SameAnswer::Yes,
                _ => return SameAnswer::No,
            }
        }
        let Some(inside) = inside else { return SameAnswer::Yes };
        let is = |holds: bool| if holds { SameAnswer::Yes } else { SameAnswer::No };
        match question {
            Question::Exists(_) => is(!self.one_sided.contains(inside)),
            Question::List(_) => is(!self.lists.contains(inside)),
            _ => match self.changed.get(inside).map(|changed| &changed.meaning) {
                None => is(!self.one_sided.contains(inside)),
                Some(Meaning::Same) => SameAnswer::Yes,
                Some(Meaning::Keys(keys)) if matches!(question, Question::Data(_)) => {
                    SameAnswer::UnlessLookedUp(keys.clone())
                }
                Some(_) => SameAnswer::No,
            },
        }
    }
}

/// Finds in which files two directories differ.
fn compare(
    before: Tree<'_>,
    after: Tree<'_>,
    at: &Path,
    depth: usize,
    changed: &mut BTreeMap<PathBuf, FileStatus>,
    has_links: &mut bool,
) {
    let list = |tree: Tree<'_>| {
        let entries = tree.world.list(&tree.root.join(at)).into_iter();
        let entries = entries.filter(|entry| !entry.name.starts_with('.'));
        entries.map(|entry| (entry.name.clone(), entry)).collect::<BTreeMap<_, _>>()
    };
    let (old, new) = (list(before), list(after));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let path = at.join(name);
        let (one, other) = (old.get(name), new.get(name));
        *has_links |= one.is_some_and(|entry| entry.is_link) || other.is_some_and(|entry| entry.is_link);
        let is_directory =
            |entry: Option<&kukla_world::DirectoryEntry>| entry.is_some_and(|entry| entry.is_directory);
        if depth > 0 && (is_directory(one) || is_directory(other)) {
            compare(before, after, &path, depth - 1, changed, has_links);
        }
        let is_file =
            |entry: Option<&kukla_world::DirectoryEntry>| entry.is_some_and(|entry| !entry.is_directory);
        let status = match (is_file(one), is_file(other)) {
            (true, true) => {
                let read = |tree: Tree<'_>| tree.world.read(&tree.root.join(&path)).ok();
                (read(before) != read(after)).then_some(FileStatus::Modified)
            }
            (true, false) => Some(FileStatus::Removed),
            (false, true) => Some(FileStatus::Added),
            (false, false) => None,
        };
        changed.extend(status.map(|status| (path, status)));
    }
}
