//! `ERB` as programs use it; what templates are read into is in `crate::erb`.

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, methods, private};
use crate::core::binding;
use crate::erb::{Trim, compile};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::Text;
use crate::value::Value;

/// The class `ERB`.
pub const ERB: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[&[method("version", 0, 0, |_, _, _| Ok(Value::str("2.2.3")))]],
    ..NativeClass::class("ERB", "Object")
};

/// The module `ERB::Util`.
pub const UTIL: NativeClass = NativeClass {
    methods: &[UTIL_METHODS],
    singleton: &[UTIL_FUNCTIONS],
    ..NativeClass::module("ERB::Util")
};

const UTIL_METHODS: &[Native] = methods![
    private("html_escape", 1, 1, html_escape).alias("h"),
    private("url_encode", 1, 1, url_encode).alias("u"),
];

const UTIL_FUNCTIONS: &[Native] = methods![
    method("html_escape", 1, 1, html_escape).alias("h"),
    method("url_encode", 1, 1, url_encode).alias("u"),
];

const METHODS: &[Native] = &[
    private("initialize", 1, 5, initialize),
    method("src", 0, 0, |ruby, this, _| Ok(Value::str(template(ruby, this)?.code))),
    method("result", 0, 1, |ruby, this, args| {
        let binding = match args.get(0) {
            Some(binding) => binding.clone(),
            None => fresh_binding(ruby)?,
        };
        result(ruby, this, &binding)
    }),
    method("result_with_hash", 1, 1, |ruby, this, args| {
        let binding = fresh_binding(ruby)?;
        let set = ruby.symbols.intern("local_variable_set");
        let hash = ruby.to_hash(&args[0])?;
        let pairs: Vec<(Value, Value)> =
            hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
        for (name, value) in pairs {
            ruby.send(&binding, set, &[name, value])?;
        }
        result(ruby, this, &binding)
    }),
    method("run", 0, 1, |ruby, this, args| {
        let binding = match args.get(0) {
            Some(binding) => binding.clone(),
            None => fresh_binding(ruby)?,
        };
        let text = result(ruby, this, &binding)?;
        let print = ruby.symbols.intern("print");
        ruby.send(&Value::Class(ClassId::KERNEL), print, &[text])
    }),
    method("filename", 0, 0, |ruby, this, _| Ok(template(ruby, this)?.file)),
    method("filename=", 1, 1, |ruby, this, args| {
        change(ruby, this, |template| template.file = args[0].clone())?;
        Ok(args[0].clone())
    }),
    method("lineno", 0, 0, |ruby, this, _| Ok(Value::Int(template(ruby, this)?.line))),
    method("lineno=", 1, 1, |ruby, this, args| {
        let line = ruby.to_int(&args[0])?;
        change(ruby, this, |template| template.line = line)?;
        Ok(args[0].clone())
    }),
    method("location=", 1, 1, |ruby, this, args| {
        let list = ruby.to_array(&args[0])?.to_vec();
        let line = list.get(1).filter(|line| !line.is_nil()).map(|line| ruby.to_int(line)).transpose()?;
        change(ruby, this, |template| {
            template.file = list.first().cloned().unwrap_or_default();
            template.line = line.unwrap_or(template.line);
        })?;
        Ok(args[0].clone())
    }),
    method("encoding", 0, 0, |ruby, this, _| {
        let encoding = ruby.symbols.intern("encoding");
        let code = Value::str(template(ruby, this)?.code);
        ruby.send(&code, encoding, &[])
    }),
    method("def_method", 2, 3, |ruby, this, args| define(ruby, this, &args[0], &args[1], args.get(2))),
    method("def_module", 0, 1, |ruby, this, args| {
        let new = ruby.symbols.intern("new");
        let module = ruby.send(&Value::Class(ClassId::MODULE), new, &[])?;
        let name = args.get(0).cloned().unwrap_or_else(|| Value::str("erb"));
        define(ruby, this, &module, &name, None)?;
        Ok(module)
    }),
    method("def_class", 0, 2, |ruby, this, args| {
        let new = ruby.symbols.intern("new");
        let above = args.get(0).cloned().unwrap_or(Value::Class(ClassId::OBJECT));
        let class = ruby.send(&Value::Class(ClassId::CLASS), new, &[above])?;
        let name = args.get(1).cloned().unwrap_or_else(|| Value::str("result"));
        define(ruby, this, &class, &name, None)?;
        Ok(class)
    }),
];

