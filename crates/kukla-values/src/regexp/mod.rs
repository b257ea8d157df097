//! Ruby's regular expressions.
//!
//! Puppet's patterns are Ruby's, which are Onigmo's. A pattern is read once into a tree (`parse`), with Onigmo's words for what is
//! wrong with it. What needs no backtracking runs on the linear engine of `regex` (`linear`); references, look-around, recursion and
//! the like run on a backtracking engine of our own (`engine`), which remembers failures where it can and gives up where it must,
//! so that no pattern can hang a compile.
//!
//! Subjects are bytes: those of UTF-8 text, or bytes that each count as a character ([`Encoding`]). Positions are in bytes.

mod bracket;
mod check;
mod compile;
mod engine;
mod fold;
mod linear;
mod parse;
mod program;
mod reach;
mod ruby;
mod set;
mod start;
mod substitute;
mod text;
mod tree;
mod unescape;
mod unicode;
mod work;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use kukla_syntax::{bail, diagnostic};

use crate::codes::{INVALID_REGEXP, REGEXP_GIVEN_UP};
pub use crate::meter::spent;
use crate::{Error, Result, Str};
use engine::GivenUp;
pub use engine::{Direction, Spans};
use linear::Linear;
use program::Program;
pub use ruby::{escape_bytes, union};
pub use substitute::escape;
use tree::Pattern;

/// How many patterns the shared cache holds before it starts over, and how many bytes all patterns may take by then.
const CACHE_SIZE: usize = 1024;
const CACHE_BYTES: usize = 16 << 20;

/// Compiling a pattern for the linear engine takes as long as hundreds of short searches on the other one, and most patterns are used a few
/// times: this number of searches, with limits on length and steps, are tried on the other one first.
const SHORT_USES: u32 = 24;
const SHORT_SUBJECT: usize = 256;
const SHORT_STEPS: u64 = 2048;

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

/// The encoding of a pattern or of a subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Text in UTF-8.
    #[default]
    Utf8,
    /// Bytes, each a character of its own; only those of ASCII have a meaning.
    Binary,
}

/// A regular expression with the source it was written as; compiled when first used.
#[derive(Debug)]
pub struct Regexp {
    source: Str,
    /// The source of a pattern that is not valid UTF-8.
    bytes: Option<Box<[u8]>>,
    options: Options,
    encoding: Encoding,
    beyond_ascii: bool,
    /// The encoding for which the pattern was read; for the other it is read when needed.
    read_as: Encoding,
    pattern: Pattern,
    text: Matcher,
    binary: Matcher,
    /// The notation for putting it into another one, once it was asked for.
    embedded: OnceLock<Box<[u8]>>,
}

/// The engines for subjects of one encoding, made when first needed.
#[derive(Debug, Default)]
struct Matcher {
    /// How many short searches it was used for.
    uses: AtomicU32,
    linear: OnceLock<Option<Linear>>,
    program: OnceLock<Result<Program>>,
}

type Key = (Box<[u8]>, Options, Encoding);
type Cache = Mutex<HashMap<Key, Arc<Regexp>, rustc_hash::FxBuildHasher>>;
static CACHE: LazyLock<Cache> = LazyLock::new(Cache::default);

impl Regexp {
    /// The expression written as `source`; the same source gives the same compiled expression.
    pub fn new(source: &str) -> Result<Arc<Regexp>> {
        Regexp::with_options(source, Options::default())
    }

    /// The expression written as `source` with options, as `regsubst` makes it from its flags.
    pub fn with_options(source: &str, options: Options) -> Result<Arc<Regexp>> {
        Regexp::from_bytes(source.as_bytes(), options, Encoding::Utf8)
    }

