//! Recorded answers to what code asks of others: PuppetDB, name servers, web servers. For tests, where nobody else is there to answer.
//!
//! A directory has a file for each kind, in YAML or JSON: a hash from questions to answers. A question without an answer is an error that
//! shows what to add, since a test that goes on with a guess tests nothing.
//!
//! ```
//! use kukla_world::answers::{Kind, ask};
//! use kukla_world::{Guarded, MemoryWorld, Policy};
//!
//! let world = MemoryWorld::default().with("/answers/dns.yaml", "www.example.com: 192.0.2.1");
//! let policy = Policy { answers: Some("/answers".into()), ..Policy::default() };
//! let world = Guarded::new(world, policy);
//! let answer = |name: &str| ask(&world, Kind::Dns, &[name.to_owned()]).expect("answers are recorded");
//! assert_eq!(answer("www.example.com").unwrap().as_str(), Some("192.0.2.1"));
//! assert!(answer("ftp.example.com").unwrap_err().message().contains("add it to /answers/dns.yaml"));
//! ```

use std::path::{Path, PathBuf};

use kukla_formats::{json, yaml};
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Result, Value};

use crate::codes::{BAD_ANSWERS, NO_ANSWER};
use crate::{FileError, World};

/// Whom a question is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Name servers: names, addresses, or a name and the type of a record.
    Dns,
    /// Web servers: a URL, with the method before it unless that is GET.
    Http,
    /// PuppetDB: a query.
    PuppetDb,
}

impl Kind {
    /// The name of the file, without its ending.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Dns => "dns",
            Kind::Http => "http",
            Kind::PuppetDb => "puppetdb",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Kind> {
        [Kind::Dns, Kind::Http, Kind::PuppetDb].into_iter().find(|kind| kind.name() == name)
    }

    fn example(self) -> &'static str {
        match self {
            Kind::Dns => "192.0.2.1",
            Kind::Http => "{status: 200, body: 'text'}",
            Kind::PuppetDb => "[]",
        }
    }
}

/// The answer to a question, by the first of its spellings that is recorded; none where no answers are recorded at all.
pub fn ask(world: &dyn World, kind: Kind, spellings: &[String]) -> Option<Result<Value>> {
    let directory = world.policy().answers.as_ref()?;
    Some(recorded(world, directory, kind, spellings))
}

fn recorded(world: &dyn World, directory: &Path, kind: Kind, spellings: &[String]) -> Result<Value> {
    let (path, answers) = file(world, directory, kind)?;
    let Value::Hash(answers) = answers else {
        bail!(BAD_ANSWERS { file: path.display(), problem: "not a hash of questions and answers" });
    };
    let answer = answers.iter().find_map(|(question, answer)| {
        let question = plain(question.as_str()?);
        spellings.iter().any(|spelling| plain(spelling) == question).then_some(answer)
    });
    match answer {
        Some(Value::Hash(answer)) if kind == Kind::Http && answer.contains_key("file") => {
            let mut answer = answer.clone();
            let name = answer.get("file").and_then(Value::as_str).unwrap_or_default().to_owned();
            let body = text(world, &directory.join(name))?;
            answer.insert("body", body.as_str());
            Ok(Value::Hash(answer))
        }
        Some(answer) => Ok(answer.clone()),
        None => {
            let question = spellings.first().map_or("", String::as_str);
            let example = format!("{}: {}", quoted(question), kind.example());
            bail!(NO_ANSWER { question, file: path.display(), example })
        }
    }
}

/// How often a question breaks its lines says nothing.
fn plain(question: &str) -> String {
    question.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quoted(question: &str) -> String {
    format!("'{}'", plain(question).replace('\'', "''"))
}

/// The file of a kind and what it holds; nothing if it is not there.
fn file(world: &dyn World, directory: &Path, kind: Kind) -> Result<(PathBuf, Value)> {
    let path = directory.join(kind.name()).with_extension("yaml");
    if !world.exists(&path) {
        let other = path.with_extension("json");
        if world.exists(&other) {
            let read = json::read(&text(world, &other)?);
            let document = read.map_err(|wrong| bad(&other, &wrong))?;
            return Ok((other, document.value));
        }
        return Ok((path, Value::Hash(Default::default())));
    }
    let options = yaml::Options { aliases: true, symbols: false, times: true };
    let document = yaml::read(text(world, &path)?.as_bytes(), options).map_err(|wrong| bad(&path, &wrong))?;
    let answers =
        if document.value == Value::Undef { Value::Hash(Default::default()) } else { document.value };
    Ok((path, answers))
}

fn text(world: &dyn World, path: &Path) -> Result<String> {
    let bytes = world.read(path).map_err(|why| match why {
        FileError::Refused(refusal) => refusal.diagnostic().into(),
        why => bad(path, &why),
    })?;
    String::from_utf8(bytes).map_err(|wrong| bad(path, &wrong))
}

fn bad(path: &Path, problem: &dyn std::fmt::Display) -> kukla_values::Error {
    diagnostic!(BAD_ANSWERS { file: path.display(), problem: problem }).into()
}
