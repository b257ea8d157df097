//! Objects that are known on both sides, until the compilation ends: those of Ruby that Puppet holds, lists and hashes of Puppet that
//! Ruby has seen.

use std::rc::Rc;

use kukla_ruby::Value;
use kukla_ruby::proc::ProcObject;
use kukla_values::Value as PuppetValue;
use rustc_hash::FxHashMap;

/// Lists and hashes of Puppet that Ruby has seen, with what stands for them there. They are kept, so that no other takes their address.
#[derive(Default)]
pub struct Shared(FxHashMap<usize, (PuppetValue, Value)>);

impl Shared {
    /// What stands for a list or hash in Ruby.
    pub fn get(&self, value: &PuppetValue) -> Option<Value> {
        self.0.get(&address(value)?).map(|(_, own)| own.clone())
    }

    /// Keeps what stands for a list or hash in Ruby.
    pub fn keep(&mut self, value: &PuppetValue, own: &Value) {
        if let Some(address) = address(value) {
            self.0.insert(address, (value.clone(), own.clone()));
        }
    }
}

/// Where a list or hash is; empty lists are nowhere.
fn address(value: &PuppetValue) -> Option<usize> {
    match value {
        PuppetValue::Array(array) if !array.is_empty() => Some(array.as_ptr().addr()),
        PuppetValue::Hash(hash) => Some(std::ptr::from_ref(&**hash).addr()),
        _ => None,
    }
}

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
