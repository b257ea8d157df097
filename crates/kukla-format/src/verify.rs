//! The proof that formatting has not changed anything but the layout.

use kukla_syntax::pn::Pn;
use kukla_syntax::tree::Tree;
use kukla_syntax::{Parse, SyntaxKind as K};

use crate::{Difference, Language};

/// Checks that a formatted text has the syntax tree and the comments of the original; its parsed form.
pub(crate) fn same_meaning(
    original: &Tree,
    formatted: &str,
    language: Language,
) -> Result<Parse, Difference> {
    let parse = language.parse(formatted);
    if !parse.is_ok() {
        return Err(Difference::Syntax);
    }
    if Pn::of(original) != Pn::of(&parse.tree) {
        return Err(Difference::Tree);
    }
    if !comments(original).eq(comments(&parse.tree)) {
        return Err(Difference::Comments);
    }
    Ok(parse)
}

/// The comments of a tree, without carriage returns.
fn comments(tree: &Tree) -> impl Iterator<Item = &str> {
    let is_comment = |kind: K| matches!(kind, K::LineComment | K::BlockComment);
    tree.elements()
        .filter(move |element| is_comment(element.kind()))
        .map(|comment| comment.text().trim_end_matches('\r'))
}

/// Whether two texts have the same meaning and the same comments.
pub(crate) fn same_text(original: &str, formatted: &str, language: Language) -> bool {
    same_meaning(&language.parse(original).tree, formatted, language).is_ok()
}
