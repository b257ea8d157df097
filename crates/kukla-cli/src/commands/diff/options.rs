//! Options of `kukla diff`: what makes one side different from the other besides files, and what of a difference is told.

use std::path::{Path, PathBuf};

use kukla::diff::{Rule, Rules};

use crate::commands::target::Target;
use crate::files;

/// What makes one side different from the other besides files.
#[derive(Debug, clap::Args)]
pub struct Sides {
    /// The facts of the side before, in place of --facts
    #[arg(long, value_name = "PATH")]
    from_facts: Option<PathBuf>,
    /// The facts of the side after
    #[arg(long, value_name = "PATH")]
    to_facts: Option<PathBuf>,
    /// The environment of the side before, in place of --environment
    #[arg(long, value_name = "NAME")]
    from_environment: Option<String>,
    /// The environment of the side after
    #[arg(long, value_name = "NAME")]
    to_environment: Option<String>,
    /// A setting of the side before, as `strict=warning`; may be given several times
    #[arg(long, value_name = "SETTING=VALUE")]
    from_set: Vec<String>,
    /// A setting of the side after, as `strict=error`: what an upgrade breaks
    #[arg(long, value_name = "SETTING=VALUE")]
    to_set: Vec<String>,
}

impl Sides {
    /// Whether there is anything that makes them different.
    pub fn are_two(&self) -> bool {
        self.from_facts.is_some()
            || self.to_facts.is_some()
            || self.from_environment.is_some()
            || self.to_environment.is_some()
            || !self.from_set.is_empty()
            || !self.to_set.is_empty()
    }

    /// What each side is to be compiled as.
    pub fn targets(&self, common: &Target) -> (Target, Target) {
        (
            common.with(&self.from_facts, &self.from_environment, &self.from_set),
            common.with(&self.to_facts, &self.to_environment, &self.to_set),
        )
    }

    /// What people call them, by what makes them different.
    pub fn names(&self) -> (String, String) {
        let name =
            |facts: &Option<PathBuf>, environment: &Option<String>, settings: &[String], otherwise: &str| {
                let facts = facts.iter().map(|facts| format!("facts of {}", facts.display()));
                let all: Vec<String> =
                    facts.chain(environment.clone()).chain(settings.iter().cloned()).collect();
                if all.is_empty() { otherwise.to_owned() } else { all.join(", ") }
            };
        (
            name(&self.from_facts, &self.from_environment, &self.from_set, "as it is"),
            name(&self.to_facts, &self.to_environment, &self.to_set, "as it is"),
        )
    }
}

/// What of a difference is told.
#[derive(Debug, clap::Args)]
pub struct Noise {
    /// Leave out changes of these resources or attributes: 'File[/tmp/*]', Service, '* owner', 'File[~\\.log$] mode', 'tag noise',
    /// 'where EXPRESSION'; may be given several times
    #[arg(long, value_name = "RULE")]
    ignore: Vec<String>,
    /// Tell changes of these alone
    #[arg(long, value_name = "RULE")]
    only: Vec<String>,
    /// End with status 3 if one of these changes
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// A file with lines as `ignore File[/tmp/*]`, `only RULE`, `deny RULE`; by default .kukla-diff in the control repository
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Tell forms apart that mean the same: '0644' and 644, one element and a list of one, relations in another order
    #[arg(long)]
    exact: bool,
    /// Tell changes of tags too
    #[arg(long)]
    tags: bool,
}

/// The file with rules in a control repository.
const FILE: &str = ".kukla-diff";

impl Noise {
    /// The rules that the options give, and those of the file.
    pub fn rules(&self, root: &Path) -> Result<Rules, String> {
        let all = |option: &str, texts: &[String]| -> Result<Vec<Rule>, String> {
            let parse = |text: &String| Rule::parse(text).map_err(|wrong| format!("--{option}: {wrong}"));
            texts.iter().map(parse).collect()
        };
        let mut rules = Rules {
            ignore: all("ignore", &self.ignore)?,
            only: all("only", &self.only)?,
            deny: all("deny", &self.deny)?,
            exact: self.exact,
            tags: self.tags,
        };
        let place = match &self.rules {
            Some(place) => place.clone(),
            None => root.join(FILE),
        };
        if self.rules.is_none() && !place.is_file() {
            return Ok(rules);
        }
        let text = std::fs::read_to_string(&place).map_err(|error| files::problem(&place, &error))?;
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |why: &str| format!("{}:{}: {why}", place.display(), at + 1);
            let (what, rule) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let list = match what {
                "ignore" => &mut rules.ignore,
                "only" => &mut rules.only,
                "deny" => &mut rules.deny,
                _ => return Err(wrong("a line begins with ignore, only or deny")),
            };
            list.push(Rule::parse(rule).map_err(|why| wrong(&why))?);
        }
        Ok(rules)
    }
}
