//! Commands that a server's owner has named: they get text on their standard input and have a limited time.

use std::time::Duration;

use kukla::DiskWorld;
use kukla::syntax::{Problem, ProblemKind};
use kukla::world::{CommandOutput, FileError};

/// Runs a command to its end; after `limit` it is stopped and counts as failed.
pub fn run(
    program: &str,
    arguments: &[&str],
    input: Vec<u8>,
    limit: Duration,
) -> Result<CommandOutput, Problem> {
    let world = DiskWorld { longest_run: limit, ..DiskWorld::default() };
    let command: Vec<String> =
        std::iter::once(program).chain(arguments.iter().copied()).map(String::from).collect();
    world.run_with_input(&command, input).map_err(|error| match error {
        FileError::NotFound => Problem::not_found("cannot run").on(program).because(error),
        FileError::Refused(_) => Problem::new(ProblemKind::Denied, "cannot run").on(program).because(error),
        FileError::Other(why) => Problem::other(why),
    })
}

/// The output of a command. If it fails, the message is Puppet's.
pub fn output_of(program: &str, argument: &str, limit: Duration) -> Result<Vec<u8>, Problem> {
    let output = run(program, &[argument], Vec::new(), limit)?;
    if output.code == Some(0) {
        return Ok(output.stdout);
    }
    let ended = output.code.map_or_else(|| "after a signal".to_owned(), |code| code.to_string());
    let complaint = String::from_utf8_lossy(&output.stderr);
    let message = format!("Execution of '{program} {argument}' returned {ended}: {}", complaint.trim());
    Err(Problem::other(message))
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
        for idle in ["exec sleep 60", "exec >&- 2>&-; exec sleep 60"] {
            let slow = run("/bin/sh", &["-c", idle], Vec::new(), Duration::from_millis(50)).unwrap_err();
            assert!(slow.to_string().contains("stopped"), "{slow}");
        }
        let failed = output_of("/bin/ls", "/no/such/file", Duration::from_secs(60)).unwrap_err().to_string();
        assert!(failed.starts_with("Execution of '/bin/ls /no/such/file' returned 2: "), "{failed}");
        let missing = run("/no/such/command", &[], Vec::new(), Duration::from_secs(1)).unwrap_err();
        assert_eq!(missing.to_string(), "cannot run /no/such/command: no such file or directory");
    }
}
