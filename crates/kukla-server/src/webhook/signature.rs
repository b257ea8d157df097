//! The signatures of git hosts.
//!
//! | host | header | value |
//! |---|---|---|
//! | GitHub, Forgejo, Gitea | `X-Hub-Signature-256` | `sha256=` and the HMAC of the body in hexadecimal digits |
//! | Forgejo, Gitea | `X-Forgejo-Signature`, `X-Gitea-Signature` | the HMAC of the body in hexadecimal digits |
//! | Bitbucket | `X-Hub-Signature` | `sha256=` and the HMAC of the body in hexadecimal digits |
//! | GitLab, signed | `webhook-signature` | `v1,` and the HMAC of identifier, time and body in Base64 |
//! | GitLab | `X-Gitlab-Token` | the secret itself |
//!
//! The first of these headers counts. Signatures with SHA-1 are none.

use std::path::Path;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use kukla::syntax::Problem;
use ring::hmac;

/// The secrets that a git host may sign with. While a secret is replaced there are two.
#[derive(Clone, Debug)]
pub struct Secrets(Vec<hmac::Key>);

/// Why a request counts as nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// It has no signature.
    Missing,
    /// The signature is not that of a secret.
    Wrong,
    /// The signature was made too long ago, or in the future.
    Outdated,
}

/// The bytes that a secret needs at least. It can be guessed at the speed of the network.
const SHORTEST: usize = 16;
/// The age up to which a signature with a time is accepted.
const LONGEST: Duration = Duration::from_secs(5 * 60);

impl Secrets {
    /// Reads the file of secrets, which has one on each line.
    pub fn read(path: &Path) -> Result<Secrets, Problem> {
        let text = crate::files::read(path)?;
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        let lines: Vec<&[u8]> = lines.collect();
        let invalid = |why: String| {
            Problem::invalid("invalid secret of the webhook")
                .on(path.display())
                .because(why)
                .help(format!("openssl rand -hex 32 > {}", path.display()))
        };
        if lines.is_empty() {
            return Err(invalid("the file is empty".to_owned()));
        }
        if let Some(short) = lines.iter().find(|line| line.len() < SHORTEST) {
            return Err(invalid(format!("expected at least {SHORTEST} characters, got {}", short.len())));
        }
        Ok(Secrets::new(&lines))
    }

    fn new(secrets: &[&[u8]]) -> Secrets {
        let key = |secret: &&[u8]| {
            // The notation of the secrets of Standard Webhooks, which GitLab signs by.
            let decoded = secret.strip_prefix(b"whsec_").and_then(|rest| STANDARD.decode(rest).ok());
            hmac::Key::new(hmac::HMAC_SHA256, decoded.as_deref().unwrap_or(secret))
        };
        Secrets(secrets.iter().map(key).collect())
    }

    fn verify(&self, message: &[u8], tag: Option<Vec<u8>>) -> bool {
        tag.is_some_and(|tag| self.0.iter().any(|key| hmac::verify(key, message, &tag).is_ok()))
    }

    /// Whether a text is one of the secrets. Two texts are compared by what they sign, which takes the same time for all of them.
    fn contains(&self, text: &[u8]) -> bool {
        const MESSAGE: &[u8] = b"webhook";
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, text), MESSAGE);
        self.verify(MESSAGE, Some(tag.as_ref().to_vec()))
    }
}

/// Verifies the signature of a body, and returns it.
pub fn verify(secrets: &Secrets, headers: &HeaderMap, body: &[u8]) -> Result<String, Unverified> {
    verify_at(secrets, headers, body, SystemTime::now())
}

fn verify_at(
    secrets: &Secrets,
    headers: &HeaderMap,
    body: &[u8],
    now: SystemTime,
) -> Result<String, Unverified> {
    let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default().trim());
    let shown = |is_good: bool, signature: &str| match is_good {
        true => Ok(signature.to_owned()),
        false => Err(Unverified::Wrong),
    };
    for name in ["x-hub-signature-256", "x-forgejo-signature", "x-gitea-signature", "x-hub-signature"] {
        let Some(value) = header(name) else { continue };
        let digits = match name.starts_with("x-hub") {
            true => value.strip_prefix("sha256="),
            false => Some(value),
        };
        return shown(secrets.verify(body, digits.and_then(bytes)), value);
    }
    if let Some(signatures) = header("webhook-signature") {
        let (id, time) =
            (header("webhook-id").unwrap_or_default(), header("webhook-timestamp").unwrap_or_default());
        let mut message = format!("{id}.{time}.").into_bytes();
        message.extend_from_slice(body);
        let tags = signatures.split(' ').filter_map(|each| STANDARD.decode(each.strip_prefix("v1,")?).ok());
        let is_good = tags.take(8).any(|tag| secrets.verify(&message, Some(tag)));
        if is_good && !is_recent(time, now) {
            return Err(Unverified::Outdated);
        }
        return shown(is_good, signatures);
    }
    match header("x-gitlab-token") {
        // The token is the secret, so it is not what deliveries are remembered by.
        Some(token) => shown(secrets.contains(token.as_bytes()), "").map(|_| String::new()),
        None => Err(Unverified::Missing),
    }
}

