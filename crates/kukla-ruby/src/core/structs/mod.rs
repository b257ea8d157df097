//! `Struct` and `Data`.
//!
//! The fields of an object are instance variables whose names lack the `@`, so that nothing else can name them; their readers and writers are
//! those of attributes. A class made by `Struct.new` keeps the names of its members in the same way.

mod data;
mod fields;

pub use data::DATA;

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, Class, ClassId, ClassKind, Constant, Native, NativeClass, method, methods, private};
use crate::error::Result;
use crate::method::{Method, MethodBody, Visibility};
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

/// The class `Struct`.
pub const STRUCT: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[METHODS, fields::METHODS],
    singleton: &[&[method("new", 0, ANY, define)]],
    ..NativeClass::class("Struct", "Object")
};

const METHODS: &[Native] = methods![
    private("initialize", 0, ANY, initialize),
    private("initialize_copy", 1, 1, initialize_copy),
    method("==", 1, 1, |ruby, this, args| same(ruby, this, &args[0], Walk::Equal)),
    method("eql?", 1, 1, |ruby, this, args| same(ruby, this, &args[0], Walk::Eql)),
    method("hash", 0, 0, hash),
    method("inspect", 0, 0, to_s).alias("to_s"),
];

/// Singleton methods of a class made by `Struct.new`.
static OF_CLASSES: [Native; 5] = [
    method("new", 0, ANY, instantiate),
    method("[]", 0, ANY, instantiate),
    method("members", 0, 0, |ruby, this, _| {
        let members = members(ruby, this)?;
        Ok(Value::array(members.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
    }),
    method("keyword_init?", 0, 0, |ruby, this, _| Ok(inherited(ruby, this, sym::KEYWORD_INIT))),
    method("inspect", 0, 0, inspect_class),
];

/// The value that a struct class, or one that it inherits from, keeps under a name.
fn inherited(ruby: &Ruby<'_>, class: &Value, name: Symbol) -> Value {
    let mut at = if let Value::Class(class) = class { Some(*class) } else { None };
    while let Some(class) = at {
        if let Some(value) = ruby.class(class).head.variable(name) {
            return value;
        }
        at = ruby.class(class).superclass;
    }
    Value::Nil
}

/// The members of a class, or of the class of an object.
pub(crate) fn members(ruby: &mut Ruby<'_>, of: &Value) -> Result<Vec<Symbol>> {
    let class = match of {
        Value::Class(_) => of.clone(),
        object => Value::Class(ruby.real_class_of(object)),
    };
    match inherited(ruby, &class, sym::MEMBERS_KW) {
        Value::Array(list) => Ok(list
            .items()
            .iter()
            .filter_map(|name| if let Value::Symbol(name) = name { Some(*name) } else { None })
            .collect()),
        _ => Err(ruby.type_error("uninitialized struct")),
    }
}

/// The value of a field.
pub(crate) fn field(this: &Value, name: Symbol) -> Value {
    this.head().and_then(|head| head.variable(name)).unwrap_or_default()
}

/// The values of all fields.
pub(crate) fn values(ruby: &mut Ruby<'_>, this: &Value) -> Result<Vec<Value>> {
    Ok(members(ruby, this)?.into_iter().map(|name| field(this, name)).collect())
}

/// Makes a class with members: readers, writers if wanted, and what such classes can do themselves.
fn make_class(
    ruby: &mut Ruby<'_>,
    superclass: ClassId,
    members: &[Symbol],
    writers: bool,
    own: &'static [Native],
) -> Result<ClassId> {
    let class = ruby.add_class(Class::new(ClassKind::Class, Some(superclass)));
    let meta = ruby.make_singleton_of_class(class);
    let list: Vec<Value> = members.iter().map(|name| Value::Symbol(*name)).collect();
    ruby.class(class).head.set_variable(sym::MEMBERS_KW, Value::array(list));
    let add = |ruby: &mut Ruby<'_>, owner: ClassId, name: Symbol, body: MethodBody| {
        let method = Rc::new(Method { name, owner, visibility: Visibility::Public, body });
        let class = ruby.class_mut(owner);
        class.methods.insert(name, method);
        class.method_order.push(name);
    };
    for name in members {
        add(ruby, class, *name, MethodBody::Reader(*name));
        if writers {
            let writer = format!("{}=", ruby.name(*name));
            let writer = ruby.symbols.intern(&writer);
            add(ruby, class, writer, MethodBody::Writer(*name));
        }
    }
    for native in own {
        let name = ruby.symbols.intern(native.name);
        add(ruby, meta, name, MethodBody::Native(native));
    }
    ruby.changed();
    ruby.try_send(&Value::Class(superclass), sym::INHERITED, &[Value::Class(class)])?;
    Ok(class)
}

/// Names of members, each once.
fn member_names(ruby: &mut Ruby<'_>, list: &[Value]) -> Result<Vec<Symbol>> {
    let mut names = Vec::new();
    for name in list {
        let name = ruby.to_symbol(name)?;
        if names.contains(&name) {
            let message = format!("duplicate member: {}", ruby.name(name));
            return Err(ruby.argument_error(message));
        }
        names.push(name);
    }
    Ok(names)
}

/// Runs the block of a definition as the body of the class.
fn run_body(ruby: &mut Ruby<'_>, class: ClassId, args: &Args<'_>) -> Result {
    let class = Value::Class(class);
    if let Some(block) = args.block {
        let class_eval = ruby.symbols.intern("class_eval");
        ruby.call(&class, class_eval, &Args::with_block(&[], block))?;
    }
    Ok(class)
}

/// `Struct.new("Name", :member, …, keyword_init: nil) { … }`
fn define(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (mut list, keywords) = args.split();
    let keyword_init = match keywords {
        Some(keywords) => {
            let name = ruby.symbol("keyword_init");
            for key in keywords.table().iter().map(|entry| entry.key.clone()).collect::<Vec<_>>() {
                if !key.is_same(&name) {
                    let shown = ruby.inspect(&key)?;
                    return Err(ruby.argument_error(format!("unknown keyword: {}", shown.to_str_lossy())));
                }
            }
            ruby.hash_get(keywords, &name)?.unwrap_or_default()
        }
        None => Value::Nil,
    };
    let Some(first) = list.first() else {
        return Err(ruby.wrong_number_of_arguments(0, "1+"));
    };
    let mut constant = None;
    match first {
        Value::Symbol(_) => {}
        Value::Nil => list = &list[1..],
        other => {
            let name = ruby.to_text(other)?.to_str_lossy().into_owned();
            if !name.starts_with(|letter: char| letter.is_uppercase()) {
                let message = format!("identifier {name} needs to be constant");
                return Err(ruby.error(ClassId::NAME_ERROR, message));
            }
            constant = Some(name);
            list = &list[1..];
        }
    }
    let names = member_names(ruby, list)?;
    let superclass = if let Value::Class(class) = this { *class } else { ClassId::STRUCT };
    let class = make_class(ruby, superclass, &names, true, &OF_CLASSES)?;
    let keyword_init = match keyword_init {
        Value::Nil => Value::Nil,
        other => other.is_true().into(),
    };
    ruby.class(class).head.set_variable(sym::KEYWORD_INIT, keyword_init);
    if let Some(name) = constant {
        let above = ruby.class_name(superclass);
        ruby.class_mut(class).name = Some(format!("{above}::{name}").into());
        let name = ruby.symbols.intern(&name);
        let constant = Constant { value: Value::Class(class), private: false };
        ruby.class_mut(superclass).constants.insert(name, constant);
        ruby.changed();
    }
    run_body(ruby, class, args)
}

/// `new` of classes, as every other class has it.
fn instantiate(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    match ruby.own_method(ClassId::CLASS, sym::NEW) {
        Some(method) => ruby.call_method(this, &method, sym::NEW, args),
        None => Ok(Value::Nil),
    }
}

fn inspect_class(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let Value::Class(class) = this else { return Ok(Value::Nil) };
    let name = ruby.class_name(*class);
    let keyword_init = inherited(ruby, this, sym::KEYWORD_INIT).is_true();
    Ok(if keyword_init { format!("{name}(keyword_init: true)") } else { name }.into())
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    ruby.check_frozen(this)?;
    let names = members(ruby, this)?;
    let class = Value::Class(ruby.real_class_of(this));
    let keyword_init = inherited(ruby, &class, sym::KEYWORD_INIT);
    // Nothing but keywords means members, unless the class says that it takes none.
    let by_name = keyword_init.is_true() || (keyword_init.is_nil() && args.has_keywords && args.len() == 1);
    if !by_name {
        if args.len() > names.len() {
            return Err(ruby.argument_error("struct size differs"));
        }
        for (index, name) in names.into_iter().enumerate() {
            ruby.set_instance_variable(this, name, args[index].clone())?;
        }
        return Ok(Value::Nil);
    }
    let given = match args.list {
        [] => Vec::new(),
        [Value::Hash(hash)] => crate::core::hash::entries(hash),
        list => return Err(ruby.wrong_number_of_arguments(list.len(), 0)),
    };
    for name in &names {
        ruby.set_instance_variable(this, *name, Value::Nil)?;
    }
    let mut unknown = Vec::new();
    for (key, value) in given {
        match key {
            Value::Symbol(name) if names.contains(&name) => {
                ruby.set_instance_variable(this, name, value)?;
            }
            other => unknown.push(ruby.display(&other)?.to_str_lossy().into_owned()),
        }
    }
    if !unknown.is_empty() {
        return Err(ruby.argument_error(format!("unknown keywords: {}", unknown.join(", "))));
    }
    Ok(Value::Nil)
}

fn initialize_copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    for name in members(ruby, this)? {
        ruby.set_instance_variable(this, name, field(&args[0], name))?;
    }
    Ok(this.clone())
}

