//! The access policy of code: one policy, decided by the user who runs Kukla and applied in one place.
//!
//! A [`Guarded`](crate::Guarded) world asks about files, commands and environment variables itself, so nothing that goes through
//! [`World`] can forget to. What does not go through it (the network, a clock or randomness that code in Ruby
//! wants) asks [`Policy::check`] first. What is refused is a [`Refusal`], and that says how to allow it.

use std::fmt;
use std::path::{Path, PathBuf};

use kukla_syntax::{Diagnostic, Problem, diagnostic};
use kukla_values::time::Timestamp;

use crate::codes::NOT_ALLOWED;
use crate::{Change, World};

/// The file that is always there and empty; anyone may read it.
pub const NOTHING: &str = "/dev/null";

/// The permissions of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Which files may be read.
    pub files: Files,
    /// Which files may be changed.
    pub writes: Writes,
    /// Which commands may run.
    pub commands: Commands,
    /// Which environment variables may be seen.
    pub variables: Variables,
    /// Whether other hosts may be talked to.
    pub network: Access,
    /// The time that code reads.
    pub clock: Clock,
    /// The random numbers of code.
    pub randomness: Randomness,
    /// The time at which the command started, if all compilations of one command share it ([`Clock::Start`]).
    pub started: Option<Timestamp>,
    /// The Ruby that runs functions and templates which Kukla's own cannot run, if they are to be run at all. What it runs is
    /// under no policy.
    pub ruby: Option<String>,
    /// Where recorded answers lie, if what would be asked of others is asked there (see [`crate::answers`]).
    pub answers: Option<PathBuf>,
}

/// Whether something may be done at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// It may not: the default, since a catalog should depend on its inputs alone.
    #[default]
    Off,
    /// It may.
    On,
}

/// Which files a compilation may read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// How far from the repository.
    pub reach: Reach,
    /// Further directories and files, whatever the reach.
    pub also: Vec<PathBuf>,
}

/// How far from the repository files may be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// The environment's directory and paths that the caller named. Nothing in the environment adds to it.
    Repository,
    /// Besides, the module path and the data directories, wherever `environment.conf` and `hiera.yaml` say they are.
    Modules,
    /// Everything that the process may read: as in Puppet.
    #[default]
    Any,
}

/// The time that code reads. Puppet's own functions can always read the time; `off` is about Ruby code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The time at which the command or the compilation started: it does not pass, so that two sides of a comparison agree.
    #[default]
    Start,
    /// This time, so that a catalog can be reproduced.
    Fixed(Timestamp),
    /// The present: as in Puppet.
    On,
    /// None.
    Off,
}

/// The random numbers of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Randomness {
    /// Derived from this text and the name of the node: a compilation can be repeated, and nodes have different numbers.
    Seeded(String),
    /// Different each time: as in Puppet.
    On,
    /// None for Ruby code that does not seed its generator; Puppet's own functions have seeded ones.
    Off,
}

impl Default for Randomness {
    fn default() -> Randomness {
        Randomness::Seeded(String::new())
    }
}

/// Which files a compilation may change: some functions keep what they have made up, such as passwords, for the next time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// Any, but only for the compilation itself: the changes are in memory and end with it ([`Isolated`](crate::Isolated)).
    #[default]
    Scratch,
    /// None.
    Off,
    /// Everything below these directories, and the directories themselves.
    Below(Vec<PathBuf>),
    /// Everything that the process may change: as in Puppet.
    On,
}

/// Which commands a compilation may run (`generate`, `config_version`, an external node classifier).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Commands {
    /// None: the default, since a catalog should depend on its inputs alone.
    #[default]
    Off,
    /// Those that are listed.
    Only(Vec<String>),
    /// All.
    On,
}

/// Which environment variables may be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Variables {
    /// None.
    Off,
    /// Data may name any (`${HOME}` in HOCON, the key of eyaml), code may not: what the Puppet language needs.
    #[default]
    Data,
    /// Those that are listed.
    Only(Vec<String>),
    /// All.
    On,
}

