//! The linear engine, for all that needs no backtracking.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use regex_automata::meta;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{self, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir};

use super::check::Groups;
use super::engine::{Direction, Spans};
use super::fold::Folded;
use super::reach::Reach;
use super::set::Set;
use super::text;
use super::tree::{Boundary, Node, Pattern};
use super::work;

/// How large a compiled pattern may get, in bytes; the backtracking engine counts where this one would copy.
const SIZE_LIMIT: usize = 2 << 20;
/// How many groups a pattern may have: here each state keeps the places of all of them.
const MOST_GROUPS: usize = 64;

/// The most bytes of working memory that a pattern keeps between searches. Few need more, and those allocate it for each search.
const MOST_KEPT: usize = 256 << 10;

/// How many bytes all compiled patterns take, with what they keep.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// How many bytes the patterns compiled for this engine take that are still in use somewhere.
pub(super) fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// The longest text that is written out with all characters that equal several of it.
const MAX_FOLDED: usize = 6;

/// A pattern for the linear engine.
#[derive(Debug)]
pub(super) struct Linear {
    regex: meta::Regex,
    /// How many bytes it takes, without what it keeps.
    size: usize,
    kept: Mutex<WorkingMemory>,
    /// Whether it has a `^` that is also true at the end of a text, where Ruby's is not.
    pub loose_caret: bool,
    /// Whether it has a `\b` that knows the letters of ASCII only.
    pub ascii_words: bool,
    binary: bool,
    /// How far searches look beyond what they find, for a pattern that may look far.
    reach: Option<Reach>,
}

/// The working memory of a search, for the next one. The engine's own pool would keep all there ever was, which nobody counts: for a pattern with
/// large repetitions that is many times what the pattern takes.
#[derive(Debug, Default)]
struct WorkingMemory {
    memory: Option<Box<meta::Cache>>,
    size: usize,
}

