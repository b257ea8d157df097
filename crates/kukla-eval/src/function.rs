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
//! fn join(arg: Array, delimiter: Str) -> String { .. }
//! ```
//!
//! A signature is a Puppet parameter list: `Type $name`, `= default` for one that may be left out, `*$rest` for any number,
//! `&$block` for the lambda. Arguments are checked against it before the body runs and omitted ones get their defaults, so
//! the body holds only the idea. Several signatures are tried in order, split exactly as Puppet splits them, because its "expects
//! one of" report lists them. A test over all functions proves that each body takes what its signature lets through; see [`crate::fit`].
//!
//! The qualities of a function follow its name, see [`Quality`]: `"epp": RunsCode, ReadsFiles { .. }`. Its return type is
//! written as in Puppet, `>> String`, for tools: calls are not checked against it.
//!
//! Puppet advertises nothing about many functions but `Any *$args`, and the message for a wrong call shows that. The precise
//! types of such a function are written beside it, for tools as well:
//!
//! ```ignore
//! "reverse" {
//!     "Any *$args, Optional[Callable] &$block" => reverse;
//!     tools "Array $values >> Array", "String $text >> String"
//! }
//! ```
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

use kukla_syntax::diagnostic;
use kukla_values::{Array, Hash, Str, Type, Value};

use crate::codes::INTERNAL_ERROR;
use crate::error::{Flow, Raise, Stage};
use crate::lambda::Block;
use crate::signature::Parameter;
use crate::vm::Vm;

/// One built-in function.
#[derive(Debug)]
pub struct Builtin {
    /// Its name in Puppet, qualified if it has a module.
    pub name: &'static str,
    /// Its documentation in Markdown; examples in it are tests.
    pub doc: &'static str,
    /// Its qualities.
    pub qualities: &'static [Quality],
    /// Type aliases its signatures may use, as `Name = Type`; they may refer to themselves and to each other.
    pub types: &'static [&'static str],
    /// Its signatures, in the order they are tried.
    pub overloads: &'static [Overload],
    /// Signatures tried when none of those fits: the text the body returns says what is wrong, after the function's name.
    pub mismatches: &'static [Overload],
    /// Precise signatures for tools, where those that Puppet advertises accept anything.
    pub tools: &'static [&'static str],
}

impl Builtin {
    /// Whether it has this quality.
    pub fn is(&self, quality: Quality) -> bool {
        self.qualities.contains(&quality)
    }
}

/// Something special about a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// It runs Puppet code even without a block: classes, templates, functions by name.
    RunsCode,
    /// It does not come back to where it was called: `break`, `fail`.
    Leaves,
    /// It writes to the log.
    Logs,
    /// It looks data up.
    LooksUp,
    /// It adds to the catalog or changes it.
    ChangesCatalog,
    /// Its result depends on the catalog as far as it has been built.
    ReadsCatalog,
    /// It reads variables or facts that are not among its arguments.
    ReadsVariables,
    /// It reads files or asks whether there are any.
    ReadsFiles,
    /// It runs programs of the machine.
    RunsCommands,
    /// It reads the clock.
    ReadsClock,
    /// It returns something else at each call.
    Random,
    /// It should no longer be used.
    Deprecated,
    /// It replaces Ruby code that needs something which is missing, or allowed only by policy.
    BeyondRuby,
    /// Puppet itself knows the type of what it returns. For all other functions that is known to tools alone.
    TypedResult,
}

