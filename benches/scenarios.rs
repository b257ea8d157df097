//! `cargo bench -p kukla-benches`: every scenario, Kukla and (where `KUKLA_REFERENCE` names its command) real Puppet, in turns.
//!
//! `KUKLA` names the binary to time (`target/release/kukla`); arguments select scenarios by name. Cold is the first
//! compilation of a process, start-up included; warm is the mean of the following ones in the same process. Times are those
//! that the processes spent on a core, since the clock on the wall measures the neighbours too; where the system does not
//! tell, it is the clock after all. `KUKLA_BENCH_KEEP` names a directory to leave the scenarios in, each with its request.

#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kukla_benches::peer::Peer;
use kukla_benches::scenario::{Scenario, all};
use serde_json::{Value, json};

struct Timing {
    cold: Duration,
    warm: Duration,
    memory: Option<f64>,
    resources: usize,
}

/// How often to measure.
#[derive(Clone, Copy)]
struct Rounds {
    /// Processes started; the best start counts.
    cold: usize,
    /// Compilations in the last process, after one that is not timed.
    warm: u32,
}

fn time(command: &str, params: &Value, rounds: Rounds) -> Result<Timing, String> {
    let mut cold = Duration::MAX;
    for round in 1.. {
        let start = Instant::now();
        let mut peer = Peer::start(command).map_err(|error| format!("{command}: {error}"))?;
        let ask = |peer: &mut Peer| peer.ask("compile", params).map_err(|error| error.to_string());
        let answer = ask(&mut peer)?;
        let spent = |peer: &Peer| peer.processor_time().unwrap_or_else(|| start.elapsed());
        cold = cold.min(spent(&peer));
        if round < rounds.cold {
            continue;
        }
        let answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        if let Some(error) = answer.get("error") {
            return Err(error["message"].to_string());
        }
        let memory = peer.peak_memory();
        ask(&mut peer)?;
        let before = spent(&peer);
        for _ in 0..rounds.warm {
            ask(&mut peer)?;
        }
        let warm = (spent(&peer) - before) / rounds.warm;
        let resources = answer["result"]["catalog"]["resources"].as_array().map_or(0, Vec::len);
        return Ok(Timing { cold, warm, memory, resources });
    }
    Err("no round was asked for".into())
}

fn compare(scenario: &Scenario, kukla: &str, reference: Option<&str>) -> Result<String, String> {
    let kept = std::env::var_os("KUKLA_BENCH_KEEP").map(PathBuf::from);
    let root = match &kept {
        Some(directory) => directory.join(scenario.name),
        None => std::env::temp_dir().join(format!("kukla-bench-{}-{}", std::process::id(), scenario.name)),
    };
    let params = scenario.write(&root).map_err(|error| error.to_string())?;
    let ours = time(kukla, &params, Rounds { cold: 5, warm: 50 });
    let theirs = reference.map(|command| time(command, &params, Rounds { cold: 1, warm: 3 }));
    let _ = match kept {
        Some(_) => {
            let request = json!({"id": 1, "method": "compile", "params": params});
            std::fs::write(root.join("request.json"), format!("{request}\n"))
        }
        None => std::fs::remove_dir_all(&root),
    };
    let ours = ours?;
    let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
    let mut row = format!(
        "| {} | {} | {:.1} | {:.2} | {} |",
        scenario.name,
        ours.resources,
        milliseconds(ours.cold),
        milliseconds(ours.warm),
        ours.memory.map_or_else(|| "-".into(), |mb| format!("{mb:.0}")),
    );
    if let Some(theirs) = theirs {
        let theirs = theirs.map_err(|error| format!("reference: {error}"))?;
        let ratio = |theirs: Duration, ours: Duration| theirs.as_secs_f64() / ours.as_secs_f64().max(1e-9);
        row += &format!(
            " {:.0} | {:.1} | {} | {:.0} | {:.0} |",
            milliseconds(theirs.cold),
            milliseconds(theirs.warm),
            theirs.memory.map_or_else(|| "-".into(), |mb| format!("{mb:.0}")),
            ratio(theirs.cold, ours.cold),
            ratio(theirs.warm, ours.warm),
        );
    }
    Ok(row)
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let kukla = std::env::var("KUKLA").unwrap_or_else(|_| "target/release/kukla".into());
    let reference = std::env::var("KUKLA_REFERENCE").ok();
    let mut head = String::from("| scenario | resources | cold ms | warm ms | peak MB |");
    let mut rule = String::from("|---|---|---|---|---|");
    if reference.is_some() {
        head += " Puppet cold ms | Puppet warm ms | Puppet peak MB | cold ratio | warm ratio |";
        rule += "---|---|---|---|---|";
    }
    println!("{head}\n{rule}");
    let mut failed = 0;
    for scenario in all() {
        if !wanted.is_empty() && !wanted.iter().any(|name| scenario.name.contains(name.as_str())) {
            continue;
        }
        match compare(&scenario, &kukla, reference.as_deref()) {
            Ok(row) => println!("{row}"),
            Err(error) => {
                failed += 1;
                println!("| {} | failed: {error} |", scenario.name);
            }
        }
    }
    if failed > 0 {
        std::process::exit(1);
    }
}
