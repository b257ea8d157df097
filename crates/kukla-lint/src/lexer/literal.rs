//! Tokens that a pattern describes: names, numbers, operators, variables.

use memchr::memchr;

use super::{blanks, is_word};
use crate::token::Kind;

/// The names of types that are built in, as puppet-lint knows them.
const TYPES: [&str; 36] = [
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "CatalogEntry",
    "Class",
    "Collection",
    "Data",
    "Default",
    "Enum",
    "Error",
    "Float",
    "Hash",
    "Integer",
    "Iterable",
    "Iterator",
    "NotUndef",
    "Numeric",
    "Optional",
    "Pattern",
    "Regexp",
    "Resource",
    "RichData",
    "Runtime",
    "Scalar",
    "ScalarData",
    "SemVer",
    "SemVerRange",
    "Sensitive",
    "String",
    "Struct",
    "Tuple",
    "Type",
    "Undef",
    "Variant",
];

/// Operators, each before those that it begins with.
const OPERATORS: [(&str, Kind); 40] = [
    ("[", Kind::Lbrack),
    ("]", Kind::Rbrack),
    ("{", Kind::Lbrace),
    ("}", Kind::Rbrace),
    ("(", Kind::Lparen),
    (")", Kind::Rparen),
    ("==", Kind::Isequal),
    ("=~", Kind::Match),
    ("=>", Kind::Farrow),
    ("=", Kind::Equals),
    ("+=", Kind::Appends),
    ("+>", Kind::Parrow),
    ("+", Kind::Plus),
    (">=", Kind::Greaterequal),
    (">>", Kind::Rshift),
    (">", Kind::Greaterthan),
    ("<=", Kind::Lessequal),
    ("<<|", Kind::Llcollect),
    ("<-", Kind::OutEdge),
    ("<~", Kind::OutEdgeSub),
    ("<|", Kind::Lcollect),
    ("<<", Kind::Lshift),
    ("<", Kind::Lessthan),
    ("!~", Kind::Nomatch),
    ("!=", Kind::Notequal),
    ("!", Kind::Not),
    ("|>>", Kind::Rrcollect),
    ("|>", Kind::Rcollect),
    ("->", Kind::InEdge),
    ("~>", Kind::InEdgeSub),
    ("-", Kind::Minus),
    (",", Kind::Comma),
    (".", Kind::Dot),
    (":", Kind::Colon),
    (";", Kind::Semic),
    ("?", Kind::Qmark),
    ("\\", Kind::Backslash),
    ("*", Kind::Times),
    ("%", Kind::Modulo),
    ("|", Kind::Pipe),
];

/// The token at the beginning of a text that a pattern describes, and its length.
pub(super) fn known(text: &str) -> Option<(Kind, usize)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    match first {
        b' ' | b'\t' | 0x0b | 0x0c | 0x80.. => match blanks(text) {
            0 => None,
            length => Some((Kind::Whitespace, length)),
        },
        b'A'..=b'Z' => Some(capitalised(text)),
        b'0'..=b'9' => number(text).map(|length| (Kind::Number, length)).or_else(|| name(text)),
        b'a'..=b'z' | b'_' => name(text),
        b':' if bytes.get(1) == Some(&b':') => {
            if bytes.get(2).is_some_and(u8::is_ascii_uppercase) {
                Some(capitalised(text))
            } else {
                name(text).or(Some((Kind::Colon, 1)))
            }
        }
        _ => OPERATORS
            .iter()
            .find(|(operator, _)| bytes.starts_with(operator.as_bytes()))
            .map(|(operator, kind)| (*kind, operator.len())),
    }
}

fn capitalised(text: &str) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len());
    let is_whole = text[end..].chars().next().is_none_or(|next| !next.is_alphanumeric());
    if is_whole && end > 0 && TYPES.contains(&&text[..end]) {
        return (Kind::Type, end);
    }
    let mut at = 0;
    loop {
        let start = if bytes[at..].starts_with(b"::") { at + 2 } else { at };
        if !bytes.get(start).is_some_and(u8::is_ascii_uppercase) {
            return (Kind::Classref, at);
        }
        at = start + run(&bytes[start..]);
    }
}

