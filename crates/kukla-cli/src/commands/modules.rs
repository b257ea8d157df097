//! `kukla mod`: the modules of a Puppetfile.

use std::path::PathBuf;

use clap::Subcommand;
use kukla::syntax::Problem;
use kukla_modules::install::{InstallOptions, InstallReport, Purge, install};
use kukla_modules::lock::{Lock, LockOptions, Update};
use kukla_modules::resolve::Strictness;

pub use self::options::default_store_directory;
use self::options::{ModuleOptions, Modules};
pub use self::options::{Progress, SourceArgs};
use crate::output::{errln, outln};
use crate::{CommandResult, ExitKind};

mod change;
mod options;
mod reports;
mod store;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Resolve the Puppetfile and write Puppetfile.lock
    ///
    /// Finds one version of each module and of everything that the modules require. Versions that are locked already stay where they can. A
    /// version that the Puppetfile names exactly counts more than the bounds of other modules, which are reported. Exit codes: 0 written, 1 the
    /// lock is out of date (with --check), 2 no versions fit together, or the command could not run.
    Lock {
        /// Write nothing; exit with code 1 if the lock is out of date
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        resolution: ResolutionArgs,
        #[command(flatten)]
        options: ModuleOptions,
    },
    /// Install the modules of Puppetfile.lock
    ///
    /// Installs exactly the locked contents, from the store if it has them. Without a lock, installs what the Puppetfile declares, as r10k does:
    /// without dependencies. Directories that were edited are replaced only with --force. Exit codes: 0 installed, 1 something would
    /// change (with --dry-run), 2 the command could not run.
    Sync {
        /// Replace directories that were edited or that Kukla has not installed
        #[arg(long)]
        force: bool,
        /// Remove everything else from the directories that modules are installed in
        #[arg(long)]
        purge: bool,
        /// Change nothing, print what would change
        #[arg(long)]
        dry_run: bool,
        /// Only fetch the modules into the store, for `kukla diff` and similar commands
        #[arg(long, conflicts_with_all = ["force", "purge", "dry_run"])]
        fetch_only: bool,
        /// Fetch the modules that the lock has in this revision; implies --fetch-only
        #[arg(long, value_name = "REVISION", conflicts_with_all = ["force", "purge", "dry_run"])]
        revision: Option<String>,
        #[command(flatten)]
        options: ModuleOptions,
    },
    /// Add modules to the Puppetfile and lock them
    Add(change::AddArgs),
    /// Remove modules from the Puppetfile and the lock
    Remove(change::RemoveArgs),
    /// Raise versions in the Puppetfile and the lock
    ///
    /// Without names, updates all modules: those of the Forge to the latest versions that fit together, those in git to the newest tag of a
    /// version, or to the commit that their branch has now. Comments and layout of the Puppetfile stay.
    Update(change::UpdateArgs),
    /// List modules with newer versions
    ///
    /// Exit codes: 0 none, 1 some, 2 the command could not run.
    Outdated(reports::OutdatedArgs),
    /// Print the modules and what they require, as a tree
    Tree(reports::TreeArgs),
    /// Print why a module is installed
    ///
    /// Exit codes: 0 it is, 1 it is not, 2 the command could not run.
    Why(reports::WhyArgs),
    /// List deprecated modules and requirements that do not hold
    ///
    /// Exit codes: 0 no findings, 1 findings, 2 the command could not run.
    Audit(reports::AuditArgs),
    /// Find installed modules that differ from the lock
    ///
    /// Exit codes: 0 all are as locked, 1 some differ, 2 the command could not run.
    Verify(reports::VerifyArgs),
    /// Print the modules as a software bill of materials (CycloneDX 1.5, JSON)
    Sbom(reports::SbomArgs),
    /// Manage the store of modules, which all environments share
    #[command(subcommand)]
    Store(store::Command),
}

/// The options of resolving.
#[derive(Debug, clap::Args)]
struct ResolutionArgs {
    /// Fail where an exact version of the Puppetfile is outside of the bounds of another module
    #[arg(long)]
    strict: bool,
    /// Lock only the modules of the Puppetfile
    #[arg(long)]
    no_dependencies: bool,
}

