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

/// The line without the definition of an alias, if that makes it long.
fn short(line: &str) -> String {
    let meaning = line.find(" = ").zip(line.rfind(" value, got ").or_else(|| line.rfind(", got ")));
    match meaning {
        Some((from, to)) if line.len() > LONG && from < to => format!("{}{}", &line[..from], &line[to..]),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut() {
        let long = format!("x expects a Stdlib::Path = Pattern[{}] value, got Undef", "a".repeat(LONG));
        assert_eq!(short(&long), "x expects a Stdlib::Path value, got Undef");
        assert_eq!(
            short("x expects a Port = Integer[1] value, got Undef"),
            "x expects a Port = Integer[1] value, got Undef"
        );
    }
}
