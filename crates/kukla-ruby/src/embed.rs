//! The interface for programs that embed the interpreter: data of their own in its state, classes of their own, and requests back to them.

use std::any::{Any, TypeId};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::class::{Class, ClassId, ClassKind, Constant, NativeClass};
use crate::error::Result;
use crate::eval::{Cref, Unit};
use crate::method::{Method, MethodBody, Visibility};
use crate::program::Program;
use crate::ruby::{Ruby, State};
use crate::value::Value;

impl State {
    /// Data that an embedding program stores in the interpreter, by its type.
    pub fn part<T: Any + Default>(&mut self) -> &mut T {
        let part = self.parts.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        if !part.is::<T>() {
            *part = Box::new(T::default());
        }
        match part.downcast_mut() {
            Some(part) => part,
            None => unreachable!("kept under its own type"),
        }
    }

    /// The class or module of a full name, such as `A::B`.
    pub fn find_class(&self, path: &str) -> Option<ClassId> {
        path.split("::").try_fold(ClassId::OBJECT, |within, name| {
            let name = self.symbols.existing(name)?;
            match self.class(within).constants.get(&name)?.value {
                Value::Class(class) => Some(class),
                _ => None,
            }
        })
    }

    /// The value of a constant at the top, `nil` if there is none.
    pub fn top_constant(&self, name: &str) -> Value {
        let name = self.symbols.existing(name);
        let constant = name.and_then(|name| self.class(ClassId::OBJECT).constants.get(&name));
        constant.map_or(Value::Nil, |constant| constant.value.clone())
    }

    /// Adds a class or module written in Rust, or its methods to one that is there.
    fn declare_one(&mut self, native: &'static NativeClass) {
        let id = self.find_class(native.name).unwrap_or_else(|| {
            let id = self.make_native(native);
            let (namespace, name) = match native.name.rsplit_once("::") {
                Some((above, name)) => (self.find_class(above).unwrap_or(ClassId::OBJECT), name),
                None => (ClassId::OBJECT, native.name),
            };
            let name = self.symbols.intern(name);
            self.class_mut(namespace)
                .constants
                .insert(name, Constant { value: Value::Class(id), private: false });
            id
        });
        for module in
            native.includes.iter().rev().filter_map(|name| self.find_class(name)).collect::<Vec<_>>()
        {
            self.class_mut(id).includes.push(module);
        }
        self.add_methods(id, native.methods);
        if !native.singleton.is_empty() {
            let own = self.class(id).head.class();
            let meta = if self.class(own).is_singleton() { own } else { self.make_singleton_of_class(id) };
            self.add_methods(meta, native.singleton);
        }
    }

    fn make_native(&mut self, native: &'static NativeClass) -> ClassId {
        let superclass = native.superclass.map(|name| self.find_class(name).unwrap_or(ClassId::OBJECT));
        let kind = if superclass.is_some() { ClassKind::Class } else { ClassKind::Module };
        let mut class = Class::new(kind, superclass);
        class.name = Some(native.name.into());
        let id = self.add_class(class);
        if superclass.is_some() {
            self.make_singleton_of_class(id);
        }
        id
    }

    /// Declares a class written in Rust that has a name but is not bound to a constant yet.
    pub fn declare_apart(&mut self, native: &'static NativeClass) -> ClassId {
        let id = self.make_native(native);
        self.add_methods(id, native.methods);
        id
    }

    fn add_methods(&mut self, id: ClassId, tables: &'static [&'static [crate::class::Native]]) {
        for native in tables.iter().flat_map(|rows| rows.iter()) {
            let name = self.symbols.intern(native.name);
            let visibility = if native.private { Visibility::Private } else { Visibility::Public };
            let method = Method { name, owner: id, visibility, body: MethodBody::Native(native) };
            let class = self.class_mut(id);
            class.methods.insert(name, Rc::new(method));
            class.method_order.push(name);
        }
    }
}

/// The programs that an interpreter has run, ready to be run again.
#[derive(Default)]
struct Units(FxHashMap<usize, Rc<Unit>>);

impl Program {
    /// Whether a name occurs: of a method, a variable, a constant.
    pub fn names(&self, name: &str) -> bool {
        self.names.iter().any(|known| **known == *name)
    }

    /// Whether a name occurs that ends so.
    pub fn names_ending_in(&self, end: char) -> bool {
        self.names.iter().any(|known| known.ends_with(end))
    }

