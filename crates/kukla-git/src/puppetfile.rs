//! The modules that a Puppetfile installs, as far as its text shows them.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// The directories that a Puppetfile installs modules in, from where it lies.
pub fn installed(text: &str) -> BTreeSet<PathBuf> {
    let mut directory = PathBuf::from("modules");
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(rest) = directive(line, "moduledir") {
            directory = PathBuf::from(rest);
        } else if let Some(name) = directive(line, "mod") {
            let own = name.rsplit(['/', '-']).next().unwrap_or(name);
            found.insert(directory.join(own));
        }
    }
    found
}

/// The first text in quotes after a word that begins the line.
fn directive<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let rest = line.strip_prefix(word)?;
    let rest = rest.strip_prefix(|c: char| c.is_whitespace() || c == '(')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    rest[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_by_their_own_names() {
        let text = "forge 'x'\nmod 'puppetlabs-stdlib', '9.0'\nmod \"puppetlabs/apt\"\nmoduledir 'ext'\n  mod 'site',\n    git: 'u'\n# mod 'no'\nmodule 'no'\n";
        let found: Vec<String> = installed(text).iter().map(|path| path.display().to_string()).collect();
        assert_eq!(found, ["ext/site", "modules/apt", "modules/stdlib"]);
    }
}
