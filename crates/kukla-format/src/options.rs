//! The options of the formatter, few and each with its reason in `docs/manual/fmt.md`.

/// How code is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The widest line, in characters, that is not broken if it can be.
    pub width: u32,
    /// The spaces of one level of indentation.
    pub indent: u32,
    /// How the arrows of attributes, hashes and selectors are laid out.
    pub arrows: Arrows,
    /// Which quotes strings get.
    pub quotes: Quotes,
}

impl Default for Options {
    fn default() -> Options {
        Options { width: 140, indent: 2, arrows: Arrows::Aligned, quotes: Quotes::Single }
    }
}

/// The layout of arrows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrows {
    /// In one column within a body, a hash or a selector.
    #[default]
    Aligned,
    /// After a single space.
    Single,
}

/// The quotes of strings without interpolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quotes {
    /// Single quotes, unless the text has escapes or quotes.
    #[default]
    Single,
    /// As written.
    AsWritten,
}
