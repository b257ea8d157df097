//! The command line of puppet-lint, as arguments that clap knows.
//!
//! puppet-lint has two options for each check, accepts unique beginnings of long options, and reads further options from files, one in each line.
//! Checks are chosen in the order of the options, so all of these become one option, `--choose`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kukla::syntax::Problem;
use kukla_lint::rules;

use crate::files;
use crate::output::errln;

/// Long options that puppet-lint has, and whether they take a value.
const OPTIONS: [(&str, bool); 20] = [
    ("version", false),
    ("no-config", false),
    ("config", true),
    ("with-context", false),
    ("with-filename", false),
    ("fail-on-warnings", false),
    ("error-level", true),
    ("show-ignored", false),
    ("relative", false),
    ("load", true),
    ("load-from-puppet", true),
    ("fix", false),
    ("log-format", true),
    ("json", false),
    ("sarif", false),
    ("codeclimate-report-file", true),
    ("list-checks", false),
    ("only-checks", true),
    ("ignore-paths", true),
    ("top-scope-variables", true),
];

/// The values of `--error-level`, which may be abbreviated, too.
const LEVELS: [&str; 3] = ["all", "warning", "error"];

/// Long options that puppet-lint does not have, and `help`.
const OWN: [&str; 9] = [
    "help",
    "plugins",
    "format",
    "fix-effect",
    "baseline",
    "write-baseline",
    "with-fmt",
    "choose",
    "invalid-option",
];

/// Files whose options come before those of the command line.
const HOME: &str = ".puppet-lint.rc";

/// The arguments of `kukla` with those of `lint` in the form that clap knows, after those of the configuration files. Arguments of other commands
/// are left as they are.
pub fn canonical(arguments: Vec<OsString>) -> Result<Vec<OsString>, Problem> {
    if arguments.get(1).is_none_or(|command| command != "lint") {
        return Ok(arguments);
    }
    let mut rest = arguments;
    let own = rest.split_off(2);
    let mut all = rest;
    if !own.iter().any(|argument| argument == "--no-config") {
        let home = std::env::home_dir().map(|home| home.join(HOME));
        for path in [Some(PathBuf::from("/etc/puppet-lint.rc")), home, Some(PathBuf::from(HOME))]
            .into_iter()
            .flatten()
        {
            if path.is_file() {
                read(&path, &mut all)?;
            }
        }
    }
    let mut own = own.into_iter();
    while let Some(argument) = own.next() {
        let Some(text) = argument.to_str() else {
            all.push(argument);
            continue;
        };
        if text == "--" {
            all.push(argument);
            all.extend(own);
            break;
        }
        let mut next = || own.next().map(|value| value.to_string_lossy().into_owned());
        add(text, &mut next, &mut all)?;
    }
    Ok(all)
}

