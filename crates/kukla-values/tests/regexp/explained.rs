//! The differences from Ruby that are known, each with its reason.

use kukla_values::regexp::Encoding;

use crate::generate::Question;

/// Whether two different answers are both as they should be.
pub fn is_explained(question: &Question, ours: &str, theirs: &str) -> bool {
    let pattern = String::from_utf8_lossy(&question.pattern);
    // Ruby has no limits; where it takes seconds, or we give up, there is nothing to compare.
    if theirs == "too long" || ours == "given up" {
        return true;
    }
    // Which of several faults is named first.
    if ours.starts_with("refused: ") && theirs.starts_with("refused: ") {
        let late = [
            "never ending recursion",
            "invalid backref number/name",
            "invalid pattern in look-behind",
            "invalid conditional pattern",
        ];
        return late.iter().any(|fault| ours.contains(fault))
            && late.iter().any(|fault| theirs.contains(fault));
    }
    // Ruby looks for `.*` only where a line or the text begins, even after a `$` that could be elsewhere.
    let anywhere = question.options.multiline || pattern.contains("(?m");
    if theirs == "none"
        && pattern.contains(".*")
        && anywhere
        && pattern.contains(['$', 'z', 'Z', 'b', 'B', 'G', '^'])
    {
        return true;
    }
    // A class of nothing but a negated class that leaves nothing beyond ASCII holds all beyond ASCII, in Ruby.
    question.encoding == Encoding::Utf8 && pattern.contains("[[^") && !question.subject.is_ascii()
}
