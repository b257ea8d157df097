//! Exceptions.

mod methods;
mod signal;

use std::ops::Deref;
use std::rc::Rc;

use crate::backtrace::BacktraceLine;
use crate::class::{ClassId, NativeClass};
use crate::memory::Taken;
use crate::ruby::Ruby;
use crate::value::{Object, Value};

pub(crate) use methods::{cause, locations};
pub(crate) use signal::LISTS as SIGNAL_LISTS;
pub(crate) use signal::trap;

/// The class `Exception`.
pub const EXCEPTION: NativeClass = NativeClass {
    methods: &[methods::METHODS],
    singleton: &[methods::SINGLETON],
    ..NativeClass::class("Exception", "Object")
};

/// The class `ScriptError`.
pub const SCRIPT_ERROR: NativeClass = NativeClass::class("ScriptError", "Exception");

/// The class `LoadError`.
pub const LOAD_ERROR: NativeClass =
    NativeClass { methods: &[methods::LOAD], ..NativeClass::class("LoadError", "ScriptError") };

/// The class `NotImplementedError`.
pub const NOT_IMPLEMENTED_ERROR: NativeClass = NativeClass::class("NotImplementedError", "ScriptError");

/// The class `SyntaxError`.
pub const SYNTAX_ERROR: NativeClass =
    NativeClass { methods: &[methods::SYNTAX], ..NativeClass::class("SyntaxError", "ScriptError") };

/// The class `NoMemoryError`.
pub const NO_MEMORY_ERROR: NativeClass = NativeClass::class("NoMemoryError", "Exception");

/// The class `SecurityError`.
pub const SECURITY_ERROR: NativeClass = NativeClass::class("SecurityError", "Exception");

/// The class `SignalException`.
pub const SIGNAL_EXCEPTION: NativeClass =
    NativeClass { methods: &[signal::METHODS], ..NativeClass::class("SignalException", "Exception") };

/// The class `Interrupt`.
pub const INTERRUPT: NativeClass =
    NativeClass { methods: &[signal::INTERRUPT], ..NativeClass::class("Interrupt", "SignalException") };

/// The class `SystemExit`.
pub const SYSTEM_EXIT: NativeClass =
    NativeClass { methods: &[methods::EXIT], ..NativeClass::class("SystemExit", "Exception") };

/// The class `SystemStackError`.
pub const SYSTEM_STACK_ERROR: NativeClass = NativeClass::class("SystemStackError", "Exception");

/// The class `StandardError`.
pub const STANDARD_ERROR: NativeClass = NativeClass::class("StandardError", "Exception");

/// The class `ArgumentError`.
pub const ARGUMENT_ERROR: NativeClass = NativeClass::class("ArgumentError", "StandardError");

/// The class `UncaughtThrowError`.
pub const UNCAUGHT_THROW_ERROR: NativeClass =
    NativeClass { methods: &[methods::THROW], ..NativeClass::class("UncaughtThrowError", "ArgumentError") };

/// The class `EncodingError`.
pub const ENCODING_ERROR: NativeClass = NativeClass::class("EncodingError", "StandardError");

/// The class `Encoding::CompatibilityError`.
pub const COMPATIBILITY_ERROR: NativeClass =
    NativeClass::class("Encoding::CompatibilityError", "EncodingError");

/// The class `Encoding::UndefinedConversionError`.
pub const UNDEFINED_CONVERSION_ERROR: NativeClass =
    NativeClass::class("Encoding::UndefinedConversionError", "EncodingError");

/// The class `Encoding::InvalidByteSequenceError`.
pub const INVALID_BYTE_SEQUENCE_ERROR: NativeClass =
    NativeClass::class("Encoding::InvalidByteSequenceError", "EncodingError");

/// The class `Encoding::ConverterNotFoundError`.
pub const CONVERTER_NOT_FOUND_ERROR: NativeClass =
    NativeClass::class("Encoding::ConverterNotFoundError", "EncodingError");

/// The class `FiberError`.
pub const FIBER_ERROR: NativeClass = NativeClass::class("FiberError", "StandardError");

/// The class `IOError`.
pub const IO_ERROR: NativeClass = NativeClass::class("IOError", "StandardError");

/// The class `EOFError`.
pub const EOF_ERROR: NativeClass = NativeClass::class("EOFError", "IOError");

/// The class `IndexError`.
pub const INDEX_ERROR: NativeClass = NativeClass::class("IndexError", "StandardError");

/// The class `KeyError`.
pub const KEY_ERROR: NativeClass =
    NativeClass { methods: &[methods::KEY], ..NativeClass::class("KeyError", "IndexError") };

/// The class `StopIteration`.
pub const STOP_ITERATION: NativeClass =
    NativeClass { methods: &[methods::STOP], ..NativeClass::class("StopIteration", "IndexError") };

/// The class `ClosedQueueError`.
pub const CLOSED_QUEUE_ERROR: NativeClass = NativeClass::class("ClosedQueueError", "StopIteration");

/// The class `LocalJumpError`.
pub const LOCAL_JUMP_ERROR: NativeClass =
    NativeClass { methods: &[methods::JUMP], ..NativeClass::class("LocalJumpError", "StandardError") };

