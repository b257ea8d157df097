//! `kukla rpc`: the machine interface on standard input and output.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kukla::DiskWorld;
use kukla::rpc::Server;
use kukla::syntax::Problem;

use super::options::parse_seconds;
use super::policy::PolicyOptions;
use crate::{CommandResult, ExitKind, memory};

/// A request or answer with more bytes, or one that took longer, may have used much memory, which is then returned to the system. Less
/// is kept: the next request is likely to need as much, and allocating it again takes longer than evaluating code in it.
const LARGE: usize = 8 << 20;
const LONG: Duration = Duration::from_millis(500);

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    access: PolicyOptions,
    /// Abort a request after SECONDS, unless it sets its own `deadline` [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    deadline: Option<Duration>,
    /// Replace functions and templates that cannot run with the files of this directory, for requests without the setting `overrides`
    #[arg(long, value_name = "DIR")]
    overrides: Option<PathBuf>,
}

/// Answers requests until there are no more.
pub fn run(args: &Args) -> CommandResult {
    let mut server = Server::new(DiskWorld::default()).with_policy(args.access.policy());
    if let Some(deadline) = args.deadline {
        server = server.with_deadline(deadline);
    }
    if let Some(directory) = &args.overrides {
        server = server.with_overrides(directory.clone());
    }
    let server = memory::keep_until_exit(server);
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        read_line(&mut input, &mut line).map_err(|error| Problem::from_io("cannot read requests", &error))?;
        if line.is_empty() {
            return Ok(ExitKind::Success);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let began = Instant::now();
        let mut answer = server.answer(&String::from_utf8_lossy(&line));
        // In one piece: a buffer that is flushed by the line looks for the last line break.
        answer.push('\n');
        let written = output.write_all(answer.as_bytes());
        match written.and_then(|()| output.flush()) {
            Ok(()) => {}
            // The client has closed the pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(ExitKind::Success),
            Err(error) => return Err(Problem::from_io("cannot write answers", &error)),
        }
        if line.len().max(answer.len()) > LARGE || began.elapsed() > LONG {
            drop((answer, std::mem::take(&mut line)));
            memory::release();
        }
    }
}

/// Reads a line; of one that is too long only as much as shows that, and skips the rest.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    let most = Server::LONGEST as u64 + 1;
    input.take(most).read_until(b'\n', line)?;
    if line.len() as u64 == most && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(())
}
