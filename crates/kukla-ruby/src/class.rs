//! Classes and modules, and the tables that native ones are declared in.

use std::cell::Cell;
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::args::Args;
use crate::core;
use crate::core::enumerator::SizeFn;
use crate::error::Result;
use crate::library;
use crate::method::Method;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::{Head, Value};

/// A class or module of one interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub(crate) u32);

/// A method written in Rust: the interpreter, the receiver, the arguments.
pub type NativeFn = fn(&mut Ruby<'_>, &Value, &Args<'_>) -> Result;

/// An iterating method written in Rust, which also takes the block that it was called with.
pub type IteratorFn = fn(&mut Ruby<'_>, &Value, &Args<'_>, &Rc<ProcObject>) -> Result;

/// No upper limit on the number of arguments.
pub const ANY: u8 = u8::MAX;

/// The code of a native method.
#[derive(Clone, Copy, Debug)]
pub enum NativeBody {
    /// Runs with or without a block.
    Plain(NativeFn),
    /// Runs with a block; without one, the call returns an enumerator with as many elements as the second function says.
    Iterator(IteratorFn, SizeFn),
}

impl NativeBody {
    /// Whether two methods run the same code, as those do that have several names.
    pub fn is(&self, other: &NativeBody) -> bool {
        match (self, other) {
            (NativeBody::Plain(a), NativeBody::Plain(b)) => std::ptr::fn_addr_eq(*a, *b),
            (NativeBody::Iterator(a, _), NativeBody::Iterator(b, _)) => std::ptr::fn_addr_eq(*a, *b),
            _ => false,
        }
    }
}

/// One row in the table of a class: a method written in Rust.
#[derive(Debug)]
pub struct Native {
    /// Its name.
    pub name: &'static str,
    /// How many arguments it takes at least.
    pub least: u8,
    /// How many it takes at most; `ANY` for any number.
    pub most: u8,
    /// Whether it can only be called without a receiver.
    pub private: bool,
    /// Whether it takes the same time whatever the size of its receiver and arguments, or counts by itself what it goes through. Of all others
    /// it is assumed that they go through all of both.
    pub quick: bool,
    /// Its code.
    pub body: NativeBody,
}

/// A method that takes `least` to `most` arguments. Keywords count as one, as they arrive in one hash.
pub const fn method(name: &'static str, least: u8, most: u8, run: NativeFn) -> Native {
    Native { name, least, most, private: false, quick: false, body: NativeBody::Plain(run) }
}

/// A method that takes the same time whatever the size of its receiver and arguments, or counts by itself what it goes through.
pub const fn quick(name: &'static str, least: u8, most: u8, run: NativeFn) -> Native {
    Native { name, least, most, private: false, quick: true, body: NativeBody::Plain(run) }
}

/// A method that iterates with its block and returns an enumerator when it is called without one.
pub const fn iterator(name: &'static str, least: u8, most: u8, run: IteratorFn, size: SizeFn) -> Native {
    Native { name, least, most, private: false, quick: true, body: NativeBody::Iterator(run, size) }
}

/// A method that can only be called without a receiver, such as `puts`.
pub const fn private(name: &'static str, least: u8, most: u8, run: NativeFn) -> Native {
    Native { name, least, most, private: true, quick: false, body: NativeBody::Plain(run) }
}

impl Native {
    /// The same method under another name.
    pub const fn named(self, name: &'static str) -> Native {
        Native { name, ..self }
    }
}

/// The rows of a table. `method("map", 0, 0, map).alias("collect")` declares two methods with the same code: each knows the name that it
/// was called by, which its enumerators and messages show.
macro_rules! methods {
    ($($row:ident $args:tt $(.alias($alias:literal))*),* $(,)?) => {
        &[$($row $args, $($row $args.named($alias),)*)*]
    };
}
pub(crate) use methods;

