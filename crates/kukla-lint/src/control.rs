//! Control comments: `# lint:ignore:NAME reason`, and `# lint:endignore`.
//!
//! At the end of a line a comment applies to that line; alone on a line it applies up to the matching `lint:endignore`. Blocks may be nested. Only
//! lines count: a finding is suppressed if its rule is ignored in its line.

use rustc_hash::FxHashMap;

use crate::manifest::Manifest;
use crate::suppression::Ignore;
use crate::token::Kind;

/// The lines in which rules are ignored, with the reasons that the comments give.
#[derive(Debug, Default)]
pub struct Ignored<'t> {
    /// By rule: line ranges in the order in which they apply; later ones win.
    rules: FxHashMap<&'t str, Vec<(u32, u32, String)>>,
    /// The suppression comments that all checks of Kukla have.
    own: Vec<Ignore>,
    /// Comments without a counterpart.
    pub warnings: Vec<String>,
}

struct Open<'t> {
    line: u32,
    reason: String,
    rule: &'t str,
}

impl<'t> Ignored<'t> {
    /// Reads the comments of a text.
    pub fn read(manifest: &Manifest<'t>) -> Ignored<'t> {
        let mut ignored = Ignored::default();
        let has = |word: &str| memchr::memmem::find(manifest.text.as_bytes(), word.as_bytes()).is_some();
        if !has("lint:") && !has("kukla:") {
            return ignored;
        }
        let mut stack: Vec<Vec<Open<'t>>> = Vec::new();
        for at in manifest.of_kinds(&[Kind::Comment, Kind::SlashComment, Kind::BlockComment]) {
            let token = manifest.get(at);
            let text = token.value.trim();
            let is_alone = matches!(manifest.previous_kind(at), None | Some(Kind::Newline | Kind::Indent));
            if !is_control(text) {
                ignored.own.extend(Ignore::read(text, token.line, is_alone));
                continue;
            }
            let words: Vec<&'t str> = text.split_ascii_whitespace().collect();
            let is_command =
                |word: &&&str| word.starts_with("lint:ignore") || word.starts_with("lint:endignore");
            let commands = words.iter().take_while(is_command).count();
            let reason = words[commands..].join(" ");
            let mut opened = Vec::new();
            for command in &words[..commands] {
                let mut parts = command.split(':').skip(1);
                if parts.next() == Some("ignore") {
                    let Some(rule) = parts.next() else { continue };
                    if is_alone {
                        opened.push(Open { line: token.line, reason: reason.clone(), rule });
                    } else {
                        ignored.rules.entry(rule).or_default().push((token.line, token.line, reason.clone()));
                    }
                } else if let Some(top) = stack.pop() {
                    for open in top {
                        ignored.rules.entry(open.rule).or_default().push((
                            open.line,
                            token.line,
                            open.reason,
                        ));
                    }
                } else {
                    ignored.warnings.push(format!(
                        "WARNING: lint:endignore comment with no opening lint:ignore:<check> comment found on line {}",
                        token.line
                    ));
                }
            }
            if !opened.is_empty() {
                stack.push(opened);
            }
        }
        for open in stack.iter().filter_map(|open| open.first()) {
            ignored.warnings.push(format!(
                "WARNING: lint:ignore:{} comment on line {} with no closing lint:endignore comment",
                open.rule, open.line
            ));
        }
        ignored
    }

    /// The reason for which a rule is ignored in a line, if it is.
    pub fn reason(&self, rule: &str, line: u32) -> Option<&str> {
        if self.own.iter().any(|ignore| ignore.covers(rule, line)) {
            return Some("");
        }
        let ranges = self.rules.get(rule)?;
        let range = ranges.iter().rev().find(|(first, last, _)| (*first..=*last).contains(&line))?;
        Some(&range.2)
    }
}

fn is_control(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("lint:") else { return false };
    rest.starts_with("endignore")
        || rest
            .strip_prefix("ignore:")
            .is_some_and(|rule| rule.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '_'))
}
