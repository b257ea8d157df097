//! The mistake behind a syntax error in an ERB template: a block without its `end`, or an `end` without its block.

use kukla_ruby::SyntaxProblem;
use kukla_syntax::Span;

/// Where the mistake is, what is wrong there, and what to write.
pub struct Mistake {
    /// The tag at fault.
    pub span: Span,
    /// The problem, in a few words.
    pub what: &'static str,
    /// Advice.
    pub advice: &'static str,
}

/// Finds the tag whose block is never closed, or that closes nothing. Only tags that open or close a block as a whole are counted, so
/// that templates with other code between tags get no advice.
pub fn find(text: &str, problem: &SyntaxProblem) -> Option<Mistake> {
    let mut open: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("<%") {
        let start = at + found;
        let inside = start + 2;
        if text[inside..].starts_with('%') {
            at = inside + 1;
            continue;
        }
        let Some(length) = text[inside..].find("%>") else {
            let span = Span::new(start as u32, inside as u32);
            return Some(Mistake { span, what: "this tag is not closed", advice: "close it with `%>`" });
        };
        let code = text[inside..inside + length].trim_matches(['-', ' ', '\t', '\n', '\r']);
        let span = Span::new(start as u32, (inside + length + 2) as u32);
        at = inside + length + 2;
        if code.starts_with(['#', '=']) && !opens_block(code) {
            continue;
        }
        if is_end(code) {
            let surplus = open.pop().is_none();
            if surplus {
                return Some(Mistake {
                    span,
                    what: "this `end` closes nothing",
                    advice: "delete it, or write the `if`, `unless` or `do` that it should close",
                });
            }
        } else if opens_block(code) {
            open.push(span);
        }
    }
    let span = *open.last().filter(|_| problem.is_unfinished)?;
    Some(Mistake {
        span,
        what: "the block that this opens is not closed",
        advice: "write `<% end -%>` after the block",
    })
}

fn is_end(code: &str) -> bool {
    code == "end" || code.strip_prefix("end").is_some_and(|rest| rest.starts_with([' ', '#', '.', ';']))
}

/// Whether code opens a block that another tag closes.
fn opens_block(code: &str) -> bool {
    let code = code.trim_start_matches('=').trim_start();
    let first = code.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let has_end = code.split(|c: char| !c.is_alphanumeric()).any(|word| word == "end");
    let has_do =
        code.trim_end_matches(|c: char| c != '|').strip_suffix('|').is_some_and(|head| {
            head.rsplit_once('|').is_some_and(|(head, _)| head.trim_end().ends_with("do"))
        }) || code.ends_with(" do");
    !has_end
        && (matches!(first, "if" | "unless" | "case" | "while" | "until" | "for" | "begin" | "def") || has_do)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(&str, &'static str)> {
        let problem = SyntaxProblem { line: 1, message: String::new(), is_unfinished: true };
        let mistake = find(text, &problem)?;
        Some((&text[mistake.span.range()], mistake.what))
    }

    #[test]
    fn the_tag_at_fault_is_found() {
        let open = "the block that this opens is not closed";
        assert_eq!(found("<% if @a %>\nx\n"), Some(("<% if @a %>", open)));
        assert_eq!(found("<% [1].each do |x| %>\n<%= x %>\n"), Some(("<% [1].each do |x| %>", open)));
        assert_eq!(found("<% if a %><% if b %>x<% end %>"), Some(("<% if a %>", open)));
        assert_eq!(
            found("<% if a -%>x<% else -%>y<% end -%>\n<% end -%>"),
            Some(("<% end -%>", "this `end` closes nothing"))
        );
        assert_eq!(found("<%= a"), Some(("<%", "this tag is not closed")));
        assert_eq!(found("<%# if %><%% if %>"), None);
        assert_eq!(found("<% x = if a then 1 else 2 end %>"), None);
    }
}
