//! Diagnostics: errors and warnings about a program, as data (rule, facts, position, cause, hints).
//!
//! The message is put together only when it is read: by [`words`](crate::words), and by renderers of source excerpts.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::ops::{Deref, DerefMut};

use crate::code::{Code, Severity};
use crate::source::Source;
use crate::span::Span;

/// A range of bytes in a source text.
#[derive(Clone, Debug)]
pub struct Location {
    /// The text.
    pub source: Source,
    /// The range of bytes.
    pub span: Span,
}

impl Location {
    /// The line, counted from one.
    pub fn line(&self) -> u32 {
        self.source.line_column(self.span.point).line
    }

    /// The name of the file, if it is one.
    pub fn file(&self) -> Option<&str> {
        self.source.name()
    }
}

/// The position that a diagnostic or a label points at, as exact as it is known.
#[derive(Clone, Debug)]
pub enum SourcePosition {
    /// Bytes of a text that the owner of the diagnostic supplies later ([`Diagnostic::in_source`]).
    Within(Span),
    /// Bytes of a text.
    At(Location),
    /// A line of a file whose text is not at hand, such as a file of data.
    Line {
        /// The file, if it is one.
        file: Option<String>,
        /// The line, counted from one.
        line: Option<u32>,
    },
}

impl SourcePosition {
    /// A line of a file.
    pub fn line_of(file: impl Into<String>, line: Option<u32>) -> SourcePosition {
        SourcePosition::Line { file: Some(file.into()), line }
    }

    /// The text and the bytes, if they are known.
    pub fn location(&self) -> Option<&Location> {
        match self {
            SourcePosition::At(location) => Some(location),
            SourcePosition::Within(_) | SourcePosition::Line { .. } => None,
        }
    }

    /// Whether both are in one text and one of them holds the beginning of the other.
    pub fn overlaps(&self, other: &SourcePosition) -> bool {
        let (Some(one), Some(other)) = (self.location(), other.location()) else { return false };
        let covers = |one: &Location, other: &Location| {
            one.span.start <= other.span.start && other.span.start < one.span.end.max(one.span.start + 1)
        };
        one.source.name() == other.source.name() && (covers(one, other) || covers(other, one))
    }

    /// The name of the file, if it is known.
    pub fn file(&self) -> Option<&str> {
        match self {
            SourcePosition::Within(_) => None,
            SourcePosition::At(location) => location.file(),
            SourcePosition::Line { file, .. } => file.as_deref(),
        }
    }

    /// The line, counted from one, if it is known.
    pub fn line(&self) -> Option<u32> {
        match self {
            SourcePosition::Within(_) => None,
            SourcePosition::At(location) => Some(location.line()),
            SourcePosition::Line { line, .. } => *line,
        }
    }

    /// The column, counted from one, if it is known.
    pub fn column(&self) -> Option<u32> {
        self.location().map(|location| location.source.line_column(location.span.point).column)
    }

    fn resolve(&mut self, source: &Source) {
        if let SourcePosition::Within(span) = *self {
            *self = SourcePosition::At(Location { source: source.clone(), span });
        }
    }
}

impl From<Location> for SourcePosition {
    fn from(location: Location) -> SourcePosition {
        SourcePosition::At(location)
    }
}

impl From<Span> for SourcePosition {
    fn from(span: Span) -> SourcePosition {
        SourcePosition::Within(span)
    }
}

/// A value that a message names: a text, or another position.
#[derive(Clone, Debug)]
pub enum Fact {
    /// A text.
    Text(String),
    /// A text for which people are shown another one than Puppet prints.
    Reworded {
        /// As Puppet prints it.
        puppet: String,
        /// As people are shown it.
        shown: String,
    },
    /// A position, after some words. Only the line that Puppet prints shows it.
    Position(&'static str, SourcePosition),
}

impl Fact {
    /// A position after some words, such as " at"; an empty text if it is unknown.
    pub fn position(before: &'static str, position: Option<impl Into<SourcePosition>>) -> Fact {
        position.map_or_else(|| Fact::Text(String::new()), |position| Fact::Position(before, position.into()))
    }

    /// The fact that a value contributes to a message.
    pub fn of<T: ToFact + ?Sized>(value: &T) -> Fact {
        value.to_fact()
    }
}

/// A value that a message can name.
pub trait ToFact {
    /// The value as a fact.
    fn to_fact(&self) -> Fact;
}

impl<T: Display + ?Sized> ToFact for T {
    fn to_fact(&self) -> Fact {
        Fact::Text(self.to_string())
    }
}

impl ToFact for Location {
    fn to_fact(&self) -> Fact {
        Fact::Position("", self.clone().into())
    }
}

impl ToFact for Fact {
    fn to_fact(&self) -> Fact {
        self.clone()
    }
}

impl ToFact for SourcePosition {
    fn to_fact(&self) -> Fact {
        Fact::Position("", self.clone())
    }
}

/// The stage in which a diagnostic was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading tokens and the tree.
    Syntax,
    /// A well-formed tree that breaks a static rule.
    Validation,
    /// Evaluating.
    Evaluation,
    /// Running code in another language, which ended with an exception that is not one of Puppet's.
    Foreign(ForeignException),
    /// Looking up data.
    Data,
    /// The request itself.
    Request,
    /// Kukla is at fault.
    Internal,
}

