//! Objects that both languages refer to until the compilation ends: Ruby's that Puppet holds, and Puppet's lists and hashes that Ruby
//! holds.

use std::rc::Rc;

use kukla_ruby::Value;
use kukla_ruby::proc::ProcObject;
use kukla_values::Value as PuppetValue;
use rustc_hash::FxHashMap;

/// Lists and hashes of Puppet's, each with the Ruby object that was made of it, so that Ruby code gets the same object each time. They are
/// found by their address, which no other value can take while they are held here.
#[derive(Default)]
pub struct SharedCollections(FxHashMap<usize, (PuppetValue, Value)>);

impl SharedCollections {
    /// The Ruby object of a list or hash.
    pub fn get(&self, value: &PuppetValue) -> Option<Value> {
        self.0.get(&address(value)?).map(|(_, own)| own.clone())
    }

    /// Holds a list or hash with its Ruby object.
    pub fn hold(&mut self, value: &PuppetValue, own: &Value) {
        if let Some(address) = address(value) {
            self.0.insert(address, (value.clone(), own.clone()));
        }
    }
}

/// The address of a list or hash; empty lists have none.
fn address(value: &PuppetValue) -> Option<usize> {
    match value {
        PuppetValue::Array(array) if !array.is_empty() => Some(array.as_ptr().addr()),
        PuppetValue::Hash(hash) => Some(std::ptr::from_ref(&**hash).addr()),
        _ => None,
    }
}

/// Ruby's objects and blocks that Puppet holds, by number.
#[derive(Default)]
pub struct HeldObjects {
    values: Vec<Value>,
    blocks: Vec<Rc<ProcObject>>,
}

impl HeldObjects {
    /// Holds an object; the same one has the same number.
    pub fn hold(&mut self, value: Value) -> usize {
        if let Some(known) = self.values.iter().position(|held| held.is_same(&value)) {
            return known;
        }
        self.values.push(value);
        self.values.len() - 1
    }

    /// The object of a number.
    pub fn get(&self, number: usize) -> Value {
        self.values.get(number).cloned().unwrap_or_default()
    }

    /// Holds a block during a call.
    pub fn hold_block(&mut self, block: Rc<ProcObject>) -> usize {
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// The block of a number.
    pub fn block(&self, number: usize) -> Option<Rc<ProcObject>> {
        self.blocks.get(number).cloned()
    }

    /// Releases the blocks of calls that have ended.
    pub fn drop_blocks(&mut self, from: usize) {
        self.blocks.truncate(from);
    }
}
