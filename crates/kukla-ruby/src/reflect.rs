//! Whether an interpreter has a method, constant or library of a given name.

use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::library::sources::SOURCES;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::Value;

impl Ruby<'_> {
    /// Whether any class or module has a method of that name.
    pub fn has_method(&self, name: &str) -> bool {
        let Some(name) = self.symbols.existing(name) else { return false };
        self.state.classes.iter().any(|class| {
            class.methods.contains_key(&name) || class.native.is_some_and(|native| native.contains_key(&name))
        })
    }

    /// Whether there is a constant of that path; the first name may be a constant of any module.
    pub fn has_constant(&mut self, path: &str) -> Result<bool> {
        let path = path.strip_prefix("::").unwrap_or(path);
        let mut within = ClassId::OBJECT;
        for (at, word) in path.split("::").enumerate() {
            let name = self.symbols.intern(word);
            let value = match self.find_constant_in(within, name, false)? {
                Some(value) => value,
                None if at == 0 => match self.constant_of_any(name) {
                    Some(value) => value,
                    None => return Ok(false),
                },
                None => return Ok(false),
            };
            match value {
                Value::Class(class) => within = class,
                _ => return Ok(true),
            }
        }
        Ok(true)
    }

    fn constant_of_any(&self, name: Symbol) -> Option<Value> {
        let constant = self.state.classes.iter().find_map(|class| class.constants.get(&name));
        constant.map(|constant| constant.value.clone())
    }

    /// Whether `require` would find something of that name.
    pub fn has_library(&mut self, feature: &str) -> Result<bool> {
        match self.require(feature) {
            Ok(_) => Ok(true),
            Err(unwind) => match *unwind {
                Unwind::Raise(exception) => Ok(!self.is_a(&exception, ClassId::LOAD_ERROR)),
                other => Err(Box::new(other)),
            },
        }
    }

    /// Loads every library that comes with the interpreter.
    pub fn require_all(&mut self) -> Result<()> {
        SOURCES.iter().try_for_each(|library| self.require(library.name).map(drop))
    }
}
