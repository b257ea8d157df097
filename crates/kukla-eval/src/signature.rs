//! The signatures of built-in functions: Puppet parameter lists, read when a function is first called or asked about.

use std::sync::Arc;

use kukla_syntax::ast::{self, Expr};
use kukla_syntax::{Source, diagnostic, parse_signature};
use kukla_values::types::callable::CallableType;
use kukla_values::types::mismatch;
use kukla_values::types::parse::parse_value;
use kukla_values::types::{Range, TypeAlias};
use kukla_values::{Error, Result, Str, Type, Value};

use crate::codes::UNREADABLE_SIGNATURE;
use crate::error::{Flow, Raise, Stage};
use crate::function::{Builtin, Overload, Quality};
use crate::registry::Registered;

/// One way to call a built-in function.
#[derive(Debug)]
pub struct Signature {
    /// Its parameters, in order; without the block.
    pub parameters: Vec<Parameter>,
    /// The lambda that may go with a call, or must.
    pub block: Option<BlockParameter>,
    /// Its return type.
    pub returns: Option<Type>,
    /// The same for choosing among overloads, and for messages about calls that fit none.
    pub(crate) call: mismatch::Signature,
}

/// One parameter of a built-in function.
#[derive(Debug)]
pub struct Parameter {
    /// Its name, without `$`.
    pub name: Str,
    /// The type of its value; of each value, if it takes the rest.
    pub ty: Type,
    /// Its default; `undef` may mean one that only the body knows.
    pub default: Option<Value>,
    /// How many arguments it takes.
    pub count: Range,
    /// Whether it takes all arguments that are left: `*$name`.
    pub takes_rest: bool,
}

/// The lambda of a call: `&$name`.
#[derive(Debug)]
pub struct BlockParameter {
    /// Its name, without `$`.
    pub name: Str,
    /// Its type: a `Callable`, or an `Optional` one.
    pub ty: Type,
}

/// The signatures of a built-in function as Puppet advertises them.
#[derive(Debug)]
pub struct Signatures {
    /// Those a call must fit, in the order they are tried.
    pub overloads: Vec<Signature>,
    /// Those tried when none of them fits, for a better message.
    pub(crate) mismatches: Vec<Signature>,
}

impl Registered {
    /// Its signatures, read when first needed.
    pub fn signatures(&self) -> Flow<&Signatures> {
        let read = || {
            let reader = Reader::new(self.builtin)?;
            let each = |overloads: &[Overload]| -> Result<Vec<Signature>> {
                overloads.iter().map(|overload| reader.read(overload.signature)).collect()
            };
            Ok(Signatures {
                overloads: each(self.builtin.overloads)?,
                mismatches: each(self.builtin.mismatches)?,
            })
        };
        self.signatures.get_or_init(read).as_ref().map_err(|error| self.unreadable(error))
    }

    /// Its precise signatures, for checkers, editors and documentation: more specific than those that Puppet advertises where
    /// these accept anything.
    pub fn honest_signatures(&self) -> Flow<&[Signature]> {
        if self.builtin.tools.is_empty() {
            return Ok(&self.signatures()?.overloads);
        }
        let read = || {
            let reader = Reader::new(self.builtin)?;
            self.builtin.tools.iter().map(|text| reader.read(text)).collect()
        };
        self.tools.get_or_init(read).as_deref().map_err(|error| self.unreadable(error))
    }

    /// The types of its signatures as Puppet advertises them.
    pub fn callables(&self) -> Vec<CallableType> {
        match self.signatures() {
            Ok(signatures) => {
                signatures.overloads.iter().map(|signature| signature.call.callable.clone()).collect()
            }
            Err(_) => Vec::new(),
        }
    }

    fn unreadable(&self, error: &Error) -> Raise {
        let wrong = diagnostic!(UNREADABLE_SIGNATURE { function: self.builtin.name });
        wrong.because(error.clone()).in_stage(Stage::Internal).into()
    }
}

/// Reads the signatures of one function, with the names it has for types.
struct Reader {
    aliases: Vec<Arc<TypeAlias>>,
    /// Whether Puppet knows what the function returns. What is declared for tools alone must not show in how Puppet sees it.
    advertises: bool,
}

impl Reader {
    fn new(builtin: &Builtin) -> Result<Reader> {
        // The aliases exist before any is given its meaning, since they may refer to each other.
        let split = |text: &'static str| text.split_once('=').map(|(name, ty)| (name.trim(), ty.trim()));
        let declared: Vec<(&str, &str)> = builtin.types.iter().filter_map(|text| split(text)).collect();
        let aliases = declared.iter().map(|(name, _)| TypeAlias::new(*name)).collect();
        let reader = Reader { aliases, advertises: builtin.is(Quality::TypedResult) };
        for (alias, (_, ty)) in reader.aliases.iter().zip(&declared) {
            alias.resolve(Type::parse_with(ty, &|name| reader.alias(name))?)?;
        }
        Ok(reader)
    }

    fn alias(&self, name: &str) -> Option<Type> {
        let found = self.aliases.iter().find(|alias| alias.name == name)?;
        Some(Type::Alias(Arc::clone(found)))
    }

    /// Reads one signature: `String $a, Integer $b = 2, Any *$rest, Optional[Callable] &$block >> String`.
    fn read(&self, text: &str) -> Result<Signature> {
        let find = &|name: &str| self.alias(name);
        let source = Source::unnamed(text);
        let parse = parse_signature(&source);
        if let Some(wrong) = parse.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
            return Err(wrong.clone().into());
        }
        let type_of = |written: Expr<'_>| Type::parse_with(written.syntax().text(), find);
        let (mut parameters, mut block) = (Vec::new(), None);
        let mut returns = None;
        if let Some(signature) = ast::Signature::of(&parse.tree) {
            for written in signature.parameters() {
                let ty = written.type_expr().map(type_of).transpose()?;
                if written.is_block() {
                    let ty = ty.unwrap_or(Type::Callable(None));
                    block = Some(BlockParameter { name: written.name().into(), ty });
                    continue;
                }
                let default = written.default();
                let default = default.map(|value| parse_value(value.syntax().text(), find)).transpose()?;
                parameters.push(parameter(written, ty.unwrap_or(Type::Any), default));
            }
            returns = signature.return_type().map(type_of).transpose()?;
        }
        let size = parameters.iter().fold(Range::exactly(0), |size, parameter| size.plus(parameter.count));
        let types = parameters.iter().map(|parameter| parameter.ty.clone()).collect();
        let block_type = block.as_ref().map(|block| block.ty.clone());
        let advertised = returns.clone().filter(|_| self.advertises);
        let call = mismatch::Signature {
            callable: CallableType::new(types, Some(size), block_type, advertised),
            names: parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            block_name: block.as_ref().map(|block| block.name.clone()),
        };
        Ok(Signature { parameters, block, returns, call })
    }
}

/// One parameter. For `Array[T, 1, 3] *$rest` the array says how many there may be, and `T` what each of them is.
fn parameter(written: ast::Parameter<'_>, ty: Type, default: Option<Value>) -> Parameter {
    let takes_rest = written.captures_rest();
    let (ty, count) = match ty {
        Type::Array(array) if takes_rest => (array.element.clone(), array.size.as_size()),
        ty if takes_rest => (ty, Range::at_least(0)),
        ty => (ty, Range::new(i64::from(default.is_none()), 1)),
    };
    Parameter { name: written.name().into(), ty, default, count, takes_rest }
}
