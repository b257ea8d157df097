//! The function that a name means: of the site, built in, or of a module in Puppet or another language.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};

use kukla_syntax::{Diagnostic, diagnostic};
use kukla_values::Name;
use rustc_hash::FxHashMap;

use super::code::CodeKind;
use super::definitions::Search;
use super::{Environment, read, write};
use crate::codes::{FILE_WITHOUT_FUNCTION, MISNAMED_FUNCTION};
use crate::function::Quality;
use crate::program::{Definition, Program, PuppetFunction};
use crate::registry::{Function, FunctionOrigin, Registered};
use crate::remark::Remarks;
use crate::unit::Defined;

/// The directories of functions written in Ruby, the preferred newer API first.
const RUBY_FUNCTIONS: &[&str] = &["puppet/functions", OLD_RUBY_FUNCTIONS];

const OLD_RUBY_FUNCTIONS: &str = "puppet/parser/functions";

/// Facts about puppetlabs-stdlib among the modules, each found out once.
#[derive(Debug, Default)]
pub(super) struct StdlibFunctions {
    /// The major version of the module.
    major: OnceLock<Option<u32>>,
    /// Whether the module's own code of a function does the same as the built-in one.
    replaceable: RwLock<FxHashMap<&'static str, bool>>,
}

impl Environment {
    /// The function that a name means to the code of a module, or of the site, loading files as needed.
    pub fn function(
        &self,
        name: Name,
        caller: Option<Name>,
        heard: &mut Remarks,
    ) -> Result<Option<Function>, Arc<Diagnostic>> {
        let name = in_lower_case(name);
        // What the site manifest defines wins over what is built in; what modules define does not.
        if let Some(found) = read(&self.units.definitions).functions.get(&name) {
            return Ok(found.get(heard));
        }
        if self.settings.overrides.is_some()
            && let Some(replacement) = self.replacement(name)?
        {
            return Ok(Some(replacement));
        }
        let special = self.stdlib().and_then(|major| self.registry.in_stdlib(name, major));
        if let Some(builtin) = special.or_else(|| self.registry.get(name))
            && self.offers(builtin, heard)
        {
            return Ok(Some(Function::Builtin(builtin)));
        }
        // A module has no function of its own name.
        let mut consulted = Remarks::default();
        if name.as_str().contains("::")
            && let Some(path) = self.path_of(CodeKind::Function, name.as_str(), &mut consulted)
        {
            let unit = self.load(&path)?;
            if let Some(failure) = misnamed_function(&unit.program, &path, name) {
                heard.extend(&unit.remarks);
                return Err(Arc::new(failure));
            }
        }
        if let Some(brought) =
            self.extensions.as_ref().and_then(|brought| brought.function(self, caller, name.as_str()))
        {
            return Ok(Some(Function::Foreign(brought)));
        }
        let absent = Search::Absent(consulted);
        Ok(write(&self.units.definitions).functions.entry(name).or_insert(absent).get(heard))
    }

    /// The replacement for the function of that name.
    fn replacement(&self, name: Name) -> Result<Option<Function>, Arc<Diagnostic>> {
        let Some(path) = self.function_override(name.as_str()) else {
            return Ok(self.table(name.as_str())?.map(Function::Foreign));
        };
        let unit = self.load(&path)?;
        match misnamed_function(&unit.program, &path, name) {
            Some(failure) => Err(Arc::new(failure)),
            None => Ok(read(&self.units.definitions)
                .functions
                .get(&name)
                .and_then(|found| found.get(&mut Remarks::default()))),
        }
    }

    /// The file in which a module, or the environment itself, writes in Ruby the function that a name means to a module: its own comes
    /// before those of the modules that it depends on, and these before others'.
    pub fn ruby_function(&self, caller: Option<Name>, name: &str) -> Option<PathBuf> {
        self.ruby_function_in(RUBY_FUNCTIONS, caller, name)
    }

    /// The file with the Ruby code of a function, if that code is called: not that of a built-in function.
    pub fn called_ruby_function(&self, name: &str) -> Option<PathBuf> {
        match self.function(Name::new(name), None, &mut Remarks::default()) {
            Ok(Some(Function::Foreign(_))) => self.ruby_function(None, name),
            _ => None,
        }
    }

    /// The file in which a module, or the environment itself, writes the function of that name for the old API.
    pub fn old_ruby_function(&self, name: &str) -> Option<PathBuf> {
        self.ruby_function_in(&[OLD_RUBY_FUNCTIONS], None, name)
    }

