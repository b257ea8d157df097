//! `File.fnmatch`: whether a path fits a pattern of the shell.

use crate::args::Args;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

use super::path::path_text;

pub const NO_ESCAPE: i64 = 1;
pub const PATHNAME: i64 = 2;
pub const DOT_MATCH: i64 = 4;
pub const CASE_FOLD: i64 = 8;
pub const EXT_GLOB: i64 = 16;

/// `File.fnmatch(pattern, path, flags)`
pub fn fnmatch(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let pattern = ruby.to_text(&args[0])?;
    let path = path_text(ruby, &args[1])?;
    let flags = match args.get(2) {
        Some(flags) => ruby.to_int(flags)?,
        None => 0,
    };
    ruby.charge((pattern.len() * (path.len() + 1)) as u64 / 64)?;
    let pattern: Vec<char> = pattern.to_str_lossy().chars().collect();
    let path: Vec<char> = path.chars().collect();
    let patterns = if flags & EXT_GLOB != 0 { alternatives(&pattern) } else { vec![pattern] };
    Ok(patterns.iter().any(|pattern| matches(pattern, &path, flags)).into())
}

/// `{a,b}c` as `ac` and `bc`. Of very many alternatives the first ones count.
fn alternatives(pattern: &[char]) -> Vec<Vec<char>> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_vec()];
    while let Some(next) = open.pop() {
        match braces(&next) {
            Some((start, end, commas)) if done.len() + open.len() < 1000 => {
                let mut from = start + 1;
                let mut expanded = Vec::new();
                for to in commas.into_iter().chain([end]) {
                    expanded.push([&next[..start], &next[from..to], &next[end + 1..]].concat());
                    from = to + 1;
                }
                open.extend(expanded.into_iter().rev());
            }
            _ => done.push(next),
        }
    }
    done
}

/// The first pair of braces and the commas between them.
fn braces(pattern: &[char]) -> Option<(usize, usize, Vec<usize>)> {
    let (mut start, mut depth, mut commas, mut at) = (0, 0, Vec::new(), 0);
    while at < pattern.len() {
        match pattern[at] {
            '\\' => at += 1,
            '{' => {
                if depth == 0 {
                    start = at;
                    commas.clear();
                }
                depth += 1;
            }
            ',' if depth == 1 => commas.push(at),
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return Some((start, at, commas));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn matches(pattern: &[char], path: &[char], flags: i64) -> bool {
    if flags & PATHNAME == 0 {
        return segment(pattern, path, flags);
    }
    let names: Vec<&[char]> = pattern.split(|c| *c == '/').collect();
    let parts: Vec<&[char]> = path.split(|c| *c == '/').collect();
    // Which parts of the path the first names of the pattern reach.
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    for (at, name) in names.iter().enumerate() {
        let is_last = at + 1 == names.len();
        let mut next = vec![false; parts.len() + 1];
        for from in 0..=parts.len() {
            if !reached[from] {
                continue;
            }
            if **name == ['*', '*'] && !is_last {
                let mut to = from;
                loop {
                    next[to] = true;
                    match parts.get(to) {
                        Some(part) if flags & DOT_MATCH != 0 || part.first() != Some(&'.') => to += 1,
                        _ => break,
                    }
                }
            } else if let Some(part) = parts.get(from)
                && segment(name, part, flags)
            {
                next[from + 1] = true;
            }
        }
        reached = next;
    }
    reached[parts.len()]
}

/// One name against a pattern without `/` of its own meaning.
fn segment(pattern: &[char], name: &[char], flags: i64) -> bool {
    let hidden = |at: usize| {
        flags & DOT_MATCH == 0
            && name.get(at) == Some(&'.')
            && (at == 0 || (flags & PATHNAME != 0 && name[at - 1] == '/'))
    };
    let same = |a: char, b: char| a == b || (flags & CASE_FOLD != 0 && a.to_lowercase().eq(b.to_lowercase()));
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let advanced = match pattern.get(p) {
            Some('*') => {
                while pattern.get(p) == Some(&'*') {
                    p += 1;
                }
                if hidden(n) {
                    false
                } else {
                    retry = Some((p, n));
                    continue;
                }
            }
            Some('?') if n < name.len() && !hidden(n) => {
                p += 1;
                n += 1;
                true
            }
            Some('[') if n < name.len() && !hidden(n) => match bracket(&pattern[p + 1..], name[n], flags) {
                Some((true, used)) => {
                    p += 1 + used;
                    n += 1;
                    true
                }
                _ => false,
            },
            Some(c) => {
                let escaped = *c == '\\' && flags & NO_ESCAPE == 0 && p + 1 < pattern.len();
                let wanted = if escaped { pattern[p + 1] } else { *c };
                let literal = escaped || !matches!(c, '?' | '[');
                if literal && n < name.len() && same(wanted, name[n]) {
                    p += 1 + usize::from(escaped);
                    n += 1;
                    true
                } else {
                    false
                }
            }
            None if n == name.len() => return true,
            None => false,
        };
        if !advanced {
            // The last star takes one character more.
            match retry {
                Some((after, from)) if from < name.len() => {
                    p = after;
                    n = from + 1;
                    retry = Some((after, n));
                }
                _ => return false,
            }
        }
    }
}

/// Whether a character is in a set, and how long the set is; `None` if it has no end.
fn bracket(set: &[char], c: char, flags: i64) -> Option<(bool, usize)> {
    let fold = |c: char| if flags & CASE_FOLD != 0 { c.to_ascii_lowercase() } else { c };
    let negated = matches!(set.first(), Some('!' | '^'));
    let mut at = usize::from(negated);
    let mut found = false;
    let mut any = false;
    loop {
        let mut read = || -> Option<char> {
            let mut c = *set.get(at)?;
            if c == '\\' && flags & NO_ESCAPE == 0 {
                at += 1;
                c = *set.get(at)?;
            }
            at += 1;
            Some(c)
        };
        let low = read()?;
        if low == ']' && any {
            return Some((found != negated, at));
        }
        any = true;
        let high = if set.get(at) == Some(&'-') && set.get(at + 1).is_some_and(|next| *next != ']') {
            at += 1;
            let mut c = *set.get(at)?;
            if c == '\\' && flags & NO_ESCAPE == 0 {
                at += 1;
                c = *set.get(at)?;
            }
            at += 1;
            c
        } else {
            low
        };
        found |= (fold(low)..=fold(high)).contains(&fold(c));
    }
}
