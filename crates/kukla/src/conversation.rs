//! Processes that are talked to line by line.

#![allow(clippy::disallowed_methods)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kukla_world::{Conversation, FileError, FileResult};

/// A process with which lines are exchanged. Its pipes are served by threads of their own, so that no process can keep us waiting for longer
/// than it may, whichever pipe it leaves unread or unwritten.
#[derive(Debug)]
pub struct Talk {
    program: String,
    child: Child,
    /// Lines to send; none once the process is stopped.
    lines: Option<Sender<Vec<u8>>>,
    answers: Receiver<io::Result<Vec<u8>>>,
    complaints: Arc<Mutex<Vec<u8>>>,
    longest: Duration,
    most: u64,
}

impl Talk {
    /// Starts a command, with limits on the time and the bytes of each answer.
    pub fn start(command: &[String], longest: Duration, most: u64) -> FileResult<Talk> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(FileError::Other("no command was given".into()));
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => FileError::NotFound,
                _ => FileError::Other(format!("{program}: {error}")),
            })?;
        let complaints = Arc::default();
        let lines = child.stdin.take().map(writing);
        let answers = child.stdout.take().map_or_else(|| channel().1, |pipe| reading(pipe, most));
        if let Some(pipe) = child.stderr.take() {
            listening(pipe, Arc::clone(&complaints), most);
        }
        Ok(Talk { program: program.clone(), child, lines, answers, complaints, longest, most })
    }

    /// Ends it, for there is nothing more to expect.
    fn give_up(&mut self, why: &str) -> FileError {
        self.lines = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        FileError::Other(format!("{}: {why}", self.program))
    }

    /// The end of a process that has closed its output.
    fn ended(&mut self) -> FileError {
        self.lines = None;
        // It has a moment to end by itself, so that its exit code is known.
        for _ in 0..100 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return self.give_up(&format!("it ended without an answer ({status})"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.give_up("it closed its output without an answer")
    }
}

impl Conversation for Talk {
    fn ask(&mut self, line: &str) -> FileResult<String> {
        let Some(lines) = &self.lines else {
            return Err(FileError::Other(format!("{}: it has ended", self.program)));
        };
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        if lines.send(bytes).is_err() {
            return Err(self.ended());
        }
        match self.answers.recv_timeout(self.longest) {
            Ok(Ok(answer)) if answer.len() as u64 > self.most => {
                let most = self.most;
                Err(self.give_up(&format!("it was stopped because it wrote more than {most} bytes")))
            }
            Ok(Ok(answer)) => Ok(String::from_utf8_lossy(&answer).into_owned()),
            Ok(Err(error)) => Err(self.give_up(&error.to_string())),
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.longest.as_secs();
                Err(self
                    .give_up(&format!("it was stopped because it gave no answer within {seconds} seconds")))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    fn complaints(&mut self) -> Vec<u8> {
        std::mem::take(&mut *self.complaints.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The process ends with the conversation.
impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn writing(mut pipe: ChildStdin) -> Sender<Vec<u8>> {
    let (sender, lines) = channel::<Vec<u8>>();
    std::thread::spawn(move || {
        // A process that reads no more shows by its output that it has ended.
        while let Ok(line) = lines.recv()
            && pipe.write_all(&line).and_then(|()| pipe.flush()).is_ok()
        {}
    });
    sender
}

fn reading(pipe: ChildStdout, most: u64) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        loop {
            let mut line = Vec::new();
            let read = (&mut pipe).take(most.saturating_add(2)).read_until(b'\n', &mut line);
            let is_whole = line.pop_if(|last| *last == b'\n').is_some();
            let is_over = read.as_ref().map_or(true, |_| !is_whole);
            let is_nothing = read.is_ok() && is_over && line.len() as u64 <= most;
            if is_nothing || sender.send(read.map(|_| line)).is_err() || is_over {
                return;
            }
        }
    });
    receiver
}

fn listening(mut pipe: ChildStderr, complaints: Arc<Mutex<Vec<u8>>>, most: u64) {
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(length @ 1..) = pipe.read(&mut piece) {
            let mut complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner);
            // What is too much is read all the same, so that the process can go on, and dropped.
            let room = usize::try_from(most).unwrap_or(usize::MAX).saturating_sub(complaints.len());
            complaints.extend_from_slice(&piece[..length.min(room)]);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(script: &str, longest: Duration) -> Talk {
        Talk::start(&["/bin/sh", "-c", script].map(str::to_owned), longest, 1000).unwrap()
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn lines_go_back_and_forth() {
        let mut talk = talk("while read line; do echo \"got $line\" >&2; echo \"<$line>\"; done", LONG);
        assert_eq!(talk.ask("a").unwrap(), "<a>");
        assert_eq!(talk.ask("b").unwrap(), "<b>");
        // The pipes are read by threads of their own, so a complaint may come later than the answer behind it.
        let mut complaints = Vec::new();
        while complaints.len() < b"got a\ngot b\n".len() {
            complaints.extend(talk.complaints());
            std::thread::yield_now();
        }
        assert_eq!(complaints, b"got a\ngot b\n");
        assert_eq!(talk.complaints(), b"");
    }

    #[test]
    fn what_dies_hangs_or_never_ends_is_an_error() {
        let why = |script: &str, longest| talk(script, longest).ask("x").unwrap_err().to_string();
        assert!(why("read line; exit 3", LONG).ends_with("it ended without an answer (exit status: 3)"));
        assert!(why("exec sleep 1000", Duration::from_millis(20)).contains("it gave no answer within"));
        assert!(why("while :; do printf yyyyyyyyyy; done", LONG).contains("more than 1000 bytes"));
        assert!(why("exec >&-; exec sleep 1000", LONG).ends_with("it closed its output without an answer"));
        let mut dead = talk("exit 0", LONG);
        assert!(dead.ask("x").is_err());
        assert!(dead.ask("x").unwrap_err().to_string().ends_with("it has ended"));
        assert!(matches!(Talk::start(&["/no/such".to_owned()], LONG, 1), Err(FileError::NotFound)));
    }

    #[test]
    fn what_writes_much_to_its_standard_error_goes_on() {
        let mut talk = talk("read line; head -c 1000000 /dev/zero >&2; echo done; read line", LONG);
        assert_eq!(talk.ask("x").unwrap(), "done");
        assert!(talk.complaints().len() <= 1000);
    }
}
