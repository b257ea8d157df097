//! Limits hold for every built-in function: each one is called with large and hostile arguments under a small budget. It returns or exceeds a
//! limit, in time and memory that are in proportion to the budget.
//!
//! A test run makes one call in [`ONE_IN`]; `KUKLA_FUNCTION_CALLS=TEXT` makes all those with a text in them (all, if it is empty), and prints
//! the slow ones.

#![allow(
    clippy::disallowed_methods,
    reason = "measures time and memory, and which calls are made is a setting"
)]

use std::time::Duration;

use kukla::{Compiler, MemoryWorld, Node, SiteSpec, Value};

/// How many calls there are for each that is made without being asked.
const ONE_IN: usize = 97;

/// How long a call may take on a slow machine: the budget is that of some hundredths of a second.
const LONGEST: Duration = Duration::from_secs(2);

/// How much memory the process may take while it makes calls, in megabytes; asked only when nothing else runs.
const MOST_MEGABYTES: u64 = 400;

const LIMITS: &[(&str, i64)] = &[
    ("limit_steps", 500_000),
    ("limit_memory", 64 << 20),
    ("limit_logs", 1_000),
    ("limit_resources", 1_000),
];

/// Large values of every kind.
const THINGS: &str = r#"
type Tree = Variant[Integer, Array[Tree], Hash[String, Tree]]
$text = Integer[1, 15].reduce('äb c1%s,') |$a, $i| { "${a}${a}" }
$digits = Integer[1, 15].reduce('1234567') |$a, $i| { "${a}${a}" }
$lines = Integer[1, 14].reduce("- a\n") |$a, $i| { "${a}${a}" }
$list = Array(Integer[1, 20000])
$texts = $list.map |$i| { "text ${i}" }
$pairs = Array(Integer[1, 3000]).map |$i| { ["k${i}", $i] }
$hash = Hash($pairs)
$nested = Array(Integer[1, 18]).reduce([1]) |$a, $i| { [$a, $a] }
$tree = Array(Integer[1, 18]).reduce({ a => 1 }) |$a, $i| { { a => $a, b => $a } }
$deep = Array(Integer[1, 400]).reduce([1]) |$a, $i| { [$a] }
$types = Variant[*$list[0, 2000].map |$i| { Integer[$i * 2, $i * 2] }]
$type = Array(Integer[1, 16]).reduce(Integer) |$a, $i| { Tuple[$a, $a] }
$endless = Integer[0, 9223372036854775807]
$secret = Sensitive($nested)
"#;

/// Arguments that are tried with every function.
const ARGUMENTS: &[&str] = &[
    "()",
    "($text)",
    "($digits)",
    "($lines)",
    "($list)",
    "($texts)",
    "($hash)",
    "($nested)",
    "($tree)",
    "($deep)",
    "($types)",
    "($type)",
    "($endless)",
    "($secret)",
    "(9223372036854775807)",
    "(-1, $text)",
    "($text, $text)",
    "($text, 'a')",
    "($text, '(?=(a*))*b|.')",
    "('a', $text)",
    "($list, $list)",
    "($texts, $texts)",
    "($hash, $hash)",
    "($tree, $tree)",
    "($nested, $nested)",
    "($hash, $text)",
    "($texts, $text)",
    "($types, $list)",
    "($type, $nested)",
    "(3, 1000000000)",
    "('a', 1000000000)",
    "(1, 1000000000, 1)",
    "('%1000000000d', 1)",
    "($text, $list, $hash)",
    "('a', 'sha-512', 'rounds=999999999$a')",
    "('a', 'bcrypt', '31$abcdefghijklmnopqrstuv')",
    "('a', $text, 1000000000)",
    "($text, 'a', $text, 'G')",
    "($text, '.*z|a', 'b', 'G')",
    "(*$list)",
    "(*$texts)",
    "($list) |$x| { $list }",
    "($list) |$a, $b| { $b }",
    "($nested) |$x| { $text }",
    "($hash) |$k, $v| { $k }",
    "($endless) |$x| { $x }",
    "($list, 0) |$a, $b| { $a }",
];

/// The CPU time of this thread.
fn on_core() -> Duration {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(status.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0))
}

/// The most memory that the process has taken, in megabytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0) / 1024
}

/// The code of the error that a call ends with; `fine` without one.
fn outcome(call: &str) -> &'static str {
    let mut spec = SiteSpec::of(format!("{THINGS}\n$result = {call}\n"));
    for (limit, most) in LIMITS {
        spec.settings.set(limit, Value::Integer(*most)).expect("a setting");
    }
    let site = Compiler::new(MemoryWorld::default()).open(&spec);
    let result = site.and_then(|site| site.eval(&Node::named("n")).result.map(drop));
    result.map_or_else(|wrong| wrong.code.name, |()| "fine")
}

#[test]
fn large_values_fit_into_the_budget() {
    assert_eq!(outcome("1"), "fine");
}

#[test]
fn every_function_keeps_to_the_limits() {
    let wanted = std::env::var("KUKLA_FUNCTION_CALLS").ok();
    let mut wrong = Vec::new();
    let mut number = 0_usize;
    for name in kukla::registry().names() {
        for arguments in ARGUMENTS {
            number += 1;
            let call = format!("{}{arguments}", name.as_str());
            let is_chosen = match &wanted {
                Some(text) => call.contains(text.as_str()),
                None => number.is_multiple_of(ONE_IN),
            };
            if !is_chosen {
                continue;
            }
            let began = on_core();
            let code = outcome(&call);
            let taken = on_core().saturating_sub(began);
            if wanted.is_some() && taken > LONGEST / 8 {
                println!("{:>6} ms  {code} {call}", taken.as_millis());
            }
            if code == "INTERNAL_FAILURE" || taken > LONGEST {
                wrong.push(format!("{call}: {code} after {} ms", taken.as_millis()));
            }
            if wanted.is_some() && peak() > MOST_MEGABYTES {
                wrong.push(format!("{call}: {} MB", peak()));
                let _ = std::fs::write("/proc/self/clear_refs", "5");
            }
        }
    }
    assert!(number > 1000, "{number}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