    fn ruby_function_in(&self, directories: &[&str], caller: Option<Name>, name: &str) -> Option<PathBuf> {
        let file = format!("{}.rb", name.replace("::", "/"));
        let caller = caller.filter(|_| !name.contains("::")).and_then(|name| self.module(&name));
        let near = caller.into_iter().flat_map(|module| iter::once(module).chain(self.dependencies(module)));
        let modules = near.chain(self.modules()).map(|module| &module.root);
        let seen = self.root.iter().chain(modules);
        let seen = seen.flat_map(|root| directories.iter().map(|of| root.join("lib").join(of)));
        let hidden = self.libraries().iter().map(|library| library.join(OLD_RUBY_FUNCTIONS));
        let mut candidates = seen.chain(hidden).map(|directory| directory.join(&file));
        self.reading(|world| candidates.find(|path| world.exists(path)))
    }

    /// Whether a built-in function is in force. A module's own code wins if it is written in Puppet, or in Ruby that does something
    /// else; functions that stdlib dropped in version 9 require an older version among the modules.
    fn offers(&self, function: &Registered, heard: &mut Remarks) -> bool {
        if function.origin != FunctionOrigin::Core
            && self.path_of(CodeKind::Function, function.builtin.name, heard).is_some()
        {
            return false;
        }
        if function.origin == FunctionOrigin::Beside
            && self.ruby_function(None, function.builtin.name).is_some()
        {
            return false;
        }
        if function.origin.is_stdlib()
            && !function.builtin.is(Quality::BeyondRuby)
            && !self.is_replaceable(function)
        {
            return false;
        }
        function.origin != FunctionOrigin::FormerStdlib || self.stdlib().is_some_and(|major| major < 9)
    }

    /// Whether the installed stdlib defines a function exactly as the built-in one does, or has no functions in Ruby at all.
    fn is_replaceable(&self, function: &Registered) -> bool {
        let (Some(module), Some(_)) = (self.module("stdlib"), &self.extensions) else {
            return true;
        };
        let name = function.builtin.name;
        if let Some(known) = read(&self.stdlib_functions.replaceable).get(name) {
            return *known;
        }
        let file = format!("{}.rb", name.replace("::", "/"));
        let directories = RUBY_FUNCTIONS.iter().map(|directory| module.root.join("lib").join(directory));
        let is_replaceable = self.reading(|world| {
            match directories.clone().find_map(|directory| world.read(&directory.join(&file)).ok()) {
                Some(text) => self.registry.takes_the_place_of(name, &text),
                None => directories.clone().all(|directory| world.list(&directory).is_empty()),
            }
        });
        write(&self.stdlib_functions.replaceable).insert(name, is_replaceable);
        is_replaceable
    }

    /// The major version of puppetlabs-stdlib among the modules.
    pub fn stdlib(&self) -> Option<u32> {
        *self.stdlib_functions.major.get_or_init(|| {
            let version = self.metadata(self.module("stdlib")?)?["version"].as_str()?;
            version.split('.').next()?.parse().ok()
        })
    }

    /// The functions written in Puppet that are loaded so far, for suggestions.
    pub fn function_names(&self) -> Vec<Name> {
        let known = read(&self.units.definitions);
        let mut names: Vec<Name> =
            known.functions.iter().filter(|(_, found)| found.is_found()).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// The function of that name, if it is written in Puppet.
    pub fn puppet_function(&self, name: Name) -> Option<Arc<Defined<PuppetFunction>>> {
        match self.function(name, None, &mut Remarks::default()) {
            Ok(Some(Function::Puppet(function))) => Some(function),
            _ => None,
        }
    }
}

/// The error of a file that does not define the function it is named after, which it has to spell in lower case.
fn misnamed_function(program: &Program, path: &Path, name: Name) -> Option<Diagnostic> {
    let file = path.display();
    let mut functions = program.definitions.iter().filter_map(|definition| match definition {
        Definition::Function(function) => Some(function.name),
        _ => None,
    });
    let reason = match (program.definitions.is_empty(), functions.next()) {
        (true, _) => "it is empty",
        (_, None) => "no function found",
        (_, Some(first)) if first == name || functions.any(|other| other == name) => return None,
        (_, Some(actual)) => return Some(diagnostic!(MISNAMED_FUNCTION { file, name, actual })),
    };
    Some(diagnostic!(FILE_WITHOUT_FUNCTION { file, name, reason }))
}

/// The name under which a function is defined, whatever the case of the call.
fn in_lower_case(name: Name) -> Name {
    match name.as_str().bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Name::new(&name.as_str().to_lowercase()),
        false => name,
    }
}
