//! Modules that code needs and that are not installed: the reason behind most unknown names in a fresh clone of a control repository.

use std::path::Path;

use kukla_eval::codes::{UNKNOWN_CALLED_FUNCTION, UNKNOWN_CLASS, UNKNOWN_FUNCTION, UNKNOWN_RESOURCE_KIND};
use kukla_functions::codes::{NO_SUCH_FILES, NO_SUCH_TEMPLATE};
use kukla_hiera::codes::HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND;
use kukla_syntax::{Code, Diagnostic, Fact};
use kukla_values::codes::UNKNOWN_RESOURCE_TYPE;
use kukla_world::is_directory;
use kukla_world::puppetfile::Puppetfile;

use crate::site::Site;

/// A module that is not installed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MissingModule {
    /// Its name.
    pub name: String,
    /// The file and line of the Puppetfile that names it, or its empty directory.
    pub place: String,
}

/// The names of facts that [`explain`] adds to a diagnostic: the module that is missing, and its place.
const MODULE: &str = "missing_module";
const PLACE: &str = "missing_module_place";

/// The codes of errors that a missing module causes. The names that they state are in the first of their facts that is listed here.
const CODES: [&Code; 8] = [
    &UNKNOWN_CLASS,
    &UNKNOWN_FUNCTION,
    &UNKNOWN_CALLED_FUNCTION,
    &UNKNOWN_RESOURCE_TYPE,
    &UNKNOWN_RESOURCE_KIND,
    &HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND,
    &NO_SUCH_TEMPLATE,
    &NO_SUCH_FILES,
];
const NAMES: [&str; 2] = ["name", "paths"];

impl Site {
    /// The modules that Puppetfiles name and that are not installed, and those whose directory is empty, by name.
    pub fn missing_modules(&self) -> &[MissingModule] {
        self.missing_modules.get_or_init(|| self.find_missing_modules())
    }

    fn find_missing_modules(&self) -> Vec<MissingModule> {
        let Some(root) = self.layout.as_ref().map(|layout| layout.root.as_path()) else { return Vec::new() };
        let environment = &self.environment;
        environment.reading(|world| {
            let mut missing = Vec::new();
            let directories = environment.modulepath().iter().map(|path| path.as_path());
            let directories = directories.filter(|path| path.starts_with(root));
            for file in std::iter::once(root).chain(directories).flat_map(|path| Puppetfile::all(world, path))
            {
                for (name, module) in &file.modules {
                    if environment.module(name).is_none() {
                        let place = format!("{}:{}", file.path.display(), module.line);
                        missing.push(MissingModule { name: name.clone(), place });
                    }
                }
            }
            for module in environment.modules().iter().filter(|module| world.list(&module.root).is_empty()) {
                let (name, place) = (module.name.to_string(), module.root.display().to_string());
                missing.push(MissingModule { name, place });
            }
            missing.sort();
            missing.dedup_by(|one, other| one.name == other.name);
            missing
        })
    }

    /// Adds the module that is not installed to an error about a name that it would define.
    pub(crate) fn explain_missing(&self, failure: &mut Diagnostic) {
        let is_explained = |one: &Diagnostic| CODES.iter().any(|code| one.is(code));
        if is_explained(failure) {
            self.explain(failure);
        }
        if let Some(cause) = &mut failure.cause {
            self.explain_missing(cause);
        }
        failure.others.iter_mut().for_each(|other| self.explain_missing(other));
    }

    fn explain(&self, failure: &mut Diagnostic) {
        let Some(name) = NAMES.iter().find_map(|fact| failure.fact(fact)) else { return };
        let name = name.trim_start_matches("::").to_lowercase();
        let is_path = name.contains('/');
        let module = name.split([':', '/']).next().unwrap_or_default().to_owned();
        let is_qualified = module.len() < name.len();
        let missing = self.missing_modules();
        if let Some(found) = missing.iter().find(|missing| missing.name == module) {
            let why = match found.place.rsplit_once(':') {
                Some(_) => format!("{} names it", self.relative(&found.place)),
                None => format!("its directory {} is empty", self.relative(&found.place)),
            };
            let is_declared = found.place.rsplit_once(':').is_some();
            let help = if is_declared { "; install it with `kukla mod sync`" } else { "" };
            failure.hints.insert(0, format!("the module '{module}' is not installed; {why}{help}"));
            failure.facts.push((MODULE, Fact::Text(found.name.clone())));
            failure.facts.push((PLACE, Fact::Text(found.place.clone())));
        } else if is_qualified && !is_path && self.environment.module(&module).is_none() {
            if let Some(directory) = self.module_elsewhere(&module) {
                failure.hints.push(format!(
                    "the module '{module}' is in {0}, which is not in the module path; add {0} to --modulepath or to the modulepath of environment.conf",
                    self.relative(&directory)
                ));
            }
        } else if !is_qualified && !missing.is_empty() && failure.hints.is_empty() {
            let count = match missing.len() {
                1 => "1 module of the Puppetfile is".to_owned(),
                count => format!("{count} modules of the Puppetfile are"),
            };
            failure
                .hints
                .push(format!("{count} not installed and may define it; install with `kukla mod sync`"));
            failure.facts.push((MODULE, Fact::Text(String::new())));
        }
    }

    /// A directory of the repository that has the module and is not in the module path.
    fn module_elsewhere(&self, module: &str) -> Option<String> {
        let root = &self.layout.as_ref()?.root;
        self.environment.reading(|world| {
            let has_module =
                |directory: &Path| is_directory(world, &directory.join(module).join("manifests"));
            let inside = world.list(root).into_iter().filter(|entry| entry.is_directory);
            let mut candidates =
                std::iter::once(root.clone()).chain(inside.map(|entry| root.join(entry.name)));
            candidates.find(|directory| has_module(directory)).map(|path| path.display().to_string())
        })
    }

    /// A path of the repository without the part that all of them have in common.
    fn relative<'p>(&self, path: &'p str) -> &'p str {
        let root = self.layout.as_ref().map(|layout| layout.root.display().to_string());
        match root.and_then(|root| path.strip_prefix(root.as_str())) {
            Some("") => ".",
            Some(inside) => inside.trim_start_matches('/'),
            None => path,
        }
    }
}

/// The module whose absence an error is due to. It has no name if it could be any of several.
pub fn missing_module(failure: &Diagnostic) -> Option<MissingModule> {
    let own = || {
        let name = failure.fact(MODULE)?.to_owned();
        Some(MissingModule { name, place: failure.fact(PLACE).unwrap_or_default().to_owned() })
    };
    own().or_else(|| missing_module(failure.cause.as_deref()?))
}
