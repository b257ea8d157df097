//! Running Ruby code.
//!
//! A `Unit` is a program as one interpreter has loaded it. Running a body of it is an activation: the facts that natives may ask for
//! (`self`, the method, the block) are in the `Activation` on the interpreter's list; those that only the evaluator needs in the `Frame`.
//!
//! Variables live on the interpreter's stack; those that closures share, in an `Env`.

mod arguments;
mod assign;
mod block;
mod call;
mod constant;
mod define;
mod defined;
mod evaluate;
mod flow;
pub(crate) mod globals;
mod load;
mod operator;
mod pattern;
mod text;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::class::ClassId;
use crate::memory::Taken;
use crate::method::{Method, Visibility};
use crate::proc::ProcObject;
use crate::program::{Body, BodyId, Name, Program};
use crate::ruby::State;
use crate::symbol::Symbol;
use crate::value::Value;

pub(crate) use call::Missing;
pub(crate) use load::Loaded;

/// A program as an interpreter has loaded it.
pub(crate) struct Unit {
    pub program: Arc<Program>,
    /// The symbols of its names.
    pub symbols: Box<[Symbol]>,
    /// The caches of its calls.
    pub sites: Box<[Site]>,
    /// The caches of its constants.
    pub constants: Box<[ConstantCache]>,
    /// Literals that are made once.
    pub literals: Box<[Value]>,
    _taken: Taken,
}

/// The cache of a call: the method it found last.
#[derive(Default)]
pub(crate) struct Site {
    pub class: Cell<u32>,
    pub generation: Cell<u64>,
    pub method: RefCell<Option<Rc<Method>>>,
}

/// The cache of a constant: its value.
#[derive(Default)]
pub(crate) struct ConstantCache {
    pub generation: Cell<u64>,
    pub module: Cell<u32>,
    pub value: RefCell<Value>,
}

impl Unit {
    pub(crate) fn new(program: &Arc<Program>, symbols: Box<[Symbol]>, literals: Box<[Value]>) -> Rc<Unit> {
        let (sites, constants) = (program.sites as usize, program.constants as usize);
        let taken = Taken::new(
            size_of_val(&*symbols)
                + size_of_val(&*literals)
                + sites * size_of::<Site>()
                + constants * size_of::<ConstantCache>(),
        );
        Rc::new(Unit {
            program: program.clone(),
            symbols,
            sites: (0..sites).map(|_| Site::default()).collect(),
            constants: (0..constants).map(|_| ConstantCache::default()).collect(),
            literals,
            _taken: taken,
        })
    }

    pub(crate) fn symbol(&self, name: Name) -> Symbol {
        self.symbols[name as usize]
    }

    pub(crate) fn body(&self, id: BodyId) -> &Body {
        &self.program.bodies[id as usize]
    }

    /// Forgets the methods and constants that were found: those of the program itself keep it alive.
    pub(crate) fn forget(&self) {
        for site in &self.sites {
            drop(site.method.take());
        }
        for constant in &self.constants {
            drop(constant.value.take());
        }
    }
}

/// The variables of an activation that closures share.
pub(crate) struct Env {
    pub slots: RefCell<Box<[Value]>>,
    pub parent: Option<Rc<Env>>,
}

impl Env {
    pub(crate) fn new(size: usize, parent: Option<Rc<Env>>) -> Rc<Env> {
        crate::memory::take(Env::weight(size));
        Rc::new(Env { slots: RefCell::new(vec![Value::Nil; size].into()), parent })
    }

    fn weight(size: usize) -> usize {
        size_of::<Env>() + size * size_of::<Value>()
    }

    /// Takes all variables away, before it is dropped.
    pub(crate) fn take_slots(&mut self) -> Option<Box<[Value]>> {
        let slots = std::mem::take(self.slots.get_mut());
        crate::memory::give_back(Env::weight(slots.len()));
        Some(slots).filter(|slots| !slots.is_empty())
    }

    /// The environment a number of steps up.
    #[inline]
    pub(crate) fn up(&self, depth: u16) -> Option<&Env> {
        let mut env = self;
        for _ in 0..depth {
            env = env.parent.as_deref()?;
        }
        Some(env)
    }

    #[inline]
    pub(crate) fn get(&self, depth: u16, slot: u16) -> Value {
        self.up(depth).and_then(|env| env.slots.borrow().get(slot as usize).cloned()).unwrap_or_default()
    }

