//! Functions: how built-in ones are declared, and the registry that finds any function by name.
//!
//! A built-in function is its documentation, its Puppet signatures, and one ordinary Rust function per signature:
//!
//! ```ignore
//! builtins! {
//!     /// Joins the elements of an array into one string.
//!     ///
//!     /// ```puppet
//!     /// join(['a', ['b', 'c']], '-')    # => 'a-b-c'
//!     /// ```
//!     "join" {
//!         "Array $arg, String $delimiter = ''" => join,
//!     }
//! }
//!
//! fn join(arg: Array, delimiter: Option<Str>) -> Str { .. }
//! ```
//!
//! A signature is a Puppet parameter list: `Type $name`, `= default` for one that may be left out, `*$rest` for any number,
//! `&$block` for the lambda. Arguments are checked against it before the body runs, so the body holds only the idea. Several
//! signatures are tried in order, split exactly as Puppet splits them, because its "expects one of" report lists them.
//!
//! Puppet lets a function name types for its signatures and word its own refusals; both print in messages, so both are here:
//!
//! ```ignore
//! "upcase" {
//!     type "StringData = Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]";
//!     "Array[StringData] $arg" => upcase;
//!     mismatch "Any $arg" => say_why,
//! }
//! ```

use std::sync::Arc;

use kukla_values::{Array, Hash, Str, Type, Value};

use crate::error::Flow;
use crate::lambda::Block;
use crate::vm::Vm;

/// One built-in function.
#[derive(Debug)]
pub struct Builtin {
    /// Its name in Puppet, qualified if it has a module.
    pub name: &'static str,
    /// Its documentation in Markdown; examples in it are tests.
    pub doc: &'static str,
    /// Type aliases its signatures may use, as `Name = Type`; they may refer to themselves and to each other.
    pub types: &'static [&'static str],
    /// Its signatures, in the order they are tried.
    pub overloads: &'static [Overload],
    /// Signatures tried when none of those fits: the text the body returns says what is wrong, after the function's name.
    pub mismatches: &'static [Overload],
}

