//! Environments: where their code is, and the state of it that catalogs come from.
//!
//! A site is a snapshot of the files it has read. It reads a file when it is first needed, so a snapshot could come to hold files of
//! two versions of the code: whenever it grew during a compilation, it is asked whether all of it still is as it was, and if not, the
//! catalog is discarded and compiled again from a new snapshot. That is taken when the files have been still for a while; until then
//! catalogs come from the old one.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kukla::control::Layout;
use kukla::syntax::validate::is_module_name;
use kukla::{CompileOptions, Compiled, Compiler, Diagnostic, DiskWorld, Node, Outcome, Site, SiteSpec};

use crate::command;
use crate::log;
use crate::settings::Settings;

/// All environments.
#[derive(Debug)]
pub struct Environments {
    compiler: Compiler,
    base: SiteSpec,
    path: Vec<PathBuf>,
    look: Option<Duration>,
    settle: Duration,
    code_id: Option<String>,
    known: Mutex<HashMap<String, Arc<Environment>>>,
}

/// One of them.
#[derive(Debug)]
pub struct Environment {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub root: PathBuf,
    state: Mutex<State>,
    switched: Condvar,
}

#[derive(Debug, Default)]
struct State {
    current: Option<Arc<CodeSnapshot>>,
    looked: Option<Instant>,
    is_switching: bool,
}

/// A state of an environment's code.
#[derive(Debug)]
pub struct CodeSnapshot {
    /// For agents that understand rich data, and for those that do not.
    sites: [Arc<Site>; 2],
    /// The version of the code: the one that a command prints, or the one that `kukla deploy` has recorded.
    pub code_id: Option<String>,
}

/// The form of a catalog.
#[derive(Clone, Copy, Debug)]
pub struct CatalogForm {
    /// Whether values may be of types that JSON does not have.
    pub rich: bool,
    /// Whether what the node exports stays in it, for the store.
    pub exports: bool,
}

/// Why there is no catalog.
#[derive(Debug)]
pub enum CatalogFailure {
    /// The code is at fault.
    Code(Box<Diagnostic>),
    /// The code does not come to rest.
    Changing,
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The catalog, and what was logged.
    pub outcome: Outcome<Compiled>,
    /// The state of the code it comes from.
    pub snapshot: Arc<CodeSnapshot>,
}

/// The number of times that a compilation begins again because the code has changed during it.
const ATTEMPTS: u32 = 5;
/// The interval of looking for changed files where the setting is 0.
pub const AT_ONCE: Duration = Duration::from_millis(500);
/// For so long files may change without a pause before the present state counts.
const LONGEST_CHANGE: Duration = Duration::from_secs(60);

impl Environments {
    /// Those that the settings tell of.
    pub fn new(settings: &Settings, compiler: Compiler) -> Environments {
        Environments {
            compiler,
            base: settings.site.clone(),
            path: settings.environmentpath.clone(),
            look: settings.compiling.look,
            settle: settings.compiling.settle,
            code_id: settings.versioned.code_id.clone(),
            known: Mutex::default(),
        }
    }

    /// The environment of this name, if there is one. A name is one word, so it does not lead anywhere else.
    pub fn get(&self, name: &str) -> Option<Arc<Environment>> {
        if !is_name(name) {
            return None;
        }
        let root = self.path.iter().map(|path| path.join(name)).find(|root| root.is_dir())?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(environment) = known.get(name)
            && environment.root == root
        {
            return Some(Arc::clone(environment));
        }
        let environment = Arc::new(Environment {
            name: name.to_owned(),
            root,
            state: Mutex::default(),
            switched: Condvar::new(),
        });
        known.insert(name.to_owned(), Arc::clone(&environment));
        Some(environment)
    }

