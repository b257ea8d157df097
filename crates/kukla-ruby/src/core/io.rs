//! Streams.

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods};
use crate::core::{command, file, process};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{Object, Value};

/// The class `IO`.
pub const IO: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[METHODS],
    singleton: &[file::read::READ, command::IO, process::IO],
    setup: Some(|ruby, class| {
        for (place, name) in ["SEEK_SET", "SEEK_CUR", "SEEK_END"].into_iter().enumerate() {
            ruby.set_constant(class, name, Value::Int(place as i64));
        }
    }),
    ..NativeClass::class("IO", "Object")
};

/// The streams that every program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standard {
    Input,
    Output,
    Error,
}

/// Standard output, error and input.
pub(crate) fn standard_streams() -> (Value, Value, Value) {
    let stream = |standard: Standard| Value::Object(Object::with(ClassId::IO, standard));
    (stream(Standard::Output), stream(Standard::Error), stream(Standard::Input))
}

fn standard(this: &Value) -> Option<Standard> {
    match this {
        Value::Object(object) => object.payload::<Standard>().map(|standard| *standard),
        _ => None,
    }
}

const METHODS: &[Native] = methods![
    method("write", 0, ANY, write),
    method("puts", 0, ANY, puts),
    method("print", 0, ANY, print),
    method("<<", 1, 1, |ruby, this, args| {
        let text = ruby.display(&args[0])?;
        ruby.write_to(this, &text)?;
        Ok(this.clone())
    }),
    method("putc", 1, 1, |ruby, this, args| {
        putc(ruby, this, &args[0])?;
        Ok(args[0].clone())
    }),
    method("printf", 0, ANY, |ruby, this, args| {
        if args.is_empty() {
            return Ok(Value::Nil);
        }
        let format = ruby.symbols.intern("format");
        let kernel = Value::Class(ClassId::KERNEL);
        let text = ruby.call(&kernel, format, args)?;
        let text = ruby.display(&text)?;
        ruby.write_to(this, &text)?;
        Ok(Value::Nil)
    }),
    method("flush", 0, 0, |ruby, this, _| {
        ruby.host.flush_out().map_err(|error| ruby.error(ClassId::IO_ERROR, error.to_string()))?;
        Ok(this.clone())
    }),
    method("fsync", 0, 0, |_, _, _| Ok(Value::Int(0))),
    method("sync", 0, 0, |_, _, _| Ok(Value::Bool(true))),
    method("sync=", 1, 1, |_, _, args| Ok(args[0].clone())),
    method("fileno", 0, 0, fileno).alias("to_i"),
    method("tty?", 0, 0, |_, _, _| Ok(Value::Bool(false))),
    method("isatty", 0, 0, |_, _, _| Ok(Value::Bool(false))),
    method("close", 0, 0, |_, _, _| Ok(Value::Nil)),
    method("closed?", 0, 0, |_, _, _| Ok(Value::Bool(false))),
    method("set_encoding", 0, ANY, |_, this, _| Ok(this.clone())),
    method("external_encoding", 0, 0, |_, _, _| Ok(Value::Nil)),
    method("internal_encoding", 0, 0, |_, _, _| Ok(Value::Nil)),
    method("to_io", 0, 0, |_, this, _| Ok(this.clone())),
    method("inspect", 0, 0, |_, this, _| {
        Ok(Value::str(match standard(this) {
            Some(Standard::Input) => "#<IO:<STDIN>>",
            Some(Standard::Output) => "#<IO:<STDOUT>>",
            Some(Standard::Error) => "#<IO:<STDERR>>",
            None => "#<IO:(closed)>",
        }))
    }),
    method("gets", 0, ANY, |ruby, _, _| Ok(next_line(ruby))),
    method("read", 0, ANY, |ruby, _, _| {
        let mut all = Vec::new();
        while let Some(line) = ruby.host.read_line() {
            ruby.charge(line.len() as u64 / 64)?;
            all.extend_from_slice(&line);
        }
        Ok(Value::str(all))
    }),
    method("each_line", 0, ANY, |ruby, this, args| {
        let block = ruby.need_block(args)?.clone();
        while let Some(line) = ruby.host.read_line() {
            ruby.yield_to(&block, &[Value::str(line)])?;
        }
        Ok(this.clone())
    }),
];

