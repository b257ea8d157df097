//! URLs of stores.

use std::sync::Arc;

use kukla_syntax::{bail, diagnostic};

use crate::codes::BAD_STORE_URL;
use crate::postgres::Postgres;
use crate::puppetdb::PuppetDb;
use crate::sql::SqlStore;
use crate::sqlite::Sqlite;
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

/// A URL as it may be shown.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (place, parameters) = rest.split_once('?').map_or((rest, None), |(place, more)| (place, Some(more)));
    let mut shown = match place.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split_once(':').map_or(user, |(user, _)| user);
            format!("{scheme}://{user}@{host}")
        }
        None => format!("{scheme}://{place}"),
    };
    let harmless =
        parameters.into_iter().flat_map(|all| all.split('&')).filter(|one| !one.starts_with("password"));
    for (at, parameter) in harmless.enumerate() {
        shown += if at == 0 { "?" } else { "&" };
        shown += parameter;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(without_password("postgres://kukla:a/b@c@db/x?a=b"), "postgres://kukla@db/x?a=b");
        assert_eq!(without_password("postgres://db:5/x?password=secret&a=b"), "postgres://db:5/x?a=b");
        assert_eq!(without_password("sqlite:/a"), "sqlite:/a");
    }

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
