//! Why a value does not fit: "expects an Integer value, got String", with the way into the data.
//!
//! People's tests and log filters match these messages, so each says what Puppet's says, in the same order.

use std::fmt::Write as _;

use kukla_syntax::{bail, diagnostic};

use super::callable::CallableType;
use super::{StructField, Type};
use crate::codes::{TYPE_NOT_WITHIN, WRONG_NEW_ARGUMENTS, WRONG_PARAMETERS, WRONG_TYPE};
use crate::{Hash, Result, Str, Value};

mod describe;
mod message;

use describe::{Describer, Mismatch, Step};

/// One way a function can be called, with the names its messages use.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The types.
    pub callable: CallableType,
    /// The names of the parameters; the last one may repeat.
    pub names: Vec<Str>,
    /// The name of the block, if it takes one.
    pub block_name: Option<Str>,
}

/// Why a value of type `actual` is not an `expected`; empty if it is one.
pub fn describe(subject: &str, expected: &Type, actual: &Type) -> String {
    let mismatches = Describer.describe(expected, actual, &[Step::Subject(subject.into())]);
    match mismatches.as_slice() {
        [one] => one.to_string().trim().to_string(),
        many => many.iter().map(Mismatch::to_string).collect::<Vec<_>>().join("\n "),
    }
}

/// Why `value` is not an `expected`; empty if it is one.
pub fn describe_value(subject: &str, expected: &Type, value: &Value) -> String {
    describe(subject, expected, &Type::of(value))
}

/// Refuses a value that is not of the type: `SUBJECT has wrong type, expects ...`.
pub fn assert(subject: &str, expected: &Type, value: &Value) -> Result<()> {
    if expected.contains(value) {
        return Ok(());
    }
    bail!(WRONG_TYPE { mismatch: describe_value(&format!("{subject} has wrong type,"), expected, value) })
}

/// Refuses a type that is not inside the other: `SUBJECT is incorrect, expects ...`.
pub fn assert_covered(subject: &str, expected: &Type, ty: &Type) -> Result<()> {
    if expected.covers(ty) {
        return Ok(());
    }
    bail!(TYPE_NOT_WITHIN { mismatch: describe(&format!("{subject} is incorrect,"), expected, ty) })
}

/// Everything wrong with the parameters given to a class or a resource, one line each; none when all is well.
///
/// A message follows the colon of `Class[Ntp]:`, so it starts with a space.
pub fn parameters(declared: &[StructField], given: &Hash, missing_ok: bool) -> Vec<String> {
    let known = |name: &Value| declared.iter().any(|field| name.as_str() == Some(field.name.as_str()));
    let strangers = given.keys().filter(|name| !known(name));
    let mut problems: Vec<String> = strangers
        .map(|name| format!(" has no parameter named '{}'", name.as_str().unwrap_or_default()))
        .collect();
    for field in declared {
        match given.get(field.name.as_str()) {
            Some(value) if field.value.contains(value) => {}
            Some(value) => {
                let path = [Step::Parameter(field.name.clone())];
                let mismatches = Describer.describe(&field.value, &Type::of(value), &path);
                problems.extend(mismatches.iter().map(Mismatch::to_string));
            }
            None if missing_ok || field.optional => {}
            None => problems.push(format!(" expects a value for parameter '{}'", field.name)),
        }
    }
    problems
}

/// Refuses wrong parameters: `SUBJECT: has no parameter named 'x'`, or a list when there is more than one problem.
pub fn assert_parameters(
    subject: &str,
    declared: &[StructField],
    given: &Hash,
    missing_ok: bool,
) -> Result<()> {
    let mut wrong = match parameters(declared, given, missing_ok).as_slice() {
        [] => return Ok(()),
        [one] => diagnostic!(WRONG_PARAMETERS { subject, problems: one }),
        many => diagnostic!(WRONG_PARAMETERS { subject, problems: format!("\n {}", many.join("\n ")) }),
    };
    let known = || declared.iter().map(|field| field.name.as_str());
    let strangers = given.keys().filter_map(Value::as_str).filter(|name| known().all(|known| known != *name));
    let near = strangers.filter_map(|name| kukla_syntax::suggest::nearest(name, known()));
    wrong.hints.extend(near.map(|near| format!("there is a parameter '{near}'")));
    Err(wrong.into())
}

/// The first signature that accepts the arguments, or why none does.
pub fn check_call(
    name: &str,
    signatures: &[Signature],
    args: &[Value],
    block: Option<&Value>,
) -> Result<usize> {
    match signatures.iter().position(|signature| signature.callable.accepts_call(args, block)) {
        Some(at) => Ok(at),
        None => {
            let types: Vec<Type> = args.iter().chain(block).map(Type::of).collect();
            let description = signatures_text(name, signatures, &types);
            Err(diagnostic!(WRONG_NEW_ARGUMENTS { description }).into())
        }
    }
}

