//! Documents: what is to be printed, with the places where lines may break.
//!
//! A document is a flat list of instructions. A group is the stretch between an [`Op::Open`] and its [`Op::Close`]; its lines break all
//! together or not at all. Nothing here nests, so a document of any depth is built, measured and printed by loops.

/// One instruction of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op<'t> {
    /// Text without line breaks.
    Text(&'t str),
    /// Text that is printed as it is, line breaks included.
    Verbatim(&'t str),
    /// Spaces, which disappear at the end of a line.
    Space(u32),
    /// Spaces in a broken group.
    Pad(u32),
    /// Text in a broken group.
    IfBroken(&'static str),
    /// A line break in a broken group; otherwise a space if `space`, or nothing.
    Line {
        /// Whether the flat form is a space.
        space: bool,
        /// Whether an empty line precedes the next one.
        blank: bool,
    },
    /// A line break, which also breaks the group around it.
    Hard {
        /// Whether an empty line precedes the next one.
        blank: bool,
    },
    /// Lines are indented one level deeper from here on, if the group around is broken.
    Indent,
    /// Ends the last `Indent`.
    Dedent,
    /// The current line, on which nothing has been printed yet, begins at the left margin.
    Margin,
    /// A group begins.
    Open(u32),
    /// The innermost group ends.
    Close,
    /// A comment for the end of the line, after this many spaces; the next possible line break is taken.
    Comment(u32, &'t str),
    /// The text of a heredoc, which begins on the next line.
    Heredoc(&'t str),
}

/// A document under construction.
#[derive(Debug, Default)]
pub(crate) struct Document<'t> {
    pub ops: Vec<Op<'t>>,
    /// For each group, whether its lines must break.
    pub groups: Vec<bool>,
}

impl<'t> Document<'t> {
    pub fn push(&mut self, op: Op<'t>) {
        self.ops.push(op);
    }

    /// Text that may contain line breaks.
    pub fn text(&mut self, text: &'t str) {
        if text.is_empty() {
            return;
        }
        let several = memchr::memchr(b'\n', text.as_bytes()).is_some();
        self.ops.push(if several { Op::Verbatim(text) } else { Op::Text(text) });
    }

    pub fn space(&mut self) {
        self.ops.push(Op::Space(1));
    }

    pub fn line(&mut self, blank: bool) {
        self.ops.push(Op::Line { space: true, blank });
    }

    /// A line break that is nothing in a flat group.
    pub fn soft_line(&mut self) {
        self.ops.push(Op::Line { space: false, blank: false });
    }

    pub fn hard_line(&mut self, blank: bool) {
        self.ops.push(Op::Hard { blank });
    }

    pub fn open(&mut self, broken: bool) {
        self.ops.push(Op::Open(self.groups.len() as u32));
        self.groups.push(broken);
    }

    pub fn close(&mut self) {
        self.ops.push(Op::Close);
    }

    /// Whether a line break was the last thing, so that a comment may begin here.
    pub fn at_line_start(&self) -> bool {
        let visible = self.ops.iter().rev().find(|op| {
            !matches!(op, Op::Indent | Op::Dedent | Op::Open(_) | Op::Close | Op::Space(_) | Op::Margin)
        });
        matches!(visible, None | Some(Op::Line { .. } | Op::Hard { .. }))
    }

    /// Whether a comment waits for the end of the current line.
    pub fn has_open_comment(&self) -> bool {
        matches!(self.last_of_line(), Some(Op::Comment(..)))
    }

    /// Whether a comment or the text of a heredoc waits for the end of the current line, which must not be within a string.
    pub fn needs_line_end(&self) -> bool {
        matches!(self.last_of_line(), Some(Op::Comment(..) | Op::Heredoc(_)))
    }

    fn last_of_line(&self) -> Option<&Op<'t>> {
        let decides =
            |op: &&Op<'t>| matches!(op, Op::Line { .. } | Op::Hard { .. } | Op::Comment(..) | Op::Heredoc(_));
        self.ops.iter().rev().find(decides)
    }

    /// The width of everything since `from` on one line; `None` if it does not fit on one.
    pub fn flat_width(&self, from: usize) -> Option<u32> {
        self.ops[from..].iter().try_fold(0, |width, op| match op {
            Op::Open(group) if self.groups[*group as usize] => None,
            op => Some(width + op.flat_width()?),
        })
    }
}

impl Op<'_> {
    /// The width of this on a line of a flat group; `None` for what needs several lines.
    pub fn flat_width(&self) -> Option<u32> {
        Some(match self {
            Op::Text(text) => width(text),
            Op::Space(width) => *width,
            Op::Line { space, .. } => u32::from(*space),
            Op::Verbatim(_) | Op::Hard { .. } | Op::Comment(..) => return None,
            _ => 0,
        })
    }
}

/// The number of characters of a text.
pub(crate) fn width(text: &str) -> u32 {
    // Characters are counted by their first bytes.
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count() as u32
}
