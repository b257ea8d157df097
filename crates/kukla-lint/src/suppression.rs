//! Suppression comments of all checks: `# kukla: ignore[rule] reason`.

use kukla_syntax::{Source, SyntaxKind, Tree};

/// A suppression comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The rules that it suppresses; empty for all.
    pub rules: Vec<String>,
    /// The line that it applies to; `None` for the whole file.
    pub line: Option<u32>,
}

impl Ignore {
    /// All suppression comments of a tree. One alone on its line applies to the next line, or to the whole file if it is
    /// `ignore-file[rule]`.
    pub fn all(tree: &Tree, source: &Source) -> Vec<Ignore> {
        let comments = tree.elements().filter(|element| element.kind() == SyntaxKind::LineComment);
        comments
            .filter_map(|comment| {
                let start = comment.start();
                let line = source.line_column(start).line;
                let begin = source.lines().line_start(line)? as usize;
                let is_alone = source.text()[begin..start as usize].trim().is_empty();
                Ignore::read(comment.text(), line, is_alone)
            })
            .collect()
    }

    /// All suppression comments of a data file, which have the same form.
    pub fn in_data(text: &str) -> Vec<Ignore> {
        let lines = text.lines().zip(1..);
        lines
            .filter_map(|(line, number)| {
                let at = line.find("# kukla:")?;
                Ignore::read(&line[at..], number, line[..at].trim().is_empty())
            })
            .collect()
    }

    /// Reads a comment in a line; `is_alone` tells whether nothing comes before it there.
    pub fn read(comment: &str, line: u32, is_alone: bool) -> Option<Ignore> {
        let rest = comment.trim_start_matches('#').trim_start().strip_prefix("kukla:")?.trim_start();
        let (is_file, rest) = match rest.strip_prefix("ignore-file") {
            Some(rest) => (true, rest),
            None => (false, rest.strip_prefix("ignore")?),
        };
        let inside = rest.strip_prefix('[').and_then(|rest| rest.split(']').next());
        let rules = inside.map(|names| names.split(',').map(|name| name.trim().to_owned()).collect());
        let line = if is_file { None } else { Some(if is_alone { line + 1 } else { line }) };
        Some(Ignore { rules: rules.unwrap_or_default(), line })
    }

    /// Whether it suppresses findings of a rule in a line.
    pub fn covers(&self, rule: &str, line: u32) -> bool {
        self.line.is_none_or(|own| own == line)
            && (self.rules.is_empty() || self.rules.iter().any(|own| own == rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments() {
        let read = |text, is_alone| Ignore::read(text, 3, is_alone);
        let one = read("# kukla: ignore[unknown-class, a] comes later", false).unwrap();
        assert_eq!(one, Ignore { rules: vec!["unknown-class".into(), "a".into()], line: Some(3) });
        assert!(one.covers("a", 3) && !one.covers("b", 3) && !one.covers("a", 4));
        assert_eq!(read("# kukla: ignore", true).unwrap().line, Some(4));
        assert!(read("# kukla: ignore-file[a]", true).unwrap().covers("a", 99));
        assert_eq!(read("# kukla is nice", true), None);
    }
}
