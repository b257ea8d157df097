//! Ruby programs that are not part of a module and run in the interpreter of a compilation: with Puppet's classes, and a scope to call
//! functions in.

use std::sync::Arc;

use kukla_eval::{Flow, Vm};
use kukla_ruby::{Result, Ruby, State};
use rustc_hash::FxHashMap;

use crate::objects::SharedCollections;
use crate::programs::RubyPrograms;
use crate::scope::SharedScopes;
use crate::{library, session};

pub use crate::values::{to_puppet, to_ruby};

/// Runs something in the interpreter of a compilation.
pub fn run<T>(
    vm: &mut Vm<'_>,
    programs: &Arc<RubyPrograms>,
    body: impl FnOnce(&mut Ruby<'_>) -> Result<T>,
) -> Flow<T> {
    session::enter(vm, programs, None, body)
}

/// Makes an interpreter that has run before that of a compilation.
pub fn put(vm: &mut Vm<'_>, state: Box<State>) {
    vm.put_guest(state);
}

/// Takes the interpreter of a compilation, which has come to an end; a new one if it never had any.
pub fn take(vm: &mut Vm<'_>) -> Box<State> {
    vm.take_guest().and_then(|guest| guest.downcast().ok()).unwrap_or_else(State::new)
}

/// Brings Puppet's own classes, which an interpreter otherwise has once code names one of them.
pub fn bring_puppet(ruby: &mut Ruby<'_>) -> Result<()> {
    library::bring(ruby)
}

/// Makes every scope one object from now on, or gives these objects up.
pub fn share_scopes(ruby: &mut Ruby<'_>, are_shared: bool) {
    ruby.part::<SharedScopes>().0 = are_shared.then(FxHashMap::default);
}

/// Releases the lists and hashes of a compilation that has ended.
pub fn forget_collections(ruby: &mut Ruby<'_>) {
    *ruby.part::<SharedCollections>() = SharedCollections::default();
}
