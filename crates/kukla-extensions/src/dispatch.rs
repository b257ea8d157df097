//! The signatures of functions made with `create_function`, and calls that fit them.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use kukla_eval::codes::REFUSED_ARGUMENTS;
use kukla_eval::lambda::Block;
use kukla_eval::{Flow, Raise, Vm};
use kukla_ruby::class::ClassId;
use kukla_ruby::proc::{ProcBody, ProcObject};
use kukla_ruby::value::{HashObject, Head};
use kukla_ruby::{Args, Result, Ruby, Value};
use kukla_syntax::diagnostic;
use kukla_values::types::callable::CallableType;
use kukla_values::types::mismatch::Signature;
use kukla_values::types::{Range, TypeAlias};
use kukla_values::{Str, Type, Value as PuppetValue};
use rustc_hash::FxHashMap;

use crate::codes::RUBY_SIGNATURE;
use crate::puppet::{LambdaNumber, WithPuppet};
use crate::{raised, scope, values};

/// The argument for a parameter of the Ruby method.
#[derive(Clone, Copy, Debug)]
enum Woven {
    /// The argument at a position.
    Argument(usize),
    /// All arguments from a position on.
    Rest(usize),
    /// The scope of the call.
    Scope,
    /// A hash that the function keeps for itself.
    Cache,
}

/// One way to call a function.
#[derive(Debug)]
pub struct Dispatch {
    method: String,
    /// Its parameters.
    pub signature: Signature,
    /// How its method is given the arguments; `None` hands them on as they are.
    weaving: Option<Vec<Woven>>,
    /// Whether it says what is wrong with arguments that fit no other.
    pub is_mismatch: bool,
}

impl Dispatch {
    /// Whether Hiera can ask it for data.
    pub fn takes_lookup_context(&self) -> bool {
        let last = self.signature.callable.params.last();
        last.is_some_and(|ty| ty.to_string().contains("Puppet::LookupContext"))
    }
}

/// A type as a function writes it.
pub enum Written {
    Text(String),
    Type(Type),
}

/// One way to call a function, as its code declares it.
pub struct Declared {
    method: String,
    types: Vec<Written>,
    names: Vec<String>,
    least: i64,
    most: Option<i64>,
    block: Option<(Written, String, bool)>,
    returns: Option<Written>,
    weaving: Option<Vec<Woven>>,
    is_mismatch: bool,
    is_plain: bool,
    aliases: Arc<[(String, String)]>,
}

/// The class that `create_function` made for a name.
pub fn created(ruby: &mut Ruby<'_>, name: &str) -> Result<Option<Value>> {
    let functions = Value::Class(ruby.class_named("Puppet::Functions")?);
    let method = ruby.symbols.intern("created");
    let Value::Hash(created) = ruby.send(&functions, method, &[])? else { return Ok(None) };
    ruby.hash_get(&created, &Value::from(name))
}

/// The dispatches that the code of a function declares.
pub fn declared(ruby: &mut Ruby<'_>, class: &Value) -> Result<Vec<Declared>> {
    let (dispatches, aliases) = (ruby.symbols.intern("dispatches"), ruby.symbols.intern("aliases"));
    let aliases = match ruby.responds_to(class, aliases, false)? {
        true => ruby.send(class, aliases, &[])?,
        false => Value::Nil,
    };
    let dispatches = ruby.send(class, dispatches, &[])?;
    declarations(ruby, &dispatches, &aliases)
}

/// The dispatches that signatures, and the aliases in them, declare.
pub fn declarations(ruby: &mut Ruby<'_>, dispatches: &Value, aliases: &Value) -> Result<Vec<Declared>> {
    let mut local = Vec::new();
    if let Value::Array(pairs) = aliases {
        for pair in pairs.to_vec() {
            if let Value::Array(pair) = pair {
                local.push((text(ruby, pair.get(0))?, text(ruby, pair.get(1))?));
            }
        }
    }
    let local: Arc<[(String, String)]> = local.into();
    let Value::Array(all) = dispatches else { return Ok(Vec::new()) };
    let mut declared = Vec::new();
    for one in all.to_vec() {
        if let Value::Hash(one) = one {
            declared.push(declaration(ruby, &one, &local)?);
        }
    }
    Ok(declared)
}