    /// The integer that a variable holds, if it is one.
    #[inline]
    pub(crate) fn integer(&self, depth: u16, slot: u16) -> Option<i64> {
        match self.up(depth)?.slots.borrow().get(slot as usize) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn set(&self, depth: u16, slot: u16, value: Value) {
        if let Some(env) = self.up(depth) {
            let old = env.slots.borrow_mut().get_mut(slot as usize).map(|old| std::mem::replace(old, value));
            drop(old);
        }
    }
}

/// The modules around some code, the innermost first.
pub(crate) struct Cref {
    pub module: ClassId,
    pub outer: Option<Rc<Cref>>,
    /// Whether the text is in it; `instance_eval` and the like only decide where methods go.
    pub lexical: bool,
}

impl Cref {
    pub(crate) fn new(module: ClassId, outer: Option<Rc<Cref>>) -> Rc<Cref> {
        Rc::new(Cref { module, outer, lexical: true })
    }

    /// The innermost module around the text.
    pub(crate) fn lexical(&self) -> &Cref {
        let mut at = self;
        while !at.lexical
            && let Some(outer) = &at.outer
        {
            at = outer;
        }
        at
    }
}

/// The part of an activation that closures made in it refer to.
pub(crate) struct Context {
    pub this: Value,
    pub method: Option<Rc<Method>>,
    pub block: Option<Rc<ProcObject>>,
    pub cref: Rc<Cref>,
    /// The number of the activation, to which `return` goes.
    pub number: u64,
    /// Whether it still runs.
    pub alive: Cell<bool>,
    /// The closure's context, if the activation was one of a closure itself.
    pub outer: Option<Rc<Context>>,
    /// Whether `return` goes further out: only `self` differs.
    pub transparent: bool,
    /// The environments around the piece of text.
    pub eval_scope: Option<EvalScope>,
    /// `$~`
    pub last_match: RefCell<Value>,
}

impl Context {
    /// The context of the method around.
    pub(crate) fn root(&self) -> &Context {
        let mut at = self;
        while let Some(outer) = &at.outer {
            at = outer;
        }
        at
    }

    /// The context that `return` leaves.
    pub(crate) fn returns(&self) -> &Context {
        let mut at = self;
        while at.transparent
            && let Some(outer) = &at.outer
        {
            at = outer;
        }
        at
    }
}

/// Where `$~` of the running code is.
#[derive(Default)]
pub(crate) enum MatchSlot {
    #[default]
    None,
    Own(Value),
    Shared(Rc<Context>),
}

/// The environments around a piece of text, the innermost first, with the names of their variables.
pub(crate) type EvalScope = Rc<[(Rc<Env>, Vec<Symbol>)]>;

/// Why a pattern did not fit, and which key which hash lacks if that is why.
pub(crate) type Mismatch = (String, Option<(Value, Value)>);

/// A body that runs, as natives may ask about it. There is one for each call, so it is small; what only some have is elsewhere.
pub(crate) struct Activation {
    pub who: Who,
    /// The variables that closures and bindings made here share, if there are any.
    pub env: Option<Rc<Env>>,
    /// The context of closures made here, once there are any.
    pub context: Option<Rc<Context>>,
    pub number: u64,
    /// The line from which it was called.
    pub caller_line: u32,
    /// Whether `return` ends this activation.
    pub returns: bool,
    /// The visibility of methods that `def` makes, as `private` without arguments sets it.
    pub visibility: Cell<Visibility>,
    /// `module_function` without arguments.
    pub module_function: Cell<bool>,
}

/// The running code and its purpose.
pub(crate) enum Who {
    /// A method written in Ruby.
    Method { this: Value, method: Rc<Method>, block: Option<Rc<ProcObject>> },
    /// A block, as itself.
    Block(Rc<ProcObject>),
    /// Something else, or as something else.
    Other(Box<Other>),
}

/// Code that is neither a mere method nor a mere block: a file, the body of a class, a lambda, a block that runs as something
/// else.
pub(crate) struct Other {
    pub unit: Rc<Unit>,
    pub body: BodyId,
    pub this: Value,
    pub method: Option<Rc<Method>>,
    pub block: Option<Rc<ProcObject>>,
    pub cref: Rc<Cref>,
    /// The context of the closure that runs as something else.
    pub outer: Option<Rc<Context>>,
    /// The closure that runs.
    pub proc: Option<Rc<ProcObject>>,
    /// The environments around a piece of text, for bindings made in it.
    pub eval_scope: Option<EvalScope>,
}

fn code_of(method: &Method) -> &Code {
    match &method.body {
        crate::method::MethodBody::Code(code) => code,
        _ => unreachable!("only methods written in Ruby have activations of their own"),
    }
}

fn closure_of(block: &ProcObject) -> &Closure {
    match &block.body {
        crate::proc::ProcBody::Closure(closure) => closure,
        _ => unreachable!("only blocks written in Ruby have activations"),
    }
}

impl Activation {
    pub(crate) fn unit(&self) -> &Rc<Unit> {
        match &self.who {
            Who::Method { method, .. } => &code_of(method).unit,
            Who::Block(block) => &closure_of(block).unit,
            Who::Other(other) => &other.unit,
        }
    }

