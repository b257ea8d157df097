//! PostgreSQL: a server that any number of machines share.

use std::collections::HashMap;
use std::error::Error as _;
use std::future::Future;
use std::io::Cursor;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt, TryStreamExt};
use kukla_syntax::{Diagnostic, bail, diagnostic};
use tokio::runtime::Runtime;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Config, NoTls, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::codes::{
    BAD_STORE_URL, NOT_A_STORE, STORE_CERTIFICATE, STORE_FAILED, STORE_FULL, STORE_UNREACHABLE,
};
use crate::sql::schema::Dialect;
use crate::sql::{self, Database, Param, Row, Visit};
use crate::tls::{self, Identity};
use crate::url::without_password;
use crate::{Options, Result};

/// The largest number of idle connections; more are opened while there is more to do.
const IDLE: usize = 8;

/// The time in which a connection that is alive answers.
const ALIVE: Duration = Duration::from_secs(5);

/// The number of times that a transaction begins again after a conflict with others.
const ATTEMPTS: usize = 10;

/// The time to connect, if the store's patience is not shorter.
const CONNECT: Duration = Duration::from_secs(10);

/// A database of a server.
pub struct Postgres {
    url: String,
    config: Config,
    tls: Option<MakeRustlsConnect>,
    /// The time to connect and to log in.
    connect: Duration,
    /// The time of a statement, if it has a limit.
    statement: Option<Duration>,
    idle: Mutex<Vec<Session>>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postgres").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A connection with the statements that it knows. Its thread works for it while it waits for an answer, so that waiting can have an end whatever the
/// server does.
struct Session {
    client: Client,
    statements: HashMap<String, Statement>,
    limit: Option<Duration>,
    runtime: Runtime,
}

/// A call to the server that did not succeed.
enum Failure {
    Postgres(tokio_postgres::Error),
    Io(std::io::Error),
    TimedOut(Duration),
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        Failure::Postgres(error)
    }
}

/// Waits for the server, for a limited time.
fn wait<T>(
    runtime: &Runtime,
    limit: Option<Duration>,
    answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
) -> std::result::Result<T, Failure> {
    runtime.block_on(async {
        match limit {
            None => Ok(answer.await?),
            Some(limit) => match tokio::time::timeout(limit, answer).await {
                Ok(done) => Ok(done?),
                Err(_) => Err(Failure::TimedOut(limit)),
            },
        }
    })
}

impl Session {
    fn batch(&self, sql: &str) -> std::result::Result<(), Failure> {
        wait(&self.runtime, self.limit, self.client.batch_execute(sql))
    }

