//! Coverage: how often each statement, branch and default of a program ran.
//!
//! Programs that are to be measured are lowered with marks between their statements: expressions that count and have no value. All others have
//! none, so measuring costs nothing where nobody asks for it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kukla_syntax::Span;
use kukla_values::Name;

/// A counted point of a program.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The counted thing.
    pub kind: MarkKind,
    /// Its range in the text.
    pub span: Span,
    count: Arc<AtomicU32>,
}

/// The counted thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A statement.
    Statement,
    /// Text of a template, which is a statement too.
    Text,
    /// A way that a condition, `case` or selector can take.
    Branch {
        /// The offset of the construct that it belongs to.
        construct: u32,
        /// Which of its ways.
        way: Way,
    },
    /// The body of a class, defined type, function or node.
    Definition(DefinitionKind, Name),
    /// The default of a parameter of a definition.
    Default(Option<Name>, Name),
    /// A resource expression. The statement that it belongs to is counted instead.
    Resource,
}

/// A way that a construct can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The test of an `if` holds, or that of an `unless` does not.
    Then,
    /// The other one.
    Else,
    /// The other one, for which nothing is written.
    ImplicitElse,
    /// An option of a `case`.
    Option,
    /// An option of a selector.
    Arm,
    /// No option of a `case` applies, and there is no default.
    NoOption,
}

/// The kind of a definition with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// `class`.
    Class,
    /// `define`.
    Define,
    /// `function`.
    Function,
    /// `node`.
    Node,
}

impl Mark {
    /// A point that has not been reached.
    pub(crate) fn new(kind: MarkKind, span: Span) -> Mark {
        Mark { kind, span, count: Arc::default() }
    }

    /// How often it was reached.
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    /// The counter, for the program.
    pub(crate) fn counter(&self) -> Counter {
        Counter(Arc::clone(&self.count))
    }
}

/// The counter of a mark.
#[derive(Clone, Debug)]
pub struct Counter(Arc<AtomicU32>);

impl Counter {
    /// Counts once more.
    #[inline]
    pub(crate) fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A text with its marks.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The name of its file.
    pub file: Arc<str>,
    /// The text.
    pub text: Arc<str>,
    /// Its marks, in the order of the text.
    pub marks: Arc<[Mark]>,
}

/// All texts that were read to be measured.
#[derive(Debug, Default)]
pub struct Coverage {
    texts: Mutex<Vec<Measured>>,
}

impl Coverage {
    /// The texts so far, by file. A text that was read twice is there twice.
    pub fn texts(&self) -> Vec<Measured> {
        let mut texts = self.lock().clone();
        texts.sort_by(|a, b| a.file.cmp(&b.file));
        texts
    }

    /// Adds a template in another language: the first and the last line of its statements, with their counters. Lines that are blank do not
    /// count.
    pub fn add_lines(&self, file: &str, text: &str, lines: impl Iterator<Item = (u32, u32, Arc<AtomicU32>)>) {
        let starts: Vec<u32> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1))
            .chain([text.len() as u32])
            .collect();
        let start = |line: u32| starts.get(line as usize).copied().unwrap_or(text.len() as u32);
        let mark = |(first, last, count): (u32, u32, Arc<AtomicU32>)| {
            let span = Span::new(start(first.saturating_sub(1)), start(last));
            Mark { kind: MarkKind::Text, span, count }
        };
        self.add(file, &Arc::from(text), lines.map(mark).collect());
    }

    pub(crate) fn add(&self, file: &str, text: &Arc<str>, mut marks: Vec<Mark>) {
        marks.sort_by_key(|mark| (mark.span.start, std::cmp::Reverse(mark.span.end)));
        self.lock().push(Measured { file: file.into(), text: Arc::clone(text), marks: marks.into() });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Measured>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
