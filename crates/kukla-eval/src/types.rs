//! Names of types: built-in types, aliases from `types/`, resource types.

use std::sync::Arc;

use kukla_syntax::{Span, diagnostic};
use kukla_values::types::ResourceType;
use kukla_values::{Name, Type, Value};

use crate::codes::NOT_A_TYPE;
use crate::environment::LoadedAlias;
use crate::error::{Flow, Raise};
use crate::program::{TypeExpr, TypeName, TypeSlot};
use crate::unit::Unit;
use crate::vm::Vm;
use kukla_values::codes::{INVALID_TYPE_SPECIFICATION, UNKNOWN_RESOURCE_TYPE};

/// The meaning of a type.
pub(crate) enum Meaning {
    /// The same from now on.
    Lasting(Value),
    /// This for the moment.
    Passing(Value),
}

/// The types that are being found out.
#[derive(Debug, Default)]
pub(crate) struct OpenTypes {
    /// The aliases being resolved.
    pub aliases: Vec<Name>,
    /// Members of the sets of types that are being read, under their short names in lower case.
    pub members: Vec<(Name, Type)>,
}

impl Vm<'_> {
    pub(crate) fn eval_type_name(&mut self, name: &TypeName, span: Span) -> Flow {
        self.meaning(name.slot, |vm| match vm.named_type(name.name, name.lower)? {
            Some(ty) => Ok(Meaning::Lasting(Value::of_type(ty))),
            // An alias may stand for a type that nothing defines; no value is one.
            None if !vm.open_types.aliases.is_empty() => {
                Ok(Meaning::Passing(Value::of_type(Type::Reference(name.name.as_str().into()))))
            }
            None => Err(vm.unknown_type(name.name, span)),
        })
    }

    /// The meaning of a type written in the current unit, found out when first asked.
    #[inline]
    pub(crate) fn meaning(&mut self, slot: TypeSlot, find: impl FnOnce(&mut Self) -> Flow<Meaning>) -> Flow {
        if let Some(known) = self.unit().type_of(slot) {
            let answer = known.answer.clone();
            if !known.remarks.is_empty() {
                self.remark(&known.remarks.clone());
            }
            return Ok(answer);
        }
        let (meaning, remarks) = self.answer(find)?;
        match meaning {
            Meaning::Lasting(value) => {
                self.unit().set_type(slot, value.clone(), remarks);
                Ok(value)
            }
            Meaning::Passing(value) => Ok(value),
        }
    }

    #[cold]
    pub(crate) fn unknown_type(&self, name: Name, span: Span) -> Raise {
        let wrong = diagnostic!(UNKNOWN_RESOURCE_TYPE { name });
        self.fail(
            span,
            match self.environment().near_type(name.as_str()) {
                Some(near) => wrong.hint(format!("there is a type {near}")),
                None if !name.as_str().contains("::") => {
                    let text = name.as_str().to_lowercase();
                    wrong.hint(format!(
                        "names of types begin with an upper-case letter; for text write `{text}`"
                    ))
                }
                None => wrong,
            },
        )
    }

    /// The type that a capitalised name means, if any.
    pub(crate) fn named_type(&mut self, name: Name, lower: Name) -> Flow<Option<Type>> {
        if let Some(ty) = Type::builtin(lower.as_str()) {
            return Ok(Some(ty));
        }
        if let Some((_, member)) = self.open_types.members.iter().rev().find(|(known, _)| *known == lower) {
            return Ok(Some(member.clone()));
        }
        if let Some(alias) = self.autoload_alias(lower)? {
            return self.resolve_alias(&alias).map(Some);
        }
        if let Some(member) = self.member_of_set(lower)? {
            return Ok(Some(member));
        }
        if self.resource_type_exists(lower)? {
            let name = kukla_values::types::capitalize(lower.as_str());
            return Ok(Some(Type::Resource(Some(Arc::new(ResourceType::new(name, None))))));
        }
        let _ = name;
        Ok(None)
    }

    /// The member of a set of types that is a module's, or has been used before.
    fn member_of_set(&mut self, lower: Name) -> Flow<Option<Type>> {
        let Some((set, member)) = lower.as_str().rsplit_once("::") else { return Ok(None) };
        let alias = self.autoload_computed_alias(set)?;
        let Some(alias) = alias else { return Ok(None) };
        if alias.is_module_set() {
            self.resolve_alias(&alias)?;
        }
        Ok(match alias.ty.resolved() {
            Type::TypeSet(set) => set.get(member).cloned(),
            _ => None,
        })
    }

    /// Whether there is a resource type of that name, native or defined.
    pub(crate) fn resource_type_exists(&mut self, lower: Name) -> Flow<bool> {
        if self.environment().resource_type(lower.as_str()).is_some() {
            return Ok(true);
        }
        // The node a catalog is for can be referred to, though never declared.
        if lower.as_str() == "node" {
            return Ok(true);
        }
        Ok(self.autoload_define(lower)?.is_some())
    }

    /// The type an alias names. Its right-hand side is evaluated once per environment; while that goes on the alias
    /// is already a type, so that it may be recursive.
    fn resolve_alias(&mut self, alias: &LoadedAlias) -> Flow<Type> {
        if let Some(remarks) = alias.remarks.get() {
            self.remark(remarks);
            return Ok(alias.as_type());
        }
        if self.open_types.aliases.contains(&alias.definition.name) {
            return Ok(alias.as_type());
        }
        self.open_types.aliases.push(alias.definition.name);
        let unit = &alias.definition.unit;
        let result = self.in_unit(unit, |vm| vm.answer(|vm| vm.enter(|vm| vm.interpret_alias(alias))));
        self.open_types.aliases.pop();
        let (ty, remarks) = result?;
        if !alias.ty.is_resolved() {
            alias.ty.resolve(ty)?;
        }
        let _ = alias.remarks.set(remarks);
        Ok(alias.as_type())
    }

    /// The type that an expression of a parameter list or signature means.
    pub(crate) fn eval_type_expr(&mut self, ty: &TypeExpr) -> Flow<Arc<Type>> {
        if let Some(slot) = ty.slot
            && let Some(known) = self.unit().type_of(slot)
            && let Value::Type(found) = &known.answer
            && known.remarks.is_empty()
        {
            return Ok(Arc::clone(found));
        }
        match self.eval(&ty.expr)? {
            Value::Type(found) => Ok(found),
            other => {
                let actual = Type::of_generalized(&other);
                Err(self.fail(ty.expr.span, diagnostic!(NOT_A_TYPE { actual })))
            }
        }
    }

    /// The type that text spells, with the environment's aliases.
    pub fn parse_type(&mut self, text: &str) -> Flow<Type> {
        let source = kukla_syntax::Source::unnamed(text);
        let program = crate::lower::lower(&source, &self.environment().rules(None))
            .map_err(|_| Raise::from(diagnostic!(INVALID_TYPE_SPECIFICATION { text })))?;
        let unit = Arc::new(Unit::new(source, None, Arc::new(program)));
        self.in_unit(&unit, |vm| vm.enter(|vm| vm.interpret_type(&unit.program.main)))
    }
}
