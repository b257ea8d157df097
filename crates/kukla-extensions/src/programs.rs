//! Ruby programs, parsed once for each text and shared by every compilation of the process.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kukla_eval::coverage::Coverage;
use kukla_ruby::{Program, SyntaxProblem, erb, parse, parse_measured};
use rustc_hash::FxHashMap;

/// How many programs are kept before the table starts over.
const LIMIT: usize = 16_384;
/// How many bytes of templates are kept before those start over: unlike files, there is no end to templates in manifests.
const TEMPLATES: usize = 1 << 20;
/// The cost of a program however short its text is, in bytes of text.
const EACH: usize = 512;

type Parsed = Result<Arc<Program>, SyntaxProblem>;
/// Programs by file and text.
type Table = FxHashMap<PathBuf, FxHashMap<Vec<u8>, Parsed>>;

/// Ruby programs by file and text.
#[derive(Default)]
pub struct RubyPrograms {
    known: Mutex<Known>,
    /// Counts which lines of templates run, if that is asked for.
    coverage: Option<Arc<Coverage>>,
}

#[derive(Default)]
struct Known {
    code: Table,
    templates: Table,
    /// How many programs there are.
    count: usize,
    /// The length of all templates.
    length: usize,
}

impl Known {
    fn table(&mut self, is_template: bool) -> &mut Table {
        if is_template { &mut self.templates } else { &mut self.code }
    }
}

impl fmt::Debug for RubyPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RubyPrograms")
    }
}

/// The variable that collects the output of a template.
const OUTPUT: &str = "_erbout";

impl RubyPrograms {
    /// Programs whose templates count which of their lines run.
    pub fn measuring(coverage: Arc<Coverage>) -> RubyPrograms {
        RubyPrograms { coverage: Some(coverage), ..RubyPrograms::default() }
    }

    /// The program of a file of Ruby code.
    pub fn code(&self, path: &Path, text: &[u8]) -> Parsed {
        self.get(path, text, false, |name| parse(text, name))
    }

    /// The program of a template.
    pub fn template(&self, path: &Path, text: &str) -> Parsed {
        self.get(path, text.as_bytes(), true, |name| {
            let code = erb::compile(text, erb::Trim::DASH, OUTPUT);
            let Some(coverage) = &self.coverage else { return parse(code.as_bytes(), name) };
            let program = parse_measured(code.as_bytes(), name)?;
            let lines = program.marks().iter().map(|mark| (mark.line, mark.last, Arc::clone(&mark.count)));
            coverage.add_lines(name, text, lines);
            Ok(program)
        })
    }

    fn get(&self, path: &Path, text: &[u8], template: bool, compile: impl FnOnce(&str) -> Parsed) -> Parsed {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().table(template).get(path).and_then(|texts| texts.get(text)) {
            return known.clone();
        }
        let parsed = compile(&path.to_string_lossy());
        let mut known = lock();
        if known.count >= LIMIT {
            *known = Known::default();
        }
        known.count += 1;
        if template {
            known.length += text.len() + EACH;
            if known.length > TEMPLATES {
                known.templates.clear();
                known.length = text.len() + EACH;
            }
        }
        let texts = known.table(template).entry(path.to_path_buf()).or_default();
        texts.entry(text.to_vec()).or_insert(parsed).clone()
    }
}
