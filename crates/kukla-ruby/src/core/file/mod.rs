//! Files, through the world: what is read, and what is changed where policy allows it.

pub mod change;
pub mod fnmatch;
mod mode;
pub mod path;
pub mod read;
mod stream;

use kukla_world::fnmatch::Flags;
use kukla_world::policy::Reach;
use kukla_world::{FileError, Ownership, World};

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, methods};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::{Object, Value};
use path::{located, path_text};

/// The class `File`.
pub const FILE: NativeClass = NativeClass {
    methods: &[stream::STREAM],
    singleton: &[path::PATH, QUESTIONS, METHODS, change::CHANGES, stream::OPEN],
    setup: Some(setup),
    ..NativeClass::class("File", "IO")
};

/// The class `File::Stat`.
pub const FILE_STAT: NativeClass =
    NativeClass { includes: &["Comparable"], methods: &[STAT], ..NativeClass::class("File::Stat", "Object") };

/// The module `FileTest`.
pub const FILE_TEST: NativeClass = NativeClass { singleton: &[QUESTIONS], ..NativeClass::module("FileTest") };

fn setup(ruby: &mut Ruby<'_>, class: ClassId) {
    for (name, text) in
        [("SEPARATOR", "/"), ("Separator", "/"), ("PATH_SEPARATOR", ":"), ("NULL", "/dev/null")]
    {
        ruby.set_constant(class, name, text.into());
    }
    ruby.set_constant(class, "ALT_SEPARATOR", Value::Nil);
    for (name, number) in [
        ("RDONLY", 0),
        ("WRONLY", mode::WRITE_ONLY),
        ("RDWR", mode::READ_WRITE),
        ("CREAT", mode::CREATE),
        ("EXCL", mode::EXCLUSIVE),
        ("TRUNC", mode::TRUNCATE),
        ("APPEND", mode::APPEND),
        ("NONBLOCK", 2048),
        ("BINARY", 0),
        ("FNM_NOESCAPE", Flags::NO_ESCAPE),
        ("FNM_PATHNAME", Flags::PATHNAME),
        ("FNM_DOTMATCH", Flags::DOT_MATCH),
        ("FNM_CASEFOLD", Flags::CASE_FOLD),
        ("FNM_EXTGLOB", Flags::EXT_GLOB),
        ("FNM_SYSCASE", 0),
        ("FNM_SHORTNAME", 0),
        ("LOCK_SH", 1),
        ("LOCK_EX", 2),
        ("LOCK_NB", 4),
        ("LOCK_UN", 8),
    ] {
        ruby.set_constant(class, name, Value::Int(number));
    }
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file, or anything else that is not a directory.
    File,
    /// A directory.
    Directory,
}

/// The kind of the file at a path, if it exists and may be seen.
pub fn kind(ruby: &Ruby<'_>, path: &str) -> Option<Kind> {
    let world = ruby.host.world();
    let place = located(ruby, path);
    let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
        return Some(Kind::Directory);
    };
    if path.is_empty() {
        return None;
    }
    if reads_all(world) && !world.exists(&place) {
        return None;
    }
    let entry = world.list(parent).into_iter().find(|entry| entry.name.as_str() == name);
    match entry {
        Some(entry) if entry.is_directory => Some(Kind::Directory),
        // A link that leads nowhere is in the list and yet is not there.
        Some(_) => world.exists(&place).then_some(Kind::File),
        None if world.exists(&place) => {
            Some(if world.list(&place).is_empty() { Kind::File } else { Kind::Directory })
        }
        None => None,
    }
}

/// Whether the policy lets all files be read, so that whatever is in a directory can be asked for itself. Otherwise a directory that may not be
/// read can show what leads to one that may.
fn reads_all(world: &dyn World) -> bool {
    world.policy().files.reach == Reach::Any
}

/// Whether there is anything at a path.
fn is_there(ruby: &Ruby<'_>, path: &str) -> bool {
    let world = ruby.host.world();
    match reads_all(world) {
        true => !path.is_empty() && world.exists(&located(ruby, path)),
        false => kind(ruby, path).is_some(),
    }
}

fn is_link(ruby: &Ruby<'_>, path: &str) -> bool {
    let place = located(ruby, path);
    let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else { return false };
    ruby.host.world().list(parent).iter().any(|entry| entry.is_link && entry.name.as_str() == name)
}

