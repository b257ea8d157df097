//! Puppet's settings, as far as a compilation depends on them.

mod defaults;

use std::path::PathBuf;
use std::time::Duration;

use kukla_syntax::{Problem, Strict};
pub use kukla_values::Limits;
use kukla_values::{Hash, Value};

use defaults::DEFAULTS;

/// The settings of one environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The treatment of questionable code.
    pub strict: Strict,
    /// Whether an unknown variable is an error.
    pub strict_variables: bool,
    /// Whether catalogs may hold rich data.
    pub rich_data: bool,
    /// Whether a script runs, which makes no catalog.
    pub tasks: bool,
    /// Whether exported resources are kept and collected.
    pub storeconfigs: bool,
    /// The lowest level that is logged.
    pub log_level: LogLevel,
    /// Where replacements for functions and templates lie, if there are any.
    pub overrides: Option<PathBuf>,
    /// How much one compilation may use.
    pub limits: Limits,
    /// All settings by name, as `$settings::name` shows them.
    pub all: Hash,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            strict: Strict::Error,
            strict_variables: true,
            rich_data: true,
            storeconfigs: false,
            tasks: false,
            log_level: LogLevel::Notice,
            overrides: None,
            limits: Limits::default(),
            all: DEFAULTS.clone(),
        }
    }
}

/// Settings of Kukla itself, and of Puppets that are not the newest.
const FURTHER: [&str; 12] = [
    "deadline",
    "limit_depth",
    "limit_elements",
    "limit_logs",
    "limit_memory",
    "limit_nesting",
    "limit_resources",
    "limit_steps",
    "limit_text",
    "overrides",
    "strict_hostname_checking",
    "trusted_server_facts",
];

impl Settings {
    /// The names of all settings.
    pub fn names() -> impl Iterator<Item = &'static str> {
        DEFAULTS.keys().filter_map(Value::as_str).chain(FURTHER)
    }

    /// Whether there is a setting of that name.
    pub fn is_known(name: &str) -> bool {
        DEFAULTS.contains_key(name) || FURTHER.contains(&name)
    }

    /// Sets one setting by Puppet's name for it.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), Problem> {
        let flag = |value: &Value| match value {
            Value::Boolean(flag) => Ok(*flag),
            Value::String(text) if text == "true" => Ok(true),
            Value::String(text) if text == "false" => Ok(false),
            other => Err(invalid(name, other, "true or false")),
        };
        match name {
            "strict" => {
                let strict = value.as_str().unwrap_or_default().parse();
                self.strict = strict.map_err(|_| invalid(name, &value, "off, warning or error"))?;
            }
            "strict_variables" => self.strict_variables = flag(&value)?,
            "rich_data" => self.rich_data = flag(&value)?,
            "storeconfigs" => self.storeconfigs = flag(&value)?,
            "tasks" => self.tasks = flag(&value)?,
            "log_level" => {
                let text = value.as_str().unwrap_or_default();
                self.log_level = LogLevel::parse(text).ok_or_else(|| invalid(name, &value, "a log level"))?;
            }
            "limit_depth" => self.limits.depth = count(name, &value)?.try_into().unwrap_or(u32::MAX),
            "limit_nesting" => self.limits.nesting = count(name, &value)?.try_into().unwrap_or(usize::MAX),
            "limit_steps" => self.limits.steps = count(name, &value)?,
            "overrides" => self.overrides = value.as_str().map(PathBuf::from),
            "deadline" => self.limits.deadline = seconds(name, &value)?,
            "limit_memory" => self.limits.memory = count(name, &value)?,
            "limit_resources" => self.limits.resources = count(name, &value)?,
            "limit_logs" => self.limits.logs = count(name, &value)?,
            "limit_elements" => self.limits.elements = count(name, &value)?.try_into().unwrap_or(usize::MAX),
            "limit_text" => self.limits.text = count(name, &value)?.try_into().unwrap_or(usize::MAX),
            "confdir" | "codedir" | "vardir" | "logdir" | "rundir" | "ssldir" => self.relocate(name, &value),
            _ => {}
        }
        self.all.insert(name, value);
        Ok(())
    }

    /// Moves what lies in a directory by default, and was not placed elsewhere, along with the directory.
    fn relocate(&mut self, directory: &str, place: &Value) {
        let (Some(from), Some(to)) = (DEFAULTS.get(directory).and_then(Value::as_str), place.as_str()) else {
            return;
        };
        for (name, default) in &*DEFAULTS {
            let (Some(name), Some(path)) = (name.as_str(), default.as_str()) else { continue };
            if let Some(rest) = path.strip_prefix(from).filter(|rest| rest.starts_with('/'))
                && self.all.get(name) == Some(default)
            {
                self.all.insert(name, Value::from(format!("{to}{rest}")));
            }
        }
    }
}

/// The problem of a setting with a value that it cannot have.
fn invalid(name: &str, value: &Value, expected: &str) -> Problem {
    let value = kukla_values::format::to_s(value);
    Problem::invalid("invalid setting")
        .on(format_args!("'{name}'"))
        .because(format!("expected {expected}, got '{value}'"))
}

/// A number of seconds; none means that there is no limit.
fn seconds(name: &str, value: &Value) -> Result<Option<Duration>, Problem> {
    let number = match value {
        Value::Integer(n) => Some(*n as f64),
        Value::Float(n) => Some(*n),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let duration = number.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let duration = duration.ok_or_else(|| invalid(name, value, "a number of seconds"))?;
    Ok((!duration.is_zero()).then_some(duration))
}

fn count(name: &str, value: &Value) -> Result<u64, Problem> {
    let number = match value {
        Value::Integer(n) => u64::try_from(*n).ok(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| invalid(name, value, "a number, zero or more"))
}

/// How urgent a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// `debug`
    Debug,
    /// `info`
    Info,
    /// `notice`
    Notice,
    /// `warning`
    Warning,
    /// `err`
    Err,
    /// `alert`
    Alert,
    /// `emerg`
    Emerg,
    /// `crit`
    Crit,
}

impl LogLevel {
    const ALL: [LogLevel; 8] = [
        LogLevel::Debug,
        LogLevel::Info,
        LogLevel::Notice,
        LogLevel::Warning,
        LogLevel::Err,
        LogLevel::Alert,
        LogLevel::Emerg,
        LogLevel::Crit,
    ];

    /// Puppet's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Notice => "notice",
            LogLevel::Warning => "warning",
            LogLevel::Err => "err",
            LogLevel::Alert => "alert",
            LogLevel::Emerg => "emerg",
            LogLevel::Crit => "crit",
        }
    }

    /// The level of that name.
    pub fn parse(name: &str) -> Option<LogLevel> {
        LogLevel::ALL.into_iter().find(|level| level.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_directory_by_default_goes_with_it() {
        let mut settings = Settings::default();
        settings.set("libdir", "/elsewhere/lib".into()).unwrap();
        settings.set("vardir", "/srv/var".into()).unwrap();
        let text = |name: &str| {
            settings.all.get(name).and_then(Value::as_str).map(str::to_owned).unwrap_or_default()
        };
        assert_eq!((text("vardir"), text("statedir")), ("/srv/var".into(), "/srv/var/state".into()));
        assert_eq!(
            (text("libdir"), text("confdir")),
            ("/elsewhere/lib".into(), "/etc/puppetlabs/puppet".into())
        );
    }
}
