//! Blocks that are not written in Puppet, given to functions that are.

use std::sync::Arc;

use kukla_eval::environment::{Environment, EnvironmentSpec, Node};
use kukla_eval::error::{Flow, Raised};
use kukla_eval::lambda::{Block, ForeignBlock};
use kukla_eval::registry::Registry;
use kukla_eval::vm::Vm;
use kukla_values::types::Range;
use kukla_values::types::callable::CallableType;
use kukla_values::{Name, Type, Value, format};

/// A closure as a block.
struct Rust<F> {
    names: &'static [&'static str],
    signature: Arc<CallableType>,
    body: F,
}

impl<F> std::fmt::Debug for Rust<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "|{}|", self.names.join(", "))
    }
}

impl<F: Fn(&[Value]) -> Flow + Send + Sync> ForeignBlock for Rust<F> {
    fn signature(&self) -> &Arc<CallableType> {
        &self.signature
    }

    fn parameter_names(&self) -> Vec<Name> {
        self.names.iter().map(|name| Name::new(name)).collect()
    }

    fn call(&self, _vm: &mut Vm<'_>, args: Vec<Value>) -> Flow {
        (self.body)(&args)
    }
}

fn block(names: &'static [&'static str], body: impl Fn(&[Value]) -> Flow + Send + Sync + 'static) -> Block {
    let count = Range::exactly(names.len() as i64);
    let signature = Arc::new(CallableType::new(vec![Type::Any; names.len()], Some(count), None, None));
    Block::Foreign(Arc::new(Rust { names, signature, body }))
}

/// The outcome of a call as text.
fn call(function: &str, args: Vec<Value>, block: Block) -> String {
    let world = Arc::new(kukla_world::MemoryWorld::default());
    let registry = Arc::new(Registry::new(crate::LIBRARIES));
    let environment = Environment::new(EnvironmentSpec::new("production", world, registry));
    let node = Node::default();
    match Vm::new(&environment, &node).call(function, args, Some(block)) {
        Ok(value) => format::interpolate(&value).to_string(),
        Err(raise) => raise.diagnostic().map(|failure| failure.to_string()).unwrap_or_default(),
    }
}

fn integer(value: &Value) -> i64 {
    match value {
        Value::Integer(n) => *n,
        _ => 0,
    }
}

fn numbers() -> Vec<Value> {
    vec![Value::Array((1..=4).map(Value::Integer).collect())]
}

#[test]
fn functions_call_blocks_of_other_languages() {
    let doubled = |args: &[Value]| Ok(Value::Integer(integer(&args[0]) * 2));
    assert_eq!(call("map", numbers(), block(&["x"], doubled)), "[2, 4, 6, 8]");
    let is_even = |args: &[Value]| Ok(Value::Boolean(integer(&args[0]) % 2 == 0));
    assert_eq!(call("filter", numbers(), block(&["x"], is_even)), "[2, 4]");
    let sum = |args: &[Value]| Ok(Value::Integer(integer(&args[0]) + integer(&args[1])));
    assert_eq!(call("reduce", numbers(), block(&["memo", "x"], sum)), "10");
    let place = |args: &[Value]| Ok(Value::Integer(integer(&args[0]) * 10 + integer(&args[1])));
    assert_eq!(call("map", numbers(), block(&["i", "x"], place)), "[1, 12, 23, 34]");
}

#[test]
fn such_a_block_ends_the_iteration_or_a_round_of_it() {
    use std::sync::atomic::{AtomicI64, Ordering};
    let seen = Arc::new(AtomicI64::new(0));
    let count = Arc::clone(&seen);
    let stop_at_three = move |args: &[Value]| match integer(&args[0]) {
        3 => Err(Raised::Break(None).into()),
        n => Ok(Value::Integer(count.fetch_add(n, Ordering::Relaxed))),
    };
    assert_eq!(call("each", numbers(), block(&["x"], stop_at_three)), "[1, 2, 3, 4]");
    assert_eq!(seen.load(Ordering::Relaxed), 1 + 2);
    let skip = |args: &[Value]| match integer(&args[0]) {
        2 => Err(Raised::Next("skipped".into(), None).into()),
        n => Ok(Value::Integer(n)),
    };
    assert_eq!(call("map", numbers(), block(&["x"], skip)), "[1, skipped, 3, 4]");
}

#[test]
fn a_block_that_does_not_fit_is_refused_by_its_signature() {
    let refused = call("map", numbers(), block(&["a", "b", "c"], |_| Ok(Value::Undef)));
    assert!(refused.contains("'map' block expects"), "{refused}");
}
