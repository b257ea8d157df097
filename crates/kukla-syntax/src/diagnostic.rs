//! What is wrong with a program, as data: which rule, which facts, where, why, and what might help.
//!
//! Words are made of it only when someone wants to read them, by [`words`](crate::words) and by whoever draws pictures.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::ops::{Deref, DerefMut};

use crate::code::{Code, Severity};
use crate::source::Source;
use crate::span::Span;

/// A place in a source text.
#[derive(Clone, Debug)]
pub struct Location {
    /// The text.
    pub source: Source,
    /// The place in it.
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

/// Where something is, as far as it is known.
#[derive(Clone, Debug)]
pub enum Place {
    /// Bytes of a text that whoever holds the diagnostic knows.
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

impl Place {
    /// A line of a file.
    pub fn line_of(file: impl Into<String>, line: Option<u32>) -> Place {
        Place::Line { file: Some(file.into()), line }
    }

    /// The text and the bytes, if they are known.
    pub fn location(&self) -> Option<&Location> {
        match self {
            Place::At(location) => Some(location),
            Place::Within(_) | Place::Line { .. } => None,
        }
    }

    /// The name of the file, if it is known.
    pub fn file(&self) -> Option<&str> {
        match self {
            Place::Within(_) => None,
            Place::At(location) => location.file(),
            Place::Line { file, .. } => file.as_deref(),
        }
    }

    /// The line, counted from one, if it is known.
    pub fn line(&self) -> Option<u32> {
        match self {
            Place::Within(_) => None,
            Place::At(location) => Some(location.line()),
            Place::Line { line, .. } => *line,
        }
    }

    /// The column, counted from one, if it is known.
    pub fn column(&self) -> Option<u32> {
        self.location().map(|location| location.source.line_column(location.span.point).column)
    }

