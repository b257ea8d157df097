//! Ruby scripts, run by the interpreter that runs the Ruby of modules.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use kukla_ruby::class::ClassId;
use kukla_ruby::erb;
use kukla_ruby::symbol::sym;
use kukla_ruby::{Host, Program, Result as RubyResult, Ruby, State, SyntaxProblem, Unwind, Value, parse};
use kukla_syntax::{diagnostic, roomy};
use kukla_values::codes::{DEADLINE_PASSED, EVALUATION_LIMIT, MEMORY_LIMIT};
use kukla_values::{Budget, Error, Limits, meter};
use kukla_world::World;

use crate::codes::SCRIPT_LIMIT;

/// How a script ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself or with `exit`: the status.
    With(i32),
    /// By an exception that nothing rescued, or at a limit: the message.
    Failed(String),
}

/// The limits of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Steps; a call takes about one.
    pub steps: u64,
    /// Bytes that its values take at any time.
    pub memory: u64,
    /// Bytes that it writes.
    pub output: u64,
    /// Time, checked periodically.
    pub deadline: Option<Duration>,
}

impl Default for ScriptLimits {
    fn default() -> ScriptLimits {
        ScriptLimits { steps: 20_000_000_000, memory: 1 << 30, output: 1 << 30, deadline: None }
    }
}

/// The environment of a script: a world behind a policy, three streams, limits.
pub struct Surroundings<'s> {
    world: &'s dyn World,
    input: Option<&'s mut dyn BufRead>,
    out: &'s mut dyn Write,
    err: &'s mut dyn Write,
    load_path: Vec<PathBuf>,
    budget: Rc<Budget>,
    output_left: u64,
}

fn passed(what: &str, option: &str) -> Error {
    diagnostic!(SCRIPT_LIMIT { passes: what }; hint: "{option} allows more").into()
}

/// The error of a script's budget, with the option that allows more.
fn script_limit(error: Error) -> Error {
    if error.is(&EVALUATION_LIMIT) {
        passed("takes more steps", "--limit-steps")
    } else if error.is(&MEMORY_LIMIT) {
        passed("takes more memory", "--limit-memory")
    } else if error.is(&DEADLINE_PASSED) {
        passed("takes longer", "--deadline")
    } else {
        error
    }
}

impl<'s> Surroundings<'s> {
    /// The environment of a script with these limits and without input.
    pub fn new(
        world: &'s dyn World,
        out: &'s mut dyn Write,
        err: &'s mut dyn Write,
        limits: ScriptLimits,
    ) -> Surroundings<'s> {
        let ScriptLimits { steps, memory, output, deadline } = limits;
        let limits = Limits { steps, memory, deadline, ..Limits::default() };
        let budget = Rc::new(Budget::new(limits));
        Surroundings { world, input: None, out, err, load_path: Vec::new(), budget, output_left: output }
    }

    /// Measures the deadline by this clock, from now on.
    #[must_use]
    pub fn by_clock(self, clock: impl Fn() -> Duration + 'static) -> Surroundings<'s> {
        let budget = Budget::new(*self.budget.limits()).by_clock(clock);
        Surroundings { budget: Rc::new(budget), ..self }
    }

    /// Lets the script read standard input.
    pub fn read_from(&mut self, input: &'s mut dyn BufRead) {
        self.input = Some(input);
    }

    /// Adds a directory in which `require` searches.
    pub fn search(&mut self, directory: PathBuf) {
        self.load_path.push(directory);
    }
}

impl Host for Surroundings<'_> {
    fn world(&self) -> &dyn World {
        self.world
    }

    fn charge(&mut self, steps: u64) -> Result<(), Error> {
        self.budget.charge_steps(steps).map_err(script_limit)
    }

    fn charge_ahead(&mut self, steps: u64) -> Result<(), Error> {
        self.budget.charge_ahead(steps).map_err(script_limit)
    }

    fn check_memory(&mut self, bytes: usize) -> Result<(), Error> {
        self.budget.check_memory(bytes).map_err(script_limit)
    }

    fn memory_limit(&self) -> u64 {
        self.budget.limits().memory
    }

    fn check_output(&mut self, bytes: usize) -> Result<(), Error> {
        match self.output_left.checked_sub(bytes as u64) {
            Some(left) => {
                self.output_left = left;
                Ok(())
            }
            None => Err(passed("writes more", "--limit-output")),
        }
    }

    fn write_out(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.out.write_all(bytes)
    }

    fn write_err(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        // Earlier output comes first.
        self.out.flush()?;
        self.err.write_all(bytes)
    }

    fn flush_out(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }

    fn read_line(&mut self) -> Option<Vec<u8>> {
        // The prompt is shown before input is read.
        self.out.flush().ok()?;
        let mut line = Vec::new();
        let read = self.input.as_mut()?.read_until(b'\n', &mut line).ok()?;
        (read > 0).then_some(line)
    }

    fn load_path(&self) -> Vec<PathBuf> {
        self.load_path.clone()
    }

    fn program(&mut self, path: &Path, text: &[u8]) -> Result<Arc<Program>, SyntaxProblem> {
        parse(text, &path.to_string_lossy())
    }
}

/// The code of a template, as Puppet reads templates: its value is the rendered text.
pub fn template(text: &str) -> String {
    erb::compile(text, erb::Trim::DASH, "_erbout")
}

