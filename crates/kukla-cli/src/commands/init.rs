//! `kukla init`: sets a repository up for Kukla, and changes nothing that exists.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kukla::DiskWorld;
use kukla::syntax::{Problem, ProblemKind};
use kukla::world::World;
use kukla_check::repository::Shape;
use kukla_check::{readiness, root_of};

use crate::files;
use crate::output::{self, errln, outln};
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla init --dry-run
  kukla init --ci gitlab")]
pub struct Args {
    /// Root of the repository
    #[arg(default_value = ".")]
    path: PathBuf,
    /// CI system to write a configuration for [default: the one that the repository uses]
    #[arg(long, value_enum, value_name = "SYSTEM")]
    ci: Option<Ci>,
    /// Write no configuration of pre-commit
    #[arg(long)]
    no_hooks: bool,
    /// Print what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// A CI system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ci {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
    /// Forgejo or Gitea Actions
    Forgejo,
    /// Jenkins
    Jenkins,
    /// None
    None,
}

impl Ci {
    /// The file of its configuration.
    fn file(self) -> Option<(&'static str, &'static str)> {
        match self {
            Ci::Github => Some((".github/workflows/kukla.yml", include_str!("init/github.yml"))),
            Ci::Gitlab => Some((".gitlab-ci.yml", include_str!("init/gitlab.yml"))),
            Ci::Forgejo => Some((".forgejo/workflows/kukla.yml", include_str!("init/forgejo.yml"))),
            Ci::Jenkins => Some(("Jenkinsfile", include_str!("init/Jenkinsfile"))),
            Ci::None => None,
        }
    }

    /// The system that a repository uses, by its files and the address of its remote.
    fn of(root: &Path) -> Ci {
        let has = |name: &str| root.join(name).exists();
        let remote = || files::read_text(&root.join(".git/config")).unwrap_or_default();
        let is_at = |text: &str| remote().lines().any(|line| line.contains("url") && line.contains(text));
        match () {
            () if has(".gitlab-ci.yml") => Ci::Gitlab,
            () if has(".forgejo") || has(".gitea") => Ci::Forgejo,
            () if has("Jenkinsfile") => Ci::Jenkins,
            () if has(".github") || is_at("github.com") => Ci::Github,
            () if is_at("gitlab") => Ci::Gitlab,
            () if is_at("codeberg.org") => Ci::Forgejo,
            () => Ci::None,
        }
    }
}

/// The line of `.gitignore` for the reports that `kukla-ci` writes.
const IGNORED: &str = "/kukla-report/";

/// A file to write, and what happens to it.
enum Step {
    Create(String),
    /// Add to the end of the file.
    Append(String),
    /// The file exists; this is what it could have.
    Keep(String),
    /// The file has everything already.
    Ready,
}

/// Writes the files that are missing.
pub fn run(args: &Args) -> CommandResult {
    let world = DiskWorld::default();
    let root = world.resolve(&args.path);
    let (_, shape) = root_of(&world, &root).ok_or_else(|| readiness::not_a_repository(&args.path))?;
    let ci = args.ci.unwrap_or_else(|| Ci::of(&root));
    let mut steps = vec![("kukla.toml", create(&root, "kukla.toml", settings(&world, &root, shape))?)];
    if !args.no_hooks {
        let name = ".pre-commit-config.yaml";
        steps.push((name, create(&root, name, versioned(include_str!("init/pre-commit.yaml")))?));
    }
    if let Some((name, text)) = ci.file() {
        steps.push((name, create(&root, name, versioned(text))?));
    }
    steps.push((".gitignore", ignore(&root)?));
    let mut written = Vec::new();
    for (name, step) in &steps {
        match step {
            Step::Create(text) => written.push((root.join(name), text.clone())),
            Step::Append(text) => {
                written.push((root.join(name), read(&root.join(name))?.unwrap_or_default() + text))
            }
            Step::Keep(_) | Step::Ready => {}
        }
    }
    if !args.dry_run {
        for (path, _) in &written {
            let directory = path.parent().unwrap_or(&root);
            std::fs::create_dir_all(directory).map_err(|error| Problem::io("create", directory, &error))?;
        }
        output::write_files(&written)?;
    }
    steps.iter().for_each(|(name, step)| report(name, step, args.dry_run));
    if ci == Ci::None && args.ci.is_none() {
        errln!(
            "kukla: no CI system recognized; `kukla init --ci github|gitlab|forgejo|jenkins` writes its configuration"
        );
    }
    Ok(ExitKind::Success)
}

fn report(name: &str, step: &Step, dry_run: bool) {
    let would = if dry_run { "would " } else { "" };
    let past = |verb: &'static str, past: &'static str| if dry_run { verb } else { past };
    match step {
        Step::Create(_) => outln!("{would}{} {name}", past("create", "created")),
        Step::Append(line) => outln!("{would}{} {} to {name}", past("add", "added"), line.trim()),
        Step::Ready => outln!("unchanged {name}"),
        Step::Keep(text) => {
            outln!("unchanged {name}; it could have:");
            text.lines().for_each(|line| outln!("{}", format!("    {line}").trim_end()));
        }
    }
}

/// The text of a file; none if it does not exist.
fn read(path: &Path) -> Result<Option<String>, Problem> {
    match files::read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(problem) if problem.kind() == ProblemKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

fn create(root: &Path, name: &str, text: String) -> Result<Step, Problem> {
    Ok(match read(&root.join(name))? {
        None => Step::Create(text),
        Some(old) if old.contains("kukla") => Step::Ready,
        Some(_) => Step::Keep(text),
    })
}

fn ignore(root: &Path) -> Result<Step, Problem> {
    Ok(match read(&root.join(".gitignore"))? {
        None => Step::Create(format!("{IGNORED}\n")),
        Some(old) if old.lines().any(|line| line.trim() == IGNORED) => Step::Ready,
        Some(old) if old.is_empty() || old.ends_with('\n') => Step::Append(format!("{IGNORED}\n")),
        Some(_) => Step::Append(format!("\n{IGNORED}\n")),
    })
}

/// A template with the version and the home of this program.
fn versioned(text: &str) -> String {
    text.replace("@VERSION@", env!("CARGO_PKG_VERSION")).replace("@REPOSITORY@", env!("CARGO_PKG_REPOSITORY"))
}

/// The settings for a repository: nothing that changes a result, with the keys that most repositories need as comments.
fn settings(world: &dyn World, root: &Path, shape: Shape) -> String {
    let mut text = include_str!("init/kukla.toml").to_owned();
    if shape == Shape::Control {
        let facts = world.exists(&root.join("facts"));
        text.push_str(if facts {
            include_str!("init/facts.toml")
        } else {
            include_str!("init/no-facts.toml")
        });
    }
    text
}
