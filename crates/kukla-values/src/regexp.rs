//! Ruby's regular expressions on Rust's engines.

/// A compiled regular expression with the source it was written as.
#[derive(Debug)]
pub struct Regexp {
    source: String,
}

impl Regexp {
    /// The text between the slashes.
    pub fn source(&self) -> &str {
        &self.source
    }
}
