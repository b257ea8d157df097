//! Assignment: `$a = b`, `[$a, $b] = c`, and the `+=` and `-=` of the founding documents.
//!
//! Variables are immutable. `+=` makes a new variable in the current scope from the one of the same name further out; it
//! is plain assignment if there is none, and `-=` then leaves nothing. Its value, like that of any assignment, is the right-hand side
//! (`tests/language/assign.md`).

use kukla_syntax::{Span, bail, diagnostic};
use kukla_values::arithmetic::Operator;
use kukla_values::{Array, Name, Type, Value, format};

use crate::codes::{
    ADDING_TO_NO_VARIABLE, ASSIGNMENT_IN_DEFAULT, BUILT_IN_REASSIGNMENT, ILLEGAL_MULTI_ASSIGNMENT_SIZE,
    ILLEGAL_REASSIGNMENT, ILLEGAL_RESERVED_ASSIGNMENT, MISSING_MULTI_ASSIGNMENT_KEY,
    MISSING_MULTI_ASSIGNMENT_VARIABLE, RESERVED_VARIABLE, UNKNOWN_RESOURCE,
};
use crate::error::Flow;
use crate::label;
use crate::program::{Assign, AssignOperator, IllegalTarget, Target};
use crate::scope::{ScopeId, VariableSearch};
use crate::vm::Vm;
use kukla_syntax::validate::codes::{CROSS_SCOPE_ASSIGNMENT, ILLEGAL_ASSIGNMENT, ILLEGAL_NUMERIC_ASSIGNMENT};
use kukla_values::codes::OPERATOR_NOT_APPLICABLE;

/// Parameters and variables every class or define has.
const BUILT_IN: [&str; 2] = ["name", "title"];

