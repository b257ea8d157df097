//! ERB: templates as Ruby code.
//!
//! A template becomes the code that Ruby's own ERB makes of it: a variable that collects the output, a `<<` for each piece of text and each
//! `<%= %>`, and the unchanged code between the tags. Lines keep their numbers, so errors name the template's own lines.

/// How line ends after tags are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trim {
    /// `-`: `-%>` takes the line end after it away, `<%-` the blanks before it.
    pub explicit: bool,
    /// `>`: a line end after `%>` goes.
    pub after_tag: bool,
    /// `<>`: a line end goes after a line that starts with `<%` and ends with `%>`.
    pub whole_line: bool,
    /// `%`: lines that start with `%` are code.
    pub percent: bool,
}

impl Trim {
    /// The mode `-`: only `-%>` and `<%-` take blanks and line ends away.
    pub const DASH: Trim = Trim { explicit: true, after_tag: false, whole_line: false, percent: false };

    /// The mode that `ERB.new(text, trim_mode: mode)` names.
    pub fn from_mode(mode: &str) -> Trim {
        let percent = mode.contains('%');
        let explicit = mode.contains('-');
        let whole_line = !explicit && mode.contains("<>");
        Trim { explicit, after_tag: !explicit && !whole_line && mode.contains('>'), whole_line, percent }
    }
}

/// The kinds of tags, by what opens them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Code,
    Output,
    Comment,
}

/// The Ruby code of a template, with the origin of its parts.
#[derive(Debug)]
pub struct Translation {
    /// The code.
    pub code: String,
    /// The parts that are copied from the template, in order.
    copies: Vec<CopiedPart>,
}

/// A part of the code that is copied from the template.
#[derive(Clone, Copy, Debug)]
struct CopiedPart {
    /// Its offset in the code.
    code: usize,
    /// Its offset in the template.
    template: usize,
    length: usize,
}

impl Translation {
    /// The offset in the template of an offset in the code. Code that is not in the template is at the end of the tag before it.
    pub fn template_offset(&self, offset: u32) -> u32 {
        let offset = offset as usize;
        let after = self.copies.partition_point(|part| part.code <= offset);
        let Some(part) = after.checked_sub(1).and_then(|at| self.copies.get(at)) else { return 0 };
        (part.template + (offset - part.code).min(part.length)) as u32
    }
}

/// The Ruby code of a template that collects its output in a variable.
pub fn compile(template: &str, trim: Trim, output: &str) -> String {
    translate(template, trim, output).code
}

/// The same with the origin of its parts.
pub fn translate(template: &str, trim: Trim, output: &str) -> Translation {
    let mut compiler = Compiler {
        code: format!("{output} = +''"),
        copies: Vec::new(),
        length: template.len(),
        output,
        text: String::new(),
        fresh_line: false,
        line_opened: false,
    };
    compiler.template(template, trim);
    compiler.put_text();
    compiler.push(output);
    compiler.code.push('\n');
    Translation { code: compiler.code, copies: compiler.copies }
}

struct Compiler<'a> {
    code: String,
    copies: Vec<CopiedPart>,
    /// The length of the template.
    length: usize,
    output: &'a str,
    /// Text not yet written out.
    text: String,
    /// Whether the code is at the start of a line.
    fresh_line: bool,
    /// Whether the line of the template that is being read began with a tag.
    line_opened: bool,
}