    fn prepare(&mut self, sql: &str) -> std::result::Result<Statement, Failure> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        // Parameters are written `$1` here, and nowhere does a question mark mean anything else.
        let statement = wait(&self.runtime, self.limit, self.client.prepare(&sql.replace('?', "$")))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Postgres {
    /// Connects to a server. The parameters `sslmode`, `sslrootcert`, `sslcert` and `sslkey` mean what they do to other programs, but a server
    /// that is spoken to in secret has to show a certificate that the authority has signed, whatever the mode.
    pub fn open(url: &str, options: &Options) -> Result<Postgres> {
        let shown = without_password(url);
        let mut options = options.clone();
        let mut mode = None;
        let (place, parameters) = url.split_once('?').unwrap_or((url, ""));
        let mut rest = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let file = Some(PathBuf::from(value));
            match name {
                "sslmode" => mode = Some(value.to_owned()),
                "sslrootcert" => options.authorities = file,
                "sslcert" => options.certificate = file,
                "sslkey" => options.key = file,
                _ => rest.push(parameter),
            }
        }
        let plain = if rest.is_empty() { place.to_owned() } else { format!("{place}?{}", rest.join("&")) };
        let mut config: Config = match plain.parse() {
            Ok(config) => config,
            Err(error) => bail!(BAD_STORE_URL { url: shown, problem: with_causes(&error) };
                hint: "as in postgres://kukla@db.example.com/kukla?sslmode=require&sslrootcert=/etc/kukla/ca.pem"),
        };
        config.application_name("kukla");
        let from_environment =
            || ["KUKLA_STORE_PASSWORD", "PGPASSWORD"].iter().find_map(|name| std::env::var(name).ok());
        if let Some(password) = &options.password {
            config.password(password.reveal());
        } else if config.get_password().is_none()
            && let Some(password) = from_environment()
        {
            config.password(password);
        }
        let connect = options.patience.min(CONNECT);
        config.connect_timeout(connect);
        let secret = match mode.as_deref() {
            Some("disable") => false,
            Some("require" | "verify-ca" | "verify-full") if options.authorities.is_none() => {
                bail!(STORE_CERTIFICATE { url: shown, problem: "nobody vouches for the server" };
                    hint: "add &sslrootcert=FILE with the certificate of the authority that signed the server's")
            }
            Some("require" | "verify-ca" | "verify-full") => true,
            // The authority that a server of agents has for its own purposes says nothing about the database.
            None | Some("prefer" | "allow") => parameters.contains("sslrootcert="),
            Some(other) => {
                bail!(BAD_STORE_URL { url: shown, problem: format!("there is no sslmode '{other}'") })
            }
        };
        config.ssl_mode(if secret { SslMode::Require } else { SslMode::Disable });
        let identity = secret.then(|| Identity::read(&shown, &options)).transpose()?;
        let tls = identity.map(|identity| identity.config(&shown)).transpose()?.map(MakeRustlsConnect::new);
        let statement = options.statement;
        let postgres = Postgres { url: shown, config, tls, connect, statement, idle: Mutex::default() };
        let first = postgres.connect()?;
        postgres.idle().push(first);
        Ok(postgres)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connect(&self) -> Result<Session> {
        self.try_connect().map_err(|failure| self.failed(&failure))
    }

    fn try_connect(&self) -> std::result::Result<Session, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Failure::Io)?;
        let client = wait(&runtime, Some(self.connect), async {
            Ok(match &self.tls {
                Some(tls) => {
                    let (client, connection) = self.config.connect(tls.clone()).await?;
                    tokio::spawn(connection);
                    client
                }
                None => {
                    let (client, connection) = self.config.connect(NoTls).await?;
                    tokio::spawn(connection);
                    client
                }
            })
        })?;
        // The server ends a statement by itself; only if it does not, the connection is closed.
        let limit = self.statement.map(|limit| limit + limit / 4);
        let session = Session { client, statements: HashMap::new(), limit, runtime };
        if let Some(limit) = self.statement {
            let milliseconds = limit.as_millis();
            session.batch(&format!(
                "SET statement_timeout = {milliseconds}; SET lock_timeout = {milliseconds};
                 SET idle_in_transaction_session_timeout = {milliseconds}"
            ))?;
        }
        Ok(session)
    }

    /// A connection that is alive, as far as can be known.
    fn session(&self) -> Result<Session> {
        loop {
            let Some(session) = self.idle().pop() else { return self.connect() };
            // A server that was restarted has closed our connections.
            let is_alive = || wait(&session.runtime, Some(ALIVE), session.client.simple_query("")).is_ok();
            if !session.client.is_closed() && is_alive() {
                return Ok(session);
            }
        }
    }

    fn transact(
        &self,
        begin: &str,
        work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>,
    ) -> Result<()> {
        let mut attempt = 1;
        loop {
            let mut conversation =
                Conversation { session: self.session()?, postgres: self, is_in_the_way: false };
            let done = conversation
                .batch(begin)
                .and_then(|()| work(&mut conversation))
                .and_then(|()| conversation.batch("COMMIT"));
            match done {
                Ok(()) => {
                    let mut idle = self.idle();
                    if idle.len() < IDLE {
                        idle.push(conversation.session);
                    }
                    return Ok(());
                }
                Err(_) if conversation.is_in_the_way && attempt < ATTEMPTS => attempt += 1,
                Err(wrong) => return Err(wrong),
            }
        }
    }

    fn failed(&self, failure: &Failure) -> Box<Diagnostic> {
        let url = self.url.as_str();
        match failure {
            Failure::Postgres(error) => self.wrong(error),
            Failure::Io(error) => Box::new(diagnostic!(STORE_FAILED { url, problem: error })),
            Failure::TimedOut(limit) => {
                let problem = format!("timed out after {} seconds", limit.as_secs_f64());
                Box::new(diagnostic!(STORE_UNREACHABLE { url, problem };
                    hint: "the server accepts connections but does not answer: is it overloaded, or stopped?"))
            }
        }
    }

    fn wrong(&self, error: &tokio_postgres::Error) -> Box<Diagnostic> {
        let (url, problem) = (self.url.as_str(), with_causes(error));
        let Some(code) = error.code() else {
            // With TLS, a failure of the handshake has a cause that is not one of the operating system.
            let cause = std::error::Error::source(error);
            let is_trust = self.tls.is_some()
                && cause.is_some_and(|cause| match cause.downcast_ref::<std::io::Error>() {
                    Some(error) => tls::is_tls_failure(error),
                    None => true,
                });
            return Box::new(match is_trust {
                true => diagnostic!(STORE_CERTIFICATE { url, problem };
                    hint: "sslrootcert names the authority that signed the server's certificate, which has to be for the host in the URL"),
                false => diagnostic!(STORE_UNREACHABLE { url, problem };
                    hint: "is the server running there, and does it listen on that address?"),
            });
        };
        Box::new(match code.code() {
            "3D000" => {
                diagnostic!(STORE_UNREACHABLE { url, problem }; hint: "make the database first: createdb -O USER DATABASE")
            }
            // The statement, or waiting for a lock, took longer than allowed.
            "57014" | "55P03" | "25P03" => {
                diagnostic!(STORE_UNREACHABLE { url, problem }; hint: "the server is too slow: is it overloaded, or does something else hold a lock?")
            }
            "53300" | "57P01" | "57P02" | "57P03" => {
                diagnostic!(STORE_UNREACHABLE { url, problem }; hint: "try again when the server has less to do")
            }
            "53100" => {
                diagnostic!(STORE_FULL { url, problem }; hint: "nothing was stored; make room on the server and try again")
            }
            code if code.starts_with("28") => diagnostic!(STORE_FAILED { url, problem };
                hint: "name the user in the URL, postgres://USER@HOST/DATABASE, and the password in --store-password-file or KUKLA_STORE_PASSWORD"),
            "42501" => diagnostic!(STORE_FAILED { url, problem };
                hint: "the user makes tables when a store is first used: it has to own the database or its schema"),
            "42P07" | "42703" | "42P01" => diagnostic!(NOT_A_STORE { url, problem };
                hint: "name a database that is for kukla alone"),
            _ => diagnostic!(STORE_FAILED { url, problem }),
        })
    }
}

