//! What code may reach outside, as options of every command that runs code.

use std::path::PathBuf;

use kukla::Policy;
use kukla::world::policy::{Access, Commands, Files, Reach, Variables, Writes};

/// What code may reach outside. See docs/manual/security.md.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "What code may reach")]
pub struct Allowed {
    /// Commands that generate(), config_version and the like may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: Commands,
    /// Files that code and data may read: repository (the environment's directory and what is named here), modules (also the
    /// module path and data directories, wherever the environment says they are), any; further paths may follow, separated by commas
    #[arg(long, value_name = "POLICY", default_value = "any")]
    files: Files,
    /// Directories below which Ruby code may make and change files: off, on (anywhere), or paths separated by commas that begin with / or ./
    #[arg(long, value_name = "POLICY", default_value = "off")]
    writes: Writes,
    /// Environment variables that code and data may see: off, data (any that data names), on, or names separated by commas; by
    /// default data, and off where --files sets bounds
    #[arg(long, value_name = "POLICY")]
    env: Option<Variables>,
    /// Whether Ruby code may talk to other hosts: off, since there is no network for it here; --answers gives recorded answers
    #[arg(long, value_name = "POLICY", default_value = "off", value_parser = network)]
    network: Access,
    /// Whether Ruby code may ask for the time: off or on
    #[arg(long, value_name = "POLICY", default_value = "off")]
    clock: Access,
    /// Whether Ruby code may have random numbers that no seed decides: off or on
    #[arg(long, value_name = "POLICY", default_value = "off")]
    randomness: Access,
    /// Answers that are recorded in files of this directory (puppetdb.yaml, dns.yaml, http.yaml) instead of asking anyone: for tests
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
    /// A Ruby that runs functions and templates of modules which Kukla cannot run itself: a last resort, since nothing here holds for
    /// what it runs
    #[arg(long, value_name = "PATH")]
    ruby: Option<String>,
}

/// Reads a policy for the network. There is none for Ruby code here, so nobody is led to believe that there were.
pub fn network(text: &str) -> Result<Access, String> {
    match text.parse().map_err(|problem: kukla::syntax::Problem| problem.to_string())? {
        Access::Off => Ok(Access::Off),
        Access::On => Err("Ruby code has no network here; --answers DIR gives recorded answers, --ruby PATH names a Ruby that has one".into()),
    }
}

impl Allowed {
    /// The policy that the options stand for.
    pub fn policy(&self) -> Policy {
        let by_default = match self.files.reach {
            Reach::Any => Variables::Data,
            Reach::Repository | Reach::Modules => Variables::Off,
        };
        Policy {
            files: self.files.clone(),
            writes: self.writes.clone(),
            commands: self.commands.clone(),
            variables: self.env.clone().unwrap_or(by_default),
            network: self.network,
            clock: self.clock,
            randomness: self.randomness,
            answers: self.answers.clone(),
            ruby: self.ruby.clone(),
        }
    }
}
