//! `kukla eval`: the value of a program.

use std::path::PathBuf;

use kukla::fleet::SiteNode;
use kukla::{Compiler, Outcome as Evaluation, Type, Value};

use super::target::{NodeTarget, Target};
use crate::output::{err, outln};
use crate::render::ValueFormat;
use crate::render::failure::{self, ErrorFormat};
use crate::{Outcome, files};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla eval -e '[1, 2, 3].map |$x| { $x * 2 }'
  kukla eval -e '$facts[\"os\"][\"family\"]' --facts facts/web1.json --format text
  kukla eval program.pp --type")]
pub struct Args {
    /// The program; `-` is standard input
    #[arg(required_unless_present = "execute", conflicts_with = "execute")]
    file: Option<PathBuf>,
    /// The control repository whose modules and data the code may use
    #[arg(long = "in", short = 'C', default_value = ".", value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    target: Target,
    /// How to print the value
    #[arg(long, value_enum, default_value_t)]
    format: ValueFormat,
    /// Print the value's type instead
    #[arg(long = "type")]
    show_type: bool,
    /// How to print errors and messages
    #[arg(long, value_enum, default_value_t)]
    errors: ErrorFormat,
}

/// Evaluates and prints.
pub fn run(args: &Args) -> Outcome {
    let opened = args.target.open(&args.path).and_then(|mut target| {
        if let Some(file) = &args.file {
            target.node.site.code = Some(files::read(file)?.0.text().to_owned());
        }
        Ok(target)
    });
    let NodeTarget { compiler, node } = match opened {
        Ok(opened) => opened,
        Err(problem) => return Outcome::unable(&problem.with_help()),
    };
    let evaluated = evaluate(&compiler, &node);
    let mut out = String::new();
    evaluated.logs.iter().for_each(|log| failure::log(&mut out, log, args.errors));
    let outcome = match evaluated.result {
        Ok(value) => {
            let text = if args.show_type { Type::of(&value).to_string() } else { args.format.print(&value) };
            outln!("{text}");
            Outcome::Done
        }
        Err(failure) => {
            failure::render(&mut out, &failure, &node.node.name, args.errors);
            Outcome::Found
        }
    };
    err!("{out}");
    outcome
}

/// The value of a site's manifest.
pub fn evaluate(compiler: &Compiler, node: &SiteNode) -> Evaluation<Value> {
    match compiler.open(&node.site) {
        Ok(site) => site.eval(&node.node),
        Err(failure) => failure.into(),
    }
}
