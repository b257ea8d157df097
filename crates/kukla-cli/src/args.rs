//! The command line: the subcommands and their descriptions.

use clap::{Parser, Subcommand};

use crate::CommandResult;
use crate::colour::Colour;
#[cfg(not(all(feature = "modules", feature = "serve")))]
use crate::commands::absent;
use crate::commands::{
    about, check, compile, completions, diff, doc, doctor, epp, eval, explain, facts, fmt, init, lint,
    lookup, lsp, man, new, pages, parse, repl, rpc, ruby, store, test, why,
};
#[cfg(feature = "serve")]
use crate::commands::{ca, serve};
#[cfg(feature = "modules")]
use crate::commands::{deploy, modules};
use crate::deferred::Deferred;

/// Check, evaluate and compile Puppet code, without Ruby
#[derive(Debug, Parser)]
#[command(name = "kukla", version, propagate_version = true, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 success, 1 errors in Puppet code or data, 2 the command could not run.\n\n`kukla --version --verbose` prints the commit, the features and the level of Puppet of this build."
)]
pub struct Cli {
    /// Use colours: auto (on a terminal, unless NO_COLOR is set), always or never
    // Read before the command line is parsed, so that errors in it have colours too.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    color: Colour,
    #[command(subcommand)]
    command: Command,
}

