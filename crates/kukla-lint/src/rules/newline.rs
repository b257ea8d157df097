//! Empty lines.

use rustc_hash::FxHashMap;

use kukla_syntax::Code;

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, another, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// There is an empty line at the beginning or the end of a block.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp {
    ///
    ///   include apt
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
    EMPTY_LINES_AROUND_BODY = "empty_lines_around_body": Warning, "empty_lines_around_body-check", on, None formatted, around_body,
        "empty line at start of {block} block";

    /// There are two empty lines, one after the other.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// include apt
    ///
    ///
    /// include ntp
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// include apt
    ///
    /// include ntp
    /// ```
    TWO_EMPTY_LINES = "manifest_whitespace_two_empty_lines": Error, "manifest_whitespace-check", on, Layout formatted, two_empty,
        "there should be no two consecutive empty lines";

    /// A text begins with an empty line.
    ///
    /// Wrong:
    ///
    /// ```puppet
    ///
    /// include ntp
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// include ntp
    /// ```
    NEWLINE_BEGINNING_OF_FILE = "manifest_whitespace_newline_beginning_of_file": Error, "manifest_whitespace-check", on, Layout formatted, beginning,
        "there should not be a newline at the beginning of a manifest";

    /// The last line of a text does not end with a line end.
    ///
    /// Wrong:
    ///
    /// ```puppet unfinished
    /// include ntp
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// include ntp
    /// ```
    MISSING_NEWLINE_END_OF_FILE = "manifest_whitespace_missing_newline_end_of_file": Error, "manifest_whitespace-check", on, Layout formatted, missing_end,
        "there should be a single newline at the end of a manifest";

    /// A text ends with empty lines.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// include ntp
    ///
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// include ntp
    /// ```
    DOUBLE_NEWLINE_END_OF_FILE = "manifest_whitespace_double_newline_end_of_file": Error, "manifest_whitespace-check", on, Layout formatted, double_end,
        "there should be a single newline at the end of a manifest";
}

static AT_END: Code = another(&EMPTY_LINES_AROUND_BODY, "empty line at end of {block} block");

/// The keyword of a block, if its body is checked.
fn keyword(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::If => "if",
        Kind::Elsif => "elsif",
        Kind::Else => "else",
        Kind::Unless => "unless",
        Kind::Case => "case",
        Kind::Class => "class",
        Kind::Define => "define",
        Kind::Node => "node",
        _ => return None,
    })
}

fn around_body(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    // The last keyword at each depth.
    let (mut blocks, mut depth): (FxHashMap<i32, &'static str>, i32) = (FxHashMap::default(), 0);
    for at in manifest.positions() {
        if let Some(word) = keyword(manifest.kind(at)) {
            blocks.insert(depth, word);
        }
        match manifest.kind(at) {
            Kind::Lbrace => {
                depth += 1;
                let second =
                    || second_line_end(manifest, at + 1..manifest.tokens.len()).map(|(_, second)| second);
                if let Some((word, place)) = blocks.get(&(depth - 1)).copied().zip(second()) {
                    report.at(manifest, place, &EMPTY_LINES_AROUND_BODY).fact("block", word);
                }
            }
            Kind::Rbrace => {
                if let Some(word) = blocks.get(&(depth - 1)) {
                    if let Some((place, _)) = second_line_end(manifest, (0..at).rev()) {
                        report.at(manifest, place, &AT_END).fact("block", word);
                    }
                    blocks.remove(&depth);
                }
                depth -= 1;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The first two line ends, if only blanks come before the second.
fn second_line_end(manifest: &Manifest<'_>, range: impl Iterator<Item = At>) -> Option<(At, At)> {
    let mut first = None;
    for at in range.take_while(|at| manifest.kind(*at).is_blank()) {
        if manifest.kind(at) == Kind::Newline {
            match first {
                Some(first) => return Some((first, at)),
                None => first = Some(at),
            }
        }
    }
    None
}

fn two_empty(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Newline) {
        if let Some((last, _)) = second_line_end(manifest, (0..at).rev()) {
            let edit = Edit::between(manifest.get(last).end(), manifest.get(at).end(), "");
            report.at(manifest, at, &TWO_EMPTY_LINES).fixed_by([edit]);
        }
    }
    Ok(())
}

fn beginning(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.positions().take_while(|at| manifest.kind(*at) == Kind::Newline) {
        report.at(manifest, at, &NEWLINE_BEGINNING_OF_FILE).fixed_by([Edit::remove(manifest.get(at))]);
    }
    Ok(())
}

fn missing_end(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    if let Some(last) = manifest.positions().next_back().filter(|at| manifest.kind(*at) != Kind::Newline) {
        let edit = Edit::after(manifest.get(last), "\n");
        report.at(manifest, last, &MISSING_NEWLINE_END_OF_FILE).fixed_by([edit]);
    }
    Ok(())
}

fn double_end(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let mut ends = manifest.positions().rev().take_while(|at| manifest.kind(*at) == Kind::Newline).peekable();
    while let Some(at) = ends.next() {
        if ends.peek().is_some() {
            report.at(manifest, at, &DOUBLE_NEWLINE_END_OF_FILE).fixed_by([Edit::remove(manifest.get(at))]);
        }
    }
    Ok(())
}
