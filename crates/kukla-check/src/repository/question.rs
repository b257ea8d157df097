//! Questions about the rest of a repository: findings in a text stay valid while the answers to its questions stay the same.

use std::hash::{Hash, Hasher};

use kukla::values::Str;
use rustc_hash::FxHasher;

use super::definition::Definition;
use super::index::Index;

/// A question about the rest of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Whether there is a resource of a type with a title.
    Title(Str, Str),
    /// Whether defaults or overrides may add attributes to resources of a type.
    Defaulted(Str),
    /// Whether a class is declared with parameters somewhere.
    Declared(Str),
    /// Whether certainly no data binds a parameter of a class.
    Unbound(Str, Str),
    /// Whether data has a key.
    Key(Str),
    /// The parameters of an EPP template.
    Template(String),
    /// Whether an EPP template gets parameters whose names are computed.
    OpenTemplate(String),
}

impl Index {
    /// A fingerprint of the answer to a question.
    pub fn answer(&self, question: &Question) -> u64 {
        let mut hasher = FxHasher::default();
        match question {
            Question::Title(kind, title) => {
                let Some(titles) = self.titles.get(kind) else { return 0 };
                let is_there = |title: &str| titles.known.contains(title) || titles.renamed.contains(title);
                let bare = title.trim_end_matches('/');
                let is_known =
                    is_there(title) || *kind == "file" && (is_there(bare) || is_there(&format!("{bare}/")));
                if is_known {
                    return 1;
                }
                // A hint names the most similar one.
                let may_be_computed = titles.may_be_computed(title);
                (titles.fingerprint(), may_be_computed, self.has_computed_types()).hash(&mut hasher);
            }
            Question::Defaulted(kind) => self.defaulted.contains(kind).hash(&mut hasher),
            Question::Declared(class) => self.declared.contains(class).hash(&mut hasher),
            Question::Unbound(class, parameter) => {
                let lacks = |class: &Definition| self.data.lacks(class, parameter);
                self.classes.get(class).is_some_and(|class| lacks(class)).hash(&mut hasher);
            }
            Question::Key(key) => {
                let is_missing = self.data.is_whole_for(key) && !self.data.binds(key);
                is_missing.then(|| self.data.fingerprint()).hash(&mut hasher);
            }
            Question::Template(name) => {
                let parameters = self.templates.get(name);
                format!("{parameters:?}").hash(&mut hasher);
            }
            Question::OpenTemplate(name) => {
                (self.open_templates.contains("") || self.open_templates.contains(name)).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
