//! `kukla eval`: the value of a program.

use std::path::PathBuf;

use kukla::fleet::SiteNode;
use kukla::syntax::ProblemKind;
use kukla::{Compiler, Outcome as Evaluation, Type, Value};

use super::options::RepositoryOption;
use super::target::{NodeTarget, Target};
use crate::output::{err, out};
use crate::render::ValueFormat;
use crate::render::failure::{self, ErrorFormat};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla eval -e '[1, 2, 3].map |$x| { $x * 2 }'
  kukla eval -e '$facts[\"os\"][\"family\"]' --facts facts/web1.json --format text
  kukla eval program.pp --type")]
pub struct Args {
    /// File with the code to evaluate; `-` is standard input
    #[arg(required_unless_present = "execute", conflicts_with = "execute")]
    file: Option<PathBuf>,
    #[command(flatten)]
    repository: RepositoryOption,
    #[command(flatten)]
    target: Target,
    /// Output format of the value
    #[arg(long, value_enum, default_value_t)]
    format: ValueFormat,
    /// Print the type of the value instead
    #[arg(long = "type")]
    show_type: bool,
    /// Output format of errors and messages
    #[arg(long, value_enum, default_value_t)]
    errors: ErrorFormat,
}

/// Evaluates the code and prints its value.
pub fn run(args: &Args) -> CommandResult {
    let NodeTarget { compiler, mut node } = args.target.open(&args.repository.path)?;
    if let Some(file) = &args.file {
        let read = files::read(file).map_err(|problem| match problem.kind() {
            ProblemKind::NotFound => problem.help("evaluate code from the command line with -e CODE"),
            _ => problem,
        });
        node.site.code = Some(read?.0.text().to_owned());
    }
    let text = |value: &Value| match args.show_type {
        true => format!("{}\n", Type::of(value)),
        false => format!("{}\n", args.format.print(&value.into())),
    };
    Ok(print(evaluate(&compiler, &node), &node.node.name, args.errors, text))
}

/// The value of a site's manifest.
pub fn evaluate(compiler: &Compiler, node: &SiteNode) -> Evaluation<Value> {
    match compiler.open(&node.site) {
        Ok(site) => site.eval(&node.node),
        Err(failure) => failure.into(),
    }
}

/// Prints the value of an evaluation as `text` has it, or its error, and all messages.
pub fn print(
    evaluation: Evaluation<Value>,
    node: &str,
    errors: ErrorFormat,
    text: impl FnOnce(&Value) -> String,
) -> ExitKind {
    let mut messages = String::new();
    failure::logs(&mut messages, &evaluation.logs, errors);
    let is_error = evaluation.result.is_err();
    match evaluation.result {
        Ok(value) => out!("{}", text(&value)),
        Err(failure) => failure::render(&mut messages, &failure, node, errors),
    }
    err!("{messages}");
    ExitKind::findings_if(is_error)
}
