//! Heredocs that say what they are written in: `@("END":json)` must be JSON once its variables are filled in.

use kukla_syntax::Source;
use kukla_values::Value;

use crate::error::{Flow, Raise};
use crate::program::Heredoc;
use crate::vm::Vm;

impl Vm<'_> {
    pub(crate) fn eval_heredoc(&mut self, heredoc: &Heredoc) -> Flow {
        let value = self.eval(&heredoc.text)?;
        if let Value::String(text) = &value
            && let Err(why) = check(&heredoc.syntax, text)
        {
            let message = format!("Invalid produced text having syntax: '{}'. {why}", heredoc.syntax);
            return Err(self.at(Raise::error("INVALID_HEREDOC_TEXT", message), heredoc.text.span));
        }
        Ok(value)
    }
}

/// Checks text against a syntax. Of `a+b` the most specific part that is known counts; what is not known is not checked.
pub(crate) fn check(syntax: &str, text: &str) -> Result<(), String> {
    let mut rest = syntax;
    loop {
        if let Some(result) = check_one(rest, text) {
            return result;
        }
        match rest.split_once('+') {
            Some((_, after)) => rest = after,
            None => return Ok(()),
        }
    }
}

fn check_one(syntax: &str, text: &str) -> Option<Result<(), String>> {
    let first_error = |parse: kukla_syntax::Parse| match parse.diagnostics.into_iter().find(|d| d.is_error()) {
        Some(wrong) => Err(wrong.message),
        None => Ok(()),
    };
    match syntax {
        "json" => {
            let parsed = serde_json::from_str::<serde_json::Value>(text);
            Some(parsed.map(|_| ()).map_err(|error| format!("JSON syntax checker: Cannot parse invalid JSON string. {error}")))
        }
        "pp" => Some(first_error(kukla_syntax::parse(&Source::unnamed(text)))),
        "epp" => Some(first_error(kukla_syntax::parse_epp(&Source::unnamed(text)))),
        "base64" => Some(check_base64(text)),
        _ => None,
    }
}

fn check_base64(text: &str) -> Result<(), String> {
    let body: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let data = body.trim_end_matches('=');
    let legal = data.chars().all(|c| c.is_ascii_alphanumeric() || c == '+' || c == '/');
    match legal && body.len() % 4 == 0 && body.len() - data.len() <= 2 {
        true => Ok(()),
        false => Err("Base64 syntax checker: Cannot parse invalid Base64 string".to_owned()),
    }
}
