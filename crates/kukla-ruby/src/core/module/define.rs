//! `attr_accessor`, `define_method`, `alias_method`.

use std::rc::Rc;

use super::this_class;
use crate::args::Args;
use crate::class::{ANY, Native, method};
use crate::core::method::body_of;
use crate::error::Result;
use crate::method::{MethodBody, Visibility};
use crate::ruby::Ruby;
use crate::value::Value;

/// Methods of modules.
pub const METHODS: &[Native] = &[
    method("attr_reader", 0, ANY, |ruby, this, args| accessors(ruby, this, args, true, false)),
    method("attr_writer", 0, ANY, |ruby, this, args| accessors(ruby, this, args, false, true)),
    method("attr_accessor", 0, ANY, |ruby, this, args| accessors(ruby, this, args, true, true)),
    method("attr", 0, ANY, |ruby, this, args| match args.list {
        [name, Value::Bool(writer)] => {
            accessors(ruby, this, &Args::new(std::slice::from_ref(name)), true, *writer)
        }
        _ => accessors(ruby, this, args, true, false),
    }),
    method("define_method", 1, 2, define_method),
    method("alias_method", 2, 2, |ruby, this, args| {
        let (new, old) = (ruby.to_symbol(&args[0])?, ruby.to_symbol(&args[1])?);
        ruby.alias_method(this_class(this), new, old)?;
        Ok(Value::Symbol(new))
    }),
];

/// The visibility that methods get which the running code defines in a module.
fn default_visibility(ruby: &Ruby<'_>, this: &Value) -> Visibility {
    match ruby.run.frames.last() {
        Some(at) if at.this().is_same(this) && at.method().is_none() => at.visibility.get(),
        _ => Visibility::Public,
    }
}

fn accessors(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, reader: bool, writer: bool) -> Result {
    let class = this_class(this);
    let visibility = default_visibility(ruby, this);
    let mut defined = Vec::new();
    for name in args.list {
        let name = ruby.to_symbol(name)?;
        let spelled = ruby.name(name).to_owned();
        let good = spelled.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic())
            && spelled.chars().all(|c| c == '_' || c.is_alphanumeric());
        if !good {
            let message = format!("invalid attribute name `{spelled}'");
            return Err(ruby.name_error(message, name, this.clone()));
        }
        let variable = ruby.symbols.intern(&format!("@{spelled}"));
        if reader {
            ruby.add_method(class, name, visibility, MethodBody::Reader(variable))?;
            defined.push(Value::Symbol(name));
        }
        if writer {
            let setter = ruby.symbols.intern(&format!("{spelled}="));
            ruby.add_method(class, setter, visibility, MethodBody::Writer(variable))?;
            defined.push(Value::Symbol(setter));
        }
    }
    Ok(Value::array(defined))
}

fn define_method(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = ruby.to_symbol(&args[0])?;
    let class = this_class(this);
    let body = match (args.get(1), args.block) {
        (Some(Value::Proc(proc)), _) => MethodBody::Proc(Rc::clone(proc)),
        (Some(method), _) => match body_of(method) {
            Some(method) => {
                let owner = method.owner;
                if !ruby.class(owner).is_module() && owner != class && !ruby.ancestors(class).contains(&owner)
                {
                    let shown = ruby.class_name(owner);
                    let message = if ruby.class(owner).is_singleton() {
                        "can't bind singleton method to a different class".to_owned()
                    } else {
                        format!("bind argument must be a subclass of {shown}")
                    };
                    return Err(ruby.type_error(message));
                }
                method.body.clone()
            }
            None => {
                let class = ruby.class_name_of(method);
                let message = format!("wrong argument type {class} (expected Proc/Method/UnboundMethod)");
                return Err(ruby.type_error(message));
            }
        },
        (None, Some(block)) => MethodBody::Proc(Rc::clone(block)),
        (None, None) => return Err(ruby.argument_error("tried to create Proc object without a block")),
    };
    let visibility = default_visibility(ruby, this);
    ruby.add_method(class, name, visibility, body)?;
    Ok(Value::Symbol(name))
}
