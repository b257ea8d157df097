//! SQLite: one file, written by one at a time and read by any number meanwhile, by threads and by processes.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kukla_syntax::{Diagnostic, bail, diagnostic};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{ErrorCode, OpenFlags, ToSql, params_from_iter};

use crate::codes::{NOT_A_STORE, STORE_FAILED, STORE_FULL, STORE_LOCKED, STORE_UNREACHABLE};
use crate::sql::schema::Dialect;
use crate::sql::{self, Connection as _, Database, Param, Row, Visit};
use crate::{Options, Result};

/// The application number in the header of our files: `Kukl`.
const APPLICATION: i64 = 0x4b75_6b6c;

/// The number of prepared statements that each connection holds.
const STATEMENTS: usize = 64;

/// A file.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    url: String,
    patience: Duration,
    idle: Mutex<Vec<rusqlite::Connection>>,
    /// Threads take turns here, which is fairer than what the file has to offer.
    writer: Mutex<()>,
}

impl Sqlite {
    /// Opens a file, which is made if it is not there, readable by its owner alone.
    pub fn open(path: &str, url: &str, options: &Options) -> Result<Sqlite> {
        let sqlite = Sqlite {
            path: path.into(),
            url: url.to_owned(),
            patience: options.patience,
            idle: Mutex::default(),
            writer: Mutex::default(),
        };
        let directory = sqlite.path.parent().filter(|directory| !directory.as_os_str().is_empty());
        if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
            let problem = format!("there is no directory {}", directory.display());
            bail!(STORE_UNREACHABLE { url, problem }; hint: "the file is made when it is first used, its directory is not");
        }
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&sqlite.path);
        if let Err(error) = made
            && !Path::exists(&sqlite.path)
        {
            bail!(STORE_UNREACHABLE { url, problem: error }; hint: "the user that runs kukla must be able to write there");
        }
        let connection = sqlite.connect()?;
        sqlite.settle(&connection).map_err(|error| sqlite.wrong(&error))??;
        lock(&sqlite.idle).push(connection);
        Ok(sqlite)
    }

    /// Makes sure that the file is ours, and lets its readers go on while someone writes.
    fn settle(&self, connection: &rusqlite::Connection) -> rusqlite::Result<Result<()>> {
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        let deadline = Instant::now() + self.patience;
        loop {
            let settle = || -> rusqlite::Result<Result<()>> {
                // In this order: who makes the file at the same time names itself before there is a table.
                let has_tables = number("SELECT count(*) FROM sqlite_master")? > 0;
                if number("PRAGMA application_id")? != APPLICATION {
                    if has_tables {
                        let problem = "it is a database of something else";
                        return Ok(Err(diagnostic!(NOT_A_STORE { url: &self.url, problem }).into()));
                    }
                    connection.pragma_update(None, "application_id", APPLICATION)?;
                }
                connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
                Ok(Ok(()))
            };
            match settle() {
                // Two that make the file at the same time are in each other's way without waiting.
                Err(error) if is_busy(&error) && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                settled => return settled,
            }
        }
    }

    fn connect(&self) -> Result<rusqlite::Connection> {
        let connect = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = rusqlite::Connection::open_with_flags(&self.path, flags)?;
            connection.busy_timeout(self.patience)?;
            connection.set_prepared_statement_cache_capacity(STATEMENTS);
            // With a write-ahead log this survives the end of the process at any moment.
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update(None, "cache_size", -32_768)?;
            Ok(connection)
        };
        connect().map_err(|error| self.wrong(&error))
    }

    /// Runs something in a transaction. After a failure the connection is closed.
    fn transact(
        &self,
        begin: &str,
        work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>,
    ) -> Result<()> {
        let idle = lock(&self.idle).pop();
        let connection = idle.map_or_else(|| self.connect(), Ok)?;
        let mut conversation = Conversation { connection, sqlite: self };
        conversation.run(begin, &[])?;
        work(&mut conversation)?;
        conversation.run("COMMIT", &[])?;
        lock(&self.idle).push(conversation.connection);
        Ok(())
    }

    fn wrong(&self, error: &rusqlite::Error) -> Box<Diagnostic> {
        let url = self.url.as_str();
        let problem = match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
            other => other.to_string(),
        };
        let code = error.sqlite_error_code();
        let seconds = self.patience.as_secs();
        Box::new(match code {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                diagnostic!(STORE_LOCKED { url, problem };
                hint: "another process has kept it for more than {seconds} seconds; see who does with `fuser {}`", self.path.display())
            }
            Some(ErrorCode::DiskFull) => diagnostic!(STORE_FULL { url, problem };
                hint: "nothing was stored; make room on the disk and try again, or `kukla store purge`"),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                diagnostic!(NOT_A_STORE { url, problem };
                hint: "name a file that kukla made, or one that is not there yet")
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                diagnostic!(STORE_FAILED { url, problem };
                hint: "the user that runs kukla must be able to write the file and its directory")
            }
            Some(ErrorCode::CannotOpen) => diagnostic!(STORE_UNREACHABLE { url, problem };
                hint: "the user that runs kukla must be able to write the file and its directory"),
            Some(ErrorCode::SystemIoFailure) => diagnostic!(STORE_FAILED { url, problem };
                hint: "the disk fails, or has no room"),
            _ => diagnostic!(STORE_FAILED { url, problem }),
        })
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Database for Sqlite {
    fn url(&self) -> &str {
        &self.url
    }

    fn dialect(&self) -> Dialect {
        Dialect { serial: "INTEGER", text: "TEXT", key_only: "WITHOUT ROWID", alone: None }
    }

    fn read(&self, work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>) -> Result<()> {
        self.transact("BEGIN", work)
    }

    fn write(&self, work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>) -> Result<()> {
        let _turn = lock(&self.writer);
        self.transact("BEGIN IMMEDIATE", work)
    }
}

/// A connection at work.
struct Conversation<'s> {
    connection: rusqlite::Connection,
    sqlite: &'s Sqlite,
}

impl sql::Connection for Conversation<'_> {
    fn run(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let run = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.execute(params_from_iter(params))
        };
        run().map(|rows| rows as u64).map_err(|error| self.sqlite.wrong(&error))
    }

    fn rows(&mut self, sql: &str, params: &[Param<'_>], visit: Visit<'_>) -> Result<()> {
        let mut visit_all = || -> rusqlite::Result<Result<()>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(params_from_iter(params))?;
            while let Some(row) = rows.next()? {
                if let Err(wrong) = visit(&Found(row)) {
                    return Ok(Err(wrong));
                }
            }
            Ok(Ok(()))
        };
        visit_all().map_err(|error| self.sqlite.wrong(&error))?
    }

    fn insert(&mut self, table: &str, columns: &[&str], rows: &[Vec<Param<'_>>]) -> Result<()> {
        let places: Vec<String> = (1..=columns.len()).map(|at| format!("?{at}")).collect();
        let sql = format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), places.join(", "));
        let insert = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            rows.iter().try_for_each(|row| statement.execute(params_from_iter(row)).map(|_| ()))
        };
        insert().map_err(|error| self.sqlite.wrong(&error))
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Param::Null => ToSqlOutput::Owned(Value::Null),
            Param::Int(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Param::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

struct Found<'r, 's>(&'r rusqlite::Row<'s>);

impl Row for Found<'_, '_> {
    fn int(&self, column: usize) -> Option<i64> {
        self.0.get_ref(column).ok()?.as_i64().ok()
    }

    fn text(&self, column: usize) -> Option<&str> {
        self.0.get_ref(column).ok()?.as_str().ok()
    }
}
