//! Ruby's regular expressions on Rust's engines.
//!
//! Puppet's patterns are Ruby's. `translate` reads Ruby's syntax and writes the same meaning for the `regex` crate, which
//! runs in linear time; the few patterns that need backtracking (look-around, back references, atomic groups) go to
//! `fancy-regex` with a limit on its steps, so no pattern can hang a compile.

mod class;
mod escape;
mod substitute;
mod translate;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use kukla_syntax::diagnostic;

use crate::codes::{INVALID_REGEXP, REGEXP_GIVEN_UP};
use crate::{Error, Result, Str};
pub use substitute::escape;
use translate::Translation;

/// How many steps a backtracking match may take before it is given up.
const BACKTRACK_LIMIT: usize = 5_000_000;
/// How large a compiled pattern may get, in bytes.
const SIZE_LIMIT: usize = 32 << 20;
/// How many patterns the shared cache holds before it starts over.
const CACHE_SIZE: usize = 8192;

/// The options Ruby keeps beside a pattern: `/x/imx`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// `i`: case does not matter.
    pub ignore_case: bool,
    /// `m`: a dot matches a newline too.
    pub multiline: bool,
    /// `x`: whitespace and comments are ignored.
    pub extended: bool,
}

/// A regular expression with the source it was written as; compiled when first used.
#[derive(Debug)]
pub struct Regexp {
    source: Str,
    options: Options,
    translation: Translation,
    engine: OnceLock<Result<Engine>>,
    strict: OnceLock<Result<Engine>>,
}

#[derive(Debug)]
enum Engine {
    Linear(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

type Cache = Mutex<HashMap<(Str, Options), Arc<Regexp>, rustc_hash::FxBuildHasher>>;
static CACHE: LazyLock<Cache> = LazyLock::new(Cache::default);

impl Regexp {
    /// The expression written as `source`; the same source gives the same compiled expression.
    pub fn new(source: &str) -> Result<Arc<Regexp>> {
        Regexp::with_options(source, Options::default())
    }

    /// The expression written as `source` with options, as `regsubst` makes it from its flags.
    pub fn with_options(source: &str, options: Options) -> Result<Arc<Regexp>> {
        let key = (Str::from(source), options);
        let lock = || CACHE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = lock().get(&key) {
            return Ok(known.clone());
        }
        let translation = translate::translate(source, options)?;
        let regexp = Arc::new(Regexp {
            source: key.0.clone(),
            options,
            translation,
            engine: OnceLock::new(),
            strict: OnceLock::new(),
        });
        let mut cache = lock();
        if cache.len() >= CACHE_SIZE {
            cache.clear();
        }
        cache.insert(key, regexp.clone());
        Ok(regexp)
    }

    /// The text between the slashes.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The options it was made with; those of a literal are all off.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The expression as Puppet writes it: between slashes, with slashes inside escaped.
    pub fn to_literal(&self) -> String {
        substitute::literal(&self.source, self.options)
    }

    /// How many groups capture, not counting the whole match.
    pub fn groups(&self) -> usize {
        self.translation.groups
    }

    /// The names of groups with the numbers of the groups so named.
    pub fn names(&self) -> &[(Str, Vec<usize>)] {
        &self.translation.names
    }

    /// Whether it matches anywhere; a match that takes too many steps counts as none.
    pub fn is_match(&self, text: &str) -> bool {
        self.try_is_match(text).unwrap_or(false)
    }

    /// Whether it matches anywhere, or why that cannot be told.
    pub fn try_is_match(&self, text: &str) -> Result<bool> {
        match self.engine()? {
            Engine::Linear(engine) if !self.caret_may_differ(text) => Ok(engine.is_match(text)),
            _ => Ok(self.find_at(text, 0)?.is_some()),
        }
    }

    /// The first match at or after a byte position.
    pub fn find_at(&self, text: &str, start: usize) -> Result<Option<(usize, usize)>> {
        let found = match self.engine()? {
            Engine::Linear(engine) => engine.find_at(text, start).map(|m| (m.start(), m.end())),
            Engine::Backtracking(engine) => self.find_backtracking(engine, text, start)?,
        };
        if found.is_some_and(|(_, end)| end == text.len())
            && self.caret_may_differ(text)
            && let Engine::Backtracking(engine) = self.strict()?
        {
            return self.find_backtracking(engine, text, start);
        }
        Ok(found)
    }

    /// The first match with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Result<Option<Captures<'t>>> {
        self.captures_at(text, 0)
    }

    /// The first match at or after a byte position, with its groups.
    pub fn captures_at<'t>(&self, text: &'t str, start: usize) -> Result<Option<Captures<'t>>> {
        let found = match self.engine()? {
            Engine::Linear(engine) => {
                let mut places = engine.capture_locations();
                engine.captures_read_at(&mut places, text, start).map(|_| Captures {
                    text,
                    spans: (0..places.len()).map(|group| places.get(group)).collect(),
                })
            }
            Engine::Backtracking(engine) => self.captures_backtracking(engine, text, start)?,
        };
        if found.as_ref().is_some_and(|captures| captures.end() == text.len())
            && self.caret_may_differ(text)
            && let Engine::Backtracking(engine) = self.strict()?
        {
            return self.captures_backtracking(engine, text, start);
        }
        // Where that takes too many steps, what was found so far is good enough.
        if self.translation.empty_loops
            && found.is_some()
            && let Ok(Engine::Backtracking(engine)) = self.strict()
            && let Ok(exact @ Some(_)) = self.captures_backtracking(engine, text, start)
        {
            return Ok(exact);
        }
        Ok(found)
    }

    /// All matches with their groups, left to right, as Ruby's `scan` and `gsub` see them.
    pub fn captures_iter<'r, 't>(&'r self, text: &'t str) -> Matches<'r, 't> {
        Matches { regexp: self, text, next: Some(0) }
    }

    /// The places of all matches, left to right.
    pub fn find_iter(&self, text: &str) -> impl std::iter::Iterator<Item = Result<(usize, usize)>> {
        self.captures_iter(text).map(|found| found.map(|captures| (captures.start(), captures.end())))
    }

    fn find_backtracking(
        &self,
        engine: &fancy_regex::Regex,
        text: &str,
        start: usize,
    ) -> Result<Option<(usize, usize)>> {
        let found = engine.find_from_pos(text, start).map_err(|error| self.gave_up(&error))?;
        Ok(found.map(|m| (m.start(), m.end())))
    }

    fn captures_backtracking<'t>(
        &self,
        engine: &fancy_regex::Regex,
        text: &'t str,
        start: usize,
    ) -> Result<Option<Captures<'t>>> {
        let found = engine.captures_from_pos(text, start).map_err(|error| self.gave_up(&error))?;
        Ok(found.map(|groups| Captures {
            text,
            spans: (0..groups.len()).map(|group| groups.get(group).map(|m| (m.start(), m.end()))).collect(),
        }))
    }

    fn gave_up(&self, error: &fancy_regex::Error) -> Error {
        diagnostic!(REGEXP_GIVEN_UP { regexp: self.to_literal(), reason: error }).into()
    }

    /// Ruby's `^` does not match at the very end of a text that ends in a newline; Rust's does. Such a match can only
    /// matter when it ends there too, so only then is it looked for again with the exact rule.
    fn caret_may_differ(&self, text: &str) -> bool {
        self.translation.loose_caret && text.ends_with('\n')
    }

    fn engine(&self) -> Result<&Engine> {
        let made = self.engine.get_or_init(|| {
            if self.translation.backtracking {
                self.backtracking(&self.translation.pattern)
            } else {
                regex::RegexBuilder::new(&self.translation.pattern)
                    .size_limit(SIZE_LIMIT)
                    .build()
                    .map(Engine::Linear)
                    .map_err(|error| self.refused(&error))
            }
        });
        made.as_ref().map_err(Error::clone)
    }

    fn strict(&self) -> Result<&Engine> {
        let made = self.strict.get_or_init(|| {
            let strict = translate::translate_strict(&self.source, self.options)?;
            self.backtracking(&strict.pattern)
        });
        made.as_ref().map_err(Error::clone)
    }

    fn backtracking(&self, pattern: &str) -> Result<Engine> {
        fancy_regex::RegexBuilder::new(pattern)
            .backtrack_limit(BACKTRACK_LIMIT)
            .delegate_size_limit(SIZE_LIMIT)
            .build()
            .map(|engine| Engine::Backtracking(Box::new(engine)))
            .map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &dyn std::fmt::Display) -> Error {
        let words = error.to_string();
        let reason = words.lines().last().unwrap_or_default().trim_start_matches("error: ");
        diagnostic!(INVALID_REGEXP { reason, source: self.source }).into()
    }
}

