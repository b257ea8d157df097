//! Calls: finding the method, running it.

use std::cell::Cell;
use std::rc::Rc;

use super::{Activation, Code, Env, Frame, MAX_DEPTH, MatchSlot, STEPS, Site, Who};
use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeBody};
use crate::error::{Result, Unwind};
use crate::hash::Entry;
use crate::memory;
use crate::method::{Method, MethodBody, Visibility};
use crate::proc::{ProcBody, ProcObject};
use crate::program::{Arguments, BlockArg, Call, Node, Super};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

/// How a call looks, for the complaint when there is no such method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// There is no method.
    Method,
    /// A bare name: a variable or a method.
    Variable,
    Private,
    Protected,
    Super,
}

/// From this number of bytes on, a value is worth more than a glance.
const LARGE: usize = 1024;

/// The approximate number of bytes that native code goes through when it goes through a value, without what elements have in them.
#[inline]
fn size(value: &Value) -> usize {
    match value {
        Value::String(string) => string.text().len(),
        Value::Array(array) => array.len() * size_of::<Value>(),
        Value::Hash(hash) => hash.table().positions() * size_of::<Entry>(),
        Value::Big(big) => big.number.bits() as usize / 8,
        // Natives keep lists, tables and texts in objects.
        Value::Object(object) if object.has_payload() => LARGE,
        _ => 0,
    }
}

