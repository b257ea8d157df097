//! Suggestions for unknown names.

use kukla::syntax::{Problem, suggest};

/// A problem with an unknown name, with the nearest of the known names as help.
pub fn with_suggestion<'n>(
    problem: Problem,
    unknown: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Problem {
    match suggest::nearest(unknown, names) {
        Some(near) => problem.help(format!("did you mean '{near}'?")),
        None => problem,
    }
}
