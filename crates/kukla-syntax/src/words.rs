//! The words of a diagnostic, as Puppet chooses them.
//!
//! One line of Puppet's is built from the inside out: the rule's message; what was being evaluated; the place; and around it, when the
//! code of a define is at fault, the same of the statement that declared it.

use std::fmt::{self, Display, Write};

use crate::article::a_an;
use crate::diagnostic::{Diagnostic, Fact, Frame, Place, Stage};

impl Diagnostic {
    /// What is wrong, in the rule's own words: without what was going on, and without places.
    pub fn message(&self) -> String {
        let mut out = String::with_capacity(self.code.message.len() + 16);
        // Writing to a string cannot fail.
        let _ = self.write_message(&mut out, Places::Shown);
        out
    }

    /// Puppet's message, with what was going on and without places: they are told beside it.
    pub fn puppet_message(&self) -> String {
        let mut out = String::new();
        let _ = self.write_framed(&mut out, Places::Untold);
        out
    }

    /// Puppet's message, with what was going on and with the places of other things than this.
    pub fn placed_message(&self) -> String {
        let mut out = String::new();
        let _ = self.write_framed(&mut out, Places::Told);
        out
    }

    fn write_message(&self, out: &mut dyn Write, places: Places) -> fmt::Result {
        let mut rest = self.code.message;
        while let Some(open) = rest.find('{') {
            let (before, inside) = rest.split_at(open);
            out.write_str(before)?;
            let name = inside[1..].find('}').map(|close| &inside[1..=close]);
            match (name, &self.cause) {
                (Some("cause"), Some(cause)) => cause.write_line(out, places)?,
                (Some(name), _) => match self.facts.iter().find(|(known, _)| *known == name) {
                    Some((_, Fact::Text(text))) => out.write_str(text)?,
                    Some((_, Fact::Place(before, place))) => match places {
                        Places::Shown => {}
                        Places::Told | Places::Untold => {
                            out.write_str(before)?;
                            write_place(out, place, true, places)?;
                        }
                    },
                    // A brace that names no fact is a brace.
                    None => {
                        out.write_str("{")?;
                        rest = &inside[1..];
                        continue;
                    }
                },
                (None, _) => return out.write_str(inside),
            }
            rest = &inside[name.map_or(0, str::len) + 2..];
        }
        out.write_str(rest)
    }

    fn write_framed(&self, out: &mut dyn Write, places: Places) -> fmt::Result {
        if self.frame != Frame::Bare && self.stage == Stage::Evaluation {
            out.write_str("Evaluation Error: ")?;
        }
        if let Frame::Construct(construct) = &self.frame {
            write!(out, "Error while evaluating {}, ", a_an(construct))?;
        }
        self.write_message(out, places)
    }

    fn write_line(&self, out: &mut dyn Write, places: Places) -> fmt::Result {
        self.write_framed(out, places)?;
        match &self.place {
            Some(place) => write_place(out, place, self.line_only, places),
            None => Ok(()),
        }
    }
}

impl Display for Diagnostic {
    /// Puppet's one line: `message (file: x, line: 1, column: 2)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_line(f, Places::Told)
    }
}

/// Whether places are part of the words.
#[derive(Clone, Copy)]
enum Places {
    Told,
    /// Left out of Puppet's words.
    Untold,
    /// Left out together with the word that leads to them: a label points there.
    Shown,
}

fn write_place(out: &mut dyn Write, place: &Place, line_only: bool, places: Places) -> fmt::Result {
    if !matches!(places, Places::Told) {
        return Ok(());
    }
    let column = if line_only { None } else { place.column() };
    let parts = [
        place.file().map(|file| format!("file: {file}")),
        place.line().map(|line| format!("line: {line}")),
        column.map(|column| format!("column: {column}")),
    ];
    let known: Vec<String> = parts.into_iter().flatten().collect();
    if known.is_empty() { Ok(()) } else { write!(out, " ({})", known.join(", ")) }
}
