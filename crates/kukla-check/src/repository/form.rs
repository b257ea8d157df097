//! The signatures of functions in Puppet, Ruby and Rust.

use kukla::eval::signature::Signature;
use kukla::extensions::outline::SignatureOutline;
use kukla::values::{Str, Type};

use super::index::{Callee, Index};

/// A signature of a function, whatever the function is written in.
#[derive(Clone, Debug)]
pub struct Form {
    /// The parameters: their names and types.
    pub parameters: Vec<(Str, Type)>,
    /// The number of required parameters.
    pub required: usize,
    /// Whether the last parameter takes all remaining arguments.
    pub rest: bool,
    /// Whether a lambda is required.
    pub needs_block: bool,
    /// The type of the result.
    pub returns: Option<Type>,
}

impl Form {
    /// Whether the function accepts that number of arguments.
    pub fn takes(&self, count: usize) -> bool {
        count >= self.required && (self.rest || count <= self.parameters.len())
    }

    /// The parameter of an argument.
    pub fn parameter(&self, at: usize) -> Option<&(Str, Type)> {
        self.parameters.get(at).or_else(|| self.parameters.last().filter(|_| self.rest))
    }
}

impl Index {
    /// The signatures of a callee; empty if they are unknown.
    pub fn forms(&self, callee: &Callee<'_>) -> Vec<Form> {
        let read = |text: &str| self.types.read(text).unwrap_or(Type::Any);
        match callee {
            Callee::Builtin(function) => {
                let honest = function.honest_signatures().unwrap_or_default();
                let mut forms: Vec<Form> = honest.iter().map(builtin).collect();
                // The function ignores additional arguments.
                if function.builtin.name == "ensure_resource" {
                    forms.iter_mut().for_each(|form| form.rest = true);
                }
                forms
            }
            Callee::Puppet(function) => {
                let parameters = function.parameters.iter().map(|one| {
                    // The type of a rest parameter is that of each argument.
                    (one.name.clone(), one.ty.as_ref().map_or(Type::Any, |text| read(text)))
                });
                vec![Form {
                    parameters: parameters.collect(),
                    required: function.parameters.iter().filter(|one| !one.has_default && !one.rest).count(),
                    rest: function.parameters.last().is_some_and(|one| one.rest),
                    needs_block: false,
                    returns: function.ty.as_ref().map(|text| read(text)),
                }]
            }
            Callee::Ruby(function) => {
                let form = |signature: &SignatureOutline| Form {
                    parameters: signature
                        .parameters
                        .iter()
                        .map(|one| (Str::from(one.name.as_str()), read(&one.ty)))
                        .collect(),
                    required: signature.required(),
                    rest: signature.takes_rest(),
                    needs_block: signature.block.as_ref().is_some_and(|block| !block.is_optional),
                    returns: signature.returns.as_ref().map(|text| read(text)),
                };
                function.signatures.iter().map(form).collect()
            }
            Callee::Elsewhere | Callee::Missing => Vec::new(),
        }
    }
}

fn builtin(signature: &Signature) -> Form {
    let parameters = &signature.parameters;
    Form {
        parameters: parameters.iter().map(|one| (one.name.clone(), one.ty.clone())).collect(),
        required: parameters.iter().map(|one| usize::try_from(one.count.min()).unwrap_or(0)).sum(),
        rest: parameters.iter().any(|one| one.takes_rest),
        needs_block: signature.block.as_ref().is_some_and(|block| !block.ty.covers(&Type::Undef)),
        returns: signature.returns.clone(),
    }
}
