//! Documentation comments: the text, and the tags in it.
//!
//! A line that begins with `@name` begins a tag; the lines after it that are indented belong to it. YARD, the reader that puppet-strings
//! is built on, defines the details, and people's comments rely on them.

use super::tag::{self, Tag};

/// A documentation comment.
#[derive(Clone, Debug, Default)]
pub struct Docstring {
    /// The text before, between and after the tags.
    pub text: String,
    /// The tags in the order of the comment.
    pub tags: Vec<Tag>,
    /// The directives: `@!name` and what follows.
    pub directives: Vec<Directive>,
    /// Tags that cannot be read.
    pub faults: Vec<Fault>,
    /// The line of the file that the comment begins on, from one.
    pub line: u32,
}

/// A directive, such as `@!puppet.type.param [one, two] name The text`.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Its name, without `@!`.
    pub name: String,
    /// The rest of it.
    pub text: String,
}

/// A tag that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name of the tag.
    pub name: String,
    /// Its line in the comment, from zero.
    pub line: u32,
    /// Whether no tag of that name exists, or its text has the wrong form.
    pub is_unknown: bool,
}

impl Docstring {
    /// Reads a comment that begins on a line of its file.
    pub fn read(content: &str, line: u32) -> Docstring {
        let mut docstring = Docstring { line, ..Docstring::default() };
        let mut reader = Reader::default();
        // A reference to the comment of something else takes the place of the first words.
        let body = reference(content).unwrap_or(content);
        // Ruby's `split` leaves out empty lines at the end.
        let mut lines: Vec<&str> =
            body.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let skipped = content[..content.len() - body.len()].matches('\n').count() as u32;
        for (at, line) in lines.iter().enumerate() {
            reader.line(line, skipped + at as u32, &mut docstring);
        }
        reader.end_tag(&mut docstring);
        docstring.text = strip(&reader.text).to_owned();
        docstring
    }

    /// Whether there is neither a text nor a tag.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.tags.is_empty()
    }

    /// The tags by name, those of one name in their order.
    pub fn sorted_tags(&self) -> Vec<&Tag> {
        let mut tags: Vec<&Tag> = self.tags.iter().collect();
        tags.sort_by(|a, b| a.name.cmp(&b.name));
        tags
    }

    /// The tags of a name.
    pub fn named<'d>(&'d self, name: &'d str) -> impl Iterator<Item = &'d Tag> {
        self.tags.iter().filter(move |tag| tag.name == name)
    }

    /// Whether there is a tag of a name.
    pub fn has(&self, name: &str) -> bool {
        self.named(name).next().is_some()
    }

    /// The first text of a tag that is not empty.
    pub fn tag_text(&self, name: &str) -> Option<&str> {
        let tags = self.tags.iter().filter(|tag| tag.name == name);
        tags.filter_map(|tag| tag.text.as_deref()).find(|text| !text.is_empty())
    }

    /// Whether it says `@api private`.
    pub fn is_private(&self) -> bool {
        self.named("api").any(|tag| tag.text.as_deref() == Some("private"))
    }

    /// The description of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&Tag> {
        self.named("param").find(|tag| tag.subject.as_deref() == Some(name))
    }

    pub(super) fn parameter_mut(&mut self, name: &str) -> Option<&mut Tag> {
        self.tags.iter_mut().find(|tag| tag.name == "param" && tag.subject.as_deref() == Some(name))
    }

    /// The line of the file that a line of the comment is on.
    pub fn line_of(&self, line: u32) -> u32 {
        self.line + line
    }
}

/// The comment after `(see NAME)` at its beginning.
fn reference(content: &str) -> Option<&str> {
    let rest = content.trim_start().strip_prefix("(see ")?;
    let (name, rest) = rest.split_once(')')?;
    let is_name = !name.trim().is_empty() && !name.trim().contains(char::is_whitespace);
    (is_name && (rest.is_empty() || rest.starts_with(char::is_whitespace))).then_some(rest)
}

/// A text without the whitespace around it, as Ruby's `strip` sees it.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space).trim_end_matches(|c| is_space(c) || c == '\0')
}

/// Whether a character is whitespace to Ruby.
pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Directives that need no `!`.
const BARE_DIRECTIVES: &[&str] =
    &["attribute", "endgroup", "group", "macro", "method", "scope", "visibility"];

/// Directives that exist.
const DIRECTIVES: &[&str] = &[
    "attribute",
    "endgroup",
    "group",
    "macro",
    "method",
    "parse",
    "scope",
    "visibility",
    "puppet.type.param",
    "puppet.type.property",
];

#[derive(Default)]
struct Reader {
    text: String,
    tag: Option<OpenTag>,
    last_indent: usize,
    last_is_blank: bool,
}

struct OpenTag {
    name: String,
    is_directive: bool,
    line: u32,
    /// The indentation of the lines that belong to it; zero until the first of them.
    indent: usize,
    lines: Vec<String>,
}

