//! Names of environments, made out of names of branches.

use std::sync::Arc;

use kukla_syntax::Problem;
use kukla_values::regexp::Regexp;

/// How names of branches become names of environments.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// The start of each name, followed by an underscore.
    pub prefix: Option<String>,
    /// Is taken away from each name.
    pub strip: Option<Strip>,
    /// The treatment of names that no environment can have.
    pub invalid: Invalid,
}

/// A part of names that is taken away.
#[derive(Clone, Debug)]
pub enum Strip {
    /// This start.
    Start(String),
    /// All that matches.
    Matches(Arc<Regexp>),
}

/// The treatment of branches whose name has other characters than letters, digits and underscores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Invalid {
    /// The characters become underscores, and the name is reported.
    #[default]
    CorrectAndWarn,
    /// The characters become underscores.
    Correct,
    /// The branch is ignored.
    Ignore,
}

/// The environment of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentName {
    /// The name without what is stripped, as r10k records it.
    pub name: String,
    /// The name of its directory, which is that of the environment.
    pub directory: String,
    /// A remark on a corrected name.
    pub note: Option<String>,
}

impl Naming {
    /// The environment of a branch; none if the branch is ignored, with the reason.
    pub fn of_branch(&self, branch: &str) -> Result<Result<EnvironmentName, String>, Problem> {
        let name = self.stripped(branch)?;
        // A name is checked before the prefix, which may have other characters.
        let is_valid = name.bytes().all(is_word);
        let corrected: String =
            name.chars().map(|c| if c.is_ascii() && is_word(c as u8) { c } else { '_' }).collect();
        if !is_valid && self.invalid == Invalid::Ignore {
            return Ok(Err(format!("'{name}' has other characters than letters, digits and underscores")));
        }
        if corrected.is_empty() {
            return Ok(Err("nothing is left of its name".to_owned()));
        }
        let directory = self.prefixed(&corrected);
        let note = (!is_valid && self.invalid == Invalid::CorrectAndWarn)
            .then(|| format!("the branch '{branch}' is the environment '{directory}': names have only letters, digits and underscores"));
        Ok(Ok(EnvironmentName { name, directory, note }))
    }

    /// The name with the prefix.
    pub fn prefixed(&self, name: &str) -> String {
        match &self.prefix {
            Some(prefix) => format!("{prefix}_{name}"),
            None => name.to_owned(),
        }
    }

    /// The name without what is stripped.
    pub fn stripped(&self, branch: &str) -> Result<String, Problem> {
        Ok(match &self.strip {
            None => branch.to_owned(),
            Some(Strip::Start(start)) => branch.strip_prefix(start.as_str()).unwrap_or(branch).to_owned(),
            Some(Strip::Matches(regexp)) => regexp.replace_all(branch, "").map_err(|error| {
                Problem::invalid("cannot apply strip_component").on(format!("'{branch}'")).because(error)
            })?,
        })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_become_environments() {
        let naming = |prefix: Option<&str>, strip: Option<Strip>, invalid| Naming {
            prefix: prefix.map(str::to_owned),
            strip,
            invalid,
        };
        let directory =
            |naming: &Naming, branch: &str| naming.of_branch(branch).unwrap().map(|name| name.directory);
        let plain = naming(None, None, Invalid::CorrectAndWarn);
        assert_eq!(directory(&plain, "production").as_deref(), Ok("production"));
        assert_eq!(directory(&plain, "feature/a-b.c").as_deref(), Ok("feature_a_b_c"));
        assert_eq!(directory(&plain, "grün").as_deref(), Ok("gr_n"));
        assert!(plain.of_branch("a-b").unwrap().unwrap().note.is_some());
        assert_eq!(plain.of_branch("a_b").unwrap().unwrap().note, None);
        assert!(directory(&naming(None, None, Invalid::Ignore), "a-b").is_err());
        assert_eq!(naming(None, None, Invalid::Correct).of_branch("a-b").unwrap().unwrap().note, None);
        let start = Some(Strip::Start("env/".to_owned()));
        assert_eq!(
            directory(&naming(Some("web"), start, Invalid::Ignore), "env/dev").as_deref(),
            Ok("web_dev")
        );
        let matches = Some(Strip::Matches(Regexp::new("^.*/|-x$").unwrap()));
        assert_eq!(directory(&naming(None, matches, Invalid::Ignore), "a/b/dev-x").as_deref(), Ok("dev"));
    }
}
