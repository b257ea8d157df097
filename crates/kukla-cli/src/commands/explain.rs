//! `kukla explain`: what an issue code means and what to do about it.

use kukla::syntax::{Code, Severity};

use crate::Outcome;
use crate::output::{errln, out, outln};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The code or rule, as printed in brackets behind `error`; upper or lower case
    #[arg(required_unless_present = "list")]
    code: Option<String>,
    /// List all codes and rules instead
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

/// All codes, and the rules of `kukla check`.
fn all() -> impl Iterator<Item = &'static Code> {
    crate::codes().chain(kukla_check::rules::all().map(|rule| rule.code))
}

/// Prints the explanation of one code, or the list of all.
pub fn run(args: &Args) -> Outcome {
    let Some(wanted) = &args.code else {
        let width = all().map(|c| c.name.len()).max().unwrap_or_default();
        for code in all() {
            outln!("{:width$}  {}", code.name, code.message);
        }
        return Outcome::Done;
    };
    match all().find(|code| code.name.eq_ignore_ascii_case(wanted)) {
        Some(code) => {
            out!("{}", explanation(code));
            Outcome::Done
        }
        None => {
            errln!("kukla: there is no issue code or rule '{wanted}'");
            errln!("  hint: {}", hint(wanted));
            Outcome::Unable
        }
    }
}

fn explanation(code: &Code) -> String {
    format!("{}: {}\n\n    {}\n\n{}\n", code.name, severity(code), code.message, indented(&code.text()))
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

/// How bad it is, in words.
pub fn severity(code: &Code) -> &'static str {
    match (code.follows_strict, code.severity) {
        (true, _) => "an error, a warning or nothing, as the `strict` setting says",
        (_, Severity::Error) => "an error",
        (_, Severity::Warning) => "a warning",
        (_, Severity::Deprecation) => "a deprecation",
    }
}

fn hint(wanted: &str) -> String {
    let distance =
        |name: &str| strsim::osa_distance(&wanted.to_ascii_uppercase(), &name.to_ascii_uppercase());
    let near = all().map(|code| (distance(code.name), code.name)).min();
    match near {
        Some((distance, name)) if distance <= 1 + wanted.len() / 3 => format!("did you mean {name}?"),
        _ => "`kukla explain --list` lists them all".into(),
    }
}
