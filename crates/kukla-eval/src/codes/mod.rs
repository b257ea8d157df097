//! The rules that evaluation can find broken, by theme.

mod calls;
mod data;
mod expressions;
mod names;
mod resources;

use kukla_syntax::Code;

pub use calls::*;
pub use data::*;
pub use expressions::*;
pub use names::*;
pub use resources::*;

/// Every code of evaluation.
pub fn all() -> impl Iterator<Item = &'static Code> {
    [EXPRESSIONS, CALLS, NAMES, RESOURCES, DATA].into_iter().flatten().copied()
}
