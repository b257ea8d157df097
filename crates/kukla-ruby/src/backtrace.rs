//! Where the program is: the calls that led here.

use std::fmt;
use std::rc::Rc;

use crate::eval::Unit;
use crate::ruby::State;

/// A place in a program that runs.
#[derive(Clone)]
pub(crate) struct BacktraceLine {
    unit: Rc<Unit>,
    body: u32,
    /// The line, from 1.
    pub line: u32,
}

impl BacktraceLine {
    /// The file.
    pub(crate) fn file(&self) -> &str {
        &self.unit.program.file
    }

    /// The method, block or class.
    pub(crate) fn label(&self) -> &str {
        let program = &self.unit.program;
        &program.names[program.bodies[self.body as usize].name as usize]
    }
}

impl fmt::Debug for BacktraceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for BacktraceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:in `{}'", self.file(), self.line, self.label())
    }
}

/// How many places an exception remembers: enough to see what goes round in circles.
const MOST: usize = 200;

impl State {
    /// The places of all calls, the innermost first, without the first few.
    pub(crate) fn places(&self, skip: usize) -> Rc<[BacktraceLine]> {
        let mut line = self.run.line;
        let frames = self.run.frames.iter().rev().map(|at| {
            let place = BacktraceLine { unit: at.unit().clone(), body: at.body(), line };
            line = at.caller_line;
            place
        });
        frames.skip(skip).take(MOST).collect()
    }
}