impl Reader {
    fn line(&mut self, line: &str, at: u32, docstring: &mut Docstring) {
        let indent = line.chars().take_while(|c| is_space(*c)).count();
        let is_blank = line.chars().all(is_space);
        let head = head(line);
        if let Some(tag) = &self.tag {
            let is_outside = !is_blank && (indent < tag.indent || indent == 0);
            if is_outside || (indent <= self.last_indent && head.is_some()) {
                self.end_tag(docstring);
            }
        }
        if let Some((is_directive, name, rest)) = head {
            // A tag in the text of another one takes its place.
            self.tag = Some(OpenTag {
                name: name.to_owned(),
                is_directive,
                line: at,
                indent: 0,
                lines: vec![rest.to_owned()],
            });
        } else if let Some(tag) = &mut self.tag {
            if indent >= tag.indent && !is_blank {
                if tag.indent == 0 {
                    tag.indent = indent;
                }
                if self.last_is_blank {
                    tag.lines.push(String::new());
                }
                tag.lines.push(dedent(line, tag.indent).to_owned());
            }
        } else {
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.last_indent = indent;
        self.last_is_blank = line.chars().all(|c| matches!(c, ' ' | '\t'));
    }

    fn end_tag(&mut self, docstring: &mut Docstring) {
        let Some(tag) = self.tag.take() else { return };
        let text = tag.lines.join("\n");
        let fault = |is_unknown| Fault { name: tag.name.clone(), line: tag.line, is_unknown };
        if tag.is_directive || BARE_DIRECTIVES.contains(&tag.name.as_str()) {
            if DIRECTIVES.contains(&tag.name.as_str()) {
                docstring.directives.push(Directive { name: tag.name, text });
            } else {
                docstring.faults.push(fault(true));
            }
            return;
        }
        if is_reference(&text) {
            return;
        }
        match tag::read(&tag.name, &text, tag.line) {
            Some(Ok(read)) => docstring.tags.push(read),
            Some(Err(tag::Malformed)) => docstring.faults.push(fault(false)),
            None => docstring.faults.push(fault(true)),
        }
    }
}

/// Whether the text of a tag refers to the tags of something else: `(see NAME)`, after a name or not.
fn is_reference(text: &str) -> bool {
    let text = strip(text);
    let Some(open) = text.find('(') else { return false };
    let (before, inside) = text.split_at(open);
    let inside = inside.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).map(strip);
    let name = inside.and_then(|inside| inside.strip_prefix("see")).filter(|rest| rest.starts_with(is_space));
    name.is_some_and(|name| !strip(name).is_empty() && !strip(name).contains(is_space))
        && (before.is_empty() || before.ends_with(is_space) && !strip(before).contains(is_space))
}

/// The parts of a line that begins a tag: whether it is a directive, the name, and the rest.
fn head(line: &str) -> Option<(bool, &str, &str)> {
    let rest = line.strip_prefix('@')?;
    let (is_directive, rest) = match rest.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let is_name = name.starts_with(is_word) && !name.contains("..");
    let is_ended = rest.is_empty() || rest.starts_with(is_space);
    (is_name && is_ended).then(|| (is_directive, name, rest.trim_start_matches(is_space)))
}

/// A line without that many blanks at its beginning; as it is if it has fewer.
fn dedent(line: &str, indent: usize) -> &str {
    let is_deep = line.bytes().take(indent).filter(|b| matches!(b, b' ' | b'\t')).count() == indent;
    if is_deep { &line[indent..] } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> Vec<(String, Option<String>, Option<String>)> {
        let read = Docstring::read(text, 1);
        read.tags.into_iter().map(|tag| (tag.name, tag.subject, tag.text)).collect()
    }

    fn tag(
        name: &str,
        subject: Option<&str>,
        text: Option<&str>,
    ) -> (String, Option<String>, Option<String>) {
        (name.into(), subject.map(Into::into), text.map(Into::into))
    }

    #[test]
    fn indented_lines_belong_to_a_tag() {
        let text = "One.\n@param a The a\n  goes on\n\n\n    deeper\nTwo.\n@param b\n  The b\n";
        assert_eq!(
            tags(text),
            [
                tag("param", Some("a"), Some("The a\ngoes on\n\n  deeper")),
                tag("param", Some("b"), Some("The b")),
            ]
        );
        assert_eq!(Docstring::read(text, 1).text, "One.\nTwo.");
    }

    #[test]
    fn examples_keep_their_code() {
        let text = "@example  A   title \n\n  class { 'a':\n    b => 1,\n  }\n@example\n  x";
        assert_eq!(
            tags(text),
            [
                tag("example", Some("A title"), Some("\nclass { 'a':\n  b => 1,\n}")),
                tag("example", Some(""), Some("x")),
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_tag_is_text() {
        let text = "a@b.c\n@param[String] x\n @indented\n@see: this";
        let read = Docstring::read(text, 1);
        assert!(read.tags.is_empty() && read.faults.is_empty());
        assert_eq!(read.text, text);
    }

    #[test]
    fn unknown_and_malformed_tags_are_faults() {
        let read = Docstring::read("@foo bar\n@example\n@return x [String]\n@!nothing", 1);
        assert!(read.tags.is_empty());
        let faults: Vec<(&str, u32, bool)> =
            read.faults.iter().map(|fault| (fault.name.as_str(), fault.line, fault.is_unknown)).collect();
        assert_eq!(
            faults,
            [("foo", 0, true), ("example", 1, false), ("return", 2, false), ("nothing", 3, true)]
        );
    }

    #[test]
    fn references_take_nothing_along() {
        let read =
            Docstring::read("(see other)\n@param (see other)\n@param x (see other)\n@param y (see it)s", 1);
        assert_eq!((read.text.as_str(), read.tags.len()), ("", 1));
    }
}
