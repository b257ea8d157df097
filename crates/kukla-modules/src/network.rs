//! HTTP requests of module sources: time limits, retries, proxies, trusted authorities.

use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use kukla_syntax::{Problem, ProblemKind};
use rustls::crypto::ring;
use ureq::http::Response;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body};

/// The settings of connections.
#[derive(Clone, Debug)]
pub struct NetworkOptions {
    /// Never connect: everything must be in the store.
    pub offline: bool,
    /// The longest time to wait for a connection or for further bytes.
    pub patience: Duration,
    /// How often a failed request is repeated.
    pub retries: u32,
    /// The file with the certificates of trusted authorities, if it is not that of the system.
    pub authorities: Option<PathBuf>,
    /// The proxy, if it is not the one that the environment names.
    pub proxy: Option<String>,
    /// The keys of git repositories.
    pub ssh_keys: SshKeys,
}

/// The private keys and user names with which the system's `git` connects over SSH, if they are not those of the user's own settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshKeys {
    /// The key of repositories that have none of their own.
    pub default: Option<PathBuf>,
    /// The keys of single repositories, by URL.
    pub repositories: Vec<(String, PathBuf)>,
    /// The user of URLs that name none.
    pub user: Option<String>,
}

impl SshKeys {
    /// The key of a repository.
    pub fn of(&self, url: &str) -> Option<&PathBuf> {
        let own = self.repositories.iter().find(|(known, _)| known == url).map(|(_, key)| key);
        own.or(self.default.as_ref())
    }
}

impl Default for NetworkOptions {
    fn default() -> NetworkOptions {
        NetworkOptions {
            offline: false,
            patience: Duration::from_secs(30),
            retries: 3,
            authorities: None,
            proxy: None,
            ssh_keys: SshKeys::default(),
        }
    }
}

/// The client of all requests.
#[derive(Debug)]
pub struct Network {
    options: NetworkOptions,
    agent: OnceLock<Result<Agent, Problem>>,
}

/// The files that distributions have the certificates of trusted authorities in.
const AUTHORITIES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

impl Network {
    /// A client with these settings.
    pub fn new(options: NetworkOptions) -> Network {
        Network { options, agent: OnceLock::new() }
    }

    /// The settings.
    pub fn options(&self) -> &NetworkOptions {
        &self.options
    }

    /// A problem if nothing may connect.
    pub fn require_online(&self, url: &str) -> Result<(), Problem> {
        match self.options.offline {
            false => Ok(()),
            true => Err(Problem::new(ProblemKind::Denied, "cannot connect to")
                .on(url)
                .because("--offline forbids connections, and the store lacks what is needed")
                .help("run the command once without --offline")),
        }
    }

    /// The agent of requests.
    pub fn agent(&self) -> Result<&Agent, Problem> {
        self.agent.get_or_init(|| self.make_agent()).as_ref().map_err(Problem::clone)
    }

    fn make_agent(&self) -> Result<Agent, Problem> {
        let patience = Some(self.options.patience);
        let mut config = Agent::config_builder()
            .timeout_resolve(patience)
            .timeout_connect(patience)
            .timeout_recv_response(Some(self.options.patience * 4))
            .timeout_per_read(patience)
            .timeout_per_write(patience)
            .http_status_as_error(false)
            .user_agent(concat!("kukla/", env!("CARGO_PKG_VERSION")))
            .tls_config(self.trust()?);
        if let Some(proxy) = &self.options.proxy {
            let parsed = ureq::Proxy::new(proxy);
            config = config.proxy(Some(
                parsed.map_err(|error| Problem::invalid("invalid proxy").on(proxy).because(error))?,
            ));
        }
        Ok(config.build().into())
    }

