//! How PuppetDB is spoken to.

use std::fmt::Write;
use std::io::ErrorKind;

use kukla_syntax::{Diagnostic, bail, diagnostic};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value as Json, json};
use sha1::{Digest, Sha1};
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};
use ureq::{Agent, Body};

use crate::codes::{BAD_STORE_QUERY, BAD_STORE_URL, STORE_CERTIFICATE, STORE_FAILED, STORE_UNREACHABLE};
use crate::tls::{self, Identity};
use crate::{Options, Result, Timestamp};

/// No answer is longer than that.
const ANSWER: u64 = 1 << 30;

/// A longer query goes into the body of a request.
const QUERY: usize = 4096;

/// Someone to ask and to tell.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    address: String,
    url: String,
}

impl Client {
    /// A client of PuppetDB at an address, `https://host:8081`.
    pub fn new(address: &str, url: &str, options: &Options) -> Result<Client> {
        let address = address.trim_end_matches('/').to_owned();
        let host = address.split_once("://").map_or("", |(_, host)| host);
        if host.is_empty() || host.contains(['/', '?', '@']) {
            bail!(BAD_STORE_URL { url, problem: "it names no host" }; hint: "as in puppetdb+https://puppetdb.example.com:8081");
        }
        let mut config = Agent::config_builder()
            .timeout_global(Some(options.patience))
            .http_status_as_error(false)
            .user_agent(concat!("kukla/", env!("CARGO_PKG_VERSION")));
        match address.split_once("://") {
            Some(("http", _)) => {}
            Some(("https", _)) => config = config.tls_config(trust(url, options)?),
            _ => bail!(BAD_STORE_URL { url, problem: "it is neither puppetdb+https nor puppetdb+http" }),
        }
        Ok(Client { agent: config.build().into(), address, url: url.to_owned() })
    }

    /// The answer to a path of the query interface; nothing if it is not found.
    pub fn get(&self, path: &str) -> Result<Option<Json>> {
        let sent =
            self.agent.get(format!("{}{path}", self.address)).header("Accept", "application/json").call();
        self.answer(sent)
    }

    /// Asks for rows of an entity, or for whatever a whole query says.
    pub fn query(&self, entity: Option<&str>, query: &Json) -> Result<Vec<Json>> {
        let place = match entity {
            Some(entity) => format!("/pdb/query/v4/{entity}"),
            None => "/pdb/query/v4".to_owned(),
        };
        let text = query.to_string();
        let answer = match entity.is_some() && text.len() <= QUERY {
            true => self.get(&format!("{place}?query={}", encoded(&text)))?,
            false => {
                self.post(&place, "application/json; charset=UTF-8", &json!({"query": query}).to_string())?
            }
        };
        match answer {
            Some(Json::Array(rows)) => Ok(rows),
            _ => bail!(STORE_FAILED { url: &self.url, problem: "expected a list of rows as its answer" }),
        }
    }

    /// Tells it something. It answers as soon as it has written that down, and takes it in afterwards.
    pub fn command(
        &self,
        command: &str,
        version: u8,
        node: &str,
        time: Timestamp,
        document: &str,
    ) -> Result<()> {
        let mut digest = Sha1::new();
        digest.update(format!(
            "{{\"command\":\"{command}\",\"version\":{version},\"certname\":{},\"payload\":",
            Json::from(node)
        ));
        digest.update(document);
        digest.update("}");
        let checksum = digest.finalize().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let place = format!(
            "/pdb/cmd/v1?checksum={checksum}&version={version}&certname={}&command={}&producer-timestamp={}",
            encoded(node),
            command.replace(' ', "_"),
            encoded(&time.to_string())
        );
        match self.post(&place, "application/json; charset=utf-8", document)? {
            Some(answer) if answer["uuid"].is_string() => Ok(()),
            _ => bail!(STORE_FAILED { url: &self.url, problem: format!("it did not take '{command}'") }),
        }
    }

    fn post(&self, path: &str, kind: &str, body: &str) -> Result<Option<Json>> {
        let sent = self
            .agent
            .post(format!("{}{path}", self.address))
            .header("Accept", "application/json")
            .header("Content-Type", kind)
            .header("X-Uncompressed-Length", body.len().to_string())
            .send(body);
        self.answer(sent)
    }

