//! Walking through anything enumerable from Rust.
//!
//! Arrays, hashes and ranges of integers go by index, as long as nobody defined another `each` for them; everything else is asked through its
//! `each` with a native block. What a walk has gathered so far is its state: a block given to `each` must be able to outlive the walk, so it
//! cannot borrow from it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::args::Args;
use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::memory::Gathered;
use crate::method::MethodBody;
use crate::proc::{ProcBody, ProcObject};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{ArrayObject, HashObject, Value};

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next element.
    More,
    /// No further.
    Done,
}

/// How many elements are walked before they are accounted for.
const BATCH: u64 = 256;

/// One value for what was yielded: itself, an array of several, `nil` for nothing.
#[inline]
pub fn pack(values: &[Value]) -> Value {
    match values {
        [] => Value::Nil,
        [one] => one.clone(),
        several => Value::array(several),
    }
}

/// A key and its value as one element.
#[inline]
pub fn pair(key: Value, value: Value) -> Value {
    Value::array(vec![key, value])
}

impl Ruby<'_> {
    /// Whether `each` of a value is the one its core class came with.
    pub fn has_core_each(&mut self, value: &Value, class: ClassId) -> bool {
        let own = self.class_of(value);
        self.find_method(own, sym::EACH)
            .is_some_and(|method| method.owner == class && matches!(method.body, MethodBody::Native(_)))
    }

    /// Gives every element to `step`, with the state, until it says that it is done; the state comes back.
    pub fn walk<S: 'static>(
        &mut self,
        source: &Value,
        state: S,
        step: impl Fn(&mut Ruby<'_>, &mut S, &[Value]) -> Result<Flow> + 'static,
    ) -> Result<S> {
        self.walk_with(source, &Args::default(), state, step).map(|(state, _)| state)
    }

    /// The same with arguments for `each`; the second answer is what `each` returned, `nil` if it was stopped.
    pub fn walk_with<S: 'static>(
        &mut self,
        source: &Value,
        args: &Args<'_>,
        mut state: S,
        step: impl Fn(&mut Ruby<'_>, &mut S, &[Value]) -> Result<Flow> + 'static,
    ) -> Result<(S, Value)> {
        if args.is_empty() {
            let done = match source {
                Value::Array(array) if self.has_core_each(source, ClassId::ARRAY) => {
                    Some(self.walk_array(array, |ruby, value| {
                        step(ruby, &mut state, std::slice::from_ref(value))
                    })?)
                }
                Value::Hash(hash) if self.has_core_each(source, ClassId::HASH) => {
                    Some(self.walk_hash(hash, |ruby, key, value| {
                        step(ruby, &mut state, &[pair(key.clone(), value.clone())])
                    })?)
                }
                Value::Range(range) if self.has_core_each(source, ClassId::RANGE) => {
                    match (&range.begin, &range.end) {
                        (Value::Int(begin), Value::Int(end)) => {
                            let end = if range.exclusive { end.checked_sub(1) } else { Some(*end) };
                            let mut flow = Flow::More;
                            if let Some(end) = end {
                                flow = self.walk_integers(*begin, end, |ruby, number| {
                                    step(ruby, &mut state, &[Value::Int(number)])
                                })?;
                            }
                            Some(flow)
                        }
                        _ => None,
                    }
                }
                _ => None,
            };
            if let Some(flow) = done {
                return Ok((state, if flow == Flow::More { source.clone() } else { Value::Nil }));
            }
        }
        self.walk_each(source, args, state, step)
    }

    /// Walks through `each`.
    fn walk_each<S: 'static>(
        &mut self,
        source: &Value,
        args: &Args<'_>,
        state: S,
        step: impl Fn(&mut Ruby<'_>, &mut S, &[Value]) -> Result<Flow> + 'static,
    ) -> Result<(S, Value)> {
        let number = self.next_number();
        let shared = Rc::new(RefCell::new(Some(state)));
        let inner = shared.clone();
        let block = self.block(-1, move |ruby, args| {
            // The state is out while the step runs: a block that is entered again from within itself finds none.
            let Some(mut state) = inner.borrow_mut().take() else {
                return Err(ruby.runtime_error("the block of an iteration was called from within itself"));
            };
            let flow = step(ruby, &mut state, args.list);
            *inner.borrow_mut() = Some(state);
            match flow? {
                Flow::More => Ok(Value::Nil),
                Flow::Done => Err(Box::new(Unwind::Break(number, Value::Nil))),
            }
        });
        let result = self.call(source, sym::EACH, &Args { block: Some(&block), ..*args });
        let value = match result {
            Ok(value) => value,
            Err(unwind) => match *unwind {
                Unwind::Break(at, _) if at == number => Value::Nil,
                other => return Err(Box::new(other)),
            },
        };
        let state = shared.borrow_mut().take();
        match state {
            Some(state) => Ok((state, value)),
            None => Err(self.runtime_error("the block of an iteration was called from within itself")),
        }
    }

    /// The elements of an array, one by one; what is added meanwhile is seen.
    #[inline]
    pub fn walk_array(
        &mut self,
        array: &Rc<ArrayObject>,
        mut step: impl FnMut(&mut Ruby<'_>, &Value) -> Result<Flow>,
    ) -> Result<Flow> {
        let mut index = 0;
        while let Some(value) = array.get(index) {
            if step(self, &value)? == Flow::Done {
                return Ok(Flow::Done);
            }
            index += 1;
            if (index as u64).is_multiple_of(BATCH) {
                self.charge(BATCH)?;
            }
        }
        Ok(Flow::More)
    }

    /// The entries of a hash, one by one. Meanwhile no key can be added.
    pub fn walk_hash(
        &mut self,
        hash: &Rc<HashObject>,
        mut step: impl FnMut(&mut Ruby<'_>, &Value, &Value) -> Result<Flow>,
    ) -> Result<Flow> {
        hash.table_mut().iterating += 1;
        let mut position = 0;
        let result = loop {
            let table = hash.table();
            if position >= table.positions() {
                break Ok(Flow::More);
            }
            let entry = table.at(position).map(|entry| (entry.key.clone(), entry.value.clone()));
            drop(table);
            position += 1;
            let Some((key, value)) = entry else { continue };
            match step(self, &key, &value) {
                Ok(Flow::More) => {}
                other => break other,
            }
            if (position as u64).is_multiple_of(BATCH)
                && let Err(unwind) = self.charge(BATCH)
            {
                break Err(unwind);
            }
        };
        hash.table_mut().iterating -= 1;
        result
    }

    /// The integers from `begin` to `end`, both included.
    pub fn walk_integers(
        &mut self,
        begin: i64,
        end: i64,
        mut step: impl FnMut(&mut Ruby<'_>, i64) -> Result<Flow>,
    ) -> Result<Flow> {
        let mut number = begin;
        while number <= end {
            if step(self, number)? == Flow::Done {
                return Ok(Flow::Done);
            }
            if (number as u64).is_multiple_of(BATCH) {
                self.charge(BATCH)?;
            }
            match number.checked_add(1) {
                Some(next) => number = next,
                None => break,
            }
        }
        Ok(Flow::More)
    }

    /// All elements, as `to_a` gives them.
    pub fn collect(&mut self, source: &Value, args: &Args<'_>) -> Result<Vec<Value>> {
        match source {
            Value::Array(array) if args.is_empty() && self.has_core_each(source, ClassId::ARRAY) => {
                Ok(array.to_vec())
            }
            _ => self
                .walk_with(source, args, Gathered::new(), |_, all, values| {
                    all.push(pack(values));
                    Ok(Flow::More)
                })
                .map(|(all, _)| all.into_vec()),
        }
    }

    /// Yields what was yielded as one value: an array of several.
    #[inline]
    pub fn yield_packed(&mut self, block: &Rc<ProcObject>, values: &[Value]) -> Result {
        match values {
            [] | [_] => self.yield_to(block, values),
            several => self.yield_to(block, &[Value::array(several)]),
        }
    }

    /// Yields a key and its value as one element, `[key, value]`.
    #[inline]
    pub fn yield_pair(&mut self, block: &Rc<ProcObject>, key: &Value, value: &Value) -> Result {
        // A block of several parameters would only take the pair apart again.
        if !block.lambda.get()
            && let ProcBody::Closure(closure) = &block.body
            && closure.takes_several()
        {
            return self.yield_to(block, &[key.clone(), value.clone()]);
        }
        self.yield_to(block, &[pair(key.clone(), value.clone())])
    }
}

impl Ruby<'_> {
    /// How many parameters a lambda must be given.
    pub fn required_parameters(&self, block: &ProcObject) -> usize {
        let arity = crate::core::proc::arity(block);
        (if arity < 0 { -arity - 1 } else { arity }) as usize
    }

    /// The default separator of joined elements: `$,`.
    pub(crate) fn globals_join_separator(&mut self) -> Option<Value> {
        let name = self.symbols.existing("$,")?;
        self.globals.get(&name).filter(|value| !value.is_nil()).cloned()
    }
}