/// The class `NameError`.
pub const NAME_ERROR: NativeClass =
    NativeClass { methods: &[methods::NAME], ..NativeClass::class("NameError", "StandardError") };

/// The class `NoMethodError`.
pub const NO_METHOD_ERROR: NativeClass =
    NativeClass { methods: &[methods::NO_METHOD], ..NativeClass::class("NoMethodError", "NameError") };

/// The class `RangeError`.
pub const RANGE_ERROR: NativeClass = NativeClass::class("RangeError", "StandardError");

/// The class `FloatDomainError`.
pub const FLOAT_DOMAIN_ERROR: NativeClass = NativeClass::class("FloatDomainError", "RangeError");

/// The class `RegexpError`.
pub const REGEXP_ERROR: NativeClass = NativeClass::class("RegexpError", "StandardError");
/// The class `Regexp::TimeoutError`.
pub const REGEXP_TIMEOUT_ERROR: NativeClass = NativeClass::class("Regexp::TimeoutError", "RegexpError");

/// The class `RuntimeError`.
pub const RUNTIME_ERROR: NativeClass = NativeClass::class("RuntimeError", "StandardError");

/// The class `FrozenError`.
pub const FROZEN_ERROR: NativeClass =
    NativeClass { methods: &[methods::FROZEN], ..NativeClass::class("FrozenError", "RuntimeError") };

/// The class `SystemCallError`.
pub const SYSTEM_CALL_ERROR: NativeClass = NativeClass {
    methods: &[methods::SYSTEM_CALL],
    singleton: &[methods::SYSTEM_CALL_SINGLETON],
    ..NativeClass::class("SystemCallError", "StandardError")
};

/// The class `ThreadError`.
pub const THREAD_ERROR: NativeClass = NativeClass::class("ThreadError", "StandardError");

/// The class `TypeError`.
pub const TYPE_ERROR: NativeClass = NativeClass::class("TypeError", "StandardError");

/// The class `ZeroDivisionError`.
pub const ZERO_DIVISION_ERROR: NativeClass = NativeClass::class("ZeroDivisionError", "StandardError");

/// The class `NoMatchingPatternError`.
pub const NO_MATCHING_PATTERN_ERROR: NativeClass =
    NativeClass::class("NoMatchingPatternError", "StandardError");

/// The class `NoMatchingPatternKeyError`.
pub const NO_MATCHING_PATTERN_KEY_ERROR: NativeClass = NativeClass {
    methods: &[methods::KEY],
    ..NativeClass::class("NoMatchingPatternKeyError", "NoMatchingPatternError")
};

/// The module `Errno`.
pub const ERRNO: NativeClass = NativeClass {
    setup: Some(|ruby, _| {
        for (name, ..) in crate::effects::ERRORS {
            ruby.errno_class(name);
        }
        for (alias, name) in [("EWOULDBLOCK", "EAGAIN"), ("ENOTSUP", "EOPNOTSUPP")] {
            let class = ruby.errno_class(name);
            ruby.set_constant(ClassId::ERRNO, alias, Value::Class(class));
        }
    }),
    ..NativeClass::module("Errno")
};

/// The content of an exception besides its instance variables.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// The message; `nil` means the name of the class.
    pub message: Value,
    /// The backtrace, if a program set it; `nil` until then.
    pub backtrace: Value,
    /// Where it was raised.
    pub(crate) places: Option<Rc<Places>>,
    /// The exception that was being handled when this one was raised.
    pub cause: Value,
    /// Whether the cause is settled.
    pub(crate) has_cause: bool,
    /// The name, key or tag that it is about.
    pub name: Value,
    /// The object that it is about.
    pub receiver: Option<Value>,
    /// The arguments of the call that failed.
    pub args: Value,
}

/// The places of the calls that led to an exception, and the memory they take: causes keep each other alive.
#[derive(Debug)]
pub(crate) struct Places {
    lines: Rc<[BacktraceLine]>,
    _taken: Taken,
}

impl Places {
    pub(crate) fn new(lines: Rc<[BacktraceLine]>) -> Rc<Places> {
        let taken = Taken::new(size_of_val(&*lines));
        Rc::new(Places { lines, _taken: taken })
    }
}

impl Deref for Places {
    type Target = [BacktraceLine];
    fn deref(&self) -> &[BacktraceLine] {
        &self.lines
    }
}

/// A new exception with a message, as it is raised here.
pub fn make(ruby: &mut Ruby<'_>, class: ClassId, message: Value) -> Value {
    let (places, cause) = (Places::new(ruby.places(0)), ruby.run.exception.clone());
    Value::Object(Object::with(
        class,
        Details { message, places: Some(places), cause, has_cause: true, ..Details::default() },
    ))
}

/// A new exception with a message that is not raised yet.
pub(crate) fn new(_ruby: &mut Ruby<'_>, class: ClassId, message: Value) -> Value {
    Value::Object(Object::with(class, Details { message, ..Details::default() }))
}

/// Changes what an exception holds.
pub(crate) fn set_detail(exception: &Value, change: impl FnOnce(&mut Details)) {
    if let Value::Object(object) = exception
        && let Some(mut details) = object.payload_mut::<Details>()
    {
        change(&mut details);
    }
}
