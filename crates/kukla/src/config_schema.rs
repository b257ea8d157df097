//! The one table of the keys of `kukla.toml` and of puppetserver's files: it validates them, and the reference page is written from it.
//!
//! ```
//! use std::path::Path;
//! use kukla::config_file::ConfigFile;
//!
//! let file = ConfigFile::parse(Path::new("kukla.toml"), "[server]\ntreads = 4\n")?;
//! let problem = file.validate().unwrap_err();
//! assert_eq!(problem.to_string(), "invalid configuration in kukla.toml, line 2: unknown key `treads`");
//! assert!(problem.with_help().contains("did you mean `threads`?"));
//! # Ok::<(), kukla::syntax::Problem>(())
//! ```

mod tables;

use kukla_eval::settings::Settings;
use kukla_syntax::{Problem, suggest};
use kukla_values::{Hash, Value};

use crate::config_file::{ConfigEntry, ConfigFile};
pub use tables::TABLES;

/// A table of `kukla.toml`.
#[derive(Clone, Copy, Debug)]
pub struct TableSchema {
    /// Its name; the parts of a nested table's name are separated by dots.
    pub name: &'static str,
    /// Its purpose, for the reference page.
    pub purpose: &'static str,
    /// Its keys.
    pub keys: &'static [KeySchema],
    /// Keys that puppetserver has and Kukla does without: accepted in puppetserver's own files, refused in `kukla.toml`.
    pub ignored: &'static [&'static str],
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct KeySchema {
    /// Its name.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: ValueKind,
    /// Its default, in words.
    pub default: &'static str,
    /// Its meaning, for the reference page.
    pub meaning: &'static str,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A string.
    Text,
    /// The path of a file or directory.
    Path,
    /// `true` or `false`.
    Flag,
    /// A whole number, not negative.
    Number,
    /// Seconds, or a number with a unit: `90d`.
    Duration,
    /// A list of strings.
    Texts,
    /// A table, whose keys are those of the schema with this name, or any.
    Table,
    /// A list of tables.
    Tables,
}

impl ValueKind {
    /// The kind in words, for messages and the reference page.
    pub fn name(self) -> &'static str {
        match self {
            ValueKind::Text => "a string",
            ValueKind::Path => "a path",
            ValueKind::Flag => "true or false",
            ValueKind::Number => "a whole number",
            ValueKind::Duration => "a duration: seconds, or a number with a unit (90d, 12h, 5y)",
            ValueKind::Texts => "a list of strings",
            ValueKind::Table => "a table",
            ValueKind::Tables => "a list of tables",
        }
    }

    /// Whether a value is of this kind. puppetserver's files may have numbers and flags in quotes.
    fn accepts(self, value: &Value, may_be_quoted: bool) -> bool {
        let quoted = value.as_str().filter(|_| may_be_quoted);
        match (self, value) {
            (ValueKind::Text | ValueKind::Path, Value::String(text)) => !text.is_empty(),
            (ValueKind::Flag, Value::Boolean(_)) | (ValueKind::Table, Value::Hash(_)) => true,
            (ValueKind::Flag, _) => quoted.is_some_and(|text| matches!(text, "true" | "false")),
            (ValueKind::Number, Value::Integer(number)) => *number >= 0,
            (ValueKind::Number, _) => quoted.is_some_and(|text| text.parse::<u64>().is_ok()),
            (ValueKind::Duration, Value::Integer(number)) => *number > 0,
            (ValueKind::Duration, Value::String(text)) => !text.is_empty(),
            (ValueKind::Texts, Value::Array(all)) => all.iter().all(|each| each.as_str().is_some()),
            (ValueKind::Tables, Value::Array(all)) => all.iter().all(|each| each.as_hash().is_some()),
            _ => false,
        }
    }
}

/// The schema of a table.
pub fn table(name: &str) -> Option<&'static TableSchema> {
    TABLES.iter().find(|table| table.name == name)
}

/// The names of the keys of a table.
pub fn keys(table_name: &str) -> impl Iterator<Item = &'static str> {
    table(table_name).into_iter().flat_map(|table| table.keys).map(|key| key.name)
}