impl Compiler<'_> {
    fn push(&mut self, statement: &str) {
        if !self.fresh_line {
            self.code.push_str("; ");
        }
        self.fresh_line = false;
        self.code.push_str(statement);
    }

    fn end_line(&mut self) {
        self.code.push('\n');
        self.fresh_line = true;
    }

    fn put_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.text);
        let mut statement = format!("{}.<< \"", self.output);
        for c in text.chars() {
            match c {
                '"' | '\\' | '#' => statement.extend(['\\', c]),
                '\n' => statement.push_str("\\n"),
                '\r' => statement.push_str("\\r"),
                '\0' => statement.push_str("\\0"),
                c => statement.push(c),
            }
        }
        statement.push_str("\".freeze");
        // Keeps the following code on its line of the template.
        let lines = text.bytes().filter(|byte| *byte == b'\n').count();
        statement.extend(std::iter::repeat_n('\n', lines));
        self.push(&statement);
        self.fresh_line = lines > 0;
    }

    /// Writes the code of a tag out; `parts` says where in it which part of the template begins.
    fn tag(&mut self, tag: Tag, code: &str, parts: &[CopiedPart]) {
        let before = self.code.len() + if self.fresh_line { 0 } else { 2 };
        match tag {
            Tag::Code => match code.strip_suffix('\n') {
                Some(code) => {
                    self.push(code);
                    self.end_line();
                }
                None => self.push(code),
            },
            Tag::Output => self.push(&format!("{}.<<(({code}).to_s)", self.output)),
            Tag::Comment => {
                let lines = code.bytes().filter(|byte| *byte == b'\n').count();
                self.push(&"\n".repeat(lines));
                self.fresh_line = lines > 0;
                return;
            }
        }
        let start = before + if tag == Tag::Output { self.output.len() + 5 } else { 0 };
        self.copies.extend(parts.iter().map(|part| CopiedPart { code: start + part.code, ..*part }));
    }

    fn template(&mut self, template: &str, trim: Trim) {
        let mut rest = template;
        let mut starts_line = true;
        while !rest.is_empty() {
            if trim.percent && starts_line && rest.starts_with('%') && !rest.starts_with("%%") {
                let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
                self.put_text();
                let (code, template) = (0, self.length - rest.len() + 1);
                let part = CopiedPart { code, template, length: line.len() - 1 };
                self.tag(Tag::Code, &line[1..], &[part]);
                self.end_line();
                rest = after;
                continue;
            }
            if trim.percent && starts_line && rest.starts_with("%%") {
                rest = &rest[1..];
            }
            let Some(open) = self.text_before_tag(rest, trim, &mut starts_line) else { return };
            if open.at_line_percent {
                rest = open.rest;
                continue;
            }
            let Some(tag) = open.tag else {
                rest = open.rest;
                continue;
            };
            self.put_text();
            rest = self.inside_tag(tag, open.rest, trim, open.opens_line);
            starts_line =
                template.len() == rest.len() || template[..template.len() - rest.len()].ends_with('\n');
        }
    }

    /// Takes text up to the next tag; `None` at the end of the template.
    fn text_before_tag<'t>(
        &mut self,
        rest: &'t str,
        trim: Trim,
        starts_line: &mut bool,
    ) -> Option<Opening<'t>> {
        let line_end = if trim.percent { rest.find('\n').map(|at| at + 1) } else { None };
        let tag_at = rest.find("<%");
        if let Some(end) = line_end
            && tag_at.is_none_or(|at| at >= end)
        {
            self.text.push_str(&rest[..end]);
            *starts_line = true;
            return Some(Opening { tag: None, rest: &rest[end..], opens_line: false, at_line_percent: true });
        }
        let Some(at) = tag_at else {
            self.text.push_str(rest);
            return None;
        };
        let (before, tag) = rest.split_at(at);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let opens_line = before[line_start..].is_empty() && (line_start > 0 || *starts_line)
            || self.line_opened && !before.contains('\n');
        if let Some(rest) = tag.strip_prefix("<%%") {
            self.text.push_str(before);
            self.text.push_str("<%");
            *starts_line = false;
            return Some(Opening { tag: None, rest, opens_line: false, at_line_percent: false });
        }
        // Ruby's scanner takes the place behind a tag for the start of a line, unless it goes line by line.
        let blank_before = (line_start > 0 || *starts_line || !trim.percent)
            && before[line_start..].bytes().all(|b| matches!(b, b' ' | b'\t'));
        let strip = trim.explicit && tag.starts_with("<%-");
        self.text.push_str(if strip && blank_before { &before[..line_start] } else { before });
        let (kind, length) = match tag.as_bytes().get(2) {
            Some(b'=') => (Tag::Output, 3),
            Some(b'#') => (Tag::Comment, 3),
            Some(b'-') if trim.explicit => (Tag::Code, 3),
            _ => (Tag::Code, 2),
        };
        Some(Opening { tag: Some(kind), rest: &tag[length..], opens_line, at_line_percent: false })
    }

    /// Takes the code of a tag; what comes after it is returned.
    fn inside_tag<'t>(&mut self, tag: Tag, mut rest: &'t str, trim: Trim, opens_line: bool) -> &'t str {
        let mut code = String::new();
        let mut parts: Vec<CopiedPart> = Vec::new();
        loop {
            let template = self.length - rest.len();
            let mut take = |code: &mut String, part: &str| {
                parts.push(CopiedPart { code: code.len(), template, length: part.len() });
                code.push_str(part);
            };
            let Some(at) = rest.find("%>") else {
                // The content of a tag that is not closed is text.
                self.text = code + rest;
                return "";
            };
            if rest[..at].ends_with('%') {
                take(&mut code, &rest[..at - 1]);
                code.push_str("%>");
                rest = &rest[at + 2..];
                continue;
            }
            let explicit = trim.explicit && rest[..at].ends_with('-');
            take(&mut code, &rest[..at - usize::from(explicit)]);
            self.line_opened = opens_line && !code.contains('\n');
            self.tag(tag, &code, &parts);
            rest = &rest[at + 2..];
            if explicit || trim.after_tag || (trim.whole_line && self.line_opened) {
                let after = rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n"));
                if let Some(after) = after {
                    self.end_line();
                    self.line_opened = false;
                    rest = after;
                }
            }
            return rest;
        }
    }
}

/// Where a search for a tag ended.
struct Opening<'t> {
    /// The tag that was found.
    tag: Option<Tag>,
    /// The text after it.
    rest: &'t str,
    /// Whether it is the first thing on its line.
    opens_line: bool,
    /// Whether a line ended, where `%` lines have to be looked for.
    at_line_percent: bool,
}