impl Linear {
    /// Compiles a pattern if it can be.
    pub fn new(pattern: &Pattern, binary: bool) -> Option<Linear> {
        if pattern.groups > MOST_GROUPS {
            return None;
        }
        let groups = Groups::of(&pattern.root, pattern.groups);
        let mut writer = Writer { groups, binary, loose_caret: false, ascii_words: false };
        let hir = writer.node(&pattern.root)?;
        if hir.properties().explicit_captures_len() != pattern.groups {
            return None;
        }
        // Working out all states beforehand takes longer than the searches that a compilation makes.
        let config = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(SIZE_LIMIT)).dfa(false);
        let regex = meta::Builder::new()
            .configure(config)
            .syntax(syntax::Config::new().utf8(false))
            .build_from_hir(&hir);
        let is_unbounded = hir.properties().maximum_len().is_none();
        let Ok(regex) = regex else {
            work::compiled(SIZE_LIMIT);
            return None;
        };
        let size = regex.memory_usage();
        work::compiled(size);
        HELD.fetch_add(size, Ordering::Relaxed);
        Some(Linear {
            regex,
            size,
            kept: Mutex::default(),
            loose_caret: writer.loose_caret,
            ascii_words: writer.ascii_words,
            binary,
            reach: is_unbounded.then(|| Reach::of(hir)),
        })
    }

    /// Counts a search that has gone up to `end`, and before it the possible work: of a search that may look as far as the end of the
    /// subject some are measured.
    fn count(&self, subject: &[u8], from: usize, end: usize) {
        work::searched(self.size, end.saturating_sub(from));
        if let Some(reach) = &self.reach
            && let Some((further, searches)) = reach.sample(subject, from, end)
        {
            work::searched(self.size, further.saturating_mul(searches));
        }
    }

    fn working_memory(&self) -> std::sync::MutexGuard<'_, WorkingMemory> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Searches with working memory. A thread that finds none, because another is searching with it, takes its own.
    fn with_memory<R>(&self, search: impl FnOnce(&mut meta::Cache) -> R) -> R {
        let taken = self.working_memory().memory.take();
        let mut memory = taken.unwrap_or_else(|| Box::new(self.regex.create_cache()));
        let result = search(&mut memory);
        let size = memory.memory_usage();
        let mut kept = self.working_memory();
        if kept.memory.is_none() {
            let size = if size <= MOST_KEPT { size } else { 0 };
            kept.memory = (size > 0).then_some(memory);
            HELD.fetch_add(size, Ordering::Relaxed);
            HELD.fetch_sub(kept.size, Ordering::Relaxed);
            kept.size = size;
        }
        result
    }

    /// The place of the first match from a position on.
    pub fn find(&self, subject: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut from = from;
        loop {
            let input = Input::new(subject).span(from..subject.len());
            work::before_search(subject.len() - from);
            let found = self.with_memory(|memory| self.regex.search_with(memory, &input));
            // Up to the match, or to the end without one.
            let end = found.as_ref().map_or(subject.len(), regex_automata::Match::end);
            self.count(subject, from, end);
            let found = found?;
            if found.is_empty() && !self.binary && !text::is_boundary(subject, found.start()) {
                from = found.start() + 1;
                continue;
            }
            return Some((found.start(), found.end()));
        }
    }

    /// A match with its groups.
    pub fn search(&self, subject: &[u8], from: usize, direction: Direction) -> Option<Spans> {
        let mut slots = vec![None; self.regex.group_info().slot_len()];
        match direction {
            Direction::Here => self.slots(subject, from, Anchored::Yes, &mut slots)?,
            Direction::Forward => {
                let mut from = from;
                loop {
                    let (start, end) = self.slots(subject, from, Anchored::No, &mut slots)?;
                    if start < end || self.binary || text::is_boundary(subject, start) {
                        break (start, end);
                    }
                    from = start + 1;
                }
            }
            Direction::Backward => {
                let mut from = from;
                loop {
                    match self.slots(subject, from, Anchored::Yes, &mut slots) {
                        Some(found) => break found,
                        None if self.binary => from = from.checked_sub(1)?,
                        None => from = text::before(subject, from)?,
                    }
                }
            }
        };
        let place = |slot: &Option<NonMaxUsize>| slot.map(NonMaxUsize::get);
        Some(slots.chunks_exact(2).map(|pair| place(&pair[0]).zip(place(&pair[1]))).collect())
    }

    fn slots(
        &self,
        subject: &[u8],
        from: usize,
        anchored: Anchored,
        slots: &mut [Option<NonMaxUsize>],
    ) -> Option<(usize, usize)> {
        let input = Input::new(subject).span(from..subject.len()).anchored(anchored);
        work::before_search(subject.len() - from);
        let found = self.with_memory(|memory| self.regex.search_slots_with(memory, &input, slots));
        let end = found.and_then(|_| slots[1]).map_or(subject.len(), NonMaxUsize::get);
        self.count(subject, from, end);
        found?;
        Some((slots[0]?.get(), slots[1]?.get()))
    }
}

impl Drop for Linear {
    fn drop(&mut self) {
        HELD.fetch_sub(self.size + self.working_memory().size, Ordering::Relaxed);
    }
}

