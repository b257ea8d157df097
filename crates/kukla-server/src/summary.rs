//! Settings in words: what `serve --check` prints, and what a reload changes.

use kukla_store::without_password;

use crate::settings::Settings;

/// A setting that a running server cannot change.
const NEEDS_RESTART: [&str; 2] = ["listen", "without TLS"];

/// Settings that the summary has under other names.
const SUMMARIZED: [&str; 14] = [
    "server.listen",
    "server.threads",
    "server.store",
    "webserver.host",
    "webserver.port",
    "webserver.ssl-host",
    "webserver.ssl-port",
    "certname",
    "cadir",
    "environmentpath",
    "external_nodes",
    "node_terminus",
    "reports",
    "jruby-puppet.max-active-instances",
];

/// A setting that is another one after a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// Its name.
    pub name: String,
    /// The value before.
    pub before: String,
    /// The value after.
    pub after: String,
}

impl SettingChange {
    /// Whether the server has to be started again for it.
    pub fn needs_restart(&self) -> bool {
        NEEDS_RESTART.contains(&self.name.as_str())
    }
}

impl Settings {
    /// The most important settings, by name. None of the values is a secret.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let authority = match &self.authority {
            Some((layout, _)) => layout.directory.display().to_string(),
            None => "on another machine".to_owned(),
        };
        let none = || "none".to_owned();
        let mut all = vec![("listen", self.listen.map_or_else(none, |listen| listen.to_string()))];
        all.extend(self.plain.map(|plain| ("without TLS", plain.to_string())));
        all.push(("identity", self.identity()));
        all.push(("certname", self.host.certname.clone()));
        all.push(("authority", authority));
        all.extend(self.environmentpath.iter().map(|path| ("environments", path.display().to_string())));
        all.push(("catalogs at once", self.compiling.threads.to_string()));
        all.push(("classifier", self.classifier.clone().unwrap_or_else(none)));
        all.push(("store", self.store.as_deref().map_or_else(none, without_password)));
        all.push(("reports", self.reports.processors.join(", ")));
        if let Some(webhook) = &self.webhook {
            let config = webhook.config.as_ref().map(|path| path.display().to_string());
            all.push((
                "webhook",
                format!("/webhook deploys by {}", config.as_deref().unwrap_or("r10k.yaml")),
            ));
        }
        all.push(("rules", self.rules.describe().len().to_string()));
        all
    }

    /// How clients are identified, and by whom if it is not themselves.
    fn identity(&self) -> String {
        let mut ways = Vec::new();
        if self.listen.is_some() {
            ways.push("certificates of TLS connections".to_owned());
        }
        match self.plain.filter(|_| self.rules.by_header) {
            Some(plain) => {
                let named = self.proxies.iter().map(ToString::to_string);
                let proxies: Vec<String> = std::iter::once("loopback".to_owned()).chain(named).collect();
                ways.push(format!("verified X-Client-Cert headers from {} on {plain}", proxies.join(", ")));
            }
            None if self.rules.by_header => {
                ways.push("no headers (allow-header-cert-info has no effect without host and port in webserver.conf)".to_owned());
            }
            None => {}
        }
        if ways.is_empty() { "nobody".to_owned() } else { ways.join("; ") }
    }

    /// The settings that differ from those before a reload.
    pub fn changes_since(&self, before: &Settings) -> Vec<SettingChange> {
        let (old, new) = (before.comparable(), self.comparable());
        let value = |all: &[(String, String)], name: &str| -> String {
            let values = all.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
            let values = values.collect::<Vec<_>>().join(", ");
            if values.is_empty() { "not set".to_owned() } else { values }
        };
        let shown = |name: &str, value: String| match name.contains("password") {
            true => "not shown".to_owned(),
            false => value,
        };
        let mut names: Vec<&String> = new.iter().chain(&old).map(|(name, _)| name).collect();
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(*name));
        names.retain(|name| value(&old, name) != value(&new, name));
        let changes = names.into_iter().map(|name| SettingChange {
            name: name.clone(),
            before: shown(name, value(&old, name)),
            after: shown(name, value(&new, name)),
        });
        changes.collect()
    }

    /// The summary, and all settings as they are written in the files.
    fn comparable(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> =
            self.summary().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        all.retain(|(name, _)| name != "rules");
        all.push(("rules".to_owned(), self.rules.describe().join("; ")));
        let of_puppet = self.puppet.entries().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let others = self.written.iter().map(|(name, value)| (name.clone(), value.clone()));
        let files = of_puppet.chain(others);
        all.extend(files.filter(|(name, _)| !SUMMARIZED.contains(&name.as_str())));
        all
    }
}
