//! Tags: words on resources, by which runs are limited and collectors choose.

/// Whether a word can be a tag: letters, digits and underscores, then also colons, dots and hyphens.
pub fn is_valid(tag: &str) -> bool {
    // Ruby's `\Z` lets one line break pass at the end.
    let tag = tag.strip_suffix('\n').unwrap_or(tag);
    let mut chars = tag.chars();
    let word = |c: char| c == '_' || c.is_alphanumeric();
    chars.next().is_some_and(word) && chars.all(|c| word(c) || matches!(c, ':' | '.' | '-'))
}

/// The further tags that a qualified name brings: `a::b` is also tagged `a` and `b`.
pub fn segments(tag: &str) -> impl Iterator<Item = &str> {
    let qualified = tag.contains("::");
    // Ruby's `split` drops empty fields at the end.
    tag.trim_end_matches("::").split("::").filter(move |_| qualified)
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
