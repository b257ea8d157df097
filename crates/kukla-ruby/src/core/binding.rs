//! Bindings: the variables and `self` of a place in a program, and text that is run there.

use std::rc::Rc;

use crate::class::{ClassId, Native, NativeClass, method, methods, quick};
use crate::error::Result;
use crate::eval::{Closure, Context, Cref, Env, Unit};
use crate::program::BodyId;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::{Object, Value};

/// The class `Binding`.
pub const BINDING: NativeClass =
    NativeClass { methods: &[METHODS], ..NativeClass::class("Binding", "Object") };

/// The content of a binding.
#[derive(Clone)]
struct Scope {
    this: Value,
    cref: Rc<Cref>,
    context: Option<Rc<Context>>,
    /// The environments, the innermost first, with the names of their variables.
    levels: Vec<(Rc<Env>, Vec<Symbol>)>,
    file: String,
    line: u32,
}

fn levels(unit: &Rc<Unit>, body: BodyId, env: Option<&Rc<Env>>) -> Vec<(Rc<Env>, Vec<Symbol>)> {
    let mut levels = Vec::new();
    let mut env = env.cloned();
    let mut body = Some(body);
    while let Some(id) = body {
        let here = unit.body(id);
        if let Some(names) = &here.env
            && let Some(own) = env
        {
            levels.push((own.clone(), names.iter().map(|name| unit.symbol(*name)).collect()));
            env = own.parent.clone();
        }
        body = here.parent;
    }
    levels
}

/// The binding of the code that called a native method.
pub(crate) fn of_caller(ruby: &mut Ruby<'_>) -> Value {
    let context = ruby.context();
    let line = ruby.run.line;
    let Some(at) = ruby.run.frames.last() else { return Value::Nil };
    let mut levels = levels(at.unit(), at.body(), at.env.as_ref());
    if let Some(outer) = at.eval_scope() {
        levels.extend(outer.iter().cloned());
    }
    let scope = Scope {
        this: at.this().clone(),
        cref: at.cref().clone(),
        context,
        levels,
        file: at.unit().program.file.to_string(),
        line,
    };
    Value::Object(Object::with(ClassId::BINDING, scope))
}

/// The binding of the top of a program, where only `eval` makes variables.
pub(crate) fn of_top(ruby: &mut Ruby<'_>) -> Value {
    let (this, cref) = (ruby.run.main.clone(), ruby.top());
    let scope = Scope { this, cref, context: None, levels: Vec::new(), file: "<main>".to_owned(), line: 1 };
    Value::Object(Object::with(ClassId::BINDING, scope))
}

/// The binding of a block.
pub(crate) fn of_closure(closure: &Closure) -> Value {
    let body = closure.unit.body(closure.body);
    let levels = match body.parent {
        Some(parent) => levels(&closure.unit, parent, closure.env.as_ref()),
        None => Vec::new(),
    };
    let scope = Scope {
        this: closure.context.this.clone(),
        cref: closure.context.cref.clone(),
        context: Some(closure.context.clone()),
        levels,
        file: closure.unit.program.file.to_string(),
        line: body.line,
    };
    Value::Object(Object::with(ClassId::BINDING, scope))
}

fn scope(ruby: &mut Ruby<'_>, binding: &Value) -> Result<Scope> {
    let found = match binding {
        Value::Object(object) => object.payload::<Scope>().map(|scope| scope.clone()),
        _ => None,
    };
    match found {
        Some(scope) => Ok(scope),
        None => {
            let class = ruby.class_name_of(binding);
            Err(ruby.type_error(format!("wrong argument type {class} (expected binding)")))
        }
    }
}

/// Runs text in a binding. Variables that it makes stay in the binding.
pub(crate) fn evaluate(
    ruby: &mut Ruby<'_>,
    binding: &Value,
    text: &Value,
    file: Option<&Value>,
    line: Option<&Value>,
) -> Result {
    let scope = scope(ruby, binding)?;
    let (value, level) = run(ruby, scope, text, file, line)?;
    if let (Some(level), Value::Object(object)) = (level, binding)
        && let Some(mut scope) = object.payload_mut::<Scope>()
    {
        scope.levels.insert(0, level);
    }
    Ok(value)
}

/// Runs text with another `self` and place of definitions, seeing the variables of the caller.
pub(crate) fn evaluate_as(
    ruby: &mut Ruby<'_>,
    this: &Value,
    definee: Option<ClassId>,
    text: &Value,
    file: Option<&Value>,
    line: Option<&Value>,
) -> Result {
    let binding = of_caller(ruby);
    let mut scope = scope(ruby, &binding)?;
    scope.this = this.clone();
    if let Some(module) = definee {
        scope.cref = Cref::new(module, Some(scope.cref.clone()));
    }
    Ok(run(ruby, scope, text, file, line)?.0)
}

type Level = (Rc<Env>, Vec<Symbol>);

