//! Calls made up from tables, run by `ruby` and by Kukla, and held against each other.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Calls on receivers, with arguments drawn from tables.
pub struct Calls {
    prelude: &'static str,
    seed: u64,
    /// What stands for an argument in a call, and what is put there.
    pub holes: Vec<(&'static str, &'static [&'static str])>,
    cases: Vec<(String, String)>,
}

impl Calls {
    /// No calls yet.
    pub fn new(prelude: &'static str, seed: u64) -> Calls {
        Calls { prelude, seed, holes: Vec::new(), cases: Vec::new() }
    }

    fn draw(&mut self, below: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) as usize % below.max(1)
    }

    /// Every call on every receiver, as often as said if it has arguments to draw.
    pub fn table(&mut self, receivers: &[&str], calls: &[&str], times: usize) {
        for receiver in receivers {
            for call in calls {
                let open = self.holes.iter().any(|(hole, _)| call.contains(hole));
                for _ in 0..if open { times } else { 1 } {
                    let mut call = (*call).to_owned();
                    while let Some((hole, choices)) =
                        self.holes.iter().find(|(hole, _)| call.contains(hole)).copied()
                    {
                        let choice = choices[self.draw(choices.len())];
                        call = call.replacen(hole, choice, 1);
                    }
                    self.cases.push(((*receiver).to_owned(), call));
                }
            }
        }
    }

    /// The program that makes all calls and prints one line for each: what came of it, and the receiver afterwards.
    fn script(&self) -> String {
        let mut script = self.prelude.to_owned();
        for (number, (receiver, call)) in self.cases.iter().enumerate() {
            let dot = if call.starts_with('[') || call.starts_with(|c: char| "<>=+-*&|^%".contains(c)) {
                " "
            } else {
                "."
            };
            let dot = if call.starts_with('[') { "" } else { dot };
            let _ = write!(
                script,
                "begin\n  o = {receiver}\n  v = (o{dot}{call})\n  puts \"{number} #{{v.inspect}} | #{{o.inspect}}\".gsub(/0x\\h+/, '0x')\nrescue StandardError, NotImplementedError => e\n  puts \"{number} ! #{{e.class}}: #{{e.message}} | #{{o.inspect}}\".gsub(/0x\\h+/, '0x').gsub(\"\\n\", ' ')\nend\n"
            );
        }
        script
    }
}

/// The interpreter as the example that Cargo builds beside the tests.
fn interpreter() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    let example = test.parent()?.parent()?.join("examples/ruby");
    example.exists().then_some(example)
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lines of an answer by the number of the call.
fn by_number(text: &str) -> HashMap<usize, &str> {
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(number, answer)| Some((number.parse().ok()?, answer)))
        .collect()
}

/// Differences that are known: the receiver (or any), how the call begins, why.
const EXPLAINED: &[(&str, &str, &str)] = &[
    ("Hash.new(5)", "shift", "since 3.2 an empty hash has nothing to shift, whatever its default"),
    (
        "Hash.new { |h, k| h[k] = k.to_s * 2 }",
        "shift",
        "since 3.2 an empty hash has nothing to shift, whatever its default",
    ),
    ("", "class.new(q: 1)", "since 3.2 keywords alone name members"),
    ("(1..1)", "last(", "Ruby 3.1 forgets the only element; later ones do not"),
    ("(0..0)", "last(", "Ruby 3.1 forgets the only element; later ones do not"),
    ("(1...1)", "step(3).last", "Ruby goes one step back from where there is none"),
    ("(1..3.5)", "step(3).last", "Ruby answers an integer although all elements are floats"),
    ("(:a..:d)", "step(0.5)", "Ruby takes half a step for a whole one"),
    ("(..5)", "step(0.5)", "which of two complaints comes first"),
    ("(nil..nil)", "step(0.5)", "which of two complaints comes first"),
];

/// Runs all calls with both and fails with the first differences.
pub fn compare(name: &str, calls: &Calls) {
    let file = std::env::temp_dir().join(format!("kukla-{name}-{}.rb", std::process::id()));
    let _ = std::fs::write(&file, calls.script());
    let ruby = output(Command::new("timeout").args(["120", "ruby", "-W0", "--disable-gems"]).arg(&file));
    let Some(theirs) = ruby.filter(|text| !text.is_empty()) else {
        eprintln!("no ruby at hand: nothing compared");
        return;
    };
    let Some(interpreter) = interpreter() else { return };
    let ours = output(Command::new("timeout").arg("300").arg(interpreter).arg(&file)).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    let (theirs, ours) = (by_number(&theirs), by_number(&ours));
    let mut different = Vec::new();
    for (number, (receiver, call)) in calls.cases.iter().enumerate() {
        let (ruby, kukla) = (theirs.get(&number), ours.get(&number));
        let explained =
            EXPLAINED.iter().any(|(on, what, _)| (on.is_empty() || receiver == on) && call.starts_with(what));
        if ruby != kukla && !explained {
            let (ruby, kukla) = (ruby.unwrap_or(&"nothing"), kukla.unwrap_or(&"nothing"));
            different.push(format!("{receiver} . {call}\n  ruby:  {ruby}\n  kukla: {kukla}"));
        }
    }
    let (all, wrong) = (calls.cases.len(), different.len());
    assert!(
        wrong == 0,
        "{wrong} of {all} calls differ from ruby\n{}",
        different[..wrong.min(200)].join("\n")
    );
}
