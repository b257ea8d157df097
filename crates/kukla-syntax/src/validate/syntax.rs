//! The syntax that a heredoc's tag claims for its text: `@(END:json)`.

use super::Checker;
use super::codes::*;
use crate::ast::Heredoc;
use crate::tree::Node;
use crate::{Diagnostic, Source, Span, Strict, diagnostic, parse, parse_epp};

impl<'t> Checker<'_, 't> {
    pub(super) fn heredoc(&mut self, token: Node<'t>) {
        let Some(heredoc) = Heredoc::cast(token) else { return };
        let syntax = heredoc.syntax_name();
        if syntax.is_empty() {
            return;
        }
        // Text with expressions in it is checked when they have been evaluated.
        let Some(text) = heredoc.value() else { return };
        let span = Span::at(heredoc.text_offset());
        if let Some(found) = check_text(&text, syntax, span) {
            self.report(found);
        }
    }
}

/// The error in a text of a given syntax, if the syntax is a known one. Of `a+b+c` the last known part
/// decides.
pub fn check_text(text: &str, syntax: &str, span: Span) -> Option<Diagnostic> {
    let mut known = syntax;
    loop {
        match known {
            "json" => return json(text, syntax, span),
            "pp" => {
                let source = Source::unnamed(text);
                let cause = first_error(&source, &parse(&source))?;
                return Some(diagnostic!(span, ILLEGAL_PP { syntax }).because(cause));
            }
            "epp" => {
                let source = Source::unnamed(text);
                let cause = first_error(&source, &parse_epp(&source))?;
                return Some(diagnostic!(span, ILLEGAL_EPP { syntax }).because(cause));
            }
            "base64" => return base64(text, syntax, span),
            _ => known = known.split_once('+')?.1,
        }
    }
}

fn first_error(source: &Source, parse: &crate::Parse) -> Option<Diagnostic> {
    let rules = super::Rules { strict: Strict::Error, ..super::Rules::default() };
    super::check(source, parse, &rules).into_iter().find(Diagnostic::is_error)
}

fn json(text: &str, syntax: &str, span: Span) -> Option<Diagnostic> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    // Puppet's parser quotes the text from the first character it has no use for.
    let line_start =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let rest = text.get(line_start + error.column().saturating_sub(1)..).unwrap_or("");
    let detail: String = format!("unexpected token at '{rest}'").chars().take(100).collect();
    let detail = detail.replace("\r\n", "\\n").replace('\n', "\\n");
    Some(diagnostic!(span, ILLEGAL_JSON { syntax, detail }))
}

fn base64(text: &str, syntax: &str, span: Span) -> Option<Diagnostic> {
    let clean: Vec<u8> =
        text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n' | b' ' | b'\t' | b'?')).collect();
    let digits = clean.iter().position(|&byte| byte == b'=').unwrap_or(clean.len());
    let padding = &clean[digits..];
    let letters =
        clean[..digits].iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    if letters
        && clean.len().is_multiple_of(4)
        && padding.len() <= 2
        && padding.iter().all(|&byte| byte == b'=')
    {
        return None;
    }
    let detail = if !(clean.len() * 8).is_multiple_of(6) {
        "padding is not correct"
    } else {
        "contains letters outside strict base 64 range (or whitespace)"
    };
    Some(diagnostic!(span, ILLEGAL_BASE64 { syntax, detail }))
}
