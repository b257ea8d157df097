//! Files that are open.

use std::rc::Rc;

use kukla_world::Change;

use super::change::{length_of, mode_of, owner_of};
use super::mode::Mode;
use super::path::path_text;
use super::read::{contents, split_lines};
use crate::args::Args;
use crate::class::{ANY, ClassId, Native, iterator, method, methods, private, quick};
use crate::core::enumerator::unknown;
use crate::error::Result;
use crate::proc::ProcObject;
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
    reads: bool,
    writes: bool,
    /// Whether all that is written goes to its end.
    appends: bool,
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
pub const STREAM: &[Native] = methods![
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
    quick("eof?", 0, 0, |ruby, this, _| {
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
    quick("pos", 0, 0, |ruby, this, _| with(ruby, this, true, |stream| Value::Int(stream.at as i64))),
    method("tell", 0, 0, |ruby, this, _| with(ruby, this, true, |stream| Value::Int(stream.at as i64))),
    method("seek", 1, 2, seek),
    method("pos=", 1, 1, |ruby, this, args| {
        seek(ruby, this, args)?;
        Ok(args[0].clone())
    }),
    method("lineno", 0, 0, |ruby, this, _| with(ruby, this, true, |stream| Value::Int(stream.line))),
    method("binmode", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| stream.encoding = Encoding::Binary)?;
        Ok(this.clone())
    }),
    method("set_encoding", 1, ANY, |_, this, _| Ok(this.clone())),
    method("read", 0, 2, read),
    quick("gets", 0, 3, gets),
    quick("readline", 0, 3, |ruby, this, args| match gets(ruby, this, args)? {
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
    iterator("each_line", 0, 3, each_line, unknown).alias("each"),
    quick("getc", 0, 0, |ruby, this, _| {
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
    quick("getbyte", 0, 0, |ruby, this, _| {
        with(ruby, this, true, |stream| {
            let byte = stream.bytes.get(stream.at).copied();
            stream.at += usize::from(byte.is_some());
            Value::from(byte.map(i64::from))
        })
    }),
    method("write", 0, ANY, write),
    method("syswrite", 1, 1, write),
    method("write_nonblock", 1, 2, |ruby, this, args| {
        write(ruby, this, &Args { list: &args.list[..1], ..*args })
    }),
    method("truncate", 1, 1, |ruby, this, args| {
        let length = length_of(ruby, &args[0])?;
        change(ruby, this, Change::Resize(length))?;
        with(ruby, this, true, |stream| {
            stream.bytes.resize(usize::try_from(length).unwrap_or(usize::MAX), 0);
            Value::Int(0)
        })
    }),
    method("chmod", 1, 1, |ruby, this, args| {
        let mode = mode_of(ruby, &args[0])?;
        change(ruby, this, Change::Mode(mode))
    }),
    method("chown", 2, 2, |ruby, this, args| {
        let owner = owner_of(ruby, &args[0], &args[1])?;
        change(ruby, this, owner)
    }),
    method("stat", 0, 0, stat).alias("lstat"),
    method("flush", 0, 0, |_, this, _| Ok(this.clone())),
    method("flock", 1, 1, |_, _, _| Ok(Value::Int(0))),
];

fn stat(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let path = with(ruby, this, true, |stream| Value::from(stream.path.as_str()))?;
    super::stat(ruby, &Args::new(&[path]), "rb_file_s_stat")
}

fn seek(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let distance = ruby.to_int(&args[0])?;
    let whence = match args.get(1) {
        Some(Value::Symbol(name)) => ruby.name(*name).to_owned(),
        Some(number) => ruby.to_int(number)?.to_string(),
        None => "SET".to_owned(),
    };
    let at = with(ruby, this, true, |stream| {
        let from = match whence.as_str() {
            "CUR" | "1" => stream.at,
            "END" | "2" => stream.bytes.len(),
            _ => 0,
        };
        (from as i64).saturating_add(distance)
    })?;
    match at {
        Value::Int(at @ 0..) => with(ruby, this, true, |stream| {
            stream.at = at as usize;
            Value::Int(0)
        }),
        _ => {
            let path = with(ruby, this, true, |stream| Value::from(stream.path.as_str()))?;
            let path = path_text(ruby, &path)?;
            Err(ruby.errno("EINVAL", &format!("Invalid argument - {path}")))
        }
    }
}

/// Writes go to the file at once, so nothing is lost if it is never closed.
fn write(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut added = Vec::new();
    for value in args.list {
        added.extend_from_slice(&ruby.display(value)?);
    }
    ruby.charge(added.len() as u64 / 64)?;
    let at = with(ruby, this, true, |stream| {
        let at = if stream.appends { stream.bytes.len() } else { stream.at };
        stream.writes.then_some(at as i64)
    })?;
    let Value::Int(at) = at else { return Err(ruby.error(ClassId::IO_ERROR, "not opened for writing")) };
    change(ruby, this, Change::Put { at: at as u64, bytes: &added })?;
    with(ruby, this, true, |stream| {
        let (start, end) = (at as usize, at as usize + added.len());
        stream.bytes.resize(stream.bytes.len().max(end), 0);
        stream.bytes[start..end].copy_from_slice(&added);
        stream.at = end;
        Value::Int(added.len() as i64)
    })
}

fn change(ruby: &mut Ruby<'_>, this: &Value, change: Change<'_>) -> Result {
    let path = with(ruby, this, true, |stream| Value::from(stream.path.as_str()))?;
    let path = path_text(ruby, &path)?;
    ruby.change(&path, "rb_sysopen", change)
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    let Some((path, more)) = rest.split_first() else {
        return Err(ruby.wrong_number_of_arguments(0, "1..3"));
    };
    let path = path_text(ruby, path)?;
    let mode = Mode::of(ruby, more, keywords.map(|hash| &**hash), "r")?;
    if let Some(opening) = mode.opening {
        ruby.change(&path, "rb_sysopen", Change::Open(opening))?;
    }
    let is_empty = mode.opening.is_some_and(|opening| opening.truncate || opening.new);
    let bytes = if is_empty { Vec::new() } else { contents(ruby, &path)? };
    if let Value::Object(object) = this {
        object.set_payload(Stream {
            path,
            bytes,
            at: 0,
            line: 0,
            closed: false,
            encoding: mode.encoding,
            reads: mode.reads,
            writes: mode.opening.is_some(),
            appends: mode.appends,
        });
    }
    Ok(Value::Nil)
}

/// An error unless a file may be read.
fn check_reading(ruby: &mut Ruby<'_>, this: &Value) -> Result<()> {
    match with(ruby, this, true, |stream| Value::Bool(stream.reads))? {
        Value::Bool(true) => Ok(()),
        _ => Err(ruby.error(ClassId::IO_ERROR, "not opened for reading")),
    }
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
    check_reading(ruby, this)?;
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
    check_reading(ruby, this)?;
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

fn each_line(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
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