    /// The expression written as these bytes, which are text or, as with Ruby's `/n`, only bytes.
    pub fn from_bytes(source: &[u8], options: Options, encoding: Encoding) -> Result<Arc<Regexp>> {
        let key = (Box::from(source), options, encoding);
        let lock = || CACHE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = lock().get(&key) {
            return Ok(known.clone());
        }
        let text = String::from_utf8_lossy(source);
        let (pattern, beyond_ascii, read_as) = match read_first(source, options, encoding) {
            Ok(read) => read,
            Err(reason) => {
                bail!(INVALID_REGEXP { reason, source: ruby::inspected(source, options, encoding) })
            }
        };
        let regexp = Arc::new(Regexp {
            bytes: std::str::from_utf8(source).is_err().then(|| source.into()),
            source: text.into(),
            options,
            encoding,
            beyond_ascii,
            read_as,
            pattern,
            text: Matcher::default(),
            binary: Matcher::default(),
            embedded: OnceLock::new(),
        });
        let mut cache = lock();
        if cache.len() >= CACHE_SIZE || linear::held() > CACHE_BYTES {
            cache.clear();
        }
        cache.insert(key, regexp.clone());
        Ok(regexp)
    }

    /// The text between the slashes.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The bytes between the slashes.
    pub fn source_bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.source.as_bytes())
    }

    /// The options it was made with; those of a literal are all off.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The encoding of its source.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether it holds characters beyond ASCII or properties of characters, so that it only fits subjects of its own encoding.
    pub fn is_beyond_ascii(&self) -> bool {
        self.beyond_ascii
    }

    /// The expression as Puppet writes it: between slashes, with slashes inside escaped. What ties it to an encoding counts as an option
    /// to Puppet, and options are spelled out: `/(?-mix:é)/`.
    pub fn to_literal(&self) -> String {
        let text =
            if self.has_options() { [b"/", self.to_embedded(), b"/"].concat() } else { self.to_inspected() };
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The source, with its options spelled out as Puppet does where it keeps expressions as text: `(?-imx:é)`.
    pub fn to_kept(&self) -> Str {
        if !self.has_options() {
            return self.source.clone();
        }
        let Options { ignore_case, multiline, extended } = self.options;
        let letters = [(ignore_case, 'i'), (multiline, 'm'), (extended, 'x')];
        let those = |wanted: bool| -> String {
            letters.iter().filter_map(|(on, letter)| (*on == wanted).then_some(*letter)).collect()
        };
        let (on, off) = (those(true), those(false));
        let minus = if off.is_empty() && !self.beyond_ascii { "" } else { "-" };
        ecow::eco_format!("(?{on}{minus}{off}:{})", self.source)
    }

    fn has_options(&self) -> bool {
        self.beyond_ascii || self.options != Options::default()
    }

    /// How many groups capture, not counting the whole match.
    pub fn groups(&self) -> usize {
        self.pattern.groups
    }

    /// The names of groups with the numbers of the groups so named.
    pub fn names(&self) -> &[(Str, Vec<usize>)] {
        &self.pattern.names
    }

    /// Whether it matches anywhere; a match that takes too many steps counts as none.
    pub fn is_match(&self, text: &str) -> bool {
        self.try_is_match(text).unwrap_or(false)
    }

    /// Whether it matches anywhere, or why the search was stopped.
    pub fn try_is_match(&self, text: &str) -> Result<bool> {
        Ok(self.find_at(text, 0)?.is_some())
    }

    /// The first match at or after a byte position.
    pub fn find_at(&self, text: &str, start: usize) -> Result<Option<(usize, usize)>> {
        let subject = text.as_bytes();
        let encoding = self.effective(subject, Encoding::Utf8);
        if let Some(found) = self.search_shortly(subject, start, encoding, Direction::Forward) {
            return Ok(found.and_then(|spans| spans.first().copied().flatten()));
        }
        let steps = &mut engine::most_steps(subject);
        if start <= subject.len()
            && let Some(linear) = self.linear(subject, start, encoding)
        {
            let found = linear.find(subject, start);
            if !found.is_some_and(|(_, end)| caret_may_differ(linear, subject, end)) {
                return Ok(found);
            }
        }
        let found = self.backtrack(subject, start, encoding, Direction::Forward, steps)?;
        Ok(found.and_then(|spans| spans.first().copied().flatten()))
    }

    /// The first match with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Result<Option<Captures<'t>>> {
        self.captures_within(text, 0, &mut engine::most_steps(text.as_bytes()))
    }

    /// The first match at or after a byte position, with its groups, within a number of steps, from which it subtracts those it uses.
    fn captures_within<'t>(
        &self,
        text: &'t str,
        start: usize,
        steps: &mut u64,
    ) -> Result<Option<Captures<'t>>> {
        let spans = self.search_within(text.as_bytes(), start, Encoding::Utf8, Direction::Forward, steps)?;
        Ok(spans.map(|spans| Captures { text, spans }))
    }

    /// The places of a match and its groups: the first at or after a position, one right there, or the last that begins at or
    /// before it. In text the position is that of a character.
    pub fn search(
        &self,
        subject: &[u8],
        position: usize,
        encoding: Encoding,
        direction: Direction,
    ) -> Result<Option<Spans>> {
        self.search_within(subject, position, encoding, direction, &mut engine::most_steps(subject))
    }

    fn search_within(
        &self,
        subject: &[u8],
        position: usize,
        encoding: Encoding,
        direction: Direction,
        steps: &mut u64,
    ) -> Result<Option<Spans>> {
        if position > subject.len() {
            return Ok(None);
        }
        let encoding = self.effective(subject, encoding);
        if let Some(found) = self.search_shortly(subject, position, encoding, direction) {
            return Ok(found);
        }
        let first = if direction == Direction::Backward { 0 } else { position };
        if let Some(linear) = self.linear(subject, first, encoding) {
            let found = linear.search(subject, position, direction);
            let end = found.as_ref().and_then(|spans| Some((*spans.first()?)?.1));
            if !end.is_some_and(|end| caret_may_differ(linear, subject, end)) {
                return Ok(found);
            }
        }
        self.backtrack(subject, position, encoding, direction, steps)
    }

    /// All matches with their groups, left to right, as Ruby's `scan` and `gsub` see them.
    pub fn captures_iter<'r, 't>(&'r self, text: &'t str) -> Matches<'r, 't> {
        Matches { regexp: self, text, next: Some(0), steps: engine::most_steps(text.as_bytes()) }
    }

    /// The places of all matches, left to right.
    pub fn find_iter(&self, text: &str) -> impl std::iter::Iterator<Item = Result<(usize, usize)>> {
        self.captures_iter(text).map(|found| found.map(|captures| (captures.start(), captures.end())))
    }

    /// The encoding to match in: a pattern of ASCII sees a subject of ASCII as such, without what equals it elsewhere.
    fn effective(&self, subject: &[u8], encoding: Encoding) -> Encoding {
        let differs = self.read_as == Encoding::Binary || (self.pattern.expands && !self.beyond_ascii);
        if differs && subject.is_ascii() { Encoding::Binary } else { encoding }
    }

    /// The linear engine, if it can run the pattern over this subject.
    fn linear(&self, subject: &[u8], position: usize, encoding: Encoding) -> Option<&Linear> {
        let made = self.matcher(encoding).linear.get_or_init(|| {
            let binary = encoding == Encoding::Binary;
            match self.pattern(encoding) {
                Ok(pattern) => Linear::new(&pattern, binary),
                Err(_) => None,
            }
        });
        let linear = made.as_ref()?;
        let ascii = || subject[text::before(subject, position).unwrap_or(0)..].is_ascii();
        (!linear.ascii_words || ascii()).then_some(linear)
    }

    /// The result of a search that is not worth compiling the pattern for the linear engine; `None` if it is, or may be.
    fn search_shortly(
        &self,
        subject: &[u8],
        position: usize,
        encoding: Encoding,
        direction: Direction,
    ) -> Option<Option<Spans>> {
        let Matcher { uses, linear, .. } = self.matcher(encoding);
        if linear.get().is_some()
            || subject.len() > SHORT_SUBJECT
            || uses.load(Ordering::Relaxed) >= SHORT_USES
        {
            return None;
        }
        uses.fetch_add(1, Ordering::Relaxed);
        let program = self.program(encoding).as_ref().ok()?;
        let found = engine::search(program, subject, position, direction, &mut { SHORT_STEPS }).ok();
        if found.is_none() {
            uses.store(SHORT_USES, Ordering::Relaxed);
        }
        found
    }

    fn program(&self, encoding: Encoding) -> &Result<Program> {
        self.matcher(encoding).program.get_or_init(|| {
            let compiled = self
                .pattern(encoding)
                .and_then(|pattern| compile::compile(&pattern, encoding == Encoding::Binary))
                .inspect(|program| work::compiled(size_of_val(&*program.ops)));
            compiled.map_err(|reason| {
                let source = ruby::inspected(self.source_bytes(), self.options, self.encoding);
                diagnostic!(INVALID_REGEXP { reason, source }).into()
            })
        })
    }

    fn backtrack(
        &self,
        subject: &[u8],
        position: usize,
        encoding: Encoding,
        direction: Direction,
        steps: &mut u64,
    ) -> Result<Option<Spans>> {
        let program = self.program(encoding).as_ref().map_err(Error::clone)?;
        engine::search(program, subject, position, direction, steps).map_err(|given_up| {
            let reason = match given_up {
                GivenUp::Steps => "it takes too many steps",
                GivenUp::Memory => "it takes too much memory",
            };
            diagnostic!(REGEXP_GIVEN_UP {
                regexp: ruby::inspected(self.source_bytes(), self.options, self.encoding),
                reason
            })
            .into()
        })
    }

    fn matcher(&self, encoding: Encoding) -> &Matcher {
        match encoding {
            Encoding::Utf8 => &self.text,
            Encoding::Binary => &self.binary,
        }
    }

    /// The pattern as it is read for subjects of an encoding.
    fn pattern(
        &self,
        encoding: Encoding,
    ) -> std::result::Result<std::borrow::Cow<'_, Pattern>, parse::Refusal> {
        if encoding == self.read_as {
            return Ok(std::borrow::Cow::Borrowed(&self.pattern));
        }
        read(self.source_bytes(), self.options, encoding).map(|(pattern, _)| std::borrow::Cow::Owned(pattern))
    }
}

