//! Limits hold for every native method: each one is called on large receivers with large arguments, under small limits.
//!
//! There are very many such calls, so a test run makes one in [`ONE_IN`] of them. `KUKLA_RUBY_CALLS=TEXT` makes all those with a text in them
//! (all, if it is empty) and prints those that take long: they should have been charged for it.

#![allow(clippy::disallowed_methods, reason = "which calls are made is a setting, and slow ones are shown")]

use std::fmt::Write as _;
use std::time::Instant;

use kukla_ruby::{Host, Ruby, State, Unwind};
use kukla_syntax::diagnostic;
use kukla_values::codes::{EVALUATION_LIMIT, MEMORY_LIMIT};
use kukla_world::{MemoryWorld, World};

use crate::counting::peak_of;

/// How many bytes values may take.
const MEMORY: usize = 32 << 20;

/// How many calls there are for each that is made without being asked.
const ONE_IN: usize = 211;

/// How many steps a call may take.
const STEPS: u64 = 200_000;

struct Bounded {
    world: MemoryWorld,
    steps: u64,
    allowed: u64,
}

impl Host for Bounded {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn charge(&mut self, steps: u64) -> Result<(), kukla_values::Error> {
        self.steps = self.steps.saturating_add(steps);
        match self.steps > self.allowed {
            true => Err(diagnostic!(EVALUATION_LIMIT { limit: STEPS }).into()),
            false => Ok(()),
        }
    }

    fn check_memory(&mut self, bytes: usize) -> Result<(), kukla_values::Error> {
        if bytes > MEMORY { Err(diagnostic!(MEMORY_LIMIT { limit: MEMORY as u64 }).into()) } else { Ok(()) }
    }

    fn memory_limit(&self) -> u64 {
        MEMORY as u64
    }

    fn write_out(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn write_err(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }
}

/// Large things of every kind, in global variables.
const THINGS: &str = r#"
require 'set'; require 'json'; require 'yaml'; require 'stringio'; require 'strscan'; require 'time'; require 'date'
$text = 'ab c' * 250_000
$wide = "äb\u{10000} " * 100_000
$broken = "\xff\xfea" * 200_000
$lines = "x\n" * 300_000
$word = 'x' * 40_000
$digits = '7' * 100_000
$list = (0...50_000).to_a
$words = ['x' * 40_000] * 1_000
$texts = (0...10_000).map { |i| "text #{i}" }
$same = [$word + 'a', $word + 'b', $word + 'c'] * 300
$pairs = (0...10_000).map { |i| [i, "v#{i}"] }
$nested = (0...20).inject([1, 2]) { |a, _| [a, a] }
$deep = (0...3000).inject([1]) { |a, _| [a] }
$loop = [1, [2]]; $loop << $loop
$hash = $pairs.to_h
$strings = $texts.zip($texts).to_h
$tree = (0...20).inject({ 'a' => 1 }) { |a, _| { 'a' => a, 'b' => a } }
$set = Set.new($list.first(20_000))
$range = (1..10_000_000)
$letters = ('a'..'zzzzzzzz')
$big = 3 ** 200_000
$float = 1.5e300
$ratio = Rational(3 ** 20_000, 2 ** 20_000)
$regexp = /(x+)+y|a*b/
$match = /b(.*)/m.match($text)
$each = $text.each_char
$lazy = (1..10_000_000).lazy.map { |x| x + 1 }
Point = Struct.new(:x, :y) unless defined?(Point)
$struct = Point.new($text, $list)
$symbol = ('s' * 100_000).to_sym
$error = RuntimeError.new($text)
$proc = proc { |x| x }
$time = Time.at(0)
nil
"#;

/// Everything that methods are called on. What methods may change is a copy.
const RECEIVERS: &[&str] = &[
    "$text.dup",
    "$wide.dup",
    "$broken.dup",
    "$lines.dup",
    "$word.dup",
    "$digits.dup",
    "$list.dup",
    "$words.dup",
    "$texts.dup",
    "$same.dup",
    "$pairs.dup",
    "$nested.dup",
    "$deep.dup",
    "$loop.dup",
    "$hash.dup",
    "$strings.dup",
    "$tree.dup",
    "$set.dup",
    "$range",
    "$letters",
    "$big",
    "7",
    "$float",
    "$ratio",
    "Complex($big, 1)",
    "$regexp",
    "$match",
    "$each",
    "$lazy",
    "StringIO.new($lines.dup)",
    "StringScanner.new($text)",
    "$struct.dup",
    "$symbol",
    "$error",
    "$proc",
    "$time",
    "Object.new",
    "nil",
    "$list.each_slice(2)",
    "$proc.method(:call)",
    "Array",
    "Hash",
    "String",
    "Regexp",
    "Set",
    "JSON",
    "YAML",
    "Math",
    "Integer",
    "File",
    "Struct",
    "Time",
    "Random",
    "Marshal",
    "Enumerator",
    "Range",
    "StringIO",
    "ENV",
    "Dir",
    "Process",
    "Date",
    "Kernel",
];

/// Arguments that are tried with every method.
const ARGUMENTS: &[&str] = &[
    "",
    "2",
    "-1",
    "0.5",
    "3_000_000",
    "1 << 40",
    "$big",
    "'x'",
    "''",
    "$text",
    "$list",
    "$words",
    "$nested",
    "$loop",
    "$hash",
    "$tree",
    "$set",
    "$range",
    "$regexp",
    ":size",
    "$struct",
    "$word, $word",
    "'x', $word",
    "'ab', $word * 20",
    "/./, $word",
    "/(?=x)/, '\\\\0\\\\`' * 1000",
    "3_000_000, 'x'",
    "0, 3_000_000",
    "5, $list",
    "$list, $list",
    "$list, $list, $list",
    "$texts, indent: $word, object_nl: $word, array_nl: $word",
    "$deep, max_nesting: 0",
    "*$list",
    "*$words",
    "'%1000000d%<x>s%s', $word",
    "'%3000000Y'",
    "'a1000000', $texts",
    "{ x: $word }",
    "'utf-16', fallback: ->(c) { $word }",
    "'us-ascii', invalid: :replace, undef: :replace, replace: $word",
];

/// Methods that would end the test, or wait, or do nothing by themselves.
const LEFT_OUT: &[&str] = &[
    "exit",
    "exit!",
    "abort",
    "sleep",
    "at_exit",
    "fork",
    "exec",
    "system",
    "`",
    "gets",
    "readline",
    "readlines",
    "trap",
    "spawn",
    "binding",
    "instance_eval",
    "instance_exec",
    "require",
    "require_relative",
    "load",
    "autoload",
    "undef_method",
    "remove_method",
    "define_method",
    "alias_method",
    "attr",
    "attr_accessor",
    "attr_reader",
    "attr_writer",
    "remove_const",
    "private",
    "public",
    "protected",
    "module_function",
    "class_eval",
    "module_eval",
    "class_exec",
    "module_exec",
    "const_set",
    "freeze",
    "include",
    "prepend",
    "extend",
    "private_constant",
    "public_constant",
    "private_class_method",
    "public_class_method",
    "define_singleton_method",
    "instance_variable_set",
    "remove_instance_variable",
    "warn",
    "raise",
    "throw",
    "catch",
    "public_instance_method",
    "refine",
    "using",
    "ruby2_keywords",
    "deprecate_constant",
    "singleton_method_added",
    "class_variable_set",
    "remove_class_variable",
    "set_temporary_name",
    "send",
    "public_send",
    "__send__",
    "method",
    "instance_method",
    "p",
    "puts",
    "print",
    "pp",
];

/// An interpreter with all things.
struct Subject {
    state: Option<Box<State>>,
    host: Bounded,
}

impl Subject {
    fn new() -> Subject {
        let host = Bounded { world: MemoryWorld::default(), steps: 0, allowed: u64::MAX };
        let mut subject = Subject { state: Some(State::new()), host };
        assert_eq!(subject.run(THINGS), "");
        subject.host.allowed = STEPS;
        subject
    }

