//! PN, Puppet's own notation for syntax trees: what `puppet parser dump` prints.

mod read;
mod transform;
mod write;

pub use read::ReadError;

use std::borrow::Cow;

use crate::tree::Tree;

/// A syntax tree in PN.
#[derive(Clone, Debug, PartialEq)]
pub enum Pn<'t> {
    /// `nil`
    Nil,
    /// `true` or `false`
    Boolean(bool),
    /// An integer
    Integer(i128),
    /// A float
    Float(f64),
    /// `"text"`
    String(Cow<'t, str>),
    /// `[a b]`
    List(Vec<Pn<'t>>),
    /// `{:key value}`
    Map(Vec<(Cow<'t, str>, Pn<'t>)>),
    /// `(name a b)`
    Call(Cow<'t, str>, Vec<Pn<'t>>),
}

/// Deep nesting is freed level by level.
impl Drop for Pn<'_> {
    fn drop(&mut self) {
        match self {
            Pn::List(elements) | Pn::Call(_, elements) => {
                let elements = std::mem::take(elements);
                crate::deep(|| drop(elements));
            }
            Pn::Map(entries) => {
                let entries = std::mem::take(entries);
                crate::deep(|| drop(entries));
            }
            _ => {}
        }
    }
}

impl<'t> Pn<'t> {
    /// The tree of a manifest or a template.
    pub fn of(tree: &'t Tree) -> Pn<'t> {
        transform::program(tree)
    }

    /// Reads PN text.
    pub fn read(text: &str) -> Result<Pn<'static>, ReadError> {
        read::read(text)
    }

    fn call(name: &'static str, elements: Vec<Pn<'t>>) -> Pn<'t> {
        Pn::Call(Cow::Borrowed(name), elements)
    }

    fn string(text: &'t str) -> Pn<'t> {
        Pn::String(Cow::Borrowed(text))
    }
}
