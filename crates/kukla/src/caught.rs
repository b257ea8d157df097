//! A mistake in Kukla costs the one answer that it is made in, and not those beside it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kukla_syntax::{Diagnostic, Stage, diagnostic};

use crate::codes::INTERNAL_FAILURE;

/// Runs something; a panic is an error like others, with a code of its own.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Box<Diagnostic>> {
    // Half-done work belongs to this run alone; shared state is written completely or not at all.
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| Box::new(failure(&*panic)))
}

fn failure(panic: &(dyn Any + Send)) -> Diagnostic {
    let text = panic.downcast_ref::<&str>().copied();
    let what = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic");
    diagnostic!(INTERNAL_FAILURE { what }; hint: "this is a mistake in Kukla; please report it, with the code that shows it if you can")
        .in_stage(Stage::Internal)
}
