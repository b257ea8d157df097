//! Names that a program computes: `include "role::${role}"`, `call($function)`, `getvar("${class}::port")`.
//!
//! A [`Name`] lives as long as the process, so a text becomes one only if something of that name is there. Everything that has been
//! loaded has its names; for the rest the files are asked first.

use std::sync::Arc;

use kukla_values::Name;

use super::Environment;
use super::code::CodeKind;
use crate::catalog::lower_case;
use crate::error::Diagnostic;
use crate::remark::Remarks;

impl Environment {
    /// The name of a class or defined type (lower case, no leading `::`), if there may be one.
    pub fn manifest_name(&self, text: &str, heard: &mut Remarks) -> Result<Option<Name>, Arc<Diagnostic>> {
        if let Some(name) = Name::existing(text) {
            return Ok(Some(name));
        }
        let consulted = self.load_manifests_for(text, heard)?;
        let found = Name::existing(text);
        if found.is_none() {
            heard.extend(&consulted);
        }
        Ok(found)
    }

    /// The name of a function, if there may be one.
    pub fn function_name(&self, text: &str, heard: &mut Remarks) -> Option<Name> {
        let text = &lower_case(text);
        let brought = || self.extensions.as_ref()?.function(self, None, text).map(|_| Name::new(text));
        let replaced = || self.is_overridden(text).then(|| Name::new(text));
        self.name_of_file(CodeKind::Function, text, heard).or_else(brought).or_else(replaced)
    }

    /// The name of a type alias (lower case), if there may be one.
    pub(crate) fn alias_name(&self, text: &str, heard: &mut Remarks) -> Option<Name> {
        self.name_of_file(CodeKind::Type, text, heard)
    }

    fn name_of_file(&self, kind: CodeKind, text: &str, heard: &mut Remarks) -> Option<Name> {
        Name::existing(text).or_else(|| self.path_of(kind, text, heard).map(|_| Name::new(text)))
    }
}
