//! Definitions found by name, as a running compilation asks for them: files are loaded as needed, and what is questionable in
//! them is logged when a compilation first comes across them.

use std::path::Path;
use std::sync::Arc;

use kukla_values::Name;

use crate::environment::{Environment, LoadedAlias};
use crate::error::{Diagnostic, Flow, Raise};
use crate::profile::SpotKind;
use crate::program::{Class, Define};
use crate::registry::Function;
use crate::remark::Remarks;
use crate::unit::{Defined, Unit};
use crate::vm::Vm;

impl Vm<'_> {
    /// The class of that name (lower case, no leading `::`).
    pub(crate) fn autoload_class(&mut self, name: Name) -> Flow<Option<Arc<Defined<Class>>>> {
        let mut heard = Remarks::default();
        let found = self.finding(name, |environment| environment.class(name, &mut heard));
        self.report_remarks(found, &heard)
    }

    /// The defined type of that name (lower case, no leading `::`).
    pub(crate) fn autoload_define(&mut self, name: Name) -> Flow<Option<Arc<Defined<Define>>>> {
        let mut heard = Remarks::default();
        let found = self.finding(name, |environment| environment.define(name, &mut heard));
        self.report_remarks(found, &heard)
    }

    /// The function that a name means to the code of a module, or of the site.
    pub(crate) fn autoload_function(&mut self, name: Name, caller: Option<Name>) -> Flow<Option<Function>> {
        let mut heard = Remarks::default();
        let found = self.finding(name, |environment| environment.function(name, caller, &mut heard));
        self.report_remarks(found, &heard)
    }

    /// Finds a definition; if files were loaded for it, that is what the time was for.
    fn finding<T>(&mut self, name: Name, find: impl FnOnce(&Environment) -> T) -> T {
        let environment = self.environment();
        if self.profile.is_none() {
            return find(environment);
        }
        let loaded = environment.loaded_count();
        self.clocked(SpotKind::File, name.as_str().into(), |_| {
            let found = find(environment);
            (found, environment.loaded_count() > loaded)
        })
    }

    /// The class of a name that may have been computed (lower case, no leading `::`).
    pub(crate) fn autoload_computed_class(&mut self, name: &str) -> Flow<Option<Arc<Defined<Class>>>> {
        match self.manifest_name(name)? {
            Some(name) => self.autoload_class(name),
            None => Ok(None),
        }
    }

    /// The defined type of a name that may have been computed (lower case, no leading `::`).
    pub(crate) fn autoload_computed_define(&mut self, name: &str) -> Flow<Option<Arc<Defined<Define>>>> {
        match self.manifest_name(name)? {
            Some(name) => self.autoload_define(name),
            None => Ok(None),
        }
    }

    fn manifest_name(&mut self, name: &str) -> Flow<Option<Name>> {
        let mut heard = Remarks::default();
        let found = self.environment().manifest_name(name, &mut heard);
        self.report_remarks(found, &heard)
    }

    /// The function of a name that may have been computed.
    pub(crate) fn autoload_computed_function(&mut self, name: &str) -> Flow<Option<Function>> {
        let mut heard = Remarks::default();
        let name = self.environment().function_name(name, &mut heard);
        self.remark(&heard);
        match name {
            Some(name) => self.autoload_function(name, None),
            None => Ok(None),
        }
    }

    /// The type alias of a name that may have been computed (lower case).
    pub(crate) fn autoload_computed_alias(&mut self, lower: &str) -> Flow<Option<Arc<LoadedAlias>>> {
        let mut heard = Remarks::default();
        let name = self.environment().alias_name(lower, &mut heard);
        self.remark(&heard);
        match name {
            Some(name) => self.autoload_alias(name),
            None => Ok(None),
        }
    }

    /// The type alias of that name (lower case).
    pub(crate) fn autoload_alias(&mut self, lower: Name) -> Flow<Option<Arc<LoadedAlias>>> {
        let mut heard = Remarks::default();
        let found = self.environment().alias(lower, &mut heard);
        self.report_remarks(found, &heard)
    }

    /// The unit of a template.
    pub fn autoload_template(&mut self, path: &Path) -> Flow<Arc<Unit>> {
        let found = self.environment().load(path);
        let heard = found.as_ref().map_or_else(|_| Remarks::default(), |unit| unit.remarks.clone());
        self.report_remarks(found, &heard)
    }

    fn report_remarks<T>(&mut self, found: Result<T, Arc<Diagnostic>>, heard: &Remarks) -> Flow<T> {
        self.remark(heard);
        found.map_err(|failure| {
            self.log_warnings_of(&failure);
            Raise::from((*failure).clone())
        })
    }
}
