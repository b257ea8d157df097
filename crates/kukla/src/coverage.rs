//! How much of a repository's Ruby runs natively.

use std::path::Path;

use kukla_eval::Node;
pub use kukla_extensions::coverage::{Piece, PieceKind};

use crate::compile::Outcome;
use crate::site::Site;

impl Site {
    /// Looks at the Ruby of those modules that lie below a directory.
    pub fn ruby_coverage(&self, below: &Path) -> Outcome<Vec<Piece>> {
        self.run(&Node::named("coverage"), false, |vm| {
            vm.begin()?;
            kukla_extensions::coverage::coverage(vm, &self.ruby, below, kukla_facts::FACTER)
        })
    }
}
