//! Questions of a program about itself.

use crate::args::Args;
use crate::class::{ANY, Native, methods, private};
use crate::core::exception;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// Functions that tell about the running program, and load others.
pub const FUNCTIONS: &[Native] = methods![
    private("__method__", 0, 0, method_name).alias("__callee__"),
    private("__dir__", 0, 0, |ruby, _, _| {
        let file = ruby.current_file();
        let here = ruby.host.world().here();
        let path = here.join(&*file);
        Ok(path.parent().map_or(Value::Nil, |path| Value::str(path.to_string_lossy().into_owned())))
    }),
    private("caller", 0, 2, |ruby, _, args| {
        let Some(places) = caller_places(ruby, args)? else { return Ok(Value::Nil) };
        Ok(Value::array(places.iter().map(|place| Value::str(place.to_string())).collect::<Vec<_>>()))
    }),
    private("caller_locations", 0, 2, |ruby, _, args| {
        let Some(places) = caller_places(ruby, args)? else { return Ok(Value::Nil) };
        Ok(exception::locations(ruby, &places))
    }),
    private("global_variables", 0, 0, |ruby, _, _| {
        let names = ruby.global_names();
        Ok(Value::array(names.iter().map(|name| ruby.symbol(name)).collect::<Vec<_>>()))
    }),
    private("require", 1, 1, |ruby, _, args| {
        let feature = path_of(ruby, &args[0])?;
        Ok(Value::Bool(ruby.require(&feature)?))
    }),
    private("require_relative", 1, 1, |ruby, _, args| {
        let feature = path_of(ruby, &args[0])?;
        Ok(Value::Bool(ruby.require_relative(&feature)?))
    }),
    private("load", 1, 2, |ruby, _, args| {
        let path = path_of(ruby, &args[0])?;
        if ruby.load_by_name(&path)? {
            return Ok(Value::Bool(true));
        }
        Err(ruby.cannot_load(&path))
    }),
    private("autoload", 2, 2, |ruby, _, args| {
        let name = ruby.to_symbol(&args[0])?;
        let path = path_of(ruby, &args[1])?;
        let module = ruby.definee();
        ruby.promise_constant(module, name, path);
        Ok(Value::Nil)
    }),
    private("autoload?", 1, 2, |ruby, _, args| {
        let name = ruby.to_symbol(&args[0])?;
        let module = ruby.definee();
        Ok(ruby.promised_file(module, name).into())
    }),
    private("gem", 0, ANY, |_, _, _| Ok(Value::Bool(true))),
];

fn path_of(ruby: &mut Ruby<'_>, value: &Value) -> Result<String> {
    let value = match ruby.try_send(value, crate::symbol::sym::TO_PATH, &[])? {
        Some(path) => path,
        None => value.clone(),
    };
    Ok(ruby.to_text(&value)?.to_str_lossy().into_owned())
}

fn method_name(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let method = ruby.run.frames.last().and_then(|at| at.method()).map(|method| method.name);
    Ok(method.into())
}

/// The places that `caller` is asked for; `None` if there are not that many calls.
fn caller_places(
    ruby: &mut Ruby<'_>,
    args: &Args<'_>,
) -> Result<Option<Vec<crate::backtrace::BacktraceLine>>> {
    let places = ruby.places(0);
    let (start, length) = match args.get(0) {
        None => (1, None),
        Some(Value::Range(range)) => {
            let start = if range.begin.is_nil() { 0 } else { ruby.to_int(&range.begin)? };
            let end = if range.end.is_nil() { -1 } else { ruby.to_int(&range.end)? };
            let end = if end < 0 { places.len() as i64 + end } else { end } + i64::from(!range.exclusive);
            (start, Some((end - start).max(0)))
        }
        Some(start) => {
            let start = ruby.to_int(start)?;
            if start < 0 {
                return Err(ruby.argument_error(format!("negative level ({start})")));
            }
            let length = match args.get(1) {
                Some(Value::Nil) | None => None,
                Some(length) => Some(ruby.to_int(length)?),
            };
            if let Some(length) = length
                && length < 0
            {
                return Err(ruby.argument_error(format!("negative size ({length})")));
            }
            (start, length)
        }
    };
    if start.max(0) as usize > places.len() {
        return Ok(None);
    }
    let rest = places.iter().skip(start.max(0) as usize).cloned();
    Ok(Some(match length {
        Some(length) => rest.take(length as usize).collect(),
        None => rest.collect(),
    }))
}
