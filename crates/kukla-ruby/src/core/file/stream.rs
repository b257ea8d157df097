//! Files that are open, to read.

use super::path::path_text;
use super::read::{contents, encoding_of, split_lines};
use crate::args::Args;
use crate::class::{ANY, ClassId, Native, method, private};
use crate::core::numeric::enumerator;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{Object, Value};

/// A file that is open: all that is in it, and how far it was read.
struct Stream {
    path: String,
    bytes: Vec<u8>,
    at: usize,
    line: i64,
    closed: bool,
    encoding: Encoding,
}

/// Methods of the class itself.
pub const OPEN: &[Native] = &[method("open", 1, ANY, |ruby, this, args| {
    let file = ruby.call(this, sym::NEW, &Args { block: None, ..*args })?;
    let Some(block) = args.block else { return Ok(file) };
    let result = ruby.yield_to(block, std::slice::from_ref(&file));
    with(ruby, &file, false, |stream| stream.closed = true)?;
    result
})];

/// Methods of open files.
pub const STREAM: &[Native] = &[
    private("initialize", 1, ANY, initialize),
    method("path", 0, 0, |ruby, this, _| with(ruby, this, false, |stream| Value::from(stream.path.as_str()))),
    method("to_path", 0, 0, |ruby, this, _| {
        with(ruby, this, false, |stream| Value::from(stream.path.as_str()))
    }),
    method("inspect", 0, 0, |ruby, this, _| {
        with(ruby, this, false, |stream| {
            let closed = if stream.closed { " (closed)" } else { "" };
            Value::from(format!("#<File:{}{closed}>", stream.path))
        })
    }),
    method("close", 0, 0, |ruby, this, _| {
        with(ruby, this, false, |stream| stream.closed = true)?;
        Ok(Value::Nil)
    }),
    method("closed?", 0, 0, |ruby, this, _| with(ruby, this, false, |stream| Value::Bool(stream.closed))),
    method("size", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| Value::Int(stream.bytes.len() as i64))
    }),
    method("eof?", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| Value::Bool(stream.at >= stream.bytes.len()))
    }),
    method("eof", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| Value::Bool(stream.at >= stream.bytes.len()))
    }),
    method("rewind", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| {
            stream.at = 0;
            stream.line = 0;
            Value::Int(0)
        })
    }),
    method("pos", 0, 0, |ruby, this, _| with(ruby, this, true, |stream| Value::Int(stream.at as i64))),
    method("tell", 0, 0, |ruby, this, _| with(ruby, this, true, |stream| Value::Int(stream.at as i64))),
    method("seek", 1, 2, |ruby, this, args| {
        let at = ruby.to_int(&args[0])?.max(0) as usize;
        with(ruby, this, true, |stream| {
            stream.at = at;
            Value::Int(0)
        })
    }),
    method("lineno", 0, 0, |ruby, this, _| with(ruby, this, true, |stream| Value::Int(stream.line))),
    method("binmode", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| stream.encoding = Encoding::Binary)?;
        Ok(this.clone())
    }),
    method("set_encoding", 1, ANY, |_, this, _| Ok(this.clone())),
    method("read", 0, 2, read),
    method("gets", 0, 3, gets),
    method("readline", 0, 3, |ruby, this, args| match gets(ruby, this, args)? {
        Value::Nil => Err(ruby.error(ClassId::EOF_ERROR, "end of file reached")),
        line => Ok(line),
    }),
    method("readlines", 0, 3, |ruby, this, args| {
        let mut lines = Vec::new();
        loop {
            match gets(ruby, this, args)? {
                Value::Nil => return Ok(Value::array(lines)),
                line => lines.push(line),
            }
        }
    }),
    method("each_line", 0, 3, each_line),
    method("each", 0, 3, each_line),
    method("getc", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| {
            let rest = &stream.bytes[stream.at.min(stream.bytes.len())..];
            let length = match rest.first() {
                None => return Value::Nil,
                Some(_) => rest.utf8_chunks().next().map_or(1, |chunk| {
                    chunk.valid().chars().next().map_or(chunk.invalid().len().max(1), char::len_utf8)
                }),
            };
            let character = rest[..length].to_vec();
            stream.at += length;
            Value::str(Text::new(character, stream.encoding))
        })
    }),
    method("getbyte", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| {
            let byte = stream.bytes.get(stream.at).copied();
            stream.at += usize::from(byte.is_some());
            Value::from(byte.map(i64::from))
        })
    }),
    method("write", 0, ANY, refuse),
    method("print", 0, ANY, refuse),
    method("puts", 0, ANY, refuse),
    method("<<", 1, 1, refuse),
    method("flock", 1, 1, |_, _, _| Ok(Value::Int(0))),
];

