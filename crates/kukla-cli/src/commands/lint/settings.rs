//! The rules and settings of a run: the table `lint` of `kukla.toml`, and the options.

use std::path::{Path, PathBuf};

use kukla::config_file::{ConfigEntry, ConfigFile};
use kukla::syntax::{Problem, ProblemKind, Severity};
use kukla_lint::{Finding, Rule, Settings, rules};
use rustc_hash::FxHashMap;

use super::{Args, rule};
use crate::files;

/// The rules to apply, and how.
pub struct Selection {
    /// The rules, in their order.
    pub rules: Vec<&'static Rule>,
    /// The settings of single rules.
    pub settings: Settings,
    /// Patterns of paths that are skipped.
    pub ignore_paths: Vec<String>,
    /// The file of findings that are not reported.
    pub baseline: Option<PathBuf>,
    severities: FxHashMap<&'static str, Severity>,
    positions: FxHashMap<&'static str, usize>,
}

/// The table `lint` of a configuration file.
#[derive(Default)]
struct Table {
    plugins: Option<Vec<String>>,
    rules: Vec<(&'static Rule, Option<Severity>)>,
    exclude: Vec<String>,
    top_scope_variables: Vec<String>,
    documentation_styles: Option<Vec<String>>,
    indent: Option<usize>,
    is_relative: bool,
    baseline: Option<PathBuf>,
}

impl Selection {
    /// The rules and settings of a run.
    pub fn new(args: &Args) -> Result<Selection, Problem> {
        let table = Table::find(args)?;
        let plugins = args.plugins.clone().or(table.plugins);
        let mut is_on: Vec<bool> =
            rules::all().iter().map(|rule| rule.by_default && is_of(rule, plugins.as_deref())).collect();
        check_plugins(plugins.as_deref())?;
        let mut severities = FxHashMap::default();
        let position =
            |rule: &Rule| rules::all().iter().position(|other| other.name() == rule.name()).unwrap_or(0);
        for (rule, severity) in table.rules {
            is_on[position(rule)] = severity.is_some();
            severities.extend(severity.map(|severity| (rule.name(), severity)));
        }
        for choice in &args.choose {
            if let Some(names) = choice.strip_prefix("only:") {
                // As in puppet-lint, names that no check has are ignored; but if none is known, that is a mistake.
                let names: Vec<&str> = names.split(',').map(str::trim).collect();
                if !names.iter().any(|name| rules::find(name).is_some()) {
                    rule(names.first().copied().unwrap_or_default())?;
                }
                for (rule, is_on) in rules::all().iter().zip(&mut is_on) {
                    *is_on = names.contains(&rule.name());
                }
            } else {
                let (name, state) = match choice.strip_prefix('-') {
                    Some(name) => (name, false),
                    None => (choice.strip_prefix('+').unwrap_or(choice), true),
                };
                is_on[position(rule(name)?)] = state;
            }
        }
        let chosen = rules::all().iter().zip(is_on).filter(|(_, is_on)| *is_on).map(|(rule, _)| *rule);
        let defaults = Settings::default();
        let mut ignore_paths = args.ignore_paths.clone();
        ignore_paths.extend(table.exclude);
        let mut top_scope_variables = args.top_scope_variables.clone();
        top_scope_variables.extend(table.top_scope_variables);
        Ok(Selection {
            rules: chosen.collect(),
            settings: Settings {
                relative: args.relative || table.is_relative,
                top_scope_variables,
                indent: table.indent.unwrap_or(defaults.indent),
                documentation_styles: table.documentation_styles.unwrap_or(defaults.documentation_styles),
            },
            ignore_paths,
            baseline: table.baseline,
            severities,
            positions: rules::all().iter().enumerate().map(|(at, rule)| (rule.name(), at)).collect(),
        })
    }

    /// The severity of a finding.
    pub fn severity(&self, finding: &Finding) -> Severity {
        self.severities.get(finding.code.name).copied().unwrap_or(finding.severity)
    }

    /// The position of a rule in the order of all.
    pub fn position(&self, name: &str) -> usize {
        self.positions.get(name).copied().unwrap_or(0)
    }
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

impl Table {
    /// The table of the next kukla.toml at or above the first path.
    fn find(args: &Args) -> Result<Table, Problem> {
        let first = args.paths.first().map_or(Path::new("."), PathBuf::as_path);
        let first = std::path::absolute(first).map_err(|error| Problem::io("resolve", first, &error))?;
        for directory in first.ancestors() {
            let path = directory.join("kukla.toml");
            match files::read_repository_text(&path) {
                Ok(text) => {
                    let file = ConfigFile::parse(&path, &text)?;
                    file.check_tables()?;
                    return Table::read(&file, directory);
                }
                Err(problem) if matches!(problem.kind(), ProblemKind::NotFound | ProblemKind::Denied) => {}
                // A path that is not a directory has no files below it.
                Err(_) if !directory.is_dir() => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(Table::default())
    }

    fn read(file: &ConfigFile, directory: &Path) -> Result<Table, Problem> {
        let mut table = Table::default();
        for entry in file.table("lint")? {
            match entry.key.as_str() {
                "plugins" => table.plugins = Some(strings(file, entry)?),
                "exclude" => table.exclude = strings(file, entry)?,
                "top-scope-variables" => table.top_scope_variables = strings(file, entry)?,
                "documentation-styles" => table.documentation_styles = Some(strings(file, entry)?),
                "indent" => {
                    let indent = entry.as_integer().and_then(|value| usize::try_from(value).ok());
                    let indent = indent.filter(|indent| (1..=16).contains(indent));
                    table.indent = Some(
                        indent
                            .ok_or_else(|| file.invalid(entry, "`indent` requires a number from 1 to 16"))?,
                    );
                }
                "relative" => {
                    table.is_relative = entry
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
                            rule(&own.key).map_err(|problem| file.invalid(own, &problem.to_string()))?;
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

fn strings(file: &ConfigFile, entry: &ConfigEntry) -> Result<Vec<String>, Problem> {
    let strings = entry.as_strings();
    strings.ok_or_else(|| file.invalid(entry, &format!("`{}` requires a list of strings", entry.key)))
}
