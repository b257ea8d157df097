//! Operators, with a fast way for numbers, strings, arrays and hashes unless a program has redefined them.

use std::rc::Rc;

use super::Frame;
use crate::args::Args;
use crate::class::ClassId;
use crate::error::Result;
use crate::memory;
use crate::program::{Node, Op, Operator};
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::{StringObject, Value};

impl Ruby<'_> {
    #[inline]
    pub(super) fn operator_node(&mut self, f: &Frame<'_>, op: &Op) -> Result {
        let left = match self.peek_integer(f, &op.left).or_else(|| self.peek_operation(f, &op.left)) {
            Some(number) => Value::Int(number),
            None => self.eval(f, &op.left)?,
        };
        // A literal that is appended need not become a string of its own.
        if let (Value::String(string), Operator::ShiftLeft, Node::Text(text), false) =
            (&left, op.operator, &op.right, self.run.redefined)
            && let Value::String(text) = &f.unit.literals[*text as usize]
            && self.append_text(string, text)?
        {
            return Ok(left);
        }
        let right = match self.peek_integer(f, &op.right) {
            Some(number) => Value::Int(number),
            None => self.eval(f, &op.right)?,
        };
        if let (Value::Int(a), Value::Int(b), false) = (&left, &right, self.run.redefined)
            && let Some(value) = integers(op.operator, *a, *b)
        {
            return Ok(value);
        }
        self.operate(f, op, left, right)
    }

    /// The integer value of an expression, if it is known without evaluating anything.
    #[inline]
    fn peek_integer(&self, f: &Frame<'_>, node: &Node) -> Option<i64> {
        match node {
            Node::Int(number) => Some(*number),
            Node::Local(slot) => match self.run.stack[f.base + *slot as usize] {
                Value::Int(number) => Some(number),
                _ => None,
            },
            Node::Outer(depth, slot) => f.env?.integer(*depth, *slot),
            _ => None,
        }
    }

    /// The integer that an operator between two such expressions gives. Nothing happens on the way, so that the same can be tried again.
    #[inline]
    pub(super) fn peek_operation(&self, f: &Frame<'_>, node: &Node) -> Option<i64> {
        let Node::Op(op) = node else { return None };
        if self.run.redefined {
            return None;
        }
        arithmetic(op.operator, self.peek_integer(f, &op.left)?, self.peek_integer(f, &op.right)?)
    }

    /// Whether a comparison holds: as a condition has it.
    #[inline]
    pub(super) fn test_operator(&mut self, f: &Frame<'_>, op: &Op) -> Result<bool> {
        let left = || self.peek_integer(f, &op.left).or_else(|| self.peek_operation(f, &op.left));
        if !self.run.redefined
            && let Some(b) = self.peek_integer(f, &op.right)
            && let Some(a) = left()
        {
            match op.operator {
                Operator::Less => return Ok(a < b),
                Operator::LessEqual => return Ok(a <= b),
                Operator::Greater => return Ok(a > b),
                Operator::GreaterEqual => return Ok(a >= b),
                Operator::Equal => return Ok(a == b),
                Operator::NotEqual => return Ok(a != b),
                _ => {}
            }
        }
        Ok(self.operator_node(f, op)?.is_true())
    }

    #[inline(never)]
    fn operate(&mut self, f: &Frame<'_>, op: &Op, left: Value, right: Value) -> Result {
        if !self.run.redefined
            && let Some(value) = self.quick(op.operator, &left, &right)?
        {
            return Ok(value);
        }
        self.operator_call(f, op, left, right)
    }

    #[inline(never)]
    fn operator_call(&mut self, f: &Frame<'_>, op: &Op, left: Value, right: Value) -> Result {
        self.run.line = op.line;
        let name = f.unit.symbol(op.name);
        self.call_at(f, op.site, &left, name, &Args::new(&[right]), false)
    }

    /// Calls a method at a call site; `own` lets private ones be called.
    pub(super) fn call_at(
        &mut self,
        f: &Frame<'_>,
        site: u32,
        receiver: &Value,
        name: Symbol,
        args: &Args<'_>,
        own: bool,
    ) -> Result {
        let class = self.class_of(receiver);
        match self.method_at(&f.unit.sites[site as usize], class, name) {
            Some(method) => {
                if !own && let Some(kind) = self.forbidden(&method, f.this) {
                    return self.missing(receiver, name, args, kind);
                }
                self.call_method(receiver, &method, name, args)
            }
            None => self.method_missing(receiver, name, args),
        }
    }

    /// Appends one string to another, if that is as simple as it looks.
    #[inline]
    fn append_text(&mut self, string: &Rc<StringObject>, other: &Rc<StringObject>) -> Result<bool> {
        let is_simple = string.head.class() == ClassId::STRING
            && !string.head.is_frozen()
            && !Rc::ptr_eq(string, other)
            && string.text().encoding() == other.text().encoding();
        if is_simple {
            self.grown(string.text().len() + other.text().len())?;
            string.text_mut().push_text(&other.text());
            if memory::is_due() {
                self.make_room(0)?;
            }
        }
        Ok(is_simple)
    }

    /// The result of `[]`, if that takes no call.
    pub(super) fn quick_index(
        &mut self,
        name: Symbol,
        receiver: &Value,
        index: &Value,
    ) -> Result<Option<Value>> {
        match name == sym::INDEX && !self.run.redefined {
            true => self.quick(Operator::Index, receiver, index),
            false => Ok(None),
        }
    }

    /// The result of an operator of `a += b` and its like, if that takes no call.
    pub(super) fn quick_operator(
        &mut self,
        name: Symbol,
        left: &Value,
        right: &Value,
    ) -> Result<Option<Value>> {
        let operator = match name {
            sym::PLUS => Operator::Add,
            sym::MINUS => Operator::Subtract,
            sym::TIMES => Operator::Multiply,
            sym::SHIFT_LEFT => Operator::ShiftLeft,
            _ => return Ok(None),
        };
        if self.run.redefined { Ok(None) } else { self.quick(operator, left, right) }
    }

    #[inline]
    fn quick(&mut self, operator: Operator, left: &Value, right: &Value) -> Result<Option<Value>> {
        Ok(match (left, right) {
            (Value::Int(a), Value::Int(b)) => integers(operator, *a, *b),
            (Value::Float(a), Value::Float(b)) => floats(operator, *a, *b),
            (Value::Int(a), Value::Float(b)) => floats(operator, *a as f64, *b),
            (Value::Float(a), Value::Int(b)) => floats(operator, *a, *b as f64),
            (Value::Array(array), _) if array.head.class() == ClassId::ARRAY => match (operator, right) {
                (Operator::Index, Value::Int(index)) => {
                    let items = array.items();
                    let at = if *index < 0 { *index + items.len() as i64 } else { *index };
                    Some(usize::try_from(at).ok().and_then(|at| items.get(at).cloned()).unwrap_or_default())
                }
                (Operator::ShiftLeft, _) if !array.head.is_frozen() => {
                    array.items_mut().push(right.clone());
                    Some(left.clone())
                }
                _ => None,
            },
            (Value::Hash(hash), _) if operator == Operator::Index && hash.head.class() == ClassId::HASH => {
                match self.hash_get(hash, right)? {
                    Some(value) => Some(value),
                    None => {
                        let table = hash.table();
                        if table.default_proc.is_nil() { Some(table.default.clone()) } else { None }
                    }
                }
            }
            (Value::Symbol(a), Value::Symbol(b)) => match operator {
                Operator::Equal => Some(Value::Bool(a == b)),
                Operator::NotEqual => Some(Value::Bool(a != b)),
                _ => None,
            },
            (Value::String(a), Value::String(b))
                if a.head.class() == ClassId::STRING && b.head.class() == ClassId::STRING =>
            {
                let equal = || {
                    let (a, b) = (a.text(), b.text());
                    a.same_bytes(&b) && (a.encoding() == b.encoding() || a.is_ascii())
                };
                match operator {
                    Operator::Equal => Some(Value::Bool(equal())),
                    Operator::NotEqual => Some(Value::Bool(!equal())),
                    Operator::ShiftLeft if self.append_text(a, b)? => Some(left.clone()),
                    _ => None,
                }
            }
            (Value::Nil, _) | (_, Value::Nil) if !matches!(left, Value::Object(_)) => match operator {
                Operator::Equal => Some(Value::Bool(left.is_nil() && right.is_nil())),
                Operator::NotEqual => Some(Value::Bool(!(left.is_nil() && right.is_nil()))),
                _ => None,
            },
            _ => None,
        })
    }
}

