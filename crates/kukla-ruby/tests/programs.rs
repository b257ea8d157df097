//! Programs and what Ruby itself writes when it runs them: `programs/NAME.rb` and `programs/NAME.out`.

use std::fmt::Write;

use kukla_ruby::{Host, Ruby, State, Unwind};
use kukla_world::{MemoryWorld, World};

/// An empty world, and what was written.
struct Buffer {
    world: MemoryWorld,
    out: Vec<u8>,
    steps: u64,
}

impl Host for Buffer {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn charge(&mut self, steps: u64) -> Result<(), kukla_values::Error> {
        self.steps += steps;
        Ok(())
    }

    fn write_out(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn write_err(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

/// What a program writes, with what ended it if that was an exception.
fn run(name: &str, source: &str) -> String {
    let program = kukla_ruby::parse(source.as_bytes(), name).expect("the program is valid");
    let mut host = Buffer { world: MemoryWorld::default(), out: Vec::new(), steps: 0 };
    let mut ruby = Ruby::new(State::new(), &mut host);
    let result = ruby.run_program(&program).map(drop);
    let ended = ruby.run_at_exit();
    let mut failures = String::new();
    for unwind in [result.err(), ended.err()].into_iter().flatten() {
        match *unwind {
            Unwind::Raise(exception) => failures.push_str(&ruby.report(&exception)),
            other => write!(failures, "{other:?}").expect("strings take all that is written"),
        }
    }
    drop(ruby);
    assert!(host.steps > 0 || source.len() < 100, "steps are counted");
    format!("{}{failures}", String::from_utf8_lossy(&host.out))
}

macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            let name = stringify!($name);
            let source = include_str!(concat!("programs/", stringify!($name), ".rb"));
            let expected = include_str!(concat!("programs/", stringify!($name), ".out"));
            let written = run(&format!("{name}.rb"), source);
            let (mut lines, mut others) = (written.lines(), expected.lines());
            loop {
                match (lines.next(), others.next()) {
                    (None, None) => break,
                    (ours, theirs) => assert_eq!(ours, theirs, "in:\n{written}"),
                }
            }
        })*
    };
}

programs!(arguments, flow, objects, patterns);

/// Programs that go on for ever, or too deep, end as they should.
#[test]
fn limits() {
    let deep = "def f(n) = f(n + 1)\nbegin; f(0); rescue SystemStackError => e; puts e.message; end";
    assert_eq!(run("deep.rb", deep), "stack level too deep\n");
    let nested = format!("p({}1{})", "[".repeat(500), "]".repeat(500));
    assert_eq!(run("nested.rb", &nested).trim_end().len(), 1001);
}

/// A program is shared by all interpreters, and what one changes no other sees.
#[test]
fn shared() {
    let source = "LIST = [] unless defined?(LIST)\nLIST << 1\nclass String; def shout = upcase + '!'; end\np LIST, 'a'.shout";
    let program = kukla_ruby::parse(source.as_bytes(), "shared.rb").expect("the program is valid");
    for _ in 0..3 {
        let mut host = Buffer { world: MemoryWorld::default(), out: Vec::new(), steps: 0 };
        let mut ruby = Ruby::new(State::new(), &mut host);
        assert!(ruby.run_program(&program).is_ok());
        drop(ruby);
        assert_eq!(String::from_utf8_lossy(&host.out), "[1]\n\"A!\"\n");
    }
}
