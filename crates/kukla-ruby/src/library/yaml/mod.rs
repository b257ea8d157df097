//! YAML, as Psych reads and writes it.

mod dump;
mod load;
mod time;

use kukla_formats::yaml::Layout;

use crate::args::Args;
use crate::class::{ANY, ClassId, Constant, Native, NativeClass, method};
use crate::core::file::path::path_text;
use crate::core::file::read::contents;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{HashObject, Value};
use load::Options;

/// The module `Psych`, which is also called `YAML`.
pub const PSYCH: NativeClass = NativeClass {
    singleton: &[LOAD, DUMP],
    setup: Some(|ruby, class| {
        ruby.set_constant(ClassId::OBJECT, "YAML", Value::Class(class));
        ruby.set_constant(class, "VERSION", "4.0.3".into());
        ruby.set_constant(class, "LIBYAML_VERSION", "0.2.5".into());
    }),
    ..NativeClass::module("Psych")
};

/// The class `Psych::Exception`.
pub const PSYCH_EXCEPTION: NativeClass = NativeClass::class("Psych::Exception", "RuntimeError");
/// The class `Psych::BadAlias`.
pub const PSYCH_BAD_ALIAS: NativeClass = NativeClass::class("Psych::BadAlias", "Psych::Exception");
/// The class `Psych::DisallowedClass`.
pub const PSYCH_DISALLOWED_CLASS: NativeClass =
    NativeClass::class("Psych::DisallowedClass", "Psych::Exception");
/// The class `Psych::SyntaxError`.
pub const PSYCH_SYNTAX_ERROR: NativeClass =
    NativeClass { methods: &[PLACE], ..NativeClass::class("Psych::SyntaxError", "Psych::Exception") };

/// `to_yaml`, which every object has.
pub const TO_YAML: &[Native] = &[method("to_yaml", 0, 1, |ruby, this, args| {
    let layout = layout(ruby, args.get(0))?;
    Ok(dump::document(ruby, this, layout, None, true)?.into())
})];

fn variable(ruby: &mut Ruby<'_>, this: &Value, name: &str) -> Result {
    let name = ruby.symbols.intern(name);
    Ok(this.head().and_then(|head| head.variable(name)).unwrap_or_default())
}

const PLACE: &[Native] = &[
    method("file", 0, 0, |ruby, this, _| variable(ruby, this, "@file")),
    method("line", 0, 0, |ruby, this, _| variable(ruby, this, "@line")),
    method("column", 0, 0, |ruby, this, _| variable(ruby, this, "@column")),
    method("offset", 0, 0, |ruby, this, _| variable(ruby, this, "@offset")),
    method("problem", 0, 0, |ruby, this, _| variable(ruby, this, "@problem")),
    method("context", 0, 0, |ruby, this, _| variable(ruby, this, "@context")),
];

/// The class or module of a name; the world of libraries is not searched for it.
fn class_named(ruby: &mut Ruby<'_>, name: &str) -> Result<Option<ClassId>> {
    let mut at = ClassId::OBJECT;
    for part in name.split("::") {
        let symbol = ruby.symbols.intern(part);
        match ruby.class(at).constants.get(&symbol) {
            Some(Constant { value: Value::Class(class), .. }) => at = *class,
            _ => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// The values that may be read: plain data, plain data and symbols, or anything.
#[derive(Clone, Copy, PartialEq)]
enum Trust {
    Data,
    Symbols,
    Anything,
}

const LOAD: &[Native] = &[
    method("load", 1, 2, |ruby, _, args| from_text(ruby, args, Trust::Symbols)),
    method("safe_load", 1, 2, |ruby, _, args| from_text(ruby, args, Trust::Data)),
    method("unsafe_load", 1, 2, |ruby, _, args| from_text(ruby, args, Trust::Anything)),
    method("load_file", 1, 2, |ruby, _, args| from_file(ruby, args, Trust::Symbols)),
    method("safe_load_file", 1, 2, |ruby, _, args| from_file(ruby, args, Trust::Data)),
    method("unsafe_load_file", 1, 2, |ruby, _, args| from_file(ruby, args, Trust::Anything)),
    method("load_stream", 1, 2, |ruby, _, args| {
        let (rest, keywords) = args.split();
        if rest.is_empty() {
            return Err(ruby.wrong_number_of_arguments(0, "1"));
        }
        let options = options(ruby, keywords.map(|hash| &**hash), Trust::Anything)?;
        let text = source(ruby, &rest[0])?;
        let documents = load::documents(ruby, &text, &options, usize::MAX)?;
        let Some(block) = args.block else { return Ok(Value::array(documents)) };
        for document in documents {
            ruby.yield_to(block, &[document])?;
        }
        Ok(Value::Nil)
    }),
];

fn strings(ruby: &mut Ruby<'_>, list: &Value) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for item in ruby.to_array(list)?.to_vec() {
        names.push(ruby.display(&item)?.to_str_lossy().into_owned());
    }
    Ok(names)
}

fn options(ruby: &mut Ruby<'_>, keywords: Option<&HashObject>, trust: Trust) -> Result<Options> {
    let mut options = Options {
        classes: match trust {
            Trust::Data => Some(Vec::new()),
            Trust::Symbols => Some(vec!["Symbol".to_owned()]),
            Trust::Anything => None,
        },
        aliases: trust == Trust::Anything,
        ..Options::default()
    };
    let Some(keywords) = keywords else { return Ok(options) };
    if let Some(list) = ruby.keyword(keywords, "permitted_classes")
        && trust != Trust::Anything
    {
        options.classes = Some(strings(ruby, &list)?);
    }
    if let Some(list) = ruby.keyword(keywords, "permitted_symbols") {
        options.symbols = Some(strings(ruby, &list)?);
    }
    if let Some(aliases) = ruby.keyword(keywords, "aliases") {
        options.aliases = aliases.is_true();
    }
    options.symbolize_names = ruby.keyword(keywords, "symbolize_names").is_some_and(|value| value.is_true());
    options.freeze = ruby.keyword(keywords, "freeze").is_some_and(|value| value.is_true());
    if let Some(file) = ruby.keyword(keywords, "filename").filter(|file| !file.is_nil()) {
        options.file = Some(ruby.display(&file)?.to_str_lossy().into_owned());
    }
    Ok(options)
}

/// The text of a string or of a stream.
fn source(ruby: &mut Ruby<'_>, value: &Value) -> Result<Vec<u8>> {
    if let Value::Object(_) = value
        && let Some(text) = ruby.try_send(value, sym::READ, &[])?
    {
        return Ok(ruby.to_text(&text)?.to_vec());
    }
    Ok(ruby.to_text(value)?.to_vec())
}

fn first(ruby: &mut Ruby<'_>, text: &[u8], keywords: Option<&HashObject>, options: &Options) -> Result {
    match load::documents(ruby, text, options, 1)?.into_iter().next() {
        Some(value) => Ok(value),
        None => Ok(keywords.and_then(|keywords| ruby.keyword(keywords, "fallback")).unwrap_or_default()),
    }
}

fn from_text(ruby: &mut Ruby<'_>, args: &Args<'_>, trust: Trust) -> Result {
    let (rest, keywords) = args.split();
    if rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(0, "1"));
    }
    if rest.len() != 1 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), 1));
    }
    let keywords = keywords.map(|hash| &**hash);
    let options = options(ruby, keywords, trust)?;
    let text = source(ruby, &rest[0])?;
    first(ruby, &text, keywords, &options)
}

