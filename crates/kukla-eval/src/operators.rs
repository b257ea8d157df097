//! Arithmetic, collections and comparison: which operand is to blame, and what `strict` says of strings as numbers.

use std::cmp::Ordering;

use kukla_syntax::{Span, Strict, diagnostic};
use kukla_values::arithmetic::{self, OperandSide, Operator};
use kukla_values::{Error, Type, Value, compare, format};

use crate::codes::{COMPARISON_NOT_POSSIBLE, RESULT_IS_NAN};
use crate::error::{Flow, Raise};
use crate::label;
use crate::program::{Comparison, Expr};
use crate::vm::Vm;
use kukla_values::codes::{NOT_NUMERIC, NUMERIC_COERCION};

impl Vm<'_> {
    #[inline]
    pub(crate) fn eval_arithmetic(&mut self, operator: Operator, operands: &[Expr; 2], span: Span) -> Flow {
        let left = self.eval(&operands[0])?;
        let right = self.eval(&operands[1])?;
        if let (Value::Integer(a), Value::Integer(b)) = (&left, &right) {
            let quick = match operator {
                Operator::Add => a.checked_add(*b),
                Operator::Subtract => a.checked_sub(*b),
                Operator::Multiply => a.checked_mul(*b),
                // Rounded down; the remainder has the sign of the divisor.
                Operator::Divide if *b > 0 => Some(a.div_euclid(*b)),
                Operator::Modulo if *b > 0 => Some(a.rem_euclid(*b)),
                _ => None,
            };
            if let Some(n) = quick {
                return Ok(Value::Integer(n));
            }
        }
        self.calculate(operator, &left, &right, [operands[0].span, operands[1].span], span)
    }

    /// Applies an operator; `operands` are the places of the two sides.
    pub(crate) fn calculate(
        &mut self,
        operator: Operator,
        left: &Value,
        right: &Value,
        operands: [Span; 2],
        span: Span,
    ) -> Flow {
        // The sides are looked at in order, and only strings are coerced.
        let mut sides = [(left, operands[0]), (right, operands[1])].into_iter();
        let mut coerced: Vec<(Span, Error)> = Vec::new();
        let strict = self.environment().settings.strict;
        let result = arithmetic::calculate(operator, left, right, &mut |error| {
            let side = sides.by_ref().find(|(value, _)| matches!(value, Value::String(_)));
            let at = side.map_or(span, |(_, at)| at);
            coerced.push((at, error.clone()));
            if strict == Strict::Error { Err(error) } else { Ok(()) }
        });
        self.coercions(coerced)?;
        let value = result.map_err(|fault| match fault.side {
            _ if fault.error.is_nameless() => Raise::from(fault.error),
            OperandSide::Left => self.at(fault.error, operands[0]),
            OperandSide::Right => self.at(fault.error, operands[1]),
            OperandSide::Whole => self.at(fault.error, span),
        })?;
        match &value {
            Value::Float(n) if n.is_nan() => {
                Err(self.fail(operands[0], diagnostic!(RESULT_IS_NAN { operator })))
            }
            _ => self.made(value),
        }
    }

    /// Says what `strict` has to say about strings taken as numbers.
    fn coercions(&mut self, coerced: Vec<(Span, Error)>) -> Flow<()> {
        for (at, error) in coerced {
            match self.environment().settings.strict {
                Strict::Error => return Err(self.at(error, at)),
                Strict::Warning => self.warn_at(at, &error),
                Strict::Off => {}
            }
        }
        Ok(())
    }

    pub(crate) fn eval_negate(&mut self, operand: &Expr, span: Span) -> Flow {
        let value = self.eval(operand)?;
        let strict = self.environment().settings.strict;
        let mut coerced = Vec::new();
        let result = arithmetic::negate(&value, &mut |error| {
            coerced.push((span, error.clone()));
            if strict == Strict::Error { Err(error) } else { Ok(()) }
        });
        self.coercions(coerced)?;
        result.map_err(|fault| self.at(fault.error, span))
    }

    /// A number as it is; a string that spells a number as that number, where `strict` allows it.
    pub(crate) fn coerce(&mut self, value: &Value, span: Span) -> Flow {
        let number = match value {
            Value::Integer(_) | Value::Float(_) => return Ok(value.clone()),
            Value::String(text) => format::parse_number(text).map_err(|error| self.at(error, span))?,
            _ => None,
        };
        let shown = format::to_s(value);
        match number {
            Some(number) => {
                let after = format::interpolate(&number);
                let coerced = diagnostic!(NUMERIC_COERCION { text: shown, number: after });
                self.coercions(vec![(span, coerced.into())])?;
                Ok(number)
            }
            None => Err(self.fail(span, diagnostic!(NOT_NUMERIC { value: shown }))),
        }
    }

    pub(crate) fn eval_comparison(&mut self, operator: Comparison, operands: &[Expr; 2], span: Span) -> Flow {
        let left = self.eval(&operands[0])?;
        let right = self.eval(&operands[1])?;
        if let (Value::Integer(a), Value::Integer(b)) = (&left, &right) {
            return Ok(Value::Boolean(match operator {
                Comparison::Equal => a == b,
                Comparison::NotEqual => a != b,
                Comparison::Less => a < b,
                Comparison::LessOrEqual => a <= b,
                Comparison::Greater => a > b,
                Comparison::GreaterOrEqual => a >= b,
            }));
        }
        self.budget().charge_work(&left)?;
        let holds = match (operator, &left) {
            (Comparison::Equal, Value::Type(ty)) => same_type(ty, &right),
            (Comparison::NotEqual, Value::Type(ty)) => !same_type(ty, &right),
            (Comparison::Equal, _) => compare::equals(&left, &right),
            (Comparison::NotEqual, _) => !compare::equals(&left, &right),
            (_, Value::Type(ty)) => match &right {
                Value::Type(other) => match operator {
                    Comparison::Less => other.covers(ty) && !ty.same_set(other),
                    Comparison::LessOrEqual => other.covers(ty),
                    Comparison::Greater => ty.covers(other) && !ty.same_set(other),
                    _ => ty.covers(other),
                },
                _ => false,
            },
            _ => {
                let order = match compare::order(&left, &right) {
                    Ok(order) => order,
                    Err(error) => return Err(self.incomparable(operator, &left, &right, error, span)),
                };
                match operator {
                    Comparison::Less => order == Ordering::Less,
                    Comparison::LessOrEqual => order != Ordering::Greater,
                    Comparison::Greater => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }
            }
        };
        Ok(Value::Boolean(holds))
    }

    #[cold]
    fn incomparable(
        &self,
        operator: Comparison,
        left: &Value,
        right: &Value,
        reason: &str,
        span: Span,
    ) -> Raise {
        let (left, right) = (label::of_value(left), label::of_value(right));
        let operator = operator.as_str();
        self.fail(span, diagnostic!(COMPARISON_NOT_POSSIBLE { left, operator, right, reason }))
    }
}

fn same_type(ty: &Type, value: &Value) -> bool {
    matches!(value, Value::Type(other) if ty.same_set(other))
}
