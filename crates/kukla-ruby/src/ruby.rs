//! The interpreter: what a running program has, and what native methods are given.
//!
//! # What a native method may do
//!
//! - call: [`Ruby::send`] a method, [`Ruby::call`] with all kinds of arguments, [`Ruby::yield_to`] a block;
//! - ask: [`Ruby::class_of`], [`Ruby::is_a`], [`Ruby::responds_to`], [`Ruby::eq`], [`Ruby::eql`], [`Ruby::compare`], [`Ruby::hash_code`];
//! - convert as Ruby does implicitly, with Ruby's own complaints: `to_int`, `to_float`, `to_text`, `to_list`, `to_map` and so on in `convert.rs`;
//! - make text: [`Ruby::inspect`], [`Ruby::display`];
//! - complain: `type_error`, `argument_error` and so on in `error.rs`;
//! - look things up in hashes: `hash_get`, `hash_set` and so on in `keys.rs`;
//! - account for what it does: [`Ruby::charge`] for work in proportion to data.

use std::any::{Any, TypeId};
use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::args::Args;
use crate::class::{Class, ClassId, ClassKind, NATIVE_CLASSES};
use crate::error::{Result, Unwind};
use crate::eval::Running;
use crate::host::Host;
use crate::library;
use crate::memory::{self, Taken};
use crate::method::{Method, MethodBody, Visibility};
use crate::proc::{ProcBody, ProcObject};
use crate::symbol::{Symbol, Symbols, sym};
use crate::text::Text;
use crate::value::{Head, Value};

/// Steps of native work that take a few milliseconds: more at once are charged ahead.
const UNINTERRUPTED: u64 = 10_000;

/// How many bytes native code goes through in the time of a step.
const BYTES_PER_STEP: u64 = 256;

/// The approximate size of a class or module.
const CLASS: usize = 1024;

/// A running interpreter: a [`State`] and what surrounds it at the moment.
pub struct Ruby<'h> {
    /// The environment of the program.
    pub host: &'h mut dyn Host,
    pub(crate) state: Box<State>,
}

/// The state of an interpreter from one entry to the next.
pub struct State {
    /// All symbols.
    pub symbols: Symbols,
    /// All classes and modules, by number.
    pub(crate) classes: Vec<Class>,
    /// Global variables.
    pub(crate) globals: FxHashMap<Symbol, Value>,
    /// The methods that were looked for, by class and name.
    pub(crate) methods: FxHashMap<(ClassId, Symbol), Option<Rc<Method>>>,
    /// Grows whenever a method, module or constant is defined, so that what was remembered before no longer counts.
    pub(crate) generation: u64,
    /// Grows whenever what a class inherits or includes changes: the order of ancestors does not depend on methods and constants.
    pub(crate) hierarchy: u64,
    /// How deep calls are nested.
    pub(crate) depth: u32,
    /// The evaluator's part.
    pub(crate) run: Running,
    /// The last number given to an object or an activation.
    pub(crate) last_number: u64,
    /// The parts of embedding programs, by type.
    pub(crate) parts: FxHashMap<TypeId, Box<dyn Any>>,
    /// The name of the native method that was called last: its own, as long as it has called nothing else.
    pub(crate) called: &'static str,
    /// Walks through values that may contain themselves (see `recursion.rs`).
    pub(crate) walks: crate::recursion::Walks,
    /// Pairs that `Comparable#==` is comparing right now.
    pub(crate) comparing: Vec<(Value, Value)>,
    /// The directory that relative paths start from, if code has chosen one: for itself, and for nobody else.
    pub(crate) working_directory: Option<PathBuf>,
    /// Whether native classes have their constants.
    is_set_up: bool,
    /// Whether the interpreter was entered by a call that ends when memory runs out: see [`Ruby::bounded`].
    pub(crate) is_bounded: bool,
    /// The replacement while it is lent, kept for the next time.
    pub(crate) stand_in: Option<Box<State>>,
    /// The bytes allocated on this thread before this interpreter began.
    pub(crate) taken_before: usize,
    /// The bytes of its classes.
    pub(crate) taken_by_classes: Taken,
}

