//! The table `check` of `kukla.toml`: the files to check, and the severity of each rule.

use kukla::config_file::{ConfigEntry, ConfigFile};
use kukla::config_schema;
use kukla::syntax::{Code, Problem, Severity};
use rustc_hash::FxHashMap;

use crate::finding::Finding;
use crate::{rules, suggest};

/// The configuration of a repository.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Paths to check, relative to the root; empty for all.
    pub paths: Vec<String>,
    /// Patterns of paths whose findings are not reported.
    pub exclude: Vec<String>,
    /// The path of the baseline, relative to the root.
    pub baseline: Option<String>,
    /// Whether to report likely problems too.
    pub strict: bool,
    /// Top-scope variables that a classifier sets.
    pub variables: Vec<String>,
    /// Facts that are not in the repository.
    pub facts: Vec<String>,
    /// The severity of rules; `None` switches a rule off.
    severities: FxHashMap<String, Option<Severity>>,
    /// Patterns of paths, and the rules that are off there.
    ignores: Vec<(String, Vec<String>)>,
}

impl Config {
    /// Reads the table `check` of a configuration file.
    pub fn read(file: &ConfigFile) -> Result<Config, Problem> {
        file.check_tables()?;
        let mut config = Config::default();
        for entry in file.table("check")? {
            config.set(file, entry)?;
        }
        Ok(config)
    }

    fn set(&mut self, file: &ConfigFile, entry: &ConfigEntry) -> Result<(), Problem> {
        match entry.key.as_str() {
            "paths" => self.paths = strings(file, entry)?,
            "exclude" => self.exclude = strings(file, entry)?,
            "variables" => self.variables = strings(file, entry)?,
            "facts" => self.facts = strings(file, entry)?,
            "baseline" => {
                let path =
                    entry.as_str().ok_or_else(|| file.invalid(entry, "`baseline` requires a string"))?;
                self.baseline = Some(path.to_owned());
            }
            "strict" => {
                self.strict =
                    entry.as_bool().ok_or_else(|| file.invalid(entry, "`strict` requires true or false"))?;
            }
            "rules" => {
                for rule in table(file, entry)? {
                    check_rule(file, rule, &rule.key)?;
                    self.severities.insert(rule.key.clone(), severity(file, rule)?);
                }
            }
            "ignore" => {
                for pattern in table(file, entry)? {
                    let rules = strings(file, pattern)?;
                    rules.iter().try_for_each(|rule| check_rule(file, pattern, rule))?;
                    self.ignores.push((pattern.key.clone(), rules));
                }
            }
            key => {
                let problem = file.invalid(entry, &format!("unknown key `{key}`"));
                return Err(with_hint(problem, suggest::hint(key, config_schema::keys("check"))));
            }
        }
        Ok(())
    }

    /// A finding with the configured severity, or `None` if it is not to be reported. `path` is that of its file, relative to the root.
    pub fn apply(&self, mut finding: Finding, path: &str) -> Option<Finding> {
        let code: &Code = finding.diagnostic.code;
        let fits = |pattern: &str| matches(pattern, path);
        if self.exclude.iter().any(|pattern| fits(pattern)) {
            return None;
        }
        if self
            .ignores
            .iter()
            .any(|(pattern, names)| fits(pattern) && names.iter().any(|name| name == code.name))
        {
            return None;
        }
        match self.severities.get(code.name) {
            None => {}
            Some(None) => return None,
            Some(Some(severity)) => finding.diagnostic.severity = *severity,
        }
        Some(finding)
    }
}

