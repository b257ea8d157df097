//! The output of puppet-lint: lines, JSON, and the report for Code Climate.

use std::fmt::Write;
use std::path::Path;

use kukla::syntax::{Code, Severity};
use kukla_lint::{Kind, Reported, rules};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Args, Checked};
use crate::render::junit::Case;

/// Findings that the formatter settles.
static FORMAT: Code = Code {
    name: "format",
    issue: "format",
    severity: Severity::Warning,
    follows_strict: false,
    message: "run kukla fmt, which settles {count} of {names}",
    explanation: "With --with-fmt, findings that the formatter settles are one finding for each file.\n",
};

/// The line of puppet-lint for a finding.
const LINE: &str = "%{KIND}: %{message} on line %{line} (check: %{check})";

/// A value for a placeholder.
fn value(name: &str, file: &Checked, reported: &Reported) -> Option<String> {
    let Reported { kind, finding } = reported;
    Some(match name {
        "path" => file.path.clone(),
        "fullpath" => file.full_path.clone(),
        "filename" => filename(&file.path),
        "line" => finding.line.to_string(),
        "column" => finding.column.to_string(),
        "kind" => kind.name().to_owned(),
        "KIND" => kind.name().to_uppercase(),
        "check" => finding.code.name.to_owned(),
        "message" => finding.message(),
        "reason" => finding.ignored.clone().unwrap_or_default(),
        _ => return None,
    })
}

fn filename(path: &str) -> String {
    Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A line with its placeholders replaced, as Ruby does: `%{name}`, `%-20{name}` and `%<name>5d`. `%%` is a percent sign, and what is unknown stays.
fn line(format: &str, file: &Checked, reported: &Reported) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(percent) = rest.find('%') {
        out.push_str(&rest[..percent]);
        rest = &rest[percent..];
        let found = Placeholder::read(&rest[1..]);
        if let Some((placeholder, after)) = found
            && let Some(value) = value(placeholder.name, file, reported)
        {
            out.push_str(&placeholder.pad(&value));
            rest = after;
        } else {
            out.push('%');
            rest = rest.strip_prefix("%%").unwrap_or(&rest[1..]);
        }
    }
    out + rest
}

/// A placeholder after its percent sign.
struct Placeholder<'f> {
    name: &'f str,
    width: usize,
    is_left: bool,
    is_zero: bool,
    /// The number of characters that it is cut to.
    most: usize,
}

impl<'f> Placeholder<'f> {
    /// Reads a placeholder; the text after it.
    fn read(text: &'f str) -> Option<(Placeholder<'f>, &'f str)> {
        let (mut flags, mut rest) = split(text, |char| "-+0 #.123456789".contains(char));
        let is_conversion = rest.starts_with('<');
        let close = if is_conversion { '>' } else { '}' };
        let (name, after) = rest.strip_prefix(['{', '<'])?.split_once(close)?;
        rest = after;
        if is_conversion {
            if flags.is_empty() {
                (flags, rest) = split(rest, |char| "-+0 #.123456789".contains(char));
            }
            rest = rest.strip_prefix(['s', 'd', 'i', 'p'])?;
        }
        let (signs, numbers) = split(flags, |char| "-+0 #".contains(char));
        let (width, most) =
            numbers.split_once('.').map_or((numbers, None), |(width, most)| (width, Some(most)));
        // No terminal is wider.
        let number = |text: &str| text.parse::<usize>().unwrap_or_default().min(10_000);
        let placeholder = Placeholder {
            name,
            width: number(width),
            is_left: signs.contains('-'),
            is_zero: signs.contains('0') && is_conversion,
            most: most.map_or(usize::MAX, number),
        };
        Some((placeholder, rest))
    }

    fn pad(&self, value: &str) -> String {
        let value: String = value.chars().take(self.most).collect();
        let width = self.width;
        match (self.is_left, self.is_zero && value.bytes().all(|byte| byte.is_ascii_digit())) {
            (true, _) => format!("{value:<width$}"),
            (false, true) => format!("{value:0>width$}"),
            (false, false) => format!("{value:>width$}"),
        }
    }
}

/// The characters at the beginning that fulfil a condition, and the rest.
fn split(text: &str, is_inside: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|char| !is_inside(char)).unwrap_or(text.len()))
}

