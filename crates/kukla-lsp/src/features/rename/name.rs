//! The rules for names.

use crate::outbox::Refusal;

/// Whether a text contains a word that is not part of a longer one.
pub fn has_word(text: &str, word: &str) -> bool {
    word_starts(text, word).next().is_some()
}

/// The places of a word that is not part of a longer one.
pub fn word_starts<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

fn is_segment(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Checks the name of a class, a defined type or a function.
pub fn check_qualified(name: &str) -> Result<(), Refusal> {
    const RESERVED: &[&str] = &[
        "and",
        "application",
        "attr",
        "case",
        "component",
        "consumes",
        "default",
        "define",
        "elsif",
        "environment",
        "false",
        "function",
        "if",
        "import",
        "in",
        "inherits",
        "node",
        "or",
        "private",
        "produces",
        "site",
        "true",
        "type",
        "undef",
        "unless",
        "main",
        "settings",
        "init",
    ];
    if !name.split("::").all(is_segment) {
        return Err(Refusal::failed(format!(
            "`{name}` is not a valid name: expected lower-case words of letters, digits and `_`, joined by `::`"
        )));
    }
    if RESERVED.contains(&name) {
        return Err(Refusal::failed(format!("`{name}` is a reserved word")));
    }
    Ok(())
}

/// Checks the name of a type alias.
pub fn check_alias(name: &str) -> Result<(), Refusal> {
    let is_valid = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if name.split("::").all(is_valid) {
        return Ok(());
    }
    Err(Refusal::failed(format!(
        "`{name}` is not a valid name of a type: expected capitalised words, joined by `::`"
    )))
}

/// Checks the name of a variable.
pub fn check_variable(name: &str) -> Result<(), Refusal> {
    let is_valid = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_valid {
        return Err(Refusal::failed(format!(
            "`{name}` is not a valid name of a variable: expected letters, digits and `_`, beginning in lower case"
        )));
    }
    if matches!(name, "trusted" | "facts" | "server_facts" | "name" | "title" | "module_name" | "environment")
    {
        return Err(Refusal::failed(format!("Puppet sets `${name}` itself")));
    }
    Ok(())
}

/// Checks a data key.
pub fn check_key(key: &str) -> Result<(), Refusal> {
    let is_valid = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-');
    if !key.is_empty() && key.chars().all(is_valid) && !key.starts_with(':') && !key.ends_with(':') {
        return Ok(());
    }
    Err(Refusal::failed(format!(
        "`{key}` is not a valid data key: expected letters, digits, `_`, `-` and `::`"
    )))
}
