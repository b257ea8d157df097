//! JSON.

mod generate;
mod parse;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods};
use crate::core::file::path::path_text;
use crate::core::file::read::contents;
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{HashObject, Value};
use generate::Style;
use parse::Options;

/// The module `JSON`.
pub const JSON: NativeClass = NativeClass {
    singleton: &[METHODS],
    setup: Some(|ruby, class| {
        ruby.set_constant(class, "VERSION", "2.6.1".into());
        ruby.set_constant(class, "NaN", Value::Float(f64::NAN));
        ruby.set_constant(class, "Infinity", Value::Float(f64::INFINITY));
        ruby.set_constant(class, "MinusInfinity", Value::Float(f64::NEG_INFINITY));
        ruby.set_constant(class, "State", Value::Class(ClassId::JSON_STATE));
    }),
    ..NativeClass::module("JSON")
};

/// The class `JSON::JSONError`.
pub const JSON_ERROR: NativeClass = NativeClass::class("JSON::JSONError", "StandardError");
/// The class `JSON::ParserError`.
pub const JSON_PARSER_ERROR: NativeClass = NativeClass::class("JSON::ParserError", "JSON::JSONError");
/// The class `JSON::NestingError`.
pub const JSON_NESTING_ERROR: NativeClass = NativeClass::class("JSON::NestingError", "JSON::ParserError");
/// The class `JSON::GeneratorError`.
pub const JSON_GENERATOR_ERROR: NativeClass = NativeClass::class("JSON::GeneratorError", "JSON::JSONError");
/// The module `JSON::Ext`.
pub const JSON_EXT: NativeClass = NativeClass::module("JSON::Ext");
/// The module `JSON::Ext::Generator`.
pub const JSON_GENERATOR: NativeClass = NativeClass::module("JSON::Ext::Generator");
/// The class `JSON::Ext::Generator::State`.
pub const JSON_STATE: NativeClass = NativeClass::class("JSON::Ext::Generator::State", "Object");

/// `to_json`, which every object has.
pub const TO_JSON: &[Native] = &[method("to_json", 0, ANY, |ruby, this, args| {
    let mut style = Style::of(ruby, args.get(0))?;
    text(ruby, this, &mut style)
})];

const METHODS: &[Native] = methods![
    method("parse", 1, 2, |ruby, _, args| {
        let options = parse_options(ruby, args, Options::default())?;
        let source = source_text(ruby, &args[0])?;
        parse::document(ruby, &source, &options)
    }),
    method("parse!", 1, 2, |ruby, _, args| {
        let options = Options { allow_nan: true, max_nesting: 0, ..Options::default() };
        let options = parse_options(ruby, args, options)?;
        let source = source_text(ruby, &args[0])?;
        parse::document(ruby, &source, &options)
    }),
    method("load", 1, 3, load).alias("restore"),
    method("load_file", 1, 2, |ruby, _, args| {
        let options = parse_options(ruby, args, Options::default())?;
        let path = path_text(ruby, &args[0])?;
        let bytes = contents(ruby, &path)?;
        parse::document(ruby, &bytes, &options)
    }),
    method("generate", 1, 2, |ruby, _, args| styled(ruby, args, Style::default())),
    method("fast_generate", 1, 2, |ruby, _, args| {
        styled(ruby, args, Style { max_nesting: 0, ..Style::default() })
    }),
    method("pretty_generate", 1, 2, |ruby, _, args| styled(ruby, args, Style::pretty())),
    method("dump", 1, 4, dump),
    method("[]", 1, 2, |ruby, _, args| match ruby.maybe_string(&args[0])? {
        Some(string) => {
            let options = parse_options(ruby, args, Options::default())?;
            let source = string.text().to_vec();
            parse::document(ruby, &source, &options)
        }
        None => styled(ruby, args, Style::default()),
    }),
    method("create_id", 0, 0, |_, _, _| Ok(Value::str("json_class"))),
    method("state", 0, 0, |_, _, _| Ok(Value::Class(ClassId::JSON_STATE))),
];

fn text(ruby: &mut Ruby<'_>, value: &Value, style: &mut Style) -> Result {
    let bytes = generate::generate(ruby, value, style)?;
    Ok(Value::str(Text::new(bytes, Encoding::Utf8)))
}

fn source_text(ruby: &mut Ruby<'_>, value: &Value) -> Result<Vec<u8>> {
    Ok(ruby.to_text(value)?.to_vec())
}