impl Drop for Postgres {
    /// Ending a connection waits for the server, and the last to use a store may be a thread on which nobody may wait.
    fn drop(&mut self) {
        let sessions = std::mem::take(&mut *self.idle());
        if !sessions.is_empty() {
            let _ = std::thread::spawn(move || drop(sessions)).join();
        }
    }
}

/// The message of an error with its causes.
fn with_causes(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    text
}

impl Database for Postgres {
    fn url(&self) -> &str {
        &self.url
    }

    fn dialect(&self) -> Dialect {
        Dialect {
            serial: "BIGINT GENERATED ALWAYS AS IDENTITY",
            text: "TEXT COLLATE \"C\"",
            key_only: "",
            // Any number, as long as it is always the same.
            alone: Some("SELECT pg_advisory_xact_lock(1265988460)"),
        }
    }

    fn read(&self, work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>) -> Result<()> {
        self.transact("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work)
    }

    fn write(&self, work: &mut dyn FnMut(&mut dyn sql::Connection) -> Result<()>) -> Result<()> {
        self.transact("BEGIN", work)
    }
}

/// A connection at work.
struct Conversation<'p> {
    session: Session,
    postgres: &'p Postgres,
    /// Whether the server gave up a transaction because of another one.
    is_in_the_way: bool,
}

