//! Source excerpts: the lines of a diagnostic, with underlines and labels.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use kukla::hiera::codes::UNPARSEABLE_DATA;
use kukla::syntax::{Diagnostic, Severity, Source, SourcePosition};
use kukla_check::rules::data::{DATA_SYNTAX, PLAINTEXT_SECRET};

use super::position::relative_path;
use crate::files;

/// Renders one diagnostic as a source excerpt; `node` is the node it is about, if any. The text has colours, which the printer
/// removes where they are not supported.
pub fn source_excerpt(out: &mut String, diagnostic: &Diagnostic, node: Option<&str>) {
    let root = diagnostic.root();
    let level = match root.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Deprecation => Level::WARNING.with_name("deprecation"),
    };
    let excerpts = excerpts(diagnostic);
    let message = shortened(root.message());
    let mut group = Group::with_title(level.primary_title(&message).id(root.code.name));
    for excerpt in &excerpts {
        let (start, line, text) = excerpt.lines();
        let mut snippet =
            Snippet::source(text).line_start(line).path(excerpt.source.name().map(relative_path));
        for underline in &excerpt.underlines {
            let kind = if underline.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = Some(underline.label.as_str()).filter(|label| !label.is_empty());
            snippet = snippet.annotation(
                kind.span(underline.range.start - start..underline.range.end - start).label(label),
            );
        }
        group = group.element(snippet);
    }
    for hint in root.hints.iter().chain(root.cause.iter().flat_map(|cause| &cause.hints)) {
        group = group.element(Level::HELP.message(hint));
    }
    for note in notes(root, &excerpts, node) {
        group = group.element(Level::NOTE.message(note));
    }
    out.push_str(&Renderer::styled().render(&[group]));
    out.push_str("\n\n");
}

/// One source text and its underlines.
struct Excerpt {
    source: Source,
    underlines: Vec<Underline>,
}

impl Excerpt {
    /// The underlined lines and those between them: where they begin, the number of the first, and their text. The renderer goes through all
    /// that it gets, and a text may have many errors.
    fn lines(&self) -> (usize, usize, &str) {
        let text = self.source.text();
        let first = self.underlines.iter().map(|underline| underline.range.start).min().unwrap_or(0);
        let last = self.underlines.iter().map(|underline| underline.range.end).max().unwrap_or(0);
        let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
        let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
        let line = self.source.line_column(start as u32).line as usize;
        (start, line, &text[start..end])
    }
}

/// How many bytes of a message are shown.
const LONGEST_MESSAGE: usize = 64 << 10;
/// How long a line may be to be shown, in bytes.
const LONGEST_LINE: usize = 16 << 10;

/// A message as it is shown: a person reads the beginning of a long one.
fn shortened(mut message: String) -> String {
    if message.len() > LONGEST_MESSAGE {
        let end = message.floor_char_boundary(LONGEST_MESSAGE);
        let left_out = message.len() - end;
        message.truncate(end);
        message.push_str(&format!(" … ({left_out} more bytes)"));
    }
    message
}

/// Whether the lines of a range can be shown.
fn is_showable(text: &str, range: &Range<usize>) -> bool {
    let before = text.as_bytes()[..range.start].iter().rev().take(LONGEST_LINE);
    let after = text.as_bytes()[range.end..].iter().take(LONGEST_LINE);
    let ends = |length: usize, all: usize| length < LONGEST_LINE || all <= LONGEST_LINE;
    let (before, after) =
        (before.take_while(|byte| **byte != b'\n'), after.take_while(|byte| **byte != b'\n'));
    range.len() <= 4 * LONGEST_LINE
        && ends(before.count(), range.start)
        && ends(after.count(), text.len() - range.end)
}

struct Underline {
    range: Range<usize>,
    is_primary: bool,
    label: String,
}

/// The source texts to show, the one with the error first.
fn excerpts(diagnostic: &Diagnostic) -> Vec<Excerpt> {
    let mut excerpts = Excerpts::default();
    let root = diagnostic.root();
    // An error in a template or another text has its own place there, which is that of the mistake.
    let mut shown = vec![root];
    if let Some(cause) = &root.cause {
        shown.insert(0, cause);
    }
    for wrong in shown.into_iter().filter(|wrong| !is_hidden(wrong)) {
        wrong.shown_position().iter().for_each(|place| excerpts.add(place, ""));
        wrong.labels.iter().for_each(|label| excerpts.add(&label.position, &label.message));
        // Where Puppet notices the mistake, unless that is around it.
        if let (Some(focus), Some(place)) = (&wrong.focus, &wrong.position)
            && !focus.overlaps(place)
            && !wrong.labels.iter().any(|label| label.position.overlaps(place))
        {
            excerpts.add(place, "");
        }
    }
    let mut outer = diagnostic;
    let mut around = Vec::new();
    while !std::ptr::eq(outer, root) {
        around.extend(outer.position.as_ref().map(|place| (place, outer.fact("resource"))));
        let Some(cause) = &outer.cause else { break };
        outer = cause;
    }
    for (place, resource) in around.into_iter().rev() {
        match resource {
            Some(resource) => excerpts.add(place, &format!("{resource} is declared here")),
            None => excerpts.add(place, ""),
        }
    }
    excerpts.all
}

