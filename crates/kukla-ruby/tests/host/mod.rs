//! An interpreter inside the test: an empty world, small limits, and what was written.

use std::fmt::Write;

use kukla_ruby::{Host, Ruby, State, Unwind};
use kukla_syntax::diagnostic;
use kukla_values::codes::MEMORY_LIMIT;
use kukla_world::{MemoryWorld, World};

/// How many bytes the values of a program may take.
const MEMORY: usize = 64 << 20;

/// An empty world, and what was written.
#[derive(Default)]
pub struct Buffer {
    world: MemoryWorld,
    /// The output, of both streams.
    pub out: Vec<u8>,
    /// How many steps were taken.
    pub steps: u64,
}

impl Host for Buffer {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn charge(&mut self, steps: u64) -> Result<(), kukla_values::Error> {
        self.steps += steps;
        Ok(())
    }

    fn check_memory(&mut self, bytes: usize) -> Result<(), kukla_values::Error> {
        if bytes > MEMORY { Err(diagnostic!(MEMORY_LIMIT { limit: MEMORY as u64 }).into()) } else { Ok(()) }
    }

    fn write_out(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn write_err(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

/// The output of a program, with the exception that ended it.
pub fn run(name: &str, source: &str) -> String {
    let program = match kukla_ruby::parse(source.as_bytes(), name) {
        Ok(program) => program,
        Err(problem) => return format!("{name}:{}: syntax error, {}", problem.line, problem.message),
    };
    let mut host = Buffer::default();
    let mut ruby = Ruby::new(State::new(), &mut host);
    let result = ruby.run_program(&program).map(drop);
    let ended = ruby.run_at_exit();
    let mut failures = String::new();
    for unwind in [result.err(), ended.err()].into_iter().flatten() {
        match *unwind {
            Unwind::Raise(exception) => failures.push_str(&ruby.report(&exception)),
            Unwind::Stop(error) => failures.push_str(&error.to_string()),
            other => write!(failures, "{other:?}").expect("strings take all that is written"),
        }
    }
    drop(ruby);
    format!("{}{failures}", String::from_utf8_lossy(&host.out))
}