    /// The findings of the embedding program about this program, computed once: bits with a meaning of its own.
    pub fn findings(&self, find: impl FnOnce(&Program) -> u32) -> u32 {
        *self.findings.get_or_init(|| find(self))
    }

    /// The names of the instance variables that occur, with their `@`.
    pub fn instance_variables(&self) -> impl Iterator<Item = &str> {
        let all = self.names.iter().map(|name| &**name);
        all.filter(|name| name.starts_with('@') && !name.starts_with("@@"))
    }
}

impl Ruby<'_> {
    /// Runs a program with a `self` of its own; what it defines belongs to `class`.
    pub fn run_as(&mut self, program: &Arc<Program>, this: Value, class: ClassId) -> Result {
        let key = Arc::as_ptr(program) as usize;
        let unit = match self.part::<Units>().0.get(&key) {
            Some(known) => known.clone(),
            None => {
                let unit = self.load(program)?;
                self.part::<Units>().0.insert(key, unit.clone());
                unit
            }
        };
        let top = self.top();
        let cref = Cref::new(class, Some(top));
        self.run_body(&unit, 0, this, cref, None)
    }

    /// Runs a file of the world in this interpreter, whether or not it was run before; what its last expression gives.
    pub fn run_file(&mut self, path: &Path) -> Result {
        let shown = path.to_string_lossy().into_owned();
        if let Some(value) = self.load_file(&shown)? {
            return Ok(value);
        }
        Err(self.error(ClassId::LOAD_ERROR, format!("cannot load such file -- {shown}")))
    }

    /// Whether a `catch` for this tag is going on.
    pub fn is_caught(&self, tag: &Value) -> bool {
        self.run.catching.iter().any(|caught| caught.is_same(tag))
    }

    /// Adds classes and modules written in Rust; namespaces come before what is in them.
    pub fn declare(&mut self, classes: &'static [NativeClass]) -> Result<()> {
        for class in classes {
            self.declare_one(class);
            if let Some(setup) = class.setup
                && let Some(id) = self.find_class(class.name)
            {
                setup(self, id);
            }
        }
        self.changed();
        Ok(())
    }

    /// The class or module of a full name, or `NameError`. What is promised is loaded.
    pub fn class_named(&mut self, path: &str) -> Result<ClassId> {
        if let Some(class) = self.find_class(path) {
            return Ok(class);
        }
        let mut within = ClassId::OBJECT;
        for name in path.split("::") {
            let name = self.symbols.intern(name);
            match self.own_constant(within, name)? {
                Some(Value::Class(class)) => within = class,
                _ => return Err(self.error(ClassId::NAME_ERROR, format!("uninitialized constant {path}"))),
            }
        }
        Ok(within)
    }

    /// Lends the interpreter to another host, which runs code in it and gives it back.
    pub fn lend<T>(&mut self, borrow: impl FnOnce(Box<State>) -> (T, Box<State>)) -> T {
        let was_bounded = std::mem::take(&mut self.is_bounded);
        let stand_in = self.stand_in.take().unwrap_or_else(State::vacant);
        let state = std::mem::replace(&mut self.state, stand_in);
        let mut borrowed = None;
        crate::memory::unbounded(|| borrowed = Some(borrow(state)));
        let Some((result, state)) = borrowed else { unreachable!("it was run") };
        self.stand_in = Some(std::mem::replace(&mut self.state, state));
        self.is_bounded = was_bounded;
        result
    }

    /// Sends a request to the program that embeds the interpreter, which has the interpreter meanwhile, since it may run Ruby code
    /// itself. Without such a program the request stays unanswered.
    pub fn request(&mut self, request: &mut dyn Any) {
        if self.host.embedder().is_none() {
            return;
        }
        // The interpreter is entered again by whatever it runs.
        let was_bounded = std::mem::take(&mut self.is_bounded);
        let stand_in = self.stand_in.take().unwrap_or_else(State::vacant);
        let state = std::mem::replace(&mut self.state, stand_in);
        let Some(embedder) = self.host.embedder() else {
            self.state = state;
            self.is_bounded = was_bounded;
            return;
        };
        embedder.lend(state);
        crate::memory::unbounded(|| embedder.answer(request));
        let stand_in = std::mem::replace(&mut self.state, embedder.reclaim());
        self.is_bounded = was_bounded;
        self.stand_in = Some(stand_in);
    }
}
