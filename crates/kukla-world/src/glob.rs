//! File name patterns, as Ruby's `Dir.glob` reads them: `*`, `?`, `[a-z]`, `{a,b}`, `**/`; results sorted, hidden files
//! only when the pattern says so.

use std::path::Path;

use crate::World;

/// The paths that match an absolute pattern and are not directories.
pub fn glob(world: &dyn World, pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    for pattern in alternatives(pattern) {
        let (root, rest) = match pattern.strip_prefix('/') {
            Some(rest) => ("/", rest),
            None => ("", pattern.as_str()),
        };
        let mut directory = root.to_owned();
        let mut parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        // What has no wildcards needs no listing, but for the file at the end.
        let plain = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '\\'])).count();
        for part in parts.drain(..plain.min(parts.len().saturating_sub(1))) {
            directory = join(&directory, part);
        }
        walk(world, &directory, &parts, &[0], &mut found, 0);
    }
    found
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() || directory.ends_with('/') {
        format!("{directory}{name}")
    } else {
        format!("{directory}/{name}")
    }
}

/// Looks through a directory for what matches the pattern from any of the given parts on. Taking all at once gives
/// Ruby's order: by name within a directory, what is below a name right where the name is.
fn walk(
    world: &dyn World,
    directory: &str,
    parts: &[&str],
    from: &[usize],
    found: &mut Vec<String>,
    depth: usize,
) {
    if depth > 100 {
        return;
    }
    for entry in world.list(Path::new(directory)) {
        let hidden = entry.name.starts_with('.');
        let mut next = Vec::new();
        let mut hit = false;
        let mut open: Vec<usize> = from.to_vec();
        while let Some(at) = open.pop() {
            let Some(part) = parts.get(at) else { continue };
            if *part == "**" && at + 1 < parts.len() {
                // No directories at all, or this one and more.
                open.push(at + 1);
                if entry.is_directory && !hidden {
                    next.push(at);
                }
            } else if (!hidden || part.starts_with('.')) && matches(part, &entry.name) {
                hit |= at + 1 == parts.len();
                next.push(at + 1);
            }
        }
        if hit && !entry.is_directory {
            found.push(join(directory, &entry.name));
        }
        next.retain(|at| *at < parts.len());
        next.sort_unstable();
        next.dedup();
        if entry.is_directory && !next.is_empty() {
            walk(world, &join(directory, &entry.name), parts, &next, found, depth + 1);
        }
    }
}

/// `a{b,c}d` is `abd` and `acd`; braces may nest.
fn alternatives(pattern: &str) -> Vec<String> {
    const MOST: usize = 10_000;
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        if done.len() + open.len() > MOST {
            break;
        }
        let Some((start, end, commas)) = first_braces(&pattern) else {
            done.push(pattern);
            continue;
        };
        let mut from = start + 1;
        let mut choices = Vec::new();
        for comma in commas.into_iter().chain([end]) {
            choices.push(format!("{}{}{}", &pattern[..start], &pattern[from..comma], &pattern[end + 1..]));
            from = comma + 1;
        }
        open.extend(choices.into_iter().rev());
    }
    done
}

fn first_braces(pattern: &str) -> Option<(usize, usize, Vec<usize>)> {
    let start = pattern.find('{')?;
    let (mut depth, mut commas) = (0, Vec::new());
    for (at, b) in pattern.bytes().enumerate().skip(start) {
        match b {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some((start, at, commas)),
            b'}' => depth -= 1,
            b',' if depth == 1 => commas.push(at),
            _ => {}
        }
    }
    None
}

/// Whether a name matches one part of a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // The classic two-pointer match: on failure go back to the last star and let it take one character more.
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some('?') => {
                p += 1;
                n += 1;
                continue;
            }
            Some('[') => {
                if let Some((fits, next)) = class(&pattern, p, name[n])
                    && fits
                {
                    p = next;
                    n += 1;
                    continue;
                }
            }
            Some('\\') if pattern.get(p + 1) == Some(&name[n]) => {
                p += 2;
                n += 1;
                continue;
            }
            Some(c) if *c == name[n] => {
                p += 1;
                n += 1;
                continue;
            }
            _ => {}
        }
        match star {
            Some((at, taken)) => {
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
            None => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

fn class(pattern: &[char], open: usize, c: char) -> Option<(bool, usize)> {
    let mut at = open + 1;
    let negated = matches!(pattern.get(at), Some('^' | '!'));
    at += usize::from(negated);
    let mut fits = false;
    let first = at;
    while at < pattern.len() && (pattern[at] != ']' || at == first) {
        if pattern.get(at + 1) == Some(&'-') && pattern.get(at + 2).is_some_and(|end| *end != ']') {
            fits |= (pattern[at]..=pattern[at + 2]).contains(&c);
            at += 3;
        } else {
            fits |= pattern[at] == c;
            at += 1;
        }
    }
    (at < pattern.len()).then_some((fits != negated, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("*.yaml", "a.yaml"));
        assert!(matches("a*b?d", "axxbcd"));
        assert!(matches("[a-c]x", "bx"));
        assert!(!matches("[^a-c]x", "bx"));
        assert!(!matches("*.yaml", "a.yml"));
        assert_eq!(alternatives("x{a,b{c,d}}"), ["xa", "xbc", "xbd"]);
    }
}