    /// The names of all environments, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = self.path.iter().filter_map(|path| std::fs::read_dir(path).ok()).flatten().flatten();
        let directories = entries.filter(|entry| entry.path().is_dir());
        let mut names: Vec<String> = directories
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| is_name(name))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The directories they are in.
    pub fn path(&self) -> &[PathBuf] {
        &self.path
    }

    /// The settings of `environment.conf`.
    pub fn layout(&self, environment: &Environment) -> Result<Layout, Box<Diagnostic>> {
        Layout::read(&DiskWorld::default(), &environment.root, &self.base.basemodulepath, &self.base.settings)
    }

    /// The directories of its modules, in the order they are searched.
    pub fn modulepath(&self, environment: &Environment) -> Vec<PathBuf> {
        let current = environment.state().current.clone();
        let known = current.and_then(|snapshot| Some(snapshot.sites[0].layout.as_ref()?.modulepath.clone()));
        known.unwrap_or_else(|| self.layout(environment).map(|layout| layout.modulepath).unwrap_or_default())
    }

    fn spec(&self, environment: &Environment, rich: bool) -> SiteSpec {
        let mut spec = self.base.clone();
        spec.environment.clone_from(&environment.name);
        spec.environment_root = Some(environment.root.clone());
        if !rich {
            // A boolean is a valid value of this setting, so this cannot fail.
            let _ = spec.settings.set("rich_data", false.into());
        }
        spec
    }

    fn open(&self, environment: &Environment) -> Result<Arc<CodeSnapshot>, Box<Diagnostic>> {
        let open = |rich| self.compiler.open_new(&self.spec(environment, rich));
        let sites = [open(true)?, open(false)?];
        let code_id = match &self.code_id {
            Some(command) => ask_code_id(command, &environment.name),
            None => deployed_code_id(&environment.root),
        };
        Ok(Arc::new(CodeSnapshot { sites, code_id }))
    }

    /// Looks for changed code, if it is time to; if there is any, takes a new snapshot while the old one is still in use.
    pub fn look(self: &Arc<Self>, environment: &Arc<Environment>) {
        let current = {
            let mut state = environment.state();
            let Some(current) = state.current.clone().filter(|_| !state.is_switching) else { return };
            let Some(interval) = current.look_every().unwrap_or(self.look) else { return };
            if state.looked.is_some_and(|looked| looked.elapsed() < interval) {
                return;
            }
            state.looked = Some(Instant::now());
            current
        };
        if !current.sites.iter().all(|site| site.is_unchanged()) {
            self.start_switching(environment);
        }
    }

    fn start_switching(self: &Arc<Self>, environment: &Arc<Environment>) {
        let mut state = environment.state();
        if std::mem::replace(&mut state.is_switching, true) {
            return;
        }
        drop(state);
        let (all, one) = (Arc::clone(self), Arc::clone(environment));
        let started = thread::Builder::new().name("kukla-switch".into()).spawn(move || {
            all.wait_until_settled(&one);
            all.switch(&one);
        });
        if let Err(error) = started {
            log::error(&format!("cannot start the thread that reads changed code: {error}"));
            environment.state().is_switching = false;
        }
    }

    /// Waits until the files of an environment have been still for a while.
    fn wait_until_settled(&self, environment: &Environment) {
        let begun = Instant::now();
        let roots: Vec<PathBuf> =
            std::iter::once(environment.root.clone()).chain(self.modulepath(environment)).collect();
        let mut before = fingerprint(&roots);
        while begun.elapsed() < LONGEST_CHANGE {
            thread::sleep(self.settle);
            let after = fingerprint(&roots);
            if before == after {
                return;
            }
            before = after;
        }
    }

    /// Takes a new snapshot and uses it from now on. If that fails, there is none, and requests get the error.
    pub fn switch(&self, environment: &Environment) {
        let opened = self.open(environment);
        if let Err(problem) = &opened {
            log::warning(&format!("environment {}: {problem}", environment.name));
        }
        let mut state = environment.state();
        state.current = opened.ok();
        state.looked = Some(Instant::now());
        state.is_switching = false;
        environment.switched.notify_all();
    }

    /// Uses the code of an environment as it is now. If requests are answered from it, they go on with the old code until the new one is read.
    pub fn refresh(&self, name: &str) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        let Some(environment) = known else { return };
        let is_used = environment.state().current.is_some();
        match is_used && environment.root.is_dir() {
            true => self.switch(&environment),
            false => environment.state().current = None,
        }
    }

    /// Forgets what is known of all environments, or of one, so that the next request sees the code as it is now.
    pub fn forget(&self, name: Option<&str>) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = known.values().filter(|environment| name.is_none_or(|name| environment.name == name));
        for environment in wanted {
            environment.state().current = None;
        }
    }

    /// The state of the code that is in use.
    pub fn snapshot(
        self: &Arc<Self>,
        environment: &Arc<Environment>,
    ) -> Result<Arc<CodeSnapshot>, Box<Diagnostic>> {
        self.look(environment);
        if let Some(current) = environment.state().current.clone() {
            return Ok(current);
        }
        let opened = self.open(environment)?;
        let mut state = environment.state();
        state.looked = Some(Instant::now());
        Ok(Arc::clone(state.current.get_or_insert(opened)))
    }

    /// Compiles the catalog of a node from one state of the code.
    pub fn compile(
        self: &Arc<Self>,
        environment: &Arc<Environment>,
        node: &Node,
        form: CatalogForm,
        is_wanted: impl Fn() -> bool + Clone + 'static,
    ) -> Result<Compilation, CatalogFailure> {
        for _ in 0..ATTEMPTS {
            let snapshot = self.snapshot(environment).map_err(CatalogFailure::Code)?;
            let site = &snapshot.sites[usize::from(!form.rich)];
            let extent = site.extent();
            let options = CompileOptions {
                keep_virtual: form.exports,
                profile: log::is_enabled(log::Level::Debug),
                ..CompileOptions::default()
            };
            let outcome = site.compile_while(node, options, is_wanted.clone());
            if site.extent() == extent || site.is_unchanged() || !is_wanted() {
                return Ok(Compilation { outcome, snapshot });
            }
            self.await_switch(environment, &snapshot);
        }
        Err(CatalogFailure::Changing)
    }

    /// Waits until another snapshot than this is in use.
    fn await_switch(self: &Arc<Self>, environment: &Arc<Environment>, stale: &Arc<CodeSnapshot>) {
        self.start_switching(environment);
        let is_stale = |state: &mut State| {
            state.is_switching && state.current.as_ref().is_some_and(|current| Arc::ptr_eq(current, stale))
        };
        let state = environment.state();
        drop(environment.switched.wait_timeout_while(state, LONGEST_CHANGE, is_stale));
    }
}

