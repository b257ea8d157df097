//! Values of Ruby expressions.
//!
//! A `Value` has 16 bytes. Small things stand in it, everything else is an object on the heap that is shared by reference, as Ruby has it:
//! what one holder changes, all see. Objects count their references; what refers to itself in a circle is taken apart when the
//! interpreter ends (see `objects.rs`).
//!
//! Contents are behind `RefCell`s. **A borrow is never held while Ruby code may run** (a block, a method that a program may have redefined,
//! a conversion): copy what is needed first, or go by index and look again.

use std::any::Any;
use std::cell::{Cell, Ref, RefCell, RefMut};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use kukla_values::regexp::Regexp;
use num_bigint::BigInt;

use crate::class::ClassId;
use crate::hash::Table;
use crate::list::List;
use crate::memory::{self, Changing, Taken, Weighed};
use crate::proc::ProcObject;
use crate::symbol::Symbol;
use crate::text::Text;

/// The identity of an object among all that exist at the same time.
pub(crate) type Identity = (std::mem::Discriminant<Value>, u64);

/// Any Ruby value.
#[derive(Default)]
pub enum Value {
    /// `nil`
    #[default]
    Nil,
    /// `true` and `false`
    Bool(bool),
    /// An integer of 64 bit; larger ones are `Big`.
    Int(i64),
    /// A double precision number.
    Float(f64),
    /// A symbol.
    Symbol(Symbol),
    /// A class or module, which the interpreter owns.
    Class(ClassId),
    /// A string.
    String(Rc<StringObject>),
    /// An array.
    Array(Rc<ArrayObject>),
    /// A hash.
    Hash(Rc<HashObject>),
    /// A range.
    Range(Rc<RangeObject>),
    /// A regular expression.
    Regexp(Rc<RegexpObject>),
    /// A proc, a lambda or a block.
    Proc(Rc<ProcObject>),
    /// An integer beyond 64 bit; never one that fits `Int`.
    Big(Rc<BigObject>),
    /// An instance of any other class.
    Object(Rc<Object>),
}

const _: () = assert!(size_of::<Value>() == 16);

/// Instance variables in the order they were first set: few, so they are found by looking.
#[derive(Clone, Default)]
struct InstanceVariables(Vec<(Symbol, Value)>);

impl InstanceVariables {
    /// Where a variable is. A place that it is likely at is looked at first, and corrected.
    #[inline]
    fn position(&self, name: Symbol, hint: &Cell<u32>) -> Option<usize> {
        let likely = hint.get() as usize;
        if self.0.get(likely).is_some_and(|(known, _)| *known == name) {
            return Some(likely);
        }
        let found = self.0.iter().position(|(known, _)| *known == name)?;
        hint.set(found as u32);
        Some(found)
    }
}

/// The size of an object of any kind, without its growing contents.
const OBJECT: usize = 96;

/// The size of an instance variable.
const VARIABLE: usize = size_of::<(Symbol, Value)>();

/// The head of every object on the heap: its class, whether it is frozen, its instance variables.
pub struct Head {
    class: Cell<ClassId>,
    frozen: Cell<bool>,
    /// The answer of `object_id`, 0 before the first call.
    pub(crate) id: Cell<u32>,
    variables: RefCell<Option<Box<InstanceVariables>>>,
}

impl Head {
    /// The head of a new object.
    pub fn new(class: ClassId) -> Head {
        Head::with_contents(class, 0)
    }

    /// The head of a new object, with the size of its contents in bytes.
    fn with_contents(class: ClassId, bytes: usize) -> Head {
        memory::take(OBJECT + bytes);
        Head {
            class: Cell::new(class),
            frozen: Cell::new(false),
            id: Cell::new(0),
            variables: RefCell::new(None),
        }
    }

    /// The class it belongs to; a singleton class if it has one.
    #[inline]
    pub fn class(&self) -> ClassId {
        self.class.get()
    }

    /// Makes it an instance of another class, such as a singleton class of its own.
    pub fn set_class(&self, class: ClassId) {
        self.class.set(class);
    }

    /// Whether it may no longer be changed.
    #[inline]
    pub fn is_frozen(&self) -> bool {
        self.frozen.get()
    }

    /// Freezes it.
    pub fn freeze(&self) {
        self.frozen.set(true);
    }

    /// The value of an instance variable.
    pub fn variable(&self, name: Symbol) -> Option<Value> {
        self.variable_near(name, &Cell::new(0))
    }

    /// The value of an instance variable that is likely to be at a place.
    #[inline]
    pub(crate) fn variable_near(&self, name: Symbol, hint: &Cell<u32>) -> Option<Value> {
        let variables = self.variables.borrow();
        let variables = variables.as_ref()?;
        variables.position(name, hint).map(|at| variables.0[at].1.clone())
    }

