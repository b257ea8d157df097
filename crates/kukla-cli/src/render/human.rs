//! The picture: the lines that matter, underlined.

use std::collections::HashMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use kukla::syntax::{Diagnostic, Severity, Source, SourcePosition};

use super::place::shown;

/// Draws one diagnostic; `node` is the node it is about, if it is about one. Colours are in the text; whoever prints it takes them
/// out where they are not wanted.
pub fn picture(out: &mut String, diagnostic: &Diagnostic, node: Option<&str>) {
    let root = diagnostic.root();
    let level = match root.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Deprecation => Level::WARNING.with_name("deprecation"),
    };
    let sights = sights(diagnostic);
    let message = root.message();
    let mut group = Group::with_title(level.primary_title(&message).id(root.code.name));
    for sight in &sights {
        let mut snippet = Snippet::source(sight.source.text()).path(sight.source.name().map(shown));
        for mark in &sight.marks {
            let kind = if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = Some(mark.label.as_str()).filter(|label| !label.is_empty());
            snippet = snippet.annotation(kind.span(mark.range.clone()).label(label));
        }
        group = group.element(snippet);
    }
    for hint in root.hints.iter().chain(root.cause.iter().flat_map(|cause| &cause.hints)) {
        group = group.element(Level::HELP.message(hint));
    }
    for note in notes(root, &sights, node) {
        group = group.element(Level::NOTE.message(note));
    }
    out.push_str(&Renderer::styled().render(&[group]));
    out.push_str("\n\n");
}

/// One text to be shown, and what is underlined in it.
struct Sight {
    source: Source,
    marks: Vec<Mark>,
}

struct Mark {
    range: Range<usize>,
    is_primary: bool,
    label: String,
}

/// The texts to be shown, the one at fault first.
fn sights(diagnostic: &Diagnostic) -> Vec<Sight> {
    let mut sights = Sights::default();
    let root = diagnostic.root();
    if let Some(place) = &root.position {
        sights.add(place, "");
    }
    root.labels.iter().for_each(|label| sights.add(&label.position, &label.message));
    // What a template or another text is wrong about stands in that text.
    if let Some(cause) = &root.cause {
        cause.position.iter().for_each(|place| sights.add(place, "here"));
        cause.labels.iter().for_each(|label| sights.add(&label.position, &label.message));
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
            Some(resource) => sights.add(place, &format!("{resource} is declared here")),
            None => sights.add(place, ""),
        }
    }
    sights.all
}

#[derive(Default)]
struct Sights {
    all: Vec<Sight>,
    /// Files whose text had to be read again.
    read: HashMap<String, Option<Source>>,
}

impl Sights {
    fn add(&mut self, place: &SourcePosition, label: &str) {
        let (source, range) = match place {
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
        let is_primary = self.all.is_empty();
        let mark = Mark { range, is_primary, label: label.to_owned() };
        match self.all.iter_mut().find(|sight| is_same(&sight.source, &source)) {
            Some(sight) => sight.marks.push(mark),
            None => self.all.push(Sight { source, marks: vec![mark] }),
        }
    }

    #[allow(clippy::disallowed_methods, reason = "a picture of a file shows what is in the file")]
    fn text_of(&mut self, file: &str) -> Option<Source> {
        let read = || Some(Source::new(file, String::from_utf8(std::fs::read(file).ok()?).ok()?));
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

/// What is said beside the pictures: places of which there is no picture, the calls that led there, the resources around it.
fn notes(root: &Diagnostic, sights: &[Sight], node: Option<&str>) -> Vec<String> {
    let mut notes = Vec::new();
    if sights.is_empty()
        && let Some(SourcePosition::Line { file: Some(file), line }) = &root.position
    {
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        notes.push(format!("see {}{line}", shown(file)));
    }
    for trace in &root.trace {
        let line = trace.location.line();
        notes.push(match trace.location.file() {
            Some(file) => format!("{} ({}:{line})", trace.what, shown(file)),
            None => format!("{} (line {line})", trace.what),
        });
    }
    if let (Some(node), false) = (node, root.within.is_empty()) {
        notes.push(format!("in {}, on node {node}", root.within.join(" in ")));
    }
    notes
}

/// The renderer wants ranges that lie within the text, on borders of characters. The end of the text is the end of its last
/// line, not the line that would come next.
fn clamp(text: &str, range: Range<usize>) -> Range<usize> {
    let text = text.trim_end_matches(['\n', '\r']);
    let start = text.floor_char_boundary(range.start.min(text.len()));
    let end = text.ceil_char_boundary(range.end.clamp(start, text.len()));
    start..end
}
