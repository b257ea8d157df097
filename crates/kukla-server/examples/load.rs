//! Asks a server for catalogs, over and over: how many it gives a second, and how long they take.
//!
//! ```text
//! load HOST:PORT SSLDIR NODE ENVIRONMENT FACTS.json [CLIENTS [SECONDS [RATE]]]
//! ```
//!
//! SSLDIR has `certs/ca.pem`, `certs/NODE.pem` and `private_keys/NODE.pem`, as agents have them, so that any server of agents can be asked. With a
//! RATE, this number of requests begins each second, whether earlier ones are answered or not, spread over the clients.

#![allow(clippy::disallowed_methods)] // it measures time and reads files

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, ssldir, node, environment, facts, more @ ..] = &arguments[..] else {
        return Err("load HOST:PORT SSLDIR NODE ENVIRONMENT FACTS.json [CLIENTS [SECONDS [RATE]]]".into());
    };
    let number = |at: usize, usual: f64| more.get(at).map_or(Ok(usual), |text| text.parse::<f64>());
    let (clients, seconds, rate) = (number(0, 1.0)? as usize, number(1, 10.0)?, number(2, 0.0)?);
    let config = Arc::new(configuration(Path::new(ssldir), node)?);
    let request = request(node, environment, &std::fs::read_to_string(facts)?);
    let started = Instant::now();
    let end = started + Duration::from_secs_f64(seconds);
    let results: Vec<(Vec<Duration>, usize, usize)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients)
            .map(|number| {
                let (config, request) = (Arc::clone(&config), &request);
                let pace = (rate > 0.0).then(|| Duration::from_secs_f64(clients as f64 / rate));
                let first = started + pace.unwrap_or_default().mul_f64(number as f64 / clients as f64);
                scope.spawn(move || ask(address, &config, request, end, pace.map(|pace| (first, pace))))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
    });
    let took = started.elapsed().as_secs_f64();
    let mut times: Vec<Duration> = results.iter().flat_map(|(times, ..)| times.clone()).collect();
    times.sort();
    let failed: usize = results.iter().map(|(_, failed, _)| failed).sum();
    let bytes = results.iter().map(|(.., bytes)| *bytes).max().unwrap_or(0);
    let at = |part: f64| times.get(((times.len() as f64 * part) as usize).min(times.len().saturating_sub(1)));
    let milliseconds = |part: f64| at(part).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    println!(
        "{clients} clients: {:.1} catalogs/s, p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms, {} good, {failed} failed, {bytes} bytes each",
        times.len() as f64 / took,
        milliseconds(0.5),
        milliseconds(0.99),
        milliseconds(1.0),
        times.len(),
    );
    Ok(())
}

fn configuration(ssldir: &Path, node: &str) -> Result<ClientConfig, Box<dyn std::error::Error>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(ssldir.join("certs/ca.pem"))? {
        roots.add(certificate?)?;
    }
    let chain = CertificateDer::pem_file_iter(ssldir.join(format!("certs/{node}.pem")))?
        .collect::<Result<Vec<_>, _>>()?;
    let key = PrivateKeyDer::from_pem_file(ssldir.join(format!("private_keys/{node}.pem")))?;
    Ok(ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)?)
}

/// A catalog request as an agent sends it.
fn request(node: &str, environment: &str, facts: &str) -> Vec<u8> {
    let encoded = |text: &str| -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        text.bytes()
            .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect()
    };
    let facts = format!("{{\"name\":\"{node}\",\"values\":{}}}", facts.trim());
    let form = format!(
        "facts_format=application%2Fjson&facts={}&environment={environment}",
        encoded(&encoded(&facts))
    );
    format!(
        "POST /puppet/v3/catalog/{node}?environment={environment} HTTP/1.1\r\nHost: localhost\r\nAccept: application/vnd.puppet.rich+json, application/json\r\nAccept-Encoding: gzip\r\nX-Puppet-Version: 8.11.0\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    )
    .into_bytes()
}

type Stream = BufReader<StreamOwned<ClientConnection, TcpStream>>;

/// Asks until the end; the times that good answers took, how many were not, and how long one was.
fn ask(
    address: &str,
    config: &Arc<ClientConfig>,
    request: &[u8],
    end: Instant,
    pace: Option<(Instant, Duration)>,
) -> (Vec<Duration>, usize, usize) {
    let (mut times, mut failed, mut bytes) = (Vec::new(), 0, 0);
    let mut stream: Option<Stream> = None;
    let mut next = pace.map(|(first, _)| first);
    while Instant::now() < end {
        // With a pace, the time counts from when the request was due.
        let due = match (next, pace) {
            (Some(due), Some((_, pace))) => {
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                next = Some(due + pace);
                due
            }
            _ => Instant::now(),
        };
        let connected = match stream.take() {
            Some(stream) => Ok(stream),
            None => connect(address, config),
        };
        match connected.and_then(|mut stream| once(&mut stream, request).map(|length| (stream, length))) {
            Ok((kept, Some(length))) => {
                times.push(due.elapsed());
                bytes = length;
                stream = Some(kept);
            }
            Ok((kept, None)) => {
                failed += 1;
                stream = Some(kept);
            }
            Err(_) => failed += 1,
        }
    }
    (times, failed, bytes)
}

fn connect(address: &str, config: &Arc<ClientConfig>) -> std::io::Result<Stream> {
    let name = ServerName::try_from("localhost").map_err(std::io::Error::other)?;
    let tls = ClientConnection::new(Arc::clone(config), name).map_err(std::io::Error::other)?;
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(BufReader::with_capacity(64 << 10, StreamOwned::new(tls, stream)))
}

/// The length of the answer if it is a good one.
fn once(stream: &mut Stream, request: &[u8]) -> std::io::Result<Option<usize>> {
    stream.get_mut().write_all(request)?;
    stream.get_mut().flush()?;
    let (mut is_good, mut length, mut chunked) = (false, 0, false);
    for number in 0.. {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_lowercase();
        if number == 0 {
            is_good = line.contains(" 200");
        } else if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        } else if line.starts_with("transfer-encoding:") && line.contains("chunked") {
            chunked = true;
        } else if line.is_empty() {
            break;
        }
    }
    if !chunked {
        skip(stream, length)?;
        return Ok(is_good.then_some(length));
    }
    let mut total = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).map_err(std::io::Error::other)?;
        skip(stream, size + 2)?;
        total += size;
        if size == 0 {
            return Ok(is_good.then_some(total));
        }
    }
}

fn skip(stream: &mut Stream, length: usize) -> std::io::Result<()> {
    std::io::copy(&mut stream.take(length as u64), &mut std::io::sink()).map(|_| ())
}
