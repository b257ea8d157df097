//! The rules of puppet-lint and its plugins, on the tokens of one text.
//!
//! | part | holds |
//! | --- | --- |
//! | [`token`], [`lexer`] | tokens with the kinds, lines and columns that puppet-lint's have |
//! | [`Manifest`] | one text with its tokens, and the constructs that they form |
//! | [`rules`] | the rules, family by family: their explanations, their checks and their fixes |
//! | [`control`], [`suppression`] | comments that suppress findings |
//! | [`fix`] | the loop that applies fixes until none is left |
//! | [`Selection`] | the rules of a run with their settings, applied to a text |
//!
//! Rules need nothing but the text of one file: no other file, no parsing that can fail. So they work on incomplete code.

pub mod control;
pub mod fix;
pub mod lexer;
mod manifest;
mod report;
pub mod rule;
pub mod rules;
mod selection;
mod settings;
pub mod suppression;
pub mod token;

use kukla_syntax::{Code, Severity};

pub use manifest::{Definition, Manifest, Resource};
pub use report::{Edit, Finding, Report};
pub use rule::{Fix, Rule};
pub use selection::{Kind, Outcome, Reported, Selection};
pub use settings::Settings;

/// A text that could not be read, or a resource declaration that does not end.
pub static SYNTAX: Code = Code {
    name: "syntax",
    issue: "syntax",
    severity: Severity::Error,
    follows_strict: false,
    message: "Syntax error{reason}",
    explanation: "The text contains something that is not a token of the Puppet language, or a resource declaration that does not end. `kukla check` \
        and `puppet parser validate` say more.\n",
};

/// The result of linting one text.
#[derive(Debug, Default)]
pub struct Linted {
    /// The findings, rule by rule, in the order of the text; suppressed ones have the reason.
    pub findings: Vec<Finding>,
    /// Warnings about control comments.
    pub warnings: Vec<String>,
}

/// Applies rules to a text.
pub fn lint(manifest: &Manifest<'_>, selected: &[&'static Rule], settings: &Settings) -> Linted {
    let mut report = Report::default();
    if let Some(error) = &manifest.error {
        let reason = error.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        report.push(&SYNTAX, error.line, error.column, error.offset, error.offset).fact("reason", reason);
    }
    let syntax_errors = report.findings.len();
    // Of all rules this one is about data, too.
    let applies = |rule: &&&'static Rule| !manifest.is_data || rule.code == &rules::fact::LEGACY_FACTS;
    for rule in selected.iter().filter(applies) {
        if let Err(rule::Unfinished(at)) = (rule.check)(manifest, settings, &mut report) {
            report.findings.truncate(syntax_errors);
            report.at(manifest, at, &SYNTAX).fact("reason", "");
            return Linted { findings: report.findings, warnings: Vec::new() };
        }
    }
    let ignored = control::Ignored::read(manifest);
    for finding in &mut report.findings {
        if finding.code.name != SYNTAX.name {
            finding.ignored = ignored.reason(finding.code.name, finding.line).map(str::to_owned);
        }
    }
    Linted { findings: report.findings, warnings: ignored.warnings }
}
