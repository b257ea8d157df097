//! Templates in Ruby (ERB).
//!
//! A template is evaluated in a wrapper whose instance variables are the variables of the scope. Only those are set that the template
//! names, unless it can name others while it runs.

use std::path::Path;
use std::sync::Arc;

use kukla_eval::error::Raised;
use kukla_eval::{Flow, Raise, Vm};
use kukla_ruby::class::{ANY, ClassId, Native, NativeClass, method, private};
use kukla_ruby::text::Text;
use kukla_ruby::value::Object;
use kukla_ruby::{Args, Program, Result, Ruby, SyntaxProblem, Unwind, Value};
use kukla_syntax::{ForeignException, Location, Source, SourcePosition, Stage, diagnostic};
use kukla_values::{Str, Value as PuppetValue};
use rustc_hash::FxHashMap;

use crate::codes::{RUBY_INLINE_TEMPLATE_FAILED, RUBY_RAISED, RUBY_TEMPLATE_FAILED};
use crate::external::{self, Workers};
use crate::objects::SharedCollections;
use crate::programs::RubyPrograms;
use crate::puppet::ScopeNumber;
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

/// Methods that change their receiver, besides those whose names say so and `<<`, which every program of a template has. What a template
/// changes, Puppet sees changed.
const CHANGES: &[&str] = &[
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

/// Findings from the names in a template: it can reach instance variables that it does not name, it names the scope, it may
/// change the values it is given.
const ALL: u32 = 1;
const SCOPE: u32 = 2;
const CHANGE: u32 = 4;

fn has_finding(program: &Program, what: u32) -> bool {
    let findings = program.findings(|program| {
        let names = |words: &[&str]| words.iter().any(|word| program.names(word));
        let bit = |is_found: bool, bit: u32| if is_found { bit } else { 0 };
        bit(names(REACHES_ALL), ALL)
            | bit(names(&["@__scope__"]), SCOPE)
            | bit(names(CHANGES) || program.names_ending_in('!'), CHANGE)
    });
    findings & what != 0
}

/// A template to render.
#[derive(Clone, Copy)]
pub struct Template<'t> {
    /// How it was asked for.
    pub name: &'t str,
    /// Where it was found.
    pub path: Option<&'t Path>,
    /// Its source text.
    pub text: &'t str,
}

impl Template<'_> {
    /// The text that it gives.
    pub fn render(self, vm: &mut Vm<'_>, programs: &Arc<RubyPrograms>, workers: &Workers) -> Flow<Str> {
        let program = programs
            .template(self.path.unwrap_or(Path::new("(erb)")), self.text)
            .map_err(|problem| syntax_error(self.path, self.text, &problem))?;
        let variables = variables(vm, &program);
        if let Some(path) = self.path {
            vm.note_file(path, variables.iter().map(|(name, _)| name.as_str()));
        }
        let piece = match self.path {
            Some(_) => format!("template '{}'", self.name),
            None => {
                let beginning: String =
                    self.text.lines().next().unwrap_or_default().chars().take(40).collect();
                format!("inline template '{beginning}'")
            }
        };
        external::here_or_there(
            vm,
            &piece,
            |vm| self.render_here(vm, programs, &program, &variables),
            |vm| self.render_there(vm, programs, workers, &variables),
        )
    }

    fn render_here(
        self,
        vm: &mut Vm<'_>,
        programs: &Arc<RubyPrograms>,
        program: &Arc<Program>,
        variables: &[(String, PuppetValue)],
    ) -> Flow<Str> {
        let scope = vm.standing().number();
        let (text, changes) = session::enter(vm, programs, None, |ruby| {
            let rendered = evaluate(ruby, program, scope, self, variables);
            rendered.map_err(|unwind| self.failed(ruby, *unwind))
        })?;
        for change in &changes {
            vm.change_in_place(&change.name, &change.old, &change.new);
        }
        Ok(text)
    }

    fn render_there(
        self,
        vm: &mut Vm<'_>,
        programs: &Arc<RubyPrograms>,
        workers: &Workers,
        variables: &[(String, PuppetValue)],
    ) -> Flow<Str> {
        let scope = vm.standing().number();
        session::enter(vm, programs, None, |ruby| {
            let rendered = external::render(ruby, workers, scope, self.path, self.text, variables);
            rendered.map(Str::from).map_err(|unwind| self.failed(ruby, *unwind))
        })
    }

    fn failed(self, ruby: &mut Ruby<'_>, unwind: Unwind) -> Box<Unwind> {
        match unwind {
            Unwind::Raise(exception) => failed(ruby, &exception, self.name, self.path),
            other => Box::new(other),
        }
    }
}

