//! The server: what it knows, and how a request becomes an answer.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response, StatusCode};
use kukla::syntax::Problem;
use kukla::{Compiler, DiskWorld};
use serde_json::{Map, Value};

use crate::answer::{Answer, Body, Issue};
use crate::ca::{Authority, LiveAuthority, Refusal, RevokedCertificates, setup, time};
use crate::call::{self, Call, InvalidParameters, Parameters};
use crate::environments::Environments;
use crate::log::{self, Level};
use crate::metrics::Metrics;
use crate::peer::Peer;
use crate::pools::{Pool, Pools};
use crate::protected::ProtectedFiles;
use crate::proxy;
use crate::receive::receive;
use crate::room::Room;
use crate::routes::{Route, dispatch};
use crate::settings::Settings;
use crate::storing::{ServerStore, is_unavailable};
use crate::tls::Tls;
use crate::webhook::queue::DeploymentQueue;

/// The server.
#[derive(Debug)]
pub struct Server {
    /// Its settings.
    pub settings: Settings,
    /// The authority, if it is here.
    pub authority: Option<LiveAuthority>,
    /// Which certificates are revoked.
    pub revoked: RevokedCertificates,
    /// The code.
    pub environments: Arc<Environments>,
    /// Where facts, catalogs and reports go, if anywhere.
    pub store: Option<ServerStore>,
    /// Its counters.
    pub metrics: Arc<Metrics>,
    /// When it began.
    pub started: Instant,
    /// The address it is reached by, if it is known.
    pub address: Option<IpAddr>,
    /// The files that are never served.
    pub protected: ProtectedFiles,
    /// The threads of handlers.
    pub pools: Pools,
    /// The memory of bodies.
    pub room: Arc<Room>,
    /// The branches that wait for their deployment.
    pub deployments: Arc<DeploymentQueue>,
}

/// The fields of the log line of a request.
struct RequestLine {
    method: Method,
    path: String,
    begun: Instant,
}

impl Server {
    /// A server as the settings have it. If there is no authority yet where one should be, it is made.
    pub fn new(mut settings: Settings, before: Option<&Server>) -> Result<Server, Problem> {
        let authority = match &settings.authority {
            Some((layout, practice)) => Some(match Authority::open(layout.clone(), practice.clone()) {
                Ok(authority) => authority,
                Err(Refusal::Missing(_)) if !layout.key.exists() => {
                    log::info(&format!(
                        "no certificate authority in {}; creating one",
                        layout.directory.display()
                    ));
                    setup::make(layout, practice.clone(), &settings.host.certname)?
                }
                Err(refusal) => return Err(refusal.into()),
            }),
            None => None,
        };
        if let Some(authority) = &authority {
            authority.refresh_crl()?;
            if settings.tls.certificate == settings.host.certificate() {
                setup::make_host(authority, &settings.host, &settings.alt_names)?;
            }
        }
        // A store that is open stays open; another URL is another store.
        let open = before.and_then(|before| before.store.clone());
        let store = match &settings.store {
            Some(url) => Some(match open.filter(|open| open.is_opened_by(url)) {
                Some(open) => open,
                None => ServerStore::open(url, &settings)?,
            }),
            None => None,
        };
        if store.is_some() {
            settings.site.settings.set("storeconfigs", true.into())?;
        }
        let mut compiler = Compiler::new(DiskWorld::default()).with_policy(settings.policy.clone());
        if let Some(store) = &store {
            compiler = compiler.with_exports(store.exports());
        }
        let environments = Arc::new(Environments::new(&settings, compiler));
        Ok(Server {
            revoked: RevokedCertificates::open(settings.tls.crl.clone(), settings.tls.authorities.clone())?,
            environments,
            store,
            metrics: before.map_or_else(Arc::default, |before| Arc::clone(&before.metrics)),
            started: before.map_or_else(Instant::now, |before| before.started),
            address: settings.listen.or(settings.plain).and_then(|listen| own_address(listen.ip())),
            protected: ProtectedFiles::of(&settings),
            pools: Pools::new(settings.compiling.threads),
            room: before.map_or_else(Arc::default, |before| Arc::clone(&before.room)),
            deployments: before.map_or_else(Arc::default, |before| Arc::clone(&before.deployments)),
            authority: authority.map(LiveAuthority::new),
            settings,
        })
    }

    /// The environment of this name if there is one, else the default one.
    pub fn environment_or_default(&self, name: &str) -> String {
        match self.environments.get(name) {
            Some(environment) => environment.name.clone(),
            None => self.settings.site.environment.clone(),
        }
    }

