//! Encodings of strings: asking, changing, converting.

use unicode_normalization::UnicodeNormalization;

use crate::args::Args;
use crate::class::{ClassId, Native, method, quick};
use crate::core::encoding;
use crate::core::string::{common_encoding, own, own_to_change};
use crate::error::{Result, Unwind};
use crate::memory::Output;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, NoChar, Text};
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = &[
    quick("ascii_only?", 0, 0, is_ascii_only),
    method("b", 0, 0, binary),
    method("encode", 0, 3, encode),
    method("encode!", 0, 3, encode_in_place),
    quick("encoding", 0, 0, encoding_of),
    quick("force_encoding", 1, 1, force_encoding),
    method("scrub", 0, 1, scrub),
    method("scrub!", 0, 1, scrub_in_place),
    method("unicode_normalize", 0, 1, unicode_normalize),
    method("unicode_normalize!", 0, 1, unicode_normalize_in_place),
    method("unicode_normalized?", 0, 1, is_unicode_normalized),
    quick("valid_encoding?", 0, 0, is_valid_encoding),
];

fn is_ascii_only(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(own(ruby, this)?.text().is_ascii().into())
}

fn is_valid_encoding(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(own(ruby, this)?.text().is_valid().into())
}

fn binary(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::str(own(ruby, this)?.text().clone().in_encoding(Encoding::Binary)))
}

fn encoding_of(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let encoding = own(ruby, this)?.text().encoding();
    Ok(encoding::value(ruby, encoding))
}

fn force_encoding(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let encoding = encoding::from_value(ruby, &args[0])?;
    string.text_mut().set_encoding(encoding);
    Ok(this.clone())
}

/// The treatment of characters that cannot be converted, and of line ends.
#[derive(Default)]
struct Manner {
    replace_invalid: bool,
    replace_undefined: bool,
    replacement: Option<Text>,
    fallback: Value,
    xml: Option<Xml>,
    newlines: Option<Newlines>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Xml {
    Text,
    Attribute,
}

#[derive(Clone, Copy)]
enum Newlines {
    Universal,
    CrLf,
    Cr,
}

impl Manner {
    fn is_plain(&self) -> bool {
        self.xml.is_none() && self.newlines.is_none()
    }
}

fn manner(ruby: &mut Ruby<'_>, keywords: &HashObject) -> Result<Manner> {
    let mut manner = Manner::default();
    let word = |ruby: &mut Ruby<'_>, name: &str| -> Option<String> {
        match ruby.keyword(keywords, name)? {
            Value::Symbol(symbol) => Some(ruby.name(symbol).to_owned()),
            Value::Nil => None,
            _ => Some(String::new()),
        }
    };
    match word(ruby, "invalid").as_deref() {
        Some("replace") => manner.replace_invalid = true,
        Some(_) => return Err(ruby.argument_error("unknown value for invalid character option")),
        None => {}
    }
    match word(ruby, "undef").as_deref() {
        Some("replace") => manner.replace_undefined = true,
        Some(_) => return Err(ruby.argument_error("unknown value for undefined character option")),
        None => {}
    }
    if let Some(given) = ruby.keyword(keywords, "replace").filter(|given| !given.is_nil()) {
        manner.replacement = Some(ruby.to_text(&given)?);
    }
    manner.fallback = ruby.keyword(keywords, "fallback").unwrap_or_default();
    match word(ruby, "xml").as_deref() {
        Some("text") => manner.xml = Some(Xml::Text),
        Some("attr") => manner.xml = Some(Xml::Attribute),
        Some(other) => return Err(ruby.argument_error(format!("unexpected value for xml option: {other}"))),
        None => {}
    }
    let on =
        |ruby: &mut Ruby<'_>, name: &str| ruby.keyword(keywords, name).is_some_and(|given| given.is_true());
    if on(ruby, "universal_newline") {
        manner.newlines = Some(Newlines::Universal);
    } else if on(ruby, "crlf_newline") {
        manner.newlines = Some(Newlines::CrLf);
    } else if on(ruby, "cr_newline") {
        manner.newlines = Some(Newlines::Cr);
    }
    match word(ruby, "newline").as_deref() {
        Some("universal") => manner.newlines = Some(Newlines::Universal),
        Some("crlf") => manner.newlines = Some(Newlines::CrLf),
        Some("cr") => manner.newlines = Some(Newlines::Cr),
        _ => {}
    }
    Ok(manner)
}