fn from_file(ruby: &mut Ruby<'_>, args: &Args<'_>, trust: Trust) -> Result {
    let (rest, keywords) = args.split();
    if rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(0, "1"));
    }
    if rest.len() != 1 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), 1));
    }
    let keywords = keywords.map(|hash| &**hash);
    let mut options = options(ruby, keywords, trust)?;
    let path = path_text(ruby, &rest[0])?;
    let text = contents(ruby, &path)?;
    options.file.get_or_insert(path);
    match load::documents(ruby, &text, &options, 1)?.into_iter().next() {
        Some(value) => Ok(value),
        None => Ok(keywords.and_then(|keywords| ruby.keyword(keywords, "fallback")).unwrap_or(false.into())),
    }
}

const DUMP: &[Native] = &[
    method("dump", 1, 3, |ruby, _, args| dumped(ruby, args, None)),
    method("safe_dump", 1, 3, |ruby, _, args| {
        let keywords = args.split().1;
        let mut known = match keywords.and_then(|keywords| ruby.keyword(keywords, "permitted_classes")) {
            Some(list) => strings(ruby, &list)?,
            None => Vec::new(),
        };
        if keywords.and_then(|keywords| ruby.keyword(keywords, "permitted_symbols")).is_some() {
            known.push("Symbol".to_owned());
        }
        dumped(ruby, args, Some(&known))
    }),
    method("dump_stream", 0, ANY, |ruby, _, args| {
        let mut text = String::new();
        for value in args.list {
            text.push_str(&dump::document(ruby, value, Layout::default(), None, true)?);
        }
        Ok(text.into())
    }),
];

fn layout(ruby: &mut Ruby<'_>, given: Option<&Value>) -> Result<Layout> {
    let mut layout = Layout::default();
    let Some(Value::Hash(options)) = given else { return Ok(layout) };
    if let Some(indentation) = ruby.keyword(options, "indentation") {
        layout.indentation = ruby.to_int(&indentation)?.clamp(0, 100) as i32;
    }
    if let Some(width) = ruby.keyword(options, "line_width") {
        let width = ruby.to_int(&width)?;
        layout.line_width = width.clamp(-1, 1_000_000) as i32;
        layout.fold = usize::try_from(width).ok().filter(|width| *width > 0);
    }
    layout.canonical = ruby.keyword(options, "canonical").is_some_and(|value| value.is_true());
    layout.header = ruby.keyword(options, "header").is_some_and(|value| value.is_true());
    Ok(layout)
}

fn dumped(ruby: &mut Ruby<'_>, args: &Args<'_>, safe: Option<&[String]>) -> Result {
    let stream = args.get(1).filter(|stream| !matches!(stream, Value::Hash(_) | Value::Nil));
    let options = args.list.iter().skip(1).rfind(|option| matches!(option, Value::Hash(_)));
    let layout = layout(ruby, options)?;
    let allowed = matches!(options, Some(Value::Hash(options))
        if ruby.keyword(options, "aliases").is_some_and(|allowed| allowed.is_true()));
    let text = dump::document(ruby, &args[0], layout, safe, safe.is_none() || allowed)?.into();
    match stream {
        Some(stream) => {
            ruby.send(stream, sym::WRITE, &[text])?;
            Ok(stream.clone())
        }
        None => Ok(text),
    }
}
