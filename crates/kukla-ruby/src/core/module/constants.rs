//! Constants and class variables by name.

use super::this_class;
use crate::args::Args;
use crate::class::{ANY, ClassId, Native, method, private};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

/// Methods of modules.
pub const METHODS: &[Native] = &[
    method("const_get", 1, 2, const_get),
    method("const_set", 2, 2, |ruby, this, args| {
        let name = constant_name(ruby, this, &args[0])?;
        ruby.define_constant(this_class(this), name, args[1].clone())?;
        Ok(args[1].clone())
    }),
    method("const_defined?", 1, 2, const_defined),
    method("const_missing", 1, 1, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        let shown = match this_class(this) {
            ClassId::OBJECT => ruby.name(name).to_owned(),
            _ => format!("{}::{}", ruby.inspect(this)?.to_str_lossy(), ruby.name(name)),
        };
        Err(ruby.name_error(format!("uninitialized constant {shown}"), name, this.clone()))
    }),
    method("const_source_location", 1, 2, source_location),
    method("constants", 0, 1, |ruby, this, args| {
        let class = this_class(this);
        let all = args.get(0).is_none_or(Value::is_true);
        let ancestors = ruby.ancestors(class);
        let mut names: Vec<Symbol> = Vec::new();
        for module in ancestors.iter() {
            if *module == ClassId::OBJECT && class != ClassId::OBJECT {
                break;
            }
            for (name, constant) in &ruby.class(*module).constants {
                if !constant.private && !names.contains(name) {
                    names.push(*name);
                }
            }
            if !all {
                break;
            }
        }
        Ok(Value::array(names.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
    }),
    private("remove_const", 1, 1, |ruby, this, args| {
        let name = constant_name(ruby, this, &args[0])?;
        let class = this_class(this);
        match ruby.class_mut(class).constants.shift_remove(&name) {
            Some(constant) => {
                ruby.generation += 1;
                Ok(constant.value)
            }
            None => {
                let message = format!("constant {} not defined", {
                    format!("{}::{}", ruby.class_name(class), ruby.name(name))
                });
                Err(ruby.name_error(message, name, this.clone()))
            }
        }
    }),
    method("private_constant", 0, ANY, |ruby, this, args| set_private(ruby, this, args, true)),
    method("public_constant", 0, ANY, |ruby, this, args| set_private(ruby, this, args, false)),
    method("deprecate_constant", 0, ANY, |_, this, _| Ok(this.clone())),
    method("autoload", 2, 2, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        let path = ruby.to_text(&args[1])?.to_str_lossy().into_owned();
        if path.is_empty() {
            return Err(ruby.argument_error("empty file name"));
        }
        if !ruby.class(this_class(this)).constants.contains_key(&name) {
            ruby.promise_constant(this_class(this), name, path);
        }
        Ok(Value::Nil)
    }),
    method("autoload?", 1, 2, |ruby, this, args| {
        let name = ruby.to_symbol(&args[0])?;
        Ok(ruby.promised_file(this_class(this), name).into())
    }),
    method("class_variable_get", 1, 1, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        ruby.need_class_variable(this_class(this), name)
    }),
    method("class_variable_set", 2, 2, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        ruby.set_class_variable_of(this_class(this), name, args[1].clone())?;
        Ok(args[1].clone())
    }),
    method("class_variable_defined?", 1, 1, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        Ok(Value::Bool(ruby.class_variable_of(this_class(this), name).is_some()))
    }),
    method("class_variables", 0, 1, |ruby, this, args| {
        let all = args.get(0).is_none_or(Value::is_true);
        let ancestors = ruby.ancestors(this_class(this));
        let mut names: Vec<Symbol> = Vec::new();
        for module in ancestors.iter().take(if all { usize::MAX } else { 1 }) {
            for name in ruby.class(*module).class_variables.keys() {
                if !names.contains(name) {
                    names.push(*name);
                }
            }
        }
        Ok(Value::array(names.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
    }),
    method("remove_class_variable", 1, 1, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        let class = this_class(this);
        ruby.check_frozen(this)?;
        match ruby.class_mut(class).class_variables.shift_remove(&name) {
            Some(value) => Ok(value),
            None => {
                let message =
                    format!("class variable {} not defined for {}", ruby.name(name), ruby.class_name(class));
                Err(ruby.name_error(message, name, this.clone()))
            }
        }
    }),
];