fn text(ruby: &mut Ruby<'_>, value: Option<Value>) -> Result<String> {
    let value = value.unwrap_or_default();
    Ok(ruby.display(&value)?.to_str_lossy().into_owned())
}

fn written(ruby: &mut Ruby<'_>, value: &Value) -> Result<Written> {
    match values::to_puppet(ruby, value)? {
        PuppetValue::Type(ty) => Ok(Written::Type(Arc::unwrap_or_clone(ty))),
        _ => Ok(Written::Text(text(ruby, Some(value.clone()))?)),
    }
}

fn declaration(ruby: &mut Ruby<'_>, one: &HashObject, aliases: &Arc<[(String, String)]>) -> Result<Declared> {
    let list = |value: Option<Value>| match value {
        Some(Value::Array(array)) => array.to_vec(),
        _ => Vec::new(),
    };
    let (method, types) = (ruby.keyword(one, "method"), list(ruby.keyword(one, "types")));
    let (names, weaving) = (list(ruby.keyword(one, "names")), ruby.keyword(one, "weaving"));
    let injections = list(ruby.keyword(one, "injections"));
    let types: Result<Vec<Written>> = types.iter().map(|value| written(ruby, value)).collect();
    let names: Result<Vec<String>> = names.into_iter().map(|name| text(ruby, Some(name))).collect();
    let int = |value: Option<Value>| if let Some(Value::Int(number)) = value { Some(number) } else { None };
    let block = match ruby.keyword(one, "block_type") {
        None | Some(Value::Nil) => None,
        Some(ty) => {
            let (name, optional) = (ruby.keyword(one, "block_name"), ruby.keyword(one, "block_optional"));
            Some((
                written(ruby, &ty)?,
                text(ruby, name)?,
                optional.is_some_and(|optional| optional.is_true()),
            ))
        }
    };
    let returns = match ruby.keyword(one, "return_type") {
        None | Some(Value::Nil) => None,
        Some(ty) => Some(written(ruby, &ty)?),
    };
    let weaving = match weaving {
        Some(Value::Array(places)) => Some(woven(ruby, &places.to_vec(), &injections)?),
        _ => None,
    };
    let flag = |value: Option<Value>| value.is_some_and(|value| value.is_true());
    Ok(Declared {
        method: text(ruby, method)?,
        types: types?,
        names: names?,
        least: int(ruby.keyword(one, "min")).unwrap_or(0),
        most: int(ruby.keyword(one, "max")),
        block,
        returns,
        weaving,
        is_mismatch: flag(ruby.keyword(one, "mismatch")),
        is_plain: flag(ruby.keyword(one, "plain")),
        aliases: aliases.clone(),
    })
}

/// How arguments and what is injected come to the method: a position, a negative number for the rest, a list for an injection.
fn woven(ruby: &mut Ruby<'_>, places: &[Value], injections: &[Value]) -> Result<Vec<Woven>> {
    places
        .iter()
        .map(|place| {
            Ok(match place {
                Value::Int(position) if *position >= 0 => Woven::Argument(*position as usize),
                Value::Int(position) => Woven::Rest((-position - 1) as usize),
                Value::Array(number) => {
                    let number =
                        if let Some(Value::Int(number)) = number.get(0) { number as usize } else { 0 };
                    match text(ruby, injections.get(number).cloned())?.as_str() {
                        "cache" => Woven::Cache,
                        _ => Woven::Scope,
                    }
                }
                _ => Woven::Scope,
            })
        })
        .collect()
}

/// Reads the types of what a function declares.
pub fn read(vm: &mut Vm<'_>, name: &str, declared: Vec<Declared>) -> Flow<Vec<Dispatch>> {
    declared.into_iter().map(|one| read_one(vm, name, one)).collect()
}

