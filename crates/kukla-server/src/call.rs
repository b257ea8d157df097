//! A request as handlers see it: decoded once, so that authorization and handlers see the same request.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::body::Bytes;
use hyper::{HeaderMap, Method};
use percent_encoding::percent_decode_str;

use crate::ca::certificate::{Certificate, puppet_extensions};
use crate::ca::oids;
use crate::socket::Socket;

/// The client at the other end of a connection.
#[derive(Debug)]
pub struct Peer {
    /// From where.
    pub address: SocketAddr,
    /// The certificate that was shown and found to be good.
    pub certificate: Option<Certificate>,
    /// The name in it.
    pub name: Option<String>,
    /// Puppet's extensions in it, by name where they have one.
    pub extensions: Vec<(String, String)>,
    /// The connection.
    pub socket: Option<Socket>,
}

impl Peer {
    /// Someone with or without a certificate.
    pub fn new(address: SocketAddr, certificate: Option<Certificate>) -> Peer {
        let name = certificate.as_ref().and_then(Certificate::common_name);
        let extensions = certificate.as_ref().map(Certificate::extensions).unwrap_or_default();
        let named = |oid| oids::short_name(oid).map_or_else(|| oid.to_string(), str::to_owned);
        let extensions =
            puppet_extensions(extensions).into_iter().map(|(oid, text)| (named(oid), text)).collect();
        Peer { address, certificate, name, extensions, socket: None }
    }

    /// The same, at the other end of a connection.
    #[must_use]
    pub fn on(mut self, socket: Option<Socket>) -> Peer {
        self.socket = socket;
        self
    }

    /// Whether nobody waits for an answer any more.
    pub fn is_gone(&self) -> bool {
        self.socket.as_ref().is_some_and(Socket::is_abandoned)
    }

    /// The value of an extension.
    pub fn extension(&self, name: &str) -> Option<&str> {
        self.extensions.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A request.
#[derive(Debug)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// To what: the path, decoded.
    pub path: String,
    /// The parameters of the address and of a form, decoded; those of a form come first.
    pub parameters: Vec<(String, String)>,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The client.
    pub peer: Arc<Peer>,
}

impl Call {
    /// The first value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter; `name[]` is another way to write it.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let is_it = |known: &str| known == name || known.strip_suffix("[]") == Some(name);
        self.parameters.iter().filter(|(known, _)| is_it(known)).map(|(_, value)| value.as_str()).collect()
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The kinds of content that are welcome, the best first.
    pub fn accepts(&self) -> Vec<String> {
        let Some(header) = self.header("accept") else { return Vec::new() };
        let mut wanted: Vec<(u32, String)> = header
            .split(',')
            .filter_map(|each| {
                let mut parts = each.split(';');
                let kind = parts.next()?.trim().to_lowercase();
                let quality = parts.find_map(|part| part.trim().strip_prefix("q=")?.parse::<f32>().ok());
                let quality = (quality.unwrap_or(1.0).clamp(0.0, 1.0) * 1000.0) as u32;
                (quality > 0 && !kind.is_empty()).then_some((quality, kind))
            })
            .collect();
        wanted.sort_by_key(|(quality, _)| std::cmp::Reverse(*quality));
        wanted.into_iter().map(|(_, kind)| kind).collect()
    }

    /// The kind of the body, without its parameters.
    pub fn content_type(&self) -> Option<String> {
        let header = self.header("content-type")?;
        Some(header.split(';').next()?.trim().to_lowercase())
    }
}

/// A decoded path; nothing if it is not UTF-8 or leads upwards.
pub fn path(raw: &str) -> Option<String> {
    let decoded = decoded(raw, false)?;
    let leads_up = decoded.split(['/', '\\']).any(|part| part == "..");
    (decoded.starts_with('/') && !leads_up && !decoded.contains('\0')).then_some(decoded)
}

/// The parameters of an address or of a form.
pub fn parameters(raw: &str) -> Option<Vec<(String, String)>> {
    let pairs = raw.split('&').filter(|pair| !pair.is_empty());
    let read = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decoded(name, true)?, decoded(value, true)?))
    };
    pairs.map(read).collect()
}

/// Percent-decoded text; in parameters a plus sign is a space. Nothing if an escape is malformed or the result is not UTF-8.
pub fn decoded(raw: &str, is_parameter: bool) -> Option<String> {
    if !raw.contains(['%', '+']) {
        return Some(raw.to_owned());
    }
    let is_escape = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    if !raw.split('%').skip(1).all(is_escape) {
        return None;
    }
    let raw = if is_parameter { raw.replace('+', " ").into() } else { Cow::Borrowed(raw) };
    percent_decode_str(&raw).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_do_not_lead_up() {
        assert_eq!(path("/a/b%20c+d").as_deref(), Some("/a/b c+d"));
        assert_eq!(
            path("/puppet/v3/file_bucket_file/md5/0//etc/x").as_deref(),
            Some("/puppet/v3/file_bucket_file/md5/0//etc/x")
        );
        for bad in [
            "/a/../b",
            "/a/%2e%2e/b",
            "/a/..%2fb",
            "/a%2f..",
            "/a\\..\\b",
            "/a%00",
            "/%ff",
            "/%2",
            "/%zz",
            "a",
        ] {
            assert_eq!(path(bad), None, "{bad}");
        }
        // What is encoded twice is decoded once.
        assert_eq!(path("/%252e%252e/").as_deref(), Some("/%2e%2e/"));
    }

    #[test]
    fn parameters_are_decoded_once() {
        let read = parameters("a=1&b=x+y%2Bz&ignore=.svn&ignore=CVS&c").unwrap();
        assert_eq!(read[1], ("b".to_owned(), "x y+z".to_owned()));
        assert_eq!((read.len(), read[4].1.as_str()), (5, ""));
        assert_eq!(parameters("facts=%257B").unwrap()[0].1, "%7B");
        for malformed in ["a=%", "a=%4", "a=%é0", "a=%+1", "a=%ff"] {
            assert_eq!(parameters(malformed), None, "{malformed}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[ -~]{0,80}") {
            if let Some(path) = path(&text) {
                prop_assert!(path.split('/').all(|part| part != ".."));
            }
            let _ = parameters(&text);
        }
    }
}
