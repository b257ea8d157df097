//! The authority of a running server, which other processes may change: `kukla ca rotate`, `kukla ca restore`.

use std::sync::{Arc, Mutex, PoisonError};

use super::Authority;
use crate::log;

/// An authority that is opened again whenever its key or its certificate is another one.
#[derive(Debug)]
pub struct LiveAuthority {
    current: Mutex<Arc<Authority>>,
}

impl LiveAuthority {
    /// An authority that was opened just now.
    pub fn new(authority: Authority) -> LiveAuthority {
        LiveAuthority { current: Mutex::new(Arc::new(authority)) }
    }

    /// The authority as its files are now. While they cannot be used, it is the last one that could, which changes nothing any more.
    pub fn now(&self) -> Arc<Authority> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.is_outdated() {
            match Authority::open(current.layout.clone(), current.practice.clone()) {
                Ok(authority) => {
                    log::info("the key or the certificate of the authority has changed; using the new one");
                    *current = Arc::new(authority);
                }
                Err(problem) => log::error(&format!("cannot use the changed authority: {problem}")),
            }
        }
        Arc::clone(&current)
    }
}
