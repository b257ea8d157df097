//! How much a compilation may use, and what it has used of that.
//!
//! How large values may become is in `size.rs`.

use crate::codes::{EVALUATION_LIMIT, RECURSION_LIMIT};
use crate::error::{Flow, Raise};
use crate::settings::Limits;
use crate::vm::Vm;
use kukla_syntax::diagnostic;

/// What a compilation may use and has used.
#[derive(Debug)]
pub(crate) struct Budget {
    pub limits: Limits,
    steps: u64,
    /// How many calls there are inside each other at this point.
    depth: u32,
    /// How deep expressions are nested at this point.
    nesting: u32,
    /// Decides when the nesting of a value is looked at.
    chance: u64,
}

impl Budget {
    pub fn new(limits: Limits) -> Budget {
        Budget { limits, steps: 0, depth: 0, nesting: 0, chance: 1 }
    }

    /// Counts work done; an error once there was too much of it.
    #[inline]
    pub fn charge(&mut self, steps: u64) -> Flow<()> {
        self.steps += steps;
        if self.limits.steps != 0 && self.steps > self.limits.steps {
            return Err(self.exhausted());
        }
        Ok(())
    }

    /// Begins an expression inside another; gives how deep it is nested.
    #[inline]
    pub fn nest(&mut self) -> u32 {
        self.nesting += 1;
        self.nesting
    }

    /// Ends what [`Budget::nest`] began.
    #[inline]
    pub fn unnest(&mut self) {
        self.nesting -= 1;
    }

    /// A number that no program can foresee.
    #[inline]
    pub fn chance(&mut self) -> usize {
        self.chance = self.chance.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.chance >> 33) as usize
    }

    #[cold]
    fn exhausted(&self) -> Raise {
        let limit = self.limits.steps;
        diagnostic!(EVALUATION_LIMIT { limit }; hint: "the setting limit_steps raises it").into()
    }

    #[cold]
    fn too_deep(&self) -> Raise {
        let limit = self.limits.depth;
        diagnostic!(RECURSION_LIMIT { limit }; hint: "does a function call itself without end?").into()
    }
}

impl Vm<'_> {
    /// Runs the body of a call one level deeper.
    #[inline]
    pub(crate) fn enter<T>(&mut self, body: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<T> {
        let budget = self.compilation.budget_mut();
        if budget.depth >= budget.limits.depth {
            return Err(budget.too_deep());
        }
        budget.depth += 1;
        let result = body(self);
        self.compilation.budget_mut().depth -= 1;
        result
    }
}
