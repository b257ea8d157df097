//! The cost of a compilation in another process, over the machine interface.

#![allow(clippy::disallowed_methods)] // this is where time is measured

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::peer::Peer;

/// The time and memory of one compilation.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The first catalog of a process, its start included.
    pub cold: Duration,
    /// A later one, for which the files are looked at again (`environment_timeout = 0`).
    pub renewed: Duration,
    /// A later one in an environment that is kept (`environment_timeout = unlimited`).
    pub kept: Duration,
    /// The most memory held up to the first catalog, in megabytes.
    pub memory: Option<f64>,
    /// How many resources the catalog has.
    pub resources: usize,
}

/// How often to measure.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// Processes started; the best start counts.
    pub cold: usize,
    /// Compilations in the last process, after one that is not timed; for each way of keeping environments.
    pub warm: u32,
}

/// Rounds for Kukla, which is over soon.
pub const MANY: Rounds = Rounds { cold: 5, warm: 50 };
/// Rounds for real Puppet.
pub const FEW: Rounds = Rounds { cold: 2, warm: 3 };

/// The binary to time.
pub fn kukla() -> String {
    std::env::var("KUKLA").unwrap_or_else(|_| "target/release/kukla".into())
}

/// The command of real Puppet: what `KUKLA_REFERENCE` says, else the one that is installed, if any.
pub fn puppet() -> Option<String> {
    let given = std::env::var("KUKLA_REFERENCE").ok();
    let driver = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("puppet.rb");
    let command = given.unwrap_or_else(|| format!("ruby {}", driver.display()));
    if command.is_empty() {
        return None;
    }
    let compile = json!({"code": "", "node": "localhost"});
    let answers = Peer::start(&command).and_then(|mut peer| peer.ask("compile", &compile));
    if answers.is_err() {
        eprintln!("`{command}` does not answer: Kukla is timed alone");
    }
    answers.ok().map(|_| command)
}

/// Times the compilation that `params` ask for. The first one is timed by the clock, since several threads may be at work; later ones by
/// what the processes spend on a core, as the clock measures the neighbours too, where the system tells.
pub fn time(command: &str, params: &Value, rounds: Rounds) -> Result<Timing, String> {
    let mut cold = Duration::MAX;
    for round in 1.. {
        let start = Instant::now();
        let mut peer = Peer::start(command).map_err(|error| format!("{command}: {error}"))?;
        let answer = peer.ask("compile", params).map_err(|error| error.to_string())?;
        cold = cold.min(start.elapsed());
        let spent = |peer: &Peer| peer.processor_time().unwrap_or_else(|| start.elapsed());
        if round < rounds.cold {
            continue;
        }
        let answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        if let Some(error) = answer.get("error") {
            return Err(error["message"].to_string());
        }
        let memory = peer.peak_memory();
        let mut warm = |params: &Value| {
            let mut before = Duration::ZERO;
            for round in 0..=rounds.warm {
                peer.ask("compile", params).map_err(|error| error.to_string())?;
                if round == 0 {
                    before = spent(&peer);
                }
            }
            Ok::<Duration, String>((spent(&peer) - before) / rounds.warm)
        };
        let renewed = warm(params)?;
        let mut keeping = params.clone();
        keeping["settings"]["environment_timeout"] = json!("unlimited");
        let kept = warm(&keeping)?;
        let resources = answer["result"]["catalog"]["resources"].as_array().map_or(0, Vec::len);
        return Ok(Timing { cold, renewed, kept, memory, resources });
    }
    Err("no round was asked for".into())
}

/// How many times as long one takes as the other.
pub fn ratio(theirs: Duration, ours: Duration) -> f64 {
    theirs.as_secs_f64() / ours.as_secs_f64().max(1e-9)
}

/// In milliseconds.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The geometric mean; of nothing it is one.
pub fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp()
}
