//! Ruby objects that Puppet holds, until the compilation ends.

use std::rc::Rc;

use kukla_ruby::Value;
use kukla_ruby::proc::ProcObject;

/// Objects and blocks that Puppet holds, by number.
#[derive(Default)]
pub struct Kept {
    values: Vec<Value>,
    blocks: Vec<Rc<ProcObject>>,
}

impl Kept {
    /// Keeps an object; the same one has the same number.
    pub fn keep(&mut self, value: Value) -> usize {
        if let Some(known) = self.values.iter().position(|kept| kept.is_same(&value)) {
            return known;
        }
        self.values.push(value);
        self.values.len() - 1
    }

    /// The object of a number.
    pub fn get(&self, number: usize) -> Value {
        self.values.get(number).cloned().unwrap_or_default()
    }

    /// Keeps a block for the time of a call.
    pub fn keep_block(&mut self, block: Rc<ProcObject>) -> usize {
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// The block of a number.
    pub fn block(&self, number: usize) -> Option<Rc<ProcObject>> {
        self.blocks.get(number).cloned()
    }

    /// Lets go of the blocks of calls that have ended.
    pub fn drop_blocks(&mut self, from: usize) {
        self.blocks.truncate(from);
    }
}
