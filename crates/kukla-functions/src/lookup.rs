//! Data: `lookup`, the older `hiera` family, and the names of data functions, which only hiera.yaml may use.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::data::LookupRequest;
use kukla_eval::error::{Flow, Stage};
use kukla_eval::lambda::Block;
use kukla_eval::native::NativeObject;
use kukla_eval::vm::Vm;
use kukla_syntax::{NAMELESS, Strict, bail};
use kukla_values::types::mismatch;
use kukla_values::{Error, Hash, Str, Type, Value, codes};

use crate::codes::{NO_CLASSES_IN_DATA, NO_DATA_PATH};
use crate::control::at_the_call;
use crate::iterate::call;
use crate::ruby;

builtins! {
    /// The value that data has for a name, or for the first of several that it knows. The value must be of a type, if one is given; values of several
    /// levels are merged by a strategy (`first`, `unique`, `hash`, `deep`, or a hash with options). A default, a hash of defaults by name,
    /// or a lambda that gets the name is the fallback if nothing is found.
    ///
    /// ```puppet
    /// lookup('no::such', {default_value => 7})       # => 7
    /// lookup('no::such') |$name| { "no ${name}" }    # => 'no no::such'
    /// ```
    "lookup": LooksUp {
        type "NameType = Variant[String, Array[String]]";
        type "ValueType = Type";
        type "DefaultValueType = Any";
        type "MergeType = Variant[String[1], Hash[String, Scalar]]";
        type "BlockType = Callable[NameType]";
        type "OptionsWithName = Struct[{name => NameType, value_type => Optional[ValueType], default_value => Optional[DefaultValueType], override => Optional[Hash[String,Any]], default_values_hash => Optional[Hash[String,Any]], merge => Optional[MergeType]}]";
        type "OptionsWithoutName = Struct[{value_type => Optional[ValueType], default_value => Optional[DefaultValueType], override => Optional[Hash[String,Any]], default_values_hash => Optional[Hash[String,Any]], merge => Optional[MergeType]}]";
        "NameType $name, ValueType $value_type = undef, MergeType $merge = undef >> Any" => plainly,
        "NameType $name, Optional[ValueType] $value_type, Optional[MergeType] $merge, DefaultValueType $default_value >> Any" => with_default,
        "NameType $name, ValueType $value_type = undef, MergeType $merge = undef, BlockType &$block >> Any" => with_block,
        "OptionsWithName $options_hash, Optional[BlockType] &$block >> Any" => by_options,
        "Variant[String,Array[String]] $name, OptionsWithoutName $options_hash, Optional[BlockType] &$block >> Any" => by_name_and_options,
    }

    /// The first value that data has for a name. Deprecated: use `lookup`.
    ///
    /// ```puppet
    /// hiera('no::such', 'none')    # => 'none'
    /// ```
    "hiera": LooksUp, Deprecated {
        "Tuple[String, Any, Any, 1, 3] $args >> Any" => |vm: &mut Vm<'_>, args: Value| hiera_array_form(vm, HIERA, args),
        "String $key >> Any" => |vm: &mut Vm<'_>, key: Str| hiera(vm, HIERA, key, None, None),
        "String $key, Any $default, Any $override = undef >> Any" => |vm: &mut Vm<'_>, key: Str, default: Value, over: Option<Value>| hiera_default(vm, HIERA, key, default, over),
        "String $key, Callable[1, 1] &$default_block >> Any" => |vm: &mut Vm<'_>, key: Str, block: Option<Block>| hiera(vm, HIERA, key, None, block),
        "String $key, Any $override, Callable[1, 1] &$default_block >> Any" => |vm: &mut Vm<'_>, key: Str, over: Value, block: Option<Block>| hiera(vm, HIERA, key, Some(over), block),
    }

    /// All values that data has for a name, as an array without duplicates. Deprecated: use `lookup` with `merge => 'unique'`.
    ///
    /// ```puppet
    /// hiera_array('no::such', [1])    # => [1]
    /// ```
    "hiera_array": LooksUp, Deprecated {
        "Tuple[String, Any, Any, 1, 3] $args >> Any" => |vm: &mut Vm<'_>, args: Value| hiera_array_form(vm, HIERA_ARRAY, args),
        "String $key >> Any" => |vm: &mut Vm<'_>, key: Str| hiera(vm, HIERA_ARRAY, key, None, None),
        "String $key, Any $default, Any $override = undef >> Any" => |vm: &mut Vm<'_>, key: Str, default: Value, over: Option<Value>| hiera_default(vm, HIERA_ARRAY, key, default, over),
        "String $key, Callable[1, 1] &$default_block >> Any" => |vm: &mut Vm<'_>, key: Str, block: Option<Block>| hiera(vm, HIERA_ARRAY, key, None, block),
        "String $key, Any $override, Callable[1, 1] &$default_block >> Any" => |vm: &mut Vm<'_>, key: Str, over: Value, block: Option<Block>| hiera(vm, HIERA_ARRAY, key, Some(over), block),
    }

    /// All values that data has for a name, merged into one hash. Deprecated: use `lookup` with `merge => 'hash'`.
    ///
    /// ```puppet
    /// hiera_hash('no::such', { 'a' => 1 })    # => { 'a' => 1 }
    /// ```
    "hiera_hash": LooksUp, Deprecated {
        "Tuple[String, Any, Any, 1, 3] $args >> Any" => |vm: &mut Vm<'_>, args: Value| hiera_array_form(vm, HIERA_HASH, args),
        "String $key >> Any" => |vm: &mut Vm<'_>, key: Str| hiera(vm, HIERA_HASH, key, None, None),
        "String $key, Any $default, Any $override = undef >> Any" => |vm: &mut Vm<'_>, key: Str, default: Value, over: Option<Value>| hiera_default(vm, HIERA_HASH, key, default, over),
        "String $key, Callable[1, 1] &$default_block >> Any" => |vm: &mut Vm<'_>, key: Str, block: Option<Block>| hiera(vm, HIERA_HASH, key, None, block),
        "String $key, Any $override, Callable[1, 1] &$default_block >> Any" => |vm: &mut Vm<'_>, key: Str, over: Value, block: Option<Block>| hiera(vm, HIERA_HASH, key, Some(over), block),
    }

    /// Declares the classes that data lists under a name. Deprecated: use `lookup` and `include`.
    ///
    /// ```puppet
    /// class fallback { notice('here') }
    /// hiera_include('no::such', ['fallback'])    # notice: here
    /// ```
    "hiera_include": RunsCode, LooksUp, ChangesCatalog, Deprecated {
        "Tuple[String, Any, Any, 1, 3] $args >> Optional[Array[Type[Class]]]" => |vm: &mut Vm<'_>, args: Value| hiera_array_form(vm, HIERA_INCLUDE, args),
        "String $key >> Optional[Array[Type[Class]]]" => |vm: &mut Vm<'_>, key: Str| hiera(vm, HIERA_INCLUDE, key, None, None),
        "String $key, Any $default, Any $override = undef >> Optional[Array[Type[Class]]]" => |vm: &mut Vm<'_>, key: Str, default: Value, over: Option<Value>| hiera_default(vm, HIERA_INCLUDE, key, default, over),
        "String $key, Callable[1, 1] &$default_block >> Optional[Array[Type[Class]]]" => |vm: &mut Vm<'_>, key: Str, block: Option<Block>| hiera(vm, HIERA_INCLUDE, key, None, block),
        "String $key, Any $override, Callable[1, 1] &$default_block >> Optional[Array[Type[Class]]]" => |vm: &mut Vm<'_>, key: Str, over: Value, block: Option<Block>| hiera(vm, HIERA_INCLUDE, key, Some(over), block),
    }

    /// Reads data from YAML: named in hiera.yaml, or called by a function that is, with the context it was given.
    "yaml_data": ReadsFiles {
        "Struct[{path=>String[1]}] $options, Puppet::LookupContext $context >> Hash" => |vm: &mut Vm<'_>, options: Value, context: Value| data_function(vm, "yaml_data", &[options], &context);
        mismatch "Hash $options, Puppet::LookupContext $context" => needs_path
    }
    /// Reads data from JSON: named in hiera.yaml, or called by a function that is, with the context it was given.
    "json_data": ReadsFiles {
        "Struct[{path=>String[1]}] $options, Puppet::LookupContext $context >> Hash" => |vm: &mut Vm<'_>, options: Value, context: Value| data_function(vm, "json_data", &[options], &context);
        mismatch "Hash $options, Puppet::LookupContext $context" => needs_path
    }
    /// Reads data from HOCON: named in hiera.yaml, or called by a function that is, with the context it was given.
    "hocon_data": ReadsFiles {
        "Struct[{path=>String[1]}] $options, Puppet::LookupContext $context >> Hash" => |vm: &mut Vm<'_>, options: Value, context: Value| data_function(vm, "hocon_data", &[options], &context);
        mismatch "Hash $options, Puppet::LookupContext $context" => needs_path
    }
    /// Reads encrypted data: named in hiera.yaml, or called by a function that is, with the context it was given.
    "eyaml_lookup_key": ReadsFiles { "String[1] $key, Hash[String[1],Any] $options, Puppet::LookupContext $context >> Any" => |vm: &mut Vm<'_>, key: Value, options: Value, context: Value| data_function(vm, "eyaml_lookup_key", &[key, options], &context) }
}

fn names(name: &Value) -> Vec<Str> {
    match name {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(Str::from).collect(),
        _ => Vec::new(),
    }
}

fn as_type(value: Option<&Value>) -> Option<Type> {
    value.and_then(Value::as_type).cloned()
}

fn unless_undef(value: Option<&Value>) -> Option<Value> {
    value.filter(|value| !value.is_undef()).cloned()
}

fn plainly(vm: &mut Vm<'_>, name: Value, ty: Option<Arc<Type>>, merge: Option<Value>) -> Flow<Value> {
    let value_type = ty.map(|ty| (*ty).clone());
    ask(vm, &name, LookupRequest { keys: names(&name), value_type, merge, ..LookupRequest::default() }, None)
}

fn with_block(
    vm: &mut Vm<'_>,
    name: Value,
    ty: Option<Arc<Type>>,
    merge: Option<Value>,
    block: Option<Block>,
) -> Flow<Value> {
    let value_type = ty.map(|ty| (*ty).clone());
    ask(vm, &name, LookupRequest { keys: names(&name), value_type, merge, ..LookupRequest::default() }, block)
}

fn with_default(vm: &mut Vm<'_>, name: Value, ty: Value, merge: Value, default: Value) -> Flow<Value> {
    let request = LookupRequest {
        keys: names(&name),
        value_type: as_type(Some(&ty)),
        merge: unless_undef(Some(&merge)),
        default: Some(default),
        ..LookupRequest::default()
    };
    ask(vm, &name, request, None)
}

fn by_options(vm: &mut Vm<'_>, options: Hash, block: Option<Block>) -> Flow<Value> {
    let name = options.get("name").cloned().unwrap_or_default();
    by_name_and_options(vm, name, options, block)
}

fn by_name_and_options(vm: &mut Vm<'_>, name: Value, options: Hash, block: Option<Block>) -> Flow<Value> {
    let request = LookupRequest {
        keys: names(&name),
        value_type: as_type(options.get("value_type")),
        merge: unless_undef(options.get("merge")),
        default: options.get("default_value").cloned(),
        defaults: options.get("default_values_hash").and_then(Value::as_hash).cloned(),
        overrides: options.get("override").and_then(Value::as_hash).cloned(),
        ..LookupRequest::default()
    };
    ask(vm, &name, request, block)
}

fn ask(vm: &mut Vm<'_>, name: &Value, mut request: LookupRequest, block: Option<Block>) -> Flow<Value> {
    // A block comes before a default.
    if block.is_some() {
        request.default = None;
    }
    let found = match vm.data() {
        Some(_) => vm.lookup(&request)?,
        None => without_data(&request)?,
    };
    match found {
        Some(value) => Ok(value),
        None if block.is_some() => {
            let value = call(vm, &block, vec![name.clone()])?;
            if let Some(ty) = &request.value_type {
                let subject = "Value returned from default block";
                mismatch::assert(subject, ty, &value)
                    .map_err(|error| error.into_diagnostic().reported_as(NAMELESS))?;
            }
            Ok(value)
        }
        None => {
            let key = request.keys.first().cloned().unwrap_or_default();
            let near = vm.nearest_data_key(&key);
            let mut wrong = codes::missing(&request.keys).in_stage(Stage::Data);
            wrong.hints.extend(near.map(|near| format!("there is a key '{near}'")));
            Err(at_the_call(vm, wrong))
        }
    }
}

/// The answer of the request itself.
fn without_data(request: &LookupRequest) -> Result<Option<Value>, Error> {
    let table = |table: &Option<Hash>| {
        let table = table.as_ref()?;
        request.keys.iter().find_map(|key| table.get(key.as_str())).cloned()
    };
    if let Some(value) = table(&request.overrides) {
        return Ok(Some(value));
    }
    let found = table(&request.defaults).or_else(|| request.default.clone());
    if let (Some(value), Some(ty)) = (&found, &request.value_type) {
        mismatch::assert("Default value", ty, value)?;
    }
    Ok(found)
}

/// One of the older functions.
#[derive(Clone, Copy)]
struct Hiera {
    name: &'static str,
    merge: &'static str,
}

const HIERA: Hiera = Hiera { name: "hiera", merge: "first" };
const HIERA_ARRAY: Hiera = Hiera { name: "hiera_array", merge: "unique" };
const HIERA_HASH: Hiera = Hiera { name: "hiera_hash", merge: "hash" };
const HIERA_INCLUDE: Hiera = Hiera { name: "hiera_include", merge: "unique" };

fn hiera_array_form(vm: &mut Vm<'_>, which: Hiera, args: Value) -> Flow<Value> {
    let args = args.as_array().map(|args| args.to_vec()).unwrap_or_default();
    vm.call(which.name, args, None)
}

fn hiera_default(
    vm: &mut Vm<'_>,
    which: Hiera,
    key: Str,
    default: Value,
    over: Option<Value>,
) -> Flow<Value> {
    let request = LookupRequest { default: Some(default), ..older(&key, which, over.as_ref()) };
    finish(vm, which, key, request, None)
}

fn hiera(vm: &mut Vm<'_>, which: Hiera, key: Str, over: Option<Value>, block: Option<Block>) -> Flow<Value> {
    let request = older(&key, which, over.as_ref());
    finish(vm, which, key, request, block)
}

fn older(key: &Str, which: Hiera, over: Option<&Value>) -> LookupRequest {
    LookupRequest {
        keys: vec![key.clone()],
        merge: Some(which.merge.into()),
        hiera_function: true,
        extra_paths: over.map(names).unwrap_or_default(),
        ..LookupRequest::default()
    }
}

fn finish(
    vm: &mut Vm<'_>,
    which: Hiera,
    key: Str,
    request: LookupRequest,
    block: Option<Block>,
) -> Flow<Value> {
    if vm.environment().settings.strict != Strict::Off && vm.is_first(which.name) {
        vm.warn(format!(
            "The function '{}' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/8.11/deprecated_language.html\n   (file & line not available)",
            which.name
        ));
    }
    let found = ask(vm, &key.clone().into(), request, block)?;
    if which.name != "hiera_include" {
        return Ok(found);
    }
    let empty = match &found {
        Value::Undef => bail!(NO_CLASSES_IN_DATA { key }),
        Value::Array(values) => values.is_empty(),
        Value::Hash(hash) => hash.is_empty(),
        Value::String(text) => text.is_empty(),
        other => return Err(ruby::no_method("empty?", other).into()),
    };
    if empty { Ok(Value::Undef) } else { vm.call("include", vec![found], None) }
}

/// A data function called by another: the context knows how the data is read.
fn data_function(vm: &mut Vm<'_>, name: &str, args: &[Value], context: &Value) -> Flow<Value> {
    let answer = NativeObject::of(context).and_then(|context| context.call(vm, name, args, None));
    answer.unwrap_or_else(|| bail!(NO_DATA_PATH))
}

fn needs_path(_options: Value, _context: Value) -> &'static str {
    NO_DATA_PATH.message
}