fn is_constant_name(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

fn constant_name(ruby: &mut Ruby<'_>, this: &Value, value: &Value) -> Result<Symbol> {
    let name = ruby.to_symbol(value)?;
    let spelled = ruby.name(name).to_owned();
    if is_constant_name(&spelled) {
        return Ok(name);
    }
    Err(ruby.name_error(format!("wrong constant name {spelled}"), name, this.clone()))
}

fn variable_name(ruby: &mut Ruby<'_>, this: &Value, value: &Value) -> Result<Symbol> {
    let name = ruby.to_symbol(value)?;
    let spelled = ruby.name(name).to_owned();
    let rest = spelled.strip_prefix("@@").unwrap_or("");
    let good = rest.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && rest.chars().all(|c| c == '_' || c.is_alphanumeric());
    if good {
        return Ok(name);
    }
    let message = format!("'{spelled}' is not allowed as a class variable name");
    let message = message.replace('\'', "`").replacen("` is", "' is", 1);
    Err(ruby.name_error(message, name, this.clone()))
}

/// The parts of `A::B`; a leading `::` starts at `Object`.
fn path(ruby: &mut Ruby<'_>, this: &Value, value: &Value) -> Result<(ClassId, Vec<Symbol>, bool)> {
    let name = ruby.to_symbol(value)?;
    let spelled = ruby.name(name).to_owned();
    let is_symbol = matches!(value, Value::Symbol(_));
    let (start, rest) = match spelled.strip_prefix("::") {
        Some(rest) if !is_symbol => (ClassId::OBJECT, rest),
        _ => (this_class(this), spelled.as_str()),
    };
    let parts: Vec<&str> = if is_symbol { vec![rest] } else { rest.split("::").collect() };
    if parts.iter().any(|part| !is_constant_name(part)) {
        return Err(ruby.name_error(format!("wrong constant name {spelled}"), name, this.clone()));
    }
    let is_path = parts.len() > 1;
    let parts = parts.into_iter().map(|part| ruby.symbols.intern(part)).collect();
    Ok((start, parts, is_path))
}

fn look_up(
    ruby: &mut Ruby<'_>,
    module: ClassId,
    name: Symbol,
    inherit: bool,
    object: bool,
) -> Result<Option<Value>> {
    if inherit {
        ruby.find_constant_in(module, name, object || module == ClassId::OBJECT)
    } else {
        ruby.own_constant(module, name)
    }
}

fn const_get(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (mut module, parts, _) = path(ruby, this, &args[0])?;
    let inherit = args.get(1).is_none_or(Value::is_true);
    let mut value = Value::Class(module);
    for (at, name) in parts.into_iter().enumerate() {
        if at > 0 {
            let Value::Class(next) = value else {
                let shown = ruby.inspect(&value)?.to_str_lossy().into_owned();
                return Err(ruby.type_error(format!("{shown} does not refer to class/module")));
            };
            module = next;
        }
        value = match look_up(ruby, module, name, inherit, at == 0)? {
            Some(value) => value,
            None => ruby.send(&Value::Class(module), sym::CONST_MISSING, &[Value::Symbol(name)])?,
        };
    }
    Ok(value)
}

fn source_location(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (mut module, parts, _) = path(ruby, this, &args[0])?;
    let inherit = args.get(1).is_none_or(Value::is_true);
    let mut place = Value::Nil;
    for (at, name) in parts.iter().enumerate() {
        let mut owners: Vec<ClassId> = vec![module];
        if inherit {
            owners = ruby.ancestors(module).to_vec();
            if at == 0 && ruby.class(module).is_module() {
                owners.extend(ruby.ancestors(ClassId::OBJECT).iter());
            }
        }
        let owner = owners.into_iter().find(|owner| ruby.class(*owner).constants.contains_key(name));
        let Some(owner) = owner else { return Ok(Value::Nil) };
        place = match ruby.run.constant_places.get(&(owner, *name)) {
            Some((file, line)) => Value::array(vec![Value::str(&**file), Value::Int(i64::from(*line))]),
            None => Value::array(Vec::new()),
        };
        if let Some(Value::Class(next)) =
            ruby.class(owner).constants.get(name).map(|constant| constant.value.clone())
        {
            module = next;
        }
    }
    Ok(place)
}

fn const_defined(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (mut module, parts, _) = path(ruby, this, &args[0])?;
    let inherit = args.get(1).is_none_or(Value::is_true);
    let mut value = Value::Class(module);
    for (at, name) in parts.into_iter().enumerate() {
        if at > 0 {
            let Value::Class(next) = value else { return Ok(Value::Bool(false)) };
            module = next;
        }
        if ruby.is_promised(module, name) {
            return Ok(Value::Bool(true));
        }
        match look_up(ruby, module, name, inherit, at == 0)? {
            Some(found) => value = found,
            None => return Ok(Value::Bool(false)),
        }
    }
    Ok(Value::Bool(true))
}

fn set_private(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, private: bool) -> Result {
    let class = this_class(this);
    for name in args.list {
        let name = ruby.to_symbol(name)?;
        match ruby.class_mut(class).constants.get_mut(&name) {
            Some(constant) => constant.private = private,
            None => {
                let message = format!("constant {}::{} not defined", ruby.class_name(class), ruby.name(name));
                return Err(ruby.name_error(message, name, this.clone()));
            }
        }
    }
    ruby.generation += 1;
    Ok(Value::Nil)
}
