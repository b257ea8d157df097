//! SQLite: one file, written by one at a time and read by any number meanwhile, by threads and by processes.

use std::fs::OpenOptions;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use kukla_syntax::{Diagnostic, bail, diagnostic};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{ErrorCode, OpenFlags, ToSql, params_from_iter};

use crate::codes::{NOT_A_STORE, STORE_FAILED, STORE_FULL, STORE_LOCKED, STORE_UNREACHABLE};
use crate::sql::schema::{self, Dialect};
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
    /// The file under the path; another one may take its place while we work.
    file: RwLock<OpenFile>,
    /// Threads take turns here, which is fairer than what the file has to offer.
    writer: Mutex<()>,
}

/// A file that is open.
#[derive(Debug, Default)]
struct OpenFile {
    identity: Option<FileIdentity>,
    log: Mutex<Option<FileIdentity>>,
    idle: Mutex<Vec<rusqlite::Connection>>,
}

/// The device and the number of a file.
type FileIdentity = (u64, u64);

/// The number of times that a transaction is repeated because another file took the place of the one it went to.
const ATTEMPTS: usize = 5;

fn identity(path: &Path) -> Option<FileIdentity> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.dev(), about.ino()))
}

impl Sqlite {
    /// Opens a file, which is made if it is not there, readable by its owner alone.
    pub fn open(path: &str, url: &str, options: &Options) -> Result<Sqlite> {
        let sqlite = Sqlite {
            path: path.into(),
            url: url.to_owned(),
            patience: options.patience,
            file: RwLock::default(),
            writer: Mutex::default(),
        };
        let directory = sqlite.path.parent().filter(|directory| !directory.as_os_str().is_empty());
        if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
            let problem = format!("there is no directory {}", directory.display());
            bail!(STORE_UNREACHABLE { url, problem }; hint: "the file is made when it is first used, its directory is not");
        }
        sqlite.open_file(&mut sqlite.file.write().unwrap_or_else(PoisonError::into_inner))?;
        Ok(sqlite)
    }

    /// Opens the file that is now under the path.
    fn open_file(&self, file: &mut OpenFile) -> Result<()> {
        let url = self.url.as_str();
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.path);
        if let Err(error) = made
            && !Path::exists(&self.path)
        {
            bail!(STORE_UNREACHABLE { url, problem: error }; hint: "the user that runs kukla must be able to write there");
        }
        let old = std::mem::replace(file, OpenFile { identity: identity(&self.path), ..OpenFile::default() });
        self.forget(old);
        let connection = self.connect()?;
        self.settle(&connection).map_err(|error| self.wrong(&error))??;
        lock(&file.idle).push(connection);
        Ok(())
    }

    /// Closes a file whose place another one has taken. Its write-ahead log goes as well: it would be applied to the new file.
    fn forget(&self, old: OpenFile) {
        let OpenFile { identity: open, log, idle } = old;
        drop(idle);
        let logged = log.into_inner().unwrap_or_else(PoisonError::into_inner);
        if open.is_some() && logged.is_some() && identity(&self.log_path()) == logged {
            let _ = std::fs::remove_file(self.log_path());
        }
    }

    fn log_path(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push("-wal");
        path.into()
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

    /// Runs something in a transaction, in the file that is under the path from its beginning to its end.
    fn transact(
        &self,
        begin: &str,
        work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>,
    ) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
            if identity(&self.path) == file.identity {
                self.transact_in(&file, begin, work)?;
                if identity(&self.path) == file.identity {
                    lock(&file.log).get_or_insert_with(|| identity(&self.log_path()).unwrap_or_default());
                    return Ok(());
                }
            }
            drop(file);
            let mut file = self.file.write().unwrap_or_else(PoisonError::into_inner);
            if identity(&self.path) != file.identity {
                self.open_file(&mut file)?;
                schema::prepare(&Preparation { sqlite: self, file: &file })?;
            }
        }
        let problem = "the file is replaced again and again";
        Err(diagnostic!(STORE_FAILED { url: &self.url, problem }).into())
    }

    /// Runs something in a transaction. After a failure the connection is closed.
    fn transact_in(
        &self,
        file: &OpenFile,
        begin: &str,
        work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>,
    ) -> Result<()> {
        let idle = lock(&file.idle).pop();
        let connection = idle.map_or_else(|| self.connect(), Ok)?;
        let mut conversation = Conversation { connection, sqlite: self };
        conversation.run(begin, &[])?;
        work(&mut conversation)?;
        conversation.run("COMMIT", &[])?;
        lock(&file.idle).push(conversation.connection);
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

/// A file that gets its layout while nobody else works with it.
#[derive(Debug)]
struct Preparation<'p> {
    sqlite: &'p Sqlite,
    file: &'p OpenFile,
}

impl Database for Preparation<'_> {
    fn url(&self) -> &str {
        self.sqlite.url()
    }

    fn dialect(&self) -> Dialect {
        self.sqlite.dialect()
    }

    fn read(&self, work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>) -> Result<()> {
        self.sqlite.transact_in(self.file, "BEGIN", work)
    }

    fn write(&self, work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>) -> Result<()> {
        self.sqlite.transact_in(self.file, "BEGIN IMMEDIATE", work)
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
