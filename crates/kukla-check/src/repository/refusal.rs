//! Values for which a body fails, although the types of its parameters accept them.

use std::sync::Arc;

use kukla::catalog::types::is_metaparameter;
use kukla::syntax::{Location, Span};
use kukla::values::types::StructField;
use kukla::values::{Str, Type};

use super::definition::{Definition, Kind, Parameter};
use super::demand::{Demand, Use};
use super::index::{Index, Resource};
use crate::describe::describe;
use crate::overlap::{kinds, kinds_of, may_be, may_be_deferred};
use crate::suggest;

/// The reason why a body fails for a value, and its location.
#[derive(Debug)]
pub struct Refusal {
    /// The expected type and the actual one.
    pub mismatch: String,
    /// The location of the use that fails.
    pub place: Location,
    /// The keys of the invalid part inside of the value.
    pub path: Vec<Str>,
}

/// A callback that records the definitions on which an answer depends.
pub type Note<'n> = &'n mut dyn FnMut(Kind, &str, Option<&Definition>);

/// The value of a parameter, and the number of definitions that it may still be passed on to.
#[derive(Clone, Copy)]
struct ParameterValue<'g> {
    definition: &'g Definition,
    name: &'g str,
    ty: &'g Type,
    further: usize,
}

impl ParameterValue<'_> {
    fn subject(self) -> String {
        format!("parameter '{}'", self.name)
    }

    fn place(self, span: Span) -> Location {
        Location { source: self.definition.source.clone(), span }
    }
}

/// The number of definitions through which a value is followed.
const FURTHEST: usize = 6;

impl Index {
    /// The reason why a body fails for every value of a type, or `None` if it may succeed.
    pub fn refusal(
        &self,
        definition: &Definition,
        parameter: &Parameter,
        ty: &Type,
        note: Note<'_>,
    ) -> Option<Refusal> {
        // An omitted or unknown value is never an error.
        if matches!(ty, Type::Any | Type::Undef | Type::Unit)
            || kinds_of(ty) == kinds::ALL
            || may_be_deferred(ty)
        {
            return None;
        }
        self.refusal_within(definition, parameter, ty, note, FURTHEST)
    }

    fn refusal_within(
        &self,
        definition: &Definition,
        parameter: &Parameter,
        ty: &Type,
        note: Note<'_>,
        further: usize,
    ) -> Option<Refusal> {
        let value = ParameterValue { definition, name: &parameter.name, ty, further };
        self.refusal_by_uses(&parameter.uses, value, note).or_else(|| self.refusal_by_template(value))
    }

    fn refusal_by_uses(&self, uses: &[Use], value: ParameterValue<'_>, note: Note<'_>) -> Option<Refusal> {
        uses.iter().find_map(|one| {
            let is_skipped = one.if_true && kinds_of(value.ty) & (kinds::UNDEF | kinds::BOOLEAN) != 0;
            if is_skipped { None } else { self.refusal_by_use(one, value, note) }
        })
    }

    fn refusal_by_use(&self, one: &Use, value: ParameterValue<'_>, note: Note<'_>) -> Option<Refusal> {
        if let Demand::Branch(branches) = &one.demand {
            let refusals: Option<Vec<Refusal>> =
                branches.iter().map(|uses| self.refusal_by_uses(uses, value, note)).collect();
            return refusals?.into_iter().next();
        }
        if let Demand::Resources(kind) = &one.demand {
            return self.refusal_of_resources(kind, one.span, value, note);
        }
        if let Some(expected) = self.required_type(&one.demand, note)
            && !may_be(&expected, value.ty)
        {
            let mismatch = describe(&value.subject(), &expected, value.ty);
            return (!mismatch.is_empty()).then(|| Refusal {
                mismatch,
                place: value.place(one.span),
                path: Vec::new(),
            });
        }
        let Demand::Passed(kind, name, parameter) = &one.demand else { return None };
        let next = self.find_definition(*kind, name, note).filter(|_| value.further > 0)?;
        self.refusal_within(&next, next.parameter(parameter)?, value.ty, note, value.further - 1)
    }

    /// The first invalid attribute in a hash of resources.
    fn refusal_of_resources(
        &self,
        kind: &str,
        span: Span,
        value: ParameterValue<'_>,
        note: Note<'_>,
    ) -> Option<Refusal> {
        let resource = self.resource(kind, false);
        if let Resource::Define(define) = &resource {
            note(Kind::Define, kind, Some(define));
        }
        let Type::Struct(resources) = value.ty.unaliased() else { return None };
        resources.iter().find_map(|one| {
            let Type::Struct(fields) = one.value.unaliased() else { return None };
            let place = value.place(span);
            // A deep merge removes keys with this prefix.
            fields
                .iter()
                .filter(|field| !field.name.starts_with("--") && !is_metaparameter(&field.name))
                .find_map(|field| {
                    let mismatch = self.mismatch_of(&resource, field)?;
                    let mismatch = format!("{kind}['{}'] {mismatch}", one.name);
                    Some(Refusal {
                        mismatch,
                        place: place.clone(),
                        path: vec![one.name.clone(), field.name.clone()],
                    })
                })
        })
    }

