//! Shell patterns against names and paths, by the rules of Ruby's `File.fnmatch`: `*`, `?`, `[a-z]` and, with [`Flags`],
//! `**/` and `{a,b}`.

/// The flags of `File.fnmatch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// A backslash is a character like others.
    pub no_escape: bool,
    /// `*`, `?` and `[` do not match `/`, and `**/` matches any number of directories.
    pub pathname: bool,
    /// `*`, `?` and `[` match a dot at the beginning of a name.
    pub dot_match: bool,
    /// Upper and lower case are the same.
    pub case_fold: bool,
    /// `{a,b}` matches either.
    pub ext_glob: bool,
}

impl Flags {
    /// The number of `File::FNM_NOESCAPE`.
    pub const NO_ESCAPE: i64 = 1;
    /// The number of `File::FNM_PATHNAME`.
    pub const PATHNAME: i64 = 2;
    /// The number of `File::FNM_DOTMATCH`.
    pub const DOT_MATCH: i64 = 4;
    /// The number of `File::FNM_CASEFOLD`.
    pub const CASE_FOLD: i64 = 8;
    /// The number of `File::FNM_EXTGLOB`.
    pub const EXT_GLOB: i64 = 16;

    /// The flags of a number as Ruby combines them; other bits are ignored.
    pub fn from_bits(bits: i64) -> Flags {
        let has = |flag: i64| bits & flag != 0;
        Flags {
            no_escape: has(Flags::NO_ESCAPE),
            pathname: has(Flags::PATHNAME),
            dot_match: has(Flags::DOT_MATCH),
            case_fold: has(Flags::CASE_FOLD),
            ext_glob: has(Flags::EXT_GLOB),
        }
    }
}

/// The largest number of alternatives that [`Flags::ext_glob`] expands; further braces are characters like others.
const MOST_ALTERNATIVES: usize = 1000;

/// Whether a path matches a pattern.
pub fn fnmatch(pattern: &str, path: &str, flags: Flags) -> bool {
    let path: Vec<char> = path.chars().collect();
    let matches = |pattern: &str| {
        let pattern: Vec<char> = pattern.chars().collect();
        match flags.pathname {
            true => path_matches(&pattern, &path, flags),
            false => name_matches(&pattern, &path, flags),
        }
    };
    match flags.ext_glob {
        true => alternatives(pattern, MOST_ALTERNATIVES).iter().any(|pattern| matches(pattern)),
        false => matches(pattern),
    }
}

/// The patterns that a pattern with braces expands to: `a{b,c}d` is `abd` and `acd`. Braces may nest; those after a backslash stay.
/// Once there are `most` patterns, further braces are not expanded.
pub(crate) fn alternatives(pattern: &str, most: usize) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        match first_braces(&next) {
            Some((start, end, commas)) if done.len() + open.len() < most => {
                let mut from = start + 1;
                let mut expanded = Vec::new();
                for to in commas.into_iter().chain([end]) {
                    expanded.push(format!("{}{}{}", &next[..start], &next[from..to], &next[end + 1..]));
                    from = to + 1;
                }
                open.extend(expanded.into_iter().rev());
            }
            _ => done.push(next),
        }
    }
    done
}

/// The positions of the first pair of braces and of the commas between them.
fn first_braces(pattern: &str) -> Option<(usize, usize, Vec<usize>)> {
    let (mut start, mut depth, mut commas) = (0, 0, Vec::new());
    let mut bytes = pattern.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            // A byte of a longer character is none of those below, so skipping one is enough.
            b'\\' => drop(bytes.next()),
            b'{' => {
                if depth == 0 {
                    start = at;
                    commas.clear();
                }
                depth += 1;
            }
            b',' if depth == 1 => commas.push(at),
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return Some((start, at, commas));
                }
            }
            _ => {}
        }
    }
    None
}

/// A path against a pattern, name by name.
fn path_matches(pattern: &[char], path: &[char], flags: Flags) -> bool {
    let patterns: Vec<&[char]> = pattern.split(|c| *c == '/').collect();
    let names: Vec<&[char]> = path.split(|c| *c == '/').collect();
    // The numbers of names that the patterns so far can match.
    let mut reached = vec![false; names.len() + 1];
    reached[0] = true;
    for (at, pattern) in patterns.iter().enumerate() {
        let is_last = at + 1 == patterns.len();
        let mut next = vec![false; names.len() + 1];
        for from in 0..=names.len() {
            if !reached[from] {
                continue;
            }
            if **pattern == ['*', '*'] && !is_last {
                let mut to = from;
                loop {
                    next[to] = true;
                    match names.get(to) {
                        Some(name) if flags.dot_match || name.first() != Some(&'.') => to += 1,
                        _ => break,
                    }
                }
            } else if let Some(name) = names.get(from)
                && name_matches(pattern, name, flags)
            {
                next[from + 1] = true;
            }
        }
        reached = next;
    }
    reached[names.len()]
}