impl Conversation<'_> {
    fn batch(&mut self, sql: &str) -> Result<()> {
        let done = self.session.batch(sql);
        done.map_err(|failure| self.failed(&failure))
    }

    fn failed(&mut self, failure: &Failure) -> Box<Diagnostic> {
        if let Failure::Postgres(error) = failure {
            let conflicts = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
            self.is_in_the_way |= error.code().is_some_and(|code| conflicts.contains(code));
        }
        self.postgres.failed(failure)
    }
}

impl sql::Connection for Conversation<'_> {
    fn run(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|param| param as _).collect();
        let done = self.session.prepare(sql).and_then(|statement| {
            let Session { runtime, client, limit, .. } = &self.session;
            wait(runtime, *limit, client.execute(&statement, &params))
        });
        done.map_err(|failure| self.failed(&failure))
    }

    fn rows(&mut self, sql: &str, params: &[Param<'_>], visit: Visit<'_>) -> Result<()> {
        let mut visit_all = || -> std::result::Result<Result<()>, Failure> {
            let statement = self.session.prepare(sql)?;
            let Session { runtime, client, limit, .. } = &self.session;
            let mut rows = pin!(wait(runtime, *limit, client.query_raw(&statement, params))?);
            while let Some(row) = wait(runtime, *limit, rows.try_next())? {
                if let Err(wrong) = visit(&Found(row)) {
                    return Ok(Err(wrong));
                }
            }
            Ok(Ok(()))
        };
        visit_all().map_err(|failure| self.failed(&failure))?
    }

    fn insert(&mut self, table: &str, columns: &[&str], rows: &[Vec<Param<'_>>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        for row in rows {
            for (at, param) in row.iter().enumerate() {
                text += if at > 0 { "\t" } else { "" };
                copied(param, &mut text);
            }
            text.push('\n');
        }
        let sql = format!("COPY {table} ({}) FROM STDIN", columns.join(", "));
        let Session { runtime, client, limit, .. } = &self.session;
        let copied = wait(runtime, *limit, async {
            let mut copy = pin!(client.copy_in(&sql).await?);
            // A text that cannot be sent shows when it is finished.
            let _ = copy.send(Cursor::new(text.into_bytes())).await;
            copy.finish().await.map(|_| ())
        });
        copied.map_err(|failure| self.failed(&failure))
    }
}

/// A value as `COPY` takes it.
fn copied(param: &Param<'_>, out: &mut String) {
    match param {
        Param::Null => out.push_str("\\N"),
        Param::Int(number) => out.push_str(&number.to_string()),
        Param::Text(text) => text.chars().for_each(|c| match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }),
    }
}

impl ToSql for Param<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Param::Null => Ok(IsNull::Yes),
            Param::Int(number) => number.to_sql(ty, out),
            Param::Text(text) => text.to_sql(ty, out),
        }
    }

    /// Any value is accepted here; the server refuses those that a column cannot hold.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

struct Found(tokio_postgres::Row);

impl Row for Found {
    fn int(&self, column: usize) -> Option<i64> {
        let wide = self.0.try_get::<_, Option<i64>>(column);
        wide.ok().flatten().or_else(|| self.0.try_get::<_, Option<i32>>(column).ok().flatten().map(i64::from))
    }

    fn text(&self, column: usize) -> Option<&str> {
        self.0.try_get::<_, Option<&str>>(column).ok().flatten()
    }
}
