//! The guarantees for other layouts of the same code: blanks of the book's texts replaced by line breaks, comments and nothing.
//!
//! `KUKLA_FORMAT_LAYOUTS=100000` tries more of them than usual.

use std::path::Path;

use kukla_format::{FormatError, Language, Options, format};
use kukla_syntax::{Source, SyntaxKind, parse};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// The text with some of its blanks replaced.
fn rearrange(text: &str, numbers: &mut Numbers) -> String {
    const BLANKS: [&str; 9] =
        ["", " ", "\n", "\n\n\n", "  ", " # c\n", "\n# c\n", " /* c */ ", "\n  /* c\n d */\n"];
    let source = Source::unnamed(text);
    let mut out = String::new();
    let share = 1 + numbers.below(8);
    for token in parse(&source).tree.elements().filter(|element| element.kind().is_token()) {
        let is_changed = numbers.below(share) == 0;
        match token.kind() {
            SyntaxKind::Whitespace if is_changed => out.push_str(BLANKS[numbers.below(BLANKS.len())]),
            SyntaxKind::Comma | SyntaxKind::LBrace | SyntaxKind::RBrace if is_changed => {
                out.push_str(BLANKS[numbers.below(BLANKS.len())]);
                out.push_str(token.text());
            }
            _ => out.push_str(token.text()),
        }
    }
    out
}

#[test]
fn layouts() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/book");
    let mut texts: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let chapter = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        texts.extend(
            chapter
                .split("```puppet\n")
                .skip(1)
                .filter_map(|rest| Some(rest.split("```").next()?.to_owned())),
        );
    }
    texts.sort();
    let runs = std::env::var("KUKLA_FORMAT_LAYOUTS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(3000);
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut formatted_texts = 0;
    let mut failures = Vec::new();
    for _ in 0..runs {
        let text = rearrange(&texts[numbers.below(texts.len())], &mut numbers);
        let options = Options { width: [20, 60, 140][numbers.below(3)], ..Options::default() };
        let formatted = match format(&text, Language::Manifest, &options) {
            Ok(formatted) => formatted,
            Err(FormatError::Syntax(_)) => continue,
            Err(error) => {
                failures.push(format!("{error}:\n{text}"));
                continue;
            }
        };
        formatted_texts += 1;
        match format(&formatted, Language::Manifest, &options) {
            Ok(again) if again == formatted => {}
            Ok(again) => {
                failures.push(format!("changes again:\n{text}\n--- once\n{formatted}\n--- twice\n{again}"))
            }
            Err(error) => failures.push(format!("formatted once more: {error}:\n{text}")),
        }
    }
    failures.sort_by_key(String::len);
    let shown: Vec<&str> = failures.iter().take(8).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} of {formatted_texts}:\n{}", failures.len(), shown.join("\n======\n"));
    assert!(formatted_texts > runs / 4);
}
