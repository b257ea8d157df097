//! `puppet.conf` and `environment.conf`: sections of `name = value` lines, with `$other` inside values.

use std::collections::BTreeMap;

/// A configuration file, read but not interpreted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conf {
    sections: BTreeMap<String, BTreeMap<String, String>>,
}

impl Conf {
    /// Reads the text of a configuration file. Lines before any section belong to `main`.
    pub fn parse(text: &str) -> Result<Conf, String> {
        let mut conf = Conf::default();
        let mut section = "main".to_owned();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                name.0.trim().clone_into(&mut section);
                continue;
            }
            let Some((name, value)) = line.split_once('=') else {
                return Err(format!("line {}: expected 'name = value', got '{line}'", at + 1));
            };
            let value = without_comment(value.trim());
            conf.sections.entry(section.clone()).or_default().insert(name.trim().into(), value.into());
        }
        Ok(conf)
    }

    /// The value a section gives a setting, as written.
    pub fn get(&self, section: &str, name: &str) -> Option<&str> {
        self.sections.get(section)?.get(name).map(String::as_str)
    }

    /// The settings of a section.
    pub fn section(&self, section: &str) -> impl Iterator<Item = (&str, &str)> {
        self.sections.get(section).into_iter().flatten().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// A comment may follow a value; `{...}` after it is file metadata that means nothing here.
fn without_comment(value: &str) -> &str {
    let value = value.split_once(" #").map_or(value, |(value, _)| value).trim_end();
    match value.rfind('{') {
        Some(at) if value.ends_with('}') && value[..at].ends_with(' ') => value[..at].trim_end(),
        _ => value,
    }
}

/// Replaces `$name` and `${name}` by what `lookup` knows; unknown ones stay as they are.
pub fn interpolate(value: &str, lookup: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (name, tail) = match after.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            Some((name, tail)) => (name, tail),
            None => {
                let end = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
                after.split_at(end)
            }
        };
        match lookup(name) {
            Some(value) => out.push_str(&value),
            None => out.push_str(&rest[at..rest.len() - tail.len()]),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_comments() {
        let conf =
            Conf::parse("# x\nmodulepath = site:modules  # ours\n[server]\nstrict=warning {owner = root}\n")
                .unwrap();
        assert_eq!(conf.get("main", "modulepath"), Some("site:modules"));
        assert_eq!(conf.get("server", "strict"), Some("warning"));
        assert!(Conf::parse("what").unwrap_err().contains("line 1"));
    }

    #[test]
    fn values_name_other_settings() {
        let known = |name: &str| (name == "basemodulepath").then(|| "/base".to_owned());
        assert_eq!(interpolate("site:$basemodulepath", known), "site:/base");
        assert_eq!(interpolate("${basemodulepath}/x:$other", known), "/base/x:$other");
    }
}
