//! Procs, lambdas and blocks.

use std::cell::Cell;
use std::rc::Rc;

use crate::args::Args;
use crate::error::Result;
use crate::eval::Closure;
use crate::method::Method;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::{Head, Value};

/// A block that native code gives to a method.
pub type NativeBlock = Rc<dyn Fn(&mut Ruby<'_>, &Args<'_>) -> Result>;

/// What a proc runs.
pub enum ProcBody {
    /// Ruby code with the variables around it.
    Closure(Closure),
    /// Rust code. The arity is what `Proc#arity` answers.
    Native(NativeBlock, i32),
    /// A method of its first argument: `&:name`.
    Symbol(Symbol),
    /// A method with its receiver: `obj.method(:name).to_proc`.
    Method(Value, Rc<Method>),
}

/// A proc, a lambda or a block.
pub struct ProcObject {
    /// What every object has.
    pub head: Head,
    /// What it runs.
    pub body: ProcBody,
    /// Whether it treats arguments and `return` as a method does.
    pub lambda: Cell<bool>,
}

impl ProcObject {
    /// Takes out what it runs, before it is dropped.
    pub(crate) fn take_body(&mut self) -> Option<ProcBody> {
        match self.body {
            ProcBody::Symbol(_) => None,
            _ => Some(std::mem::replace(&mut self.body, ProcBody::Symbol(crate::symbol::sym::CALL))),
        }
    }
}