fn no_converter(ruby: &mut Ruby<'_>, from: &str, to: &str) -> Box<Unwind> {
    ruby.error(ClassId::CONVERTER_NOT_FOUND_ERROR, format!("code converter not found ({from} to {to})"))
}

fn bytes_shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect()
}

/// Bytes in the quotes of a message.
fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes_shown(bytes))
}

/// The error for bytes that are not characters; it names the following bytes where Ruby does.
fn invalid(ruby: &mut Ruby<'_>, text: &Text, at: usize, len: usize, why: NoChar) -> Box<Unwind> {
    let bytes = &text[at..at + len];
    let encoding = text.encoding().name();
    let cut_short = len >= 2 || (!text.encoding().is_single_byte() && leads(text[at]));
    let message = match (why, text.get(at + len)) {
        (NoChar::Unfinished, _) => format!("incomplete {} on {encoding}", quoted(bytes)),
        (NoChar::Invalid, Some(next)) if cut_short => {
            let printable = next.is_ascii_graphic() || *next == b' ';
            let next = if printable { format!("\"{}\"", char::from(*next)) } else { quoted(&[*next]) };
            format!("{} followed by {next} on {encoding}", quoted(bytes))
        }
        (NoChar::Invalid, _) => format!("{} on {encoding}", quoted(bytes)),
    };
    ruby.error(ClassId::INVALID_BYTE_SEQUENCE_ERROR, message)
}

/// Whether a byte begins a character of several bytes in UTF-8.
fn leads(byte: u8) -> bool {
    (0xc2..=0xf4).contains(&byte)
}

/// How many bytes at a position belong together in being invalid.
fn invalid_len(text: &Text, at: usize) -> (usize, NoChar) {
    let rest = &text[at..];
    let encoding = text.encoding();
    if encoding == Encoding::Utf8
        && let Some(chunk) = rest.utf8_chunks().next()
        && chunk.valid().is_empty()
    {
        let len = chunk.invalid().len().max(1);
        let why = if at + len == text.len() { encoding.precise_len(rest).err() } else { None };
        return (len, why.unwrap_or(NoChar::Invalid));
    }
    (encoding.unit().min(rest.len()), encoding.precise_len(rest).err().unwrap_or(NoChar::Invalid))
}

/// How many times the effort of copying a replacement it takes to convert it.
const REPLACEMENT_EFFORT: usize = 8;

