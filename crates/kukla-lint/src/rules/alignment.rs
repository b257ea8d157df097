//! The columns of parameters.

use std::ops::Range;

use kukla_syntax::Code;

use crate::manifest::{Definition, Manifest};
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// The names of parameters are not in one column.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp (
    ///   Stdlib::Host $server,
    ///   My::Port $port,
    /// ) { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp (
    ///   Stdlib::Host $server,
    ///   My::Port     $port,
    /// ) { }
    /// ```
    CLASS_PARAMS_ALIGNMENT = "class_params_alignment": Warning, "class_alignment-check", on, Layout formatted, names,
        "indentation of $ is not properly aligned (expected in column {expected}, but found it in column {found})";

    /// The equals signs of parameters are not in one column.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp (
    ///   $server = 'pool.ntp.org',
    ///   $port = 123,
    /// ) { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp (
    ///   $server = 'pool.ntp.org',
    ///   $port   = 123,
    /// ) { }
    /// ```
    CLASS_EQUALS_ALIGNMENT = "class_equals_alignment": Warning, "class_alignment-check", on, Layout formatted, equals,
        "indentation of = is not properly aligned (expected in column {expected}, but found it in column {found})";

    /// Several parameters are in one line, or the parenthesis is not in a line of its own.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp ($server,
    ///   $port) { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp (
    ///   $server,
    ///   $port
    /// ) { }
    /// ```
    CLASS_PARAMS_NEWLINE = "class_params_newline": Warning, "class_alignment-check", on, Layout formatted, newline,
        "`{name}` should be in a new line (expected in line {expected}, but found it in line {found})";
}

/// The variables that are parameters of classes and defined types, in order: those in one pair of parentheses after the keyword, and not in
/// a default.
fn all_parameters(manifest: &Manifest<'_>) -> Vec<At> {
    let mut parameters = Vec::new();
    let mut definitions: Vec<&Definition> = manifest.definitions().collect();
    definitions.sort_by_key(|definition| definition.start);
    for definition in definitions {
        let Some(range) = definition.parameters.clone() else { continue };
        // The depths of the equals signs since the last comma.
        let (mut depth, mut equals) = (0i32, Vec::new());
        for at in definition.start..range.end {
            match manifest.kind(at) {
                Kind::Class | Kind::Define => {
                    depth = 0;
                    equals.clear();
                }
                Kind::Comma => equals.clear(),
                Kind::Equals => equals.push(depth),
                Kind::Rparen | Kind::Rbrack | Kind::Rbrace => depth -= 1,
                Kind::Lparen | Kind::Lbrack | Kind::Lbrace => depth += 1,
                Kind::Variable if depth == 1 && at >= range.start && !equals.contains(&depth) => {
                    let before = manifest.previous_code_kind(at);
                    if !matches!(before, Some(Kind::Equals | Kind::Farrow | Kind::Dqpre | Kind::Dqmid)) {
                        parameters.push(at);
                    }
                }
                _ => {}
            }
        }
    }
    parameters.sort_unstable();
    parameters.dedup();
    parameters
}

/// Whether a token is the first of its kind in its line.
fn is_first_of_line(manifest: &Manifest<'_>, at: At) -> bool {
    let kind = manifest.kind(at);
    let start = (0..at).rev().find(|at| manifest.kind(*at) == Kind::Newline).unwrap_or(0);
    (start + 1..=at).find(|at| manifest.kind(*at) == kind) == Some(at)
}

/// The token that a column is measured from.
fn anchor(manifest: &Manifest<'_>, at: At) -> At {
    let Some(before) = manifest.previous_code(at) else { return at };
    if manifest.kind(at) == Kind::Equals {
        return before;
    }
    match manifest.kind(before) {
        Kind::Classref | Kind::Rbrack => before,
        Kind::Comma => first_parameter(manifest, at).unwrap_or(at),
        _ => at,
    }
}

/// The first variable after the keyword `class` before a parameter.
fn first_parameter(manifest: &Manifest<'_>, at: At) -> Option<At> {
    let mut keyword = at;
    while let Some(before) = manifest.previous_code(keyword) {
        keyword = before;
        if manifest.kind(keyword) == Kind::Class {
            break;
        }
    }
    let mut next = manifest.next_code(keyword);
    while let Some(at) = next {
        if manifest.kind(at) == Kind::Variable {
            return Some(at);
        }
        next = manifest.next_code(at);
    }
    None
}

fn names(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let all = all_parameters(manifest);
    for range in manifest.definitions().filter_map(|definition| definition.parameters.clone()) {
        let own = |at: At| all.binary_search(&at).is_ok() && is_first_of_line(manifest, at);
        align(manifest, range, own, &CLASS_PARAMS_ALIGNMENT, report);
    }
    Ok(())
}

fn equals(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for range in manifest.definitions().filter_map(|definition| definition.parameters.clone()) {
        let own = |at: At| manifest.kind(at) == Kind::Equals && is_first_of_line(manifest, at);
        align(manifest, range, own, &CLASS_EQUALS_ALIGNMENT, report);
    }
    Ok(())
}

