//! Ways into nested data: `dig`, `get`, `getvar`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_syntax::{Code, Diagnostic, Fact, bail};
use kukla_values::{Array, Hash, Result, Str, Type, Value};

use crate::codes::{
    EXPECTED_COLLECTION, EXPECTED_INTEGER_INDEX, INVALID_DOTTED_PATH, NO_DOT_AFTER_VARIABLE,
    PATH_INTO_NO_COLLECTION,
};
use crate::iterate::call;
use crate::ruby;

builtins! {
    /// The value at the end of a path of keys and indexes, or `undef` where the path ends early.
    ///
    /// ```puppet
    /// dig({a => [{b => 7}]}, 'a', 0, 'b')    # => 7
    /// dig({a => 1}, 'x', 'y')                # => undef
    /// ```
    "dig" { "Optional[Collection] $data, Any *$arg >> Any" => dig }

    /// The value at a path written with dots (indexes are numbers, keys with dots in them are quoted), or a default. A lambda, if given,
    /// gets the error when the path leads into a value that is not a collection.
    ///
    /// ```puppet
    /// get({a => ['x', {b => 7}]}, 'a.1.b')       # => 7
    /// get({a => 1}, 'b', 'default')              # => 'default'
    /// ```
    "get" { "Any $value, String $dotted_string, Any $default_value = undef, Optional[Callable[1, 1]] &$block >> Any" => get }

    /// The value of a variable given by name, and of what lies within it at a path written with dots, or a default.
    ///
    /// ```puppet
    /// $x = {a => [1, 2]}
    /// getvar('x.a.1')                # => 2
    /// getvar('nowhere', 'none')      # => 'none'
    /// ```
    "getvar": ReadsVariables {
        "Pattern[/\\A(?:::)?(?:[a-z]\\w*::)*[a-z_]\\w*(?:\\.|\\Z)/] $get_string, Any $default_value = undef, Optional[Callable[1, 1]] &$block >> Any" => getvar;
        mismatch "String $get_string, Any $default_value = undef, Optional[Callable] &$block" => not_a_variable
    }
}

/// Where a path went wrong.
struct Astray {
    wrong: Box<Diagnostic>,
    details: Hash,
}

fn dig(data: Value, Rest(path): Rest) -> Result<Value> {
    follow(data, &path).map_err(|astray| astray.wrong.into())
}

fn follow(data: Value, path: &[Value]) -> std::result::Result<Value, Astray> {
    let mut here = data;
    for (depth, key) in path.iter().enumerate() {
        if here.is_undef() || key.is_undef() {
            return Ok(Value::Undef);
        }
        here = match &here {
            Value::Hash(hash) => hash.get(key).cloned().unwrap_or_default(),
            Value::Array(values) => match key {
                Value::Integer(n) => element(values, *n),
                other => {
                    return Err(astray(&EXPECTED_INTEGER_INDEX, "index_type", other, &path[..=depth]));
                }
            },
            other => {
                return Err(astray(&EXPECTED_COLLECTION, "value_type", other, &path[..depth]));
            }
        };
    }
    Ok(here)
}

fn element(values: &Array, n: i64) -> Value {
    let at = if n < 0 { n + values.len() as i64 } else { n };
    usize::try_from(at).ok().and_then(|at| values.get(at)).cloned().unwrap_or_default()
}

fn astray(code: &'static Code, detail: &'static str, value: &Value, walked: &[Value]) -> Astray {
    let ty = Type::of_reduced(value);
    let walked: Array = walked.iter().cloned().collect();
    let path = ruby::inspect(&walked.clone().into());
    Astray {
        wrong: Box::new(Diagnostic::new(code, vec![("path", Fact::of(&path)), ("actual", Fact::of(&ty))])),
        details: [("walked_path", Value::from(walked)), (detail, Value::of_type(ty))].into_iter().collect(),
    }
}

fn get(vm: &mut Vm<'_>, value: Value, path: Str, default: Value, block: Option<Block>) -> Flow<Value> {
    if value.is_undef() {
        return Ok(default);
    }
    if path.is_empty() {
        return Ok(value);
    }
    let Some(segments) = segments(&path) else {
        bail!(INVALID_DOTTED_PATH);
    };
    // Like `dig`, whose first argument must be a collection.
    if !matches!(value, Value::Array(_) | Value::Hash(_)) {
        bail!(PATH_INTO_NO_COLLECTION { actual: Type::of_generalized(&value) });
    }
    match follow(value, &segments) {
        Ok(Value::Undef) => Ok(default),
        Ok(found) => Ok(found),
        Err(Astray { wrong, details }) if block.is_some() => {
            let error = vm.error_value(&wrong.message(), "SLICE_ERROR", wrong.code.name, details)?;
            call(vm, &block, vec![error])
        }
        Err(astray) => Err(astray.wrong.into()),
    }
}

/// A dotted path in its segments: numbers are indexes, quotes keep dots.
pub fn segments(path: &str) -> Option<Vec<Value>> {
    let mut segments = Vec::new();
    let mut rest = path;
    loop {
        let trimmed = rest.trim_start();
        let (segment, after) = match trimmed.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let (inner, after) = trimmed[1..].split_once(quote)?;
                if inner.is_empty() {
                    return None;
                }
                (Value::from(inner), after.trim_start())
            }
            _ => {
                let end = rest.find(['\'', '"', '.']).unwrap_or(rest.len());
                let plain = rest[..end].trim();
                if end == 0 {
                    return None;
                }
                let digits = plain.strip_prefix(':').unwrap_or(plain);
                let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
                let number = !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit());
                (if number { ruby::to_i(plain).into() } else { Value::from(plain) }, &rest[end..])
            }
        };
        segments.push(segment);
        if after.is_empty() {
            return Some(segments);
        }
        rest = after.strip_prefix('.')?;
    }
}

fn getvar(vm: &mut Vm<'_>, path: Str, default: Value, block: Option<Block>) -> Flow<Value> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = path.find(|c: char| !word(c) && c != ':').unwrap_or(path.len());
    let (name, rest) = path.split_at(end);
    let rest = match rest.strip_prefix('.') {
        Some(rest) => rest,
        None if rest.is_empty() => rest,
        None => {
            let found = rest.chars().next().unwrap_or_default();
            bail!(NO_DOT_AFTER_VARIABLE { found });
        }
    };
    match vm.variable(name)? {
        Some(value) => get(vm, value, rest.into(), default, block),
        None => Ok(default),
    }
}

fn not_a_variable(_path: Value, _default: Value) -> &'static str {
    "The given string does not start with a valid variable name"
}
