//! Ruby programs, parsed once for each text and shared by every compilation of the process.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kukla_ruby::{Program, SyntaxProblem, erb, parse};
use rustc_hash::FxHashMap;

/// How many programs are kept before the table starts over.
const LIMIT: usize = 16_384;
/// How many bytes of templates are kept before those start over: unlike files, there is no end to templates in manifests.
const TEMPLATES: usize = 1 << 20;
/// What a program takes however short its text is, in bytes of text.
const EACH: usize = 512;

type Parsed = Result<Arc<Program>, SyntaxProblem>;
type Key = (PathBuf, Vec<u8>, bool);

/// Ruby programs by file and text.
#[derive(Default)]
pub struct RubyPrograms {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    programs: FxHashMap<Key, Parsed>,
    /// The length of all templates.
    templates: usize,
}

impl fmt::Debug for RubyPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RubyPrograms")
    }
}

impl RubyPrograms {
    /// The program of a file of Ruby code.
    pub fn code(&self, path: &Path, text: &[u8]) -> Parsed {
        self.get(path, text, false, |name| parse(text, name))
    }

    /// The program of a template.
    pub fn template(&self, path: &Path, text: &str) -> Parsed {
        self.get(path, text.as_bytes(), true, |name| {
            parse(erb::compile(text, erb::Trim::PUPPET, "_erbout").as_bytes(), name)
        })
    }

    fn get(&self, path: &Path, text: &[u8], template: bool, compile: impl FnOnce(&str) -> Parsed) -> Parsed {
        let key = (path.to_path_buf(), text.to_vec(), template);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().programs.get(&key) {
            return known.clone();
        }
        let parsed = compile(&path.to_string_lossy());
        let mut known = lock();
        if known.programs.len() >= LIMIT {
            *known = Known::default();
        }
        if template {
            known.templates += text.len() + EACH;
            if known.templates > TEMPLATES {
                known.programs.retain(|(_, _, template), _| !*template);
                known.templates = text.len() + EACH;
            }
        }
        known.programs.entry(key).or_insert(parsed).clone()
    }
}
