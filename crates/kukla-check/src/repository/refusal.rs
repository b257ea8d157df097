//! Values that a body fails for, though its parameters have no types that would say so.

use std::sync::Arc;

use kukla::catalog::types::is_metaparameter;
use kukla::syntax::{Location, Span};
use kukla::values::types::StructField;
use kukla::values::{Str, Type};

use super::definition::{Definition, Kind, Parameter};
use super::demand::{Demand, Use};
use super::index::{Index, Resource};
use crate::describe::describe;
use crate::overlap::{kinds, kinds_of, may_be};
use crate::suggest;

/// Why a value is refused, and where.
#[derive(Debug)]
pub struct Refusal {
    /// What was expected, and what it is.
    pub mismatch: String,
    /// What is done with it.
    pub place: Location,
    /// The keys that lead to what is wrong inside of it.
    pub path: Vec<Str>,
}

/// Who wants to know which definitions an answer rests on.
pub type Note<'n> = &'n mut dyn FnMut(Kind, &str, Option<&Definition>);

/// A value on its way: the parameter that has it, and how much further it is followed.
#[derive(Clone, Copy)]
struct Given<'g> {
    definition: &'g Definition,
    name: &'g str,
    ty: &'g Type,
    further: usize,
}

impl Given<'_> {
    fn subject(self) -> String {
        format!("parameter '{}'", self.name)
    }

    fn place(self, span: Span) -> Location {
        Location { source: self.definition.source.clone(), span }
    }
}

/// How far a value is followed from one definition to the next.
const FURTHEST: usize = 6;

impl Index {
    /// Why a body fails for every value of a type that its parameter is given.
    pub fn refusal(
        &self,
        definition: &Definition,
        parameter: &Parameter,
        ty: &Type,
        note: Note<'_>,
    ) -> Option<Refusal> {
        // What is left out, or not known, is never wrong.
        if matches!(ty, Type::Any | Type::Undef | Type::Unit) || kinds_of(ty) == kinds::ALL {
            return None;
        }
        self.refused(definition, parameter, ty, note, FURTHEST)
    }

    fn refused(
        &self,
        definition: &Definition,
        parameter: &Parameter,
        ty: &Type,
        note: Note<'_>,
        further: usize,
    ) -> Option<Refusal> {
        let given = Given { definition, name: &parameter.name, ty, further };
        self.refused_by(&parameter.uses, given, note).or_else(|| self.refused_by_template(given))
    }

    fn refused_by(&self, uses: &[Use], given: Given<'_>, note: Note<'_>) -> Option<Refusal> {
        uses.iter().find_map(|one| {
            let is_skipped = one.if_true && kinds_of(given.ty) & (kinds::UNDEF | kinds::BOOLEAN) != 0;
            if is_skipped { None } else { self.refused_by_one(one, given, note) }
        })
    }

    fn refused_by_one(&self, one: &Use, given: Given<'_>, note: Note<'_>) -> Option<Refusal> {
        if let Demand::Branch(branches) = &one.demand {
            let refusals: Option<Vec<Refusal>> =
                branches.iter().map(|uses| self.refused_by(uses, given, note)).collect();
            return refusals?.into_iter().next();
        }
        if let Demand::Resources(kind) = &one.demand {
            return self.refused_resources(kind, one.span, given, note);
        }
        if let Some(expected) = self.demanded(&one.demand, note)
            && !may_be(&expected, given.ty)
        {
            let mismatch = describe(&given.subject(), &expected, given.ty);
            return (!mismatch.is_empty()).then(|| Refusal {
                mismatch,
                place: given.place(one.span),
                path: Vec::new(),
            });
        }
        let Demand::Passed(kind, name, parameter) = &one.demand else { return None };
        let next = self.known(*kind, name, note).filter(|_| given.further > 0)?;
        self.refused(&next, next.parameter(parameter)?, given.ty, note, given.further - 1)
    }

    /// The first thing that resources are given and cannot have.
    fn refused_resources(&self, kind: &str, span: Span, given: Given<'_>, note: Note<'_>) -> Option<Refusal> {
        let resource = self.resource(kind, false);
        if let Resource::Define(define) = &resource {
            note(Kind::Define, kind, Some(define));
        }
        let Type::Struct(resources) = given.ty.unaliased() else { return None };
        resources.iter().find_map(|one| {
            let Type::Struct(fields) = one.value.unaliased() else { return None };
            let place = given.place(span);
            // What begins like this may take something away.
            fields
                .iter()
                .filter(|field| !field.name.starts_with("--") && !is_metaparameter(&field.name))
                .find_map(|field| {
                    let mismatch = self.unfit(&resource, field)?;
                    let mismatch = format!("{kind}['{}'] {mismatch}", one.name);
                    Some(Refusal {
                        mismatch,
                        place: place.clone(),
                        path: vec![one.name.clone(), field.name.clone()],
                    })
                })
        })
    }

    /// Why a resource cannot be given something.
    fn unfit(&self, resource: &Resource, field: &StructField) -> Option<String> {
        let StructField { name, value, .. } = field;
        match resource {
            Resource::Define(define) => match define.parameter(name) {
                Some(parameter) => {
                    let expected = self.types.read(parameter.ty.as_ref()?)?;
                    let is_wrong = !matches!(value, Type::Undef) && !may_be(&expected, value);
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

    fn refused_by_template(&self, given: Given<'_>) -> Option<Refusal> {
        let passes =
            kinds::ARRAY | kinds::HASH | kinds::UNDEF | kinds::BOOLEAN | kinds::OTHER | kinds::SENSITIVE;
        if kinds_of(given.ty) & passes != 0 {
            return None;
        }
        let (template, span) = given.definition.rendered.iter().find(|(template, _)| {
            let iterated = self.iterated.get(template.as_str());
            iterated.is_some_and(|names| names.iter().any(|name| name == given.name))
        })?;
        let ty = given.ty.generalized();
        let mismatch = format!("{} is gone through one by one in `{template}`, and is {ty}", given.subject());
        Some(Refusal { mismatch, place: given.place(*span), path: Vec::new() })
    }

    /// The type that something asks for.
    fn demanded(&self, demand: &Demand, note: Note<'_>) -> Option<Type> {
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
            Demand::Passed(kind, name, given) if !is_metaparameter(given) => {
                let next = self.known(*kind, name, note)?;
                let parameter = next.parameter(given)?;
                let expected = self.types.read(parameter.ty.as_ref()?)?;
                // What is undef is left out.
                Some(Type::optional(expected))
            }
            Demand::Passed(..) | Demand::Resources(_) | Demand::Branch(_) => None,
        }
    }

    fn known(&self, kind: Kind, name: &str, note: Note<'_>) -> Option<Arc<Definition>> {
        let table = if kind == Kind::Class { &self.classes } else { &self.defines };
        let found = table.get(name).cloned();
        note(kind, name, found.as_deref());
        found
    }
}