/// One signature of a built-in function and what runs when it fits.
#[derive(Debug)]
pub struct Overload {
    /// A Puppet parameter list.
    pub signature: &'static str,
    /// The body, behind a uniform shape.
    pub body: fn(&mut Vm<'_>, Args) -> Flow<Value>,
}

/// The checked arguments of one call, handed out left to right.
#[derive(Debug)]
pub struct Args {
    values: std::vec::IntoIter<Value>,
    block: Option<Block>,
}

impl Args {
    /// Arguments and the lambda, if there is one.
    pub fn new(values: Vec<Value>, block: Option<Block>) -> Args {
        Args { values: values.into_iter(), block }
    }
}

/// A Rust parameter of a built-in function.
pub trait FromArgs: Sized {
    /// Takes what it needs from the arguments. The signature was checked before, so a value of another kind can only mean
    /// that signature and body disagree: the fallback is the kind's neutral value.
    fn take(args: &mut Args) -> Self;
}

/// All the arguments that are left.
#[derive(Debug)]
pub struct Rest(pub Vec<Value>);

macro_rules! from_args {
    ($($kind:ty: $pattern:pat => $value:expr, $neutral:expr;)*) => {
        $(impl FromArgs for $kind {
            fn take(args: &mut Args) -> $kind {
                match args.values.next() {
                    Some($pattern) => $value,
                    _ => { debug_assert!(false, "signature and body disagree"); $neutral }
                }
            }
        }
        impl FromArgs for Option<$kind> {
            fn take(args: &mut Args) -> Option<$kind> {
                match args.values.next() {
                    Some($pattern) => Some($value),
                    _ => None,
                }
            }
        })*
    };
}

from_args! {
    Str: Value::String(text) => text, Str::new();
    i64: Value::Integer(n) => n, 0;
    f64: Value::Float(n) => n, 0.0;
    bool: Value::Boolean(b) => b, false;
    Array: Value::Array(array) => array, Array::new();
    Hash: Value::Hash(hash) => hash, Hash::new();
    Arc<Type>: Value::Type(ty) => ty, Arc::new(Type::Any);
}

impl FromArgs for Value {
    fn take(args: &mut Args) -> Value {
        args.values.next().unwrap_or_default()
    }
}

/// `None` when the argument was left out; an explicit `undef` is a value.
impl FromArgs for Option<Value> {
    fn take(args: &mut Args) -> Option<Value> {
        args.values.next()
    }
}

impl FromArgs for Rest {
    fn take(args: &mut Args) -> Rest {
        Rest(args.values.by_ref().collect())
    }
}

impl FromArgs for Option<Block> {
    fn take(args: &mut Args) -> Option<Block> {
        args.block.take()
    }
}

/// What the body of a built-in function may return.
pub trait IntoFlow {
    /// The value, or why there is none.
    fn into_flow(self) -> Flow<Value>;
}

macro_rules! into_flow {
    ($($kind:ty)*) => {
        $(impl IntoFlow for $kind {
            fn into_flow(self) -> Flow<Value> {
                Ok(self.into())
            }
        })*
    };
}

into_flow! { Value Str String &str i64 f64 bool Array Hash Type Vec<Value> }

impl IntoFlow for () {
    fn into_flow(self) -> Flow<Value> {
        Ok(Value::Undef)
    }
}

impl<T: Into<Value>> IntoFlow for Flow<T> {
    fn into_flow(self) -> Flow<Value> {
        self.map(Into::into)
    }
}

impl<T: Into<Value>> IntoFlow for kukla_values::Result<T> {
    fn into_flow(self) -> Flow<Value> {
        Ok(self?.into())
    }
}

/// A Rust function that can be the body of a built-in one: its parameters are taken from the arguments in order, after an
/// optional `&mut Vm`. `Marker` only keeps the implementations apart.
pub trait Body<Marker> {
    /// Runs it.
    fn invoke(&self, vm: &mut Vm<'_>, args: Args) -> Flow<Value>;
}

macro_rules! body {
    ($($param:ident)*) => {
        impl<F, R, $($param,)*> Body<(R, $($param,)*)> for F
        where
            F: Fn($($param),*) -> R,
            R: IntoFlow,
            $($param: FromArgs,)*
        {
            #[allow(unused_mut, unused_variables)]
            fn invoke(&self, _vm: &mut Vm<'_>, mut args: Args) -> Flow<Value> {
                self($(<$param>::take(&mut args)),*).into_flow()
            }
        }

        impl<F, R, $($param,)*> Body<(Vm<'static>, R, $($param,)*)> for F
        where
            F: Fn(&mut Vm<'_>, $($param),*) -> R,
            R: IntoFlow,
            $($param: FromArgs,)*
        {
            #[allow(unused_mut, unused_variables)]
            fn invoke(&self, vm: &mut Vm<'_>, mut args: Args) -> Flow<Value> {
                self(vm, $(<$param>::take(&mut args)),*).into_flow()
            }
        }
    };
}

body!();
body!(A);
body!(A B);
body!(A B C);
body!(A B C D);
body!(A B C D E);

/// Declares the built-in functions of one file as `pub static BUILTINS: &[Builtin]`; see the head of this module.
#[macro_export]
macro_rules! builtins {
    ($(
        $(#[doc = $doc:literal])* $name:literal {
            $(type $alias:literal;)*
            $($signature:literal => $body:expr),* $(,)?
            $(; mismatch $($wrong:literal => $why:expr),+ $(,)?)?
        }
    )*) => {
        /// The functions of this file.
        pub static BUILTINS: &[$crate::function::Builtin] = &[$(
            $crate::function::Builtin {
                name: $name,
                doc: concat!($($doc, "\n",)*),
                types: &[$($alias),*],
                overloads: &[$(
                    $crate::function::Overload {
                        signature: $signature,
                        body: |vm, args| $crate::function::Body::invoke(&$body, vm, args),
                    },
                )*],
                mismatches: &[$($(
                    $crate::function::Overload {
                        signature: $wrong,
                        body: |vm, args| $crate::function::Body::invoke(&$why, vm, args),
                    },
                )+)?],
            },
        )*];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    builtins! {
        /// Repeats text.
        "repeat" { "String $text, Integer $times = 2" => repeat }
        "none" { "" => none; mismatch "Any $x" => none }
        "with_vm" { "Any *$rest" => with_vm }
    }

    fn repeat(text: Str, times: Option<i64>) -> Str {
        text.repeat(times.unwrap_or(2) as usize)
    }

    fn none() {}

    fn with_vm(_vm: &mut Vm<'_>, Rest(values): Rest) -> Flow<i64> {
        Ok(values.len() as i64)
    }

    #[test]
    fn arguments_reach_the_body_in_order() {
        let world = std::sync::Arc::new(kukla_world::MemoryWorld::default());
        let (settings, registry) = (Default::default(), Default::default());
        let environment =
            crate::environment::Environment::new("production", None, Vec::new(), settings, world, registry);
        let node = crate::environment::Node::default();
        let mut vm = Vm::new(&environment, &node);
        let args = Args::new(vec!["ab".into()], None);
        let value = (BUILTINS[0].overloads[0].body)(&mut vm, args).expect("no error");
        assert_eq!(value, Value::from("abab"));
        let args = Args::new(vec![Value::Undef, Value::Undef], None);
        assert_eq!((BUILTINS[2].overloads[0].body)(&mut vm, args).expect("no error"), Value::Integer(2));
        assert_eq!(BUILTINS[0].doc, " Repeats text.\n");
    }
}
