//! The `kukla` command.

use std::process::ExitCode;

#[allow(unsafe_code)]
mod allocator;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    kukla_cli::main(|| allocator::mi_collect(true))
}
