//! A server that answers as PuppetDB does, and records all requests.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value as Json;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub parameters: BTreeMap<String, String>,
    pub headers: BTreeMap<String, String>,
    pub body: Json,
}

pub struct Fake {
    pub port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// The handler of requests: gives a status and a text.
pub type Answer = fn(&Request) -> (u16, String);

impl Fake {
    /// Listens on loopback, with certificates if they are wanted, until the test is over.
    pub fn start(tls: bool, answer: Answer) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let config = tls.then(|| Arc::new(server_config()));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, config) = (Arc::clone(&kept), config.clone());
                std::thread::spawn(move || match config {
                    Some(config) => {
                        let connection = ServerConnection::new(config).unwrap();
                        serve(StreamOwned::new(connection, stream), &kept, answer);
                    }
                    None => serve(stream, &kept, answer),
                });
            }
        });
        Fake { port, requests }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn server_config() -> ServerConfig {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
    let certificate = |name: &str| CertificateDer::from_pem_file(place.join(name)).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate("ca.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let clients =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap();
    let key = PrivateKeyDer::from_pem_file(place.join("server.key")).unwrap();
    ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![certificate("server.pem")], key)
        .unwrap()
}

/// Answers requests of a connection until there are no more.
fn serve(mut stream: impl Read + Write, kept: &Mutex<Vec<Request>>, answer: Answer) {
    let mut text = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = text.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            let mut more = [0; 4096];
            match stream.read(&mut more) {
                Ok(0) | Err(_) => return,
                Ok(read) => text.extend_from_slice(&more[..read]),
            }
        };
        let head = String::from_utf8_lossy(&text[..end]).into_owned();
        let mut lines = head.lines();
        let mut first = lines.next().unwrap_or_default().split(' ');
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let length: usize = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        while text.len() < end + 4 + length {
            let mut more = [0; 4096];
            match stream.read(&mut more) {
                Ok(0) | Err(_) => return,
                Ok(read) => text.extend_from_slice(&more[..read]),
            }
        }
        let body = serde_json::from_slice(&text[end + 4..end + 4 + length]).unwrap_or_default();
        text.drain(..end + 4 + length);
        let method = first.next().unwrap_or_default().to_owned();
        let target = first.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parameter =
            |one: &str| one.split_once('=').map(|(name, value)| (name.to_owned(), decoded(value)));
        let parameters = query.split('&').filter_map(parameter).collect();
        let request = Request { method, path: path.to_owned(), parameters, headers, body };
        let (status, body) = answer(&request);
        kept.lock().unwrap().push(request);
        let answer = format!(
            "HTTP/1.1 {status} Some words\r\nContent-Type: application/json;charset=utf-8\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        if stream.write_all(answer.as_bytes()).and_then(|()| stream.flush()).is_err() {
            return;
        }
    }
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            out.push(u8::from_str_radix(&text[at + 1..at + 3], 16).unwrap());
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap()
}