/// Whether two objects of the same class have the same fields.
fn same(ruby: &mut Ruby<'_>, this: &Value, other: &Value, walk: Walk) -> Result {
    if this.is_same(other) {
        return Ok(true.into());
    }
    if ruby.real_class_of(this) != ruby.real_class_of(other) {
        return Ok(false.into());
    }
    let (mine, theirs) = (values(ruby, this)?, values(ruby, other)?);
    let same = ruby.guarded(walk, this, other, |ruby| {
        for (a, b) in mine.iter().zip(&theirs) {
            let same = if walk == Walk::Eql { ruby.eql(a, b)? } else { ruby.eq(a, b)? };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    })?;
    Ok(same.unwrap_or(true).into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let mut key = vec![Value::Class(ruby.real_class_of(this))];
    key.extend(values(ruby, this)?);
    let code = ruby.guarded_hash(this, |ruby| ruby.hash_code(&Value::array(key)))?;
    Ok(Value::Int((code as i64) >> 2))
}

fn to_s(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    inspect(ruby, this, "struct")
}

/// `#<struct Name a=1>`
fn inspect(ruby: &mut Ruby<'_>, this: &Value, kind: &str) -> Result {
    let class = ruby.real_class_of(this);
    let name = ruby.class(class).name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let names = members(ruby, this)?;
    let shown = ruby.guarded(Walk::Inspect, this, &Value::Nil, |ruby| {
        let mut fields = Vec::new();
        for member in names {
            let value = ruby.inspect(&field(this, member))?;
            let plain = ruby.name(member).starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
                && ruby.name(member).chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            let label = if plain {
                ruby.name(member).to_owned()
            } else {
                ruby.inspect(&Value::Symbol(member))?.to_str_lossy().into_owned()
            };
            fields.push(format!("{label}={}", value.to_str_lossy()));
        }
        let gap = if fields.is_empty() { "" } else { " " };
        Ok(format!("#<{kind}{name}{gap}{}>", fields.join(", ")))
    })?;
    Ok(shown.unwrap_or_else(|| format!("#<{kind}{name}:...>")).into())
}
