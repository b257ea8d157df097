//! The indentation of every line.

use kukla_syntax::{Code, Severity};

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, another, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A line is not indented by two blanks for each block, list and parenthesis that is open. `chars_per_indent` in the table `lint` of
    /// `kukla.toml` sets another number. The fix moves the text of a heredoc only if a bar before its tag takes the margin away.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp {
    ///     include apt
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp {
    ///   include apt
    /// }
    /// ```
    STRICT_INDENT = "strict_indent": Warning, "strict_indent-check", on, Layout formatted, strict_indent,
        "indent should be {expected} chars and is {actual}";
}

static UNBALANCED: Code = another(
    &STRICT_INDENT,
    "Error calculating indent. Please file an issue at https://github.com/relud/puppet-lint-indent-check/issues",
);

/// For each bracket the other one; brackets of other kinds in between do not count.
fn pairs(manifest: &Manifest<'_>) -> Vec<Option<At>> {
    let mut pairs = vec![None; manifest.tokens.len()];
    let mut open: [Vec<At>; 3] = Default::default();
    for at in manifest.positions() {
        let kind = manifest.kind(at);
        let index = match kind {
            Kind::Lbrace | Kind::Rbrace => 0,
            Kind::Lbrack | Kind::Rbrack => 1,
            Kind::Lparen | Kind::Rparen => 2,
            _ => continue,
        };
        if is_opening(kind) {
            open[index].push(at);
        } else if let Some(other) = open[index].pop() {
            pairs[at] = Some(other);
            pairs[other] = Some(at);
        }
    }
    pairs
}

fn is_opening(kind: Kind) -> bool {
    matches!(kind, Kind::Lbrace | Kind::Lbrack | Kind::Lparen)
}

fn is_closing(kind: Kind) -> bool {
    matches!(kind, Kind::Rbrace | Kind::Rbrack | Kind::Rparen)
}

/// The state between lines.
struct Indent<'m, 't> {
    manifest: &'m Manifest<'t>,
    pairs: Vec<Option<At>>,
    level: i64,
    /// The line of the title whose body is indented.
    colon: Option<u32>,
}

impl Indent<'_, '_> {
    fn line(&self, at: At) -> u32 {
        self.manifest.get(at).line
    }

    /// Counts what a line opens; the levels for the next line alone.
    fn leave(&mut self, newline: At) -> i64 {
        let manifest = self.manifest;
        let (mut opened, mut extra, mut lines) = (0, 0, Vec::new());
        for at in (0..newline).rev().take_while(|at| manifest.kind(*at) != Kind::Newline) {
            let kind = manifest.kind(at);
            extra += i64::from(kind == Kind::HeredocOpen);
            if !is_opening(kind) {
                continue;
            }
            match self.pairs[at].map(|close| self.line(close)) {
                None => opened += 1,
                Some(line) if line > self.line(at) && !lines.contains(&line) => {
                    opened += 1;
                    lines.push(line);
                }
                Some(_) => {}
            }
        }
        self.level += opened;
        let is_code = |at: &At| !matches!(manifest.kind(*at), Kind::Whitespace | Kind::Comment);
        if let Some(last) = (0..newline).rev().find(is_code) {
            match manifest.kind(last) {
                Kind::Colon if opened == 0 && self.colon.is_none() => {
                    self.colon = Some(self.line(last));
                    self.level += 1;
                }
                Kind::Semic if self.colon.take().is_some() => self.level -= 1,
                Kind::Equals | Kind::Farrow => extra += 1,
                _ => {}
            }
        }
        extra
    }

