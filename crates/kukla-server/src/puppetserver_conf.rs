//! The files of puppetserver that a server takes over: `conf.d/*.conf` and `services.d/ca.cfg`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use kukla::Value;
use kukla::formats::hocon;

use crate::auth::Rules;
use crate::files::read_if_there;

/// What they say.
#[derive(Clone, Debug)]
pub struct PuppetserverConf {
    /// Whether the authority is here.
    pub has_authority: bool,
    files: Vec<(PathBuf, String, Value)>,
}

impl PuppetserverConf {
    /// Reads the files of a directory; those that are not there say nothing.
    pub fn read(directory: &Path) -> Result<PuppetserverConf, String> {
        let mut files = Vec::new();
        let entries = std::fs::read_dir(directory.join("conf.d"));
        let mut paths: Vec<PathBuf> =
            entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "conf")) {
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let environment = |name: &str| Ok(std::env::var(name).ok());
            let value = hocon::read(&text, &environment)
                .map_err(|error| error.message(&path.display().to_string()))?;
            files.push((path, text, value));
        }
        let services = read_if_there(&directory.join("services.d").join("ca.cfg"));
        let services = services.ok().flatten().unwrap_or_default();
        let services = String::from_utf8_lossy(&services);
        let mut lines = services.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let has_authority = !lines.any(|line| line.contains("certificate-authority-disabled-service"));
        Ok(PuppetserverConf { has_authority, files })
    }

    fn get(&self, section: &str, name: &str) -> Option<&Value> {
        let all = self.files.iter().rev();
        all.filter_map(|(_, _, file)| file.as_hash()?.get(section)?.as_hash()?.get(name)).next()
    }

    /// A text.
    pub fn text(&self, section: &str, name: &str) -> Option<String> {
        match self.get(section, name)? {
            Value::String(text) => Some(text.to_string()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Boolean(truth) => Some(truth.to_string()),
            _ => None,
        }
    }

    /// A path.
    pub fn path(&self, section: &str, name: &str) -> Option<PathBuf> {
        self.text(section, name).map(PathBuf::from)
    }

    /// Yes or no.
    pub fn flag(&self, section: &str, name: &str) -> Option<bool> {
        self.text(section, name).and_then(|text| text.parse().ok())
    }

    /// A number.
    pub fn number(&self, section: &str, name: &str) -> Option<usize> {
        self.text(section, name).and_then(|text| text.parse().ok())
    }

    /// Where to listen, if these settings of the web server say so.
    pub fn listen(&self, host: &str, port: &str) -> Result<Option<SocketAddr>, String> {
        let (address, number) = (self.text("webserver", host), self.number("webserver", port));
        let Some(number) = number else { return Ok(None) };
        let address = address.unwrap_or_else(|| "0.0.0.0".to_owned());
        let address = if address == "localhost" { "127.0.0.1" } else { address.as_str() };
        let problem =
            || format!("webserver: {host} is an address and {port} a port, not '{address}' and '{number}'");
        let address = address.parse().map_err(|_| problem())?;
        Ok(Some(SocketAddr::new(address, u16::try_from(number).map_err(|_| problem())?)))
    }

    /// The rules of `auth.conf`, if there is one.
    pub fn authorization(&self) -> Option<Result<Rules, String>> {
        let has = |value: &Value| value.as_hash().is_some_and(|all| all.contains_key("authorization"));
        let (path, text, _) = self.files.iter().find(|(_, _, value)| has(value))?;
        Some(Rules::parse(text).map_err(|problem| format!("{}: {problem}", path.display())))
    }
}