/// Whether there is something that policy lets code change. Whether the system would let it is found out by trying.
fn is_writable(ruby: &Ruby<'_>, path: &str) -> bool {
    let (world, place) = (ruby.host.world(), located(ruby, path));
    kind(ruby, path).is_some() && world.policy().writes.cover(world, &world.resolve(&place))
}

/// Whether there is something that this user may run, or enter.
fn is_executable(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let path = path_text(ruby, &args[0])?;
    if kind(ruby, &path).is_none() {
        return Ok(false.into());
    }
    let (it, user) = (ruby.ownership(Some(&path))?, ruby.ownership(None)?);
    let permissions = if user.user == 0 {
        0o111
    } else if user.user == it.user {
        0o100
    } else if user.group == it.group {
        0o010
    } else {
        0o001
    };
    Ok((it.mode & permissions != 0).into())
}

fn ask(ruby: &mut Ruby<'_>, args: &Args<'_>, answer: impl FnOnce(&Ruby<'_>, &str) -> bool) -> Result {
    let path = path_text(ruby, &args[0])?;
    Ok(answer(ruby, &path).into())
}

fn size_of(ruby: &Ruby<'_>, path: &str) -> Option<u64> {
    kind(ruby, path)?;
    let place = located(ruby, path);
    let stamp = ruby.host.world().stamp(&place)?;
    if stamp.length > 0 {
        Some(stamp.length)
    } else {
        ruby.host.world().read(&place).ok().map(|bytes| bytes.len() as u64)
    }
}

const QUESTIONS: &[Native] = methods![
    method("exist?", 1, 1, |ruby, _, args| ask(ruby, args, is_there)),
    method("exists?", 1, 1, |ruby, _, args| ask(ruby, args, is_there)),
    method("file?", 1, 1, |ruby, _, args| ask(ruby, args, |ruby, path| kind(ruby, path) == Some(Kind::File))),
    method("directory?", 1, 1, |ruby, _, args| {
        ask(ruby, args, |ruby, path| kind(ruby, path) == Some(Kind::Directory))
    }),
    method("symlink?", 1, 1, |ruby, _, args| ask(ruby, args, is_link)),
    method("readable?", 1, 1, |ruby, _, args| {
        ask(ruby, args, |ruby, path| match kind(ruby, path) {
            Some(Kind::File) => ruby.host.world().read(&located(ruby, path)).is_ok(),
            other => other.is_some(),
        })
    }),
    method("world_readable?", 1, 1, |_, _, _| Ok(Value::Nil)),
    method("writable?", 1, 1, |ruby, _, args| ask(ruby, args, is_writable)),
    method("executable?", 1, 1, is_executable).alias("executable_real?"),
    method("zero?", 1, 1, |ruby, _, args| ask(ruby, args, |ruby, path| size_of(ruby, path) == Some(0))),
    method("empty?", 1, 1, |ruby, _, args| ask(ruby, args, |ruby, path| size_of(ruby, path) == Some(0))),
    method("size?", 1, 1, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        Ok(size_of(ruby, &path).filter(|size| *size > 0).map(|size| size as i64).into())
    }),
    method("size", 1, 1, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        match size_of(ruby, &path) {
            Some(size) => Ok(Value::Int(size as i64)),
            None => Err(read::complaint(ruby, &path, "rb_file_s_size", FileError::NotFound)),
        }
    }),
    method("identical?", 2, 2, |ruby, _, args| {
        let (a, b) = (path_text(ruby, &args[0])?, path_text(ruby, &args[1])?);
        let world = ruby.host.world();
        let same = world.resolve(&located(ruby, &a)) == world.resolve(&located(ruby, &b));
        Ok((same && kind(ruby, &a).is_some()).into())
    }),
];

const METHODS: &[Native] = methods![
    method("fnmatch", 2, 3, fnmatch::fnmatch).alias("fnmatch?"),
    method("realpath", 1, 2, realpath),
    method("realdirpath", 1, 2, |ruby, _, args| {
        let path = path_below(ruby, args)?;
        let place = ruby.host.world().resolve(&located(ruby, &path));
        Ok(place.to_string_lossy().into_owned().into())
    }),
    method("readlink", 1, 1, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        if !is_link(ruby, &path) {
            return Err(match kind(ruby, &path) {
                Some(_) => ruby.errno("EINVAL", &format!("Invalid argument @ rb_readlink - {path}")),
                None => read::complaint(ruby, &path, "rb_readlink", FileError::NotFound),
            });
        }
        let place = ruby.host.world().resolve(&located(ruby, &path));
        Ok(place.to_string_lossy().into_owned().into())
    }),
    method("ftype", 1, 1, |ruby, _, args| {
        let path = path_text(ruby, &args[0])?;
        match kind(ruby, &path) {
            _ if is_link(ruby, &path) => Ok("link".into()),
            Some(Kind::Directory) => Ok("directory".into()),
            Some(Kind::File) => Ok("file".into()),
            None => Err(read::complaint(ruby, &path, "rb_file_s_ftype", FileError::NotFound)),
        }
    }),
    method("stat", 1, 1, |ruby, _, args| stat(ruby, args, "rb_file_s_stat")),
    method("lstat", 1, 1, |ruby, _, args| stat(ruby, args, "rb_file_s_lstat")),
    method("mtime", 1, 1, |ruby, _, args| {
        let stat = stat(ruby, args, "rb_file_s_mtime")?;
        modified(ruby, &stat, args)
    }),
];

