//! The table `webhook` of `kukla.toml`.

use std::path::PathBuf;

use kukla::syntax::Problem;
use kukla::world::policy::Commands;

use super::signature::Secrets;
use crate::puppetserver_conf::PuppetserverConf;

/// The settings of the webhook.
#[derive(Clone, Debug)]
pub struct WebhookSettings {
    /// The secrets of the git host.
    pub secrets: Secrets,
    /// The settings of deployments; none for the usual files of r10k.
    pub config: Option<PathBuf>,
    /// The commands that deployments may run.
    pub commands: Commands,
    /// The directory of the store of modules, if it is not the usual one.
    pub module_store: Option<PathBuf>,
    /// The file with a line for each deployment, if there is one besides the log.
    pub audit_log: Option<PathBuf>,
}

impl WebhookSettings {
    /// Reads the table; none without a file of secrets.
    pub fn read(server: &PuppetserverConf) -> Result<Option<WebhookSettings>, Problem> {
        let path = |name: &str| server.path("webhook", name);
        let others = ["r10k-config", "commands", "module-store", "audit-log"];
        let Some(secret_file) = path("secret-file") else {
            return match others.iter().find(|name| server.text("webhook", name).is_some()) {
                Some(name) => Err(Problem::invalid("the webhook has no secret")
                    .because(format!("[webhook] in kukla.toml has {name}, but no secret-file"))
                    .help("secret-file = \"/etc/puppetlabs/puppet/webhook.secret\"")),
                None => Ok(None),
            };
        };
        let commands = server.text("webhook", "commands").unwrap_or_else(|| "off".to_owned());
        Ok(Some(WebhookSettings {
            secrets: Secrets::read(&secret_file)?,
            config: path("r10k-config"),
            commands: commands.parse().map_err(|why| {
                Problem::invalid("invalid commands of the webhook")
                    .on(format_args!("'{commands}'"))
                    .because(why)
            })?,
            module_store: path("module-store"),
            audit_log: path("audit-log"),
        }))
    }
}