/// How Puppet treats an exception of another language on its way through Puppet code. Lookups rescue neither kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignException {
    /// Puppet rescues it and reports it as an error of the call.
    Standard,
    /// Puppet does not rescue it; the report is its message alone.
    Fatal,
}

impl Stage {
    /// Its name in the machine interface.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Syntax => "syntax",
            Stage::Validation => "validation",
            // The interface has no stage of its own for code in other languages or for Kukla's own faults.
            Stage::Evaluation | Stage::Foreign(_) | Stage::Internal => "evaluation",
            Stage::Data => "data",
            Stage::Request => "request",
        }
    }
}

/// The construct under evaluation, which Puppet names before the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// Nothing comes before the message.
    #[default]
    Bare,
    /// A rule of evaluation.
    Rule,
    /// The construct being evaluated: "Function Call", "Resource Statement".
    Construct(Cow<'static, str>),
}

/// Another position that helps to understand a diagnostic, with a remark.
#[derive(Clone, Debug)]
pub struct Label {
    /// The position.
    pub position: SourcePosition,
    /// The remark.
    pub message: String,
}

/// An activity that was in progress when a diagnostic was raised.
#[derive(Clone, Debug)]
pub struct Trace {
    /// In words: "while calling f", "while declaring `Ntp::Server[a]`".
    pub what: String,
    /// Where.
    pub location: Location,
}

/// The issue under which Puppet reports everything that it has no name for.
pub const NAMELESS: &str = "RUNTIME_ERROR";

/// One error or warning.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The rule that was broken.
    pub code: &'static Code,
    /// The issue under which Puppet reports it: the code's, unless Puppet uses another one here.
    pub issue: &'static str,
    /// The values that the message names, under the names that the code's message has for them.
    pub facts: Vec<(&'static str, Fact)>,
    /// How bad it is.
    pub severity: Severity,
    /// The stage that raised it.
    pub stage: Stage,
    /// Its position; a span in a text knows the byte that Puppet reports.
    pub position: Option<SourcePosition>,
    /// The mistake itself, where Puppet's position is that of its consequence: what people are shown first.
    pub focus: Option<SourcePosition>,
    /// Puppet reports only the line, though the column is known.
    pub line_only: bool,
    /// The construct under evaluation.
    pub frame: Frame,
    /// The error underneath.
    pub cause: Option<Box<Diagnostic>>,
    /// Other positions that matter.
    pub labels: Vec<Label>,
    /// Advice on how to fix it.
    pub hints: Vec<String>,
    /// The calls that led there, innermost first.
    pub trace: Vec<Trace>,
    /// The resources whose code this is, innermost first: a define, the class that declares it, the class that includes that one.
    pub within: Vec<String>,
    /// Independent errors that are reported together with this one.
    pub others: Vec<Diagnostic>,
    /// Warnings about the same text, to be logged first.
    pub warnings: Vec<Diagnostic>,
}

