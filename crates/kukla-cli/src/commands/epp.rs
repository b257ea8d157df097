//! `kukla epp`: templates on their own.

use std::path::PathBuf;

use clap::Subcommand;
use kukla::Value;

use super::eval::evaluate;
use super::target::{NodeTarget, Target};
use crate::output::{err, out};
use crate::render::ValueFormat;
use crate::render::failure::{self, ErrorFormat};
use crate::{Outcome, commands::check, files};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Render(Box<Render>),
    /// Check templates for errors; the same as `kukla check`
    Validate(check::Args),
}

/// Print what a template becomes
#[derive(Debug, clap::Args)]
struct Render {
    /// The template: a file, or `module/name.epp`
    template: String,
    /// Values for the template's parameters, as a JSON object
    #[arg(long, value_name = "JSON")]
    values: Option<String>,
    /// The control repository whose modules and data the template may use
    #[arg(long = "in", short = 'C', default_value = ".", value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    target: Target,
    /// How to print errors and messages
    #[arg(long, value_enum, default_value_t)]
    errors: ErrorFormat,
}

/// Renders or validates.
pub fn run(args: &Args) -> Outcome {
    match &args.action {
        Action::Validate(args) => check::run(args),
        Action::Render(args) => render(args).unwrap_or_else(|problem| Outcome::unable(&problem)),
    }
}

fn render(args: &Render) -> Result<Outcome, String> {
    args.target.refuse_code("the template is what is evaluated").map_err(|problem| problem.with_help())?;
    // A template that is named here may be read, wherever it lies.
    let named = PathBuf::from(&args.template).canonicalize().ok();
    let target = args.target.open_reading(&args.path, named).map_err(|problem| problem.with_help())?;
    let NodeTarget { compiler, mut node } = target;
    node.site.code = Some(program(args)?);
    let evaluated = evaluate(&compiler, &node);
    let mut out = String::new();
    evaluated.logs.iter().for_each(|log| failure::log(&mut out, log, args.errors));
    let outcome = match evaluated.result {
        Ok(text) => {
            out!("{}", ValueFormat::Text.print(&text));
            Outcome::Done
        }
        Err(failure) => {
            failure::render(&mut out, &failure, &node.node.name, args.errors);
            Outcome::Found
        }
    };
    err!("{out}");
    Ok(outcome)
}

/// The call that renders the template.
fn program(args: &Render) -> Result<String, String> {
    let file = PathBuf::from(&args.template);
    let name = match file.canonicalize() {
        Ok(path) => path.to_string_lossy().into_owned(),
        // Not a file here, so it must be one of a module.
        Err(_) if args.template.contains('/') && !args.template.starts_with('/') => args.template.clone(),
        Err(error) => return Err(files::problem(&file, &error)),
    };
    let quoted = ValueFormat::Puppet.print(&Value::from(name));
    let Some(values) = &args.values else { return Ok(format!("epp({quoted})")) };
    let values: serde_json::Value = serde_json::from_str(values).map_err(|e| format!("--values: {e}"))?;
    if !values.is_object() {
        return Err("--values: a JSON object is needed, as in '{\"port\": 80}'".into());
    }
    let values = ValueFormat::Puppet.print(&kukla::rpc::from_json(&values));
    Ok(format!("epp({quoted}, {values})"))
}
