//! Options from the tables `compile`, `policy`, `nodes` and `facts` of a repository's `kukla.toml`.
//!
//! A key has the name of an option and is used where the command line does not give that option. So every option can be configured,
//! and its value is parsed by the same code. Paths are relative to the directory of `kukla.toml`.
//!
//! A command line with `--files repository` or `--files modules` says that the repository is not trusted, so its `kukla.toml` can then give no
//! permissions and name no files outside of the repository ([`Confinement`]).

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, CommandFactory, FromArgMatches};
use kukla::DiskWorld;
use kukla::config_file::{ConfigEntry, ConfigFile};
use kukla::syntax::{Problem, ProblemKind, suggest};
use kukla::values::Value;
use kukla::world::World as _;
use kukla::world::policy::{Files, Reach};

use crate::args::Cli;
use crate::colour::Colour;
use crate::commands::lint;
use crate::commands::policy::PolicyOptions;
use crate::files;

/// The commands that run the code of a repository. `serve` has settings of its own, and `check` runs no code, so a repository cannot give it
/// permissions.
const COMMANDS: [&str; 8] = ["compile", "diff", "lookup", "why", "eval", "epp", "repl", "doctor"];
/// Options that only make sense for one call.
const UNCONFIGURABLE: [&str; 6] = ["help", "version", "color", "execute", "node", "watch"];

/// Why a command line could not be parsed.
pub enum ParseError {
    /// It is wrong, or asks for help.
    Usage(clap::Error),
    /// `kukla.toml` is wrong.
    Config(Problem),
}

/// Parses a command line, with the options that `kukla.toml` adds.
pub fn parse(arguments: Vec<OsString>) -> Result<Cli, ParseError> {
    let arguments = lint::canonical(arguments).map_err(ParseError::Config)?;
    let matches = matches(&arguments).map_err(ParseError::Usage)?;
    let configured = configured_arguments(&matches).map_err(ParseError::Config)?;
    let matches = match configured {
        None => matches,
        Some((path, added)) => {
            // After the name of the command, so that what the user wrote still ends the command line.
            let command =
                arguments.iter().position(|text| COMMANDS.iter().any(|name| text == name)).unwrap_or(0);
            let mut all = arguments;
            all.splice(command + 1..command + 1, added);
            self::matches(&all).map_err(|error| ParseError::Config(rejected(&path, &error)))?
        }
    };
    Cli::from_arg_matches(&matches).map_err(ParseError::Usage)
}

fn matches(arguments: &[OsString]) -> Result<ArgMatches, clap::Error> {
    Cli::command().color(Colour::of_arguments(arguments).into()).try_get_matches_from(arguments)
}

/// The problem of a file whose values an option does not accept.
fn rejected(path: &Path, error: &clap::Error) -> Problem {
    let text = error.to_string();
    let reason = text.lines().next().unwrap_or_default();
    Problem::invalid("invalid configuration in")
        .on(path.display())
        .because(reason.trim_start_matches("error: "))
}

/// The arguments that a `kukla.toml` adds to a command line, and its path; none if there is nothing to add.
fn configured_arguments(matches: &ArgMatches) -> Result<Option<(PathBuf, Vec<OsString>)>, Problem> {
    let Some((name, own)) = matches.subcommand().filter(|(name, _)| COMMANDS.contains(name)) else {
        return Ok(None);
    };
    let directory = match own.try_get_one::<PathBuf>("path") {
        Ok(Some(path)) if path.is_dir() => path.clone(),
        _ => PathBuf::from("."),
    };
    let path = directory.join("kukla.toml");
    let confinement = Confinement::of(own, &directory);
    if let Some(confinement) = &confinement {
        confinement.check_path(&path).map_err(|outside| outside.help("`--files any` allows it"))?;
    }
    let file = match files::read_repository_text(&path) {
        Ok(text) => ConfigFile::parse(&path, &text)?,
        Err(problem) if problem.kind() == ProblemKind::NotFound => return Ok(None),
        Err(problem) => return Err(problem),
    };
    let entries = [
        ("compile", file.table("compile")?),
        ("policy", file.table("policy")?),
        ("nodes", file.table("nodes")?),
        ("facts", file.table("facts")?),
    ];
    if entries.iter().all(|(_, entries)| entries.is_empty()) {
        return Ok(None);
    }
    let configuration = Configuration {
        file: &file,
        directory: &directory,
        all: &options("compile"),
        confinement: confinement.as_ref(),
    };
    let (command, mut added) = (options(name), Vec::new());
    for (table, entries) in entries {
        for entry in entries {
            let option = configuration.option(table, entry)?;
            // The option of another command has no effect on this one.
            let Some(option) = command.get_arguments().find(|own| own.get_id() == option.get_id()) else {
                continue;
            };
            if !is_overruled(&command, option, own) {
                configuration.add(&mut added, option, entry)?;
            }
        }
    }
    Ok((!added.is_empty()).then_some((path, added)))
}

