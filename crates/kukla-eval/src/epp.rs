//! Templates in Puppet: `<%= %>` writes to the innermost template being rendered.

use std::sync::Arc;

use kukla_syntax::{Fact, Label, bail};
use kukla_values::codes::WRONG_PARAMETERS;
use kukla_values::{Hash, Name, Type, Value, format};

use crate::codes::{DEFINITION_IN_TEMPLATE, NO_TEMPLATE, NUMERIC_TEMPLATE_VARIABLE, TEMPLATE_WITHOUT_TEXT};
use crate::error::{Flow, Raise, Raised};
use crate::lambda::{next_is_value, refuse_reserved};
use crate::program::{Expr, Param};
use crate::standpoint::Visibility;
use crate::unit::Unit;
use crate::vm::Vm;

impl Vm<'_> {
    pub(crate) fn render(&mut self, value: Value) {
        if let Some(output) = self.output.last_mut() {
            output.push(value);
        }
    }

    pub(crate) fn eval_render(&mut self, expr: &Expr) -> Flow {
        let value = self.eval(expr)?;
        match value {
            Value::Sensitive(_) | Value::String(_) => self.render(value),
            other => {
                let text = self.text_of(&other);
                self.render(Value::String(text.into()));
            }
        }
        Ok(Value::Undef)
    }

    /// The text of a template; sensitive if anything in it is.
    pub(crate) fn eval_epp(&mut self, body: &Expr) -> Flow {
        self.output.push(Vec::new());
        let result = self.eval(body);
        let parts = self.output.pop().unwrap_or_default();
        result?;
        let mut text = String::new();
        let mut sensitive = false;
        for part in &parts {
            self.check_text(text.len())?;
            match part {
                Value::String(part) => text.push_str(part),
                Value::Sensitive(inner) => {
                    sensitive = true;
                    format::interpolate_into(inner, &mut text);
                }
                other => format::interpolate_into(other, &mut text),
            }
        }
        self.budget().charge_text(text.len())?;
        let text = Value::String(text.into());
        Ok(if sensitive { Value::Sensitive(text.into()) } else { text })
    }

    /// Renders a template with arguments by name. `function` is `epp`, which sees only the top scope, or `inline_epp`,
    /// which sees the caller's variables.
    pub fn render_epp(&mut self, function: &str, unit: &Arc<Unit>, args: Option<Hash>) -> Flow {
        let program = &*unit.program;
        let Some(head) = &program.epp else {
            bail!(NO_TEMPLATE { function });
        };
        if !program.definitions.is_empty() {
            bail!(DEFINITION_IN_TEMPLATE { function });
        }
        let enforce = head.specified || args.is_none();
        let mut args = args.unwrap_or_default();
        if enforce {
            // An argument without a value is not missed by anyone.
            let known =
                |name: &Value| head.params.iter().any(|param| name.as_str() == Some(param.name.as_str()));
            let idle = |(name, value): &(&Value, &Value)| value.is_undef() && !known(name);
            if args.iter().any(|each| idle(&each)) {
                let kept = args.iter().filter(|each| !idle(each));
                args = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
            }
        }
        let global = function == "epp";
        self.charge(1)?;
        self.enter(|vm| {
            let sees = if global { Visibility::Top } else { Visibility::From(vm.position()) };
            let result = vm.with_variables(unit, sees, |vm| {
                match enforce {
                    true => vm
                        .bind_by_name("lambda", &head.params, &args)
                        .map_err(|raise| blame_template(raise, unit, &head.params, &args))?,
                    false => {
                        for (name, value) in &args {
                            let name = Name::new(name.as_str().unwrap_or_default());
                            assignable(name)?;
                            vm.scopes.bind(vm.position(), name, value.clone());
                        }
                    }
                }
                vm.eval(&program.main)
            });
            match next_is_value(result) {
                // What `return` gives is what the template gives, whatever it is.
                Err(raise) if matches!(raise.reason(), Raised::Return(..)) => match raise.into_reason() {
                    Raised::Return(value, _) => Ok(value),
                    other => Err(other.into()),
                },
                // Nor is what `next` gives looked at when arguments are given to a template without parameters.
                result => {
                    if enforce {
                        text_only(function, result?)
                    } else {
                        result
                    }
                }
            }
        })
    }
}

/// Refuses the name of a variable that no template may set.
fn assignable(name: Name) -> Flow<()> {
    if name.as_str().starts_with(|c: char| c.is_ascii_digit()) {
        bail!(NUMERIC_TEMPLATE_VARIABLE { name });
    }
    refuse_reserved(name)
}

/// Checks the result of a template, which must be a string; `next` may return anything.
fn text_only(function: &str, value: Value) -> Flow {
    let is_text = |value: &Value| matches!(value, Value::String(_));
    match &value {
        Value::String(_) => Ok(value),
        Value::Sensitive(inner) if is_text(inner) => Ok(value),
        other => bail!(TEMPLATE_WITHOUT_TEXT { function, actual: Type::of(other).name() }),
    }
}

/// Names the template in an error about its parameters, where Puppet speaks of a lambda, and points at its parameters.
#[cold]
fn blame_template(mut raise: Raise, unit: &Unit, params: &[Param], args: &Hash) -> Raise {
    let Raised::Error(wrong) = raise.reason_mut() else { return raise };
    if !wrong.is(&WRONG_PARAMETERS) {
        return raise;
    }
    let name = unit.source.name().map_or_else(|| "the template".to_owned(), template_name);
    for (known, fact) in &mut wrong.facts {
        if *known == "subject" {
            *fact = Fact::Reworded { puppet: "lambda".to_owned(), shown: name.clone() };
        }
    }
    for param in params {
        match args.contains_key(param.name.as_str()) {
            false if param.default.is_none() => {
                let location = unit.location(param.span);
                wrong
                    .labels
                    .push(Label { position: location.into(), message: "it has no default".to_owned() });
                wrong.hints.push(format!("pass it with the template: `{{ '{}' => … }}`", param.name));
            }
            _ => {}
        }
    }
    raise
}

/// The name of a template of a module, as programs write it, by its path.
fn template_name(path: &str) -> String {
    let parts =
        path.rsplit_once("/templates/").and_then(|(module, name)| Some((module.rsplit('/').next()?, name)));
    parts.map_or_else(|| path.to_owned(), |(module, name)| format!("template '{module}/{name}'"))
}