struct Writer<'p> {
    groups: Groups<'p>,
    binary: bool,
    loose_caret: bool,
    ascii_words: bool,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) -> Option<Hir> {
        Some(match node {
            Node::Empty => Hir::empty(),
            Node::Text(text) => self.text(text),
            Node::Folded(folded) => self.folded(folded)?,
            Node::Set(set) => self.set(set),
            Node::Any { newline: true } => self.set(&Set::default().complement()),
            Node::Any { newline: false } => self.set(&Set::one(0x0a).complement()),
            Node::Sequence(nodes) => Hir::concat(self.all(nodes)?),
            Node::Choice(nodes) => Hir::alternation(self.all(nodes)?),
            Node::Repeat(repeat) => {
                // Ruby has rules of its own for rounds of a loop that match nothing.
                if repeat.max.is_none_or(|max| max > 1) && self.groups.shortest(&repeat.node) == 0 {
                    return None;
                }
                let sub = Box::new(self.node(&repeat.node)?);
                Hir::repetition(hir::Repetition {
                    min: repeat.min,
                    max: repeat.max,
                    greedy: repeat.greedy,
                    sub,
                })
            }
            Node::Group(group, node) => {
                let sub = Box::new(self.node(node)?);
                Hir::capture(hir::Capture { index: u32::try_from(*group).ok()?, name: None, sub })
            }
            Node::At(place) => Hir::look(match place {
                Boundary::LineStart => {
                    self.loose_caret = true;
                    hir::Look::StartLF
                }
                Boundary::LineEnd => hir::Look::EndLF,
                Boundary::TextStart => hir::Look::Start,
                Boundary::TextEnd => hir::Look::End,
                Boundary::Word { ascii, boundary } => {
                    self.ascii_words |= !ascii;
                    if *boundary { hir::Look::WordAscii } else { hir::Look::WordAsciiNegate }
                }
                Boundary::TextEndOrNewline | Boundary::SearchStart => return None,
            }),
            Node::Atomic(_)
            | Node::Look(_)
            | Node::Absent(_)
            | Node::Keep
            | Node::Backref(_)
            | Node::Call(_)
            | Node::Condition(_) => return None,
        })
    }

    fn all(&mut self, nodes: &[Node]) -> Option<Vec<Hir>> {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    fn text(&self, text: &[u32]) -> Hir {
        let mut bytes = Vec::with_capacity(text.len());
        text.iter().for_each(|&code| super::compile::encode(code, self.binary, &mut bytes));
        Hir::literal(bytes)
    }

    fn set(&self, set: &Set) -> Hir {
        let ranges = set.ranges().iter();
        if self.binary {
            let byte = |code: u32| code.min(0xff) as u8;
            let ranges = ranges.filter(|range| range.0 <= 0xff);
            let ranges = ranges.map(|&(low, high)| ClassBytesRange::new(byte(low), byte(high)));
            return Hir::class(Class::Bytes(ClassBytes::new(ranges)));
        }
        let scalars = ranges.filter_map(|&(low, high)| {
            // A range that begins or ends among the surrogates begins after or ends before them.
            let low = char::from_u32(low).or_else(|| (low < 0xe000).then_some('\u{e000}'))?;
            let high = char::from_u32(high.min(0x10_ffff)).unwrap_or('\u{d7ff}');
            (low <= high).then(|| ClassUnicodeRange::new(low, high))
        });
        Hir::class(Class::Unicode(ClassUnicode::new(scalars)))
    }

    /// A text in any case, with the characters that equal several of it written as alternatives.
    fn folded(&self, folded: &Folded) -> Option<Hir> {
        let places = &folded.places;
        let mut parts = Vec::with_capacity(places.len());
        let mut at = 0;
        while at < places.len() {
            let mut end = at + 1;
            let mut next = at;
            while next < end {
                let reach = places[next].several.iter().map(|(_, length)| next + length).max().unwrap_or(0);
                end = end.max(reach).min(places.len());
                next += 1;
            }
            if end - at > MAX_FOLDED {
                return None;
            }
            parts.push(self.ways(folded, at, end));
            at = end;
        }
        Some(Hir::concat(parts))
    }

    fn ways(&self, folded: &Folded, at: usize, end: usize) -> Hir {
        let Some(place) = folded.places.get(at).filter(|_| at < end) else { return Hir::empty() };
        let singles = self.set(&Set::of(place.singles.iter().map(|&code| (code, code))));
        let mut ways = vec![Hir::concat(vec![singles, self.ways(folded, at + 1, end)])];
        for &(code, length) in &place.several {
            ways.push(Hir::concat(vec![self.text(&[code]), self.ways(folded, at + length, end)]));
        }
        Hir::alternation(ways)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regexp::Regexp;

    fn kept_after(pattern: &str, subject: &str) -> usize {
        let regexp = Regexp::new(pattern).expect("a pattern");
        let linear = Linear::new(&regexp.pattern, false).expect("one for this engine");
        for _ in 0..3 {
            assert!(linear.search(subject.as_bytes(), 0, Direction::Forward).is_some());
        }
        linear.working_memory().size
    }

    #[test]
    fn working_memory_is_kept_and_counted_within_limits() {
        let digits = "7".repeat(5000);
        let small = kept_after("([0-9]{3})-?", &digits);
        assert!(small > 0 && small <= MOST_KEPT, "{small}");
        assert_eq!(kept_after(r"([0-9]{1,2500})([0-9]{2,2500}) *\z", &digits), 0);
    }
}
