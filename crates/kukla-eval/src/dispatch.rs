//! The signature that a call fits, and the error when it fits none.

use std::sync::Arc;

use kukla_syntax::{bail, diagnostic};
use kukla_values::types::Range;
use kukla_values::types::callable::CallableType;
use kukla_values::types::mismatch::{self, Signature};
use kukla_values::{Type, Value};

use crate::codes::{INTERNAL_ERROR, REFUSED_ARGUMENTS, WRONG_ARGUMENTS};
use crate::error::{Flow, Raise, Stage};
use crate::function::Args;
use crate::lambda::Block;
use crate::program::{Param, PuppetFunction};
use crate::registry::Registered;
use crate::signature;
use crate::vm::Vm;

impl Vm<'_> {
    /// The overload of a built-in function that a call fits: which, and its signature.
    pub(crate) fn select(
        &mut self,
        function: &'static Registered,
        args: &[Value],
        block: Option<&Block>,
    ) -> Flow<(usize, &'static signature::Signature)> {
        let signatures = function.signatures()?;
        let fitting = |signature: &signature::Signature| accepts(&signature.call.callable, args, block);
        if let Some(found) = signatures.overloads.iter().position(fitting) {
            return Ok((found, &signatures.overloads[found]));
        }
        if let Some(wrong) = signatures.mismatches.iter().position(fitting) {
            let args = Args::new(args.to_vec(), block.cloned(), &signatures.mismatches[wrong].parameters);
            let why = (function.builtin.mismatches[wrong].body)(self, args)?;
            let why = why.as_str().unwrap_or_default();
            bail!(REFUSED_ARGUMENTS { function: function.builtin.name, reason: why });
        }
        let advertised: Vec<Signature> =
            signatures.overloads.iter().map(|signature| signature.call.clone()).collect();
        Err(refused(function.builtin.name, &advertised, args, block))
    }

    /// Refuses a call that does not fit the signature of a function written in Puppet.
    pub(crate) fn check_call(
        &self,
        name: &str,
        function: &PuppetFunction,
        signature: &CallableType,
        args: &[Value],
        block: Option<&Block>,
    ) -> Flow<()> {
        if accepts(signature, args, block) {
            return Ok(());
        }
        let signature = named(signature, &function.lambda.params);
        Err(refused(name, &[signature], args, block))
    }

    /// Refuses arguments, defaults included, that do not fit the signature of a lambda or function.
    pub(crate) fn check_arguments(
        &self,
        name: &str,
        params: &[Param],
        signature: &CallableType,
        args: &[Value],
    ) -> Flow<()> {
        if accepts(signature, args, None) {
            return Ok(());
        }
        Err(refused(name, &[named(signature, params)], args, None))
    }

    /// Refuses a value that is not what a lambda or function says it returns.
    pub(crate) fn check_return(&self, name: &str, signature: &CallableType, value: Value) -> Flow {
        match &signature.returns {
            Some(ty) => {
                mismatch::assert(&format!("value returned from {name}"), ty, &value)?;
                Ok(value)
            }
            None => Ok(value),
        }
    }
}

impl Registered {
    /// Refuses, while Kukla itself is tested, a value that does not have the type documented for tools.
    ///
    /// The documented parameters cannot be checked in the same way: the older functions convert any argument to a string.
    pub(crate) fn confirm(&self, args: &[Value], block: Option<&Block>, value: &Value) -> Flow<()> {
        let mut honest = self.honest_signatures()?.iter();
        let returns = honest.find(|signature| accepts(&signature.call.callable, args, block));
        match returns.and_then(|signature| signature.returns.as_ref()) {
            // A template may `return` anything.
            Some(ty) if !self.runs_code && !ty.contains(value) => {
                let (name, got) = (self.builtin.name, Type::of(value));
                let what = format!("'{name}' returned {got}, but is documented to return {ty}");
                Err(diagnostic!(INTERNAL_ERROR { what }).in_stage(Stage::Internal).into())
            }
            _ => Ok(()),
        }
    }
}

fn named(signature: &CallableType, params: &[Param]) -> Signature {
    let names = params.iter().map(|param| param.name.as_str().into()).collect();
    Signature { callable: signature.clone(), names, block_name: None }
}

#[cold]
pub(crate) fn refused(name: &str, signatures: &[Signature], args: &[Value], block: Option<&Block>) -> Raise {
    let mut types: Vec<Type> = args.iter().map(Type::of).collect();
    types.extend(block.map(|block| Type::Callable(Some(Arc::clone(block.signature())))));
    let description = mismatch::describe_signatures(name, signatures, &types);
    let wrong = diagnostic!(WRONG_ARGUMENTS { description });
    match signatures {
        [one] if !one.names.is_empty() && !name.starts_with("lambda") => {
            wrong.hint(format!("it is called as `{}`", call_form(name, one))).into()
        }
        _ => wrong.into(),
    }
}

/// How a function is called: `split(String $str, Type $pattern)`, with optional parameters between brackets.
fn call_form(name: &str, signature: &Signature) -> String {
    let least = signature
        .callable
        .size
        .map_or(signature.names.len(), |size| usize::try_from(size.min()).unwrap_or(0));
    let parameters: Vec<String> = signature
        .names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let ty = signature
                .callable
                .params
                .get(index)
                .map_or_else(String::new, |ty| format!("{} ", short_name(ty)));
            let parameter = format!("{ty}${name}");
            if index < least { parameter } else { format!("[{parameter}]") }
        })
        .collect();
    format!("{name}({})", parameters.join(", "))
}

/// A type by its name alone, if all of it would be long.
fn short_name(ty: &Type) -> String {
    let text = ty.to_string();
    if text.len() <= 40 { text } else { ty.name().to_string() }
}

/// Whether a call fits.
pub(crate) fn accepts(signature: &CallableType, args: &[Value], block: Option<&Block>) -> bool {
    signature.accepts_args(args) && accepts_block(signature, block)
}

fn accepts_block(signature: &CallableType, block: Option<&Block>) -> bool {
    match (&signature.block, block) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some(ty), None) => ty.covers(&Type::Undef),
        (Some(ty), Some(block)) => match (ty, block.plain_count()) {
            (Type::Callable(None), _) => true,
            // The usual case: a lambda without types, and a function that says how many arguments it will give.
            (Type::Callable(Some(wanted)), Some(count)) if is_plain(wanted) => {
                Range::exactly(count).covers(wanted.arity())
            }
            _ => ty.covers(&Type::Callable(Some(Arc::clone(block.signature())))),
        },
    }
}

/// Whether a type of lambdas only says how many arguments they are given.
fn is_plain(callable: &CallableType) -> bool {
    let any = callable.params.iter().all(|ty| matches!(ty, Type::Any | Type::Unit));
    any && callable.size.is_some() && callable.block.is_none() && callable.returns.is_none()
}
