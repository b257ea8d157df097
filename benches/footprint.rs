//! `cargo bench -p kukla-benches --bench footprint`: what it takes to have it at all: the time and memory of commands that do
//! next to nothing, and the room on the disk.
//!
//! `KUKLA` names the binary, `PUPPET` the command of real Puppet (`puppet`), which is left out if there is none.

#![allow(clippy::disallowed_methods)]

use std::process::{Command, Stdio};

use kukla_benches::timing::kukla;

/// A command, its time on a core in milliseconds and its peak memory in megabytes: the best of several runs.
fn run(command: &str, arguments: &[&str], rounds: usize) -> Option<(f64, f64)> {
    let mut words = command.split_whitespace();
    let program = words.next()?;
    let once = || {
        // The system reports the resources of a process to its parent: here a shell, which prints them before it exits.
        let script = "\"$0\" \"$@\" >/dev/null 2>&1; code=$?; times; exit $code";
        let output = Command::new("bash")
            .args(["-c", script, program])
            .args(words.clone())
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        if !output.status.success() {
            return None;
        }
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.lines().nth(1)?.split_whitespace().filter_map(seconds).sum::<f64>() * 1e3)
    };
    let time = (0..rounds).map(|_| once()).collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::min)?;
    Some((time, peak(program, words.clone().chain(arguments.iter().copied()))?))
}

/// Minutes and seconds as the shell tells them: `0m1.234s`.
fn seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}

/// The most memory a command holds, read while it runs.
fn peak<'a>(program: &str, arguments: impl Iterator<Item = &'a str>) -> Option<f64> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut most: f64 = 0.0;
    while child.try_wait().ok()?.is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
        let held = line.split_whitespace().nth(1).and_then(|text| text.parse::<f64>().ok());
        most = most.max(held.unwrap_or_default() / 1024.0);
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
    Some(most)
}

/// How much the packages of Puppet take, with Ruby, where Debian's package manager tells.
fn packages() -> Option<f64> {
    let names = ["puppet-agent", "facter", "hiera", "ruby", "ruby3.1", "libruby3.1"];
    let output = Command::new("dpkg-query").args(["-Wf", "${Installed-Size}\n"]).args(names).output().ok()?;
    let sizes = String::from_utf8(output.stdout).ok()?;
    Some(sizes.lines().filter_map(|line| line.parse::<f64>().ok()).sum::<f64>() / 1024.0)
}

fn main() {
    let kukla = kukla();
    let puppet = std::env::var("PUPPET").unwrap_or_else(|_| "puppet".into());
    let manifest = std::env::temp_dir().join(format!("kukla-footprint-{}.pp", std::process::id()));
    std::fs::write(&manifest, "notify { 'hello': }\n").expect("a place for a manifest");
    let file = manifest.display().to_string();
    println!("| | Kukla ms | MB | Puppet ms | MB | ratio |");
    println!("|---|---:|---:|---:|---:|---:|");
    for (what, ours, theirs) in [
        ("version", vec!["--version"], vec!["--version"]),
        ("one file checked", vec!["check", &file], vec!["parser", "validate", &file]),
        ("`1 + 1`", vec!["eval", "-e", "1 + 1"], vec!["apply", "--noop", "-e", "notice(1 + 1)"]),
    ] {
        let Some((time, memory)) = run(&kukla, &ours, 5) else {
            println!("| {what} | failed |");
            continue;
        };
        let rest = run(&puppet, &theirs, 2).map_or_else(String::new, |(theirs, memory)| {
            format!(" {theirs:.0} | {memory:.0} | {:.0} |", theirs / time.max(0.5))
        });
        println!("| {what} | {time:.1} | {memory:.0} |{rest}");
    }
    let _ = std::fs::remove_file(manifest);
    let binary = std::fs::metadata(&kukla).map_or(0.0, |about| about.len() as f64 / 1048576.0);
    let packages = packages().map_or_else(String::new, |size| format!(" | {size:.0} MB |"));
    println!("| on the disk | {binary:.1} MB |{packages}");
}
