//! Shared parts of the tests that compare with a reference: random numbers, and processes to query.
#![allow(dead_code, reason = "every test uses some of it")]
#![allow(clippy::disallowed_methods, reason = "a reference is another process, named by the environment")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

/// Chance that repeats itself.
pub struct Dice(u64);

impl Dice {
    /// The dice of one of several worlds; `KUKLA_SEED` gives others.
    pub fn new(world: u64) -> Dice {
        let seed = number("KUKLA_SEED", 0).wrapping_mul(0xd134_2543_de82_ef95);
        Dice((0x2545_f491_4f6c_dd1d ^ seed ^ (world + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1))
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    /// Whether the one case out of `n` is it.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.roll(n) == 0
    }

    /// One of several.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.roll(from.len())]
    }

    /// Some of several pieces, one after the other.
    pub fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..=self.roll(most)).map(|_| self.pick(pieces)).collect()
    }
}

/// A number from the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Sends `questions` to a Ruby program as one JSON array and reads its answers, one JSON value per line; nothing if
/// `KUKLA_RUBY` names no interpreter.
pub fn ruby(libraries: &[&str], program: &str, questions: &[Json]) -> Option<Vec<Json>> {
    let Ok(command) = std::env::var("KUKLA_RUBY") else {
        let test = format!("{}/ruby", env!("CARGO_PKG_NAME"));
        kukla_testing::skip(&test, "KUKLA_RUBY does not name a Ruby interpreter");
        return None;
    };
    let mut child = Command::new(command)
        .args(libraries.iter().map(|library| format!("-r{library}")))
        .args(["-rjson", "-e", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the reference starts");
    let mut input = child.stdin.take().expect("a pipe");
    let text = serde_json::to_string(questions).expect("JSON");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the reference answers");
    writer.join().expect("no panic").expect("all written");
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    Some(answers.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

/// The reason why our answer may differ from the reference's: the question, our answer, the other one.
pub type Explain = fn(&str, &Json, &Json) -> Option<&'static str>;

/// Compares our answers with those of a reference, the messages of errors included. Every difference needs an explanation.
pub fn compare(questions: &[Json], answers: &[Json], explain: Explain, ours: impl Fn(&Json) -> Json) {
    assert_eq!(answers.len(), questions.len());
    let mut wrong = Vec::new();
    let mut explained = BTreeMap::<&str, usize>::new();
    let mut errors = 0;
    for (question, answer) in questions.iter().zip(answers) {
        let mine = ours(question);
        errors += usize::from(answer.get("error").is_some());
        // Compared as text: the order of keys matters.
        if answer.get("skip").is_some() || mine == *answer {
            continue;
        }
        match explain(question.as_str().unwrap_or_default(), &mine, answer) {
            Some(reason) => *explained.entry(reason).or_default() += 1,
            None => wrong.push(format!("{question}\n ours   {mine}\n theirs {answer}")),
        }
    }
    eprintln!(
        "{} compared, {errors} of them errors, {} differ; explained: {explained:?}",
        questions.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}

/// A process that speaks the machine interface.
pub struct Reference {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Reference {
    /// Starts the command that `KUKLA_REFERENCE` names; nothing if it names none.
    pub fn start() -> Option<Reference> {
        let Ok(command) = std::env::var("KUKLA_REFERENCE") else {
            let test = format!("{}/reference", env!("CARGO_PKG_NAME"));
            kukla_testing::skip(&test, "KUKLA_REFERENCE does not name a command that answers as Puppet does");
            return None;
        };
        let mut words = command.split_whitespace();
        let mut child = Command::new(words.next().expect("a command"))
            .args(words)
            .arg("rpc")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the reference starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Some(Reference { child, input, output, asked: 0 })
    }

    /// Asks one question.
    pub fn ask(&mut self, method: &str, params: &Json) -> Json {
        let request = json!({"id": self.asked, "method": method, "params": params});
        self.asked += 1;
        writeln!(self.input, "{request}").expect("the reference listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the reference answers");
        serde_json::from_str(&line).expect("JSON")
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
