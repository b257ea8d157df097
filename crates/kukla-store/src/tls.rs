//! Certificates, for servers that want to see one and are to show theirs.

use std::path::Path;
use std::sync::Arc;

use kukla_syntax::diagnostic;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::codes::STORE_CERTIFICATE;
use crate::{Options, Result};

/// The algorithms that are used.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Whether an input or output failed because TLS did: the library hides its own error within one of the system.
pub fn is_tls_failure(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>())
}

/// The certificates and keys of a store's options.
pub struct Identity {
    /// Whom to trust.
    pub authorities: Vec<CertificateDer<'static>>,
    /// The certificates to show, and their key.
    pub own: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
}

impl Identity {
    /// Reads the files that options name.
    pub fn read(url: &str, options: &Options) -> Result<Identity> {
        let authorities = options.authorities.as_deref().map(|path| certificates(url, path)).transpose()?;
        let own = match (&options.certificate, &options.key) {
            (Some(certificate), Some(key)) => {
                let read = PrivateKeyDer::from_pem_file(key);
                let key = read.map_err(|error| unreadable(url, key, &error))?;
                Some((certificates(url, certificate)?, key))
            }
            (None, None) => None,
            _ => {
                let problem = "a certificate is of no use without its key, nor a key without its certificate";
                return Err(diagnostic!(STORE_CERTIFICATE { url, problem }).into());
            }
        };
        Ok(Identity { authorities: authorities.unwrap_or_default(), own })
    }

    /// How to speak to a server that these authorities vouch for.
    pub fn config(self, url: &str) -> Result<ClientConfig> {
        let wrong = |problem: &dyn std::fmt::Display| {
            Box::new(diagnostic!(STORE_CERTIFICATE { url, problem: problem }))
        };
        let mut roots = RootCertStore::empty();
        for authority in self.authorities {
            roots.add(authority).map_err(|error| wrong(&error))?;
        }
        let builder = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(&error))?
            .with_root_certificates(roots);
        match self.own {
            Some((certificates, key)) => {
                builder.with_client_auth_cert(certificates, key).map_err(|error| wrong(&error))
            }
            None => Ok(builder.with_no_client_auth()),
        }
    }
}

fn certificates(url: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let all =
        CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>);
    match all {
        Ok(all) if all.is_empty() => Err(unreadable(url, path, &"there is no certificate in it")),
        Ok(all) => Ok(all),
        Err(error) => Err(unreadable(url, path, &error)),
    }
}

fn unreadable(url: &str, path: &Path, why: &dyn std::fmt::Display) -> Box<kukla_syntax::Diagnostic> {
    let problem = format!("{}: {why}", path.display());
    Box::new(
        diagnostic!(STORE_CERTIFICATE { url, problem }; hint: "certificates and keys are read as PEM, by the user that runs kukla"),
    )
}