impl Diagnostic {
    /// A diagnostic with the code's own severity and issue, without a position yet. [`diagnostic!`](crate::diagnostic!) reads
    /// better.
    pub fn new(code: &'static Code, facts: Vec<(&'static str, Fact)>) -> Diagnostic {
        Diagnostic {
            code,
            issue: code.issue,
            facts,
            severity: code.severity,
            stage: Stage::Evaluation,
            position: None,
            focus: None,
            line_only: false,
            frame: Frame::Bare,
            cause: None,
            labels: Vec::new(),
            hints: Vec::new(),
            trace: Vec::new(),
            within: Vec::new(),
            others: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Sets the position to bytes of a text that [`in_source`](Diagnostic::in_source) names later.
    #[must_use]
    pub fn within_text(mut self, span: Span) -> Diagnostic {
        self.position = Some(SourcePosition::Within(span));
        self
    }

    /// Names the text for all positions that do not name one themselves.
    #[must_use]
    pub fn in_source(mut self, source: &Source) -> Diagnostic {
        let labels = self.labels.iter_mut().map(|label| &mut label.position);
        self.position
            .iter_mut()
            .chain(&mut self.focus)
            .chain(labels)
            .for_each(|position| position.resolve(source));
        self
    }

    /// Sets the position unless there is one already.
    #[must_use]
    pub fn at(mut self, position: impl Into<SourcePosition>) -> Diagnostic {
        self.position.get_or_insert(position.into());
        self
    }

    /// Sets the position, of which Puppet reports only the line.
    #[must_use]
    pub fn on_line_of(mut self, position: Option<impl Into<SourcePosition>>) -> Diagnostic {
        self.position = position.map(Into::into);
        self.line_only = true;
        self
    }

    /// Sets the place of the mistake itself and what is wrong there; Puppet's position stays.
    #[must_use]
    pub fn focus_on(mut self, position: impl Into<SourcePosition>, message: impl Into<String>) -> Diagnostic {
        let (position, message) = (position.into(), message.into());
        if !message.is_empty() {
            self.labels.insert(0, Label { position: position.clone(), message });
        }
        self.focus = Some(position);
        self
    }

    /// The place that people are shown first: of the mistake itself, if it is known.
    pub fn shown_position(&self) -> Option<&SourcePosition> {
        self.focus.as_ref().or(self.position.as_ref())
    }

    /// Sets the stage.
    #[must_use]
    pub fn in_stage(mut self, stage: Stage) -> Diagnostic {
        self.stage = stage;
        self
    }

    /// Sets the issue under which Puppet reports the rule here.
    #[must_use]
    pub fn reported_as(mut self, issue: &'static str) -> Diagnostic {
        self.issue = issue;
        self
    }

    /// Sets the error underneath.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<Diagnostic>>) -> Diagnostic {
        self.cause = Some(cause.into());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hints.push(hint.into());
        self
    }

    /// Adds another position that matters, if it is known.
    #[must_use]
    pub fn label_if_known(self, position: Option<impl Into<SourcePosition>>, message: &str) -> Diagnostic {
        match position {
            Some(position) => self.label(position, message),
            None => self,
        }
    }

    /// Adds another position that matters.
    #[must_use]
    pub fn label(mut self, position: impl Into<SourcePosition>, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { position: position.into(), message: message.into() });
        self
    }

    /// Whether the program cannot be used because of this.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Whether Puppet has no name for the issue: it then blames the whole expression, not a part of it.
    pub fn is_nameless(&self) -> bool {
        self.issue == NAMELESS
    }

    /// Whether it is about this rule.
    pub fn is(&self, code: &Code) -> bool {
        self.code == code
    }

    /// The text of one of its facts.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find_map(|(known, fact)| match fact {
            Fact::Text(text) if *known == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// The text and the bytes it points at, if they are known.
    pub fn location(&self) -> Option<&Location> {
        self.position.as_ref().and_then(SourcePosition::location)
    }

    /// The bytes at fault; an empty span if the position is not one in a text.
    pub fn span(&self) -> Span {
        match &self.position {
            Some(SourcePosition::Within(span)) => *span,
            Some(SourcePosition::At(location)) => location.span,
            _ => Span::default(),
        }
    }

    /// The innermost diagnostic with a message of its own. Those around it only pass it on, such as the statement that declares a define
    /// whose code is at fault.
    pub fn root(&self) -> &Diagnostic {
        let mut root = self;
        while let (Some(cause), "{cause}") = (&root.cause, root.code.message) {
            root = cause;
        }
        root
    }

    /// Edits every text in it that comes from a program or its data, to redact secrets.
    pub fn edit_texts(&mut self, edit: &mut dyn FnMut(&mut String)) {
        for (_, fact) in &mut self.facts {
            match fact {
                Fact::Text(text) => edit(text),
                Fact::Reworded { puppet, shown } => {
                    edit(puppet);
                    edit(shown);
                }
                Fact::Position(..) => {}
            }
        }
        self.labels.iter_mut().for_each(|label| edit(&mut label.message));
        self.hints.iter_mut().for_each(&mut *edit);
        self.trace.iter_mut().for_each(|trace| edit(&mut trace.what));
        self.within.iter_mut().for_each(&mut *edit);
        let cause = self.cause.as_deref_mut();
        for other in cause.into_iter().chain(&mut self.others).chain(&mut self.warnings) {
            other.edit_texts(edit);
        }
    }
}

/// A diagnostic as the error of a result: one pointer wide, so that results stay small.
#[derive(Clone, Debug)]
pub struct Error(Box<Diagnostic>);

/// The result of something that may fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The diagnostic.
    pub fn into_diagnostic(self) -> Box<Diagnostic> {
        self.0
    }
}

impl Deref for Error {
    type Target = Diagnostic;

    fn deref(&self) -> &Diagnostic {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Diagnostic {
        &mut self.0
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Error {
        Error(Box::new(diagnostic))
    }
}

impl From<Box<Diagnostic>> for Error {
    fn from(diagnostic: Box<Diagnostic>) -> Error {
        Error(diagnostic)
    }
}

impl From<Error> for Box<Diagnostic> {
    fn from(error: Error) -> Box<Diagnostic> {
        error.0
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}
impl std::error::Error for Diagnostic {}
