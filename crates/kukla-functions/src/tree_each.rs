//! `tree_each`: everything in nested containers, with the path to it.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Flow, Raised};
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_syntax::bail;
use kukla_values::iterator::Iterator as Lazy;
use kukla_values::iterator::tree::{Tree, Walk};
use kukla_values::{Hash, Result, Type, Value};

use crate::codes::{NOTHING_TO_VISIT, TYPE_WITHOUT_MEMBERS};
use crate::iterate::call;

builtins! {
    /// Visits containers and the values in them, however deep: a lambda of one parameter gets each, one of two parameters its path (an
    /// array of keys and indexes) too; without a lambda gives an iterator of pairs of path and value.
    ///
    /// Options: `include_root`, `include_containers`, `include_values` (all true), `container_type` (what counts as a container),
    /// `order` (`depth_first` or `breadth_first`), `include_refs`.
    ///
    /// ```puppet
    /// tree_each([1, [2]]).map |$x| { $x }    # => [[[], [1, [2]]], [[0], 1], [[1], [2]], [[1, 0], 2]]
    /// tree_each({a => {b => 1}}, {include_containers => false}) |$path, $x| { notice($path) }    # notice: [a, b]
    /// ```
    "tree_each" {
        type "OptionsType = Struct[{container_type => Optional[Type], include_root => Optional[Boolean], include_containers => Optional[Boolean], include_values => Optional[Boolean], order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]";
        "Variant[Iterator, Array, Hash, Object] $tree, OptionsType $options = {}, Callable[2, 2] &$block >> Variant[Iterator, Array, Hash, Object]" => with_path,
        "Variant[Iterator, Array, Hash, Object] $tree, OptionsType $options = {}, Callable[1, 1] &$block >> Variant[Iterator, Array, Hash, Object]" => with_value,
        "Variant[Iterator, Array, Hash, Object] $tree, OptionsType $options = {} >> Iterator" => lazily,
    }
}

fn with_path(vm: &mut Vm<'_>, tree: Value, options: Hash, block: Option<Block>) -> Flow<Value> {
    visit(vm, tree, options, block, true)
}

fn with_value(vm: &mut Vm<'_>, tree: Value, options: Hash, block: Option<Block>) -> Flow<Value> {
    visit(vm, tree, options, block, false)
}

fn lazily(tree: Value, options: Hash) -> Result<Value> {
    Ok(Value::Iterator(Arc::new(Lazy::Tree(Arc::new(walk(tree, options)?)))))
}

fn visit(vm: &mut Vm<'_>, tree: Value, options: Hash, block: Option<Block>, paths: bool) -> Flow<Value> {
    for member in Walk::new(Arc::new(walk(tree.clone(), options)?)) {
        let args = match member {
            Value::Array(pair) if paths => pair.to_vec(),
            Value::Array(pair) => pair.last().cloned().into_iter().collect(),
            other => vec![other],
        };
        match call(vm, &block, args) {
            Ok(_) => {}
            Err(raise) if matches!(raise.reason(), Raised::Break(_)) => break,
            Err(raise) => return Err(raise),
        }
    }
    Ok(tree)
}

/// The walk that the options ask for.
fn walk(root: Value, options: Hash) -> Result<Tree> {
    let flag = |name: &str| !matches!(options.get(name), Some(Value::Boolean(false)));
    let container_type = options.get("container_type").and_then(Value::as_type).cloned();
    if let Some(ty) = &container_type
        && !may_contain(ty)
    {
        bail!(TYPE_WITHOUT_MEMBERS { ty });
    }
    if !flag("include_containers") && !flag("include_values") {
        bail!(NOTHING_TO_VISIT);
    }
    Ok(Tree {
        breadth_first: options.get("order").and_then(Value::as_str) == Some("breadth_first"),
        container_type,
        include_root: flag("include_root") && flag("include_containers"),
        include_containers: flag("include_containers"),
        include_values: flag("include_values"),
        include_refs: options.get("include_refs").is_some_and(Value::is_true),
        ..Tree::new(root)
    })
}

/// Whether a type is inside `Variant[Array, Hash, Object]`.
fn may_contain(ty: &Type) -> bool {
    match ty.unaliased() {
        Type::Array(_) | Type::Tuple(_) | Type::Hash(_) | Type::Struct(_) | Type::Object(_) => true,
        Type::Variant(types) => types.iter().all(may_contain),
        _ => false,
    }
}
