//! `kukla doctor`: what a repository lacks for each command, and what to do about it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use kukla::DiskWorld;
use kukla::world::World;
use kukla_check::readiness::{self, Part, State};
use kukla_check::repository::Shape;
use kukla_check::root_of;
use serde_json::json;

use super::target::Target;
use crate::output::err;
use crate::output::outln;
use crate::render::failure::{self, ErrorFormat};
use crate::render::relative_path;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla doctor
  kukla doctor --facts debian-12          as `kukla compile --facts debian-12` sees the repository")]
pub struct Args {
    /// Repository, or a directory in it
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    target: Target,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Human,
    /// One JSON document
    Json,
}

/// The commands that work on a repository, in the order of the help.
const COMMANDS: [&str; 7] = ["check", "compile", "diff", "lookup", "why", "fmt", "lint"];

/// Examines the repository and prints its parts.
pub fn run(args: &Args) -> CommandResult {
    let world = DiskWorld::default();
    let path = world.resolve(&args.path);
    let (root, shape) = root_of(&world, &path).ok_or_else(|| readiness::not_a_repository(&args.path))?;
    let options = args.target.options(&root)?;
    let mut parts = match readiness::examine(&world, &root, shape, &options) {
        Ok(parts) => parts,
        Err(diagnostic) => {
            let mut out = String::new();
            failure::render(&mut out, &diagnostic, "", ErrorFormat::Human);
            err!("{out}");
            return Ok(ExitKind::Findings);
        }
    };
    parts.push(git(&root));
    match args.format {
        Format::Human => print(&root, shape, &parts),
        Format::Json => print_json(&root, shape, &parts),
    }
    Ok(ExitKind::findings_if(parts.iter().any(|part| part.state == State::Missing)))
}

fn git(root: &std::path::Path) -> Part {
    let part = Part { name: "git", state: State::Ready, finding: String::new(), help: None, affects: &[] };
    match kukla_git::Repository::discover(root, Arc::new(DiskWorld::default())) {
        Ok(_) => Part { finding: "revisions can be compared".to_owned(), ..part },
        Err(problem) => Part {
            state: State::Lacking,
            finding: problem.to_string(),
            help: Some(
                "`kukla diff BEFORE AFTER` compares two directories; comparing revisions requires git"
                    .to_owned(),
            ),
            affects: &["diff"],
            ..part
        },
    }
}

fn print(root: &std::path::Path, shape: Shape, parts: &[Part]) {
    outln!("{} {}\n", describe(shape), relative_path(&root.display().to_string()));
    let width = parts.iter().map(|part| part.name.len()).max().unwrap_or_default();
    for part in parts {
        outln!("  {:<7}  {:<width$}  {}", word(part.state), part.name, part.finding);
        if let Some(help) = &part.help {
            outln!("           help: {help}");
        }
    }
    outln!("");
    let names_in = |state: State| {
        let names: Vec<&str> = COMMANDS.into_iter().filter(|name| worst(parts, name) == state).collect();
        names.join(", ")
    };
    for (state, heading) in
        [(State::Ready, "ready"), (State::Lacking, "limited"), (State::Missing, "not ready")]
    {
        let names = names_in(state);
        if !names.is_empty() {
            outln!("{heading}: {names}");
        }
    }
}

fn print_json(root: &std::path::Path, shape: Shape, parts: &[Part]) {
    let part = |part: &Part| {
        json!({
            "name": part.name,
            "state": word(part.state),
            "finding": part.finding,
            "help": part.help,
            "affects": part.affects,
        })
    };
    let commands: serde_json::Map<String, serde_json::Value> =
        COMMANDS.iter().map(|name| ((*name).to_owned(), json!(word(worst(parts, name))))).collect();
    let document = json!({
        "root": root.display().to_string(),
        "kind": describe(shape),
        "parts": parts.iter().map(part).collect::<Vec<_>>(),
        "commands": commands,
    });
    outln!("{document:#}");
}

/// The state of a command: the worst of the parts that it needs.
fn worst(parts: &[Part], command: &str) -> State {
    let needed = parts.iter().filter(|part| part.affects.contains(&command));
    let states: Vec<State> = needed.map(|part| part.state).collect();
    match (states.contains(&State::Missing), states.contains(&State::Lacking)) {
        (true, _) => State::Missing,
        (false, true) => State::Lacking,
        _ => State::Ready,
    }
}

fn word(state: State) -> &'static str {
    match state {
        State::Ready => "ok",
        State::Lacking => "lacking",
        State::Missing => "missing",
    }
}

fn describe(shape: Shape) -> &'static str {
    match shape {
        Shape::Control => "control repository",
        Shape::Module => "module",
        Shape::Modules => "directory of modules",
        Shape::Loose => "files",
    }
}
