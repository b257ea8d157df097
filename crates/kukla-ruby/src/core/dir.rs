//! Directories, through the world.

use kukla_world::{Change, FileError, glob};

use super::file::change::mode_of;
use super::file::path::{located, path_text};
use super::file::{Kind, kind, read};
use crate::args::Args;
use crate::class::{ANY, Native, NativeClass, iterator, method, methods, private};
use crate::core::enumerator::unknown;
use crate::core::environment;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// The class `Dir`.
pub const DIR: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[METHODS],
    singleton: &[SINGLETON],
    ..NativeClass::class("Dir", "Object")
};

const SINGLETON: &[Native] = methods![
    method("exist?", 1, 1, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        Ok((kind(ruby, &path) == Some(Kind::Directory)).into())
    }),
    method("empty?", 1, 1, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        let directory = kind(ruby, &path) == Some(Kind::Directory);
        Ok((directory && names(ruby, &path)?.is_empty()).into())
    }),
    method("entries", 1, 2, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        Ok(strings(with_dots(names(ruby, &path)?)))
    }),
    method("children", 1, 2, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        Ok(strings(names(ruby, &path)?))
    }),
    iterator(
        "each_child",
        1,
        2,
        |ruby, _, args, block| {
            let path = path_text(ruby, &args[0])?;
            for name in names(ruby, &path)? {
                ruby.yield_to(block, &[name.into()])?;
            }
            Ok(Value::Nil)
        },
        unknown
    ),
    iterator(
        "foreach",
        1,
        2,
        |ruby, _, args, block| {
            let path = path_text(ruby, &args[0])?;
            for name in with_dots(names(ruby, &path)?) {
                ruby.yield_to(block, &[name.into()])?;
            }
            Ok(Value::Nil)
        },
        unknown
    ),
    method("glob", 1, 4, |ruby, _, args| {
        let (rest, keywords) = args.split();
        let base = match keywords.and_then(|keywords| ruby.keyword(keywords, "base")) {
            Some(base) if !base.is_nil() => path_text(ruby, &base)?,
            _ => String::new(),
        };
        let patterns = match rest.first() {
            Some(Value::Array(list)) => list.to_vec(),
            Some(pattern) => vec![pattern.clone()],
            None => return Err(ruby.wrong_number_of_arguments(0, "1..2")),
        };
        let found = found(ruby, &patterns, &base)?;
        let Some(block) = args.block else { return Ok(strings(found)) };
        for path in found {
            ruby.yield_to(block, &[path.into()])?;
        }
        Ok(Value::Nil)
    }),
    method("[]", 0, ANY, |ruby, _, args| {
        let (rest, keywords) = args.split();
        let base = match keywords.and_then(|keywords| ruby.keyword(keywords, "base")) {
            Some(base) if !base.is_nil() => path_text(ruby, &base)?,
            _ => String::new(),
        };
        Ok(strings(found(ruby, rest, &base)?))
    }),
    method("pwd", 0, 0, here).alias("getwd"),
    method("home", 0, 1, |ruby, _, _| match environment::variable(ruby, "HOME")? {
        Some(home) => Ok(home.into()),
        None => Err(ruby.argument_error("couldn't find HOME environment -- expanding `~'")),
    }),
    method("open", 1, 2, |ruby, this, args| {
        let directory = ruby.call(this, sym::NEW, &Args { block: None, ..*args })?;
        match args.block {
            Some(block) => ruby.yield_to(block, &[directory]),
            None => Ok(directory),
        }
    }),
    method("mkdir", 1, 2, |ruby, _, args| {
        let mode = match args.get(1) {
            Some(mode) => mode_of(ruby, mode)?,
            None => 0o777,
        };
        change(ruby, args, "dir_s_mkdir", Change::MakeDirectory(mode))
    }),
    method("rmdir", 1, 1, remove).alias("delete").alias("unlink"),
    method("chdir", 1, 1, chdir),
    method("mktmpdir", 0, ANY, |ruby, this, args| {
        // The library has the method that takes the place of this one.
        ruby.require("tmpdir")?;
        let name = ruby.symbols.intern("mktmpdir");
        ruby.call(this, name, args)
    }),
    method("tmpdir", 0, 0, |_, _, _| Ok("/tmp".into())),
];

fn remove(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    change(ruby, args, "dir_s_rmdir", Change::RemoveDirectory)
}

fn change(ruby: &mut Ruby<'_>, args: &Args<'_>, function: &str, change: Change<'_>) -> Result {
    let path = path_text(ruby, &args[0])?;
    ruby.change(&path, function, change)
}

fn here(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(ruby.here().to_string_lossy().into_owned().into())
}

