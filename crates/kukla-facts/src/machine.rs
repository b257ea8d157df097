//! The machine as facts ask about it: small files, directories, and a few commands of the system.

use std::path::Path;

use kukla_values::{Hash, Value};
use kukla_world::World;

/// The machine that facts are read from.
pub struct Machine<'w> {
    world: &'w dyn World,
}

impl<'w> Machine<'w> {
    pub fn new(world: &'w dyn World) -> Machine<'w> {
        Machine { world }
    }

    /// The text of a file, if it can be read.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = self.world.read(Path::new(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The text of a file without white space at its ends, if that leaves anything.
    pub fn word(&self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    pub fn exists(&self, path: &str) -> bool {
        self.world.exists(Path::new(path))
    }

    /// The names in a directory.
    pub fn names(&self, path: &str) -> Vec<String> {
        self.world.list(Path::new(path)).into_iter().map(|entry| entry.name.as_str().to_owned()).collect()
    }

    /// The names of the directories in a directory, links to them included.
    pub fn directories(&self, path: &str) -> Vec<String> {
        let entries = self.world.list(Path::new(path)).into_iter();
        entries.filter(|entry| entry.is_directory).map(|entry| entry.name.as_str().to_owned()).collect()
    }

    pub fn variable(&self, name: &str) -> Option<String> {
        self.world.env(name).ok().flatten()
    }

    /// The output of a command, if it runs and succeeds.
    pub fn output(&self, command: &[&str]) -> Option<String> {
        let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        let output = self.world.run(&command).ok()?;
        (output.code == Some(0)).then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// A structured fact that is put together piece by piece; what is not known is left out.
#[derive(Default)]
pub struct Fields(Hash);

impl Fields {
    pub fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name, value.into());
    }

    pub fn put_if(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// Adds a structured value unless it is empty.
    pub fn put_fields(&mut self, name: &str, fields: Fields) {
        if !fields.0.is_empty() {
            self.put(name, Value::Hash(fields.0));
        }
    }

    pub fn into_hash(self) -> Hash {
        self.0
    }
}

impl From<Fields> for Value {
    fn from(fields: Fields) -> Value {
        Value::Hash(fields.0)
    }
}
