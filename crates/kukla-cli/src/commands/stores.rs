//! The options that choose a store and connect to it.

use std::path::PathBuf;
use std::sync::Arc;

use kukla::syntax::Problem;
use kukla_store::{Options, Store};

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
}

impl StoreOptions {
    /// Opens the store, if the options name one.
    pub fn open(&self) -> Result<Option<Arc<dyn Store>>, Problem> {
        let Some(url) = &self.store else { return Ok(None) };
        let options = Options {
            certificate: self.store_cert.clone(),
            key: self.store_key.clone(),
            authorities: self.store_ca.clone(),
            producer: host_name(),
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

/// The name of this machine, which a store records as the producer of catalogs.
fn host_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