    /// After how many seconds those come back who are sent away: not all at once.
    pub fn retry_after(&self) -> u64 {
        let most = self.settings.compiling.retry.as_secs().max(1);
        1 + u64::from_le_bytes(crate::ca::keys::random()) % most
    }

    /// Answers a request.
    pub async fn answer(
        self: &Arc<Server>,
        peer: &Arc<Peer>,
        tls: &Tls,
        request: Request<Incoming>,
    ) -> Response<Body> {
        let begun = Instant::now();
        let (parts, body) = request.into_parts();
        let line = RequestLine { method: parts.method.clone(), path: parts.uri.path().to_owned(), begun };
        let (route, peer, mut answer) = match self.decoded(peer, tls, parts) {
            Ok(call) => {
                let (route, peer) = (Route::of(&call.path), Arc::clone(&call.peer));
                let answer = match self.allow(&call, route) {
                    Ok(()) => self.answer_allowed(call, route, body).await.unwrap_or_else(|refusal| refusal),
                    Err(refusal) => refusal,
                };
                (route, peer, answer)
            }
            Err(refusal) => (Route::Other, Arc::clone(peer), refusal),
        };
        if route.is_puppets() {
            answer.headers.push(("x-puppet-version", crate::PUPPET_VERSION.to_owned()));
        }
        self.note(&line, route, &peer, &mut answer);
        answer.into_response()
    }

    /// The request without its body, so that a client whose request is refused does not send one.
    fn decoded(
        &self,
        peer: &Arc<Peer>,
        tls: &Tls,
        parts: hyper::http::request::Parts,
    ) -> Result<Call, Answer> {
        let path = call::path(parts.uri.path())
            .ok_or_else(|| Answer::refused(StatusCode::BAD_REQUEST, "Bad Request: malformed path"))?;
        let parameters = Parameters::parse(parts.uri.query().unwrap_or_default()).map_err(bad_request)?;
        let mut call = Call {
            method: parts.method,
            path,
            parameters,
            headers: parts.headers,
            body: Bytes::new(),
            peer: Arc::clone(peer),
        };
        match proxy::client_behind(peer, &call.headers, &self.settings, tls) {
            Ok(None) => {}
            Ok(Some(client)) => call.peer = Arc::new(client),
            Err(reason) => return Err(forbidden(&call).note("refused", reason.to_string())),
        }
        Ok(call)
    }

    /// Whether the sender of a request may ask.
    fn allow(&self, call: &Call, route: Route) -> Result<(), Answer> {
        let has_route = match route {
            Route::Webhook => self.settings.webhook.is_some(),
            _ => route != Route::Other,
        };
        if !has_route {
            return Err(Answer::refused(StatusCode::NOT_FOUND, "Not Found").note("refused", "no such thing"));
        }
        if let Some(problem) = self.distrusts(&call.peer) {
            return Err(forbidden(call).note("refused", problem));
        }
        self.settings.rules.check(call).map_err(|refusal| forbidden(call).note("refused", refusal.rule))
    }

    /// Answers a request that is allowed as far as its beginning tells.
    async fn answer_allowed(
        self: &Arc<Server>,
        mut call: Call,
        route: Route,
        body: Incoming,
    ) -> Result<Answer, Answer> {
        let limits = &self.settings.limits;
        let most = route.largest_body(&call.path, limits);
        let mut share = self.room.share(call.peer.key());
        call.body = receive(body, most, limits, &mut share)
            .await
            .map_err(|refusal| refusal.answer(self.retry_after()))?;
        if route.takes_form() && call.content_type().as_deref() == Some("application/x-www-form-urlencoded") {
            // The text is not needed any more, and what it becomes is as large.
            let body = std::mem::take(&mut call.body);
            let form = std::str::from_utf8(&body).map_err(|_| bad_request(InvalidParameters::Malformed))?;
            let form = Parameters::parse(form).map_err(bad_request)?;
            call.parameters.add_form(form).map_err(bad_request)?;
            // Rules see the parameters that the handler sees.
            self.allow(&call, route)?;
        }
        let Some(pool) = route.pool(&call.peer) else { return Ok(self.run(&call, route)) };
        let _queued = if pool == Pool::Catalogs { Some(self.queue_catalog()?) } else { None };
        let wait = if pool == Pool::Catalogs { limits.catalog_wait } else { limits.wait };
        let Some(_thread) = self.pools.enter(pool, wait).await else {
            return Err(self.busy("Service Unavailable: no thread became free in time"));
        };
        // Other connections go on with other threads.
        Ok(tokio::task::block_in_place(|| self.run(&call, route)))
    }

