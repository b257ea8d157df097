//! The differences from Ruby that are known, each with its reason.

use kukla_values::regexp::{Direction, Encoding};

use super::generate::Question;

/// Whether two different answers are both as they should be.
pub fn is_explained(question: &Question, ours: &str, theirs: &str) -> bool {
    let pattern = String::from_utf8_lossy(&question.pattern);
    // Ruby has no limits; where it takes seconds, or we give up, there is nothing to compare.
    if theirs == "too long" || ours == "stopped" {
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
    // Through several calls Ruby also takes some recursions for endless that are not.
    if theirs == "refused: never ending recursion" && pattern.matches("\\g").count() > 1 {
        return true;
    }
    // Ruby takes an empty back reference at the end of what shall be absent for a character.
    let refers = ["\\k", "\\1", "\\2", "\\3"].iter().any(|mention| pattern.contains(mention));
    if pattern.contains("(?~") && refers {
        return true;
    }
    // Ruby looks for an endless run of anything only where the text begins, even after a `$` that could be elsewhere, and also
    // when it searches backward.
    let anywhere = question.options.multiline || pattern.contains("(?m");
    let endless = [".*", ".+", ".{"].iter().any(|run| pattern.contains(run));
    let backward = question.direction == Direction::Backward;
    if theirs == "none"
        && endless
        && anywhere
        && (backward || pattern.contains(['$', 'z', 'Z', 'b', 'B', 'G', '^']))
    {
        return true;
    }
    // Ruby does not see that an optional letter could be one beyond ASCII whose other case is ASCII: the sign of Kelvin, the long s.
    let subject = String::from_utf8_lossy(&question.subject);
    let folds = question.options.ignore_case || pattern.contains("(?i") || pattern.contains("(?mi");
    if folds && subject.contains(['\u{212a}', '\u{17f}']) && pattern.contains(['?', '*', '{']) {
        return true;
    }
    // A group whose condition is about itself depends on how often Ruby goes round an empty loop.
    if ["m", "n"].iter().any(|name| pattern.contains(&format!("(?<{name}>(?(<{name}>)"))) {
        return true;
    }
    // A class inside another that leaves nothing beyond ASCII holds all beyond ASCII, in Ruby.
    let leaves_nothing = ["\\D", "\\W", "\\S", "\\H", "[:^"].iter().any(|set| pattern.contains(set));
    question.encoding == Encoding::Utf8
        && pattern.contains("[^")
        && leaves_nothing
        && !question.subject.is_ascii()
}
