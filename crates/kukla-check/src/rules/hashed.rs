//! Attributes that come from hashes: `* => { … }`, and `create_resources`.

use kukla::catalog::types::NativeType;
use kukla::syntax::ast::{self, AttributeOp, Expr};
use kukla::syntax::{Span, diagnostic};
use kukla::values::types::StructField;
use kukla::values::{Str, Type};

use super::resource::UNKNOWN_ATTRIBUTE;
use crate::repository::{Definition, Resource, literal, plain};
use crate::suggest;
use crate::walk::{Argument, Walk};

/// The names that hashes give to a resource with these attributes, or `None` if not all of them are known.
pub fn hashed_names(given: &[(ast::Attribute<'_>, Type)]) -> Option<Vec<Str>> {
    let hashes = given.iter().filter(|(attribute, _)| attribute.operator() == AttributeOp::Splat);
    let each: Option<Vec<&[StructField]>> = hashes.map(|(_, ty)| fields(ty)).collect();
    Some(each?.into_iter().flatten().map(|field| field.name.clone()).collect())
}

/// The entries of a hash, or `None` if they are not all known.
fn fields(ty: &Type) -> Option<&[StructField]> {
    match ty.unaliased() {
        Type::Struct(fields) if fields.iter().all(|field| !field.optional) => Some(fields),
        Type::Hash(hash) if hash.size.max() == 0 => Some(&[]),
        _ => None,
    }
}

/// The place of a key in a literal hash, and that of its value; those of the whole expression if it is not literal.
fn entry<'t>(hash: Expr<'t>, key: &str) -> (Span, Span, Option<Expr<'t>>) {
    let literal = match hash.unwrap_parens() {
        Expr::Hash(hash) => hash.entries().find(|entry| literal::text(entry.key()).as_deref() == Some(key)),
        _ => None,
    };
    match literal {
        Some(entry) => (entry.key().span(), entry.value().span(), Some(entry.value())),
        None => (hash.span(), hash.span(), None),
    }
}

impl Walk<'_> {
    /// Checks the parameters that a hash gives to a class or a defined type.
    pub fn check_hashed_parameters(&mut self, definition: &Definition, hash: Expr<'_>, ty: &Type) {
        let Some(fields) = fields(ty) else { return };
        for field in fields {
            let (name, value, _) = entry(hash, &field.name);
            self.check_parameter(definition, (&field.name, name), (&field.value, value));
        }
    }

    /// Checks the attributes that a hash gives to a resource of a native type.
    pub fn check_hashed_attributes(&mut self, native: &NativeType, hash: Expr<'_>, ty: &Type) {
        let Some(fields) = fields(ty) else { return };
        for name in fields.iter().map(|field| &field.name).filter(|name| !native.accepts(name)) {
            let near = suggest::nearest(name, native.attributes());
            let mut wrong =
                diagnostic!(entry(hash, name).0, UNKNOWN_ATTRIBUTE { resource: native.name, name });
            wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
            self.report(wrong);
        }
    }

    /// Checks the resources that `create_resources` declares, as far as its hash is known.
    pub fn check_created(&mut self, arguments: &[Argument<'_>]) {
        let (kind, resources, defaults) = match arguments {
            [kind, resources] => (kind, resources, None),
            [kind, resources, defaults] => (kind, resources, Some(defaults)),
            _ => return,
        };
        let Some(kind) = literal::text(kind.expr) else { return };
        let kind = plain(kind.trim_start_matches('@'));
        let Some(titles) = fields(&resources.ty) else { return };
        let known = defaults.map_or(Some(&[][..]), |defaults| fields(&defaults.ty));
        for one in titles {
            let (title, _, hash) = entry(resources.expr, &one.name);
            let hash = hash.unwrap_or(resources.expr);
            let target = match &*kind {
                "class" => match self.check_class_name(&one.name, title) {
                    true => self.class(&plain(&one.name)).map(Resource::Define),
                    false => None,
                },
                _ => Some(self.resource_kind(&kind)),
            };
            match target {
                Some(Resource::Define(definition)) => {
                    self.check_hashed_parameters(&definition, hash, &one.value);
                    if let (Some(given), Some(known)) = (fields(&one.value), known) {
                        let is_given = |name: &str| given.iter().chain(known).any(|field| field.name == name);
                        self.check_missing(&definition, title, is_given);
                    }
                }
                Some(Resource::Native(native)) => self.check_hashed_attributes(&native, hash, &one.value),
                _ => {}
            }
        }
        let Some(defaults) = defaults.filter(|_| !titles.is_empty()) else { return };
        match self.resource_kind(&kind) {
            Resource::Define(definition) => {
                self.check_hashed_parameters(&definition, defaults.expr, &defaults.ty)
            }
            Resource::Native(native) => self.check_hashed_attributes(&native, defaults.expr, &defaults.ty),
            Resource::Elsewhere | Resource::Missing => {}
        }
    }
}