/// A class or module written in Rust.
#[derive(Debug)]
pub struct NativeClass {
    /// Its full name: `Enumerator::Lazy`. The namespace precedes it in the list.
    pub name: &'static str,
    /// The name of its superclass; `None` makes it a module (and `BasicObject` what it is).
    pub superclass: Option<&'static str>,
    /// The modules it includes.
    pub includes: &'static [&'static str],
    /// The methods of its instances, file by file.
    pub methods: &'static [&'static [Native]],
    /// The methods of the class itself, file by file.
    pub singleton: &'static [&'static [Native]],
    /// Sets up constants, when an interpreter starts.
    pub setup: Option<fn(&mut Ruby<'_>, ClassId)>,
}

impl NativeClass {
    /// A class with nothing in it.
    pub const fn class(name: &'static str, superclass: &'static str) -> NativeClass {
        NativeClass {
            name,
            superclass: Some(superclass),
            includes: &[],
            methods: &[],
            singleton: &[],
            setup: None,
        }
    }

    /// A module with nothing in it.
    pub const fn module(name: &'static str) -> NativeClass {
        NativeClass { name, superclass: None, includes: &[], methods: &[], singleton: &[], setup: None }
    }
}

macro_rules! classes {
    ($($id:ident = $class:expr),* $(,)?) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "a list of numbers, not a type anyone sees")]
        enum Number { $($id),* }
        /// The classes that are there from the start, in the order of their numbers.
        pub static NATIVE_CLASSES: &[&NativeClass] = &[$(&$class),*];
        impl ClassId {
            $(#[doc = concat!("The class `", stringify!($id), "`")] pub const $id: ClassId = ClassId(Number::$id as u32);)*
        }
    };
}