    /// Puts a catalog into the queue; if it is full, the agent has to come back later.
    fn queue_catalog(&self) -> Result<QueuedCatalog, Answer> {
        let most = (self.settings.compiling.queue + self.settings.compiling.threads) as u64;
        let queued = QueuedCatalog::new(Arc::clone(&self.metrics));
        if queued.before >= most {
            return Err(self.busy("Service Unavailable: too many catalogs are being compiled"));
        }
        Ok(queued)
    }

    /// Sends a client away until later.
    pub fn busy(&self, message: &str) -> Answer {
        self.metrics.sent_away();
        Answer::busy(self.retry_after(), message)
    }

    /// The answer for a failure: if the store cannot be reached, the agent has to come back later.
    pub fn failure(&self, problem: &Problem) -> Answer {
        if is_unavailable(problem) {
            return self
                .busy("Service Unavailable: the store does not answer")
                .note("error", problem.to_string());
        }
        Answer::error(Issue::Runtime, problem)
    }

    /// Why a certificate that was good when the connection was made is not any more.
    fn distrusts(&self, peer: &Peer) -> Option<&'static str> {
        let certificate = peer.certificate.as_ref()?;
        if certificate.not_after() < time::now() {
            return Some("the certificate has ended");
        }
        let lists = self.revoked.now();
        if !lists.covers(certificate.issuer()) {
            return Some("the CRL of the issuer is missing");
        }
        let is_revoked = lists.revokes(certificate.issuer(), &certificate.serial());
        is_revoked.then_some("the certificate is revoked")
    }

    /// Runs a handler on the thread that has read the request: nobody has to be woken for it, and the answer goes out from there. Whether the
    /// client is still there, a compilation asks the socket.
    fn run(&self, call: &Call, route: Route) -> Answer {
        let work = || {
            let mut answer = dispatch(self, call, route);
            answer.pack(call.header("accept-encoding"));
            answer
        };
        std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            Answer::error(Issue::Runtime, "the request could not be answered because of a fault in Kukla")
        })
    }

    /// Counts and logs a request that is answered.
    fn note(&self, line: &RequestLine, route: Route, peer: &Peer, answer: &mut Answer) {
        let (status, time, bytes) = (answer.status.as_u16(), line.begun.elapsed(), answer.unpacked_length());
        self.metrics.answered(route.name(), status, time, bytes);
        let level = match status {
            500.. => Level::Error,
            401 | 403 => Level::Warning,
            _ => Level::Info,
        };
        if !log::is_enabled(level) {
            return;
        }
        let mut facts = Map::new();
        facts.insert("method".into(), line.method.as_str().into());
        facts.insert("path".into(), line.path.as_str().into());
        facts.insert("status".into(), status.into());
        facts.insert("node".into(), peer.name.clone().map_or(Value::Null, Value::from));
        facts.insert("client".into(), peer.address.ip().to_string().into());
        facts.insert("ms".into(), ((time.as_secs_f64() * 1e6).round() / 1e3).into());
        facts.insert("bytes".into(), bytes.into());
        facts.extend(answer.notes.drain(..).map(|(name, value)| (name.to_owned(), value)));
        log::write(level, "request", facts);
    }
}

fn bad_request(invalid: InvalidParameters) -> Answer {
    Answer::refused(StatusCode::BAD_REQUEST, format!("Bad Request: {invalid}"))
}

fn forbidden(call: &Call) -> Answer {
    let method = call.method.as_str().to_lowercase();
    let text = format!(
        "Forbidden request: {} (method :{method}). Please see the server logs for details.",
        call.path
    );
    Answer { content_type: None, ..Answer::refused(StatusCode::FORBIDDEN, text) }
}

/// A catalog that is being compiled or waits for it.
struct QueuedCatalog {
    metrics: Arc<Metrics>,
    before: u64,
}

impl QueuedCatalog {
    fn new(metrics: Arc<Metrics>) -> QueuedCatalog {
        let before = metrics.queued.fetch_add(1, Ordering::Relaxed);
        QueuedCatalog { metrics, before }
    }
}

impl Drop for QueuedCatalog {
    fn drop(&mut self) {
        self.metrics.queued.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The address by which this machine reaches others; nothing is sent to find out.
fn own_address(listen: IpAddr) -> Option<IpAddr> {
    if !listen.is_unspecified() {
        return Some(listen);
    }
    let socket = std::net::UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    socket.connect(("192.0.2.1", 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}