    pub(crate) fn body(&self) -> BodyId {
        match &self.who {
            Who::Method { method, .. } => code_of(method).body,
            Who::Block(block) => closure_of(block).body,
            Who::Other(other) => other.body,
        }
    }

    pub(crate) fn this(&self) -> &Value {
        match &self.who {
            Who::Method { this, .. } => this,
            Who::Block(block) => &closure_of(block).context.this,
            Who::Other(other) => &other.this,
        }
    }

    pub(crate) fn method(&self) -> Option<&Rc<Method>> {
        match &self.who {
            Who::Method { method, .. } => Some(method),
            Who::Block(block) => closure_of(block).context.method.as_ref(),
            Who::Other(other) => other.method.as_ref(),
        }
    }

    pub(crate) fn block(&self) -> Option<&Rc<ProcObject>> {
        match &self.who {
            Who::Method { block, .. } => block.as_ref(),
            Who::Block(block) => closure_of(block).context.block.as_ref(),
            Who::Other(other) => other.block.as_ref(),
        }
    }

    pub(crate) fn cref(&self) -> &Rc<Cref> {
        match &self.who {
            Who::Method { method, .. } => &code_of(method).cref,
            Who::Block(block) => &closure_of(block).context.cref,
            Who::Other(other) => &other.cref,
        }
    }

    /// The context of the block that runs as itself.
    pub(crate) fn block_context(&self) -> Option<&Rc<Context>> {
        match &self.who {
            Who::Block(block) => Some(&closure_of(block).context),
            _ => None,
        }
    }

    /// The context of the closure that runs as something else.
    pub(crate) fn outer(&self) -> Option<&Rc<Context>> {
        match &self.who {
            Who::Other(other) => other.outer.as_ref(),
            _ => None,
        }
    }

    /// The closure that runs.
    pub(crate) fn proc(&self) -> Option<&Rc<ProcObject>> {
        match &self.who {
            Who::Method { .. } => None,
            Who::Block(block) => Some(block),
            Who::Other(other) => other.proc.as_ref(),
        }
    }

    /// The environments around the piece of text.
    pub(crate) fn eval_scope(&self) -> Option<&EvalScope> {
        match &self.who {
            Who::Method { .. } => None,
            Who::Block(block) => closure_of(block).context.eval_scope.as_ref(),
            Who::Other(other) => other.eval_scope.as_ref(),
        }
    }
}

/// A body that runs, as the evaluator sees it.
pub(crate) struct Frame<'p> {
    pub unit: &'p Rc<Unit>,
    pub body: &'p Body,
    /// Where its variables begin on the stack.
    pub base: usize,
    pub this: &'p Value,
    pub env: Option<&'p Rc<Env>>,
}

/// A method written in Ruby.
pub struct Code {
    pub(crate) unit: Rc<Unit>,
    pub(crate) body: BodyId,
    pub(crate) cref: Rc<Cref>,
    /// Whether keywords that end up in `*args` are handed on as keywords (`ruby2_keywords`).
    pub(crate) keeps_keywords: Cell<bool>,
}

/// A block of Ruby code with the variables around it.
pub struct Closure {
    pub(crate) unit: Rc<Unit>,
    pub(crate) body: BodyId,
    pub(crate) env: Option<Rc<Env>>,
    pub(crate) context: Rc<Context>,
    /// The target of `break`.
    pub(crate) tag: u64,
    /// Whether the call that it was given to still runs.
    pub(crate) active: Cell<bool>,
}

