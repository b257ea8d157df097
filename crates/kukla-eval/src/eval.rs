//! Evaluation: from an expression to its value.

use kukla_syntax::diagnostic;
use kukla_values::{Array, Hash, Value, format};

use crate::error::{Flow, Raise};
use crate::label;
use crate::program::{Expr, Kind, Segment};
use crate::types::Meaning;
use crate::variable::is_unevaluated;
use crate::vm::Vm;
use kukla_syntax::validate::codes::{EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING, RESERVED_WORD};

/// The stack left at which a new piece is taken, and how large a piece; how many levels of expressions the former is good for.
const LEVELS: u32 = 8;
const RED_ZONE: usize = 1 << 20;
const STACK: usize = 4 << 20;

/// How many levels of expressions count as a call, since they take stack as well.
const LEVELS_PER_CALL: u32 = 32;

impl Vm<'_> {
    /// The value of an expression.
    #[inline]
    pub fn eval(&mut self, expr: &Expr) -> Flow {
        match &expr.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Variable(variable) => self.eval_variable(variable, expr.span),
            _ => {
                self.compilation.nesting += 1;
                // Expressions nest as deep as the parser allows, calls as deep as the limits do: the stack grows with
                // them. Looking at every level would cost more than it is worth.
                let result = match self.compilation.nesting.is_multiple_of(LEVELS) {
                    true => {
                        match self.budget().check_depth((self.compilation.nesting / LEVELS_PER_CALL) as usize)
                        {
                            Ok(()) => stacker::maybe_grow(RED_ZONE, STACK, || self.eval_kind(expr)),
                            Err(too_deep) => Err(too_deep.into()),
                        }
                    }
                    false => self.eval_kind(expr),
                };
                self.compilation.nesting -= 1;
                result.map_err(|raise| self.blame(raise, expr))
            }
        }
    }

    /// An error that nobody has given a place yet is the fault of the innermost expression it leaves.
    #[cold]
    fn blame(&self, raise: Raise, expr: &Expr) -> Raise {
        match raise.diagnostic() {
            Some(failure) if is_unevaluated(failure) && self.defaulting().is_some() => raise,
            Some(failure) if failure.position.is_none() => {
                self.while_evaluating(raise, expr.span, label::of_expr(expr))
            }
            _ => raise,
        }
    }

    fn eval_kind(&mut self, expr: &Expr) -> Flow {
        match &expr.kind {
            Kind::Nop => Ok(Value::Undef),
            Kind::Mark(counter) => {
                counter.count();
                Ok(Value::Undef)
            }
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Name(text) => Ok(Value::String(text.clone())),
            Kind::Variable(variable) => self.eval_variable(variable, expr.span),
            Kind::Match(n) => Ok(self.scopes.capture(self.position(), *n as usize)),
            Kind::Interpolate(segments) => self.eval_interpolation(segments),
            Kind::Heredoc(heredoc) => self.eval_heredoc(heredoc),
            Kind::Array(elements) => {
                let list = Value::Array(self.eval_list(elements)?);
                self.made(list)
            }
            Kind::Hash(entries) => self.eval_hash(entries),
            Kind::TypeName(name) => self.eval_type_name(name, expr.span),
            Kind::Constant(constant) => {
                self.meaning(constant.slot, |vm| Ok(Meaning::Lasting(vm.eval(&constant.expr)?)))
            }
            Kind::Not(operand) => Ok(Value::Boolean(!self.eval(operand)?.is_true())),
            Kind::Negate(operand) => self.eval_negate(operand, expr.span),
            Kind::Unfold(operand) => {
                let value = self.eval(operand)?;
                Ok(Value::Array(self.unfolded(value)?))
            }
            Kind::Parens(inner) => self.eval(inner),
            Kind::And(operands) => {
                let [left, right] = &**operands;
                Ok(Value::Boolean(self.eval(left)?.is_true() && self.eval(right)?.is_true()))
            }
            Kind::Or(operands) => {
                let [left, right] = &**operands;
                Ok(Value::Boolean(self.eval(left)?.is_true() || self.eval(right)?.is_true()))
            }
            Kind::Arithmetic(operator, operands) => self.eval_arithmetic(*operator, operands, expr.span),
            Kind::Compare(operator, operands) => self.eval_comparison(*operator, operands, expr.span),
            Kind::Matches(wanted, operands) => self.eval_match(*wanted, operands),
            Kind::In(operands) => self.eval_in(operands),
            Kind::Assign(assign) => self.eval_assign(assign, expr.span),
            Kind::Access(access) => self.eval_access(access, expr.span),
            Kind::Call(call) => self.eval_call(call, expr.span),
            Kind::If(test) => self.eval_if(test),
            Kind::Case(case) => self.eval_case(case),
            Kind::Selector(selector) => self.eval_selector(selector),
            Kind::Block(statements) => self.eval_block(statements),
            Kind::Reserved(word) => Err(self.fail(expr.span, diagnostic!(RESERVED_WORD { word }))),
            Kind::Resource(resource) => self.eval_resource(resource, expr.span),
            Kind::Defaults(defaults) => self.eval_defaults(defaults, expr.span),
            Kind::Override(change) => self.eval_override(change, expr.span),
            Kind::Collect(collect) => self.eval_collect(collect, expr.span),
            Kind::Relationship(arrow, operands) => self.eval_relationship(*arrow, operands, expr.span),
            Kind::RenderText(text) => {
                self.render(Value::String(text.clone()));
                Ok(Value::Undef)
            }
            Kind::RenderExpr(inner) => self.eval_render(inner),
            Kind::Epp(body) => self.eval_epp(body),
            Kind::Apply => {
                let construct = "The Task 'apply' operation";
                let wrong = diagnostic!(EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING { construct });
                Err(self.fail(expr.span, wrong))
            }
        }
    }

    /// The value of the last of several expressions.
    pub(crate) fn eval_block(&mut self, statements: &[Expr]) -> Flow {
        let Some((last, before)) = statements.split_last() else { return Ok(Value::Undef) };
        for statement in before {
            self.eval(statement)?;
        }
        self.eval(last)
    }

    /// The values of several expressions, those written `*x` unfolded.
    pub(crate) fn eval_list(&mut self, elements: &[Expr]) -> Flow<Array> {
        let mut values = Array::with_capacity(elements.len());
        for element in elements {
            if let Kind::Unfold(operand) = &element.unwrapped().kind {
                let value = self.eval(operand)?;
                values.extend(self.unfolded(value)?);
            } else {
                values.push(self.eval(element)?);
            }
        }
        Ok(values)
    }

    fn eval_hash(&mut self, entries: &[(Expr, Expr)]) -> Flow {
        let mut hash = Hash::new();
        let table = hash.make_mut();
        table.reserve(entries.len());
        for (key, value) in entries {
            let key = self.eval(key)?;
            let value = self.eval(value)?;
            table.insert(key, value);
        }
        self.made(Value::Hash(hash))
    }

    /// The values that `*value` expands to.
    pub(crate) fn unfolded(&mut self, value: Value) -> Flow<Array> {
        Ok(match value {
            Value::Undef => Array::new(),
            Value::Array(array) => array,
            Value::Hash(hash) => pairs(&hash),
            Value::Iterator(iterator) => self.collect_iterator(&iterator)?,
            // Integer ranges and enumerations are iterable types, but they are types first.
            other => Array::from(vec![other]),
        })
    }

    /// All members of a lazy sequence.
    pub fn collect_iterator(&mut self, iterator: &kukla_values::iterator::Iterator) -> Flow<Array> {
        let mut values = Array::new();
        for value in iterator.members().into_iter().flatten() {
            self.charge(1)?;
            values.push(value);
            if values.len().is_multiple_of(4096) {
                self.check_size(values.len())?;
                self.budget().charge_elements(4096)?;
            }
        }
        Ok(values)
    }

    /// A value as interpolation shows it.
    pub fn text_of(&self, value: &Value) -> String {
        format::interpolate(value).into()
    }

    /// The text of an interpolated string.
    fn eval_interpolation(&mut self, segments: &[Segment]) -> Flow {
        // The text is put together in memory that is used again; a nested string finds none there and takes its own.
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        for segment in segments {
            match segment {
                Segment::Text(fixed) => text.push_str(fixed),
                Segment::Expr(expr) => {
                    let value = self.eval(expr)?;
                    match &value {
                        Value::String(part) => text.push_str(part),
                        Value::Integer(n) => push_integer(&mut text, *n),
                        other => format::interpolate_into(other, &mut text),
                    }
                    self.check_text(text.len())?;
                }
            }
        }
        self.budget().charge_text(text.len())?;
        let value = Value::String(text.as_str().into());
        self.scratch = text;
        Ok(value)
    }
}

/// Appends a number. Texts with numbers in them are many, and the general way cares for widths and signs, too.
fn push_integer(text: &mut String, n: i64) {
    let mut digits = [b'0'; 20];
    let (mut at, mut rest) = (digits.len(), n.unsigned_abs());
    loop {
        at -= 1;
        digits[at] += (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        text.push('-');
    }
    digits[at..].iter().for_each(|&digit| text.push(char::from(digit)));
}

/// A hash as an array of pairs.
pub(crate) fn pairs(hash: &Hash) -> Array {
    hash.iter().map(|(key, value)| Value::Array(Array::from(vec![key.clone(), value.clone()]))).collect()
}
