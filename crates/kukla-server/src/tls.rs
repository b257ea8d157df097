//! TLS: the server's certificate, and whose certificates it trusts.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use kukla::syntax::Problem;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, UnixTime};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::SingleCertAndKey;
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig};

use crate::ca::RevocationLists;
use crate::ca::keys::Key;
use crate::files::{read, stamp};
use crate::log;
use crate::settings::TlsFiles;

type Stamps = Vec<Option<(u64, i64, i64, u64)>>;

/// How connections are made and clients are verified: read again whenever one of the files is another one, so that a certificate that was renewed
/// or revoked counts for the next connection.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    serves: bool,
    current: Mutex<(Stamps, TlsState)>,
}

#[derive(Clone, Debug)]
struct TlsState {
    /// The configuration of the listener, if there is one.
    config: Option<Arc<ServerConfig>>,
    verifier: Arc<dyn ClientCertVerifier>,
}

impl Tls {
    /// Reads the files; those of the server's own certificate only if it `serves` connections with TLS.
    pub fn new(files: TlsFiles, serves: bool) -> Result<Tls, Problem> {
        let stamps = stamps(&files);
        let state = TlsState::read(&files, serves)?;
        Ok(Tls { files, serves, current: Mutex::new((stamps, state)) })
    }

    /// How the next connection is made, if the server has TLS.
    pub fn now(&self) -> Option<Arc<ServerConfig>> {
        self.state().config
    }

    /// Verifies the certificate of a client, and those of its issuers if it comes with some.
    pub fn verify(&self, chain: &[CertificateDer<'_>]) -> Result<(), rustls::Error> {
        let (first, issuers) = chain.split_first().ok_or(rustls::Error::NoCertificatesPresented)?;
        self.state().verifier.verify_client_cert(first, issuers, UnixTime::now()).map(|_| ())
    }

    /// The present state. Files that cannot be used leave it as it was.
    fn state(&self) -> TlsState {
        let stamps = stamps(&self.files);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0 != stamps {
            match TlsState::read(&self.files, self.serves) {
                Ok(state) => *current = (stamps, state),
                Err(problem) => {
                    log::error(&format!("cannot reload the TLS files, keeping the old ones: {problem}"));
                    current.0 = stamps;
                }
            }
        }
        current.1.clone()
    }
}

fn stamps(files: &TlsFiles) -> Stamps {
    [&files.certificate, &files.key, &files.authorities, &files.crl].map(|path| stamp(path)).into()
}

fn unusable(path: &Path, error: impl std::fmt::Display) -> Problem {
    Problem::invalid("cannot use").on(path.display()).because(error)
}

fn unconfigurable(error: impl std::fmt::Display) -> Problem {
    Problem::invalid("cannot set up TLS").because(error)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Problem> {
    let bytes = read(path)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    all.map_err(|error| unusable(path, error))
}

impl TlsState {
    fn read(files: &TlsFiles, serves: bool) -> Result<TlsState, Problem> {
        let authorities = certificates(&files.authorities)?;
        let verifier = verifier(files, &authorities)?;
        let config = serves.then(|| configuration(files, &authorities, Arc::clone(&verifier))).transpose()?;
        Ok(TlsState { config: config.map(Arc::new), verifier })
    }
}

/// The one verifier of clients' certificates, whichever way they come.
fn verifier(
    files: &TlsFiles,
    authorities: &[CertificateDer<'static>],
) -> Result<Arc<dyn ClientCertVerifier>, Problem> {
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority.clone()).map_err(|error| unusable(&files.authorities, error))?;
    }
    let mut verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()))
            .allow_unauthenticated();
    // Without a list nobody would be revoked, so there must be one.
    let lists = RevocationLists::read(&files.crl)?.lists;
    let lists = lists.iter().map(|list| CertificateRevocationListDer::from(list.der().to_vec()));
    verifier = verifier.with_crls(lists);
    // A node shows its own certificate; whether authorities are good is for their owner to say.
    verifier.only_check_end_entity_revocation().build().map_err(unconfigurable)
}

fn configuration(
    files: &TlsFiles,
    authorities: &[CertificateDer<'static>],
    verifier: Arc<dyn ClientCertVerifier>,
) -> Result<ServerConfig, Problem> {
    let mut chain = certificates(&files.certificate)?;
    chain.truncate(1);
    // Intermediate certificates come along; a root does not, since clients that trust it have it.
    chain.extend(intermediates(&chain, authorities));
    let key = Key::from_pem(&read(&files.key)?).map_err(|problem| {
        Problem::new(problem.kind(), "cannot use").on(files.key.display()).caused_by(problem)
    })?;
    let certified = key.certified(chain);
    certified.keys_match().map_err(|error| unusable(&files.certificate, error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(unconfigurable)?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    // A session that is resumed is not verified again, so none is.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}

/// The certificates of the issuers of the first one, without roots.
fn intermediates(
    chain: &[CertificateDer<'static>],
    authorities: &[CertificateDer<'static>],
) -> Vec<CertificateDer<'static>> {
    use crate::ca::certificate::Certificate;
    let all: Vec<Certificate> =
        authorities.iter().filter_map(|der| Certificate::from_der(der).ok()).collect();
    let mut found = Vec::new();
    let mut last = chain.first().and_then(|der| Certificate::from_der(der).ok());
    while let Some(current) = last.take() {
        let above =
            all.iter().find(|each| each.subject() == current.issuer() && each.subject() != each.issuer());
        if let Some(above) = above.filter(|_| found.len() < all.len()) {
            found.push(CertificateDer::from(above.der().to_vec()));
            last = Some(above.clone());
        }
    }
    found
}
