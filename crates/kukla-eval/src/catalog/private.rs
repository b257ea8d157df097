//! Private classes, defined types and parameters: only the code and the data of their own module may use them. Code outside of all
//! modules belongs to the environment, which counts as one.

use std::sync::Arc;

use kukla_hiera::ValueOrigin;
use kukla_syntax::diagnostic;
use kukla_values::Name;

use super::builder::Param;
use super::kind::ResourceDefinition;
use crate::codes::PRIVATE;
use crate::error::{Flow, Raise};
use crate::program::{Class, Define, Params};
use crate::scope::{Position, ScopeId};
use crate::unit::Defined;
use crate::variable::UndefinedVariable;
use crate::vm::Vm;

impl Vm<'_> {
    /// The module whose code is being evaluated, wherever it was called from.
    fn user(&self) -> Option<Name> {
        self.unit().module
    }

    /// Refuses a class that is private to another module.
    pub(super) fn may_use_class(&self, class: &Defined<Class>) -> Flow<()> {
        match class.private && class.unit.module != self.user() {
            true => Err(refuse(&format!("The class '{}'", class.name), class.unit.module, self.user())),
            false => Ok(()),
        }
    }

    /// Refuses a defined type that is private to another module.
    pub(super) fn may_use_define(&self, define: &Defined<Define>) -> Flow<()> {
        match define.private && define.unit.module != self.user() {
            true => {
                let what = format!("The defined type '{}'", define.name);
                Err(refuse(&what, define.unit.module, self.user()))
            }
            false => Ok(()),
        }
    }

    /// Refuses to set parameters that are private to another module: in a declaration, as a default, by an override.
    pub(super) fn may_set(&self, definition: &ResourceDefinition, given: &[Param]) -> Flow<()> {
        self.may_access(definition, given.iter().map(|param| param.name))
    }

    /// Refuses to read a parameter that is private to another module out of the catalog.
    pub(super) fn may_read(&self, definition: &ResourceDefinition, name: &str) -> Flow<()> {
        self.may_access(definition, Name::existing(name).into_iter())
    }

    fn may_access(&self, definition: &ResourceDefinition, mut names: impl Iterator<Item = Name>) -> Flow<()> {
        let (of, owner, params) = match definition {
            ResourceDefinition::Class(class) => (class.name, class.unit.module, &class.params),
            ResourceDefinition::Define(define) => (define.name, define.unit.module, &define.params),
            _ => return Ok(()),
        };
        if owner == self.user() {
            return Ok(());
        }
        match names.find(|name| is_private(params, *name)) {
            Some(name) => Err(refuse(&parameter(name, of), owner, self.user())),
            None => Ok(()),
        }
    }

    /// Refuses a value for a private parameter that data of another module, or of the environment, has.
    pub(super) fn may_be_data(
        &self,
        class: Name,
        name: Name,
        owner: Option<Name>,
        origins: &[Arc<ValueOrigin>],
    ) -> Flow<()> {
        let foreign = origins.iter().find(|origin| origin.module.as_deref() != owner.as_deref());
        match foreign {
            Some(origin) => {
                let user = origin.module.as_deref().map(Name::new);
                Err(refuse(&parameter(name, class), owner, user))
            }
            None => Ok(()),
        }
    }

    /// Why a variable that was found may not be seen from here: it is a private parameter of an inherited class.
    #[cold]
    pub(crate) fn hidden_variable(&self, at: Position, name: Name) -> Option<UndefinedVariable> {
        let holder = self.scopes.holder(at, name)?;
        let of_class = holder == Position::named(holder.scope);
        of_class.then(|| self.hidden_in(holder.scope, name)).flatten()
    }

    /// Why a parameter of the class with this scope may not be read from here, if so.
    #[cold]
    pub(crate) fn hidden_in(&self, scope: ScopeId, name: Name) -> Option<UndefinedVariable> {
        let held = self.scopes.get(scope);
        if held.module == self.user() || !held.private.contains(&name) {
            return None;
        }
        Some(UndefinedVariable::Private { parameter: name, owner: held.module })
    }
}

/// Refuses to inherit from a class that is private to another module.
pub(super) fn may_inherit(class: &Defined<Class>, parent: &Defined<Class>) -> Flow<()> {
    let (owner, user) = (parent.unit.module, class.unit.module);
    match parent.private && owner != user {
        true => Err(refuse(&format!("The class '{}'", parent.name), owner, user)),
        false => Ok(()),
    }
}

fn is_private(params: &Params, name: Name) -> bool {
    params.place(name).is_some_and(|place| params[place].private)
}

fn parameter(name: Name, of: Name) -> String {
    format!("The parameter '{name}' of '{of}'")
}

/// The owner of private code in a message.
pub(crate) fn described(module: Option<Name>) -> String {
    module.map_or_else(|| "the environment".into(), |name| format!("module '{name}'"))
}

#[cold]
fn refuse(what: &str, owner: Option<Name>, user: Option<Name>) -> Raise {
    diagnostic!(PRIVATE { what, owner: described(owner), user: described(user) }).into()
}
