//! File name patterns of `*`, `?`, `[a-z]`, `{a,b}` and `**/`, as Ruby's `Dir.glob` reads them: results sorted, hidden files
//! only when the pattern says so, links not followed by `**/`.
//!
//! A pattern is a list of parts; a search holds the places in it that a path has reached, so that each directory is read once and
//! each path found once, however many ways lead to it.

use std::path::Path;

use kukla_values::meter;

use crate::fnmatch::{Flags, alternatives, fnmatch};
use crate::{DirectoryEntry, World};

/// How many directories one pattern may have listed.
pub const MOST_LISTED: usize = 100_000;

/// The largest number of alternatives that the braces of a pattern are expanded to.
const MOST_ALTERNATIVES: usize = 10_000;

/// How many bytes could be read in the time that it takes to list a directory.
const LISTING: usize = 128 << 10;

/// A pattern leads into more than [`MOST_LISTED`] directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// The paths that match a pattern.
pub fn glob(world: &dyn World, pattern: &str) -> Result<Vec<String>, TooMany> {
    let found = search(world, pattern)?;
    Ok(found.into_iter().map(|found| found.path).collect())
}

/// The paths that match a pattern and are not directories; none if there is too much to look into.
pub fn files(world: &dyn World, pattern: &str) -> Vec<String> {
    let mut found = search(world, pattern).unwrap_or_default();
    found.retain(|found| !found.is_directory.unwrap_or_else(|| is_directory(world, &found.path)));
    found.into_iter().map(|found| found.path).collect()
}

fn search(world: &dyn World, pattern: &str) -> Result<Vec<Hit>, TooMany> {
    let mut found = Vec::new();
    for pattern in alternatives(pattern, MOST_ALTERNATIVES).iter().filter(|pattern| !pattern.is_empty()) {
        let (root, rest) = match pattern.strip_prefix('/') {
            Some(rest) => ("/", rest),
            None => ("", pattern.as_str()),
        };
        let mut search = Search { world, found: &mut found, left: MOST_LISTED };
        let start = Hit { path: root.to_owned(), is_directory: None };
        search.follow(start, &parts(rest), vec![0])?;
    }
    Ok(found)
}

/// One part of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// Names without anything special, one or several.
    Plain(String),
    /// A name with something special in it.
    Magic(String),
    /// `**`: any directories, or none.
    Anywhere,
    /// The end: whatever is there.
    End,
    /// The end after a slash: a directory.
    Directory,
}

fn parts(pattern: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let (names, end) = match pattern.strip_suffix('/') {
        Some(names) => (names, Part::Directory),
        None => (pattern, Part::End),
    };
    let mut names = names.split('/').peekable();
    while let Some(name) = names.next() {
        // At the end two stars are no more than one.
        let last = names.peek().is_none() && end == Part::End;
        match (name, parts.last_mut()) {
            ("**", last_part) if !last => {
                if last_part != Some(&mut Part::Anywhere) {
                    parts.push(Part::Anywhere);
                }
            }
            _ if name.contains(['*', '?', '[']) => parts.push(Part::Magic(name.to_owned())),
            (_, Some(Part::Plain(before))) => {
                before.push('/');
                before.push_str(name);
            }
            _ => parts.push(Part::Plain(name.to_owned())),
        }
    }
    parts.push(end);
    parts
}

/// A path that was reached.
#[derive(Debug)]
struct Hit {
    path: String,
    /// Whether it is a directory, if that is known.
    is_directory: Option<bool>,
}

/// A search for what fits a pattern.
struct Search<'s> {
    world: &'s dyn World,
    found: &'s mut Vec<Hit>,
    left: usize,
}

/// The directory in which a relative pattern starts.
fn or_here(directory: &str) -> &Path {
    Path::new(if directory.is_empty() { "." } else { directory })
}

fn is_directory(world: &dyn World, path: &str) -> bool {
    crate::is_directory(world, Path::new(path))
}

