//! Reports of a run in each output format. Every one is complete and in the order of the files.

mod github;
mod human;
mod json;
mod junit;
mod tap;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use kukla::Diagnostic;
use kukla::syntax::Problem;

use crate::model::Suite;

/// The output format of test results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Failures with excerpts, then a summary.
    #[default]
    Human,
    /// JUnit XML, which CI servers read.
    Junit,
    /// The Test Anything Protocol, version 14.
    Tap,
    /// One JSON document.
    Json,
    /// Annotations for GitHub Actions.
    Github,
}

impl Format {
    /// All formats with their names.
    pub const ALL: [(&str, Format); 5] = [
        ("human", Format::Human),
        ("junit", Format::Junit),
        ("tap", Format::Tap),
        ("json", Format::Json),
        ("github", Format::Github),
    ];
}

impl FromStr for Format {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Format, Problem> {
        let found = Format::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, format)| *format).ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|(name, _)| *name).collect();
            Problem::invalid("invalid format")
                .on(format!("'{text}'"))
                .help(format!("expected {}", names.join(", ")))
        })
    }
}

/// The settings of a report.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The directory that paths are printed relative to.
    pub here: PathBuf,
    /// Whether every example is listed, not only those that failed.
    pub verbose: bool,
    /// How many of the slowest examples are listed. Times appear in no other case, because they differ from run to run.
    pub slowest: Option<usize>,
    /// Renders an error of the code under test.
    pub excerpt: fn(&Diagnostic) -> String,
}

impl ReportOptions {
    /// A path as it is printed.
    pub fn path<'f>(&self, file: &'f str) -> &'f str {
        Path::new(file).strip_prefix(&self.here).ok().and_then(Path::to_str).unwrap_or(file)
    }
}

/// The results in a format.
pub fn render(suites: &[Suite], format: Format, options: &ReportOptions) -> String {
    match format {
        Format::Human => human::render(suites, options),
        Format::Junit => junit::render(suites, options),
        Format::Tap => tap::render(suites, options),
        Format::Json => json::render(suites, options),
        Format::Github => github::render(suites, options),
    }
}

/// A text inside XML or HTML; characters that XML cannot have are replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
