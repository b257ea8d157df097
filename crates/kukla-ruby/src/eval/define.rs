//! Definitions: methods, classes, modules.

use std::cell::Cell;
use std::rc::Rc;

use super::{Activation, Code, Cref, Env, Frame, Other, Who};
use crate::class::{Class, ClassId, ClassKind, NATIVE_CLASSES};
use crate::error::{Result, Unwind};
use crate::method::{Method, MethodBody, Visibility};
use crate::program::{BodyId, BodyKind, ClassDefinition, Name};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

/// Methods of core classes that the evaluator runs without a call.
const QUICK: &[Symbol] = &[
    sym::PLUS,
    sym::MINUS,
    sym::TIMES,
    sym::DIVIDE,
    sym::MODULO,
    sym::LT,
    sym::LE,
    sym::GT,
    sym::GE,
    sym::EQ,
    sym::NEQ,
    sym::SHIFT_LEFT,
    sym::INDEX,
    sym::INDEX_SET,
    sym::AND,
    sym::OR,
    sym::NOT,
];

/// Methods that the evaluator calls only where a program has defined them.
const HOOKS: &[Symbol] = &[
    sym::INHERITED,
    sym::METHOD_ADDED,
    sym::METHOD_REMOVED,
    sym::METHOD_UNDEFINED,
    sym::SINGLETON_METHOD_ADDED,
    sym::SINGLETON_METHOD_REMOVED,
    sym::SINGLETON_METHOD_UNDEFINED,
];

