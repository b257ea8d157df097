//! The store of all nodes: the latest facts and catalog of each, with the resources it exports, and its reports.
//!
//! A [`Store`] keeps that: in a file ([`SQLite`](https://sqlite.org)), on a PostgreSQL server, or in PuppetDB. [`open`] takes the URL of one:
//!
//! | URL | store |
//! | --- | --- |
//! | `sqlite:/var/lib/kukla/store.db` | one file, made when it is first used; several processes may use it at once |
//! | `postgres://user:password@host/database?sslmode=require` | a PostgreSQL server, for several machines |
//! | `puppetdb+https://host:8081` | PuppetDB, with a client certificate |
//!
//! ```
//! use kukla_store::{Options, Question, Timestamp, Update};
//! # let directory = std::env::temp_dir().join(format!("kukla-store-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory).unwrap();
//! # let url = format!("sqlite:{}/store.db", directory.display());
//!
//! let store = kukla_store::open(&url, &Options::default())?;
//!
//! // What a node is and shall be, in one transaction: a reader sees all of the old or all of the new.
//! let mut facts = kukla_values::Hash::new();
//! facts.insert("kernel", "Linux");
//! let catalog = kukla_catalog::Catalog { name: "web1".into(), ..Default::default() };
//! store.update(&Update {
//!     facts: Some(&facts),
//!     catalog: Some(&catalog),
//!     ..Update::of("web1", "production", Timestamp::now())
//! })?;
//!
//! // The compiler asks it for exported resources, and `puppetdb_query` goes there too:
//! // Compiler::new(world).with_exports(Arc::new(StoreExports::new(store.clone())))
//!
//! // Everything is there to be asked in PuppetDB's query languages.
//! let rows = store.query(&Question::pql(r#"inventory[certname] { facts.kernel = "Linux" }"#))?;
//! assert_eq!(rows[0]["certname"], "web1");
//! assert!(store.facts("web1")?.is_some() && store.catalog("web2")?.is_none());
//! # std::fs::remove_dir_all(&directory).unwrap();
//! # Ok::<(), Box<kukla_syntax::Diagnostic>>(())
//! ```
//!
//! The feature `drivers` brings the databases; without it [`open`] refuses every URL.
//!
//! Methods wait for the database, so asynchronous programs call them where waiting is allowed; any number of threads may call them at
//! once. Times are the caller's: the store uses the caller's present, except for the moment at which it receives something.

#![allow(clippy::disallowed_methods)] // a database is outside by nature, and nobody compiles here

#[cfg(not(feature = "drivers"))]
mod absent;
mod breaker;
pub mod codes;
#[cfg(feature = "drivers")]
mod edges;
mod exports;
#[cfg(feature = "drivers")]
mod open;
#[cfg(feature = "drivers")]
mod postgres;
#[cfg(feature = "drivers")]
mod puppetdb;
pub mod query;
mod report;
#[cfg(feature = "drivers")]
mod sql;
#[cfg(feature = "drivers")]
mod sqlite;
mod store;
mod time;
#[cfg(feature = "drivers")]
mod tls;
pub mod transfer;
mod url;

#[cfg(not(feature = "drivers"))]
pub use absent::open;
pub use breaker::Breaker;
pub use exports::StoreExports;
#[cfg(feature = "drivers")]
pub use open::open;
pub use query::Question;
pub use report::Report;
pub use store::{Options, Password, Store, Update, UpdateOutcome};
pub use time::Timestamp;
pub use url::{has_password, without_password};

/// The result of asking a store.
pub type Result<T> = std::result::Result<T, Box<kukla_syntax::Diagnostic>>;
