//! The `kukla` command.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[allow(unsafe_code)]
mod mimalloc_itself {
    // SAFETY: this is how mimalloc declares the function. It is linked, since it is the allocator of this process; it takes no
    // pointer and frees nothing that is in use, and any thread may call it at any time.
    unsafe extern "C" {
        pub safe fn mi_collect(force: bool);
    }
}

fn main() -> ExitCode {
    kukla_cli::main(|| mimalloc_itself::mi_collect(true))
}
