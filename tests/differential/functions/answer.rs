//! Answers, and what it means for two to differ.

use std::fmt;

use serde_json::Value;

/// What one side said to a call.
#[derive(Debug)]
pub struct Answer {
    /// The value and its type, or the message of the error.
    outcome: Result<(Value, String), String>,
    /// The messages logged, with their levels.
    logs: Vec<String>,
}

/// How two answers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// In a way that nothing explains.
    Unexplained,
    /// The reference's answer shows its own machinery: addresses of Ruby objects, a fault of its serialiser, the encoding of a Ruby string.
    Machinery,
}

impl Difference {
    /// Whether the reason is known.
    pub fn is_explained(self) -> bool {
        self != Difference::Unexplained
    }
}

/// What only Ruby says: where an object lies in memory, what a constant, method or library is that is missing.
const MACHINERY: [&str; 10] = [
    "cannot load such file",
    "#<Puppet::Pops",
    "#<#<Class",
    "implementation_class",
    "value contains a Puppet::",
    "uninitialized constant",
    "Puppet::Pops::Types::P",
    "!ruby/object:",
    "for nil:NilClass",
    "hiera_eyaml library is present",
];

/// What stands before the message of a function that failed.
const FAILED: &str = "Evaluation Error: Error while evaluating a Function Call, ";

/// Warnings about how functions of the old API call each other.
const OLD_API: &str = "Puppet::Parser::Functions.autoloader#";

impl Answer {
    /// Reads the answer to an `eval` request.
    pub fn of(answer: &Value) -> Answer {
        let (outcome, logs) = match answer.get("result") {
            Some(result) => {
                let ty = result["type"].as_str().unwrap_or_default().to_owned();
                (Ok((plain(&result["value"]), ty)), &result["logs"])
            }
            None => (Err(message(answer["error"]["message"].as_str().unwrap_or_default())), &answer["logs"]),
        };
        let log = |log: &Value| {
            let (level, text) =
                (log["level"].as_str().unwrap_or_default(), log["message"].as_str().unwrap_or_default());
            format!("{level}: {}", message(text))
        };
        let wanted = |log: &String| {
            !log.contains(OLD_API)
                && !["err: ", "debug: ", "info: "].iter().any(|level| log.starts_with(level))
        };
        let logs =
            logs.as_array().map(|logs| logs.iter().map(log).filter(wanted).collect()).unwrap_or_default();
        Answer { outcome, logs }
    }

    /// How this answer differs from that of the reference, if it does.
    pub fn difference(&self, reference: &Answer) -> Option<Difference> {
        let same = match (&self.outcome, &reference.outcome) {
            (Ok(ours), Ok(theirs)) => ours == theirs,
            (Err(ours), Err(theirs)) => ours == theirs,
            _ => false,
        };
        if same && self.logs == reference.logs {
            return None;
        }
        let shown = reference.to_string();
        let machinery = MACHINERY.iter().any(|sign| shown.contains(sign));
        Some(if machinery { Difference::Machinery } else { Difference::Unexplained })
    }
}

/// A message without what Ruby adds for its own programmers, and without what differs between versions of its libraries.
fn message(text: &str) -> String {
    let text = text.split("\nDid you mean?").next().unwrap_or_default();
    let text = text.split("\n\n   ").next().unwrap_or_default();
    let text = match text.split_once(": unexpected token") {
        Some((before, after)) => {
            let kept = before.trim_end_matches(|c: char| c.is_ascii_digit());
            let cut = kept.len() < before.len();
            if cut { format!("{kept}unexpected token{after}") } else { text.to_owned() }
        }
        None => text.to_owned(),
    };
    // What fails after the main block, as `realize` does, has another beginning.
    let text = text.replace("Puppet::Parser::Compiler failed with error ArgumentError: ", FAILED);
    without_scratch_file(&text.replace(" (line: 1)", "")).trim().to_owned()
}

/// A message without the random name of the file that `validate_cmd` makes.
fn without_scratch_file(text: &str) -> String {
    let mut pieces = text.split("/tmp/validate_cmd");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept += "FILE";
        kept += piece.trim_start_matches(|c: char| !" ':".contains(c));
    }
    kept
}

/// A value in which a string of bytes that is text counts as text: some of Ruby's methods give strings without an encoding.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(entries) if entries.get("__ptype").and_then(Value::as_str) == Some("Binary") => {
            let bytes = decode(entries["__pvalue"].as_str().unwrap_or_default());
            String::from_utf8(bytes).map_or_else(|_| value.clone(), Value::String)
        }
        Value::Object(entries) => entries.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        Value::Array(values) => values.iter().map(plain).collect(),
        other => other.clone(),
    }
}

fn decode(base64: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0u32, 0);
    for digit in base64.bytes().filter_map(|byte| DIGITS.iter().position(|known| *known == byte)) {
        held = held << 6 | digit as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Ok((value, ty)) => write!(f, "{value}: {ty}")?,
            Err(message) => write!(f, "error: {message}")?,
        }
        for log in &self.logs {
            write!(f, "\n         {log}")?;
        }
        Ok(())
    }
}
