//! A Ruby interpreter for programs that run other people's Ruby.
//!
//! A text becomes prism's tree, the tree a lowered [`Program`] that all interpreters of the process share. A [`Ruby`] runs it; its [`State`]
//! belongs to one task. Nothing is global, and all effects go through the [`Host`], which also sets the limits.
//!
//! ```
//! use kukla_ruby::{Host, Ruby, State, Unwind, Value};
//! use kukla_values::budget::Limits;
//! use kukla_values::{Budget, Error};
//! use kukla_world::{MemoryWorld, World};
//!
//! /// A host without files that collects output and limits the work.
//! struct Sandbox {
//!     world: MemoryWorld,
//!     output: Vec<u8>,
//!     budget: Budget,
//! }
//!
//! impl Host for Sandbox {
//!     fn world(&self) -> &dyn World {
//!         &self.world
//!     }
//!     fn charge(&mut self, steps: u64) -> Result<(), Error> {
//!         self.budget.charge_steps(steps)
//!     }
//!     fn write_out(&mut self, bytes: &[u8]) -> std::io::Result<()> {
//!         self.output.extend_from_slice(bytes);
//!         Ok(())
//!     }
//!     fn write_err(&mut self, bytes: &[u8]) -> std::io::Result<()> {
//!         self.write_out(bytes)
//!     }
//! }
//!
//! let budget = Budget::new(Limits { steps: 100_000, ..Limits::default() });
//! let mut sandbox = Sandbox { world: MemoryWorld::default(), output: Vec::new(), budget };
//! let mut ruby = Ruby::new(State::new(), &mut sandbox);
//!
//! let program = kukla_ruby::parse(b"puts 'working'; [1, 2, 3].sum { |n| n * n }", "sum.rb").unwrap();
//! assert!(matches!(ruby.run_program(&program), Ok(Value::Int(14))));
//!
//! // An exception is a value; exceeding a limit stops the program, and nothing in Ruby can rescue it.
//! let program = kukla_ruby::parse(b"raise 'failed'", "raise.rb").unwrap();
//! assert!(matches!(*ruby.run_program(&program).unwrap_err(), Unwind::Raise(_)));
//! let program = kukla_ruby::parse(b"begin; loop { }; rescue Exception; end", "loop.rb").unwrap();
//! assert!(matches!(*ruby.run_program(&program).unwrap_err(), Unwind::Stop(_)));
//!
//! drop(ruby);
//! assert_eq!(sandbox.output, b"working\n");
//! ```
//!
//! A crate of its own because its parser takes longer to build than all the rest together.

mod args;
mod backtrace;
pub mod class;
pub mod comments;
mod convert;
pub mod core;
pub mod data;
mod effects;
mod embed;
pub mod erb;
mod error;
pub mod eval;
pub mod hash;
pub mod host;
pub mod iterate;
mod keys;
pub mod library;
pub mod list;
mod lower;
mod memory;
pub mod method;
mod nesting;
mod objects;
pub mod outline;
pub mod proc;
mod program;
pub mod recursion;
mod reflect;
mod ruby;
pub mod symbol;
pub mod text;
pub mod value;

pub use args::Args;
pub use class::ClassId;
pub use error::{Result, Unwind};
pub use host::{Embedder, Host};
pub use library::built_in;
pub use lower::{SyntaxProblem, parse, parse_measured};
pub use memory::taken as memory_taken;
pub use program::{LineMark, Program};
pub use ruby::{Ruby, State};
pub use symbol::Symbol;
pub use value::Value;
