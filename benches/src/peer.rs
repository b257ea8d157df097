//! One side of a comparison: a process that speaks the `rpc` protocol.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A process that answers `rpc` requests.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `command rpc`; the command may have arguments of its own.
    pub fn start(command: &str) -> io::Result<Peer> {
        let mut words = command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let mut child = Command::new(program)
            .args(words)
            .arg("rpc")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("the process has no pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Peer { child, input, output })
    }

    /// Asks one question and waits for the answer, as text: reading it is no part of what is timed.
    pub fn ask(&mut self, method: &str, params: &Value) -> io::Result<String> {
        let request = json!({"id": 1, "method": method, "params": params});
        writeln!(self.input, "{request}")?;
        self.input.flush()?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(io::Error::other("the process ended"));
        }
        Ok(line)
    }

    /// The most memory the process has held so far, in megabytes, where the system tells.
    #[allow(clippy::disallowed_methods)]
    pub fn peak_memory(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // A process that will not end must not keep the benchmark from ending.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
