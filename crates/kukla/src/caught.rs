//! A mistake in Kukla costs the one answer that it is made in, and not those beside it.

use kukla_syntax::{Diagnostic, Stage, contain, diagnostic};

use crate::codes::INTERNAL_FAILURE;

/// Runs something; a panic is an error like others, with a code of its own.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Box<Diagnostic>> {
    contain(run).map_err(|what| {
        let wrong = diagnostic!(INTERNAL_FAILURE { what }; hint: "this is a mistake in Kukla; please report it, with the code that shows it if you can");
        Box::new(wrong.in_stage(Stage::Internal))
    })
}
