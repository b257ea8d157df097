//! Runs files of tests in parallel; the results are in the order of the files, whichever ends first.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kukla::diff::Changes;
use kukla::syntax::Problem;
use kukla::world::World;
use kukla::{Compiler, Diagnostic, Policy};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::coverage::Collector;
use crate::discovery::{self, TestFile};
use crate::model::{Example, Language, Suite, Verdict};
use crate::project::Project;
use crate::{chapters, rspec};

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The examples to run.
    pub filter: Filter,
    /// Whether to start no further file after the first failure.
    pub fail_fast: bool,
    /// Directories of modules, in place of those that are found.
    pub modulepath: Option<Vec<PathBuf>>,
    /// The effects that code may have.
    pub policy: Policy,
    /// Whether examples are found but not run.
    pub list: bool,
    /// Whether the catalogs of today replace snapshots.
    pub accept: bool,
    /// Renders the differences between a snapshot and a catalog.
    pub show_changes: fn(&Changes) -> String,
    /// A compiler that has parsed most files before.
    pub parsed: Option<Arc<Compiler>>,
    /// Whether the inputs of every file of tests are recorded.
    pub record: bool,
    /// Counts what tests reach, if that is asked for.
    pub coverage: Option<Arc<Collector>>,
    /// Renders the errors of a text, for `diagnostic` blocks.
    pub render: fn(Vec<Diagnostic>) -> String,
}

/// The examples to run.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Texts, one of which a full name must contain; capital letters do not matter. Empty for all.
    pub texts: Vec<String>,
    /// A line, which must lie in the example or in a group around it.
    pub line: Option<usize>,
}

impl Filter {
    /// Whether an example of this full name is selected.
    pub fn includes(&self, full_name: &str) -> bool {
        let name = full_name.to_lowercase();
        self.texts.is_empty() || self.texts.iter().any(|text| name.contains(&text.to_lowercase()))
    }
}

/// Gets the results of a run as they come in.
pub trait Observer: Sync {
    /// A file is done.
    fn file_done(&self, _suite: &Suite) {}
}

impl Observer for () {}

/// Runs the tests of these files.
pub fn run(
    world: &Arc<dyn World>,
    files: &[TestFile],
    options: &RunOptions,
    observer: &dyn Observer,
) -> Vec<Suite> {
    let projects = Projects::of(world, files, options);
    let stop = AtomicBool::new(false);
    let suites = files.par_iter().map(|file| {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let suite = match projects.of_file(&file.path) {
            Ok(project) => run_file(project, file, options),
            Err(problem) => Suite::broken(
                &file.path,
                discovery::language(&file.path).unwrap_or(Language::Chapter),
                problem,
            ),
        };
        let failed = suite.problem.is_some()
            || suite.examples.iter().any(|example| matches!(example.verdict, Verdict::Failed(_)));
        if failed && options.fail_fast {
            stop.store(true, Ordering::Relaxed);
        }
        observer.file_done(&suite);
        Some(suite)
    });
    suites.collect::<Vec<_>>().into_iter().flatten().collect()
}

fn run_file(project: &Project, file: &TestFile, options: &RunOptions) -> Suite {
    let filter = Filter { line: file.line, ..options.filter.clone() };
    let options = RunOptions { filter, ..options.clone() };
    match discovery::language(&file.path) {
        Some(Language::Rspec) => rspec::run(project, &file.path, &options),
        _ => chapters::run(project, &file.path, &options),
    }
}

/// The projects of a run, each located once.
struct Projects {
    by_directory: std::collections::BTreeMap<PathBuf, usize>,
    all: Vec<Result<Project, Problem>>,
}

impl Projects {
    fn of(world: &Arc<dyn World>, files: &[TestFile], options: &RunOptions) -> Projects {
        let mut projects = Projects { by_directory: Default::default(), all: Vec::new() };
        for file in files {
            let directory = file.path.parent().unwrap_or(Path::new("/"));
            if projects.by_directory.contains_key(directory) {
                continue;
            }
            let mut project = Project::locate(world, directory, &options.policy);
            if let Some(parsed) = &options.parsed {
                project.share(parsed);
            }
            if options.record {
                project.record();
            }
            if let Some(collector) = &options.coverage {
                project.measure(collector);
            }
            let same = |known: &Result<Project, Problem>| {
                known.as_ref().is_ok_and(|known| known.root == project.root)
            };
            let at = match projects.all.iter().position(same) {
                Some(at) => at,
                None => {
                    let set = options.modulepath.iter().try_for_each(|path| project.set_modulepath(path));
                    projects.all.push(set.map(|()| project));
                    projects.all.len() - 1
                }
            };
            projects.by_directory.insert(directory.to_owned(), at);
        }
        projects
    }

    fn of_file(&self, file: &Path) -> Result<&Project, Problem> {
        let at = file.parent().and_then(|directory| self.by_directory.get(directory));
        match at.map(|at| &self.all[*at]) {
            Some(Ok(project)) => Ok(project),
            Some(Err(problem)) => Err(problem.clone()),
            None => Err(Problem::not_found("no project for").on(file.display())),
        }
    }
}

impl Suite {
    /// A file without results yet.
    pub fn new(file: &Path, language: Language) -> Suite {
        Suite {
            file: file.display().to_string(),
            language,
            examples: Vec::new(),
            problem: None,
            compiled: 0,
            inputs: None,
        }
    }

    /// A file that could not run.
    pub fn broken(file: &Path, language: Language, problem: Problem) -> Suite {
        Suite { problem: Some(problem), ..Suite::new(file, language) }
    }

    /// Whether everything in it passed, was skipped or failed as expected.
    pub fn passed(&self) -> bool {
        self.problem.is_none() && !self.examples.iter().any(Example::failed)
    }
}

impl Example {
    /// Whether it failed.
    pub fn failed(&self) -> bool {
        matches!(self.verdict, Verdict::Failed(_))
    }
}
