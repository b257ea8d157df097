//! Strings as programs write them: `inspect`, `dump`, `undump`.

use std::sync::LazyLock;

use crate::args::Args;
use crate::class::{ClassId, Native, method};
use crate::core::encoding;
use crate::core::string::own;
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::Value;

pub(super) const METHODS: &[Native] =
    &[method("dump", 0, 0, dump), method("inspect", 0, 0, inspect), method("undump", 0, 0, undump)];

/// The characters that are shown by their number: controls, unassigned ones, line separators.
static UNPRINTABLE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let parsed = regex_syntax::parse(r"[\p{Cc}\p{Cn}\p{Zl}\p{Zp}&&[^\x{85}]]");
    let Ok(hir) = parsed else { return Vec::new() };
    match hir.kind() {
        regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
            class.iter().map(|range| (range.start(), range.end())).collect()
        }
        _ => Vec::new(),
    }
});

/// Whether a character is shown as itself.
pub(crate) fn is_printable(char: char) -> bool {
    if char.is_ascii() {
        return !char.is_ascii_control();
    }
    let found = UNPRINTABLE.binary_search_by(|(from, to)| {
        if char < *from {
            std::cmp::Ordering::Greater
        } else if char > *to {
            std::cmp::Ordering::Less
        } else {
            std::cmp::Ordering::Equal
        }
    });
    found.is_err()
}

/// The letter after the backslash for a character that has one.
fn short_escape(byte: u8) -> Option<u8> {
    Some(match byte {
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x0c => b'f',
        0x0b => b'v',
        0x08 => b'b',
        0x07 => b'a',
        0x1b => b'e',
        _ => return None,
    })
}

fn push_code(shown: &mut Vec<u8>, code: u32) {
    let text = if code > 0xffff { format!("\\u{{{code:X}}}") } else { format!("\\u{code:04X}") };
    shown.extend_from_slice(text.as_bytes());
}

/// The text in quotes, as `inspect` shows it.
pub(crate) fn inspect_text(text: &Text) -> Vec<u8> {
    let encoding = text.encoding();
    let mut shown = Vec::with_capacity(text.len() + 2);
    shown.push(b'"');
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if encoding.precise_len(char) != Ok(char.len()) || encoding.is_dummy() {
            for byte in char {
                shown.extend_from_slice(format!("\\x{byte:02X}").as_bytes());
            }
            continue;
        }
        let code = encoding.codepoint(char);
        match u8::try_from(code).ok().filter(|byte| byte.is_ascii()) {
            Some(byte @ (b'"' | b'\\')) => shown.extend_from_slice(&[b'\\', byte]),
            Some(b'#') => {
                let next = chars.peek().map(|next| encoding.codepoint(next));
                let begins =
                    next.is_some_and(|next| [b'{', b'$', b'@'].iter().any(|sign| u32::from(*sign) == next));
                shown.extend_from_slice(if begins { b"\\#" } else { b"#" });
            }
            Some(byte) => match short_escape(byte) {
                Some(letter) => shown.extend_from_slice(&[b'\\', letter]),
                None if !byte.is_ascii_control() => shown.push(byte),
                None if encoding.is_unicode() => push_code(&mut shown, code),
                None => shown.extend_from_slice(format!("\\x{code:02X}").as_bytes()),
            },
            None if encoding == Encoding::Utf8 && char::from_u32(code).is_some_and(is_printable) => {
                shown.extend_from_slice(char);
            }
            None if encoding.is_unicode() => push_code(&mut shown, code),
            None if char.len() > 1 => {
                shown.extend_from_slice(
                    format!("\\x{{{}}}", char.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
                        .as_bytes(),
                );
            }
            None => shown.extend_from_slice(format!("\\x{code:02X}").as_bytes()),
        }
    }
    shown.push(b'"');
    shown
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let text = own(ruby, this)?.text();
    ruby.charge(1 + text.len() as u64 / 16)?;
    Ok(Value::str(inspect_text(&text)))
}

fn dump(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let text = own(ruby, this)?.text();
    ruby.charge(1 + text.len() as u64 / 16)?;
    let encoding = text.encoding();
    let utf8 = encoding == Encoding::Utf8;
    let mut shown = vec![b'"'];
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        let len = if utf8 { encoding.precise_len(&bytes[at..]).unwrap_or(1) } else { 1 };
        let char = &bytes[at..at + len];
        at += len;
        match *byte {
            b'"' | b'\\' => shown.extend_from_slice(&[b'\\', *byte]),
            b'#' if matches!(bytes.get(at), Some(b'{' | b'$' | b'@')) => shown.extend_from_slice(b"\\#"),
            byte => match short_escape(byte) {
                Some(letter) => shown.extend_from_slice(&[b'\\', letter]),
                None if byte.is_ascii() && !byte.is_ascii_control() => shown.push(byte),
                None if len > 1 => push_code(&mut shown, encoding.codepoint(char)),
                None => shown.extend_from_slice(format!("\\x{byte:02X}").as_bytes()),
            },
        }
    }
    shown.push(b'"');
    if !encoding.is_ascii_compatible() {
        shown.extend_from_slice(format!(".dup.force_encoding(\"{}\")", encoding.name()).as_bytes());
        return Ok(Value::str(Text::from(shown)));
    }
    Ok(Value::str(Text::new(shown, encoding)))
}