/// Text converted to another encoding.
fn convert(ruby: &mut Ruby<'_>, text: &Text, from: Encoding, to: Encoding, manner: &Manner) -> Result<Text> {
    let text = text.clone().in_encoding(from);
    ruby.charge(1 + text.len() as u64 / 8)?;
    let mark: &[u8] = match to {
        Encoding::Utf16 => &[0xfe, 0xff],
        Encoding::Utf32 => &[0, 0, 0xfe, 0xff],
        _ => &[],
    };
    let written = match to {
        Encoding::Utf16 => Encoding::Utf16be,
        Encoding::Utf32 => Encoding::Utf32be,
        other => other,
    };
    let read = match (from, text.as_bytes()) {
        (Encoding::Utf16, [0xff, 0xfe, ..]) => Encoding::Utf16le,
        (Encoding::Utf16, _) => Encoding::Utf16be,
        (Encoding::Utf32, [0xff, 0xfe, 0, 0, ..]) => Encoding::Utf32le,
        (Encoding::Utf32, _) => Encoding::Utf32be,
        (other, _) => other,
    };
    let text = text.in_encoding(read);
    let mut out = Output::with_capacity(text.len());
    if !text.is_empty() {
        out.extend_from_slice(mark);
    }
    let put = |out: &mut Output, char: char| match written.encode(char) {
        Some(bytes) => {
            out.extend_from_slice(&bytes);
            true
        }
        None => false,
    };
    let put_all = |out: &mut Output, text: &str| {
        text.chars().for_each(|char| {
            put(out, char);
        })
    };
    if manner.xml == Some(Xml::Attribute) {
        put(&mut out, '"');
    }
    let default_replacement = if written.is_unicode() { "\u{fffd}" } else { "?" };
    let replacement = manner.replacement.as_ref().map(|text| text.to_str_lossy().into_owned());
    let replacement = replacement.as_deref().unwrap_or(default_replacement);
    let mut at = if from.is_dummy()
        && matches!(text.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..])
    {
        read.unit()
    } else {
        0
    };
    let mut after_cr = false;
    while at < text.len() {
        let rest = &text[at..];
        let len = match read.precise_len(rest) {
            Ok(len) => len,
            Err(_) => {
                let (len, why) = invalid_len(&text, at);
                if !manner.replace_invalid {
                    return Err(invalid(ruby, &text, at, len, why));
                }
                ruby.charge_bytes(REPLACEMENT_EFFORT * replacement.len())?;
                put_all(&mut out, replacement);
                at += len;
                continue;
            }
        };
        let char = &rest[..len];
        at += len;
        let Some(unicode) = read.decode(char) else {
            if manner.replace_undefined {
                ruby.charge_bytes(REPLACEMENT_EFFORT * replacement.len())?;
                put_all(&mut out, replacement);
                continue;
            }
            if let Some(with) = fallback(ruby, manner, &text, char)? {
                out.extend_from_slice(&with);
                continue;
            }
            let through = if to.is_unicode() && to != Encoding::Utf8 && !read.is_unicode() {
                format!(" from {} to UTF-8", read.name())
            } else {
                format!(" from {} to {}", read.name(), to.name())
            };
            let message = match (read, to) {
                (Encoding::Binary | Encoding::Ascii, Encoding::Utf8) => format!("{}{through}", quoted(char)),
                (_, Encoding::Utf8) => {
                    format!("{} to UTF-8 in conversion from {} to UTF-8", quoted(char), read.name())
                }
                _ => format!(
                    "{} to UTF-8 in conversion from {} to UTF-8 to {}",
                    quoted(char),
                    read.name(),
                    to.name()
                ),
            };
            return Err(ruby.error(ClassId::UNDEFINED_CONVERSION_ERROR, message));
        };
        match manner.newlines {
            Some(Newlines::Universal) => {
                let was_cr = std::mem::replace(&mut after_cr, unicode == '\r');
                match unicode {
                    '\r' => {
                        put(&mut out, '\n');
                        continue;
                    }
                    '\n' if was_cr => continue,
                    _ => {}
                }
            }
            Some(Newlines::CrLf) if unicode == '\n' => put_all(&mut out, "\r"),
            Some(Newlines::Cr) if unicode == '\n' => {
                put(&mut out, '\r');
                continue;
            }
            _ => {}
        }
        if let Some(xml) = manner.xml {
            let escaped = match unicode {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' if xml == Xml::Attribute => "&quot;",
                '\'' if xml == Xml::Attribute => "&apos;",
                _ => "",
            };
            if !escaped.is_empty() {
                put_all(&mut out, escaped);
                continue;
            }
        }
        if put(&mut out, unicode) {
            continue;
        }
        if manner.replace_undefined {
            ruby.charge_bytes(REPLACEMENT_EFFORT * replacement.len())?;
            put_all(&mut out, replacement);
        } else if manner.xml.is_some() {
            put_all(&mut out, &format!("&#x{:X};", u32::from(unicode)));
        } else if let Some(with) = fallback(ruby, manner, &text, char)? {
            out.extend_from_slice(&with);
        } else {
            return Err(undefined(ruby, unicode, read, to));
        }
    }
    if manner.xml == Some(Xml::Attribute) {
        put(&mut out, '"');
    }
    Ok(Text::new(out.into_vec(), to))
}