fn run(
    ruby: &mut Ruby<'_>,
    scope: Scope,
    text: &Value,
    file: Option<&Value>,
    line: Option<&Value>,
) -> Result<(Value, Option<Level>)> {
    let source = ruby.to_text(text)?;
    let file = match file {
        Some(Value::Nil) | None => format!("(eval at {}:{})", scope.file, scope.line),
        Some(file) => ruby.to_text(file)?.to_str_lossy().into_owned(),
    };
    let line = match line {
        Some(line) => ruby.to_int(line)?.clamp(-1_000_000_000, 1_000_000_000) as i32,
        None => 1,
    };
    let names: Vec<Vec<String>> = scope
        .levels
        .iter()
        .rev()
        .map(|(_, names)| names.iter().map(|name| ruby.name(*name).to_owned()).collect())
        .collect();
    let env = scope.levels.first().map(|(env, _)| env.clone());
    let outer: Rc<[Level]> = scope.levels.into();
    let (value, unit, inner) =
        ruby.run_text(&source, &file, line, &names, env, scope.this, scope.cref, scope.context, outer)?;
    let level = inner.and_then(|env| {
        let names = unit.body(0).env.as_ref()?;
        (!names.is_empty()).then(|| (env, names.iter().map(|name| unit.symbol(*name)).collect()))
    });
    Ok((value, level))
}

fn is_visible(name: &str) -> bool {
    name.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic() || !c.is_ascii())
}

/// The names of all variables.
pub(crate) fn local_variables(ruby: &mut Ruby<'_>, binding: &Value) -> Result {
    let scope = scope(ruby, binding)?;
    let mut names: Vec<Symbol> = Vec::new();
    for name in scope.levels.iter().flat_map(|(_, names)| names) {
        if !names.contains(name) && is_visible(ruby.name(*name)) {
            names.push(*name);
        }
    }
    Ok(Value::array(names.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
}

fn find(scope: &Scope, name: Symbol) -> Option<(&Rc<Env>, u16)> {
    scope
        .levels
        .iter()
        .find_map(|(env, names)| names.iter().position(|known| *known == name).map(|slot| (env, slot as u16)))
}

const METHODS: &[Native] = methods![
    method("eval", 1, 3, |ruby, this, args| evaluate(ruby, this, &args[0], args.get(1), args.get(2))),
    method("local_variables", 0, 0, |ruby, this, _| local_variables(ruby, this)),
    quick("local_variable_get", 1, 1, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        let scope = scope(ruby, this)?;
        match find(&scope, name) {
            Some((env, slot)) => Ok(env.get(0, slot)),
            None => {
                let shown = ruby.plain_inspect(this);
                let message = format!("local variable `{}' is not defined for {shown}", ruby.name(name));
                Err(ruby.name_error(message, name, this.clone()))
            }
        }
    }),
    quick("local_variable_set", 2, 2, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        let found = scope(ruby, this)?;
        if let Some((env, slot)) = find(&found, name) {
            env.set(0, slot, args[1].clone());
            return Ok(args[1].clone());
        }
        let parent = found.levels.first().map(|(env, _)| env.clone());
        let env = Env::new(1, parent);
        env.set(0, 0, args[1].clone());
        ruby.run.objects.note_env(&env);
        if let Value::Object(object) = this
            && let Some(mut scope) = object.payload_mut::<Scope>()
        {
            scope.levels.insert(0, (env, vec![name]));
        }
        Ok(args[1].clone())
    }),
    quick("local_variable_defined?", 1, 1, |ruby, this, args| {
        let name = variable_name(ruby, this, &args[0])?;
        let scope = scope(ruby, this)?;
        Ok(Value::Bool(find(&scope, name).is_some()))
    }),
    quick("dup", 0, 0, copy).alias("clone"),
    quick("receiver", 0, 0, |ruby, this, _| Ok(scope(ruby, this)?.this)),
    quick("source_location", 0, 0, |ruby, this, _| {
        let scope = scope(ruby, this)?;
        Ok(Value::array(vec![Value::str(scope.file), Value::Int(i64::from(scope.line))]))
    }),
];

/// A binding of the same place; variables that are made in it stay its own.
fn copy(ruby: &mut Ruby<'_>, this: &Value, _: &crate::args::Args<'_>) -> Result {
    Ok(Value::Object(Object::with(ClassId::BINDING, scope(ruby, this)?)))
}

fn variable_name(ruby: &mut Ruby<'_>, this: &Value, value: &Value) -> Result<Symbol> {
    let name = ruby.to_symbol(value)?;
    let spelled = ruby.name(name).to_owned();
    if is_visible(&spelled) && !spelled.chars().next().is_some_and(char::is_uppercase) {
        return Ok(name);
    }
    let message = format!("wrong local variable name `{spelled}' for {}", ruby.plain_inspect(this));
    Err(ruby.name_error(message, name, this.clone()))
}
