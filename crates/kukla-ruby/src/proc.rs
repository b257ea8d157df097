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

/// The code of a proc.
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
    /// The head of every object.
    pub head: Head,
    /// Its code.
    pub body: ProcBody,
    /// Whether it treats arguments and `return` as a method does.
    pub lambda: Cell<bool>,
}

impl ProcObject {
    /// The number of arguments it needs, and of those it takes if there is a limit; a block that is not a lambda needs none.
    pub fn argument_counts(&self) -> (usize, Option<usize>) {
        match &self.body {
            ProcBody::Closure(closure) => {
                let params = &closure.unit.body(closure.body).params;
                let required = params.required.len() + params.post.len();
                let most = params.rest.is_none().then_some(required + params.optional.len());
                (if self.lambda.get() { required } else { 0 }, most)
            }
            ProcBody::Symbol(_) => (1, None),
            ProcBody::Native(_, arity) => match usize::try_from(*arity) {
                Ok(count) => (if self.lambda.get() { count } else { 0 }, Some(count)),
                Err(_) => (0, None),
            },
            ProcBody::Method(..) => (0, None),
        }
    }

    /// Takes out what it runs, before it is dropped.
    pub(crate) fn take_body(&mut self) -> Option<ProcBody> {
        match self.body {
            ProcBody::Symbol(_) => None,
            _ => Some(std::mem::replace(&mut self.body, ProcBody::Symbol(crate::symbol::sym::CALL))),
        }
    }
}
