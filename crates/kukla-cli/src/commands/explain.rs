//! `kukla explain`: the explanation of an error code or a rule.

use kukla::syntax::{Code, Problem, Severity, suggest};

use crate::output::out;
use crate::render::table::Table;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla explain SYNTAX_ERROR
  kukla explain unknown-class
  kukla explain trailing_comma
  kukla explain --list")]
pub struct Args {
    /// Code or rule, as printed in brackets after `error` or `warning`; case does not matter
    #[arg(required_unless_present = "list")]
    code: Option<String>,
    /// List all codes and rules
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

/// All codes, and the rules of `kukla check` and `kukla lint`.
fn all_codes() -> impl Iterator<Item = &'static Code> {
    let rules = kukla_check::rules::all().map(|rule| rule.code);
    crate::codes().chain(rules).chain(kukla_lint::rules::all().iter().map(|rule| rule.code))
}

/// Prints the explanation of one code, or the list of all.
pub fn run(args: &Args) -> CommandResult {
    match &args.code {
        None => {
            let mut table = Table::default();
            all_codes().for_each(|code| table.row([code.name, code.message]));
            out!("{}", table.text());
        }
        Some(name) => match all_codes().find(|code| code.name.eq_ignore_ascii_case(name)) {
            Some(code) => out!("{}", explanation(code)),
            None => out!("{}", issue_explanation(name).ok_or_else(|| unknown(name))?),
        },
    }
    Ok(ExitKind::Success)
}

fn explanation(code: &Code) -> String {
    format!("{}: {}\n\n    {}\n\n{}\n", code.name, severity(code), code.message, indented(&code.text()))
}

/// The explanation of a name under which Puppet reports several errors, which JSON output has as `issue`.
fn issue_explanation(name: &str) -> Option<String> {
    let codes: Vec<&Code> = all_codes().filter(|code| code.issue.eq_ignore_ascii_case(name)).collect();
    let issue = codes.first()?.issue;
    let mut table = Table::default();
    codes.iter().for_each(|code| table.row([&format!("    {}", code.name), code.message]));
    Some(format!(
        "{issue}: Puppet's name for several errors, each with a code of its own\n\n{}",
        table.text()
    ))
}

/// Markdown for a terminal: examples are indented instead of fenced.
fn indented(markdown: &str) -> String {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else {
            lines.push(if inside { format!("    {line}") } else { line.to_owned() });
        }
    }
    lines.join("\n")
}

/// The severity of a code in words.
pub fn severity(code: &Code) -> &'static str {
    match (code.follows_strict, code.severity) {
        (true, _) => "an error, a warning or nothing, as the `strict` setting says",
        (_, Severity::Error) => "an error",
        (_, Severity::Warning) => "a warning",
        (_, Severity::Deprecation) => "a deprecation",
    }
}

fn unknown(name: &str) -> Problem {
    let problem = Problem::not_found("unknown code or rule").on(format!("'{name}'"));
    // Codes are upper case and rules lower case: the name counts, not its case.
    let near = [name.to_ascii_uppercase(), name.to_ascii_lowercase()]
        .iter()
        .find_map(|name| suggest::nearest(name, all_codes().map(|code| code.name)));
    match near {
        Some(near) => problem.help(format!("did you mean {near}?")),
        None => problem.help("`kukla explain --list` lists them all"),
    }
}
