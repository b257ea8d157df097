//! One side of a comparison: a process that answers lines with lines, as those that speak the `rpc` protocol do.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A process that answers lines with lines.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `command rpc`; the command may have arguments of its own.
    pub fn start(command: &str) -> io::Result<Peer> {
        Peer::run(command, &["rpc"])
    }

    /// Starts a command with arguments besides those it has of its own.
    pub fn run(command: &str, arguments: &[&str]) -> io::Result<Peer> {
        let mut words = command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let mut child = Command::new(program)
            .args(words)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("the process has no pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Peer { child, input, output })
    }

    /// Sends one request and waits for the answer, as text: parsing it is not timed.
    pub fn ask(&mut self, method: &str, params: &Value) -> io::Result<String> {
        self.say(&json!({"id": 1, "method": method, "params": params}).to_string())
    }

    /// Says a line and waits for one.
    pub fn say(&mut self, line: &str) -> io::Result<String> {
        writeln!(self.input, "{line}")?;
        self.input.flush()?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(io::Error::other("the process ended"));
        }
        Ok(line)
    }

    /// The most memory one process has held so far, in megabytes, where the system tells. What answers may be a process
    /// that the one we started has started.
    pub fn peak_memory(&self) -> Option<f64> {
        let peak = |id: u32| {
            let status = read(&format!("/proc/{id}/status"))?;
            let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
            line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
        };
        self.processes().into_iter().filter_map(peak).reduce(f64::max)
    }

    /// How long the processes have run on a core so far, where the system tells.
    pub fn processor_time(&self) -> Option<Duration> {
        // What a thread has used is only brought up to date when it rests.
        std::thread::sleep(Duration::from_millis(5));
        let mut total = 0;
        for id in self.processes() {
            for thread in numbers_in(&format!("/proc/{id}/task")) {
                let text = read(&format!("/proc/{id}/task/{thread}/schedstat"))?;
                total += text.split_whitespace().next()?.parse::<u64>().ok()?;
            }
        }
        Some(Duration::from_nanos(total))
    }

    /// The process we started and those it has started.
    fn processes(&self) -> Vec<u32> {
        let mut all = vec![self.child.id()];
        let mut next = 0;
        while let Some(&id) = all.get(next) {
            next += 1;
            for thread in numbers_in(&format!("/proc/{id}/task")) {
                let children = read(&format!("/proc/{id}/task/{thread}/children")).unwrap_or_default();
                all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
            }
        }
        all
    }
}

#[allow(clippy::disallowed_methods)]
fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[allow(clippy::disallowed_methods)]
fn numbers_in(directory: &str) -> Vec<u32> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

impl Drop for Peer {
    fn drop(&mut self) {
        // A process that will not end must not keep the benchmark from ending.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
