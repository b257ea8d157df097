//! Which certificates are revoked, known at once when that changes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use der::Encode as _;
use kukla::syntax::Problem;
use num_bigint::BigUint;
use x509_cert::name::Name;

use super::authority::in_file;
use super::certificate::{Certificate, common_name};
use super::crl::Crl;
use crate::files::{read, stamp};
use crate::log;

type Stamp = Option<(u64, i64, i64, u64)>;

/// The numbers of a file of lists, read again whenever the file is another one. Asking costs a look at the file's entry, so
/// every request can ask.
#[derive(Debug)]
pub struct RevokedCertificates {
    file: PathBuf,
    /// The file of the authorities that are trusted.
    authorities: PathBuf,
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
    /// Reads a file of lists. A file without any would let in everyone who is revoked, so it is an error.
    pub fn read(file: &Path) -> Result<RevocationLists, Problem> {
        let lists = Crl::all_from_pem(&read(file)?).map_err(in_file(file))?;
        if lists.is_empty() {
            return Err(Problem::invalid("no certificate revocation list in").on(file.display()));
        }
        let of = |list: &Crl| {
            let issuer = encoded(list.issuer());
            list.serials().map(move |serial| (issuer.clone(), serial)).collect::<Vec<_>>()
        };
        let serials = lists.iter().flat_map(of).collect();
        Ok(RevocationLists { lists, serials })
    }

    /// Whether an issuer has revoked a number.
    pub fn revokes(&self, issuer: &Name, serial: &BigUint) -> bool {
        self.serials.contains(&(encoded(issuer), serial.clone()))
    }

    /// Whether there is a list of this issuer. Without one, nobody knows whether its certificates are revoked.
    pub fn covers(&self, issuer: &Name) -> bool {
        self.lists.iter().any(|list| list.issuer() == issuer)
    }

    /// Why another content of the file must not take the place of this one: it lacks the list of an authority that is trusted, or has an older
    /// one.
    fn lost_in(&self, new: &RevocationLists, authorities: Option<&[Certificate]>) -> Option<String> {
        let is_trusted = |list: &&Crl| {
            authorities.is_none_or(|all| all.iter().any(|each| each.subject() == list.issuer()))
        };
        self.lists.iter().filter(is_trusted).find_map(|old| {
            let name = || common_name(old.issuer()).unwrap_or_default();
            let lists = new.lists.iter().filter(|list| list.issuer() == old.issuer());
            match lists.map(Crl::number).max() {
                None => Some(format!("it lacks the CRL of '{}'", name())),
                Some(number) if number < old.number() => Some(format!("the CRL of '{}' is older", name())),
                Some(_) => None,
            }
        })
    }
}

fn encoded(name: &Name) -> Vec<u8> {
    name.to_der().unwrap_or_default()
}

impl RevokedCertificates {
    /// The revocation lists of this file, which must exist and hold at least one, for the authorities of another file.
    pub fn open(file: PathBuf, authorities: PathBuf) -> Result<RevokedCertificates, Problem> {
        let before = stamp(&file);
        let lists = RevocationLists::read(&file).map_err(|problem| {
            Problem::new(problem.kind(), "cannot tell which certificates are revoked")
                .caused_by(problem)
                .help("restore the file from a backup; on a server without the certificate authority, run its agent once to fetch it")
        })?;
        Ok(RevokedCertificates { file, authorities, known: Mutex::new((before, Arc::new(lists))) })
    }

    /// Without a good file of authorities all of them count as trusted, so that no list is lost.
    fn lost_in(&self, old: &RevocationLists, new: &RevocationLists) -> Option<String> {
        let authorities = read(&self.authorities).and_then(|pem| Certificate::all_from_pem(&pem));
        old.lost_in(new, authorities.ok().as_deref())
    }

    /// The present content of the file. While that cannot be read, or has lost a list, the last good content counts: nobody who is
    /// revoked is let in by a file that is damaged.
    pub fn now(&self) -> Arc<RevocationLists> {
        let current = stamp(&self.file);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != current {
            known.0 = current;
            match RevocationLists::read(&self.file) {
                Ok(new) => match self.lost_in(&known.1, &new) {
                    None => known.1 = Arc::new(new),
                    Some(reason) => log::error(&format!(
                        "not using {}, keeping the revocation lists from before: {reason}",
                        self.file.display()
                    )),
                },
                Err(problem) => {
                    log::error(&format!("keeping the revocation lists from before: {problem}"));
                }
            }
        }
        Arc::clone(&known.1)
    }
}
