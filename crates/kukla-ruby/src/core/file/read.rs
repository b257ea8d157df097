//! Whole files: `File.read`, `File.readlines`, `File.foreach`, `File.write`.

use std::rc::Rc;

use kukla_world::{Change, FileError, Opening};

use super::change::length_of;
use super::mode::Mode;
use super::path::{located, path_text};
use crate::args::Args;
use crate::class::{ANY, ClassId, Native, iterator, method, methods};
use crate::core::enumerator::unknown;
use crate::effects::ERRORS;
use crate::error::{Result, Unwind};
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::{HashObject, Value};

/// Methods of `IO`, which `File` inherits.
pub const READ: &[Native] = methods![
    method("read", 1, 4, read),
    method("binread", 1, 3, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        let bytes = contents(ruby, &path)?;
        Ok(Value::str(Text::binary(part(ruby, bytes, args.get(1), args.get(2))?)))
    }),
    method("readlines", 1, ANY, |ruby, _, args| Ok(Value::array(lines(ruby, args)?))),
    iterator("foreach", 1, ANY, foreach, unknown),
    method("write", 2, ANY, write).alias("binwrite"),
];

fn foreach(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    for line in lines(ruby, args)? {
        ruby.yield_to(block, &[line])?;
    }
    Ok(Value::Nil)
}

/// `File.write(path, text, offset)`: without an offset, what was there goes.
fn write(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    let [path, text, ..] = rest else {
        return Err(ruby.wrong_number_of_arguments(rest.len(), "2..3"));
    };
    let (path, text) = (path_text(ruby, path)?, ruby.display(text)?);
    let offset = rest.get(2).filter(|offset| !offset.is_nil());
    let mode = Mode::of(ruby, &[], keywords.map(|hash| &**hash), "w")?;
    let Some(opening) = mode.opening else {
        return Err(ruby.error(ClassId::IO_ERROR, "not opened for writing"));
    };
    let opening = Opening { truncate: opening.truncate && offset.is_none(), ..opening };
    let at = match offset {
        Some(offset) => length_of(ruby, offset)?,
        None => 0,
    };
    ruby.charge(text.len() as u64 / 64)?;
    ruby.change(&path, "rb_sysopen", Change::Open(opening))?;
    let at = if mode.appends { contents(ruby, &path)?.len() as u64 } else { at };
    ruby.change(&path, "rb_sysopen", Change::Put { at, bytes: &text })?;
    Ok(Value::Int(text.len() as i64))
}

/// The contents of a file, or Ruby's complaint.
pub fn contents(ruby: &mut Ruby<'_>, path: &str) -> Result<Vec<u8>> {
    let place = located(ruby, path);
    match ruby.host.world().read(&place) {
        Ok(bytes) => {
            ruby.charge(bytes.len() as u64 / 64)?;
            Ok(bytes)
        }
        Err(_) if super::kind(ruby, path) == Some(super::Kind::Directory) => {
            Err(ruby.errno("EISDIR", &format!("Is a directory @ io_fread - {path}")))
        }
        Err(error) => Err(complaint(ruby, path, "rb_sysopen", error)),
    }
}

/// The exception for what could not be read.
pub fn complaint(ruby: &mut Ruby<'_>, path: &str, function: &str, error: FileError) -> Box<Unwind> {
    match error {
        FileError::Refused(refusal) => ruby.error(ClassId::SECURITY_ERROR, refusal.to_string()),
        FileError::NotFound => {
            if let Some(refusal) = ruby.host.world().refusal(&located(ruby, path)) {
                return ruby.error(ClassId::SECURITY_ERROR, refusal.to_string());
            }
            ruby.errno("ENOENT", &format!("No such file or directory @ {function} - {path}"))
        }
        FileError::Other(why) => {
            let (name, words) = system_error(&why).unwrap_or(("EIO", &why));
            ruby.errno(name, &format!("{words} @ {function} - {path}"))
        }
    }
}

/// Ruby's class for an error of the system, whose message ends with its number.
fn system_error(why: &str) -> Option<(&'static str, &'static str)> {
    let (_, number) = why.strip_suffix(')')?.rsplit_once("(os error ")?;
    let number: i64 = number.parse().ok()?;
    ERRORS.iter().find(|(_, known, _)| *known == number).map(|(name, _, words)| (*name, *words))
}

