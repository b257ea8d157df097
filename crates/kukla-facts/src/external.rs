//! Facts that are files: `name=value` lines, YAML, JSON, and programs that print one of these.

use std::path::{Path, PathBuf};

use kukla_formats::yaml;
use kukla_syntax::{Problem, ProblemKind};
use kukla_values::{Hash, Value};
use kukla_world::{FileError, World};

/// Reads the external facts of directories. Files that cannot be read are reported and left out.
pub fn read(world: &dyn World, directories: &[PathBuf], problems: &mut Vec<String>) -> Hash {
    let mut facts = Hash::new();
    for directory in directories {
        for entry in world.list(directory).into_iter().filter(|entry| !entry.is_directory) {
            let path = directory.join(entry.name.as_str());
            match read_file(world, &path) {
                Ok(found) => {
                    found.iter().for_each(|(name, value)| drop(facts.insert(name.clone(), value.clone())))
                }
                Err(problem) => problems.push(problem.to_string()),
            }
        }
    }
    facts
}

fn read_file(world: &dyn World, path: &Path) -> Result<Hash, Problem> {
    let unable = |verb: &str, error: FileError| {
        let kind = match error {
            FileError::NotFound => ProblemKind::NotFound,
            FileError::Refused(_) => ProblemKind::Denied,
            FileError::Other(_) => ProblemKind::Other,
        };
        Problem::new(kind, format!("cannot {verb}")).on(path.display()).because(error)
    };
    let read = || world.read(path).map_err(|error| unable("read", error));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("txt") => Ok(lines(&text(&read()?))),
        Some("yaml" | "yml" | "json") => structured(&read()?, path),
        // Files of editors and packages, and what belongs to another system.
        Some("bak" | "orig" | "exe" | "bat" | "cmd" | "com" | "ps1" | "md") => Ok(Hash::new()),
        _ => {
            let command = [path.to_string_lossy().into_owned()];
            let output = world.run(&command).map_err(|error| unable("run", error))?;
            if output.code != Some(0) {
                let failed = Problem::other("failed external fact").on(path.display());
                return Err(failed.because(text(&output.stderr).trim_end()));
            }
            match structured(&output.stdout, path) {
                Ok(facts) if !facts.is_empty() => Ok(facts),
                _ => Ok(lines(&text(&output.stdout))),
            }
        }
    }
}

fn lines(text: &str) -> Hash {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (Value::from(name.trim()), Value::from(value.trim()))).collect()
}

/// YAML or JSON, which is YAML.
fn structured(bytes: &[u8], path: &Path) -> Result<Hash, Problem> {
    let options = yaml::Options { aliases: true, symbols: true, times: true };
    let document = yaml::read(bytes, options)
        .map_err(|error| Problem::invalid(error.message(&path.display().to_string())))?;
    match document.value {
        Value::Hash(facts) => Ok(facts),
        Value::Undef => Ok(Hash::new()),
        _ => Err(Problem::invalid("invalid facts in")
            .on(path.display())
            .because("expected a hash of names and values")),
    }
}
