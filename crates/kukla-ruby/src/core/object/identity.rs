//! Identity and inspection of objects.

use crate::args::Args;
use crate::class::{ClassId, Native, method, methods, private, quick};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::Value;

/// Methods of every object.
pub const METHODS: &[Native] = methods![
    quick("class", 0, 0, |ruby, this, _| Ok(Value::Class(ruby.real_class_of(this)))),
    quick("singleton_class", 0, 0, |ruby, this, _| Ok(Value::Class(ruby.singleton_class(this)?))),
    quick("is_a?", 1, 1, is_a).alias("kind_of?"),
    quick("instance_of?", 1, 1, |ruby, this, args| {
        let class = need_class(ruby, &args[0])?;
        Ok(Value::Bool(ruby.real_class_of(this) == class))
    }),
    quick("nil?", 0, 0, |_, this, _| Ok(Value::Bool(this.is_nil()))),
    quick("===", 1, 1, |ruby, this, args| {
        if this.is_same(&args[0]) {
            return Ok(Value::Bool(true));
        }
        Ok(Value::Bool(ruby.send(this, sym::EQ, args.list)?.is_true()))
    }),
    quick("=~", 1, 1, |_, _, _| Ok(Value::Nil)),
    quick("!~", 1, 1, |ruby, this, args| {
        Ok(Value::Bool(!ruby.send(this, sym::MATCH, args.list)?.is_true()))
    }),
    quick("eql?", 1, 1, |_, this, args| Ok(Value::Bool(this.is_same(&args[0])))),
    method("<=>", 1, 1, |ruby, this, args| {
        if this.is_same(&args[0]) || ruby.send(this, sym::EQ, args.list)?.is_true() {
            return Ok(Value::Int(0));
        }
        Ok(Value::Nil)
    }),
    method("hash", 0, 0, |ruby, this, _| {
        let code = match this {
            Value::Object(_) | Value::Proc(_) => ruby.identity_code(this),
            Value::Array(_) | Value::Hash(_) | Value::Range(_) | Value::Regexp(_) => ruby.identity_code(this),
            this => ruby.hash_code(this)?,
        };
        Ok(Value::Int((code as i64) >> 2))
    }),
    quick("object_id", 0, 0, |ruby, this, _| Ok(Value::Int(ruby.object_id(this)))),
    quick("itself", 0, 0, |_, this, _| Ok(this.clone())),
    method("to_s", 0, 0, |ruby, this, _| {
        Ok(Value::str(if ruby.is_main(this) { "main".to_owned() } else { ruby.plain_inspect(this) }))
    }),
    method("inspect", 0, 0, inspect),
    quick("freeze", 0, 0, |ruby, this, _| {
        match this {
            Value::Class(class) => ruby.class(*class).head.freeze(),
            this => {
                if let Some(head) = this.head() {
                    head.freeze();
                    let class = head.class();
                    if ruby.class(class).is_singleton() {
                        ruby.class(class).head.freeze();
                    }
                }
            }
        }
        Ok(this.clone())
    }),
    quick("frozen?", 0, 0, |ruby, this, _| {
        Ok(Value::Bool(match this {
            Value::Class(class) => ruby.class(*class).head.is_frozen(),
            this => this.head().is_none_or(crate::value::Head::is_frozen),
        }))
    }),
    quick("tap", 0, 0, |ruby, this, args| {
        let block = ruby.need_block(args)?;
        ruby.yield_to(block, std::slice::from_ref(this))?;
        Ok(this.clone())
    }),
    quick("then", 0, 0, then).alias("yield_self"),
    quick("to_enum", 0, crate::class::ANY, to_enum),
    quick("enum_for", 0, crate::class::ANY, to_enum),
    quick("extend", 1, crate::class::ANY, |ruby, this, args| {
        for module in args.list.iter().rev() {
            let id = need_module(ruby, module)?;
            if !ruby.class(id).is_module() {
                let message = "wrong argument type Class (expected Module)";
                return Err(ruby.type_error(message));
            }
            ruby.send(module, sym::EXTEND_OBJECT, std::slice::from_ref(this))?;
            ruby.send(module, sym::EXTENDED, std::slice::from_ref(this))?;
        }
        Ok(this.clone())
    }),
    private("initialize_copy", 1, 1, |ruby, this, args| {
        if this.is_same(&args[0]) {
            return Ok(this.clone());
        }
        ruby.check_frozen(this)?;
        if ruby.real_class_of(this) != ruby.real_class_of(&args[0]) {
            return Err(ruby.type_error("initialize_copy should take same class object"));
        }
        Ok(this.clone())
    }),
    private("initialize_dup", 1, 1, |ruby, this, args| ruby.send(this, sym::INITIALIZE_COPY, args.list)),
    private("initialize_clone", 1, 2, |ruby, this, args| {
        ruby.send(this, sym::INITIALIZE_COPY, &args.list[..1])
    }),
];

fn then(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    match args.block {
        Some(block) => ruby.yield_to(block, std::slice::from_ref(this)),
        None => {
            let name = ruby.symbols.intern("then");
            ruby.make_enumerator(this, name, args)
        }
    }
}

fn to_enum(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    match args.list.split_first() {
        Some((name, rest)) if !(rest.is_empty() && args.has_keywords) => {
            let name = ruby.to_symbol(name)?;
            ruby.make_enumerator(this, name, &Args { list: rest, ..*args })
        }
        _ => ruby.make_enumerator(this, sym::EACH, args),
    }
}

fn is_a(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let class = need_class(ruby, &args[0])?;
    Ok(Value::Bool(ruby.is_a(this, class)))
}

fn need_class(ruby: &mut Ruby<'_>, value: &Value) -> Result<ClassId> {
    match value {
        Value::Class(class) => Ok(*class),
        _ => Err(ruby.type_error("class or module required")),
    }
}

/// A module that is included or extended.
pub(crate) fn need_module(ruby: &mut Ruby<'_>, value: &Value) -> Result<ClassId> {
    match value {
        Value::Class(class) => Ok(*class),
        value => {
            let class = ruby.class_name_of(value);
            Err(ruby.type_error(format!("wrong argument type {class} (expected Module)")))
        }
    }
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    if ruby.is_main(this) {
        return Ok(Value::str("main"));
    }
    let names = this.head().map_or_else(Vec::new, crate::value::Head::variable_names);
    // An object whose `to_s` is its own shows that, unless it has variables.
    if names.is_empty() {
        return Ok(Value::str(ruby.plain_inspect(this)));
    }
    let plain = ruby.plain_inspect(this);
    let start = plain.strip_suffix('>').unwrap_or(&plain).to_owned();
    if ruby.run.inspecting.iter().any(|outer| outer.is_same(this)) {
        return Ok(Value::str(format!("{start} ...>")));
    }
    ruby.run.inspecting.push(this.clone());
    let shown = variables(ruby, this, &names);
    ruby.run.inspecting.pop();
    let mut text = start.into_bytes();
    text.extend(shown?);
    text.push(b'>');
    ruby.charge(text.len() as u64 / 64)?;
    Ok(Value::str(Text::from(text)))
}

fn variables(ruby: &mut Ruby<'_>, this: &Value, names: &[crate::Symbol]) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let value = ruby.instance_variable(this, *name);
        let shown = kukla_syntax::deep(|| ruby.inspect(&value))?;
        text.extend_from_slice(if at == 0 { b" " } else { b", " });
        text.extend_from_slice(ruby.name(*name).as_bytes());
        text.push(b'=');
        text.extend_from_slice(&shown);
    }
    Ok(text)
}
