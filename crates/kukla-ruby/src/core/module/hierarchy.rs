//! Ancestors: `include`, `prepend`, `extend`, and how modules compare.

use super::this_class;
use crate::class::{ANY, ClassId, Native, method, private};
use crate::core::object::identity::need_module;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// Methods of modules.
pub const METHODS: &[Native] = &[
    method("ancestors", 0, 0, |ruby, this, _| {
        let ancestors = ruby.ancestors(this_class(this));
        Ok(Value::array(ancestors.iter().map(|class| Value::Class(*class)).collect::<Vec<_>>()))
    }),
    method("include", 1, ANY, |ruby, this, args| {
        for module in args.list.iter().rev() {
            check_module(ruby, module)?;
            ruby.send(module, sym::APPEND_FEATURES, std::slice::from_ref(this))?;
            ruby.send(module, sym::INCLUDED, std::slice::from_ref(this))?;
        }
        Ok(this.clone())
    }),
    method("prepend", 1, ANY, |ruby, this, args| {
        for module in args.list.iter().rev() {
            check_module(ruby, module)?;
            ruby.send(module, sym::PREPEND_FEATURES, std::slice::from_ref(this))?;
            ruby.send(module, sym::PREPENDED, std::slice::from_ref(this))?;
        }
        Ok(this.clone())
    }),
    private("append_features", 1, 1, |ruby, this, args| {
        let target = need_module(ruby, &args[0])?;
        ruby.include_module(target, this_class(this))?;
        Ok(this.clone())
    }),
    private("prepend_features", 1, 1, |ruby, this, args| {
        let (target, module) = (need_module(ruby, &args[0])?, this_class(this));
        ruby.check_frozen(&Value::Class(target))?;
        if ruby.ancestors(module).contains(&target) {
            return Err(ruby.argument_error("cyclic prepend detected"));
        }
        if !ruby.class(target).prepends.contains(&module) {
            ruby.class_mut(target).prepends.insert(0, module);
            if (target.0 as usize) < crate::class::NATIVE_CLASSES.len() {
                ruby.run.redefined = true;
            }
            ruby.changed();
        }
        Ok(this.clone())
    }),
    private("extend_object", 1, 1, |ruby, this, args| {
        if args[0].head().is_some_and(crate::value::Head::is_frozen) {
            ruby.check_frozen(&args[0])?;
        }
        let singleton = ruby.singleton_class(&args[0])?;
        ruby.include_module(singleton, this_class(this))?;
        Ok(args[0].clone())
    }),
    private("included", 1, 1, |_, _, _| Ok(Value::Nil)),
    private("prepended", 1, 1, |_, _, _| Ok(Value::Nil)),
    private("extended", 1, 1, |_, _, _| Ok(Value::Nil)),
    private("method_added", 1, 1, |_, _, _| Ok(Value::Nil)),
    private("method_removed", 1, 1, |_, _, _| Ok(Value::Nil)),
    private("method_undefined", 1, 1, |_, _, _| Ok(Value::Nil)),
    private("const_added", 1, 1, |_, _, _| Ok(Value::Nil)),
    method("include?", 1, 1, |ruby, this, args| {
        check_module(ruby, &args[0])?;
        let (own, other) = (this_class(this), this_class(&args[0]));
        Ok(Value::Bool(own != other && ruby.ancestors(own).contains(&other)))
    }),
    method("included_modules", 0, 0, |ruby, this, _| {
        let own = this_class(this);
        let ancestors = ruby.ancestors(own);
        let modules = ancestors.iter().filter(|id| **id != own && ruby.class(**id).is_module());
        Ok(Value::array(modules.map(|id| Value::Class(*id)).collect::<Vec<_>>()))
    }),
    method("singleton_class?", 0, 0, |ruby, this, _| {
        Ok(Value::Bool(ruby.class(this_class(this)).is_singleton()))
    }),
    method("<", 1, 1, |ruby, this, args| {
        let (below, above) = related(ruby, this, &args[0])?;
        Ok(if this.is_same(&args[0]) { Value::Bool(false) } else { answer(below, above) })
    }),
    method("<=", 1, 1, |ruby, this, args| {
        let (below, above) = related(ruby, this, &args[0])?;
        Ok(if this.is_same(&args[0]) { Value::Bool(true) } else { answer(below, above) })
    }),
    method(">", 1, 1, |ruby, this, args| {
        let (below, above) = related(ruby, this, &args[0])?;
        Ok(if this.is_same(&args[0]) { Value::Bool(false) } else { answer(above, below) })
    }),
    method(">=", 1, 1, |ruby, this, args| {
        let (below, above) = related(ruby, this, &args[0])?;
        Ok(if this.is_same(&args[0]) { Value::Bool(true) } else { answer(above, below) })
    }),
    method("<=>", 1, 1, |ruby, this, args| {
        if this.is_same(&args[0]) {
            return Ok(Value::Int(0));
        }
        if !matches!(args[0], Value::Class(_)) {
            return Ok(Value::Nil);
        }
        Ok(match related(ruby, this, &args[0])? {
            (true, _) => Value::Int(-1),
            (_, true) => Value::Int(1),
            _ => Value::Nil,
        })
    }),
];

fn check_module(ruby: &mut Ruby<'_>, value: &Value) -> Result<()> {
    let module = need_module(ruby, value)?;
    if ruby.class(module).is_module() {
        return Ok(());
    }
    Err(ruby.type_error("wrong argument type Class (expected Module)"))
}

fn related(ruby: &mut Ruby<'_>, this: &Value, other: &Value) -> Result<(bool, bool)> {
    let Value::Class(other) = other else { return Err(ruby.type_error("compared with non class/module")) };
    let own = this_class(this);
    Ok((ruby.ancestors(own).contains(other), ruby.ancestors(*other).contains(&own)))
}

/// True, false the other way round, `nil` if they are not related.
fn answer(yes: bool, no: bool) -> Value {
    match (yes, no) {
        (true, _) => Value::Bool(true),
        (_, true) => Value::Bool(false),
        _ => Value::Nil,
    }
}

impl Ruby<'_> {
    /// Includes a module into a class or module.
    pub fn include_module(&mut self, target: ClassId, module: ClassId) -> Result<()> {
        self.check_frozen(&Value::Class(target))?;
        if module == target || self.ancestors(module).contains(&target) {
            return Err(self.argument_error("cyclic include detected"));
        }
        if !self.class(target).includes.contains(&module) {
            self.class_mut(target).includes.insert(0, module);
            self.changed();
        }
        Ok(())
    }
}
