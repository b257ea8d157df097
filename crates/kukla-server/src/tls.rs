//! TLS: the server's certificate, and whose certificates it trusts.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use kukla::syntax::Problem;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig};

use crate::ca::RevocationLists;
use crate::ca::keys::Key;
use crate::files::{read, stamp};
use crate::log;
use crate::settings::TlsFiles;

type Stamps = Vec<Option<(u64, i64, i64, u64)>>;

/// How connections are made: read again whenever one of the files is another one, so that a certificate that was renewed or revoked
/// counts for the next connection.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    current: Mutex<(Stamps, Arc<ServerConfig>)>,
}

impl Tls {
    /// Reads the files.
    pub fn new(files: TlsFiles) -> Result<Tls, Problem> {
        let stamps = stamps(&files);
        let config = configuration(&files)?;
        Ok(Tls { files, current: Mutex::new((stamps, Arc::new(config))) })
    }

    /// How the next connection is made. Files that cannot be used leave it as it was.
    pub fn now(&self) -> Arc<ServerConfig> {
        let stamps = stamps(&self.files);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0 != stamps {
            match configuration(&self.files) {
                Ok(config) => *current = (stamps, Arc::new(config)),
                Err(problem) => {
                    log::error(&format!("cannot reload the TLS files, keeping the old ones: {problem}"));
                    current.0 = stamps;
                }
            }
        }
        Arc::clone(&current.1)
    }
}

fn stamps(files: &TlsFiles) -> Stamps {
    [&files.certificate, &files.key, &files.authorities, &files.crl].map(|path| stamp(path)).into()
}

fn configuration(files: &TlsFiles) -> Result<ServerConfig, Problem> {
    fn unusable(path: &Path, error: impl std::fmt::Display) -> Problem {
        Problem::invalid("cannot use").on(path.display()).because(error)
    }
    let unconfigurable = |error: &dyn std::fmt::Display| Problem::invalid("cannot set up TLS").because(error);
    let certificates = |path: &Path| -> Result<Vec<CertificateDer<'static>>, Problem> {
        let bytes = read(path)?;
        let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
        all.map_err(|error| unusable(path, error))
    };
    let authorities = certificates(&files.authorities)?;
    let mut roots = RootCertStore::empty();
    for authority in &authorities {
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
    let verifier = verifier.only_check_end_entity_revocation().build();
    let verifier = verifier.map_err(|error| unconfigurable(&error))?;
    let mut chain = certificates(&files.certificate)?;
    chain.truncate(1);
    // Intermediate certificates come along; a root does not, since clients that trust it have it.
    chain.extend(intermediates(&chain, &authorities));
    let key = Key::from_pem(&read(&files.key)?).map_err(|problem| {
        Problem::new(problem.kind(), "cannot use").on(files.key.display()).caused_by(problem)
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(|error| unconfigurable(&error))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key.to_der())
        .map_err(|error| unusable(&files.certificate, error))?;
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
