//! The progress of the generation of keys.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kukla_server::ca::keys::KeyKind;

use crate::output::{err, errln};

/// The generation of keys, whose duration is up to chance: the time so far, each second on a terminal, each ten seconds elsewhere.
#[derive(Debug)]
pub struct KeyWork(Option<(Sender<()>, JoinHandle<()>)>);

impl KeyWork {
    /// Begins to show the time; keys that are quick to generate show nothing.
    pub fn begin(kind: KeyKind, owners: &str) -> KeyWork {
        let KeyKind::Rsa(bits) = kind else { return KeyWork(None) };
        let text = format!("generating RSA keys of {bits} bits for {owners}");
        let is_terminal = std::io::stderr().is_terminal();
        if !is_terminal {
            errln!("{text}: 4096 bits take up to a minute, --key-type ec takes none");
        }
        let pause = Duration::from_secs(if is_terminal { 1 } else { 10 });
        let (sender, ended) = channel::<()>();
        let started = Instant::now();
        let shown = std::thread::spawn(move || {
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let seconds = started.elapsed().as_secs();
                match is_terminal {
                    true => err!("\r\x1b[2K{text}: {seconds} s (usually less than 60 s)"),
                    false => errln!("{text}: {seconds} s"),
                }
            }
            if is_terminal {
                err!("\r\x1b[2K");
            }
        });
        KeyWork(Some((sender, shown)))
    }

    /// Removes the line.
    pub fn end(self) {
        if let Some((sender, shown)) = self.0 {
            drop(sender);
            let _ = shown.join();
        }
    }
}
