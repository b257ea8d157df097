//! `kukla.toml`: what is checked, and how bad what is found is.

use kukla::syntax::{Code, Severity};
use rustc_hash::FxHashMap;

use crate::finding::Finding;
use crate::{rules, suggest, toml};

/// The configuration of a repository.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Paths, from the root, that are checked; all, if there are none.
    pub paths: Vec<String>,
    /// Patterns of paths that are not reported on.
    pub exclude: Vec<String>,
    /// The baseline, from the root.
    pub baseline: Option<String>,
    /// Whether what is likely is reported.
    pub strict: bool,
    /// How bad rules are; none means that they are off.
    severities: FxHashMap<String, Option<Severity>>,
    /// Patterns of paths, and the rules that are off there.
    ignores: Vec<(String, Vec<String>)>,
}

impl Config {
    /// Reads a configuration.
    pub fn read(text: &str) -> Result<Config, String> {
        let mut config = Config::default();
        for entry in toml::read(text)? {
            let wrong = |what: String| format!("line {}: {what}", entry.line);
            match (entry.table.as_str(), entry.key.as_str(), entry.value) {
                ("check", "paths", toml::Value::List(paths)) => config.paths = paths,
                ("check", "exclude", toml::Value::List(paths)) => config.exclude = paths,
                ("check", "baseline", toml::Value::Text(path)) => config.baseline = Some(path),
                ("check", "strict", toml::Value::Boolean(strict)) => config.strict = strict,
                ("check.rules", rule, toml::Value::Text(level)) => {
                    known(rule).map_err(wrong)?;
                    let severity = match level.as_str() {
                        "error" => Some(Severity::Error),
                        "warning" => Some(Severity::Warning),
                        "off" => None,
                        other => {
                            return Err(wrong(format!("'{other}' is not one of 'error', 'warning', 'off'")));
                        }
                    };
                    config.severities.insert(rule.to_owned(), severity);
                }
                ("check.ignore", pattern, toml::Value::List(names)) => {
                    names.iter().try_for_each(|name| known(name)).map_err(wrong)?;
                    config.ignores.push((pattern.to_owned(), names));
                }
                ("check" | "check.rules" | "check.ignore", key, _) => {
                    const KEYS: [&str; 4] = ["paths", "exclude", "baseline", "strict"];
                    let hint = suggest::hint(key, KEYS).map(|hint| format!("; {hint}")).unwrap_or_default();
                    return Err(wrong(format!(
                        "`{key}` means nothing here, or has another kind of value{hint}"
                    )));
                }
                // Other tools may have tables of their own.
                _ => {}
            }
        }
        Ok(config)
    }

    /// What becomes of a finding in a file, given by its path from the root; nothing, if it is not to be reported.
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

/// Whether a path lies below a directory or fits a pattern, in which `*` stands for what is within a name and `**` for anything.
fn matches(pattern: &str, path: &str) -> bool {
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

/// Refuses the name of a rule that there is not.
fn known(rule: &str) -> Result<(), String> {
    let is_code = kukla::codes::all().any(|code| code.name == rule);
    if is_code || rules::find(rule).is_some() {
        return Ok(());
    }
    let hint = suggest::hint(rule, rules::all().map(|rule| rule.name()));
    Err(format!("there is no rule `{rule}`{}", hint.map(|hint| format!("; {hint}")).unwrap_or_default()))
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

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |text: &str| Config::read(text).unwrap_err();
        assert_eq!(
            wrong("[check.rules]\nunknown-clas = 'off'"),
            "line 2: there is no rule `unknown-clas`; did you mean `unknown-class`?"
        );
        assert_eq!(
            wrong("[check.rules]\nunknown-class = 'no'"),
            "line 2: 'no' is not one of 'error', 'warning', 'off'"
        );
        assert!(wrong("[check]\npath = ['a']").contains("did you mean `paths`?"));
        assert!(Config::read("[other]\nx = 'y'\n[check]\nstrict = true").unwrap().strict);
    }
}
