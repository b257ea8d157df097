//! Limits hold for every native method: each one is called on large receivers with large arguments, under small limits.
//!
//! `KUKLA_RUBY_SLOW=1 cargo test … native_methods -- --nocapture` prints the calls that take long for the steps they are charged.

use std::fmt::Write as _;
use std::time::Instant;

use kukla_ruby::{Host, Ruby, State, Unwind};
use kukla_syntax::diagnostic;
use kukla_values::codes::{EVALUATION_LIMIT, MEMORY_LIMIT};
use kukla_world::{MemoryWorld, World};

use crate::counting::peak_of;

/// How many bytes values may take.
const MEMORY: usize = 24 << 20;

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
$list = (0...100_000).to_a
$words = ['x' * 40_000] * 1_000
$texts = (0...20_000).map { |i| "text #{i}" }
$same = [$word + 'a', $word + 'b', $word + 'c'] * 300
$pairs = (0...20_000).map { |i| [i, "v#{i}"] }
$nested = (0...20).inject([1, 2]) { |a, _| [a, a] }
$deep = (0...3000).inject([1]) { |a, _| [a] }
$loop = [1, [2]]; $loop << $loop
$hash = $pairs.to_h
$strings = $texts.zip($texts).to_h
$tree = (0...20).inject({ 'a' => 1 }) { |a, _| { 'a' => a, 'b' => a } }
$set = Set.new($list)
$range = (1..10_000_000)
$letters = ('a'..'zzzzzzzz')
$big = 3 ** 200_000
$float = 1.5e300
$ratio = Rational(3 ** 20_000, 2 ** 20_000)
$regexp = /(x+)+y|a*b/
$match = /b(.*)/m.match($text)
$each = $text.each_char
$lazy = (1..10_000_000).lazy.map { |x| x + 1 }
$io = StringIO.new($lines.dup)
$scanner = StringScanner.new($text)
Point = Struct.new(:x, :y) unless defined?(Point)
$struct = Point.new($text, $list)
$symbol = ('s' * 100_000).to_sym
$error = RuntimeError.new($text)
$proc = proc { |x| x }
$time = Time.at(0)
$self = Object.new
nil
"#;

/// The names of all things that methods are called on.
const RECEIVERS: &[&str] = &[
    "$text",
    "$wide",
    "$broken",
    "$lines",
    "$word",
    "$digits",
    "$list",
    "$words",
    "$texts",
    "$same",
    "$pairs",
    "$nested",
    "$deep",
    "$loop",
    "$hash",
    "$strings",
    "$tree",
    "$set",
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
    "$io",
    "$scanner",
    "$struct",
    "$symbol",
    "$error",
    "$proc",
    "$time",
    "$self",
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
    "Comparable",
    "Random",
    "Marshal",
    "Enumerator",
    "Range",
    "StringIO",
    "ENV",
    "Dir",
    "Process",
    "Symbol",
    "Rational",
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

/// An interpreter with all things, as long as no limit is exceeded.
struct Subject {
    state: Option<Box<State>>,
    host: Bounded,
}

impl Subject {
    fn new() -> Subject {
        Subject { state: None, host: Bounded { world: MemoryWorld::default(), steps: 0, allowed: u64::MAX } }
    }

    /// Runs a program, and tells whether a limit was exceeded.
    fn run(&mut self, source: &str) -> Result<String, String> {
        let program = kukla_ruby::parse(source.as_bytes(), "limits.rb").map_err(|problem| problem.message)?;
        let is_new = self.state.is_none();
        let state = self.state.take().unwrap_or_else(State::new);
        self.host.allowed = u64::MAX;
        let mut ruby = Ruby::new(state, &mut self.host);
        if is_new {
            let things =
                kukla_ruby::parse(THINGS.as_bytes(), "things.rb").map_err(|problem| problem.message)?;
            match ruby.run_program(&things).map(drop).map_err(|unwind| *unwind) {
                Ok(()) => {}
                Err(Unwind::Raise(exception)) => panic!("{}", ruby.report(&exception)),
                Err(other) => panic!("{other:?}"),
            }
        }
        let state = ruby.into_state();
        self.host.steps = 0;
        self.host.allowed = STEPS;
        let mut ruby = Ruby::new(state, &mut self.host);
        let result = ruby.run_program(&program);
        let text = match result {
            Ok(value) => match ruby.display(&value) {
                Ok(text) => text.to_str_lossy().into_owned(),
                Err(_) => String::new(),
            },
            Err(unwind) => match *unwind {
                Unwind::Stop(error) => {
                    drop(ruby);
                    return Err(error.to_string());
                }
                Unwind::Raise(exception) => ruby.report(&exception),
                other => format!("{other:?}"),
            },
        };
        self.state = Some(ruby.into_state());
        Ok(text)
    }
}

fn methods_of(subject: &mut Subject, receiver: &str) -> Vec<String> {
    let code =
        format!("x = {receiver}; (x.methods + x.private_methods(false)).uniq.map(&:to_s).sort.join(' ')");
    let names = subject.run(&code).expect("listing methods is cheap");
    names.split(' ').filter(|name| !LEFT_OUT.contains(name)).map(str::to_owned).collect()
}

#[test]
fn native_methods() {
    let shows_slow = std::env::var_os("KUKLA_RUBY_SLOW").is_some();
    let only = std::env::var("KUKLA_RUBY_ONLY").unwrap_or_default();
    let mut slow = Vec::new();
    let mut failures = String::new();
    let mut subject = Subject::new();
    let mut seen = std::collections::BTreeSet::new();
    for receiver in RECEIVERS {
        let names = methods_of(&mut subject, receiver);
        for name in names {
            // The methods of every object are tried on a few.
            let is_common = !seen.insert(name.clone()) && !receiver.starts_with('$');
            if !only.is_empty() && !format!("{receiver}.{name}").contains(&only) {
                continue;
            }
            for (at, arguments) in ARGUMENTS.iter().enumerate() {
                if is_common && at > 2 {
                    break;
                }
                for block in ["", ", &$proc"] {
                    let call = match (arguments.is_empty(), block) {
                        (true, "") => format!("{receiver}.__send__(:{name:?})"),
                        (true, _) => format!("{receiver}.__send__(:{name:?}, &$proc)"),
                        _ => format!("{receiver}.__send__(:{name:?}, {arguments}{block})"),
                    };
                    let source = format!("begin; {call}; rescue Exception => e; e = e.class; end; nil");
                    if shows_slow {
                        eprint!("\r{call:150.150}");
                    }
                    let start = Instant::now();
                    let (result, peak) = peak_of(|| subject.run(&source));
                    let steps = subject.host.steps;
                    let time = start.elapsed();
                    // What is made anew after a limit was exceeded takes time and memory too.
                    if result.is_err() {
                        let _ = peak_of(|| subject.run("nil"));
                    }
                    if peak > 2 * MEMORY {
                        writeln!(failures, "{call}: {} MB", peak >> 20)
                            .expect("strings take all that is written");
                    }
                    slow.push((time.as_micros() as u64, steps, call));
                }
            }
        }
    }
    if shows_slow {
        slow.retain(|(time, steps, _)| *time > 30_000 && time * 1000 / (steps + 1) > 2_000);
        slow.sort_by_key(|(time, ..)| std::cmp::Reverse(*time));
        eprintln!();
        for (time, steps, call) in slow.iter().take(150) {
            eprintln!("{:>8} ms {steps:>9} steps  {call}", time / 1000);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
