//! The certificate authority: a directory as Puppet has it, taken over as it is.
//!
//! All that it knows is in its files, so that several processes (a server, `kukla ca`, Puppet's own tools) see the same; a
//! process that changes them holds a lock. Every file is written whole. A certificate is signed in steps, each of which leaves a state that the
//! next run understands: the number is taken, the inventory gets its line, the certificate appears, the request goes.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use kukla::syntax::Problem;

pub mod audit;
mod authority;
pub mod autosign;
pub mod backup;
pub mod certificate;
pub mod crl;
pub mod doctor;
pub mod http;
pub mod import;
pub mod inventory;
mod judge;
pub mod keys;
mod live;
pub mod oids;
pub mod pending;
#[cfg(feature = "pkcs11")]
mod pkcs11;
pub mod request;
mod revoke;
mod revoked;
pub mod rotate;
pub mod setup;
pub mod signing;
pub mod status;
pub mod time;
pub mod token_uri;
pub mod tokens;

pub use authority::{Authority, CertificateOptions};
use autosign::Autosign;
use keys::KeyKind;
pub use live::LiveAuthority;
use pending::RequestLimits;
use request::Allowed;
pub use revoked::{RevocationLists, RevokedCertificates};
use setup::HostFiles;
use signing::SigningPolicy;

/// The reason why the authority did not do something, by how much of it the client that asked may know.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// A rule forbids it; the client sees which.
    Rule(Problem),
    /// Nothing of that name exists; the client sees that too.
    Missing(Problem),
    /// A limit is exceeded; the client may come back later.
    Busy(Problem),
    /// A disk or a key failed; the log shows how, the client does not see it.
    Failure(Problem),
}

impl Refusal {
    /// A refusal because of a rule.
    pub fn rule(message: impl Into<String>) -> Refusal {
        Refusal::Rule(Problem::invalid(message))
    }

    /// A refusal because nothing of that name exists.
    pub fn missing(message: impl Into<String>) -> Refusal {
        Refusal::Missing(Problem::not_found(message))
    }

    fn problem(&self) -> &Problem {
        let (Refusal::Rule(problem)
        | Refusal::Missing(problem)
        | Refusal::Busy(problem)
        | Refusal::Failure(problem)) = self;
        problem
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem().fmt(f)
    }
}

impl std::error::Error for Refusal {}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal::Failure(problem)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let (Refusal::Rule(problem)
        | Refusal::Missing(problem)
        | Refusal::Busy(problem)
        | Refusal::Failure(problem)) = refusal;
        problem
    }
}

/// A value that certificates, requests or revocation lists cannot hold.
fn unencodable(error: der::Error) -> Problem {
    Problem::other("cannot encode certificate data").because(error)
}

/// Where the files of an authority are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The directory of all that is not placed elsewhere.
    pub directory: PathBuf,
    /// The certificates of the authority and of those above it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// Its public key.
    pub public_key: PathBuf,
    /// The lists of revoked certificates, its own first.
    pub crl: PathBuf,
    /// The number of the next certificate.
    pub serial: PathBuf,
    /// All certificates that were ever signed.
    pub inventory: PathBuf,
    /// The certificates of nodes.
    pub signed: PathBuf,
    /// The requests that wait.
    pub requests: PathBuf,
}

impl Layout {
    /// Puppet's layout of a directory.
    pub fn at(directory: impl Into<PathBuf>) -> Layout {
        let directory = directory.into();
        Layout {
            certificate: directory.join("ca_crt.pem"),
            key: directory.join("ca_key.pem"),
            public_key: directory.join("ca_pub.pem"),
            crl: directory.join("ca_crl.pem"),
            serial: directory.join("serial"),
            inventory: directory.join("inventory.txt"),
            signed: directory.join("signed"),
            requests: directory.join("requests"),
            directory,
        }
    }

    /// The names of nodes that belong to the infrastructure, one a line.
    pub fn infra_nodes(&self) -> PathBuf {
        self.directory.join("infra_inventory.txt")
    }

    /// The numbers of their certificates.
    pub fn infra_serials(&self) -> PathBuf {
        self.directory.join("infra_serials")
    }

    /// The list of their revoked certificates.
    pub fn infra_crl(&self) -> PathBuf {
        self.directory.join("infra_crl.pem")
    }

    /// The certificate of a node.
    pub fn signed_of(&self, name: &str) -> PathBuf {
        self.signed.join(format!("{name}.pem"))
    }

    /// The request of a node.
    pub fn request_of(&self, name: &str) -> PathBuf {
        self.requests.join(format!("{name}.pem"))
    }
}

/// How an authority signs.
#[derive(Clone, Debug)]
pub struct Practice {
    /// Which requests are signed without anyone being asked.
    pub autosign: Autosign,
    /// The extensions that requests may ask for.
    pub allowed: Allowed,
    /// For how long certificates are valid; by default five years, or until the authority's own expires.
    pub lifetime: Option<Duration>,
    /// Whether nodes may have theirs renewed by themselves.
    pub renewal: bool,
    /// For how long certificates are valid that nodes renew by themselves; by default 90 days.
    pub renewed_lifetime: Option<Duration>,
    /// Whether a node may ask again although it has a certificate.
    pub duplicates: bool,
    /// Whether agents get the list of revoked infrastructure certificates alone.
    pub infra_crl: bool,
    /// The kind of keys it generates.
    pub keys: KeyKind,
    /// The certificate of the server: its names are reserved, and the CRL is published beside it.
    pub server: Option<HostFiles>,
    /// Further names that no request gets without a person.
    pub reserved: Vec<String>,
    /// The rules for signing without a person.
    pub signing: SigningPolicy,
    /// The limits on requests.
    pub limits: RequestLimits,
    /// The file of the audit log; by default `audit.jsonl` in the directory.
    pub audit_log: Option<PathBuf>,
}

/// The validity of certificates if no setting says otherwise.
pub const DEFAULT_LIFETIME: Duration = Duration::from_secs(5 * 365 * 24 * 60 * 60);
/// The validity of certificates that nodes renew by themselves.
pub const DEFAULT_RENEWED_LIFETIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);

impl Default for Practice {
    fn default() -> Practice {
        Practice {
            autosign: Autosign::default(),
            allowed: Allowed::default(),
            lifetime: None,
            renewal: false,
            renewed_lifetime: None,
            duplicates: false,
            infra_crl: false,
            keys: KeyKind::Ec,
            server: None,
            reserved: Vec::new(),
            signing: SigningPolicy::default(),
            limits: RequestLimits::default(),
            audit_log: None,
        }
    }
}

/// When something was changed last.
pub fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|about| about.modified()).ok()
}