#[inline(always)]
fn integers(operator: Operator, a: i64, b: i64) -> Option<Value> {
    Some(Value::Bool(match operator {
        Operator::Less => a < b,
        Operator::LessEqual => a <= b,
        Operator::Greater => a > b,
        Operator::GreaterEqual => a >= b,
        Operator::Equal => a == b,
        Operator::NotEqual => a != b,
        operator => return arithmetic(operator, a, b).map(Value::Int),
    }))
}

/// The result of an operator that makes integers of integers, if it fits.
#[inline(always)]
fn arithmetic(operator: Operator, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        Operator::Add => a.checked_add(b)?,
        Operator::Subtract => a.checked_sub(b)?,
        Operator::Multiply => a.checked_mul(b)?,
        Operator::Divide => {
            if b == 0 {
                return None;
            }
            let quotient = a.checked_div(b)?;
            if (a % b != 0) && ((a < 0) != (b < 0)) { quotient - 1 } else { quotient }
        }
        Operator::Modulo => {
            if b == 0 || b == -1 {
                return if b == -1 { Some(0) } else { None };
            }
            let rest = a % b;
            if rest != 0 && ((rest < 0) != (b < 0)) { rest + b } else { rest }
        }
        Operator::And => a & b,
        Operator::Or => a | b,
        Operator::ShiftLeft => {
            if !(0..62).contains(&b) || a.unsigned_abs().leading_zeros() as i64 <= b + 1 {
                return None;
            }
            a << b
        }
        _ => return None,
    })
}

#[inline]
fn floats(operator: Operator, a: f64, b: f64) -> Option<Value> {
    Some(match operator {
        Operator::Add => Value::Float(a + b),
        Operator::Subtract => Value::Float(a - b),
        Operator::Multiply => Value::Float(a * b),
        Operator::Divide => Value::Float(a / b),
        Operator::Less => Value::Bool(a < b),
        Operator::LessEqual => Value::Bool(a <= b),
        Operator::Greater => Value::Bool(a > b),
        Operator::GreaterEqual => Value::Bool(a >= b),
        _ => return None,
    })
}
