//! The names of keys that are in hardware: URIs of PKCS#11 (RFC 7512).
//!
//! ```text
//! pkcs11:token=ca;object=signing?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=/etc/kukla/pin
//! ```
//!
//! Where a file of a key is expected, it may hold such a URI in place of the key.

use std::path::PathBuf;

use kukla::syntax::Problem;
use percent_encoding::percent_decode_str;

use crate::files::read;

/// The name of a key in a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenUri {
    text: String,
    /// The label of the token.
    pub token: Option<String>,
    /// The serial number of the token.
    pub serial: Option<String>,
    /// The label of the key.
    pub object: Option<String>,
    /// The identifier of the key.
    pub id: Option<Vec<u8>>,
    /// The library that speaks to the token.
    pub module: PathBuf,
    pin: Option<Pin>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pin {
    Value(String),
    File(PathBuf),
}

impl TokenUri {
    /// The scheme of such names.
    pub const SCHEME: &str = "pkcs11:";

    /// Reads a URI.
    pub fn parse(text: &str) -> Result<TokenUri, Problem> {
        // The URI may have a PIN, so it is not quoted.
        let invalid = |reason: String| {
            Problem::invalid("invalid URI of a key in a token").because(reason).help(
                "for example pkcs11:token=ca;object=signing?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=/etc/kukla/pin",
            )
        };
        let text = text.trim();
        let rest = text
            .strip_prefix(TokenUri::SCHEME)
            .ok_or_else(|| invalid("it does not begin with pkcs11:".to_owned()))?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut uri = TokenUri { text: text.to_owned(), ..TokenUri::default() };
        for attribute in path.split(';').chain(query.split('&')).filter(|part| !part.is_empty()) {
            let (name, value) =
                attribute.split_once('=').ok_or_else(|| invalid("an attribute has no value".to_owned()))?;
            let bytes: Vec<u8> = percent_decode_str(value).collect();
            let value = || {
                String::from_utf8(bytes.clone())
                    .map_err(|_| invalid(format!("the value of `{name}` is not UTF-8")))
            };
            match name {
                "token" => uri.token = Some(value()?),
                "serial" => uri.serial = Some(value()?),
                "object" => uri.object = Some(value()?),
                "id" => uri.id = Some(bytes),
                "module-path" => uri.module = value()?.into(),
                "pin-value" => uri.pin = Some(Pin::Value(value()?)),
                "pin-source" => {
                    let file = value()?;
                    uri.pin = Some(Pin::File(file.strip_prefix("file:").unwrap_or(&file).into()));
                }
                // It can only be this one.
                "type" if bytes == b"private" => {}
                other => return Err(invalid(format!("unknown attribute `{}`", other.escape_debug()))),
            }
        }
        if !uri.module.is_absolute() {
            return Err(invalid("`module-path` is missing, or is not an absolute path".to_owned()));
        }
        if uri.object.is_none() && uri.id.is_none() {
            return Err(invalid("`object` and `id` are missing".to_owned()));
        }
        Ok(uri)
    }

    /// The URI as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The PIN of the token, if it needs one.
    pub fn pin(&self) -> Result<Option<String>, Problem> {
        match &self.pin {
            None => Ok(None),
            Some(Pin::Value(value)) => Ok(Some(value.clone())),
            Some(Pin::File(file)) => Ok(Some(String::from_utf8_lossy(&read(file)?).trim_end().to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_read_or_refused() {
        let text = "pkcs11:token=The%20CA;serial=12;object=signing;id=%01%ff;type=private?module-path=/lib/p11.so&pin-value=12%2034\n";
        let uri = TokenUri::parse(text).unwrap();
        assert_eq!((uri.token.as_deref(), uri.serial.as_deref()), (Some("The CA"), Some("12")));
        assert_eq!((uri.object.as_deref(), uri.id.as_deref()), (Some("signing"), Some(&[1, 255][..])));
        assert_eq!(
            (uri.module.to_str(), uri.pin().unwrap().as_deref()),
            (Some("/lib/p11.so"), Some("12 34"))
        );
        assert_eq!(uri.as_str(), text.trim_end());
        for (text, reason) in [
            ("token=a", "does not begin with pkcs11:"),
            ("pkcs11:token=a;object=b", "`module-path` is missing"),
            ("pkcs11:token=a;object=b?module-path=p11.so", "not an absolute path"),
            ("pkcs11:token=a?module-path=/p11.so", "`object` and `id` are missing"),
            ("pkcs11:tokn=a;object=b?module-path=/p11.so", "unknown attribute `tokn`"),
            ("pkcs11:token;object=b?module-path=/p11.so", "an attribute has no value"),
            ("pkcs11:token=%ff;object=b?module-path=/p11.so", "the value of `token` is not UTF-8"),
        ] {
            let problem = TokenUri::parse(text).unwrap_err().to_string();
            assert!(problem.contains(reason), "{text}: {problem}");
        }
        let secret = TokenUri::parse("pkcs11:object=b?pin-value=hunter2").unwrap_err();
        assert!(!secret.with_help().contains("hunter2"), "{}", secret.with_help());
    }
}
