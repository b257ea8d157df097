//! Commands that a server's owner has named: they get text on their standard input and have a limited time.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What a command gave.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its exit status, if it ended by itself.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

/// So much of what a command writes is kept.
const MOST_OUTPUT: u64 = 32 << 20;

/// Runs a command to its end; after `limit` it is stopped and counts as failed.
pub fn run(program: &str, arguments: &[&str], input: Vec<u8>, limit: Duration) -> Result<Output, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{program}: {error}"))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        // A command need not read what it is told.
        let _ = stdin.map(|mut pipe| pipe.write_all(&input));
    });
    let (stdout, stderr) = (collected(stdout), collected(stderr));
    let until = Instant::now() + limit;
    let wait =
        |pipe: &mpsc::Receiver<Vec<u8>>| pipe.recv_timeout(until.saturating_duration_since(Instant::now()));
    let written = wait(&stdout).and_then(|out| wait(&stderr).map(|err| (out, err)));
    let Ok((stdout, stderr)) = written else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!(
            "{program}: it was stopped because it ran for more than {} seconds",
            limit.as_secs()
        ));
    };
    let status = child.wait().map_err(|error| format!("{program}: {error}"))?;
    Ok(Output { code: status.code(), stdout, stderr })
}

fn collected(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(pipe) = pipe {
            // What came before an error is what there is.
            let _ = pipe.take(MOST_OUTPUT).read_to_end(&mut text);
        }
        let _ = send.send(text);
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_and_stopped() {
        let said =
            run("/bin/sh", &["-c", "cat; echo $0; exit 3", "arg"], b"in ".to_vec(), Duration::from_secs(60))
                .unwrap();
        assert_eq!((said.code, said.stdout.as_slice()), (Some(3), b"in arg\n".as_slice()));
        let slow =
            run("/bin/sh", &["-c", "exec sleep 60"], Vec::new(), Duration::from_millis(50)).unwrap_err();
        assert!(slow.contains("stopped"), "{slow}");
        assert!(run("/no/such/command", &[], Vec::new(), Duration::from_secs(1)).is_err());
    }
}
