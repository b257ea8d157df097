//! Classes, defined types and type aliases by name: files are loaded as needed.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use kukla_syntax::validate::Rules;
use kukla_syntax::{Diagnostic, Source, diagnostic};
use kukla_values::Name;

use super::alias::LoadedAlias;
use super::code::CodeKind;
use super::definitions::Search;
use super::{Environment, read, write};
use crate::codes::{CROWDED_TYPE_FILE, FILE_WITHOUT_TYPE, MISNAMED_TYPE};
use crate::program::{Class, Define, Definition, NodeDefinition, Program};
use crate::programs::{Dialect, Programs};
use crate::remark::Remarks;
use crate::unit::{Defined, Unit};
use crate::variable::SETTINGS;

/// The class that holds the settings, in an environment whose site manifest has none of that name.
static EMPTY_SETTINGS_CLASS: LazyLock<Arc<Defined<Class>>> = LazyLock::new(|| {
    let source = Source::unnamed("class settings { }");
    let program = Programs::default().read(&source, Dialect::Manifest, &Rules::default());
    let unit = Arc::new(Unit::new(source, None, program.expect("a valid program")));
    let class = unit.program.definitions.iter().find_map(|definition| match definition {
        Definition::Class(class) => Some(class),
        _ => None,
    });
    Defined::new(&unit, class.expect("a class"))
});

impl Environment {
    /// The node definitions that are loaded so far.
    pub fn nodes(&self) -> Vec<Arc<Defined<NodeDefinition>>> {
        read(&self.units.definitions).nodes.clone()
    }

    /// The class of that name (lower case, no leading `::`), loading files as needed.
    pub fn class(
        &self,
        name: Name,
        heard: &mut Remarks,
    ) -> Result<Option<Arc<Defined<Class>>>, Arc<Diagnostic>> {
        let known = read(&self.units.definitions).classes.get(&name).map(|found| found.get(heard));
        if let Some(found) = known {
            return self.with_checked_signatures(found);
        }
        if name.as_str() == SETTINGS {
            return Ok(Some(Arc::clone(&EMPTY_SETTINGS_CLASS)));
        }
        let absent = Search::Absent(self.load_manifests_for(name.as_str(), heard)?);
        Ok(write(&self.units.definitions).classes.entry(name).or_insert(absent).get(heard))
    }

    /// The defined type of that name (lower case, no leading `::`), loading files as needed.
    pub fn define(
        &self,
        name: Name,
        heard: &mut Remarks,
    ) -> Result<Option<Arc<Defined<Define>>>, Arc<Diagnostic>> {
        let known = read(&self.units.definitions).defines.get(&name).map(|found| found.get(heard));
        if let Some(found) = known {
            return self.with_checked_signatures(found);
        }
        let absent = Search::Absent(self.load_manifests_for(name.as_str(), heard)?);
        Ok(write(&self.units.definitions).defines.entry(name).or_insert(absent).get(heard))
    }

    /// Loads the files that can define a class or defined type of that name: always the module's first, then its own, then those of
    /// the enclosing names. Returns the remarks about them in case nothing is found; a definition that is found has its own.
    pub(crate) fn load_manifests_for(
        &self,
        name: &str,
        heard: &mut Remarks,
    ) -> Result<Remarks, Arc<Diagnostic>> {
        let mut consulted = Remarks::default();
        self.consult_manifests(name, &mut consulted).inspect_err(|_| heard.extend(&consulted))?;
        Ok(consulted)
    }

    fn consult_manifests(&self, name: &str, consulted: &mut Remarks) -> Result<(), Arc<Diagnostic>> {
        let mut segments: Vec<&str> = name.split("::").collect();
        let Some(module) = self.module(segments[0]).filter(|module| self.is_sound(module, consulted)) else {
            return Ok(());
        };
        let file = |names: &[&str]| self.module_file(module, CodeKind::Manifest, names.iter().copied());
        let first = self.init_manifest(module);
        while !segments.is_empty() {
            let is_first = matches!(segments[1..], [] | ["init"]);
            let own = if is_first { None } else { file(&segments[1..]) };
            // Both are read before the definitions of either count.
            let init = first.map(|path| (path, self.unit_of(&Remarks::default(), path)));
            let others = match &init {
                Some((_, Ok(init))) => init.remarks.clone(),
                _ => Remarks::default(),
            };
            let own = own.as_ref().map(|path| (path, self.unit_of(&others, path)));
            for (path, loaded) in init.into_iter().chain(own) {
                let unit = self.register(path, loaded)?;
                consulted.extend(&unit.remarks);
            }
            let known = read(&self.units.definitions);
            let is_defined = |name: Name| {
                known.classes.get(&name).is_some_and(Search::is_found)
                    || known.defines.get(&name).is_some_and(Search::is_found)
            };
            if Name::existing(name).is_some_and(is_defined) {
                break;
            }
            segments.pop();
        }
        Ok(())
    }

    /// The type alias of that name (lower case), loading files as needed.
    pub fn alias(
        &self,
        lower: Name,
        heard: &mut Remarks,
    ) -> Result<Option<Arc<LoadedAlias>>, Arc<Diagnostic>> {
        if let Some(found) = read(&self.units.definitions).aliases.get(&lower) {
            return Ok(found.get(heard));
        }
        let mut consulted = Remarks::default();
        if let Some(path) = self.path_of(CodeKind::Type, lower.as_str(), &mut consulted) {
            let unit = self.load(&path)?;
            if let Some(failure) = misnamed_type(&unit.program, &path, lower) {
                heard.extend(&unit.remarks);
                return Err(Arc::new(failure));
            }
        }
        let absent = Search::Absent(consulted);
        Ok(write(&self.units.definitions).aliases.entry(lower).or_insert(absent).get(heard))
    }

    /// The classes that are loaded so far, for suggestions.
    pub(crate) fn class_names(&self) -> Vec<Name> {
        let known = read(&self.units.definitions);
        let mut names: Vec<Name> =
            known.classes.iter().filter(|(_, found)| found.is_found()).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }
}

/// The error of a file that does not define one type, that of its name, and nothing else.
fn misnamed_type(program: &Program, path: &Path, lower: Name) -> Option<Diagnostic> {
    let (file, name) = (path.display(), lower);
    Some(match program.definitions.as_slice() {
        [] => diagnostic!(FILE_WITHOUT_TYPE { file, name, reason: "it is empty" }),
        [Definition::TypeAlias(alias)] if alias.name.eq_ignore_ascii_case(&lower) => return None,
        [Definition::TypeAlias(alias)] => diagnostic!(MISNAMED_TYPE { file, name, actual: alias.name }),
        [_] => {
            diagnostic!(FILE_WITHOUT_TYPE { file, name, reason: "no type alias or type definition found" })
        }
        _ => diagnostic!(CROWDED_TYPE_FILE { file, name }),
    })
}
