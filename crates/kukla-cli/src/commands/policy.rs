//! The options that restrict what code may access, for every command that runs code.

use std::path::PathBuf;
use std::sync::LazyLock;

use kukla::syntax::Problem;
use kukla::values::time::Timestamp;
use kukla::world::World as _;
use kukla::world::policy::{Access, Clock, Commands, Files, Randomness, Reach, Variables, Writes};
use kukla::{DiskWorld, Policy};

/// The resources of this machine that code may access. See docs/manual/security.md.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Access of code")]
pub struct PolicyOptions {
    /// Commands that generate(), config_version and the like may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: Commands,
    /// Files that code and data may read: repository (the environment's directory and files named by options), modules (also the
    /// module path and data directories, wherever they are), or any; append further paths, separated by commas
    #[arg(long, value_name = "POLICY", default_value = "any")]
    files: Files,
    /// Files that Ruby code may create and change: scratch (any, in memory, for the compilation itself), off, on (anywhere on the disk), or
    /// those below paths separated by commas that begin with / or ./
    #[arg(long, value_name = "POLICY", default_value = "scratch")]
    writes: Writes,
    /// Environment variables that code and data may read: off, data (any that data names), on, or names separated by commas [default:
    /// data; off with --files repository or modules]
    #[arg(long, value_name = "POLICY")]
    env: Option<Variables>,
    /// Network access of Ruby code: always off; --answers supplies recorded answers
    #[arg(long, value_name = "POLICY", default_value = "off", value_parser = parse_network)]
    network: Access,
    /// The time that code reads: start (the time at which the command started), fixed:TIME (such as fixed:2026-01-31T12:00:00Z), on (the
    /// present), or off (none for Ruby code)
    #[arg(long, value_name = "POLICY", default_value = "start")]
    clock: Clock,
    /// Random numbers of code that sets no seed: seeded (by the name of the node), seeded:TEXT (also by this text), on (different each time),
    /// or off (none for Ruby code)
    #[arg(long, value_name = "POLICY", default_value = "seeded")]
    randomness: Randomness,
    /// Answer queries from recordings in this directory (puppetdb.yaml, dns.yaml, http.yaml), for tests
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
    /// Run functions and templates of modules that Kukla cannot run in this Ruby; its access is not restricted
    #[arg(long, value_name = "PATH")]
    ruby: Option<String>,
}

/// Parses the policy for the network. Ruby code has no network access, so `on` is an error instead of having no effect.
pub fn parse_network(text: &str) -> Result<Access, Problem> {
    match text.parse()? {
        Access::Off => Ok(Access::Off),
        Access::On => Err(Problem::invalid(
            "Ruby code has no network access; use --answers DIR for recorded answers, or --ruby PATH for a Ruby with network access",
        )),
    }
}

/// The time at which the command started, which everything that one command compiles shares.
static STARTED: LazyLock<Timestamp> = LazyLock::new(|| DiskWorld::default().now());

impl PolicyOptions {
    /// The files that may be read.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The policy that the options define.
    pub fn policy(&self) -> Policy {
        let default = match self.files.reach {
            Reach::Any => Variables::Data,
            Reach::Repository | Reach::Modules => Variables::Off,
        };
        Policy {
            files: self.files.clone(),
            writes: self.writes.clone(),
            commands: self.commands.clone(),
            variables: self.env.clone().unwrap_or(default),
            network: self.network,
            clock: self.clock,
            randomness: self.randomness.clone(),
            started: Some(*STARTED),
            answers: self.answers.clone(),
            ruby: self.ruby.clone(),
        }
    }
}