    /// Sets an instance variable, and tells whether it is the first.
    pub fn set_variable(&self, name: Symbol, value: Value) -> bool {
        self.set_variable_near(name, value, &Cell::new(0))
    }

    /// Sets an instance variable that is likely to be at a place, and tells whether it is the first.
    #[inline]
    pub(crate) fn set_variable_near(&self, name: Symbol, value: Value, hint: &Cell<u32>) -> bool {
        let mut variables = self.variables.borrow_mut();
        let is_first = variables.is_none();
        let all = variables.get_or_insert_default();
        let old = match all.position(name, hint) {
            Some(at) => Some(std::mem::replace(&mut all.0[at].1, value)),
            None => {
                memory::take(VARIABLE);
                all.0.push((name, value));
                None
            }
        };
        // What is dropped may look at its owner.
        drop(variables);
        drop(old);
        is_first
    }

    /// Removes an instance variable.
    pub fn remove_variable(&self, name: Symbol) -> Option<Value> {
        let mut variables = self.variables.borrow_mut();
        let all = variables.as_mut()?;
        let at = all.position(name, &Cell::new(0))?;
        memory::give_back(VARIABLE);
        Some(all.0.remove(at).1)
    }

    /// The names of the instance variables that are set.
    pub fn variable_names(&self) -> Vec<Symbol> {
        let variables = self.variables.borrow();
        variables.as_ref().map_or_else(Vec::new, |all| all.0.iter().map(|(name, _)| *name).collect())
    }

    /// Takes the instance variables of another object.
    pub fn copy_variables(&self, other: &Head) {
        self.clear_variables();
        let copies = other.variables.borrow().clone();
        memory::take(copies.as_ref().map_or(0, |all| all.0.len() * VARIABLE));
        *self.variables.borrow_mut() = copies;
    }

    /// Takes all instance variables away, before it is dropped.
    pub(crate) fn take_variables(&mut self) -> Option<impl Sized + use<>> {
        let taken = self.variables.get_mut().take();
        memory::give_back(OBJECT + taken.as_ref().map_or(0, |all| all.0.len() * VARIABLE));
        taken
    }

    /// Forgets all instance variables.
    pub(crate) fn clear_variables(&self) {
        let taken = self.variables.borrow_mut().take();
        memory::give_back(taken.as_ref().map_or(0, |all| all.0.len() * VARIABLE));
    }
}

/// A string: bytes, their encoding, and what every object has.
pub struct StringObject {
    /// The head of every object.
    pub head: Head,
    text: RefCell<Text>,
}

impl StringObject {
    /// A string of a class.
    pub fn new(class: ClassId, text: Text) -> Rc<StringObject> {
        let head = Head::with_contents(class, text.weight());
        Rc::new(StringObject { head, text: RefCell::new(text) })
    }

    /// Its text, to read. Never held while Ruby code may run.
    #[inline]
    pub fn text(&self) -> Ref<'_, Text> {
        self.text.borrow()
    }

    /// Its text, to change; ask [`crate::Ruby::check_frozen`] first. Never held while Ruby code may run.
    #[inline]
    pub fn text_mut(&self) -> Changing<'_, Text> {
        Changing::new(self.text.borrow_mut())
    }
}

impl Drop for StringObject {
    #[inline]
    fn drop(&mut self) {
        memory::give_back(self.text.get_mut().weight());
    }
}

/// An array.
pub struct ArrayObject {
    /// The head of every object.
    pub head: Head,
    items: RefCell<List>,
}

impl ArrayObject {
    /// An array of a class.
    pub fn new(class: ClassId, items: impl Into<List>) -> Rc<ArrayObject> {
        let items = items.into();
        let head = Head::with_contents(class, items.weight());
        Rc::new(ArrayObject { head, items: RefCell::new(items) })
    }

    /// Takes all elements away, before it is dropped.
    pub(crate) fn take_items(&mut self) -> Option<List> {
        let items = std::mem::take(self.items.get_mut());
        memory::give_back(items.weight());
        Some(items).filter(|items| !items.is_empty())
    }

    /// Its elements, to read. Never held while Ruby code may run.
    #[inline]
    pub fn items(&self) -> Ref<'_, List> {
        self.items.borrow()
    }

    /// Its elements, to change; ask [`crate::Ruby::check_frozen`] first. Never held while Ruby code may run.
    #[inline]
    pub fn items_mut(&self) -> Changing<'_, List> {
        Changing::new(self.items.borrow_mut())
    }

    /// A copy of its elements.
    pub fn to_vec(&self) -> Vec<Value> {
        memory::spend(self.len() * size_of::<Value>());
        self.items.borrow().to_vec()
    }

    /// How many elements it has now.
    pub fn len(&self) -> usize {
        self.items.borrow().len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at a position, if there is one now.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Value> {
        self.items.borrow().get(index).cloned()
    }
}

