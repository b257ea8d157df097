//! `public`, `private`, `protected`, `module_function`.

use std::rc::Rc;

use super::this_class;
use crate::args::Args;
use crate::class::{ANY, ClassId, Native, method};
use crate::error::Result;
use crate::method::{Method, MethodBody, Visibility};
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::Value;

/// Methods of modules.
pub const METHODS: &[Native] = &[
    method("public", 0, ANY, |ruby, this, args| change(ruby, this_class(this), args, Visibility::Public)),
    method("private", 0, ANY, |ruby, this, args| change(ruby, this_class(this), args, Visibility::Private)),
    method("protected", 0, ANY, |ruby, this, args| {
        change(ruby, this_class(this), args, Visibility::Protected)
    }),
    method("public_class_method", 0, ANY, |ruby, this, args| {
        let class = ruby.singleton_class(this)?;
        for name in names(ruby, args)? {
            ruby.set_visibility(class, name, Visibility::Public)?;
        }
        Ok(Value::Nil)
    }),
    method("private_class_method", 0, ANY, |ruby, this, args| {
        let class = ruby.singleton_class(this)?;
        for name in names(ruby, args)? {
            ruby.set_visibility(class, name, Visibility::Private)?;
        }
        Ok(Value::Nil)
    }),
    method("module_function", 0, ANY, |ruby, this, args| {
        if args.is_empty() {
            if let Some(at) = ruby.run.frames.last() {
                at.module_function.set(true);
                at.visibility.set(Visibility::Private);
            }
            return Ok(Value::Nil);
        }
        let class = this_class(this);
        for name in names(ruby, args)? {
            let Some(method) = ruby.find_instance_method(class, name) else {
                return Err(ruby.undefined_method(class, name));
            };
            let meta = ruby.singleton_class(this)?;
            ruby.add_method(meta, name, Visibility::Public, method.body.clone())?;
            ruby.set_visibility(class, name, Visibility::Private)?;
        }
        Ok(arguments_value(args))
    }),
    method("ruby2_keywords", 0, ANY, |ruby, this, args| {
        for name in names(ruby, args)? {
            if let Some(method) = ruby.own_method(this_class(this), name)
                && let MethodBody::Code(code) = &method.body
            {
                code.keeps_keywords.set(true);
            }
        }
        Ok(Value::Nil)
    }),
];

/// The answer of such a method: its arguments.
fn arguments_value(args: &Args<'_>) -> Value {
    match args.list {
        [] => Value::Nil,
        [only] => only.clone(),
        all => Value::array(all),
    }
}

fn names(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<Vec<Symbol>> {
    let values = match args.list {
        [Value::Array(list)] => list.to_vec(),
        list => list.to_vec(),
    };
    values.iter().map(|name| ruby.to_symbol(name)).collect()
}

/// Changes the visibility of methods, or of those that are defined from here on.
pub(crate) fn change(ruby: &mut Ruby<'_>, class: ClassId, args: &Args<'_>, visibility: Visibility) -> Result {
    if args.is_empty() {
        if let Some(at) = ruby.run.frames.last() {
            at.visibility.set(visibility);
            at.module_function.set(false);
        }
        return Ok(Value::Nil);
    }
    for name in names(ruby, args)? {
        ruby.set_visibility(class, name, visibility)?;
    }
    Ok(arguments_value(args))
}

impl Ruby<'_> {
    pub(crate) fn set_visibility(
        &mut self,
        class: ClassId,
        name: Symbol,
        visibility: Visibility,
    ) -> Result<()> {
        self.check_frozen(&Value::Class(class))?;
        let Some(method) = self.find_instance_method(class, name) else {
            return Err(self.undefined_method(class, name));
        };
        if method.visibility == visibility {
            return Ok(());
        }
        if method.owner == class && !matches!(method.body, MethodBody::Native(_)) {
            let changed = Method { name: method.name, owner: class, visibility, body: method.body.clone() };
            self.class_mut(class).methods.insert(name, Rc::new(changed));
            self.methods_changed();
        } else if method.owner == class {
            self.put_method(class, name, visibility, method.body.clone());
        } else {
            // An inherited method is called by one of the class's own, so that `super` in it goes on from where it is.
            let body = match &method.body {
                MethodBody::Native(native) => MethodBody::Native(native),
                _ => MethodBody::Alias(method.clone()),
            };
            self.put_method(class, name, visibility, body);
        }
        Ok(())
    }
}
