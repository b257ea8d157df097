//! A server from its start to its end: listening, looking after certificates, reloading, stopping.

use std::sync::Arc;
use std::time::Duration;

use kukla::syntax::Problem;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::ca::{LiveAuthority, setup};
use crate::listen::{LiveServer, serve};
use crate::log;
use crate::peer::Listener;
use crate::pools::Pools;
use crate::sd;
use crate::server::Server;
use crate::settings::{Overrides, Settings};
use crate::tls::Tls;
use crate::webhook::work::work;

/// How often it is asked whether certificates and lists end soon.
const LOOK_AFTER: Duration = Duration::from_secs(60 * 60);
/// When the server ends, a deployment has so long to come to its end.
const LONGEST_DEPLOYMENT: Duration = Duration::from_secs(10);
/// Threads besides those of handlers: they read files that are being sent, and open stores.
const FURTHER: usize = 64;
/// Threads that compile have the stack that the compiler would otherwise allocate for each node.
const STACK: usize = 16 << 20;

/// Makes the server that the settings tell of, without serving anyone; what one before it has counted and opened goes on.
pub fn prepare(overrides: &Overrides, before: Option<&Server>) -> Result<(Server, Tls), Problem> {
    let server = Server::new(Settings::read(overrides)?, before)?;
    let tls = Tls::new(server.settings.tls.clone(), server.settings.listen.is_some())?;
    Ok((server, tls))
}

/// Serves until a signal says that it is over.
pub fn run(overrides: &Overrides) -> Result<(), Problem> {
    // Opening a store waits for a database, so it is done before there is anyone who must not wait.
    let (server, tls) = prepare(overrides, None)?;
    open_more_files();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(Pools::threads(server.settings.compiling.threads) + FURTHER)
        .thread_stack_size(STACK)
        .thread_name("kukla")
        .build()
        .map_err(|error| Problem::from_io("cannot start the server's threads", &error))?;
    let ended = runtime.block_on(serve_until_stopped(overrides, server, tls));
    // A compilation that nobody waits for any more need not be waited for.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

/// Every connection is an open file, and what a shell allows at first is too little for many. If it cannot be more, it stays as it is.
fn open_more_files() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

async fn serve_until_stopped(overrides: &Overrides, server: Server, tls: Tls) -> Result<(), Problem> {
    let addresses = [(server.settings.listen, Listener::Tls), (server.settings.plain, Listener::Plain)];
    let mut listeners = Vec::new();
    for (address, kind) in addresses {
        let Some(address) = address else { continue };
        let bound = TcpListener::bind(address).await;
        let bound = bound.map_err(|error| Problem::from_io("cannot listen on", &error).on(address))?;
        listeners.push((bound, address, kind));
    }
    let current = LiveServer::new(server, tls);
    let (stop, stopped) = watch::channel(false);
    let mut serving = Vec::new();
    for (listener, address, kind) in listeners {
        serving.push(tokio::spawn(serve(Arc::clone(&current), listener, kind, stopped.clone())));
        let how = if kind == Listener::Plain { " without TLS" } else { "" };
        log::info(&format!("ready on {address}{how}"));
    }
    tokio::spawn(look_after(Arc::clone(&current)));
    let deploying = start_deploying(&current)?;
    sd::notify("READY=1");
    let listen = |kind| signal(kind).map_err(|error| Problem::from_io("cannot listen for signals", &error));
    let (mut terminate, mut interrupt, mut hangup) =
        (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?, listen(SignalKind::hangup())?);
    loop {
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            _ = hangup.recv() => reload(overrides, &current).await,
        }
    }
    sd::notify("STOPPING=1");
    log::info("stopping");
    let _ = stop.send(true);
    for each in serving {
        let _ = each.await;
    }
    deploying.finish();
    log::info("stopped");
    Ok(())
}

/// The thread that deploys the branches of the webhook.
struct Deploying {
    current: Arc<LiveServer>,
    thread: std::thread::JoinHandle<()>,
}

fn start_deploying(current: &Arc<LiveServer>) -> Result<Deploying, Problem> {
    let current = Arc::clone(current);
    let worked = Arc::clone(&current);
    let thread = std::thread::Builder::new()
        .name("kukla-deploy".into())
        .stack_size(STACK)
        .spawn(move || work(&worked));
    let thread =
        thread.map_err(|error| Problem::from_io("cannot start the thread of deployments", &error))?;
    Ok(Deploying { current, thread })
}

impl Deploying {
    /// Lets a deployment come to its end, for a while: one that is interrupted leaves whole environments.
    fn finish(self) {
        self.current.server().deployments.stop();
        let deadline = std::time::Instant::now() + LONGEST_DEPLOYMENT;
        while !self.thread.is_finished() && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Reads all settings again; if they are wrong, the server goes on with the old ones.
async fn reload(overrides: &Overrides, current: &Arc<LiveServer>) {
    let reloading =
        sd::monotonic().map_or_else(|| "RELOADING=1".to_owned(), |time| format!("RELOADING=1\n{time}"));
    sd::notify(&reloading);
    let (overrides, before) = (overrides.clone(), current.server());
    let prepared = tokio::task::spawn_blocking(move || prepare(&overrides, Some(&before))).await;
    let fault =
        |error| Problem::other("reading the settings failed because of a fault in Kukla").because(error);
    match prepared.map_err(fault).and_then(|prepared| prepared) {
        Ok((server, tls)) => {
            let changes = server.settings.changes_since(&current.server().settings);
            current.replace(server, tls);
            log::info(if changes.is_empty() { "reloaded; no setting has changed" } else { "reloaded" });
            for change in changes {
                let line = format!("{}: {} -> {}", change.name, change.before, change.after);
                match change.needs_restart() {
                    true => log::warning(&format!("not changed until the server is restarted: {line}")),
                    false => log::info(&format!("changed {line}")),
                }
            }
        }
        Err(problem) => log::error(&format!("cannot reload, keeping the old settings: {problem}")),
    }
    sd::notify("READY=1");
}

/// Renews the server's certificate and the lists of revoked ones before they end.
async fn look_after(current: Arc<LiveServer>) {
    let server = current.server();
    let resumed = tokio::task::spawn_blocking(move || {
        let signed = server.authority.as_ref().map_or(Ok(0), |authority| authority.now().resume_judgements());
        match signed {
            Ok(0) => {}
            Ok(signed) => log::info(&format!("signed {signed} requests that the last stop interrupted")),
            Err(problem) => log::error(&format!("cannot resume pending requests: {problem}")),
        }
    });
    let _ = resumed.await;
    let mut clock = tokio::time::interval(LOOK_AFTER);
    loop {
        clock.tick().await;
        let server = current.server();
        let looked = tokio::task::spawn_blocking(move || {
            let Some(authority) = server.authority.as_ref().map(LiveAuthority::now) else { return };
            let refreshed = authority.refresh_crl();
            let renewed = setup::renew_host(&authority, &server.settings.host);
            let published = setup::publish(&authority, &server.settings.host);
            for (what, result) in [
                ("renewed the certificate revocation list", refreshed),
                ("renewed the server's certificate", renewed),
                ("", published.map(|()| false)),
            ] {
                match result {
                    Ok(true) => log::info(what),
                    Ok(false) => {}
                    Err(problem) => log::error(&format!("cannot renew certificates: {problem}")),
                }
            }
        });
        let _ = looked.await;
    }
}
