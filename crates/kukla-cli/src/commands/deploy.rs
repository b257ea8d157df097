//! `kukla deploy`: the environments of control repositories.

use std::path::{Path, PathBuf};

use kukla::syntax::{Problem, ProblemKind};
use kukla::world::policy::{Commands, Effect, Files, Reach, Variables};
use kukla::world::{Guarded, World};
use kukla::{DiskWorld, Policy};
use kukla_modules::deploy::plan::{Change, ModuleChange, Plan};
use kukla_modules::deploy::selection::Selection;
use kukla_modules::deploy::settings::{DEFAULT_FILES, DeploySettings};
use kukla_modules::deploy::{DeployReport, Deployment, Failure};

use super::modules::{Progress, SourceArgs};
use crate::output::{errln, outln};
use crate::{CommandResult, ExitKind};

#[cfg(feature = "serve")]
mod deployer;

#[cfg(feature = "serve")]
pub use deployer::deployer;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Deploy only these environments
    #[arg(value_name = "ENVIRONMENT")]
    environments: Vec<String>,
    /// Settings of r10k or g10k [default: r10k.yaml, else /etc/puppetlabs/r10k/r10k.yaml, else /etc/r10k.yaml]
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Change nothing, print the plan
    #[arg(long)]
    dry_run: bool,
    /// Deploy environments that have not changed, too, which repairs edited files
    #[arg(long)]
    force: bool,
    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
    /// Do not run the command that the settings name as postrun
    #[arg(long)]
    no_postrun: bool,
    /// Commands that postrun, filter_command and the code of Puppetfiles may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: Commands,
    #[command(flatten)]
    sources: SourceArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> CommandResult {
    let path = settings_file(args.config.as_deref())?;
    let settings = DeploySettings::read(&path)?;
    settings.notes.iter().for_each(|note| errln!("note: {note}"));
    let world = world(&args.commands, &settings);
    if !args.dry_run && !args.no_postrun {
        require_postrun(&settings, &world)?;
    }
    let sources = args.sources.open_with((&settings).into())?;
    let deployment = Deployment {
        settings: &settings,
        sources: &sources,
        world: &world,
        selection: match &args.environments[..] {
            [] => Selection::All,
            names => Selection::Named(names),
        },
        force: args.force,
    };
    if args.dry_run {
        let plan = deployment.plan()?;
        print(&plan, args.json, true);
        fail(&plan.failures)?;
        return Ok(ExitKind::findings_if(plan.has_changes()));
    }
    let waiting = |basedir: &Path| errln!("kukla: waiting for another deployment to {}", basedir.display());
    let report = deployment.run(&Progress::default(), waiting)?;
    print(&report.plan, args.json, false);
    if sources.store.linking.had_to_copy() {
        errln!("kukla: {}", kukla_modules::store::OTHER_FILESYSTEM);
    }
    let print = |line: String| errln!("{line}");
    let postrun = if args.no_postrun { Ok(()) } else { postrun(&settings, &world, &report, print) };
    fail(&report.failures)?;
    postrun?;
    Ok(ExitKind::Success)
}

/// The file of settings: the one that is named, or the first that r10k would find.
fn settings_file(named: Option<&Path>) -> Result<PathBuf, Problem> {
    let named = named.map(Path::to_owned);
    named.or_else(|| DEFAULT_FILES.iter().map(PathBuf::from).find(|path| path.is_file())).ok_or_else(|| {
        Problem::not_found("there are no settings for a deployment")
            .because(format!("none of {} exists", DEFAULT_FILES.join(", ")))
            .help("name a file with --config; `kukla mod sync` installs the modules of one Puppetfile without any")
    })
}

/// The world that Puppetfiles see: the directories of environments, and environment variables.
fn world(commands: &Commands, settings: &DeploySettings) -> impl World + use<> {
    let also = settings.sources.iter().map(|source| source.basedir.clone()).collect();
    let policy = Policy {
        files: Files { reach: Reach::Repository, also },
        commands: commands.clone(),
        variables: Variables::On,
        ..Policy::default()
    };
    Guarded::new(DiskWorld::default(), policy)
}

