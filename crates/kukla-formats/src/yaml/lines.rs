//! Where values stand in a YAML text.

use kukla_values::Value;
use libyaml_safer::{EventData, Parser};
use rustc_hash::FxHashMap;

/// The line of a value and of everything inside it.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The line, from one; of a value in a hash it is the line of its key.
    pub line: u32,
    entries: FxHashMap<String, Lines>,
    elements: Vec<Lines>,
}

impl Lines {
    /// The line of what is found by following `path` (names and indices) as far as it leads.
    pub fn at(&self, path: &[Value]) -> u32 {
        let mut place = self;
        for step in path {
            let next = match step {
                Value::String(name) => place.entries.get(name.as_str()),
                Value::Integer(n) => usize::try_from(*n).ok().and_then(|n| place.elements.get(n)),
                _ => None,
            };
            match next {
                Some(next) => place = next,
                None => break,
            }
        }
        place.line
    }
}

/// The key whose value comes next, with its line; in a mapping only.
type Pending = Option<(String, u32)>;

/// Finds the line of each value of the first document of `text`; an unreadable text has no lines.
pub fn lines(text: &[u8]) -> Lines {
    let spaced = super::tags::spaced(text);
    let completed = super::read::completed(&spaced);
    let mut input = completed.as_deref().unwrap_or(&spaced);
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    let mut open: Vec<(Lines, Option<Pending>)> = Vec::new();
    while let Ok(event) = parser.parse() {
        let line = u32::try_from(event.start_mark.line + 1).unwrap_or(u32::MAX);
        let (done, text) = match event.data {
            EventData::StreamEnd | EventData::DocumentEnd { .. } => break,
            EventData::SequenceStart { .. } => {
                open.push((Lines { line, ..Lines::default() }, None));
                continue;
            }
            EventData::MappingStart { .. } => {
                open.push((Lines { line, ..Lines::default() }, Some(None)));
                continue;
            }
            EventData::SequenceEnd | EventData::MappingEnd => match open.pop() {
                Some((lines, _)) => (lines, None),
                None => break,
            },
            EventData::Scalar { value, .. } => (Lines { line, ..Lines::default() }, Some(value)),
            EventData::Alias { .. } => (Lines { line, ..Lines::default() }, None),
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => continue,
        };
        let Some((parent, key)) = open.last_mut() else { return done };
        match key {
            None => parent.elements.push(done),
            Some(key) => match key.take() {
                None => *key = Some((text.unwrap_or_default(), done.line)),
                Some((name, line)) => {
                    parent.entries.insert(name, Lines { line, ..done });
                }
            },
        }
    }
    Lines::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_names_and_indices() {
        let lines = lines(b"a: 1\nb:\n  c:\n  - x\n  - d: 2\n");
        let path = |steps: &[Value]| lines.at(steps);
        assert_eq!(path(&["a".into()]), 1);
        assert_eq!(path(&["b".into(), "c".into()]), 3);
        assert_eq!(path(&["b".into(), "c".into(), 1.into()]), 5);
        assert_eq!(path(&["b".into(), "nothing".into()]), 2);
    }
}
