//! The rules and settings of a run: the table `lint` of `kukla.toml`, and the options.

use std::path::{Path, PathBuf};

use kukla::DiskWorld;
use kukla::style::{LintTable, find_rule};
use kukla::syntax::Problem;
use kukla_lint::{Rule, rules};

use super::Args;

/// The rules to apply to files, and the files to leave out.
pub struct Selection {
    /// The rules with their settings.
    pub rules: kukla_lint::Selection,
    /// Patterns of paths that are skipped.
    pub ignore_paths: Vec<String>,
    /// The file of findings that are not reported.
    pub baseline: Option<PathBuf>,
}

impl Selection {
    /// The rules and settings of a run.
    pub fn new(args: &Args) -> Result<Selection, Problem> {
        let first = args.paths.first().map_or(Path::new("."), PathBuf::as_path);
        let table = LintTable::find(&DiskWorld::default(), first)?;
        let mut selection = table.selection(args.plugins.as_deref())?;
        selection.rules = chosen(&selection.rules, &args.choose)?;
        selection.is_named = args.choose.iter().any(|choice| choice.starts_with("only:"));
        selection.settings.relative |= args.relative;
        selection.settings.top_scope_variables.extend(args.top_scope_variables.iter().cloned());
        let mut ignore_paths = args.ignore_paths.clone();
        ignore_paths.extend(table.exclude);
        Ok(Selection { rules: selection, ignore_paths, baseline: table.baseline })
    }
}

/// The rules after the choices of the command line.
fn chosen(rules: &[&'static Rule], choices: &[String]) -> Result<Vec<&'static Rule>, Problem> {
    let mut is_on: Vec<bool> =
        rules::all().iter().map(|rule| rules.iter().any(|other| other.name() == rule.name())).collect();
    for choice in choices {
        if let Some(names) = choice.strip_prefix("only:") {
            // As in puppet-lint, names that no check has are ignored; but if none is known, that is a mistake.
            let names: Vec<&str> = names.split(',').map(str::trim).collect();
            if !names.iter().any(|name| rules::find(name).is_some()) {
                find_rule(names.first().copied().unwrap_or_default())?;
            }
            for (rule, is_on) in rules::all().iter().zip(&mut is_on) {
                *is_on = names.contains(&rule.name());
            }
        } else {
            let (name, state) = match choice.strip_prefix('-') {
                Some(name) => (name, false),
                None => (choice.strip_prefix('+').unwrap_or(choice), true),
            };
            is_on[rules::position(find_rule(name)?.name())] = state;
        }
    }
    Ok(rules::all().iter().zip(is_on).filter(|(_, is_on)| *is_on).map(|(rule, _)| *rule).collect())
}
