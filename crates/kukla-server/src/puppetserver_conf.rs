//! The files of puppetserver that a server takes over, `conf.d/*.conf` and `services.d/ca.cfg`; and `kukla.toml`, which can say all of
//! that and what `puppet.conf` says, in one file.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use kukla::Value;
use kukla::config_file::{ConfigEntry, ConfigFile};
use kukla::config_schema::{self, check_puppetserver_file};
use kukla::formats::hocon;
use kukla::syntax::Problem;
use kukla::values::Hash;

use crate::auth::Rules;
use crate::files::{read, read_if_there};
use crate::log;

/// The settings of these files.
#[derive(Clone, Debug)]
pub struct PuppetserverConf {
    /// Whether the authority is here.
    pub has_authority: bool,
    files: Vec<(PathBuf, Value)>,
}

impl PuppetserverConf {
    /// Reads the files of a directory; those that are not there say nothing.
    pub fn read(directory: &Path) -> Result<PuppetserverConf, Problem> {
        let mut files = Vec::new();
        let entries = std::fs::read_dir(directory.join("conf.d"));
        let mut paths: Vec<PathBuf> =
            entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "conf")) {
            let text = as_text(&path, read(&path)?)?;
            let environment = |name: &str| Ok(std::env::var(name).ok());
            let value = hocon::read(&text, &environment)
                .map_err(|error| Problem::invalid(error.message(&path.display().to_string())))?;
            let unused = check_puppetserver_file(&value).map_err(|problem| {
                Problem::new(problem.kind(), "invalid").on(path.display()).caused_by(problem)
            })?;
            for setting in unused {
                log::warning(&format!(
                    "unknown setting {} in {}; it is ignored",
                    setting.name,
                    path.display()
                ));
            }
            files.push((path, value));
        }
        let services = read_if_there(&directory.join("services.d").join("ca.cfg"));
        let services = services.ok().flatten().unwrap_or_default();
        let services = String::from_utf8_lossy(&services);
        let mut lines = services.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let has_authority = !lines.any(|line| line.contains("certificate-authority-disabled-service"));
        Ok(PuppetserverConf { has_authority, files })
    }

    /// Adds `kukla.toml`, if there is one: it counts more than the other files, whose sections it has as tables.
    pub fn add_toml(&mut self, path: &Path) -> Result<(), Problem> {
        let Some(bytes) = read_if_there(path)? else { return Ok(()) };
        let file = ConfigFile::parse(path, &as_text(path, bytes)?)?;
        file.validate()?;
        let ca = file.table("server")?.iter().find(|entry| entry.key == "ca");
        self.has_authority &= ca.and_then(ConfigEntry::as_bool) != Some(false);
        self.files.push((path.to_owned(), file.to_value()));
        Ok(())
    }

    /// The settings of `puppet.conf` that `kukla.toml` has in its table `puppet`.
    pub fn puppet_settings(&self) -> Vec<(String, String)> {
        let tables = self.files.iter().filter_map(|(_, file)| file.as_hash()?.get("puppet")?.as_hash());
        let settings = tables.flat_map(|table| table.iter());
        settings.filter_map(|(name, value)| Some((name.as_str()?.to_owned(), written(value)?))).collect()
    }

    /// All settings of the server as they are written, by section and name. The rules of `auth.conf` and the settings of `puppet.conf` are not among
    /// them.
    pub fn entries(&self) -> BTreeMap<String, String> {
        let mut entries = BTreeMap::new();
        for (_, file) in &self.files {
            for (section, table) in file.as_hash().into_iter().flat_map(|all| all.iter()) {
                let (Some(section), Some(table)) = (section.as_str(), table.as_hash()) else { continue };
                if !["authorization", "puppet"].contains(&section) {
                    flatten(section, table, &mut entries);
                }
            }
        }
        entries
    }

    fn get(&self, section: &str, name: &str) -> Option<&Value> {
        debug_assert!(
            config_schema::table(section).is_some_and(|table| table.key(name).is_some()),
            "{section}.{name} is not in kukla::config_schema"
        );
        let all = self.files.iter().rev();
        all.filter_map(|(_, file)| file.as_hash()?.get(section)?.as_hash()?.get(name)).next()
    }

    /// A text.
    pub fn text(&self, section: &str, name: &str) -> Option<String> {
        written(self.get(section, name)?)
    }

    /// A path.
    pub fn path(&self, section: &str, name: &str) -> Option<PathBuf> {
        self.text(section, name).map(PathBuf::from)
    }

    /// A table.
    pub fn table(&self, section: &str, name: &str) -> Option<&Hash> {
        self.get(section, name)?.as_hash()
    }

    /// Yes or no.
    pub fn flag(&self, section: &str, name: &str) -> Option<bool> {
        self.text(section, name).and_then(|text| text.parse().ok())
    }

    /// A number.
    pub fn number(&self, section: &str, name: &str) -> Option<usize> {
        self.text(section, name).and_then(|text| text.parse().ok())
    }

    /// Where to listen, if these settings of the web server say so; `usual` is the address if they have only a port.
    pub fn listen(&self, host: &str, port: &str, usual: Ipv4Addr) -> Result<Option<SocketAddr>, Problem> {
        let (address, number) = (self.text("webserver", host), self.number("webserver", port));
        let Some(number) = number else { return Ok(None) };
        let address = address.unwrap_or_else(|| usual.to_string());
        let address = if address == "localhost" { "127.0.0.1" } else { address.as_str() };
        let invalid = |setting: &str, value: &dyn std::fmt::Display, expected: &str| {
            Problem::invalid(format!("invalid {setting}")).on(format_args!("'{value}'")).because(expected)
        };
        let ip = address.parse().map_err(|_| invalid(host, &address, "expected an IP address"))?;
        let port =
            u16::try_from(number).map_err(|_| invalid(port, &number, "expected a port from 0 to 65535"))?;
        Ok(Some(SocketAddr::new(ip, port)))
    }

    /// The rules of `auth.conf`, if there is one.
    pub fn authorization(&self) -> Option<Result<Rules, Problem>> {
        let has = |value: &Value| value.as_hash().is_some_and(|all| all.contains_key("authorization"));
        let (path, value) = self.files.iter().rev().find(|(_, value)| has(value))?;
        Some(Rules::read(value).map_err(|problem| {
            Problem::new(problem.kind(), "cannot read").on(path.display()).caused_by(problem)
        }))
    }
}

fn as_text(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes)
        .map_err(|error| Problem::invalid("cannot read").on(path.display()).because(error))
}

fn flatten(prefix: &str, table: &Hash, entries: &mut BTreeMap<String, String>) {
    for (name, value) in table.iter() {
        let name = format!("{prefix}.{}", name.as_str().unwrap_or_default());
        match value.as_hash() {
            Some(table) => flatten(&name, table, entries),
            None => {
                entries.insert(name, shown(value));
            }
        }
    }
}

/// A value for people, with tables in lists.
fn shown(value: &Value) -> String {
    let list = |all: Vec<String>| all.join(", ");
    match value {
        Value::Array(all) => format!("[{}]", list(all.iter().map(shown).collect())),
        Value::Hash(all) => {
            let entries = all.iter().map(|(name, value)| format!("{} = {}", shown(name), shown(value)));
            format!("{{{}}}", list(entries.collect()))
        }
        other => written(other).unwrap_or_default(),
    }
}

/// A value as one would write it.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        Value::Array(all) => Some(all.iter().map(written).collect::<Option<Vec<_>>>()?.join(",")),
        _ => None,
    }
}
