//! The current point of evaluation: scope and text, the calls that led there, the parameter it is for.
//!
//! Nothing sets and resets this by hand. Code that evaluates something elsewhere uses one of the functions below, which run a
//! closure there and return afterwards.

use std::sync::Arc;

use kukla_syntax::{Source, Span};
use kukla_values::Name;

use crate::error::{Location, Trace};
use crate::scope::{Position, ScopeId};
use crate::unit::Unit;
use crate::variable::Defaulting;
use crate::vm::Vm;

/// The current point of evaluation.
#[derive(Debug)]
pub(crate) struct Standpoint {
    /// The scope, and the variables of the call if there is one.
    position: Position,
    /// The unit being evaluated.
    unit: Arc<Unit>,
    /// The place of the call that was made last.
    call: Span,
    /// The calls that are going on, outermost first: those of functions written in Puppet, and of others that run code.
    calls: Vec<Call>,
    /// The manifest whose own code is being evaluated.
    manifest: Option<Source>,
    /// The parameter whose default is being evaluated.
    defaulting: Option<Defaulting>,
}

/// One call that is going on.
#[derive(Debug)]
struct Call {
    /// The function, if it is written in Puppet: traces name no others.
    function: Option<Name>,
    /// Where it is called from.
    location: Location,
}

/// The variables that a call sees besides its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Visibility {
    /// The variables visible from a position: a lambda.
    From(Position),
    /// The top scope, and no match variables: a function or template.
    Top,
}

impl Standpoint {
    /// The top scope, in a unit.
    pub fn top(unit: Arc<Unit>) -> Standpoint {
        Standpoint {
            position: Position::named(ScopeId::TOP),
            unit,
            call: Span::default(),
            calls: Vec::new(),
            manifest: None,
            defaulting: None,
        }
    }

    /// The files and lines of the calls that are going on, the one being made first, as Puppet's own stack has them: what is evaluated
    /// after the manifests has nothing around it.
    pub fn stack(&self) -> impl Iterator<Item = (Option<&str>, u32)> {
        let stands_here = |call: &Call| {
            call.location.span == self.call && call.location.source.name() == self.unit.source.name()
        };
        // A function with a block is on the stack itself, and so is one that another language calls for it.
        let mut around = &*self.calls;
        while let Some((own, outer)) = around.split_last()
            && stands_here(own)
        {
            around = outer;
            if own.function.is_some() {
                break;
            }
        }
        let own = (self.unit.source.name(), self.unit.location(self.call).line());
        let outer = around.iter().rev().map(|call| (call.location.file(), call.location.line()));
        let manifest = self.manifest.iter().map(|manifest| (manifest.name(), 0));
        std::iter::once(own).chain(outer).chain(manifest)
    }

    /// The calls of functions written in Puppet that led here, innermost first.
    pub fn trace(&self) -> Vec<Trace> {
        let of = |call: &Call| {
            let function = call.function?;
            Some(Trace { what: format!("while calling {function}"), location: call.location.clone() })
        };
        self.calls.iter().rev().filter_map(of).collect()
    }
}

impl Vm<'_> {
    /// The current position among the scopes.
    #[inline]
    pub(crate) fn position(&self) -> Position {
        self.standpoint.position
    }

    /// The current named scope.
    #[inline]
    pub(crate) fn scope(&self) -> ScopeId {
        self.standpoint.position.scope
    }

    /// The unit being evaluated.
    #[inline]
    pub(crate) fn unit(&self) -> &Arc<Unit> {
        &self.standpoint.unit
    }

    /// The place of the call being made.
    pub(crate) fn call_span(&self) -> Span {
        self.standpoint.call
    }

    /// The parameter whose default is being evaluated.
    pub(crate) fn defaulting(&self) -> Option<&Defaulting> {
        self.standpoint.defaulting.as_ref()
    }

    /// Says from where the next call is made.
    #[inline]
    pub(crate) fn call_from(&mut self, span: Span) {
        self.standpoint.call = span;
    }

    /// Does something elsewhere: at a position, in a unit.
    #[inline]
    pub(crate) fn inside<T>(
        &mut self,
        unit: &Arc<Unit>,
        position: Position,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outside = std::mem::replace(&mut self.standpoint.position, position);
        // Nearly always a block is called where it was written.
        let elsewhere = (!Arc::ptr_eq(&self.standpoint.unit, unit))
            .then(|| std::mem::replace(&mut self.standpoint.unit, Arc::clone(unit)));
        let result = body(self);
        self.standpoint.position = outside;
        if let Some(unit) = elsewhere {
            self.standpoint.unit = unit;
        }
        result
    }

    /// Does something in another unit, seeing the same variables.
    pub(crate) fn in_unit<T>(&mut self, unit: &Arc<Unit>, body: impl FnOnce(&mut Self) -> T) -> T {
        self.inside(unit, self.position(), body)
    }

    /// Does something with variables of its own, which end with it.
    #[inline]
    pub(crate) fn with_variables<T>(
        &mut self,
        unit: &Arc<Unit>,
        sees: Visibility,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let position = match sees {
            Visibility::From(position) => self.scopes.push(position),
            Visibility::Top => self.scopes.push_sealed(Position::named(ScopeId::TOP)),
        };
        let result = self.inside(unit, position, body);
        self.scopes.pop();
        result
    }

    /// Makes a call, which counts as going on meanwhile; `function` names it in traces.
    #[inline]
    pub(crate) fn in_call<T>(&mut self, function: Option<Name>, body: impl FnOnce(&mut Self) -> T) -> T {
        let location = self.call_location();
        self.standpoint.calls.push(Call { function, location });
        let result = body(self);
        self.standpoint.calls.pop();
        result
    }

    /// Evaluates the code of a manifest.
    pub(crate) fn in_manifest<T>(&mut self, unit: &Arc<Unit>, body: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.standpoint.manifest.replace(unit.source.clone());
        let result = self.in_unit(unit, body);
        self.standpoint.manifest = outside;
        result
    }

    /// Evaluates the default of a parameter.
    pub(crate) fn for_parameter<T>(
        &mut self,
        defaulting: Defaulting,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outside = self.standpoint.defaulting.replace(defaulting);
        let result = body(self);
        self.standpoint.defaulting = outside;
        result
    }
}