classes! {
    BASIC_OBJECT = core::object::BASIC_OBJECT,
    OBJECT = core::object::OBJECT,
    MODULE = core::module::MODULE,
    CLASS = core::module::CLASS,
    KERNEL = core::kernel::KERNEL,
    COMPARABLE = core::comparable::COMPARABLE,
    ENUMERABLE = core::enumerable::ENUMERABLE,
    NIL_CLASS = core::nil::NIL_CLASS,
    TRUE_CLASS = core::boolean::TRUE_CLASS,
    FALSE_CLASS = core::boolean::FALSE_CLASS,
    NUMERIC = core::numeric::NUMERIC,
    INTEGER = core::integer::INTEGER,
    FLOAT = core::float::FLOAT,
    RATIONAL = core::rational::RATIONAL,
    COMPLEX = core::complex::COMPLEX,
    STRING = core::string::STRING,
    SYMBOL = core::symbol::SYMBOL,
    ARRAY = core::array::ARRAY,
    HASH = core::hash::HASH,
    RANGE = core::range::RANGE,
    REGEXP = core::regexp::REGEXP,
    MATCH_DATA = core::match_data::MATCH_DATA,
    PROC = core::proc::PROC,
    METHOD = core::method::METHOD,
    UNBOUND_METHOD = core::method::UNBOUND_METHOD,
    BINDING = core::binding::BINDING,
    STRUCT = core::structs::STRUCT,
    DATA = core::structs::DATA,
    TIME = core::time::TIME,
    RANDOM = core::random::RANDOM,
    ENUMERATOR = core::enumerator::ENUMERATOR,
    LAZY = core::enumerator::LAZY,
    YIELDER = core::enumerator::YIELDER,
    GENERATOR = core::enumerator::GENERATOR,
    CHAIN = core::enumerator::CHAIN,
    PRODUCER = core::enumerator::PRODUCER,
    PRODUCT = core::enumerator::PRODUCT,
    ARITHMETIC_SEQUENCE = core::enumerator::ARITHMETIC_SEQUENCE,
    SET = crate::library::set::SET,
    ENCODING = core::encoding::ENCODING,
    MATH = core::math::MATH,
    PROCESS = core::process::PROCESS,
    PROCESS_STATUS = core::command::STATUS,
    OBJECT_SPACE = core::process::OBJECT_SPACE,
    GC = core::process::GC,
    SIGNAL = core::process::SIGNAL,
    MARSHAL = core::marshal::MARSHAL,
    IO = core::io::IO,
    FILE = core::file::FILE,
    FILE_STAT = core::file::FILE_STAT,
    FILE_TEST = core::file::FILE_TEST,
    DIR = core::dir::DIR,
    THREAD = core::thread::THREAD,
    MUTEX = core::thread::MUTEX,
    EXCEPTION = core::exception::EXCEPTION,
    SCRIPT_ERROR = core::exception::SCRIPT_ERROR,
    LOAD_ERROR = core::exception::LOAD_ERROR,
    NOT_IMPLEMENTED_ERROR = core::exception::NOT_IMPLEMENTED_ERROR,
    SYNTAX_ERROR = core::exception::SYNTAX_ERROR,
    NO_MEMORY_ERROR = core::exception::NO_MEMORY_ERROR,
    SECURITY_ERROR = core::exception::SECURITY_ERROR,
    SIGNAL_EXCEPTION = core::exception::SIGNAL_EXCEPTION,
    INTERRUPT = core::exception::INTERRUPT,
    SYSTEM_EXIT = core::exception::SYSTEM_EXIT,
    SYSTEM_STACK_ERROR = core::exception::SYSTEM_STACK_ERROR,
    STANDARD_ERROR = core::exception::STANDARD_ERROR,
    ARGUMENT_ERROR = core::exception::ARGUMENT_ERROR,
    UNCAUGHT_THROW_ERROR = core::exception::UNCAUGHT_THROW_ERROR,
    ENCODING_ERROR = core::exception::ENCODING_ERROR,
    COMPATIBILITY_ERROR = core::exception::COMPATIBILITY_ERROR,
    UNDEFINED_CONVERSION_ERROR = core::exception::UNDEFINED_CONVERSION_ERROR,
    INVALID_BYTE_SEQUENCE_ERROR = core::exception::INVALID_BYTE_SEQUENCE_ERROR,
    CONVERTER_NOT_FOUND_ERROR = core::exception::CONVERTER_NOT_FOUND_ERROR,
    FIBER_ERROR = core::exception::FIBER_ERROR,
    IO_ERROR = core::exception::IO_ERROR,
    EOF_ERROR = core::exception::EOF_ERROR,
    INDEX_ERROR = core::exception::INDEX_ERROR,
    KEY_ERROR = core::exception::KEY_ERROR,
    STOP_ITERATION = core::exception::STOP_ITERATION,
    CLOSED_QUEUE_ERROR = core::exception::CLOSED_QUEUE_ERROR,
    LOCAL_JUMP_ERROR = core::exception::LOCAL_JUMP_ERROR,
    NAME_ERROR = core::exception::NAME_ERROR,
    NO_METHOD_ERROR = core::exception::NO_METHOD_ERROR,
    RANGE_ERROR = core::exception::RANGE_ERROR,
    FLOAT_DOMAIN_ERROR = core::exception::FLOAT_DOMAIN_ERROR,
    REGEXP_ERROR = core::exception::REGEXP_ERROR,
    RUNTIME_ERROR = core::exception::RUNTIME_ERROR,
    REGEXP_TIMEOUT_ERROR = core::exception::REGEXP_TIMEOUT_ERROR,
    FROZEN_ERROR = core::exception::FROZEN_ERROR,
    SYSTEM_CALL_ERROR = core::exception::SYSTEM_CALL_ERROR,
    THREAD_ERROR = core::exception::THREAD_ERROR,
    TYPE_ERROR = core::exception::TYPE_ERROR,
    ZERO_DIVISION_ERROR = core::exception::ZERO_DIVISION_ERROR,
    NO_MATCHING_PATTERN_ERROR = core::exception::NO_MATCHING_PATTERN_ERROR,
    NO_MATCHING_PATTERN_KEY_ERROR = core::exception::NO_MATCHING_PATTERN_KEY_ERROR,
    ERRNO = core::exception::ERRNO,
    STRING_SCANNER = library::string_scanner::STRING_SCANNER,
    STRING_SCANNER_ERROR = library::string_scanner::STRING_SCANNER_ERROR,
    DOMAIN_ERROR = core::math::DOMAIN_ERROR,
    ENV = core::environment::ENV,
    WARNING = core::warning::WARNING,
    JSON = library::json::JSON,
    JSON_ERROR = library::json::JSON_ERROR,
    JSON_PARSER_ERROR = library::json::JSON_PARSER_ERROR,
    JSON_NESTING_ERROR = library::json::JSON_NESTING_ERROR,
    JSON_GENERATOR_ERROR = library::json::JSON_GENERATOR_ERROR,
    JSON_EXT = library::json::JSON_EXT,
    JSON_GENERATOR = library::json::JSON_GENERATOR,
    JSON_STATE = library::json::JSON_STATE,
    DIGEST = library::digest::DIGEST,
    ERB = library::erb::ERB,
    ERB_UTIL = library::erb::UTIL,
    PSYCH = library::yaml::PSYCH,
    PSYCH_EXCEPTION = library::yaml::PSYCH_EXCEPTION,
    PSYCH_BAD_ALIAS = library::yaml::PSYCH_BAD_ALIAS,
    PSYCH_DISALLOWED_CLASS = library::yaml::PSYCH_DISALLOWED_CLASS,
    PSYCH_SYNTAX_ERROR = library::yaml::PSYCH_SYNTAX_ERROR,
}

