//! The files of one version of a module.

use std::collections::BTreeMap;

use crate::digest::Digest;

/// The files of one version of a module, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    entries: BTreeMap<String, Entry>,
}

/// Something at a path of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file.
    File(FileEntry),
    /// A link and its target, which is inside the tree.
    Link(String),
    /// A directory with nothing in it; others are there because of what they contain.
    Directory,
}

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The digest of its bytes.
    pub digest: Digest,
    /// Its length.
    pub size: u64,
    /// Whether it can be executed.
    pub executable: bool,
}

impl Tree {
    /// A tree of these entries.
    pub fn new(entries: BTreeMap<String, Entry>) -> Tree {
        Tree { entries }
    }

    /// The entries by path.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// The entry at a path.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// The names in a directory of the tree, the empty path being the tree itself, and whether each is a directory.
    pub fn list(&self, directory: &str) -> BTreeMap<&str, bool> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let inside = self.entries.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
        let mut names = BTreeMap::new();
        for (path, entry) in inside {
            let rest = &path[prefix.len()..];
            match rest.split_once('/') {
                Some((name, _)) => names.insert(name, true),
                None => names.insert(rest, matches!(entry, Entry::Directory)),
            };
        }
        names
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.entries.values().filter_map(|entry| match entry {
            Entry::File(file) => Some(file),
            Entry::Link(_) | Entry::Directory => None,
        })
    }

    /// The digest that identifies the content: paths, bytes, links and which files can be executed.
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_text().as_bytes())
    }

    /// One line for each entry.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (path, entry) in &self.entries {
            let path = escape(path);
            text += &match entry {
                Entry::File(FileEntry { digest, size, executable }) => {
                    let kind = if *executable { 'x' } else { 'f' };
                    format!("{kind}\t{path}\t{}\t{size}\n", digest.as_str())
                }
                Entry::Link(target) => format!("l\t{path}\t{}\n", escape(target)),
                Entry::Directory => format!("d\t{path}\n"),
            };
        }
        text
    }

    /// Reads the text of a tree.
    pub fn parse(text: &str) -> Option<Tree> {
        let mut entries = BTreeMap::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let (path, entry) = match fields.as_slice() {
                [kind @ ("f" | "x"), path, digest, size] => {
                    let digest = Digest::parse(digest).ok()?;
                    let file = FileEntry { digest, size: size.parse().ok()?, executable: *kind == "x" };
                    (path, Entry::File(file))
                }
                ["l", path, target] => (path, Entry::Link(unescape(target))),
                ["d", path] => (path, Entry::Directory),
                _ => return None,
            };
            entries.insert(unescape(path), entry);
        }
        Some(Tree { entries })
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                other => plain.extend(other),
            },
            letter => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_as_it_was_written() {
        let file = |text: &str, executable| {
            let (digest, size) = (Digest::of(text.as_bytes()), text.len() as u64);
            Entry::File(FileEntry { digest, size, executable })
        };
        let entries = [
            ("manifests/init.pp", file("class a {}", false)),
            ("files/a\tb\\n\n", file("x", true)),
            ("files/link", Entry::Link("../manifests/init.pp".to_owned())),
            ("empty", Entry::Directory),
        ];
        let tree = Tree::new(entries.map(|(path, entry)| (path.to_owned(), entry)).into());
        assert_eq!(Tree::parse(&tree.to_text()), Some(tree.clone()));
        let names: Vec<_> = tree.list("").into_iter().collect();
        assert_eq!(names, [("empty", true), ("files", true), ("manifests", true)]);
        assert_eq!(tree.list("manifests").into_iter().collect::<Vec<_>>(), [("init.pp", false)]);
        assert_eq!(Tree::parse("f\tpath\n"), None);
    }
}