impl Deref for Ruby<'_> {
    type Target = State;
    #[inline]
    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Ruby<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl State {
    /// An interpreter without any classes, to stand in while the real one is lent to someone.
    pub(crate) fn vacant() -> Box<State> {
        Box::new(State {
            symbols: Symbols::default(),
            classes: Vec::new(),
            globals: FxHashMap::default(),
            methods: FxHashMap::default(),
            generation: 1,
            hierarchy: 1,
            depth: 0,
            last_number: 0,
            parts: FxHashMap::default(),
            run: Running::default(),
            called: "",
            walks: crate::recursion::Walks::default(),
            comparing: Vec::new(),
            is_set_up: false,
            is_bounded: false,
            stand_in: None,
            working_directory: None,
            taken_before: memory::taken(),
            taken_by_classes: Taken::default(),
        })
    }

    /// An interpreter with the core library and nothing else.
    pub fn new() -> Box<State> {
        let mut state = State::vacant();
        // Nearly each has a singleton class.
        state.classes.reserve(2 * NATIVE_CLASSES.len() + 64);
        library::declare_core(&mut state);
        state
    }

    /// A number that no object or activation of this interpreter has yet.
    pub fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// The name of the native method that was called last: its own, as long as it has called nothing else.
    pub fn called(&self) -> &'static str {
        self.called
    }

    /// A class or module.
    #[inline]
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// A class or module, to change. Callers that change methods, constants or modules call [`State::changed`] too.
    pub fn class_mut(&mut self, id: ClassId) -> &mut Class {
        &mut self.classes[id.0 as usize]
    }

    /// Invalidates the caches of methods, constants and ancestors.
    pub fn changed(&mut self) {
        self.hierarchy += 1;
        self.methods_changed();
    }

    /// The same where no class inherits or includes anything else than before.
    pub(crate) fn methods_changed(&mut self) {
        self.generation += 1;
        self.methods.clear();
    }

    /// Adds a class or module.
    pub fn add_class(&mut self, class: Class) -> ClassId {
        // Each class knows all that it inherits from.
        let above = |class: &Class| class.superclass.and_then(|above| self.classes.get(above.0 as usize));
        let levels = std::iter::successors(above(&class), |class| above(class)).count();
        self.taken_by_classes.add(CLASS + levels * size_of::<ClassId>());
        self.classes.push(class);
        ClassId(self.classes.len() as u32 - 1)
    }

    /// How a symbol is spelled.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// The symbol spelled so, as a value.
    pub fn symbol(&mut self, name: &str) -> Value {
        Value::Symbol(self.symbols.intern(name))
    }

    /// The class of a value; the singleton class if it has one.
    #[inline]
    pub fn class_of(&self, value: &Value) -> ClassId {
        match value {
            Value::Nil => ClassId::NIL_CLASS,
            Value::Bool(true) => ClassId::TRUE_CLASS,
            Value::Bool(false) => ClassId::FALSE_CLASS,
            Value::Int(_) | Value::Big(_) => ClassId::INTEGER,
            Value::Float(_) => ClassId::FLOAT,
            Value::Symbol(_) => ClassId::SYMBOL,
            Value::Class(class) => self.class(*class).head.class(),
            Value::String(string) => string.head.class(),
            Value::Array(array) => array.head.class(),
            Value::Hash(hash) => hash.head.class(),
            Value::Range(range) => range.head.class(),
            Value::Regexp(regexp) => regexp.head.class(),
            Value::Proc(proc) => proc.head.class(),
            Value::Object(object) => object.head.class(),
        }
    }

    /// Gives a class or module its singleton class. Every class has one from the start, modules once they need one.
    pub fn make_singleton_of_class(&mut self, id: ClassId) -> ClassId {
        let superclass = match self.class(id).superclass {
            Some(above) => self.class(above).head.class(),
            None if self.class(id).is_module() => ClassId::MODULE,
            None => ClassId::CLASS,
        };
        let meta = self.add_class(Class::new(ClassKind::Singleton(Value::Class(id)), Some(superclass)));
        self.class(id).head.set_class(meta);
        meta
    }

    /// The class of a value as `class` answers it: never a singleton class.
    pub fn real_class_of(&self, value: &Value) -> ClassId {
        if let Value::Class(id) = value {
            return if self.class(*id).is_module() { ClassId::MODULE } else { ClassId::CLASS };
        }
        let mut class = self.class_of(value);
        while self.class(class).is_singleton() {
            class = self.class(class).superclass.unwrap_or(ClassId::OBJECT);
        }
        class
    }

    /// The full name of a class, `#<Class:0x…>` for one without a name.
    pub fn class_name(&self, id: ClassId) -> String {
        let class = self.class(id);
        match (&class.name, &class.kind) {
            (Some(name), _) => name.to_string(),
            (None, ClassKind::Singleton(Value::Class(of))) => format!("#<Class:{}>", self.class_name(*of)),
            (None, ClassKind::Singleton(of)) => {
                format!("#<Class:#<{}>>", self.class_name(self.real_class_of(of)))
            }
            (None, ClassKind::Module) => format!("#<Module:0x{:016x}>", 8 * u64::from(id.0)),
            (None, ClassKind::Class) => format!("#<Class:0x{:016x}>", 8 * u64::from(id.0)),
        }
    }

    /// The name of the class of a value, as messages show it.
    pub fn class_name_of(&self, value: &Value) -> String {
        self.class_name(self.real_class_of(value))
    }

    /// Whether a value is an instance of a class or of what inherits or includes it.
    pub fn is_a(&mut self, value: &Value, class: ClassId) -> bool {
        let own = self.class_of(value);
        own == class || self.ancestors(own).contains(&class)
    }

    /// A class, what it prepends, includes and inherits, in the order in which methods are looked for.
    pub fn ancestors(&mut self, id: ClassId) -> Rc<[ClassId]> {
        let class = self.class(id);
        if let Some(known) = &class.ancestors
            && class.ancestors_at.get() == self.hierarchy
        {
            return known.clone();
        }
        let mut at = Some(id);
        let mut chain = Vec::new();
        while let Some(next) = at {
            chain.push(next);
            at = self.class(next).superclass;
        }
        // A module that a superclass has already is not looked at again, so the oldest class comes first.
        let mut backward = Vec::with_capacity(chain.len());
        for next in chain.into_iter().rev() {
            let mut own = Vec::new();
            self.linearize(next, &backward, &mut own);
            backward.extend(own.into_iter().rev());
        }
        let order: Rc<[ClassId]> = backward.into_iter().rev().collect();
        let hierarchy = self.hierarchy;
        let class = self.class_mut(id);
        class.ancestors = Some(order.clone());
        class.ancestors_at.set(hierarchy);
        order
    }

    fn linearize(&self, id: ClassId, inherited: &[ClassId], order: &mut Vec<ClassId>) {
        let class = self.class(id);
        for module in &class.prepends {
            if !order.contains(module) {
                self.linearize(*module, inherited, order);
            }
        }
        order.push(id);
        for module in &class.includes {
            if !order.contains(module) && !inherited.contains(module) {
                self.linearize(*module, inherited, order);
            }
        }
    }

    /// The method of a class, inherited ones too; `None` if there is none or it was undefined.
    #[inline]
    pub fn find_method(&mut self, class: ClassId, name: Symbol) -> Option<Rc<Method>> {
        if let Some(known) = self.methods.get(&(class, name)) {
            return known.clone();
        }
        let found = self.find_method_after(class, name, None);
        self.methods.insert((class, name), found.clone());
        found
    }

    /// The method of a class that comes after those of `after` (`super`).
    pub fn find_method_after(
        &mut self,
        class: ClassId,
        name: Symbol,
        after: Option<ClassId>,
    ) -> Option<Rc<Method>> {
        let ancestors = self.ancestors(class);
        let start =
            after.and_then(|after| ancestors.iter().position(|id| *id == after)).map_or(0, |at| at + 1);
        for id in &ancestors[start..] {
            if let Some(method) = self.own_method(*id, name) {
                return if matches!(method.body, MethodBody::Undefined) { None } else { Some(method) };
            }
        }
        None
    }

    /// The method that a class or module itself has under a name.
    pub fn own_method(&self, id: ClassId, name: Symbol) -> Option<Rc<Method>> {
        let class = self.class(id);
        if let Some(own) = class.methods.get(&name) {
            return Some(own.clone());
        }
        let native = *class.native?.get(&name)?;
        // A function of a module is private where the module is included, and public on the module itself.
        let private = native.private && !class.is_singleton();
        let visibility = if private { Visibility::Private } else { Visibility::Public };
        Some(Rc::new(Method { name, owner: id, visibility, body: MethodBody::Native(native) }))
    }
}

