//! Hashes.

mod change;
mod compare;
mod each;
mod get;
mod select;

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, private, quick};
use crate::core::enumerable::to_hash_entry;
use crate::error::Result;
use crate::hash::Table;
use crate::iterate::pair;
use crate::ruby::Ruby;
use crate::value::{HashObject, Value};

/// The class `Hash`.
pub const HASH: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[METHODS, change::METHODS, compare::METHODS, each::METHODS, get::METHODS, select::METHODS],
    singleton: &[SINGLETON],
    ..NativeClass::class("Hash", "Object")
};

const SINGLETON: &[Native] = &[
    method("allocate", 0, 0, allocate),
    method("[]", 0, ANY, of_entries),
    method("try_convert", 1, 1, try_convert),
    method("ruby2_keywords_hash?", 1, 1, |ruby, _, args| Ok(ruby.to_hash(&args[0])?.table().keywords.into())),
    method("ruby2_keywords_hash", 1, 1, |ruby, _, args| {
        let mut table = ruby.to_hash(&args[0])?.table().clone();
        table.keywords = true;
        table.iterating = 0;
        Ok(Value::hash(table))
    }),
];

const METHODS: &[Native] = methods![
    private("initialize", 0, ANY, initialize),
    private("initialize_copy", 1, 1, change::replace),
    quick("to_h", 0, 0, to_h),
    quick("to_hash", 0, 0, |_, this, _| Ok(this.clone())),
    method("deconstruct_keys", 1, 1, |_, this, _| Ok(this.clone())),
    method("to_a", 0, 0, to_a).alias("entries"),
    quick("length", 0, 0, length).alias("size"),
    quick("empty?", 0, 0, |ruby, this, _| Ok(own(ruby, this)?.table().is_empty().into())),
    quick("default_proc", 0, 0, |ruby, this, _| Ok(own(ruby, this)?.table().default_proc.clone())),
    quick("default_proc=", 1, 1, set_default_proc),
    quick("default=", 1, 1, set_default),
    method("compare_by_identity", 0, 0, compare_by_identity),
    quick("compare_by_identity?", 0, 0, |ruby, this, _| Ok(own(ruby, this)?.table().by_identity.into())),
    method("rehash", 0, 0, rehash),
    method("to_proc", 0, 0, to_proc),
];

/// The receiver as the hash it is.
#[inline]
pub(crate) fn own<'v>(ruby: &mut Ruby<'_>, this: &'v Value) -> Result<&'v Rc<HashObject>> {
    match this {
        Value::Hash(hash) => Ok(hash),
        other => Err(ruby.no_conversion(other, "Hash")),
    }
}

/// The receiver as the hash it is, to be changed.
#[inline]
pub(crate) fn own_mut<'v>(ruby: &mut Ruby<'_>, this: &'v Value) -> Result<&'v Rc<HashObject>> {
    let hash = own(ruby, this)?;
    if hash.head.is_frozen() {
        ruby.check_frozen(this)?;
    }
    Ok(hash)
}

/// All entries as they are now.
pub(crate) fn entries(hash: &HashObject) -> Vec<(Value, Value)> {
    hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect()
}

/// An empty hash that tells keys apart as another one does.
pub(crate) fn alike(hash: &HashObject) -> Rc<HashObject> {
    let mut table = Table::new();
    table.by_identity = hash.table().by_identity;
    HashObject::new(ClassId::HASH, table)
}

fn allocate(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = if let Value::Class(class) = this { *class } else { ClassId::HASH };
    Ok(Value::Hash(HashObject::new(class, Table::new())))
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    // `capacity:` only says how much room to make.
    let given = match args.split() {
        (list, Some(keywords)) if keywords_are_capacity(ruby, keywords) => list,
        _ => args.list,
    };
    let (default, default_proc) = match (given, args.block) {
        ([], Some(block)) => {
            check_proc(ruby, &Value::Proc(block.clone()))?;
            (Value::Nil, Value::Proc(block.clone()))
        }
        (list, Some(_)) => return Err(ruby.wrong_number_of_arguments(list.len(), 0)),
        ([], None) => (Value::Nil, Value::Nil),
        ([default], None) => (default.clone(), Value::Nil),
        (list, None) => return Err(ruby.wrong_number_of_arguments(list.len(), "0..1")),
    };
    let mut table = hash.table_mut();
    table.default = default;
    table.default_proc = default_proc;
    Ok(this.clone())
}

fn keywords_are_capacity(ruby: &mut Ruby<'_>, keywords: &HashObject) -> bool {
    keywords.table().len() == 1 && ruby.keyword(keywords, "capacity").is_some()
}

