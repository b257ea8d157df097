//! Runs a Ruby script: `ruby FILE [ARGS]` or `ruby -e CODE [ARGS]`.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kukla_ruby::{Host, Ruby, State, Unwind};
use kukla_values::time::Timestamp;
use kukla_world::policy::{Clock, Policy, Randomness, Variables};
use kukla_world::{CommandOutput, DirectoryEntry, FileError, FileResult, World};

/// The disk as it is, and nothing else.
#[derive(Debug)]
struct Disk {
    policy: Policy,
}

#[expect(clippy::disallowed_methods, reason = "this is where a script that people run meets the disk")]
impl World for Disk {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        std::fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => FileError::NotFound,
            _ => FileError::Other(error.to_string()),
        })
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut entries: Vec<DirectoryEntry> = entries
            .map(|entry| DirectoryEntry {
                name: entry.file_name().to_string_lossy().into_owned(),
                is_directory: entry.path().is_dir(),
                is_link: entry.path().is_symlink(),
                is_special: false,
            })
            .collect();
        entries.sort();
        entries
    }

    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos() as i128);
        Timestamp::from_nanos(nanos).unwrap_or_else(|_| panic!("a clock beyond the times that there are"))
    }

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        Ok(std::env::var(name).ok())
    }

    fn policy(&self) -> &Policy {
        &self.policy
    }

    fn run(&self, _: &[String]) -> FileResult<CommandOutput> {
        Err(FileError::NotFound)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn here(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_default()
    }
}

struct Terminal {
    world: Disk,
    out: std::io::BufWriter<std::io::Stdout>,
}

impl Host for Terminal {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn charge(&mut self, _: u64) -> Result<(), kukla_values::Error> {
        Ok(())
    }

    fn write_out(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.out.write_all(bytes)
    }

    fn write_err(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.out.flush()?;
        std::io::stderr().write_all(bytes)
    }

    fn read_line(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        let read = std::io::stdin().lock().read_until(b'\n', &mut line).ok()?;
        (read > 0).then_some(line)
    }
}

/// A script that is started by hand may use the clock and the environment.
fn policy() -> Policy {
    Policy { clock: Clock::On, randomness: Randomness::On, variables: Variables::On, ..Policy::default() }
}

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if args.is_empty() {
        eprintln!("usage: ruby FILE [ARGS] | ruby -e CODE [ARGS]");
        return ExitCode::from(2);
    }
    let mut world =
        Terminal { world: Disk { policy: policy() }, out: std::io::BufWriter::new(std::io::stdout()) };
    let script = args.remove(0);
    let (name, source) = if script == "-e" && !args.is_empty() {
        ("-e".to_owned(), args.remove(0).into_bytes())
    } else {
        match world.world.read(Path::new(&script)) {
            Ok(source) => (script, source),
            Err(error) => {
                eprintln!("ruby: {script}: {error}");
                return ExitCode::from(1);
            }
        }
    };
    let program = match kukla_ruby::parse(&source, &name) {
        Ok(program) => program,
        Err(problem) => {
            eprintln!("{name}:{}: syntax error, {}", problem.line, problem.message);
            return ExitCode::from(1);
        }
    };
    let mut ruby = Ruby::new(State::new(), &mut world);
    let result = match ruby.set_arguments(&name, &args) {
        Ok(()) => ruby.run_program(&program).map(drop),
        Err(unwind) => Err(unwind),
    };
    let ended = ruby.run_at_exit();
    let mut status = 0;
    for unwind in [result.err(), ended.err()].into_iter().flatten() {
        match *unwind {
            Unwind::Raise(exception) => match ruby.exit_status(&exception) {
                Some(code) => status = code,
                None => {
                    let message = ruby.report(&exception);
                    let _ = ruby.host.write_err(format!("{message}\n").as_bytes());
                    status = 1;
                }
            },
            other => {
                let _ = ruby.host.write_err(format!("ended by {other:?}\n").as_bytes());
                status = 1;
            }
        }
    }
    drop(ruby);
    let _ = world.out.flush();
    ExitCode::from(status.rem_euclid(256) as u8)
}