/// A hash.
pub struct HashObject {
    /// The head of every object.
    pub head: Head,
    table: RefCell<Table>,
}

impl HashObject {
    /// A hash of a class.
    pub fn new(class: ClassId, table: Table) -> Rc<HashObject> {
        let head = Head::with_contents(class, table.weight());
        Rc::new(HashObject { head, table: RefCell::new(table) })
    }

    /// Takes all entries away, before it is dropped.
    pub(crate) fn take_table(&mut self) -> Option<Table> {
        let table = std::mem::take(self.table.get_mut());
        memory::give_back(table.weight());
        Some(table)
    }

    /// Its entries, to read. Never held while Ruby code may run.
    #[inline]
    pub fn table(&self) -> Ref<'_, Table> {
        self.table.borrow()
    }

    /// Its entries, to change; ask [`crate::Ruby::check_frozen`] first. Never held while Ruby code may run.
    #[inline]
    pub fn table_mut(&self) -> Changing<'_, Table> {
        Changing::new(self.table.borrow_mut())
    }
}

/// A range; it never changes.
pub struct RangeObject {
    /// The head of every object.
    pub head: Head,
    /// Where it begins, `nil` if nowhere.
    pub begin: Value,
    /// Where it ends, `nil` if nowhere.
    pub end: Value,
    /// Whether the end itself is left out: `a...b`.
    pub exclusive: bool,
}

/// A regular expression.
pub struct RegexpObject {
    /// The head of every object.
    pub head: Head,
    /// The pattern.
    pub pattern: Arc<Regexp>,
    /// The explicit encoding: Ruby's `FIXEDENCODING` and `NOENCODING`.
    pub encoding_bits: u8,
}

/// An integer beyond 64 bit.
pub struct BigObject {
    /// The number.
    pub number: BigInt,
    _taken: Taken,
}

impl BigObject {
    fn new(number: BigInt) -> Rc<BigObject> {
        let taken = Taken::new(size_of::<BigObject>() + number.bits() as usize / 8);
        Rc::new(BigObject { number, _taken: taken })
    }
}

/// An instance of a class that has no kind of value of its own: of classes that programs define, exceptions, times, sets and so on.
pub struct Object {
    /// The head of every object.
    pub head: Head,
    /// The payload of native methods, found again by its type.
    payload: RefCell<Option<Box<dyn Any>>>,
}

impl Object {
    /// An object of a class, with nothing in it.
    pub fn new(class: ClassId) -> Rc<Object> {
        Rc::new(Object { head: Head::new(class), payload: RefCell::new(None) })
    }

    /// An object of a class with something that native methods keep in it.
    pub fn with<T: Any>(class: ClassId, payload: T) -> Rc<Object> {
        Rc::new(Object {
            head: Head::with_contents(class, size_of::<T>()),
            payload: RefCell::new(Some(Box::new(payload))),
        })
    }

    /// The payload of native methods, if it is of this type. Never held while Ruby code may run.
    pub fn payload<T: Any>(&self) -> Option<Ref<'_, T>> {
        Ref::filter_map(self.payload.borrow(), |payload| payload.as_ref()?.downcast_ref()).ok()
    }

    /// The payload of native methods, to change, if it is of this type. Never held while Ruby code may run.
    pub fn payload_mut<T: Any>(&self) -> Option<RefMut<'_, T>> {
        RefMut::filter_map(self.payload.borrow_mut(), |payload| payload.as_mut()?.downcast_mut()).ok()
    }

    /// Puts something into it for native methods.
    pub fn set_payload<T: Any>(&self, payload: T) {
        self.clear_payload();
        memory::take(size_of::<T>());
        *self.payload.borrow_mut() = Some(Box::new(payload));
    }

    /// Whether native methods keep anything in it.
    pub fn has_payload(&self) -> bool {
        self.payload.borrow().is_some()
    }

    /// Takes out what is in it, before it is dropped.
    pub(crate) fn take_payload(&mut self) -> Option<Box<dyn Any>> {
        let payload = self.payload.get_mut().take()?;
        memory::give_back(size_of_val(&*payload));
        Some(payload)
    }

    /// Takes out what is in it.
    pub(crate) fn clear_payload(&self) {
        if let Some(payload) = self.payload.take() {
            memory::give_back(size_of_val(&*payload));
        }
    }
}

impl Clone for Value {
    #[inline]
    fn clone(&self) -> Value {
        match self {
            Value::Nil => Value::Nil,
            Value::Bool(truth) => Value::Bool(*truth),
            Value::Int(number) => Value::Int(*number),
            Value::Float(number) => Value::Float(*number),
            Value::Symbol(symbol) => Value::Symbol(*symbol),
            Value::Class(class) => Value::Class(*class),
            object => object.share(),
        }
    }
}

