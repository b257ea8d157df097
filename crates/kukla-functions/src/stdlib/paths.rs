//! Paths: `basename`, `dirname`, `stdlib::extname`, `get_module_path`.

use std::path::PathBuf;

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::{Error, Result, Str, Value};

use crate::codes::{EMPTY_PATH, UNKNOWN_MODULE};
use crate::legacy::{LEGACY, legacy, wrong_count, wrong_type};
use crate::ruby;

builtins! {
    /// The last part of a path, without an extension if one is given (`.*` for any).
    ///
    /// ```puppet
    /// basename('/a/b.txt')            # => 'b.txt'
    /// basename('/a/b.txt', '.txt')    # => 'b'
    /// ```
    "basename" {
        LEGACY => basename;
        tools "String $path, String $extension = undef >> String"
    }

    /// All but the last part of a path.
    ///
    /// ```puppet
    /// dirname('/a/b.txt')    # => '/a'
    /// dirname('b.txt')       # => '.'
    /// ```
    "dirname" {
        LEGACY => dirname;
        tools "String $path >> String"
    }

    /// The extension of a path, with its dot.
    ///
    /// ```puppet
    /// stdlib::extname('a/b.tar.gz')    # => '.gz'
    /// stdlib::extname('.profile')      # => ''
    /// ```
    "stdlib::extname": TypedResult { "String $filename >> String" => extname }

    /// The directory of a module.
    "get_module_path": ReadsFiles {
        LEGACY => get_module_path;
        tools "String $module >> String"
    }
}

fn too_many(name: &str, args: &[Value]) -> Error {
    wrong_count(name, format_args!("Too many arguments given ({})", args.len()))
}

fn basename(Rest(args): Rest) -> Result<String> {
    let args = legacy(args)?;
    match args.as_slice() {
        [] => Err(wrong_count("basename", "No arguments given")),
        [Value::String(path)] => Ok(base(path, "")),
        [Value::String(path), Value::String(extension)] => Ok(base(path, extension)),
        [Value::String(_), _] => Err(wrong_type("basename", "Requires string as second argument")),
        [_] | [_, _] => Err(wrong_type("basename", "Requires string as first argument")),
        _ => Err(too_many("basename", &args)),
    }
}

fn base(path: &str, extension: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { String::new() } else { "/".into() };
    }
    let name = trimmed.rsplit('/').next().unwrap_or(trimmed);
    let stem = match extension {
        ".*" => match name.rfind('.') {
            Some(dot) if dot > 0 => &name[..dot],
            _ => name,
        },
        extension => name.strip_suffix(extension).filter(|stem| !stem.is_empty()).unwrap_or(name),
    };
    stem.into()
}

fn dirname(Rest(args): Rest) -> Result<String> {
    let args = legacy(args)?;
    match args.as_slice() {
        [] => Err(wrong_count("dirname", "No arguments given")),
        [Value::String(path)] if path.is_empty() => {
            bail!(EMPTY_PATH)
        }
        [Value::String(path)] => Ok(directory(path)),
        [_] => Err(wrong_type("dirname", "Requires string as argument")),
        _ => Err(too_many("dirname", &args)),
    }
}

fn directory(path: &str) -> String {
    let root = if path.starts_with('/') { "/" } else { "" };
    let inner = path.trim_start_matches('/').trim_end_matches('/');
    match inner.rfind('/') {
        Some(slash) => format!("{root}{}", inner[..slash].trim_end_matches('/')),
        None if root.is_empty() => ".".into(),
        None => root.into(),
    }
}

fn extname(path: Str) -> String {
    let name = base(&path, "");
    let visible = name.trim_start_matches('.');
    match visible.rfind('.') {
        Some(dot) => visible[dot..].into(),
        None => String::new(),
    }
}

/// The directory of a module.
pub fn module_root(vm: &Vm<'_>, name: &Value) -> Result<PathBuf> {
    let text = ruby::old_text(name);
    match vm.environment().module(&text) {
        Some(module) => Ok(module.root.clone()),
        None => bail!(UNKNOWN_MODULE { module: text, environment: vm.environment().name }),
    }
}

fn get_module_path(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<String> {
    let args = legacy(args)?;
    let [name] = args.as_slice() else {
        return Err(wrong_count("get_module_path", "Wrong number of arguments, expects one"));
    };
    Ok(module_root(vm, name)?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_apart_as_in_ruby() {
        assert_eq!(
            (base("/a/b/", ""), base("///", ""), base("a.tar.gz", ".*"), base(".rc", ".*")),
            ("b".into(), "/".into(), "a.tar".into(), ".rc".into())
        );
        assert_eq!(
            (directory("/a"), directory("a/b//"), directory("//"), directory("a")),
            ("/".into(), "a".into(), "/".into(), ".".into())
        );
        assert_eq!(
            (extname("a/.b".into()), extname("a.b.".into()), extname("..a.b".into())),
            (String::new(), ".".into(), ".b".into())
        );
    }
}
