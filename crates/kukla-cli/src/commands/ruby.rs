//! `kukla ruby`: runs a Ruby script, or a prompt.

mod coverage;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use kukla::ruby::{self, Conversation, Ended, ScriptLimits, SessionResult, Surroundings};
use kukla::syntax::Problem;
use kukla::world::policy::{Access, Clock, Commands, Files, Randomness, Variables, Writes};
use kukla::world::{Guarded, World};
use kukla::{DiskWorld, Policy};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::output::{errln, outln};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Script to run; - is standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// Arguments of the script (ARGV)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<String>,
    /// Run this code instead of a script; repeated options are lines of one script
    #[arg(short = 'e', value_name = "CODE")]
    code: Vec<String>,
    /// Search this directory for `require`; can be repeated
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Require this library first; can be repeated
    #[arg(short = 'r', value_name = "LIBRARY")]
    require: Vec<String>,
    /// Abort the script after this many steps
    #[arg(long, value_name = "N", default_value_t = ScriptLimits::default().steps)]
    limit_steps: u64,
    /// Abort the script when its values take more bytes than this
    #[arg(long, value_name = "BYTES", default_value_t = ScriptLimits::default().memory)]
    limit_memory: u64,
    /// Abort the script when it has written more bytes than this
    #[arg(long, value_name = "BYTES", default_value_t = ScriptLimits::default().output)]
    limit_output: u64,
    /// Abort the script after SECONDS (checked periodically) [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = super::options::parse_seconds)]
    deadline: Option<Duration>,
    /// Files that the script may read: any, or repository followed by paths, separated by commas
    #[arg(long, value_name = "POLICY", default_value = "any")]
    files: Files,
    /// Directories in which the script may create and change files: off, on (anywhere), or paths separated by commas that begin with /
    /// or ./
    #[arg(long, value_name = "POLICY", default_value = "off")]
    writes: Writes,
    /// Commands that the script may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: Commands,
    /// Environment variables that the script may read: off, on, or names separated by commas
    #[arg(long, value_name = "POLICY", default_value = "on")]
    env: Variables,
    /// Network access of the script: always off; --answers supplies recorded answers
    #[arg(long, value_name = "POLICY", default_value = "off", value_parser = super::policy::parse_network)]
    network: Access,
    /// The time that the script reads: on (the present), off, or fixed:TIME
    #[arg(long, value_name = "POLICY", default_value = "on")]
    clock: Clock,
    /// Random numbers of a script that sets no seed: on, off, seeded or seeded:TEXT
    #[arg(long, value_name = "POLICY", default_value = "on")]
    randomness: Randomness,
    /// Answer queries from recordings in this directory (dns.yaml, http.yaml), for tests
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Coverage(coverage::Args),
}

impl Args {
    fn world(&self) -> impl World {
        let policy = Policy {
            files: self.files.clone(),
            writes: self.writes.clone(),
            commands: self.commands.clone(),
            variables: self.env.clone(),
            network: self.network,
            clock: self.clock,
            randomness: self.randomness.clone(),
            started: None,
            answers: self.answers.clone(),
            ruby: None,
        };
        Guarded::new(DiskWorld::default(), policy)
    }

    fn limits(&self) -> ScriptLimits {
        ScriptLimits {
            steps: self.limit_steps,
            memory: self.limit_memory,
            output: self.limit_output,
            deadline: self.deadline,
        }
    }
}

/// Runs the script or the prompt.
pub fn run(args: &Args) -> CommandResult {
    if let Some(Command::Coverage(args)) = &args.command {
        return coverage::run(args);
    }
    let world = args.world();
    // With -e the first argument belongs to the script.
    let script_args: Vec<String> = match (&args.file, args.code.is_empty()) {
        (Some(file), false) => std::iter::once(file.clone()).chain(args.args.iter().cloned()).collect(),
        _ => args.args.clone(),
    };
    if !args.code.is_empty() {
        return run_script(args, &world, "-e", args.code.join("\n").as_bytes(), &script_args);
    }
    match args.file.as_deref() {
        None if io::stdin().is_terminal() => run_prompt(args, &world),
        None | Some("-") => run_script(args, &world, "-", &files::read_stdin()?, &script_args),
        Some(file) => {
            let text = world.read(&world.here().join(file));
            let text = text.map_err(|error| Problem::other("cannot read").on(file).because(error))?;
            run_script(args, &world, file, &text, &script_args)
        }
    }
}

/// The clock of the deadline.
fn clock() -> impl Fn() -> Duration {
    let world = DiskWorld::default();
    move || world.elapsed()
}

fn run_script(
    args: &Args,
    world: &dyn World,
    name: &str,
    text: &[u8],
    script_args: &[String],
) -> CommandResult {
    let (mut out, mut err) = (io::BufWriter::new(io::stdout().lock()), io::stderr().lock());
    let mut surroundings = Surroundings::new(world, &mut out, &mut err, args.limits()).by_clock(clock());
    let mut input = io::stdin().lock();
    surroundings.read_from(&mut input);
    args.include.iter().for_each(|directory| surroundings.search(world.here().join(directory)));
    let ended = ruby::run(&mut surroundings, name, text, script_args, &args.require);
    let flushed = out.flush();
    drop((out, err));
    match (ended, flushed) {
        (_, Err(error)) => Err(Problem::from_io("cannot write standard output", &error)),
        (Ended::With(status), Ok(())) => Ok(ExitKind::Code(status as u8)),
        (Ended::Failed(message), Ok(())) => {
            errln!("{message}");
            Ok(ExitKind::Code(1))
        }
    }
}

/// Reads, evaluates and prints until the input ends.
fn run_prompt(args: &Args, world: &dyn World) -> CommandResult {
    let no_terminal = |error: ReadlineError| Problem::other("cannot read from the terminal").because(error);
    let mut editor = DefaultEditor::new().map_err(no_terminal)?;
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let mut surroundings = Surroundings::new(world, &mut out, &mut err, args.limits()).by_clock(clock());
    args.include.iter().for_each(|directory| surroundings.search(world.here().join(directory)));
    let mut conversation = Conversation::new(&mut surroundings);
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() { "ruby> " } else { "    > " };
        match editor.readline(prompt) {
            Ok(line) => {
                let blank = line.trim().is_empty();
                text.push_str(&line);
                text.push('\n');
                match conversation.say(&text) {
                    // An empty line ends unfinished code.
                    SessionResult::Unfinished if !blank => continue,
                    SessionResult::Unfinished => errln!("unfinished"),
                    SessionResult::Value(shown) => outln!("=> {shown}"),
                    SessionResult::Ended(Ended::Failed(message)) => errln!("{message}"),
                    SessionResult::Ended(Ended::With(status)) => return Ok(ExitKind::Code(status as u8)),
                }
                // The prompt works without the history, too.
                let _ = editor.add_history_entry(text.trim_end());
                text.clear();
            }
            Err(ReadlineError::Interrupted) => text.clear(),
            Err(ReadlineError::Eof) => return Ok(ExitKind::Success),
            Err(error) => return Err(no_terminal(error)),
        }
    }
}
