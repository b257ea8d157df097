//! Connections: accepted, secured, served, and ended in good order.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::ca::certificate::Certificate;
use crate::connections::{Connections, OpenConnection};
use crate::log;
use crate::peer::{ClientKey, Listener, Peer};
use crate::server::Server;
use crate::socket::{PacedSocket, Socket};
use crate::tls::Tls;

/// The server and how it is reached; both can be replaced while connections are open.
#[derive(Debug)]
pub struct LiveServer {
    server: RwLock<Arc<Server>>,
    tls: RwLock<Arc<Tls>>,
    connections: Arc<Connections>,
}

impl LiveServer {
    /// A server and its TLS.
    pub fn new(server: Server, tls: Tls) -> Arc<LiveServer> {
        Arc::new(LiveServer {
            server: RwLock::new(Arc::new(server)),
            tls: RwLock::new(Arc::new(tls)),
            connections: Arc::default(),
        })
    }

    /// The server.
    pub fn server(&self) -> Arc<Server> {
        Arc::clone(&self.server.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn tls(&self) -> Arc<Tls> {
        Arc::clone(&self.tls.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Goes on with another one; requests that are being answered end with the old one.
    pub fn replace(&self, server: Server, tls: Tls) {
        *self.server.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(server);
        *self.tls.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tls);
    }
}

/// A connection has so long to become secure, and a request's headers so long to arrive; between requests of a connection there may be so much.
const PATIENCE: Duration = Duration::from_secs(15);
const HEADERS: Duration = Duration::from_secs(60);
/// When the server ends, requests have so long to be answered.
const FAREWELL: Duration = Duration::from_secs(30);

/// Serves connections until `stop` is set.
pub async fn serve(
    current: Arc<LiveServer>,
    listener: TcpListener,
    kind: Listener,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Usually too many files are open: others will be closed.
                log::error(&format!("cannot accept a connection: {error}"));
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (current, stop) = (Arc::clone(&current), stop.clone());
        let limits = &current.server().settings.limits;
        let mut open = current.connections.admit(ClientKey::of_address(address.ip()), limits);
        let closer = open.closer();
        tokio::spawn(async move {
            tokio::select! {
                () = connection(&current, stream, address, kind, &mut open, stop) => {}
                // A newer connection of the same client takes its place.
                () = closer.notified() => {
                    current.server().metrics.closed_for_others();
                }
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(FAREWELL, current.connections.all_closed()).await;
}

async fn connection(
    current: &Arc<LiveServer>,
    stream: TcpStream,
    address: SocketAddr,
    listener: Listener,
    open: &mut OpenConnection,
    stop: watch::Receiver<bool>,
) {
    let server = current.server();
    let limits = &server.settings.limits;
    let socket = Socket::new(stream);
    let paced = PacedSocket::new(socket.clone(), limits);
    let config = match listener {
        Listener::Tls => current.tls().now(),
        Listener::Plain => None,
    };
    let Some(config) = config else {
        let peer = Peer::new(address, Listener::Plain, None).on(Some(socket));
        return http(current, TokioIo::new(paced), peer, stop).await;
    };
    match tokio::time::timeout(PATIENCE, TlsAcceptor::from(config).accept(paced)).await {
        Ok(Ok(stream)) => {
            let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
            let certificate = shown.and_then(|der| Certificate::from_der(der).ok());
            let peer = Peer::new(address, Listener::Tls, certificate).on(Some(socket));
            open.identify(peer.key(), limits);
            http(current, TokioIo::new(stream), peer, stop).await;
        }
        // An agent that checks whether a server listens connects and closes the connection at once.
        Ok(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => {
            log_failure(log::Level::Debug, HANDSHAKE, address, &error);
        }
        Ok(Err(error)) => {
            server.metrics.tls_failed();
            log_failure(log::Level::Warning, HANDSHAKE, address, &error);
        }
        Err(_) => {
            server.metrics.tls_failed();
            log_failure(log::Level::Warning, HANDSHAKE, address, &"timed out");
        }
    }
}

/// The log line of a connection that did not become secure.
const HANDSHAKE: &str = "TLS handshake failed";

fn log_failure(level: log::Level, message: &str, address: SocketAddr, error: &dyn std::fmt::Display) {
    let facts = serde_json::Map::from_iter([
        ("client".to_owned(), address.ip().to_string().into()),
        ("error".to_owned(), error.to_string().into()),
    ]);
    log::write(level, message, facts);
}

async fn http<T>(current: &Arc<LiveServer>, io: T, peer: Peer, mut stop: watch::Receiver<bool>)
where
    T: hyper::rt::Read + hyper::rt::Write + Unpin,
{
    let peer = Arc::new(peer);
    let metrics = Arc::clone(&current.server().metrics);
    metrics.connections.fetch_add(1, Ordering::Relaxed);
    let service = service_fn(|request| {
        let (server, tls, peer) = (current.server(), current.tls(), Arc::clone(&peer));
        async move { Ok::<_, std::convert::Infallible>(server.answer(&peer, &tls, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .max_buf_size(64 << 10)
        .serve_connection(io, service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        log_failure(log::Level::Debug, "connection failed", peer.address, &error);
    }
    metrics.connections.fetch_sub(1, Ordering::Relaxed);
    // If a request was refused before all of it had come, closing now would take the answer away from who is still sending.
    if let Some(socket) = peer.socket.as_ref().filter(|_| !*stop.borrow()) {
        socket.drain().await;
    }
}