/// One signature of a built-in function and what runs when it fits.
#[derive(Debug)]
pub struct Overload {
    /// A Puppet parameter list.
    pub signature: &'static str,
    /// The body, behind a uniform shape.
    pub body: fn(&mut Vm<'_>, Args) -> Flow<Value>,
    /// The parameters of the body.
    pub takes: fn() -> Vec<Takes>,
}

/// The argument of one Rust parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// An argument of this type.
    One(&'static str),
    /// An argument of this type, or `undef`.
    Perhaps(&'static str),
    /// Any argument, and it knows whether it was left out.
    IfGiven,
    /// All arguments that are left.
    Rest,
    /// The lambda.
    Block,
}

/// The checked arguments of one call, handed out left to right.
#[derive(Debug)]
pub struct Args {
    values: std::vec::IntoIter<Value>,
    block: Option<Block>,
    /// The parameters whose arguments have not been handed out; they have the defaults of omitted ones.
    parameters: std::slice::Iter<'static, Parameter>,
}

impl Args {
    /// Arguments and the lambda, if there is one, for these parameters.
    pub fn new(values: Vec<Value>, block: Option<Block>, parameters: &'static [Parameter]) -> Args {
        Args { values: values.into_iter(), block, parameters: parameters.iter() }
    }

    /// The next argument, or else its default.
    fn next(&mut self) -> Value {
        let parameter = self.parameters.next();
        let default = || parameter.and_then(|parameter| parameter.default.clone()).unwrap_or_default();
        self.values.next().unwrap_or_else(default)
    }
}

/// A Rust parameter of a built-in function.
pub trait FromArgs: Sized {
    /// Its parameter.
    const TAKES: Takes;
    /// Takes what it needs from the arguments. They fit the signature, and the signature what is taken here.
    fn take(args: &mut Args) -> Flow<Self>;
}

/// All the arguments that are left.
#[derive(Debug)]
pub struct Rest(pub Vec<Value>);

macro_rules! from_args {
    ($($kind:ty = $name:literal: $pattern:pat => $value:expr;)*) => {
        $(impl FromArgs for $kind {
            const TAKES: Takes = Takes::One($name);
            fn take(args: &mut Args) -> Flow<$kind> {
                match args.next() {
                    $pattern => Ok($value),
                    other => Err(disagree($name, &other)),
                }
            }
        }
        impl FromArgs for Option<$kind> {
            const TAKES: Takes = Takes::Perhaps($name);
            fn take(args: &mut Args) -> Flow<Option<$kind>> {
                match args.next() {
                    $pattern => Ok(Some($value)),
                    Value::Undef => Ok(None),
                    other => Err(disagree($name, &other)),
                }
            }
        })*
    };
}

from_args! {
    Str = "String": Value::String(text) => text;
    i64 = "Integer": Value::Integer(n) => n;
    f64 = "Float": Value::Float(n) => n;
    bool = "Boolean": Value::Boolean(b) => b;
    Array = "Array": Value::Array(array) => array;
    Hash = "Hash": Value::Hash(hash) => hash;
    Arc<Type> = "Type": Value::Type(ty) => ty;
}

/// A body got what its signature should not have let through, which a test rules out for every function there is.
#[cold]
fn disagree(wanted: &str, got: &Value) -> Raise {
    let what = format!("a built-in function takes {wanted} and was given {}", Type::of(got));
    diagnostic!(INTERNAL_ERROR { what }).in_stage(Stage::Internal).into()
}

impl FromArgs for Value {
    const TAKES: Takes = Takes::One("Any");
    fn take(args: &mut Args) -> Flow<Value> {
        Ok(args.next())
    }
}

/// `None` when the argument was left out; an explicit `undef` is a value.
impl FromArgs for Option<Value> {
    const TAKES: Takes = Takes::IfGiven;
    fn take(args: &mut Args) -> Flow<Option<Value>> {
        args.parameters.next();
        Ok(args.values.next())
    }
}

impl FromArgs for Rest {
    const TAKES: Takes = Takes::Rest;
    fn take(args: &mut Args) -> Flow<Rest> {
        Ok(Rest(args.values.by_ref().collect()))
    }
}

impl FromArgs for Option<Block> {
    const TAKES: Takes = Takes::Block;
    fn take(args: &mut Args) -> Flow<Option<Block>> {
        Ok(args.block.take())
    }
}

/// The return types of built-in functions.
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
    /// Its parameter.
    fn takes(&self) -> Vec<Takes>;
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
                self($(<$param>::take(&mut args)?),*).into_flow()
            }

            fn takes(&self) -> Vec<Takes> {
                vec![$(<$param>::TAKES),*]
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
                self(vm, $(<$param>::take(&mut args)?),*).into_flow()
            }