// In the order of the help: a site and its nodes, code by itself, servers and data, other programs and reference.
#[derive(Debug, Subcommand)]
enum Command {
    /// Check the code and data of a repository for errors, without running it
    ///
    /// Without PATHS, checks the repository of the current directory: a control repository, a module, or a directory of modules. Names,
    /// parameters, types and data are checked across all files; findings at or below PATHS are reported. `kukla explain RULE` explains
    /// a rule. Exit codes: 0 no errors (there may be warnings), 1 errors found, 2 a file could not be read, or nothing to check.
    Check(Deferred<check::Args>),
    /// Compile the catalog of a node, as a Puppet server does
    ///
    /// The catalog goes to standard output, everything else to standard error. Exit codes: 0 compiled, 1 errors in code or data, 2 the
    /// command could not run.
    Compile(Deferred<compile::Args>),
    /// Report how a change affects every node
    ///
    /// Compiles every node before and after the change and compares the catalogs. Exit codes: 0 no changes, 1 changes, 2 a node no longer
    /// compiles, or the command could not run, 3 a change that --deny protects against, 4 nodes compile neither before nor after the change
    /// (other nodes may change).
    Diff(Deferred<diff::Args>),
    /// Look up a key in Hiera data, and show where its value comes from
    ///
    /// Exit codes: 0 found, 1 not found or errors in the data, 2 the command could not run.
    Lookup(Deferred<lookup::Args>),
    /// Show where the attributes of a resource get their values
    ///
    /// Exit codes: 0 found, 1 unknown resource or attribute, or the catalog does not compile, 2 the command could not run.
    Why(Deferred<why::Args>),
    /// Evaluate Puppet code and print the value of its last expression
    ///
    /// The code can declare resources, include classes of modules and look up data. Exit codes: 0 evaluated, 1 errors in the code, 2 the
    /// command could not run.
    Eval(Deferred<eval::Args>),
    /// Evaluate expressions as you type them
    ///
    /// Assignments, definitions and declarations are remembered. `:help` lists the commands of the prompt.
    Repl(Deferred<repl::Args>),
    /// Run the tests of modules and control repositories
    ///
    /// Tests are Markdown chapters (`tests/**/*.md`) and RSpec suites (`*_spec.rb`), and need no Ruby. Exit codes: 0 all tests passed, 1 tests
    /// failed, 2 a file of tests could not run, or the command could not run.
    Test(Deferred<test::Args>),
    /// Write a module, class, defined type, function or test from templates
    ///
    /// Everything has documentation and a test that passes. Exit codes: 0 written, 2 a file exists, or the command could not run.
    New(Deferred<new::Args>),
    /// Format manifests
    ///
    /// Rewrites files in place. The layout changes, the meaning never: a file is written only if its syntax tree and its comments are the
    /// same as before. Files with syntax errors are reported and left alone. In directories, formats all manifests except those
    /// in `files`, `vendor` and `spec/fixtures`; templates are parsed and left as they are. `# fmt: off` and `# fmt: on` around code, or `# fmt: skip` at the end of its last
    /// line, keep code as it is. Exit codes: 0 formatted, 1 syntax errors, or with --check or --diff files to format, 2 a file could not be
    /// read or written.
    Fmt(Deferred<fmt::Args>),
    /// Check the style of manifests, as puppet-lint and its plugins do
    ///
    /// Has all checks of puppet-lint and of its common plugins under their names, with the same findings, the same options and the same comments
    /// (`# lint:ignore:NAME reason` … `# lint:endignore`). Every file is checked on its own, also incomplete ones. Options are read from
    /// /etc/puppet-lint.rc, ~/.puppet-lint.rc and .puppet-lint.rc too, and `--no-NAME-check` and `--NAME-check` switch checks off and on. Exit codes:
    /// 0 no errors, 1 errors, or warnings with --fail-on-warnings, 2 a file could not be read or written.
    #[command(disable_version_flag = true)]
    Lint(Deferred<lint::Args>),
    /// Print the syntax tree of manifests and templates
    Parse(Deferred<parse::Args>),
    /// Render or validate EPP templates
    Epp(Deferred<epp::Args>),
    /// Run a Ruby script in the interpreter that runs the Ruby code of modules
    ///
    /// The script can do what templates and functions of modules can do. By default it may also read the time, random numbers and
    /// environment variables; it may not change files, run commands or use the network. Without a script and without -e, starts a prompt.
    Ruby(Deferred<ruby::Args>),
    /// Print the facts of this machine, as `facter` does
    ///
    /// Does not need Facter: the core facts are built in, custom facts of modules run in Kukla's Ruby interpreter, and external facts are
    /// read from their files. Custom facts may read the time, environment variables and any file; they may run commands only with
    /// --commands, and each refused command is reported. Other commands accept the output as --facts. Exit codes: 0 printed, 1 unknown
    /// fact, 2 the command could not run.
    Facts(Deferred<facts::Args>),
    /// Resolve, lock and install the modules of a Puppetfile
    ///
    /// Reads every Puppetfile that r10k and g10k read. `lock` writes the exact version and content of each module and of what it requires to
    /// Puppetfile.lock, `sync` installs exactly that. All environments of a machine share one store.
    #[cfg(feature = "modules")]
    Mod(Deferred<modules::Args>),
    /// Resolve, lock and install the modules of a Puppetfile (not in this build, which lacks the feature `modules`)
    #[cfg(not(feature = "modules"))]
    Mod(absent::Args),
    /// Deploy the environments of control repositories
    ///
    /// Reads r10k.yaml or the configuration of g10k: each branch becomes an environment with its modules. Each environment is written beside
    /// its place and switched in one step, so that no catalog sees half of it; environments that have not changed stay untouched. See
    /// docs/manual/deploy.md. Exit codes: 0 deployed, 1 something would change (with --dry-run), 2 an environment could not be deployed, or
    /// the command could not run.
    #[cfg(feature = "modules")]
    Deploy(Deferred<deploy::Args>),
    /// Deploy the environments of control repositories (not in this build, which lacks the feature `modules`)
    #[cfg(not(feature = "modules"))]
    Deploy(absent::Args),
    /// Query and maintain a store of facts, catalogs and reports
    ///
    /// A store holds the latest facts and catalog of each node, the resources it exports, and its reports; `kukla compile --store` fills
    /// it. It is an SQLite file, a PostgreSQL database, or PuppetDB. Sensitive values are left out of all answers.
    Store(Deferred<store::Args>),
    /// Serve agents: certificates, catalogs, files, reports
    ///
    /// Serves the agents of Puppet and OpenVox unchanged. Uses the puppet.conf, puppetserver files and certificate authority it finds, and
    /// creates an authority if there is none. SIGHUP reads the settings again; SIGTERM stops the server after the current requests. See
    /// docs/manual/serve.md. Exit codes: 0 stopped, 2 the server could not run.
    #[cfg(feature = "serve")]
    Serve(Deferred<serve::Args>),
    /// Serve agents (not in this build, which lacks the feature `serve`)
    #[cfg(not(feature = "serve"))]
    Serve(absent::Args),
    /// Manage the certificate authority: list, sign, revoke, generate
    ///
    /// Works on the authority's directory, whether or not a server runs; a running server sees each change at once. Works with
    /// directories that Puppet's own tools created, which can still be used with them. Exit codes: 0 success, 1 part of it failed or a
    /// check found errors, 2 the command could not run.
    #[cfg(feature = "serve")]
    Ca(Deferred<ca::Args>),
    /// Manage the certificate authority (not in this build, which lacks the feature `serve`)
    #[cfg(not(feature = "serve"))]
    Ca(absent::Args),
    /// Answer JSON requests, one per line, until the input closes
    ///
    /// Each line on standard input is an object with `id`, `method` and `params`; each line on standard output is the answer to one of
    /// them, in order, with `result` or `error`. Nothing else is written to standard output.
    Rpc(Deferred<rpc::Args>),
    /// Serve an editor: diagnostics, completion, navigation, rename and more, by the Language Server Protocol
    ///
    /// Editors start this command. It reads what `kukla check`, `kukla lint` and `kukla fmt` read, with the texts that are open in the
    /// editor instead of the files. See docs/manual/lsp.md. Exit codes: 0 the editor ended the session, 1 the connection broke before,
    /// 2 the server could not run.
    Lsp(Deferred<lsp::Args>),
    /// Explain an error code or a rule of `kukla check`
    Explain(Deferred<explain::Args>),
    /// Write the reference documentation of a module or control repository
    ///
    /// Documents classes, defined types, functions, data types, resource types, tasks and plans by their code and the comments above it.
    /// Markdown and JSON are byte for byte those of puppet-strings 5. Exit codes: 0 written or, with --check, complete; 1 documentation
    /// is missing, wrong or stale; 2 a file could not be read or written.
    Doc(Deferred<doc::Args>),
    /// Set a repository up: settings, hooks, CI
    ///
    /// Writes kukla.toml, the configuration of pre-commit and of the CI system that the repository uses, and a line of .gitignore. Files that
    /// exist stay as they are, and their additions are printed. Exit codes: 0 written, 2 a file could not be written.
    Init(Deferred<init::Args>),
    /// Find out what a repository lacks for each command, and how to get it
    ///
    /// Looks at site manifests, modules, facts, data, keys and git, without compiling anything. Exit codes: 0 nothing that commands require is
    /// missing, 1 something is, 2 there is no repository.
    Doctor(Deferred<doctor::Args>),
    /// Print facts about this build and this machine, for bug reports
    #[command(name = "self")]
    About(Deferred<about::Args>),
    /// Print a completion script for a shell
    Completions(Deferred<completions::Args>),
    /// Print or write the manual pages of all commands
    Man(Deferred<man::Args>),
    /// Print a page of Kukla's own documentation
    #[command(hide = true)]
    Pages(Deferred<pages::Args>),
}

