//! Whether the body of a built-in function takes what its signature lets through.
//!
//! A signature is Puppet, a body is Rust, and no compiler sees both. This compares them once, in a test over all functions, so
//! that a body can rely on what it is given.

use kukla_values::{Type, Value};

use crate::error::Flow;
use crate::function::{Overload, Takes};
use crate::registry::Registered;
use crate::signature::{Parameter, Signature};

/// Describes the mistakes in the declaration of a function; empty if all its bodies fit.
pub fn misfits(function: &Registered) -> Flow<Vec<String>> {
    let signatures = function.signatures()?;
    let builtin = function.builtin;
    let overloads = builtin.overloads.iter().zip(&signatures.overloads);
    let mismatches = builtin.mismatches.iter().zip(&signatures.mismatches);
    let mut wrong = Vec::new();
    for (overload, signature) in overloads.chain(mismatches) {
        for problem in compare(overload, signature) {
            wrong.push(format!("{}({}): {problem}", builtin.name, overload.signature));
        }
    }
    for signature in function.honest_signatures()?.iter().filter(|signature| signature.returns.is_none()) {
        let names: Vec<&str> = signature.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        wrong.push(format!("{}({}): nothing says what it returns", builtin.name, names.join(", ")));
    }
    Ok(wrong)
}

fn compare(overload: &Overload, signature: &Signature) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut parameters = signature.parameters.iter();
    let takes_block = |takes: &Takes| *takes == Takes::Block;
    let all = (overload.takes)();
    for takes in all.iter().filter(|takes| !takes_block(takes)) {
        match parameters.next() {
            Some(parameter) => wrong.extend(invalid_value(*takes, parameter)),
            None => wrong.push(format!("the body takes {takes:?}, which nothing gives it")),
        }
    }
    wrong.extend(parameters.map(|parameter| format!("the body does not take ${}", parameter.name)));
    match (all.iter().any(takes_block), &signature.block) {
        (true, None) => wrong.push("the body takes a block, which the signature does not".to_owned()),
        // Puppet lets a function that has no use for a block be given one.
        (false, Some(block)) if !block.ty.covers(&Type::Undef) => {
            wrong.push(format!("the body does not take &${}", block.name));
        }
        _ => {}
    }
    wrong
}

fn invalid_value(takes: Takes, parameter: &Parameter) -> Option<String> {
    let Parameter { name, ty, default, takes_rest, .. } = parameter;
    let covers = |wide: &str| Type::parse(wide).is_ok_and(|wide| wide.covers(ty));
    let has = |wide: &str| {
        Type::parse(wide).is_ok_and(|wide| default.as_ref().is_none_or(|value| wide.contains(value)))
    };
    let fits = match takes {
        Takes::One(kind) => !takes_rest && covers(kind) && has(kind),
        Takes::Perhaps(kind) => {
            let kind = format!("Optional[{kind}]");
            // There must be a way to give it nothing: a default that says so, or an argument.
            let may_be_undef = default.as_ref().is_some_and(Value::is_undef) || ty.covers(&Type::Undef);
            !takes_rest && covers(&kind) && has(&kind) && may_be_undef
        }
        Takes::IfGiven => !takes_rest && default.is_some(),
        Takes::Rest => *takes_rest,
        Takes::Block => false,
    };
    (!fits).then(|| format!("the body takes {takes:?} for {ty} ${name}"))
}
