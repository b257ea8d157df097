//! The resources that one compilation may use, and has used.
//!
//! Every part of a compilation (the evaluator, a function, the data, an interpreter of another language) shares one
//! [`Budget`] and charges its work to it: steps for time, bytes for memory. Exceeding a limit is an ordinary
//! error that names the setting. The same program uses the same amount in every run; only a deadline, which is optional and
//! checked periodically, depends on the machine.
//!
//! How large one value may become is in `size.rs`.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use kukla_syntax::diagnostic;

use crate::codes::{
    DEADLINE_PASSED, EVALUATION_LIMIT, MEMORY_LIMIT, RECURSION_LIMIT, TOO_MANY_LOGS, TOO_MANY_RESOURCES,
};
use crate::{Error, Result, Value, meter};

/// How much one compilation may use. Zero means without limit, but for the last four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Calls made, elements produced and native work, a step being about what a call takes.
    pub steps: u64,
    /// Bytes that values, resources and messages take.
    pub memory: u64,
    /// Resources declared.
    pub resources: u64,
    /// Messages logged.
    pub logs: u64,
    /// Time, checked periodically.
    pub deadline: Option<Duration>,
    /// Calls inside calls.
    pub depth: u32,
    /// Elements in one collection.
    pub elements: usize,
    /// Bytes in one string.
    pub text: usize,
    /// Collections, types and objects inside each other.
    pub nesting: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 20_000_000,
            memory: 512 << 20,
            resources: 250_000,
            logs: 100_000,
            deadline: None,
            depth: 2_000,
            elements: 2_000_000,
            text: 16 << 20,
            nesting: 500,
        }
    }
}

/// Tells how much time has passed since some moment.
pub type Clock = Rc<dyn Fn() -> Duration>;

/// When a compilation must be over, whatever it has reached by then.
#[derive(Clone)]
struct Deadline {
    allowed: Duration,
    end: Duration,
    clock: Clock,
}

impl fmt::Debug for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Deadline({:?})", self.allowed)
    }
}

/// How many steps pass between two looks at the clock.
const STRIDE: u64 = 64;

/// How many bytes take as long to fill as a step takes.
const BYTES_PER_STEP: u64 = 256;

/// How long a step of work that cannot be interrupted takes at most.
const NANOSECONDS_PER_STEP: u64 = 500;

/// The memory of an element of an array, and of an entry of a hash.
const ELEMENT: usize = size_of::<Value>();
const ENTRY: usize = 2 * ELEMENT + 16;

/// The limits and the use of one compilation.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    steps: Cell<u64>,
    /// At how many steps there is something to look at: the limit, the clock, what could not be refused when it was charged.
    checkpoint: Cell<u64>,
    memory: Cell<u64>,
    resources: Cell<u64>,
    logs: Cell<u64>,
    depth: Cell<u32>,
    chance: Cell<u64>,
    deadline: Option<Deadline>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(Limits::default())
    }
}

impl Budget {
    /// A budget of which nothing is used.
    pub fn new(limits: Limits) -> Budget {
        // Whatever was counted on this thread before was for others.
        meter::spent();
        let or_endless = |limit: u64| if limit == 0 { u64::MAX } else { limit };
        let limits = Limits {
            steps: or_endless(limits.steps),
            memory: or_endless(limits.memory),
            resources: or_endless(limits.resources),
            logs: or_endless(limits.logs),
            ..limits
        };
        Budget {
            limits,
            steps: Cell::new(0),
            checkpoint: Cell::new(limits.steps),
            memory: Cell::new(0),
            resources: Cell::new(0),
            logs: Cell::new(0),
            depth: Cell::new(0),
            chance: Cell::new(1),
            deadline: None,
        }
    }

    /// The same budget with a clock for its deadline, if it has one; the time begins now.
    #[must_use]
    pub fn by_clock(self, clock: impl Fn() -> Duration + 'static) -> Budget {
        let Some(allowed) = self.limits.deadline else { return self };
        let deadline = Deadline { allowed, end: clock().saturating_add(allowed), clock: Rc::new(clock) };
        Budget { deadline: Some(deadline), checkpoint: Cell::new(0), ..self }
    }

    /// The same budget with the deadline of the one that is installed on this thread, if that has one: for work that has limits of its own in the
    /// middle of a compilation.
    #[must_use]
    pub fn by_deadline_of_thread(self) -> Budget {
        match meter::installed().and_then(|outer| outer.deadline.clone()) {
            Some(deadline) => Budget { deadline: Some(deadline), checkpoint: Cell::new(0), ..self },
            None => self,
        }
    }