/// A command with all its options described.
fn options(name: &str) -> Command {
    let mut all = Cli::command();
    let mut command = all.find_subcommand_mut(name).cloned().unwrap_or_default();
    command.build();
    command
}

/// Whether the command line gives an option itself, or one that excludes it. Options that can be repeated add up.
fn is_overruled(command: &Command, option: &Arg, given: &ArgMatches) -> bool {
    let is_given = |option: &Arg| {
        let id = option.get_id().as_str();
        given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine)
    };
    let is_repeatable =
        matches!(option.get_action(), ArgAction::Append) && option.get_value_delimiter().is_none();
    !is_repeatable && is_given(option) || command.get_arg_conflicts_with(option).into_iter().any(is_given)
}

/// The limits of the `kukla.toml` of a repository that is not trusted.
struct Confinement {
    /// The real paths that it may name, and all below them.
    roots: Vec<PathBuf>,
}

impl Confinement {
    /// The limits if the command line restricts the files that code may read.
    fn of(given: &ArgMatches, directory: &Path) -> Option<Confinement> {
        let is_given = given.value_source("files") == Some(ValueSource::CommandLine);
        let files = given.try_get_one::<Files>("files").ok().flatten().filter(|_| is_given)?;
        if files.reach == Reach::Any {
            return None;
        }
        let world = DiskWorld::default();
        let roots = std::iter::once(directory).chain(files.also.iter().map(PathBuf::as_path));
        Some(Confinement { roots: roots.map(|root| world.resolve(root)).collect() })
    }

    /// A problem unless a path leads into the repository, or to a path that the command line allows.
    fn check_path(&self, path: &Path) -> Result<(), Problem> {
        let real = DiskWorld::default().resolve(path);
        if self.roots.iter().any(|root| real.starts_with(root)) {
            return Ok(());
        }
        let outside = self.roots.first().map(|root| format!("it lies outside of {}", root.display()));
        Err(Problem::new(ProblemKind::Denied, "cannot use")
            .on(path.display())
            .because(outside.unwrap_or_default()))
    }

    /// Whether a value of an option gives no permission.
    fn allows(&self, option: &Arg, text: &str) -> bool {
        match option.get_id().as_str() {
            "commands" | "env" => text == "off",
            "writes" => matches!(text, "off" | "scratch"),
            // Programs, and the data of other nodes.
            "ruby" | "enc" | "store" => false,
            _ => true,
        }
    }
}

struct Configuration<'c> {
    file: &'c ConfigFile,
    directory: &'c Path,
    /// The command whose options can be configured.
    all: &'c Command,
    confinement: Option<&'c Confinement>,
}

