//! `Init[T]`: whatever a `T` can be made from.

use std::borrow::Cow;
use std::sync::Arc;

use kukla_syntax::bail;

use super::covers::Way;
use super::mismatch::Signature;
use super::{InitType, Range, Type};
use crate::codes::{NO_NEW, WRONG_INIT_ARGUMENTS};
use crate::{Result, Value, convert};

/// The signatures of `new` for a type that `Init` may hold. Making an `Init` or an `Optional` would never come to an end or mean
/// nothing, so that those are left out.
fn signatures(ty: &Type) -> Option<Cow<'static, [Signature]>> {
    match ty {
        Type::Init(_) | Type::Optional(_) | Type::NotUndef(_) => None,
        ty => convert::signatures(ty),
    }
}

fn takes_exactly_one(signature: &Signature) -> bool {
    signature.callable.arity() == Range::exactly(1)
}

impl InitType {
    /// Refuses an `Init` of something that cannot be made, or with arguments that `new` does not take.
    pub fn check(&self) -> Result<()> {
        let Some(ty) = &self.ty else { return Ok(()) };
        let Some(signatures) = signatures(ty) else {
            bail!(NO_NEW { ty });
        };
        if !self.args.is_empty() && !signatures.iter().any(|signature| self.fits(signature)) {
            let init = Type::Init(Arc::new(self.clone()));
            bail!(WRONG_INIT_ARGUMENTS { init, name: ty.generalized().name() });
        }
        Ok(())
    }

    /// Whether a signature takes the arguments given beforehand, after the one that is still to come.
    fn fits(&self, Signature { callable, .. }: &Signature) -> bool {
        let Some(last) = callable.params.last() else { return false };
        let wanted = |i: usize| callable.params.get(i + 1).unwrap_or(last);
        callable.arity().contains(self.args.len() as i64 + 1)
            && self.args.iter().enumerate().all(|(i, arg)| wanted(i).covers(&Type::of(arg)))
    }

    /// Whether a value is the type's own or fits a signature that takes exactly one argument.
    pub(crate) fn takes_alone(&self, value: &Value) -> bool {
        let Some(ty) = &self.ty else { return false };
        let fits = |signature: &Signature| {
            takes_exactly_one(signature)
                && signature.callable.params.iter().all(|param| param.contains(value))
        };
        ty.contains(value) || signatures(ty).is_some_and(|signatures| signatures.iter().any(fits))
    }

    /// Whether one of the ways of making a value accepts what is asked about: alone, or as a list of arguments.
    pub(super) fn accepts_by(
        &self,
        ty: &Type,
        alone: &dyn Fn(&Type) -> bool,
        list: &dyn Fn(&Type, bool) -> bool,
    ) -> bool {
        if alone(ty) {
            return true;
        }
        let Some(signatures) = signatures(ty) else { return false };
        let first = |signature: &Signature| signature.callable.params.first().is_some_and(alone);
        if !self.args.is_empty() {
            return signatures.iter().any(|signature| self.fits(signature) && first(signature));
        }
        let may_be_single = signatures
            .iter()
            .any(|signature| signature.callable.arity().min() == 1 && !takes_exactly_one(signature));
        signatures.iter().any(|signature| match takes_exactly_one(signature) {
            true => first(signature),
            false => {
                let callable = &signature.callable;
                list(&Type::tuple(callable.params.clone(), Some(callable.arity())), may_be_single)
            }
        })
    }

    pub(super) fn accepts(&self, other: &Type, way: Way<'_>) -> bool {
        match (&self.ty, other) {
            (None, Type::Init(_)) => true,
            (None, other) => Type::RichData.accepts(other, way),
            (Some(ty), Type::Init(o)) => o.ty.as_ref().is_some_and(|o| ty.accepts(o, way)),
            (Some(ty), other) => {
                let Some(way) = way.into_init() else { return false };
                // Asked for each attribute when the hash of an object is described, so without that description.
                if let (Type::Object(object), Type::Undef) = (ty.unaliased(), other) {
                    return match object.given_attributes()[..] {
                        [only] if self.args.is_empty() => only.ty.accepts(other, way),
                        _ => false,
                    };
                }
                self.accepts_by(ty, &|ty| ty.accepts(other, way), &|tuple, single| {
                    tuple.accepts(other, way)
                        || single && tuple.accepts(&Type::tuple(vec![other.clone()], None), way)
                })
            }
        }
    }
}
