//! Sets to which many files contribute, so that each file can take its elements back.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

/// Whether a file adds its elements or takes them back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It adds them.
    Add,
    /// It takes them back.
    Remove,
}

/// A set whose elements are counted.
#[derive(Clone, Debug)]
pub struct Counted<T> {
    counts: FxHashMap<T, u32>,
    fingerprint: u64,
}

impl<T> Default for Counted<T> {
    fn default() -> Counted<T> {
        Counted { counts: FxHashMap::default(), fingerprint: 0 }
    }
}

impl<T: Hash + Eq + Clone> Counted<T> {
    /// Counts an element up or down. Reports whether the set has changed.
    pub fn count(&mut self, element: &T, step: Step) -> bool {
        match (self.counts.get_mut(element), step) {
            (Some(count), Step::Add) => {
                *count += 1;
                return false;
            }
            (Some(count), Step::Remove) if *count > 1 => {
                *count -= 1;
                return false;
            }
            (None, Step::Remove) => return false,
            (None, Step::Add) => {
                self.counts.insert(element.clone(), 1);
                self.fingerprint = self.fingerprint.wrapping_add(digest(element));
            }
            (Some(_), Step::Remove) => {
                self.counts.remove(element);
                self.fingerprint = self.fingerprint.wrapping_sub(digest(element));
            }
        }
        true
    }

    /// Counts elements up or down.
    pub fn count_all(&mut self, elements: &[T], step: Step) {
        for element in elements {
            self.count(element, step);
        }
    }

    /// Adds elements.
    pub fn extend(&mut self, elements: impl IntoIterator<Item = T>) {
        elements.into_iter().for_each(|element| self.count_all(&[element], Step::Add));
    }

    /// Whether the set has an element.
    pub fn contains<Q: Hash + Eq + ?Sized>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.counts.contains_key(element)
    }

    /// The number of times that an element was added.
    pub fn number<Q: Hash + Eq + ?Sized>(&self, element: &Q) -> u32
    where
        T: Borrow<Q>,
    {
        self.counts.get(element).copied().unwrap_or(0)
    }

    /// The elements, each once.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.counts.keys()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// A number that changes whenever an element is added or removed, and returns with the elements.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

fn digest(element: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    element.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_stays_until_its_last_file_takes_it_back() {
        let mut set: Counted<&str> = Counted::default();
        assert!(set.count(&"a", Step::Add));
        let one = set.fingerprint();
        assert!(!set.count(&"a", Step::Add));
        assert!(set.count(&"b", Step::Add));
        assert_ne!(set.fingerprint(), one);
        assert!(!set.count(&"a", Step::Remove) && set.contains("a"));
        assert!(set.count(&"b", Step::Remove) && !set.contains("b"));
        assert!(!set.count(&"b", Step::Remove));
        assert_eq!((set.fingerprint(), set.number("a")), (one, 1));
    }
}
