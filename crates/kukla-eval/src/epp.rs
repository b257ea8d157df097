//! Templates in Puppet: `<%= %>` writes to the innermost template being rendered.

use kukla_values::{Hash, Name, Value, format};

use crate::error::{Flow, Raise};
use crate::lambda::next_is_value;
use crate::program::{Expr, Program};
use crate::scope::{Position, ScopeId};
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
            match part {
                Value::String(part) => text.push_str(part),
                Value::Sensitive(inner) => {
                    sensitive = true;
                    format::interpolate_into(inner, &mut text);
                }
                other => format::interpolate_into(other, &mut text),
            }
        }
        let text = Value::String(text.into());
        Ok(if sensitive { Value::Sensitive(text.into()) } else { text })
    }

    /// Renders a template with arguments by name. `function` is `epp`, which sees only the top scope, or `inline_epp`,
    /// which sees the caller's variables.
    pub fn render_epp(&mut self, function: &str, program: &Program, args: Option<Hash>) -> Flow {
        let Some(head) = &program.epp else {
            return Err(Raise::runtime(format!("{function}(): the parser did not produce an EppExpression")));
        };
        if !program.definitions.is_empty() {
            let message =
                format!("{function}(): The EPP template contains illegal expressions (definitions)");
            return Err(Raise::runtime(message));
        }
        let enforce = head.specified || args.is_none();
        let args = args.unwrap_or_default();
        let global = function == "epp";
        self.charge(1)?;
        self.enter(|vm| {
            let outside = (vm.at, std::mem::replace(&mut vm.source, program.source.clone()));
            let frame = match global {
                true => vm.scopes.push_sealed(Position::named(ScopeId::TOP)),
                false => vm.scopes.push(outside.0),
            };
            vm.at = frame;
            let bound = match enforce {
                true => vm.bind_by_name("lambda", &head.params, &args),
                false => {
                    for (name, value) in &args {
                        vm.scopes.bind(frame, Name::new(name.as_str().unwrap_or_default()), value.clone());
                    }
                    Ok(())
                }
            };
            let result = bound.and_then(|()| vm.eval(&program.main));
            vm.scopes.pop();
            (vm.at, vm.source) = outside;
            next_is_value(result)
        })
    }
}
