//! `Init[T]`: whatever a `T` can be made from.

use super::covers::Way;
use super::{InitType, Type};
use crate::Value;

impl InitType {
    pub(super) fn holds(&self, value: &Value) -> bool {
        match &self.ty {
            None => Type::RichData.contains(value),
            Some(ty) => ty.contains(value),
        }
    }

    pub(super) fn accepts(&self, other: &Type, way: Way<'_>) -> bool {
        match (&self.ty, other) {
            (None, Type::Init(_)) => true,
            (None, other) => Type::RichData.accepts(other, way),
            (Some(ty), Type::Init(o)) => o.ty.as_ref().is_some_and(|o| ty.accepts(o, way)),
            (Some(ty), other) => ty.accepts(other, way),
        }
    }
}
