//! `kukla epp`: rendering and validation of EPP templates.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use kukla::Value;
use kukla::syntax::Problem;

use super::eval;
use super::options::RepositoryOption;
use super::target::{NodeTarget, Target};
use crate::CommandResult;
use crate::commands::check;
use crate::render::ValueFormat;
use crate::render::failure::ErrorFormat;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Render(Box<Render>),
    /// Check templates for errors; the same as `kukla check`
    Validate(Box<check::Args>),
}

/// Render a template and print the text
#[derive(Debug, clap::Args)]
struct Render {
    /// Template to render: a file, or `module/name.epp`
    template: String,
    /// Set the template's parameters from a JSON object
    #[arg(long, value_name = "JSON")]
    values: Option<String>,
    #[command(flatten)]
    repository: RepositoryOption,
    #[command(flatten)]
    target: Target,
    /// Output format of errors and messages
    #[arg(long, value_enum, default_value_t)]
    errors: ErrorFormat,
}

/// Renders or validates.
pub fn run(args: &Args) -> CommandResult {
    match &args.action {
        Action::Validate(args) => check::run(args),
        Action::Render(args) => render(args),
    }
}

fn render(args: &Render) -> CommandResult {
    args.target.refuse_code("the template is evaluated")?;
    // The policy for files does not concern a template that the command line names.
    let named = PathBuf::from(&args.template).canonicalize().ok();
    let NodeTarget { compiler, mut node } = args.target.open_reading(&args.repository.path, named)?;
    node.site.code = Some(call(args)?);
    let evaluation = eval::evaluate(&compiler, &node);
    Ok(eval::print(evaluation, &node.node.name, args.errors, |text| ValueFormat::Text.print(&text.into())))
}

/// A value as code.
fn notation(value: &Value) -> Result<String, Problem> {
    let text = kukla::values::format::format_value(value, &"%p".into());
    text.map(String::from).map_err(|error| Problem::invalid("invalid value").because(error.message()))
}

/// The call that renders the template.
fn call(args: &Render) -> Result<String, Problem> {
    let name = match Path::new(&args.template).canonicalize() {
        Ok(path) => path.to_string_lossy().into_owned(),
        // Not a file here, so it must be one of a module.
        Err(_) if args.template.contains('/') && !args.template.starts_with('/') => args.template.clone(),
        Err(error) => return Err(Problem::io("read", Path::new(&args.template), &error)),
    };
    let quoted = notation(&Value::from(name))?;
    let Some(values) = &args.values else { return Ok(format!("epp({quoted})")) };
    let invalid = || Problem::invalid("invalid JSON in --values");
    let values: serde_json::Value = serde_json::from_str(values).map_err(|error| invalid().because(error))?;
    if !values.is_object() {
        return Err(invalid().because("expected an object").help("write it as '{\"port\": 80}'"));
    }
    let values = notation(&kukla::rpc::from_json(&values))?;
    Ok(format!("epp({quoted}, {values})"))
}