/// Relative paths start from another directory: permanently, or for the time of a block. The process stays where it is.
fn chdir(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let path = path_text(ruby, &args[0])?;
    match kind(ruby, &path) {
        Some(Kind::Directory) => {}
        Some(Kind::File) => {
            return Err(ruby.errno("ENOTDIR", &format!("Not a directory @ dir_chdir0 - {path}")));
        }
        None => return Err(read::complaint(ruby, &path, "dir_chdir0", FileError::NotFound)),
    }
    let place = located(ruby, &path);
    let before = ruby.working_directory.replace(place);
    let Some(block) = args.block else { return Ok(Value::Int(0)) };
    let result = ruby.yield_to(block, &[path.into()]);
    ruby.working_directory = before;
    result
}

fn strings(names: Vec<String>) -> Value {
    Value::array(names.into_iter().map(Value::from).collect::<Vec<_>>())
}

fn with_dots(names: Vec<String>) -> Vec<String> {
    [".".to_owned(), "..".to_owned()].into_iter().chain(names).collect()
}

/// The names in a directory, sorted.
fn names(ruby: &mut Ruby<'_>, path: &str) -> Result<Vec<String>> {
    match kind(ruby, path) {
        Some(Kind::Directory) => {
            let entries = ruby.host.world().list(&located(ruby, path));
            ruby.charge(entries.len() as u64)?;
            Ok(entries.into_iter().map(|entry| entry.name).collect())
        }
        Some(Kind::File) => Err(ruby.errno("ENOTDIR", &format!("Not a directory @ dir_initialize - {path}"))),
        None => Err(read::complaint(ruby, path, "dir_initialize", FileError::NotFound)),
    }
}

/// The paths that match any of the patterns, in their order.
fn found(ruby: &mut Ruby<'_>, patterns: &[Value], base: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for pattern in patterns {
        let pattern = path_text(ruby, pattern)?;
        if pattern.is_empty() {
            continue;
        }
        // Relative patterns are searched from the base, and results are relative to it.
        let mut start = located(ruby, base).to_string_lossy().into_owned();
        if !start.ends_with('/') {
            start.push('/');
        }
        let absolute =
            if pattern.starts_with('/') { pattern.clone() } else { format!("{}{pattern}", quoted(&start)) };
        let Ok(paths) = glob::glob(ruby.host.world(), &absolute) else {
            return Err(ruby.runtime_error(format!("'{pattern}' matches too much")));
        };
        ruby.charge(paths.len() as u64)?;
        all.extend(paths.into_iter().map(|path| match path.strip_prefix(&start) {
            Some(rest) if !pattern.starts_with('/') => rest.to_owned(),
            _ => path,
        }));
    }
    Ok(all)
}

/// A path in which nothing has the meaning of a pattern.
fn quoted(path: &str) -> String {
    path.chars().flat_map(|c| if "*?[]{}\\".contains(c) { vec!['\\', c] } else { vec![c] }).collect()
}

/// An open directory.
struct Open {
    path: String,
    names: Vec<String>,
    at: usize,
}

fn with<T: Into<Value>>(this: &Value, run: impl FnOnce(&mut Open) -> T) -> Result {
    let Value::Object(object) = this else { return Ok(Value::Nil) };
    Ok(object.payload_mut::<Open>().map_or(Value::Nil, |mut open| run(&mut open).into()))
}

fn all(this: &Value, dots: bool) -> Vec<String> {
    let Value::Object(object) = this else { return Vec::new() };
    let names = object.payload::<Open>().map(|open| open.names.clone()).unwrap_or_default();
    if dots { names } else { names.into_iter().skip(2).collect() }
}

const METHODS: &[Native] = &[
    private("initialize", 1, 2, |ruby, this, args| {
        let path = path_text(ruby, &args[0])?;
        let names = with_dots(names(ruby, &path)?);
        if let Value::Object(object) = this {
            object.set_payload(Open { path, names, at: 0 });
        }
        Ok(Value::Nil)
    }),
    method("path", 0, 0, |_, this, _| with(this, |open| Value::from(open.path.as_str()))),
    method("to_path", 0, 0, |_, this, _| with(this, |open| Value::from(open.path.as_str()))),
    method("inspect", 0, 0, |_, this, _| with(this, |open| Value::from(format!("#<Dir:{}>", open.path)))),
    method("read", 0, 0, |_, this, _| {
        with(this, |open| {
            open.at += 1;
            Value::from(open.names.get(open.at - 1).map(String::as_str))
        })
    }),
    method("rewind", 0, 0, |_, this, _| {
        with(this, |open| open.at = 0)?;
        Ok(this.clone())
    }),
    method("children", 0, 0, |_, this, _| Ok(strings(all(this, false)))),
    iterator(
        "each_child",
        0,
        0,
        |ruby, this, _, block| {
            for name in all(this, false) {
                ruby.yield_to(block, &[name.into()])?;
            }
            Ok(this.clone())
        },
        unknown,
    ),
    iterator(
        "each",
        0,
        0,
        |ruby, this, _, block| {
            for name in all(this, true) {
                ruby.yield_to(block, &[name.into()])?;
            }
            Ok(this.clone())
        },
        unknown,
    ),
    method("close", 0, 0, |_, _, _| Ok(Value::Nil)),
];
