//! Commands that a server's owner has named: they get text on their standard input and have a limited time.

use std::time::Duration;

use kukla::DiskWorld;
use kukla::world::{CommandOutput, FileError};

/// Runs a command to its end; after `limit` it is stopped and counts as failed.
pub fn run(
    program: &str,
    arguments: &[&str],
    input: Vec<u8>,
    limit: Duration,
) -> Result<CommandOutput, String> {
    let world = DiskWorld { longest_run: limit, ..DiskWorld::default() };
    let command: Vec<String> =
        std::iter::once(program).chain(arguments.iter().copied()).map(String::from).collect();
    world.run_told(&command, input).map_err(|error| match error {
        FileError::NotFound => format!("{program}: {error}"),
        other => other.to_string(),
    })
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
            assert!(slow.contains("stopped"), "{slow}");
        }
        assert!(run("/no/such/command", &[], Vec::new(), Duration::from_secs(1)).is_err());
    }
}
