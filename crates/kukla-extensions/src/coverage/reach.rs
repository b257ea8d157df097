//! Whether manifests, templates and data name a piece of Ruby.

use std::path::Path;

use kukla_world::World;
use rustc_hash::FxHashSet;

use super::{Piece, PieceKind};

/// The text that is searched for names: the words in code and data, and the strings that may name templates.
#[derive(Debug, Default)]
pub struct Readers {
    words: FxHashSet<String>,
    /// Strings with a slash; what is between `${` and `}` in them is left out, and may be anything.
    paths: FxHashSet<Vec<String>>,
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == ':'
}

impl Readers {
    /// Takes note of what a file names.
    pub fn read(&mut self, world: &dyn World, file: &Path) {
        let suffix = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        let is_code = matches!(suffix.as_str(), "pp" | "epp");
        let is_other = matches!(suffix.as_str(), "yaml" | "eyaml" | "erb");
        if !is_code && !is_other {
            return;
        }
        let bytes = world.read(file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let words = line.split(|c| !is_of_word(c)).map(|word| word.trim_matches(':'));
            self.words.extend(words.filter(|word| !word.is_empty()).map(|word| word.to_lowercase()));
        }
        for string in text.split(['\'', '"', '\n']).filter(|string| string.contains('/')) {
            self.paths.insert(literals(string));
        }
    }

    /// Whether something names the piece.
    pub fn name(&self, piece: &Piece) -> bool {
        match piece.kind {
            PieceKind::Template => self.paths.iter().any(|parts| fits(parts, &piece.name)),
            _ => self.words.contains(&piece.name.to_lowercase()) || self.calls_by_method(&piece.name),
        }
    }

    fn calls_by_method(&self, name: &str) -> bool {
        self.words.contains(&format!("function_{name}"))
    }
}

/// The parts of a string between what is interpolated.
fn literals(string: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = string;
    while let Some((before, after)) = rest.split_once("${") {
        parts.push(before.to_owned());
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    parts.push(rest.to_owned());
    parts
}

/// Whether a name is made of these parts, with anything between them.
fn fits(parts: &[String], name: &str) -> bool {
    let [first, middle @ .., last] = parts else { return parts.first().is_some_and(|only| only == name) };
    // A string that is nothing but variables may be anything, and says nothing.
    if parts.iter().all(|part| part.len() < 4) {
        return false;
    }
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    for part in middle {
        match rest.split_once(part.as_str()) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::{fits, literals};

    #[test]
    fn a_string_with_variables_names_all_that_fit() {
        let parts = literals("apache/mod/${name}.conf.erb");
        assert!(fits(&parts, "apache/mod/ssl.conf.erb"));
        assert!(!fits(&parts, "apache/vhost/ssl.conf.erb"));
        assert!(fits(&literals("apache/x.erb"), "apache/x.erb"));
        assert!(!fits(&literals("${a}/${b}"), "apache/x.erb"));
    }
}