    /// Counts what the next line closes; the levels for this line alone.
    fn enter(&mut self, newline: At) -> i64 {
        let manifest = self.manifest;
        let (mut extra, mut lines) = (0, Vec::new());
        for at in (newline + 1..manifest.tokens.len()).take_while(|at| manifest.kind(*at) != Kind::Newline) {
            let kind = manifest.kind(at);
            if is_closing(kind) {
                let Some(open) = self.pairs[at].map(|open| self.line(open)) else { continue };
                if open < self.line(at) && !lines.contains(&open) {
                    self.level -= 1;
                    lines.push(open);
                }
                if kind == Kind::Rbrace && self.colon.is_some_and(|colon| open < colon) {
                    self.level -= 1;
                    self.colon = None;
                }
            } else if kind == Kind::Semic
                && self.colon.is_some()
                && matches!(manifest.previous_kind(at), Some(Kind::Indent | Kind::Newline))
                && matches!(manifest.next_kind(at), None | Some(Kind::Newline))
            {
                extra -= 1;
            }
        }
        extra
    }
}

/// The length of the last line of a heredoc's text, which is before its tag.
fn last_line(value: &str) -> i64 {
    let last = value.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    i64::try_from(last.chars().count()).unwrap_or(0)
}

/// The indentation of the line that begins with a token.
fn actual(manifest: &Manifest<'_>, first: At) -> i64 {
    match manifest.kind(first) {
        Kind::Indent => i64::from(manifest.length(first)),
        Kind::Heredoc if manifest.value(first).ends_with('\n') => 0,
        Kind::Heredoc => last_line(manifest.value(first)),
        Kind::HeredocPre => {
            let ends = |at: &At| matches!(manifest.kind(*at), Kind::Newline | Kind::HeredocPost);
            let end = (first..manifest.tokens.len()).find(ends);
            end.filter(|at| manifest.kind(*at) == Kind::HeredocPost)
                .map_or(0, |at| last_line(manifest.value(at)))
        }
        _ => 0,
    }
}

fn strict_indent(manifest: &Manifest<'_>, settings: &Settings, report: &mut Report) -> Done {
    let unit = i64::try_from(settings.indent).unwrap_or(2);
    let mut indent = Indent { manifest, pairs: pairs(manifest), level: 0, colon: None };
    for newline in manifest.of_kind(Kind::Newline) {
        let Some(first) = manifest.next(newline) else { break };
        let extra = indent.leave(newline) + indent.enter(newline);
        if indent.level < 0 {
            report.at(manifest, first, &UNBALANCED).severity(Severity::Error);
            break;
        }
        let (actual, expected) = (actual(manifest, first), (indent.level + extra) * unit);
        if actual == expected || matches!(manifest.kind(first), Kind::Comment | Kind::Newline) {
            continue;
        }
        let edit = fix(manifest, first, actual, expected);
        let finding = report.at(manifest, first, &STRICT_INDENT);
        finding.fact("expected", expected).fact("actual", actual).fixed_by(edit);
    }
    Ok(())
}

fn fix(manifest: &Manifest<'_>, first: At, actual: i64, expected: i64) -> Option<Edit> {
    let token = manifest.get(first);
    let width = usize::try_from(expected).ok()?;
    match token.kind {
        Kind::Indent | Kind::Whitespace => Some(Edit::replace(token, " ".repeat(width))),
        Kind::Heredoc => moved(manifest, token.start(), token.end(), expected - actual),
        Kind::HeredocPre => {
            let last = (first..manifest.tokens.len()).find(|at| manifest.kind(*at) == Kind::HeredocPost)?;
            moved(manifest, token.start(), manifest.get(last).end(), expected - actual)
        }
        _ => Some(Edit::before(token, " ".repeat(width))),
    }
}

/// The lines of a heredoc, moved by a number of columns.
fn moved(manifest: &Manifest<'_>, start: usize, end: usize, by: i64) -> Option<Edit> {
    let text = manifest.text.get(start..end)?;
    // Without a bar the margin belongs to the text.
    if !text.rsplit('\n').next()?.trim_start().starts_with('|') {
        return None;
    }
    let width = usize::try_from(by.unsigned_abs()).ok()?;
    let blanks = " ".repeat(width);
    let lines = text.split('\n').map(|line| match by {
        _ if line.trim().is_empty() => Some(line.to_owned()),
        ..0 => line.strip_prefix(blanks.as_str()).map(str::to_owned),
        _ => Some(format!("{blanks}{line}")),
    });
    Some(Edit::between(start, end, lines.collect::<Option<Vec<String>>>()?.join("\n")))
}