    fn know(&mut self, source: &Source) {
        if let Place::Within(span) = *self {
            *self = Place::At(Location { source: source.clone(), span });
        }
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Place {
        Place::At(location)
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Place {
        Place::Within(span)
    }
}

/// What a message names: a text, or another place.
#[derive(Clone, Debug)]
pub enum Fact {
    /// A text.
    Text(String),
    /// A place, which is part of the line that Puppet prints and of nothing else, after some words.
    Place(&'static str, Place),
}

impl Fact {
    /// A place after some words, such as " at"; nothing is told of it if it is not known.
    pub fn place(before: &'static str, place: Option<impl Into<Place>>) -> Fact {
        place.map_or_else(|| Fact::Text(String::new()), |place| Fact::Place(before, place.into()))
    }

    /// What is to be told of something.
    pub fn of<T: ToFact + ?Sized>(value: &T) -> Fact {
        value.to_fact()
    }
}

/// What can be told in a message.
pub trait ToFact {
    /// What is told of it.
    fn to_fact(&self) -> Fact;
}

impl<T: Display + ?Sized> ToFact for T {
    fn to_fact(&self) -> Fact {
        Fact::Text(self.to_string())
    }
}

impl ToFact for Location {
    fn to_fact(&self) -> Fact {
        Fact::Place("", self.clone().into())
    }
}

impl ToFact for Fact {
    fn to_fact(&self) -> Fact {
        self.clone()
    }
}

impl ToFact for Place {
    fn to_fact(&self) -> Fact {
        Fact::Place("", self.clone())
    }
}

/// In which stage something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading tokens and the tree.
    Syntax,
    /// A well-formed tree that breaks a static rule.
    Validation,
    /// Evaluating.
    Evaluation,
    /// Running code in another language that ended with what Puppet neither rescues nor puts into words of its own.
    Foreign,
    /// Looking up data.
    Data,
    /// The request itself.
    Request,
    /// Kukla is at fault.
    Internal,
}

impl Stage {
    /// Its name in the machine interface.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Syntax => "syntax",
            Stage::Validation => "validation",
            // Whatever Kukla does wrong happens while it evaluates, as far as others can tell.
            Stage::Evaluation | Stage::Foreign | Stage::Internal => "evaluation",
            Stage::Data => "data",
            Stage::Request => "request",
        }
    }
}

/// In what something went wrong, which Puppet says before the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// Nothing is said.
    #[default]
    Bare,
    /// A rule of evaluation.
    Rule,
    /// The construct being evaluated: "Function Call", "Resource Statement".
    Construct(Cow<'static, str>),
}

/// A place that helps to understand a diagnostic, and what to know about it.
#[derive(Clone, Debug)]
pub struct Label {
    /// The place.
    pub place: Place,
    /// What is to be said about it.
    pub message: String,
}

/// What was going on when something went wrong.
#[derive(Clone, Debug)]
pub struct Trace {
    /// In words: "while calling f", "while declaring `Ntp::Server[a]`".
    pub what: String,
    /// Where.
    pub location: Location,
}

/// The issue under which Puppet reports everything that it has no name for.
pub const NAMELESS: &str = "RUNTIME_ERROR";

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The rule that was broken.
    pub code: &'static Code,
    /// The issue under which Puppet reports it: the code's, unless Puppet uses another one here.
    pub issue: &'static str,
    /// What the message names, by the names the code's message has for it.
    pub facts: Vec<(&'static str, Fact)>,
    /// How bad it is.
    pub severity: Severity,
    /// When it was noticed.
    pub stage: Stage,
    /// Where it is; a span in a text knows the byte Puppet reports.
    pub place: Option<Place>,
    /// Puppet tells the line only, though more is known.
    pub line_only: bool,
    /// What was being evaluated.
    pub frame: Frame,
    /// What is wrong underneath.
    pub cause: Option<Box<Diagnostic>>,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// What might help.
    pub hints: Vec<String>,
    /// The calls that led there, innermost first.
    pub trace: Vec<Trace>,
    /// The resources whose code this is, innermost first: a define, the class it stands in, the class that includes that one.
    pub within: Vec<String>,
    /// What else is wrong and reported together with this.
    pub others: Vec<Diagnostic>,
    /// What was questionable in the text that is at fault, to be logged before.
    pub warnings: Vec<Diagnostic>,
}

impl Diagnostic {
    /// A diagnostic with the code's own severity and issue, whose place is not known yet. [`diagnostic!`](crate::diagnostic!) reads
    /// better.
    pub fn new(code: &'static Code, facts: Vec<(&'static str, Fact)>) -> Diagnostic {
        Diagnostic {
            code,
            issue: code.issue,
            facts,
            severity: code.severity,
            stage: Stage::Evaluation,
            place: None,
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

    /// Puts it into a text that whoever holds the diagnostic knows.
    #[must_use]
    pub fn within_text(mut self, span: Span) -> Diagnostic {
        self.place = Some(Place::Within(span));
        self
    }

    /// Says which text the places lie in that do not say it themselves.
    #[must_use]
    pub fn in_source(mut self, source: &Source) -> Diagnostic {
        let labels = self.labels.iter_mut().map(|label| &mut label.place);
        self.place.iter_mut().chain(labels).for_each(|place| place.know(source));
        self
    }

    /// Puts it somewhere, unless it is somewhere already.
    #[must_use]
    pub fn at(mut self, place: impl Into<Place>) -> Diagnostic {
        self.place.get_or_insert(place.into());
        self
    }

    /// Puts it on a line, the only thing Puppet tells of its place.
    #[must_use]
    pub fn on_line_of(mut self, place: Option<impl Into<Place>>) -> Diagnostic {
        self.place = place.map(Into::into);
        self.line_only = true;
        self
    }

    /// Says when it was noticed.
    #[must_use]
    pub fn in_stage(mut self, stage: Stage) -> Diagnostic {
        self.stage = stage;
        self
    }

    /// Says under which issue Puppet reports the rule here.
    #[must_use]
    pub fn reported_as(mut self, issue: &'static str) -> Diagnostic {
        self.issue = issue;
        self
    }

    /// Adds what is wrong underneath.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<Diagnostic>>) -> Diagnostic {
        self.cause = Some(cause.into());
        self
    }

    /// Adds something that might help.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hints.push(hint.into());
        self
    }

    /// Adds another place that matters, if it is known.
    #[must_use]
    pub fn label_if_known(self, place: Option<impl Into<Place>>, message: &str) -> Diagnostic {
        match place {
            Some(place) => self.label(place, message),
            None => self,
        }
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn label(mut self, place: impl Into<Place>, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { place: place.into(), message: message.into() });
        self
    }

    /// Whether the program cannot be used because of this.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Whether Puppet has no name for the issue: it is then the fault of the expression being evaluated, not of a part of it.
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

    /// Where it is in a text, if that is known.
    pub fn location(&self) -> Option<&Location> {
        self.place.as_ref().and_then(Place::location)
    }

    /// The bytes at fault; none where the place is no place in a text.
    pub fn span(&self) -> Span {
        match &self.place {
            Some(Place::Within(span)) => *span,
            Some(Place::At(location)) => location.span,
            _ => Span::default(),
        }
    }

    /// The diagnostic that says what is wrong, behind those that only hand it on: a statement that declares a define whose code is
    /// at fault has nothing of its own to say.
    pub fn root(&self) -> &Diagnostic {
        let mut root = self;
        while let (Some(cause), "{cause}") = (&root.cause, root.code.message) {
            root = cause;
        }
        root
    }

    /// Changes every text in it that comes from a program or its data, such as those to be kept secret.
    pub fn edit_texts(&mut self, edit: &mut dyn FnMut(&mut String)) {
        for (_, fact) in &mut self.facts {
            if let Fact::Text(text) = fact {
                edit(text);
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
