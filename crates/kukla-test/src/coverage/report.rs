//! The meaning of the counters: what tests reach in every file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::eval::coverage::{Coverage, DefinitionKind, Mark, MarkKind, Measured, Way};
use kukla::eval::programs::{Dialect, Programs};
use kukla::extensions::RubyPrograms;
use kukla::syntax::Source;
use kukla::syntax::validate::Rules;
use kukla::world::puppetfile::Puppetfile;

use super::Collector;
use super::data::{self, DataKey};
use super::lines::Lines;
use crate::project::{Project, ProjectKind};

/// The coverage of a project.
#[derive(Clone, Debug, Default)]
pub struct CoverageReport {
    /// The files, by path.
    pub files: Vec<FileCoverage>,
    /// The keys of data files.
    pub keys: Vec<DataKey>,
}

/// The coverage of a file.
#[derive(Clone, Debug, Default)]
pub struct FileCoverage {
    /// Its path, relative to the project.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// How often each line with a statement ran.
    pub lines: BTreeMap<u32, u32>,
    /// The ways that conditions, `case`, selectors and defaults can take.
    pub branches: Vec<Branch>,
    /// Classes, defined types and functions.
    pub definitions: Vec<Defined>,
    /// Parameters with a default.
    pub parameters: Vec<Parameter>,
    /// The lines with resources: whether a catalog had it, and whether a check looked at it.
    pub resources: BTreeMap<u32, (bool, bool)>,
}

/// A way that a construct can take.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its line.
    pub line: u32,
    /// The offset of the construct.
    pub construct: u32,
    /// Its name: `then`, `else`, `option`, `default of $x`.
    pub name: String,
    /// How often it was taken.
    pub count: u32,
}

/// A definition with a body.
#[derive(Clone, Debug)]
pub struct Defined {
    /// Its line.
    pub line: u32,
    /// `class`, `define`, `function` or `node`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// How often its body ran.
    pub count: u32,
}

/// A parameter with a default.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its line.
    pub line: u32,
    /// Its definition.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Whether a test set it.
    pub is_set: bool,
    /// Whether a test left it to its default.
    pub is_defaulted: bool,
}

/// A number of things, and how many of them are covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    /// Those that are covered.
    pub covered: usize,
    /// All.
    pub total: usize,
}

impl Ratio {
    /// The covered ones in percent; all of nothing is everything.
    pub fn percent(self) -> f64 {
        if self.total == 0 { 100.0 } else { self.covered as f64 * 100.0 / self.total as f64 }
    }

    fn count(&mut self, is_covered: bool) {
        self.total += 1;
        self.covered += usize::from(is_covered);
    }
}

impl std::ops::AddAssign for Ratio {
    fn add_assign(&mut self, other: Ratio) {
        self.covered += other.covered;
        self.total += other.total;
    }
}

/// The ratios of a file, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Lines with statements.
    pub lines: Ratio,
    /// Branches.
    pub branches: Ratio,
    /// Definitions.
    pub definitions: Ratio,
    /// Parameters with a default that a test has set.
    pub parameters: Ratio,
    /// Resources that a check has looked at.
    pub resources: Ratio,
    /// Keys of data files that a lookup has used.
    pub keys: Ratio,
}

impl FileCoverage {
    /// Its ratios.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.lines.values().for_each(|count| totals.lines.count(*count > 0));
        self.branches.iter().for_each(|branch| totals.branches.count(branch.count > 0));
        self.definitions.iter().for_each(|defined| totals.definitions.count(defined.count > 0));
        self.parameters.iter().for_each(|parameter| totals.parameters.count(parameter.is_set));
        self.resources.values().for_each(|(_, checked)| totals.resources.count(*checked));
        totals
    }
}

