//! Printing a document within a width, in time proportional to its length.
//!
//! Whether a group fits is a question about widths between two instructions. All of them come from one running total, and the two
//! positions that matter, the next line break that must be and the next that may be, are found for all instructions in one pass.

use crate::document::{Document, Op, width};

/// How lines are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineStyle {
    /// The widest line that is not broken if it can be.
    pub width: u32,
    /// The spaces of one level of indentation.
    pub indent: u32,
    /// The spaces before every line but the first.
    pub margin: u32,
    /// The line break.
    pub ending: &'static str,
}

/// The text of a document, which ends with a line break unless it is empty.
pub(crate) fn print(mut document: Document<'_>, style: LineStyle) -> String {
    let capacity = document.ops.len() * 8;
    let measures = Measures::of(&mut document);
    let mut printer = Printer {
        style,
        out: String::with_capacity(capacity),
        column: style.margin,
        spaces: 0,
        line_is_empty: true,
        levels: Vec::new(),
        level: 0,
        comments: Vec::new(),
        heredocs: Vec::new(),
    };
    printer.run(&document, &measures);
    printer.out
}

/// Positions in a document that decide whether a group fits.
struct Measures {
    /// The width of everything before each instruction, if nothing breaks.
    before: Vec<u32>,
    /// For each instruction, the next one at which a line must end.
    forced: Vec<u32>,
    /// For each instruction, the next one at which a line may end.
    possible: Vec<u32>,
    /// For each group, the instruction that closes it.
    closing: Vec<u32>,
}

impl Measures {
    fn of(document: &mut Document<'_>) -> Measures {
        let len = document.ops.len();
        let mut closing = vec![len as u32; document.groups.len()];
        let mut around: Vec<u32> = Vec::new();
        let mut before = Vec::with_capacity(len + 1);
        let mut total = 0u32;
        // For each line, its group.
        let mut line_groups = Vec::new();
        let mut after_comment = false;
        for (at, op) in document.ops.iter().enumerate() {
            before.push(total);
            match op {
                Op::Open(group) => around.push(*group),
                Op::Close => {
                    if let Some(group) = around.pop() {
                        closing[group as usize] = at as u32;
                    }
                }
                Op::Comment(..) => after_comment = true,
                Op::Hard { .. } | Op::Line { .. } => {
                    let forced = matches!(op, Op::Hard { .. }) || std::mem::take(&mut after_comment);
                    after_comment = false;
                    if let Some(&group) = around.last() {
                        document.groups[group as usize] |= forced;
                    }
                    if matches!(op, Op::Line { .. }) {
                        line_groups.push(around.last().copied());
                    }
                }
                _ => {}
            }
            total = total.saturating_add(match op {
                Op::Verbatim(text) => first_line_width(text),
                op => op.flat_width().unwrap_or(0),
            });
        }
        before.push(total);
        let (mut next_forced, mut next_possible) = (len as u32, len as u32);
        let mut forced = vec![next_forced; len + 1];
        let mut possible = vec![next_possible; len + 1];
        for at in (0..len).rev() {
            match &document.ops[at] {
                Op::Hard { .. } => (next_forced, next_possible) = (at as u32, at as u32),
                Op::Line { .. } => {
                    next_possible = at as u32;
                    let group = line_groups.pop().flatten();
                    if group.is_none_or(|group| document.groups[group as usize]) {
                        next_forced = at as u32;
                    }
                }
                // The line ends within it.
                Op::Verbatim(_) => (next_forced, next_possible) = (at as u32 + 1, at as u32 + 1),
                _ => {}
            }
            forced[at] = next_forced;
            possible[at] = next_possible;
        }
        Measures { before, forced, possible, closing }
    }

    /// The width of the line that a group begins, up to its first line break, if the group is flat.
    fn line_width(&self, group: u32, opening: usize) -> u32 {
        let closing = self.closing[group as usize];
        let forced = self.forced[opening];
        let end = if forced < closing { forced } else { self.possible[closing as usize] };
        self.before[end as usize] - self.before[opening]
    }
}

fn first_line_width(text: &str) -> u32 {
    width(text.split('\n').next().unwrap_or(text))
}

