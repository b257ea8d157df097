//! `cargo run -p kukla-benches --example scenario -- NAME DIRECTORY`: writes the files of a scenario, for servers to serve as an environment.

use std::path::Path;

use kukla_benches::scenario::all;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let found = arguments.first().and_then(|name| all().into_iter().find(|each| each.name == name));
    let (Some(scenario), Some(directory)) = (found, arguments.get(1)) else {
        let names: Vec<&str> = all().iter().map(|each| each.name).collect();
        eprintln!("usage: scenario NAME DIRECTORY, where NAME is one of {}", names.join(", "));
        std::process::exit(2);
    };
    scenario.write(Path::new(directory)).map(|_| ())
}