/// The number of bytes of a name without colons.
fn run(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !is_word(*byte) && *byte != b'-').unwrap_or(bytes.len())
}

/// A name or keyword.
fn name(text: &str) -> Option<(Kind, usize)> {
    let bytes = text.as_bytes();
    let begins = |at: usize, underscore: bool| {
        bytes.get(at).is_some_and(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || (underscore && *byte == b'_')
        })
    };
    let start = if bytes.starts_with(b"::") { 2 } else { 0 };
    if !begins(start, true) {
        return None;
    }
    let mut at = start + run(&bytes[start..]);
    while bytes[at..].starts_with(b"::") && begins(at + 2, false) {
        at += 2 + run(&bytes[at + 2..]);
    }
    let kind = if bytes.get(at) == Some(&b'(') {
        Kind::FunctionName
    } else {
        Kind::of_keyword(&text[..at]).unwrap_or(Kind::Name)
    };
    Some((kind, at))
}

/// The length of a number, which ends where a word ends.
fn number(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let ends =
        |at: usize| text[at..].chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_');
    if let [b'0', b'x' | b'X', ..] = bytes {
        let hex = bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if hex > 0 && ends(2 + hex) {
            return Some(2 + hex);
        }
    }
    let whole = digits(0);
    let fraction = match bytes.get(whole) {
        Some(b'.') if digits(whole + 1) > 0 => whole + 1 + digits(whole + 1),
        _ => whole,
    };
    let exponent = |from: usize| match bytes.get(from) {
        Some(b'e' | b'E') => {
            let sign = usize::from(bytes.get(from + 1) == Some(&b'-'));
            let count = if from + 1 + sign <= bytes.len() { digits(from + 1 + sign) } else { 0 };
            (count > 0).then_some(from + 1 + sign + count)
        }
        _ => None,
    };
    // The longest form that ends a word.
    [exponent(fraction), Some(fraction), exponent(whole), Some(whole)]
        .into_iter()
        .flatten()
        .find(|end| ends(*end))
}

/// The length of a variable after its `$`, with literal indexes on the same line; 0 if there is none.
pub(super) fn variable(bytes: &[u8]) -> usize {
    let mut at = variable_name(bytes);
    if at == 0 {
        return 0;
    }
    while bytes.get(at) == Some(&b'[') {
        let line = line_feed(&bytes[at..]);
        let inside = &bytes[at + 1..at + line];
        match inside.get(1..).and_then(|inside| memchr(b']', inside)) {
            Some(close) => at += close + 3,
            None => break,
        }
    }
    at
}

/// The length of the name of a variable; 0 if there is none.
pub(super) fn variable_name(bytes: &[u8]) -> usize {
    let words = |from: usize| bytes[from..].iter().take_while(|byte| is_word(**byte)).count();
    // Words that dashes join.
    let part = |from: usize| {
        let mut at = from + words(from);
        if at == from {
            return from;
        }
        while bytes.get(at) == Some(&b'-') && words(at + 1) > 0 {
            at += 1 + words(at + 1);
        }
        at
    };
    let start = if bytes.starts_with(b"::") { 2 } else { 0 };
    let mut at = part(start);
    if at == start {
        return 0;
    }
    while bytes[at..].starts_with(b"::") {
        let next = part(at + 2);
        if next == at + 2 {
            break;
        }
        at = next;
    }
    at
}

/// The offset of the next line feed, or of the end.
fn line_feed(bytes: &[u8]) -> usize {
    memchr(b'\n', bytes).unwrap_or(bytes.len())
}

/// The number of bytes to the end of the line.
pub(super) fn line_length(bytes: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len())
}

/// The offset of the first `quote` with an even number of backslashes before it.
pub(super) fn closing(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr(quote, &bytes[from..])?;
        let backslashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The tag of a heredoc with its quotes, syntax and flags, if the text begins with one.
pub(super) fn heredoc_name(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("@(")?;
    let line = &inside[..line_feed(inside.as_bytes())];
    let first = line.chars().next()?.len_utf8();
    let close = first + memchr(b')', &line.as_bytes()[first..])?;
    Some(&inside[..close])
}