/// The complaint about a character that the other encoding does not have.
fn undefined(ruby: &mut Ruby<'_>, unicode: char, from: Encoding, to: Encoding) -> Box<Unwind> {
    let code = format!("U+{:04X}", u32::from(unicode));
    let message = match (from, to) {
        // Ruby's converter goes by names in capitals and tells its way if the encoding is called otherwise.
        (Encoding::Utf8, to) if to.name().bytes().any(|byte| byte.is_ascii_lowercase()) => {
            let to = to.name().to_ascii_uppercase();
            format!("{code} to {to} in conversion from UTF-8 to {to}")
        }
        (Encoding::Utf8, to) => format!("{code} from UTF-8 to {}", to.name()),
        (from, to) => format!(
            "{code} to {to} in conversion from {from} to UTF-8 to {to}",
            to = to.name(),
            from = from.name()
        ),
    };
    ruby.error(ClassId::UNDEFINED_CONVERSION_ERROR, message)
}

/// The result of the fallback of a conversion for a character.
fn fallback(ruby: &mut Ruby<'_>, manner: &Manner, text: &Text, char: &[u8]) -> Result<Option<Text>> {
    if manner.fallback.is_nil() {
        return Ok(None);
    }
    let char = Value::str(text.with_bytes(char.to_vec()));
    let name = if let Value::Hash(_) = manner.fallback { sym::INDEX } else { sym::CALL };
    let name = if ruby.responds_to(&manner.fallback, name, true)? { name } else { sym::INDEX };
    let answer = ruby.send(&manner.fallback, name, &[char])?;
    if answer.is_nil() { Ok(None) } else { ruby.to_text(&answer).map(Some) }
}

/// The result of `encode`; `None` if nothing is to be done.
fn encoded(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result<Option<Text>> {
    let text = own(ruby, this)?.text().clone();
    let (given, keywords) = args.split();
    let manner = match keywords {
        Some(keywords) => manner(ruby, keywords)?,
        None => Manner::default(),
    };
    let name_of = |ruby: &mut Ruby<'_>, value: &Value| -> Result<String> {
        match encoding::of_value(value) {
            Some(encoding) => Ok(encoding.name().to_owned()),
            None => Ok(ruby.to_text(value)?.to_str_lossy().into_owned()),
        }
    };
    let (to_name, from_name) = match given {
        [] if keywords.is_none() => return Ok(None),
        [] => (text.encoding().name().to_owned(), text.encoding().name().to_owned()),
        [to] => (name_of(ruby, to)?, text.encoding().name().to_owned()),
        [to, from, ..] => (name_of(ruby, to)?, name_of(ruby, from)?),
    };
    let (to, from) = match (Encoding::named(&to_name), Encoding::named(&from_name)) {
        (Some(to), Some(from)) => (to, from),
        _ => return Err(no_converter(ruby, &from_name, &to_name)),
    };
    if to == from && manner.is_plain() {
        if manner.replace_invalid {
            let with = manner.replacement.clone();
            return Ok(Some(
                scrubbed(ruby, &text.clone().in_encoding(from), with.as_ref(), None)?.unwrap_or(text),
            ));
        }
        return Ok(Some(text.in_encoding(to)));
    }
    if manner.is_plain() && text.clone().in_encoding(from).is_ascii() && to.is_ascii_compatible() {
        return Ok(Some(text.in_encoding(to)));
    }
    if (!to.is_convertible() || !from.is_convertible()) && to != from {
        return Err(no_converter(ruby, &from_name, &to_name));
    }
    convert(ruby, &text, from, to, &manner).map(Some)
}

fn encode(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    match encoded(ruby, this, args)? {
        Some(text) => Ok(Value::str(text)),
        None => Ok(Value::str(own(ruby, this)?.text().clone())),
    }
}

fn encode_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    if let Some(text) = encoded(ruby, this, args)? {
        *string.text_mut() = text;
    }
    Ok(this.clone())
}