impl Vm<'_> {
    pub(crate) fn eval_assign(&mut self, assign: &Assign, span: Span) -> Flow {
        self.check_target(&assign.target)?;
        let value = self.eval(&assign.value)?;
        match assign.operator {
            AssignOperator::Set => self.assign(&assign.target, value.clone(), (span, assign.value.span))?,
            AssignOperator::Append => self.assign_joined(assign, Operator::Add, value.clone(), span)?,
            AssignOperator::Remove => self.assign_joined(assign, Operator::Subtract, value.clone(), span)?,
        }
        if self.recorder.is_some() {
            self.record_target(&assign.target, assign, span);
        }
        Ok(value)
    }

    #[cold]
    fn record_target(&mut self, target: &Target, assign: &Assign, span: Span) {
        match target {
            Target::Variable(_, name) => self.record_variable(*name, &assign.value, span),
            Target::List(_, targets) => {
                targets.iter().for_each(|target| self.record_target(target, assign, span));
            }
            Target::Illegal(..) => {}
        }
    }

    /// Refuses an invalid target before the value is computed.
    fn check_target(&self, target: &Target) -> Flow<()> {
        match target {
            Target::Variable(..) => Ok(()),
            Target::List(_, targets) => targets.iter().try_for_each(|target| self.check_target(target)),
            Target::Illegal(span, IllegalTarget::NotVariable(what)) => {
                Err(self.fail(*span, diagnostic!(ILLEGAL_ASSIGNMENT { construct: label::a_an(what) })))
            }
            Target::Illegal(span, IllegalTarget::OtherScope(name)) => {
                Err(self.fail(*span, diagnostic!(CROSS_SCOPE_ASSIGNMENT { name })))
            }
            Target::Illegal(span, IllegalTarget::Match(n)) => {
                Err(self.fail(*span, diagnostic!(ILLEGAL_NUMERIC_ASSIGNMENT { name: n })))
            }
        }
    }

    fn assign(&mut self, target: &Target, value: Value, (span, right): (Span, Span)) -> Flow<()> {
        match target {
            Target::Variable(_, name) => self.set_variable(*name, value, span),
            Target::List(_, targets) => self.assign_list(targets, value, (span, right)),
            Target::Illegal(..) => self.check_target(target),
        }
    }

    fn assign_list(&mut self, targets: &[Target], value: Value, spans: (Span, Span)) -> Flow<()> {
        match value {
            Value::Hash(hash) => targets.iter().try_for_each(|target| {
                // A nested list is a key too: `[$a, [$b, $c]] = { a => 1, [b, c] => [2, 3] }`.
                let key = target_key(target);
                match hash.get(&key).cloned() {
                    Some(value) => self.assign(target, value, spans),
                    None => {
                        let key = format::to_s(&key);
                        Err(self.fail(spans.0, diagnostic!(MISSING_MULTI_ASSIGNMENT_KEY { key })))
                    }
                }
            }),
            Value::Type(ty) if matches!(&*ty, Type::Class(Some(_))) => match &*ty {
                Type::Class(Some(class)) => self.assign_from_class(targets, class, spans),
                _ => Ok(()),
            },
            Value::Array(values) => self.assign_elements(targets, values, spans),
            other => self.assign_elements(targets, Array::from(vec![other]), spans),
        }
    }

    fn assign_elements(&mut self, targets: &[Target], values: Array, spans: (Span, Span)) -> Flow<()> {
        if targets.len() != values.len() {
            let (expected, actual) = (targets.len(), values.len());
            let wrong = diagnostic!(ILLEGAL_MULTI_ASSIGNMENT_SIZE { expected, actual });
            return Err(self.fail(spans.0, wrong));
        }
        targets.iter().zip(values).try_for_each(|(target, value)| self.assign(target, value, spans))
    }

    /// `[$a, $b] = Class['x']`: each variable from the class's variable of the same name.
    fn assign_from_class(&mut self, targets: &[Target], class: &str, spans: (Span, Span)) -> Flow<()> {
        if Name::existing(class).and_then(|name| self.scopes.class(name)).is_none() {
            let resource = format!("Class['{class}']");
            return Err(self.fail(spans.1, diagnostic!(UNKNOWN_RESOURCE { resource })));
        }
        targets.iter().try_for_each(|target| {
            let Some(name) = target_name(target) else { return self.assign(target, Value::Undef, spans) };
            let qualified = format!("{class}::{name}");
            match self.variable_at(self.position(), &qualified) {
                Some(value) => self.assign(target, value, spans),
                None => {
                    let Target::Variable(at, _) = target else { return Ok(()) };
                    let wrong = diagnostic!(MISSING_MULTI_ASSIGNMENT_VARIABLE { name: qualified });
                    Err(self.fail(*at, wrong))
                }
            }
        })
    }

    fn assign_joined(&mut self, assign: &Assign, operator: Operator, value: Value, span: Span) -> Flow<()> {
        let Target::Variable(_, name) = &assign.target else {
            return Err(self.fail(span, diagnostic!(ADDING_TO_NO_VARIABLE)));
        };
        let outer = match self.scopes.find(self.position(), *name) {
            VariableSearch::Value(value) => Some(value.clone()),
            _ => self.node_variable(name.as_str()),
        };
        // An error about the name comes before errors about the values.
        self.check_free(*name, span)?;
        let joined = match outer {
            None if operator == Operator::Subtract => Value::Undef,
            None => value,
            Some(outer @ (Value::Array(_) | Value::Hash(_))) => {
                self.calculate(operator, &outer, &value, [span, assign.value.span], span)?
            }
            Some(other) => {
                let operand = label::a_an(&label::of_value(&other));
                let operator = format!("{operator}=");
                return Err(self.fail(span, diagnostic!(OPERATOR_NOT_APPLICABLE { operator, operand })));
            }
        };
        self.set_variable(*name, joined, span)
    }

    fn check_free(&self, name: Name, span: Span) -> Flow<()> {
        let text = name.as_str();
        let at_top = self.position().is_named() && self.scope() == ScopeId::TOP;
        let taken =
            self.scopes.is_bound(self.position(), name) || at_top && self.node_variable(text).is_some();
        if text == "server_facts" || taken && matches!(text, "facts" | "trusted") {
            return Err(self.fail(span, diagnostic!(ILLEGAL_RESERVED_ASSIGNMENT { name: text })));
        }
        if taken {
            let wrong = match BUILT_IN.contains(&text) {
                true => diagnostic!(BUILT_IN_REASSIGNMENT { name: text }),
                false => diagnostic!(ILLEGAL_REASSIGNMENT { name: text }),
            };
            let wrong = match self.earlier_assignment(text, span) {
                Some(earlier) => wrong.label(earlier, "first set here"),
                None => wrong,
            };
            return Err(
                self.fail(span, wrong.hint("a variable is set once; give the second value another name"))
            );
        }
        Ok(())
    }

    /// The last place before `span` in the same text that gives a variable its value.
    #[cold]
    fn earlier_assignment(&self, name: &str, span: Span) -> Option<kukla_syntax::Location> {
        let location = self.location(span);
        let text = &location.source.text()[..span.start as usize];
        let variable = format!("${name}");
        let found = text.rmatch_indices(&variable).map(|(at, _)| at).find(|at| {
            let rest = text[at + variable.len()..].trim_start_matches([' ', '\t']);
            let ends = !text[at + variable.len()..]
                .starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            let sets = rest.starts_with('=') && !["==", "=>", "=~"].iter().any(|sign| rest.starts_with(sign));
            // In a list of parameters or of targets.
            let line = text[..*at].rsplit('\n').next().unwrap_or("").trim_start();
            let is_parameter =
                rest.starts_with([',', '\n', ')', '|']) && line.starts_with(|c: char| c.is_ascii_uppercase());
            ends && (sets || is_parameter) && !line.contains('#')
        })?;
        Some(self.location(Span::new(found as u32, (found + variable.len()) as u32)))
    }

    /// Sets a variable in the current scope.
    pub(crate) fn set_variable(&mut self, name: Name, value: Value, span: Span) -> Flow<()> {
        self.check_free(name, span)?;
        if self.scopes.is_read_only(self.position()) {
            bail!(ASSIGNMENT_IN_DEFAULT { name });
        }
        if matches!(name.as_str(), "facts" | "trusted") {
            bail!(RESERVED_VARIABLE { name });
        }
        self.scopes.bind(self.position(), name, value);
        Ok(())
    }
}

fn target_name(target: &Target) -> Option<Name> {
    match target {
        Target::Variable(_, name) => Some(*name),
        _ => None,
    }
}

/// The key of a hash that a target takes its value from.
fn target_key(target: &Target) -> Value {
    match target {
        Target::Variable(_, name) => name.as_str().into(),
        Target::List(_, targets) => Value::Array(targets.iter().map(target_key).collect()),
        Target::Illegal(..) => Value::Undef,
    }
}