impl CallableType {
    /// Whether it can be called with these arguments and this block.
    pub fn accepts_call(&self, args: &[Value], block: Option<&Value>) -> bool {
        let block_fits = match (&self.block, block) {
            (None, None) => true,
            (None, Some(_)) => false,
            (Some(ty), block) => ty.contains(block.unwrap_or(&Value::Undef)),
        };
        block_fits && self.accepts_args(args)
    }

    /// Whether the arguments fit, block aside.
    pub fn accepts_args(&self, args: &[Value]) -> bool {
        let fits = match self.size {
            Some(size) => size.contains(args.len() as i64),
            None => self.params.is_empty() || self.params.len() == args.len(),
        };
        let Some(last) = self.params.last() else { return fits };
        fits && args.iter().enumerate().all(|(i, arg)| self.params.get(i).unwrap_or(last).contains(arg))
    }
}

/// Why none of the signatures accepts arguments of these types; a block, if one was given, is the last of them.
///
/// `name` is the function's, or `lambda`.
pub fn describe_signatures(name: &str, signatures: &[Signature], args: &[Type]) -> String {
    signatures_text(name, signatures, args)
}

fn signatures_text(name: &str, signatures: &[Signature], args: &[Type]) -> String {
    let paths: Vec<[Step; 1]> = (0..signatures.len()).map(|i| [Step::Signature(i)]).collect();
    let each = || signatures.iter().zip(&paths);
    let mut problems: Vec<Vec<Mismatch>> =
        each().map(|(s, path)| Describer.arguments(s, args, path)).collect();
    // Blocks are looked at only when some signature has no other fault.
    if problems.iter().any(Vec::is_empty) {
        let blocks: Vec<Vec<Mismatch>> = each().map(|(s, path)| Describer.block(s, args, path)).collect();
        if blocks.iter().all(|problems| !problems.is_empty()) {
            problems = blocks;
        } else {
            for (arguments, block) in problems.iter_mut().zip(blocks) {
                if arguments.is_empty() {
                    *arguments = block;
                }
            }
        }
    }
    let label = if name == "lambda" { "block".to_string() } else { format!("'{name}'") };
    let merged = describe::merge(0, true, problems.clone());
    if let [one] = merged.as_slice() {
        return format!("{label}{one}");
    }
    let mut out = String::new();
    let (indent, bare) = match signatures {
        [only] => {
            let _ = write!(out, "{label} expects ({})", signature_text(only));
            ("  ", true)
        }
        _ => {
            let _ = write!(
                out,
                "The function {label} was called with arguments it does not accept. It expects one of:"
            );
            ("    ", false)
        }
    };
    for (signature, problems) in signatures.iter().zip(&problems) {
        match signature_text(signature) {
            _ if bare => {}
            // A signature without parameters is a line with nothing but a blank.
            text if text.is_empty() => out.push_str("\n "),
            text => {
                let _ = write!(out, "\n  ({text})");
            }
        }
        for problem in problems {
            let _ = write!(out, "\n{indent}rejected:{}", problem.without_step(0));
        }
    }
    out
}

/// A signature as messages show it: `Integer min, String text?, Callable &block`.
pub fn signature_text(signature: &Signature) -> String {
    let callable = &signature.callable;
    let size = callable.arity();
    if size.min() == 0 && size.max() == 0 {
        return String::new();
    }
    let unnamed = vec![Str::new(); callable.params.len()];
    let names = if signature.names.is_empty() { &unnamed } else { &signature.names };
    let mut parts: Vec<String> = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let Some(ty) = callable.params.get(i).or(callable.params.last()) else { break };
        let repeats = size.to().is_none() && i + 1 == names.len();
        let (ty, mark) = match ty {
            ty if repeats => (ty, if size.min() == names.len() as i64 { "+" } else { "*" }),
            Type::Optional(Some(inner)) if i as i64 + 1 > size.min() => (&**inner, "?"),
            ty if i as i64 + 1 > size.min() => (ty, "?"),
            ty => (ty, ""),
        };
        parts.push(format!("{ty} {name}{mark}"));
    }
    let block_name = signature.block_name.as_deref().unwrap_or_default();
    match &callable.block {
        Some(Type::Optional(Some(block))) => parts.push(format!("{block} {block_name}?")),
        Some(block @ Type::Callable(_)) => parts.push(format!("{block} {block_name}")),
        _ => {}
    }
    parts.join(", ")
}