/// The options that stand behind the first argument: keywords or a hash.
fn options_of(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<Option<std::rc::Rc<HashObject>>> {
    match args.get(1) {
        None | Some(Value::Nil) => Ok(None),
        Some(Value::Hash(hash)) => Ok(Some(hash.clone())),
        Some(other) => match ruby.try_send(other, sym::TO_H, &[])? {
            Some(Value::Hash(hash)) => Ok(Some(hash)),
            _ => {
                let word = ruby.class_name_of(other);
                Err(ruby.type_error(format!("can't convert {word} into Hash")))
            }
        },
    }
}

fn parse_options(ruby: &mut Ruby<'_>, args: &Args<'_>, mut options: Options) -> Result<Options> {
    if let Some(given) = options_of(ruby, args)? {
        options.read(ruby, &given)?;
    }
    Ok(options)
}

fn styled(ruby: &mut Ruby<'_>, args: &Args<'_>, mut style: Style) -> Result {
    let state = match args.get(1) {
        Some(Value::Object(object)) => object.payload::<Style>().map(|state| state.clone()),
        _ => None,
    };
    match state {
        Some(state) => style = state,
        None => {
            if let Some(given) = options_of(ruby, args)? {
                style.read(ruby, &given)?;
            }
        }
    }
    text(ruby, &args[0], &mut style)
}

/// Reads text, or a stream, with few questions asked; a proc sees every value.
fn load(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    let source = match rest.first() {
        None | Some(Value::Nil) => return Ok(Value::Nil),
        Some(source) => match ruby.maybe_string(source)? {
            Some(string) => string.text().to_vec(),
            None => match ruby.try_send(source, sym::READ, &[])? {
                Some(read) => source_text(ruby, &read)?,
                None => {
                    let empty = ruby.symbols.intern("empty?");
                    if ruby.send(source, empty, &[])?.is_true() {
                        return Ok(Value::Nil);
                    }
                    source_text(ruby, source)?
                }
            },
        },
    };
    let mut options = Options { allow_nan: true, max_nesting: 0, ..Options::default() };
    let given = match (keywords, rest.get(2)) {
        (Some(keywords), _) | (None, Some(Value::Hash(keywords))) => Some(keywords.clone()),
        _ => None,
    };
    if let Some(given) = given {
        options.read(ruby, &given)?;
    }
    if source.is_empty() {
        return Ok(Value::Nil);
    }
    let value = parse::document(ruby, &source, &options)?;
    if let Some(proc) = rest.get(1).filter(|proc| !proc.is_nil()) {
        visit(ruby, &value, proc)?;
    }
    Ok(value)
}

fn visit(ruby: &mut Ruby<'_>, value: &Value, proc: &Value) -> Result<()> {
    let inner: Vec<Value> = match value {
        Value::Array(items) => items.to_vec(),
        Value::Hash(hash) => {
            hash.table().iter().flat_map(|entry| [entry.key.clone(), entry.value.clone()]).collect()
        }
        _ => Vec::new(),
    };
    for value in &inner {
        kukla_syntax::deep(|| visit(ruby, value, proc))?;
    }
    ruby.send(proc, sym::CALL, std::slice::from_ref(value))?;
    Ok(())
}

/// Writes to a stream if one is given, with a limit of depth if one is.
fn dump(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    let mut style = Style { allow_nan: true, max_nesting: 0, ..Style::default() };
    if let Some(keywords) = keywords {
        style.read(ruby, keywords)?;
    }
    let mut stream = None;
    for argument in rest.iter().skip(1) {
        match argument {
            Value::Int(limit) => style.max_nesting = (*limit).max(0) as usize,
            Value::Nil => {}
            other => stream = Some(other),
        }
    }
    let written = match text(ruby, rest.first().unwrap_or(&Value::Nil), &mut style) {
        Err(unwind) => match *unwind {
            Unwind::Raise(exception) if ruby.is_a(&exception, ClassId::JSON_NESTING_ERROR) => {
                return Err(ruby.argument_error("exceed depth limit"));
            }
            other => return Err(Box::new(other)),
        },
        Ok(written) => written,
    };
    match stream {
        Some(stream) => {
            ruby.send(stream, sym::WRITE, &[written])?;
            Ok(stream.clone())
        }
        None => Ok(written),
    }
}