    fn answer(
        &self,
        sent: std::result::Result<ureq::http::Response<Body>, ureq::Error>,
    ) -> Result<Option<Json>> {
        let mut response = sent.map_err(|error| self.wrong(&error))?;
        let read = response.body_mut().with_config().limit(ANSWER).read_to_string();
        let body = read.map_err(|error| self.wrong(&error))?;
        let url = self.url.as_str();
        match response.status().as_u16() {
            200 => match serde_json::from_str(&body) {
                Ok(json) => Ok(Some(json)),
                Err(_) => {
                    bail!(STORE_FAILED { url, problem: "invalid JSON in its answer" }; hint: "is it PuppetDB that listens there?")
                }
            },
            404 => Ok(None),
            400 => bail!(BAD_STORE_QUERY { problem: line(&body) }),
            status @ (401 | 403) => {
                bail!(STORE_CERTIFICATE { url, problem: format!("it answers {status}: {}", line(&body)) };
                hint: "PuppetDB has a list of certificates that it lets in: certificate-allowlist in jetty.ini")
            }
            status => bail!(STORE_FAILED { url, problem: format!("it answers {status}: {}", line(&body)) }),
        }
    }

    fn wrong(&self, error: &ureq::Error) -> Box<Diagnostic> {
        let (url, problem) = (self.url.as_str(), error.to_string());
        // A server that requires another certificate may close the connection before it has sent an error.
        let hung_up = [
            ErrorKind::BrokenPipe,
            ErrorKind::ConnectionReset,
            ErrorKind::ConnectionAborted,
            ErrorKind::UnexpectedEof,
        ];
        let hung_up = matches!(error, ureq::Error::Io(error) if hung_up.contains(&error.kind()));
        let is_trust = matches!(error, ureq::Error::Rustls(_) | ureq::Error::Tls(_))
            || matches!(error, ureq::Error::Io(error) if tls::is_tls_failure(error))
            || hung_up && self.address.starts_with("https:");
        Box::new(match error {
            _ if is_trust => diagnostic!(STORE_CERTIFICATE { url, problem };
                hint: "--store-ca names the authority that signed the server's certificate, --store-cert and --store-key what this machine shows"),
            ureq::Error::Timeout(_) => diagnostic!(STORE_UNREACHABLE { url, problem };
                hint: "PuppetDB takes a minute or two to start, and no connections meanwhile"),
            _ => diagnostic!(STORE_UNREACHABLE { url, problem };
                hint: "is PuppetDB running there? Its port for certificates is 8081"),
        })
    }
}

/// Whom to trust, and what to show.
fn trust(url: &str, options: &Options) -> Result<TlsConfig> {
    let Identity { authorities, own } = Identity::read(url, options)?;
    if authorities.is_empty() {
        bail!(STORE_CERTIFICATE { url, problem: "nobody vouches for the server" };
            hint: "--store-ca names the certificate of the authority, as in /etc/puppetlabs/puppet/ssl/certs/ca.pem");
    }
    let authorities: Vec<Certificate<'static>> =
        authorities.iter().map(|each| Certificate::from_der(each).to_owned()).collect();
    let own = match (own, &options.key) {
        (Some((chain, _)), Some(key)) => {
            let chain: Vec<Certificate<'static>> =
                chain.iter().map(|each| Certificate::from_der(each).to_owned()).collect();
            let unreadable = |error: &dyn std::fmt::Display| {
                Box::new(diagnostic!(STORE_CERTIFICATE {
                    url,
                    problem: format!("{}: {error}", key.display())
                }))
            };
            let text = std::fs::read(key).map_err(|error| unreadable(&error))?;
            let key = PrivateKey::from_pem(&text).map_err(|error| unreadable(&error))?;
            Some(ClientCert::new_with_certs(&chain, key))
        }
        _ => None,
    };
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&authorities))
        .client_cert(own)
        .unversioned_rustls_crypto_provider(tls::provider())
        .build())
}

/// The first line of an answer, as much as a message can bear.
fn line(body: &str) -> String {
    body.lines().next().unwrap_or_default().chars().take(300).collect()
}

/// All characters but those that RFC 3986 leaves unreserved.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encoded text, for any part of a URL.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_unreserved_characters_is_encoded() {
        assert_eq!(encoded("aZ09-._~"), "aZ09-._~");
        assert_eq!(encoded("[\"=\", 'é']/?&+%\n"), "%5B%22%3D%22%2C%20%27%C3%A9%27%5D%2F%3F%26%2B%25%0A");
    }
}
