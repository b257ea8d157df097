//! Text in XML and HTML, and pages with a script of their own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// A template with a value for each `{{name}}` in it.
pub fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or(("", part));
        out += &value(name);
        out += rest;
    }
    out
}

/// The digest of a script, which the browser verifies before it runs it: of everything between the tags.
pub fn script_hash(script: &str) -> String {
    let digest = Sha256::digest(format!("\n{script}"));
    format!("sha256-{}", STANDARD.encode(digest))
}

/// Escapes markup, and replaces control characters, which XML and HTML cannot contain.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
