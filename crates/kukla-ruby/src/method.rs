//! Methods as classes hold them.

use std::rc::Rc;

use crate::class::{ClassId, Native};
use crate::proc::ProcObject;
use crate::symbol::Symbol;

/// From where a method may be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// From anywhere.
    #[default]
    Public,
    /// With a receiver of the same class.
    Protected,
    /// Without a receiver, or with `self`.
    Private,
}

/// A method.
pub struct Method {
    /// The name it was defined under; an alias keeps it.
    pub name: Symbol,
    /// The class or module it was defined in.
    pub owner: ClassId,
    /// From where it may be called.
    pub visibility: Visibility,
    /// Its code.
    pub body: MethodBody,
}

/// The code of a method.
#[derive(Clone)]
pub enum MethodBody {
    /// Runs Rust.
    Native(&'static Native),
    /// Runs Ruby.
    Code(Rc<crate::eval::Code>),
    /// Reads an instance variable.
    Reader(Symbol),
    /// Sets an instance variable.
    Writer(Symbol),
    /// Runs a block as a method (`define_method`).
    Proc(Rc<ProcObject>),
    /// Runs another method, under its own name and owner (`alias`).
    Alias(Rc<Method>),
    /// Is there no more (`undef`): the search ends here.
    Undefined,
}