/// One name against a pattern. After a mismatch only the last star is extended, so the time is bounded.
fn name_matches(pattern: &[char], name: &[char], flags: Flags) -> bool {
    let is_hidden = |at: usize| {
        !flags.dot_match && name.get(at) == Some(&'.') && (at == 0 || (flags.pathname && name[at - 1] == '/'))
    };
    let same = |a: char, b: char| a == b || (flags.case_fold && a.to_lowercase().eq(b.to_lowercase()));
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        let advanced = match pattern.get(p) {
            Some('*') => {
                while pattern.get(p) == Some(&'*') {
                    p += 1;
                }
                if is_hidden(n) {
                    false
                } else {
                    star = Some((p, n));
                    continue;
                }
            }
            Some('?') if n < name.len() && !is_hidden(n) => {
                p += 1;
                n += 1;
                true
            }
            Some('[') if n < name.len() && !is_hidden(n) => {
                match set_contains(&pattern[p + 1..], name[n], flags) {
                    Some((true, length)) => {
                        p += 1 + length;
                        n += 1;
                        true
                    }
                    _ => false,
                }
            }
            Some(c) => {
                let is_escaped = *c == '\\' && !flags.no_escape && p + 1 < pattern.len();
                let literal = if is_escaped { pattern[p + 1] } else { *c };
                let is_literal = is_escaped || !matches!(c, '?' | '[');
                if is_literal && n < name.len() && same(literal, name[n]) {
                    p += 1 + usize::from(is_escaped);
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
            match star {
                Some((after, from)) if from < name.len() => {
                    p = after;
                    n = from + 1;
                    star = Some((after, n));
                }
                _ => return false,
            }
        }
    }
}

/// Whether a character is in a set, and the length of the set with its closing bracket; nothing if that is missing.
fn set_contains(set: &[char], c: char, flags: Flags) -> Option<(bool, usize)> {
    let fold = |c: char| if flags.case_fold { c.to_ascii_lowercase() } else { c };
    let is_negated = matches!(set.first(), Some('!' | '^'));
    let mut at = usize::from(is_negated);
    let member = |at: &mut usize| -> Option<char> {
        let mut c = *set.get(*at)?;
        if c == '\\' && !flags.no_escape {
            *at += 1;
            c = *set.get(*at)?;
        }
        *at += 1;
        Some(c)
    };
    let mut contains = false;
    // A closing bracket at the beginning ends the set too, which is then empty.
    while *set.get(at)? != ']' {
        let low = member(&mut at)?;
        let high = if set.get(at) == Some(&'-') && set.get(at + 1).is_some_and(|next| *next != ']') {
            at += 1;
            member(&mut at)?
        } else {
            low
        };
        contains |= (fold(low)..=fold(high)).contains(&fold(c));
    }
    Some((contains != is_negated, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected results are those of `File.fnmatch` in Ruby 3.1.
    #[test]
    fn patterns_match_as_in_ruby() {
        let cases: [(&str, &str, i64, bool); 24] = [
            ("cat", "cat", 0, true),
            ("c?t", "cat", 0, true),
            ("c??t", "cat", 0, false),
            ("c*", "cats", 0, true),
            ("c/*", "c/b/a/t", 0, true),
            ("c/*", "c/b/a/t", Flags::PATHNAME, false),
            ("ca[^t]", "cat", 0, false),
            ("ca[s-u]", "cat", 0, true),
            ("[]a]", "]", 0, false),
            ("[^]a]", "xa]", 0, true),
            ("[a", "[a", 0, false),
            ("\\?", "?", 0, true),
            ("\\?", "?", Flags::NO_ESCAPE, false),
            ("[\\]]", "]", 0, true),
            ("*", ".profile", 0, false),
            ("*", ".profile", Flags::DOT_MATCH, true),
            (".*", ".profile", 0, true),
            ("CAT", "cat", Flags::CASE_FOLD, true),
            ("**/foo", "a/b/c/foo", Flags::PATHNAME, true),
            ("**/foo", "a/.b/c/foo", Flags::PATHNAME, false),
            ("**/foo", "a/.b/c/foo", Flags::PATHNAME | Flags::DOT_MATCH, true),
            ("c{at,ub}s", "cats", 0, false),
            ("c{at,ub}s", "cubs", Flags::EXT_GLOB, true),
            ("c\\{at,ub}s", "cats", Flags::EXT_GLOB, false),
        ];
        for (pattern, path, bits, expected) in cases {
            assert_eq!(fnmatch(pattern, path, Flags::from_bits(bits)), expected, "{pattern} {path} {bits}");
        }
    }

    #[test]
    fn braces_are_expanded_in_order_and_up_to_a_limit() {
        assert_eq!(alternatives("a{b,c{d,e}}f", 100), ["abf", "acdf", "acef"]);
        assert_eq!(alternatives("\\{a,b}", 100), ["\\{a,b}"]);
        assert!(alternatives(&"{a,b}".repeat(20), 100).len() <= 200);
    }
}
