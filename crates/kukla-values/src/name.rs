//! Interned names: variables, classes, parameters, functions, resource types.
//!
//! A `Name` is a pointer to text that lives as long as the process, so comparing and hashing one costs what a pointer
//! costs and reading it needs no table. Only names that stand in source text are interned, which bounds the table by
//! the code that was ever loaded; a name computed at run time is looked up with [`Name::existing`], which adds nothing,
//! and entered only once a file turns out to define it.

use std::cell::RefCell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, RwLock};

use rustc_hash::FxHashSet;

/// A name from source text, unique per spelling.
#[derive(Clone, Copy)]
pub struct Name(&'static str);

static TABLE: LazyLock<RwLock<FxHashSet<&'static str>>> = LazyLock::new(Default::default);

thread_local! {
    /// The names that a thread has met. Most questions end here: a lock that many threads take, if only to read, costs them more
    /// than the answer.
    static MET: RefCell<FxHashSet<&'static str>> = RefCell::default();
}

impl Name {
    /// The one `Name` spelled `text`.
    pub fn new(text: &str) -> Name {
        if let Some(name) = Name::existing(text) {
            return name;
        }
        let mut table = TABLE.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = table.get(text) {
            return Name(known);
        }
        let kept: &'static str = Box::leak(text.into());
        table.insert(kept);
        Name(kept)
    }

    /// The `Name` spelled `text` if some source text already has it.
    pub fn existing(text: &str) -> Option<Name> {
        let known = |met: &RefCell<FxHashSet<&'static str>>| met.borrow().get(text).copied();
        // A thread that is about to end has forgotten its own.
        if let Ok(Some(name)) = MET.try_with(known) {
            return Some(Name(name));
        }
        let table = TABLE.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let name = *table.get(text)?;
        let _ = MET.try_with(|met| met.borrow_mut().insert(name));
        Some(Name(name))
    }

    /// One bit out of 64, shared with some other names: where it is missing, so is the name.
    #[inline]
    pub fn mark(self) -> u64 {
        let address = self.0.as_ptr().addr() as u64;
        1 << ((address >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58)
    }

    /// Its spelling.
    #[inline]
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Name) -> bool {
        // One spelling has one address, so that its length need not be compared.
        std::ptr::addr_eq(self.0.as_ptr(), other.0.as_ptr())
    }
}

impl Eq for Name {}

impl Hash for Name {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().hash(state);
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> std::cmp::Ordering {
        self.0.cmp(other.0)
    }
}

impl std::ops::Deref for Name {
    type Target = str;
    #[inline]
    fn deref(&self) -> &str {
        self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_per_spelling() {
        assert_eq!(Name::new("ntp"), Name::new(&String::from("ntp")));
        assert_ne!(Name::new("ntp"), Name::new("Ntp"));
        assert!(Name::existing("never written in any source").is_none());
    }
}
