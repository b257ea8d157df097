//! Runs the Ruby of a Puppetfile and collects its declarations as they are made.

use std::io;
use std::path::Path;
use std::rc::Rc;

use kukla_ruby::class::ClassId;
use kukla_ruby::{Host, Result as RubyResult, Ruby, State, Unwind, Value};
use kukla_syntax::{Problem, roomy};
use kukla_values::{Budget, Error, Limits, meter};
use kukla_world::World;

use super::dialect;

/// A word of a Puppetfile with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// `mod`, `forge` or `moduledir`.
    pub word: String,
    /// The first argument.
    pub name: Argument,
    /// The second argument.
    pub argument: Argument,
    /// The third argument.
    pub options: Argument,
    /// The line that uses it.
    pub line: u32,
}

/// An argument of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// `nil`
    Nil,
    /// `true` or `false`
    Bool(bool),
    /// A symbol.
    Symbol(String),
    /// A string.
    Text(String),
    /// A hash, in order.
    Hash(Vec<(Argument, Argument)>),
    /// Any other value, inspected.
    Other(String),
}

/// The steps and the memory that a Puppetfile may take.
const LIMITS: (u64, u64) = (10_000_000, 256 << 20);

/// The program that defines the words and returns a lambda, which runs a text and returns its records.
const WORDS: &str = include_str!("dsl.rb");

struct Surroundings<'w> {
    world: &'w dyn World,
    budget: Rc<Budget>,
}

impl Host for Surroundings<'_> {
    fn world(&self) -> &dyn World {
        self.world
    }

    fn charge(&mut self, steps: u64) -> Result<(), Error> {
        self.budget.charge_steps(steps)
    }

    fn charge_ahead(&mut self, steps: u64) -> Result<(), Error> {
        self.budget.charge_ahead(steps)
    }

    fn check_memory(&mut self, bytes: usize) -> Result<(), Error> {
        self.budget.check_memory(bytes)
    }

    fn memory_limit(&self) -> u64 {
        self.budget.limits().memory
    }

    fn write_out(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn write_err(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// The declarations of a text, in order.
pub fn records(world: &dyn World, path: &Path, text: &[u8]) -> Result<Vec<Record>, Problem> {
    let text = String::from_utf8_lossy(text);
    let settings = text.lines().zip(1..).filter_map(|(line, number)| match dialect::setting(line)? {
        ("baseurl", url) => Some(forge_record(url, number)),
        _ => None,
    });
    let mut records: Vec<Record> = settings.collect();
    let (steps, memory) = LIMITS;
    let budget = Rc::new(Budget::new(Limits { steps, memory, ..Limits::default() }));
    let mut surroundings = Surroundings { world, budget: Rc::clone(&budget) };
    let shown = path.display().to_string();
    let ran = meter::metered(&budget, || {
        roomy(|| {
            let mut ruby = Ruby::new(State::new(), &mut surroundings);
            match run(&mut ruby, &dialect::to_ruby(&text), &shown) {
                Ok(records) => Ok(records),
                Err(unwind) => Err(problem(&mut ruby, *unwind, &shown)),
            }
        })
    });
    records.extend(ran.unwrap_or_else(|error| Err(invalid(&shown, None, &error.to_string())))?);
    Ok(records)
}

fn forge_record(url: &str, line: u32) -> Record {
    let name = Argument::Text(url.to_owned());
    Record { word: "forge".to_owned(), name, argument: Argument::Nil, options: Argument::Nil, line }
}

fn run(ruby: &mut Ruby<'_>, text: &str, path: &str) -> RubyResult<Vec<Record>> {
    let words = kukla_ruby::parse(WORDS.as_bytes(), "puppetfile/dsl.rb")
        .map_err(|problem| ruby.runtime_error(problem.message))?;
    let lambda = ruby.run_program(&words)?;
    let call = ruby.symbols.intern("call");
    let records = ruby.send(&lambda, call, &[Value::from(text), Value::from(path)])?;
    let Value::Array(records) = records else { return Ok(Vec::new()) };
    let mut read = Vec::new();
    for record in records.to_vec() {
        let Value::Array(fields) = &record else { continue };
        let fields = fields.to_vec();
        let [word, name, argument, options, line] = fields.as_slice() else { continue };
        read.push(Record {
            word: self::text(word).unwrap_or_default(),
            name: self::argument(ruby, name)?,
            argument: self::argument(ruby, argument)?,
            options: self::argument(ruby, options)?,
            line: if let Value::Int(line) = line { u32::try_from(*line).unwrap_or(0) } else { 0 },
        });
    }
    Ok(read)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.text().to_str_lossy().into_owned()),
        _ => None,
    }
}

