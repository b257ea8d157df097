//! Tags: words on resources, by which runs are limited and collectors choose.

/// Whether a word can be a tag: letters, digits and underscores, then also colons, dots and hyphens.
pub fn is_valid(tag: &str) -> bool {
    // Ruby's `\Z` lets one line break pass at the end.
    let tag = tag.strip_suffix('\n').unwrap_or(tag);
    let word = |c: char| c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii() && c.is_alphanumeric();
    let mut chars = tag.chars();
    chars.next().is_some_and(word) && chars.all(|c| word(c) || matches!(c, ':' | '.' | '-'))
}

/// The further tags that a qualified name brings: `a::b` is also tagged `a` and `b`.
pub fn segments(tag: &str) -> impl Iterator<Item = &str> {
    // A single character is found sooner than two, and most tags have none.
    let qualified = tag.contains(':') && tag.contains("::");
    // Ruby's `split` drops empty fields at the end.
    qualified.then(|| tag.trim_end_matches("::").split("::")).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert!(is_valid("a::b-c.d_e") && is_valid("é9") && is_valid("a\n"));
        assert!(!is_valid("") && !is_valid("-a") && !is_valid("a b") && !is_valid("/etc"));
        assert_eq!(segments("a::b").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(segments("ab").count(), 0);
    }
}
