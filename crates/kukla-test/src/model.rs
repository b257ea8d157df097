//! The results of tests, whatever they are written in: suites of examples, each with a verdict.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use kukla::Diagnostic;
use kukla::syntax::Problem;

/// The results of one file of tests.
#[derive(Debug)]
pub struct Suite {
    /// The path of the file, as it is printed.
    pub file: String,
    /// The language of the file.
    pub language: Language,
    /// The examples, in the order of the file.
    pub examples: Vec<Example>,
    /// The reason why the file as a whole could not run.
    pub problem: Option<Problem>,
    /// The number of catalogs compiled for it.
    pub compiled: usize,
    /// The files that its results depend on, if that was recorded.
    pub inputs: Option<BTreeSet<PathBuf>>,
}

/// The language that tests are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Markdown chapters.
    Chapter,
    /// RSpec and rspec-puppet.
    Rspec,
    /// Policies in Puppet's language.
    Policy,
    /// Generated inputs.
    Property,
}

impl Language {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Language::Chapter => "chapter",
            Language::Rspec => "rspec",
            Language::Policy => "policy",
            Language::Property => "property",
        }
    }
}

/// One test.
#[derive(Debug)]
pub struct Example {
    /// The titles of the groups around it, outermost first.
    pub groups: Vec<String>,
    /// Its own title.
    pub name: String,
    /// The case of the matrix that it ran in, such as `debian-12`.
    pub case: Option<String>,
    /// The line on which it begins.
    pub line: usize,
    /// The outcome.
    pub verdict: Verdict,
    /// The number of claims it checked; an RSpec example is one.
    pub claims: usize,
    /// How long it ran.
    pub time: Duration,
}

/// The outcome of a test.
#[derive(Debug)]
pub enum Verdict {
    /// All that it claims holds.
    Passed,
    /// Something does not hold, or the test itself is wrong.
    Failed(Vec<Failure>),
    /// It was not run, and why.
    Skipped(String),
    /// It failed, as its author expects, and why.
    Pending(String),
}

/// One claim that does not hold, with all that helps to see why.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// The claim: one line, without a full stop.
    pub message: String,
    /// The file and the line of the claim; by default those of the example.
    pub file: Option<String>,
    /// The line of the claim in that file.
    pub line: Option<usize>,
    /// The line or lines of the test that make the claim.
    pub source: Option<String>,
    /// The expected outcome.
    pub expected: Option<String>,
    /// The actual outcome.
    pub got: Option<String>,
    /// The facts that matter, by name.
    pub facts: Vec<(String, String)>,
    /// The part of the catalog that the claim is about, in Puppet's notation.
    pub catalog: Option<String>,
    /// The resource most like the one that was expected.
    pub nearest: Option<String>,
    /// The calls that led to the failure, innermost first.
    pub trace: Vec<String>,
    /// The error in the code under test, if that is what happened.
    pub diagnostic: Option<Box<Diagnostic>>,
}

impl Failure {
    /// A failure with only a message.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), ..Failure::default() }
    }
}

/// A failure in words, without source excerpts.
impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        for (label, text) in [
            ("expected", &self.expected),
            ("got     ", &self.got),
            ("catalog ", &self.catalog),
            ("nearest ", &self.nearest),
        ] {
            if let Some(text) = text {
                write!(f, "\n    {label} {}", text.trim_end().replace('\n', "\n             "))?;
            }
        }
        if !self.facts.is_empty() {
            let facts: Vec<String> =
                self.facts.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            write!(f, "\n    facts    {}", facts.join(", "))?;
        }
        for call in &self.trace {
            write!(f, "\n    at       {call}")?;
        }
        Ok(())
    }
}

impl Example {
    /// The titles of its groups and its own, with spaces between them, and the case.
    pub fn full_name(&self) -> String {
        let titles: Vec<&str> = self.groups.iter().map(String::as_str).chain([self.name.as_str()]).collect();
        match &self.case {
            Some(case) => format!("{} ({case})", titles.join(" ")),
            None => titles.join(" "),
        }
    }
}

/// The numbers of examples by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Examples that passed.
    pub passed: usize,
    /// Examples that failed.
    pub failed: usize,
    /// Examples that were skipped.
    pub skipped: usize,
    /// Examples that failed as expected.
    pub pending: usize,
    /// Files that could not run.
    pub broken: usize,
    /// Claims, of all examples.
    pub claims: usize,
}

impl Counts {
    /// The numbers of all suites.
    pub fn of(suites: &[Suite]) -> Counts {
        let mut counts = Counts::default();
        for suite in suites {
            counts.broken += usize::from(suite.problem.is_some());
            for example in &suite.examples {
                counts.claims += example.claims;
                match example.verdict {
                    Verdict::Passed => counts.passed += 1,
                    Verdict::Failed(_) => counts.failed += 1,
                    Verdict::Skipped(_) => counts.skipped += 1,
                    Verdict::Pending(_) => counts.pending += 1,
                }
            }
        }
        counts
    }

    /// All examples.
    pub fn examples(&self) -> usize {
        self.passed + self.failed + self.skipped + self.pending
    }
}
