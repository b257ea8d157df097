//! `kukla ruby`: runs a Ruby script, or talks Ruby.

mod coverage;

use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;

use clap::Subcommand;
use kukla::ruby::{self, Conversation, Ended, ScriptLimits, SessionResult, Surroundings};
use kukla::world::policy::{Access, Commands, Files, Variables, Writes};
use kukla::world::{Guarded, World};
use kukla::{DiskWorld, Policy};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::Outcome;
use crate::output::{errln, outln};

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// The script; - is standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// What the script finds in ARGV
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<String>,
    /// Code to run instead of a script; several are lines of one
    #[arg(short = 'e', value_name = "CODE")]
    code: Vec<String>,
    /// A directory in which `require` searches
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// A library to require first
    #[arg(short = 'r', value_name = "LIBRARY")]
    require: Vec<String>,
    /// How many steps the script may take
    #[arg(long, value_name = "N", default_value_t = ScriptLimits::default().steps)]
    limit_steps: u64,
    /// How many bytes the script's values may take at any time
    #[arg(long, value_name = "BYTES", default_value_t = ScriptLimits::default().memory)]
    limit_memory: u64,
    /// How many bytes the script may write
    #[arg(long, value_name = "BYTES", default_value_t = ScriptLimits::default().output)]
    limit_output: u64,
    /// Files that the script may read: any, or nothing but the paths that follow `repository`, separated by commas
    #[arg(long, value_name = "POLICY", default_value = "any")]
    files: Files,
    /// Directories below which the script may make and change files: off, on (anywhere), or paths separated by commas that begin with / or ./
    #[arg(long, value_name = "POLICY", default_value = "off")]
    writes: Writes,
    /// Commands that the script may run: off, on, or names and absolute paths separated by commas
    #[arg(long, value_name = "POLICY", default_value = "off")]
    commands: Commands,
    /// Environment variables that the script may see: off, on, or names separated by commas
    #[arg(long, value_name = "POLICY", default_value = "on")]
    env: Variables,
    /// Whether the script may talk to other hosts: off or on
    #[arg(long, value_name = "POLICY", default_value = "off", value_parser = super::policy::network)]
    network: Access,
    /// Whether the script may ask for the time: off or on
    #[arg(long, value_name = "POLICY", default_value = "on")]
    clock: Access,
    /// Whether the script may have random numbers that no seed decides: off or on
    #[arg(long, value_name = "POLICY", default_value = "on")]
    randomness: Access,
    /// Answers that are recorded in files of this directory (dns.yaml, http.yaml) instead of asking anyone: for tests
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
            randomness: self.randomness,
            answers: self.answers.clone(),
            ruby: None,
        };
        Guarded::new(DiskWorld::default(), policy)
    }

    fn limits(&self) -> ScriptLimits {
        ScriptLimits { steps: self.limit_steps, memory: self.limit_memory, output: self.limit_output }
    }
}

/// Runs the script.
pub fn run(args: &Args) -> Outcome {
    if let Some(Command::Coverage(args)) = &args.command {
        return coverage::run(args);
    }
    let world = args.world();
    // With -e the first argument is one of the script's own.
    let own: Vec<String> = match (&args.file, args.code.is_empty()) {
        (Some(file), false) => std::iter::once(file.clone()).chain(args.args.iter().cloned()).collect(),
        _ => args.args.clone(),
    };
    if !args.code.is_empty() {
        return script(args, &world, "-e", args.code.join("\n").as_bytes(), &own);
    }
    match args.file.as_deref() {
        Some("-") => from_input(args, &world, &own),
        Some(file) => match world.read(&world.here().join(file)) {
            Ok(text) => script(args, &world, file, &text, &own),
            Err(error) => Outcome::unable(&format!("{file}: {error}")),
        },
        None if io::stdin().is_terminal() => converse(args, &world),
        None => from_input(args, &world, &own),
    }
}

fn from_input(args: &Args, world: &dyn World, own: &[String]) -> Outcome {
    let mut text = Vec::new();
    // The script locks standard input again, so the lock ends here.
    let read = io::stdin().lock().read_to_end(&mut text);
    match read {
        Ok(_) => script(args, world, "-", &text, own),
        Err(error) => Outcome::unable(&format!("standard input: {error}")),
    }
}

fn script(args: &Args, world: &dyn World, name: &str, text: &[u8], own: &[String]) -> Outcome {
    let (mut out, mut err) = (io::BufWriter::new(io::stdout().lock()), io::stderr().lock());
    let mut surroundings = Surroundings::new(world, &mut out, &mut err, args.limits());
    let mut input = io::stdin().lock();
    surroundings.read_from(&mut input);
    args.include.iter().for_each(|directory| surroundings.search(world.here().join(directory)));
    let ended = ruby::run(&mut surroundings, name, text, own, &args.require);
    let flushed = out.flush();
    drop((out, err));
    match (ended, flushed) {
        (_, Err(error)) => Outcome::unable(&format!("standard output: {error}")),
        (Ended::With(0), Ok(())) => Outcome::Done,
        (Ended::With(status), Ok(())) => Outcome::Status(status as u8),
        (Ended::Failed(message), Ok(())) => {
            errln!("{message}");
            Outcome::Status(1)
        }
    }
}

/// Reads, evaluates and prints until the input ends.
fn converse(args: &Args, world: &dyn World) -> Outcome {
    let mut editor = match DefaultEditor::new() {
        Ok(editor) => editor,
        Err(error) => return Outcome::unable(&format!("no line editor: {error}")),
    };
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let mut surroundings = Surroundings::new(world, &mut out, &mut err, args.limits());
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
                    // An empty line ends what is unfinished.
                    SessionResult::Unfinished if !blank => continue,
                    SessionResult::Unfinished => errln!("unfinished"),
                    SessionResult::Value(shown) => outln!("=> {shown}"),
                    SessionResult::Ended(Ended::Failed(message)) => errln!("{message}"),
                    SessionResult::Ended(Ended::With(status)) => return Outcome::Status(status as u8),
                }
                // The history is a comfort: without it the conversation goes on.
                let _ = editor.add_history_entry(text.trim_end());
                text.clear();
            }
            Err(ReadlineError::Interrupted) => text.clear(),
            Err(ReadlineError::Eof) => return Outcome::Done,
            Err(error) => return Outcome::unable(&format!("cannot read: {error}")),
        }
    }
}
