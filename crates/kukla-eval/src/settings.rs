//! Puppet's settings, as far as a compilation depends on them.

use kukla_syntax::Strict;
use kukla_values::{Hash, Value};

/// The settings of one environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What becomes of questionable code.
    pub strict: Strict,
    /// Whether an unknown variable is an error.
    pub strict_variables: bool,
    /// Whether catalogs may hold rich data.
    pub rich_data: bool,
    /// Whether exported resources are kept and collected.
    pub storeconfigs: bool,
    /// The lowest level that is logged.
    pub log_level: LogLevel,
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
            log_level: LogLevel::Notice,
            all: Hash::new(),
        }
    }
}

impl Settings {
    /// Sets one setting by Puppet's name for it.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        let flag = |value: &Value| match value {
            Value::Boolean(flag) => Ok(*flag),
            Value::String(text) if text == "true" => Ok(true),
            Value::String(text) if text == "false" => Ok(false),
            _ => Err(format!("the setting '{name}' is true or false")),
        };
        match name {
            "strict" => self.strict = value.as_str().unwrap_or_default().parse()?,
            "strict_variables" => self.strict_variables = flag(&value)?,
            "rich_data" => self.rich_data = flag(&value)?,
            "storeconfigs" => self.storeconfigs = flag(&value)?,
            "log_level" => {
                let text = value.as_str().unwrap_or_default();
                self.log_level =
                    LogLevel::parse(text).ok_or_else(|| format!("'{text}' is not a log level"))?;
            }
            _ => {}
        }
        self.all.insert(name, value);
        Ok(())
    }
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
