//! Options of `kukla diff`: differences of the sides besides files, and the changes to report.

use std::path::{Path, PathBuf};

use kukla::diff::{Rule, Rules};
use kukla::syntax::Problem;

use crate::commands::target::Target;
use crate::files;

/// The differences of the sides besides files.
#[derive(Debug, clap::Args)]
pub struct Sides {
    /// Facts before the change, in place of --facts
    #[arg(long, value_name = "PATH")]
    from_facts: Option<PathBuf>,
    /// Facts after the change, in place of --facts
    #[arg(long, value_name = "PATH")]
    to_facts: Option<PathBuf>,
    /// Environment before the change, in place of --environment
    #[arg(long, value_name = "NAME")]
    from_environment: Option<String>,
    /// Environment after the change, in place of --environment
    #[arg(long, value_name = "NAME")]
    to_environment: Option<String>,
    /// Setting before the change, such as `strict=warning`; can be repeated
    #[arg(long, value_name = "SETTING=VALUE")]
    from_set: Vec<String>,
    /// Setting after the change, such as `strict=error`; can be repeated
    #[arg(long, value_name = "SETTING=VALUE")]
    to_set: Vec<String>,
}

impl Sides {
    /// Whether the sides differ in more than files.
    pub fn are_two(&self) -> bool {
        self.from_facts.is_some()
            || self.to_facts.is_some()
            || self.from_environment.is_some()
            || self.to_environment.is_some()
            || !self.from_set.is_empty()
            || !self.to_set.is_empty()
    }

    /// The options of each side.
    pub fn targets(&self, common: &Target) -> (Target, Target) {
        (
            common.with(&self.from_facts, &self.from_environment, &self.from_set),
            common.with(&self.to_facts, &self.to_environment, &self.to_set),
        )
    }

    /// The names of the sides, from their differences.
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

/// The changes to report.
#[derive(Debug, clap::Args)]
pub struct Noise {
    /// Leave out changes of these resources or attributes: 'File[/tmp/*]', Service, '* owner', 'File[~\\.log$] mode', 'tag noise',
    /// 'where EXPRESSION'; can be repeated
    #[arg(long, value_name = "RULE")]
    ignore: Vec<String>,
    /// Report only changes of these resources or attributes
    #[arg(long, value_name = "RULE")]
    only: Vec<String>,
    /// Exit with code 3 if one of these changes
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// File with one rule per line: `ignore RULE`, `only RULE` or `deny RULE` [default: .kukla-diff in the control repository]
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Report changes between equivalent forms: '0644' and 644, one element and a list of one, relations in another order
    #[arg(long)]
    exact: bool,
    /// Report changes of tags
    #[arg(long)]
    tags: bool,
}

/// The file with rules in a control repository.
const FILE: &str = ".kukla-diff";

impl Noise {
    /// The rules of the options and of the file.
    pub fn rules(&self, root: &Path) -> Result<Rules, Problem> {
        let all = |option: &str, texts: &[String]| -> Result<Vec<Rule>, Problem> {
            let wrong = |problem| Problem::invalid(format!("--{option}")).caused_by(problem);
            texts.iter().map(|text| Rule::parse(text).map_err(wrong)).collect()
        };
        let mut rules = Rules {
            ignore: all("ignore", &self.ignore)?,
            only: all("only", &self.only)?,
            deny: all("deny", &self.deny)?,
            exact: self.exact,
            tags: self.tags,
        };
        let own = root.join(FILE);
        match &self.rules {
            Some(path) => rules.add_lines(&files::read_text(path)?, path)?,
            None if own.is_file() => rules.add_lines(&files::read_repository_text(&own)?, &own)?,
            None => {}
        }
        Ok(rules)
    }
}