fn syntax_error(path: Option<&Path>, text: &str, problem: &SyntaxProblem) -> Raise {
    let file = path.map_or_else(|| "(erb)".to_owned(), |path| path.display().to_string());
    let message = format!("{file}:{}: syntax error, {}", problem.line, problem.message);
    let wrong = diagnostic!(RUBY_RAISED { message }).in_stage(Stage::Foreign(ForeignException::Fatal));
    let source = Source::new(file.as_str(), text);
    match super::erb_mistake::find(text, problem) {
        Some(mistake) => {
            let location = Location { source, span: mistake.span };
            wrong.focus_on(location, mistake.what).hint(mistake.advice).into()
        }
        None if path.is_some() => {
            let span = source.line_span(problem.line).unwrap_or_default();
            wrong.focus_on(Location { source, span }, "").into()
        }
        None => wrong.into(),
    }
}

/// The variables that a template may ask for.
fn variables(vm: &Vm<'_>, program: &Program) -> Vec<(String, PuppetValue)> {
    let here = vm.standing();
    if has_finding(program, ALL) {
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

/// The object in which a template is evaluated, before Puppet's own classes are loaded: its methods for the template and the scope need them.
static WRAPPER: NativeClass = NativeClass {
    methods: &[WRAPPER_METHODS],
    ..NativeClass::class("Puppet::Parser::TemplateWrapper", "Object")
};

const WRAPPER_METHODS: &[Native] = &[
    method("scope", 0, ANY, later),
    method("file", 0, ANY, later),
    method("has_variable?", 0, ANY, later),
    method("classes", 0, ANY, later),
    method("tags", 0, ANY, later),
    method("all_tags", 0, ANY, later),
    method("to_s", 0, ANY, later),
    method("debug", 0, ANY, later),
    method("info", 0, ANY, later),
    method("notice", 0, ANY, later),
    method("warning", 0, ANY, later),
    method("err", 0, ANY, later),
    method("alert", 0, ANY, later),
    method("emerg", 0, ANY, later),
    method("crit", 0, ANY, later),
];

/// Methods of gettext, which never translate here.
static KERNEL: &[NativeClass] = &[NativeClass { methods: &[GETTEXT], ..NativeClass::module("Kernel") }];

const GETTEXT: &[Native] = &[
    private("_", 1, 1, |_, _, args| Ok(args[0].clone())),
    private("n_", 3, 3, |ruby, _, args| {
        let is_one = ruby.eq(&args[2], &Value::Int(1))?;
        Ok(args[if is_one { 0 } else { 1 }].clone())
    }),
];

/// The class that templates are evaluated in.
#[derive(Default)]
struct Wrapper(Option<ClassId>);

/// Adds what templates see without naming anything of Puppet's.
pub fn declare(ruby: &mut Ruby<'_>) -> Result<()> {
    let class = ruby.declare_apart(&WRAPPER);
    ruby.part::<Wrapper>().0 = Some(class);
    ruby.declare(KERNEL)
}

/// Gives the class that templates are evaluated in its place among Puppet's own.
pub fn publish(ruby: &mut Ruby<'_>) -> Result<()> {
    let Some(class) = ruby.part::<Wrapper>().0 else { return Ok(()) };
    let parser = ruby.class_named("Puppet::Parser")?;
    let name = ruby.symbols.intern("TemplateWrapper");
    ruby.define_constant(parser, name, Value::Class(class))
}

/// Calls the method of the same name that comes with Puppet's own classes.
fn later(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = ruby.called();
    let name = ruby.symbols.intern(name);
    ruby.class_named("Puppet::Parser::TemplateWrapper")?;
    ruby.call(this, name, args)
}

fn shared(text: &Text) -> Str {
    text.to_shared().unwrap_or_else(|| text.to_str_lossy().as_ref().into())
}

fn evaluate(
    ruby: &mut Ruby<'_>,
    program: &Arc<Program>,
    scope: u64,
    template: Template<'_>,
    variables: &[(String, PuppetValue)],
) -> Result<(Str, Vec<Change>)> {
    let class = match ruby.part::<Wrapper>().0 {
        Some(class) => class,
        None => ruby.class_named("Puppet::Parser::TemplateWrapper")?,
    };
    let wrapper = Value::Object(Object::with(class, ScopeNumber(scope)));
    let set = |ruby: &mut Ruby<'_>, name: &str, value: Value| {
        let name = ruby.symbols.intern(&format!("@{name}"));
        ruby.set_instance_variable(&wrapper, name, value)
    };
    // The others ask for it by the method `scope`.
    if has_finding(program, SCOPE | ALL) {
        let scope = scope::object(ruby, scope)?;
        set(ruby, "__scope__", scope)?;
    }
    if let Some(path) = template.path {
        set(ruby, "__file__", Value::str(path.to_string_lossy().into_owned()))?;
    }
    let may_change = has_finding(program, CHANGE) || template.text.contains("<<");
    let mut lent = Vec::new();
    for (name, value) in variables {
        if !matches!(value, PuppetValue::Undef) {
            let own = values::to_ruby(ruby, value)?;
            if may_change && matches!(value, PuppetValue::Array(_) | PuppetValue::Hash(_)) {
                lent.push((name, value, own.clone()));
            }
            set(ruby, name, own)?;
        }
    }
    let result = ruby.run_as(program, wrapper, class)?;
    // The output is long, so it is copied once.
    let text = match &result {
        Value::String(text) => shared(&text.text()),
        other => shared(&ruby.display(other)?),
    };
    let mut changes = Vec::new();
    for (name, old, own) in lent {
        let new = values::to_puppet(ruby, &own)?;
        if new != *old {
            ruby.part::<SharedCollections>().hold(&new, &own);
            changes.push(Change { name: name.clone(), old: old.clone(), new });
        }
    }
    Ok((text, changes))
}

/// Puppet's error for a template that raises an exception; exceptions other than a `StandardError` go on as they are.
fn failed(ruby: &mut Ruby<'_>, exception: &Value, name: &str, path: Option<&Path>) -> Box<Unwind> {
    if !ruby.is_a(exception, kukla_ruby::ClassId::STANDARD_ERROR) {
        return Box::new(Unwind::Raise(exception.clone()));
    }
    let detail = raised::message_of(ruby, exception);
    let wrong = match path {
        None => diagnostic!(RUBY_INLINE_TEMPLATE_FAILED { detail }),
        Some(path) => {
            let (file, line) = raised::place_of(ruby, exception).unwrap_or((path.display().to_string(), 0));
            let place = SourcePosition::line_of(file.clone(), Some(line).filter(|line| *line > 0));
            let wrong = diagnostic!(RUBY_TEMPLATE_FAILED { name, path: file, line, detail: &detail });
            let wrong = if line > 0 { wrong.focus_on(place, "") } else { wrong };
            match advice(&detail) {
                Some(advice) => wrong.hint(advice),
                None => wrong,
            }
        }
    };
    match raised::to_puppet(ruby, Unwind::Raise(exception.clone())).into_reason() {
        Raised::Error(_) => Box::new(Unwind::Stop(wrong.into())),
        _ => Box::new(Unwind::Raise(exception.clone())),
    }
}

/// Advice for what templates often do wrong.
fn advice(detail: &str) -> Option<String> {
    if let Some(rest) = detail.strip_prefix("undefined local variable or method `") {
        let name = rest.split('\'').next()?;
        return Some(format!("a variable of Puppet is written `@{name}`"));
    }
    let is_nil = detail.contains("for nil:NilClass") || detail.contains("for nil");
    is_nil.then(|| "something here has no value: check the names of the variables, which are nil if nothing sets them".to_owned())
}
