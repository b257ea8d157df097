//! The options that choose a store and connect to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::syntax::Problem;
use kukla_store::{Options, Password, Store};

use crate::files;
use crate::output::errln;

/// The store to use, and the certificates to connect with.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct StoreOptions {
    /// Use a store of facts, catalogs and exported resources of all nodes: sqlite:PATH, postgres://USER@HOST/DATABASE or
    /// puppetdb+https://HOST:8081
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Authenticate to the store's server with this certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "store")]
    store_cert: Option<PathBuf>,
    /// Private key of --store-cert (PEM)
    #[arg(long, value_name = "FILE", requires = "store")]
    store_key: Option<PathBuf>,
    /// Trust servers of stores whose certificate one of these authorities signed (PEM)
    #[arg(long, value_name = "FILE", requires = "store")]
    store_ca: Option<PathBuf>,
    /// File with the password of the user in --store [default: the environment variable KUKLA_STORE_PASSWORD]
    #[arg(long, value_name = "FILE", requires = "store")]
    store_password_file: Option<PathBuf>,
}

/// Warns that other users of this machine can see a password on the command line.
pub fn warn_of_password(url: &str) {
    if kukla_store::has_password(url) {
        errln!(
            "kukla: warning: the password in --store is visible to all users of this machine\n  help: put it into a file, --store-password-file, or into the environment variable KUKLA_STORE_PASSWORD"
        );
    }
}

impl StoreOptions {
    /// Opens the store, if the options name one.
    pub fn open(&self) -> Result<Option<Arc<dyn Store>>, Problem> {
        let Some(url) = &self.store else { return Ok(None) };
        warn_of_password(url);
        let password = self.store_password_file.as_deref().map(read_password).transpose()?;
        let options = Options {
            certificate: self.store_cert.clone(),
            key: self.store_key.clone(),
            authorities: self.store_ca.clone(),
            producer: host_name(),
            password,
            ..Options::default()
        };
        Ok(Some(kukla_store::open(url, &options)?))
    }

    /// Opens the store that a command requires.
    pub fn require(&self) -> Result<Arc<dyn Store>, Problem> {
        let missing = || {
            Problem::invalid("this command requires a store")
                .help("name it with --store, as in --store sqlite:store.db")
        };
        self.open()?.ok_or_else(missing)
    }
}

/// The password in a file: its first line.
pub fn read_password(path: &Path) -> Result<Password, Problem> {
    let text = files::read_text(path)?;
    match text.lines().next().filter(|line| !line.is_empty()) {
        Some(line) => Ok(Password::new(line)),
        None => Err(Problem::invalid("no password in").on(path.display())),
    }
}

/// The name of this machine, which a store records as the producer of catalogs.
fn host_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