impl Environment {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CodeSnapshot {
    /// How often the environment itself wants to be looked at, if it says so; `None` within means never.
    fn look_every(&self) -> Option<Option<Duration>> {
        let timeout = self.sites[0].layout.as_ref()?.timeout?;
        Some((timeout != Duration::MAX).then(|| timeout.max(AT_ONCE)))
    }

    /// Whether `environment.conf` and the settings let catalogs tell about files.
    pub fn has_static_catalogs(&self) -> bool {
        match self.sites[0].environment.settings.all.get("static_catalogs") {
            Some(kukla::Value::Boolean(flag)) => *flag,
            Some(kukla::Value::String(text)) => text != "false",
            _ => true,
        }
    }
}

/// Whether an environment can have this name: one word.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

fn ask_code_id(command: &str, environment: &str) -> Option<String> {
    match command::output_of(command, environment, Duration::from_secs(60)) {
        Ok(printed) => {
            let text = String::from_utf8_lossy(&printed).trim().to_owned();
            (!text.is_empty()).then_some(text)
        }
        Err(problem) => {
            log::error(&problem.to_string());
            None
        }
    }
}

/// The version of the code in a directory that `kukla deploy` has written. One that r10k has written has none: nobody has the files of its earlier versions.
fn deployed_code_id(root: &Path) -> Option<String> {
    let record = std::fs::read(root.join(".r10k-deploy.json")).ok()?;
    let record: serde_json::Value = serde_json::from_slice(&record).ok()?;
    let code_id = record["kukla"]["code_id"].as_str()?;
    is_code_id(code_id).then(|| code_id.to_owned())
}

/// Whether a text has only characters that the protocol permits in versions of code.
pub fn is_code_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_;:.".contains(c))
}

/// A number that is another one when anything below these directories is.
fn fingerprint(roots: &[PathBuf]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut open: Vec<PathBuf> = roots.to_vec();
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let Ok(about) = entry.metadata() else { continue };
            (&name, about.mtime(), about.mtime_nsec(), about.len(), about.ino()).hash(&mut hasher);
            if about.is_dir() && name != *".git" {
                open.push(entry.path());
            }
        }
    }
    hasher.finish()
}

/// Where an environment's module is, by its name.
pub fn module(modulepath: &[PathBuf], name: &str) -> Option<PathBuf> {
    if !is_module_name(name) {
        return None;
    }
    modulepath.iter().map(|path| path.join(name)).find(|path| path.is_dir())
}

/// All modules of an environment, of several with one name the first.
pub fn modules(modulepath: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for path in modulepath {
        let names = |path: &Path| path.file_name().map(std::ffi::OsStr::to_owned);
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| {
                path.file_name().and_then(|name| name.to_str()).is_some_and(is_module_name) && path.is_dir()
            })
            .filter(|path| !all.iter().any(|known| names(known) == names(path)))
            .collect();
        found.sort();
        all.extend(found);
    }
    all
}
