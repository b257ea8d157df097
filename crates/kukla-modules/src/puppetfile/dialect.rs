//! Words of g10k's Puppetfiles that are not Ruby, written as Ruby. Lines stay where they are.

use std::borrow::Cow;

/// Attributes of g10k whose hyphens Ruby takes for subtractions.
const HYPHENATED: [(&str, &str); 2] =
    [(":ignore-unreachable", ":ignore_unreachable"), (":use-ssh-agent", ":use_ssh_agent")];

/// The text as Ruby reads it.
pub fn to_ruby(text: &str) -> Cow<'_, str> {
    let is_g10k = |line: &str| {
        setting(line).is_some() || HYPHENATED.iter().any(|(attribute, _)| line.contains(attribute))
    };
    if !text.lines().any(is_g10k) {
        return Cow::Borrowed(text);
    }
    let mut ruby = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if setting(line).is_some() {
            // A comment keeps the line.
            ruby.push_str(&line.replacen("forge.", "#orge.", 1));
        } else if line.trim_start().starts_with('#') {
            ruby.push_str(line);
        } else {
            let start = line.to_owned();
            ruby.push_str(&HYPHENATED.iter().fold(start, |line, (name, symbol)| line.replace(name, symbol)));
        }
    }
    Cow::Owned(ruby)
}

/// The value of `forge.baseUrl` or `forge.cacheTtl` on a line.
pub fn setting(line: &str) -> Option<(&'static str, &str)> {
    let rest = line.trim_start().strip_prefix("forge.")?;
    let names = ["baseurl", "cachettl"];
    let name = names.into_iter().find(|name| {
        rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && rest[name.len()..].starts_with([' ', '\t'])
    })?;
    let value = rest[name.len()..].trim().trim_matches(['\'', '"']);
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_g10k_become_ruby_and_others_stay() {
        let text = "forge.cacheTtl 4h\nmod 'a',\n  :git => 'u',\n  :ignore-unreachable => true\n# x :ignore-unreachable\n";
        assert_eq!(
            to_ruby(text),
            "#orge.cacheTtl 4h\nmod 'a',\n  :git => 'u',\n  :ignore_unreachable => true\n# x :ignore-unreachable\n"
        );
        assert!(matches!(to_ruby("forge 'x'\nmod 'a-b', '1.0.0'\n"), Cow::Borrowed(_)));
        assert_eq!(
            setting("  forge.baseUrl https://forge.example.com/ "),
            Some(("baseurl", "https://forge.example.com/"))
        );
        assert_eq!(setting("forge.baseUrls x"), None);
    }
}