impl Value {
    /// Another reference to an object on the heap.
    fn share(&self) -> Value {
        match self {
            Value::String(string) => Value::String(string.clone()),
            Value::Array(array) => Value::Array(array.clone()),
            Value::Hash(hash) => Value::Hash(hash.clone()),
            Value::Range(range) => Value::Range(range.clone()),
            Value::Regexp(regexp) => Value::Regexp(regexp.clone()),
            Value::Proc(proc) => Value::Proc(proc.clone()),
            Value::Big(big) => Value::Big(big.clone()),
            Value::Object(object) => Value::Object(object.clone()),
            Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) => Value::Nil,
            Value::Symbol(_) | Value::Class(_) => Value::Nil,
        }
    }

    /// Whether it counts as true: everything does except `nil` and `false`.
    #[inline]
    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Nil | Value::Bool(false))
    }

    /// Whether it is `nil`.
    #[inline]
    pub fn is_nil(&self) -> bool {
        matches!(self, Value::Nil)
    }

    /// Its head, if it is an object on the heap.
    pub fn head(&self) -> Option<&Head> {
        Some(match self {
            Value::String(string) => &string.head,
            Value::Array(array) => &array.head,
            Value::Hash(hash) => &hash.head,
            Value::Range(range) => &range.head,
            Value::Regexp(regexp) => &regexp.head,
            Value::Proc(proc) => &proc.head,
            Value::Object(object) => &object.head,
            Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Symbol(_) => return None,
            Value::Class(_) | Value::Big(_) => return None,
        })
    }

    /// Whether both are the same object (`equal?`).
    pub fn is_same(&self, other: &Value) -> bool {
        self.identity() == other.identity()
    }

    /// Its identity among all values that exist now.
    pub(crate) fn identity(&self) -> Identity {
        fn place<T>(object: &Rc<T>) -> u64 {
            Rc::as_ptr(object).addr() as u64
        }
        let number = match self {
            Value::Nil => 0,
            Value::Bool(flag) => u64::from(*flag),
            Value::Int(number) => number.cast_unsigned(),
            Value::Float(number) => number.to_bits(),
            Value::Symbol(symbol) => u64::from(symbol.0),
            Value::Class(class) => u64::from(class.0),
            Value::String(object) => place(object),
            Value::Array(object) => place(object),
            Value::Hash(object) => place(object),
            Value::Range(object) => place(object),
            Value::Regexp(object) => place(object),
            Value::Proc(object) => place(object),
            Value::Big(object) => place(object),
            Value::Object(object) => place(object),
        };
        (std::mem::discriminant(self), number)
    }

    /// A new array of core class `Array`.
    pub fn array(items: impl Into<List>) -> Value {
        Value::Array(ArrayObject::new(ClassId::ARRAY, items))
    }

    /// A new hash of core class `Hash`.
    pub fn hash(table: Table) -> Value {
        Value::Hash(HashObject::new(ClassId::HASH, table))
    }

    /// A new string of core class `String` in UTF-8.
    pub fn str(text: impl Into<Text>) -> Value {
        Value::String(StringObject::new(ClassId::STRING, text.into()))
    }

    /// The integer, as `Int` if it fits.
    pub fn integer(number: impl Into<BigInt>) -> Value {
        let number = number.into();
        match i64::try_from(&number) {
            Ok(small) => Value::Int(small),
            Err(_) => Value::Big(BigObject::new(number)),
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Float(number)
    }
}

impl From<Symbol> for Value {
    fn from(symbol: Symbol) -> Value {
        Value::Symbol(symbol)
    }
}

impl From<ClassId> for Value {
    fn from(class: ClassId) -> Value {
        Value::Class(class)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::str(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::str(text)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Nil, Into::into)
    }
}

/// For debugging Kukla only; it says what kind of value it is. `inspect` is a method of the language.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nil => f.write_str("nil"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Float(number) => write!(f, "{number:?}"),
            Value::Symbol(symbol) => write!(f, "{symbol:?}"),
            Value::Class(class) => write!(f, "{class:?}"),
            Value::String(_) => f.write_str("a String"),
            Value::Array(_) => f.write_str("an Array"),
            Value::Hash(_) => f.write_str("a Hash"),
            Value::Range(_) => f.write_str("a Range"),
            Value::Regexp(_) => f.write_str("a Regexp"),
            Value::Proc(_) => f.write_str("a Proc"),
            Value::Big(big) => write!(f, "{}", big.number),
            Value::Object(_) => f.write_str("an object"),
        }
    }
}
