//! `kukla self`: facts about this build and this machine, for bug reports.

use std::fmt::Write;
use std::path::Path;

use crate::output::out;
use crate::version;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints the facts: none of them names a host, a user or a repository.
pub fn run(_args: &Args) -> CommandResult {
    let mut text = version::describe();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name}: {value}");
    };
    line("target", env!("KUKLA_TARGET").to_owned());
    line("profile", env!("KUKLA_PROFILE").to_owned());
    line("linked", if cfg!(target_feature = "crt-static") { "statically" } else { "dynamically" }.to_owned());
    line("compiler", env!("KUKLA_RUSTC").to_owned());
    if let Ok(path) = std::env::current_exe() {
        let size = std::fs::metadata(&path).map_or(0, |about| about.len());
        line("binary", format!("{:.1} MB, {}", size as f64 / 1e6, installed_by(&path)));
    }
    line("processors", std::thread::available_parallelism().map_or(0, usize::from).to_string());
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease");
    line("kernel", kernel.map_or_else(|_| "unknown".to_owned(), |release| release.trim().to_owned()));
    line(
        "language",
        std::env::var("LC_ALL").or_else(|_| std::env::var("LANG")).unwrap_or_else(|_| "not set".to_owned()),
    );
    out!("{text}");
    Ok(ExitKind::Success)
}

/// The way in which a binary at a path was probably installed.
fn installed_by(path: &Path) -> &'static str {
    let has = |part: &str| path.components().any(|component| component.as_os_str() == part);
    match path {
        _ if has("node_modules") => "from npm",
        _ if has(".cargo") => "from cargo",
        _ if has("Cellar") => "from Homebrew",
        _ if path.parent().and_then(Path::parent).is_some_and(|root| root.join("pyvenv.cfg").exists()) => {
            "from pip"
        }
        _ if path.starts_with("/usr/bin") => "from a package of the system",
        _ => "from elsewhere",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_show_how_a_binary_was_installed() {
        assert_eq!(installed_by(Path::new("/srv/node_modules/@kukla/linux-x64/bin/kukla")), "from npm");
        assert_eq!(installed_by(Path::new("/usr/bin/kukla")), "from a package of the system");
        assert_eq!(installed_by(Path::new("/home/a/bin/kukla")), "from elsewhere");
    }
}
