//! Names of classes with a leading `::`.

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A class is included by a name with a leading `::`, which Puppet 4 made superfluous.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// include ::ntp
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// include ntp
    /// ```
    RELATIVE_CLASSNAME_INCLUSION = "relative_classname_inclusion": Warning, "absolute_classname-check", on, Form, inclusion,
        "class included by absolute name (::$class)";

    /// A reference to a class has a leading `::`, which Puppet 4 made superfluous.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// Class['::ntp'] -> Class['apt']
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// Class['ntp'] -> Class['apt']
    /// ```
    RELATIVE_CLASSNAME_REFERENCE = "relative_classname_reference": Warning, "absolute_classname-check", on, Form, reference,
        "absolute class name reference";
}

fn is_absolute(manifest: &Manifest<'_>, at: At) -> bool {
    matches!(manifest.kind(at), Kind::Name | Kind::Sstring) && manifest.value(at).starts_with("::")
}

/// The edit that removes the colons.
fn relative(manifest: &Manifest<'_>, at: At) -> [Edit; 1] {
    let token = manifest.get(at);
    let start = token.start() + manifest.source(at).find("::").unwrap_or(0);
    [Edit::between(start, start + 2, "")]
}

fn inclusion(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let mut add = |at: At| {
        report.at(manifest, at, &RELATIVE_CLASSNAME_INCLUSION).fixed_by(relative(manifest, at));
    };
    for at in manifest.of_kinds(&[Kind::Name, Kind::FunctionName, Kind::Class, Kind::Inherits]) {
        let Some(next) = manifest.next_code(at) else { continue };
        match manifest.kind(at) {
            Kind::Name | Kind::FunctionName
                if matches!(manifest.value(at), "include" | "contain" | "require")
                    && manifest.kind(next) != Kind::Farrow =>
            {
                included(manifest, next).into_iter().for_each(&mut add);
            }
            Kind::Class if manifest.kind(next) == Kind::Lbrace => {
                let end = (next..manifest.tokens.len()).find(|at| manifest.kind(*at) == Kind::Colon);
                (next..end.unwrap_or(next)).filter(|at| is_absolute(manifest, *at)).for_each(&mut add);
            }
            Kind::Inherits if manifest.kind(next) == Kind::Name && is_absolute(manifest, next) => add(next),
            _ => {}
        }
    }
    Ok(())
}

/// The absolute names in the rest of a line, except those in calls.
fn included(manifest: &Manifest<'_>, from: At) -> Vec<At> {
    let (mut calls, mut names) = (0u32, Vec::new());
    for at in (from..manifest.tokens.len()).take_while(|at| manifest.kind(*at) != Kind::Newline) {
        if !matches!(manifest.kind(at), Kind::Name | Kind::FunctionName | Kind::Sstring) {
            continue;
        }
        match manifest.next_code_kind(at) {
            Some(Kind::Lparen) => calls += 1,
            Some(Kind::Rparen) if calls > 0 => calls -= 1,
            _ if calls == 0 && manifest.value(at).starts_with("::") => names.push(at),
            _ => {}
        }
    }
    names
}

fn reference(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kind(Kind::Type).filter(|at| manifest.value(*at) == "Class") {
        let Some(bracket) = manifest.next_code(at).filter(|at| manifest.kind(*at) == Kind::Lbrack) else {
            continue;
        };
        let inside = (bracket..manifest.tokens.len()).take_while(|at| manifest.kind(*at) != Kind::Rbrack);
        for at in inside.filter(|at| is_absolute(manifest, *at)) {
            report.at(manifest, at, &RELATIVE_CLASSNAME_REFERENCE).fixed_by(relative(manifest, at));
        }
    }
    Ok(())
}
