//! Commands, anchors, appending, and `undef` as an argument.

use super::attribute::is_of_type;
use crate::manifest::Manifest;
use crate::report::Report;
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A module uses the type `anchor`. `contain` has done what it was for since Puppet 3.4.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// anchor { 'begin': }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// contain ntp
    /// ```
    ANCHOR_RESOURCE = "anchor_resource": Warning, "anchor-check", on, None, anchor, "manifest includes anchor resource";

    /// A variable is appended to with `+=`, which Puppet 4 removed.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $servers += ['pool.ntp.org']
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $all_servers = $servers + ['pool.ntp.org']
    /// ```
    APPENDS = "appends": Warning, "appends-check", on, None, appends, "The appends (+=) operator was used.";

    /// A command contains a variable, which may contain anything for the shell. A list of the command and its arguments is safe, and so is
    /// `stdlib::shell_escape`.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// exec { 'greet':
    ///   command => "/bin/echo ${name}",
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// exec { 'greet':
    ///   command => ['/bin/echo', $name],
    /// }
    /// ```
    CHECK_UNSAFE_INTERPOLATIONS = "check_unsafe_interpolations": Warning, "check_unsafe_interpolations", on, None, unsafe_interpolation,
        "unsafe interpolation of variable '{value}' in exec command";

    /// A command has no condition, so every run of the agent runs it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// exec { '/usr/bin/make-key': }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// exec { '/usr/bin/make-key':
    ///   creates => '/etc/key',
    /// }
    /// ```
    EXEC_IDEMPOTENCY = "exec_idempotency": Warning, "exec_idempotency-check", on, None, idempotency,
        "exec without idempotency. set at least one of the attributes: onlyif, unless, creates, refreshonly";

    /// `undef` is an argument of a function.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// include ntp (undef)
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// include ntp
    /// ```
    UNDEF_IN_FUNCTION = "undef_in_function": Warning, "undef_in_function-check", on, None, undef, "undef passed to a function";
}

fn anchor(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in
        manifest.resources()?.iter().filter(|resource| is_of_type(manifest, resource, &["anchor"]))
    {
        if let Some(at) = resource.resource_type {
            report.at(manifest, at, &ANCHOR_RESOURCE);
        }
    }
    Ok(())
}

fn appends(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Appends) {
        report.at(manifest, at, &APPENDS);
    }
    Ok(())
}

/// The attributes whose values are commands.
const COMMANDS: [&str; 3] = ["command", "onlyif", "unless"];

/// Whether an interpolation follows a token that is not all in `shell_escape`; `None` if it does not end.
fn is_unsafe(manifest: &Manifest<'_>, at: At) -> Option<bool> {
    if !matches!(manifest.kind(at), Kind::Dqpre | Kind::Dqmid) {
        return Some(false);
    }
    let after = |at, brackets: [Kind; 2]| {
        if manifest.kind(at) == brackets[0] {
            manifest.next_code(closing(manifest, at, brackets)?)
        } else {
            Some(at)
        }
    };
    let first = manifest.next_code(at)?;
    let function = match manifest.kind(first) {
        Kind::FunctionName => first,
        Kind::Variable => {
            let dot = after(manifest.next_code(first)?, [Kind::Lbrack, Kind::Rbrack])?;
            match manifest.kind(dot) {
                Kind::Dot => manifest.next_code(dot)?,
                _ => return Some(true),
            }
        }
        _ => return Some(true),
    };
    let is_escape = matches!(manifest.kind(function), Kind::Name | Kind::FunctionName)
        && matches!(manifest.value(function), "shell_escape" | "stdlib::shell_escape");
    let end = after(manifest.next_code(function)?, [Kind::Lparen, Kind::Rparen])?;
    Some(!is_escape || !matches!(manifest.kind(end), Kind::Dqpost | Kind::Dqmid))
}

/// The bracket that closes the one at a position.
fn closing(manifest: &Manifest<'_>, open: At, [opening, end]: [Kind; 2]) -> Option<At> {
    let mut depth = 0;
    (open..manifest.tokens.len()).find(|at| {
        let kind = manifest.kind(*at);
        depth += i32::from(kind == opening) - i32::from(kind == end);
        depth == 0
    })
}

