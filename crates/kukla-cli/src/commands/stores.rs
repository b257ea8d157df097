//! Which store to use, as options of commands.

use std::path::PathBuf;
use std::sync::Arc;

use kukla::Diagnostic;
use kukla_store::{Options, Store};

/// Which store to use, and how to reach it.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct StoreOptions {
    /// The store of facts, catalogs and exported resources of all nodes: sqlite:PATH, postgres://USER@HOST/DATABASE or
    /// puppetdb+https://HOST:8081
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The certificate that this machine shows to the store's server, in PEM
    #[arg(long, value_name = "FILE", requires = "store")]
    store_cert: Option<PathBuf>,
    /// The private key of that certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "store")]
    store_key: Option<PathBuf>,
    /// The certificates of the authorities that vouch for the store's server, in PEM
    #[arg(long, value_name = "FILE", requires = "store")]
    store_ca: Option<PathBuf>,
}

impl StoreOptions {
    /// Whether there is to be one.
    pub fn is_given(&self) -> bool {
        self.store.is_some()
    }

    /// Opens the store that is named, if one is.
    pub fn open(&self) -> Result<Option<Arc<dyn Store>>, String> {
        let Some(url) = &self.store else { return Ok(None) };
        let options = Options {
            certificate: self.store_cert.clone(),
            key: self.store_key.clone(),
            authorities: self.store_ca.clone(),
            producer: host_name(),
            ..Options::default()
        };
        kukla_store::open(url, &options).map(Some).map_err(|wrong| told(&wrong))
    }

    /// Opens the store that a command cannot do without.
    pub fn wanted(&self) -> Result<Arc<dyn Store>, String> {
        self.open()?.ok_or_else(|| "which store? --store names it, as in --store sqlite:store.db".to_owned())
    }
}

/// What is wrong with a store, with what might help.
pub fn told(wrong: &Diagnostic) -> String {
    wrong.hints.iter().fold(wrong.message(), |text, hint| format!("{text}\n  hint: {hint}"))
}

/// The name of this machine, for others to see who compiled.
fn host_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
