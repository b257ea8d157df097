//! Paths: `basename`, `dirname`, `stdlib::extname`, `glob`, `get_module_path`.

use std::path::{Path, PathBuf};

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_eval::world::World;
use kukla_values::{Array, Error, Result, Str, Value};

use crate::legacy::legacy;
use crate::ruby;

builtins! {
    /// The last part of a path, without an extension if one is given (`.*` for any).
    ///
    /// ```puppet
    /// basename('/a/b.txt')            # => 'b.txt'
    /// basename('/a/b.txt', '.txt')    # => 'b'
    /// ```
    "basename" { "Any *$args, Optional[Callable] &$block" => basename }

    /// All but the last part of a path.
    ///
    /// ```puppet
    /// dirname('/a/b.txt')    # => '/a'
    /// dirname('b.txt')       # => '.'
    /// ```
    "dirname" { "Any *$args, Optional[Callable] &$block" => dirname }

    /// The extension of a path, with its dot.
    ///
    /// ```puppet
    /// stdlib::extname('a/b.tar.gz')    # => '.gz'
    /// stdlib::extname('.profile')      # => ''
    /// ```
    "stdlib::extname" { "String $filename" => extname }

    /// The paths of files that match a pattern or one of several.
    "glob" { "Any *$args, Optional[Callable] &$block" => glob }

    /// The directory of a module.
    "get_module_path" { "Any *$args, Optional[Callable] &$block" => get_module_path }
}

fn basename(Rest(args): Rest) -> Result<String> {
    let args = legacy(args)?;
    match args.as_slice() {
        [] => Err(Error::runtime("basename(): No arguments given")),
        [Value::String(path)] => Ok(base(path, "")),
        [Value::String(path), Value::String(extension)] => Ok(base(path, extension)),
        [Value::String(_), _] => Err(Error::runtime("basename(): Requires string as second argument")),
        [_] | [_, _] => Err(Error::runtime("basename(): Requires string as first argument")),
        _ => Err(Error::runtime(format!("basename(): Too many arguments given ({})", args.len()))),
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
        [] => Err(Error::runtime("dirname(): No arguments given")),
        [Value::String(path)] if path.is_empty() => {
            Err(Error::runtime("dirname(): Requires a non-empty string as argument"))
        }
        [Value::String(path)] => Ok(directory(path)),
        [_] => Err(Error::runtime("dirname(): Requires string as argument")),
        _ => Err(Error::runtime(format!("dirname(): Too many arguments given ({})", args.len()))),
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
    let text = ruby::to_s(name);
    match vm.environment.module(&text) {
        Some(module) => Ok(module.root.clone()),
        None => Err(Error::runtime(format!(
            "Could not find module {text} in environment {}",
            vm.environment.name
        ))),
    }
}

fn get_module_path(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<String> {
    let args = legacy(args)?;
    let [name] = args.as_slice() else {
        return Err(Error::runtime("get_module_path(): Wrong number of arguments, expects one"));
    };
    Ok(module_root(vm, name)?.to_string_lossy().into_owned())
}

fn glob(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    let [pattern] = args.as_slice() else {
        return Err(Error::runtime(format!(
            "glob(): Wrong number of arguments given ({} for 1)",
            args.len()
        )));
    };
    if !matches!(pattern, Value::String(_) | Value::Array(_)) {
        return Err(Error::runtime("glob(): Requires either array or string to work"));
    }
    let mut found = Array::new();
    for pattern in &ruby::to_array(pattern) {
        for pattern in braces(ruby::text(pattern)?) {
            let (root, rest) = match pattern.strip_prefix('/') {
                Some(rest) => ("/", rest.to_owned()),
                None => ("", pattern),
            };
            let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
            search(&*vm.environment.world, root.into(), &parts, &mut found);
        }
    }
    Ok(found)
}

/// A pattern with `{a,b}` in it as several without.
fn braces(pattern: &str) -> Vec<String> {
    let Some(start) = pattern.find('{') else { return vec![pattern.into()] };
    let mut depth = 0;
    let mut cuts = vec![start];
    let mut end = None;
    for (at, c) in pattern[start..].char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => cuts.push(start + at),
            '}' => {
                depth -= 1;
                if depth == 0 {
                    end = Some(start + at);
                    break;
                }
            }
            _ => {}
        }
    }
    let Some(end) = end else { return vec![pattern.into()] };
    cuts.push(end);
    let choices = cuts
        .windows(2)
        .map(|cut| format!("{}{}{}", &pattern[..start], &pattern[cut[0] + 1..cut[1]], &pattern[end + 1..]));
    choices.flat_map(|choice| braces(&choice)).collect()
}

fn search(world: &dyn World, base: String, parts: &[&str], found: &mut Array) {
    let Some((part, rest)) = parts.split_first() else { return };
    let below = |name: &str| {
        if base.is_empty() || base.ends_with('/') {
            format!("{base}{name}")
        } else {
            format!("{base}/{name}")
        }
    };
    let directory = if base.is_empty() { "." } else { base.as_str() };
    if *part == "**" && !rest.is_empty() {
        search(world, base.clone(), rest, found);
        for entry in world.list(Path::new(directory)) {
            if entry.is_directory && !entry.name.starts_with('.') {
                search(world, below(&entry.name), parts, found);
            }
        }
        return;
    }
    if !part.contains(['*', '?', '[']) {
        let path = below(part);
        if world.exists(Path::new(&path)) {
            if rest.is_empty() { found.push(path.into()) } else { search(world, path, rest, found) }
        }
        return;
    }
    for entry in world.list(Path::new(directory)) {
        let hidden = entry.name.starts_with('.') && !part.starts_with('.');
        if hidden || !fits(part.as_bytes(), entry.name.as_bytes()) {
            continue;
        }
        let path = below(&entry.name);
        if rest.is_empty() {
            found.push(path.into());
        } else if entry.is_directory {
            search(world, path, rest, found);
        }
    }
}

/// Whether a name fits a pattern of `*`, `?` and `[a-z]`.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|skipped| fits(rest, &name[skipped..])),
        Some((b'?', rest)) => !name.is_empty() && fits(rest, &name[1..]),
        Some((b'[', rest)) => {
            let (Some(end), Some((c, after))) =
                (rest.iter().skip(1).position(|b| *b == b']'), name.split_first())
            else {
                return false;
            };
            let (set, rest) = (&rest[..end + 1], &rest[end + 2..]);
            let (negated, set) = match set.split_first() {
                Some((b'^' | b'!', set)) => (true, set),
                _ => (false, set),
            };
            let mut within = false;
            let mut at = 0;
            while at < set.len() {
                if at + 2 < set.len() && set[at + 1] == b'-' {
                    within |= (set[at]..=set[at + 2]).contains(c);
                    at += 3;
                } else {
                    within |= set[at] == *c;
                    at += 1;
                }
            }
            within != negated && fits(rest, after)
        }
        Some((literal, rest)) => name.first() == Some(literal) && fits(rest, &name[1..]),
    }
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
        assert_eq!(braces("a{b,c{d,e}}f"), ["abf", "acdf", "acef"]);
        assert!(fits(b"a*[b-d]?", b"axxcz") && !fits(b"[!a]", b"a"));
    }
}
