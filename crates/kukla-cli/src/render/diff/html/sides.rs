//! Two texts side by side.

use std::fmt::Write;

use similar::DiffOp;

use super::html;
use crate::render::difference::CONTEXT;

/// The lines that differ with context, the old ones on the left, the new ones on the right.
pub fn side_by_side(old: &str, new: &str) -> String {
    let difference = kukla::format::diff_lines(old, new, None);
    let mut out = "<table class=\"sides\"><tbody>\n".to_owned();
    for (n, group) in difference.grouped_ops(CONTEXT).iter().enumerate() {
        if n > 0 {
            out += "<tr><td class=\"gap\" colspan=\"4\">⋯</td></tr>\n";
        }
        for op in group {
            let (old, new) = (op.old_range(), op.new_range());
            for n in 0..old.len().max(new.len()) {
                let old = Some(old.start + n).filter(|at| old.contains(at));
                let new = Some(new.start + n).filter(|at| new.contains(at));
                let old = old.and_then(|at| Some((at + 1, difference.old_slice(at)?)));
                let new = new.and_then(|at| Some((at + 1, difference.new_slice(at)?)));
                row(&mut out, matches!(op, DiffOp::Equal { .. }), old, new);
            }
        }
    }
    out + "</tbody></table>"
}

/// One line of each side, by number.
fn row(out: &mut String, is_equal: bool, old: Option<(usize, &str)>, new: Option<(usize, &str)>) {
    let (old_text, new_text) = match (old, new) {
        (Some((_, old)), Some((_, new))) if !is_equal => marked(old, new),
        _ => {
            let only = |side: Option<(usize, &str)>| side.map(|(_, line)| whole(line)).unwrap_or_default();
            (only(old), only(new))
        }
    };
    *out += "<tr>";
    for (side, number, text) in [("old", old, old_text), ("new", new, new_text)] {
        let _ = match number {
            Some((number, _)) => {
                let side = if is_equal { String::new() } else { format!(" class=\"{side}\"") };
                write!(out, "<td class=\"number\">{number}</td><td{side}>{text}</td>")
            }
            None => write!(out, "<td class=\"number\"></td><td></td>"),
        };
    }
    *out += "</tr>\n";
}

/// A line as HTML. A missing newline at the end is noted.
fn whole(line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(line) => html(line),
        None => format!("{} <i>(no newline at the end)</i>", html(line)),
    }
}

/// Two lines, with everything between their common start and common end marked.
fn marked(old: &str, new: &str) -> (String, String) {
    let common = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        a.zip(b).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum()
    };
    let (old_line, new_line) = (old.strip_suffix('\n'), new.strip_suffix('\n'));
    let (Some(old_line), Some(new_line)) = (old_line, new_line) else { return (whole(old), whole(new)) };
    let start = common(&mut old_line.chars(), &mut new_line.chars());
    let (old_rest, new_rest) = (&old_line[start..], &new_line[start..]);
    let end = common(&mut old_rest.chars().rev(), &mut new_rest.chars().rev());
    let mark = |rest: &str| {
        let middle = rest.len() - end;
        let (middle, end) = rest.split_at(middle);
        let middle = if middle.is_empty() { String::new() } else { format!("<mark>{}</mark>", html(middle)) };
        format!("{}{middle}{}", html(&old_line[..start]), html(end))
    };
    (mark(old_rest), mark(new_rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_beside_those_they_replace() {
        let text = side_by_side("a\nport 80 tcp\nb\n", "a\nport 443 tcp\nb\nc\n");
        for part in [
            "<td class=\"old\">port <mark>80</mark> tcp</td>",
            "<td class=\"new\">port <mark>443</mark> tcp</td>",
            "<tr><td class=\"number\"></td><td></td><td class=\"number\">4</td><td class=\"new\">c</td></tr>",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_text_without_an_end_says_so() {
        let text = side_by_side("a\nb", "a\nb\n");
        assert_eq!(text.matches("no newline at the end").count(), 1, "{text}");
    }

    #[test]
    fn nothing_in_a_line_is_markup() {
        let text = side_by_side("é<b>\nx\n", "é<i>\nx\n");
        assert!(text.contains("é&lt;<mark>b</mark>&gt;") && !text.contains("<b>"), "{text}");
    }
}
