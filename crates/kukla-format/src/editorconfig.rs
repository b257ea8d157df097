//! `.editorconfig`: the indentation and the width that editors use, as far as the formatter has a choice.

use crate::Options;

/// The sections of a file.
#[derive(Clone, Debug, Default)]
pub struct EditorConfig {
    is_root: bool,
    sections: Vec<Section>,
}

#[derive(Clone, Debug)]
struct Section {
    pattern: String,
    indent: Option<u32>,
    width: Option<u32>,
}

/// The widest indentation that is believed.
const MAX_INDENT: u32 = 16;

impl EditorConfig {
    /// Reads a file. Lines that mean nothing are passed over, as editors do.
    pub fn parse(text: &str) -> EditorConfig {
        let mut config = EditorConfig::default();
        for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
            if line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(pattern) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                config.sections.push(Section { pattern: pattern.to_owned(), indent: None, width: None });
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
            match (config.sections.last_mut(), key.as_str()) {
                (None, "root") => config.is_root = value == "true",
                (Some(section), "indent_size") => {
                    section.indent = value.parse().ok().filter(|size| (1..=MAX_INDENT).contains(size));
                }
                (Some(section), "max_line_length") => {
                    section.width = value.parse().ok().filter(|width| *width > 0)
                }
                _ => {}
            }
        }
        config
    }

    /// Whether files in directories above do not count.
    pub fn is_root(&self) -> bool {
        self.is_root
    }

    /// Sets what the sections for a file say; `path` is relative to the directory of the `.editorconfig`, with slashes.
    pub fn apply(&self, path: &str, options: &mut Options) {
        for section in self.sections.iter().filter(|section| section_matches(&section.pattern, path)) {
            options.indent = section.indent.unwrap_or(options.indent);
            options.width = section.width.unwrap_or(options.width);
        }
    }
}

/// Whether the pattern of a section is that of a path. Without a slash it is about the name of the file alone.
fn section_matches(pattern: &str, path: &str) -> bool {
    let alternatives = expand(pattern);
    alternatives.iter().any(|pattern| match pattern.strip_prefix('/') {
        Some(anchored) => matches(anchored.as_bytes(), path.as_bytes()),
        None if pattern.contains('/') => matches(pattern.as_bytes(), path.as_bytes()),
        None => matches(pattern.as_bytes(), path.rsplit('/').next().unwrap_or(path).as_bytes()),
    })
}

/// The most patterns that braces expand to.
const MAX_ALTERNATIVES: usize = 256;

/// The patterns that `{a,b}` in a pattern expands to. Ranges of numbers are not file names of Puppet code.
fn expand(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        let close = next.find('}');
        let brace = close.and_then(|close| Some((next[..close].rfind('{')?, close)));
        match brace {
            Some((start, close)) if next[start..close].contains(',') && open.len() < MAX_ALTERNATIVES => {
                let (before, after) = (&next[..start], &next[close + 1..]);
                open.extend(next[start + 1..close].split(',').map(|one| format!("{before}{one}{after}")));
            }
            _ => done.push(next),
        }
    }
    done
}

/// Whether a pattern of `*`, `**`, `?` and `[abc]` is that of a text. The last star is the only one that is ever tried again.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    // Where to go on after a star, the text it has taken so far, and whether it takes slashes.
    let mut star: Option<(usize, usize, bool)> = None;
    loop {
        let step = match (pattern.get(at), text.get(read)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                let deep = pattern.get(at + 1) == Some(&b'*');
                at += if deep { 2 } else { 1 };
                star = Some((at, read, deep));
                continue;
            }
            (Some(b'?'), Some(byte)) => (*byte != b'/').then_some(1),
            (Some(b'['), Some(byte)) => class(&pattern[at..], *byte),
            (Some(one), Some(byte)) => (one == byte).then_some(1),
            _ => None,
        };
        if let Some(len) = step {
            (at, read) = (at + len, read + 1);
            continue;
        }
        match &mut star {
            Some((after, taken, deep)) if text.get(*taken).is_some_and(|byte| *deep || *byte != b'/') => {
                *taken += 1;
                (at, read) = (*after, *taken);
            }
            _ => return false,
        }
    }
}

/// The length of the class at the beginning of a pattern if it contains a byte.
fn class(pattern: &[u8], byte: u8) -> Option<usize> {
    let close = pattern.iter().position(|one| *one == b']')?;
    let (negated, inside) = match &pattern[1..close] {
        [b'!', inside @ ..] => (true, inside),
        inside => (false, inside),
    };
    let is_range = |range: &[u8]| matches!(range, [first, b'-', last] if (first..=last).contains(&&byte));
    let contains = inside.contains(&byte) || inside.windows(3).any(is_range);
    (contains != negated && byte != b'/').then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_match_paths() {
        for (pattern, path, expected) in [
            ("*", "a/b.pp", true),
            ("*.pp", "a/b.pp", true),
            ("*.{pp,epp}", "b.epp", true),
            ("*.{pp,epp}", "b.rb", false),
            ("{a,b/**}.pp", "b/c/d.pp", true),
            ("/*.pp", "a/b.pp", false),
            ("a/*.pp", "a/b/c.pp", false),
            ("a/**.pp", "a/b/c.pp", true),
            ("[a-c]?.pp", "bx.pp", true),
            ("[!a-c]?.pp", "bx.pp", false),
            ("[", "[", false),
        ] {
            assert_eq!(section_matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn later_sections_count_more() {
        let text = "root = true\n[*]\nindent_size = 4\nmax_line_length = off\n; no\n[*.pp]\nindent_size=tab\nmax_line_length=100\n";
        let config = EditorConfig::parse(text);
        let mut options = Options::default();
        config.apply("manifests/init.pp", &mut options);
        assert_eq!((config.is_root(), options.indent, options.width), (true, 4, 100));
        config.apply("x.epp", &mut options);
        assert_eq!(options.width, 100);
    }
}