impl Ruby<'_> {
    /// One level of calls deeper; steps are counted.
    #[inline]
    pub(crate) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.step()
    }

    #[cold]
    fn too_deep(&mut self) -> Box<Unwind> {
        self.depth -= 1;
        // Room for the handler.
        self.error(ClassId::SYSTEM_STACK_ERROR, "stack level too deep")
    }

    /// Does something one level of calls deeper.
    #[inline]
    pub(crate) fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.enter()?;
        let result = kukla_syntax::deep(|| run(self));
        self.depth -= 1;
        result
    }

    /// Enters the interpreter. If the values that are made take far more than the limit before anyone looks, everything in it is unwound.
    #[cold]
    #[inline(never)]
    pub(crate) fn bounded<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (frames, stack, depth) = (self.run.frames.len(), self.run.stack.len(), self.depth);
        self.is_bounded = true;
        let result = memory::bounded(|| run(self));
        self.is_bounded = false;
        result.unwrap_or_else(|memory::Exhausted| {
            self.run.frames.truncate(frames);
            self.run.stack.truncate(stack);
            self.depth = depth;
            self.walks = Default::default();
            self.make_room(usize::MAX)?;
            Err(self.error(ClassId::NO_MEMORY_ERROR, "failed to allocate memory"))
        })
    }

    /// Counts a step.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<()> {
        self.run.steps += 1;
        if self.run.steps >= STEPS || memory::is_due() { self.report_steps() } else { Ok(()) }
    }

    #[cold]
    fn report_steps(&mut self) -> Result<()> {
        let steps = std::mem::take(&mut self.run.steps);
        self.charge(u64::from(steps) + kukla_values::regexp::spent())
    }

    /// The method that a call site calls on a class.
    #[inline]
    pub(crate) fn method_at(&mut self, site: &Site, class: ClassId, name: Symbol) -> Option<Rc<Method>> {
        if site.generation.get() == self.generation && site.class.get() == class.0 {
            return site.method.borrow().clone();
        }
        let found = self.find_method(class, name);
        site.generation.set(self.generation);
        site.class.set(class.0);
        *site.method.borrow_mut() = found.clone();
        found
    }

    pub(super) fn call_node(&mut self, f: &Frame<'_>, call: &Call) -> Result {
        let Some(receiver) = &call.receiver else { return self.call_on(f, call, f.this) };
        let receiver = self.eval(f, receiver)?;
        if call.safe && receiver.is_nil() {
            return Ok(Value::Nil);
        }
        self.call_on(f, call, &receiver)
    }

    fn call_on(&mut self, f: &Frame<'_>, call: &Call, receiver: &Value) -> Result {
        if let (Arguments::Plain(nodes), None, false) = (&call.args, &call.block, call.assignment) {
            return match &**nodes {
                [] => self.dispatch(f, call, receiver, &mut [], false, None),
                [a] => {
                    let mut args = [self.argument(f, a)?];
                    self.dispatch(f, call, receiver, &mut args, false, None)
                }
                [a, b] => {
                    let mut args = [self.argument(f, a)?, self.argument(f, b)?];
                    self.dispatch(f, call, receiver, &mut args, false, None)
                }
                nodes => {
                    let mut args = Vec::with_capacity(nodes.len());
                    for node in nodes {
                        args.push(self.eval(f, node)?);
                    }
                    self.dispatch(f, call, receiver, &mut args, false, None)
                }
            };
        }
        let (mut args, keywords) = self.arguments(f, &call.args)?;
        match &call.block {
            None => {
                let assigned = if call.assignment { args.last().cloned() } else { None };
                let result = self.dispatch(f, call, receiver, &mut args, keywords, None)?;
                Ok(assigned.unwrap_or(result))
            }
            Some(BlockArg::Pass(node)) => {
                let block = self.eval(f, node)?;
                let block = self.block_of(&block)?;
                self.dispatch(f, call, receiver, &mut args, keywords, block.as_ref())
            }
            Some(BlockArg::Literal(body)) => {
                let block = self.closure(f, *body, false);
                let result = self.dispatch(f, call, receiver, &mut args, keywords, Some(&block));
                self.after_block(&block, result)
            }
        }
    }

    /// The value of an argument; arithmetic with integers is done on the spot.
    #[inline]
    fn argument(&mut self, f: &Frame<'_>, node: &Node) -> Result {
        match self.peek_operation(f, node) {
            Some(number) => Ok(Value::Int(number)),
            None => self.eval(f, node),
        }
    }

    /// The call that a block was given to is over: `break` has come to its end.
    #[inline]
    pub(super) fn after_block(&mut self, block: &Rc<ProcObject>, result: Result) -> Result {
        let ProcBody::Closure(closure) = &block.body else { return result };
        closure.active.set(false);
        match result {
            Err(unwind) => match *unwind {
                Unwind::Break(tag, value) if tag == closure.tag => Ok(value),
                other => Err(Box::new(other)),
            },
            done => done,
        }
    }

    /// Calls the method of a call site; the arguments are used up.
    #[inline]
    fn dispatch(
        &mut self,
        f: &Frame<'_>,
        call: &Call,
        receiver: &Value,
        args: &mut [Value],
        keywords: bool,
        block: Option<&Rc<ProcObject>>,
    ) -> Result {
        let class = self.class_of(receiver);
        let name = f.unit.symbol(call.name);
        let site = &f.unit.sites[call.site as usize];
        self.run.line = call.line;
        let Some(method) = self.method_at(site, class, name) else {
            let kind = if call.variable { Missing::Variable } else { Missing::Method };
            let args = Args { list: args, has_keywords: keywords, block };
            return self.missing(receiver, name, &args, kind);
        };
        if method.visibility != Visibility::Public
            && !call.own
            && let Some(kind) = self.forbidden(&method, f.this)
        {
            let args = Args { list: args, has_keywords: keywords, block };
            return self.missing(receiver, name, &args, kind);
        }
        match &method.body {
            MethodBody::Code(code) => self.run_code(receiver, &method, code, args, keywords, block),
            MethodBody::Native(native) => {
                let native = *native;
                self.run_native(receiver, native, &Args { list: args, has_keywords: keywords, block })
            }
            _ => {
                self.call_method(receiver, &method, name, &Args { list: args, has_keywords: keywords, block })
            }
        }
    }

    #[inline]
    pub(crate) fn run_native(&mut self, receiver: &Value, native: &Native, args: &Args<'_>) -> Result {
        let given = args.len();
        if given < usize::from(native.least) || (given > usize::from(native.most) && native.most != ANY) {
            return Err(self.wrong_native_arguments(native, args));
        }
        if !native.quick {
            let size = size(receiver) + args.list.iter().map(size).sum::<usize>();
            if size >= LARGE {
                return self.run_on_large(receiver, native, args, size);
            }
        }
        if memory::is_due() {
            self.make_room(0)?;
        }
        self.run_body_of(receiver, native, args)
    }

    /// Runs a native method on something large: what it goes through is charged beforehand.
    #[cold]
    #[inline(never)]
    fn run_on_large(&mut self, receiver: &Value, native: &Native, args: &Args<'_>, size: usize) -> Result {
        self.charge_bytes(size)?;
        self.run_body_of(receiver, native, args)
    }

    #[inline]
    fn run_body_of(&mut self, receiver: &Value, native: &Native, args: &Args<'_>) -> Result {
        self.called = native.name;
        match (native.body, args.block) {
            (NativeBody::Plain(run), _) => run(self, receiver, args),
            (NativeBody::Iterator(run, _), Some(block)) => run(self, receiver, args, block),
            (NativeBody::Iterator(_, size), None) => self.enumerator(receiver, args, size),
        }
    }

    #[cold]
    fn wrong_native_arguments(&mut self, native: &Native, args: &Args<'_>) -> Box<Unwind> {
        let expected = match (native.least, native.most) {
            (least, ANY) => format!("{least}+"),
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least}..{most}"),
        };
        self.wrong_number_of_arguments(args.len(), expected)
    }

    /// Why a method that is not public may not be called with a receiver by code whose `self` is `this`.
    pub(crate) fn forbidden(&mut self, method: &Rc<Method>, this: &Value) -> Option<Missing> {
        match method.visibility {
            Visibility::Public => None,
            Visibility::Private => Some(Missing::Private),
            Visibility::Protected => {
                let mut owner = method.owner;
                if self.class(owner).is_singleton()
                    && let Some(above) = self.class(owner).superclass
                {
                    owner = above;
                }
                (!self.is_a(this, owner)).then_some(Missing::Protected)
            }
        }
    }

    /// Runs a method.
    pub fn call_method(
        &mut self,
        receiver: &Value,
        method: &Rc<Method>,
        name: Symbol,
        args: &Args<'_>,
    ) -> Result {
        match &method.body {
            MethodBody::Native(native) => self.run_native(receiver, native, args),
            MethodBody::Code(code) => match args.list {
                [] => self.run_code(receiver, method, code, &mut [], args.has_keywords, args.block),
                [one] => {
                    let mut list = [one.clone()];
                    self.run_code(receiver, method, code, &mut list, args.has_keywords, args.block)
                }
                list => {
                    let mut list = list.to_vec();
                    self.run_code(receiver, method, code, &mut list, args.has_keywords, args.block)
                }
            },
            MethodBody::Reader(variable) => {
                if !args.is_empty() {
                    return Err(self.wrong_number_of_arguments(args.len(), 0));
                }
                Ok(self.instance_variable(receiver, *variable))
            }
            MethodBody::Writer(variable) => {
                if args.len() != 1 {
                    return Err(self.wrong_number_of_arguments(args.len(), 1));
                }
                self.set_instance_variable(receiver, *variable, args[0].clone())?;
                Ok(args[0].clone())
            }
            MethodBody::Proc(proc) => {
                let proc = proc.clone();
                self.call_as_method(&proc, receiver, method, args)
            }
            MethodBody::Alias(target) => {
                let target = target.clone();
                self.call_method(receiver, &target, name, args)
            }
            MethodBody::Undefined => self.missing(receiver, name, args, Missing::Method),
        }
    }

    /// Runs a method written in Ruby, whose code it is; the arguments are used up.
    pub(crate) fn run_code(
        &mut self,
        this: &Value,
        method: &Rc<Method>,
        code: &Code,
        args: &mut [Value],
        keywords: bool,
        block: Option<&Rc<ProcObject>>,
    ) -> Result {
        self.enter()?;
        let body = code.unit.body(code.body);
        let base = self.run.stack.len();
        let least = body.params.required.len();
        if body.params.simple && args.len() != least {
            self.depth -= 1;
            return Err(self.wrong_number_of_arguments(args.len(), least));
        }
        if body.params.simple {
            // Mostly one or two, which are quicker pushed one by one.
            args.iter_mut().for_each(|value| self.run.stack.push(std::mem::take(value)));
        }
        self.fill_stack(base + body.locals as usize);
        let env = body.env.as_ref().map(|names| Env::new(names.len(), None));
        let number = if body.numbered { self.next_number() } else { 0 };
        // Mostly there is none, and nothing to be taken and put back.
        let had_match = !matches!(self.run.last_match, MatchSlot::None);
        let saved_match = if had_match { std::mem::take(&mut self.run.last_match) } else { MatchSlot::None };
        let caller_line = self.run.line;
        self.run.frames.push(Activation {
            who: Who::Method { this: this.clone(), method: method.clone(), block: block.cloned() },
            env: env.clone(),
            context: None,
            number,
            caller_line,
            returns: true,
            visibility: Cell::new(Visibility::Public),
            module_function: Cell::new(false),
        });
        let f = Frame { unit: &code.unit, body, base, this, env: env.as_ref() };
        let result = kukla_syntax::deep(|| {
            if body.params.simple {
                if !body.params.moves.is_empty() {
                    self.move_parameters(&f);
                }
            } else {
                let args = Args { list: args, has_keywords: keywords, block };
                self.bind(&f, &args, true)?;
            }
            self.eval(&f, &body.code)
        });
        self.leave(&f);
        if had_match || !matches!(self.run.last_match, MatchSlot::None) {
            self.run.last_match = saved_match;
        }
        match result {
            Err(unwind) if number != 0 => match *unwind {
                Unwind::Return(to, value) if to == number => Ok(value),
                other => Err(Box::new(other)),
            },
            result => result,
        }
    }

    /// Makes the stack so high; variables begin as `nil`.
    #[inline]
    pub(super) fn fill_stack(&mut self, height: usize) {
        while self.run.stack.len() < height {
            self.run.stack.push(Value::Nil);
        }
    }

    /// The end of an activation.
    #[inline]
    pub(crate) fn leave(&mut self, f: &Frame<'_>) {
        self.depth -= 1;
        while self.run.stack.len() > f.base {
            match self.run.stack.pop() {
                Some(Value::Nil | Value::Int(_) | Value::Bool(_) | Value::Symbol(_)) => {}
                object => drop(object),
            }
        }
        let run = &mut self.run;
        if let Some(activation) = run.frames.last() {
            run.line = activation.caller_line;
            if let Some(context) = &activation.context {
                context.alive.set(false);
            }
            // Taking it out would copy it.
            run.frames.truncate(run.frames.len() - 1);
        }
        if f.body.env.is_some()
            && let Some(env) = f.env
            && Rc::strong_count(env) > 1
        {
            self.run.objects.note_env(env);
        }
    }

    /// Parameters that closures share go to the environment.
    #[inline]
    pub(super) fn move_parameters(&mut self, f: &Frame<'_>) {
        if let Some(env) = f.env {
            let mut slots = env.slots.borrow_mut();
            for (from, to) in &f.body.params.moves {
                slots[*to as usize] = std::mem::take(&mut self.run.stack[f.base + *from as usize]);
            }
        }
    }

    /// `super`
    pub(super) fn super_node(&mut self, f: &Frame<'_>, node: &Super) -> Result {
        let Some(at) = self.run.frames.last() else { return Ok(Value::Nil) };
        let (method, own_block) = (at.method().cloned(), at.block().cloned());
        let Some(method) = method else {
            self.run.line = node.line;
            return Err(self.runtime_error("super called outside of method"));
        };
        if node.implicit {
            self.run.line = node.line;
            return Err(self.runtime_error(
                "implicit argument passing of super from method defined by define_method() is not supported. Specify all arguments explicitly.",
            ));
        }
        let (args, keywords) = self.arguments(f, &node.args)?;
        let literal = match &node.block {
            None => own_block,
            Some(BlockArg::Pass(block)) => {
                let block = self.eval(f, block)?;
                self.block_of(&block)?
            }
            Some(BlockArg::Literal(body)) => {
                let block = self.closure(f, *body, false);
                let args = Args { list: &args, has_keywords: keywords, block: Some(&block) };
                self.run.line = node.line;
                let result = self.call_super(f.this, &method, &args);
                return self.after_block(&block, result);
            }
        };
        self.run.line = node.line;
        let args = Args { list: &args, has_keywords: keywords, block: literal.as_ref() };
        self.call_super(f.this, &method, &args)
    }

    /// Calls the method that comes after another one in the ancestors of the receiver.
    pub(crate) fn call_super(&mut self, this: &Value, method: &Rc<Method>, args: &Args<'_>) -> Result {
        let class = self.class_of(this);
        match self.find_method_after(class, method.name, Some(method.owner)) {
            Some(next) => self.call_method(this, &next, method.name, args),
            None => self.missing(this, method.name, args, Missing::Super),
        }
    }

    /// Asks `method_missing`, whose native form complains.
    pub fn method_missing(&mut self, receiver: &Value, name: Symbol, args: &Args<'_>) -> Result {
        self.missing(receiver, name, args, Missing::Method)
    }

    #[cold]
    pub(crate) fn missing(
        &mut self,
        receiver: &Value,
        name: Symbol,
        args: &Args<'_>,
        kind: Missing,
    ) -> Result {
        let class = self.class_of(receiver);
        if let Some(method) = self.find_method(class, sym::METHOD_MISSING)
            && !matches!(method.body, MethodBody::Native(_))
        {
            let mut list = Vec::with_capacity(args.len() + 1);
            list.push(Value::Symbol(name));
            list.extend_from_slice(args.list);
            self.run.missing = Some(kind);
            return self.call_method(receiver, &method, sym::METHOD_MISSING, &Args { list: &list, ..*args });
        }
        Err(self.no_method(receiver, name, args, kind))
    }

    /// `NoMethodError` or `NameError`.
    #[cold]
    pub(crate) fn no_method(
        &mut self,
        receiver: &Value,
        name: Symbol,
        args: &Args<'_>,
        kind: Missing,
    ) -> Box<Unwind> {
        let shown = match self.describe(receiver) {
            Ok(shown) => shown,
            Err(unwind) => return unwind,
        };
        let spelled = self.name(name).to_owned();
        let message = match kind {
            Missing::Method => format!("undefined method `{spelled}' for {shown}"),
            Missing::Variable => format!("undefined local variable or method `{spelled}' for {shown}"),
            Missing::Private => format!("private method `{spelled}' called for {shown}"),
            Missing::Protected => format!("protected method `{spelled}' called for {shown}"),
            Missing::Super => format!("super: no superclass method `{spelled}' for {shown}"),
        };
        let class = if kind == Missing::Variable { ClassId::NAME_ERROR } else { ClassId::NO_METHOD_ERROR };
        let error = crate::core::exception::make(self, class, Value::str(message));
        crate::core::exception::set_detail(&error, |details| {
            details.name = Value::Symbol(name);
            details.receiver = Some(receiver.clone());
            details.args = Value::array(args.list);
        });
        Box::new(Unwind::Raise(error))
    }

    /// An object as complaints about its methods show it: `nil:NilClass`, `"text":String`, `#<Foo>`.
    pub(crate) fn describe(&mut self, value: &Value) -> Result<String> {
        let class = self.class_name_of(value);
        let shown = match value {
            Value::Nil => "nil".to_owned(),
            Value::Bool(truth) => truth.to_string(),
            value if self.is_main(value) => "main".to_owned(),
            value => {
                let own = self.class_of(value);
                match self.find_method(own, sym::INSPECT) {
                    Some(_) => self.inspect(value)?.to_str_lossy().into_owned(),
                    None => self.plain_inspect(value),
                }
            }
        };
        Ok(if shown.starts_with('#') { shown } else { format!("{shown}:{class}") })
    }

    pub(crate) fn is_main(&self, value: &Value) -> bool {
        value.is_same(&self.run.main)
    }

    /// `#<Foo:0x…>`
    pub(crate) fn plain_inspect(&mut self, value: &Value) -> String {
        let id = self.object_id(value);
        format!("#<{}:0x{:016x}>", self.class_name_of(value), id)
    }
}
