//! The server: what it knows, and how a request becomes an answer.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response, StatusCode};
use kukla::syntax::Problem;
use kukla::{Compiler, DiskWorld};
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::answer::{Answer, Body, Issue};
use crate::ca::certificate::Certificate;
use crate::ca::{Authority, Refusal, RevokedCertificates, setup, time};
use crate::call::{self, Call, Peer};
use crate::environments::Environments;
use crate::log::{self, Level};
use crate::metrics::Metrics;
use crate::routes::{Route, dispatch};
use crate::settings::Settings;
use crate::storing::ServerStore;

/// The server.
#[derive(Debug)]
pub struct Server {
    /// Its settings.
    pub settings: Settings,
    /// The authority, if it is here.
    pub authority: Option<Authority>,
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
    compiling: Arc<Semaphore>,
    reading: Arc<Semaphore>,
    room: Arc<Semaphore>,
}

/// The fields of the log line of a request.
struct RequestLine {
    method: Method,
    path: String,
    begun: Instant,
}

/// The largest number of requests that only read files and are answered at once.
const READING: usize = 64;
/// All bodies of requests together have this number of pieces of this number of bytes.
const ROOM: u32 = 4096;
const PIECE: usize = 256 << 10;
/// A request has so long to arrive.
const ARRIVAL: Duration = Duration::from_secs(60);

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
        let store = match (&settings.store, before.and_then(|before| before.store.clone())) {
            (Some(_), Some(open)) => Some(open),
            (Some(url), None) => Some(ServerStore::open(url, &settings)?),
            (None, _) => None,
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
            revoked: RevokedCertificates::open(settings.tls.crl.clone())?,
            environments,
            store,
            metrics: before.map_or_else(Arc::default, |before| Arc::clone(&before.metrics)),
            started: before.map_or_else(Instant::now, |before| before.started),
            address: own_address(settings.listen.ip()),
            compiling: Arc::new(Semaphore::new(settings.compiling.threads)),
            reading: Arc::new(Semaphore::new(READING)),
            room: Arc::new(Semaphore::new(ROOM as usize)),
            authority,
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
    pub async fn answer(self: &Arc<Server>, peer: &Arc<Peer>, request: Request<Incoming>) -> Response<Body> {
        let begun = Instant::now();
        let (parts, body) = request.into_parts();
        let line = RequestLine { method: parts.method.clone(), path: parts.uri.path().to_owned(), begun };
        let (route, peer, mut answer) = match self.decoded(peer, parts) {
            Ok(call) => {
                let (route, peer) = (Route::of(&call.path), Arc::clone(&call.peer));
                let answer = match self.allow(&call, route) {
                    Ok(()) => self.answered(call, route, body).await,
                    Err(answer) => answer,
                };
                (route, peer, answer)
            }
            Err(answer) => (Route::Other, Arc::clone(peer), answer),
        };
        if route.is_puppets() {
            answer.headers.push(("x-puppet-version", crate::PUPPET_VERSION.to_owned()));
        }
        self.note(&line, route, &peer, &mut answer);
        answer.into_response()
    }

    /// The request without its body, so that a client whose request is refused does not send one.
    fn decoded(&self, peer: &Arc<Peer>, parts: hyper::http::request::Parts) -> Result<Call, Answer> {
        let refused = |text: &str| Answer::refused(StatusCode::BAD_REQUEST, text);
        let path = call::path(parts.uri.path()).ok_or_else(|| refused("Bad Request: the path"))?;
        let query = call::parameters(parts.uri.query().unwrap_or_default());
        let mut call = Call {
            method: parts.method,
            path,
            parameters: query.ok_or_else(|| refused("Bad Request: the query"))?,
            headers: parts.headers,
            body: Bytes::new(),
            peer: Arc::clone(peer),
        };
        if self.settings.rules.by_header {
            call.peer = Arc::new(by_header(&call));
        }
        Ok(call)
    }

    /// Whether the sender of a request may ask.
    fn allow(&self, call: &Call, route: Route) -> Result<(), Answer> {
        if route == Route::Other {
            return Err(Answer::refused(StatusCode::NOT_FOUND, "Not Found").note("refused", "no such thing"));
        }
        if let Some(problem) = self.distrusts(&call.peer) {
            return Err(forbidden(call).note("refused", problem));
        }
        self.settings.rules.check(call).map_err(|refusal| forbidden(call).note("refused", refusal.rule))
    }

    /// Answers a request that is allowed, when all of it is there.
    async fn answered(self: &Arc<Server>, mut call: Call, route: Route, body: Incoming) -> Answer {
        let limit = route.largest_body(self.settings.largest_body);
        let announced = call.header("content-length").and_then(|length| length.parse::<u64>().ok());
        if announced.is_some_and(|length| length > limit as u64) {
            return too_large(limit);
        }
        let Some(_room) = self.room(&call, limit).await else {
            return Answer::busy(self.retry_after(), "Service Unavailable: the server ends");
        };
        match arrived(body, limit).await {
            Ok(body) => call.body = body,
            Err(answer) => return answer,
        }
        if call.content_type().as_deref() == Some("application/x-www-form-urlencoded") {
            let form = std::str::from_utf8(&call.body).ok().and_then(call::parameters);
            let Some(mut form) = form else {
                return Answer::refused(StatusCode::BAD_REQUEST, "Bad Request: the form");
            };
            form.append(&mut call.parameters);
            call.parameters = form;
        }
        if route.compiles() { self.compiled(call, route).await } else { self.read(call, route).await }
    }

    /// Room for the body of a request. All bodies together have a limit, and who brings much waits until others are done.
    async fn room(&self, call: &Call, limit: usize) -> Option<OwnedSemaphorePermit> {
        let said = call.header("content-length").and_then(|length| length.parse::<usize>().ok());
        let is_chunked = call.headers.contains_key("transfer-encoding");
        let length = if is_chunked { limit } else { said.unwrap_or(0).min(limit) };
        let pieces = u32::try_from(length.div_ceil(PIECE)).unwrap_or(ROOM).min(ROOM);
        Arc::clone(&self.room).acquire_many_owned(pieces).await.ok()
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

    /// Compiles when it is its turn; when too many wait already, the agent is asked to come back later.
    async fn compiled(self: &Arc<Server>, call: Call, route: Route) -> Answer {
        let most = (self.settings.compiling.queue + self.settings.compiling.threads) as u64;
        let queued = QueuedCatalog::new(Arc::clone(&self.metrics));
        if queued.before >= most {
            self.metrics.sent_away();
            return Answer::busy(
                self.retry_after(),
                "Service Unavailable: too many catalogs are being compiled",
            );
        }
        let Ok(_permit) = Arc::clone(&self.compiling).acquire_owned().await else {
            return Answer::busy(self.retry_after(), "Service Unavailable: the server ends");
        };
        self.run(&call, route)
    }

    async fn read(self: &Arc<Server>, call: Call, route: Route) -> Answer {
        let Ok(_permit) = Arc::clone(&self.reading).acquire_owned().await else {
            return Answer::busy(self.retry_after(), "Service Unavailable: the server ends");
        };
        self.run(&call, route)
    }

    /// Runs a handler, which may wait for disks, on the thread that has read the request: nobody has to be woken for it, and the answer goes out from
    /// there. Other connections go on with other threads. Whether the client is still there, a compilation asks the socket.
    fn run(&self, call: &Call, route: Route) -> Answer {
        let work = || {
            let mut answer = dispatch(self, call, route);
            answer.pack(call.header("accept-encoding"));
            answer
        };
        let done = tokio::task::block_in_place(|| std::panic::catch_unwind(AssertUnwindSafe(work)));
        done.unwrap_or_else(|_| {
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

/// The body of a request, when all of it is there.
async fn arrived(body: Incoming, limit: usize) -> Result<Bytes, Answer> {
    match tokio::time::timeout(ARRIVAL, Limited::new(body, limit).collect()).await {
        Err(_) => Err(Answer::refused(StatusCode::REQUEST_TIMEOUT, "Request Timeout")),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large(limit)),
        Ok(Err(error)) => Err(Answer::refused(StatusCode::BAD_REQUEST, format!("Bad Request: {error}"))),
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
    }
}

fn too_large(limit: usize) -> Answer {
    let text = format!("Payload Too Large: at most {limit} bytes are taken here");
    Answer::refused(StatusCode::PAYLOAD_TOO_LARGE, text)
}

fn forbidden(call: &Call) -> Answer {
    let method = call.method.as_str().to_lowercase();
    let text = format!(
        "Forbidden request: {} (method :{method}). Please see the server logs for details.",
        call.path
    );
    Answer { content_type: None, ..Answer::refused(StatusCode::FORBIDDEN, text) }
}

/// The client, as a proxy in front of the server describes it in headers after it has checked the certificate.
fn by_header(call: &Call) -> Peer {
    let (address, socket) = (call.peer.address, call.peer.socket.clone());
    if call.header("x-client-verify") != Some("SUCCESS") {
        return Peer::new(address, None).on(socket);
    }
    let certificate = call.header("x-client-cert").and_then(|header| call::decoded(header, false));
    let certificate = certificate.and_then(|text| Certificate::from_pem(text.as_bytes()).ok());
    let mut peer = Peer::new(address, certificate).on(socket);
    if peer.name.is_none() {
        let name = call.header("x-client-dn").and_then(|dn| {
            dn.split([',', '/'])
                .find_map(|part| part.trim().strip_prefix("CN="))
                .map(|name| name.trim().to_owned())
        });
        peer.name = name;
    }
    peer
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
