//! What `serve` and `ca` have in common: where a server's settings and certificates are.

use std::path::PathBuf;

use kukla_server::settings::Overrides;

/// Where the settings of a server are, and what counts in place of them.
#[derive(Clone, Debug, clap::Args)]
pub struct ServerOptions {
    /// The directory of puppet.conf; by default /etc/puppetlabs/puppet, or /etc/puppet if there is one in it
    #[arg(long, global = true, value_name = "DIR")]
    confdir: Option<PathBuf>,
    /// The directory of puppetserver's files (conf.d/*.conf with auth.conf, services.d/ca.cfg); by default puppetserver beside confdir
    #[arg(long, global = true, value_name = "DIR")]
    serverdir: Option<PathBuf>,
    /// The directory of the certificate authority
    #[arg(long, global = true, value_name = "DIR")]
    cadir: Option<PathBuf>,
    /// The directory of the server's own certificate
    #[arg(long, global = true, value_name = "DIR")]
    ssldir: Option<PathBuf>,
    /// The server's name in its certificate; by default that of the machine
    #[arg(long, global = true, value_name = "NAME")]
    certname: Option<String>,
    /// Another of puppet.conf's settings, as `autosign=true`; may be given several times
    #[arg(long = "set", global = true, value_name = "SETTING=VALUE")]
    settings: Vec<String>,
}

impl ServerOptions {
    /// What they stand for.
    pub fn overrides(&self) -> Result<Overrides, String> {
        let mut settings = Vec::new();
        for setting in &self.settings {
            let (name, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("--set {setting}: a setting is written as NAME=VALUE"))?;
            settings.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        for (name, path) in [("cadir", &self.cadir), ("ssldir", &self.ssldir)] {
            if let Some(path) = path {
                settings.push((name.to_owned(), absolute(path)?.display().to_string()));
            }
        }
        settings.extend(self.certname.clone().map(|name| ("certname".to_owned(), name)));
        Ok(Overrides {
            confdir: self.confdir.as_ref().map(absolute).transpose()?,
            serverdir: self.serverdir.as_ref().map(absolute).transpose()?,
            settings,
            ..Overrides::default()
        })
    }
}
