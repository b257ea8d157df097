//! `kukla repl`: an interactive prompt for Puppet code.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::catalog::Resource;
use kukla::fleet::SiteNode;
use kukla::syntax::{Problem, suggest};
use kukla::values::{Name, Shown};
use kukla::{Compiler, Type, Value};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use super::eval::evaluate;
use super::suggestion::with_suggestion;
use super::target::{NodeTarget, Target};
use super::{facts, pages};
use crate::files;
use crate::render::ValueFormat;
use crate::render::failure::{self, ErrorFormat};

use crate::output::{self, err, errln, out, outln};
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
The tab key completes names; the arrow keys bring back earlier input.

  :doc FUNCTION       print the documentation of a function
  :facts [FACT]       print the facts of the node, or one of them (os.family)
  :load FILE          evaluate a file and remember its definitions
  :node [NAME]        print the node, or continue as another one
  :reset              forget all variables, definitions and declarations
  :resources [TYPE]   print the resources of the catalog
  :type EXPRESSION    print the type of a value
  :vars               print all variables
  :help               print this list
  :quit               quit (as do `exit`, `quit` and the end of input)
";

const COMMANDS: [&str; 10] =
    [":doc", ":facts", ":help", ":load", ":node", ":quit", ":reset", ":resources", ":type", ":vars"];

/// Evaluates each line until the input ends.
pub fn run(args: &Args) -> CommandResult {
    args.target.refuse_code("the code that you type is evaluated")?;
    let NodeTarget { compiler, node } = args.target.open(&args.path)?;
    let config = Config::builder().auto_add_history(true).build();
    let no_terminal = |error: ReadlineError| Problem::other("cannot read from the terminal").because(error);
    let mut editor: Editor<Assistant, FileHistory> = Editor::with_config(config).map_err(no_terminal)?;
    let prelude = Prelude::default();
    let mut session =
        Session { args, node, compiler, prelude, logged: 0, format: args.format, is_new_node: false };
    editor.set_helper(Some(session.assistant()));
    if std::io::stdin().is_terminal() {
        let name = &session.node.node.name;
        outln!("Kukla {}, node {name}. :help lists the commands, :quit quits.", env!("CARGO_PKG_VERSION"));
    }
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
                let variables = session.prelude.variables();
                let is_new_node = std::mem::take(&mut session.is_new_node);
                if is_new_node {
                    editor.set_helper(Some(session.assistant()));
                }
                if let Some(assistant) = editor.helper_mut() {
                    assistant.set_variables(variables);
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

struct Session<'a> {
    args: &'a Args,
    node: SiteNode,
    compiler: Arc<Compiler>,
    prelude: Prelude,
    /// The number of messages that the prelude logs, which were printed before.
    logged: usize,
    format: ValueFormat,
    /// Whether the node is another one than for the line before.
    is_new_node: bool,
}

impl Session<'_> {
    /// Completes the names that the code of this session can use.
    fn assistant(&self) -> Assistant {
        let names = self.compiler.open(&self.node.site).map(|site| site.environment.known_names());
        Assistant::new(&self.node.node.facts, names.unwrap_or_default())
    }

    fn handle_line(&mut self, line: &str) -> ControlFlow<()> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "" => {}
            ":quit" | ":q" | ":exit" | "exit" | "quit" if rest.is_empty() => return ControlFlow::Break(()),
            ":help" | ":h" => out!("{HELP}"),
            ":reset" => {
                self.prelude = Prelude::default();
                self.logged = 0;
            }
            ":vars" => self.show_variables(),
            ":doc" => show_documentation(rest.trim()),
            ":facts" => self.show_facts(rest.trim()),
            ":load" => self.load(rest.trim()),
            ":node" => self.switch_node(rest.trim()),
            ":resources" => self.show_resources(rest.trim()),
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

    fn show_facts(&self, name: &str) {
        let queries: Vec<String> = if name.is_empty() { Vec::new() } else { vec![name.to_owned()] };
        facts::print_table(self.node.node.facts.clone(), &queries);
    }

    fn load(&mut self, file: &str) {
        if file.is_empty() {
            errln!("`:load` requires the name of a file");
            return;
        }
        match files::read_text(Path::new(file)) {
            Err(problem) => output::report(&problem),
            Ok(text) => {
                if self.evaluate(&text).is_some() {
                    self.remember(&text);
                }
            }
        }
    }

    /// Prints the node, or continues with another one and the same variables and definitions.
    fn switch_node(&mut self, name: &str) {
        if !name.is_empty() {
            match self.args.target.with_node(name).open(&self.args.path) {
                Err(problem) => return output::report(&problem),
                Ok(NodeTarget { compiler, node }) => {
                    (self.compiler, self.node) = (compiler, node);
                    self.node.site.prelude = Some(self.prelude.text());
                    self.is_new_node = true;
                }
            }
        }
        let SiteNode { node, site } = &self.node;
        outln!("{} in {}, {} facts", node.name, site.environment, node.facts.len());
    }

    /// Prints the resources that the code so far declares.
    fn show_resources(&mut self, type_name: &str) {
        self.node.site.prelude = None;
        self.node.site.code = Some(self.prelude.text());
        let compiled = match self.compiler.open(&self.node.site) {
            Ok(site) => site.compile(&self.node.node).result,
            Err(failure) => Err(failure),
        };
        match compiled {
            Err(failure) => {
                let mut out = String::new();
                failure::render(&mut out, &failure, &self.node.node.name, ErrorFormat::Human);
                err!("{out}");
            }
            Ok(catalog) => {
                let is_shown = |one: &&Resource| match type_name {
                    // Every catalog has these.
                    "" => !["Stage", "Class"].contains(&one.type_name.as_str()),
                    wanted => one.type_name.eq_ignore_ascii_case(wanted),
                };
                let mut names: Vec<String> = catalog
                    .resources
                    .iter()
                    .filter(is_shown)
                    .map(|one| one.reference().to_string())
                    .collect();
                names.sort();
                names.iter().for_each(|name| outln!("{name}"));
                if names.is_empty() {
                    errln!("no resources");
                }
            }
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

/// Prints the signatures and the documentation of a built-in function.
fn show_documentation(name: &str) {
    let registry = kukla::registry();
    match registry.get(Name::new(name)) {
        Some(function) => {
            pages::signatures(function.builtin).iter().for_each(|signature| outln!("{signature}"));
            outln!("\n{}", pages::text(function.builtin));
        }
        None => {
            let names: Vec<String> = registry.names().into_iter().map(|known| known.to_string()).collect();
            let problem = Problem::not_found("unknown function").on(format!("'{name}'"));
            output::report(&with_suggestion(problem, name, names.iter().map(String::as_str)));
        }
    }
}