impl CoverageReport {
    /// The coverage of a project by the tests that a collector has counted.
    pub fn new(project: &Project, collector: &Collector) -> CoverageReport {
        let mut texts: BTreeMap<PathBuf, Vec<Measured>> = BTreeMap::new();
        for measured in collector.programs.texts() {
            texts.entry(PathBuf::from(&*measured.file)).or_default().push(measured);
        }
        let mut files = Vec::new();
        for path in own_files(project) {
            let Ok(bytes) = project.world.read(&path) else { continue };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let mut all: Vec<Measured> = texts.remove(&path).unwrap_or_default();
            all.retain(|measured| *measured.text == *text);
            if all.is_empty() {
                all = unread(&path, &text);
            }
            if let Some(file) = file(project, collector, &path, &all) {
                files.push(file);
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        CoverageReport { files, keys: data::keys(project, collector) }
    }

    /// The manifests of a project that belong to it.
    pub fn own_manifests(project: &Project) -> Vec<PathBuf> {
        let mut files = own_files(project);
        let is_manifest = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "pp");
        files.retain(|path| {
            is_manifest(path) && path.components().any(|part| part.as_os_str() == "manifests")
        });
        files
    }

    /// The ratios of all files.
    pub fn totals(&self) -> Totals {
        let mut all = Totals::default();
        for file in &self.files {
            let own = file.totals();
            all.lines += own.lines;
            all.branches += own.branches;
            all.definitions += own.definitions;
            all.parameters += own.parameters;
            all.resources += own.resources;
        }
        self.keys.iter().for_each(|key| all.keys.count(key.is_used));
        all
    }
}

/// The marks of a file that no test has loaded.
fn unread(path: &Path, text: &str) -> Vec<Measured> {
    let coverage: Arc<Coverage> = Arc::default();
    if path.extension().is_some_and(|extension| extension == "erb") {
        let _ = RubyPrograms::measuring(Arc::clone(&coverage)).template(path, text);
        return coverage.texts();
    }
    let programs = Programs::measuring(Arc::clone(&coverage));
    let source = Source::new(path.display().to_string(), text);
    let dialect = match path.extension().is_some_and(|extension| extension == "epp") {
        true => Dialect::Epp,
        false => Dialect::Manifest,
    };
    // A file with a syntax error has no statements.
    let _ = programs.read(&source, dialect, &Rules::default());
    coverage.texts()
}

/// The coverage of a file that was read once or several times.
fn file(project: &Project, collector: &Collector, path: &Path, texts: &[Measured]) -> Option<FileCoverage> {
    let first = texts.first()?;
    let count = |at: usize| {
        texts.iter().filter_map(|text| text.marks.get(at)).map(Mark::count).fold(0, u32::saturating_add)
    };
    let text = Arc::clone(&first.text);
    let lines = Lines::new(&text);
    let mut file = FileCoverage {
        path: path.strip_prefix(&project.root).unwrap_or(path).display().to_string(),
        text: Arc::clone(&first.text),
        ..FileCoverage::default()
    };
    let mut bodies: BTreeMap<String, u32> = BTreeMap::new();
    for (at, mark) in first.marks.iter().enumerate() {
        let (line, count) = (lines.line(mark.span.start), count(at));
        let ran = |lines: &mut BTreeMap<u32, u32>, line| {
            let known = lines.entry(line).or_insert(0);
            *known = (*known).max(count);
        };
        match mark.kind {
            MarkKind::Statement => ran(&mut file.lines, line),
            MarkKind::Text => {
                lines.filled(mark.span.start, mark.span.end).for_each(|line| ran(&mut file.lines, line));
            }
            MarkKind::Branch { construct, way } => {
                if way == Way::Arm {
                    ran(&mut file.lines, line);
                }
                let name = way_name(way).to_owned();
                file.branches.push(Branch { line, construct, name, count });
            }
            MarkKind::Definition(kind, name) => {
                bodies.insert(name.to_string(), count);
                file.definitions.push(Defined { line, kind: kind_name(kind), name: name.to_string(), count });
            }
            MarkKind::Default(owner, name) => {
                let branch = format!("default of ${name}");
                file.branches.push(Branch { line, construct: mark.span.start, name: branch, count });
                if let Some(owner) = owner {
                    let (owner, name) = (owner.to_string(), name.to_string());
                    // Whether it was ever set is known when all bodies are counted.
                    file.parameters.push(Parameter {
                        line,
                        owner,
                        name,
                        is_set: false,
                        is_defaulted: count > 0,
                    });
                }
            }
            MarkKind::Resource => {
                file.resources
                    .insert(line, (collector.is_declared(path, line), collector.is_checked(path, line)));
            }
        }
    }
    for parameter in &mut file.parameters {
        let taken = file.branches.iter().find(|branch| {
            branch.line == parameter.line && branch.name == format!("default of ${}", parameter.name)
        });
        // A body that ran more often than the default was set some of the times.
        let ran = bodies.get(&parameter.owner).copied().unwrap_or_default();
        parameter.is_set = ran > taken.map_or(0, |branch| branch.count);
    }
    Some(file)
}

fn way_name(way: Way) -> &'static str {
    match way {
        Way::Then => "then",
        Way::Else => "else",
        Way::ImplicitElse => "else (not written)",
        Way::Option => "option",
        Way::Arm => "option",
        Way::NoOption => "no option",
    }
}

fn kind_name(kind: DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Class => "class",
        DefinitionKind::Define => "define",
        DefinitionKind::Function => "function",
        DefinitionKind::Node => "node",
    }
}

/// The files of Puppet code and templates that belong to a project: of a control repository, those of its manifests and of modules that no
/// Puppetfile installs.
pub(super) fn own_files(project: &Project) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for root in own_roots(project) {
        for directory in ["manifests", "functions", "templates"] {
            search(project, &root.join(directory), 0, &mut files);
        }
    }
    files.sort();
    files.dedup();
    files
}

/// The directories of a project's own code: a module, or a control repository and its own modules.
pub(super) fn own_roots(project: &Project) -> Vec<PathBuf> {
    let mut roots = vec![project.root.clone()];
    if project.kind == ProjectKind::Control {
        let puppetfiles = Puppetfile::all(&*project.world, &project.root);
        let directories = MODULE_DIRECTORIES.map(|name| project.root.join(name));
        let all: Vec<&Path> = directories.iter().map(PathBuf::as_path).collect();
        for directory in &directories {
            for entry in project.world.list(directory).into_iter().filter(|entry| entry.is_directory) {
                if !puppetfiles.iter().any(|file| file.installs(&entry.name, directory, &all)) {
                    roots.push(directory.join(entry.name));
                }
            }
        }
    }
    roots
}

/// The directories in which control repositories have modules.
const MODULE_DIRECTORIES: [&str; 4] = ["modules", "site-modules", "site", "dist"];

/// The deepest directory to search.
const DEEPEST: usize = 12;

fn search(project: &Project, directory: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    if depth > DEEPEST {
        return;
    }
    for entry in project.world.list(directory) {
        let path = directory.join(&entry.name);
        if entry.is_directory && !entry.is_link {
            search(project, &path, depth + 1, files);
        } else if [".pp", ".epp", ".erb"].iter().any(|ending| entry.name.ends_with(ending)) {
            files.push(path);
        }
    }
}