/// The lines for all findings.
pub(super) fn lines(args: &Args, checked: &[Checked], with_filename: bool) -> String {
    let default = if with_filename { format!("%{{path}} - {LINE}") } else { LINE.to_owned() };
    let format = args.log_format.as_deref().filter(|format| !format.is_empty()).unwrap_or(&default);
    let annotates = std::env::var_os("GITHUB_ACTION").is_some();
    let mut out = String::new();
    for file in checked {
        for reported in &file.findings {
            let finding = &reported.finding;
            let _ = writeln!(out, "{}", line(format, file, reported));
            if let Some(reason) = finding.ignored.as_ref().filter(|_| reported.kind == Kind::Ignored) {
                let _ = writeln!(out, "  {reason}");
            }
            if args.with_context && reported.kind != Kind::Fixed {
                let width = finding.column as usize + 2;
                let _ = write!(out, "\n  {}\n{:>width$}\n\n", context(file, reported), '^');
            }
            if annotates {
                let kind = reported.kind.name();
                let message = finding.message().replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
                let (line, column, check) = (finding.line, finding.column, finding.code.name);
                let _ = write!(
                    out,
                    "\n::{kind} file={},line={line},col={column}::{message} (check: {check})\n",
                    file.path
                );
            }
        }
    }
    out
}

/// The line of a finding, without the blanks around it.
fn context<'f>(file: &'f Checked, reported: &Reported) -> &'f str {
    let text = file.fixed.as_ref().unwrap_or(&file.text);
    text.split('\n').nth(reported.finding.line as usize - 1).unwrap_or_default().trim()
}

/// The findings as puppet-lint's JSON: a list of findings for each file.
pub(super) fn json(args: &Args, checked: &[Checked]) -> String {
    let finding = |file: &Checked, reported: &Reported| {
        let mut object = json!({
            "message": reported.finding.message(),
            "line": reported.finding.line,
            "column": reported.finding.column,
            "kind": reported.kind.name(),
            "check": reported.finding.code.name,
            "fullpath": file.full_path,
            "path": file.path,
            "filename": filename(&file.path),
            "KIND": reported.kind.name().to_uppercase(),
        });
        if let Some(reason) = &reported.finding.ignored {
            object["reason"] = json!(reason);
        }
        if args.with_context {
            object["context"] = json!(context(file, reported));
        }
        object
    };
    let files = checked
        .iter()
        .map(|file| file.findings.iter().map(|reported| finding(file, reported)).collect::<Vec<Value>>());
    format!("{:#}", Value::from(files.map(Value::from).collect::<Vec<Value>>()))
}

/// The findings in SARIF. Paths are relative to the directory of the first path, which is the root.
pub(super) fn sarif(first: &Path, checked: &[Checked]) -> String {
    let first = std::path::absolute(first).unwrap_or_else(|_| first.to_owned());
    let root = if first.is_dir() { first.as_path() } else { first.parent().unwrap_or(&first) };
    let (mut rules, mut results): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    for file in checked {
        let path = Path::new(&file.full_path);
        let uri = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
        for Reported { kind, finding } in &file.findings {
            let index = rules.iter().position(|rule| rule["id"] == finding.code.name).unwrap_or_else(|| {
                let mut rule =
                    json!({"id": finding.code.name, "fullDescription": {"text": finding.code.text()}});
                if matches!(kind, Kind::Error | Kind::Warning) {
                    rule["defaultConfiguration"] = json!({"level": kind.name()});
                }
                rules.push(rule);
                rules.len() - 1
            });
            let mut result = json!({
                "ruleId": finding.code.name,
                "ruleIndex": index,
                "message": {"text": finding.message()},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": uri, "uriBaseId": "ROOTPATH"},
                    "region": {"startLine": finding.line, "startColumn": finding.column},
                }}],
            });
            if *kind == Kind::Ignored {
                result["suppressions"] = json!([{"kind": "inSource", "justification": finding.ignored}]);
            }
            results.push(result);
        }
    }
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "kukla lint", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {"ROOTPATH": {"uri": format!("file://{}/", root.display())}},
        }],
    });
    format!("{document:#}")
}

/// The report for Code Climate.
pub(super) fn code_climate(checked: &[Checked]) -> String {
    let mut issues = Vec::new();
    for file in checked {
        for Reported { kind, finding } in &file.findings {
            let severity = match kind {
                Kind::Warning => "minor",
                Kind::Error => "major",
                Kind::Fixed | Kind::Ignored => continue,
            };
            let message = finding.message();
            let identity = format!("{}\n{}\n{}\n{message}", file.path, finding.line, finding.code.name);
            let fingerprint: String =
                Sha256::digest(identity).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            issues.push(json!({
                "type": "issue",
                "check_name": finding.code.name,
                "description": message,
                "categories": ["Style"],
                "severity": severity,
                "location": {"path": file.path, "lines": {"begin": finding.line, "end": finding.line}},
                "fingerprint": fingerprint,
                "content": finding.code.text(),
            }));
        }
    }
    format!("{:#}\n", Value::from(issues))
}

