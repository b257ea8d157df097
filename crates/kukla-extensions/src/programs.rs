//! Ruby programs, parsed once for each text and shared by every compilation of the process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kukla_ruby::program::Program;
use kukla_ruby::erb;
use rustc_hash::FxHashMap;

/// How many programs are kept before the table starts over.
const LIMIT: usize = 16_384;

type Parsed = Result<Arc<Program>, String>;
type Key = (PathBuf, Vec<u8>, bool);

/// Ruby programs by file and text.
#[derive(Debug, Default)]
pub struct RubyPrograms {
    known: Mutex<FxHashMap<Key, Parsed>>,
}

impl RubyPrograms {
    /// The program of a file of Ruby code.
    pub fn code(&self, path: &Path, text: &[u8]) -> Parsed {
        self.get(path, text, false, |name| Program::compile(name, text))
    }

    /// The program of a template.
    pub fn template(&self, path: &Path, text: &str) -> Parsed {
        self.get(path, text.as_bytes(), true, |name| {
            Program::compile(name, erb::compile(text, erb::Trim::PUPPET, "_erbout").as_bytes())
        })
    }

    fn get(
        &self,
        path: &Path,
        text: &[u8],
        template: bool,
        compile: impl FnOnce(&str) -> Result<Program, String>,
    ) -> Parsed {
        let key = (path.to_path_buf(), text.to_vec(), template);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return known.clone();
        }
        let parsed = compile(&path.to_string_lossy()).map(Arc::new);
        let mut known = lock();
        if known.len() >= LIMIT {
            known.clear();
        }
        known.entry(key).or_insert(parsed).clone()
    }
}