fn fileno(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(match standard(this) {
        Some(Standard::Input) => 0,
        Some(Standard::Error) => 2,
        _ => 1,
    }))
}

fn next_line(ruby: &mut Ruby<'_>) -> Value {
    let line = ruby.host.read_line().map_or(Value::Nil, Value::str);
    let last = ruby.symbols.intern("$_");
    ruby.globals.insert(last, line.clone());
    line
}

/// `gets`
pub(crate) fn gets(ruby: &mut Ruby<'_>) -> Value {
    next_line(ruby)
}

fn write(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut length = 0;
    for value in args.list {
        let text = ruby.display(value)?;
        length += text.len() as i64;
        ruby.write_to(this, &text)?;
    }
    Ok(Value::Int(length))
}

fn print(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    for value in args.list {
        let text = ruby.display(value)?;
        ruby.write_to(this, &text)?;
    }
    Ok(Value::Nil)
}

fn puts(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let lines = ruby.lines_of(args.list)?;
    ruby.write_to(this, &Text::from(lines))?;
    Ok(Value::Nil)
}

pub(crate) fn putc(ruby: &mut Ruby<'_>, this: &Value, value: &Value) -> Result<()> {
    let bytes = match value {
        Value::String(string) => {
            let text = string.text();
            text.as_str()
                .and_then(|text| text.chars().next())
                .map_or_else(Vec::new, |c| c.to_string().into_bytes())
        }
        value => vec![ruby.to_int(value)? as u8],
    };
    ruby.write_to(this, &Text::from(bytes))
}

impl Ruby<'_> {
    /// The output of `puts`.
    pub fn lines_of(&mut self, values: &[Value]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        if values.is_empty() {
            out.push(b'\n');
        }
        let mut seen = Vec::new();
        for value in values {
            self.put_lines(value, &mut out, &mut seen)?;
        }
        self.charge(out.len() as u64 / 64)?;
        Ok(out)
    }

    fn put_lines(&mut self, value: &Value, out: &mut Vec<u8>, seen: &mut Vec<Value>) -> Result<()> {
        let array = match value {
            Value::String(_) => None,
            value => self.maybe_array(value)?,
        };
        if let Some(array) = array {
            let own = Value::Array(array.clone());
            if seen.iter().any(|outer| outer.is_same(&own)) {
                out.extend_from_slice(b"[...]\n");
                return Ok(());
            }
            seen.push(own);
            for item in array.to_vec() {
                kukla_syntax::deep(|| self.put_lines(&item, out, seen))?;
            }
            seen.pop();
            return Ok(());
        }
        let text = self.display(value)?;
        out.extend_from_slice(&text);
        if !text.ends_with(b"\n") {
            out.push(b'\n');
        }
        Ok(())
    }

    /// Writes to a stream: a standard one, or anything that has `write`.
    pub fn write_to(&mut self, stream: &Value, text: &Text) -> Result<()> {
        let Some(standard) = standard(stream) else {
            self.send(stream, sym::WRITE, &[Value::str(text.clone())])?;
            return Ok(());
        };
        self.charge(text.len() as u64 / 64)?;
        self.host.check_output(text.len())?;
        let written = match standard {
            Standard::Output => self.host.write_out(text),
            Standard::Error => self.host.write_err(text),
            Standard::Input => return Err(self.error(ClassId::IO_ERROR, "not opened for writing")),
        };
        written.map_err(|error| self.error(ClassId::IO_ERROR, error.to_string()))
    }

    /// `warn`, unless warnings are off.
    pub(crate) fn warn(&mut self, message: &str) -> Result<()> {
        let verbose = self.symbols.intern("$VERBOSE");
        if self.global(verbose)?.is_nil() {
            return Ok(());
        }
        let (file, line) = (self.current_file(), self.run.line);
        let stderr = self.symbols.intern("$stderr");
        let stream = self.global(stderr)?;
        self.write_to(&stream, &Text::from(format!("{file}:{line}: warning: {message}\n")))
    }
}
