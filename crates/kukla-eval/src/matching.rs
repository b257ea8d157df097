//! Matching: `=~`, `!~`, `in`, and how the options of `case` and selectors apply.

use std::sync::Arc;

use kukla_syntax::diagnostic;
use kukla_values::case::downcase;
use kukla_values::regexp::Regexp;
use kukla_values::{Str, Type, Value, compare};

use crate::codes::{MATCH_NOT_REGEXP, MATCH_NOT_STRING};
use crate::error::Flow;
use crate::label;
use crate::program::Expr;
use crate::vm::Vm;

impl Vm<'_> {
    pub(crate) fn eval_match(&mut self, wanted: bool, operands: &[Expr; 2]) -> Flow {
        let [left_expr, right_expr] = operands;
        let left = self.eval(left_expr)?;
        let right = self.eval(right_expr)?;
        self.budget().charge_work(&left)?;
        let matched = match &right {
            Value::Type(ty) => self.is_member_of(&left, ty)?,
            Value::SemVerRange(_) => compare::includes(&right, &left).is_some(),
            Value::Regexp(regexp) => self.match_text(&left, regexp, left_expr)?,
            Value::String(pattern) => {
                let regexp = Regexp::new(pattern).map_err(|error| {
                    let wrong = diagnostic!(MATCH_NOT_REGEXP).because(error);
                    self.fail(right_expr.span, wrong)
                })?;
                self.match_text(&left, &regexp, left_expr)?
            }
            other => {
                let cause = kukla_values::format::no_implicit_conversion(other, "String");
                let wrong = diagnostic!(MATCH_NOT_REGEXP).because(cause);
                return Err(self.fail(right_expr.span, wrong));
            }
        };
        Ok(Value::Boolean(matched == wanted))
    }

    fn match_text(&mut self, left: &Value, regexp: &Regexp, expr: &Expr) -> Flow<bool> {
        let Value::String(text) = left else {
            let actual = label::a_an(&label::of_value(left));
            return Err(self.fail(expr.span, diagnostic!(MATCH_NOT_STRING { actual })));
        };
        self.capture(regexp, text)
    }

    /// Matches text, and on success sets `$0`, `$1`, ...
    pub(crate) fn capture(&mut self, regexp: &Regexp, text: &Str) -> Flow<bool> {
        let found = regexp.captures(text);
        self.budget().charge_metered()?;
        let Some(found) = found? else { return Ok(false) };
        let groups = (0..found.len()).map(|n| found.get(n).map_or(Value::Undef, |part| part.into()));
        let captures = groups.collect::<Arc<[Value]>>();
        self.scopes.set_captures(self.position(), Some(captures));
        Ok(true)
    }

    fn is_member_of(&mut self, value: &Value, ty: &Type) -> Flow<bool> {
        let belongs = ty.contains(value);
        self.budget().charge_metered()?;
        Ok(belongs)
    }

    /// Whether a `case` or selector option applies to a value.
    pub(crate) fn matches(&mut self, value: &Value, option: &Value) -> Flow<bool> {
        Ok(match option {
            Value::Regexp(regexp) => match value {
                Value::String(text) => self.capture(regexp, text)?,
                _ => false,
            },
            Value::Type(ty) => self.is_member_of(value, ty)?,
            Value::SemVer(_) | Value::SemVerRange(_) => compare::matches(value, option).is_some(),
            Value::Array(options) => match value {
                Value::Array(values) if values.len() == options.len() => {
                    for (value, option) in values.iter().zip(options) {
                        if !self.matches(value, option)? {
                            return Ok(false);
                        }
                    }
                    true
                }
                _ => false,
            },
            Value::Hash(options) => match value {
                Value::Hash(values) => {
                    for (key, option) in options {
                        let value = values.get(key).cloned().unwrap_or_default();
                        if !self.matches(&value, option)? {
                            return Ok(false);
                        }
                    }
                    true
                }
                _ => false,
            },
            Value::Default => true,
            _ => compare::equals(value, option),
        })
    }

    pub(crate) fn eval_in(&mut self, operands: &[Expr; 2]) -> Flow {
        let left = self.eval(&operands[0])?;
        let right = self.eval(&operands[1])?;
        self.budget().charge_work(&right)?;
        self.is_in(&left, &right).map(Value::Boolean)
    }

    fn is_in(&mut self, left: &Value, right: &Value) -> Flow<bool> {
        match right {
            Value::String(text) => match left {
                Value::String(part) => Ok(downcase(text).contains(downcase(part).as_str())),
                Value::Regexp(regexp) => self.capture(regexp, text),
                _ => Ok(false),
            },
            Value::Array(elements) => self.is_member(left, elements.iter()),
            Value::Hash(hash) => self.is_member(left, hash.keys()),
            Value::Binary(_) | Value::SemVerRange(_) => Ok(compare::includes(right, left).is_some()),
            _ => Ok(false),
        }
    }

    fn is_member<'v>(&mut self, left: &Value, mut elements: impl Iterator<Item = &'v Value>) -> Flow<bool> {
        match left {
            Value::Regexp(regexp) => {
                for element in elements {
                    if let Value::String(text) = element
                        && self.capture(regexp, text)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            // Members are taken as options of a `case`: a regexp or a type among them matches.
            Value::String(_) | Value::SemVer(_) => {
                for element in elements {
                    if self.matches(left, element)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Type(ty) => Ok(elements.any(|element| ty.contains(element))),
            _ => Ok(elements.any(|element| compare::equals(element, left))),
        }
    }
}
