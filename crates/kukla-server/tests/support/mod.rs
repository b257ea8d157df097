//! A server in this process, and clients that speak TLS to it byte by byte.

#![allow(dead_code, clippy::disallowed_methods)] // each test file uses a part of it, and tests may touch the disk

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use kukla_server::ca::certificate::Certificate;
use kukla_server::ca::keys::Key;
use kukla_server::ca::{CertificateOptions, LiveAuthority};
use kukla_server::listen::{LiveServer, serve};
use kukla_server::log::{self, Form, Level};
use kukla_server::peer::Listener;
use kukla_server::run::prepare;
use kukla_server::server::Server;
use kukla_server::settings::Overrides;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::sign::SingleCertAndKey;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tokio::sync::watch;

/// Waits until a condition holds; one that does not hold after a minute fails the test.
pub fn wait_until(condition: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "timed out: {condition}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A directory that goes when it is done with.
pub struct Directory(pub PathBuf);

impl Directory {
    pub fn new() -> Directory {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kukla-server-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server at work.
pub struct Harness {
    pub directory: Directory,
    pub address: SocketAddr,
    /// The listener without TLS, if `webserver.conf` has one.
    pub plain: Option<SocketAddr>,
    pub current: Arc<LiveServer>,
    stop: watch::Sender<bool>,
    runtime: Option<tokio::runtime::Runtime>,
}

/// The settings that every `puppet.conf` has here: keys that are quick to generate, and names that clients expect.
pub const CONF: &str = "[server]\ncertname = localhost\ndns_alt_names = localhost\nkey_type = ec\n";

impl Harness {
    /// A server whose files `fill` has made; `settings` are further lines of puppet.conf.
    pub fn new(settings: &str, fill: impl FnOnce(&Directory)) -> Harness {
        let directory = Directory::new();
        fill(&directory);
        Harness::over(directory, settings)
    }

    /// A server over a directory.
    pub fn over(directory: Directory, settings: &str) -> Harness {
        Harness::with(directory, settings, |_| {})
    }

    /// A server over a directory with further overrides.
    pub fn with(directory: Directory, settings: &str, change: impl FnOnce(&mut Overrides)) -> Harness {
        log::configure(Level::Error, Form::Json);
        let root = directory.0.display();
        directory.write("puppet/puppet.conf", format!("{CONF}vardir = {root}/var\n{settings}\n"));
        let mut overrides = Overrides {
            confdir: Some(directory.0.join("puppet")),
            store: Some(format!("sqlite:{root}/store.db")).filter(|_| settings.contains("# with a store")),
            listen: Some(([127, 0, 0, 1], 0).into()),
            ..Overrides::default()
        };
        change(&mut overrides);
        let (server, tls) = prepare(&overrides, None).unwrap();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let current = LiveServer::new(server, tls);
        let (stop, stopped) = watch::channel(false);
        runtime.spawn(serve(Arc::clone(&current), listener, Listener::Tls, stopped.clone()));
        let plain = current.server().settings.plain.map(|address| {
            let listener = runtime.block_on(tokio::net::TcpListener::bind((address.ip(), 0))).unwrap();
            let address = listener.local_addr().unwrap();
            runtime.spawn(serve(Arc::clone(&current), listener, Listener::Plain, stopped));
            address
        });
        Harness { directory, address, plain, current, stop, runtime: Some(runtime) }
    }

    pub fn server(&self) -> Arc<Server> {
        self.current.server()
    }

    /// Someone without a certificate.
    pub fn stranger(&self) -> Client {
        self.client(None)
    }

    /// A node with a certificate of the authority.
    pub fn node(&self, name: &str) -> Client {
        self.node_with(name, &CertificateOptions::default())
    }

    /// A node with a certificate that says more.
    pub fn node_with(&self, name: &str, wanted: &CertificateOptions) -> Client {
        let server = self.server();
        let authority = server.authority.as_ref().unwrap().now();
        self.client(Some(authority.generate(name, wanted).unwrap()))
    }

    /// A client that may manage certificates.
    pub fn admin(&self) -> Client {
        let extensions = vec![("pp_cli_auth".to_owned(), "true".to_owned())];
        self.node_with("admin", &CertificateOptions { extensions, ..CertificateOptions::default() })
    }

    /// A client that shows a certificate.
    pub fn client(&self, own: Option<(Key, Certificate)>) -> Client {
        let server = self.server();
        let authority = server.authority.as_ref().map(LiveAuthority::now);
        Client::new(self.address, authority.as_ref().map_or(&[], |authority| authority.chain()), own)
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

/// Someone who asks.
#[derive(Clone)]
pub struct Client {
    pub address: SocketAddr,
    pub config: Arc<ClientConfig>,
}

/// A response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")))?;
        line.split_once(':').map(|(_, value)| value.trim())
    }
}

/// An open connection.
pub struct Connection(StreamOwned<ClientConnection, TcpStream>);

impl Client {
    /// A client that trusts an authority and may show a certificate.
    pub fn new(address: SocketAddr, chain: &[Certificate], own: Option<(Key, Certificate)>) -> Client {
        let mut roots = RootCertStore::empty();
        for certificate in chain {
            roots.add(CertificateDer::from(certificate.der().to_vec())).unwrap();
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match own {
            Some((key, certificate)) => {
                let chain = vec![CertificateDer::from(certificate.der().to_vec())];
                let certified = Arc::new(SingleCertAndKey::from(key.certified(chain)));
                builder.with_client_cert_resolver(certified)
            }
            None => builder.with_no_client_auth(),
        };
        Client { address, config: Arc::new(config) }
    }

    pub fn connect(&self) -> Connection {
        self.try_connect().unwrap()
    }

    /// A connection, if anyone listens.
    fn try_connect(&self) -> std::io::Result<Connection> {
        let name = ServerName::try_from("localhost").unwrap();
        let tls = ClientConnection::new(Arc::clone(&self.config), name).unwrap();
        let stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Connection(StreamOwned::new(tls, stream)))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.try_send(method, path, headers, body).unwrap()
    }

    /// The reply, or why there is none: the connection was refused.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Reply> {
        self.try_connect()?.send(method, path, headers, body)
    }
}

impl Connection {
    pub fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Reply> {
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut all = head.into_bytes();
        all.extend_from_slice(body);
        self.raw(&all, method == "HEAD")
    }

    /// Sends bytes as they are, and does not wait for anything.
    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes)?;
        self.0.flush()
    }

    /// Sends bytes as they are and gives the status of every reply until the server closes the connection.
    pub fn statuses(&mut self, bytes: &[u8]) -> Vec<u16> {
        let mut statuses = Vec::new();
        let mut next = self.raw(bytes, false);
        while let Ok(reply) = next {
            statuses.push(reply.status);
            next = self.read_reply(false);
        }
        let end = next.map(|reply| reply.status).unwrap_err().kind();
        assert_ne!(end, std::io::ErrorKind::WouldBlock, "the server keeps the connection open: {statuses:?}");
        statuses
    }

    /// Sends bytes as they are and reads one reply.
    pub fn raw(&mut self, bytes: &[u8], is_head: bool) -> std::io::Result<Reply> {
        // A server that refuses a large request does so before all of it has come.
        let sent = self.write(bytes);
        self.read_reply(is_head).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => sent.err().unwrap_or(error),
            _ => error,
        })
    }

    fn read_reply(&mut self, is_head: bool) -> std::io::Result<Reply> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            match self.0.read(&mut byte) {
                Ok(1) => head.push(byte[0]),
                Ok(_) => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                Err(error) => return Err(error),
            }
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let status = head.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let mut reply = Reply { status, head, body: Vec::new() };
        let length = reply.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        if !is_head {
            reply.body = vec![0; length];
            self.0.read_exact(&mut reply.body)?;
        }
        Ok(reply)
    }
}

/// Encodes text for a form.
pub fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// A catalog request as an agent sends it: facts are encoded twice.
pub fn catalog_form(node: &str, environment: &str, facts: &serde_json::Value) -> String {
    let facts = serde_json::json!({"name": node, "values": facts}).to_string();
    format!(
        "facts_format=application%2Fjson&facts={}&environment={environment}&static_catalog=true&checksum_type=sha256.md5&transaction_uuid=u",
        encoded(&encoded(&facts))
    )
}

/// The headers of a catalog request.
pub const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
/// The formats that agents accept.
pub const ACCEPT: (&str, &str) = ("Accept", "application/vnd.puppet.rich+json, application/json, text/pson");

/// The file of a path below a directory, as text.
pub fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
