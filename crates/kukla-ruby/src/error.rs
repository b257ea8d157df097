//! Early ends of an evaluation: exceptions, jumps, limits.

use std::fmt;

use crate::class::ClassId;
use crate::core::exception;
use crate::ruby::Ruby;
use crate::value::Value;

/// The result of evaluating something.
pub type Result<T = Value> = std::result::Result<T, Box<Unwind>>;

/// An early end of an evaluation.
pub enum Unwind {
    /// An exception, which `rescue` may catch.
    Raise(Value),
    /// `break` out of the call that was given the block with this number.
    Break(u64, Value),
    /// `next`: the block's result.
    Next(Value),
    /// `return` from the activation with this number.
    Return(u64, Value),
    /// `redo`: the block or loop body once more.
    Redo,
    /// `retry`: the `begin` around the `rescue` once more.
    Retry,
    /// `throw`, to the `catch` of the same tag.
    Throw(Value, Value),
    /// A limit is exceeded, or the embedding program failed: nothing in Ruby may catch it.
    Stop(kukla_values::Error),
}

impl fmt::Debug for Unwind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unwind::Raise(_) => "Raise",
            Unwind::Break(..) => "Break",
            Unwind::Next(_) => "Next",
            Unwind::Return(..) => "Return",
            Unwind::Redo => "Redo",
            Unwind::Retry => "Retry",
            Unwind::Throw(..) => "Throw",
            Unwind::Stop(_) => "Stop",
        })
    }
}

impl From<kukla_values::Error> for Box<Unwind> {
    fn from(error: kukla_values::Error) -> Box<Unwind> {
        Box::new(Unwind::Stop(error))
    }
}

/// Exceptions that native code raises: `return Err(ruby.type_error("…"))`.
impl Ruby<'_> {
    /// An exception of a class.
    #[cold]
    pub fn error(&mut self, class: ClassId, message: impl Into<String>) -> Box<Unwind> {
        let exception = exception::make(self, class, Value::str(message.into()));
        Box::new(Unwind::Raise(exception))
    }

    /// `ArgumentError`
    #[cold]
    pub fn argument_error(&mut self, message: impl Into<String>) -> Box<Unwind> {
        self.error(ClassId::ARGUMENT_ERROR, message)
    }

    /// `TypeError`
    #[cold]
    pub fn type_error(&mut self, message: impl Into<String>) -> Box<Unwind> {
        self.error(ClassId::TYPE_ERROR, message)
    }

    /// `IndexError`
    #[cold]
    pub fn index_error(&mut self, message: impl Into<String>) -> Box<Unwind> {
        self.error(ClassId::INDEX_ERROR, message)
    }

    /// `RangeError`
    #[cold]
    pub fn range_error(&mut self, message: impl Into<String>) -> Box<Unwind> {
        self.error(ClassId::RANGE_ERROR, message)
    }

    /// `RuntimeError`
    #[cold]
    pub fn runtime_error(&mut self, message: impl Into<String>) -> Box<Unwind> {
        self.error(ClassId::RUNTIME_ERROR, message)
    }

    /// `ZeroDivisionError`
    #[cold]
    pub fn divided_by_zero(&mut self) -> Box<Unwind> {
        self.error(ClassId::ZERO_DIVISION_ERROR, "divided by 0")
    }

    /// `ArgumentError` about the number of arguments.
    #[cold]
    pub fn wrong_number_of_arguments(&mut self, given: usize, expected: impl fmt::Display) -> Box<Unwind> {
        self.argument_error(format!("wrong number of arguments (given {given}, expected {expected})"))
    }
}
