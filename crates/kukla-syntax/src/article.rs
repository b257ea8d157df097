//! The articles of messages: "a Function Call", "an Integer", "an 'if' statement".

/// A label with its article.
pub fn a_an(label: &str) -> String {
    format!("{} {label}", if takes_an(label) { "an" } else { "a" })
}

/// A label with its article, to begin a sentence with.
pub fn a_an_upper(label: &str) -> String {
    format!("{} {label}", if takes_an(label) { "An" } else { "A" })
}

/// A quote before the first letter does not count, and Puppet takes `y` for a vowel.
fn takes_an(label: &str) -> bool {
    label.strip_prefix(['\'', '"']).unwrap_or(label).starts_with(|first| "aeiouyAEIOUY".contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_look_behind_quotes() {
        assert_eq!(a_an("'if' statement"), "an 'if' statement");
        assert_eq!(a_an("'+' expression"), "a '+' expression");
        assert_eq!(a_an_upper("Integer"), "An Integer");
        assert_eq!(a_an_upper(""), "A ");
    }
}
