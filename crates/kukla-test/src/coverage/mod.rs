//! Coverage: the lines, branches, definitions, parameters and resources of a project that tests reach.
//!
//! A [`Collector`] counts while tests run: programs count their own statements and branches, and checks report the resources that they look
//! at. A [`CoverageReport`] says what that means for every file of the project, also for files that no test has loaded.

mod cobertura;
mod data;
mod html;
mod json;
mod lcov;
mod lines;
mod report;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use kukla::eval::coverage::Coverage;
use kukla::syntax::Problem;
use kukla::world::World;
use kukla::world::record::{Input, Question, Record};
use kukla::{Catalog, Compiled};

use crate::project::Project;

pub use data::DataKey;
pub use report::{Branch, CoverageReport, Defined, FileCoverage, Parameter, Ratio, Totals};

/// Counts while tests run.
#[derive(Debug, Default)]
pub struct Collector {
    /// The counters of programs.
    pub programs: Arc<Coverage>,
    /// The resources in catalogs and those that checks have looked at, by file and line.
    declared: Mutex<BTreeSet<(PathBuf, u32)>>,
    checked: Mutex<BTreeSet<(PathBuf, u32)>>,
    /// The keys that lookups have used, by data file.
    keys: Mutex<BTreeSet<(PathBuf, String)>>,
}

type Points = Mutex<BTreeSet<(PathBuf, u32)>>;

impl Collector {
    /// A catalog has a resource that is declared here.
    pub fn declare(&self, file: &Path, line: u32) {
        insert(&self.declared, file, line);
    }

    /// A check has looked at a resource that is declared here.
    pub fn check(&self, file: &Path, line: u32) {
        insert(&self.checked, file, line);
    }

    /// A lookup has used a key of a data file.
    pub fn use_key(&self, file: &Path, key: &str) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert((file.to_owned(), key.to_owned()));
    }

    fn is_declared(&self, file: &Path, line: u32) -> bool {
        contains(&self.declared, file, line)
    }

    fn is_checked(&self, file: &Path, line: u32) -> bool {
        contains(&self.checked, file, line)
    }

    fn is_used(&self, file: &Path, key: &str) -> bool {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.contains(&(file.to_owned(), key.to_owned()))
    }

    /// Counts the resources of a catalog.
    pub fn count_catalog(&self, catalog: &Catalog) {
        for resource in &catalog.resources {
            if let (Some(file), Some(line)) = (&resource.file, resource.line) {
                self.declare(Path::new(&**file), line);
            }
        }
    }

    /// Counts all data that was read and looked up in a world.
    pub fn count_data(&self, project: &Project, world: &dyn World) {
        self.count_inputs(project, world.ledger().map(|ledger| ledger.all()).unwrap_or_default());
    }

    /// Counts the resources of a catalog and the data that it was compiled with.
    pub fn count(&self, project: &Project, world: &dyn World, compiled: &Compiled, record: Option<&Record>) {
        self.count_catalog(&compiled.catalog);
        let (Some(record), Some(ledger)) = (record, world.ledger()) else { return };
        self.count_inputs(project, ledger.inputs(&record.data));
    }

    fn count_inputs(&self, project: &Project, inputs: Vec<Input>) {
        let (mut files, mut keys) = (Vec::new(), Vec::new());
        for input in inputs {
            match input.question {
                Question::Data(file) | Question::Read(file) if file.starts_with(&project.root) => {
                    files.push(file)
                }
                Question::Key(key) => keys.push(key),
                _ => {}
            }
        }
        for file in &files {
            keys.iter().for_each(|key| self.use_key(file, key.split('.').next().unwrap_or(key)));
        }
    }
}

fn insert(points: &Points, file: &Path, line: u32) {
    points.lock().unwrap_or_else(PoisonError::into_inner).insert((file.to_owned(), line));
}

fn contains(points: &Points, file: &Path, line: u32) -> bool {
    points.lock().unwrap_or_else(PoisonError::into_inner).contains(&(file.to_owned(), line))
}

/// The output format of a coverage report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoverageFormat {
    /// A table with a row for each file.
    #[default]
    Table,
    /// The tracefile of lcov.
    Lcov,
    /// Cobertura's XML.
    Cobertura,
    /// One JSON document.
    Json,
    /// A page with annotated source.
    Html,
}

impl CoverageFormat {
    /// All formats with their names.
    pub const ALL: [(&str, CoverageFormat); 5] = [
        ("table", CoverageFormat::Table),
        ("lcov", CoverageFormat::Lcov),
        ("cobertura", CoverageFormat::Cobertura),
        ("json", CoverageFormat::Json),
        ("html", CoverageFormat::Html),
    ];

    /// The format that the ending of a file name means.
    pub fn of_file(path: &Path) -> CoverageFormat {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("html" | "htm") => CoverageFormat::Html,
            Some("xml") => CoverageFormat::Cobertura,
            Some("json") => CoverageFormat::Json,
            Some("info" | "lcov") => CoverageFormat::Lcov,
            _ => CoverageFormat::Table,
        }
    }
}

impl FromStr for CoverageFormat {
    type Err = Problem;

    fn from_str(text: &str) -> Result<CoverageFormat, Problem> {
        let found = CoverageFormat::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, format)| *format).ok_or_else(|| {
            let names: Vec<&str> = CoverageFormat::ALL.iter().map(|(name, _)| *name).collect();
            Problem::invalid("invalid format")
                .on(format!("'{text}'"))
                .help(format!("expected {}", names.join(", ")))
        })
    }
}

/// A report in a format.
pub fn render(report: &CoverageReport, format: CoverageFormat) -> String {
    match format {
        CoverageFormat::Table => table::render(report),
        CoverageFormat::Lcov => lcov::render(report),
        CoverageFormat::Cobertura => cobertura::render(report),
        CoverageFormat::Json => json::render(report),
        CoverageFormat::Html => html::render(report),
    }
}
