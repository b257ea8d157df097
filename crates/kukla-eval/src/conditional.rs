//! `if`, `unless`, `case` and selectors. A match made in the test is visible in the branches and nowhere after.

use kukla_syntax::{Strict, diagnostic};
use kukla_values::{Value, format};

use crate::codes::UNMATCHED_SELECTOR;
use crate::error::Flow;
use crate::program::{Case, Expr, If, Kind, Selector};
use crate::vm::Vm;

impl Vm<'_> {
    /// Does something and puts the match variables back as they were.
    #[inline]
    pub(crate) fn guarded<T>(&mut self, body: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<T> {
        let before = self.scopes.captures(self.position());
        let result = body(self);
        self.scopes.restore_captures(self.position(), before);
        result
    }

    pub(crate) fn eval_if(&mut self, test: &If) -> Flow {
        self.guarded(|vm| match vm.eval(&test.test)?.is_true() != test.unless {
            true => vm.eval(&test.then),
            false => vm.eval(&test.otherwise),
        })
    }

    pub(crate) fn eval_case(&mut self, case: &Case) -> Flow {
        self.guarded(|vm| {
            let test = vm.eval(&case.test)?;
            let mut default = None;
            for option in &case.options {
                for value in &option.values {
                    if is_default(value) {
                        default = Some(&option.then);
                    } else if vm.option_applies(&test, value)? {
                        return vm.eval(&option.then);
                    }
                }
            }
            default.map_or(Ok(Value::Undef), |then| vm.eval(then))
        })
    }

    pub(crate) fn eval_selector(&mut self, selector: &Selector) -> Flow {
        self.guarded(|vm| {
            let test = vm.eval(&selector.test)?;
            let mut default = None;
            for (option, then) in &selector.options {
                if is_default(option) {
                    default = Some(then);
                } else if vm.option_applies(&test, option)? {
                    return vm.eval(then);
                }
            }
            match default {
                Some(then) => vm.eval(then),
                None => vm.unmatched(&selector.test, &test),
            }
        })
    }

    /// Under `strict => error` a selector without a match is an error, otherwise a warning and `undef`.
    fn unmatched(&mut self, test: &Expr, value: &Value) -> Flow {
        let shown = format::to_s(value);
        let wrong = diagnostic!(UNMATCHED_SELECTOR { value: shown });
        match self.environment().settings.strict {
            Strict::Error => Err(self.fail(test.span, wrong)),
            Strict::Warning | Strict::Off => {
                self.warn_at(test.span, &wrong);
                Ok(Value::Undef)
            }
        }
    }

    fn option_applies(&mut self, test: &Value, option: &Expr) -> Flow<bool> {
        if let Kind::Unfold(operand) = &option.unwrapped().kind {
            let value = self.eval(operand)?;
            for value in self.unfolded(value)? {
                if self.matches(test, &value)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let value = self.eval(option)?;
        self.matches(test, &value)
    }
}

fn is_default(expr: &Expr) -> bool {
    matches!(expr.unwrapped().kind, Kind::Literal(Value::Default))
}
