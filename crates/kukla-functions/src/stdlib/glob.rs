//! `glob`: the paths that fit a pattern of `*`, `?`, `[a-z]`, `{a,b}` and `**`, as Ruby's `Dir.glob` finds them.
//!
//! A pattern is a list of parts; a search holds the places in it that a path has reached, so that each directory is read once and each path
//! found once, however many ways lead to it.

use std::path::Path;

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::diagnostic;
use kukla_values::{Array, Result, Value};
use kukla_world::{Entry, World};

use crate::codes::TOO_MANY_DIRECTORIES;
use crate::legacy::{legacy, wrong_number, wrong_type};
use crate::ruby;

builtins! {
    /// The paths of files that match a pattern or one of several.
    "glob": ReadsFiles {
        "Any *$args, Optional[Callable] &$block" => glob;
        tools "Variant[String, Array[String]] $patterns >> Array[String]"
    }
}

fn glob(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    let [pattern] = args.as_slice() else {
        return Err(wrong_number("glob", args.len(), 1));
    };
    if !matches!(pattern, Value::String(_) | Value::Array(_)) {
        return Err(wrong_type("glob", "Requires either array or string to work"));
    }
    let mut found = Array::new();
    for pattern in &ruby::to_array(pattern) {
        for pattern in braces(ruby::text(pattern)?) {
            let (root, rest) = match pattern.strip_prefix('/') {
                Some(rest) => ("/", rest),
                None => ("", pattern.as_str()),
            };
            if pattern.is_empty() {
                continue;
            }
            let parts = parts(rest);
            let mut search = Search { world: vm.world(), found: &mut found, left: MOST_LISTED };
            search.follow(root.to_owned(), &parts, vec![0])?;
        }
    }
    Ok(found)
}

/// A pattern with `{a,b}` in it as several without.
fn braces(pattern: &str) -> Vec<String> {
    let Some(start) = pattern.find('{') else { return vec![pattern.into()] };
    let mut depth = 0;
    let mut cuts = vec![start];
    let mut end = None;
    for (at, c) in pattern[start..].char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => cuts.push(start + at),
            '}' => {
                depth -= 1;
                if depth == 0 {
                    end = Some(start + at);
                    break;
                }
            }
            _ => {}
        }
    }
    let Some(end) = end else { return vec![pattern.into()] };
    cuts.push(end);
    let choices = cuts
        .windows(2)
        .map(|cut| format!("{}{}{}", &pattern[..start], &pattern[cut[0] + 1..cut[1]], &pattern[end + 1..]));
    choices.flat_map(|choice| braces(&choice)).collect()
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

/// How many directories one pattern may have listed.
const MOST_LISTED: usize = 100_000;

/// A search for what fits a pattern.
struct Search<'s> {
    world: &'s dyn World,
    found: &'s mut Array,
    left: usize,
}

impl Search<'_> {
    fn list(&mut self, directory: &str) -> Result<Vec<Entry>> {
        let too_many = || diagnostic!(TOO_MANY_DIRECTORIES { limit: MOST_LISTED });
        self.left = self.left.checked_sub(1).ok_or_else(too_many)?;
        Ok(self.world.list(Path::new(if directory.is_empty() { "." } else { directory })))
    }

    fn is_directory(&self, path: &str) -> bool {
        let path = Path::new(path);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return true };
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        self.world.list(parent).iter().any(|entry| entry.is_directory && entry.name.as_str() == name)
    }

    /// Finds what lies at and below a path for which the pattern has been followed to these places.
    fn follow(&mut self, path: String, parts: &[Part], places: Vec<usize>) -> Result<()> {
        let next = |place: usize| if parts[place] == Part::Anywhere { place + 1 } else { place };
        let here: Vec<&Part> = places.iter().map(|place| &parts[next(*place)]).collect();
        if !path.is_empty() && here.contains(&&Part::End) && self.world.exists(Path::new(&path)) {
            self.found.push(path.as_str().into());
        }
        if here.contains(&&Part::Directory) && self.is_directory(&path) {
            let slash = if path.ends_with('/') { "" } else { "/" };
            self.found.push(format!("{path}{slash}").into());
        }
        let within = |name: &str| match path.is_empty() || path.ends_with('/') {
            true => format!("{path}{name}"),
            false => format!("{path}/{name}"),
        };
        let anywhere = places.iter().any(|place| parts[*place] == Part::Anywhere);
        if !anywhere && !here.iter().any(|part| matches!(part, Part::Magic(_))) {
            for (place, part) in places.iter().zip(&here) {
                let Part::Plain(name) = part else { continue };
                self.follow(within(&unescaped(name)), parts, vec![next(*place) + 1])?;
            }
            return Ok(());
        }
        let mut entries = self.list(&path)?;
        // Ruby counts the directory itself among its hidden entries, except below `**`.
        if !anywhere && self.is_directory(&path) {
            let itself = Entry { name: ".".into(), is_directory: true, is_link: false };
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
                    Part::Magic(pattern) => fits_name(pattern, &entry.name),
                    Part::Plain(name) => !itself && unescaped(name) == entry.name,
                    _ => false,
                };
                if fits {
                    reached.push(next(*place) + 1);
                }
            }
            reached.dedup();
            if !reached.is_empty() {
                self.follow(within(&entry.name), parts, reached)?;
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

/// Whether a name fits a pattern; a dot at its beginning must be there in the pattern.
fn fits_name(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') && !pattern.starts_with("\\.") {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    fits(&pattern, &name)
}

/// Whether a name fits a pattern of `*`, `?` and `[a-z]`. After a star only the last one can be given more, so the time is bounded.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while read < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, read));
            at += 1;
        } else if let Some(taken) = pattern.get(at..).and_then(|rest| one_fits(rest, name[read])) {
            at += taken;
            read += 1;
        } else if let Some((starred, from)) = star {
            star = Some((starred, from + 1));
            (at, read) = (starred + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

/// How much of a pattern stands for one character that fits it.
fn one_fits(pattern: &[char], c: char) -> Option<usize> {
    match pattern.split_first()? {
        ('?', _) => Some(1),
        ('[', rest) => {
            let end = rest.iter().skip(1).position(|c| *c == ']')? + 1;
            let (negated, set) = match rest[..end].split_first() {
                Some(('^' | '!', set)) => (true, set),
                _ => (false, &rest[..end]),
            };
            let mut within = false;
            let mut at = 0;
            while at < set.len() {
                if at + 2 < set.len() && set[at + 1] == '-' {
                    within |= (set[at]..=set[at + 2]).contains(&c);
                    at += 3;
                } else {
                    within |= set[at] == c;
                    at += 1;
                }
            }
            (within != negated).then_some(end + 2)
        }
        ('\\', [escaped, ..]) => (*escaped == c).then_some(2),
        (literal, _) => (*literal == c).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_come_apart() {
        assert_eq!(braces("a{b,c{d,e}}f"), ["abf", "acdf", "acef"]);
        assert!(fits_name("a*[b-d]?", "axxcz") && !fits_name("[!a]", "a") && !fits_name("*", ".a"));
        let plain = |text: &str| Part::Plain(text.into());
        assert_eq!(parts("a//b/**/**/c/"), [plain("a//b"), Part::Anywhere, plain("c"), Part::Directory]);
        assert_eq!(parts("a/**"), [plain("a"), Part::Magic("**".into()), Part::End]);
    }
}