fn read_one(vm: &mut Vm<'_>, name: &str, declared: Declared) -> Flow<Dispatch> {
    let mut types = Vec::with_capacity(declared.types.len());
    for ty in declared.types {
        types.push(read_type(vm, name, ty, &declared.aliases)?);
    }
    let block = match declared.block {
        None => None,
        Some((ty, block_name, optional)) => {
            let ty = read_type(vm, name, ty, &declared.aliases)?;
            let ty = if optional { Type::optional(ty) } else { ty };
            Some((ty, Str::from(block_name)))
        }
    };
    let returns = declared.returns.map(|ty| read_type(vm, name, ty, &declared.aliases)).transpose()?;
    let most = declared.most;
    let exact = declared.least > 0 && Some(declared.least) == most && !declared.is_plain;
    let size = (!exact).then_some(Range::between(Some(declared.least), most));
    let block_name = block.as_ref().map(|(_, name)| name.clone());
    let callable = CallableType::new(types, size, block.map(|(ty, _)| ty), returns);
    Ok(Dispatch {
        method: declared.method,
        signature: Signature {
            callable,
            names: declared.names.into_iter().map(Str::from).collect(),
            block_name,
        },
        weaving: declared.weaving,
        is_mismatch: declared.is_mismatch,
    })
}

fn read_type(vm: &mut Vm<'_>, name: &str, ty: Written, aliases: &[(String, String)]) -> Flow<Type> {
    let text = match ty {
        Written::Type(ty) => return Ok(ty),
        Written::Text(text) => text,
    };
    let read = if aliases.is_empty() { vm.parse_type(&text) } else { read_with_aliases(vm, &text, aliases) };
    read.map_err(|raise| {
        let wrong = diagnostic!(RUBY_SIGNATURE { name, text: &text });
        wrong.because(*raise.into_diagnostic()).into()
    })
}

/// Reads a type that may name aliases of the function's own, which may name each other and those of the environment.
fn read_with_aliases(vm: &mut Vm<'_>, text: &str, aliases: &[(String, String)]) -> Flow<Type> {
    let mut known: FxHashMap<String, Type> = FxHashMap::default();
    let local: Vec<Arc<TypeAlias>> = aliases.iter().map(|(name, _)| TypeAlias::new(name.as_str())).collect();
    for alias in &local {
        known.insert(alias.name.to_string(), Type::Alias(alias.clone()));
    }
    let texts = aliases.iter().map(|(_, meaning)| meaning.as_str()).chain([text]);
    for name in texts.flat_map(type_names) {
        if !known.contains_key(&name)
            && let Ok(found) = vm.parse_type(&name)
        {
            known.insert(name, found);
        }
    }
    let find = &|name: &str| known.get(name).cloned();
    for (alias, (_, meaning)) in local.iter().zip(aliases) {
        alias.resolve(Type::parse_with(meaning, find)?)?;
    }
    Ok(Type::parse_with(text, find)?)
}

/// The names of types in a text.
fn type_names(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).map(str::to_owned).collect()
}

/// The first signature that a call fits, be it one that explains a mismatch; if it fits none, Puppet's own message.
pub fn choose<'d>(
    vm: &mut Vm<'_>,
    name: &str,
    dispatches: &'d [Dispatch],
    args: &[PuppetValue],
    block: Option<&Block>,
) -> Flow<&'d Dispatch> {
    dispatches.iter().find(|dispatch| vm.fits(&dispatch.signature, args, block)).ok_or_else(|| {
        let advertised = dispatches.iter().filter(|dispatch| !dispatch.is_mismatch);
        let advertised: Vec<Signature> = advertised.map(|dispatch| dispatch.signature.clone()).collect();
        vm.refuse_call(name, &advertised, args, block)
    })
}

/// The error that a function for mismatched arguments reports.
pub fn refused(name: &str, reason: &PuppetValue) -> Raise {
    let reason = kukla_values::format::to_s(reason);
    diagnostic!(REFUSED_ARGUMENTS { function: name, reason }).into()
}

