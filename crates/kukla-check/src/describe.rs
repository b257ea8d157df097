//! Why a value does not fit, in one line.

use kukla::Type;
use kukla::values::types::mismatch;

/// What is longer than this names aliases without what they stand for.
const LONG: usize = 120;

/// Why something of type `actual` is not an `expected`; empty if it may be one.
pub fn describe(subject: &str, expected: &Type, actual: &Type) -> String {
    let text = mismatch::describe(subject, expected, actual);
    let lines: Vec<String> = text.lines().map(|line| short(line.trim())).collect();
    match lines.len() {
        0..=2 => lines.join("; "),
        more => format!("{}; and {} more", lines[0], more - 1),
    }
}

/// The line without what an alias stands for, if that makes it long.
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
