//! Commas after last elements.

use std::ops::Range;

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// The last element of a resource, a list, a hash or of defaults is on a line of its own and has no comma, so adding another one changes
    /// two lines.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => file
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   ensure => file,
    /// }
    /// ```
    TRAILING_COMMA = "trailing_comma": Warning, "trailing_comma-check", on, Layout formatted, trailing_comma,
        "missing trailing comma after last element";
}

/// The first token of a kind after a position, or the last token of all.
fn first_after(manifest: &Manifest<'_>, at: At, kind: Kind) -> At {
    let last = manifest.tokens.len() - 1;
    (at + 1..last).find(|at| manifest.kind(*at) == kind).unwrap_or(last)
}

/// Lists and the indexes of anything but types, each up to the first closing bracket.
fn lists(manifest: &Manifest<'_>) -> Vec<Range<At>> {
    let is_list = |at: &At| !matches!(manifest.previous_code_kind(*at), Some(Kind::Classref | Kind::Type));
    let all = manifest.of_kind(Kind::Lbrack).filter(is_list);
    all.map(|at| at..first_after(manifest, at, Kind::Rbrack) + 1).collect()
}

fn hashes(manifest: &Manifest<'_>) -> Vec<Range<At>> {
    let is_hash = |at: &At| {
        matches!(
            manifest.previous_code_kind(*at),
            Some(Kind::Equals | Kind::Isequal | Kind::Farrow | Kind::Lparen)
        )
    };
    let end = |start: At| {
        let mut level = 0i32;
        let close = (start + 1..manifest.tokens.len()).find(|at| {
            match manifest.kind(*at) {
                Kind::Lbrace => level += 1,
                Kind::Rbrace => level -= 1,
                _ => {}
            }
            level < 0
        });
        close.unwrap_or(manifest.tokens.len() - 1)
    };
    manifest.of_kind(Kind::Lbrace).filter(is_hash).map(|at| at..end(at) + 1).collect()
}

fn defaults(manifest: &Manifest<'_>) -> Vec<Range<At>> {
    let is_defaults = |at: &At| {
        manifest.next_code_kind(*at) == Some(Kind::Lbrace)
            && manifest
                .previous_code_kind(*at)
                .is_some_and(|kind| !matches!(kind, Kind::Rshift | Kind::Match | Kind::Nomatch))
    };
    let all = manifest.of_kind(Kind::Classref).filter(is_defaults);
    all.map(|at| at..first_after(manifest, at, Kind::Rbrace) + 1).collect()
}

fn trailing_comma(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let resources: Vec<Range<At>> = manifest.resources()?.iter().map(|resource| resource.tokens()).collect();
    let groups = [
        (resources, Kind::Colon),
        (lists(manifest), Kind::Lbrack),
        (hashes(manifest), Kind::Lbrace),
        (defaults(manifest), Kind::Lbrace),
    ];
    for (ranges, opener) in groups {
        for range in ranges {
            check(manifest, range, opener, report);
        }
    }
    Ok(())
}

fn check(manifest: &Manifest<'_>, range: Range<At>, opener: Kind, report: &mut Report) {
    let end = range.end - 1;
    let Some(mut last) = manifest.previous_code(end) else { return };
    // The comma follows the tag of a heredoc, not its text.
    if matches!(manifest.kind(last), Kind::Heredoc | Kind::HeredocPost) {
        while manifest.kind(last) != Kind::HeredocOpen {
            let Some(before) = manifest.previous_code(last) else { return };
            last = before;
        }
    }
    let kind = manifest.kind(last);
    if kind == opener || kind == Kind::Comma || manifest.kind(end) == Kind::Semic {
        return;
    }
    if manifest.next_kind(last) == Some(Kind::Newline) {
        let comma = Edit::after(manifest.get(last), ",");
        report.at(manifest, last + 1, &TRAILING_COMMA).fixed_by([comma]);
    }
}
