//! Functions and facts that modules define in Ruby, as far as their outlines show them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kukla::extensions::outline::{self, SignatureOutline};
use kukla::world::{Stamp, World};
use kukla_ruby::outline::{Outline, SyntaxError};
use rustc_hash::FxHashMap;

/// A function that a module defines in Ruby.
#[derive(Clone, Debug)]
pub struct RubyFunction {
    /// Its name.
    pub name: String,
    /// Its signatures; empty if they could not be read.
    pub signatures: Vec<SignatureOutline>,
}

/// The functions and facts of a file.
#[derive(Clone, Debug, Default)]
pub struct RubyFile {
    /// The functions that it defines.
    pub functions: Vec<RubyFunction>,
    /// The facts that it adds.
    pub facts: Vec<String>,
    /// Whether it adds facts whose names are computed.
    pub has_computed_facts: bool,
    /// Its syntax error.
    pub syntax_error: Option<SyntaxError>,
}

impl RubyFile {
    fn new(text: &str) -> RubyFile {
        let outline = Outline::new(text);
        let functions = outline::functions(&outline).into_iter();
        let facts: Vec<Option<String>> = outline::facts(&outline).into_iter().map(|fact| fact.name).collect();
        RubyFile {
            functions: functions
                .map(|function| RubyFunction { name: function.name, signatures: function.signatures })
                .collect(),
            has_computed_facts: facts.iter().any(Option::is_none),
            facts: facts.into_iter().flatten().collect(),
            syntax_error: outline.syntax_error().cloned(),
        }
    }

    /// The signatures of the function of a name.
    pub fn signatures(&self, name: &str) -> Vec<SignatureOutline> {
        let function = self.functions.iter().find(|function| function.name == name);
        function.map(|function| function.signatures.clone()).unwrap_or_default()
    }
}

/// Files of functions and facts, cached until they change.
#[derive(Debug, Default)]
pub struct RubyFiles(Mutex<FxHashMap<PathBuf, (Stamp, Arc<RubyFile>)>>);

impl RubyFiles {
    /// The functions and facts of a file, from the cache if it has not changed.
    pub fn read(&self, world: &dyn World, path: &Path) -> Arc<RubyFile> {
        let stamp = world.stamp(path);
        let files = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((cached, file)) = files().get(path)
            && Some(*cached) == stamp
        {
            return Arc::clone(file);
        }
        let bytes = world.read(path).unwrap_or_default();
        let file = Arc::new(RubyFile::new(&String::from_utf8_lossy(&bytes)));
        if let Some(stamp) = stamp {
            files().insert(path.to_owned(), (stamp, Arc::clone(&file)));
        }
        file
    }
}

/// The name of the function that a file below `lib` defines.
pub fn function_name(path: &str) -> Option<String> {
    let new = path.strip_prefix("puppet/functions/");
    let name = new.or_else(|| path.strip_prefix("puppet/parser/functions/"))?.strip_suffix(".rb")?;
    Some(name.replace('/', "::"))
}
