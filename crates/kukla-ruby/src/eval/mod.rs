//! Running Ruby code.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId};
use crate::error::{Result, Unwind};
use crate::method::{Method, MethodBody};
use crate::proc::{ProcBody, ProcObject};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

/// A method written in Ruby.
pub struct Code {}

/// A block of Ruby code with the variables around it.
pub struct Closure {}

impl Ruby<'_> {
    /// Runs a method.
    pub fn call_method(
        &mut self,
        receiver: &Value,
        method: &Rc<Method>,
        name: Symbol,
        args: &Args<'_>,
    ) -> Result {
        match &method.body {
            MethodBody::Native(native) => {
                let given = args.len();
                if given < usize::from(native.least)
                    || (native.most != ANY && given > usize::from(native.most))
                {
                    let expected = match (native.least, native.most) {
                        (least, ANY) => format!("{least}+"),
                        (least, most) if least == most => least.to_string(),
                        (least, most) => format!("{least}..{most}"),
                    };
                    return Err(self.wrong_number_of_arguments(given, expected));
                }
                self.called = name;
                (native.run)(self, receiver, args)
            }
            MethodBody::Reader(name) => {
                Ok(receiver.head().and_then(|head| head.variable(*name)).unwrap_or_default())
            }
            MethodBody::Writer(name) => {
                self.check_frozen(receiver)?;
                if let Some(head) = receiver.head() {
                    head.set_variable(*name, args[0].clone());
                }
                Ok(args[0].clone())
            }
            MethodBody::Proc(proc) => self.call_block(proc, args),
            MethodBody::Code(_) => Ok(Value::Nil),
            MethodBody::Undefined => self.method_missing(receiver, method.name, args),
        }
    }

    /// Asks `method_missing`, whose native form complains.
    pub fn method_missing(&mut self, receiver: &Value, name: Symbol, _args: &Args<'_>) -> Result {
        let message = format!(
            "undefined method `{}' for an instance of {}",
            self.name(name),
            self.class_name_of(receiver)
        );
        Err(self.error(ClassId::NO_METHOD_ERROR, message))
    }

    /// Runs a block or proc.
    pub fn call_block(&mut self, block: &Rc<ProcObject>, args: &Args<'_>) -> Result {
        match &block.body {
            ProcBody::Native(run, _) => {
                let run = run.clone();
                match run(self, args) {
                    Err(unwind) => match *unwind {
                        Unwind::Next(value) => Ok(value),
                        other => Err(Box::new(other)),
                    },
                    done => done,
                }
            }
            ProcBody::Symbol(name) => {
                let Some((receiver, rest)) = args.list.split_first() else {
                    return Err(self.argument_error("no receiver given"));
                };
                self.call(receiver, *name, &Args { list: rest, ..*args })
            }
            ProcBody::Method(receiver, method) => self.call_method(receiver, method, sym::CALL, args),
            ProcBody::Closure(_) => Ok(Value::Nil),
        }
    }
}
