//! The formatter of manifests and templates: one layout for all code, and never another meaning.
//!
//! ```
//! use kukla_format::{Language, Options, format};
//!
//! let formatted = format("file{\"/etc/motd\":ensure=>file}", Language::Manifest, &Options::default()).unwrap();
//! assert_eq!(formatted, "file { '/etc/motd': ensure => file }\n");
//! ```
//!
//! The tree is lowered to a document of the kind that Wadler described, and the document is printed within a width. Before a result is
//! returned it is parsed: its syntax tree in PN must be that of the original, and all comments must be there, in their order.

mod document;
mod edit;
mod editorconfig;
mod lower;
mod options;
mod print;
mod template;
mod verify;

use kukla_syntax::tree::Tree;
use kukla_syntax::{Diagnostic, Parse, ParseOptions, Source, parse_epp, parse_with, roomy};

pub use edit::{LineEdit, apply, diff_lines, edits, range_edits};
pub use editorconfig::EditorConfig;
pub use options::{Arrows, Options, Quotes};

use print::LineStyle;

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// A manifest.
    #[default]
    Manifest,
    /// A manifest in which `plan` and `apply` are keywords.
    Plan,
    /// An EPP template.
    Template,
}

impl Language {
    /// The language of a file, by its path: templates end in `.epp`, plans are in a directory `plans`.
    pub fn of_path(path: &std::path::Path) -> Language {
        if path.extension().is_some_and(|extension| extension == "epp") {
            Language::Template
        } else if path.components().any(|part| part.as_os_str() == "plans") {
            Language::Plan
        } else {
            Language::Manifest
        }
    }

    fn parse(self, text: &str) -> Parse {
        let source = Source::unnamed(text);
        match self {
            Language::Manifest => parse_with(&source, ParseOptions::default()),
            Language::Plan => parse_with(&source, ParseOptions { tasks: true }),
            Language::Template => parse_epp(&source),
        }
    }
}

/// The reason why a text was not formatted.
#[derive(Clone, Debug)]
pub enum FormatError {
    /// The text has syntax errors.
    Syntax(Vec<Diagnostic>),
    /// The formatter cannot prove that its result is right, which is an error of the formatter.
    Meaning(Difference),
}

/// The difference between a text and its formatted form, or between that and the form of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The formatted text does not parse.
    Syntax,
    /// The syntax trees differ.
    Tree,
    /// The comments differ.
    Comments,
    /// Each time the text is formatted, it changes.
    Layout,
}

impl std::fmt::Display for FormatError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FormatError::Syntax(_) => f.write_str("the text has syntax errors"),
            FormatError::Meaning(Difference::Syntax) => f.write_str("the formatted text would not parse"),
            FormatError::Meaning(Difference::Tree) => {
                f.write_str("the formatted text would have another syntax tree")
            }
            FormatError::Meaning(Difference::Comments) => f.write_str("a comment would be lost or moved"),
            FormatError::Meaning(Difference::Layout) => {
                f.write_str("the formatted text would change each time it is formatted")
            }
        }
    }
}

impl std::error::Error for FormatError {}

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Formats a text. A byte order mark and the kind of line endings stay as they are.
pub fn format(text: &str, language: Language, options: &Options) -> Result<String, FormatError> {
    roomy(|| {
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (BYTE_ORDER_MARK, rest),
            None => ("", text),
        };
        let formatted = format_text(text, language, options)?;
        Ok(if mark.is_empty() { formatted } else { format!("{mark}{formatted}") })
    })
}

fn format_text(text: &str, language: Language, options: &Options) -> Result<String, FormatError> {
    let parse = language.parse(text);
    if !parse.is_ok() {
        return Err(FormatError::Syntax(parse.diagnostics));
    }
    let lay_out = |tree: &Tree| {
        let ending = line_ending(tree.text());
        let style = LineStyle { width: options.width, indent: options.indent, margin: 0, ending };
        match language {
            Language::Template => template::format(tree, options, style),
            Language::Manifest | Language::Plan => print::print(lower::lower(tree, options), style),
        }
    };
    let mut formatted = lay_out(&parse.tree);
    if formatted == text {
        return Ok(formatted);
    }
    for _ in 0..MAX_PASSES {
        let result = verify::same_meaning(&parse.tree, &formatted, language).map_err(FormatError::Meaning)?;
        // A line that was broken may move what is beside it. What is returned has been formatted without a change.
        let again = lay_out(&result.tree);
        if again == formatted {
            return Ok(formatted);
        }
        formatted = again;
    }
    Err(FormatError::Meaning(Difference::Layout))
}

/// How often a text is formatted until nothing changes.
const MAX_PASSES: usize = 4;

/// The ending of the first line.
fn line_ending(text: &str) -> &'static str {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