/// The only value that begins so, or the text itself.
fn completed<'v>(text: &'v str, values: &[&'v str]) -> &'v str {
    let mut found = values.iter().filter(|value| !text.is_empty() && value.starts_with(text));
    found.next().filter(|_| found.next().is_none()).unwrap_or(&text)
}

/// Adds the options in a file.
fn read(path: &Path, all: &mut Vec<OsString>) -> Result<(), Problem> {
    let text = files::read_text(path)?;
    for line in text.lines().map(str::trim).filter(|line| line.starts_with('-')) {
        // A value may be separated by a blank here, too.
        let (option, value) = match line.split_once([' ', '=']) {
            Some((option, value)) => (option, Some(value.trim().to_owned())),
            None => (line, None),
        };
        let mut value = value;
        add(option, &mut || value.take(), all)?;
    }
    Ok(())
}

/// The choice that an option for a check makes: `no-NAME-check` or `NAME-check`.
fn choice(option: &str) -> Option<String> {
    let check = option.strip_suffix("-check")?;
    let (sign, check) = check.strip_prefix("no-").map_or(('+', check), |check| ('-', check));
    rules::find(check).map(|rule| format!("{sign}{}", rule.name()))
}

/// The choice of an option for a check that is written in part, if it is the only one that begins so.
fn abbreviated_choice(option: &str) -> Option<String> {
    let (sign, beginning) = option.strip_prefix("no-").map_or(('+', option), |beginning| ('-', beginning));
    let begins = |name: &str| format!("{name}-check").starts_with(beginning);
    let mut found = rules::all().iter().filter(|rule| !beginning.is_empty() && begins(rule.name()));
    let rule = found.next().filter(|_| found.next().is_none())?;
    Some(format!("{sign}{}", rule.name()))
}

/// Adds an option; `next` takes its value from what follows.
fn add(text: &str, next: &mut dyn FnMut() -> Option<String>, all: &mut Vec<OsString>) -> Result<(), Problem> {
    let mut push = |text: String| all.push(text.into());
    let (name, value) = match text.strip_prefix("--") {
        Some(long) => match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        },
        None => match text {
            "-c" => ("config", None),
            "-l" => ("load", None),
            _ => {
                push(text.to_owned());
                return Ok(());
            }
        },
    };
    if let Some(choice) = choice(name) {
        push(format!("--choose={choice}"));
        return Ok(());
    }
    let known: Vec<&(&str, bool)> = match OPTIONS.iter().find(|(known, _)| *known == name) {
        Some(known) => vec![known],
        None => OPTIONS.iter().filter(|(known, _)| known.starts_with(name) && !name.is_empty()).collect(),
    };
    if known.is_empty() && !OWN.contains(&name) {
        match abbreviated_choice(name) {
            Some(choice) => push(format!("--choose={choice}")),
            None => push(format!("--invalid-option=--{name}")),
        }
        return Ok(());
    }
    let [(option, takes_value)] = known[..] else {
        push(text.to_owned());
        return Ok(());
    };
    if !takes_value {
        push(format!("--{option}"));
        return Ok(());
    }
    let Some(value) = value.or_else(next) else {
        push(format!("--{option}"));
        return Ok(());
    };
    match *option {
        "only-checks" => push(format!("--choose=only:{value}")),
        // puppet-lint goes on without a file that does not exist.
        "config" if !Path::new(&value).exists() => {
            errln!("kukla: no configuration file {value}; continuing without it")
        }
        "config" => read(Path::new(&value), all)?,
        "error-level" => push(format!("--{option}={}", completed(&value, &LEVELS))),
        _ => push(format!("--{option}={value}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical_of(arguments: &[&str]) -> Vec<String> {
        let arguments =
            ["kukla", "lint", "--no-config"].iter().chain(arguments).map(OsString::from).collect();
        let all = canonical(arguments).unwrap();
        all[3..].iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn options_of_puppet_lint() {
        assert_eq!(canonical_of(&["--no-140chars-check", "a.pp"]), ["--choose=-140chars", "a.pp"]);
        assert_eq!(canonical_of(&["--80chars-check", "--fix"]), ["--choose=+80chars", "--fix"]);
        assert_eq!(
            canonical_of(&["--only-checks", "a,b", "--fail"]),
            ["--choose=only:a,b", "--fail-on-warnings"]
        );
        assert_eq!(canonical_of(&["--log-format", "%{path} -x", "-f"]), ["--log-format=%{path} -x", "-f"]);
        assert_eq!(canonical_of(&["--error-level=error"]), ["--error-level=error"]);
        assert_eq!(canonical_of(&["--error-l", "warn"]), ["--error-level=warning"]);
        assert_eq!(canonical_of(&["--error-level", "x", "-c", "not-here.rc"]), ["--error-level=x"]);
        assert_eq!(
            canonical_of(&["--no-autoloader_lay", "--pl", "all"]),
            ["--choose=-autoloader_layout", "--invalid-option=--pl", "all"]
        );
        assert_eq!(
            canonical_of(&["--unknown", "--", "--fix"]),
            ["--invalid-option=--unknown", "--", "--fix"]
        );
    }
}
