//! `cargo bench -p kukla-benches --bench instructions`: how many instructions each scenario takes, which no neighbour changes, against
//! `benches/instructions.txt`. Those limits only go down: more than a tolerance above one is a failure, and `--write` lowers those that are
//! beaten and adds what is missing.
//!
//! `KUKLA` names the binary (`target/quick/kukla`: the limits are for the `quick` profile). valgrind counts; without it the comparison is a
//! skip, which fails in CI (`tests/skips.txt`). A scenario without limits is a failure too. Cold is the first compilation of a process, its start included; warm is the second.
//!
//! Then the parts of compilations, each against its limit in `benches/parts.txt`: the difference between a scenario with many of something
//! and one with few, in the second compilation, which is that of another node.

#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kukla_benches::part::{self, Part};
use kukla_benches::scenario::{Scenario, all};
use serde_json::{Value, json};

/// The tolerance for another libc, another valgrind or other addresses: a share, and some thousands of instructions.
const TOLERANCE: f64 = 0.15;
const SLACK: f64 = 200.0;

/// How many instructions a program takes: `kukla rpc` over a file of requests, or anything without them.
fn count(program: &str, requests: Option<&Path>) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program]).stdout(Stdio::null());
    match requests {
        Some(requests) => command.arg("rpc").stdin(std::fs::File::open(requests).ok()?),
        None => command.stdin(Stdio::null()),
    };
    let said = String::from_utf8(command.output().ok()?.stderr).ok()?;
    let (_, number) = said.lines().find_map(|line| line.split_once("refs:"))?;
    number.trim().replace(',', "").parse().ok()
}

/// Instructions of the first compilation and of the second.
type Counts = (u64, u64);

/// Counts two compilations of a scenario, the second for the node that `second` names.
fn measure(kukla: &str, scenario: &Scenario, root: &Path, second: Option<&str>) -> Result<Counts, String> {
    let params = scenario.write(root).map_err(|error| error.to_string())?;
    let request = |params: &Value| json!({"id": 1, "method": "compile", "params": params}).to_string() + "\n";
    let first = request(&params);
    let mut other = params;
    if let Some(node) = second {
        other["node"] = node.into();
    }
    let counted = |text: &str| {
        let path = root.join("requests");
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        count(kukla, Some(&path)).ok_or_else(|| format!("{kukla} was not counted"))
    };
    let (once, twice) = (counted(&first)?, counted(&(first.clone() + &request(&other)))?);
    Ok((once, twice.saturating_sub(once)))
}

/// The instructions of one of a part.
fn measure_part(kukla: &str, part: &Part, root: &Path) -> Result<u64, String> {
    let warm = |scenario: &Scenario, place: &str| {
        measure(kukla, scenario, &root.join(place), Some("other.example.com")).map(|(_, second)| second)
    };
    let (few, many) = (warm(&part.few, "few")?, warm(&part.many, "many")?);
    Ok(many.saturating_sub(few) / part.count)
}

/// The parts against their limits, and how many failed.
fn check_parts(kukla: &str, wanted: &[&String], root: &Path, writes: bool) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("parts.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    let mut limits: BTreeMap<String, u64> =
        rows.filter_map(|(name, most)| Some((name.to_owned(), most.trim().parse().ok()?))).collect();
    let mut failed = 0;
    println!("\ninstructions");
    for part in part::all() {
        if !wanted.is_empty() && !wanted.iter().any(|name| part.name.contains(name.as_str())) {
            continue;
        }
        let counted = match measure_part(kukla, &part, &root.join(part.name)) {
            Ok(counted) => counted,
            Err(error) => {
                failed += 1;
                println!("{:<22} {error}", part.name);
                continue;
            }
        };
        let verdict = match limits.get(part.name) {
            Some(most) if counted as f64 > *most as f64 * (1.0 + TOLERANCE) + SLACK => {
                failed += 1;
                format!("ABOVE its limit, {most}")
            }
            Some(most) if counted < *most => format!("below its limit, {most}"),
            Some(_) => "within its limit".into(),
            None if writes => "has a limit now".into(),
            None => {
                failed += 1;
                "has no limit; `--write` gives it one".into()
            }
        };
        println!("{:<22} {counted:>9}  {:<42} {verdict}", part.name, part.about);
        let most = limits.get(part.name).map_or(counted, |most| counted.min(*most));
        limits.insert(part.name.to_owned(), most);
    }
    if writes {
        let mut text = String::from("# part, instructions of each; they only go down\n");
        limits.iter().for_each(|(name, most)| text += &format!("{name} {most}\n"));
        if let Err(error) = std::fs::write(&path, text) {
            println!("{}: {error}", path.display());
            failed += 1;
        }
    }
    failed
}

fn limits(path: &Path) -> BTreeMap<String, Counts> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), (words.next()?.parse().ok()?, words.next()?.parse().ok()?)))
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let writes = arguments.iter().any(|argument| argument == "--write");
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    if count("true", None).is_none() {
        kukla_testing::skip("kukla-benches/instructions", "there is no valgrind to count instructions");
        return;
    }
    let kukla = std::env::var("KUKLA").unwrap_or_else(|_| "target/quick/kukla".into());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt");
    let mut limits = limits(&path);
    let root: PathBuf = std::env::temp_dir().join(format!("kukla-instructions-{}", std::process::id()));
    let mut failed = 0;
    println!("thousands of instructions");
    for scenario in all() {
        if !wanted.is_empty() && !wanted.iter().any(|name| scenario.name.contains(name.as_str())) {
            continue;
        }
        let counted = measure(&kukla, &scenario, &root.join(scenario.name), None);
        let (cold, warm) = match counted {
            Ok((cold, warm)) => (cold / 1000, warm / 1000),
            Err(error) => {
                failed += 1;
                println!("{:<22} {error}", scenario.name);
                continue;
            }
        };
        let limit = limits.get(scenario.name).copied();
        let is_above = |counted: u64, limit: u64| counted as f64 > limit as f64 * (1.0 + TOLERANCE) + SLACK;
        let verdict = match limit {
            Some((most_cold, most_warm)) if is_above(cold, most_cold) || is_above(warm, most_warm) => {
                failed += 1;
                format!("ABOVE its limits, {most_cold} and {most_warm}")
            }
            Some((most_cold, most_warm)) if cold < most_cold || warm < most_warm => {
                format!("below its limits, {most_cold} and {most_warm}")
            }
            Some(_) => "within its limits".into(),
            None if writes => "has limits now".into(),
            None => {
                failed += 1;
                "has no limits; `--write` gives it some".into()
            }
        };
        println!("{:<22} {cold:>9} cold {warm:>9} warm  {verdict}", scenario.name);
        let (most_cold, most_warm) = limit.unwrap_or((u64::MAX, u64::MAX));
        limits.insert(scenario.name.to_owned(), (cold.min(most_cold), warm.min(most_warm)));
    }
    failed += check_parts(&kukla, &wanted, &root, writes);
    let _ = std::fs::remove_dir_all(&root);
    if writes {
        let mut text =
            String::from("# scenario, thousands of instructions cold and warm; they only go down\n");
        for (name, (cold, warm)) in &limits {
            let _ = writeln!(text, "{name} {cold} {warm}");
        }
        if let Err(error) = std::fs::write(&path, text) {
            println!("{}: {error}", path.display());
            failed += 1;
        }
    }
    if failed > 0 {
        std::process::exit(1);
    }
}
