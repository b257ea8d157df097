//! `kukla repl`: a conversation in Puppet.

use std::path::PathBuf;
use std::sync::Arc;

use kukla::fleet::SiteNode;
use kukla::{Compiler, Type, Value};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use super::eval::evaluate;
use super::target::{NodeTarget, Target};
use crate::Outcome;
use crate::render::ValueFormat;
use crate::render::failure::{self, ErrorFormat};

mod assist;
mod memory;

use crate::output::{err, errln, out, outln};
use assist::Assistant;
use memory::Memory;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The control repository whose modules and data the code may use
    #[arg(default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    target: Target,
    /// How to print values
    #[arg(long, value_enum, default_value_t)]
    format: ValueFormat,
}

const HELP: &str = "\
Type an expression to see its value; an unfinished one goes on on the next line, and an empty line ends it anyway.

  :type EXPRESSION    show the type of a value
  :vars               show what has been assigned
  :reset              forget everything
  :quit               leave (as does the end of input)
";

/// Talks until the input ends.
pub fn run(args: &Args) -> Outcome {
    let opened = args.target.refuse_code("what you type is what is evaluated");
    let opened = opened.and_then(|()| args.target.open(&args.path));
    let NodeTarget { compiler, node: placed } = match opened {
        Ok(opened) => opened,
        Err(problem) => return Outcome::unable(&problem.with_help()),
    };
    let config = Config::builder().auto_add_history(true).build();
    let mut editor: Editor<Assistant, FileHistory> = match Editor::with_config(config) {
        Ok(editor) => editor,
        Err(error) => return Outcome::unable(&format!("no line editor: {error}")),
    };
    let mut session = Session { placed, compiler, memory: Memory::default(), logged: 0, format: args.format };
    editor.set_helper(Some(Assistant::new(&session.placed.node.facts)));
    let history = history_file();
    if let Some(file) = &history {
        // No history yet is no reason to complain.
        let _ = editor.load_history(file);
    }
    let outcome = loop {
        match editor.readline("puppet> ") {
            Ok(line) => {
                if session.say(line.trim()) == Next::Leave {
                    break Outcome::Done;
                }
                if let Some(assistant) = editor.helper_mut() {
                    assistant.know(session.memory.variables());
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break Outcome::Done,
            Err(error) => break Outcome::unable(&format!("cannot read: {error}")),
        }
    };
    if let Some(file) = &history {
        let saved = file.parent().map(std::fs::create_dir_all).transpose().is_ok();
        if saved {
            let _ = editor.save_history(file);
        }
    }
    outcome
}

fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("kukla/history"))
}

/// Whether the conversation goes on.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

struct Session {
    placed: SiteNode,
    compiler: Arc<Compiler>,
    memory: Memory,
    /// How many messages come from what is remembered, and were seen before.
    logged: usize,
    format: ValueFormat,
}

impl Session {
    fn say(&mut self, line: &str) -> Next {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "" => {}
            ":quit" | ":q" | ":exit" => return Next::Leave,
            ":help" | ":h" => out!("{HELP}"),
            ":reset" => {
                self.memory = Memory::default();
                self.logged = 0;
            }
            ":vars" => self.show_variables(),
            ":type" | ":t" => {
                if let Some(value) = self.evaluate(rest) {
                    outln!("{}", Type::of(&value));
                }
            }
            command if command.starts_with(':') => {
                errln!("there is no {command}; :help lists what there is");
            }
            _ => {
                if let Some(value) = self.evaluate(line) {
                    self.remember(line);
                    if value != Value::Undef {
                        outln!("{}", self.format.print(&value));
                    }
                }
            }
        }
        Next::GoOn
    }

    fn evaluate(&mut self, code: &str) -> Option<Value> {
        self.placed.site.prelude = Some(self.memory.without_what(code));
        self.placed.site.code = Some(code.to_owned());
        let evaluated = evaluate(&self.compiler, &self.placed);
        let mut out = String::new();
        for log in evaluated.logs.iter().skip(self.logged) {
            failure::log(&mut out, log, ErrorFormat::Human);
        }
        let value = evaluated.result.inspect_err(|failure| {
            failure::render(&mut out, failure, &self.placed.node.name, ErrorFormat::Human)
        });
        err!("{out}");
        value.ok()
    }

    fn remember(&mut self, code: &str) {
        if self.memory.remember(code) {
            self.placed.site.prelude = Some(self.memory.text());
            self.placed.site.code = Some(String::new());
            self.logged = evaluate(&self.compiler, &self.placed).logs.len();
        }
    }

    fn show_variables(&mut self) {
        for variable in self.memory.variables() {
            if let Some(value) = self.evaluate(&variable) {
                outln!("{variable} = {}", self.format.print(&value));
            }
        }
    }
}
