//! `cargo bench -p kukla-benches`: every scenario, Kukla and real Puppet, in turns.
//!
//! `KUKLA` names the binary to time (`target/release/kukla`), `KUKLA_REFERENCE` the command of a Puppet that answers `rpc` (by
//! default the one that is installed, with `benches/puppet.rb`; none if it is empty); arguments select scenarios by name. Cold
//! is the first compilation of a process, start-up included; warm is the mean of later ones in the same process, each in a
//! new environment, or all in one that is kept. `KUKLA_BENCH_KEEP` names a directory to leave the scenarios in, each with its
//! request, `KUKLA_PLOTS` one to draw the ratios in. `KUKLA_CORPUS` names a directory of real catalogs (a `cases.json` says
//! what to compile) of which the largest are measured first.

#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use kukla_benches::plot::{self, Series};
use kukla_benches::scenario::{Scenario, all};
use kukla_benches::timing::{FEW, MANY, Timing, kukla, mean, milliseconds, puppet, ratio, time};
use serde_json::{Value, json};

/// How many of the real catalogs are measured.
const LARGEST: usize = 10;

/// The input of a compilation: a scenario, or a real catalog.
struct Workload {
    name: String,
    params: Value,
    /// Where its files lie, if they are to be removed.
    files: Option<PathBuf>,
}

fn scenario(scenario: &Scenario) -> Workload {
    let kept = std::env::var_os("KUKLA_BENCH_KEEP").map(PathBuf::from);
    let root = match &kept {
        Some(directory) => directory.join(scenario.name),
        None => std::env::temp_dir().join(format!("kukla-bench-{}-{}", std::process::id(), scenario.name)),
    };
    let params = scenario.write(&root).expect("a place for the files");
    if kept.is_some() {
        let request = json!({"id": 1, "method": "compile", "params": params});
        std::fs::write(root.join("request.json"), format!("{request}\n")).expect("a place for the request");
    }
    Workload { name: scenario.name.into(), params, files: kept.is_none().then_some(root) }
}

/// The largest of the real catalogs, each with its request.
fn corpus(directory: &Path) -> Option<Vec<Workload>> {
    let read = |path: PathBuf| serde_json::from_str::<Value>(&std::fs::read_to_string(path).ok()?).ok();
    let mut cases = read(directory.join("cases.json"))?.as_array()?.clone();
    cases.sort_by_key(|case| std::cmp::Reverse(case["resources"].as_u64()));
    let workload = |case: &Value| {
        let text = |key: &str| case[key].as_str();
        let mut params = case.get("params").cloned().filter(Value::is_object).unwrap_or_else(|| json!({}));
        if params.pointer("/settings/strict").is_none() {
            // Current modules contain code that Puppet 8 rejects by default.
            params["settings"]["strict"] = json!("warning");
        }
        params["manifest"] = json!(directory.join(text("manifest")?));
        let facts = read(directory.join(format!("facts/{}.json", text("facts")?)))?;
        params["node"] = case.get("node").unwrap_or(&facts["fqdn"]).clone();
        params["facts"] = facts;
        params["modulepath"] = json!([directory.join("modules"), "/usr/share/puppet/modules"]);
        if let Some(hiera) = text("hiera_config") {
            params["hiera_config"] = json!(directory.join(hiera));
        }
        Some(Workload { name: text("name")?.to_owned(), params, files: None })
    };
    Some(cases.iter().take(LARGEST).filter_map(workload).collect())
}

fn row(name: &str, ours: &Timing, theirs: Option<&Timing>) -> String {
    let megabytes = |timing: &Timing| timing.memory.map_or_else(|| "-".into(), |mb| format!("{mb:.0}"));
    let mut row = format!(
        "| {name} | {} | {:.1} | {:.2} | {:.2} | {} |",
        ours.resources,
        milliseconds(ours.cold),
        milliseconds(ours.renewed),
        milliseconds(ours.kept),
        megabytes(ours),
    );
    if let Some(theirs) = theirs {
        row += &format!(
            " {:.0} | {:.1} | {:.1} | {} | {:.0} | {:.0} | {:.0} |",
            milliseconds(theirs.cold),
            milliseconds(theirs.renewed),
            milliseconds(theirs.kept),
            megabytes(theirs),
            ratio(theirs.cold, ours.cold),
            ratio(theirs.renewed, ours.renewed),
            ratio(theirs.kept, ours.kept),
        );
    }
    row
}

/// The ratios of all workloads, in the order of the table.
#[derive(Default)]
struct Ratios {
    names: Vec<String>,
    cold: Vec<f64>,
    renewed: Vec<f64>,
    kept: Vec<f64>,
}

impl Ratios {
    fn add(&mut self, name: &str, ours: &Timing, theirs: &Timing) {
        self.names.push(name.to_owned());
        self.cold.push(ratio(theirs.cold, ours.cold));
        self.renewed.push(ratio(theirs.renewed, ours.renewed));
        self.kept.push(ratio(theirs.kept, ours.kept));
    }

    fn tell(&self) {
        for (what, ratios) in
            [("cold", &self.cold), ("new environment", &self.renewed), ("kept environment", &self.kept)]
        {
            let least = self.names.iter().zip(ratios).min_by(|one, other| one.1.total_cmp(other.1));
            if let Some((name, least)) = least {
                println!(
                    "{what}: {:.0} times as fast on the mean, {least:.0} the least ({name})",
                    mean(ratios)
                );
            }
        }
    }

    fn plot(&self) -> std::io::Result<()> {
        let series = |name, ratios: &[f64]| Series {
            name,
            points: ratios.iter().map(|ratio| (0.0, *ratio)).collect(),
        };
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let all = [
            series("from the command line", &self.cold),
            series("warm, new environment", &self.renewed),
            series("warm, kept environment", &self.kept),
        ];
        plot::write("scenarios", &plot::bars("Kukla against Puppet: times as fast", "×", &names, &all))
    }
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let (kukla, puppet) = (kukla(), puppet());
    let mut head = String::from("| scenario | resources | cold ms | warm ms | kept ms | peak MB |");
    let mut rule = String::from("|---|---:|---:|---:|---:|---:|");
    if puppet.is_some() {
        head += " Puppet cold ms | warm ms | kept ms | peak MB | cold ratio | warm ratio | kept ratio |";
        rule += "---:|---:|---:|---:|---:|---:|---:|";
    }
    println!("{head}\n{rule}");
    let real = std::env::var_os("KUKLA_CORPUS").and_then(|directory| corpus(Path::new(&directory)));
    let scenarios = all();
    let generated = scenarios.iter().filter(|of| is_wanted(of.name)).map(scenario);
    let real = real.into_iter().flatten().filter(|workload| is_wanted(&workload.name));
    let (mut failed, mut ratios) = (false, Ratios::default());
    for workload in real.chain(generated) {
        let Workload { name, params, files } = workload;
        let ours = time(&kukla, &params, MANY);
        let theirs = puppet.as_ref().map(|command| time(command, &params, FEW)).transpose();
        match ours.and_then(|ours| Ok((ours, theirs.map_err(|error| format!("Puppet: {error}"))?))) {
            Ok((ours, theirs)) => {
                println!("{}", row(&name, &ours, theirs.as_ref()));
                if let Some(theirs) = theirs {
                    ratios.add(&name, &ours, &theirs);
                }
            }
            Err(error) => {
                failed = true;
                println!("| {name} | failed: {error} |");
            }
        }
        if let Some(files) = files {
            let _ = std::fs::remove_dir_all(files);
        }
    }
    ratios.tell();
    ratios.plot().expect("a place for the plot");
    std::process::exit(i32::from(failed));
}
