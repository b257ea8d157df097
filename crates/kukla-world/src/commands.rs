//! Commands whose output depends on their arguments and the time alone, each run once where the policy lets no time pass.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::{CommandOutput, FileResult};

/// Programs that read nothing but their arguments and the clock, with the first arguments for which this holds.
const FUNCTIONS: &[(&str, &[&str])] = &[("systemd-analyze", &["calendar", "timespan", "timestamp"])];

/// How many outputs are remembered before the table starts over.
const LIMIT: usize = 4096;

/// Whether the output of a command depends on its arguments and the time alone.
pub fn is_function(command: &[String]) -> bool {
    let [program, first, ..] = command else { return false };
    let name = program.rsplit('/').next().unwrap_or_default();
    FUNCTIONS.iter().any(|(known, verbs)| *known == name && verbs.contains(&first.as_str()))
}

/// The outputs of such commands.
#[derive(Debug, Default)]
pub struct CommandOutputs(Mutex<FxHashMap<Vec<String>, CommandOutput>>);

impl CommandOutputs {
    /// The output of a command, which is run unless it was before. What cannot be run is tried again.
    pub fn get(
        &self,
        command: &[String],
        run: impl FnOnce() -> FileResult<CommandOutput>,
    ) -> FileResult<CommandOutput> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(output) = known().get(command) {
            return Ok(output.clone());
        }
        let output = run()?;
        let mut known = known();
        if known.len() >= LIMIT {
            known.clear();
        }
        known.insert(command.to_vec(), output.clone());
        Ok(output)
    }
}