impl ResolutionArgs {
    fn options<'l>(&self, previous: Option<&'l Lock>, update: Update) -> LockOptions<'l> {
        let strictness = if self.strict { Strictness::Strict } else { Strictness::Lenient };
        LockOptions { previous, update, strictness, without_dependencies: self.no_dependencies }
    }
}

/// Runs the subcommand.
pub fn run(args: &Args) -> CommandResult {
    match &args.command {
        Command::Lock { check, resolution, options } => lock(*check, resolution, options),
        Command::Sync { force, purge, dry_run, fetch_only, revision, options } => {
            let modules = options.open()?;
            if *fetch_only || revision.is_some() {
                return fetch(&modules, revision.as_deref());
            }
            let purge = if *purge { Purge::All } else { Purge::Own };
            sync(&modules, InstallOptions { force: *force, purge, dry: *dry_run, threads: 0 })
        }
        Command::Add(args) => change::add(args),
        Command::Remove(args) => change::remove(args),
        Command::Update(args) => change::update(args),
        Command::Outdated(args) => reports::outdated(args),
        Command::Tree(args) => reports::tree(args),
        Command::Why(args) => reports::why(args),
        Command::Audit(args) => reports::audit(args),
        Command::Verify(args) => reports::verify(args),
        Command::Sbom(args) => reports::sbom(args),
        Command::Store(command) => store::run(command),
    }
}

fn lock(check: bool, resolution: &ResolutionArgs, options: &ModuleOptions) -> CommandResult {
    let modules = options.open()?;
    let puppetfile = modules.puppetfile()?;
    let previous = modules.lock()?;
    if check {
        let previous = previous.unwrap_or_default();
        let differences = previous.differences(&puppetfile);
        differences.iter().for_each(|difference| outln!("{difference}"));
        return Ok(ExitKind::findings_if(!differences.is_empty()));
    }
    let locked = modules.resolve(&puppetfile, &resolution.options(previous.as_ref(), Update::Nothing))?;
    modules.write_lock(previous.as_ref(), &locked.lock)?;
    Ok(ExitKind::Success)
}

/// Installs the lock, or the Puppetfile where there is none.
fn sync(modules: &Modules, options: InstallOptions) -> CommandResult {
    let mut lock = modules.lock_or_pin()?;
    modules.fetch(&mut lock)?;
    let report = install(&modules.sources.store, &lock, &modules.base, options)?;
    print_report(&report, options.dry);
    if modules.sources.store.linking.had_to_copy() {
        errln!("kukla: {}", kukla_modules::store::OTHER_FILESYSTEM);
    }
    Ok(ExitKind::findings_if(options.dry && report.has_changes()))
}

fn print_report(report: &InstallReport, dry: bool) {
    let lists = [("+", &report.added), ("~", &report.replaced), ("-", &report.removed)];
    for (sign, paths) in lists {
        paths.iter().for_each(|path: &PathBuf| outln!("{sign} {}", path.display()));
    }
    let count = |list: &[PathBuf], word: &str| match list.len() {
        0 => None,
        count => Some(format!("{count} {word}")),
    };
    let counts = [
        count(&report.added, if dry { "to install" } else { "installed" }),
        count(&report.replaced, if dry { "to replace" } else { "replaced" }),
        count(&report.removed, if dry { "to remove" } else { "removed" }),
        Some(format!("{} unchanged", report.unchanged)),
    ];
    outln!("modules: {}", counts.into_iter().flatten().collect::<Vec<_>>().join(", "));
}

/// Fetches modules into the store and installs none.
fn fetch(modules: &Modules, revision: Option<&str>) -> Result<ExitKind, Problem> {
    let mut lock = match revision {
        Some(revision) => modules.lock_of_revision(revision)?,
        None => modules.lock_or_pin()?,
    };
    modules.fetch(&mut lock)?;
    outln!(
        "{} modules are in the store",
        lock.modules.iter().filter(|module| module.content.is_some()).count()
    );
    Ok(ExitKind::Success)
}