impl TableSchema {
    /// The schema of a key.
    pub fn key(&self, name: &str) -> Option<&'static KeySchema> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Whether the keys of the table are options of commands, which have a reference page of their own.
    pub fn has_options(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether the keys of the table are Puppet's own settings.
    fn is_puppets(&self) -> bool {
        self.name == "puppet"
    }
}

impl ConfigFile {
    /// Checks that every table and key of the file exists, and that every value is of its kind.
    pub fn validate(&self) -> Result<(), Problem> {
        self.check_tables()?;
        self.tables().iter().try_for_each(|entry| {
            let table = table(&entry.key).into_iter();
            table.into_iter().try_for_each(|table| self.check_table(entry, table))
        })
    }

    /// Checks that every table of the file exists.
    pub fn check_tables(&self) -> Result<(), Problem> {
        let names = || TABLES.iter().map(|table| table.name).filter(|name| !name.contains('.'));
        match self.tables().iter().find(|entry| !names().any(|name| name == entry.key)) {
            Some(entry) if entry.entries().is_some() => {
                let problem = self.invalid(entry, &format!("unknown table `{}`", entry.key));
                Err(with_hint(problem, suggest::nearest(&entry.key, names())))
            }
            Some(entry) => Err(self.invalid(entry, &format!("key `{}` is outside of any table", entry.key))),
            None => Ok(()),
        }
    }

