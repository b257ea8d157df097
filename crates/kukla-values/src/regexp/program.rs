//! The instructions of the backtracking engine.

use std::sync::Arc;

use super::fold::Folded;
use super::set::Set;
use super::tree::{Backref, Boundary};

/// The place of an instruction.
pub(super) type Address = usize;
/// Marks that no result is remembered.
pub(super) const NO_MEMORY: usize = usize::MAX;

/// A test of one character.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// Any but a newline.
    NotNewline,
    Any,
    /// A character of one byte.
    Byte(u8),
    Class(Arc<Class>),
}

/// A set of characters, quick to ask.
#[derive(Debug)]
pub(super) struct Class {
    low: [u64; 4],
    high: Vec<(u32, u32)>,
}

impl Class {
    pub fn new(set: &Set) -> Class {
        let mut low = [0u64; 4];
        for code in 0..256u32 {
            if set.contains(code) {
                low[code as usize / 64] |= 1 << (code % 64);
            }
        }
        Class { low, high: set.ranges().iter().copied().filter(|range| range.1 > 0xff).collect() }
    }

    #[inline]
    pub fn contains(&self, code: u32) -> bool {
        if code < 256 {
            return self.low[code as usize / 64] >> (code % 64) & 1 == 1;
        }
        let after = self.high.partition_point(|&(low, _)| low <= code);
        after > 0 && self.high[after - 1].1 >= code
    }
}

/// How a repetition of one character proceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Greedy,
    Lazy,
    /// Greedy, and what was matched is final.
    Possessive,
}

/// A remembered failure at a point of choice: from here, at some position, nothing can match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    /// Which row of the table; `NO_MEMORY` if what follows depends on more than the position.
    pub row: usize,
    /// Whether this lies in a look-ahead or an atomic group: then only what has failed altogether counts, and success may be
    /// remembered too (in the next row).
    pub look: bool,
    /// Whether success may be remembered: not if the look-ahead captures.
    pub success: bool,
}

/// Many of one character.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub test: Test,
    pub min: usize,
    pub max: usize,
    pub manner: Manner,
    /// The byte that must follow, if that is known.
    pub next: Option<u8>,
    pub memory: Memory,
}

impl Run {
    /// Whether it can take any number of characters, so that its result at a position is the same for all runs that reach it.
    pub fn is_endless(&self) -> bool {
        self.min == 0 && self.max == usize::MAX
    }
}

/// How a counted loop goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub register: usize,
    pub min: usize,
    pub max: usize,
    pub greedy: bool,
    /// The first instruction of the body.
    pub body: Address,
    /// The first instruction after the loop.
    pub exit: Address,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Bytes(Box<[u8]>),
    One(Test),
    Folded(Arc<Folded>),
    Run(Box<Run>),
    /// Tries the first, and the second if that fails.
    Split(Address, Address, Memory),
    Jump(Address),
    /// Where a group begins. If there is only one way to it, then neither is it forgotten where it ended before, nor undone.
    Open {
        group: usize,
        forgets: bool,
    },
    Close {
        group: usize,
        forgets: bool,
    },
    /// Remembers where a round of a loop begins.
    RoundStart(usize),
    /// Leaves a loop of which a round matched nothing; with captures it goes round again if these changed.
    RoundEnd {
        register: usize,
        captures: bool,
        exit: Address,
    },
    CountStart(Box<Count>),
    CountEnd(Box<Count>),
    AtomicStart,
    AtomicEnd,
    /// A look-ahead, with the address after it.
    AheadStart(Address),
    AheadEnd,
    /// Goes on at the address if what follows does not match.
    NotAheadStart(Address),
    NotAheadEnd,
    /// Steps back this number of characters.
    Back(usize),
    NotBehindStart(usize, Address),
    NotBehindEnd,
    AbsentStart,
    AbsentLoop(Address),
    AbsentEnd,
    At(Boundary),
    Keep,
    Backref(Box<Backref>),
    Call(Address),
    Return,
    /// Goes on at the address if a group took no part.
    Unless(usize, Address),
    Fail,
    Match,
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Program {
    pub ops: Vec<Op>,
    pub groups: usize,
    /// How many loops are counted or checked for progress.
    pub registers: usize,
    /// How many rows the table of failures has; none if nothing can be remembered.
    pub rows: usize,
    /// Whether groups are called, so that they can be entered inside themselves.
    pub recursive: bool,
    /// Whether back references ask for a level of recursion.
    pub levels: bool,
    pub start: Start,
    pub binary: bool,
}

/// Constraints on where a match can begin.
#[derive(Debug)]
pub(super) struct Start {
    pub anchor: Anchor,
    pub first: First,
}

/// A place all matches begin at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    None,
    Text,
    Line,
    Search,
}

/// The common beginning of all matches.
#[derive(Debug)]
pub(super) enum First {
    Anything,
    Literal(Box<memchr::memmem::Finder<'static>>),
    Bytes(Vec<u8>),
    Table(Box<[bool; 256]>),
}
