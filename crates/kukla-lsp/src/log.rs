//! The log of a session, for bug reports: `kukla lsp --log FILE`.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lsp_server::Message;

/// A log, or none.
#[derive(Clone, Default)]
pub struct Log(Option<Arc<Mutex<Box<dyn Write + Send>>>>);

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Log").field(&self.0.is_some()).finish()
    }
}

/// Of longer messages only the beginning is logged.
const LONGEST: usize = 2000;

impl Log {
    /// A log that is written to `output`.
    pub fn new(output: Box<dyn Write + Send>) -> Log {
        Log(Some(Arc::new(Mutex::new(output))))
    }

    /// Logs a line.
    pub fn line(&self, text: impl FnOnce() -> String) {
        if let Some(output) = &self.0 {
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            // A log that cannot be written must not end the session.
            let _ = writeln!(output, "{}", text()).and_then(|()| output.flush());
        }
    }

    /// Logs a message of the client or the server.
    pub fn message(&self, sender: &str, message: &Message) {
        self.line(|| {
            let mut text = serde_json::to_string(message).unwrap_or_default();
            if text.len() > LONGEST {
                let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                text.truncate(end);
                text.push_str(" …");
            }
            format!("{sender}: {text}")
        });
    }

    /// Logs the time that something took.
    pub fn time(&self, what: &str, took: Duration) {
        self.line(|| format!("{what} took {} ms", took.as_millis()));
    }
}