/// Runs a script with its arguments.
pub fn run(
    surroundings: &mut Surroundings<'_>,
    name: &str,
    text: &[u8],
    args: &[String],
    libraries: &[String],
) -> Ended {
    let budget = Rc::clone(&surroundings.budget);
    let run = || roomy(|| run_script(surroundings, name, text, args, libraries));
    meter::metered(&budget, run).unwrap_or_else(|error| Ended::Failed(script_limit(error).to_string()))
}

fn run_script(
    surroundings: &mut Surroundings<'_>,
    name: &str,
    text: &[u8],
    args: &[String],
    libraries: &[String],
) -> Ended {
    let program = match parse(text, name) {
        Ok(program) => program,
        Err(problem) => {
            return Ended::Failed(format!("{name}:{}: syntax error, {}", problem.line, problem.message));
        }
    };
    let mut ruby = Ruby::new(State::new(), surroundings);
    let result =
        prepare(&mut ruby, name, args, libraries).and_then(|()| ruby.run_program(&program).map(drop));
    let is_stopped = result.as_ref().is_err_and(|unwind| matches!(**unwind, Unwind::Stop(_)));
    let ended = ended(&mut ruby, result);
    // A limit is final.
    if is_stopped {
        return ended;
    }
    let last = ruby.run_at_exit();
    match ended {
        Ended::With(0) => self::ended(&mut ruby, last),
        other => other,
    }
}

fn prepare(ruby: &mut Ruby<'_>, name: &str, args: &[String], libraries: &[String]) -> RubyResult<()> {
    ruby.set_arguments(name, args)?;
    let require = ruby.symbols.intern("require");
    for library in libraries {
        ruby.send(&Value::Nil, require, &[Value::from(library.as_str())])?;
    }
    Ok(())
}

fn ended(ruby: &mut Ruby<'_>, result: RubyResult<()>) -> Ended {
    let exception = match result {
        Ok(()) => return Ended::With(0),
        Err(unwind) => match *unwind {
            Unwind::Raise(exception) => exception,
            Unwind::Stop(error) => return Ended::Failed(error.to_string()),
            Unwind::Throw(tag, _) => {
                let shown =
                    ruby.inspect(&tag).map(|text| text.to_str_lossy().into_owned()).unwrap_or_default();
                return Ended::Failed(format!("uncaught throw {shown} (UncaughtThrowError)"));
            }
            _ => return Ended::With(0),
        },
    };
    if ruby.is_a(&exception, ClassId::SYSTEM_EXIT) {
        let status = ruby.symbols.intern("status");
        return match ruby.send(&exception, status, &[]) {
            Ok(Value::Int(status)) => Ended::With(status as i32),
            _ => Ended::With(1),
        };
    }
    let highlight = ruby.symbol("highlight");
    let plain = ruby.make_hash([(highlight, Value::Bool(false))]);
    let message = plain.and_then(|plain| {
        let args = [plain];
        let args = kukla_ruby::Args { list: &args, has_keywords: true, block: None };
        ruby.call(&exception, sym::FULL_MESSAGE, &args)
    });
    match message.and_then(|message| ruby.display(&message)) {
        Ok(text) => Ended::Failed(text.to_str_lossy().trim_end().to_owned()),
        Err(_) => Ended::Failed(ruby.class_name_of(&exception)),
    }
}

/// An interactive session in Ruby: assignments and definitions persist.
pub struct Conversation<'s> {
    budget: Rc<Budget>,
    ruby: Ruby<'s>,
}

/// The result of one input of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionResult {
    /// Its value, inspected.
    Value(String),
    /// It goes on on the next line.
    Unfinished,
    /// It raised an exception, or ended the session.
    Ended(Ended),
}

impl<'s> Conversation<'s> {
    /// A new session.
    pub fn new(surroundings: &'s mut Surroundings<'_>) -> Conversation<'s> {
        let budget = Rc::clone(&surroundings.budget);
        Conversation { budget, ruby: Ruby::new(State::new(), surroundings) }
    }

    /// Evaluates a piece of code.
    pub fn say(&mut self, text: &str) -> SessionResult {
        let budget = Rc::clone(&self.budget);
        let failed = |error| SessionResult::Ended(Ended::Failed(script_limit(error).to_string()));
        meter::metered(&budget, || self.answer(text)).unwrap_or_else(failed)
    }

    fn answer(&mut self, text: &str) -> SessionResult {
        roomy(|| {
            if parse(text.as_bytes(), "(ruby)").is_err_and(|problem| problem.is_unfinished) {
                return SessionResult::Unfinished;
            }
            match self.evaluate(text) {
                Ok(shown) => SessionResult::Value(shown),
                Err(unwind) => SessionResult::Ended(ended(&mut self.ruby, Err(unwind))),
            }
        })
    }

    fn evaluate(&mut self, text: &str) -> RubyResult<String> {
        let (kernel, eval) = (Value::Class(ClassId::OBJECT), self.ruby.symbols.intern("eval"));
        let binding = self.ruby.top_constant("TOPLEVEL_BINDING");
        let value = self.ruby.send(&kernel, eval, &[Value::from(text), binding, Value::from("(ruby)")])?;
        Ok(self.ruby.inspect(&value)?.to_str_lossy().into_owned())
    }
}