    /// How much may be used.
    #[inline]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts work done; an error once there was too much of it.
    #[inline]
    pub fn charge_steps(&self, steps: u64) -> Result<()> {
        let all = self.steps.get().saturating_add(steps);
        self.steps.set(all);
        if all > self.checkpoint.get() { self.look() } else { Ok(()) }
    }

    /// Counts work that cannot be interrupted, before it is done: an error also if it would go on past the deadline.
    pub fn charge_ahead(&self, steps: u64) -> Result<()> {
        self.charge_steps(steps)?;
        match &self.deadline {
            Some(deadline) => {
                let needed = Duration::from_nanos(steps.saturating_mul(NANOSECONDS_PER_STEP));
                match (deadline.clock)().saturating_add(needed) > deadline.end {
                    true => Err(self.deadline_passed()),
                    false => Ok(()),
                }
            }
            None => Ok(()),
        }
    }

    /// Counts what the [`meter`] of this thread has counted and not charged yet: comparisons, searches with patterns.
    #[inline]
    pub fn charge_metered(&self) -> Result<()> {
        match meter::spent() {
            0 => Ok(()),
            steps => self.charge_steps(steps),
        }
    }

    /// Counts memory taken, and the time it takes to fill it; an error once there was too much of it.
    #[inline]
    pub fn charge_memory(&self, bytes: usize) -> Result<()> {
        self.note_memory(bytes);
        if self.memory.get() > self.limits.memory {
            return Err(self.memory_exhausted());
        }
        match bytes as u64 / BYTES_PER_STEP {
            0 => Ok(()),
            steps => self.charge_steps(steps),
        }
    }

    /// An error if someone who counts by himself what he takes and gives back has taken too much.
    pub fn check_memory(&self, bytes: usize) -> Result<()> {
        if bytes as u64 > self.limits.memory { Err(self.memory_exhausted()) } else { Ok(()) }
    }

    /// Counts memory taken where nothing can be refused: the next step is, if it was too much.
    #[inline]
    pub fn note_memory(&self, bytes: usize) {
        let all = self.memory.get().saturating_add(bytes as u64);
        self.memory.set(all);
        if all > self.limits.memory {
            self.checkpoint.set(0);
        }
    }

    /// Counts the memory that a value takes by itself, without what is in it, if it is new: a collection that is shared has
    /// been counted.
    #[inline]
    pub fn charge_value(&self, value: &mut Value) -> Result<()> {
        let bytes = match value {
            Value::String(text) => text.len(),
            Value::Binary(bytes) => bytes.0.len(),
            other => weight(other),
        };
        if bytes == 0 { Ok(()) } else { self.charge_memory(bytes) }
    }

    /// Counts what it takes to go through the arguments of a call, before it is made. What a function puts together of them is
    /// no larger than a value may be. Gives how long the texts among them are.
    #[inline]
    pub fn charge_call(&self, args: &[Value]) -> Result<usize> {
        self.charge_metered()?;
        let (mut elements, mut text) = (0, 0);
        for arg in args {
            match arg {
                Value::String(part) => text += part.len(),
                Value::Array(values) => elements += values.len(),
                Value::Hash(hash) => elements += hash.len(),
                Value::Binary(_) | Value::Sensitive(_) | Value::Type(_) => {}
                _ => continue,
            }
            self.charge_work(arg)?;
        }
        if args.len() > 2 {
            self.check_text(text)?;
            self.check_elements(elements)?;
        }
        Ok(text)
    }

    /// Counts a string that is about to be made; an error if it alone is too long.
    pub fn charge_text(&self, bytes: usize) -> Result<()> {
        self.check_text(bytes)?;
        self.charge_memory(bytes)
    }

    /// Counts an array that is about to be made; an error if it alone is too large.
    pub fn charge_elements(&self, elements: usize) -> Result<()> {
        self.check_elements(elements)?;
        self.charge_memory(elements.saturating_mul(ELEMENT))
    }

    /// Takes apart a value that is no longer needed, and counts the memory that gives back.
    pub fn release(&self, mut value: Value) {
        self.memory.set(self.memory.get().saturating_sub(weight(&mut value) as u64));
    }