    /// The reason why a resource cannot have an attribute.
    fn mismatch_of(&self, resource: &Resource, field: &StructField) -> Option<String> {
        let StructField { name, value, .. } = field;
        match resource {
            Resource::Define(define) => match define.parameter(name) {
                Some(parameter) => {
                    let expected = self.types.read(parameter.ty.as_ref()?)?;
                    let is_unknown = matches!(value, Type::Undef) || may_be_deferred(value);
                    let is_wrong = !is_unknown && !may_be(&expected, value);
                    let mismatch =
                        is_wrong.then(|| describe(&format!("parameter '{name}'"), &expected, value));
                    mismatch.filter(|mismatch| !mismatch.is_empty())
                }
                None if matches!(name.as_str(), "name" | "title") => None,
                None => {
                    let names = define.parameters.iter().map(|one| one.name.as_str());
                    let near =
                        suggest::hint(name, names).map(|hint| format!(" ({hint})")).unwrap_or_default();
                    Some(format!("has no parameter `{name}`{near}"))
                }
            },
            Resource::Native(native) => (!native.accepts(name)).then(|| format!("has no attribute `{name}`")),
            Resource::Elsewhere | Resource::Missing => None,
        }
    }

    fn refusal_by_template(&self, value: ParameterValue<'_>) -> Option<Refusal> {
        let passes =
            kinds::ARRAY | kinds::HASH | kinds::UNDEF | kinds::BOOLEAN | kinds::OTHER | kinds::SENSITIVE;
        if kinds_of(value.ty) & passes != 0 {
            return None;
        }
        let (template, span) = value.definition.rendered.iter().find(|(template, _)| {
            let iterated = self.iterated.get(template.as_str());
            iterated.is_some_and(|names| names.iter().any(|name| name == value.name))
        })?;
        let ty = value.ty.generalized();
        let mismatch = format!("{} is iterated over in `{template}`, but is {ty}", value.subject());
        Some(Refusal { mismatch, place: value.place(*span), path: Vec::new() })
    }

    /// The type that a demand requires.
    fn required_type(&self, demand: &Demand, note: Note<'_>) -> Option<Type> {
        match demand {
            Demand::Type(text) => self.types.read(text),
            Demand::Legacy(text, function) => {
                let let_pass = match function.as_str() {
                    "validate_bool" => Type::BOOLEAN,
                    "validate_string" | "validate_re" | "validate_slength" => Type::STRING,
                    "validate_array" => Type::any_array(),
                    "validate_hash" => Type::any_hash(),
                    "validate_absolute_path" => Type::variant([Type::STRING, Type::any_array()]),
                    "validate_integer" | "validate_numeric" => {
                        Type::variant([Type::Numeric, Type::STRING, Type::any_array()])
                    }
                    _ => return None,
                };
                Some(Type::variant([self.types.read(text)?, let_pass, Type::Undef]))
            }
            Demand::Argument(function, at, count, has_lambda) => {
                let callee = self.function(function, false);
                if let super::Callee::Puppet(definition) = &callee {
                    note(Kind::Function, &definition.name, Some(definition));
                } else if !matches!(callee, super::Callee::Builtin(_)) {
                    note(Kind::Function, function, None);
                }
                let forms = self.forms(&callee);
                let fitting: Vec<Type> = forms
                    .iter()
                    .filter(|form| form.takes(*count) && (*has_lambda || !form.needs_block))
                    .map(|form| form.parameter(*at).map_or(Type::Any, |(_, ty)| ty.clone()))
                    .collect();
                (!fitting.is_empty() && !fitting.contains(&Type::Any)).then(|| Type::variant(fitting))
            }
            Demand::Passed(kind, name, target) if !is_metaparameter(target) => {
                let next = self.find_definition(*kind, name, note)?;
                let parameter = next.parameter(target)?;
                let expected = self.types.read(parameter.ty.as_ref()?)?;
                // `undef` omits the parameter.
                Some(Type::optional(expected))
            }
            Demand::Passed(..) | Demand::Resources(_) | Demand::Branch(_) => None,
        }
    }

    fn find_definition(&self, kind: Kind, name: &str, note: Note<'_>) -> Option<Arc<Definition>> {
        let table = if kind == Kind::Class { &self.classes } else { &self.defines };
        let found = table.get(name).cloned();
        note(kind, name, found.as_deref());
        found
    }
}