/// Something that code wants to do outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect<'e> {
    /// Run a command.
    Command(&'e str),
    /// See an environment variable that data names.
    DataVariable(&'e str),
    /// See an environment variable that code names.
    Variable(&'e str),
    /// Talk to a host.
    Network(&'e str),
    /// Know the time.
    Clock,
    /// Have a number that nothing decides.
    Randomness,
    /// Know whose files are, and who this is. Only who changes files has to.
    Ownership,
}

impl Policy {
    /// Whether something may be done.
    pub fn check(&self, effect: Effect<'_>) -> Result<(), Refusal> {
        let allowed = match effect {
            Effect::Command(program) => self.commands.allow(program),
            Effect::DataVariable(name) => self.variables == Variables::Data || self.variables.allow(name),
            Effect::Variable(name) => self.variables.allow(name),
            Effect::Network(_) => self.network == Access::On,
            Effect::Clock => self.clock != Clock::Off,
            Effect::Randomness => self.randomness != Randomness::Off,
            Effect::Ownership => self.writes != Writes::Off,
        };
        if allowed { Ok(()) } else { Err(Refusal::of(effect)) }
    }
}

impl Writes {
    /// The directories below which files may be changed, where not all may.
    pub fn below(&self) -> &[PathBuf] {
        match self {
            Writes::Below(directories) => directories,
            Writes::Scratch | Writes::Off | Writes::On => &[],
        }
    }

    /// Whether something may be changed that lies at this path, which has no links.
    pub fn cover(&self, world: &dyn World, real: &Path) -> bool {
        *self == Writes::On || self.below().iter().any(|root| real.starts_with(world.resolve(root)))
    }

    /// That something may not be changed, and what would allow it besides what is allowed.
    pub(crate) fn refusal(&self, path: &Path, change: Change<'_>) -> Refusal {
        let also = match change {
            Change::MakeDirectory(_) => path,
            _ => path.parent().unwrap_or(path),
        };
        let directories = self.below().iter().map(PathBuf::as_path).chain([also]);
        let directories: Vec<String> = directories.map(|path| path.display().to_string()).collect();
        Refusal {
            what: format!("changing '{}'", path.display()),
            how: format!("--writes {}", directories.join(",")),
        }
    }
}

impl Commands {
    /// Whether this command may run.
    pub fn allow(&self, command: &str) -> bool {
        match self {
            Commands::Off => false,
            Commands::Only(list) => list.iter().any(|allowed| allowed == command),
            Commands::On => true,
        }
    }
}

impl Variables {
    /// Whether code may see this variable.
    pub fn allow(&self, name: &str) -> bool {
        match self {
            Variables::Off | Variables::Data => false,
            Variables::Only(list) => list.iter().any(|allowed| allowed == name),
            Variables::On => true,
        }
    }
}

/// The items of a list, which are all `valid`.
fn list(text: &str, expected: &str, valid: impl Fn(&str) -> bool) -> Result<Vec<String>, Problem> {
    let items: Vec<String> = text.split(',').map(str::to_owned).collect();
    match items.iter().find(|item| item.is_empty() || !valid(item)) {
        Some(item) => Err(unexpected(expected, item)),
        None => Ok(items),
    }
}

fn unexpected(expected: &str, got: &str) -> Problem {
    Problem::invalid(format!("expected {expected}, got '{got}'"))
}

/// `off`, `on`, or commands separated by commas: absolute paths, or names to be found in `PATH`.
impl std::str::FromStr for Commands {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Commands, Problem> {
        let good = |item: &str| item.starts_with('/') || !item.contains('/');
        match text {
            "off" => Ok(Commands::Off),
            "on" => Ok(Commands::On),
            "any" | "all" | "none" => Err(unexpected("off, on, or a list of commands", text)),
            _ => list(text, "off, on, or a list of names and absolute paths", good).map(Commands::Only),
        }
    }
}

/// `off`, `data`, `on`, or names separated by commas.
impl std::str::FromStr for Variables {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Variables, Problem> {
        match text {
            "off" => Ok(Variables::Off),
            "data" => Ok(Variables::Data),
            "on" => Ok(Variables::On),
            _ => list(text, "off, data, on, or a list of names", |item| !item.contains(['=', ' ', '/']))
                .map(Variables::Only),
        }
    }
}

/// `repository`, `modules` or `any`, and perhaps directories or files after it, separated by commas.
impl std::str::FromStr for Files {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Files, Problem> {
        let (reach, also) = text.split_once(',').map_or((text, None), |(reach, also)| (reach, Some(also)));
        let reach = match reach {
            "repository" => Reach::Repository,
            "modules" => Reach::Modules,
            "any" => Reach::Any,
            other => return Err(unexpected("repository, modules or any", other)),
        };
        let also = match also {
            Some(also) => list(also, "an absolute path", |item| item.starts_with('/'))?,
            None => Vec::new(),
        };
        Ok(Files { reach, also: also.into_iter().map(PathBuf::from).collect() })
    }
}

/// `scratch`, `off`, `on`, or directories separated by commas.
impl std::str::FromStr for Writes {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Writes, Problem> {
        let good = |item: &str| item.starts_with('/') || item.starts_with("./");
        match text {
            "scratch" => Ok(Writes::Scratch),
            "off" => Ok(Writes::Off),
            "on" => Ok(Writes::On),
            _ => {
                let expected = "scratch, off, on, or a list of paths that begin with / or ./";
                let directories = list(text, expected, good)?;
                Ok(Writes::Below(directories.into_iter().map(PathBuf::from).collect()))
            }
        }
    }
}

/// `off` or `on`.
impl std::str::FromStr for Access {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Access, Problem> {
        match text {
            "off" => Ok(Access::Off),
            "on" => Ok(Access::On),
            other => Err(unexpected("off or on", other)),
        }
    }
}

/// `start`, `fixed:TIME`, `on` or `off`.
impl std::str::FromStr for Clock {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Clock, Problem> {
        match text {
            "start" => Ok(Clock::Start),
            "on" => Ok(Clock::On),
            "off" => Ok(Clock::Off),
            _ => match text.strip_prefix("fixed:") {
                Some(time) => parse_time(time).map(Clock::Fixed),
                None => Err(unexpected("start, fixed:TIME, on or off", text)),
            },
        }
    }
}

/// A time as Puppet's `Timestamp` reads it, a date, or seconds since 1970 as in `SOURCE_DATE_EPOCH`.
fn parse_time(text: &str) -> Result<Timestamp, Problem> {
    if let Ok(seconds) = text.parse() {
        return Ok(Timestamp::from_seconds(seconds));
    }
    Timestamp::parse(text, None)
        .map_err(|_| unexpected("a time such as 2026-01-31T12:00:00Z or seconds since 1970", text))
}

/// `seeded`, `seeded:TEXT`, `on` or `off`.
impl std::str::FromStr for Randomness {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Randomness, Problem> {
        match text {
            "seeded" => Ok(Randomness::default()),
            "on" => Ok(Randomness::On),
            "off" => Ok(Randomness::Off),
            _ => match text.strip_prefix("seeded:") {
                Some(seed) => Ok(Randomness::Seeded(seed.to_owned())),
                None => Err(unexpected("seeded, seeded:TEXT, on or off", text)),
            },
        }
    }
}

/// Something that policy does not allow, and how it could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    what: String,
    how: String,
}

impl Refusal {
    fn of(effect: Effect<'_>) -> Refusal {
        let (what, how) = match effect {
            Effect::Command(program) => (format!("running '{program}'"), format!("--commands {program}")),
            Effect::DataVariable(name) | Effect::Variable(name) => {
                (format!("seeing the environment variable '{name}'"), format!("--env {name}"))
            }
            Effect::Network(host) => (format!("talking to '{host}'"), "--answers DIR".to_owned()),
            Effect::Clock => ("asking for the time".to_owned(), "--clock on".to_owned()),
            Effect::Randomness => ("drawing a random number".to_owned(), "--randomness on".to_owned()),
            Effect::Ownership => ("asking for users and groups".to_owned(), "--writes DIR".to_owned()),
        };
        Refusal { what, how }
    }

    /// A file that lies beyond the reach.
    pub(crate) fn to_read(path: &Path, reach: Reach) -> Refusal {
        let path = path.display();
        let how = match reach {
            Reach::Repository => format!("--files repository,{path}"),
            Reach::Modules | Reach::Any => format!("--files modules,{path}"),
        };
        Refusal { what: format!("reading '{path}'"), how }
    }

    /// The refusal as an error.
    pub fn diagnostic(&self) -> Diagnostic {
        diagnostic!(NOT_ALLOWED { what: self.what, how: self.how })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { what, how } = self;
        write!(f, "{what} is not allowed; `{how}` would allow it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_makes_catalogs_vary_is_allowed_by_default() {
        let policy = Policy::default();
        assert_eq!((policy.clock, &policy.writes), (Clock::Start, &Writes::Scratch));
        assert_eq!(policy.randomness, Randomness::Seeded(String::new()));
        for effect in [Effect::Clock, Effect::Randomness, Effect::Ownership] {
            assert_eq!(policy.check(effect), Ok(()));
        }
        let policy = Policy { clock: Clock::Off, randomness: Randomness::Off, writes: Writes::Off, ..policy };
        for effect in [
            Effect::Command("/bin/true"),
            Effect::Variable("HOME"),
            Effect::Network("example.com"),
            Effect::Clock,
            Effect::Randomness,
            Effect::Ownership,
        ] {
            let refusal = policy.check(effect).unwrap_err().to_string();
            assert!(refusal.contains("is not allowed; `--"), "{refusal}");
        }
        assert_eq!(policy.check(Effect::DataVariable("HOME")), Ok(()));
    }

    #[test]
    fn what_is_listed_is_allowed() {
        let policy = Policy {
            commands: "/bin/a,/bin/b,curl".parse().unwrap(),
            variables: "HOME,LANG".parse().unwrap(),
            network: "on".parse().unwrap(),
            ..Policy::default()
        };
        assert_eq!(policy.check(Effect::Command("/bin/b")), Ok(()));
        assert!(policy.check(Effect::Command("/bin/c")).is_err());
        assert!("any".parse::<Commands>().is_err(), "what is meant is `on`");
        assert_eq!(policy.check(Effect::Variable("LANG")), Ok(()));
        assert!(policy.check(Effect::DataVariable("PATH")).is_err());
        assert_eq!(policy.check(Effect::Network("example.com")), Ok(()));
    }

    #[test]
    fn a_policy_that_can_mean_nothing_is_refused() {
        for text in ["", "bin/x", "./x", "/bin/a,,/bin/b", "/bin/a,x/y"] {
            assert!(text.parse::<Commands>().is_err(), "{text}");
        }
        for text in ["", "none", "repository,", "repository,etc", "any,/a,b"] {
            assert!(text.parse::<Files>().is_err(), "{text}");
        }
        for text in ["", "none", "srv", "/srv,cache"] {
            assert!(text.parse::<Writes>().is_err(), "{text}");
        }
        for text in ["", "fixed:", "fixed:tomorrow", "fixed:2026-13-01", "now"] {
            assert!(text.parse::<Clock>().is_err(), "{text}");
        }
        for text in ["", "seed", "random"] {
            assert!(text.parse::<Randomness>().is_err(), "{text}");
        }
        for text in ["", "A=B", "A,,B"] {
            assert!(text.parse::<Variables>().is_err(), "{text}");
        }
        let noon = Timestamp::from_seconds(1_769_860_800);
        for text in ["fixed:2026-01-31T12:00:00Z", "fixed:2026-01-31T12:00:00", "fixed:1769860800"] {
            assert_eq!(text.parse::<Clock>().unwrap(), Clock::Fixed(noon), "{text}");
        }
        let files: Files = "repository,/srv/keys".parse().unwrap();
        assert_eq!((files.reach, files.also), (Reach::Repository, vec![PathBuf::from("/srv/keys")]));
    }
}