struct Printer<'t> {
    style: LineStyle,
    out: String,
    /// Characters on the current line, with the spaces that are still to come.
    column: u32,
    /// Spaces that are printed before the next text.
    spaces: u32,
    line_is_empty: bool,
    /// For each `Indent` that is in force, whether it counts.
    levels: Vec<bool>,
    level: u32,
    comments: Vec<(u32, &'t str)>,
    heredocs: Vec<&'t str>,
}

impl<'t> Printer<'t> {
    fn run(&mut self, document: &Document<'t>, measures: &Measures) {
        // For each group around, whether it is broken. Outside of all groups lines break.
        let mut broken: Vec<bool> = Vec::new();
        for (at, op) in document.ops.iter().enumerate() {
            let is_broken = broken.last().copied().unwrap_or(true);
            match *op {
                Op::Text(text) => self.text(text),
                Op::Verbatim(text) => self.verbatim(text),
                Op::Space(count) => self.blanks(count),
                Op::Pad(count) if is_broken => self.blanks(count),
                Op::IfBroken(text) if is_broken => self.text(text),
                Op::Pad(_) | Op::IfBroken(_) => {}
                Op::Line { blank, .. } if is_broken => self.new_line(blank),
                Op::Line { space, .. } => self.blanks(u32::from(space)),
                Op::Hard { blank } => self.new_line(blank),
                Op::Indent => {
                    self.levels.push(is_broken);
                    self.level += u32::from(is_broken);
                }
                Op::Dedent => self.level -= u32::from(self.levels.pop().unwrap_or(false)),
                Op::Margin => (self.spaces, self.column) = (0, 0),
                Op::Open(group) => {
                    let breaks = document.groups[group as usize]
                        || (is_broken
                            && self.column.saturating_add(measures.line_width(group, at)) > self.style.width);
                    broken.push(breaks);
                }
                Op::Close => {
                    broken.pop();
                }
                Op::Comment(gap, text) => self.comments.push((gap, text)),
                Op::Heredoc(text) => self.heredocs.push(text),
            }
        }
        if !self.line_is_empty || !self.comments.is_empty() {
            self.end_line();
        }
    }

    fn indentation(&self) -> u32 {
        self.style.margin + self.level * self.style.indent
    }

    fn blanks(&mut self, count: u32) {
        self.spaces += count;
        self.column += count;
    }

    fn text(&mut self, text: &str) {
        self.flush_spaces();
        self.out.push_str(text);
        self.column += width(text);
    }

    fn flush_spaces(&mut self) {
        for _ in 0..std::mem::take(&mut self.spaces) {
            self.out.push(' ');
        }
        self.line_is_empty = false;
    }

    fn verbatim(&mut self, text: &str) {
        if !self.heredocs.is_empty() || !self.comments.is_empty() {
            // The line with the tag must end before.
            self.new_line(false);
        }
        self.flush_spaces();
        self.out.push_str(text);
        self.column = width(text.rsplit('\n').next().unwrap_or(text));
    }

    fn new_line(&mut self, blank: bool) {
        if self.out.is_empty() && self.comments.is_empty() {
            return;
        }
        if !self.line_is_empty || !self.comments.is_empty() {
            self.end_line();
        }
        if blank && !self.out.is_empty() {
            self.out.push_str(self.style.ending);
        }
        self.spaces = self.indentation();
        self.column = self.spaces;
        self.line_is_empty = true;
    }

    /// Ends the line, with its comment and the heredocs that begin after it. Further comments get lines of their own.
    fn end_line(&mut self) {
        let mut comments = std::mem::take(&mut self.comments).into_iter();
        if let Some((gap, text)) = comments.next() {
            if !self.line_is_empty {
                self.spaces = gap.max(1);
            }
            self.text(text);
        }
        self.break_line();
        for heredoc in std::mem::take(&mut self.heredocs) {
            self.out.push_str(heredoc);
            if !heredoc.ends_with('\n') {
                self.out.push_str(self.style.ending);
            }
        }
        for (_, text) in comments {
            self.spaces = self.indentation();
            self.text(text);
            self.break_line();
        }
    }

    fn break_line(&mut self) {
        self.out.push_str(self.style.ending);
        self.spaces = 0;
        self.column = 0;
        self.line_is_empty = true;
    }
}
