//! Definitions found by name, as a running compilation asks for them: files are loaded as needed, and what was questionable in
//! them is logged at that moment.

use std::path::Path;
use std::sync::Arc;

use kukla_values::Name;

use crate::environment::KnownAlias;
use crate::error::{Diagnostic, Flow, Raise};
use crate::program::{Class, Define, Program};
use crate::registry::Function;
use crate::vm::Vm;

impl Vm<'_> {
    /// The class of that name (lower case, no leading `::`).
    pub(crate) fn autoload_class(&mut self, name: Name) -> Flow<Option<Arc<Class>>> {
        let found = self.environment.class(name);
        self.settled(found)
    }

    /// The defined type of that name (lower case, no leading `::`).
    pub(crate) fn autoload_define(&mut self, name: Name) -> Flow<Option<Arc<Define>>> {
        let found = self.environment.define(name);
        self.settled(found)
    }

    /// The function of that name.
    pub(crate) fn autoload_function(&mut self, name: Name) -> Flow<Option<Function>> {
        let found = self.environment.function(name);
        self.settled(found)
    }

    /// The type alias of that name (lower case).
    pub(crate) fn autoload_alias(&mut self, lower: Name) -> Flow<Option<Arc<KnownAlias>>> {
        let found = self.environment.alias(lower);
        self.settled(found)
    }

    /// The program of a template.
    pub fn autoload_template(&mut self, path: &Path) -> Flow<Arc<Program>> {
        let found = self.environment.load(path);
        self.settled(found)
    }

    fn settled<T>(&mut self, found: Result<T, Arc<Diagnostic>>) -> Flow<T> {
        if self.environment.has_something_to_say() {
            self.log_loading();
        }
        found.map_err(|failure| {
            self.log_warnings_of(&failure);
            Raise::from((*failure).clone())
        })
    }
}
