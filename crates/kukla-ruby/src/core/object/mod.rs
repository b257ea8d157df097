//! Methods of every object.

pub(crate) mod copy;
pub(crate) mod identity;
pub(crate) mod methods;
pub(crate) mod variables;

use crate::args::Args;
use crate::class::{ANY, Native, NativeClass, private, quick};
use crate::core::binding;
use crate::error::Result;
use crate::eval::Missing;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// The class `BasicObject`.
pub const BASIC_OBJECT: NativeClass = NativeClass { methods: &[BASIC], ..NativeClass::module("BasicObject") };

/// The class `Object`.
pub const OBJECT: NativeClass =
    NativeClass { includes: &["Kernel"], ..NativeClass::class("Object", "BasicObject") };

const BASIC: &[Native] = &[
    private("initialize", 0, ANY, initialize),
    quick("==", 1, 1, |_, this, args| Ok(Value::Bool(this.is_same(&args[0])))),
    quick("equal?", 1, 1, |_, this, args| Ok(Value::Bool(this.is_same(&args[0])))),
    quick("!", 0, 0, |_, this, _| Ok(Value::Bool(!this.is_true()))),
    quick("!=", 1, 1, |ruby, this, args| Ok(Value::Bool(!ruby.send(this, sym::EQ, args.list)?.is_true()))),
    quick("__id__", 0, 0, |ruby, this, _| Ok(Value::Int(ruby.object_id(this)))),
    quick("__send__", 0, ANY, send),
    quick("instance_eval", 0, 3, instance_eval),
    quick("instance_exec", 0, ANY, |ruby, this, args| {
        let block = ruby.need_block(args)?;
        let definee = ruby.definee_of(this);
        ruby.call_block_as(block, this, definee, &Args { block: None, ..*args })
    }),
    private("method_missing", 0, ANY, |ruby, this, args| {
        let Some((name, rest)) = args.list.split_first() else {
            return Err(ruby.argument_error("no method name given"));
        };
        let Value::Symbol(name) = name else {
            return Err(ruby.argument_error("no method name given"));
        };
        let class = ruby.class_of(this);
        let kind = match ruby.find_method(class, *name) {
            Some(method) => {
                let nobody = Value::Nil;
                ruby.forbidden(&method, &nobody).unwrap_or(Missing::Method)
            }
            None => ruby.run.missing.take().unwrap_or(Missing::Method),
        };
        Err(ruby.no_method(this, *name, &Args { list: rest, ..*args }, kind))
    }),
    private("singleton_method_added", 1, 1, |_, _, _| Ok(Value::Nil)),
    private("singleton_method_removed", 1, 1, |_, _, _| Ok(Value::Nil)),
    private("singleton_method_undefined", 1, 1, |_, _, _| Ok(Value::Nil)),
];

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.is_empty() {
        return Ok(Value::Nil);
    }
    // `Object.new(1)` complains; what defines `new` or `initialize` itself may hand its arguments on.
    let class = ruby.class_of(this);
    let own = ruby.find_method(class, sym::INITIALIZE);
    if own.is_some_and(|method| method.owner == crate::ClassId::BASIC_OBJECT) {
        return Err(ruby.wrong_number_of_arguments(args.len(), 0));
    }
    let at_initialize = ruby
        .run
        .frames
        .last()
        .and_then(|at| at.method())
        .is_some_and(|method| method.name == sym::INITIALIZE);
    if at_initialize {
        return Err(ruby.wrong_number_of_arguments(args.len(), 0));
    }
    Ok(Value::Nil)
}

/// `send`, which calls private methods too.
pub(super) fn send(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some((name, rest)) = args.list.split_first() else {
        return Err(ruby.argument_error("no method name given"));
    };
    let name = ruby.to_symbol(name)?;
    ruby.call(this, name, &Args { list: rest, ..*args })
}

fn instance_eval(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let definee = ruby.definee_of(this);
    match args.block {
        Some(block) => {
            if !args.is_empty() {
                return Err(ruby.wrong_number_of_arguments(args.len(), 0));
            }
            ruby.call_block_as(block, this, definee, &Args::new(std::slice::from_ref(this)))
        }
        None => {
            if args.is_empty() {
                return Err(ruby.argument_error("wrong number of arguments (given 0, expected 1..3)"));
            }
            binding::evaluate_as(ruby, this, definee, &args[0], args.get(1), args.get(2))
        }
    }
}

impl Ruby<'_> {
    /// Where `def` inside of `instance_eval` puts methods.
    fn definee_of(&mut self, this: &Value) -> Option<crate::ClassId> {
        match this {
            Value::Int(_) | Value::Float(_) | Value::Symbol(_) | Value::Big(_) => None,
            this => self.singleton_class(this).ok(),
        }
    }
}