/// Reads a new pattern: for text, unless it is one of ASCII that only makes sense where there is nothing else, such as a
/// look-behind for a class that in all of Unicode matches several characters.
fn read_first(
    source: &[u8],
    options: Options,
    encoding: Encoding,
) -> std::result::Result<(Pattern, bool, Encoding), parse::Refusal> {
    let refused = match read(source, options, encoding) {
        Ok((pattern, beyond_ascii)) => return Ok((pattern, beyond_ascii, encoding)),
        Err(refused) => refused,
    };
    let property = source.windows(2).any(|pair| matches!(pair, br"\p" | br"\P"));
    match read(source, options, Encoding::Binary) {
        Ok((pattern, false)) if !property => Ok((pattern, false, Encoding::Binary)),
        _ => Err(refused),
    }
}

/// Reads a pattern, and whether it holds anything beyond ASCII.
fn read(
    source: &[u8],
    options: Options,
    encoding: Encoding,
) -> std::result::Result<(Pattern, bool), parse::Refusal> {
    let unescaped = unescape::unescape(source, encoding)?;
    Ok((parse::parse(&unescaped.codes, options, encoding)?, unescaped.beyond_ascii))
}

/// Ruby's `^` does not match at the very end of a text that ends in a newline; the linear engine's does. Such a match can only
/// matter when it ends there too, so only then is it looked for again with the exact rule.
fn caret_may_differ(linear: &Linear, subject: &[u8], end: usize) -> bool {
    linear.loose_caret && end == subject.len() && subject.ends_with(b"\n")
}

impl PartialEq for Regexp {
    fn eq(&self, other: &Regexp) -> bool {
        self.source_bytes() == other.source_bytes()
            && self.options == other.options
            && self.encoding == other.encoding
    }
}

impl Eq for Regexp {}

/// One match: where it and its groups lie in the text.
#[derive(Clone, Debug)]
pub struct Captures<'t> {
    text: &'t str,
    spans: Spans,
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
    /// The remaining steps for all of them: each alone could use as many as a search may.
    steps: u64,
}

impl<'t> std::iter::Iterator for Matches<'_, 't> {
    type Item = Result<Captures<'t>>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.next?;
        match self.regexp.captures_within(self.text, start, &mut self.steps) {
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
