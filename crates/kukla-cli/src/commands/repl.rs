//! `kukla repl`: an interactive prompt for Puppet code.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use kukla::fleet::SiteNode;
use kukla::syntax::{Problem, suggest};
use kukla::values::Shown;
use kukla::{Compiler, Type, Value};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use super::eval::evaluate;
use super::target::{NodeTarget, Target};
use crate::render::ValueFormat;
use crate::render::failure::{self, ErrorFormat};

use crate::output::{err, errln, out, outln};
use crate::{CommandResult, ExitKind};
use assist::Assistant;
use prelude::Prelude;

mod assist;
mod prelude;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Control repository (a directory with manifests, modules, hiera.yaml), or a manifest
    #[arg(default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    target: Target,
    /// Output format of values
    #[arg(long, value_enum, default_value_t)]
    format: ValueFormat,
}

const HELP: &str = "\
Type an expression to print its value. Unfinished code continues on the next line; an empty line ends it.

  :type EXPRESSION    print the type of a value
  :vars               print all variables
  :reset              forget all variables, definitions and declarations
  :quit               quit (as does the end of input)
";

const COMMANDS: [&str; 5] = [":help", ":quit", ":reset", ":type", ":vars"];

/// Evaluates each line until the input ends.
pub fn run(args: &Args) -> CommandResult {
    args.target.refuse_code("the code that you type is evaluated")?;
    let NodeTarget { compiler, node } = args.target.open(&args.path)?;
    let config = Config::builder().auto_add_history(true).build();
    let no_terminal = |error: ReadlineError| Problem::other("cannot read from the terminal").because(error);
    let mut editor: Editor<Assistant, FileHistory> = Editor::with_config(config).map_err(no_terminal)?;
    let prelude = Prelude::default();
    let mut session = Session { node, compiler, prelude, logged: 0, format: args.format };
    editor.set_helper(Some(Assistant::new(&session.node.node.facts)));
    let history = history_file();
    if let Some(file) = &history {
        // There is no history before the first session.
        let _ = editor.load_history(file);
    }
    let result = loop {
        match editor.readline("puppet> ") {
            Ok(line) => {
                if session.handle_line(line.trim()).is_break() {
                    break Ok(ExitKind::Success);
                }
                if let Some(assistant) = editor.helper_mut() {
                    assistant.set_variables(session.prelude.variables());
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break Ok(ExitKind::Success),
            Err(error) => break Err(no_terminal(error)),
        }
    };
    if let Some(file) = &history {
        let saved = file.parent().map(std::fs::create_dir_all).transpose().is_ok();
        if saved {
            let _ = editor.save_history(file);
        }
    }
    result
}

fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("kukla/history"))
}

struct Session {
    node: SiteNode,
    compiler: Arc<Compiler>,
    prelude: Prelude,
    /// The number of messages that the prelude logs, which were printed before.
    logged: usize,
    format: ValueFormat,
}

impl Session {
    fn handle_line(&mut self, line: &str) -> ControlFlow<()> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "" => {}
            ":quit" | ":q" | ":exit" => return ControlFlow::Break(()),
            ":help" | ":h" => out!("{HELP}"),
            ":reset" => {
                self.prelude = Prelude::default();
                self.logged = 0;
            }
            ":vars" => self.show_variables(),
            ":type" | ":t" => {
                if let Some(value) = self.evaluate(rest) {
                    outln!("{}", Type::of(&value));
                }
            }
            command if command.starts_with(':') => match suggest::nearest(command, COMMANDS) {
                Some(near) => errln!("unknown command {command}; did you mean {near}?"),
                None => errln!("unknown command {command}; :help lists the commands"),
            },
            _ => {
                if let Some(value) = self.evaluate(line) {
                    self.remember(line);
                    if value != Value::Undef {
                        outln!("{}", self.format.print(&Shown::of(&value)));
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn evaluate(&mut self, code: &str) -> Option<Value> {
        self.node.site.prelude = Some(self.prelude.without_redefined(code));
        self.node.site.code = Some(code.to_owned());
        let evaluated = evaluate(&self.compiler, &self.node);
        let mut out = String::new();
        for log in evaluated.logs.iter().skip(self.logged) {
            failure::log(&mut out, log, ErrorFormat::Human);
        }
        let value = evaluated.result.inspect_err(|failure| {
            failure::render(&mut out, failure, &self.node.node.name, ErrorFormat::Human)
        });
        err!("{out}");
        value.ok()
    }

    fn remember(&mut self, code: &str) {
        if self.prelude.remember(code) {
            self.node.site.prelude = Some(self.prelude.text());
            self.node.site.code = Some(String::new());
            self.logged = evaluate(&self.compiler, &self.node).logs.len();
        }
    }

    fn show_variables(&mut self) {
        for variable in self.prelude.variables() {
            if let Some(value) = self.evaluate(&variable) {
                outln!("{variable} = {}", self.format.print(&Shown::of(&value)));
            }
        }
    }
}