    fn trust(&self) -> Result<TlsConfig, Problem> {
        let named = self.options.authorities.clone();
        let named = named.or_else(|| std::env::var_os("SSL_CERT_FILE").map(PathBuf::from));
        let path = match &named {
            Some(path) => Some(path.clone()),
            None => AUTHORITIES.iter().map(PathBuf::from).find(|path| path.exists()),
        };
        let mut certificates: Vec<Certificate<'static>> = Vec::new();
        if let Some(path) = path {
            let text = std::fs::read(&path).map_err(|error| Problem::io("read", &path, &error))?;
            certificates.extend(parse_pem(&text).filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            }));
        }
        Ok(TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(certificates)))
            .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
            .build())
    }

    /// Runs a request again if it fails in a way that may pass.
    pub fn retrying<T>(&self, url: &str, mut run: impl FnMut() -> Result<T, Problem>) -> Result<T, Problem> {
        self.require_online(url)?;
        let mut wait = Duration::from_millis(200);
        for _ in 0..self.options.retries {
            match run() {
                Err(problem)
                    if matches!(problem.kind(), ProblemKind::Unavailable | ProblemKind::TimedOut) =>
                {
                    thread::sleep(wait);
                    wait *= 3;
                }
                result => return result,
            }
        }
        run()
    }

    /// The answer to a request for a URL; none if there is nothing at it.
    pub fn get(&self, url: &str, headers: &[(String, String)]) -> Result<Option<Response<Body>>, Problem> {
        let mut request = self.agent()?.get(url);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = request.call().map_err(|error| failed(url, &error))?;
        match response.status().as_u16() {
            200..300 => Ok(Some(response)),
            404 | 410 => Ok(None),
            status => Err(refused(url, status)),
        }
    }

    /// The bytes at a URL, at most as many as `most`; none if there is nothing.
    pub fn read(
        &self,
        url: &str,
        headers: &[(String, String)],
        most: u64,
    ) -> Result<Option<Vec<u8>>, Problem> {
        self.retrying(url, || {
            let Some(response) = self.get(url, headers)? else { return Ok(None) };
            let mut bytes = Vec::new();
            let mut body = response.into_body().into_with_config().limit(u64::MAX).reader().take(most + 1);
            body.read_to_end(&mut bytes).map_err(|error| interrupted(url, &error))?;
            if bytes.len() as u64 > most {
                return Err(Problem::new(ProblemKind::LimitExceeded, "cannot download")
                    .on(url)
                    .because(format!("it has more than {most} bytes")));
            }
            Ok(Some(bytes))
        })
    }
}

/// The URL without a password in it.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((user, host)) if user.contains(':') => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:***@{host}{}", &rest[end..])
        }
        _ => url.to_owned(),
    }
}

/// The problem of a request that got no answer.
pub fn failed(url: &str, error: &ureq::Error) -> Problem {
    let kind = match error {
        ureq::Error::Timeout(_) => ProblemKind::TimedOut,
        ureq::Error::BadUri(_) => ProblemKind::Invalid,
        _ => ProblemKind::Unavailable,
    };
    let problem = Problem::new(kind, "cannot download").on(without_password(url)).because(error);
    match error {
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => {
            problem.help("--ca FILE or SSL_CERT_FILE names the certificates of trusted authorities")
        }
        _ => problem,
    }
}

/// The problem of an answer that ends too early.
fn interrupted(url: &str, error: &std::io::Error) -> Problem {
    Problem::new(ProblemKind::Unavailable, "cannot download")
        .on(without_password(url))
        .because(format!("the connection was interrupted: {error}"))
}

/// The problem of an answer with a status of failure.
pub fn refused(url: &str, status: u16) -> Problem {
    let (kind, why) = match status {
        401 | 403 => (ProblemKind::Denied, "the server requires other credentials"),
        429 => (ProblemKind::Unavailable, "the server has had too many requests"),
        500.. => (ProblemKind::Unavailable, "the server failed"),
        _ => (ProblemKind::Other, "the server refused the request"),
    };
    Problem::new(kind, "cannot download")
        .on(without_password(url))
        .because(format!("{why} (HTTP status {status})"))
}
