//! A store in a database that speaks SQL. SQLite and PostgreSQL have the same tables, and all statements are written once, for both.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use kukla_catalog::{Catalog, ExportQuery, ExportedResource};
use kukla_values::Hash;
use serde_json::Value as Json;

use crate::{Options, Question, Report, Result, Store, Timestamp, Update, UpdateOutcome};

mod exported;
mod keys;
mod lives;
mod read;
mod rows;
mod scan;
pub mod schema;
mod write;

/// A value that goes into a database.
#[derive(Clone, Debug, PartialEq)]
pub enum Param<'p> {
    Null,
    Int(i64),
    Text(Cow<'p, str>),
}

impl From<i64> for Param<'_> {
    fn from(number: i64) -> Self {
        Param::Int(number)
    }
}

impl From<bool> for Param<'_> {
    fn from(flag: bool) -> Self {
        Param::Int(flag.into())
    }
}

impl From<Timestamp> for Param<'_> {
    fn from(time: Timestamp) -> Self {
        Param::Int(time.0)
    }
}

impl<'p> From<&'p str> for Param<'p> {
    fn from(text: &'p str) -> Self {
        Param::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Param<'_> {
    fn from(text: String) -> Self {
        Param::Text(Cow::Owned(text))
    }
}

impl<'p, T: Into<Param<'p>>> From<Option<T>> for Param<'p> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Param::Null, Into::into)
    }
}

/// A row that comes out of a database. What has another type than the one that is asked for is not there.
pub trait Row {
    fn int(&self, column: usize) -> Option<i64>;
    fn text(&self, column: usize) -> Option<&str>;

    fn flag(&self, column: usize) -> bool {
        self.int(column) == Some(1)
    }

    fn owned(&self, column: usize) -> Option<String> {
        self.text(column).map(str::to_owned)
    }
}

/// A visitor of rows.
pub type Visit<'v> = &'v mut dyn FnMut(&dyn Row) -> Result<()>;

/// A conversation with a database, within a transaction. Places of parameters are written `?1`, `?2`.
pub trait Connection {
    /// Runs a statement; how many rows it concerned.
    fn run(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64>;

    /// Visits each row that a statement gives.
    fn rows(&mut self, sql: &str, params: &[Param<'_>], visit: Visit<'_>) -> Result<()>;

    /// Adds many rows to a table.
    fn insert(&mut self, table: &str, columns: &[&str], rows: &[Vec<Param<'_>>]) -> Result<()>;
}

/// A database, with as many connections as it takes.
pub trait Database: Send + Sync + Debug {
    /// Where it is, without passwords.
    fn url(&self) -> &str;

    /// Its spelling of what the layout leaves open.
    fn dialect(&self) -> schema::Dialect;

    /// Runs statements that change nothing and see one state of the database.
    fn read(&self, work: &mut dyn FnMut(&mut dyn Connection) -> Result<()>) -> Result<()>;

    /// Runs statements, all of them or none. It may begin again after a conflict with others.
    fn write(&self, work: &mut dyn FnMut(&mut dyn Connection) -> Result<()>) -> Result<()>;
}

/// A store in a database.
#[derive(Debug)]
pub struct SqlStore<D> {
    database: D,
    producer: Option<String>,
}

impl<D: Database> SqlStore<D> {
    /// The store in a database, whose layout is brought up to date.
    pub fn open(database: D, options: &Options) -> Result<SqlStore<D>> {
        schema::prepare(&database)?;
        Ok(SqlStore { database, producer: options.producer.clone() })
    }

    fn reading<T: Default>(&self, mut work: impl FnMut(&mut dyn Connection) -> Result<T>) -> Result<T> {
        let mut result = T::default();
        self.database.read(&mut |connection| {
            result = work(connection)?;
            Ok(())
        })?;
        Ok(result)
    }

    fn writing<T: Default>(&self, mut work: impl FnMut(&mut dyn Connection) -> Result<T>) -> Result<T> {
        let mut result = T::default();
        self.database.write(&mut |connection| {
            result = work(connection)?;
            Ok(())
        })?;
        Ok(result)
    }
}

impl<D: Database> Store for SqlStore<D> {
    fn url(&self) -> &str {
        self.database.url()
    }

    fn update(&self, update: &Update<'_>) -> Result<UpdateOutcome> {
        let producer = update.producer.or(self.producer.as_deref());
        let update = Update { producer, ..*update };
        let prepared = update.catalog.map(write::Prepared::new);
        let mut outcome = UpdateOutcome::Stored;
        self.database.write(&mut |connection| {
            outcome = write::update(connection, &update, prepared.as_ref(), Timestamp::now())?;
            Ok(())
        })?;
        Ok(outcome)
    }

    fn add_report(&self, report: &Report) -> Result<()> {
        self.writing(|connection| write::report(connection, report))
    }

    fn exported(&self, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>> {
        self.reading(|connection| exported::find(connection, wanted))
    }

    fn query(&self, question: &Question) -> Result<Vec<Json>> {
        let query = question.parse()?;
        self.reading(|connection| query.answer(&mut scan::Tables(connection)))
    }

    fn facts(&self, node: &str) -> Result<Option<Hash>> {
        self.reading(|connection| read::facts(connection, node))
    }

    fn catalog(&self, node: &str) -> Result<Option<Catalog>> {
        self.reading(|connection| read::catalog(connection, node))
    }

    fn deactivate(&self, node: &str, time: Timestamp) -> Result<bool> {
        self.writing(|connection| lives::deactivate(connection, node, time))
    }

    fn expire(&self, silent_since: Timestamp, now: Timestamp) -> Result<Vec<String>> {
        self.writing(|connection| lives::expire(connection, silent_since, now))
    }

    fn purge_nodes(&self, until: Timestamp) -> Result<Vec<String>> {
        self.writing(|connection| lives::purge(connection, until))
    }

    fn purge_reports(&self, before: Timestamp) -> Result<u64> {
        self.writing(|connection| lives::purge_reports(connection, before))
    }
}