impl Closure {
    /// Whether it has several parameters, none of them optional.
    #[inline]
    pub(crate) fn takes_several(&self) -> bool {
        let params = &self.unit.body(self.body).params;
        if params.simple {
            return params.required.len() > 1;
        }
        crate::core::proc::arity_of(params, false) > 1
    }

    /// The same code with the same variables.
    pub(crate) fn copy(&self) -> Closure {
        Closure {
            unit: self.unit.clone(),
            body: self.body,
            env: self.env.clone(),
            context: self.context.clone(),
            tag: self.tag,
            active: self.active.clone(),
        }
    }
}

/// How many calls may be nested, as in Ruby's own default stack.
pub(crate) const MAX_DEPTH: u32 = 10_000;

/// How many steps are counted before the host hears of them.
pub(crate) const STEPS: u32 = 512;

/// The evaluator's part of a state.
#[derive(Default)]
pub(crate) struct Running {
    pub stack: Vec<Value>,
    pub frames: Vec<Activation>,
    /// The line that runs.
    pub line: u32,
    pub steps: u32,
    pub last_match: MatchSlot,
    /// `$!`
    pub exception: Value,
    /// Whether a program has redefined an operator of a core class.
    pub redefined: bool,
    /// The hooks that a program has defined anywhere.
    pub hooks: Vec<Symbol>,
    pub main: Value,
    /// The environment of the body that ended last, for bindings to go on with.
    pub last_env: Option<Rc<Env>>,
    pub at_exit: Vec<Value>,
    /// The answer of `Thread.current`.
    pub thread: Value,
    /// The values being inspected, against endless recursion.
    pub inspecting: Vec<Value>,
    /// The last object that a pattern took apart, and into what.
    pub deconstructed: Option<(Value, Rc<crate::value::ArrayObject>)>,
    /// Whether the reason why a pattern does not fit must be recorded.
    pub explains: bool,
    /// Why a pattern did not fit; the key and the hash if the key is missing.
    pub mismatch: Option<Mismatch>,
    /// Why `method_missing` is asked.
    pub missing: Option<Missing>,
    /// The tags of all `catch` that run.
    pub catching: Vec<Value>,
    pub loaded: Loaded,
    pub top: Option<Rc<Cref>>,
    /// Where constants were set.
    pub constant_places: rustc_hash::FxHashMap<(ClassId, Symbol), (Arc<str>, u32)>,
    /// Other names of global variables.
    pub global_aliases: rustc_hash::FxHashMap<Symbol, Symbol>,
    /// Environments and objects that may refer to themselves in a circle.
    pub objects: crate::objects::Objects,
}

impl State {
    /// The module around all code: `Object`.
    pub(crate) fn top(&mut self) -> Rc<Cref> {
        self.run.top.get_or_insert_with(|| Cref::new(ClassId::OBJECT, None)).clone()
    }

    /// `$~` of the running code.
    pub fn last_match(&self) -> Value {
        match &self.run.last_match {
            MatchSlot::None => Value::Nil,
            MatchSlot::Own(value) => value.clone(),
            MatchSlot::Shared(context) => context.root().last_match.borrow().clone(),
        }
    }

    /// Sets `$~` of the running code: a `MatchData` or `nil`.
    pub fn set_last_match(&mut self, value: Value) {
        match &mut self.run.last_match {
            MatchSlot::Shared(context) => *context.root().last_match.borrow_mut() = value,
            slot => *slot = MatchSlot::Own(value),
        }
    }

    /// The context for closures made by the running code.
    pub(crate) fn context(&mut self) -> Option<Rc<Context>> {
        let run = &mut self.run;
        let at = run.frames.last_mut()?;
        if let Some(context) = at.block_context().or(at.context.as_ref()) {
            return Some(context.clone());
        }
        let is_root = at.outer().is_none();
        let last_match = match &mut run.last_match {
            MatchSlot::Own(value) if is_root => std::mem::take(value),
            _ => Value::Nil,
        };
        let context = Rc::new(Context {
            this: at.this().clone(),
            method: at.method().cloned(),
            block: at.block().cloned(),
            cref: at.cref().clone(),
            number: at.number,
            alive: Cell::new(true),
            outer: at.outer().cloned(),
            transparent: !at.returns,
            eval_scope: at.eval_scope().cloned(),
            last_match: RefCell::new(last_match),
        });
        at.context = Some(context.clone());
        if is_root {
            run.last_match = MatchSlot::Shared(context.clone());
        }
        Some(context)
    }
}
