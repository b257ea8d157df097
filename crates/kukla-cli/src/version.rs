//! `kukla --version --verbose`: the build in detail.

use std::ffi::OsString;
use std::fmt::Write;

/// The version of Puppet whose language, functions and settings this build has.
const PUPPET: &str = "8.10";

/// Whether a command line asks for the version in detail: it has these two options and nothing else.
pub fn is_wanted(arguments: &[OsString]) -> bool {
    let options = arguments.iter().skip(1).filter_map(|text| text.to_str());
    let (mut version, mut verbose) = (false, false);
    for option in options {
        match option {
            "--version" | "-V" => version = true,
            "--verbose" | "-v" => verbose = true,
            _ => return false,
        }
    }
    version && verbose
}

/// The build in detail: one line for each fact.
pub fn describe() -> String {
    let features = [
        ("git", cfg!(feature = "git")),
        ("serve", cfg!(feature = "serve")),
        ("store", cfg!(feature = "store")),
    ];
    let features: Vec<&str> = features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    let mut out = format!("kukla {}\n", env!("CARGO_PKG_VERSION"));
    let commit = option_env!("KUKLA_COMMIT").unwrap_or("not recorded (set KUKLA_COMMIT when you build)");
    let system = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    for (name, value) in
        [("commit", commit), ("features", &features), ("puppet", PUPPET), ("system", &system)]
    {
        let _ = writeln!(out, "{name}: {value}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_options_and_nothing_else() {
        let is_wanted = |line: &str| is_wanted(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(is_wanted("kukla --version --verbose") && is_wanted("kukla -v -V"));
        assert!(
            !is_wanted("kukla --version") && !is_wanted("kukla --verbose") && !is_wanted("kukla check -v -V")
        );
        assert!(describe().lines().any(|line| line.starts_with("puppet: ")));
    }
}
