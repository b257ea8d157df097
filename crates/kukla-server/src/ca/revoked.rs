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
pub struct Revoked {
    file: PathBuf,
    known: Mutex<(Stamp, Arc<Known>)>,
}

/// What a file of lists says.
#[derive(Debug, Default)]
pub struct Known {
    /// The lists.
    pub lists: Vec<Crl>,
    /// Issuers, in DER, and numbers.
    serials: HashSet<(Vec<u8>, BigUint)>,
}

impl Known {
    /// Whether an issuer has revoked a number.
    pub fn revokes(&self, issuer: &x509_cert::name::Name, serial: &BigUint) -> bool {
        use der::Encode as _;
        let issuer = issuer.to_der().unwrap_or_default();
        self.serials.contains(&(issuer, serial.clone()))
    }
}

impl Revoked {
    /// What is in this file.
    pub fn in_file(file: PathBuf) -> Revoked {
        Revoked { file, known: Mutex::new((None, Arc::default())) }
    }

    /// What the file says now. One that cannot be read leaves what was known before: nobody is let in by that who was not.
    pub fn now(&self) -> Arc<Known> {
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
                    *known = (current, Arc::new(Known { lists, serials }));
                }
                Err(problem) => log::warning(&problem.to_string()),
            }
        }
        Arc::clone(&known.1)
    }
}
