//! Clients behind a proxy that terminates TLS: the proxy passes the certificate that it has verified in headers.
//!
//! Headers are text that every client can send. They identify a client only if the rules allow it (`allow-header-cert-info`), the request came in on the
//! listener without TLS, and from the address of a proxy: loopback, or one that `proxies` names. The certificate is then verified here as it
//! would be on a connection of its own, against the same authorities and revocation lists.

use std::net::IpAddr;

use hyper::HeaderMap;
use kukla::syntax::{Problem, ProblemKind};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::ca::certificate::Certificate;
use crate::call::decoded;
use crate::peer::{Listener, Peer};
use crate::settings::Settings;
use crate::tls::Tls;

/// The outcome that the proxy reports for the certificate.
const VERIFY: &str = "x-client-verify";
/// The certificate, in PEM with escapes.
const CERTIFICATE: &str = "x-client-cert";
/// The subject of the certificate.
const SUBJECT: &str = "x-client-dn";

impl Settings {
    /// Whether headers of an address identify clients.
    pub fn trusts_proxy(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.rules.by_header && (address.is_loopback() || self.proxies.contains(&address))
    }
}

/// The client of a request that came through a proxy; nothing if the connection itself identifies the client. The error is the reason
/// why the headers are refused.
pub fn client_behind(
    peer: &Peer,
    headers: &HeaderMap,
    settings: &Settings,
    tls: &Tls,
) -> Result<Option<Peer>, Problem> {
    if peer.listener != Listener::Plain || !settings.trusts_proxy(peer.address.ip()) {
        return Ok(None);
    }
    let identified =
        |certificate| Some(Peer::new(peer.address, Listener::Plain, certificate).on(peer.socket.clone()));
    if single(headers, VERIFY)? != Some("SUCCESS") {
        return Ok(identified(None));
    }
    let pem = single(headers, CERTIFICATE)?.ok_or_else(|| {
        Problem::invalid(format!("{VERIFY} without {CERTIFICATE}: a subject alone identifies nobody"))
    })?;
    let pem = decoded(pem, false).ok_or_else(|| Problem::invalid(format!("malformed {CERTIFICATE}")))?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    let chain = chain.ok_or_else(|| Problem::invalid(format!("malformed {CERTIFICATE}")))?;
    tls.verify(&chain).map_err(|error| {
        Problem::new(ProblemKind::Denied, format!("the certificate in {CERTIFICATE}: {error}"))
    })?;
    let certificate = chain.first().and_then(|der| Certificate::from_der(der).ok());
    let certificate = certificate.ok_or_else(|| Problem::invalid(format!("malformed {CERTIFICATE}")))?;
    let subject = single(headers, SUBJECT)?.and_then(name_in);
    if let Some(subject) = subject.filter(|name| Some(*name) != certificate.common_name().as_deref()) {
        return Err(Problem::invalid(format!(
            "{SUBJECT} names {subject:?}, which is not the name in {CERTIFICATE}"
        )));
    }
    Ok(identified(Some(certificate)))
}

/// The value of a header that may appear once.
fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Problem> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            value.to_str().map(Some).map_err(|_| Problem::invalid(format!("malformed {name}")))
        }
        (Some(_), Some(_)) => Err(Problem::invalid(format!("{name} is repeated"))),
    }
}

/// The name in a subject, as nginx (`CN=a,O=b`) and Apache (`/CN=a/O=b`) write it.
fn name_in(subject: &str) -> Option<&str> {
    subject.split([',', '/']).find_map(|part| part.trim().strip_prefix("CN=")).map(str::trim)
}
