//! The findings and the index of one repository. They are those of `kukla check` on the same texts: the same checker makes them.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::config_file::ConfigFile;
use kukla::world::World;
use kukla_check::baseline::Baseline;
use kukla_check::repository::Shape;
use kukla_check::{Checker, Config, DeclaredNames, Finding, Options, RuleSelection, Snapshot};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::documents::EditorWorld;

/// A state of the texts and files. Each number grows with every change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generation {
    /// Of texts.
    pub texts: u64,
    /// Of the list of files.
    pub layout: u64,
}

/// A repository under analysis.
#[derive(Debug)]
pub struct Analysis {
    /// Its directory.
    pub root: PathBuf,
    /// Its kind.
    pub shape: Shape,
    world: Arc<EditorWorld>,
    checker: Checker,
    config: Config,
    /// The bytes of kukla.toml that the configuration was read from.
    configured: Option<Vec<u8>>,
    /// The repository as it was analysed last.
    snapshot: Option<Arc<Snapshot>>,
    findings: FxHashMap<PathBuf, Vec<Finding>>,
    /// Fingerprints of the findings, by file.
    prints: FxHashMap<PathBuf, u64>,
    changed: FxHashSet<PathBuf>,
    /// The files whose texts have changed since the last analysis.
    edited: FxHashSet<PathBuf>,
    /// The generation of texts that was analysed last.
    generation: Option<Generation>,
    /// The problem that keeps the repository from being checked.
    pub problem: Option<String>,
}

impl Analysis {
    /// The analysis of the repository in a directory; nothing is read yet.
    pub fn new(world: Arc<EditorWorld>, root: PathBuf, shape: Shape) -> Analysis {
        let config = Config::default();
        let checker = checker(&world, &root, shape, &config);
        Analysis {
            root,
            shape,
            world,
            checker,
            config,
            configured: None,
            snapshot: None,
            findings: FxHashMap::default(),
            prints: FxHashMap::default(),
            changed: FxHashSet::default(),
            edited: FxHashSet::default(),
            generation: None,
            problem: None,
        }
    }

    /// The repository as it was analysed last.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.snapshot.as_ref()
    }

    /// The findings in a file.
    pub fn findings(&self, path: &Path) -> &[Finding] {
        self.findings.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// The files with findings.
    pub fn files(&self) -> FxHashSet<PathBuf> {
        self.findings.keys().cloned().collect()
    }

    /// The files whose findings have changed since the last call.
    pub fn take_changed(&mut self) -> FxHashSet<PathBuf> {
        std::mem::take(&mut self.changed)
    }

    /// Whether the texts of a generation have been analysed.
    pub fn is_current(&self, generation: Generation) -> bool {
        self.generation == Some(generation)
    }

    /// Records that the text of a file has changed.
    pub fn edit(&mut self, path: &Path) {
        self.edited.insert(path.to_owned());
    }

    /// Analyses the texts as they are now, which are those of a generation.
    pub fn refresh(&mut self, generation: Generation) {
        if self.is_current(generation) {
            return;
        }
        self.read_config();
        let extra = self.extra();
        self.checker.set_extra(extra);
        // Listing the files takes longer than checking a text.
        let is_same_layout = self.generation.is_some_and(|last| last.layout == generation.layout);
        let edited = std::mem::take(&mut self.edited);
        // The checker changes its own snapshot in place, unless a command still reads it.
        self.snapshot = None;
        let check = || match is_same_layout {
            true => self.checker.check_changed(&edited),
            false => self.checker.check(),
        };
        let checked = kukla::caught(check);
        self.snapshot = self.checker.snapshot();
        match checked {
            Ok(Ok(report)) => {
                self.keep(report.findings);
                self.problem = None;
            }
            Ok(Err(problem)) => self.problem = Some(problem.message()),
            Err(panic) => {
                self.problem = Some(panic.message());
                // Its caches may be half written.
                self.checker = checker(&self.world, &self.root, self.shape, &self.config);
            }
        }
        self.generation = Some(generation);
    }

    /// The open texts that no code of the repository loads, such as examples.
    fn extra(&self) -> Vec<PathBuf> {
        let is_known = |path: &PathBuf| {
            let texts = self.snapshot.as_ref().map(|snapshot| &snapshot.texts);
            texts
                .and_then(|texts| texts.get(path))
                .is_some_and(|text| text.role != kukla_check::repository::Role::Extra)
        };
        let is_code = |path: &PathBuf| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            matches!(extension, Some("pp" | "epp"))
        };
        let open = self.world.open_paths().into_iter();
        open.filter(|path| path.starts_with(&self.root) && is_code(path) && !is_known(path)).collect()
    }

    fn keep(&mut self, findings: Vec<Finding>) {
        let baseline = self.config.baseline.as_ref().and_then(|path| {
            let bytes = self.world.read(&self.root.join(path)).ok()?;
            Some(Baseline::read(&String::from_utf8_lossy(&bytes)))
        });
        let mut baseline = baseline.unwrap_or_default();
        self.findings.clear();
        for finding in findings {
            let position = finding.diagnostic.shown_position();
            let file = position.and_then(|position| position.file()).unwrap_or_default().to_owned();
            let inside = Path::new(&file).strip_prefix(&self.root);
            let inside = inside.map_or_else(|_| file.clone(), |path| path.to_string_lossy().into_owned());
            let Some(finding) = self.config.apply(finding, &inside) else { continue };
            if !baseline.covers(&finding, &inside) {
                self.findings.entry(PathBuf::from(file)).or_default().push(finding);
            }
        }
        let prints: FxHashMap<PathBuf, u64> =
            self.findings.iter().map(|(path, findings)| (path.clone(), fingerprint(findings))).collect();
        let before = std::mem::replace(&mut self.prints, prints);
        let differs = |path: &&PathBuf| before.get(*path) != self.prints.get(*path);
        self.changed.extend(self.prints.keys().chain(before.keys()).filter(differs).cloned());
    }

    /// Reads kukla.toml again if it has changed.
    fn read_config(&mut self) {
        let path = self.root.join("kukla.toml");
        let bytes = self.world.read(&path).ok();
        if bytes == self.configured {
            return;
        }
        let text = bytes.as_deref().map(String::from_utf8_lossy).unwrap_or_default().into_owned();
        let config = ConfigFile::parse(&path, &text).and_then(|file| Config::read(&file));
        // While the file is being edited, the last valid configuration counts.
        if let Ok(config) = config {
            self.config = config;
            self.checker = checker(&self.world, &self.root, self.shape, &self.config);
        }
        self.configured = bytes;
    }
}

fn fingerprint(findings: &[Finding]) -> u64 {
    let mut hasher = FxHasher::default();
    for Finding { diagnostic, .. } in findings {
        let position = diagnostic.shown_position();
        (diagnostic.code.name, diagnostic.span(), position.and_then(|position| position.line()))
            .hash(&mut hasher);
        (diagnostic.message(), &diagnostic.hints).hash(&mut hasher);
    }
    hasher.finish()
}

fn checker(world: &Arc<EditorWorld>, root: &Path, shape: Shape, config: &Config) -> Checker {
    let options = Options {
        selection: RuleSelection { strict: config.strict, ..RuleSelection::default() },
        declared: DeclaredNames { variables: config.variables.clone(), facts: config.facts.clone() },
        only: config.paths.iter().map(|path| root.join(path)).collect(),
        ..Options::default()
    };
    let world: Arc<dyn World> = Arc::clone(world) as Arc<dyn World>;
    Checker::new(world, root.to_owned(), shape, options)
}