/// The path of the first argument, seen from the directory of the second one if there is one.
fn path_below(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<String> {
    let path = path_text(ruby, &args[0])?;
    match args.get(1).filter(|base| !base.is_nil()) {
        Some(base) if !path.starts_with('/') => Ok(format!("{}/{path}", path_text(ruby, base)?)),
        _ => Ok(path),
    }
}

fn realpath(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let path = path_below(ruby, args)?;
    if kind(ruby, &path).is_none() {
        return Err(read::complaint(ruby, &path, "rb_check_realpath_internal", FileError::NotFound));
    }
    let place = ruby.host.world().resolve(&located(ruby, &path));
    Ok(place.to_string_lossy().into_owned().into())
}

/// The result of `File.stat`.
struct Stat {
    path: String,
    kind: Kind,
    size: u64,
}

fn stat(ruby: &mut Ruby<'_>, args: &Args<'_>, function: &str) -> Result {
    let path = path_text(ruby, &args[0])?;
    match kind(ruby, &path) {
        Some(kind) => {
            let size = size_of(ruby, &path).unwrap_or(0);
            Ok(Value::Object(Object::with(ClassId::FILE_STAT, Stat { path, kind, size })))
        }
        None => Err(read::complaint(ruby, &path, function, FileError::NotFound)),
    }
}

fn stat_field(this: &Value, of: impl FnOnce(&Stat) -> Value) -> Result {
    let Value::Object(object) = this else { return Ok(Value::Nil) };
    Ok(object.payload::<Stat>().map_or(Value::Nil, |stat| of(&stat)))
}

/// The owner of the file.
fn owned(ruby: &mut Ruby<'_>, this: &Value, of: impl FnOnce(Ownership) -> i64) -> Result {
    let path = stat_field(this, |stat| stat.path.as_str().into())?;
    let path = path_text(ruby, &path)?;
    Ok(Value::Int(of(ruby.ownership(Some(&path))?)))
}

fn modified(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let nanoseconds = owned(ruby, this, |ownership| ownership.modified)?;
    let (at, unit) = (ruby.symbols.intern("at"), ruby.symbols.intern("nanosecond"));
    let time = Value::Class(ClassId::TIME);
    ruby.send(&time, at, &[Value::Int(0), nanoseconds, Value::Symbol(unit)])
}

const STAT: &[Native] = &[
    method("uid", 0, 0, |ruby, this, _| owned(ruby, this, |ownership| ownership.user.into())),
    method("gid", 0, 0, |ruby, this, _| owned(ruby, this, |ownership| ownership.group.into())),
    method("mode", 0, 0, |ruby, this, _| owned(ruby, this, |ownership| ownership.mode.into())),
    method("mtime", 0, 0, modified),
    method("size", 0, 0, |_, this, _| stat_field(this, |stat| Value::Int(stat.size as i64))),
    method("file?", 0, 0, |_, this, _| stat_field(this, |stat| (stat.kind == Kind::File).into())),
    method("directory?", 0, 0, |_, this, _| stat_field(this, |stat| (stat.kind == Kind::Directory).into())),
    method("zero?", 0, 0, |_, this, _| stat_field(this, |stat| (stat.size == 0).into())),
    method("readable?", 0, 0, |_, _, _| Ok(true.into())),
    method("writable?", 0, 0, |ruby, this, _| {
        let path = stat_field(this, |stat| stat.path.as_str().into())?;
        let path = path_text(ruby, &path)?;
        Ok(is_writable(ruby, &path).into())
    }),
    method("ftype", 0, 0, |_, this, _| {
        stat_field(this, |stat| if stat.kind == Kind::Directory { "directory".into() } else { "file".into() })
    }),
];
