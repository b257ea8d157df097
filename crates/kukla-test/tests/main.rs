//! Tests of the tests: coverage is proven by changing the code, and seeded mistakes are found.

mod common;
mod coverage;
mod mistakes;
mod rspec;
