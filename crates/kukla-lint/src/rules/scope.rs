//! Variables that are set nowhere in their class.

use rustc_hash::FxHashSet;

use crate::manifest::Manifest;
use crate::report::Report;
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A class or a defined type uses a variable that it does not set, without saying where it comes from. Facts are in `$facts`; variables of
    /// other classes are written with the name of the class.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class ntp {
    ///   $path = $directory
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class ntp ($directory) {
    ///   $path = $directory
    /// }
    /// ```
    VARIABLE_SCOPE = "variable_scope": Warning, "puppet-lint", on, None, variable_scope,
        "top-scope variable being used without an explicit namespace";
}

/// Variables that every class has.
const BUILT_IN: [&str; 24] = [
    "name",
    "title",
    "module_name",
    "environment",
    "clientcert",
    "clientversion",
    "servername",
    "serverip",
    "serverversion",
    "caller_module_name",
    "alias",
    "audit",
    "before",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
    "facts",
    "trusted",
    "server_facts",
];

/// The parameters of a lambda, and the lines in which they are set.
struct Lambda<'t> {
    first: u32,
    last: u32,
    parameters: Vec<&'t str>,
}

fn variable_scope(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    let mut set: FxHashSet<&str> = BUILT_IN.into_iter().collect();
    for definition in manifest.definitions() {
        for at in definition.parameters.clone().into_iter().flatten() {
            let is_parameter = manifest.kind(at) == Kind::Variable
                && matches!(manifest.next_code_kind(at), Some(Kind::Comma | Kind::Equals | Kind::Rparen));
            if is_parameter {
                set.insert(manifest.value(at));
            }
        }
        let (mut used, mut lambdas): (Vec<At>, Vec<Lambda<'_>>) = (Vec::new(), Vec::new());
        let mut parameters: Option<Vec<&str>> = None;
        for at in definition.tokens() {
            match manifest.kind(at) {
                Kind::Equals => assigned(manifest, at, &mut set),
                Kind::Variable => match &mut parameters {
                    Some(parameters) => parameters.push(manifest.value(at)),
                    None => used.push(at),
                },
                Kind::Pipe => match parameters.take() {
                    None => parameters = Some(Vec::new()),
                    Some(parameters) => {
                        if let Some(end) = block_end(manifest, at) {
                            let (first, last) = (manifest.get(at).line, manifest.get(end).line);
                            lambdas.push(Lambda { first, last, parameters });
                        }
                    }
                },
                _ => {}
            }
        }
        for at in used {
            let (token, value) = (manifest.get(at), manifest.value(at));
            let name = base(value);
            let is_of_lambda = |lambda: &Lambda<'_>| {
                (lambda.first..=lambda.last).contains(&token.line) && lambda.parameters.contains(&name)
            };
            if value.contains("::")
                || set.contains(name)
                || value.bytes().all(|byte| byte.is_ascii_digit())
                || lambdas.iter().any(is_of_lambda)
            {
                continue;
            }
            report.at(manifest, at, &VARIABLE_SCOPE);
        }
    }
    Ok(())
}

/// The name of a variable without its indexes.
fn base(value: &str) -> &str {
    match value.find('[') {
        Some(bracket) if value.ends_with(']') && value.len() > bracket + 2 => &value[..bracket],
        _ => value,
    }
}

/// Adds the variables before an equals sign: one, or an array of them.
fn assigned<'t>(manifest: &Manifest<'t>, equals: At, set: &mut FxHashSet<&'t str>) {
    let Some(before) = manifest.previous_code(equals) else { return };
    match manifest.kind(before) {
        Kind::Variable => {
            set.insert(manifest.value(before));
        }
        Kind::Rbrack => {
            let (mut at, mut depth) = (Some(before), 0);
            while let Some(here) = at {
                match manifest.kind(here) {
                    Kind::Variable => {
                        set.insert(manifest.value(here));
                    }
                    Kind::Rbrack => depth += 1,
                    Kind::Lbrack => {
                        depth -= 1;
                        if depth == 0 {
                            break;
                        }
                    }
                    Kind::Comma => {}
                    _ => break,
                }
                at = manifest.previous_code(here);
            }
        }
        _ => {}
    }
}

/// The brace that closes the next block.
fn block_end(manifest: &Manifest<'_>, from: At) -> Option<At> {
    let mut depth = 0i32;
    (from..manifest.tokens.len()).find(|at| match manifest.kind(*at) {
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
}
