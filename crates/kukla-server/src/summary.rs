//! Settings in words: what `serve --check` prints, and what a reload changes.

use kukla_store::without_password;

use crate::settings::Settings;

/// A setting that a running server cannot change.
const NEEDS_RESTART: [&str; 2] = ["listen", "without TLS"];

/// A setting that is another one after a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// Its name.
    pub name: &'static str,
    /// The value before.
    pub before: String,
    /// The value after.
    pub after: String,
}

impl SettingChange {
    /// Whether the server has to be started again for it.
    pub fn needs_restart(&self) -> bool {
        NEEDS_RESTART.contains(&self.name)
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
        let value = |all: &[(&'static str, String)], name: &str| -> String {
            let values = all.iter().filter(|(known, _)| *known == name).map(|(_, value)| value.as_str());
            values.collect::<Vec<_>>().join(", ")
        };
        let mut names: Vec<&'static str> = new.iter().chain(&old).map(|(name, _)| *name).collect();
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(*name));
        let changes = names.into_iter().map(|name| SettingChange {
            name,
            before: value(&old, name),
            after: value(&new, name),
        });
        changes.filter(|change| change.before != change.after).collect()
    }

    /// The summary, and what it only counts or leaves out.
    fn comparable(&self) -> Vec<(&'static str, String)> {
        let mut all = self.summary();
        all.retain(|(name, _)| *name != "rules");
        all.push(("rules", self.rules.describe().join("; ")));
        all.push(("limits", format!("{:?}", self.limits)));
        all.push(("queue", self.compiling.queue.to_string()));
        all.push(("reports in", self.reports.directory.display().to_string()));
        all.push(("file bucket", self.bucket.display().to_string()));
        all.push(("mounts", self.mounts.display().to_string()));
        if let Some((_, practice)) = &self.authority {
            all.push(("certificate authority", format!("{practice:?}")));
        }
        all
    }
}