impl Configuration<'_> {
    /// The option that an entry of a table sets.
    fn option(&self, table: &str, entry: &ConfigEntry) -> Result<&Arg, Problem> {
        let policy = PolicyOptions::augment_args(Command::default());
        let belongs = |option: &&Arg| {
            let is_policy = policy.get_arguments().any(|own| own.get_id() == option.get_id());
            let id = option.get_id().as_str();
            match table {
                "policy" => is_policy,
                "facts" => id == "facts" || id == "node_facts",
                "nodes" => id == "samples" || id == "node_facts",
                _ => {
                    !is_policy
                        && !["facts", "node_facts", "samples"].contains(&id)
                        && option.get_long().is_some()
                        && !UNCONFIGURABLE.contains(&id)
                }
            }
        };
        let key = |option: &Arg| match (table, option.get_long()) {
            ("facts", Some("facts")) => "path".to_owned(),
            ("facts", _) => "set".to_owned(),
            ("nodes", Some("node-facts")) => "facts".to_owned(),
            (_, long) => long.unwrap_or_default().to_owned(),
        };
        let options: Vec<&Arg> = self.all.get_arguments().filter(belongs).collect();
        if let Some(option) = options.iter().find(|option| key(option) == entry.key) {
            return Ok(option);
        }
        let problem = self.file.invalid(entry, &format!("unknown key `{}` in [{table}]", entry.key));
        let keys: Vec<String> = options.iter().map(|option| key(option)).collect();
        Err(match suggest::nearest(&entry.key, keys.iter().map(String::as_str)) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("the keys of [{table}] are options of `kukla compile`")),
        })
    }

    /// Adds the arguments that set an option to the value of an entry.
    fn add(&self, added: &mut Vec<OsString>, option: &Arg, entry: &ConfigEntry) -> Result<(), Problem> {
        let flag = format!("--{}", option.get_long().unwrap_or_default());
        if !option.get_action().takes_values() {
            return match entry.as_bool() {
                Some(true) => {
                    added.push(flag.into());
                    Ok(())
                }
                Some(false) => Ok(()),
                None => Err(self.file.invalid(entry, &format!("`{}` requires true or false", entry.key))),
            };
        }
        let is_path = option.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let mut values = self.texts(entry)?;
        // The set of all nodes without facts; it comes after those of [nodes], which win.
        if entry.key == "set" && option.get_id() == "node_facts" {
            values.iter_mut().for_each(|set| *set = format!("*={set}"));
        }
        if is_path {
            values.iter_mut().for_each(|text| *text = self.directory.join(&*text).display().to_string());
        }
        if let Some(confinement) = self.confinement {
            for text in &values {
                if is_path {
                    confinement
                        .check_path(Path::new(text))
                        .map_err(|outside| self.denied(entry, &outside))?;
                }
                if !confinement.allows(option, text) {
                    let reason =
                        "the command line restricts --files, so only the command line can allow this";
                    let denied = self.denied(entry, &reason);
                    return Err(denied.help(format!("add {flag} to the command line")));
                }
            }
        }
        // Options that take a list as one text separate it by commas.
        if option.get_value_delimiter().is_some() || !matches!(option.get_action(), ArgAction::Append) {
            let delimiter = option.get_value_delimiter().unwrap_or(',').to_string();
            values = vec![values.join(&delimiter)];
        }
        added.extend(values.iter().map(|text| format!("{flag}={text}").into()));
        Ok(())
    }

    fn denied(&self, entry: &ConfigEntry, reason: &dyn std::fmt::Display) -> Problem {
        self.file.invalid(entry, &format!("`{}` is refused: {reason}", entry.key))
    }

    /// The value of an entry as the texts that the command line would have; a table gives `KEY=VALUE`.
    fn texts(&self, entry: &ConfigEntry) -> Result<Vec<String>, Problem> {
        let scalar = |value: &Value| match value {
            Value::String(text) => Some(text.to_string()),
            Value::Boolean(flag) => Some(flag.to_string()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Float(number) => Some(number.to_string()),
            _ => None,
        };
        let value = entry.to_value();
        let texts: Option<Vec<String>> = match &value {
            Value::Array(values) => values.iter().map(scalar).collect(),
            Value::Hash(pairs) => pairs
                .iter()
                .map(|(key, value)| Some(format!("{}={}", scalar(key)?, scalar(value)?)))
                .collect(),
            value => scalar(value).map(|text| vec![text]),
        };
        texts.ok_or_else(|| {
            self.file.invalid(entry, &format!("`{}` requires a string or a list of strings", entry.key))
        })
    }
}
