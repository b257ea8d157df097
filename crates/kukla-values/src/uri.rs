//! Resource identifiers, as Ruby's `URI` reads them.

use std::fmt;
use std::sync::LazyLock;

use kukla_syntax::{bail, diagnostic};
use regex::Regex;

use crate::codes::{INVALID_URI, RELATIVE_URIS, URI_NOT_ASCII};
use crate::format::{dump_text, inspect_text};
use crate::{Error, Hash, Result, Value};

/// A URI in its parts.
#[derive(Clone, Debug, Default)]
pub struct Uri {
    /// The part before the first colon.
    pub scheme: Option<String>,
    /// User and password.
    pub userinfo: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// The port, also when it is the scheme's own and not written.
    pub port: Option<u16>,
    /// The path; absent in opaque identifiers such as `mailto:`.
    pub path: Option<String>,
    /// The part after a question mark.
    pub query: Option<String>,
    /// The part after the hash sign.
    pub fragment: Option<String>,
    /// The part after the scheme of an identifier without hierarchy.
    pub opaque: Option<String>,
}

static PARTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A(?:([A-Za-z][-+.0-9A-Za-z]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?\z")
        .expect("a valid pattern")
});
static AUTHORITY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A(?:([^@]*)@)?(\[[0-9A-Fa-fvV.:%~_!$&'()*+,;=-]*\]|[^:\[\]]*)(?::([0-9]*))?\z")
        .expect("a valid pattern")
});

/// The port a scheme has unless another is given.
fn default_port(scheme: &str) -> Option<u16> {
    Some(match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

fn is_legal(text: &str, also: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fine = byte.is_ascii_alphanumeric()
            || b"-._~!$&'()*+,;=".contains(&byte)
            || also.as_bytes().contains(&byte)
            || (byte == b'%'
                && bytes.next().is_some_and(|digit| digit.is_ascii_hexdigit())
                && bytes.next().is_some_and(|digit| digit.is_ascii_hexdigit()));
        if !fine {
            return false;
        }
    }
    true
}

impl Uri {
    /// Reads a URI or a relative reference.
    pub fn parse(text: &str) -> Result<Uri> {
        let bad = || Error::from(diagnostic!(INVALID_URI { text: inspect_text(text) }));
        if !text.is_ascii() {
            bail!(URI_NOT_ASCII { text: dump_text(text) });
        }
        let found = PARTS.captures(text).ok_or_else(bad)?;
        let part = |group: usize| found.get(group).map(|part| part.as_str().to_owned());
        let scheme = part(1).map(|scheme| scheme.to_ascii_lowercase());
        let mut uri = Uri { scheme, query: part(4), fragment: part(5), ..Uri::default() };
        let path = part(3).unwrap_or_default();
        let legal = |part: &Option<String>| part.as_ref().is_none_or(|part| is_legal(part, ":@/?"));
        if !legal(&uri.query) || !legal(&uri.fragment) || !is_legal(&path, ":@/") {
            return Err(bad());
        }
        if let Some(authority) = found.get(2) {
            let parts = AUTHORITY.captures(authority.as_str()).ok_or_else(bad)?;
            uri.userinfo = parts.get(1).map(|part| part.as_str().to_owned());
            uri.host = parts.get(2).map(|part| part.as_str().to_owned());
            let digits = parts.get(3).map_or("", |digits| digits.as_str());
            uri.port = if digits.is_empty() { None } else { Some(digits.parse().map_err(|_| bad())?) };
            let legal = |part: &Option<String>| part.as_ref().is_none_or(|part| is_legal(part, ":[]"));
            if !legal(&uri.userinfo) || !legal(&uri.host) || (!path.is_empty() && !path.starts_with('/')) {
                return Err(bad());
            }
        } else if uri.scheme.is_some() && !path.is_empty() && !path.starts_with('/') {
            // Without a slash the rest is opaque, its query included.
            let query = uri.query.take().map_or(String::new(), |query| format!("?{query}"));
            uri.opaque = Some(path + &query);
            uri.port = uri.scheme.as_deref().and_then(default_port);
            return Ok(uri);
        } else if uri.scheme.is_none() && path.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err(bad());
        }
        uri.path = Some(path);
        uri.settle();
        Ok(uri)
    }

    /// Fills in what the scheme implies.
    fn settle(&mut self) {
        let Some(scheme) = &self.scheme else { return };
        if scheme.eq_ignore_ascii_case("file") {
            self.port = None;
            if self.host.as_deref().is_none_or(|host| host == "localhost") {
                self.host = Some(String::new());
            }
        } else {
            self.port = self.port.or(default_port(scheme));
        }
    }

    /// Puts a URI together from its parts.
    pub fn build(mut parts: Uri) -> Uri {
        if let Some(scheme) = &mut parts.scheme {
            scheme.make_ascii_lowercase();
        }
        if parts.opaque.is_none() {
            parts.path.get_or_insert_default();
        }
        parts.settle();
        parts
    }

    /// A part by its name, `undef` if it is absent.
    pub fn part(&self, name: &str) -> Value {
        let text = match name {
            "scheme" => &self.scheme,
            "userinfo" => &self.userinfo,
            "host" => &self.host,
            "path" => &self.path,
            "query" => &self.query,
            "fragment" => &self.fragment,
            "opaque" => &self.opaque,
            "port" => return self.port.map_or(Value::Undef, |port| Value::Integer(port.into())),
            _ => return Value::Undef,
        };
        text.as_deref().map_or(Value::Undef, Value::from)
    }

    /// The parts that are there and not implied, as parameters of the type inferred for it.
    pub fn parameters(&self) -> Hash {
        let scheme = self.scheme.as_deref().map(str::to_ascii_lowercase);
        let usual =
            matches!((scheme.as_deref(), self.port), (Some("http"), Some(80)) | (Some("https"), Some(443)));
        let filled = |part: &Option<String>| part.clone().filter(|part| !part.is_empty());
        let parts = [
            ("scheme", scheme),
            ("userinfo", self.userinfo.clone()),
            ("host", filled(&self.host).map(|host| host.to_ascii_lowercase())),
            ("port", self.port.filter(|_| !usual).map(|port| port.to_string())),
            ("path", filled(&self.path)),
            ("query", self.query.clone()),
            ("fragment", self.fragment.clone()),
            ("opaque", self.opaque.clone()),
        ];
        parts.into_iter().filter_map(|(name, part)| part.map(|part| (name, part))).collect()
    }

    /// Whether it has a scheme.
    pub fn is_absolute(&self) -> bool {
        self.scheme.is_some()
    }

    /// With scheme and host in lower case and `/` for an empty path.
    pub fn normalized(&self) -> Uri {
        let mut uri = self.clone();
        if uri.path.as_deref() == Some("") {
            uri.path = Some("/".into());
        }
        for part in [&mut uri.scheme, &mut uri.host].into_iter().flatten() {
            part.make_ascii_lowercase();
        }
        uri
    }

    /// Resolves a reference against this URI.
    pub fn merge(&self, reference: &Uri) -> Result<Uri> {
        if reference.is_absolute() {
            return Ok(reference.normalized());
        }
        if !self.is_absolute() {
            bail!(RELATIVE_URIS);
        }
        let mut merged = self.clone();
        let authority = reference.userinfo.is_some() || reference.host.is_some() || reference.port.is_some();
        if reference.path.as_deref().is_none_or(str::is_empty) && !authority && reference.query.is_none() {
            merged.fragment = reference.fragment.clone().or(merged.fragment);
            return Ok(merged);
        }
        merged.query = reference.query.clone();
        merged.fragment = reference.fragment.clone();
        if authority {
            merged.path = reference.path.clone().or(merged.path);
            merged.userinfo = reference.userinfo.clone().or(merged.userinfo);
            merged.host = reference.host.clone().or(merged.host);
            merged.port = reference.port.or(merged.port);
        } else if let (Some(base), Some(path)) = (&self.path, &reference.path) {
            merged.path = Some(merge_paths(base, path));
        }
        Ok(merged)
    }
}

fn merge_paths(base: &str, path: &str) -> String {
    let mut base: Vec<&str> = if base.is_empty() { Vec::new() } else { base.split('/').collect() };
    let mut path: Vec<&str> = if path.is_empty() { Vec::new() } else { path.split('/').collect() };
    if base.last() == Some(&"..") {
        base.push("");
    }
    while let Some(at) = base.iter().position(|part| *part == "..") {
        base.drain(at.saturating_sub(1)..=at);
    }
    if path.first() == Some(&"") {
        base.clear();
        path.remove(0);
    }
    if matches!(path.last(), Some(&"." | &"..")) {
        path.push("");
    }
    path.retain(|part| *part != ".");
    let mut steps: Vec<&str> = Vec::new();
    for part in path {
        if part == ".." && steps.last().is_some_and(|last| *last != "..") {
            steps.pop();
        } else {
            steps.push(part);
        }
    }
    let mut trailing = !steps.is_empty();
    if base.is_empty() {
        base.push("");
    } else if trailing {
        base.pop();
    }
    let mut steps = steps.into_iter();
    while let Some(step) = steps.next() {
        if step == ".." {
            if base.len() > 1 {
                base.pop();
            }
        } else {
            base.push(step);
            base.extend(steps.by_ref());
            trailing = false;
        }
    }
    if trailing {
        base.push("");
    }
    base.join("/")
}

impl PartialEq for Uri {
    fn eq(&self, other: &Uri) -> bool {
        let parts = |uri: &Uri| {
            let uri = uri.normalized();
            (uri.scheme, uri.userinfo, uri.host, uri.port, uri.path, uri.query, uri.fragment, uri.opaque)
        };
        parts(self) == parts(other)
    }
}

impl Eq for Uri {}

impl std::hash::Hash for Uri {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let uri = self.normalized();
        (uri.scheme, uri.host, uri.port, uri.path).hash(state);
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}:")?;
        }
        if let Some(opaque) = &self.opaque {
            f.write_str(opaque)?;
        } else {
            let own = self.scheme.as_deref().and_then(default_port);
            if self.host.is_some() || matches!(self.scheme.as_deref(), Some("file" | "postgres")) {
                f.write_str("//")?;
            }
            if let Some(userinfo) = &self.userinfo {
                write!(f, "{userinfo}@")?;
            }
            if let Some(host) = &self.host {
                f.write_str(host)?;
            }
            if let Some(port) = self.port.filter(|port| Some(*port) != own) {
                write!(f, ":{port}")?;
            }
            let path = self.path.as_deref().unwrap_or_default();
            if self.host.is_some() && !path.is_empty() && !path.starts_with('/') {
                f.write_str("/")?;
            }
            f.write_str(path)?;
            if let Some(query) = &self.query {
                write!(f, "?{query}")?;
            }
        }
        match &self.fragment {
            Some(fragment) => write!(f, "#{fragment}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_back() {
        let uri = Uri::parse("HTTP://u:p@Example.com:8080/a/b?q=1#f").unwrap();
        assert_eq!(
            (uri.port, uri.userinfo.as_deref(), uri.query.as_deref()),
            (Some(8080), Some("u:p"), Some("q=1"))
        );
        assert_eq!(uri.to_string(), "http://u:p@Example.com:8080/a/b?q=1#f");
        assert_eq!(Uri::parse("mailto:a@b").unwrap().opaque.as_deref(), Some("a@b"));
        assert_eq!(Uri::parse("file:/x").unwrap().to_string(), "file:///x");
        assert_eq!(Uri::parse("http://a").unwrap(), Uri::parse("http://A:80/").unwrap());
        assert!(Uri::parse("http://a b").is_err() && Uri::parse("%zz").is_err());
    }

    #[test]
    fn references_resolve() {
        let base = Uri::parse("http://a/b/c/d?q").unwrap();
        for (reference, expected) in
            [("g", "/b/c/g"), ("../g", "/b/g"), ("/g", "/g"), ("./", "/b/c/"), ("../../../g", "/g")]
        {
            let merged = base.merge(&Uri::parse(reference).unwrap()).unwrap();
            assert_eq!(merged.to_string(), format!("http://a{expected}"));
        }
    }
}
