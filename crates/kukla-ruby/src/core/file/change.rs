//! Changing files and directories, where policy allows it.

use kukla_world::{Change, FileError};

use super::path::{located, path_text};
use super::read::complaint;
use crate::args::Args;
use crate::class::{ANY, ClassId, Native, method, methods};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// Methods of the class `File`.
pub const CHANGES: &[Native] = methods![
    method("delete", 0, ANY, |ruby, _, args| each(ruby, args.list, Change::Remove)),
    method("unlink", 0, ANY, |ruby, _, args| each(ruby, args.list, Change::Remove)),
    method("chmod", 1, ANY, |ruby, _, args| {
        let mode = mode_of(ruby, &args[0])?;
        each(ruby, &args.list[1..], Change::Mode(mode))
    }),
    method("chown", 2, ANY, |ruby, _, args| {
        let owner = owner_of(ruby, &args[0], &args[1])?;
        each(ruby, &args.list[2..], owner)
    }),
    method("utime", 2, ANY, |ruby, _, args| {
        let times = Change::Times(moment_of(ruby, &args[0])?, moment_of(ruby, &args[1])?);
        each(ruby, &args.list[2..], times)
    }),
    method("truncate", 2, 2, |ruby, _, args| {
        let (path, length) = (path_text(ruby, &args[0])?, length_of(ruby, &args[1])?);
        ruby.change(&path, "rb_file_s_truncate", Change::Resize(length))
    }),
    method("rename", 2, 2, |ruby, _, args| {
        let (from, to) = (path_text(ruby, &args[0])?, path_text(ruby, &args[1])?);
        let place = located(ruby, &to);
        match ruby.host.world().change(&located(ruby, &from), Change::Rename(&place)) {
            Ok(()) => Ok(Value::Int(0)),
            Err(error) => Err(complaint(ruby, &format!("({from}, {to})"), "rb_file_s_rename", error)),
        }
    }),
    method("symlink", 2, 2, refuse).alias("link"),
    method("mkfifo", 1, 2, refuse),
    method("umask", 0, 1, |_, _, _| Ok(Value::Int(0o022))),
];

/// Refuses methods that would lead out of the directories that may be changed, or wait for another process.
fn refuse(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let message = format!("File.{} is not allowed: links and pipes are not made", ruby.called);
    Err(ruby.error(ClassId::SECURITY_ERROR, message))
}

fn each(ruby: &mut Ruby<'_>, paths: &[Value], change: Change<'_>) -> Result {
    for path in paths {
        let path = path_text(ruby, path)?;
        ruby.change(&path, "apply2files", change)?;
    }
    Ok(Value::Int(paths.len() as i64))
}

/// Permissions that were given as a number.
pub fn mode_of(ruby: &mut Ruby<'_>, mode: &Value) -> Result<u32> {
    Ok((ruby.to_int(mode)? & 0o7777) as u32)
}

/// A user and a group; `nil` and -1 leave it as it is.
pub fn owner_of(ruby: &mut Ruby<'_>, user: &Value, group: &Value) -> Result<Change<'static>> {
    let mut number = |value: &Value| match value {
        Value::Nil => Ok(None),
        value => ruby.to_int(value).map(|number| u32::try_from(number).ok()),
    };
    Ok(Change::Owner(number(user)?, number(group)?))
}

/// How long a file is to be.
pub fn length_of(ruby: &mut Ruby<'_>, length: &Value) -> Result<u64> {
    match u64::try_from(ruby.to_int(length)?) {
        Ok(length) => Ok(length),
        Err(_) => Err(ruby.errno("EINVAL", "Invalid argument")),
    }
}

/// A time in nanoseconds since 1970; `nil` is the present, which code itself need not know.
fn moment_of(ruby: &mut Ruby<'_>, time: &Value) -> Result<i64> {
    if time.is_nil() {
        return Ok(ruby.host.world().now().nanos().try_into().unwrap_or(i64::MAX));
    }
    let to_f = ruby.symbols.intern("to_f");
    let seconds = ruby.send(time, to_f, &[])?;
    Ok((ruby.to_float(&seconds)? * 1e9) as i64)
}

impl Ruby<'_> {
    /// Changes what is at a path, or raises what Ruby's function of that name raises.
    pub fn change(&mut self, path: &str, function: &str, change: Change<'_>) -> Result {
        match self.host.world().change(&located(self, path), change) {
            Ok(()) => Ok(Value::Int(0)),
            Err(error) => Err(complaint(self, path, function, error)),
        }
    }

    /// The owner of the file at a path; without a path, the user of this process.
    pub fn ownership(&mut self, path: Option<&str>) -> Result<kukla_world::Ownership> {
        let place = path.map(|path| located(self, path));
        match self.host.world().ownership(place.as_deref()) {
            Ok(ownership) => Ok(ownership),
            Err(FileError::Refused(refusal)) => Err(self.error(ClassId::SECURITY_ERROR, refusal.to_string())),
            Err(error) => Err(complaint(self, path.unwrap_or_default(), "rb_file_s_stat", error)),
        }
    }
}