/// Checks that postrun may run, before anything is deployed.
fn require_postrun(settings: &DeploySettings, world: &dyn World) -> Result<(), Problem> {
    let Some(program) = settings.postrun.first() else { return Ok(()) };
    world.policy().check(Effect::Command(program)).map_err(|refusal| {
        Problem::new(ProblemKind::Denied, "postrun is not allowed")
            .on(format!("'{program}'"))
            .because(refusal)
            .help(format!("--commands {program} allows it, --no-postrun deploys without it"))
    })
}

/// Runs the command of the settings after a deployment.
fn postrun(
    settings: &DeploySettings,
    world: &dyn World,
    report: &DeployReport,
    mut print: impl FnMut(String),
) -> Result<(), Problem> {
    if settings.postrun.is_empty() {
        return Ok(());
    }
    let modified = report.modified().join(" ");
    // The command may run anywhere.
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path).display().to_string();
    let directories: Vec<String> = report.modified_directories().into_iter().map(absolute).collect();
    let directories = directories.join(" ");
    let command: Vec<String> = settings
        .postrun
        .iter()
        .map(|word| word.replace("$modifiedenvs", &modified).replace("$modifieddirs", &directories))
        .collect();
    let failed = || Problem::other("postrun failed").on(format!("`{}`", command.join(" ")));
    let output = world.run(&command).map_err(|error| failed().because(error))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    [text(&output.stdout), text(&output.stderr)]
        .into_iter()
        .filter(|text| !text.is_empty())
        .for_each(&mut print);
    match output.code {
        Some(0) => Ok(()),
        Some(code) => Err(failed().because(format!("exit code {code}"))),
        None => Err(failed().because("it was killed")),
    }
}

/// Reports environments that could not be deployed.
fn fail(failures: &[Failure]) -> Result<(), Problem> {
    for failure in failures {
        errln!("error: {}: {}", failure.environment, failure.problem.with_help());
    }
    match failures.len() {
        0 => Ok(()),
        1 => Err(Problem::other("one environment could not be deployed and stays as it is")),
        count => {
            Err(Problem::other(format!("{count} environments could not be deployed and stay as they are")))
        }
    }
}

fn print(plan: &Plan, as_json: bool, is_dry: bool) {
    plan.notes.iter().for_each(|note| errln!("note: {note}"));
    if as_json {
        outln!("{}", serde_json::to_string_pretty(&plan.to_json()).unwrap_or_default());
        return;
    }
    let (mut added, mut changed, mut unchanged) = (0, 0, 0);
    for planned in &plan.environments {
        let (name, to) = (&planned.desired.directory, short(planned.desired.signature()));
        match &planned.change {
            Change::Unchanged => {
                unchanged += 1;
                continue;
            }
            Change::Added => {
                added += 1;
                outln!("+ {name} {to}");
            }
            Change::Changed { from } => {
                changed += 1;
                match from.as_deref().map(short) {
                    Some(from) if from != to => outln!("~ {name} {from} -> {to}"),
                    Some(_) => outln!("~ {name} {to}"),
                    None => outln!("~ {name} {to} (it was not deployed before)"),
                }
                // All modules of a new environment are new.
                planned.modules.iter().for_each(print_module);
            }
        }
    }
    plan.removed.iter().for_each(|path| outln!("- {}", path.display()));
    let count = |count: usize, word: &str, dry: &str| match count {
        0 => None,
        count => Some(format!("{count} {}", if is_dry { dry } else { word })),
    };
    let counts = [
        count(added, "added", "to add"),
        count(changed, "changed", "to change"),
        count(plan.removed.len(), "removed", "to remove"),
        Some(format!("{unchanged} unchanged")),
    ];
    outln!("environments: {}", counts.into_iter().flatten().collect::<Vec<_>>().join(", "));
}

fn print_module(module: &ModuleChange) {
    let ModuleChange { title, from, to } = module;
    match (from, to) {
        (None, Some(to)) => outln!("    + {title} {to}"),
        (Some(from), Some(to)) => outln!("    ~ {title} {from} -> {to}"),
        (from, None) => outln!("    - {title} {}", from.as_deref().unwrap_or_default()),
    }
}

fn short(commit: &str) -> &str {
    if kukla_modules::git::is_commit(commit) { &commit[..10] } else { commit }
}
