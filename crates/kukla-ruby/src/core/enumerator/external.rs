//! `next`, `peek` and their like: an enumerator read from outside.
//!
//! Ruby suspends the producer in a fiber of its own between two calls of `next`. Without threads and without `unsafe` a producer cannot be
//! suspended here, so it runs ahead: the first call of `next` reads up to [`AHEAD`] values at once and keeps them. A producer that has more is run
//! again from its start, for twice as many; what it did before it does again then, so only producers of more than that many values whose
//! effects are seen elsewhere can tell. What arrays hold is not read ahead, they go by index and see what changes.

use std::cell::RefCell;
use std::rc::Rc;

use crate::args::Args;
use crate::class::{ClassId, Native, quick};
use crate::core::enumerator::{Source, run, source};
use crate::error::{Result, Unwind};
use crate::iterate::pack;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{Object, Value};

/// How many values are read at first.
const AHEAD: usize = 1024;

pub(super) const METHODS: &[Native] = &[
    quick("next", 0, 0, next),
    quick("peek", 0, 0, peek),
    quick("next_values", 0, 0, next_values),
    quick("peek_values", 0, 0, peek_values),
    quick("rewind", 0, 0, rewind),
];

/// The elements that `next` has read, stored with the enumerator.
#[derive(Clone, Default)]
struct External {
    /// Values read ahead, each as a list of what was yielded.
    buffer: Vec<Value>,
    /// How many of them were given out.
    position: usize,
    /// How the producer ended, once it did.
    end: Option<End>,
}

#[derive(Clone)]
enum End {
    Returned(Value),
    Raised(Value),
}

fn external(this: &Value) -> Option<Rc<Object>> {
    match this.head()?.variable(sym::NEXT)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Whether something was read from outside.
pub(super) fn started(this: &Value) -> bool {
    external(this).is_some()
}

/// The values that come next, as an array of what is yielded, if there are any.
fn upcoming(ruby: &mut Ruby<'_>, this: &Value) -> Result<Value> {
    let from = source(ruby, this)?;
    let state = match external(this) {
        Some(state) => state,
        None => {
            let state = Object::with(ClassId::OBJECT, External::default());
            if let Some(head) = this.head() {
                head.set_variable(sym::NEXT, Value::Object(state.clone()));
            }
            state
        }
    };
    let known = state.payload::<External>().map(|known| known.progress()).unwrap_or_default();
    if let Value::Array(array) = &from.receiver
        && from.method == sym::EACH
        && from.args.is_empty()
        && ruby.has_core_each(&from.receiver, ClassId::ARRAY)
    {
        return match array.get(known.position) {
            Some(value) => Ok(Value::array(vec![value])),
            None => Err(stop(ruby, from.receiver.clone())),
        };
    }
    if known.position >= known.read && !known.ended {
        read_ahead(ruby, &state, &from, known.read)?;
    }
    let (found, end) = match state.payload::<External>() {
        Some(external) => (external.buffer.get(known.position).cloned(), external.end.clone()),
        None => (None, None),
    };
    match (found, end) {
        (Some(values), _) => Ok(values),
        (None, Some(End::Raised(exception))) => Err(Box::new(Unwind::Raise(exception))),
        (None, Some(End::Returned(result))) => Err(stop(ruby, result)),
        (None, None) => Err(stop(ruby, Value::Nil)),
    }
}

/// How far an enumerator was read.
#[derive(Default)]
struct Progress {
    position: usize,
    read: usize,
    ended: bool,
}

impl External {
    fn progress(&self) -> Progress {
        Progress { position: self.position, read: self.buffer.len(), ended: self.end.is_some() }
    }
}

fn read_ahead(ruby: &mut Ruby<'_>, state: &Rc<Object>, from: &Source, read: usize) -> Result<()> {
    let want = (read * 2).max(AHEAD);
    let number = ruby.next_number();
    let values = Rc::new(RefCell::new(Vec::new()));
    let gathered = values.clone();
    let block = ruby.block(-1, move |_, args| {
        let mut values = gathered.borrow_mut();
        values.push(Value::array(args.list));
        if values.len() >= want {
            return Err(Box::new(Unwind::Break(number, Value::Nil)));
        }
        Ok(Value::Nil)
    });
    let end = match run(ruby, from, &block) {
        Ok(result) => Some(End::Returned(result)),
        Err(unwind) => match *unwind {
            Unwind::Break(at, _) if at == number => None,
            Unwind::Raise(exception) => Some(End::Raised(exception)),
            other => return Err(Box::new(other)),
        },
    };
    if let Some(mut external) = state.payload_mut::<External>() {
        external.buffer = values.take();
        external.end = end;
    }
    Ok(())
}

fn stop(ruby: &mut Ruby<'_>, result: Value) -> Box<Unwind> {
    let unwind = ruby.error(ClassId::STOP_ITERATION, "iteration reached an end");
    if let Unwind::Raise(Value::Object(exception)) = &*unwind
        && let Some(mut details) = exception.payload_mut::<crate::core::exception::Details>()
    {
        details.name = result;
    }
    unwind
}

fn advance(this: &Value) {
    if let Some(state) = external(this)
        && let Some(mut external) = state.payload_mut::<External>()
    {
        external.position += 1;
    }
}

fn packed(values: &Value) -> Value {
    match values {
        Value::Array(array) => pack(&array.items()),
        other => other.clone(),
    }
}

fn next(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let values = upcoming(ruby, this)?;
    advance(this);
    Ok(packed(&values))
}

fn peek(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(packed(&upcoming(ruby, this)?))
}

fn next_values(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let values = upcoming(ruby, this)?;
    advance(this);
    Ok(values)
}

fn peek_values(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    upcoming(ruby, this)
}

fn rewind(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let from = source(ruby, this)?;
    if !from.receiver.is_same(this) {
        ruby.try_send(&from.receiver, sym::REWIND, &[])?;
    }
    if let Some(head) = this.head() {
        head.remove_variable(sym::NEXT);
    }
    Ok(this.clone())
}
