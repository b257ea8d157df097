//! `Init[T]`: making a `T` from one value, perhaps with fixed further arguments.

use kukla_syntax::bail;

use super::{ConversionContext, new_at, unsupported};
use crate::codes::WRONG_INIT_COUNT;
use crate::types::InitType;
use crate::{Result, Type, Value};

pub(super) fn make(
    ty: &Type,
    init: &InitType,
    args: &[Value],
    around: &dyn ConversionContext,
    depth: usize,
) -> Result<Value> {
    let Some(target) = &init.ty else { return Err(unsupported(ty)) };
    init.check()?;
    let [value] = args else {
        let count = if args.is_empty() { "none".to_owned() } else { args.len().to_string() };
        bail!(WRONG_INIT_COUNT { count });
    };
    match value {
        Value::Array(values) if init.args.is_empty() && !init.takes_alone(value) => {
            new_at(target, values, around, depth)
        }
        value => {
            let all: Vec<Value> = [value].into_iter().chain(&init.args).cloned().collect();
            new_at(target, &all, around, depth)
        }
    }
}
