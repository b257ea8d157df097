//! Differences that are wanted or cannot be helped, each with its reason. Anything that no row explains fails the test.

use std::collections::BTreeMap;

/// A reason, and the signs of it: what the question, our answer and the other one must contain.
struct Reason {
    question: &'static str,
    ours: &'static str,
    theirs: &'static str,
    why: &'static str,
}

const fn theirs(theirs: &'static str, why: &'static str) -> Reason {
    Reason { question: "", ours: "", theirs, why }
}

const BREAKS: &str = "Puppet itself breaks down";
const NO_DATA: &str = "Puppet cannot write this type as data";
const RESOURCE: &str = "an old function gets a resource where it is given a reference";
const ADDRESS: &str = "Puppet's answer holds the address of an object (D72)";

const REASONS: [Reason; 22] = [
    theirs("#<", ADDRESS),
    theirs("0x0000", ADDRESS),
    theirs("undefined method", BREAKS),
    theirs("undefined local variable", BREAKS),
    theirs("can't convert nil into", BREAKS),
    theirs("comparison of ", BREAKS),
    theirs("Initializer for class ", NO_DATA),
    theirs("Endless recursion ", NO_DATA),
    theirs(
        "Illegal format 'c' specified for value of Float type",
        "%c of a Float is in the founding document (D70)",
    ),
    theirs("into Integer", RESOURCE).about("sprintf("),
    theirs("into Float", RESOURCE).about("sprintf("),
    theirs("is not a valid resource reference", RESOURCE).about("sprintf("),
    theirs("the oracle process died", "Ruby makes bytes that are not valid text").about("%c"),
    theirs("error: ", "Ruby makes bytes that are not valid text").about("%c").against("invalid character"),
    theirs("the oracle process died", BREAKS).about("<<").against("outside of Puppet Integer"),
    theirs("Cannot split the type ", BREAKS),
    theirs("", "integers have 64 bits; Puppet lets `new` make larger ones")
        .against("outside of Puppet Integer range"),
    theirs("", "a Timestamp has 64 bits of seconds; Puppet's has no limit")
        .against("outside the range of a Timestamp"),
    theirs("", "a Timespan has 128 bits of nanoseconds; Puppet's has no limit")
        .against("outside the range of a Timespan"),
    theirs("", "hexadecimal digits need no prefix when the radix says so (D56)").about("16)"),
    theirs("", "a Timespan prints its fraction so that it reads back (D60)").about("Timespan(").against("."),
    theirs("", "a Numeric may be given a radix (D57)").about("Numeric.new("),
];

impl Reason {
    const fn about(mut self, question: &'static str) -> Reason {
        self.question = question;
        self
    }

    const fn against(mut self, ours: &'static str) -> Reason {
        self.ours = ours;
        self
    }
}

/// Why the answers to a question may differ, if there is a reason.
pub fn reason(question: &str, ours: &str, theirs: &str) -> Option<&'static str> {
    let applies = |reason: &&Reason| {
        question.contains(reason.question) && ours.contains(reason.ours) && theirs.contains(reason.theirs)
    };
    REASONS.iter().find(applies).map(|reason| reason.why)
}

/// How often each reason was given.
#[derive(Default)]
pub struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    /// Counts a difference if there is a reason for it.
    pub fn explains(&mut self, question: &str, ours: &str, theirs: &str) -> bool {
        let why = reason(question, ours, theirs);
        if let Some(why) = why {
            *self.0.entry(why).or_default() += 1;
        }
        why.is_some()
    }

    /// Prints what was counted.
    pub fn print(&self) {
        for (why, count) in &self.0 {
            println!("{count:6} explained: {why}");
        }
    }
}
