//! Blocks, procs and lambdas: making and running them, and the jumps out of them.

use std::cell::Cell;
use std::rc::Rc;

use super::{Activation, Closure, Context, Cref, Env, Frame, Other, Who};
use crate::args::Args;
use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::method::{Method, Visibility};
use crate::proc::{ProcBody, ProcObject};
use crate::program::{Arguments, BodyId};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{Head, Value};

/// As what a closure is run, if not as itself.
pub(crate) struct Guise<'a> {
    /// `self`
    pub this: Value,
    /// Where `def` puts methods.
    pub cref: Option<Rc<Cref>>,
    /// The method that it is the body of.
    pub method: Option<&'a Rc<Method>>,
}

impl Context {
    /// On whose behalf a closure runs that is a lambda, or runs as something else.
    fn as_guise(
        self: &Rc<Context>,
        closure: &Closure,
        proc: &Rc<ProcObject>,
        guise: Option<Guise<'_>>,
    ) -> Box<Other> {
        let (this, cref, method) = match guise {
            None => (self.this.clone(), None, None),
            Some(guise) => (guise.this, guise.cref, guise.method.cloned()),
        };
        Box::new(Other {
            unit: closure.unit.clone(),
            body: closure.body,
            this,
            method: method.or_else(|| self.method.clone()),
            block: self.block.clone(),
            cref: cref.unwrap_or_else(|| self.cref.clone()),
            outer: Some(self.clone()),
            proc: Some(proc.clone()),
            eval_scope: self.eval_scope.clone(),
        })
    }
}

