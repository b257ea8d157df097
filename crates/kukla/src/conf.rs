//! `puppet.conf` and `environment.conf`: sections of `name = value` lines, with `$other` inside values.

use std::fmt;

use kukla_syntax::Problem;

/// A configuration file, read but not interpreted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conf {
    sections: Vec<Section>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Section {
    name: String,
    entries: Vec<(String, String)>,
}

/// A line that is neither a section nor a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfError {
    /// The message, in Puppet's words.
    pub message: String,
    /// Its number.
    pub line: usize,
}

impl fmt::Display for ConfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line: {})", self.message, self.line)
    }
}

impl Conf {
    /// Reads the text of a configuration file. Lines before any section belong to `main`.
    pub fn parse(text: &str) -> Result<Conf, ConfError> {
        let mut sections = vec![Section { name: "main".into(), entries: Vec::new() }];
        let mut current = 0;
        for (at, written) in text.lines().enumerate() {
            let line = written.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let error = |message: String| ConfError { message, line: at + 1 };
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
                && is_word(name)
            {
                let known = sections.iter().position(|section| section.name == name);
                current = known.unwrap_or(sections.len());
                if known.is_none() {
                    sections.push(Section { name: name.into(), entries: Vec::new() });
                }
                continue;
            }
            match line.split_once('=') {
                Some((name, value)) if is_word(name.trim()) => {
                    let value = without_file_options(unquoted(value.trim())).map_err(error)?;
                    sections[current].entries.push((name.trim().into(), value));
                }
                _ => return Err(error(format!("Could not match line {written}"))),
            }
        }
        Ok(Conf { sections })
    }

    /// The value a section gives a setting, as written; if it does so twice, the first one counts.
    pub fn get(&self, section: &str, name: &str) -> Option<&str> {
        self.section(section).find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The settings of a section.
    pub fn section(&self, section: &str) -> impl Iterator<Item = (&str, &str)> {
        let section = self.sections.iter().find(|known| known.name == section);
        let entries = section.into_iter().flat_map(|section| &section.entries);
        entries.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The names of the sections, `main` first.
    pub fn sections(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().map(|section| section.name.as_str())
    }
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// Removes a quote at either end.
fn unquoted(value: &str) -> &str {
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    value.strip_suffix(['"', '\'']).unwrap_or(value).trim_end()
}

/// Removes `{owner = root, mode = 640}` after a path, with which a server creates the file; it has no effect here, but must be valid.
fn without_file_options(value: &str) -> Result<String, String> {
    let Some((before, rest)) = value.split_once('{') else { return Ok(value.into()) };
    let Some((options, after)) = rest.split_once('}').filter(|(options, _)| !options.trim().is_empty())
    else {
        return Ok(value.into());
    };
    for option in options.split(',') {
        let (name, setting) = option.split_once('=').map(|(a, b)| (a.trim(), b.trim())).unwrap_or_default();
        if !is_word(name) || !is_word(setting) {
            return Err(format!("Could not parse '{value}'"));
        }
        if !["owner", "group", "mode"].contains(&name) {
            return Err(format!("Invalid file option '{name}'"));
        }
        if name == "mode" && !setting.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("File modes must be numbers".into());
        }
    }
    Ok(format!("{before}{after}").trim_end().into())
}

/// Replaces `$name` and `${name}` with the values from `lookup`; an unknown name is an error.
pub fn interpolate(value: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<String, Problem> {
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
        let written = &rest[at..rest.len() - tail.len()];
        match lookup(name) {
            Some(value) => out.push_str(&value),
            None if is_word(name) => return Err(Problem::not_found("Could not find value for").on(written)),
            None => out.push_str(written),
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_options() {
        let text = "# x\nmodulepath = site:modules\nmodulepath = late\n[server]\nstrict=warning {owner = root}\nb = 'q'\n[main]\na=b\n";
        let conf = Conf::parse(text).unwrap();
        assert_eq!(conf.get("main", "modulepath"), Some("site:modules"));
        assert_eq!(conf.get("main", "a"), Some("b"));
        assert_eq!(conf.get("server", "strict"), Some("warning"));
        assert_eq!((conf.get("server", "b"), conf.get("agent", "b")), (Some("q"), None));
        assert_eq!(conf.sections().collect::<Vec<_>>(), ["main", "server"]);
        let error = Conf::parse("\nnonsense").unwrap_err();
        assert_eq!((error.message.as_str(), error.line), ("Could not match line nonsense", 2));
        assert!(Conf::parse("a = x{b}").unwrap_err().message.starts_with("Could not parse"));
    }

    #[test]
    fn values_refer_to_others() {
        let known = |name: &str| (name == "base").then(|| "/m".to_owned());
        assert_eq!(interpolate("site:$base:${base}/x", known).unwrap(), "site:/m:/m/x");
        assert_eq!(interpolate("$", known).unwrap(), "$");
        assert_eq!(
            interpolate("${other}", known).unwrap_err().to_string(),
            "Could not find value for ${other}"
        );
    }
}
