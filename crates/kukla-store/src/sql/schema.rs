//! The tables, and how they came to be what they are.
//!
//! `LAYOUTS` only grows: what is in it has been run on stores that exist. A store is brought up to date when it is opened; one of a newer
//! version is left alone.

use kukla_syntax::bail;

use super::{Connection, Database};
use crate::Result;
use crate::codes::STORE_TOO_NEW;

/// The spellings that differ between databases.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// The type of a number that counts itself.
    pub serial: &'static str,
    /// The type of names, which are sorted byte by byte.
    pub text: &'static str,
    /// The suffix of a table that has only its primary key.
    pub key_only: &'static str,
    /// Keeps others from preparing the same database until the transaction is over.
    pub alone: Option<&'static str>,
}

/// One step after the other. A timestamp is in milliseconds since 1970, a flag is 0 or 1; documents are JSON.
const LAYOUTS: &[&[&str]] = &[&[
    "CREATE TABLE nodes (
        id {serial} PRIMARY KEY,
        certname {text} NOT NULL UNIQUE,
        deactivated BIGINT,
        expired BIGINT)",
    "CREATE TABLE factsets (
        node BIGINT PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
        environment TEXT NOT NULL,
        producer TEXT,
        producer_timestamp BIGINT NOT NULL,
        timestamp BIGINT NOT NULL)",
    "CREATE TABLE facts (
        node BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
        name {text} NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (node, name))",
    "CREATE INDEX facts_by_name ON facts (name)",
    "CREATE TABLE catalogs (
        node BIGINT PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
        environment TEXT NOT NULL,
        version TEXT NOT NULL,
        uuid TEXT,
        code_id TEXT,
        transaction_uuid TEXT,
        producer TEXT,
        producer_timestamp BIGINT NOT NULL,
        timestamp BIGINT NOT NULL,
        hash TEXT NOT NULL,
        tags TEXT NOT NULL,
        classes TEXT NOT NULL,
        edges TEXT NOT NULL)",
    // The place of a resource in its catalog is its name here.
    "CREATE TABLE resources (
        node BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
        position BIGINT NOT NULL,
        type TEXT NOT NULL,
        title TEXT NOT NULL,
        tags TEXT NOT NULL,
        file TEXT,
        line BIGINT,
        exported BIGINT NOT NULL,
        virtual BIGINT NOT NULL,
        kind TEXT NOT NULL,
        parameters TEXT NOT NULL,
        sensitive TEXT,
        PRIMARY KEY (node, position))",
    "CREATE INDEX resources_by_type ON resources (type)",
    "CREATE INDEX resources_exported ON resources (type, node) WHERE exported = 1",
    // What collectors can ask of an exported resource, each as a number: see `keys`.
    "CREATE TABLE offers (
        key BIGINT NOT NULL,
        node BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
        position BIGINT NOT NULL,
        PRIMARY KEY (key, node, position)) {key_only}",
    "CREATE INDEX offers_of_node ON offers (node)",
    "CREATE TABLE reports (
        hash TEXT PRIMARY KEY,
        node BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
        environment TEXT NOT NULL,
        status TEXT,
        start_time BIGINT,
        end_time BIGINT NOT NULL,
        producer_timestamp BIGINT NOT NULL,
        receive_time BIGINT NOT NULL,
        document TEXT NOT NULL)",
    "CREATE INDEX reports_of_node ON reports (node, end_time)",
    "CREATE INDEX reports_by_time ON reports (end_time)",
]];

/// Makes the tables that are missing.
pub fn prepare(database: &dyn Database) -> Result<()> {
    let Dialect { serial, text, key_only, alone } = database.dialect();
    let mut found = None;
    // Nearly always there is nothing to do, and others need not wait for that.
    let known = LAYOUTS.len() as i64;
    let look = |connection: &mut dyn Connection| version(connection).map_err(|_| ());
    database.read(&mut |connection| {
        found = look(connection).ok();
        Ok(())
    })?;
    if found == Some(known) {
        return Ok(());
    }
    database.write(&mut |connection| {
        if let Some(alone) = alone {
            connection.run(alone, &[])?;
        }
        connection.run("CREATE TABLE IF NOT EXISTS layout (version BIGINT NOT NULL)", &[])?;
        let found = version(connection)?;
        if found > known {
            bail!(STORE_TOO_NEW { url: database.url(), found, known };
                hint: "use the version of Kukla that made it, or another store");
        }
        for statements in &LAYOUTS[usize::try_from(found).unwrap_or(0)..] {
            for statement in *statements {
                let own = [("{serial}", serial), ("{text}", text), ("{key_only}", key_only)];
                let sql =
                    own.iter().fold((*statement).to_owned(), |sql, (open, word)| sql.replace(open, word));
                connection.run(&sql, &[])?;
            }
        }
        connection.run("DELETE FROM layout", &[])?;
        connection.run("INSERT INTO layout (version) VALUES (?1)", &[known.into()])?;
        Ok(())
    })
}

/// The layout that a database has; 0 if it has none.
fn version(connection: &mut dyn Connection) -> Result<i64> {
    let mut found = 0;
    connection.rows("SELECT version FROM layout", &[], &mut |row| {
        found = row.int(0).unwrap_or(0);
        Ok(())
    })?;
    Ok(found)
}