impl Dispatch {
    /// Calls the method with its arguments and, if Puppet gave one, the lambda.
    pub fn call(
        &self,
        ruby: &mut Ruby<'_>,
        class: &Value,
        here: u64,
        args: &[PuppetValue],
        has_lambda: bool,
    ) -> Result {
        let given: Result<Vec<Value>> = args.iter().map(|arg| values::to_ruby(ruby, arg)).collect();
        let given = given?;
        let given = match &self.weaving {
            None => given,
            Some(weaving) => weave(ruby, here, weaving, &given, |ruby| {
                let cache = ruby.symbols.intern("cache");
                ruby.send(class, cache, &[])
            })?,
        };
        call_method(ruby, class, &self.method, &given, has_lambda)
    }

    /// The method to call.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The arguments of its method in another Ruby, which has what the function keeps for itself.
    pub fn woven(&self, ruby: &mut Ruby<'_>, here: u64, given: Vec<Value>) -> Result<Vec<Value>> {
        match &self.weaving {
            None => Ok(given),
            Some(weaving) => {
                let cache = ruby.symbol("__cache__");
                weave(ruby, here, weaving, &given, |_| Ok(cache.clone()))
            }
        }
    }
}

fn weave(
    ruby: &mut Ruby<'_>,
    here: u64,
    weaving: &[Woven],
    given: &[Value],
    cache: impl Fn(&mut Ruby<'_>) -> Result,
) -> Result<Vec<Value>> {
    let mut list = Vec::with_capacity(given.len() + 1);
    for place in weaving {
        match place {
            Woven::Argument(position) => list.extend(given.get(*position).cloned()),
            Woven::Rest(position) => list.extend(given.iter().skip(*position).cloned()),
            Woven::Scope => list.push(scope::object(ruby, here)?),
            Woven::Cache => list.push(cache(ruby)?),
        }
    }
    Ok(list)
}

/// Calls a method of a function; the function is one object for the whole compilation, and may remember things.
fn call_method(
    ruby: &mut Ruby<'_>,
    class: &Value,
    method: &str,
    given: &[Value],
    has_lambda: bool,
) -> Result {
    let (instance, method) = (ruby.symbols.intern("instance"), ruby.symbols.intern(method));
    let instance = ruby.send(class, instance, &[])?;
    let lambda = has_lambda.then(|| lambda(ruby));
    ruby.call(&instance, method, &Args { list: given, has_keywords: false, block: lambda.as_ref() })
}

/// Calls the `call` method of a function with the scope and its arguments.
pub fn call_itself(
    ruby: &mut Ruby<'_>,
    class: &Value,
    here: u64,
    args: &[PuppetValue],
    has_lambda: bool,
) -> Result {
    let mut given = vec![scope::object(ruby, here)?];
    for arg in args {
        given.push(values::to_ruby(ruby, arg)?);
    }
    call_method(ruby, class, "call", &given, has_lambda)
}

/// The lambda that was passed to the call, as a Ruby block.
fn lambda(ruby: &mut Ruby<'_>) -> Rc<ProcObject> {
    const PASSED: LambdaNumber = LambdaNumber(0);
    let (count, rest) = ruby.with_puppet(move |puppet| puppet.lambda_parameters(PASSED)).unwrap_or((0, true));
    let arity = if rest { -(count as i32) } else { count as i32 };
    let run = |ruby: &mut Ruby<'_>, args: &Args<'_>| {
        let args: Result<Vec<PuppetValue>> =
            args.list.iter().map(|arg| values::to_puppet(ruby, arg)).collect();
        let args = args?;
        match ruby.with_puppet(move |puppet| puppet.call_lambda(PASSED, args))? {
            Ok(value) => values::to_ruby(ruby, &value),
            Err(interrupt) => Err(raised::to_ruby(ruby, interrupt)),
        }
    };
    let body = ProcBody::Native(Rc::new(run), arity);
    Rc::new(ProcObject { head: Head::new(ClassId::PROC), body, lambda: Cell::new(true) })
}
