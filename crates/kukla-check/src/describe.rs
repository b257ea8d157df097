//! One-line descriptions of type mismatches.

use kukla::Type;
use kukla::values::types::mismatch;

/// In a longer line, aliases are named without their definitions.
const LONG: usize = 120;

/// The reason why a value of type `actual` is not an `expected`; empty if it may be one.
pub fn describe(subject: &str, expected: &Type, actual: &Type) -> String {
    let text = mismatch::describe(subject, expected, actual);
    let lines: Vec<String> = text.lines().map(|line| short(line.trim())).collect();
    match lines.len() {
        0..=2 => lines.join("; "),
        more => format!("{}; and {} more", lines[0], more - 1),
    }
}

/// The line without the definitions of aliases, if it is long.
fn short(line: &str) -> String {
    if line.len() <= LONG { line.to_owned() } else { without_definitions(line) }
}

/// A text of types in which aliases are named without their definitions.
pub fn without_definitions(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(" = ") {
        out.push_str(&rest[..at]);
        rest = &rest[at + 3..];
        rest = &rest[type_end(rest)..];
    }
    out + rest
}

/// Where the type that a text begins with ends: before a comma, a bracket that it did not open, or a word.
fn type_end(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) => {
                if c == open {
                    quote = None;
                }
            }
            (None, '\'' | '/') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') if depth > 0 => depth -= 1,
            (None, ']' | '}' | ',' | ' ') if depth == 0 => return at,
            (None, _) => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut() {
        let long = format!("x expects a Stdlib::Path = Pattern[{}] value, got Undef", "a".repeat(LONG));
        assert_eq!(short(&long), "x expects a Stdlib::Path value, got Undef");
        let several = format!(
            "x expects a value of type Undef, Web::Port = Integer[1, 65535], Array[Web::Port = Integer[1, 65535], 1], or Path = Pattern[/{}/], got String",
            "a, ]".repeat(20)
        );
        assert_eq!(
            short(&several),
            "x expects a value of type Undef, Web::Port, Array[Web::Port, 1], or Path, got String"
        );
        assert_eq!(
            short("x expects a Port = Integer[1] value, got Undef"),
            "x expects a Port = Integer[1] value, got Undef"
        );
    }
}
