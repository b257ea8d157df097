//! The names of nodes: Puppet's rule for names of certificates.

use kukla_syntax::{Diagnostic, Stage, diagnostic};

use crate::codes::BAD_NODE_NAME;

/// The length of the longest name: with an ending such as `.yaml` it is still the name of a file.
pub const LONGEST: usize = 250;

/// Checks that a node can have this name.
///
/// A certificate's name is printable ASCII without a slash; Puppet's stores, which keep a file for each node, refuse a backslash, a
/// drive letter and dots that lead up as well. Facts, requests and classifiers are written by others, and their names end up in
/// paths of data files and catalogs.
pub fn check(name: &str) -> Result<(), Box<Diagnostic>> {
    let is_printable = name.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'/' && b != b'\\');
    let has_drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let has_length = (1..=LONGEST).contains(&name.len());
    if is_printable && has_length && !name.starts_with("..") && !has_drive {
        return Ok(());
    }
    let name = kukla_values::format::inspect_text(name);
    Err(Box::new(diagnostic!(BAD_NODE_NAME { name }).in_stage(Stage::Request)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_certificates() {
        for name in ["web1.example.com", "a", "Web_1", "a b", ".hidden", "a..b", "10.0.0.1", "node:1"] {
            assert!(check(name).is_ok(), "{name}");
        }
        let longest = "n".repeat(LONGEST);
        assert!(check(&longest).is_ok() && check(&format!("{longest}n")).is_err());
        for name in
            ["", "..", "../../escaped", "a/b", "/etc/x", "a\\b", "c:x", "a\nb", "a\0", "w\u{e9}b", "a\u{7f}"]
        {
            assert!(check(name).is_err(), "{name:?}");
        }
    }
}
