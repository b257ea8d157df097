//! The `kukla` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    kukla_cli::main(kukla_allocator::collect)
}
