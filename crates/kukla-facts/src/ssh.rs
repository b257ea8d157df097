//! The keys by which the machine is known to those who log in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::Digest;

use crate::machine::{Fields, Machine};

/// A public key of the machine.
pub struct Key {
    /// `rsa`, `dsa`, `ecdsa`, `ed25519`
    name: &'static str,
    kind: String,
    key: String,
    sha1: String,
    sha256: String,
}

impl Key {
    /// A key of one of the kinds, from the text that files have; none if it is malformed.
    pub fn new(name: &str, kind: &str, key: &str) -> Option<Key> {
        let &(_, name, number) = KINDS.iter().find(|(_, own, _)| *own == name)?;
        Key::numbered(name, number, kind, key)
    }

    fn numbered(name: &'static str, number: u8, kind: &str, key: &str) -> Option<Key> {
        let bytes = STANDARD.decode(key).ok()?;
        let hex = |digest: &[u8]| digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Some(Key {
            name,
            kind: kind.to_owned(),
            key: key.to_owned(),
            sha1: format!("SSHFP {number} 1 {}", hex(&sha1::Sha1::digest(&bytes))),
            sha256: format!("SSHFP {number} 2 {}", hex(&sha2::Sha256::digest(&bytes))),
        })
    }
}

/// Kinds of keys: their file, their name, their number in DNS.
const KINDS: &[(&str, &str, u8)] = &[
    ("ssh_host_rsa_key.pub", "rsa", 1),
    ("ssh_host_dsa_key.pub", "dsa", 2),
    ("ssh_host_ecdsa_key.pub", "ecdsa", 3),
    ("ssh_host_ed25519_key.pub", "ed25519", 4),
];

const DIRECTORIES: &[&str] = &["/etc/ssh", "/usr/local/etc/ssh", "/etc", "/usr/local/etc", "/etc/opt/ssh"];

/// The keys that there are.
fn keys(machine: &Machine<'_>) -> Vec<Key> {
    let mut keys = Vec::new();
    for (directory, &(file, name, number)) in
        DIRECTORIES.iter().flat_map(|directory| KINDS.iter().map(move |kind| (directory, kind)))
    {
        let Some(text) = machine.text(&format!("{directory}/{file}")) else { continue };
        let mut words = text.split_whitespace();
        let (Some(kind), Some(key)) = (words.next(), words.next()) else { continue };
        keys.extend(Key::numbered(name, number, kind, key));
    }
    keys
}

/// Adds `ssh`.
pub fn add(machine: &Machine<'_>, facts: &mut Fields) {
    put(facts, keys(machine));
}

/// Adds `ssh` with these keys.
pub fn put(facts: &mut Fields, keys: Vec<Key>) {
    let mut ssh = Fields::default();
    for key in keys {
        let mut prints = Fields::default();
        prints.put("sha1", key.sha1);
        prints.put("sha256", key.sha256);
        let mut one = Fields::default();
        one.put("fingerprints", prints);
        one.put("key", key.key);
        one.put("type", key.kind);
        ssh.put_fields(key.name, one);
    }
    facts.put_fields("ssh", ssh);
}
