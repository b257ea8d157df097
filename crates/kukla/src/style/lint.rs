//! The rules and settings of the linter, from the table `lint` of `kukla.toml`.

use std::path::{Path, PathBuf};

use kukla_lint::{Rule, Selection, Settings, rules};
use kukla_syntax::{Problem, Severity, suggest};
use kukla_world::World;

use super::{absolute, read};
use crate::config_file::{ConfigEntry, ConfigFile};

/// The table `lint` of a configuration file.
#[derive(Debug, Default)]
pub struct LintTable {
    /// The plugins whose rules are on.
    plugins: Option<Vec<String>>,
    /// The rules that are switched on, with a severity, or off.
    rules: Vec<(&'static Rule, Option<Severity>)>,
    /// Patterns of paths that are skipped.
    pub exclude: Vec<String>,
    /// The settings of single rules.
    settings: Settings,
    /// The file of findings that are not reported.
    pub baseline: Option<PathBuf>,
}

impl LintTable {
    /// The table of the next kukla.toml at or above a path; the defaults if there is none.
    pub fn find(world: &dyn World, path: &Path) -> Result<LintTable, Problem> {
        let path = absolute(world, path);
        for directory in path.ancestors() {
            let path = directory.join("kukla.toml");
            if let Some(text) = read(world, &path)? {
                let file = ConfigFile::parse(&path, &text)?;
                file.check_tables()?;
                return LintTable::read(&file, directory);
            }
        }
        Ok(LintTable::default())
    }

    /// The rules that are on by default, those of `plugins` instead of the configured ones, with the configured changes.
    pub fn selection(&self, plugins: Option<&[String]>) -> Result<Selection, Problem> {
        let plugins = plugins.or(self.plugins.as_deref());
        check_plugins(plugins)?;
        let configured = |rule: &Rule| self.rules.iter().rfind(|(other, _)| other.name() == rule.name());
        let is_on = |rule: &&&'static Rule| match configured(rule) {
            Some((_, severity)) => severity.is_some(),
            None => rule.by_default && is_of(rule, plugins),
        };
        Ok(Selection {
            is_named: false,
            rules: rules::all().iter().filter(is_on).copied().collect(),
            settings: self.settings.clone(),
            severities: self
                .rules
                .iter()
                .filter_map(|(rule, severity)| Some((rule.name(), (*severity)?)))
                .collect(),
        })
    }

    fn read(file: &ConfigFile, directory: &Path) -> Result<LintTable, Problem> {
        let mut table = LintTable::default();
        for entry in file.table("lint")? {
            match entry.key.as_str() {
                "plugins" => table.plugins = Some(strings(file, entry)?),
                "exclude" => table.exclude = strings(file, entry)?,
                "top-scope-variables" => table.settings.top_scope_variables = strings(file, entry)?,
                "documentation-styles" => table.settings.documentation_styles = strings(file, entry)?,
                "indent" => {
                    let indent = entry.as_integer().and_then(|value| usize::try_from(value).ok());
                    let indent = indent.filter(|indent| (1..=16).contains(indent));
                    table.settings.indent = indent
                        .ok_or_else(|| file.invalid(entry, "`indent` requires a number from 1 to 16"))?;
                }
                "relative" => {
                    table.settings.relative = entry
                        .as_bool()
                        .ok_or_else(|| file.invalid(entry, "`relative` requires true or false"))?;
                }
                "baseline" => {
                    let path =
                        entry.as_str().ok_or_else(|| file.invalid(entry, "`baseline` requires a string"))?;
                    table.baseline = Some(directory.join(path));
                }
                "rules" => {
                    for own in
                        entry.entries().ok_or_else(|| file.invalid(entry, "`rules` requires a table"))?
                    {
                        let found =
                            find_rule(&own.key).map_err(|problem| file.invalid(own, &problem.to_string()))?;
                        let severity = match own.as_str() {
                            Some("off") => None,
                            Some("warning") => Some(Severity::Warning),
                            Some("error") => Some(Severity::Error),
                            _ => return Err(file.invalid(own, "expected \"off\", \"warning\" or \"error\"")),
                        };
                        table.rules.push((found, severity));
                    }
                }
                key => return Err(file.invalid(entry, &format!("unknown key `{key}` in [lint]"))),
            }
        }
        Ok(table)
    }
}

/// The rule of a name, or the problem with a hint.
pub fn find_rule(name: &str) -> Result<&'static Rule, Problem> {
    rules::find(name).ok_or_else(|| {
        let problem = Problem::not_found("unknown check").on(format!("'{name}'"));
        match suggest::nearest(name, rules::all().iter().map(|rule| rule.name())) {
            Some(near) => problem.help(format!("did you mean {near}?")),
            None => problem.help("`kukla lint --list-checks` lists them all"),
        }
    })
}

/// The name of a plugin without what all of their names have.
fn short(plugin: &str) -> &str {
    let name = plugin.strip_prefix("puppet-lint-").unwrap_or(plugin);
    name.strip_suffix("-check").unwrap_or(name)
}

/// Whether a rule is puppet-lint's own or of one of these plugins.
fn is_of(rule: &Rule, plugins: Option<&[String]>) -> bool {
    rule.origin == "puppet-lint"
        || plugins.is_none_or(|plugins| {
            plugins.iter().any(|plugin| plugin == "all" || short(plugin) == short(rule.origin))
        })
}

fn check_plugins(plugins: Option<&[String]>) -> Result<(), Problem> {
    for plugin in plugins.unwrap_or_default() {
        let is_known = ["all", "none"].contains(&plugin.as_str())
            || rules::all().iter().any(|rule| short(rule.origin) == short(plugin));
        if !is_known {
            let problem = Problem::not_found("unknown plugin").on(format!("'{plugin}'"));
            return Err(problem.help("docs/rules.md lists the checks of all plugins that are built in"));
        }
    }
    Ok(())
}

fn strings(file: &ConfigFile, entry: &ConfigEntry) -> Result<Vec<String>, Problem> {
    let strings = entry.as_strings();
    strings.ok_or_else(|| file.invalid(entry, &format!("`{}` requires a list of strings", entry.key)))
}
