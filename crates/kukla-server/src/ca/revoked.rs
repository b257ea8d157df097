//! Which certificates are revoked, known at once when that changes.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use num_bigint::BigUint;

use super::authority::in_file;
use super::crl::Crl;
use crate::files::{read, stamp};
use crate::log;

type Stamp = Option<(u64, i64, i64, u64)>;

/// The numbers of a file of lists, read again whenever the file is another one. Asking costs a look at the file's entry, so
/// every request can ask.
#[derive(Debug)]
pub struct RevokedCertificates {
    file: PathBuf,
    known: Mutex<(Stamp, Arc<RevocationLists>)>,
}

/// The content of a file of revocation lists.
#[derive(Debug, Default)]
pub struct RevocationLists {
    /// The lists.
    pub lists: Vec<Crl>,
    /// Issuers, in DER, and numbers.
    serials: HashSet<(Vec<u8>, BigUint)>,
}

impl RevocationLists {
    /// Whether an issuer has revoked a number.
    pub fn revokes(&self, issuer: &x509_cert::name::Name, serial: &BigUint) -> bool {
        use der::Encode as _;
        let issuer = issuer.to_der().unwrap_or_default();
        self.serials.contains(&(issuer, serial.clone()))
    }
}

impl RevokedCertificates {
    /// The revocation lists of this file.
    pub fn in_file(file: PathBuf) -> RevokedCertificates {
        RevokedCertificates { file, known: Mutex::new((None, Arc::default())) }
    }

    /// The present content of the file. While it cannot be read, the last content counts, so nobody is let in by that.
    pub fn now(&self) -> Arc<RevocationLists> {
        use der::Encode as _;
        let current = stamp(&self.file);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != current {
            match read(&self.file).and_then(|bytes| Crl::all_from_pem(&bytes).map_err(in_file(&self.file))) {
                Ok(lists) => {
                    let of = |list: &Crl| {
                        let issuer = list.issuer().to_der().unwrap_or_default();
                        list.serials().map(move |serial| (issuer.clone(), serial)).collect::<Vec<_>>()
                    };
                    let serials = lists.iter().flat_map(of).collect();
                    *known = (current, Arc::new(RevocationLists { lists, serials }));
                }
                Err(problem) => log::warning(&problem.to_string()),
            }
        }
        Arc::clone(&known.1)
    }
}
