//! The methods of an object: calling them by name, asking for them, defining its own.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, Native, method, private, quick};
use crate::core::method::{make_method, singleton_method};
use crate::core::module::methods::{VisibilityFilter, list_methods};
use crate::error::Result;
use crate::method::{MethodBody, Visibility};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// Methods of every object.
pub const METHODS: &[Native] = &[
    quick("send", 0, ANY, super::send),
    quick("public_send", 0, ANY, |ruby, this, args| {
        let Some((name, rest)) = args.list.split_first() else {
            return Err(ruby.argument_error("no method name given"));
        };
        let name = ruby.to_symbol(name)?;
        let args = Args { list: rest, ..*args };
        let class = ruby.class_of(this);
        match ruby.find_method(class, name) {
            Some(method) => {
                let nobody = Value::Nil;
                match ruby.forbidden(&method, &nobody) {
                    Some(kind) => ruby.missing(this, name, &args, kind),
                    None => ruby.call_method(this, &method, name, &args),
                }
            }
            None => ruby.method_missing(this, name, &args),
        }
    }),
    quick("respond_to?", 1, 2, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        let all = args[1].is_true();
        let class = ruby.class_of(this);
        if let Some(method) = ruby.find_method(class, name) {
            return Ok(Value::Bool(all || method.visibility == Visibility::Public));
        }
        let given = [Value::Symbol(name), Value::Bool(all)];
        Ok(Value::Bool(ruby.send(this, sym::RESPOND_TO_MISSING, &given)?.is_true()))
    }),
    private("respond_to_missing?", 2, 2, |_, _, _| Ok(Value::Bool(false))),
    quick("method", 1, 1, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        make_method(ruby, this, name, false)
    }),
    quick("public_method", 1, 1, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        make_method(ruby, this, name, true)
    }),
    quick("singleton_method", 1, 1, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        singleton_method(ruby, this, name)
    }),
    method("methods", 0, 1, |ruby, this, args| {
        if args.get(0).is_some_and(|all| !all.is_true()) {
            return singleton_methods(ruby, this, false);
        }
        let class = ruby.class_of(this);
        list_methods(ruby, class, true, VisibilityFilter::PublicAndProtected, true)
    }),
    method("public_methods", 0, 1, |ruby, this, args| of_kind(ruby, this, args, VisibilityFilter::Public)),
    method("protected_methods", 0, 1, |ruby, this, args| {
        of_kind(ruby, this, args, VisibilityFilter::Protected)
    }),
    method("private_methods", 0, 1, |ruby, this, args| of_kind(ruby, this, args, VisibilityFilter::Private)),
    method("singleton_methods", 0, 1, |ruby, this, args| {
        singleton_methods(ruby, this, args.get(0).is_none_or(Value::is_true))
    }),
    method("define_singleton_method", 1, 2, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        let body = match (args.get(1), args.block) {
            (Some(Value::Proc(proc)), _) => MethodBody::Proc(proc.clone()),
            (Some(method), _) => match crate::core::method::body_of(method) {
                Some(method) => MethodBody::Alias(method),
                None => {
                    let class = ruby.class_name_of(method);
                    let message = format!("wrong argument type {class} (expected Proc/Method/UnboundMethod)");
                    return Err(ruby.type_error(message));
                }
            },
            (None, Some(block)) => MethodBody::Proc(Rc::clone(block)),
            (None, None) => return Err(ruby.argument_error("tried to create Proc object without a block")),
        };
        let class = ruby.singleton_class(this)?;
        if this.head().is_some_and(crate::value::Head::is_frozen) {
            ruby.check_frozen(this)?;
        }
        ruby.add_method(class, name, Visibility::Public, body)?;
        Ok(Value::Symbol(name))
    }),
];

fn of_kind(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, wanted: VisibilityFilter) -> Result {
    let class = ruby.class_of(this);
    let all = args.get(0).is_none_or(Value::is_true);
    list_methods(ruby, class, all, wanted, true)
}

fn singleton_methods(ruby: &mut Ruby<'_>, this: &Value, all: bool) -> Result {
    let class = ruby.class_of(this);
    if !ruby.class(class).is_singleton() {
        return Ok(Value::array(Vec::new()));
    }
    let mut names = Vec::new();
    let mut at = Some(class);
    while let Some(here) = at {
        let class = ruby.class(here);
        if !class.is_singleton() {
            break;
        }
        let mut modules = vec![here];
        if all {
            modules.extend(class.includes.iter().copied());
        }
        for module in modules {
            let class = ruby.class(module);
            let natives = class.native.iter().flat_map(|native| native.iter());
            let natives = natives.filter(|(_, native)| !native.private).map(|(name, _)| *name);
            let own = class.method_order.iter().copied().filter(|name| {
                class.methods.get(name).is_some_and(|method| {
                    method.visibility != Visibility::Private && !matches!(method.body, MethodBody::Undefined)
                })
            });
            for name in own.chain(natives) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        // Those of a superclass count for classes only.
        at = if all && matches!(this, Value::Class(_)) { ruby.class(here).superclass } else { None };
    }
    Ok(Value::array(names.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
}
