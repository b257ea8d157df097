//! The words of a diagnostic, as Puppet chooses them.
//!
//! Puppet builds its one line from the inside out: the rule's message, the construct under evaluation, the position; and around it, when
//! the code of a define is at fault, the same for the statement that declared it.

use std::fmt::{self, Display, Write};

use crate::article::a_an;
use crate::diagnostic::{Diagnostic, Fact, Frame, SourcePosition, Stage};

impl Diagnostic {
    /// The rule's own message, without the construct under evaluation and without positions.
    pub fn message(&self) -> String {
        let mut out = String::with_capacity(self.code.message.len() + 16);
        // Writing to a string cannot fail.
        let _ = self.write_message(&mut out, Positions::Labelled);
        out
    }

    /// Puppet's message with the construct under evaluation, without positions: they are reported beside it.
    pub fn puppet_message(&self) -> String {
        let mut out = String::new();
        let _ = self.write_framed(&mut out, Positions::Omitted);
        out
    }

    /// Puppet's message with the construct under evaluation and with the positions of other things than this.
    pub fn placed_message(&self) -> String {
        let mut out = String::new();
        let _ = self.write_framed(&mut out, Positions::Full);
        out
    }

    fn write_message(&self, out: &mut dyn Write, positions: Positions) -> fmt::Result {
        let mut rest = self.code.message;
        while let Some(open) = rest.find('{') {
            let (before, inside) = rest.split_at(open);
            out.write_str(before)?;
            let name = inside[1..].find('}').map(|close| &inside[1..=close]);
            match (name, &self.cause) {
                (Some("cause"), Some(cause)) => cause.write_line(out, positions)?,
                (Some(name), _) => match self.facts.iter().find(|(known, _)| *known == name) {
                    Some((_, Fact::Text(text))) => out.write_str(text)?,
                    Some((_, Fact::Reworded { puppet, shown })) => out.write_str(match positions {
                        Positions::Labelled => shown,
                        Positions::Full | Positions::Omitted => puppet,
                    })?,
                    Some((_, Fact::Position(before, position))) => match positions {
                        Positions::Labelled => {}
                        Positions::Full | Positions::Omitted => {
                            out.write_str(before)?;
                            write_position(out, position, true, positions)?;
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

    fn write_framed(&self, out: &mut dyn Write, positions: Positions) -> fmt::Result {
        if self.frame != Frame::Bare && matches!(self.stage, Stage::Evaluation | Stage::Foreign(_)) {
            out.write_str("Evaluation Error: ")?;
        }
        if let Frame::Construct(construct) = &self.frame {
            write!(out, "Error while evaluating {}, ", a_an(construct))?;
        }
        self.write_message(out, positions)
    }

    fn write_line(&self, out: &mut dyn Write, positions: Positions) -> fmt::Result {
        self.write_framed(out, positions)?;
        match &self.position {
            Some(position) => write_position(out, position, self.line_only, positions),
            None => Ok(()),
        }
    }
}

impl Display for Diagnostic {
    /// Puppet's one line: `message (file: x, line: 1, column: 2)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_line(f, Positions::Full)
    }
}

/// How much of positions a message contains.
#[derive(Clone, Copy)]
enum Positions {
    /// `(file: x, line: 1)`
    Full,
    /// Left out; the word that leads to them stays, as in Puppet.
    Omitted,
    /// Left out together with the word that leads to them: a label points there.
    Labelled,
}

fn write_position(
    out: &mut dyn Write,
    position: &SourcePosition,
    line_only: bool,
    positions: Positions,
) -> fmt::Result {
    if !matches!(positions, Positions::Full) {
        return Ok(());
    }
    let column = if line_only { None } else { position.column() };
    let parts = [
        position.file().map(|file| format!("file: {file}")),
        position.line().map(|line| format!("line: {line}")),
        column.map(|column| format!("column: {column}")),
    ];
    let known: Vec<String> = parts.into_iter().flatten().collect();
    if known.is_empty() { Ok(()) } else { write!(out, " ({})", known.join(", ")) }
}
