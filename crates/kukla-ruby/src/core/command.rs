//! Commands that a program runs: through the world, and only those that policy allows.

use kukla_world::policy::Effect;
use kukla_world::{CommandOutput, FileError};

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, private};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::{Object, Value};

/// Functions that run commands, or would.
pub const FUNCTIONS: &[Native] = methods![
    private("`", 1, 1, |ruby, _, args| {
        let line = ruby.to_text(&args[0])?.to_str_lossy().into_owned();
        let output = run(ruby, &words(&line))?;
        Ok(Value::str(output.stdout))
    }),
    private("system", 1, ANY, system),
    private("exec", 1, ANY, refuse).alias("spawn"),
    private("fork", 0, ANY, refuse),
    private("open", 1, ANY, open),
];

/// Methods of `IO` that would start a process.
pub const IO: &[Native] = &[method("popen", 1, ANY, refuse)];

/// The class `Process::Status`: how a command ended.
pub const STATUS: NativeClass =
    NativeClass { methods: &[METHODS], ..NativeClass::class("Process::Status", "Object") };

const METHODS: &[Native] =
    &[
        method("exitstatus", 0, 0, |_, this, _| {
            Ok(code(this).map_or(Value::Nil, |code| Value::Int(code.into())))
        }),
        method("success?", 0, 0, |_, this, _| Ok(code(this).map_or(Value::Nil, |code| (code == 0).into()))),
        method("exited?", 0, 0, |_, this, _| Ok(code(this).is_some().into())),
        method("to_i", 0, 0, |_, this, _| Ok(Value::Int(i64::from(code(this).unwrap_or(0)) << 8))),
        method("==", 1, 1, |ruby, this, args| {
            let whole = Value::Int(i64::from(code(this).unwrap_or(0)) << 8);
            Ok(ruby.eq(&whole, &args[0])?.into())
        }),
    ];

/// How a command ended: its exit code, if it ended by itself.
struct Status(Option<i32>);

fn code(this: &Value) -> Option<i32> {
    match this {
        Value::Object(object) => object.payload::<Status>().and_then(|status| status.0),
        _ => None,
    }
}

/// Words that a shell handles itself: a line that begins with one is left to a shell.
const SHELL_WORDS: &[&str] = &[
    "!", ".", ":", "break", "case", "continue", "do", "done", "elif", "else", "esac", "eval", "exec", "exit",
    "export", "fi", "for", "if", "in", "readonly", "return", "set", "shift", "then", "times", "trap",
    "unset", "until", "while",
];

/// The program and its arguments; a line that only a shell understands is left to one.
fn words(line: &str) -> Vec<String> {
    let words: Vec<String> =
        line.split([' ', '\t']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let first = words.first().map_or("", String::as_str);
    // `NAME=value command` sets a variable; behind a slash or in an argument the sign means nothing.
    let sets_variable = first.split('/').next().is_some_and(|start| start.contains('='));
    let is_for_shell = line.contains(|c: char| "*?{}[]<>()~&|\\$;'`\"\n#".contains(c));
    if is_for_shell || sets_variable || SHELL_WORDS.contains(&first) {
        return vec!["/bin/sh".to_owned(), "-c".to_owned(), line.to_owned()];
    }
    words
}

fn run(ruby: &mut Ruby<'_>, command: &[String]) -> Result<CommandOutput> {
    let program = command.first().cloned().unwrap_or_default();
    let is_allowed = ruby.host.world().policy().check(Effect::Command(&program)).is_ok();
    if is_allowed && ruby.working_directory.is_some() {
        let message = format!(
            "'{program}' cannot run in a directory that was changed to: commands run where Kukla runs"
        );
        return Err(ruby.error(ClassId::NOT_IMPLEMENTED_ERROR, message));
    }
    let ended = ruby.host.world().run(command);
    match ended {
        Ok(output) => {
            ruby.charge(1 + output.stdout.len() as u64 / 64)?;
            let status = Value::Object(Object::with(ClassId::PROCESS_STATUS, Status(output.code)));
            let name = ruby.symbols.intern("$?");
            ruby.globals.insert(name, status);
            Ok(output)
        }
        Err(FileError::Refused(refusal)) => Err(ruby.error(ClassId::SECURITY_ERROR, refusal.to_string())),
        Err(FileError::NotFound) => {
            Err(ruby.errno("ENOENT", &format!("No such file or directory - {program}")))
        }
        Err(error) => Err(ruby.runtime_error(format!("{program}: {error}"))),
    }
}

fn command_of(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<Vec<String>> {
    let mut given = Vec::new();
    for arg in args.list {
        match arg {
            // Options and the environment: nothing of them changes which command it is.
            Value::Hash(_) => {}
            Value::Array(list) => {
                for item in list.to_vec() {
                    given.push(ruby.to_text(&item)?.to_str_lossy().into_owned());
                }
            }
            arg => given.push(ruby.to_text(arg)?.to_str_lossy().into_owned()),
        }
    }
    Ok(match &*given {
        [line] => words(line),
        _ => given,
    })
}

fn system(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let command = command_of(ruby, args)?;
    let output = run(ruby, &command)?;
    if !output.stdout.is_empty() {
        let out = ruby.symbols.intern("$stdout");
        let out = ruby.global(out)?;
        ruby.write_to(&out, &output.stdout.into())?;
    }
    Ok(output.code.map_or(Value::Nil, |code| (code == 0).into()))
}

/// Methods that a world which runs a command to its end cannot support: refused as a command first.
fn refuse(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = ruby.called;
    let command = command_of(ruby, args)?;
    ruby.allow(Effect::Command(command.first().map_or(name, String::as_str)))?;
    let message = format!("{name} is not there: backticks and system run commands");
    Err(ruby.error(ClassId::NOT_IMPLEMENTED_ERROR, message))
}

/// `open("|command")`, which nobody should write any more, and `open(path)`.
fn open(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if let Value::String(path) = &args[0]
        && let Some(line) = path.text().to_str_lossy().strip_prefix('|')
    {
        ruby.called = "open";
        return refuse(ruby, this, &Args::new(&[Value::from(line)]));
    }
    let (open, to_open) = (ruby.symbols.intern("open"), ruby.symbols.intern("to_open"));
    if !matches!(args[0], Value::String(_))
        && let Some(opened) = ruby.try_send(&args[0], to_open, &args.list[1..])?
    {
        return match args.block {
            Some(block) => ruby.yield_to(block, &[opened]),
            None => Ok(opened),
        };
    }
    ruby.call(&Value::Class(ClassId::FILE), open, args)
}
