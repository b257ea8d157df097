//! Templates in Ruby (ERB).
//!
//! A template is evaluated in a wrapper whose instance variables are the variables of the scope. Only those are set that the template
//! names, unless it can name others while it runs.

use std::path::Path;
use std::sync::Arc;

use kukla_eval::error::Raised;
use kukla_eval::{Flow, Raise, Vm};
use kukla_ruby::value::Object;
use kukla_ruby::{Program, Result, Ruby, SyntaxProblem, Unwind, Value};
use kukla_syntax::diagnostic;
use kukla_values::Value as PuppetValue;
use rustc_hash::FxHashMap;

use crate::codes::{RUBY_INLINE_TEMPLATE_FAILED, RUBY_RAISED, RUBY_TEMPLATE_FAILED};
use crate::objects::Shared;
use crate::programs::RubyPrograms;
use crate::{raised, scope, session, values};

/// Words by which a template can reach instance variables that it does not name.
const REACHES_ALL: &[&str] = &[
    "instance_variable_get",
    "instance_variable_defined?",
    "instance_variables",
    "instance_variable_set",
    "remove_instance_variable",
    "binding",
    "eval",
    "instance_eval",
    "result",
    "inspect",
];

/// Methods that change their receiver, besides those whose names say so. What a template changes, Puppet sees changed.
const CHANGES: &[&str] = &[
    "<<",
    "[]=",
    "append",
    "clear",
    "concat",
    "delete",
    "delete_at",
    "delete_if",
    "fill",
    "insert",
    "keep_if",
    "pop",
    "prepend",
    "push",
    "replace",
    "shift",
    "store",
    "unshift",
    "update",
];

/// The text that a template gives.
pub fn render(
    vm: &mut Vm<'_>,
    programs: &Arc<RubyPrograms>,
    name: &str,
    path: Option<&Path>,
    text: &str,
) -> Flow<String> {
    let program = programs
        .template(path.unwrap_or(Path::new("(erb)")), text)
        .map_err(|problem| syntax_error(path, &problem))?;
    let scope = vm.standing();
    let variables = variables(vm, &program);
    let (text, changes) = session::enter(vm, programs, None, |ruby| {
        let rendered = evaluate(ruby, &program, scope.number(), path, &variables);
        rendered.map_err(|unwind| match *unwind {
            Unwind::Raise(exception) => failed(ruby, &exception, name, path),
            other => Box::new(other),
        })
    })?;
    for change in &changes {
        vm.change_in_place(&change.name, &change.old, &change.new);
    }
    Ok(text)
}

fn syntax_error(path: Option<&Path>, problem: &SyntaxProblem) -> Raise {
    let file = path.map_or_else(|| "(erb)".to_owned(), |path| path.display().to_string());
    let message = format!("{file}:{}: syntax error, {}", problem.line, problem.message);
    diagnostic!(RUBY_RAISED { message }).into()
}

/// The variables that a template may ask for.
fn variables(vm: &Vm<'_>, program: &Program) -> Vec<(String, PuppetValue)> {
    let here = vm.standing();
    if REACHES_ALL.iter().any(|word| program.names(word)) {
        let mut all: FxHashMap<String, PuppetValue> = FxHashMap::default();
        let mut order = Vec::new();
        for (name, value) in vm.visible_variables(here) {
            let name: String =
                name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
            if all.insert(name.clone(), value).is_none() {
                order.push(name);
            }
        }
        return order.into_iter().filter_map(|name| Some((name.clone(), all.remove(&name)?))).collect();
    }
    let names = program.instance_variables().filter_map(|name| name.strip_prefix('@'));
    names.filter_map(|name| Some((name.to_owned(), vm.variable_at(here, name)?))).collect()
}

/// A list or hash that a template has changed.
struct Change {
    /// The variable that held it.
    name: String,
    old: PuppetValue,
    new: PuppetValue,
}

fn evaluate(
    ruby: &mut Ruby<'_>,
    program: &Arc<Program>,
    scope: u64,
    path: Option<&Path>,
    variables: &[(String, PuppetValue)],
) -> Result<(String, Vec<Change>)> {
    let class = ruby.class_named("Puppet::Parser::TemplateWrapper")?;
    let wrapper = Object::new(class);
    let set = |ruby: &mut Ruby<'_>, name: &str, value: Value| {
        let name = ruby.symbols.intern(&format!("@{name}"));
        wrapper.head.set_variable(name, value);
    };
    let scope = scope::object(ruby, scope)?;
    set(ruby, "__scope__", scope);
    if let Some(path) = path {
        set(ruby, "__file__", Value::str(path.to_string_lossy().into_owned()));
    }
    let may_change = CHANGES.iter().any(|word| program.names(word)) || program.names_ending_in('!');
    let mut lent = Vec::new();
    for (name, value) in variables {
        if !matches!(value, PuppetValue::Undef) {
            let own = values::to_ruby(ruby, value)?;
            if may_change && matches!(value, PuppetValue::Array(_) | PuppetValue::Hash(_)) {
                lent.push((name, value, own.clone()));
            }
            set(ruby, name, own);
        }
    }
    let result = ruby.run_as(program, Value::Object(wrapper), class)?;
    let text = ruby.display(&result)?.to_str_lossy().into_owned();
    let mut changes = Vec::new();
    for (name, old, own) in lent {
        let new = values::to_puppet(ruby, &own)?;
        if new != *old {
            ruby.part::<Shared>().keep(&new, &own);
            changes.push(Change { name: name.clone(), old: old.clone(), new });
        }
    }
    Ok((text, changes))
}

/// What Puppet says when a template raises an exception; those that are no `StandardError` go on as they are.
fn failed(ruby: &mut Ruby<'_>, exception: &Value, name: &str, path: Option<&Path>) -> Box<Unwind> {
    if !ruby.is_a(exception, kukla_ruby::ClassId::STANDARD_ERROR) {
        return Box::new(Unwind::Raise(exception.clone()));
    }
    let detail = raised::message_of(ruby, exception);
    let wrong = match path {
        None => diagnostic!(RUBY_INLINE_TEMPLATE_FAILED { detail }),
        Some(path) => {
            let (file, line) = raised::place_of(ruby, exception).unwrap_or((path.display().to_string(), 0));
            diagnostic!(RUBY_TEMPLATE_FAILED { name, path: file, line, detail })
        }
    };
    match raised::to_puppet(ruby, Unwind::Raise(exception.clone())).into_reason() {
        Raised::Error(_) => Box::new(Unwind::Stop(wrong.into())),
        _ => Box::new(Unwind::Raise(exception.clone())),
    }
}