/// One test for each file.
pub(super) fn cases(checked: &[Checked]) -> Vec<Case> {
    let case = |file: &Checked| {
        let open =
            file.findings.iter().filter(|reported| matches!(reported.kind, Kind::Error | Kind::Warning));
        let lines: Vec<String> = open
            .map(|reported| line("%{line}:%{column}: %{KIND}: %{message} (%{check})", file, reported))
            .collect();
        let failure = (!lines.is_empty()).then(|| (format!("{} findings", lines.len()), lines.join("\n")));
        Case { class: "kukla lint".to_owned(), name: file.path.clone(), failure, ..Case::default() }
    };
    checked.iter().map(case).collect()
}

/// Makes one finding of all that the formatter settles.
pub(super) fn fold_formatted(findings: &mut Vec<Reported>) {
    let is_settled = |reported: &Reported| {
        matches!(reported.kind, Kind::Error | Kind::Warning)
            && rules::find(reported.finding.code.name).is_some_and(|rule| rule.formatted)
    };
    let mut names: Vec<&str> = findings
        .iter()
        .filter(|reported| is_settled(reported))
        .map(|reported| reported.finding.code.name)
        .collect();
    let Some(first) = findings.iter().position(is_settled) else { return };
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let mut finding = findings[first].finding.clone();
    finding.code = &FORMAT;
    finding.severity = Severity::Warning;
    finding.facts.clear();
    finding
        .fact("count", format!("{count} finding{}", if count == 1 { "" } else { "s" }))
        .fact("names", names.join(", "));
    findings.retain(|reported| !is_settled(reported));
    findings.push(Reported { kind: Kind::Warning, finding });
}

/// Whether a path matches a pattern of the shell: `*` and `?` also match slashes, but not a dot at the beginning.
pub(super) fn fnmatch(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<char>, Vec<char>) = (pattern.chars().collect(), path.chars().collect());
    if path.first() == Some(&'.') && pattern.first() != Some(&'.') {
        return false;
    }
    matches(&pattern, &path)
}

fn matches(pattern: &[char], path: &[char]) -> bool {
    // The positions after the last star, to go back to.
    let (mut at, mut read, mut star) = (0, 0, None);
    while read < path.len() {
        let step = match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, read));
                at += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => set(&pattern[at..], path[read]),
            Some('\\') if pattern.get(at + 1) == Some(&path[read]) => Some(2),
            Some(char) if *char == path[read] => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(length), _) => {
                at += length;
                read += 1;
            }
            (None, Some((after, from))) => {
                at = after;
                read = from + 1;
                star = Some((after, from + 1));
            }
            (None, None) => return false,
        }
    }
    pattern[at..].iter().all(|char| *char == '*')
}

/// The length of a set in brackets, if it has a character.
fn set(pattern: &[char], char: char) -> Option<usize> {
    let close = pattern.iter().skip(2).position(|char| *char == ']')? + 2;
    let inside = &pattern[1..close];
    let (is_negative, inside) = match inside.first() {
        Some('!' | '^') => (true, &inside[1..]),
        _ => (false, inside),
    };
    let mut has = false;
    let mut at = 0;
    while at < inside.len() {
        match (inside[at], inside.get(at + 1), inside.get(at + 2)) {
            (first, Some('-'), Some(last)) => {
                has |= (first..=*last).contains(&char);
                at += 3;
            }
            (single, _, _) => {
                has |= single == char;
                at += 1;
            }
        }
    }
    (has != is_negative).then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_padded() {
        let padded = |text: &str, value: &str| {
            let (placeholder, rest) = Placeholder::read(text)?;
            Some(format!("{}={}{rest}", placeholder.name, placeholder.pad(value)))
        };
        assert_eq!(padded("{kind}:", "error").unwrap(), "kind=error:");
        assert_eq!(padded("-7{kind}|", "error").unwrap(), "kind=error  |");
        assert_eq!(padded("7.3{kind}|", "error").unwrap(), "kind=    err|");
        assert_eq!(padded("<line>04d|", "12").unwrap(), "line=0012|");
        assert_eq!(padded("<line>4d|", "12").unwrap(), "line=  12|");
        assert_eq!(padded("-4<line>d|", "12").unwrap(), "line=12  |");
        assert!(padded("<line>", "12").is_none() && padded("%", "").is_none() && padded("{x", "").is_none());
    }

    #[test]
    fn patterns_of_paths() {
        assert!(fnmatch("vendor/**/*.pp", "vendor/a/b/c.pp") && fnmatch("vendor/**/*.pp", "vendor/a/c.pp"));
        assert!(!fnmatch("vendor/**/*.pp", "vendor/c.pp") && !fnmatch("vendor/**/*.pp", "./vendor/a/b.pp"));
        assert!(
            fnmatch("*.pp", "a/b.pp") && fnmatch("a/[b-d].pp", "a/c.pp") && !fnmatch("a/[!b-d].pp", "a/c.pp")
        );
        assert!(fnmatch("a?b", "a/b") && !fnmatch("a", "ab") && fnmatch("a\\*", "a*"));
    }
}
