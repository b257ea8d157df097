//! Facts that modules find out in Ruby: `Facter.add`.

use std::path::PathBuf;

use kukla_ruby::class::{Native, NativeClass, method};
use kukla_ruby::value::HashObject;
use kukla_ruby::{Args, Host, Result, Ruby, State, Value, data, parse};
use kukla_syntax::{deep, diagnostic, roomy};
use kukla_values::{Error, Hash, Value as PuppetValue};
use kukla_world::World;

use crate::codes::FACT_LIMIT;
use crate::{Sources, dig};

/// How many steps all facts together may take.
const STEPS: u64 = 2_000_000_000;

/// The classes of the interpreter that facts use.
static CLASSES: &[NativeClass] = &[NativeClass { singleton: &[METHODS], ..NativeClass::module("Facter") }];

const METHODS: &[Native] = &[
    method("__known", 1, 1, known),
    method("__all", 0, 0, all),
    method("__files", 1, 1, files),
    method("__run", 1, 1, run),
    method("__problem", 1, 1, problem),
];

/// The state of facts in Ruby, which their interpreter holds.
#[derive(Default)]
struct Context {
    known: Hash,
    files: Vec<PathBuf>,
    problems: Vec<String>,
}

/// The values of the facts that the files of some directories add. Failures are reported in `problems`.
pub fn evaluate(world: &dyn World, sources: &Sources, known: &Hash, problems: &mut Vec<String>) -> Hash {
    let files: Vec<PathBuf> = sources
        .custom
        .iter()
        .flat_map(|directory| {
            let entries = world.list(directory).into_iter();
            let named = entries.filter(|entry| entry.name.ends_with(".rb") && !entry.is_directory);
            named.map(|entry| directory.join(entry.name.as_str())).collect::<Vec<_>>()
        })
        .collect();
    if files.is_empty() {
        return Hash::new();
    }
    roomy(|| {
        let mut surroundings = Surroundings { world, libraries: &sources.libraries, steps: STEPS };
        let mut ruby = Ruby::new(State::new(), &mut surroundings);
        let context = ruby.part::<Context>();
        (context.known, context.files) = (known.clone(), files.clone());
        let facts = run_all(&mut ruby, &files);
        problems.append(&mut ruby.part::<Context>().problems);
        facts.unwrap_or_else(|unwind| {
            problems.push(format!("cannot evaluate facts in Ruby: {unwind:?}"));
            Hash::new()
        })
    })
}

/// Facter as facts of modules know it.
pub const FACTER: &str = include_str!("facter.rb");

fn run_all(ruby: &mut Ruby<'_>, files: &[PathBuf]) -> Result<Hash> {
    ruby.declare(CLASSES)?;
    match parse(FACTER.as_bytes(), "facter.rb") {
        Ok(program) => ruby.run_program(&program)?,
        Err(problem) => {
            return Err(ruby.runtime_error(format!("facter.rb:{}: {}", problem.line, problem.message)));
        }
    };
    let paths = files.iter().map(|path| Value::str(path.to_string_lossy().into_owned())).collect::<Vec<_>>();
    let facter = Value::Class(ruby.class_named("Facter")?);
    let evaluate = ruby.symbols.intern("__evaluate");
    let facts = ruby.send(&facter, evaluate, &[Value::array(paths)])?;
    match to_puppet(ruby, &facts)? {
        PuppetValue::Hash(facts) => Ok(facts),
        _ => Ok(Hash::new()),
    }
}

struct Surroundings<'s> {
    world: &'s dyn World,
    libraries: &'s [PathBuf],
    steps: u64,
}

impl Host for Surroundings<'_> {
    fn world(&self) -> &dyn World {
        self.world
    }

    fn charge(&mut self, steps: u64) -> std::result::Result<(), Error> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(diagnostic!(FACT_LIMIT).into()),
        }
    }

    fn write_out(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn write_err(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn load_path(&self) -> Vec<PathBuf> {
        self.libraries.to_vec()
    }

    fn source_of(&self, feature: &str) -> Option<(&'static str, &'static str)> {
        let is_there = matches!(feature, "facter" | "puppet" | "open3")
            || ["facter/", "puppet/"].iter().any(|prefix| feature.starts_with(prefix));
        is_there.then_some(("facter", ""))
    }
}

fn text(ruby: &mut Ruby<'_>, value: &Value) -> Result<String> {
    Ok(ruby.display(value)?.to_str_lossy().into_owned())
}

fn known(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    match dig(&ruby.part::<Context>().known, &name) {
        Some(value) => to_ruby(ruby, &value),
        None => Ok(Value::Nil),
    }
}

fn all(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let known = PuppetValue::Hash(ruby.part::<Context>().known.clone());
    to_ruby(ruby, &known)
}

fn files(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = format!("{}.rb", text(ruby, &args[0])?);
    let named = |path: &&PathBuf| path.file_name().is_some_and(|file| file == name.as_str());
    let found = ruby.part::<Context>().files.iter().filter(named);
    Ok(Value::array(found.map(|path| Value::str(path.to_string_lossy().into_owned())).collect::<Vec<_>>()))
}

fn problem(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let message = text(ruby, &args[0])?;
    ruby.part::<Context>().problems.push(message);
    Ok(Value::Nil)
}

/// Runs a command: what it wrote, or why there is nothing.
fn run(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let line = text(ruby, &args[0])?;
    let ran = ruby.host.world().run(&command(&line));
    let pair = match ran {
        Ok(output) => [Value::str(String::from_utf8_lossy(&output.stdout).into_owned()), Value::Nil],
        Err(error) => {
            let message = error.to_string();
            if let kukla_world::FileError::Refused(_) = error {
                ruby.part::<Context>().problems.push(message.clone());
            }
            [Value::Nil, Value::str(message)]
        }
    };
    Ok(Value::array(pair.to_vec()))
}

/// The words of a command; one that needs a shell is given to it.
fn command(line: &str) -> Vec<String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " -_./=:,+@%".contains(letter);
    let mut words = line.split_whitespace().peekable();
    let assigns = words.peek().is_some_and(|first| first.contains('='));
    if line.chars().all(is_plain) && !assigns && words.peek().is_some() {
        return words.map(str::to_owned).collect();
    }
    ["/bin/sh", "-c", line].map(str::to_owned).to_vec()
}

fn to_ruby(ruby: &mut Ruby<'_>, value: &PuppetValue) -> Result {
    Ok(match value {
        PuppetValue::Boolean(truth) => Value::Bool(*truth),
        PuppetValue::Integer(number) => Value::Int(*number),
        PuppetValue::Float(number) => Value::Float(*number),
        PuppetValue::String(text) => Value::str(text.clone()),
        PuppetValue::Array(values) => {
            let own: Result<Vec<Value>> = values.iter().map(|value| deep(|| to_ruby(ruby, value))).collect();
            Value::array(own?)
        }
        PuppetValue::Hash(entries) => {
            let hash = HashObject::new(kukla_ruby::class::ClassId::HASH, kukla_ruby::hash::Table::new());
            for (key, value) in entries {
                let (key, value) = (to_ruby(ruby, key)?, deep(|| to_ruby(ruby, value))?);
                ruby.hash_set(&hash, key, value)?;
            }
            Value::Hash(hash)
        }
        _ => Value::Nil,
    })
}

/// A value as facts can hold it; of anything else its text.
fn to_puppet(ruby: &mut Ruby<'_>, value: &Value) -> Result<PuppetValue> {
    data::to_data(ruby, value, |ruby, other| Ok(PuppetValue::from(text(ruby, other)?)))
}