impl Ruby<'_> {
    /// A block or lambda with the variables around it.
    pub(super) fn closure(&mut self, f: &Frame<'_>, body: BodyId, lambda: bool) -> Rc<ProcObject> {
        let tag = self.next_number();
        let context = self.context();
        let body = match context {
            Some(context) => ProcBody::Closure(Closure {
                unit: f.unit.clone(),
                body,
                env: f.env.cloned(),
                context,
                tag,
                active: Cell::new(true),
            }),
            None => ProcBody::Symbol(sym::CALL),
        };
        Rc::new(ProcObject { head: Head::new(ClassId::PROC), body, lambda: Cell::new(lambda) })
    }

    pub(super) fn yield_node(&mut self, f: &Frame<'_>, args: &Arguments, line: u32) -> Result {
        let block = self.run.frames.last().and_then(|at| at.block().cloned());
        let Some(block) = block else {
            self.run.line = line;
            return Err(self.error(ClassId::LOCAL_JUMP_ERROR, "no block given (yield)"));
        };
        if let Arguments::Plain(nodes) = args {
            match &**nodes {
                [] => {
                    self.run.line = line;
                    return self.call_block(&block, &Args::default());
                }
                [only] => {
                    let values = [self.eval(f, only)?];
                    self.run.line = line;
                    return self.call_block(&block, &Args::new(&values));
                }
                [first, second] => {
                    let values = [self.eval(f, first)?, self.eval(f, second)?];
                    self.run.line = line;
                    return self.call_block(&block, &Args::new(&values));
                }
                _ => {}
            }
        }
        let (list, has_keywords) = self.arguments(f, args)?;
        self.run.line = line;
        self.call_block(&block, &Args { list: &list, has_keywords, block: None })
    }

    /// Runs a block or proc.
    pub fn call_block(&mut self, block: &Rc<ProcObject>, args: &Args<'_>) -> Result {
        if !self.is_bounded {
            return self.bounded(|ruby| ruby.call_block(block, args));
        }
        match &block.body {
            ProcBody::Closure(closure) => self.run_closure(block, closure, args, None),
            ProcBody::Native(run, _) => {
                // What calls it may go on for ever: `loop.to_a`. And a chain of them may be as long as there is memory.
                let run = run.clone();
                match self.nested(|ruby| run(ruby, args)) {
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
                self.call_public(receiver, *name, &Args { list: rest, ..*args })
            }
            ProcBody::Method(receiver, method) => {
                self.nested(|ruby| ruby.call_method(receiver, method, method.name, args))
            }
        }
    }

    /// Calls a method as code outside of the object may.
    pub fn call_public(&mut self, receiver: &Value, name: crate::Symbol, args: &Args<'_>) -> Result {
        let class = self.class_of(receiver);
        match self.find_method(class, name) {
            Some(method) => {
                if method.visibility != Visibility::Public {
                    let this = self.run.frames.last().map_or(Value::Nil, |at| at.this().clone());
                    if let Some(kind) = self.forbidden(&method, &this) {
                        return self.missing(receiver, name, args, kind);
                    }
                }
                self.call_method(receiver, &method, name, args)
            }
            None => self.method_missing(receiver, name, args),
        }
    }

    /// Runs a block with another `self` (`instance_exec`), or also as the place of definitions (`class_exec`).
    pub(crate) fn call_block_as(
        &mut self,
        block: &Rc<ProcObject>,
        this: &Value,
        definee: Option<ClassId>,
        args: &Args<'_>,
    ) -> Result {
        let ProcBody::Closure(closure) = &block.body else { return self.call_block(block, args) };
        let cref = definee.map(|module| {
            Rc::new(Cref { module, outer: Some(closure.context.cref.clone()), lexical: false })
        });
        self.run_closure(block, closure, args, Some(Guise { this: this.clone(), cref, method: None }))
    }

    /// Runs the block of `define_method`.
    pub(super) fn call_as_method(
        &mut self,
        proc: &Rc<ProcObject>,
        this: &Value,
        method: &Rc<Method>,
        args: &Args<'_>,
    ) -> Result {
        match &proc.body {
            ProcBody::Closure(closure) => {
                let guise = Guise { this: this.clone(), cref: None, method: Some(method) };
                self.run_closure(proc, closure, args, Some(guise))
            }
            // The method of a symbol is called on the first argument, that of an object on the object.
            ProcBody::Symbol(_) | ProcBody::Native(..) | ProcBody::Method(..) => self.call_block(proc, args),
        }
    }

    pub(super) fn run_closure(
        &mut self,
        block: &Rc<ProcObject>,
        closure: &Closure,
        args: &Args<'_>,
        guise: Option<Guise<'_>>,
    ) -> Result {
        self.enter()?;
        let body = closure.unit.body(closure.body);
        let context = &closure.context;
        let base = self.run.stack.len();
        let as_method = guise.as_ref().is_some_and(|guise| guise.method.is_some());
        let lambda = block.lambda.get() || as_method;
        let params = &body.params;
        let quick = params.simple && !args.has_keywords;
        if quick {
            let wanted = params.required.len();
            let given = args.list.len();
            if given == wanted {
                // Mostly one or two, which are quicker pushed one by one.
                args.list.iter().for_each(|value| self.run.stack.push(value.clone()));
            } else if lambda && !(params.it && given == 0) {
                self.depth -= 1;
                return Err(self.wrong_number_of_arguments(given, wanted));
            } else if given == 1 && wanted > 1 {
                let spread = match self.maybe_array(&args.list[0]) {
                    Ok(spread) => spread,
                    Err(unwind) => {
                        self.depth -= 1;
                        return Err(unwind);
                    }
                };
                match spread {
                    Some(array) => self.run.stack.extend(array.items().iter().take(wanted).cloned()),
                    None => self.run.stack.push(args.list[0].clone()),
                }
            } else {
                self.run.stack.extend(args.list.iter().take(wanted).cloned());
            }
        }
        self.fill_stack(base + body.locals as usize);
        let own_env = body.env.as_ref().map(|names| Env::new(names.len(), closure.env.clone()));
        let number = if lambda { self.next_number() } else { context.number };
        let saved_match = self.share_match(context);
        let caller_line = self.run.line;
        let other_this = guise.as_ref().map(|guise| guise.this.clone());
        let who = match guise {
            None if !lambda => Who::Block(block.clone()),
            guise => Who::Other(context.as_guise(closure, block, guise)),
        };
        self.run.frames.push(Activation {
            who,
            env: own_env.clone(),
            context: None,
            number,
            caller_line,
            returns: lambda,
            visibility: Cell::new(Visibility::Public),
            module_function: Cell::new(false),
        });
        let this = other_this.as_ref().unwrap_or(&context.this);
        let env = own_env.as_ref().or(closure.env.as_ref());
        let f = Frame { unit: &closure.unit, body, base, this, env };
        let result = kukla_syntax::deep(|| {
            if quick {
                if !params.moves.is_empty() {
                    self.move_parameters(&f);
                }
            } else {
                self.bind(&f, args, lambda)?;
            }
            loop {
                match self.eval(&f, &body.code) {
                    Err(unwind) if matches!(*unwind, Unwind::Redo) => self.step()?,
                    result => return result,
                }
            }
        });
        self.leave(&f);
        if let Some(saved) = saved_match {
            self.run.last_match = saved;
        }
        match result {
            Ok(value) => Ok(value),
            Err(unwind) => match *unwind {
                Unwind::Next(value) => Ok(value),
                Unwind::Return(to, value) if lambda && to == number => Ok(value),
                Unwind::Break(tag, value) if lambda && tag == closure.tag && !closure.active.get() => {
                    Ok(value)
                }
                other => Err(Box::new(other)),
            },
        }
    }

    /// `break`
    #[cold]
    pub(super) fn break_with(&mut self, value: Value, in_loop: bool) -> Result {
        if in_loop {
            return Err(Box::new(Unwind::Break(0, value)));
        }
        let Some(at) = self.run.frames.last() else { return Ok(value) };
        let Some(proc) = at.proc() else { return Ok(value) };
        let ProcBody::Closure(closure) = &proc.body else { return Ok(value) };
        if at.returns || closure.active.get() {
            return Err(Box::new(Unwind::Break(closure.tag, value)));
        }
        Err(self.local_jump("break from proc-closure", "break", value))
    }

    /// `return`
    pub(super) fn return_with(&mut self, value: Value) -> Result {
        let Some(at) = self.run.frames.last() else { return Ok(value) };
        if at.returns {
            return Err(Box::new(Unwind::Return(at.number, value)));
        }
        let home = at.block_context().or(at.outer()).map(|context| {
            let home = context.returns();
            (home.number, home.alive.get())
        });
        match home {
            Some((number, true)) => Err(Box::new(Unwind::Return(number, value))),
            _ => Err(self.local_jump("unexpected return", "return", value)),
        }
    }

    #[cold]
    fn local_jump(&mut self, message: &str, reason: &str, value: Value) -> Box<Unwind> {
        let reason = self.symbol(reason);
        let error = crate::core::exception::make(self, ClassId::LOCAL_JUMP_ERROR, Value::str(message));
        crate::core::exception::set_detail(&error, |details| {
            details.name = reason;
            details.receiver = Some(value);
        });
        Box::new(Unwind::Raise(error))
    }
}
