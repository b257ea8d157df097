//! Facts that are files: `name=value` lines, YAML, JSON, and programs that print one of these.

use std::path::{Path, PathBuf};

use kukla_formats::yaml;
use kukla_values::{Hash, Value};
use kukla_world::World;

/// Reads the external facts of directories. What cannot be read is told and left out.
pub fn read(world: &dyn World, directories: &[PathBuf], problems: &mut Vec<String>) -> Hash {
    let mut facts = Hash::new();
    for directory in directories {
        for entry in world.list(directory).into_iter().filter(|entry| !entry.is_directory) {
            let path = directory.join(entry.name.as_str());
            match read_file(world, &path) {
                Ok(found) => {
                    found.iter().for_each(|(name, value)| drop(facts.insert(name.clone(), value.clone())))
                }
                Err(problem) => problems.push(format!("{}: {problem}", path.display())),
            }
        }
    }
    facts
}

fn read_file(world: &dyn World, path: &Path) -> Result<Hash, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("txt") => Ok(lines(&text(&world.read(path).map_err(|error| error.to_string())?))),
        Some("yaml" | "yml" | "json") => {
            structured(&world.read(path).map_err(|error| error.to_string())?, &name)
        }
        // Files of editors and packages, and what belongs to another system.
        Some("bak" | "orig" | "exe" | "bat" | "cmd" | "com" | "ps1" | "md") => Ok(Hash::new()),
        _ => {
            let output =
                world.run(&[path.to_string_lossy().into_owned()]).map_err(|error| error.to_string())?;
            if output.code != Some(0) {
                return Err(format!("it failed: {}", text(&output.stderr).trim_end()));
            }
            let said = text(&output.stdout);
            match structured(&output.stdout, &name) {
                Ok(facts) if !facts.is_empty() => Ok(facts),
                _ => Ok(lines(&said)),
            }
        }
    }
}

fn lines(text: &str) -> Hash {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (Value::from(name.trim()), Value::from(value.trim()))).collect()
}

/// YAML or JSON, which is YAML.
fn structured(bytes: &[u8], name: &str) -> Result<Hash, String> {
    let options = yaml::Options { aliases: true, symbols: true, times: true };
    let document = yaml::read(bytes, options).map_err(|error| error.message(name))?;
    match document.value {
        Value::Hash(facts) => Ok(facts),
        Value::Undef => Ok(Hash::new()),
        _ => Err("facts are a hash of names and values, this is something else".to_owned()),
    }
}