/// Whether a path is below a directory or matches a pattern, in which `*` matches within a name and `**` matches anything.
pub fn matches(pattern: &str, path: &str) -> bool {
    fn within(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => path.is_empty(),
            [b'*', b'*', rest @ ..] => {
                let rest = rest.strip_prefix(b"/").unwrap_or(rest);
                (0..=path.len()).any(|at| within(rest, &path[at..]))
            }
            [b'*', rest @ ..] => {
                let end = path.iter().position(|byte| *byte == b'/').unwrap_or(path.len());
                (0..=end).any(|at| within(rest, &path[at..]))
            }
            [first, rest @ ..] => {
                path.split_first().is_some_and(|(own, path)| own == first && within(rest, path))
            }
        }
    }
    let directory = pattern.trim_end_matches('/');
    let is_below = path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    is_below || within(pattern.as_bytes(), path.as_bytes())
}

fn table<'e>(file: &ConfigFile, entry: &'e ConfigEntry) -> Result<&'e [ConfigEntry], Problem> {
    entry.entries().ok_or_else(|| file.invalid(entry, "expected a table"))
}

fn strings(file: &ConfigFile, entry: &ConfigEntry) -> Result<Vec<String>, Problem> {
    entry.as_strings().ok_or_else(|| file.invalid(entry, "expected a list of strings"))
}

/// The severity that an entry gives a rule; `None` switches the rule off.
fn severity(file: &ConfigFile, entry: &ConfigEntry) -> Result<Option<Severity>, Problem> {
    const EXPECTED: &str = "expected 'error', 'warning' or 'off'";
    match entry.as_str() {
        Some("error") => Ok(Some(Severity::Error)),
        Some("warning") => Ok(Some(Severity::Warning)),
        Some("off") => Ok(None),
        Some(other) => Err(file.invalid(entry, &format!("{EXPECTED}, got '{other}'"))),
        None => Err(file.invalid(entry, EXPECTED)),
    }
}

/// Reports the name of an unknown rule.
fn check_rule(file: &ConfigFile, entry: &ConfigEntry, rule: &str) -> Result<(), Problem> {
    let is_code = kukla::codes::all().any(|code| code.name == rule);
    if is_code || rules::find(rule).is_some() {
        return Ok(());
    }
    let problem = file.invalid(entry, &format!("unknown rule `{rule}`"));
    Err(with_hint(problem, suggest::hint(rule, rules::all().map(|rule| rule.name()))))
}

fn with_hint(problem: Problem, hint: Option<String>) -> Problem {
    match hint {
        Some(hint) => problem.help(hint),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("modules/*/manifests/*.pp", "modules/a/manifests/init.pp"));
        assert!(!matches("modules/*.pp", "modules/a/init.pp"));
        assert!(
            matches("**/*.pp", "a/b/c.pp")
                && matches("modules/a", "modules/a/x")
                && !matches("modules/a", "modules/ab/x")
        );
    }

    fn read(text: &str) -> Result<Config, Problem> {
        let file = ConfigFile::parse(std::path::Path::new("kukla.toml"), text);
        file.and_then(|file| Config::read(&file))
    }

    #[test]
    fn invalid_entries_are_reported_with_their_lines() {
        let error = |text: &str| read(text).unwrap_err().with_help();
        let line_2 = "invalid configuration in kukla.toml, line 2: ";
        assert_eq!(
            error("[check.rules]\nunknown-clas = 'off'"),
            format!("{line_2}unknown rule `unknown-clas`\n  help: did you mean `unknown-class`?")
        );
        assert_eq!(
            error("[check.rules]\nunknown-class = 'no'"),
            format!("{line_2}expected 'error', 'warning' or 'off', got 'no'")
        );
        assert_eq!(
            error("[check]\npath = ['a']"),
            format!("{line_2}unknown key `path`\n  help: did you mean `paths`?")
        );
        assert_eq!(error("[check]\npaths = 1"), format!("{line_2}expected a list of strings"));
        assert!(error("[check]\npaths = [").starts_with(line_2));
        assert!(
            error("[chek]\nstrict = true").ends_with("unknown table `chek`\n  help: did you mean `check`?")
        );
        assert!(read("[server]\nstore = 'y'\nport = 8140\n[check]\nstrict = true").unwrap().strict);
    }
}
