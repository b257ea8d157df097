//! Every target of `kukla_tests::fuzz` on its seeds and on mutations of them: a short run with every run of the tests, a long one when
//! asked for.
//!
//! `KUKLA_FUZZ_RUNS` says how many mutations of each target, `KUKLA_FUZZ_TARGETS` which targets (names with commas between),
//! `KUKLA_FUZZ_SECONDS` after how long a target is left for the next, `KUKLA_FUZZ_SEED` where to begin, so that two runs see different texts. A text that breaks something is shown and left in the
//! directory `KUKLA_FUZZ_FOUND`, if that is set; so is the last text of each target, for what ends the process. `KUKLA_FUZZ_CORPUS` is a directory that the seeds are written to, for libFuzzer.

#![allow(clippy::disallowed_methods)] // reads the environment and writes what it has found

use std::fs::File;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kukla_tests::fuzz::{Mutator, TARGETS, Target};

/// That of the command, so that memory and time are what they are there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The stack of the threads of commands and servers, without which the compiler takes a new one for each program.
const STACK: usize = 16 << 20;

/// The memory limit of one input, and the threshold from which memory is measured.
const LONGEST: Duration = Duration::from_secs(5);
const MOST_MEGABYTES: u64 = 500;
const SUSPICIOUS: Duration = Duration::from_millis(20);

/// How many mutations each target gets without being asked.
const SHORT: u64 = 300;

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Resets the peak memory, where the system supports it.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory the process has used since, in megabytes, where the system reports it.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0) / 1024
}

/// The CPU time of this thread, where the system reports it.
fn on_core() -> Option<Duration> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    status.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// How long a text takes that took long by the clock, which the neighbours may be to blame for.
fn taken_alone(target: &Target, text: &[u8], by_the_clock: Duration) -> Duration {
    let began = on_core();
    let _ = catch_unwind(AssertUnwindSafe(|| (target.run)(text)));
    on_core().zip(began).map_or(by_the_clock, |(now, began)| now.saturating_sub(began))
}

/// Where a text is left that breaks something.
fn found_file(target: &Target, name: &str) -> Option<PathBuf> {
    let directory = PathBuf::from(setting("KUKLA_FUZZ_FOUND")?);
    std::fs::create_dir_all(&directory).expect("a directory to write to");
    Some(directory.join(format!("{}-{name}", target.name)))
}

/// Leaves a text in a file that is written over and over.
fn leave(mut file: &File, text: &[u8]) -> std::io::Result<()> {
    file.rewind()?;
    file.write_all(text)?;
    file.set_len(text.len() as u64)
}

fn run(target: &Target, most: u64, seconds: u64, seed: u64) -> Vec<String> {
    forget_peak();
    let mut mutator = Mutator::new(seed);
    let (mut failures, mut runs) = (Vec::new(), 0);
    let (start, mut slowest) = (Instant::now(), Duration::ZERO);
    let last = found_file(target, "last").map(|file| File::create(file).expect("a file to write to"));
    let seeds = target.seeds.iter().map(|seed| seed.as_bytes().to_vec());
    let mutations = (0..most).map(|_| mutator.text(target.seeds));
    for text in seeds.chain(mutations) {
        let began = Instant::now();
        if began.duration_since(start).as_secs() >= seconds {
            break;
        }
        runs += 1;
        if let Some(last) = &last {
            leave(last, &text).expect("room for a text");
        }
        let mut wrong = catch_unwind(AssertUnwindSafe(|| (target.run)(&text))).err().map(|_| "panics");
        let mut took = began.elapsed();
        if took > Duration::from_secs(1) {
            took = taken_alone(target, &text, took);
        }
        if took > LONGEST {
            wrong = Some("takes too long");
        }
        // Whatever takes much memory takes time to fill it, and to ask at each text would take longer than the text.
        if took > SUSPICIOUS && peak() > MOST_MEGABYTES {
            wrong = Some("takes too much memory");
            forget_peak();
        }
        if let Some(wrong) = wrong {
            let shown = String::from_utf8_lossy(&text).into_owned();
            if let Some(file) = found_file(target, &failures.len().to_string()) {
                std::fs::write(file, &text).expect("room for a text");
            }
            failures.push(format!("{} {wrong}: {shown:?}", target.name));
            if failures.len() >= 5 {
                break;
            }
        }
        slowest = slowest.max(took);
    }
    println!(
        "{:14} {:>9} runs {:>7.1} s, slowest {:>6.0} ms, peak {:>4} MB",
        target.name,
        runs,
        start.elapsed().as_secs_f64(),
        slowest.as_secs_f64() * 1000.0,
        peak()
    );
    failures
}

#[test]
fn no_text_breaks_anything() {
    let number = |name| setting(name).and_then(|value| value.parse().ok());
    let (runs, seed) = (number("KUKLA_FUZZ_RUNS").unwrap_or(SHORT), number("KUKLA_FUZZ_SEED").unwrap_or(1));
    let seconds = number("KUKLA_FUZZ_SECONDS").unwrap_or(u64::MAX);
    let only = setting("KUKLA_FUZZ_TARGETS");
    let is_wanted =
        |target: &&Target| only.as_ref().is_none_or(|only| only.split(',').any(|name| name == target.name));
    let run_all = || -> Vec<String> {
        TARGETS.iter().filter(is_wanted).flat_map(|target| run(target, runs, seconds, seed)).collect()
    };
    let failures = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run_all);
        thread.expect("a thread").join().expect("whatever panics is caught")
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn seeds_can_be_written_for_other_tools() {
    let Some(directory) = setting("KUKLA_FUZZ_CORPUS") else { return };
    for target in TARGETS {
        let directory = format!("{directory}/{}", target.name);
        std::fs::create_dir_all(&directory).expect("a directory");
        for (n, seed) in target.seeds.iter().enumerate() {
            std::fs::write(format!("{directory}/seed-{n}"), seed).expect("a file");
        }
    }
}