/// The kind of a class.
#[derive(Clone, Debug)]
pub enum ClassKind {
    /// A class.
    Class,
    /// A module.
    Module,
    /// The class of one object alone.
    Singleton(Value),
}

/// A constant of a class or module.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its value.
    pub value: Value,
    /// Whether it can only be named from within.
    pub private: bool,
}

/// A class or module.
pub struct Class {
    /// The head of every object; its class is the singleton class once there is one.
    pub head: Head,
    /// Its full name, once it has one.
    pub name: Option<Rc<str>>,
    /// Whether the name begins with that of a module without a name, and changes when that gets one.
    pub temporary_name: bool,
    /// Its kind.
    pub kind: ClassKind,
    /// The class it inherits from.
    pub superclass: Option<ClassId>,
    /// The modules included into it, the last one first.
    pub includes: Vec<ClassId>,
    /// The modules prepended to it, the last one first.
    pub prepends: Vec<ClassId>,
    /// Methods written in Rust, shared by all interpreters.
    pub native: Option<&'static FxHashMap<Symbol, &'static Native>>,
    /// Methods defined by programs, which hide native ones.
    pub methods: FxHashMap<Symbol, Rc<Method>>,
    /// The order in which methods were defined.
    pub method_order: Vec<Symbol>,
    /// Constants.
    pub constants: IndexMap<Symbol, Constant, FxBuildHasher>,
    /// Class variables.
    pub class_variables: IndexMap<Symbol, Value, FxBuildHasher>,
    /// Itself, what it includes and inherits, in the order in which methods are looked for; empty while unknown.
    pub(crate) ancestors: Option<Rc<[ClassId]>>,
    /// The state of the hierarchy for which `ancestors` holds.
    pub(crate) ancestors_at: Cell<u64>,
}

impl Class {
    /// A class without a name.
    pub fn new(kind: ClassKind, superclass: Option<ClassId>) -> Class {
        let class = if matches!(kind, ClassKind::Module) { ClassId::MODULE } else { ClassId::CLASS };
        Class {
            head: Head::new(class),
            name: None,
            temporary_name: false,
            kind,
            superclass,
            includes: Vec::new(),
            prepends: Vec::new(),
            native: None,
            methods: FxHashMap::default(),
            method_order: Vec::new(),
            constants: IndexMap::default(),
            class_variables: IndexMap::default(),
            ancestors: None,
            ancestors_at: Cell::new(0),
        }
    }

    /// Whether it is a module.
    pub fn is_module(&self) -> bool {
        matches!(self.kind, ClassKind::Module)
    }

    /// Whether it is the class of one object alone.
    pub fn is_singleton(&self) -> bool {
        matches!(self.kind, ClassKind::Singleton(_))
    }
}
