//! The key of a cache, which hides its digests.
//!
//! A digest of a short value gives the value away: anyone can try all passwords of eight letters until one has the digest. So every digest
//! in a cache, in the index and in the names of files, is encrypted with a random key of that cache, which only its owner can read. A copy of
//! the cache without the key reveals which values are equal, and nothing else.

use std::path::Path;

use aes::Aes256;
use aes::cipher::{Block, BlockDecrypt, BlockEncrypt, KeyInit};
use kukla_syntax::Problem;
use kukla_world::record::Digest;

use crate::disk;

/// The length of a key in bytes.
const LENGTH: usize = 32;

/// The key of a cache.
#[derive(Clone, Debug)]
pub struct Seal(Aes256);

impl Default for Seal {
    /// A key that nobody knows from outside of the code, for a cache that is not on a disk.
    fn default() -> Seal {
        Seal(Aes256::new(&[0; LENGTH].into()))
    }
}

impl Seal {
    /// The key of the cache in a directory, which gets one if it has none. A key that others can read is replaced, which makes the entries of
    /// the cache useless.
    pub fn of(directory: &Path) -> Result<Seal, Problem> {
        let path = directory.join("key");
        if let Some(seal) = Seal::read(&path) {
            return Ok(seal);
        }
        let key =
            disk::random_bytes(LENGTH).map_err(|error| Problem::from_io("cannot draw a key", &error))?;
        disk::write_own(&path, &key)?;
        // Another process may have written one at the same time; the last one counts for both.
        Seal::read(&path)
            .ok_or_else(|| Problem::invalid("cannot use the key of the cache").on(path.display()))
    }

    fn read(path: &Path) -> Option<Seal> {
        let key = disk::read_private(path).ok()?;
        Aes256::new_from_slice(&key).ok().map(Seal)
    }

    /// A digest as it is stored.
    pub fn close(&self, digest: &Digest) -> Digest {
        let Digest(mut bytes) = *digest;
        let (first, second) = bytes.split_at_mut(16);
        self.0.encrypt_block(Block::<Aes256>::from_mut_slice(first));
        // Digests with equal halves must not look alike.
        mix(second, first);
        self.0.encrypt_block(Block::<Aes256>::from_mut_slice(second));
        Digest(bytes)
    }

    /// The digest that is stored as this one.
    pub fn open(&self, closed: &Digest) -> Digest {
        let Digest(mut bytes) = *closed;
        let (first, second) = bytes.split_at_mut(16);
        self.0.decrypt_block(Block::<Aes256>::from_mut_slice(second));
        mix(second, first);
        self.0.decrypt_block(Block::<Aes256>::from_mut_slice(first));
        Digest(bytes)
    }
}

fn mix(bytes: &mut [u8], with: &[u8]) {
    bytes.iter_mut().zip(with).for_each(|(byte, with)| *byte ^= with);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_closed_and_opened() {
        let (one, other) = (Seal(Aes256::new(&[1; LENGTH].into())), Seal(Aes256::new(&[2; LENGTH].into())));
        for text in ["", "hunter2", "a"] {
            let digest = Digest::of([text]);
            let closed = one.close(&digest);
            assert_eq!(one.open(&closed), digest);
            assert_ne!(closed, digest);
            assert_ne!(closed, other.close(&digest));
            assert_eq!(closed, one.close(&digest));
        }
    }
}
