//! `kukla rpc`: the machine interface on standard input and output.

use std::io::{BufRead, Write};
use std::time::Duration;

use kukla::DiskWorld;
use kukla::rpc::Server;

use super::policy::Allowed;
use crate::Outcome;

/// Answer JSON requests, one per line, until the input closes
///
/// Each line on standard input is an object with `id`, `method` and `params`; each line on standard output is the answer to
/// one of them, in order, with `result` or `error`. Nothing else is written to standard output.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    allowed: Allowed,
    /// Seconds after which a request that is not answered is given up, unless it names its own `deadline`
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<f64>,
}

/// Serves requests until there are no more.
pub fn run(args: &Args) -> Outcome {
    let mut server = Server::new(DiskWorld::default()).with_policy(args.allowed.policy());
    if let Some(seconds) = args.deadline {
        let Ok(deadline) = Duration::try_from_secs_f64(seconds) else {
            eprintln!("kukla: --deadline is a number of seconds");
            return Outcome::Unable;
        };
        server = server.with_deadline(deadline);
    }
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return Outcome::Done,
            Ok(_) => {}
            Err(error) => {
                return Outcome::unable(&format!("cannot read requests: {error}"));
            }
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = server.answer(&String::from_utf8_lossy(&line)) + "\n";
        match output.write_all(answer.as_bytes()).and_then(|()| output.flush()) {
            Ok(()) => {}
            // A reader that went away wants no more answers.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Outcome::Done,
            Err(error) => return Outcome::unable(&format!("cannot write answers: {error}")),
        }
    }
}
