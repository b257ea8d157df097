//! The log of a server: one line for each event, as JSON where machines read it.

use std::io::Write as _;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Map, Value, json};

use crate::ca::time;

/// How important something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details for debugging.
    Debug,
    /// Events.
    Info,
    /// Events that someone should look at.
    Warning,
    /// Failures.
    Error,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }

    /// The level of this name.
    pub fn of(name: &str) -> Option<Level> {
        [Level::Debug, Level::Info, Level::Warning, Level::Error]
            .into_iter()
            .find(|level| level.name() == name)
    }
}

static LEAST: AtomicU8 = AtomicU8::new(Level::Info as u8);
static FORM: AtomicU8 = AtomicU8::new(Form::Text as u8);

/// How lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// Says which lines are wanted, and how.
pub fn configure(least: Level, form: Form) {
    LEAST.store(least as u8, Ordering::Relaxed);
    FORM.store(form as u8, Ordering::Relaxed);
}

/// Whether lines of a level are wanted.
pub fn is_enabled(level: Level) -> bool {
    level as u8 >= LEAST.load(Ordering::Relaxed)
}

/// Something that someone should look at.
pub fn warning(message: &str) {
    write(Level::Warning, message, Map::new());
}

/// Something that did not work.
pub fn error(message: &str) {
    write(Level::Error, message, Map::new());
}

/// Something that happened.
pub fn info(message: &str) {
    write(Level::Info, message, Map::new());
}

/// A line with further facts in it.
pub fn write(level: Level, message: &str, facts: Map<String, Value>) {
    if !is_enabled(level) {
        return;
    }
    let mut line = if FORM.load(Ordering::Relaxed) == Form::Json as u8 {
        let mut all = Map::new();
        all.insert("time".into(), time::precise().into());
        all.insert("level".into(), level.name().into());
        all.insert("message".into(), message.into());
        all.extend(facts);
        json!(all).to_string()
    } else {
        let facts: String = facts.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        escaped(&format!("{}: {message}{facts}", level.name()))
    };
    line.push('\n');
    // A line that cannot be written is lost: there is nowhere else to report it.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// A text as one line: agents and code write parts of messages, and none of them may begin a line or control a terminal.
fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        // Besides control characters, those that end lines or change the direction of text.
        if c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        let message = "first\nerror: forged\r\u{1b}[2J\u{85}\u{2028}\u{202e}é";
        assert_eq!(escaped(message), "first\\nerror: forged\\r\\u{1b}[2J\\u{85}\\u{2028}\\u{202e}é");
    }
}
