//! The command line: subcommands and what they share.

use clap::{Parser, Subcommand};

use crate::Outcome;
use crate::commands::{
    check, compile, diff, doc, epp, eval, explain, facts, lookup, parse, repl, rpc, ruby, store, why,
};

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
    Check(check::Args),
    Compile(compile::Args),
    Diff(diff::Args),
    Doc(doc::Args),
    Epp(epp::Args),
    Eval(eval::Args),
    Explain(explain::Args),
    Facts(facts::Args),
    Lookup(lookup::Args),
    Parse(parse::Args),
    Repl(repl::Args),
    Rpc(rpc::Args),
    Ruby(ruby::Args),
    Store(store::Args),
    Why(why::Args),
}

impl Cli {
    /// Runs the chosen subcommand.
    pub fn run(self) -> Outcome {
        match self.command {
            Command::Check(args) => check::run(&args),
            Command::Compile(args) => compile::run(&args),
            Command::Diff(args) => diff::run(&args),
            Command::Doc(args) => doc::run(&args),
            Command::Epp(args) => epp::run(&args),
            Command::Eval(args) => eval::run(&args),
            Command::Explain(args) => explain::run(&args),
            Command::Facts(args) => facts::run(&args),
            Command::Lookup(args) => lookup::run(&args),
            Command::Parse(args) => parse::run(&args),
            Command::Repl(args) => repl::run(&args),
            Command::Rpc(args) => rpc::run(&args),
            Command::Ruby(args) => ruby::run(&args),
            Command::Store(args) => store::run(&args),
            Command::Why(args) => why::run(&args),
        }
    }
}
