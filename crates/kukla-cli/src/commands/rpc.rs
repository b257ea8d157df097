//! `kukla rpc`: the machine interface on standard input and output.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kukla::DiskWorld;
use kukla::rpc::Server;

use super::policy::Allowed;
use crate::{Outcome, memory};

/// A request of more bytes, an answer of more, or one that took longer may have taken much memory, which is then given back. Less is kept:
/// the next request is likely to need as much, and fetching it anew takes longer than evaluating code in it.
const LARGE: usize = 8 << 20;
const LONG: Duration = Duration::from_millis(500);

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    allowed: Allowed,
    /// Seconds after which a request that is not answered is given up, unless it names its own `deadline`
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<f64>,
    /// A directory with what stands in for functions and templates that cannot run, for requests that do not name their own (the
    /// setting `overrides`)
    #[arg(long, value_name = "DIR")]
    overrides: Option<PathBuf>,
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
    if let Some(directory) = &args.overrides {
        server = server.with_overrides(directory.clone());
    }
    let server = memory::for_good(server);
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(&mut input, &mut line) {
            Ok(()) if line.is_empty() => return Outcome::Done,
            Ok(()) => {}
            Err(error) => {
                return Outcome::unable(&format!("cannot read requests: {error}"));
            }
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let began = Instant::now();
        let mut answer = server.answer(&String::from_utf8_lossy(&line));
        // In one piece: whoever writes by the line looks for the last end of one.
        answer.push('\n');
        let written = output.write_all(answer.as_bytes());
        match written.and_then(|()| output.flush()) {
            Ok(()) => {}
            // A reader that went away wants no more answers.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Outcome::Done,
            Err(error) => return Outcome::unable(&format!("cannot write answers: {error}")),
        }
        if line.len().max(answer.len()) > LARGE || began.elapsed() > LONG {
            drop((answer, std::mem::take(&mut line)));
            memory::release();
        }
    }
}

/// Reads a line, of one that is too long only as much as shows that; the rest is passed over.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    let most = Server::LONGEST as u64 + 1;
    input.take(most).read_until(b'\n', line)?;
    if line.len() as u64 == most && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(())
}
