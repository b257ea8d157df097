//! Work that is charged where no compilation is known.
//!
//! Comparing values, asking whether one type covers another, searching with a pattern: these happen in places that have no
//! [`Budget`] at hand, inside of sorts and look-ups of every function. They count what they do here, and the budget that is installed on
//! the thread is charged for it. When it is exhausted, the whole compilation ends at once, however deep inside it that happens: the stack
//! is unwound up to [`metered`], past everything that could rescue an error. So a loop needs nothing but a metered operation in it to be
//! interruptible, and new functions get that for free.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use crate::{Budget, Result};

/// Units of work that take about as long as a step: a comparison of two small values, an element visited, sixteen bytes read.
const UNITS_PER_STEP: u64 = 16;
/// Bytes of text that are a unit.
const BYTES_PER_UNIT: usize = 16;
/// Bytes that can be read between two looks at the clock.
const LOOKED_AT_AFTER: usize = 4 << 20;
/// Units that are counted before the budget is charged.
const PORTION: u64 = 1024;

thread_local! {
    static PENDING: Cell<u64> = const { Cell::new(0) };
    static POSSIBLE: Cell<usize> = const { Cell::new(0) };
    static BUDGET: RefCell<Option<Rc<Budget>>> = const { RefCell::new(None) };
}

/// The payload that unwinds the stack when the budget is exhausted.
struct Exhausted;

/// Counts units of work.
#[inline]
pub fn work(units: usize) {
    // One access: each call to a thread-local costs as much as the sum.
    let pending = PENDING.with(|pending| {
        let sum = pending.get().saturating_add(units as u64);
        pending.set(sum);
        sum
    });
    if pending >= PORTION {
        settle();
    }
}

/// Counts work on a text of this number of bytes.
#[inline]
pub fn text(bytes: usize) {
    work(bytes / BYTES_PER_UNIT);
}

/// Counts steps.
pub fn steps(steps: u64) {
    work(usize::try_from(steps.saturating_mul(UNITS_PER_STEP)).unwrap_or(usize::MAX));
}

/// Counts work that cannot be interrupted, in steps, before it is done: the budget is exhausted also if it would go on past the deadline.
pub fn ahead(steps: u64) {
    let budget = BUDGET.with_borrow(Clone::clone);
    if steps > 0 && budget.is_some_and(|budget| budget.charge_ahead(steps).is_err()) {
        resume_unwind(Box::new(Exhausted));
    }
}

/// Looks at the clock, if there is a deadline, before work that may take as long as reading this number of bytes, and usually takes much less: it is
/// not counted.
pub fn possible_text(bytes: usize) {
    let possible = POSSIBLE.get().saturating_add(bytes);
    POSSIBLE.set(possible);
    if possible >= LOOKED_AT_AFTER {
        POSSIBLE.set(0);
        let budget = BUDGET.with_borrow(Clone::clone);
        if budget.is_some_and(|budget| budget.look().is_err()) {
            resume_unwind(Box::new(Exhausted));
        }
    }
}

/// Counts memory that is about to be taken, and the time to fill it.
pub fn memory(bytes: usize) {
    let budget = BUDGET.with_borrow(Clone::clone);
    if budget.is_some_and(|budget| budget.charge_memory(bytes).is_err()) {
        resume_unwind(Box::new(Exhausted));
    }
}

/// The steps that were counted on this thread and not charged yet, for the one who charges them.
#[inline]
pub fn spent() -> u64 {
    PENDING.with(Cell::take) / UNITS_PER_STEP
}

/// The budget that is installed on this thread.
pub fn installed() -> Option<Rc<Budget>> {
    BUDGET.with_borrow(Clone::clone)
}

#[cold]
fn settle() {
    let budget = BUDGET.with_borrow(Clone::clone);
    // Without a budget the count goes on until `spent` fetches it.
    if budget.is_some_and(|budget| budget.charge_steps(spent()).is_err()) {
        resume_unwind(Box::new(Exhausted));
    }
}

/// Installs a budget for the time of a closure; the error is that of the budget if it was exhausted meanwhile.
pub fn metered<T>(budget: &Rc<Budget>, run: impl FnOnce() -> T) -> Result<T> {
    struct Installed(Option<Rc<Budget>>);
    impl Drop for Installed {
        fn drop(&mut self) {
            BUDGET.set(self.0.take());
        }
    }
    let installed = Installed(BUDGET.replace(Some(Rc::clone(budget))));
    // The state of the compilation is dropped with it; shared state is written completely or not at all.
    let result = catch_unwind(AssertUnwindSafe(run));
    drop(installed);
    match result {
        Ok(result) => Ok(result),
        Err(payload) if payload.is::<Exhausted>() => Err(budget.exhaustion()),
        Err(payload) => resume_unwind(payload),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Value, compare};

    fn budget(limits: Limits) -> Rc<Budget> {
        Rc::new(Budget::new(limits))
    }

    #[test]
    fn an_exhausted_budget_ends_every_loop() {
        let limited = budget(Limits { steps: 1000, ..Limits::default() });
        let rounds = Cell::new(0_u64);
        let ended: Result<()> = metered(&limited, || {
            loop {
                rounds.set(rounds.get() + 1);
                compare::equals(&Value::Integer(1), &Value::Integer(2));
            }
        });
        assert_eq!(ended.unwrap_err().code.name, "EVALUATION_LIMIT");
        assert!((1000..1_000_000).contains(&rounds.get()), "{rounds:?}");
        let small = budget(Limits { memory: 1000, ..Limits::default() });
        assert_eq!(metered(&small, || memory(2000)).unwrap_err().code.name, "MEMORY_LIMIT");
    }

    #[test]
    fn without_a_budget_nothing_ends() {
        work(10_000_000);
        assert!(spent() > 0);
        assert_eq!(metered(&budget(Limits::default()), || work(10_000)).ok(), Some(()));
        work(10_000_000);
    }

    #[test]
    fn other_panics_pass() {
        let caught = catch_unwind(|| metered(&budget(Limits::default()), || resume_unwind(Box::new(3))));
        assert_eq!(caught.map(|_| ()).unwrap_err().downcast_ref::<i32>(), Some(&3));
    }
}
