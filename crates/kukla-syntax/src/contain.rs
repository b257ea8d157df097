//! Panics that cost one answer, not the process.
//!
//! A mistake of ours, or one in a library that reads somebody's damaged files, must not end a server, a language server or a run over
//! a whole fleet. [`contain`] is the one place where a panic becomes an ordinary failure.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

thread_local! {
    /// How many calls of [`contain`] are going on.
    static CONTAINED: Cell<usize> = const { Cell::new(0) };
    /// The position in the source of the last panic inside of one.
    static POSITION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was contained: its message and, if known, its position in Kukla's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainedPanic(String);

impl fmt::Display for ContainedPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ContainedPanic {}

/// Runs something; a panic is an error.
pub fn contain<T>(run: impl FnOnce() -> T) -> Result<T, ContainedPanic> {
    CONTAINED.set(CONTAINED.get() + 1);
    // Half-done work belongs to this run alone; shared state is written completely or not at all.
    let result = catch_unwind(AssertUnwindSafe(run));
    CONTAINED.set(CONTAINED.get() - 1);
    result.map_err(|panic| ContainedPanic(message(&*panic)))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic");
    match POSITION.take() {
        Some(position) => format!("{text} ({position})"),
        None => text.to_owned(),
    }
}

/// Prints no report of a panic that [`contain`] turns into an error, for the whole process: the error is the report.
pub fn silence_contained_panics() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic: &PanicHookInfo<'_>| match CONTAINED.get() {
        0 => report(panic),
        _ => POSITION.set(panic.location().map(ToString::to_string)),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(contain(|| 1), Ok(1));
        let position: Option<usize> = None;
        let wrong = contain(|| [1][position.map_or(3, |at| at)]).unwrap_err();
        assert!(wrong.to_string().contains("out of bounds"), "{wrong}");
        assert_eq!(CONTAINED.get(), 0);
    }
}