/// The text with what is not valid replaced; `None` if all is.
pub(crate) fn scrubbed(
    ruby: &mut Ruby<'_>,
    text: &Text,
    with: Option<&Text>,
    block: Option<&std::rc::Rc<crate::proc::ProcObject>>,
) -> Result<Option<Text>> {
    if text.is_valid() {
        return Ok(None);
    }
    let encoding = text.encoding();
    if let Some(with) = with {
        common_encoding(ruby, text, with)?;
        if !with.is_valid() {
            return Err(ruby.argument_error(format!(
                "replacement must be valid byte sequence '{}'",
                with.to_str_lossy()
            )));
        }
    }
    let default = if encoding.is_unicode() { encoding.encode('\u{fffd}') } else { Some(b"?".to_vec()) };
    let mut out = Output::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if let Ok(len) = encoding.precise_len(&text[at..]) {
            out.extend_from_slice(&text[at..at + len]);
            at += len;
            continue;
        }
        let (len, _) = invalid_len(text, at);
        match (with, block) {
            (Some(with), _) => {
                ruby.charge_bytes(with.len())?;
                out.extend_from_slice(with);
            }
            (None, Some(block)) => {
                let part = Value::str(text.slice(at..at + len));
                let answer = ruby.yield_to(block, &[part])?;
                let answer = ruby.to_text(&answer)?;
                common_encoding(ruby, text, &answer)?;
                if !answer.is_valid() {
                    return Err(ruby.argument_error(format!(
                        "replacement must be valid byte sequence '{}'",
                        answer.to_str_lossy()
                    )));
                }
                out.extend_from_slice(&answer);
            }
            (None, None) => out.extend_from_slice(default.as_deref().unwrap_or_default()),
        }
        at += len;
    }
    Ok(Some(text.with_bytes(out.into_vec())))
}

fn scrub_text(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result<Option<Text>> {
    let with = match args.get(0) {
        None | Some(Value::Nil) => None,
        Some(given) => Some(ruby.to_text(given)?),
    };
    let text = own(ruby, this)?.text().clone();
    scrubbed(ruby, &text, with.as_ref(), args.block)
}

fn scrub(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let text = scrub_text(ruby, this, args)?;
    Ok(Value::str(match text {
        Some(text) => text,
        None => own(ruby, this)?.text().clone(),
    }))
}

fn scrub_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if let Some(text) = scrub_text(ruby, this, args)? {
        let string = own_to_change(ruby, this)?;
        *string.text_mut() = text;
    }
    Ok(this.clone())
}

fn normalized(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result<Text> {
    let form = match args.get(0) {
        None => "nfc".to_owned(),
        Some(Value::Symbol(symbol)) => ruby.name(*symbol).to_owned(),
        Some(other) => {
            let shown = ruby.display(other)?.to_str_lossy().into_owned();
            return Err(ruby.argument_error(format!("Invalid normalization form {shown}.")));
        }
    };
    if !matches!(form.as_str(), "nfc" | "nfd" | "nfkc" | "nfkd") {
        return Err(ruby.argument_error(format!("Invalid normalization form {form}.")));
    }
    let text = own(ruby, this)?.text().clone();
    ruby.charge(1 + text.len() as u64 / 4)?;
    if !text.encoding().is_unicode() && text.encoding() != Encoding::Ascii {
        let name = text.encoding().name();
        return Err(ruby.error(
            ClassId::COMPATIBILITY_ERROR,
            format!("Unicode Normalization not appropriate for {name}"),
        ));
    }
    if text.is_ascii() {
        return Ok(text);
    }
    super::must_be_valid(ruby, &text)?;
    let encoding = text.encoding();
    let chars = text.chars().filter_map(|char| encoding.decode(char));
    // The longest decomposition makes eleven bytes of one.
    ruby.grown(if form.starts_with("nfk") { 11 * text.len() } else { 3 * text.len() })?;
    let result: String = match form.as_str() {
        "nfd" => chars.nfd().collect(),
        "nfkc" => chars.nfkc().collect(),
        "nfkd" => chars.nfkd().collect(),
        _ => chars.nfc().collect(),
    };
    if encoding == Encoding::Utf8 {
        return Ok(result.into());
    }
    Ok(Text::new(result.chars().filter_map(|char| encoding.encode(char)).flatten().collect(), encoding))
}

fn unicode_normalize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(Value::str(normalized(ruby, this, args)?))
}

fn unicode_normalize_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let text = normalized(ruby, this, args)?;
    *string.text_mut() = text;
    Ok(this.clone())
}

fn is_unicode_normalized(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let text = normalized(ruby, this, args)?;
    Ok((own(ruby, this)?.text().as_bytes() == text.as_bytes()).into())
}
