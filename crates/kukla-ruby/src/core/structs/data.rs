//! `Data`: values with named fields that never change.

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, private};
use crate::core::structs::{self, field, members};
use crate::error::Result;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::value::Value;

/// The class `Data`.
pub const DATA: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[&[method("define", 0, ANY, define), method("new", 0, ANY, no_new)]],
    ..NativeClass::class("Data", "Object")
};

const METHODS: &[Native] = methods![
    private("initialize", 0, ANY, initialize),
    private("initialize_copy", 1, 1, structs::initialize_copy),
    method("==", 1, 1, |ruby, this, args| structs::same(ruby, this, &args[0], Walk::Equal)),
    method("eql?", 1, 1, |ruby, this, args| structs::same(ruby, this, &args[0], Walk::Eql)),
    method("hash", 0, 0, structs::hash),
    method("inspect", 0, 0, to_s).alias("to_s"),
    method("members", 0, 0, |ruby, this, _| {
        let members = members(ruby, this)?;
        Ok(Value::array(members.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
    }),
    method("to_h", 0, 0, structs::fields::to_h),
    method("deconstruct_keys", 1, 1, structs::fields::deconstruct_keys),
    method("with", 0, ANY, with),
];

/// Singleton methods of a class made by `Data.define`.
static OF_CLASSES: [Native; 3] = [
    method("new", 0, ANY, instantiate),
    method("[]", 0, ANY, instantiate),
    method("members", 0, 0, |ruby, this, _| {
        let members = members(ruby, this)?;
        Ok(Value::array(members.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
    }),
];

fn to_s(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    structs::inspect(ruby, this, "data")
}

fn define(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let names = structs::member_names(ruby, args.list)?;
    for name in &names {
        if ruby.name(*name).ends_with('=') {
            let message = format!("invalid data member: {}", ruby.name(*name));
            return Err(ruby.argument_error(message));
        }
    }
    let superclass = if let Value::Class(class) = this { *class } else { ClassId::DATA };
    let class = structs::make_class(ruby, superclass, &names, false, &OF_CLASSES)?;
    structs::run_body(ruby, class, args)
}

fn no_new(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Err(ruby.error(ClassId::NO_METHOD_ERROR, "undefined method `new' for Data:Class"))
}

/// Arguments in order become keywords, which is what `initialize` takes.
fn instantiate(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.has_keywords || args.is_empty() {
        return structs::instantiate(ruby, this, args);
    }
    let names = members(ruby, this)?;
    if args.len() > names.len() {
        let expected = match names.len() {
            0 => "0".to_owned(),
            most => format!("0..{most}"),
        };
        return Err(ruby.wrong_number_of_arguments(args.len(), expected));
    }
    let pairs: Vec<_> = names.into_iter().map(Value::Symbol).zip(args.list.iter().cloned()).collect();
    let keywords = [ruby.make_hash(pairs)?];
    structs::instantiate(ruby, this, &Args { list: &keywords, has_keywords: true, block: args.block })
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let names = members(ruby, this)?;
    let given = match args.list {
        [] => Vec::new(),
        [Value::Hash(hash)] => crate::core::hash::entries(hash),
        list => return Err(ruby.wrong_number_of_arguments(list.len(), 0)),
    };
    let mut unknown = Vec::new();
    let mut set = Vec::new();
    for (key, value) in given {
        let name = match &key {
            Value::String(_) => Value::Symbol(ruby.to_symbol(&key)?),
            other => other.clone(),
        };
        match name {
            Value::Symbol(name) if names.contains(&name) => {
                ruby.set_instance_variable(this, name, value)?;
                set.push(name);
            }
            other => unknown.push(ruby.inspect(&other)?.to_str_lossy().into_owned()),
        }
    }
    let mut missing = Vec::new();
    for name in &names {
        if !set.contains(name) {
            missing.push(ruby.inspect(&Value::Symbol(*name))?.to_str_lossy().into_owned());
        }
    }
    for (word, list) in [("missing", missing), ("unknown", unknown)] {
        if !list.is_empty() {
            let plural = if list.len() == 1 { "" } else { "s" };
            return Err(ruby.argument_error(format!("{word} keyword{plural}: {}", list.join(", "))));
        }
    }
    if let Some(head) = this.head() {
        head.freeze();
    }
    Ok(Value::Nil)
}

fn with(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (list, keywords) = args.split();
    if !list.is_empty() {
        return Err(ruby.wrong_number_of_arguments(list.len(), 0));
    }
    let Some(keywords) = keywords else { return Ok(this.clone()) };
    let names = members(ruby, this)?;
    let mut pairs: Vec<_> = names.into_iter().map(|name| (Value::Symbol(name), field(this, name))).collect();
    pairs.extend(crate::core::hash::entries(keywords));
    let keywords = [ruby.make_hash(pairs)?];
    let class = Value::Class(ruby.real_class_of(this));
    structs::instantiate(ruby, &class, &Args { list: &keywords, has_keywords: true, block: None })
}