    /// Counts a resource with this number of attributes.
    pub fn charge_resource(&self, attributes: usize) -> Result<()> {
        let all = self.resources.get() + 1;
        self.resources.set(all);
        if all > self.limits.resources {
            let limit = self.limits.resources;
            return Err(diagnostic!(TOO_MANY_RESOURCES { limit }; hint: "does a defined type declare more of itself? Otherwise the setting limit_resources raises the limit").into());
        }
        // What a resource takes: itself, its names in the tables, its scope if it has one, and its attributes.
        self.charge_memory(800 + 96 * attributes)
    }

    /// Counts a message of this number of bytes, if there is room for it; if not, the next step fails.
    pub fn note_log(&self, bytes: usize) -> bool {
        if self.logs.get() >= self.limits.logs {
            self.logs.set(u64::MAX);
            self.checkpoint.set(0);
            return false;
        }
        self.logs.set(self.logs.get() + 1);
        self.note_memory(bytes.saturating_add(128));
        true
    }

    /// Goes one call deeper.
    #[inline]
    pub fn enter(&self) -> Result<()> {
        let depth = self.depth.get();
        if depth >= self.limits.depth {
            return Err(self.too_deep());
        }
        self.depth.set(depth + 1);
        Ok(())
    }

    /// An error if a call would nest this number of levels deep.
    pub fn check_depth(&self, levels: usize) -> Result<()> {
        if levels > self.limits.depth as usize { Err(self.too_deep()) } else { Ok(()) }
    }