impl Ruby<'_> {
    /// The class or module that `def` adds methods to.
    pub(crate) fn definee(&mut self) -> ClassId {
        self.cref().module
    }

    pub(super) fn define_here(&mut self, f: &Frame<'_>, name: Name, body: BodyId) -> Result {
        let cref = self.cref();
        let module = cref.module;
        let name = f.unit.symbol(name);
        let (mut visibility, module_function) = self.default_visibility();
        if matches!(
            name,
            sym::INITIALIZE
                | sym::INITIALIZE_COPY
                | sym::INITIALIZE_CLONE
                | sym::INITIALIZE_DUP
                | sym::RESPOND_TO_MISSING
        ) {
            visibility = Visibility::Private;
        }
        let code = Rc::new(Code { unit: f.unit.clone(), body, cref, keeps_keywords: Cell::new(false) });
        self.add_method(module, name, visibility, MethodBody::Code(code.clone()))?;
        if module_function {
            let meta = self.singleton_class(&Value::Class(module))?;
            self.add_method(meta, name, Visibility::Public, MethodBody::Code(code))?;
        }
        Ok(Value::Symbol(name))
    }

    /// The visibility of methods that `def` makes here, and whether they are module functions too: as the code around a block
    /// sets it.
    fn default_visibility(&self) -> (Visibility, bool) {
        let frames = &self.run.frames;
        let Some(mut at) = frames.last() else { return (Visibility::Public, false) };
        // A lambda too, unless it runs as part of another module.
        let lambda = || at.outer().filter(|outer| at.proc().is_some() && Rc::ptr_eq(&outer.cref, at.cref()));
        let around = at.block_context().or_else(lambda);
        if let Some(context) = around {
            let home = frames.iter().rev().find(|other| {
                other.proc().is_none() && other.context.as_ref().is_some_and(|own| Rc::ptr_eq(own, context))
            });
            at = home.unwrap_or(at);
        }
        (at.visibility.get(), at.module_function.get())
    }

    pub(super) fn define_on(&mut self, f: &Frame<'_>, object: &Value, name: Name, body: BodyId) -> Result {
        let class = self.singleton_class(object)?;
        let cref = self.cref();
        let name = f.unit.symbol(name);
        let code = Rc::new(Code { unit: f.unit.clone(), body, cref, keeps_keywords: Cell::new(false) });
        if object.head().is_some_and(crate::value::Head::is_frozen) {
            self.class(class).head.freeze();
        }
        self.add_method(class, name, Visibility::Public, MethodBody::Code(code))?;
        Ok(Value::Symbol(name))
    }

    /// Adds a method to a class or module and tells it (`method_added`).
    pub(crate) fn add_method(
        &mut self,
        module: ClassId,
        name: Symbol,
        visibility: Visibility,
        body: MethodBody,
    ) -> Result<()> {
        self.check_class_frozen(module)?;
        self.put_method(module, name, visibility, body);
        self.method_added(module, name)
    }

    /// An error if methods of a class or module may not be changed.
    fn check_class_frozen(&mut self, module: ClassId) -> Result<()> {
        let class = self.class(module);
        if !class.head.is_frozen() {
            return Ok(());
        }
        let (kind, of) = match &class.kind {
            ClassKind::Singleton(object) => ("object", object.clone()),
            ClassKind::Module => ("module", Value::Class(module)),
            ClassKind::Class => ("class", Value::Class(module)),
        };
        let shown = self.inspect(&of)?.to_str_lossy().into_owned();
        let unwind = self.error(ClassId::FROZEN_ERROR, format!("can't modify frozen {kind}: {shown}"));
        if let Unwind::Raise(exception) = &*unwind {
            crate::core::exception::set_detail(exception, |details| details.receiver = Some(of));
        }
        Err(unwind)
    }

    pub(crate) fn method_added(&mut self, module: ClassId, name: Symbol) -> Result<()> {
        let (receiver, hook) = match &self.class(module).kind {
            ClassKind::Singleton(object) => (object.clone(), sym::SINGLETON_METHOD_ADDED),
            _ => (Value::Class(module), sym::METHOD_ADDED),
        };
        self.tell(&receiver, hook, &[Value::Symbol(name)])
    }

    /// Calls a hook, if a program has defined it.
    pub(crate) fn tell(&mut self, receiver: &Value, hook: Symbol, args: &[Value]) -> Result<()> {
        if !self.run.hooks.contains(&hook) {
            return Ok(());
        }
        let class = self.class_of(receiver);
        if let Some(method) = self.find_method(class, hook)
            && !matches!(method.body, MethodBody::Native(_))
        {
            self.call_method(receiver, &method, hook, &crate::Args::new(args))?;
        }
        Ok(())
    }

    pub(crate) fn put_method(
        &mut self,
        module: ClassId,
        name: Symbol,
        visibility: Visibility,
        body: MethodBody,
    ) {
        if (module.0 as usize) < NATIVE_CLASSES.len() && QUICK.contains(&name) {
            self.run.redefined = true;
        }
        let method = Rc::new(Method { name, owner: module, visibility, body });
        let class = self.class_mut(module);
        if class.methods.insert(name, method).is_none() {
            class.method_order.push(name);
        }
        if HOOKS.contains(&name) && !self.run.hooks.contains(&name) {
            self.run.hooks.push(name);
        }
        self.methods_changed();
    }

    /// `alias new old`
    pub(crate) fn alias_method(&mut self, module: ClassId, new: Symbol, old: Symbol) -> Result<()> {
        self.check_frozen(&Value::Class(module))?;
        let Some(method) = self.find_instance_method(module, old) else {
            return Err(self.undefined_method(module, old));
        };
        let visibility = method.visibility;
        let body = match &method.body {
            MethodBody::Alias(target) => MethodBody::Alias(target.clone()),
            MethodBody::Native(native) => MethodBody::Native(native),
            _ => MethodBody::Alias(method.clone()),
        };
        self.put_method(module, new, visibility, body);
        self.method_added(module, new)
    }

    /// The method of instances of a module; a module's own code may use `Object`'s too.
    pub(crate) fn find_instance_method(&mut self, module: ClassId, name: Symbol) -> Option<Rc<Method>> {
        match self.find_method(module, name) {
            None if self.class(module).is_module() => self.find_method(ClassId::OBJECT, name),
            found => found,
        }
    }

    /// `NameError`: undefined method `x' for class `Y'
    #[cold]
    pub(crate) fn undefined_method(&mut self, module: ClassId, name: Symbol) -> Box<Unwind> {
        let kind = if self.class(module).is_module() { "module" } else { "class" };
        let message =
            format!("undefined method `{}' for {kind} `{}'", self.name(name), self.class_name(module));
        self.name_error(message, name, Value::Class(module))
    }

    /// `undef name`
    pub(crate) fn undefine_method(&mut self, module: ClassId, name: Symbol) -> Result<()> {
        self.check_frozen(&Value::Class(module))?;
        if self.find_instance_method(module, name).is_none() {
            return Err(self.undefined_method(module, name));
        }
        self.put_method(module, name, Visibility::Public, MethodBody::Undefined);
        let (receiver, hook) = match &self.class(module).kind {
            ClassKind::Singleton(object) => (object.clone(), sym::SINGLETON_METHOD_UNDEFINED),
            _ => (Value::Class(module), sym::METHOD_UNDEFINED),
        };
        self.tell(&receiver, hook, &[Value::Symbol(name)])
    }

    /// The singleton class that a class has for itself, if it has one yet.
    fn own_singleton(&self, class: ClassId) -> Option<ClassId> {
        let own = self.class(class).head.class();
        matches!(self.class(own).kind, ClassKind::Singleton(Value::Class(of)) if of == class).then_some(own)
    }

    /// How many times over it is the singleton class of a class.
    fn level_of(&self, class: ClassId) -> usize {
        let of = |class: &ClassId| match self.class(*class).kind {
            ClassKind::Singleton(Value::Class(of)) => Some(of),
            _ => None,
        };
        std::iter::successors(of(&class), of).count()
    }

    /// The class of one object alone.
    pub fn singleton_class(&mut self, object: &Value) -> Result<ClassId> {
        match object {
            Value::Nil => Ok(ClassId::NIL_CLASS),
            Value::Bool(true) => Ok(ClassId::TRUE_CLASS),
            Value::Bool(false) => Ok(ClassId::FALSE_CLASS),
            Value::Int(_) | Value::Float(_) | Value::Symbol(_) | Value::Big(_) => {
                Err(self.type_error("can't define singleton"))
            }
            Value::Class(class) => {
                if let Some(own) = self.own_singleton(*class) {
                    return Ok(own);
                }
                // The singleton class of what is above it is above its own.
                if let Some(above) = self.class(*class).superclass {
                    kukla_syntax::deep(|| self.singleton_class(&Value::Class(above)))?;
                    // That has given one to all below it.
                    if let Some(own) = self.own_singleton(*class) {
                        return Ok(own);
                    }
                }
                let made = self.make_singleton_of_class(*class);
                if self.class(*class).is_singleton() {
                    // What inherits from it is a level up as well.
                    let level = self.level_of(*class);
                    let below = (0..self.classes.len() as u32).map(ClassId);
                    let below: Vec<ClassId> = below
                        .filter(|id| {
                            self.class(*id).superclass == Some(*class) && self.level_of(*id) == level
                        })
                        .collect();
                    for id in below {
                        kukla_syntax::deep(|| self.singleton_class(&Value::Class(id)))?;
                    }
                    self.changed();
                }
                Ok(made)
            }
            object => {
                let Some(head) = object.head() else { return Err(self.type_error("can't define singleton")) };
                let own = head.class();
                if self.class(own).is_singleton() {
                    return Ok(own);
                }
                let frozen = head.is_frozen();
                let class = self.add_class(Class::new(ClassKind::Singleton(object.clone()), Some(own)));
                if frozen {
                    self.class(class).head.freeze();
                }
                if let Some(head) = object.head() {
                    head.set_class(class);
                }
                Ok(class)
            }
        }
    }

    pub(super) fn class_node(&mut self, f: &Frame<'_>, node: &ClassDefinition) -> Result {
        let module = self.constant_module(f, &node.target)?;
        let superclass = match &node.superclass {
            Some(node) => Some(self.eval(f, node)?),
            None => None,
        };
        self.run.line = node.target.line;
        let name = f.unit.symbol(node.target.name);
        let superclass = match superclass {
            None => None,
            Some(Value::Class(class)) if !self.class(class).is_module() => {
                if self.class(class).is_singleton() {
                    return Err(self.type_error("can't make subclass of singleton class"));
                }
                if class == ClassId::CLASS {
                    return Err(self.type_error("can't make subclass of Class"));
                }
                Some(class)
            }
            Some(other) => {
                let message = format!("superclass must be a Class ({} given)", self.class_name_of(&other));
                let message = message.replace("a Class (", "an instance of Class (given an instance of ");
                let message = message.replace(" given)", ")");
                return Err(self.type_error(message));
            }
        };
        // At the top, a class of `Object`'s ancestors counts too.
        let existing = match self.own_constant(module, name)? {
            None if module == ClassId::OBJECT => self.find_constant_in(module, name, true)?,
            found => found,
        };
        let class = match existing {
            Some(_)
                if matches!(node.target.parent, crate::program::ConstParent::Of(_))
                    && self.is_private_constant(module, name) =>
            {
                return Err(self.private_constant(module, name));
            }
            Some(Value::Class(class)) if self.class(class).is_module() == node.is_module => {
                if let Some(superclass) = superclass
                    && self.real_superclass(class) != Some(superclass)
                {
                    let message = format!("superclass mismatch for class {}", self.name(name));
                    return Err(self.type_error(message));
                }
                class
            }
            Some(_) => {
                let kind = if node.is_module { "module" } else { "class" };
                let shown = self.constant_name(module, name);
                let mut message = format!("{shown} is not a {kind}");
                if let Some((file, line)) = self.run.constant_places.get(&(module, name)) {
                    message.push_str(&format!(
                        "\n{file}:{line}: previous definition of {} was here",
                        self.name(name)
                    ));
                }
                return Err(self.type_error(message));
            }
            None if node.is_module => {
                let class = self.add_class(Class::new(ClassKind::Module, None));
                self.define_constant(module, name, Value::Class(class))?;
                class
            }
            None => {
                let superclass = superclass.unwrap_or(ClassId::OBJECT);
                let class = self.new_class(superclass);
                self.define_constant(module, name, Value::Class(class))?;
                self.inherited(superclass, class)?;
                class
            }
        };
        self.run_class_body(f, class, node.body)
    }

    /// A new class without a name.
    pub(crate) fn new_class(&mut self, superclass: ClassId) -> ClassId {
        let class = self.add_class(Class::new(ClassKind::Class, Some(superclass)));
        self.make_singleton_of_class(class);
        class
    }

    /// Tells a class that it was inherited from.
    pub(crate) fn inherited(&mut self, superclass: ClassId, class: ClassId) -> Result<()> {
        self.tell(&Value::Class(superclass), sym::INHERITED, &[Value::Class(class)])
    }

    /// The superclass as `superclass` answers it.
    pub(crate) fn real_superclass(&self, class: ClassId) -> Option<ClassId> {
        self.class(class).superclass
    }

    /// Runs the body of a class or module.
    pub(super) fn run_class_body(&mut self, f: &Frame<'_>, class: ClassId, body: BodyId) -> Result {
        let cref = Cref::new(class, Some(self.cref()));
        self.run_body(f.unit, body, Value::Class(class), cref, None)
    }

    /// Runs a body that takes no arguments.
    pub(crate) fn run_body(
        &mut self,
        unit: &Rc<super::Unit>,
        id: BodyId,
        this: Value,
        cref: Rc<Cref>,
        outer: Option<(Rc<Env>, Option<Rc<super::Context>>, super::EvalScope)>,
    ) -> Result {
        self.enter()?;
        let body = unit.body(id);
        let base = self.run.stack.len();
        self.run.stack.resize(base + body.locals as usize, Value::Nil);
        let (parent, context, eval_scope) = match outer {
            Some((env, context, scope)) => (Some(env), context, Some(scope)),
            None => (None, None, None),
        };
        let env = match &body.env {
            Some(names) => Some(Env::new(names.len(), parent)),
            None => parent,
        };
        let number = self.next_number();
        let saved_match = std::mem::take(&mut self.run.last_match);
        let (method, block) = match &context {
            Some(context) => (context.method.clone(), context.block.clone()),
            None => (None, None),
        };
        let visibility = if self.is_main(&this) { Visibility::Private } else { Visibility::Public };
        let caller_line = self.run.line;
        let other = Other {
            unit: unit.clone(),
            body: id,
            this: this.clone(),
            method,
            block,
            cref,
            outer: context,
            proc: None,
            eval_scope,
        };
        self.run.frames.push(Activation {
            who: Who::Other(Box::new(other)),
            env: env.clone(),
            context: None,
            number,
            caller_line,
            returns: true,
            visibility: Cell::new(visibility),
            module_function: Cell::new(false),
        });
        let f = Frame { unit, body, base, this: &this, env: env.as_ref() };
        let result = kukla_syntax::deep(|| self.eval(&f, &body.code));
        self.leave(&f);
        self.run.last_match = saved_match;
        if body.kind == BodyKind::Eval {
            self.run.last_env = f.env.cloned();
        }
        match result {
            Err(unwind) => match *unwind {
                Unwind::Return(to, value) if to == number => Ok(value),
                other => Err(Box::new(other)),
            },
            done => done,
        }
    }
}
