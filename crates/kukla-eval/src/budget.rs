//! The budget of a compilation, charged where the evaluator and its functions use it.

use std::rc::Rc;

use kukla_values::{Budget, Limits, Value, meter};

use crate::error::Flow;
use crate::vm::Vm;

impl Vm<'_> {
    /// The limits of the compilation and its use so far; everything that works for it charges here.
    #[inline]
    pub fn budget(&self) -> &Budget {
        self.compilation.budget()
    }

    /// The same, to keep for the time of the compilation.
    pub fn shared_budget(&self) -> Rc<Budget> {
        self.compilation.shared_budget()
    }

    /// How much may be used.
    #[inline]
    pub fn limits(&self) -> &Limits {
        self.budget().limits()
    }

    /// Counts work done; an error once there was too much of it.
    #[inline]
    pub fn charge(&self, steps: u64) -> Flow<()> {
        Ok(self.budget().charge_steps(steps)?)
    }

    /// An error if a collection of this number of elements would be too large.
    pub fn check_size(&self, elements: usize) -> Flow<()> {
        Ok(self.budget().check_elements(elements)?)
    }

    /// An error if a string of this number of bytes would be too long.
    pub fn check_text(&self, bytes: usize) -> Flow<()> {
        Ok(self.budget().check_text(bytes)?)
    }

    /// Counts a value that was just made; an error if it is too large, or too much is nested in it.
    #[inline]
    pub(crate) fn made(&self, mut value: Value) -> Flow {
        let budget = self.budget();
        match &value {
            Value::String(text) => budget.check_text(text.len())?,
            Value::Array(values) => budget.check_elements(values.len())?,
            Value::Undef | Value::Boolean(_) | Value::Integer(_) => return Ok(value),
            _ => {}
        }
        budget.charge_value(&mut value)?;
        budget.check_value(&value)?;
        Ok(value)
    }

    /// Runs a compilation. When its budget is exhausted it ends, at the call that was being made.
    pub fn metered<T>(&mut self, body: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<T> {
        let budget = self.shared_budget();
        match meter::metered(&budget, || body(self)) {
            Ok(result) => result,
            Err(error) => Err(self.at(error, self.call_span())),
        }
    }

    /// Runs the body of a call one level deeper.
    #[inline]
    pub(crate) fn enter<T>(&mut self, body: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<T> {
        self.budget().enter()?;
        let result = body(self);
        self.budget().leave();
        result
    }
}
