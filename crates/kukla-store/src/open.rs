//! Opening a store by its URL.

use std::sync::Arc;

use kukla_syntax::{bail, diagnostic};

use crate::codes::BAD_STORE_URL;
use crate::postgres::Postgres;
use crate::puppetdb::PuppetDb;
use crate::sql::SqlStore;
use crate::sqlite::Sqlite;
use crate::url::without_password;
use crate::{Options, Result, Store};

/// Opens the store that a URL names.
pub fn open(url: &str, options: &Options) -> Result<Arc<dyn Store>> {
    if let Some(path) = url.strip_prefix("sqlite:") {
        if path.is_empty() || path.starts_with(":memory:") {
            bail!(BAD_STORE_URL { url, problem: "a file is to be named" }; hint: "as in sqlite:/var/lib/kukla/store.db");
        }
        return Ok(Arc::new(SqlStore::open(Sqlite::open(path, url, options)?, options)?));
    }
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Arc::new(SqlStore::open(Postgres::open(url, options)?, options)?));
    }
    if let Some(address) = url.strip_prefix("puppetdb+") {
        return Ok(Arc::new(PuppetDb::open(address, url, options)?));
    }
    let wrong =
        diagnostic!(BAD_STORE_URL { url: without_password(url), problem: "nothing of the kind is known" });
    Err(wrong
        .hint("a store is sqlite:PATH, postgres://USER@HOST/DATABASE or puppetdb+https://HOST:8081")
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_store_is_refused_with_a_hint() {
        for url in ["mysql://a:secret@b", "sqlite:", "store.db"] {
            let wrong = open(url, &Options::default()).unwrap_err();
            assert!(
                wrong.is(&BAD_STORE_URL) && !wrong.hints.is_empty() && !wrong.message().contains("secret"),
                "{wrong}"
            );
        }
    }
}