fn of_entries(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let class = if let Value::Class(class) = this { *class } else { ClassId::HASH };
    let hash = HashObject::new(class, Table::new());
    if let [only] = args.list {
        if let Some(other) = ruby.maybe_hash(only)? {
            for (key, value) in entries(&other) {
                ruby.hash_set(&hash, key, value)?;
            }
            return Ok(Value::Hash(hash));
        }
        if let Some(list) = ruby.maybe_array(only)? {
            for (index, element) in list.to_vec().iter().enumerate() {
                let Some(entry) = ruby.maybe_array(element)? else {
                    let class = ruby.word_for(element);
                    return Err(ruby
                        .argument_error(format!("wrong element type {class} at {index} (expected array)")));
                };
                let entry = entry.to_vec();
                if !(1..=2).contains(&entry.len()) {
                    let count = entry.len();
                    return Err(ruby.argument_error(format!("invalid number of elements ({count} for 1..2)")));
                }
                ruby.hash_set(&hash, entry[0].clone(), entry.get(1).cloned().unwrap_or_default())?;
            }
            return Ok(Value::Hash(hash));
        }
    }
    if !args.len().is_multiple_of(2) {
        return Err(ruby.argument_error("odd number of arguments for Hash"));
    }
    for entry in args.list.chunks_exact(2) {
        ruby.hash_set(&hash, entry[0].clone(), entry[1].clone())?;
    }
    Ok(Value::Hash(hash))
}

fn try_convert(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    Ok(ruby.maybe_hash(&args[0])?.map_or(Value::Nil, Value::Hash))
}

fn to_h(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let Some(block) = args.block else {
        if ruby.real_class_of(this) == ClassId::HASH {
            return Ok(this.clone());
        }
        let mut copy = hash.table().clone();
        copy.iterating = 0;
        return Ok(Value::hash(copy));
    };
    let made = HashObject::new(ClassId::HASH, Table::new());
    ruby.walk_hash(hash, |ruby, key, value| {
        let element = ruby.yield_to(block, &[key.clone(), value.clone()])?;
        to_hash_entry(ruby, &made, &element, "")?;
        Ok(crate::iterate::Flow::More)
    })?;
    Ok(Value::Hash(made))
}

fn to_a(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    Ok(Value::array(entries(hash).into_iter().map(|(key, value)| pair(key, value)).collect::<Vec<_>>()))
}

fn length(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(own(ruby, this)?.table().len() as i64))
}

/// A proc that makes default values takes two arguments, if it is a lambda.
fn check_proc(ruby: &mut Ruby<'_>, proc: &Value) -> Result<()> {
    let Value::Proc(object) = proc else { return Ok(()) };
    if !object.lambda.get() {
        return Ok(());
    }
    let arity_name = ruby.symbols.intern("arity");
    let arity = match ruby.send(proc, arity_name, &[])? {
        Value::Int(arity) => arity,
        _ => -1,
    };
    if arity != 2 && !(-3..0).contains(&arity) {
        let arity = if arity < 0 { -arity - 1 } else { arity };
        return Err(ruby.type_error(format!("default_proc takes two arguments (2 for {arity})")));
    }
    Ok(())
}

fn set_default_proc(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    let proc = match &args[0] {
        Value::Nil => Value::Nil,
        proc @ Value::Proc(_) => proc.clone(),
        other => {
            let converted = ruby.try_send(other, crate::symbol::sym::TO_PROC, &[])?;
            match converted {
                Some(proc @ Value::Proc(_)) => proc,
                _ => {
                    let class = ruby.class_name_of(other);
                    return Err(ruby.type_error(format!("wrong default_proc type {class} (expected Proc)")));
                }
            }
        }
    };
    check_proc(ruby, &proc)?;
    let mut table = hash.table_mut();
    table.default = Value::Nil;
    table.default_proc = proc;
    Ok(args[0].clone())
}

fn set_default(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    let mut table = hash.table_mut();
    table.default = args[0].clone();
    table.default_proc = Value::Nil;
    Ok(args[0].clone())
}

fn compare_by_identity(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    if hash.table().by_identity {
        return Ok(this.clone());
    }
    own_mut(ruby, this)?;
    if hash.table().iterating > 0 {
        return Err(ruby.runtime_error("compare_by_identity during iteration"));
    }
    let entries = entries(hash);
    {
        let mut table = hash.table_mut();
        table.clear();
        table.by_identity = true;
    }
    for (key, value) in entries {
        ruby.hash_set(hash, key, value)?;
    }
    Ok(this.clone())
}

fn rehash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    if hash.table().iterating > 0 {
        return Err(ruby.runtime_error("rehash during iteration"));
    }
    own_mut(ruby, this)?;
    let entries = entries(hash);
    hash.table_mut().clear();
    for (key, value) in entries {
        // Of keys that have become the same the first one stays.
        ruby.hash_add(hash, key, value)?;
    }
    Ok(this.clone())
}

fn to_proc(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let this = this.clone();
    let proc = ruby.block(1, move |ruby, args| {
        if args.len() != 1 {
            return Err(ruby.wrong_number_of_arguments(args.len(), 1));
        }
        ruby.send(&this, crate::symbol::sym::INDEX, args.list)
    });
    proc.lambda.set(true);
    Ok(Value::Proc(proc))
}
