//! How long it takes to see that a realistic hash of parameters is a `Struct` of 40 entries.
//!
//! With `KUKLA_REFERENCE` set, Puppet is asked the same in the same run.

#![allow(clippy::disallowed_methods)] // a benchmark looks at the clock

#[path = "../tests/types/reference.rs"]
mod reference;

use std::hint::black_box;
use std::time::{Duration, Instant};

use kukla_values::types::Type;
use kukla_values::types::parse::parse_value;
use reference::Reference;

/// Eight of each kind that classes of real modules have.
fn sample() -> (String, String) {
    let kinds = [
        ("String[1]", "'/etc/app/app.conf'"),
        ("Enum['running', 'stopped']", "'running'"),
        ("Integer[1, 65535]", "8080"),
        ("Optional[Hash[String, Variant[String, Integer]]]", "{'retries' => 3, 'mode' => 'fast'}"),
        ("Variant[Boolean, Array[Pattern[/\\A[a-z.]+\\z/]]]", "['a.example.org', 'b.example.org']"),
    ];
    let mut fields = Vec::new();
    let mut entries = Vec::new();
    for i in 0..8 {
        for (j, (ty, value)) in kinds.iter().enumerate() {
            fields.push(format!("'parameter_{i}_{j}' => {ty}"));
            entries.push(format!("'parameter_{i}_{j}' => {value}"));
        }
    }
    (format!("Struct[{{{}}}]", fields.join(", ")), format!("{{{}}}", entries.join(", ")))
}

fn main() {
    let (ty_text, value_text) = sample();
    let ty = Type::parse(&ty_text).expect("a type");
    let value = parse_value(&value_text, &|_| None).expect("a value");
    assert!(ty.contains(&value));
    let mut best = Duration::MAX;
    // Short samples, so that on a busy machine some of them are left alone.
    for _ in 0..2_000 {
        let start = Instant::now();
        for _ in 0..100 {
            black_box(black_box(&ty).contains(black_box(&value)));
        }
        best = best.min(start.elapsed() / 100);
    }
    println!("membership in a Struct of 40 entries: {best:?}");
    let Ok(command) = std::env::var("KUKLA_REFERENCE") else { return };
    let mut reference = Reference::start(&command);
    let mut timed = |rounds: u32| {
        let program = format!("Integer[1, {rounds}].each |$i| {{ notice($v =~ $t) }}\n1");
        let start = Instant::now();
        let definitions = format!("$v = {value_text}\n$t = {ty_text}\n");
        reference
            .eval(&program.replace("notice($v =~ $t)", "$x = $v =~ $t"), &definitions)
            .expect("an answer");
        start.elapsed()
    };
    timed(100);
    let theirs = timed(4_100).saturating_sub(timed(100)) / 4_000;
    println!(
        "the same in Puppet, with one turn of a loop: {theirs:?}, {} times",
        theirs.as_nanos() / best.as_nanos().max(1)
    );
}
