//! SHA-256 digests in hexadecimal digits.

use std::fmt::{self, Write as _};
use std::io::{self, Read};

use kukla_syntax::Problem;
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(String);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(hex(&Sha256::digest(bytes)))
    }

    /// Reads 64 hexadecimal digits, with or without `sha256:` before them.
    pub fn parse(text: &str) -> Result<Digest, Problem> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        match digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Digest(digits.to_ascii_lowercase())),
            false => Err(Problem::invalid("invalid SHA-256 digest").on(format!("{text:?}"))),
        }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first two digits and the others, as directories of many files are split.
    pub fn halves(&self) -> (&str, &str) {
        self.0.split_at(2)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Passes on what it reads and computes the digest of it.
pub struct DigestReader<R> {
    inner: R,
    state: Sha256,
}

impl<R: Read> DigestReader<R> {
    /// A reader of `inner`.
    pub fn new(inner: R) -> DigestReader<R> {
        DigestReader { inner, state: Sha256::new() }
    }

    /// The digest of all that was read.
    pub fn finish(self) -> Digest {
        Digest(hex(&self.state.finalize()))
    }
}

impl<R: Read> Read for DigestReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.state.update(&buffer[..count]);
        Ok(count)
    }
}
