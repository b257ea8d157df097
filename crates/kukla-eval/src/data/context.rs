//! `Puppet::LookupContext`: the last argument of functions that serve as Hiera backends.

use std::sync::Arc;

use kukla_hiera::Session;
use kukla_hiera::backend::{Context, FileData};
use kukla_syntax::diagnostic;
use kukla_values::iterator::Iterator;
use kukla_values::types::object::ObjectType;
use kukla_values::{Array, Hash, Str, Value};

use super::host::VmHost;
use super::raise;
use crate::codes::WRONG_CONTEXT_ARGUMENTS;
use crate::error::{Flow, Raise};
use crate::lambda::Block;
use crate::native::{Native, NativeObject};
use crate::vm::Vm;

/// The context as a value.
pub(super) fn value(context: Context) -> Value {
    NativeObject::value(Arc::new(LookupContext { context }))
}

#[derive(Debug)]
struct LookupContext {
    context: Context,
}

impl Native for LookupContext {
    fn class_name(&self) -> &'static str {
        "Puppet::Pops::Lookup::Context"
    }

    fn object_type(&self) -> &Arc<ObjectType> {
        ObjectType::lookup_context()
    }

    fn call(&self, vm: &mut Vm<'_>, method: &str, args: &[Value], block: Option<&Block>) -> Option<Flow> {
        let context = &self.context;
        Some(match (method, args) {
            ("not_found", []) => Err(Raise::not_found()),
            ("environment_name", []) => Ok(context.environment_name().into()),
            ("module_name", []) => Ok(context.module_name().map_or(Value::Undef, Value::from)),
            ("cache", [key, value]) => Ok(context.cache(key.clone(), value.clone())),
            ("cache_all", [Value::Hash(values)]) => {
                context.cache_all(values);
                Ok(Value::Undef)
            }
            ("cache_has_key", [key]) => Ok(context.cache_has_key(key).into()),
            ("cached_value", [key]) => Ok(context.cached_value(key)),
            ("cached_entries", []) => match block {
                None => Ok(Value::Iterator(Arc::new(Iterator::Each(context.cached_entries().into())))),
                Some(block) => each_entry(vm, context, block),
            },
            ("interpolate", [value]) => vm
                .with_data(|session, vm| context.interpolate(session, &mut VmHost { vm }, value))
                .and_then(|found| found.map_err(raise)),
            ("explain", []) => match block {
                Some(block) if vm.data().is_some_and(Session::is_explaining) => {
                    block.call(vm, Vec::new()).and_then(|text| {
                        let text = kukla_values::format::interpolate(&text).to_string();
                        vm.with_data(|session, _| session.remark(text)).map(|()| Value::Undef)
                    })
                }
                _ => Ok(Value::Undef),
            },
            ("cached_file_data", [Value::String(path)]) => self.file_data(vm, path, block),
            ("yaml_data" | "json_data" | "hocon_data", [Value::Hash(options)]) => {
                self.built_in(vm, method, None, options)
            }
            ("eyaml_lookup_key", [Value::String(key), Value::Hash(options)]) => {
                self.built_in(vm, method, Some(key), options)
            }
            _ => {
                let problem = describe_mismatch(method, arity(method)?, args.len());
                Err(diagnostic!(WRONG_CONTEXT_ARGUMENTS { method, problem }).into())
            }
        })
    }
}

/// How many arguments a function of the context takes.
fn arity(method: &str) -> Option<usize> {
    Some(match method {
        "not_found" | "environment_name" | "module_name" | "cached_entries" | "explain" => 0,
        "cache_all" | "cache_has_key" | "cached_value" | "interpolate" | "cached_file_data" => 1,
        "cache" => 2,
        _ => return None,
    })
}

fn describe_mismatch(method: &str, expected: usize, actual: usize) -> String {
    match (expected, actual) {
        (0, actual) => format!("expects no arguments, got {actual}"),
        (1, 1) if method == "cache_all" => "parameter 1 expects a Hash value".to_owned(),
        (1, 1) => "parameter 1 expects a String value".to_owned(),
        (1, 0) => "expects 1 argument, got none".to_owned(),
        (1, actual) => format!("expects 1 argument, got {actual}"),
        (expected, 0) => format!("expects {expected} arguments, got none"),
        (expected, actual) => format!("expects {expected} arguments, got {actual}"),
    }
}

impl LookupContext {
    /// Does the work of a built-in data function for the function whose context this is.
    fn built_in(&self, vm: &mut Vm<'_>, name: &str, key: Option<&Str>, options: &Hash) -> Flow {
        let found = vm.with_data(|session, vm| {
            self.context.built_in(session, &mut VmHost { vm }, name, key, options.clone())
        })?;
        found.map_err(raise)?.ok_or_else(Raise::not_found)
    }

    fn file_data(&self, vm: &mut Vm<'_>, path: &Str, block: Option<&Block>) -> Flow {
        let found = vm.with_data(|session, vm| self.context.file_data(session, &VmHost { vm }, path))?;
        let text = match found.map_err(raise)? {
            FileData::Cached(data) => return Ok(data),
            FileData::Text(text) => text,
        };
        let data = match block {
            Some(block) => block.call(vm, vec![text])?,
            None => text,
        };
        vm.with_data(|session, _| session.keep_file_data(path.clone(), data.clone()))?;
        Ok(data)
    }
}

fn each_entry(vm: &mut Vm<'_>, context: &Context, block: &Block) -> Flow {
    for (key, value) in &context.cached_entries() {
        let args = match block.parameter_count() {
            1 => vec![Value::Array([key.clone(), value.clone()].into_iter().collect::<Array>())],
            _ => vec![key.clone(), value.clone()],
        };
        block.call(vm, args)?;
    }
    Ok(Value::Undef)
}
