//! Paths: `basename`, `dirname`, `stdlib::extname`, `glob`, `get_module_path`.

use std::path::{Path, PathBuf};

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_eval::world::{Entry, World};
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
            let mut parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
            parts.dedup_by(|part, before| *part == "**" && *before == "**");
            let mut search = Search { world: &*vm.environment.world, found: &mut found, left: MOST_LISTED };
            search.below(root.into(), &parts)?;
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

/// How many directories one pattern may have listed.
const MOST_LISTED: usize = 100_000;

/// A search for what fits a pattern.
struct Search<'s> {
    world: &'s dyn World,
    found: &'s mut Array,
    left: usize,
}

impl Search<'_> {
    fn list(&mut self, directory: &str) -> Result<Vec<Entry>> {
        let why = || Error::runtime(format!("glob(): more than {MOST_LISTED} directories to look into"));
        self.left = self.left.checked_sub(1).ok_or_else(why)?;
        Ok(self.world.list(Path::new(if directory.is_empty() { "." } else { directory })))
    }

    fn below(&mut self, base: String, parts: &[&str]) -> Result<()> {
        let Some((part, rest)) = parts.split_first() else { return Ok(()) };
        let within = |name: &str| match base.is_empty() || base.ends_with('/') {
            true => format!("{base}{name}"),
            false => format!("{base}/{name}"),
        };
        if let ("**", [next, after @ ..]) = (*part, rest) {
            // Directory by directory, each entry before what lies below it.
            for entry in self.list(&base)? {
                let visible = !entry.name.starts_with('.');
                let path = within(&entry.name);
                if (visible || next.starts_with('.')) && fits(next.as_bytes(), entry.name.as_bytes()) {
                    match after.is_empty() {
                        true => self.found.push(path.clone().into()),
                        false if entry.is_directory => self.below(path.clone(), after)?,
                        false => {}
                    }
                }
                if entry.is_directory && visible {
                    self.below(path, parts)?;
                }
            }
            return Ok(());
        }
        if !part.contains(['*', '?', '[']) {
            let path = within(part);
            if self.world.exists(Path::new(&path)) {
                if rest.is_empty() { self.found.push(path.into()) } else { self.below(path, rest)? }
            }
            return Ok(());
        }
        for entry in self.list(&base)? {
            let hidden = entry.name.starts_with('.') && !part.starts_with('.');
            if hidden || !fits(part.as_bytes(), entry.name.as_bytes()) {
                continue;
            }
            let path = within(&entry.name);
            if rest.is_empty() {
                self.found.push(path.into());
            } else if entry.is_directory {
                self.below(path, rest)?;
            }
        }
        Ok(())
    }
}

/// Whether a name fits a pattern of `*`, `?` and `[a-z]`. After a star only the last one can be given more, so the time is bounded.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while read < name.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, read));
            at += 1;
        } else if let Some(taken) = pattern.get(at..).and_then(|rest| one_fits(rest, name[read])) {
            at += taken;
            read += 1;
        } else if let Some((starred, from)) = star {
            star = Some((starred, from + 1));
            (at, read) = (starred + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// How much of a pattern stands for one character that fits it.
fn one_fits(pattern: &[u8], c: u8) -> Option<usize> {
    match pattern.split_first()? {
        (b'?', _) => Some(1),
        (b'[', rest) => {
            let end = rest.iter().skip(1).position(|byte| *byte == b']')? + 1;
            let (negated, set) = match rest[..end].split_first() {
                Some((b'^' | b'!', set)) => (true, set),
                _ => (false, &rest[..end]),
            };
            let mut within = false;
            let mut at = 0;
            while at < set.len() {
                if at + 2 < set.len() && set[at + 1] == b'-' {
                    within |= (set[at]..=set[at + 2]).contains(&c);
                    at += 3;
                } else {
                    within |= set[at] == c;
                    at += 1;
                }
            }
            (within != negated).then_some(end + 2)
        }
        (literal, _) => (*literal == c).then_some(1),
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
