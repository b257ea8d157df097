//! The options that `serve` and `ca` share: the directories of a server's settings and certificates.

use std::path::PathBuf;

use kukla::syntax::Problem;
use kukla_server::settings::Overrides;

use super::options::split_assignment;
use crate::files::absolute;

/// The directories of a server, and settings that override its files.
#[derive(Clone, Debug, clap::Args)]
pub struct ServerOptions {
    /// Directory of puppet.conf [default: /etc/puppetlabs/puppet, or /etc/puppet if it has a puppet.conf]
    #[arg(long, global = true, value_name = "DIR")]
    confdir: Option<PathBuf>,
    /// Directory of puppetserver's files: conf.d/*.conf, services.d/ca.cfg [default: puppetserver beside confdir]
    #[arg(long, global = true, value_name = "DIR")]
    serverdir: Option<PathBuf>,
    /// Directory of the certificate authority [default: the setting cadir]
    #[arg(long, global = true, value_name = "DIR")]
    cadir: Option<PathBuf>,
    /// Directory of the server's own certificate [default: the setting ssldir]
    #[arg(long, global = true, value_name = "DIR")]
    ssldir: Option<PathBuf>,
    /// Name of the server in its certificate [default: the name of this machine]
    #[arg(long, global = true, value_name = "NAME")]
    certname: Option<String>,
    /// Override a setting of puppet.conf, for example autosign=true; can be repeated
    #[arg(long = "set", global = true, value_name = "SETTING=VALUE")]
    settings: Vec<String>,
}

impl ServerOptions {
    /// The settings that the options override.
    pub fn overrides(&self) -> Result<Overrides, Problem> {
        let mut settings = Vec::new();
        for setting in &self.settings {
            let (name, value) = split_assignment("--set", setting)?;
            settings.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        for (name, path) in [("cadir", &self.cadir), ("ssldir", &self.ssldir)] {
            if let Some(path) = path {
                settings.push((name.to_owned(), absolute(path)?.display().to_string()));
            }
        }
        settings.extend(self.certname.clone().map(|name| ("certname".to_owned(), name)));
        Ok(Overrides {
            confdir: self.confdir.as_deref().map(absolute).transpose()?,
            serverdir: self.serverdir.as_deref().map(absolute).transpose()?,
            settings,
            ..Overrides::default()
        })
    }
}