    /// The result of a program as text, or why it ended.
    fn run(&mut self, source: &str) -> String {
        let program = kukla_ruby::parse(source.as_bytes(), "limits.rb").expect("the program is valid");
        self.host.steps = 0;
        let state = self.state.take().unwrap_or_else(State::new);
        let mut ruby = Ruby::new(state, &mut self.host);
        let text = match ruby.run_program(&program) {
            Ok(value) => {
                ruby.display(&value).map_or_else(|_| String::new(), |text| text.to_str_lossy().into_owned())
            }
            Err(unwind) => match *unwind {
                Unwind::Stop(error) => error.to_string(),
                Unwind::Raise(exception) => ruby.report(&exception),
                other => format!("{other:?}"),
            },
        };
        self.state = Some(ruby.into_state());
        text
    }

    fn methods_of(&mut self, receiver: &str) -> Vec<String> {
        let code = format!("x = {receiver}; (x.methods + x.private_methods(false)).uniq.sort.join(' ')");
        let names = self.run(&code);
        names.split(' ').filter(|name| !LEFT_OUT.contains(name)).map(str::to_owned).collect()
    }
}

/// All calls; each method of every object is tried on a few only.
fn calls(subject: &mut Subject) -> Vec<String> {
    let mut calls = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for receiver in RECEIVERS {
        for name in subject.methods_of(receiver) {
            let is_common = !seen.insert(name.clone()) && !receiver.starts_with('$');
            for (at, arguments) in ARGUMENTS.iter().enumerate() {
                if is_common && at > 2 {
                    break;
                }
                let comma = if arguments.is_empty() { "" } else { ", " };
                calls.push(format!("{receiver}.__send__(:{name:?}{comma}{arguments})"));
                if at < 5 {
                    calls.push(format!("{receiver}.__send__(:{name:?}{comma}{arguments}, &$proc)"));
                }
            }
        }
    }
    calls
}

#[test]
fn native_methods() {
    let only = std::env::var("KUKLA_RUBY_CALLS").ok();
    let mut subject = Subject::new();
    let mut failures = String::new();
    for (number, call) in calls(&mut subject).iter().enumerate() {
        let is_chosen = match &only {
            Some(part) => call.contains(part),
            None => number % ONE_IN == 0,
        };
        if !is_chosen {
            continue;
        }
        let start = Instant::now();
        let (_, peak) =
            peak_of(|| subject.run(&format!("begin; {call}; rescue Exception => e; e = e.class; end; nil")));
        let (time, steps) = (start.elapsed().as_millis(), subject.host.steps);
        if only.is_some() && time > 100 {
            eprintln!("{time:>8} ms {steps:>9} steps  {call}");
        }
        // Some calls keep what they make.
        if subject.run("[$list.size, 'x' * 3_000_000].first") != "50000" {
            subject = Subject::new();
            if only.is_some() {
                eprintln!("from scratch after {call}");
            }
        }
        if peak > 2 * MEMORY {
            writeln!(failures, "{call}: {} MB", peak >> 20).expect("strings take all that is written");
            if only.is_some() {
                eprintln!("{:>8} MB {steps:>9} steps  {call}", peak >> 20);
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
