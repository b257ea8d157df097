//! Constants and class variables: where they are looked for.

use std::rc::Rc;

use super::{Cref, Frame};
use crate::class::{ClassId, Constant};
use crate::error::{Result, Unwind};
use crate::method::MethodBody;
use crate::program::{ConstParent, ConstTarget, Name, Node};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

impl Ruby<'_> {
    /// The modules around the running code.
    pub(crate) fn cref(&mut self) -> Rc<Cref> {
        match self.run.frames.last() {
            Some(at) => at.cref().clone(),
            None => self.top(),
        }
    }

    pub(super) fn constant_node(&mut self, f: &Frame<'_>, name: Name, cache: u32, line: u32) -> Result {
        let cache = &f.unit.constants[cache as usize];
        let module = self.run.frames.last().map_or(0, |at| at.cref().module.0);
        if cache.generation.get() == self.generation && cache.module.get() == module {
            return Ok(cache.value.borrow().clone());
        }
        self.run.line = line;
        let name = f.unit.symbol(name);
        let value = match self.find_lexical_constant(name)? {
            Some(value) => value,
            None => return self.lexical_constant(name),
        };
        cache.generation.set(self.generation);
        cache.module.set(module);
        *cache.value.borrow_mut() = value.clone();
        Ok(value)
    }

    /// A constant named without a module, or `const_missing`.
    pub(super) fn lexical_constant(&mut self, name: Symbol) -> Result {
        match self.find_lexical_constant(name)? {
            Some(value) => Ok(value),
            None => {
                let module = self.cref().lexical().module;
                self.send(&Value::Class(module), sym::CONST_MISSING, &[Value::Symbol(name)])
            }
        }
    }

    /// A constant named without a module: in the modules around the code, then in what the innermost inherits.
    pub(crate) fn find_lexical_constant(&mut self, name: Symbol) -> Result<Option<Value>> {
        let cref = self.cref();
        let mut at = Some(&cref);
        while let Some(here) = at {
            if here.lexical
                && here.outer.is_some()
                && let Some(value) = self.own_constant(here.module, name)?
            {
                return Ok(Some(value));
            }
            at = here.outer.as_ref();
        }
        let innermost = cref.lexical().module;
        for module in self.ancestors(innermost).iter() {
            if let Some(value) = self.own_constant(*module, name)? {
                return Ok(Some(value));
            }
        }
        if self.class(innermost).is_module() {
            return self.find_constant_in(ClassId::OBJECT, name, true);
        }
        Ok(None)
    }

    /// The constant that a module itself has; one that `autoload` promises is loaded.
    pub(crate) fn own_constant(&mut self, module: ClassId, name: Symbol) -> Result<Option<Value>> {
        match self.class(module).constants.get(&name) {
            Some(constant) => Ok(Some(constant.value.clone())),
            None => self.autoloaded(module, name),
        }
    }

    /// A constant of a module or of what it inherits; `Object`'s only if asked for.
    pub(crate) fn find_constant_in(
        &mut self,
        module: ClassId,
        name: Symbol,
        object_too: bool,
    ) -> Result<Option<Value>> {
        for at in self.ancestors(module).iter() {
            if let Some(value) = self.own_constant(*at, name)? {
                let hidden = *at == ClassId::OBJECT && module != ClassId::OBJECT && !object_too;
                return Ok(if hidden { None } else { Some(value) });
            }
        }
        if object_too && self.class(module).is_module() {
            return self.find_constant_in(ClassId::OBJECT, name, true);
        }
        Ok(None)
    }

    /// `Module::Name`
    pub(crate) fn constant_in(&mut self, module: ClassId, name: Symbol) -> Result {
        match self.find_constant_in(module, name, false)? {
            Some(value) => {
                if self.is_private_constant(module, name) {
                    let class = self.class_of(&Value::Class(module));
                    let own = self.find_method(class, sym::CONST_MISSING);
                    if own.is_some_and(|method| !matches!(method.body, MethodBody::Native(_))) {
                        return self.send(&Value::Class(module), sym::CONST_MISSING, &[Value::Symbol(name)]);
                    }
                    return Err(self.private_constant(module, name));
                }
                Ok(value)
            }
            None => self.send(&Value::Class(module), sym::CONST_MISSING, &[Value::Symbol(name)]),
        }
    }

    pub(super) fn is_private_constant(&mut self, module: ClassId, name: Symbol) -> bool {
        let ancestors = self.ancestors(module);
        let found = ancestors.iter().find_map(|at| self.class(*at).constants.get(&name));
        found.is_some_and(|constant| constant.private)
    }

    #[cold]
    pub(super) fn private_constant(&mut self, module: ClassId, name: Symbol) -> Box<Unwind> {
        let ancestors = self.ancestors(module);
        let owner = ancestors.iter().find(|at| self.class(**at).constants.contains_key(&name)).copied();
        let module = owner.unwrap_or(module);
        let message = format!("private constant {}::{} referenced", self.class_name(module), self.name(name));
        self.name_error(message, name, Value::Class(module))
    }

    /// `NameError`
    #[cold]
    pub(crate) fn name_error(&mut self, message: String, name: Symbol, receiver: Value) -> Box<Unwind> {
        let error = crate::core::exception::make(self, ClassId::NAME_ERROR, Value::str(message));
        crate::core::exception::set_detail(&error, |details| {
            details.name = Value::Symbol(name);
            details.receiver = Some(receiver);
        });
        Box::new(Unwind::Raise(error))
    }

    pub(super) fn constant_path(&mut self, f: &Frame<'_>, parts: &(Option<Node>, Name, u32, u32)) -> Result {
        let cache = &f.unit.constants[parts.2 as usize];
        let name = f.unit.symbol(parts.1);
        let module = match &parts.0 {
            Some(parent) => {
                let parent = self.eval(f, parent)?;
                self.run.line = parts.3;
                self.need_module(&parent)?
            }
            None => ClassId::OBJECT,
        };
        if cache.generation.get() == self.generation && cache.module.get() == module.0 {
            return Ok(cache.value.borrow().clone());
        }
        self.run.line = parts.3;
        let value = self.constant_in(module, name)?;
        if self.class(module).constants.contains_key(&name) {
            cache.generation.set(self.generation);
            cache.module.set(module.0);
            *cache.value.borrow_mut() = value.clone();
        }
        Ok(value)
    }

    /// A value before `::`, which must be a module.
    pub(crate) fn need_module(&mut self, value: &Value) -> Result<ClassId> {
        match value {
            Value::Class(class) => Ok(*class),
            other => {
                let shown = self.inspect(other)?.to_str_lossy().into_owned();
                Err(self.type_error(format!("{shown} is not a class/module")))
            }
        }
    }

    /// The module that a constant is set in.
    pub(super) fn constant_module(&mut self, f: &Frame<'_>, target: &ConstTarget) -> Result<ClassId> {
        match &target.parent {
            ConstParent::Lexical => Ok(self.cref().lexical().module),
            ConstParent::Top => Ok(ClassId::OBJECT),
            ConstParent::Of(node) => {
                let parent = self.eval(f, node)?;
                self.run.line = target.line;
                self.need_module(&parent)
            }
        }
    }

    /// Sets a constant; a class without a name gets its name from it.
    pub fn define_constant(&mut self, module: ClassId, name: Symbol, value: Value) -> Result<()> {
        self.check_frozen(&Value::Class(module))?;
        if let Value::Class(class) = value {
            self.name_class(class, module, name);
        }
        let known = self.class(module).constants.get(&name).map(|constant| constant.private);
        if known.is_some() {
            let shown = self.constant_name(module, name);
            self.warn(&format!("already initialized constant {shown}"))?;
        }
        let private = known.unwrap_or(false);
        let place = (self.current_file(), self.run.line);
        self.run.constant_places.insert((module, name), place);
        self.class_mut(module).constants.insert(name, Constant { value, private });
        self.forget_autoload(module, name);
        self.generation += 1;
        Ok(())
    }

    pub(crate) fn constant_name(&self, module: ClassId, name: Symbol) -> String {
        if module == ClassId::OBJECT {
            self.name(name).to_owned()
        } else {
            format!("{}::{}", self.class_name(module), self.name(name))
        }
    }

    fn name_class(&mut self, class: ClassId, module: ClassId, name: Symbol) {
        let known = self.class(class);
        if known.is_singleton() || (known.name.is_some() && !known.temporary_name) {
            return;
        }
        let outer = self.class(module);
        let temporary = module != ClassId::OBJECT && (outer.name.is_none() || outer.temporary_name);
        if temporary && known.name.is_some() {
            return;
        }
        let full = self.constant_name(module, name);
        let known = self.class_mut(class);
        known.name = Some(full.into());
        known.temporary_name = temporary;
        // Classes that were named within it before it had a name itself.
        let inner: Vec<(Symbol, ClassId)> = self
            .class(class)
            .constants
            .iter()
            .filter_map(|(name, constant)| match constant.value {
                Value::Class(inner) if inner != class => Some((*name, inner)),
                _ => None,
            })
            .collect();
        for (name, inner) in inner {
            self.name_class(inner, class, name);
        }
    }

    /// The module whose class variables the running code sees.
    fn class_variable_home(&mut self) -> ClassId {
        let cref = self.cref();
        let mut at = &*cref;
        // The singleton class of an object counts as the module around it.
        while (!at.lexical || self.class(at.module).is_singleton())
            && let Some(outer) = &at.outer
        {
            at = outer;
        }
        at.module
    }

    /// The class variable that the running code sees.
    pub(crate) fn find_class_variable(&mut self, name: Symbol) -> Option<Value> {
        let home = self.class_variable_home();
        self.class_variable_of(home, name)
    }

    pub(crate) fn class_variable_of(&mut self, module: ClassId, name: Symbol) -> Option<Value> {
        let ancestors = self.ancestors(module);
        ancestors.iter().find_map(|at| self.class(*at).class_variables.get(&name).cloned())
    }

    pub(super) fn class_variable(&mut self, name: Symbol) -> Result {
        let home = self.class_variable_home();
        if home == ClassId::OBJECT && self.cref().outer.is_none() {
            return Err(self.runtime_error("class variable access from toplevel"));
        }
        self.need_class_variable(home, name)
    }

    pub(crate) fn need_class_variable(&mut self, module: ClassId, name: Symbol) -> Result {
        self.check_overtaken(module, name)?;
        match self.class_variable_of(module, name) {
            Some(value) => Ok(value),
            None => {
                let message = format!(
                    "uninitialized class variable {} in {}",
                    self.name(name),
                    self.class_name(module)
                );
                Err(self.name_error(message, name, Value::Class(module)))
            }
        }
    }

    /// A variable of a superclass or module that was set after one of the same name below it hides that: an error.
    fn check_overtaken(&mut self, module: ClassId, name: Symbol) -> Result<()> {
        let ancestors = self.ancestors(module);
        let mut owners =
            ancestors.iter().copied().filter(|at| self.class(*at).class_variables.contains_key(&name));
        if let (Some(below), Some(above)) = (owners.next(), owners.next_back()) {
            let message = format!(
                "class variable {} of {} is overtaken by {}",
                self.name(name),
                self.class_name(below),
                self.class_name(above)
            );
            return Err(self.runtime_error(message));
        }
        Ok(())
    }

    pub(super) fn set_class_variable(&mut self, name: Symbol, value: Value) -> Result<()> {
        let home = self.class_variable_home();
        if home == ClassId::OBJECT && self.cref().outer.is_none() {
            return Err(self.runtime_error("class variable access from toplevel"));
        }
        self.set_class_variable_of(home, name, value)
    }

    pub(crate) fn set_class_variable_of(
        &mut self,
        module: ClassId,
        name: Symbol,
        value: Value,
    ) -> Result<()> {
        let ancestors = self.ancestors(module);
        let owner = ancestors.iter().find(|at| self.class(**at).class_variables.contains_key(&name)).copied();
        let owner = owner.unwrap_or(module);
        self.check_frozen(&Value::Class(owner))?;
        self.class_mut(owner).class_variables.insert(name, value);
        Ok(())
    }
}