fn refuse(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Err(ruby.error(ClassId::IO_ERROR, "not opened for writing"))
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    let Some(path) = rest.first() else { return Err(ruby.wrong_number_of_arguments(0, "1..3")) };
    let path = path_text(ruby, path)?;
    let mode = match rest.get(1) {
        Some(Value::Int(flags)) if flags & 3 != 0 => "w".to_owned(),
        Some(mode @ Value::String(_)) => ruby.display(mode)?.to_str_lossy().into_owned(),
        _ => match keywords.and_then(|keywords| ruby.keyword(keywords, "mode")) {
            Some(mode) => ruby.display(&mode)?.to_str_lossy().into_owned(),
            None => "r".to_owned(),
        },
    };
    if mode.starts_with(['w', 'a']) || mode.contains('+') {
        return Err(ruby.refuse_change(&format!("writing '{path}'")));
    }
    if !mode.starts_with('r') {
        return Err(ruby.argument_error(format!("invalid access mode {mode}")));
    }
    let mut encoding = encoding_of(ruby, keywords.map(|hash| &**hash))?;
    if mode.split(':').next().is_some_and(|mode| mode.contains('b')) && !mode.contains(':') {
        encoding = Encoding::Binary;
    }
    let bytes = contents(ruby, &path)?;
    if let Value::Object(object) = this {
        object.set_payload(Stream { path, bytes, at: 0, line: 0, closed: false, encoding });
    }
    Ok(Value::Nil)
}

/// Works on the stream behind a file; with `open` only if it is open still.
fn with<T: Into<Value>>(
    ruby: &mut Ruby<'_>,
    this: &Value,
    open: bool,
    run: impl FnOnce(&mut Stream) -> T,
) -> Result {
    let Value::Object(object) = this else {
        return Err(ruby.error(ClassId::IO_ERROR, "uninitialized stream"));
    };
    match Object::payload_mut::<Stream>(object) {
        Some(stream) if open && stream.closed => {}
        Some(mut stream) => return Ok(run(&mut stream).into()),
        None => return Err(ruby.error(ClassId::IO_ERROR, "uninitialized stream")),
    }
    Err(ruby.error(ClassId::IO_ERROR, "closed stream"))
}

fn read(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let length = match args.get(0).filter(|length| !length.is_nil()) {
        Some(length) => {
            let length = ruby.to_int(length)?;
            match usize::try_from(length) {
                Ok(length) => Some(length),
                Err(_) => return Err(ruby.argument_error(format!("negative length {length} given"))),
            }
        }
        None => None,
    };
    with(ruby, this, true, |stream| {
        let start = stream.at.min(stream.bytes.len());
        let end = start.saturating_add(length.unwrap_or(usize::MAX)).min(stream.bytes.len());
        if start == end && length.is_some_and(|length| length > 0) {
            return Value::Nil;
        }
        stream.at = end;
        let encoding = if length.is_some() { Encoding::Binary } else { stream.encoding };
        Value::str(Text::new(stream.bytes[start..end].to_vec(), encoding))
    })
}

fn gets(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    let chomp =
        keywords.and_then(|keywords| ruby.keyword(keywords, "chomp")).is_some_and(|chomp| chomp.is_true());
    let separator = match rest.first() {
        None | Some(Value::Int(_)) => Some(b"\n".to_vec()),
        Some(Value::Nil) => None,
        Some(separator) => Some(ruby.to_text(separator)?.to_vec()),
    };
    ruby.charge(1)?;
    with(ruby, this, true, |stream| {
        let rest = &stream.bytes[stream.at.min(stream.bytes.len())..];
        if rest.is_empty() {
            return Value::Nil;
        }
        let end = match &separator {
            Some(separator) if !separator.is_empty() => rest
                .windows(separator.len())
                .position(|window| window == separator)
                .map_or(rest.len(), |at| at + separator.len()),
            Some(_) => rest.windows(2).position(|window| window == b"\n\n").map_or(rest.len(), |at| at + 2),
            None => rest.len(),
        };
        let whole = &rest[..end];
        let line = match &separator {
            Some(separator) if chomp => split_lines(whole, separator, true).pop().unwrap_or_default(),
            _ => whole.to_vec(),
        };
        stream.at += end;
        stream.line += 1;
        Value::str(Text::new(line, stream.encoding))
    })
}

fn each_line(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else { return enumerator(ruby, this, "each_line", args) };
    loop {
        match gets(ruby, this, args)? {
            Value::Nil => return Ok(this.clone()),
            line => ruby.yield_to(block, &[line])?,
        };
    }
}

impl From<()> for Value {
    fn from((): ()) -> Value {
        Value::Nil
    }
}