impl Search<'_> {
    fn list(&mut self, directory: &str) -> Result<Vec<DirectoryEntry>, TooMany> {
        self.left = self.left.checked_sub(1).ok_or(TooMany)?;
        meter::possible_text(LISTING);
        Ok(self.world.list(or_here(directory)))
    }

    /// Finds what lies at and below a path for which the pattern has been followed to these places.
    fn follow(&mut self, at: Hit, parts: &[Part], places: Vec<usize>) -> Result<(), TooMany> {
        let Hit { path, is_directory: known } = at;
        let is_directory = |world: &dyn World| known.unwrap_or_else(|| is_directory(world, &path));
        let next = |place: usize| if parts[place] == Part::Anywhere { place + 1 } else { place };
        let here: Vec<&Part> = places.iter().map(|place| &parts[next(*place)]).collect();
        // What a directory lists is there, even a link that leads nowhere.
        let is_there = |world: &dyn World| known.is_some() || world.exists(Path::new(&path));
        if !path.is_empty() && here.contains(&&Part::End) && is_there(self.world) {
            self.found.push(Hit { path: path.clone(), is_directory: known });
        }
        if here.contains(&&Part::Directory) && is_directory(self.world) {
            let slash = if path.ends_with('/') { "" } else { "/" };
            self.found.push(Hit { path: format!("{path}{slash}"), is_directory: Some(true) });
        }
        let within = |name: &str| match path.is_empty() || path == "/" {
            true => format!("{path}{name}"),
            false => format!("{path}/{name}"),
        };
        let anywhere = places.iter().any(|place| parts[*place] == Part::Anywhere);
        if !anywhere && !here.iter().any(|part| matches!(part, Part::Magic(_))) {
            for (place, part) in places.iter().zip(&here) {
                let Part::Plain(name) = part else { continue };
                let below = Hit { path: within(&unescaped(name)), is_directory: None };
                self.follow(below, parts, vec![next(*place) + 1])?;
            }
            return Ok(());
        }
        let mut entries = self.list(&path)?;
        // Ruby counts the directory itself among its hidden entries if the pattern names it.
        if !anywhere && known.is_none() && is_directory(self.world) {
            let itself =
                DirectoryEntry { name: ".".into(), is_directory: true, is_link: false, is_special: false };
            entries.insert(0, itself);
        }
        for entry in entries {
            let itself = entry.name == ".";
            let mut reached: Vec<usize> = Vec::new();
            for (place, part) in places.iter().zip(&here) {
                let deeper = entry.is_directory && !entry.is_link && !entry.name.starts_with('.');
                if parts[*place] == Part::Anywhere && deeper {
                    reached.push(*place);
                }
                let fits = match part {
                    Part::Magic(pattern) => fits(pattern, &entry.name),
                    Part::Plain(name) => !itself && unescaped(name) == entry.name,
                    _ => false,
                };
                if fits {
                    reached.push(next(*place) + 1);
                }
            }
            reached.dedup();
            if !reached.is_empty() {
                let below = Hit { path: within(&entry.name), is_directory: Some(entry.is_directory) };
                self.follow(below, parts, reached)?;
            }
        }
        Ok(())
    }
}

fn unescaped(name: &str) -> String {
    let mut out = String::new();
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    out
}

/// Whether a name matches a pattern; a dot at its beginning must be there in the pattern.
pub fn fits(pattern: &str, name: &str) -> bool {
    fnmatch(pattern, name, Flags::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryWorld;

    #[test]
    fn patterns_come_apart() {
        assert!(fits("a*[b-d]?", "axxcz") && !fits("[!a]", "a") && !fits("*", ".a"));
        assert!(fits("*.yaml", "a.yaml") && !fits("*.yaml", "a.yml") && fits("[a-c]x", "bx"));
        let plain = |text: &str| Part::Plain(text.into());
        assert_eq!(parts("a//b/**/**/c/"), [plain("a//b"), Part::Anywhere, plain("c"), Part::Directory]);
        assert_eq!(parts("a/**"), [plain("a"), Part::Magic("**".into()), Part::End]);
    }

    #[test]
    fn files_are_found_once_and_in_order() {
        let world = ["/d/b.yaml", "/d/a/x.yaml", "/d/a/y.yaml/z", "/d/.h.yaml", "/d/c.json"]
            .into_iter()
            .fold(MemoryWorld::default(), |world, path| world.with(path, ""));
        assert_eq!(files(&world, "/d/**/*.yaml"), ["/d/a/x.yaml", "/d/b.yaml"]);
        assert_eq!(files(&world, "/d/{b.yaml,*.json,a}"), ["/d/b.yaml", "/d/c.json"]);
        assert_eq!(glob(&world, "/d/.*"), Ok(vec!["/d/.".into(), "/d/.h.yaml".into()]));
        assert_eq!(glob(&world, "/?/.*"), Ok(vec!["/d/.h.yaml".into()]));
        assert_eq!(glob(&world, "/d//c.*"), Ok(vec!["/d//c.json".into()]));
        let all = glob(&world, "/d/*/*.yaml").unwrap();
        assert_eq!(all, ["/d/a/x.yaml", "/d/a/y.yaml"]);
    }
}
