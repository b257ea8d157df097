//! Which requests are signed without anyone being asked.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command;
use crate::files::read_if_there;
use crate::log;

/// The setting `autosign`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Autosign {
    /// Nothing is signed by itself.
    #[default]
    Never,
    /// Everything is.
    Always,
    /// A file of names and patterns, or a command that decides: which of them is seen when it is asked, by whether it can run.
    File(PathBuf),
}

/// For so long a policy command may think.
const LIMIT: Duration = Duration::from_secs(60);

impl Autosign {
    /// Reads the setting.
    pub fn of(setting: &str) -> Autosign {
        match setting {
            "true" => Autosign::Always,
            "false" | "" => Autosign::Never,
            path => Autosign::File(path.into()),
        }
    }

    /// Whether a request is to be signed.
    pub fn permits(&self, name: &str, request: &str) -> bool {
        match self {
            Autosign::Never => false,
            Autosign::Always => true,
            Autosign::File(path) if is_command(path) => ask(path, name, request),
            Autosign::File(path) => match read_if_there(path) {
                Ok(text) => lists(&String::from_utf8_lossy(&text.unwrap_or_default()), name, path),
                Err(problem) => {
                    log::warning(&problem.to_string());
                    false
                }
            },
        }
    }
}

fn is_command(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// A policy command gets the name as its argument and the request on its standard input; 0 is yes.
fn ask(command: &Path, name: &str, request: &str) -> bool {
    let program = command.display().to_string();
    match command::run(&program, &[name], request.as_bytes().to_vec(), LIMIT) {
        Ok(output) => {
            let complaint = String::from_utf8_lossy(&output.stderr);
            if !complaint.trim().is_empty() {
                log::warning(&format!(
                    "Autosign command '{program} {name}' generated output to stderr: {}",
                    complaint.trim()
                ));
            }
            output.code == Some(0)
        }
        Err(problem) => {
            log::warning(&problem.to_string());
            false
        }
    }
}

fn lists(text: &str, name: &str, file: &Path) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.into_iter().any(|line| {
        if line.contains(['#', ' ']) {
            log::warning(&format!("Invalid pattern '{line}' found in {}", file.display()));
            return false;
        }
        fits(line, name)
    })
}

/// A name, `*` for all, or `*.example.com` for all names that end so, and for `example.com` itself.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some("") => true,
        Some(_) => {
            let wanted: Vec<String> = pattern.to_lowercase().split('.').skip(1).map(str::to_owned).collect();
            let parts: Vec<&str> = name.split('.').collect();
            parts.len() >= wanted.len() && parts[parts.len() - wanted.len()..] == wanted[..]
        }
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_domains() {
        for (pattern, name, expected) in [
            ("*", "anything", true),
            ("web1.example.com", "web1.example.com", true),
            ("web1.example.com", "web2.example.com", false),
            ("*.example.com", "web1.example.com", true),
            ("*.EXAMPLE.com", "a.b.example.com", true),
            ("*.example.com", "example.com", true),
            ("*.example.com", "notexample.com", false),
            ("*.example.com", "com", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        let text = "# ours\n\nweb1 # not a comment\n*.good\n";
        assert!(lists(text, "a.good", Path::new("autosign.conf")));
        assert!(!lists(text, "web1", Path::new("autosign.conf")));
    }
}