            fn takes(&self) -> Vec<Takes> {
                vec![$(<$param>::TAKES),*]
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
        $(#[doc = $doc:literal])* $name:literal $(: $($quality:ident),+)? {
            $(type $alias:literal;)*
            $($signature:expr => $body:expr),* $(,)?
            $(; mismatch $($wrong:literal => $why:expr),+ $(,)?)?
            $(; tools $($honest:literal),+ $(,)?)?
        }
    )*) => {
        /// The functions of this file.
        pub static BUILTINS: &[$crate::function::Builtin] = &[$(
            $crate::function::Builtin {
                name: $name,
                doc: concat!($($doc, "\n",)*),
                qualities: &[$($($crate::function::Quality::$quality),+)?],
                types: &[$($alias),*],
                overloads: &[$(
                    $crate::function::Overload {
                        signature: $signature,
                        body: |vm, args| $crate::function::Body::invoke(&$body, vm, args),
                        takes: || $crate::function::Body::takes(&$body),
                    },
                )*],
                mismatches: &[$($(
                    $crate::function::Overload {
                        signature: $wrong,
                        body: |vm, args| $crate::function::Body::invoke(&$why, vm, args),
                        takes: || $crate::function::Body::takes(&$why),
                    },
                )+)?],
                tools: &[$($($honest),+)?],
            },
        )*];
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{Environment, EnvironmentSpec};
    use crate::registry::{FunctionOrigin, Library, Registered, Registry};

    builtins! {
        /// Repeats text.
        "repeat": Random { "String $text, Integer $times = 2 >> String" => repeat }
        "with_vm" { "Any *$rest" => with_vm; tools "Integer *$rest, Callable[1, 1] &$f >> Integer" }
        "liar" { ">> String" => none }
        "misfit" {
            "Any $text, Integer $times = undef >> Any" => repeat,
            "Any *$rest >> Any" => none,
            "Any *$rest, Callable &$block >> Any" => with_vm,
        }
    }

    fn repeat(text: Str, times: i64) -> Str {
        text.repeat(times as usize)
    }

    fn none() {}

    fn with_vm(_vm: &mut Vm<'_>, Rest(values): Rest) -> Flow<i64> {
        Ok(values.len() as i64)
    }

    static TABLES: &[&[Builtin]] = &[BUILTINS];

    fn registry() -> Registry {
        Registry::new(&[Library { origin: FunctionOrigin::Core, tables: TABLES, originals: &[] }])
    }

    fn function(name: &str) -> &'static Registered {
        registry().get(name.into()).expect("it is declared above")
    }

    #[test]
    fn arguments_reach_the_body_in_order_and_defaults_stand_in() {
        let world = Arc::new(kukla_world::MemoryWorld::default());
        let spec = EnvironmentSpec::new("production", world, Arc::new(registry()));
        let environment = Environment::new(spec);
        let node = crate::environment::Node::default();
        let mut vm = Vm::new(&environment, &node);
        let mut call = |name: &str, args: &[Value]| vm.call(name, args.to_vec(), None).expect("no error");
        assert_eq!(call("repeat", &["ab".into()]), "abab".into());
        assert_eq!(call("repeat", &["ab".into(), 3.into()]), "ababab".into());
        assert_eq!(call("with_vm", &[Value::Undef, Value::Undef]), 2.into());
        assert_eq!(BUILTINS[0].doc, " Repeats text.\n");
        if cfg!(debug_assertions) {
            let raise = vm.call("liar", Vec::new(), None).expect_err("it does not return text");
            let message = raise.diagnostic().map(|wrong| wrong.message());
            assert_eq!(
                message.as_deref(),
                Some("internal error: 'liar' returned Undef, but is documented to return String")
            );
        }
    }

    #[test]
    fn what_is_declared_can_be_asked() {
        let repeat = function("repeat");
        assert!(repeat.builtin.is(Quality::Random) && !repeat.builtin.is(Quality::Logs));
        let [signature] = &repeat.signatures().expect("it can be read").overloads[..] else {
            panic!("it has one signature")
        };
        let [text, times] = &signature.parameters[..] else { panic!("it has two parameters") };
        assert_eq!((text.name.as_str(), text.ty.to_string().as_str()), ("text", "String"));
        assert_eq!((times.default.clone(), text.default.clone()), (Some(2.into()), None));
        assert_eq!(signature.returns.as_ref().map(Type::to_string).as_deref(), Some("String"));
        assert!(repeat.callables()[0].returns.is_none(), "Puppet does not know what it returns");
        let honest = function("with_vm").honest_signatures().expect("they can be read");
        assert!(honest[0].parameters[0].takes_rest);
        assert_eq!(honest[0].block.as_ref().map(|block| block.name.as_str()), Some("f"));
    }

    #[test]
    fn bodies_that_do_not_fit_are_found() {
        let misfits = |name: &str| crate::fit::misfits(function(name)).expect("it can be read");
        assert_eq!(misfits("repeat"), [""; 0]);
        assert_eq!(
            misfits("misfit"),
            [
                "misfit(Any $text, Integer $times = undef >> Any): the body takes One(\"String\") for Any $text",
                "misfit(Any $text, Integer $times = undef >> Any): the body takes One(\"Integer\") for Integer $times",
                "misfit(Any *$rest >> Any): the body does not take $rest",
                "misfit(Any *$rest, Callable &$block >> Any): the body does not take &$block",
            ]
        );
    }
}
