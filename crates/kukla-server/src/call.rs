//! A request as handlers see it: decoded once, so that authorization and handlers see the same request.

use std::borrow::Cow;
use std::sync::Arc;

use hyper::body::Bytes;
use hyper::{HeaderMap, Method};
use percent_encoding::percent_decode_str;

use crate::peer::Peer;

/// A request.
#[derive(Debug)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The path, decoded.
    pub path: String,
    /// The parameters of the address and of a form, decoded.
    pub parameters: Parameters,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The client.
    pub peer: Arc<Peer>,
}

/// The parameters of a request. Each name has one value, but for lists, so nobody can read another value than somebody else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, String)>);

/// The parameters that are lists: agents repeat their names.
const LISTS: [&str; 1] = ["ignore"];

/// The largest number of parameters: agents send about ten, and a few more for each pattern that they ignore.
const MOST: usize = 1000;

/// Why parameters are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidParameters {
    /// An escape is malformed, or a value is not UTF-8.
    Malformed,
    /// There are too many.
    TooMany,
    /// A name that is not a list has several values.
    Repeated(String),
    /// A form has another value than the address.
    Contradicted(String),
}

impl std::fmt::Display for InvalidParameters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InvalidParameters::Malformed => f.write_str("malformed parameters"),
            InvalidParameters::TooMany => write!(f, "more than {MOST} parameters"),
            InvalidParameters::Repeated(name) => write!(f, "the parameter {name:?} is repeated"),
            InvalidParameters::Contradicted(name) => {
                write!(f, "the parameter {name:?} of the form contradicts the URL")
            }
        }
    }
}

impl Parameters {
    /// Reads the parameters of an address or of a form. `name[]` is another way to write a name.
    pub fn parse(raw: &str) -> Result<Parameters, InvalidParameters> {
        if raw.split('&').filter(|pair| !pair.is_empty()).nth(MOST).is_some() {
            return Err(InvalidParameters::TooMany);
        }
        let mut all = Parameters::default();
        for (name, value) in parameters(raw).ok_or(InvalidParameters::Malformed)? {
            let name = name.strip_suffix("[]").map_or(name.as_str(), |name| name);
            if !LISTS.contains(&name) && all.get(name).is_some() {
                return Err(InvalidParameters::Repeated(name.to_owned()));
            }
            all.0.push((name.to_owned(), value));
        }
        Ok(all)
    }

    /// Adds the parameters of a form, which may repeat those of the address but not change them.
    pub fn add_form(&mut self, form: Parameters) -> Result<(), InvalidParameters> {
        let of_address = self.0.len();
        for (name, value) in form.0 {
            let known = self.0[..of_address].iter().filter(|(known, _)| *known == name);
            let known: Vec<&str> = known.map(|(_, value)| value.as_str()).collect();
            match known[..] {
                [] => self.0.push((name, value)),
                _ if known.contains(&value.as_str()) => {}
                _ => return Err(InvalidParameters::Contradicted(name)),
            }
        }
        Ok(())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter.
    pub fn all<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Call {
    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name)
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
    fn a_parameter_has_one_value() {
        let read = |raw: &str| Parameters::parse(raw);
        let repeated = |name: &str| Err(InvalidParameters::Repeated(name.into()));
        assert_eq!(read("environment=a&environment=b"), repeated("environment"));
        assert_eq!(read("environment=a&environment=a"), repeated("environment"));
        assert_eq!(read("environment=a&environment[]=b"), repeated("environment"));
        assert_eq!(read("environment=a&%65nvironment=b"), repeated("environment"));
        assert_eq!(read("environment=a&environment%5B%5D=b"), repeated("environment"));
        let mut all = read("ignore=.svn&ignore[]=CVS&environment=a").unwrap();
        assert_eq!(all.all("ignore").collect::<Vec<_>>(), [".svn", "CVS"]);
        assert_eq!(read(&"ignore=x&".repeat(MOST + 1)), Err(InvalidParameters::TooMany));
        assert!(read(&"ignore=x&&".repeat(MOST)).is_ok());
        let contradicted = Err(InvalidParameters::Contradicted("environment".into()));
        assert_eq!(all.add_form(read("environment=b").unwrap()), contradicted);
        assert_eq!(all.add_form(read("environment[]=b").unwrap()), contradicted);
        all.add_form(read("environment=a&facts=x").unwrap()).unwrap();
        assert_eq!((all.get("environment"), all.get("facts")), (Some("a"), Some("x")));
        assert_eq!(all.all("environment").count(), 1);
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
