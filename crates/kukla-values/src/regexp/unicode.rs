//! The characters that names stand for: `\w`, `[[:alpha:]]`, `\p{Greek}`.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use regex_syntax::hir::{Class, HirKind};

use super::set::Set;

/// Which characters `\w`, POSIX brackets and the like mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// `(?d)`: escapes are ASCII, POSIX brackets and word boundaries Unicode.
    Default,
    /// `(?a)`: all are ASCII.
    Ascii,
    /// `(?u)`: all are Unicode.
    Unicode,
}

/// The members of a class letter: `w`, `d`, `s`, `h`.
pub(super) fn letter(letter: char, unicode: bool) -> Set {
    let name = match letter {
        'w' => "word",
        'd' => "digit",
        's' => "space",
        _ => "xdigit",
    };
    posix(name, !unicode).unwrap_or_default()
}

/// The members of a class known to POSIX, or that Ruby adds to these.
pub(super) fn posix(name: &str, ascii: bool) -> Option<Set> {
    let bracket = match (name, ascii) {
        ("alnum", true) => "[0-9A-Za-z]",
        ("alpha", true) => "[A-Za-z]",
        ("blank", true) => r"[\t ]",
        ("cntrl", true) => r"[\x00-\x1f\x7f]",
        ("digit", true) => "[0-9]",
        ("graph", true) => r"[\x21-\x7e]",
        ("lower", true) => "[a-z]",
        ("print", true) => r"[\x20-\x7e]",
        ("punct", true) => r"[!-/:-@\[-`{-\x7e]",
        ("space", true) => r"[ \t\n\r\x0b\x0c]",
        ("upper", true) => "[A-Z]",
        ("word", true) => "[0-9A-Za-z_]",
        ("xdigit", _) => "[0-9A-Fa-f]",
        ("ascii", _) => r"[\x00-\x7f]",
        ("alnum", _) => r"[\p{Alphabetic}\p{Nd}]",
        ("alpha", _) => r"\p{Alphabetic}",
        ("blank", _) => r"[\t\p{Zs}]",
        ("cntrl", _) => r"\p{Cc}",
        ("digit", _) => r"\p{Nd}",
        ("graph", _) => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        ("lower", _) => r"\p{Lowercase}",
        ("print", _) => r"[[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}]",
        ("punct", _) => r"[\p{P}$+<=>\^`|\x7e]",
        ("space", _) => r"\p{White_Space}",
        ("upper", _) => r"\p{Uppercase}",
        ("word", _) => r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]",
        _ => return None,
    };
    lookup(bracket)
}

/// The members of a property as Ruby names them: case, blanks, hyphens and underscores do not matter.
pub(super) fn property(name: &str) -> Option<Set> {
    let plain: String =
        name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).collect::<String>().to_lowercase();
    if plain.is_empty() || !plain.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '=' | '.')) {
        return None;
    }
    if let Some(break_class) = plain.strip_prefix("gcb=") {
        return lookup(&format!(r"\p{{gcb={break_class}}}"));
    }
    match plain.as_str() {
        "any" => return Some(Set::of([(0, 0x10_ffff)])),
        "assigned" => return lookup(r"\P{Cn}"),
        // As a property it lacks the symbols that POSIX counts as punctuation.
        "punct" => return lookup(r"\p{P}"),
        _ if plain.contains('=') && !plain.starts_with("age=") => return None,
        _ => {}
    }
    posix(&plain, false).or_else(|| lookup(&format!(r"\p{{{plain}}}")))
}

/// Whether a character belongs to a word, for `\b`.
pub(super) fn is_word(code: u32) -> bool {
    static WORD: LazyLock<Set> = LazyLock::new(|| letter('w', true));
    match code {
        0..=0x7f => char::from(code as u8).is_ascii_alphanumeric() || code == u32::from(b'_'),
        _ => WORD.contains(code),
    }
}

/// A class in the syntax of `regex`; each is read once.
fn lookup(pattern: &str) -> Option<Set> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Option<Set>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(set) = known.get(pattern) {
        return set.clone();
    }
    let set = read(pattern);
    // Requests for names that do not exist must not fill memory with them.
    if set.is_some() {
        known.insert(pattern.to_owned(), set.clone());
    }
    set
}

fn read(pattern: &str) -> Option<Set> {
    match regex_syntax::parse(pattern).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(Set::of(
            class.ranges().iter().map(|range| (u32::from(range.start()), u32::from(range.end()))),
        )),
        HirKind::Literal(literal) => {
            Some(Set::of(std::str::from_utf8(&literal.0).ok()?.chars().map(|c| (u32::from(c), u32::from(c)))))
        }
        _ => None,
    }
}