    fn check_table(&self, entry: &ConfigEntry, schema: &'static TableSchema) -> Result<(), Problem> {
        let entries = entry.entries().ok_or_else(|| self.invalid(entry, "expected a table"))?;
        // The commands check their options themselves.
        let entries = if schema.has_options() { &[] } else { entries };
        for entry in entries {
            if schema.is_puppets() {
                check_setting(&entry.key).map_err(|problem| self.caused(entry, problem))?;
                continue;
            }
            let key = schema.key(&entry.key).ok_or_else(|| {
                let problem = self.invalid(entry, &format!("unknown key `{}`", entry.key));
                with_hint(problem, suggest::nearest(&entry.key, schema.keys.iter().map(|key| key.name)))
            })?;
            let nested = table(&format!("{}.{}", schema.name, key.name));
            match (entry.entries(), nested) {
                (Some(_), Some(nested)) if key.kind == ValueKind::Table => self.check_table(entry, nested)?,
                (Some(_), None) if key.kind == ValueKind::Table => {}
                _ => {
                    let is_valid = entry.value().is_some_and(|value| key.kind.accepts(value, false));
                    if !is_valid {
                        let reason = format!("`{}` requires {}", key.name, key.kind.name());
                        return Err(self.invalid(entry, &reason));
                    }
                    if let (Some(nested), Some(Value::Array(all))) = (nested, entry.value()) {
                        all.iter().filter_map(Value::as_hash).enumerate().try_for_each(|(at, hash)| {
                            check_hash(hash, nested).map_err(|(reason, near)| {
                                let reason = format!("{}, number {}: {reason}", nested.name, at + 1);
                                with_hint(self.invalid(entry, &reason), near)
                            })
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn caused(&self, entry: &ConfigEntry, problem: Problem) -> Problem {
        self.invalid(entry, "").caused_by(problem)
    }
}

fn with_hint(problem: Problem, near: Option<&str>) -> Problem {
    match near {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem,
    }
}

fn check_hash(hash: &Hash, schema: &'static TableSchema) -> Result<(), (String, Option<&'static str>)> {
    for (name, value) in hash.iter() {
        let name = name.as_str().unwrap_or_default();
        let Some(key) = schema.key(name) else {
            let near = suggest::nearest(name, schema.keys.iter().map(|key| key.name));
            return Err((format!("unknown key `{name}`"), near));
        };
        if !key.kind.accepts(value, false) {
            return Err((format!("`{name}` requires {}", key.kind.name()), None));
        }
    }
    Ok(())
}

/// A setting of puppetserver's files that nothing reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedSetting {
    /// The table and key.
    pub name: String,
}

/// Checks a file of puppetserver, read from HOCON. puppetserver ignores settings that it does not know, so a file that works there may have any;
/// one that is almost the name of a setting that matters is an error, and the others are returned for a warning.
pub fn check_puppetserver_file(file: &Value) -> Result<Vec<UnusedSetting>, Problem> {
    let names = || TABLES.iter().filter(|table| table.is_of_puppetserver()).map(|table| table.name);
    let mut unused = Vec::new();
    for (section, content) in file.as_hash().into_iter().flat_map(|hash| hash.iter()) {
        let section = section.as_str().unwrap_or_default();
        let (Some(schema), Some(content)) =
            (table(section).filter(|table| table.is_of_puppetserver()), content.as_hash())
        else {
            if let Some(near) = suggest::nearest(section, names()) {
                let problem = Problem::invalid(format!("unknown section '{section}'"));
                return Err(with_hint(problem, Some(near)));
            }
            continue;
        };
        for (name, value) in content.iter() {
            let name = name.as_str().unwrap_or_default();
            match schema.key(name) {
                Some(key) if matches!(key.kind, ValueKind::Table | ValueKind::Tables) => {}
                Some(key) if key.kind.accepts(value, true) => {}
                Some(key) => {
                    return Err(Problem::invalid(format!("invalid {section}.{name}"))
                        .because(format_args!("expected {}", key.kind.name())));
                }
                None if schema.ignored.contains(&name) => {}
                None => match suggest::nearest(name, keys(section)) {
                    Some(near) => {
                        let problem =
                            Problem::invalid(format!("unknown setting '{name}' in section '{section}'"));
                        return Err(with_hint(problem, Some(near)));
                    }
                    None => unused.push(UnusedSetting { name: format!("{section}.{name}") }),
                },
            }
        }
    }
    Ok(unused)
}

impl TableSchema {
    /// Whether the table is a section of puppetserver's files.
    pub fn is_of_puppetserver(&self) -> bool {
        matches!(
            self.name,
            "authorization" | "certificate-authority" | "jruby-puppet" | "versioned-code" | "webserver"
        )
    }
}

/// Settings of Puppet that `$settings` does not show, and those that older versions had: they are valid in `puppet.conf`.
const FURTHER_SETTINGS: &[&str] = &[
    "ciphers",
    "code",
    "http_proxy_password",
    "http_user_agent",
    "ldappassword",
    "maxwaitforcert",
    "name",
    "passfile",
    // Removed before Puppet 8.
    "allow_variables_with_dashes",
    "archive_file_server",
    "archive_files",
    "async_storeconfigs",
    "authconfig",
    "bindaddress",
    "ca_name",
    "ca_days",
    "ca_md",
    "catalog_format",
    "certdnsnames",
    "couchdb_url",
    "cfacter",
    "dbadapter",
    "dbconnections",
    "dblocation",
    "dbmigrate",
    "dbname",
    "dbpassword",
    "dbport",
    "dbserver",
    "dbsocket",
    "dbuser",
    "downcasefacts",
    "dynamicfacts",
    "factsync",
    "ignorecache",
    "immutable_node_data",
    "inventory_port",
    "inventory_server",
    "inventory_terminus",
    "keepalive",
    "ldapattrs",
    "listen",
    "lexer",
    "masterhttplog",
    "masterlog",
    "master_used",
    "manifestdir",
    "modulepath",
    "parser",
    "pluginsync",
    "puppetdlog",
    "rails_loglevel",
    "railslog",
    "reportserver",
    "req_bits",
    "rest_authconfig",
    "rrddir",
    "rrdinterval",
    "runinterval",
    "ssl_client_ca_auth",
    "ssl_server_ca_auth",
    "ssl_client_verify_header",
    "stringify_facts",
    "template",
    "templatedir",
    "thin_storeconfigs",
    "trusted_node_data",
    "virtual",
    "webrick_ssl_ciphers",
    "yamldir",
    "func3x_check",
    "facterng",
    "legacy_facts",
    "environment_data_provider",
    "app_management",
    "data_binding_terminus",
    "configtimeout",
    "curl_retry",
    "static_compiler",
    "ca_fingerprint",
    "certificate_expire_warning",
];

/// The names of all settings that `puppet.conf` may have.
pub fn puppet_settings() -> impl Iterator<Item = &'static str> {
    Settings::names().chain(FURTHER_SETTINGS.iter().copied())
}

/// Checks that Puppet has, or had, a setting of this name.
pub fn check_setting(name: &str) -> Result<(), Problem> {
    if puppet_settings().any(|known| known == name) {
        return Ok(());
    }
    let problem = Problem::not_found(format!("unknown setting `{name}`"));
    Err(with_hint(problem, suggest::nearest(name, puppet_settings())))
}

/// The setting that an unknown name is almost certainly meant to be.
pub fn near_setting(name: &str) -> Option<&'static str> {
    match check_setting(name) {
        Ok(()) => None,
        Err(_) => suggest::nearest(name, puppet_settings()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn error(text: &str) -> String {
        let file = ConfigFile::parse(Path::new("kukla.toml"), text).unwrap();
        file.validate().map_or_else(|problem| problem.with_help(), |()| String::new())
    }

    #[test]
    fn unknown_names_are_errors_with_the_near_one() {
        let line_2 = "invalid configuration in kukla.toml, line 2: ";
        for (text, reason, near) in [
            ("[server]\ntreads = 4", "unknown key `treads`", Some("threads")),
            ("[puppet]\nautosing = true", "unknown setting `autosing`", Some("autosign")),
            ("[puppet]\nnonsense = true", "unknown setting `nonsense`", None),
            ("[webserver]\nssl-prot = 1", "unknown key `ssl-prot`", Some("ssl-port")),
            ("[server]\nthreads = 'four'", "`threads` requires a whole number", None),
            ("[server]\nthreads = -4", "`threads` requires a whole number", None),
            ("[server]\nca = 'no'", "`ca` requires true or false", None),
            ("[ca]\nsigning = 1", "`signing` requires a table", None),
            ("[ca.signing]\nreservd = []", "unknown key `reservd`", Some("reserved")),
            (
                "[ca.signing]\nrules = [{name = 'a'}]",
                "ca.signing.rules, number 1: unknown key `name`",
                Some("names"),
            ),
        ] {
            let help = near.map_or_else(String::new, |near| format!("\n  help: did you mean `{near}`?"));
            assert_eq!(error(text), format!("{line_2}{reason}{help}"), "{text}");
        }
        let line_1 = "invalid configuration in kukla.toml, line 1: ";
        assert_eq!(
            error("[authorisation]\nversion = 1"),
            format!("{line_1}unknown table `authorisation`\n  help: did you mean `authorization`?")
        );
        assert_eq!(error("threads = 1"), format!("{line_1}key `threads` is outside of any table"));
        assert_eq!(error("[server]\nthreads = 1\n[check.rules]\nany = 'off'\n[puppet]\nautosign = true"), "");
    }

    #[test]
    fn files_of_puppetserver_may_have_more() {
        let check = |text: &str| {
            let file = kukla_formats::hocon::read(text, &|_| Ok(None)).unwrap();
            check_puppetserver_file(&file).map_err(|problem| problem.with_help())
        };
        assert_eq!(
            check("jruby-puppet: { max-active-instances: 3, gem-home: /x }, profiler: { enabled: true }"),
            Ok(vec![])
        );
        assert_eq!(
            check("jruby-puppet: { max-active-instance: 3 }"),
            Err("unknown setting 'max-active-instance' in section 'jruby-puppet'\n  help: did you mean `max-active-instances`?".into())
        );
        assert_eq!(
            check("certificate-authority: { allow-subject-alt-names: yes }"),
            Err("invalid certificate-authority.allow-subject-alt-names: expected true or false".into())
        );
        assert_eq!(
            check("authorisation: { version: 1 }"),
            Err("unknown section 'authorisation'\n  help: did you mean `authorization`?".into())
        );
        let unused = check("webserver: { my-own: 1 }").unwrap();
        assert_eq!(unused[0].name, "webserver.my-own");
    }

    #[test]
    fn every_nested_table_has_its_key() {
        for nested in TABLES.iter().filter(|table| table.name.contains('.')) {
            let (parent, key) = nested.name.rsplit_once('.').unwrap();
            let kind = table(parent).and_then(|table| table.key(key)).map(|key| key.kind);
            assert!(matches!(kind, Some(ValueKind::Table | ValueKind::Tables)), "{}", nested.name);
        }
    }
}