impl PartialEq for Regexp {
    fn eq(&self, other: &Regexp) -> bool {
        self.source == other.source && self.options == other.options
    }
}

impl Eq for Regexp {}

/// One match: where it and its groups lie in the text.
#[derive(Clone, Debug)]
pub struct Captures<'t> {
    text: &'t str,
    spans: Vec<Option<(usize, usize)>>,
}

impl<'t> Captures<'t> {
    /// The text of a group (0 is the whole match), if it took part.
    pub fn get(&self, group: usize) -> Option<&'t str> {
        self.span(group).map(|(start, end)| &self.text[start..end])
    }

    /// The place of a group, in bytes.
    pub fn span(&self, group: usize) -> Option<(usize, usize)> {
        self.spans.get(group).copied().flatten()
    }

    /// How many groups there are, the whole match included.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Where the match starts.
    pub fn start(&self) -> usize {
        self.span(0).map_or(0, |span| span.0)
    }

    /// Where the match ends.
    pub fn end(&self) -> usize {
        self.span(0).map_or(0, |span| span.1)
    }

    /// The text of a named group; of several with one name the last that took part.
    pub fn name(&self, regexp: &Regexp, name: &str) -> Option<&'t str> {
        let (_, groups) = regexp.names().iter().find(|(known, _)| known == name)?;
        groups.iter().rev().find_map(|&group| self.get(group))
    }
}

/// All matches of an expression in a text, left to right.
pub struct Matches<'r, 't> {
    regexp: &'r Regexp,
    text: &'t str,
    next: Option<usize>,
}

impl<'t> std::iter::Iterator for Matches<'_, 't> {
    type Item = Result<Captures<'t>>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.next?;
        match self.regexp.captures_at(self.text, start) {
            Ok(Some(captures)) => {
                let end = captures.end();
                self.next = if end > captures.start() {
                    Some(end)
                } else {
                    self.text[end..].chars().next().map(|c| end + c.len_utf8())
                };
                Some(Ok(captures))
            }
            Ok(None) => {
                self.next = None;
                None
            }
            Err(error) => {
                self.next = None;
                Some(Err(error))
            }
        }
    }
}

#[cfg(test)]
mod tests;