fn unsafe_interpolation(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let resources = manifest.resources()?;
    let mut add = |at: At| {
        if let Some(variable) = manifest.next_code(at).filter(|_| is_unsafe(manifest, at) == Some(true)) {
            let finding = report.at(manifest, variable, &CHECK_UNSAFE_INTERPOLATIONS);
            finding.fact("value", manifest.value(variable));
        }
    };
    for at in manifest.positions().filter(|at| manifest.value(*at) == "exec") {
        titles(manifest, at).into_iter().for_each(&mut add);
    }
    for resource in resources {
        if !is_of_type(manifest, resource, &["exec"]) {
            continue;
        }
        for at in resource.tokens() {
            let is_name = matches!(manifest.kind(at), Kind::Name | Kind::Unless);
            if is_name && COMMANDS.contains(&manifest.value(at)) {
                let line = line(manifest, at);
                if !line.iter().any(|at| is_list(manifest, *at)) {
                    line.into_iter().for_each(&mut add);
                }
            }
        }
    }
    Ok(())
}

/// The tokens from a position to the end of its line.
fn line(manifest: &Manifest<'_>, from: At) -> Vec<At> {
    (from..manifest.tokens.len()).take_while(|at| manifest.kind(*at) != Kind::Newline).collect()
}

/// Whether a token is an arrow before a list.
fn is_list(manifest: &Manifest<'_>, at: At) -> bool {
    manifest.kind(at) == Kind::Farrow
        && manifest.tokens.get(at + 2).is_some_and(|token| token.kind == Kind::Lbrack)
}

/// The tokens of the title of an `exec`. Of titles in a list only those of the last list in the text are known.
fn titles(manifest: &Manifest<'_>, exec: At) -> Vec<At> {
    let title = manifest.next_code(exec).and_then(|brace| manifest.next_code(brace));
    let Some(title) = title else { return Vec::new() };
    match manifest.kind(title) {
        Kind::Lbrack => {
            let last = |kind| manifest.of_kind(kind).next_back();
            let range =
                last(Kind::Lbrack).zip(last(Kind::Rbrack)).map_or(0..0, |(open, close)| open + 1..close);
            range.collect()
        }
        Kind::Dqpre => {
            let end = (title..manifest.tokens.len()).find(|at| matches!(manifest.value(*at), "" | ":"));
            (title..end.map_or(title, |end| end + 1)).collect()
        }
        _ => vec![title],
    }
}

fn idempotency(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for resource in manifest.resources()?.iter().filter(|resource| is_of_type(manifest, resource, &["exec"]))
    {
        let (mut at, mut is_idempotent) = (resource.colon, false);
        while let Some(name) =
            manifest.next_of(at, &[Kind::Name, Kind::Unless]).filter(|name| *name <= resource.end)
        {
            let is_attribute = manifest.next_code_kind(name) == Some(Kind::Farrow);
            is_idempotent |= is_attribute
                && matches!(manifest.value(name), "onlyif" | "unless" | "creates" | "refreshonly");
            at = name;
        }
        if !is_idempotent {
            report.at(manifest, resource.colon, &EXEC_IDEMPOTENCY);
        }
    }
    Ok(())
}

fn undef(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for name in manifest.of_kind(Kind::Name) {
        let begins_line = match name {
            0 => true,
            1 if manifest.kind(0) == Kind::Whitespace => true,
            _ => matches!(manifest.previous_kind(name), Some(Kind::Newline | Kind::Indent)),
        };
        if !begins_line && manifest.previous_code_kind(name) != Some(Kind::Lparen) {
            continue;
        }
        if manifest.next_code_kind(name) == Some(Kind::Farrow) {
            continue;
        }
        let (mut level, mut has_parenthesis) = (0i32, false);
        for at in name + 1..manifest.tokens.len() {
            if level == 0 && (has_parenthesis || manifest.kind(at) == Kind::Newline) {
                break;
            }
            match manifest.kind(at) {
                Kind::Lparen => {
                    level += 1;
                    has_parenthesis = true;
                }
                Kind::Rparen => level -= 1,
                Kind::Undef => {
                    report.at(manifest, at, &UNDEF_IN_FUNCTION);
                }
                _ => {}
            }
        }
    }
    Ok(())
}