/// Whether excerpts of data that cannot be parsed are shown.
static SHOWS_DATA: AtomicBool = AtomicBool::new(false);

/// Shows excerpts of data that cannot be parsed, too.
pub fn show_data() {
    SHOWS_DATA.store(true, Ordering::Relaxed);
}

/// The directories whose files are shown, by real path; without any, all files are shown.
static SHOWN: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Shows excerpts of files below these directories only, and of those named before: a link in a repository can lead to a file that others may not see.
pub fn show_only<'p>(directories: impl IntoIterator<Item = &'p Path>) {
    let real = directories.into_iter().filter_map(|directory| directory.canonicalize().ok());
    SHOWN.write().unwrap_or_else(PoisonError::into_inner).extend(real);
}

/// Whether a source is a file that is not shown.
fn is_elsewhere(source: &Source) -> bool {
    let shown = SHOWN.read().unwrap_or_else(PoisonError::into_inner);
    // A name without a file is that of a text.
    !shown.is_empty()
        && source
            .name()
            .and_then(|name| Path::new(name).canonicalize().ok())
            .is_some_and(|real| !shown.iter().any(|directory| real.starts_with(directory)))
}

/// Whether the position is in data that cannot be parsed, so that nobody knows which of its values are secret, or at a value that looks secret.
fn is_hidden(diagnostic: &Diagnostic) -> bool {
    if diagnostic.is(&PLAINTEXT_SECRET) {
        return true;
    }
    let is_unparsed = diagnostic.is(&UNPARSEABLE_DATA) || diagnostic.is(&DATA_SYNTAX);
    is_unparsed && !SHOWS_DATA.load(Ordering::Relaxed)
}

#[derive(Default)]
struct Excerpts {
    all: Vec<Excerpt>,
    /// Files whose text was read from disk.
    read: HashMap<String, Option<Source>>,
}

impl Excerpts {
    fn add(&mut self, position: &SourcePosition, label: &str) {
        let (source, range) = match position {
            SourcePosition::Within(_) => return,
            SourcePosition::At(location) => {
                (location.source.clone(), clamp(location.source.text(), location.span.range()))
            }
            SourcePosition::Line { file: Some(file), line: Some(line) } => {
                let Some(source) = self.text_of(file) else { return };
                let range = line_range(&source, *line);
                (source, range)
            }
            SourcePosition::Line { .. } => return,
        };
        if !is_showable(source.text(), &range) || is_elsewhere(&source) {
            return;
        }
        let is_primary = self.all.is_empty();
        let underline = Underline { range, is_primary, label: label.to_owned() };
        match self.all.iter_mut().find(|excerpt| is_same(&excerpt.source, &source)) {
            Some(excerpt) => excerpt.underlines.push(underline),
            None => self.all.push(Excerpt { source, underlines: vec![underline] }),
        }
    }

    fn text_of(&mut self, file: &str) -> Option<Source> {
        let read = || Some(Source::new(file, files::read_repository_text(Path::new(file)).ok()?));
        self.read.entry(file.to_owned()).or_insert_with(read).clone()
    }
}

fn is_same(one: &Source, other: &Source) -> bool {
    one.name() == other.name() && one.text() == other.text()
}

/// A line without the space around it.
fn line_range(source: &Source, line: u32) -> Range<usize> {
    let lines = source.lines();
    let start = lines.line_start(line).unwrap_or(0) as usize;
    let text = source.text()[start..].lines().next().unwrap_or("");
    let start = start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

/// Notes below the excerpts: places without an excerpt, the calls that led there, the resources around it.
fn notes(root: &Diagnostic, excerpts: &[Excerpt], node: Option<&str>) -> Vec<String> {
    let mut notes = Vec::new();
    let is_hidden = is_hidden(root);
    let labels = root.labels.iter().map(|label| &label.position).filter(|_| is_hidden);
    if excerpts.is_empty()
        && let Some(place) =
            root.shown_position().into_iter().chain(labels).find(|place| place.file().is_some())
        && let Some(file) = place.file()
    {
        let line = place.line().map_or_else(String::new, |line| format!(", line {line}"));
        let column = place.column().map_or_else(String::new, |column| format!(", column {column}"));
        notes.push(format!("see {}{line}{column}", relative_path(file)));
    }
    if is_hidden {
        notes.push("the line is not shown, because it may be secret; --show-data shows it".to_owned());
    }
    for trace in &root.trace {
        let line = trace.location.line();
        notes.push(match trace.location.file() {
            Some(file) => format!("{} ({}:{line})", trace.what, relative_path(file)),
            None => format!("{} (line {line})", trace.what),
        });
    }
    if let (Some(node), false) = (node, root.within.is_empty()) {
        notes.push(format!("in {}, on node {node}", root.within.join(" in ")));
    }
    notes
}

/// Clamps a range to the text and to character boundaries, as the renderer requires. The end of the text is the end of its last
/// line, not the line that would come next.
fn clamp(text: &str, range: Range<usize>) -> Range<usize> {
    let text = text.trim_end_matches(['\n', '\r']);
    let start = text.floor_char_boundary(range.start.min(text.len()));
    let end = text.ceil_char_boundary(range.end.clamp(start, text.len()));
    start..end
}
