//! Applies fixes to texts.

use crate::finding::Fix;

/// The text with all fixes applied that do not overlap with an earlier one, and these fixes, each once.
pub fn apply<'f>(text: &str, fixes: &[&'f Fix]) -> (String, Vec<&'f Fix>) {
    let mut sorted: Vec<&'f Fix> = fixes.to_vec();
    sorted.sort_by_key(|fix| (fix.span.start, fix.span.end));
    sorted.dedup();
    let (mut out, mut end, mut made) = (String::with_capacity(text.len()), 0usize, Vec::new());
    for fix in sorted {
        let range = fix.span.range();
        let Some(between) =
            text.get(end..range.start).filter(|_| range.start >= end && range.end <= text.len())
        else {
            continue;
        };
        out.push_str(between);
        out.push_str(&fix.text);
        end = range.end;
        made.push(fix);
    }
    out.push_str(text.get(end..).unwrap_or_default());
    (out, made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kukla::syntax::Span;

    #[test]
    fn changes_that_do_not_overlap() {
        let fix =
            |start, end, text: &str| Fix { span: Span::new(start, end), text: text.into(), is_safe: true };
        let (first, second, third) = (fix(0, 1, "A"), fix(4, 5, "EE"), fix(0, 3, "x"));
        assert_eq!(apply("abcde", &[&second, &first, &third]), ("AbcdEE".into(), vec![&first, &second]));
        assert_eq!(apply("abc", &[&second]), ("abc".into(), vec![]));
    }
}
