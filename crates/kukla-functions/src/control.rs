//! The course of evaluation: `break`, `next`, `return`, `call`, `with`, `then`, `lest`, `unwrap`, and `import`, which is gone.

use kukla_eval::builtins;
use kukla_eval::error::{Diagnostic, Flow, Frame, Raise, Stage};
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_syntax::diagnostic;
use kukla_values::{Str, Value};

use crate::codes::DISCONTINUED_IMPORT;
use crate::iterate::call;

builtins! {
    /// Ends the iteration that calls the lambda.
    ///
    /// ```puppet
    /// [1, 2, 3].map |$x| { if $x == 2 { break() } $x }    # => [1]
    /// ```
    "break": Leaves { ">> Undef" => stop }

    /// Ends the lambda, function, class or define that is being evaluated, with a value if it gives one.
    ///
    /// ```puppet
    /// [1, 2].map |$x| { if $x == 2 { next('two') } $x }    # => [1, 'two']
    /// ```
    "next": Leaves { "Any $value = undef >> Undef" => next }

    /// Ends the function, class or define that is being evaluated, also from within a lambda.
    ///
    /// ```puppet
    /// function even(Integer $n) { if $n % 2 == 0 { return(true) } false }
    /// even(4)    # => true
    /// ```
    "return": Leaves { "Any $value = undef >> Undef" => give }

    /// Calls the function of a given name.
    ///
    /// ```puppet
    /// call('upcase', 'a')    # => 'A'
    /// ```
    ///
    /// Given a `Deferred`, does now what it defers.
    "call" {
        "String $function_name, Any *$arguments, Optional[Callable] &$block >> Any" => call_named,
        "Deferred $deferred >> Any" => call_deferred,
    }

    /// Calls a lambda with the given values, which it can name as it likes without their being seen outside.
    ///
    /// ```puppet
    /// with(1, 2) |$a, $b| { $a + $b }    # => 3
    /// ```
    "with" { "Any *$arg, Callable &$block >> Any" => with }

    /// Calls a lambda with a value unless that is `undef`.
    ///
    /// ```puppet
    /// {a => 1}['a'].then |$x| { $x + 1 }    # => 2
    /// {a => 1}['b'].then |$x| { $x + 1 }    # => undef
    /// ```
    "then" { "Any $arg, Callable[1, 1] &$block >> Any" => then }

    /// A value, or what a lambda gives if the value is `undef`.
    ///
    /// ```puppet
    /// lest(undef) || { 7 }    # => 7
    /// lest(1) || { 7 }        # => 1
    /// ```
    "lest" { "Any $arg, Callable[0, 0] &$block >> Any" => lest }

    /// The value that a `Sensitive` holds, or what a lambda gives for it; other values are given back as they are.
    ///
    /// ```puppet
    /// unwrap(Sensitive('secret'))    # => 'secret'
    /// unwrap(7)                      # => 7
    /// ```
    "unwrap" {
        "Sensitive $arg, Optional[Callable] &$block >> Any" => unwrap,
        "Any $arg, Optional[Callable] &$block >> Any" => unwrap,
    }

    /// Was a way to read other manifests; always fails.
    ///
    /// ```puppet
    /// import('nodes/*.pp')    # error: DISCONTINUED_IMPORT "Use of 'import' has been discontinued"
    /// ```
    "import": Leaves, Deprecated { "Any *$args >> Undef" => import }
}

fn stop(vm: &mut Vm<'_>) -> Flow<Value> {
    Err(Raise::stop(vm.caller()))
}

fn next(vm: &mut Vm<'_>, value: Value) -> Flow<Value> {
    Err(Raise::next(value, vm.caller()))
}

fn give(vm: &mut Vm<'_>, value: Value) -> Flow<Value> {
    Err(Raise::give(value, vm.caller()))
}

fn call_named(vm: &mut Vm<'_>, name: Str, Rest(args): Rest, block: Option<Block>) -> Flow<Value> {
    vm.call(&name, args, block)
}

fn call_deferred(vm: &mut Vm<'_>, deferred: Value) -> Flow<Value> {
    vm.resolve_deferred(deferred)
}

fn with(vm: &mut Vm<'_>, Rest(args): Rest, block: Option<Block>) -> Flow<Value> {
    call(vm, &block, args)
}

fn then(vm: &mut Vm<'_>, arg: Value, block: Option<Block>) -> Flow<Value> {
    if arg.is_undef() { Ok(arg) } else { call(vm, &block, vec![arg]) }
}

fn lest(vm: &mut Vm<'_>, arg: Value, block: Option<Block>) -> Flow<Value> {
    if arg.is_undef() { call(vm, &block, Vec::new()) } else { Ok(arg) }
}

fn unwrap(vm: &mut Vm<'_>, arg: Value, block: Option<Block>) -> Flow<Value> {
    let inner = match arg {
        Value::Sensitive(inner) => (*inner).clone(),
        other => other,
    };
    if block.is_some() { call(vm, &block, vec![inner]) } else { Ok(inner) }
}

fn import(vm: &mut Vm<'_>, _args: Rest) -> Flow<Value> {
    Err(at_the_call(vm, diagnostic!(DISCONTINUED_IMPORT)))
}

/// A rule broken by the call being made.
pub fn at_the_call(vm: &Vm<'_>, mut failure: Diagnostic) -> Raise {
    match vm.caller() {
        // The call is not at fault when there is no data.
        Some(location) if failure.stage == Stage::Data => failure.label(location, "asked for here").into(),
        Some(location) => {
            failure.frame = Frame::Rule;
            failure.at(location).into()
        }
        None => failure.into(),
    }
}
