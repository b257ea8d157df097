//! The ways to call a function, whatever it is written in.

use kukla::eval::signature::Signature;
use kukla::extensions::outline::SignatureOutline;
use kukla::values::{Str, Type};

use super::index::{Callee, Index};

/// A way to call a function, whatever it is written in.
#[derive(Clone, Debug)]
pub struct Form {
    /// The parameters: their names and types, and whether the last takes all that is left.
    pub parameters: Vec<(Str, Type)>,
    /// How many are needed.
    pub required: usize,
    /// Whether the last takes all that is left.
    pub rest: bool,
    /// Whether a lambda is needed.
    pub needs_block: bool,
    /// What it returns.
    pub returns: Option<Type>,
}

impl Form {
    /// Whether so many arguments fit.
    pub fn takes(&self, count: usize) -> bool {
        count >= self.required && (self.rest || count <= self.parameters.len())
    }

    /// The parameter that an argument is for.
    pub fn parameter(&self, at: usize) -> Option<&(Str, Type)> {
        self.parameters.get(at).or_else(|| self.parameters.last().filter(|_| self.rest))
    }
}

impl Index {
    /// The ways to call what a call leads to; none if nothing is known of them.
    pub fn forms(&self, callee: &Callee<'_>) -> Vec<Form> {
        let read = |text: &str| self.types.read(text).unwrap_or(Type::Any);
        match callee {
            Callee::Builtin(function) => {
                let honest = function.honest_signatures().unwrap_or_default();
                let mut forms: Vec<Form> = honest.iter().map(builtin).collect();
                // It takes no notice of more than it needs.
                if function.builtin.name == "ensure_resource" {
                    forms.iter_mut().for_each(|form| form.rest = true);
                }
                forms
            }
            Callee::Puppet(function) => {
                let parameters = function.parameters.iter().map(|one| {
                    // The type of what takes the rest is that of each argument.
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