impl<'h> Ruby<'h> {
    /// An interpreter in these surroundings.
    pub fn new(state: Box<State>, host: &'h mut dyn Host) -> Ruby<'h> {
        let mut ruby = Ruby { host, state };
        ruby.set_ceiling();
        if !std::mem::replace(&mut ruby.is_set_up, true) {
            for (number, native) in NATIVE_CLASSES.iter().enumerate() {
                if let Some(setup) = native.setup {
                    setup(&mut ruby, ClassId(number as u32));
                }
            }
        }
        ruby
    }

    /// The state of the interpreter until it is entered again.
    pub fn into_state(self) -> Box<State> {
        self.state
    }

    /// Counts work done; an error that nothing can rescue once there was too much of it.
    #[inline]
    pub fn charge(&mut self, steps: u64) -> Result<()> {
        // So much at once is work of native code that is about to begin.
        if steps > UNINTERRUPTED {
            self.host.charge_ahead(steps)?;
        } else {
            self.host.charge(steps)?;
        }
        if memory::is_due() { self.make_room(0) } else { Ok(()) }
    }

    /// Counts bytes that native code is about to go through or to make: compares, copies, searches.
    #[inline]
    pub fn charge_bytes(&mut self, bytes: usize) -> Result<()> {
        memory::spend(bytes);
        if memory::is_due() { self.make_room(0) } else { Ok(()) }
    }

    /// The same for elements of an array.
    #[inline]
    pub fn charge_elements(&mut self, elements: usize) -> Result<()> {
        self.charge_bytes(elements.saturating_mul(size_of::<Value>()))
    }

    /// The most that values may take before whatever is running is unwound: well beyond the limit, which ordinary checks find first.
    fn set_ceiling(&mut self) {
        let limit = usize::try_from(self.host.memory_limit()).unwrap_or(usize::MAX);
        memory::set_ceiling(self.taken_before.saturating_add(limit).saturating_add(limit / 4));
    }

    /// An error that nothing can rescue if this number of further bytes would exceed the memory limit; checked before something
    /// large is made.
    pub fn make_room(&mut self, bytes: usize) -> Result<()> {
        memory::looked();
        let spent = memory::spent();
        let steps = spent as u64 / BYTES_PER_STEP;
        if steps > UNINTERRUPTED {
            self.host.charge_ahead(steps)?;
        } else if spent > 0 {
            self.host.charge(steps)?;
        }
        let taken = memory::taken().saturating_sub(self.taken_before).saturating_add(bytes);
        self.host.check_memory(taken).map_err(Into::into)
    }

    /// The same for a text of this number of bytes that is being made and that no value holds yet: only large ones matter.
    #[inline]
    pub fn grown(&mut self, bytes: usize) -> Result<()> {
        if bytes > 1 << 20 { self.make_room(bytes) } else { Ok(()) }
    }

    /// The same before an array of this number of elements is made.
    pub fn make_room_for(&mut self, elements: usize) -> Result<()> {
        self.make_room(elements.saturating_mul(size_of::<Value>()))
    }

    /// Calls a method with plain arguments, private ones too.
    pub fn send(&mut self, receiver: &Value, name: Symbol, args: &[Value]) -> Result {
        self.call(receiver, name, &Args::new(args))
    }

    /// Calls a method, private ones too. A method that is not there is looked for in `method_missing`.
    pub fn call(&mut self, receiver: &Value, name: Symbol, args: &Args<'_>) -> Result {
        if !self.is_bounded {
            return self.bounded(|ruby| ruby.call(receiver, name, args));
        }
        let class = self.class_of(receiver);
        // Native methods that ask each other are nested calls as well.
        self.nested(|ruby| match ruby.find_method(class, name) {
            Some(method) => ruby.call_method(receiver, &method, name, args),
            None => ruby.method_missing(receiver, name, args),
        })
    }

    /// Calls a method if it is there (public or not), without asking `method_missing` unless `respond_to_missing?` says so.
    pub fn try_send(&mut self, receiver: &Value, name: Symbol, args: &[Value]) -> Result<Option<Value>> {
        if self.responds_to(receiver, name, true)? {
            return self.send(receiver, name, args).map(Some);
        }
        self.try_method_missing(receiver, name, args)
    }

    /// The result of a program's `method_missing` for a call, unless it does not know the method either.
    fn try_method_missing(
        &mut self,
        receiver: &Value,
        name: Symbol,
        args: &[Value],
    ) -> Result<Option<Value>> {
        let class = self.class_of(receiver);
        let asks = |method: Option<Rc<Method>>| {
            method.is_some_and(|method| !matches!(method.body, MethodBody::Native(_)))
        };
        if !asks(self.find_method(class, sym::METHOD_MISSING))
            || asks(self.find_method(class, sym::RESPOND_TO_MISSING))
            || asks(self.find_method(class, sym::RESPOND_TO))
        {
            return Ok(None);
        }
        match self.send(receiver, name, args) {
            Ok(answer) => Ok(Some(answer)),
            Err(unwind) => match *unwind {
                Unwind::Raise(exception) if self.is_a(&exception, ClassId::NO_METHOD_ERROR) => Ok(None),
                other => Err(Box::new(other)),
            },
        }
    }

    /// Whether a value has a method, by `respond_to?`, which programs may redefine.
    pub fn responds_to(&mut self, receiver: &Value, name: Symbol, private: bool) -> Result<bool> {
        let class = self.class_of(receiver);
        if let Some(method) = self.find_method(class, sym::RESPOND_TO)
            && !matches!(method.body, MethodBody::Native(_))
        {
            let args = [Value::Symbol(name), Value::Bool(private)];
            let takes_one = crate::core::method::arity_of_method(&method) == 1;
            let args = if takes_one { &args[..1] } else { &args[..] };
            return Ok(self.call_method(receiver, &method, sym::RESPOND_TO, &Args::new(args))?.is_true());
        }
        if let Some(method) = self.find_method(class, name) {
            return Ok(private || method.visibility != Visibility::Private);
        }
        match self.find_method(class, sym::RESPOND_TO_MISSING) {
            Some(method) if !matches!(method.body, MethodBody::Native(_)) => {
                let args = [Value::Symbol(name), Value::Bool(private)];
                Ok(self.call_method(receiver, &method, sym::RESPOND_TO_MISSING, &Args::new(&args))?.is_true())
            }
            _ => Ok(false),
        }
    }

    /// An error if an object may not be changed.
    #[inline]
    pub fn check_frozen(&mut self, value: &Value) -> Result<()> {
        let frozen = match value {
            Value::Class(class) => self.class(*class).head.is_frozen(),
            value => value.head().is_none_or(Head::is_frozen),
        };
        if frozen { Err(self.frozen_error(value)) } else { Ok(()) }
    }

    #[cold]
    fn frozen_error(&mut self, value: &Value) -> Box<Unwind> {
        match self.inspect(value) {
            Ok(shown) => {
                let message =
                    format!("can't modify frozen {}: {}", self.class_name_of(value), shown.to_str_lossy());
                let unwind = self.error(ClassId::FROZEN_ERROR, message);
                if let Unwind::Raise(exception) = &*unwind {
                    let receiver = Some(value.clone());
                    crate::core::exception::set_detail(exception, |details| details.receiver = receiver);
                }
                unwind
            }
            Err(unwind) => unwind,
        }
    }

    /// A code for the object itself, whatever is in it.
    pub fn identity_code(&mut self, value: &Value) -> u64 {
        match value {
            Value::Int(number) => (*number as u64).wrapping_mul(2).wrapping_add(1),
            Value::Float(number) => number.to_bits(),
            value => self.object_id(value) as u64,
        }
    }

    /// The answer of `object_id`: the same for the same object, and different from any other's.
    pub fn object_id(&mut self, value: &Value) -> i64 {
        let id = match value {
            Value::Nil => return 8,
            Value::Bool(true) => return 20,
            Value::Bool(false) => return 0,
            Value::Int(number) => return number.wrapping_mul(2).wrapping_add(1),
            Value::Symbol(symbol) => return i64::from(symbol.0) * 256 + 12,
            Value::Class(class) => &self.class(*class).head.id,
            value => match value.head() {
                Some(head) => &head.id,
                None => return 0,
            },
        };
        if id.get() == 0 {
            let number = self.state.last_number as u32 + 1;
            id.set(number);
            self.state.last_number += 1;
        }
        let id = match value {
            Value::Class(class) => self.class(*class).head.id.get(),
            value => value.head().map_or(0, |head| head.id.get()),
        };
        i64::from(id) * 8
    }

    /// `a == b`
    pub fn eq(&mut self, a: &Value, b: &Value) -> Result<bool> {
        match (a, b) {
            (Value::Nil, Value::Nil) => Ok(true),
            (Value::Int(a), Value::Int(b)) => Ok(a == b),
            (Value::Symbol(a), Value::Symbol(b)) => Ok(a == b),
            (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
            _ => Ok(self.send(a, sym::EQ, std::slice::from_ref(b))?.is_true()),
        }
    }

    /// `a === b`: whether `b` belongs to `a`.
    pub fn case_eq(&mut self, a: &Value, b: &Value) -> Result<bool> {
        Ok(self.send(a, sym::EQQ, std::slice::from_ref(b))?.is_true())
    }

    /// `a <=> b`; `None` if they cannot be compared.
    pub fn compare(&mut self, a: &Value, b: &Value) -> Result<Option<Ordering>> {
        if let (Value::Int(a), Value::Int(b)) = (a, b) {
            return Ok(Some(a.cmp(b)));
        }
        let answer = self.send(a, sym::CMP, std::slice::from_ref(b))?;
        self.ordering(&answer, a, b)
    }

    /// The order that an answer of `<=>` or of a comparing block means.
    pub fn ordering(&mut self, answer: &Value, a: &Value, b: &Value) -> Result<Option<Ordering>> {
        match answer {
            Value::Nil => Ok(None),
            Value::Int(number) => Ok(Some(number.cmp(&0))),
            Value::Big(big) => Ok(Some(big.number.sign().cmp(&num_bigint::Sign::NoSign))),
            other => {
                if self.send(other, sym::GT, &[Value::Int(0)])?.is_true() {
                    Ok(Some(Ordering::Greater))
                } else if self.send(other, sym::LT, &[Value::Int(0)])?.is_true() {
                    Ok(Some(Ordering::Less))
                } else {
                    let _ = (a, b);
                    Ok(Some(Ordering::Equal))
                }
            }
        }
    }

    /// `a <=> b`, or Ruby's complaint that they cannot be compared.
    pub fn must_compare(&mut self, a: &Value, b: &Value) -> Result<Ordering> {
        match self.compare(a, b)? {
            Some(order) => Ok(order),
            None => Err(self.cannot_compare(a, b)?),
        }
    }

    /// `ArgumentError`: comparison of Integer with "x" failed
    #[cold]
    pub fn cannot_compare(&mut self, a: &Value, b: &Value) -> Result<Box<Unwind>> {
        let other = match b {
            // An integer that needs more is an object like others to Ruby.
            Value::Int(number) if !(-(1 << 62)..1 << 62).contains(number) => self.class_name_of(b),
            Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Symbol(_) => {
                self.inspect(b)?.to_str_lossy().into_owned()
            }
            _ => self.class_name_of(b),
        };
        let message = format!("comparison of {} with {other} failed", self.class_name_of(a));
        Ok(self.argument_error(message))
    }

    /// The text of `inspect`.
    pub fn inspect(&mut self, value: &Value) -> Result<Text> {
        match self.send(value, sym::INSPECT, &[])? {
            Value::String(string) => Ok(string.text().clone()),
            other => self.display(&other),
        }
    }

    /// The text of `to_s`, for interpolation and `puts`.
    pub fn display(&mut self, value: &Value) -> Result<Text> {
        match value {
            Value::String(string) => Ok(string.text().clone()),
            Value::Nil => Ok("".into()),
            Value::Symbol(symbol) => Ok(self.name(*symbol).into()),
            _ => match self.send(value, sym::TO_S, &[])? {
                Value::String(string) => Ok(string.text().clone()),
                _ => Ok(self.plain_inspect(value).into()),
            },
        }
    }

    /// A block of native code, to give to a method.
    pub fn block(
        &self,
        arity: i32,
        run: impl Fn(&mut Ruby<'_>, &Args<'_>) -> Result + 'static,
    ) -> Rc<ProcObject> {
        let body = ProcBody::Native(Rc::new(run), arity);
        Rc::new(ProcObject { head: Head::new(ClassId::PROC), body, lambda: Cell::new(false) })
    }

    /// Yields values to a block.
    #[inline]
    pub fn yield_to(&mut self, block: &Rc<ProcObject>, values: &[Value]) -> Result {
        self.call_block(block, &Args::new(values))
    }

    /// The block of a call, or `LocalJumpError`: no block given (yield).
    pub fn need_block<'a>(&mut self, args: &Args<'a>) -> Result<&'a Rc<ProcObject>> {
        match args.block {
            Some(block) => Ok(block),
            None => Err(self.error(ClassId::LOCAL_JUMP_ERROR, "no block given (yield)")),
        }
    }
}