impl Cli {
    /// Runs the chosen subcommand.
    pub fn run(self) -> CommandResult {
        self.color.apply();
        match self.command {
            Command::About(Deferred(args)) => about::run(&args),
            #[cfg(feature = "serve")]
            Command::Ca(Deferred(args)) => ca::run(&args),
            #[cfg(not(feature = "serve"))]
            Command::Ca(_) | Command::Serve(_) => Err(absent::problem("serve")),
            Command::Check(Deferred(args)) => check::run(&args),
            Command::Compile(Deferred(args)) => compile::run(&args),
            Command::Completions(Deferred(args)) => completions::run(&args),
            Command::Diff(Deferred(args)) => diff::run(&args),
            Command::Doc(Deferred(args)) => doc::run(&args),
            Command::Doctor(Deferred(args)) => doctor::run(&args),
            Command::Epp(Deferred(args)) => epp::run(&args),
            Command::Eval(Deferred(args)) => eval::run(&args),
            Command::Explain(Deferred(args)) => explain::run(&args),
            Command::Facts(Deferred(args)) => facts::run(&args),
            Command::Fmt(Deferred(args)) => fmt::run(&args),
            Command::Init(Deferred(args)) => init::run(&args),
            Command::Lint(Deferred(args)) => lint::run(&args),
            Command::Lookup(Deferred(args)) => lookup::run(&args),
            Command::Lsp(Deferred(args)) => lsp::run(&args),
            Command::Man(Deferred(args)) => man::run(&args),
            #[cfg(feature = "modules")]
            Command::Mod(Deferred(args)) => modules::run(&args),
            #[cfg(feature = "modules")]
            Command::Deploy(Deferred(args)) => deploy::run(&args),
            #[cfg(not(feature = "modules"))]
            Command::Deploy(_) | Command::Mod(_) => Err(absent::problem("modules")),
            Command::New(Deferred(args)) => new::run(&args),
            Command::Pages(Deferred(args)) => pages::run(&args),
            Command::Parse(Deferred(args)) => parse::run(&args),
            Command::Repl(Deferred(args)) => repl::run(&args),
            Command::Rpc(Deferred(args)) => rpc::run(&args),
            Command::Ruby(Deferred(args)) => ruby::run(&args),
            #[cfg(feature = "serve")]
            Command::Serve(Deferred(args)) => serve::run(&args),
            Command::Store(Deferred(args)) => store::run(&args),
            Command::Test(Deferred(args)) => test::run(&args),
            Command::Why(Deferred(args)) => why::run(&args),
        }
    }
}
