//! `kukla.toml`: what is checked, and how bad what is found is.

use std::ops::Range;

use kukla::syntax::{Code, Severity};
use rustc_hash::FxHashMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::finding::Finding;
use crate::{rules, suggest};

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
    /// Reads a configuration: the table `check`; other tables are for other commands.
    pub fn read(text: &str) -> Result<Config, String> {
        let at = |place: Range<usize>, what: &str| {
            format!("line {}: {what}", 1 + text[..place.start].matches('\n').count())
        };
        let table =
            DeTable::parse(text).map_err(|error| at(error.span().unwrap_or_default(), error.message()))?;
        let mut config = Config::default();
        let Some(check) = table.get_ref().get("check") else { return Ok(config) };
        for (key, value) in entries(check.get_ref()).map_err(|what| at(check.span(), &what))? {
            let value = value.get_ref();
            match key.get_ref().as_ref() {
                "rules" => {
                    for (rule, level) in entries(value).map_err(|what| at(key.span(), &what))? {
                        let set = config.set_severity(rule.get_ref(), level.get_ref());
                        set.map_err(|what| at(rule.span(), &what))?;
                    }
                }
                "ignore" => {
                    for (pattern, names) in entries(value).map_err(|what| at(key.span(), &what))? {
                        let ignored = config.add_ignore(pattern.get_ref(), names.get_ref());
                        ignored.map_err(|what| at(pattern.span(), &what))?;
                    }
                }
                name => config.set(name, value).map_err(|what| at(key.span(), &what))?,
            }
        }
        Ok(config)
    }

    fn set(&mut self, key: &str, value: &DeValue<'_>) -> Result<(), String> {
        const KEYS: [&str; 6] = ["paths", "exclude", "baseline", "strict", "rules", "ignore"];
        match (key, value) {
            ("paths", list) => self.paths = texts(list)?,
            ("exclude", list) => self.exclude = texts(list)?,
            ("baseline", DeValue::String(path)) => self.baseline = Some(path.to_string()),
            ("strict", DeValue::Boolean(strict)) => self.strict = *strict,
            ("baseline", _) => return Err("`baseline` is a text".into()),
            ("strict", _) => return Err("`strict` is true or false".into()),
            _ => {
                let hint = suggest::hint(key, KEYS).map(|hint| format!("; {hint}")).unwrap_or_default();
                return Err(format!("`{key}` means nothing here{hint}"));
            }
        }
        Ok(())
    }

    fn set_severity(&mut self, rule: &str, level: &DeValue<'_>) -> Result<(), String> {
        known(rule)?;
        let severity = match level {
            DeValue::String(level) if level == "error" => Some(Severity::Error),
            DeValue::String(level) if level == "warning" => Some(Severity::Warning),
            DeValue::String(level) if level == "off" => None,
            DeValue::String(level) => {
                return Err(format!("'{level}' is not one of 'error', 'warning', 'off'"));
            }
            _ => return Err(format!("`{rule}` is one of 'error', 'warning', 'off'")),
        };
        self.severities.insert(rule.to_owned(), severity);
        Ok(())
    }

    fn add_ignore(&mut self, pattern: &str, names: &DeValue<'_>) -> Result<(), String> {
        let names = texts(names)?;
        names.iter().try_for_each(|name| known(name))?;
        self.ignores.push((pattern.to_owned(), names));
        Ok(())
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

fn entries<'t, 'i>(value: &'t DeValue<'i>) -> Result<&'t DeTable<'i>, String> {
    match value {
        DeValue::Table(table) => Ok(table),
        _ => Err("a table is expected".into()),
    }
}

fn texts(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    const LIST: &str = "a list of texts is expected";
    let DeValue::Array(list) = value else { return Err(LIST.into()) };
    let text = |each: &Spanned<DeValue<'_>>| match each.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        _ => Err(LIST.to_owned()),
    };
    list.iter().map(text).collect()
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
        assert!(Config::read("[other]\nx = 'y'\nport = 8140\n[check]\nstrict = true").unwrap().strict);
        assert!(wrong("[check]\npaths = 1").starts_with("line 2: "));
        assert!(wrong("[check]\npaths = [").starts_with("line 2: "));
    }
}
