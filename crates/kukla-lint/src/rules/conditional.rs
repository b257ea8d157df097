//! Case statements and selectors.

use std::ops::Range;

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A case statement has no `default`, so a value that nobody thought of is silently ignored.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// case $facts['os']['family'] {
    ///   'Debian': { include apt }
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// case $facts['os']['family'] {
    ///   'Debian': { include apt }
    ///   default: { fail('unsupported') }
    /// }
    /// ```
    CASE_WITHOUT_DEFAULT = "case_without_default": Warning, "puppet-lint", on, None, without_default,
        "case statement without a default case";

    /// An attribute has a selector as its value. A variable before the resource keeps the declaration simple.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// file { '/etc/motd':
    ///   mode => $strict ? { true => '0400', default => '0644' },
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $mode = $strict ? { true => '0400', default => '0644' }
    /// file { '/etc/motd':
    ///   mode => $mode,
    /// }
    /// ```
    SELECTOR_INSIDE_RESOURCE = "selector_inside_resource": Warning, "puppet-lint", on, None, selector,
        "selector inside resource block";

    /// An option of a case statement is a bare word. It means the string, which quotes show.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// case $osfamily {
    ///   Debian: { }
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// case $osfamily {
    ///   'Debian': { }
    /// }
    /// ```
    UNQUOTED_STRING_IN_CASE = "unquoted_string_in_case": Warning, "unquoted_string-check", on, Value, unquoted_in_case,
        "unquoted string in case";

    /// An option of a selector is a bare word. It means the string, which quotes show.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $package = $osfamily ? {
    ///   Debian => 'apache2',
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $package = $osfamily ? {
    ///   'Debian' => 'apache2',
    /// }
    /// ```
    UNQUOTED_STRING_IN_SELECTOR = "unquoted_string_in_selector": Warning, "unquoted_string-check", on, Value, unquoted_in_selector,
        "unquoted string in selector";
}

/// The case statements, each from its keyword to its closing brace.
fn cases(manifest: &Manifest<'_>) -> Vec<Range<At>> {
    let end = |start: At| {
        let mut depth = 0i32;
        (start + 1..manifest.tokens.len()).find(|at| match manifest.kind(*at) {
            Kind::Lbrace => {
                depth += 1;
                false
            }
            Kind::Rbrace => {
                depth -= 1;
                depth == 0
            }
            _ => false,
        })
    };
    manifest.of_kind(Kind::Case).filter_map(|start| Some(start..end(start)? + 1)).collect()
}

fn without_default(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let cases = cases(manifest);
    for (index, case) in cases.iter().enumerate() {
        // Nested statements have defaults of their own.
        let mut nested = cases[index + 1..].iter().take_while(|inner| inner.start < case.end).peekable();
        let (mut at, mut depth, mut has_default) = (case.start, 0i32, false);
        while at < case.end && !has_default {
            if let Some(inner) = nested.peek()
                && inner.start <= at
            {
                at = at.max(inner.end);
                nested.next();
                continue;
            }
            match manifest.kind(at) {
                Kind::Lbrace => depth += 1,
                Kind::Rbrace => depth -= 1,
                Kind::Default => has_default = depth == 1,
                _ => {}
            }
            at += 1;
        }
        if !has_default {
            report.at(manifest, case.start, &CASE_WITHOUT_DEFAULT);
        }
    }
    Ok(())
}

fn selector(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()? {
        for at in resource.tokens().filter(|at| manifest.kind(*at) == Kind::Farrow) {
            let variable = manifest.next_code(at).filter(|next| manifest.kind(*next) == Kind::Variable);
            if variable.and_then(|variable| manifest.next_code_kind(variable)) == Some(Kind::Qmark) {
                report.at(manifest, at, &SELECTOR_INSIDE_RESOURCE);
            }
        }
    }
    Ok(())
}

/// The parts of case statements or selectors that have options: up to the brace of each option, and from there to the next.
fn option_ranges(manifest: &Manifest<'_>, keyword: Kind) -> Vec<Range<At>> {
    let mut ranges = Vec::new();
    for first in manifest.of_kind(keyword) {
        let (mut depth, mut start) = (0i32, first);
        for at in first + 1..manifest.tokens.len() {
            match manifest.kind(at) {
                Kind::Lbrace => {
                    depth += 1;
                    if depth == 2 {
                        ranges.push(start..at + 1);
                    }
                }
                Kind::Rbrace => {
                    if depth == 2 {
                        start = at;
                    }
                    depth -= 1;
                    if depth == 0 {
                        ranges.push(start..at + 1);
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    ranges
}

fn unquoted(
    manifest: &Manifest<'_>,
    keyword: Kind,
    separator: Kind,
    code: &'static kukla_syntax::Code,
    report: &mut Report,
) {
    for range in option_ranges(manifest, keyword) {
        for at in range.filter(|at| manifest.kind(*at) == separator) {
            for before in (0..at).rev() {
                let token = manifest.get(before);
                match token.kind {
                    Kind::Newline | Kind::Lbrace => break,
                    Kind::Name => {}
                    Kind::Classref if !token.value.contains("::") => {}
                    _ => continue,
                }
                report
                    .at(manifest, before, code)
                    .fixed_by([Edit::replace(token, format!("'{}'", token.value))]);
            }
        }
    }
}

fn unquoted_in_case(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    unquoted(manifest, Kind::Case, Kind::Colon, &UNQUOTED_STRING_IN_CASE, report);
    Ok(())
}

fn unquoted_in_selector(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    unquoted(manifest, Kind::Qmark, Kind::Farrow, &UNQUOTED_STRING_IN_SELECTOR, report);
    Ok(())
}