    /// Comes back from where [`Budget::enter`] went.
    #[inline]
    pub fn leave(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    /// An error if something could not be refused when it was charged, or if the deadline has passed.
    #[cold]
    pub fn look(&self) -> Result<()> {
        if self.logs.get() > self.limits.logs {
            let limit = self.limits.logs;
            return Err(
                diagnostic!(TOO_MANY_LOGS { limit }; hint: "the setting limit_logs raises the limit").into(),
            );
        }
        if self.memory.get() > self.limits.memory {
            return Err(self.memory_exhausted());
        }
        if self.steps.get() > self.limits.steps {
            let limit = self.limits.steps;
            return Err(
                diagnostic!(EVALUATION_LIMIT { limit }; hint: "the setting limit_steps raises the limit")
                    .into(),
            );
        }
        let next = match &self.deadline {
            Some(deadline) if (deadline.clock)() > deadline.end => return Err(self.deadline_passed()),
            Some(_) => self.steps.get() + STRIDE,
            None => u64::MAX,
        };
        self.checkpoint.set(next.min(self.limits.steps));
        Ok(())
    }

    /// A number that no program can foresee, the same in every run.
    #[inline]
    pub(crate) fn chance(&self) -> usize {
        let next = self.chance.get().wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        self.chance.set(next);
        (next >> 33) as usize
    }

    /// The error of a budget that is exhausted.
    #[cold]
    pub(crate) fn exhaustion(&self) -> Error {
        match self.look() {
            Err(error) => error,
            // Work that would have gone on past the deadline, or a clock that goes backwards.
            Ok(()) => self.deadline_passed(),
        }
    }

    #[cold]
    fn deadline_passed(&self) -> Error {
        let seconds =
            self.deadline.as_ref().map_or(Duration::ZERO, |deadline| deadline.allowed).as_secs_f64();
        diagnostic!(DEADLINE_PASSED { seconds }; hint: "the deadline was asked for: --deadline, or `deadline` in a request").into()
    }

    #[cold]
    fn memory_exhausted(&self) -> Error {
        let limit = self.limits.memory;
        diagnostic!(MEMORY_LIMIT { limit }; hint: "the setting limit_memory raises the limit").into()
    }

    #[cold]
    fn too_deep(&self) -> Error {
        let limit = self.limits.depth;
        diagnostic!(RECURSION_LIMIT { limit }; hint: "does a function call itself without end? Otherwise the setting limit_depth raises the limit").into()
    }
}

/// The memory that a value other than text takes by itself, if nobody shares it.
#[inline]
fn weight(value: &mut Value) -> usize {
    let (is_unique, bytes) = match value {
        Value::Array(values) => (values.is_unique(), values.len() * ELEMENT),
        Value::Hash(hash) => (hash.is_unique(), hash.len() * ENTRY),
        Value::Undef | Value::Default | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => return 0,
        other => return object_weight(other),
    };
    if is_unique { bytes } else { 0 }
}

/// The same of values that are neither scalars nor collections.
fn object_weight(value: &mut Value) -> usize {
    const SMALL: usize = 64;
    match value {
        Value::Type(ty) => Arc::get_mut(ty).map_or(0, |ty| SMALL + ty.weight()),
        Value::Sensitive(inner) => Arc::get_mut(inner).map_or(0, |_| SMALL),
        Value::SemVer(version) => Arc::get_mut(version).map_or(0, |_| 2 * SMALL),
        Value::SemVerRange(range) => Arc::get_mut(range).map_or(0, |_| 8 * SMALL),
        Value::Uri(uri) => Arc::get_mut(uri).map_or(0, |_| 8 * SMALL),
        Value::Object(object) => {
            Arc::get_mut(object).map_or(0, |object| SMALL + object.values.len() * ELEMENT)
        }
        Value::Iterator(iterator) => Arc::get_mut(iterator).map_or(0, |_| 2 * SMALL),
        Value::Regexp(regexp) => Arc::get_mut(regexp).map_or(0, |regexp| SMALL + 4 * regexp.source().len()),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T>(result: Result<T>) -> Option<&'static str> {
        result.err().map(|error| error.code.name)
    }

    #[test]
    fn each_limit_is_an_error_of_its_own() {
        let limits =
            Limits { steps: 100, memory: 5000, resources: 2, logs: 1, depth: 1, ..Limits::default() };
        let budget = Budget::new(limits);
        assert_eq!(code(budget.charge_steps(100)), None);
        assert_eq!(code(budget.charge_steps(1)), Some("EVALUATION_LIMIT"));
        let budget = Budget::new(limits);
        assert_eq!(code(budget.charge_memory(5000)), None);
        assert_eq!(code(budget.charge_memory(1)), Some("MEMORY_LIMIT"));
        assert_eq!(code(budget.charge_steps(1)), Some("MEMORY_LIMIT"));
        let budget = Budget::new(limits);
        assert_eq!(code(budget.charge_resource(1).and(budget.charge_resource(1))), None);
        assert_eq!(code(budget.charge_resource(1)), Some("TOO_MANY_RESOURCES"));
        let budget = Budget::new(limits);
        assert_eq!(code(budget.enter()), None);
        assert_eq!(code(budget.enter()), Some("RECURSION_LIMIT"));
        budget.leave();
        assert_eq!(code(budget.enter()), None);
        let budget = Budget::new(limits);
        assert!(budget.note_log(3) && budget.charge_steps(1).is_ok() && !budget.note_log(3));
        assert_eq!(code(budget.charge_steps(1)), Some("TOO_MANY_LOGS"));
    }

    #[test]
    fn zero_is_no_limit() {
        let budget = Budget::new(Limits { steps: 0, memory: 0, resources: 0, logs: 0, ..Limits::default() });
        assert!(budget.charge_steps(u64::MAX).and(budget.charge_memory(usize::MAX)).is_ok());
        assert!(budget.note_log(1) && budget.charge_resource(1).is_ok());
    }

    #[test]
    fn the_clock_is_looked_at_now_and_then() {
        let looks = std::rc::Rc::new(Cell::new(0));
        let counted = looks.clone();
        let limits = Limits { deadline: Some(Duration::from_secs(3)), ..Limits::default() };
        let budget = Budget::new(limits).by_clock(move || {
            counted.set(counted.get() + 1);
            Duration::from_secs(counted.get())
        });
        let steps = (0..1_000_000).take_while(|_| budget.charge_steps(1).is_ok()).count();
        assert_eq!((looks.get(), steps > 3 * STRIDE as usize), (5, true));
        assert_eq!(code(budget.charge_steps(1)), Some("DEADLINE_PASSED"));
    }

    #[test]
    fn what_is_released_can_be_used_again() {
        let budget = Budget::new(Limits { memory: 100_000, ..Limits::default() });
        let list = || Value::Array((0..1000).map(Value::Integer).collect());
        for _ in 0..100 {
            let mut value = list();
            budget.charge_value(&mut value).expect("there is room");
            budget.release(value);
        }
        let mut kept: Vec<Value> = Vec::new();
        for _ in 0..4 {
            kept.push(list());
            let last = kept.last_mut().expect("one was pushed");
            budget.charge_value(last).expect("there is room");
            budget.charge_value(&mut last.clone()).expect("what is shared was counted");
            budget.release(last.clone());
        }
        assert_eq!(code(budget.charge_value(&mut list())), Some("MEMORY_LIMIT"));
    }
}
