//! The cost of patterns: to compile, and to search with.
//!
//! They are matched in places that know of no compilation (a type asks whether a value belongs to it), so the cost is counted by the
//! [`meter`](crate::meter).

use crate::meter;

/// Steps of the backtracking engine that take as long as one step of a budget.
const BACKTRACKING: u64 = 16;
/// Bytes of a compiled pattern that take as long to make as a step.
const COMPILING: usize = 4;
/// Bytes of a subject that a small pattern searches within a step.
const SEARCHING: usize = 256;
/// Up to how many bytes a compiled pattern is small; in a larger one many states may be alive at once.
const SMALL: usize = 32 << 10;

/// Counts steps of the backtracking engine.
pub(super) fn backtracked(steps: u64) {
    meter::steps(steps / BACKTRACKING);
}

/// Counts the compilation of a pattern of this number of bytes.
pub(super) fn compiled(bytes: usize) {
    meter::steps((bytes / COMPILING) as u64);
}

/// Counts a search of a compiled pattern of this size through this part of a subject.
pub(super) fn searched(bytes: usize, subject: usize) {
    meter::steps((subject / SEARCHING).saturating_mul(1 + bytes / SMALL) as u64);
}

/// Looks at the clock before a search through what may be the rest of a subject.
pub(super) fn before_search(bytes: usize) {
    meter::possible_text(bytes);
}
