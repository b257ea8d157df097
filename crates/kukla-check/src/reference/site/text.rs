//! Markdown of comments as HTML: paragraphs, lists, code, headings, links and emphasis.

use std::fmt::Write;

/// Text with the characters escaped that mean something in HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A comment as HTML.
pub fn html(text: &str) -> String {
    let mut out = String::new();
    let mut block = Block::None;
    let mut fence = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            block.close(&mut out);
            out.push_str(if fence { "</code></pre>\n" } else { "<pre><code>" });
            fence = !fence;
            continue;
        }
        if fence {
            let _ = writeln!(out, "{}", escape(line));
            continue;
        }
        let item = trimmed.strip_prefix("* ").or_else(|| trimmed.strip_prefix("- "));
        if trimmed.is_empty() {
            if block != Block::Code {
                block.close(&mut out);
            } else {
                out.push('\n');
            }
        } else if let Some(item) = item {
            block.enter(Block::List, &mut out);
            let _ = write!(out, "<li>{}", inline(item));
        } else if line.starts_with("    ") && matches!(block, Block::None | Block::Code) {
            block.enter(Block::Code, &mut out);
            let _ = writeln!(out, "{}", escape(&line[4..]));
        } else if let Some(title) = trimmed.strip_prefix('#') {
            block.close(&mut out);
            let _ = writeln!(out, "<h5>{}</h5>", inline(title.trim_start_matches('#').trim()));
        } else {
            if matches!(block, Block::None | Block::Code) {
                block.enter(Block::Paragraph, &mut out);
            } else {
                out.push('\n');
            }
            out.push_str(&inline(trimmed));
        }
    }
    block.close(&mut out);
    if fence {
        out.push_str("</code></pre>\n");
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    None,
    Paragraph,
    List,
    Code,
}

impl Block {
    fn enter(&mut self, next: Block, out: &mut String) {
        if *self != next {
            self.close(out);
            out.push_str(match next {
                Block::None => "",
                Block::Paragraph => "<p>",
                Block::List => "<ul>",
                Block::Code => "<pre><code>",
            });
            *self = next;
        }
    }

    fn close(&mut self, out: &mut String) {
        out.push_str(match self {
            Block::None => "",
            Block::Paragraph => "</p>\n",
            Block::List => "</ul>\n",
            Block::Code => "</code></pre>\n",
        });
        *self = Block::None;
    }
}

/// The code, links and emphasis in a line.
pub fn inline(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let span = match c {
            '`' => {
                rest[1..].split_once('`').map(|(code, rest)| (format!("<code>{}</code>", escape(code)), rest))
            }
            '*' if rest.starts_with("**") => rest[2..]
                .split_once("**")
                .filter(|(inner, _)| !inner.is_empty())
                .map(|(inner, rest)| (format!("<strong>{}</strong>", escape(inner)), rest)),
            '[' => link(rest),
            'h' if rest.starts_with("https://") || rest.starts_with("http://") => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | ')' | '"'))
                    .unwrap_or(rest.len());
                let address = rest[..end].trim_end_matches(['.', ',', ';', ':']);
                Some((anchor(address, address), &rest[address.len()..]))
            }
            _ => None,
        };
        match span {
            Some((html, after)) => {
                out.push_str(&html);
                rest = after;
            }
            None => {
                out.push_str(&escape(&rest[..c.len_utf8()]));
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// `[text](address)`, for addresses of the web only.
fn link(text: &str) -> Option<(String, &str)> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (address, rest) = rest.split_once(')')?;
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    (is_web && !label.contains('[')).then(|| (anchor(address, label), rest))
}

fn anchor(address: &str, label: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escape(address), escape(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_html() {
        assert_eq!(
            html("One\ntwo.\n\n* a\n* `b<c>`\n"),
            "<p>One\ntwo.</p>\n<ul><li>a<li><code>b&lt;c&gt;</code></ul>\n"
        );
        assert_eq!(html("```puppet\n<x>\n```"), "<pre><code>&lt;x&gt;\n</code></pre>\n");
        assert_eq!(inline("see [x](javascript:y) **b**"), "see [x](javascript:y) <strong>b</strong>");
        assert_eq!(inline("at https://a.b/c."), "at <a href=\"https://a.b/c\">https://a.b/c</a>.");
    }
}
