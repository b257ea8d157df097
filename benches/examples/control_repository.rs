//! `cargo run -p kukla-benches --example control_repository -- DIRECTORY NODES`: writes a generated control repository.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(Ok(nodes))) = (arguments.next(), arguments.next().map(|n| n.parse())) else {
        eprintln!("usage: control_repository DIRECTORY NODES");
        std::process::exit(2);
    };
    kukla_benches::control_repository::write(Path::new(&directory), nodes)
}