fn part(
    ruby: &mut Ruby<'_>,
    bytes: Vec<u8>,
    length: Option<&Value>,
    offset: Option<&Value>,
) -> Result<Vec<u8>> {
    let offset = match offset.filter(|offset| !offset.is_nil()) {
        Some(offset) => ruby.to_int(offset)?,
        None => 0,
    };
    let Ok(offset) = usize::try_from(offset) else {
        return Err(ruby.errno("EINVAL", "Invalid argument - "));
    };
    let length = match length.filter(|length| !length.is_nil()) {
        Some(length) => {
            let length = ruby.to_int(length)?;
            match usize::try_from(length) {
                Ok(length) => length,
                Err(_) => return Err(ruby.argument_error(format!("negative length {length} given"))),
            }
        }
        None => usize::MAX,
    };
    let start = offset.min(bytes.len());
    let end = start.saturating_add(length).min(bytes.len());
    Ok(bytes[start..end].to_vec())
}

/// The encoding that `mode:` and `encoding:` ask for.
pub fn encoding_of(ruby: &mut Ruby<'_>, keywords: Option<&HashObject>) -> Result<Encoding> {
    let Some(keywords) = keywords else { return Ok(Encoding::Utf8) };
    let mut words = String::new();
    for name in ["mode", "encoding", "external_encoding"] {
        if let Some(value) = ruby.keyword(keywords, name) {
            words.push_str(&ruby.display(&value)?.to_str_lossy().to_ascii_lowercase());
            words.push(' ');
        }
    }
    let binary =
        words.contains("binary") || words.contains("ascii-8bit") || words.split(' ').any(|word| word == "rb");
    Ok(match () {
        () if binary => Encoding::Binary,
        () if words.contains("us-ascii") => Encoding::Ascii,
        () => Encoding::Utf8,
    })
}

fn read(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    let encoding = encoding_of(ruby, keywords.map(|hash| &**hash))?;
    let Some(path) = rest.first() else { return Err(ruby.wrong_number_of_arguments(0, "1+")) };
    let path = path_text(ruby, path)?;
    let bytes = contents(ruby, &path)?;
    let limited = rest.get(1).is_some_and(|length| !length.is_nil());
    let empty = bytes.is_empty();
    let bytes = part(ruby, bytes, rest.get(1), rest.get(2))?;
    if limited && bytes.is_empty() && !empty {
        return Ok(Value::Nil);
    }
    Ok(Value::str(Text::new(bytes, if limited { Encoding::Binary } else { encoding })))
}

/// Splits text into lines, each with its end unless that is cut off.
pub fn split_lines(bytes: &[u8], separator: &[u8], chomp: bool) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let paragraph = separator.is_empty();
    let separator: &[u8] = if paragraph { b"\n\n" } else { separator };
    let mut rest = bytes;
    while !rest.is_empty() {
        if paragraph {
            while let [b'\n', more @ ..] = rest {
                rest = more;
            }
            if rest.is_empty() {
                break;
            }
        }
        let end = rest.windows(separator.len()).position(|window| window == separator);
        let (line, more) = rest.split_at(end.map_or(rest.len(), |end| end + separator.len()));
        let mut line = line;
        if chomp {
            line = line.strip_suffix(separator).unwrap_or(line);
            if separator == b"\n" {
                line = line.strip_suffix(b"\r").unwrap_or(line);
            }
        }
        lines.push(line.to_vec());
        rest = more;
    }
    lines
}

fn lines(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<Vec<Value>> {
    let (rest, keywords) = args.split();
    let keywords = keywords.map(|hash| &**hash);
    let encoding = encoding_of(ruby, keywords)?;
    let chomp =
        keywords.and_then(|keywords| ruby.keyword(keywords, "chomp")).is_some_and(|chomp| chomp.is_true());
    let Some(path) = rest.first() else { return Err(ruby.wrong_number_of_arguments(0, "1+")) };
    let path = path_text(ruby, path)?;
    let bytes = contents(ruby, &path)?;
    let separator = match rest.get(1) {
        None => Some(b"\n".to_vec()),
        Some(Value::Nil) => None,
        Some(separator) => Some(ruby.to_text(separator)?.to_vec()),
    };
    let found = match separator {
        Some(separator) => split_lines(&bytes, &separator, chomp),
        None if bytes.is_empty() => Vec::new(),
        None => vec![bytes],
    };
    ruby.charge(found.len() as u64)?;
    Ok(found.into_iter().map(|line| Value::str(Text::new(line, encoding))).collect())
}