fn bad_dump(ruby: &mut Ruby<'_>, message: &str) -> Box<Unwind> {
    ruby.error(ClassId::RUNTIME_ERROR, message)
}

fn undump(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let text = own(ruby, this)?.text().clone();
    if !text.is_ascii() {
        return Err(bad_dump(ruby, "non-ASCII character detected"));
    }
    if text.contains(&0) {
        return Err(bad_dump(ruby, "string contains null byte"));
    }
    let not_wrapped =
        "invalid dumped string; not wrapped with '\"' nor '\"...\".force_encoding(\"...\")' form";
    let Some((b'"', rest)) = text.split_first() else { return Err(bad_dump(ruby, not_wrapped)) };
    let mut out = Vec::new();
    let mut at = 0;
    let (mut hexes, mut codes) = (false, false);
    loop {
        let Some(byte) = rest.get(at) else { return Err(bad_dump(ruby, "unterminated dumped string")) };
        at += 1;
        match byte {
            b'"' => break,
            b'\\' => {
                let Some(letter) = rest.get(at) else { return Err(bad_dump(ruby, "invalid escape")) };
                at += 1;
                match letter {
                    b'x' => {
                        hexes = true;
                        if codes {
                            return Err(bad_dump(ruby, "hex escape and Unicode escape are mixed"));
                        }
                        let found =
                            rest[at..].iter().take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
                        if found != 2 {
                            return Err(bad_dump(ruby, "invalid hex escape"));
                        }
                        out.push(hex(&rest[at..at + 2]) as u8);
                        at += 2;
                    }
                    b'u' => {
                        codes = true;
                        if hexes {
                            return Err(bad_dump(ruby, "hex escape and Unicode escape are mixed"));
                        }
                        if rest.get(at) == Some(&b'{') {
                            let Some(end) = memchr::memchr(b'}', &rest[at..]) else {
                                return Err(bad_dump(ruby, "unterminated Unicode escape"));
                            };
                            for code in rest[at + 1..at + end]
                                .split(|byte| *byte == b' ')
                                .filter(|code| !code.is_empty())
                            {
                                if !code.iter().all(u8::is_ascii_hexdigit) {
                                    return Err(bad_dump(ruby, "invalid Unicode codepoint"));
                                }
                                push_char(ruby, &mut out, hex(code))?;
                            }
                            at += end + 1;
                        } else {
                            let found =
                                rest[at..].iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
                            if found != 4 {
                                return Err(bad_dump(ruby, "invalid Unicode escape"));
                            }
                            push_char(ruby, &mut out, hex(&rest[at..at + 4]))?;
                            at += 4;
                        }
                    }
                    letter => out.push(match letter {
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'f' => 0x0c,
                        b'v' => 0x0b,
                        b'b' => 0x08,
                        b'a' => 0x07,
                        b'e' => 0x1b,
                        other => *other,
                    }),
                }
            }
            byte => out.push(*byte),
        }
    }
    let mut result = text.with_bytes(out);
    if codes {
        result.set_encoding(Encoding::Utf8);
    }
    let rest = &rest[at..];
    if rest.is_empty() {
        return Ok(Value::str(result));
    }
    let rest = rest.strip_prefix(b".dup").unwrap_or(rest);
    let name = rest.strip_prefix(b".force_encoding(\"").and_then(|rest| rest.strip_suffix(b"\")"));
    let Some(name) = name else { return Err(bad_dump(ruby, not_wrapped)) };
    let name = String::from_utf8_lossy(name).into_owned();
    let encoding = encoding::named(ruby, &name)?;
    Ok(Value::str(result.in_encoding(encoding)))
}

fn hex(digits: &[u8]) -> u32 {
    digits.iter().fold(0u32, |code, digit| {
        code.saturating_mul(16).saturating_add(char::from(*digit).to_digit(16).unwrap_or(0))
    })
}

fn push_char(ruby: &mut Ruby<'_>, out: &mut Vec<u8>, code: u32) -> Result<()> {
    match char::from_u32(code) {
        Some(char) => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        None if code > 0x10ffff => return Err(bad_dump(ruby, "invalid Unicode codepoint (too large)")),
        None => return Err(bad_dump(ruby, "invalid Unicode codepoint")),
    }
    Ok(())
}
