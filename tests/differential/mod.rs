//! Kukla and real Puppet, asked the same questions.

mod catalogs;
mod chance;
mod facts;
mod functions;
mod generate;
mod packaged;
mod phrases;
mod programs;
mod templates;
mod types;
