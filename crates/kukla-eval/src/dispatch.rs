//! Which signature a call fits, and what is said when it fits none.

use std::sync::Arc;

use kukla_values::types::callable::CallableType;
use kukla_values::types::mismatch::{self, Signature};
use kukla_values::types::{Range, TypeAlias};
use kukla_values::{Str, Type, Value};

use crate::error::{Flow, Raise};
use crate::function::{Args, Builtin, Overload};
use crate::lambda::Block;
use crate::program::{Param, PuppetFunction};
use crate::registry::Registered;
use crate::vm::Vm;

impl Vm<'_> {
    /// The overload of a built-in function that a call fits.
    pub(crate) fn select(
        &mut self,
        function: &'static Registered,
        args: &[Value],
        block: Option<&Block>,
    ) -> Flow<usize> {
        let signatures = function.signatures()?;
        let fitting = |signature: &Signature| accepts(&signature.callable, args, block);
        if let Some(found) = signatures.overloads.iter().position(fitting) {
            return Ok(found);
        }
        if let Some(wrong) = signatures.mismatches.iter().position(fitting) {
            let args = Args::new(args.to_vec(), block.cloned());
            let why = (function.builtin.mismatches[wrong].body)(self, args)?;
            let why = why.as_str().unwrap_or_default();
            return Err(Raise::runtime(format!("'{}' {why}", function.builtin.name)));
        }
        Err(Raise::runtime(describe(function.builtin.name, &signatures.overloads, args, block)))
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
        Err(Raise::runtime(describe(name, &[signature], args, block)))
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
        Err(Raise::runtime(describe(name, &[named(signature, params)], args, None)))
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

fn named(signature: &CallableType, params: &[Param]) -> Signature {
    let names = params.iter().map(|param| param.name.as_str().into()).collect();
    Signature { callable: signature.clone(), names, block_name: None }
}

fn describe(name: &str, signatures: &[Signature], args: &[Value], block: Option<&Block>) -> String {
    let mut types: Vec<Type> = args.iter().map(Type::of).collect();
    types.extend(block.map(|block| Type::Callable(Some(Arc::clone(block.signature())))));
    mismatch::describe_signatures(name, signatures, &types)
}

/// Whether a call fits.
fn accepts(signature: &CallableType, args: &[Value], block: Option<&Block>) -> bool {
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

/// The signatures of a built-in function.
#[derive(Debug)]
pub(crate) struct Signatures {
    overloads: Vec<Signature>,
    mismatches: Vec<Signature>,
}

impl Registered {
    /// Its signatures, read when first needed.
    pub(crate) fn signatures(&self) -> Flow<&Signatures> {
        let read = || read_signatures(self.builtin).map_err(|error| error.message());
        self.signatures.get_or_init(read).as_ref().map_err(|message| {
            Raise::runtime(format!("the signature of '{}' cannot be read: {message}", self.builtin.name))
        })
    }

    /// The types of its signatures, for documentation and `type()`.
    pub fn callables(&self) -> Vec<CallableType> {
        match self.signatures() {
            Ok(signatures) => {
                signatures.overloads.iter().map(|signature| signature.callable.clone()).collect()
            }
            Err(_) => Vec::new(),
        }
    }
}

fn read_signatures(builtin: &Builtin) -> kukla_values::Result<Signatures> {
    // The aliases exist before any is given its meaning, since they may refer to each other.
    let split = |text: &'static str| text.split_once('=').map(|(name, ty)| (name.trim(), ty.trim()));
    let declared: Vec<(&str, &str)> = builtin.types.iter().filter_map(|text| split(text)).collect();
    let aliases: Vec<Arc<TypeAlias>> = declared.iter().map(|(name, _)| TypeAlias::new(*name)).collect();
    let lookup = |name: &str| -> Option<Type> {
        aliases.iter().find(|alias| alias.name == name).map(|alias| Type::Alias(Arc::clone(alias)))
    };
    for (alias, (_, ty)) in aliases.iter().zip(&declared) {
        alias.resolve(Type::parse_with(ty, &lookup)?)?;
    }
    let read = |overloads: &[Overload]| -> kukla_values::Result<Vec<Signature>> {
        overloads.iter().map(|overload| read_signature(overload.signature, &lookup)).collect()
    };
    Ok(Signatures { overloads: read(builtin.overloads)?, mismatches: read(builtin.mismatches)? })
}

/// Reads a Puppet parameter list: `String $a, Integer $b = 2, Any *$rest, Optional[Callable] &$block`.
fn read_signature(text: &str, lookup: &dyn Fn(&str) -> Option<Type>) -> kukla_values::Result<Signature> {
    let mut types = Vec::new();
    let mut names: Vec<Str> = Vec::new();
    let mut size = Range { min: 0, max: 0 };
    let (mut block, mut block_name, mut returns) = (None, None, None);
    let (params, result) = text.split_once(">>").unwrap_or((text, ""));
    if !result.trim().is_empty() {
        returns = Some(Type::parse_with(result.trim(), lookup)?);
    }
    for param in split_params(params) {
        // A pattern in the type may hold a dollar sign; the name's comes last.
        let (before, after) = param.rsplit_once('$').unwrap_or((param, ""));
        let (name, default) = match after.split_once('=') {
            Some((name, _)) => (name.trim(), true),
            None => (after.trim(), false),
        };
        let written = before.trim_end_matches(['*', '&', ' ']).trim();
        let ty = if written.is_empty() { Type::Any } else { Type::parse_with(written, lookup)? };
        match before.trim_end().chars().next_back() {
            Some('&') => {
                block = Some(if written.is_empty() { Type::Callable(None) } else { ty });
                block_name = Some(name.into());
            }
            Some('*') => {
                let (ty, range) = match ty {
                    Type::Array(array) => {
                        (array.element.clone(), Range { min: array.size.min.max(0), ..array.size })
                    }
                    other => (other, Range { min: 0, max: i64::MAX }),
                };
                size.min += range.min;
                size.max = size.max.saturating_add(range.max);
                types.push(ty);
                names.push(name.into());
            }
            _ => {
                size.min += i64::from(!default);
                size.max += 1;
                types.push(ty);
                names.push(name.into());
            }
        }
    }
    Ok(Signature { callable: CallableType::new(types, Some(size), block, returns), names, block_name })
}

/// The parameters of a list, split at the commas outside of brackets and quotes.
fn split_params(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0, false, 0);
    let mut params = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                params.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    params.push(text[start..].trim());
    params.retain(|param| !param.is_empty());
    params
}
