//! Talking to the other side.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

/// A process that answers as Puppet does.
pub struct Reference {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Reference {
    /// Starts the command.
    pub fn start(command: &str) -> Reference {
        let mut words = command.split_whitespace();
        let program = words.next().expect("KUKLA_REFERENCE names a command");
        let mut child = Command::new(program)
            .args(words)
            .arg("rpc")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the reference command starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("standard output is piped"));
        Reference { child, input, output }
    }

    /// The value of a program after some definitions, or the message it fails with.
    pub fn eval(&mut self, code: &str, definitions: &str) -> Result<Json, String> {
        let code = format!("{definitions}{code}");
        let request = json!({"id": 1, "method": "eval", "params": {"code": code}});
        let input = self.input.as_mut().expect("standard input is open");
        writeln!(input, "{request}").expect("the reference reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the reference answers");
        let answer: Json = serde_json::from_str(&line).expect("an answer is JSON");
        match answer.get("result") {
            Some(result) => Ok(result["value"].clone()),
            None => Err(answer["error"]["message"].as_str().unwrap_or_default().to_string()),
        }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
