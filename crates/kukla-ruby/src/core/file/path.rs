//! Paths as text: nothing here looks at the world but `expand_path`, for where it starts.

use std::path::PathBuf;

use crate::args::Args;
use crate::class::{ANY, Native, method};
use crate::core::environment;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// Methods of `File` about paths alone.
pub const PATH: &[Native] = &[
    method("basename", 1, 2, basename),
    method("dirname", 1, 2, dirname),
    method("extname", 1, 1, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        Ok(extension(&path).into())
    }),
    method("join", 0, ANY, |ruby, _, args| Ok(join(ruby, args.list, 0)?.into())),
    method("split", 1, 1, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        Ok(Value::array(vec![parent(&path, 1).into(), last(&path).into()]))
    }),
    method("expand_path", 1, 2, |ruby, _, args| expand_path(ruby, args, true)),
    method("absolute_path", 1, 2, |ruby, _, args| expand_path(ruby, args, false)),
    method("absolute_path?", 1, 1, |ruby, _, args| Ok(path_text(ruby, &args[0])?.starts_with('/').into())),
    method("path", 1, 1, |ruby, _, args| Ok(path_text(ruby, &args[0])?.into())),
];

/// The path that a value means: a string, or what `to_path` answers.
pub fn path_text(ruby: &mut Ruby<'_>, value: &Value) -> Result<String> {
    let text = match value {
        Value::String(string) => string.text().clone(),
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Symbol(_) => {
            ruby.to_text(value)?
        }
        value => match ruby.try_send(value, sym::TO_PATH, &[])? {
            Some(path) => ruby.to_text(&path)?,
            None => ruby.to_text(value)?,
        },
    };
    if text.contains(&0) {
        return Err(ruby.argument_error("path name contains null byte"));
    }
    Ok(text.to_str_lossy().into_owned())
}

/// Where a path leads, seen from the directory that relative paths start from.
pub fn located(ruby: &Ruby<'_>, path: &str) -> PathBuf {
    kukla_world::normal(&ruby.here().join(path))
}

impl Ruby<'_> {
    /// The directory that relative paths start from.
    pub fn here(&self) -> PathBuf {
        self.working_directory.clone().unwrap_or_else(|| self.host.world().here())
    }
}

/// The last name of a path.
pub fn last(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed {
        "" if path.is_empty() => "",
        "" => "/",
        trimmed => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

/// The path without its last names, that many.
pub fn parent(path: &str, levels: usize) -> &str {
    let mut rest = path;
    for _ in 0..levels {
        let trimmed = rest.trim_end_matches('/');
        rest = match trimmed.rfind('/') {
            Some(at) => trimmed[..at].trim_end_matches('/'),
            None if rest.starts_with('/') => "",
            None => return ".",
        };
        if rest.is_empty() {
            return if path.starts_with('/') { "/" } else { "." };
        }
    }
    // Of several slashes in front one is left.
    match rest.trim_start_matches('/').len() {
        len if len < rest.len() => &rest[rest.len() - len - 1..],
        _ => rest,
    }
}

/// The last dot of the name and what follows; not of a name that begins with it.
pub fn extension(path: &str) -> &str {
    let name = last(path);
    let start = name.len() - name.trim_start_matches('.').len();
    match name[start..].rfind('.') {
        Some(at) if start + at > 0 => &name[start + at..],
        _ => "",
    }
}

fn basename(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let path = path_text(ruby, &args[0])?;
    let name = last(&path);
    let Some(suffix) = args.get(1) else { return Ok(name.into()) };
    let suffix = ruby.to_text(suffix)?;
    let suffix = suffix.to_str_lossy();
    let stem = if suffix == ".*" {
        &name[..name.len() - extension(name).len()]
    } else {
        name.strip_suffix(&*suffix).filter(|stem| !stem.is_empty()).unwrap_or(name)
    };
    Ok(stem.into())
}

fn dirname(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let path = path_text(ruby, &args[0])?;
    let levels = match args.get(1) {
        Some(levels) => ruby.to_int(levels)?,
        None => 1,
    };
    match usize::try_from(levels) {
        Ok(0) => Ok(path.into()),
        Ok(levels) => Ok(parent(&path, levels.min(path.len() + 1)).into()),
        Err(_) => Err(ruby.argument_error(format!("negative level: {levels}"))),
    }
}

fn join(ruby: &mut Ruby<'_>, parts: &[Value], depth: usize) -> Result<String> {
    if depth > 100 {
        return Err(ruby.argument_error("recursive array"));
    }
    let mut joined = String::new();
    for (at, part) in parts.iter().enumerate() {
        let text = match part {
            Value::Array(inner) => {
                let inner = inner.to_vec();
                join(ruby, &inner, depth + 1)?
            }
            part => path_text(ruby, part)?,
        };
        if at > 0 {
            if text.starts_with('/') {
                joined.truncate(joined.trim_end_matches('/').len());
            } else if !joined.ends_with('/') {
                joined.push('/');
            }
        }
        joined.push_str(&text);
    }
    Ok(joined)
}

fn expand_path(ruby: &mut Ruby<'_>, args: &Args<'_>, tilde: bool) -> Result {
    let path = path_text(ruby, &args[0])?;
    let path = if tilde { home(ruby, path)? } else { path };
    let base = match args.get(1).filter(|base| !base.is_nil()) {
        Some(base) if !path.starts_with('/') => {
            let base = path_text(ruby, base)?;
            if tilde { home(ruby, base)? } else { base }
        }
        _ => String::new(),
    };
    let full = ruby.here().join(base).join(path);
    Ok(kukla_world::normal(&full).to_string_lossy().into_owned().into())
}

/// Replaces `~` by the home directory, which an environment variable names.
fn home(ruby: &mut Ruby<'_>, path: String) -> Result<String> {
    let Some(rest) = path.strip_prefix('~') else { return Ok(path) };
    if !rest.is_empty() && !rest.starts_with('/') {
        let user = rest.split('/').next().unwrap_or(rest);
        return Err(ruby.argument_error(format!("user {user} doesn't exist")));
    }
    match environment::variable(ruby, "HOME")? {
        Some(home) => Ok(format!("{home}{rest}")),
        None => Err(ruby.argument_error("couldn't find HOME environment -- expanding `~'")),
    }
}