fn argument(ruby: &mut Ruby<'_>, value: &Value) -> RubyResult<Argument> {
    Ok(match value {
        Value::Nil => Argument::Nil,
        Value::Bool(flag) => Argument::Bool(*flag),
        Value::Symbol(symbol) => Argument::Symbol(ruby.name(*symbol).to_owned()),
        Value::String(_) => Argument::Text(text(value).unwrap_or_default()),
        Value::Hash(hash) => {
            let pairs: Vec<(Value, Value)> =
                hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
            let mut read = Vec::new();
            for (key, value) in pairs {
                // Nested hashes have no meaning, and might contain themselves.
                let value = match value {
                    Value::Hash(_) => Argument::Other(inspect(ruby, &value)?),
                    value => argument(ruby, &value)?,
                };
                read.push((argument(ruby, &key)?, value));
            }
            Argument::Hash(read)
        }
        other => Argument::Other(inspect(ruby, other)?),
    })
}

fn inspect(ruby: &mut Ruby<'_>, value: &Value) -> RubyResult<String> {
    Ok(ruby.inspect(value)?.to_str_lossy().into_owned())
}

/// The exception that ended the evaluation, with the line of the Puppetfile.
fn problem(ruby: &mut Ruby<'_>, unwind: Unwind, path: &str) -> Problem {
    let exception = match unwind {
        Unwind::Raise(exception) => exception,
        Unwind::Stop(error) => {
            return invalid(path, None, &error.to_string())
                .help("a Puppetfile that loops without end is stopped; check its loops");
        }
        _ => return invalid(path, None, "it ends with a jump out of the file"),
    };
    if ruby.is_a(&exception, ClassId::SYSTEM_EXIT) {
        return invalid(path, None, "it calls `exit`");
    }
    let message = ruby.symbols.intern("message");
    let message = ruby.send(&exception, message, &[]).ok().and_then(|message| text(&message));
    let message = message.unwrap_or_else(|| ruby.class_name_of(&exception));
    // A syntax error names its line itself.
    if let Some(rest) = message.strip_prefix(&format!("{path}:"))
        && let Some((line, rest)) = rest.split_once(": ")
    {
        return invalid(path, line.parse().ok(), rest);
    }
    let line = line_of(ruby, &exception, path);
    let message = message.lines().next().unwrap_or_default().to_owned();
    let problem = invalid(path, line, &message);
    match message.strip_prefix("unrecognized declaration 'metadata'") {
        Some(_) => problem.help("`metadata` is a word of librarian-puppet; name the modules with `mod`"),
        None => problem,
    }
}

/// The innermost line of the file in the backtrace of an exception.
fn line_of(ruby: &mut Ruby<'_>, exception: &Value, path: &str) -> Option<u32> {
    let backtrace = ruby.symbols.intern("backtrace");
    let Ok(Value::Array(places)) = ruby.send(exception, backtrace, &[]) else { return None };
    places
        .to_vec()
        .iter()
        .filter_map(text)
        .find_map(|place| place.strip_prefix(path)?.strip_prefix(':')?.split(':').next()?.parse().ok())
}

/// A problem of a Puppetfile, at a line if it is known.
pub fn invalid(path: &str, line: Option<u32>, message: &str) -> Problem {
    let place = line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
    Problem::invalid("invalid Puppetfile").on(place).because(message)
}
