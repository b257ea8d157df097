//! Comments before definitions.

use rustc_hash::FxHashMap;

use kukla_syntax::Code;

use super::class::word;
use super::parameter::parameters;
use crate::manifest::{Definition, Manifest};
use crate::report::Report;
use crate::rule::{Done, another, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A class or a defined type has no comment directly above it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # Keeps the clock right.
    /// class ntp { }
    /// ```
    DOCUMENTATION = "documentation": Warning, "puppet-lint", on, None, documentation, "{type} not documented";

    /// The comment above a class or a defined type does not describe a parameter, describes one twice, or one that does not exist. A class
    /// with `@api private` need not describe its parameters.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # Keeps the clock right.
    /// class ntp ($server) { }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # Keeps the clock right.
    /// # @param server The time server.
    /// class ntp ($server) { }
    /// ```
    PARAMETER_DOCUMENTATION = "parameter_documentation": Warning, "param-docs", on, None, parameter_documentation,
        "missing documentation for {type} parameter {name}::{parameter}";
}

static DUPLICATE: Code =
    another(&PARAMETER_DOCUMENTATION, "Duplicate {type} parameter documentation for {name}::{parameter}");
static UNMATCHED: Code = another(
    &PARAMETER_DOCUMENTATION,
    "No matching {type} parameter for documentation of {name}::{parameter}",
);
static STYLE: Code = another(
    &PARAMETER_DOCUMENTATION,
    "invalid documentation style for {type} parameter {name}::{parameter} ({style})",
);

fn documentation(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    for definition in manifest.definitions() {
        let mut lines = 0;
        let before = (0..definition.start).rev().find(|at| {
            lines += u32::from(manifest.kind(*at) == Kind::Newline);
            lines > 1 || !manifest.kind(*at).is_blank()
        });
        if before.is_none_or(|at| !manifest.kind(at).is_comment()) {
            report.at(manifest, definition.start, &DOCUMENTATION).fact("type", word(definition));
        }
    }
    Ok(())
}

/// The description of a parameter in a comment.
struct Entry<'t> {
    style: &'static str,
    parameter: &'t str,
}

/// A name at the beginning of a text, and the rest.
fn name(text: &str) -> Option<(&str, &str)> {
    let end =
        text.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_').unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn entry(comment: &str) -> Option<Entry<'_>> {
    let text = comment.trim_start();
    if let Some(rest) = text.strip_prefix("[*") {
        let (parameter, rest) = name(rest)?;
        return rest.starts_with("*]").then_some(Entry { style: "doc", parameter });
    }
    if let Some(rest) = text.strip_prefix('$') {
        let (parameter, rest) = name(rest)?;
        return rest.starts_with(":: ").then_some(Entry { style: "kafo", parameter });
    }
    let rest = text.strip_prefix("@param ")?;
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    // A type in brackets may have brackets and blanks itself: the longest that leaves a name.
    let typed = rest.starts_with('[').then(|| {
        let mut ends_of_types = rest.rmatch_indices("] ").map(|(at, _)| at).filter(|at| *at > 1);
        ends_of_types.find_map(|at| name(&rest[at + 2..]).filter(|(_, rest)| ends(rest)))
    });
    let (parameter, _) = typed.flatten().or_else(|| name(rest).filter(|(_, rest)| ends(rest)))?;
    Some(Entry { style: "strings", parameter })
}

fn is_private(comment: &str) -> bool {
    let rest = comment.trim_start().strip_prefix("@api ");
    rest.is_some_and(|rest| {
        rest.trim_start_matches(' ').strip_prefix("private").is_some_and(|rest| rest.trim().is_empty())
    })
}

/// The descriptions in the comments before a definition, and those that describe a parameter again; the last comment comes first.
struct Entries<'t> {
    first: Vec<(&'t str, At, &'static str)>,
    positions: FxHashMap<&'t str, usize>,
    duplicates: Vec<(&'t str, Vec<At>)>,
    is_private: bool,
}

fn entries<'t>(manifest: &Manifest<'t>, definition: &Definition) -> Entries<'t> {
    let mut entries = Entries {
        first: Vec::new(),
        positions: FxHashMap::default(),
        duplicates: Vec::new(),
        is_private: false,
    };
    // Code between the comments ends nothing: all comments before the definition count.
    for at in (0..definition.start).rev().filter(|at| manifest.kind(*at) == Kind::Comment) {
        let comment = manifest.value(at);
        if is_private(comment) {
            entries.is_private = true;
            continue;
        }
        let Some(Entry { style, mut parameter }) = entry(comment) else { continue };
        if definition.kind == Kind::Define && matches!(parameter, "name" | "title") {
            parameter = "name/title";
        }
        match entries.positions.get(parameter) {
            None => {
                entries.positions.insert(parameter, entries.first.len());
                entries.first.push((parameter, at, style));
            }
            Some(known) => {
                let original = entries.first[*known].1;
                match entries.duplicates.iter_mut().find(|(name, _)| *name == parameter) {
                    Some((_, all)) => all.push(at),
                    None => entries.duplicates.push((parameter, vec![original, at])),
                }
            }
        }
    }
    entries
}

fn parameter_documentation(manifest: &Manifest<'_>, settings: &Settings, report: &mut Report) -> Done {
    for definition in manifest.definitions() {
        let entries = entries(manifest, definition);
        let parameters = parameters(manifest, definition, true);
        let owner = definition.name.map_or("", |name| manifest.value(name));
        let mut add = |at: At, column: u32, code: &'static Code, parameter: &str, style: &str| {
            let token = manifest.get(at);
            let finding =
                report.push(code, token.line, token.column + column, token.start + column, token.end);
            finding.fact("type", word(definition)).fact("name", owner).fact("parameter", parameter);
            finding.fact("style", style);
        };
        for (parameter, all) in &entries.duplicates {
            all.iter().for_each(|at| add(*at, marker(manifest.value(*at)), &DUPLICATE, parameter, ""));
        }
        for (parameter, at, _) in &entries.first {
            let is_title = *parameter == "name/title" && definition.kind == Kind::Define;
            if !is_title && !parameters.iter().any(|at| manifest.value(*at) == *parameter) {
                add(*at, marker(manifest.value(*at)), &UNMATCHED, parameter, "");
            }
        }
        if entries.is_private {
            continue;
        }
        for at in parameters {
            let parameter = manifest.value(at);
            match entries.positions.get(parameter).map(|known| entries.first[*known].2) {
                None => add(at, 0, &PARAMETER_DOCUMENTATION, parameter, ""),
                Some(style) if !settings.documentation_styles.iter().any(|allowed| allowed == style) => {
                    add(at, 0, &STYLE, parameter, style);
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

/// The columns from the `#` of a comment to the description.
fn marker(comment: &str) -> u32 {
    let rest = comment.trim_start();
    let rest = rest.strip_prefix("@param").map_or(rest, str::trim_start);
    u32::try_from(comment.len() - rest.len()).unwrap_or(0) + 1
}