/// The identifier of a delivery, which is the same when a host repeats it.
pub fn delivery(headers: &HeaderMap) -> Option<&str> {
    let names = [
        "webhook-id",
        "x-github-delivery",
        "x-forgejo-delivery",
        "x-gitea-delivery",
        "x-gitlab-event-uuid",
        "x-request-uuid",
        "x-request-id",
    ];
    names.iter().find_map(|name| headers.get(*name)?.to_str().ok()).filter(|id| id.len() <= 200)
}

fn is_recent(seconds: &str, now: SystemTime) -> bool {
    let Ok(seconds) = seconds.parse::<u64>() else { return false };
    let now = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    now.abs_diff(seconds) <= LONGEST.as_secs()
}

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of GitHub's documentation.
    const SECRET: &[u8] = b"It's a Secret to Everybody";
    const BODY: &[u8] = b"Hello, World!";
    const DIGITS: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        all.iter()
            .map(|(name, value)| (hyper::header::HeaderName::from_static(name), value.parse().unwrap()))
            .collect()
    }

    fn check(all: &[(&'static str, &str)], body: &[u8]) -> Result<String, Unverified> {
        let secrets = Secrets::new(&[b"an older secret, still valid", SECRET]);
        verify_at(&secrets, &headers(all), body, SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000))
    }

    #[test]
    fn the_signatures_of_all_hosts() {
        let prefixed = format!("sha256={DIGITS}");
        let upper = DIGITS.to_uppercase();
        for (name, value) in [
            ("x-hub-signature-256", prefixed.as_str()),
            ("x-hub-signature", &prefixed),
            ("x-forgejo-signature", DIGITS),
            ("x-gitea-signature", DIGITS),
            ("x-gitea-signature", &upper),
            ("x-gitlab-token", "It's a Secret to Everybody"),
            ("x-gitlab-token", "an older secret, still valid"),
        ] {
            assert!(check(&[(name, value)], BODY).is_ok(), "{name}: {value}");
            if name != "x-gitlab-token" {
                assert_eq!(check(&[(name, value)], b"Hello, World?"), Err(Unverified::Wrong), "{name}");
            }
            for wrong in ["", "sha256=", "sha256=75", "sha256=zz", &value[1..], "sha1=757107ea", "é"] {
                assert_eq!(check(&[(name, wrong)], BODY), Err(Unverified::Wrong), "{name}: {wrong}");
            }
        }
        assert_eq!(check(&[], BODY), Err(Unverified::Missing));
        assert_eq!(
            check(&[("x-hub-signature-256", "sha256=00"), ("x-gitea-signature", DIGITS)], BODY),
            Err(Unverified::Wrong)
        );
    }

    #[test]
    fn signatures_with_a_time_expire() {
        let signed = |time: &str| {
            let message = format!("id-1.{time}.Hello, World!");
            let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET), message.as_bytes());
            format!("v1,AAAA v1,{}", STANDARD.encode(tag))
        };
        let check = |time: &str, signature: &str| {
            check(
                &[("webhook-id", "id-1"), ("webhook-timestamp", time), ("webhook-signature", signature)],
                BODY,
            )
        };
        assert!(check("1700000000", &signed("1700000000")).is_ok());
        assert!(check("1699999701", &signed("1699999701")).is_ok());
        for outdated in ["1699999000", "1700001000", "0", "now"] {
            assert_eq!(check(outdated, &signed(outdated)), Err(Unverified::Outdated), "{outdated}");
        }
        assert_eq!(check("1700000001", &signed("1700000000")), Err(Unverified::Wrong));
        let standard = Secrets::new(&[b"whsec_SXQncyBhIFNlY3JldCB0byBFdmVyeWJvZHk="]);
        assert!(
            standard.contains(SECRET) && !standard.contains(b"whsec_SXQncyBhIFNlY3JldCB0byBFdmVyeWJvZHk=")
        );
    }

    #[test]
    fn secrets_do_not_show() {
        assert!(!format!("{:?}", Secrets::new(&[SECRET])).contains("Everybody"));
    }
}