fn align(
    manifest: &Manifest<'_>,
    range: Range<At>,
    own: impl Fn(At) -> bool,
    code: &'static Code,
    report: &mut Report,
) {
    let line = |at: At| manifest.get(at).line;
    let tokens: Vec<At> = range.filter(|at| !manifest.kind(*at).is_comment()).collect();
    let columns: Vec<At> = tokens.iter().copied().filter(|at| own(*at)).collect();
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return };
    // A list that ends with such a token is never compared, as in the plugin.
    if line(*first) == line(*last) || columns.last() == tokens.last() {
        return;
    }
    let (mut expected, mut seen) = (0u32, Vec::new());
    let start = manifest.get(anchor(manifest, columns[0])).column;
    for at in &columns {
        let from = anchor(manifest, *at);
        let (column, length) = (manifest.get(from).column, manifest.length(from));
        let own_column = if seen.contains(&line(*at)) {
            start + length + 1
        } else if manifest.kind(*at) == Kind::Variable && manifest.kind(from) == Kind::Variable {
            column
        } else {
            column + length + 1
        };
        expected = expected.max(own_column);
        seen.push(line(*at));
    }
    for at in &columns {
        let found = manifest.get(*at).column;
        if found == expected {
            continue;
        }
        let edit = moved(manifest, *at, i64::from(expected) - i64::from(found));
        let finding = report.at(manifest, *at, code);
        finding.fact("expected", expected).fact("found", found).fixed_by(edit);
    }
}

/// Moves a token by changing the blanks before it.
fn moved(manifest: &Manifest<'_>, at: At, by: i64) -> Option<Edit> {
    let before = manifest.get(at.checked_sub(1)?);
    let old =
        if matches!(before.kind, Kind::Whitespace | Kind::Indent) { before.value.chars().count() } else { 0 };
    let width = usize::try_from(i64::try_from(old).ok()? + by).ok()?;
    match before.kind {
        Kind::Whitespace | Kind::Indent => Some(Edit::replace(before, " ".repeat(width))),
        _ => Some(Edit::before(manifest.get(at), " ".repeat(width))),
    }
}

/// The first token of a parameter: that of its type, if it has one.
fn start_of(manifest: &Manifest<'_>, at: At) -> Option<At> {
    let before = manifest.previous_code(at)?;
    match manifest.kind(before) {
        Kind::Type | Kind::Classref => Some(before),
        Kind::Rbrack => {
            let (mut depth, mut here) = (0i32, Some(before));
            while let Some(at) = here {
                match manifest.kind(at) {
                    Kind::Rbrack => depth += 1,
                    Kind::Lbrack => depth -= 1,
                    _ => {}
                }
                here = manifest.previous_code(at);
                if depth == 0 {
                    break;
                }
            }
            here
        }
        _ => Some(at),
    }
}

fn newline(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let all = all_parameters(manifest);
    for definition in manifest.definitions() {
        check_newlines(manifest, definition, &all, report);
    }
    Ok(())
}

fn check_newlines(manifest: &Manifest<'_>, definition: &Definition, all: &[At], report: &mut Report) {
    let Some(range) = definition.parameters.clone().filter(|range| !range.is_empty()) else { return };
    let (open, close) = (manifest.get(range.start - 1), manifest.get(range.end));
    if open.line == close.line && close.column < 80 {
        return;
    }
    let indent = manifest.get(definition.start).column as usize;
    for at in range.clone() {
        let line = manifest.get(at).line;
        if at + 1 == range.end {
            let last = (0..=at).rev().find(|at| !manifest.kind(*at).is_blank()).unwrap_or(at);
            if close.line != manifest.get(last).line {
                continue;
            }
            let edit = on_new_line(manifest, range.end, indent - 1);
            add(manifest, range.end, ")", line, edit, report);
        }
        let (Ok(index), Some(start)) = (all.binary_search(&at), start_of(manifest, at)) else { continue };
        let before = match manifest.previous_code(start) {
            Some(before) if manifest.kind(before) == Kind::Lparen => Some(before),
            _ => index.checked_sub(1).map(|index| all[index]),
        };
        if before.is_some_and(|before| manifest.get(before).line == line) {
            let edit = on_new_line(manifest, start, indent + 1);
            add(manifest, at, manifest.source(at), line, edit, report);
        }
    }
}

fn add(manifest: &Manifest<'_>, at: At, name: &str, line: u32, edit: Option<Edit>, report: &mut Report) {
    let finding = report.at(manifest, at, &CLASS_PARAMS_NEWLINE);
    finding.fact("name", name).fact("expected", line + 1).fact("found", line).fixed_by(edit);
}

/// Moves a token to a line of its own.
fn on_new_line(manifest: &Manifest<'_>, at: At, indent: usize) -> Option<Edit> {
    let before = manifest.previous_solid(at)?;
    let text = format!("\n{}", " ".repeat(indent));
    Some(Edit::between(manifest.get(before).end(), manifest.get(at).start(), text))
}