/// A template that was read.
#[derive(Clone)]
struct Template {
    /// The Ruby code it became.
    code: String,
    /// Its file, if specified.
    file: Value,
    line: i64,
}

fn template(ruby: &mut Ruby<'_>, this: &Value) -> Result<Template> {
    let found = match this {
        Value::Object(object) => object.payload::<Template>().map(|template| template.clone()),
        _ => None,
    };
    found.ok_or_else(|| ruby.type_error("uninitialized ERB"))
}

fn change(ruby: &mut Ruby<'_>, this: &Value, change: impl FnOnce(&mut Template)) -> Result<()> {
    let mut template = template(ruby, this)?;
    change(&mut template);
    if let Value::Object(object) = this {
        object.set_payload(template);
    }
    Ok(())
}

/// `ERB.new(text, trim_mode: nil, eoutvar: '_erbout')`, or as older code has it `ERB.new(text, nil, trim_mode, eoutvar)`.
fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    let (mut mode, mut output) =
        (rest.get(2).cloned().unwrap_or_default(), rest.get(3).cloned().unwrap_or_default());
    if let Some(keywords) = keywords {
        ruby.refuse_keywords_except(keywords, &["trim_mode", "eoutvar"])?;
        mode = ruby.keyword(keywords, "trim_mode").unwrap_or(mode);
        output = ruby.keyword(keywords, "eoutvar").unwrap_or(output);
    }
    let mode = match &mode {
        Value::Int(1) => ">".to_owned(),
        Value::Int(2) => "<>".to_owned(),
        Value::String(mode) => mode.text().to_str_lossy().into_owned(),
        _ => String::new(),
    };
    let output = match &output {
        Value::Nil => "_erbout".to_owned(),
        output => ruby.to_text(output)?.to_str_lossy().into_owned(),
    };
    let Some(text) = rest.first() else { return Err(ruby.wrong_number_of_arguments(0, "1..4")) };
    let text = ruby.to_text(text)?;
    ruby.charge(text.len() as u64 / 16)?;
    let code = compile(&text.to_str_lossy(), Trim::from_mode(&mode), &output);
    if let Value::Object(object) = this {
        object.set_payload(Template { code, file: Value::Nil, line: 0 });
    }
    Ok(Value::Nil)
}

/// The variables of the top of the program, without those that a template makes there.
fn fresh_binding(ruby: &mut Ruby<'_>) -> Result {
    let (top, dup) = (ruby.symbols.intern("TOPLEVEL_BINDING"), ruby.symbols.intern("dup"));
    let get = ruby.symbols.intern("const_get");
    let binding = ruby.send(&Value::Class(ClassId::OBJECT), get, &[Value::Symbol(top)])?;
    ruby.send(&binding, dup, &[])
}

fn result(ruby: &mut Ruby<'_>, this: &Value, binding: &Value) -> Result {
    let template = template(ruby, this)?;
    let file = if template.file.is_nil() { Value::str("(erb)") } else { template.file };
    let line = Value::Int(template.line.saturating_add(1));
    binding::evaluate(ruby, binding, &Value::str(template.code), Some(&file), Some(&line))
}

/// Makes the template a method of a class.
fn define(ruby: &mut Ruby<'_>, this: &Value, module: &Value, name: &Value, file: Option<&Value>) -> Result {
    let template = template(ruby, this)?;
    let name = ruby.display(name)?.to_str_lossy().into_owned();
    let code = format!("def {name}\n{}\nend\n", template.code);
    let file = match file {
        Some(file) => file.clone(),
        None if template.file.is_nil() => Value::str("(ERB)"),
        None => template.file,
    };
    let class_eval = ruby.symbols.intern("class_eval");
    ruby.send(module, class_eval, &[Value::str(code), file, Value::Int(0)])
}

fn html_escape(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let text = ruby.display(&args[0])?;
    ruby.charge(text.len() as u64 / 16)?;
    let mut out = Vec::with_capacity(text.len());
    for byte in text.as_bytes() {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            byte => out.push(*byte),
        }
    }
    Ok(Value::str(text.with_bytes(out)))
}

fn url_encode(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    use std::io::Write as _;
    let text = ruby.display(&args[0])?;
    ruby.charge(text.len() as u64 / 8)?;
    let mut out = Vec::with_capacity(text.len());
    for byte in text.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"_-.~".contains(byte) {
            out.push(*byte);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    Ok(Value::str(Text::binary(out)))
}
