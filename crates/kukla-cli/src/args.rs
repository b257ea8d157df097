//! The command line: subcommands and what they share.

use clap::{Parser, Subcommand};

use crate::Outcome;
#[cfg(feature = "serve")]
use crate::commands::{ca, serve};
use crate::commands::{
    check, compile, diff, doc, epp, eval, explain, facts, lookup, parse, repl, rpc, ruby, store, why,
};
use crate::deferred::Deferred;

/// The Puppet language, native: checks, evaluates and compiles Puppet code without Ruby.
#[derive(Debug, Parser)]
#[command(name = "kukla", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done, 1 the Puppet code is at fault, 2 the command could not run.")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Manage the certificate authority: list, sign, revoke, make
    ///
    /// Works on the directory of the authority itself, so no server need run; one that does sees each change at once. A directory that
    /// Puppet's own tools made is taken as it is, and they go on working with it. Exit status: 0 done, 1 some of it could not be done or
    /// something is wrong, 2 the command could not run.
    #[cfg(feature = "serve")]
    Ca(Deferred<ca::Args>),
    /// Check a repository, code and data, for errors, without running anything
    ///
    /// Without PATHS the repository is checked that the current directory lies in: a control repository, a module, or a directory of
    /// modules. Names, parameters, types and data are checked across all of its files; what is reported is what lies at or below PATHS.
    /// `kukla explain RULE` tells more about a rule. Exit status: 0 no errors (there may be warnings), 1 errors found, 2 a file could not
    /// be read, or there was nothing to check.
    Check(Deferred<check::Args>),
    /// Compile the catalog of a node, as a Puppet server would
    ///
    /// The catalog goes to standard output, everything else to standard error. Exit status: 0 compiled, 1 the code or data is at
    /// fault, 2 the command could not run.
    Compile(Deferred<compile::Args>),
    /// Say what a change does to every node
    ///
    /// Compiles every node on two sides and compares the catalogs. Exit status: 0 nothing changes, 1 something does, 2 a node
    /// cannot be compiled on the side after, or the command could not run, 3 something changes that --deny protects.
    Diff(Deferred<diff::Args>),
    /// Print a reference page in Markdown
    Doc(Deferred<doc::Args>),
    /// Render or validate EPP templates
    Epp(Deferred<epp::Args>),
    /// Evaluate Puppet code and print the value of its last expression
    ///
    /// The code runs with a full compiler behind it: it may declare resources, include classes of modules and look up data. Exit status: 0
    /// evaluated, 1 the code is at fault, 2 the command could not run.
    Eval(Deferred<eval::Args>),
    /// Explain an issue code or a rule of `kukla check`, e.g. `kukla explain SYNTAX_ERROR`, `kukla explain unknown-class`
    Explain(Deferred<explain::Args>),
    /// Print the facts of this machine, as `facter` would
    ///
    /// There is no Facter behind it: facts of the machine are Kukla's own, those that modules write in Ruby run in its interpreter, and
    /// external facts are read from their files. Facts in Ruby may ask for the time and for environment variables and read any file;
    /// commands stay closed to them unless they are opened, which is told for each that would have been run. The output can be given to
    /// --facts. Exit status: 0 printed, 1 a fact that was asked for is not there, 2 the command could not run.
    Facts(Deferred<facts::Args>),
    /// Look up data as Hiera does, and say where it came from
    ///
    /// Exit status: 0 found, 1 not found or the data is at fault, 2 the command could not run.
    Lookup(Deferred<lookup::Args>),
    /// Print the syntax tree of manifests and templates
    Parse(Deferred<parse::Args>),
    /// Evaluate expressions as you type them
    ///
    /// What you assign, define and declare stays known. `:help` lists what else can be said.
    Repl(Deferred<repl::Args>),
    /// Answer JSON requests, one per line, until the input closes
    ///
    /// Each line on standard input is an object with `id`, `method` and `params`; each line on standard output is the answer to
    /// one of them, in order, with `result` or `error`. Nothing else is written to standard output.
    Rpc(Deferred<rpc::Args>),
    /// Run a Ruby script with the interpreter that runs the Ruby of modules
    ///
    /// There is no Ruby behind it: what it can do is what templates and functions of modules can do. A script may ask for the time, for
    /// random numbers and for environment variables, unlike the code of a compilation; changing files, commands and the network
    /// stay closed unless they are opened. Without a script and without -e it is a prompt.
    Ruby(Deferred<ruby::Args>),
    /// Serve agents: certificates, catalogs, files, reports
    ///
    /// What Puppet's and OpenVox's agents talk to, unchanged: puppet.conf, puppetserver's files and a certificate authority that are there are
    /// taken as they are; where there is no authority, one is made. SIGHUP reads the settings again, SIGTERM ends the server when
    /// all requests are answered. See docs/manual/serve.md. Exit status: 0 ended, 2 it could not run.
    #[cfg(feature = "serve")]
    Serve(Deferred<serve::Args>),
    /// Ask a store what it knows of nodes, and look after it
    ///
    /// A store keeps the latest facts and catalog of each node, with the resources it exports, and its reports; `kukla compile --store` fills it. It is a
    /// file, a database on a PostgreSQL server, or PuppetDB. Values that must not be shown are left out of all answers.
    Store(Deferred<store::Args>),
    /// Say where an attribute of a resource got its value
    ///
    /// Exit status: 0 said, 1 there is no such resource or attribute, or the catalog does not compile, 2 the command could not run.
    Why(Deferred<why::Args>),
}

impl Cli {
    /// Runs the chosen subcommand.
    pub fn run(self) -> Outcome {
        match self.command {
            #[cfg(feature = "serve")]
            Command::Ca(Deferred(args)) => ca::run(&args),
            Command::Check(Deferred(args)) => check::run(&args),
            Command::Compile(Deferred(args)) => compile::run(&args),
            Command::Diff(Deferred(args)) => diff::run(&args),
            Command::Doc(Deferred(args)) => doc::run(&args),
            Command::Epp(Deferred(args)) => epp::run(&args),
            Command::Eval(Deferred(args)) => eval::run(&args),
            Command::Explain(Deferred(args)) => explain::run(&args),
            Command::Facts(Deferred(args)) => facts::run(&args),
            Command::Lookup(Deferred(args)) => lookup::run(&args),
            Command::Parse(Deferred(args)) => parse::run(&args),
            Command::Repl(Deferred(args)) => repl::run(&args),
            Command::Rpc(Deferred(args)) => rpc::run(&args),
            Command::Ruby(Deferred(args)) => ruby::run(&args),
            #[cfg(feature = "serve")]
            Command::Serve(Deferred(args)) => serve::run(&args),
            Command::Store(Deferred(args)) => store::run(&args),
            Command::Why(Deferred(args)) => why::run(&args),
        }
    }
}
