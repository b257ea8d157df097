//! `puts` and its like.

use crate::args::Args;
use crate::class::{ANY, Native, private};
use crate::core::io;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::Value;

/// Functions that write.
pub const FUNCTIONS: &[Native] = &[
    private("puts", 0, ANY, |ruby, _, args| {
        let out = stdout(ruby)?;
        if is_standard(ruby, &out) {
            let lines = ruby.lines_of(args.list)?;
            ruby.write_to(&out, &Text::from(lines))?;
            return Ok(Value::Nil);
        }
        ruby.call(&out, sym::PUTS, args)
    }),
    private("print", 0, ANY, |ruby, _, args| {
        let out = stdout(ruby)?;
        let last = ruby.symbols.intern("$_");
        let last = [ruby.global(last)?];
        let values = if args.is_empty() { &last[..] } else { args.list };
        for value in values {
            let text = ruby.display(value)?;
            ruby.write_to(&out, &text)?;
        }
        Ok(Value::Nil)
    }),
    private("p", 0, ANY, |ruby, _, args| {
        let out = stdout(ruby)?;
        for value in args.list {
            let mut line = ruby.inspect(value)?.to_vec();
            line.push(b'\n');
            ruby.write_to(&out, &Text::from(line))?;
        }
        Ok(match args.list {
            [] => Value::Nil,
            [only] => only.clone(),
            all => Value::array(all),
        })
    }),
    private("pp", 0, ANY, |ruby, this, args| ruby.call(this, ruby_p(), args)),
    private("putc", 1, 1, |ruby, _, args| {
        let out = stdout(ruby)?;
        io::putc(ruby, &out, &args[0])?;
        Ok(args[0].clone())
    }),
    private("printf", 0, ANY, |ruby, _, args| {
        let out = stdout(ruby)?;
        if args.is_empty() {
            return Ok(Value::Nil);
        }
        let printf = ruby.symbols.intern("printf");
        if !matches!(args[0], Value::String(_)) {
            return ruby.call(&args[0].clone(), printf, &Args { list: &args.list[1..], ..*args });
        }
        ruby.call(&out, printf, args)
    }),
    private("display", 0, 1, |ruby, this, args| {
        let out = match args.get(0) {
            Some(out) => out.clone(),
            None => stdout(ruby)?,
        };
        let text = ruby.display(this)?;
        ruby.write_to(&out, &text)?;
        Ok(Value::Nil)
    }),
    private("gets", 0, ANY, |ruby, _, _| Ok(io::gets(ruby))),
    private("readline", 0, ANY, |ruby, _, _| match io::gets(ruby) {
        Value::Nil => Err(ruby.error(crate::ClassId::EOF_ERROR, "end of file reached")),
        line => Ok(line),
    }),
    private("readlines", 0, ANY, |ruby, _, _| {
        let mut lines = Vec::new();
        while let Some(line) = ruby.host.read_line() {
            ruby.charge(1)?;
            lines.push(Value::str(line));
        }
        Ok(Value::array(lines))
    }),
    private("warn", 0, ANY, warn),
];

fn ruby_p() -> crate::Symbol {
    sym::P
}

fn stdout(ruby: &mut Ruby<'_>) -> Result {
    let name = ruby.symbols.intern("$stdout");
    ruby.global(name)
}

fn is_standard(ruby: &mut Ruby<'_>, stream: &Value) -> bool {
    matches!(stream, Value::Object(object) if object.head.class() == crate::ClassId::IO)
        && !ruby.run.redefined
}

fn warn(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (list, keywords) = args.split();
    let verbose = ruby.symbols.intern("$VERBOSE");
    if ruby.global(verbose)?.is_nil() || list.is_empty() {
        return Ok(Value::Nil);
    }
    let mut text = ruby.lines_of(list)?;
    if let Some(keywords) = keywords
        && let Some(up) = ruby.keyword(keywords, "uplevel")
        && !up.is_nil()
    {
        let up = ruby.to_int(&up)?.max(0) as usize;
        if let Some(place) = ruby.places(up).first() {
            let mut located = format!("{}:{}: warning: ", place.file(), place.line).into_bytes();
            located.append(&mut text);
            text = located;
        }
    }
    if text.is_empty() {
        return Ok(Value::Nil);
    }
    let name = ruby.symbols.intern("$stderr");
    let stream = ruby.global(name)?;
    ruby.write_to(&stream, &Text::from(text))?;
    Ok(Value::Nil)
}
