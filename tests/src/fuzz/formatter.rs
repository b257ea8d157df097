//! The formatter.

use kukla_format::{FormatError, Language, Options, format as format_text};

use super::seeds::PROGRAMS;

/// The guarantees of the formatter: the syntax tree and the comments stay, which it checks itself, and formatted text does not change again.
/// It refuses a text whose form it cannot prove, which is no more than an inconvenience where the text is damaged.
pub(super) fn format(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // Narrow lines break most; which of the layouts is tried depends on the text.
    let narrow = Options { width: 40, indent: 4, ..Options::default() };
    let options = [Options::default(), narrow][text.len() % 2];
    for language in [Language::Manifest, Language::Plan, Language::Template] {
        match format_text(&text, language, &options) {
            Ok(formatted) => {
                let again = format_text(&formatted, language, &options);
                assert_eq!(again.ok().as_deref(), Some(&*formatted), "formatting {text:?} twice");
            }
            Err(FormatError::Syntax(_)) => {}
            Err(error @ FormatError::Meaning(_)) => {
                assert!(!PROGRAMS.contains(&&*text), "{error}: {text:?}");
            }
        }
    }
}
