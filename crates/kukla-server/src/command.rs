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

/// What a command prints. If it fails, Puppet's words for that.
pub fn printed(program: &str, argument: &str, limit: Duration) -> Result<Vec<u8>, String> {
    let output = run(program, &[argument], Vec::new(), limit)?;
    if output.code == Some(0) {
        return Ok(output.stdout);
    }
    let ended = output.code.map_or_else(|| "after a signal".to_owned(), |code| code.to_string());
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("Execution of '{program} {argument}' returned {ended}: {}", said.trim()))
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
        let failed = printed("/bin/ls", "/no/such/file", Duration::from_secs(60)).unwrap_err();
        assert!(failed.starts_with("Execution of '/bin/ls /no/such/file' returned 2: "), "{failed}");
        assert!(run("/no/such/command", &[], Vec::new(), Duration::from_secs(1)).is_err());
    }
}
