//! The construct around the cursor, in a text that may be incomplete.
//!
//! The tree of an incomplete text has lost what matters here, so the text is scanned up to the cursor: strings, comments and brackets.

/// A bracket that is open at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// `(`, `[`, `{` or `|`.
    pub open: char,
    /// Its offset.
    pub at: usize,
}

/// The cursor and the text before it.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    /// The text before the cursor.
    pub before: &'t str,
    /// The open brackets, the innermost last.
    pub brackets: Vec<Bracket>,
    /// The offset of the quote of the string that the cursor is in, and the quote.
    pub string: Option<(usize, char)>,
    /// Whether it is in a comment.
    pub in_comment: bool,
    /// The last part of the text that belongs to the word at the cursor.
    pub word: &'t str,
}

/// Whether a character is part of a name.
pub fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | ':')
}

impl<'t> Cursor<'t> {
    /// The cursor in a manifest, or in the code of a template if `is_template`.
    pub fn new(text: &'t str, offset: usize, is_template: bool) -> Cursor<'t> {
        let before = text.get(..offset).unwrap_or(text);
        let mut scan = Scan { text: before, at: 0, brackets: Vec::new(), string: None, in_comment: false };
        scan.run(is_template);
        let start = before.trim_end_matches(is_part).len();
        let Scan { brackets, string, in_comment, .. } = scan;
        Cursor { before, brackets, string, in_comment, word: &before[start..] }
    }

    /// The text before the word.
    pub fn head(&self) -> &'t str {
        &self.before[..self.before.len() - self.word.len()]
    }

    /// The text of the string before the cursor.
    pub fn string_text(&self) -> Option<&'t str> {
        self.string.map(|(at, quote)| &self.before[at + quote.len_utf8()..])
    }

    /// The innermost open brace and the text before it.
    pub fn brace(&self) -> Option<(usize, &'t str)> {
        let bracket = self.brackets.iter().rev().find(|bracket| bracket.open == '{')?;
        Some((bracket.at, self.before[..bracket.at].trim_end()))
    }

    /// The type and the text of the resource body that the cursor is in.
    pub fn resource(&self) -> Option<ResourceBody<'t>> {
        let bracket = *self.brackets.last()?;
        if bracket.open != '{' {
            return None;
        }
        let head = self.before[..bracket.at].trim_end();
        let start = head.trim_end_matches(is_part).len();
        let kind = &head[start..];
        let inside = &self.before[bracket.at + 1..];
        // The body after the last semicolon.
        let body = split_outside(inside, ';').last().copied().unwrap_or(inside);
        if let Some(reference) = head.strip_suffix(']') {
            // An override, `Type['title'] { … }`.
            let open = reference.rfind('[')?;
            let name = &reference[..open];
            let start = name.trim_end_matches(is_part).len();
            let kind = name[start..].to_lowercase();
            return Some(ResourceBody { kind, title: None, attributes: body });
        }
        if kind.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Some(ResourceBody { kind: kind.to_lowercase(), title: None, attributes: body });
        }
        let is_name = kind.starts_with(|c: char| c.is_ascii_lowercase() || c == ':');
        let is_keyword = matches!(kind, "else" | "default" | "true" | "false" | "undef");
        let colon = title_colon(body);
        if !is_name || is_keyword || is_condition(&head[..start]) {
            return None;
        }
        let (title, attributes) = (&body[..colon?], &body[colon? + 1..]);
        Some(ResourceBody {
            kind: kind.trim_start_matches("::").to_owned(),
            title: Some(title.trim()),
            attributes,
        })
    }

    /// The last word before the word at the cursor, on the same line or above.
    pub fn previous_word(&self) -> &'t str {
        let head = self.head().trim_end();
        let start = head.trim_end_matches(is_part).len();
        &head[start..]
    }

    /// Whether a new statement may begin at the cursor.
    pub fn begins_statement(&self) -> bool {
        let head = self.head();
        let line = head.rsplit('\n').next().unwrap_or(head);
        line.trim().is_empty() || line.trim_end().ends_with(['{', '}', ';'])
    }
}

/// The body of a resource up to the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceBody<'t> {
    /// The resource type in lower case.
    pub kind: String,
    /// The title as written; none for defaults and overrides.
    pub title: Option<&'t str>,
    /// The attributes up to the cursor.
    pub attributes: &'t str,
}

impl<'t> ResourceBody<'t> {
    /// The names of the attributes that are there already.
    pub fn names(&self) -> Vec<&'t str> {
        let parts = split_outside(self.attributes, ',');
        let names = parts.into_iter().filter_map(|part| part.split_once("=>")).map(|(name, _)| name.trim());
        names.map(|name| name.trim_end_matches('+').trim()).collect()
    }

    /// The name of the attribute whose value the cursor is in.
    pub fn value_of(&self) -> Option<&'t str> {
        let part = split_outside(self.attributes, ',').last().copied()?;
        part.split_once("=>").map(|(name, _)| name.trim())
    }
}

/// Whether a brace after this text belongs to a condition or a definition.
fn is_condition(head: &str) -> bool {
    let line = head.rsplit(['\n', ';']).next().unwrap_or(head).trim_start();
    let first = line.trim_start_matches(['}', ' ']).split_whitespace().next().unwrap_or_default();
    matches!(first, "if" | "unless" | "elsif" | "case" | "class" | "define" | "node" | "function" | "plan")
        && !line.trim_end().ends_with("class {")
}

/// The place of the colon after a title; not one of `::`.
fn title_colon(body: &str) -> Option<usize> {
    let bytes = body.as_bytes();
    let mut quote = None;
    let mut depth = 0;
    for (at, c) in body.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open && !body[..at].ends_with('\\') => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(' | '{') => depth += 1,
            (None, ']' | ')' | '}') => depth -= 1,
            (None, ':') if depth == 0 => {
                let is_double = bytes.get(at + 1) == Some(&b':') || at > 0 && bytes[at - 1] == b':';
                if !is_double {
                    return Some(at);
                }
            }
            (None, _) => {}
        }
    }
    None
}

/// The parts of a text between separators that are in no string and no bracket.
pub fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0i32, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open && !text[..at].ends_with('\\') => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(' | '{') => depth += 1,
            (None, ']' | ')' | '}') => depth -= 1,
            (None, c) if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            (None, _) => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    brackets: Vec<Bracket>,
    string: Option<(usize, char)>,
    in_comment: bool,
}

impl Scan<'_> {
    fn run(&mut self, is_template: bool) {
        if is_template {
            // Only the code after the last mark counts.
            let open = self.text.rfind("<%").map(|at| at + 2);
            let close = self.text.rfind("%>").map_or(0, |at| at + 2);
            match open.filter(|open| *open > close) {
                Some(open) => self.at = open,
                None => {
                    self.in_comment = true;
                    return;
                }
            }
        }
        while let Some(c) = self.text[self.at..].chars().next() {
            let rest = &self.text[self.at..];
            match c {
                '#' => {
                    let Some(end) = rest.find('\n') else {
                        self.in_comment = true;
                        return;
                    };
                    self.at += end;
                }
                '/' if rest.starts_with("/*") => {
                    let Some(end) = rest.find("*/") else {
                        self.in_comment = true;
                        return;
                    };
                    self.at += end + 1;
                }
                '/' if self.begins_regex() => {
                    let line = rest[1..].split('\n').next().unwrap_or_default();
                    let end =
                        line.match_indices('/').map(|(at, _)| at).find(|at| !line[..*at].ends_with('\\'));
                    self.at += end.map_or(0, |end| end + 1);
                }
                '\'' | '"' => {
                    if !self.string(c) {
                        return;
                    }
                    continue;
                }
                '(' | '[' | '{' => self.brackets.push(Bracket { open: c, at: self.at }),
                ')' | ']' | '}' => {
                    self.brackets.pop();
                }
                _ => {}
            }
            self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        }
    }

    fn begins_regex(&self) -> bool {
        let before = self.text[..self.at].trim_end();
        before.ends_with(['~', ',', '{', '(', '[', '|']) || before.ends_with("=>")
    }

    /// Skips a string; reports whether it ends before the cursor.
    fn string(&mut self, quote: char) -> bool {
        let start = self.at;
        let mut at = start + 1;
        let bytes = self.text.as_bytes();
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 1,
                b'$' if quote == '"' && bytes.get(at + 1) == Some(&b'{') => {
                    let mut inner = Scan {
                        text: self.text,
                        at: at + 2,
                        brackets: Vec::new(),
                        string: None,
                        in_comment: false,
                    };
                    match inner.interpolation() {
                        Some(end) => at = end,
                        None => {
                            // The cursor is in the expression.
                            self.brackets.push(Bracket { open: '{', at: at + 1 });
                            self.brackets.append(&mut inner.brackets);
                            self.string = inner.string;
                            return false;
                        }
                    }
                }
                byte if byte == quote as u8 => {
                    self.at = at + 1;
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        self.string = Some((start, quote));
        false
    }

    /// Scans the expression of an interpolation; the offset of its closing brace, if it comes before the cursor.
    fn interpolation(&mut self) -> Option<usize> {
        while let Some(c) = self.text[self.at..].chars().next() {
            match c {
                '}' if self.brackets.is_empty() => return Some(self.at),
                '\'' | '"' => {
                    if !self.string(c) {
                        return None;
                    }
                    continue;
                }
                '(' | '[' | '{' => self.brackets.push(Bracket { open: c, at: self.at }),
                ')' | ']' | '}' => {
                    self.brackets.pop();
                }
                _ => {}
            }
            self.at += c.len_utf8();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(text: &str) -> Cursor<'_> {
        Cursor::new(text, text.len(), false)
    }

    #[test]
    fn attributes_of_a_resource() {
        let resource = cursor("class a {\n  file { '/x': ensure => file,\n  mo").resource().unwrap();
        assert_eq!((resource.kind.as_str(), resource.title), ("file", Some("'/x'")));
        assert_eq!(resource.names(), ["ensure"]);
        assert_eq!(resource.value_of(), None);
        let resource = cursor("a::b { \"x${y}\": port => ").resource().unwrap();
        assert_eq!((resource.kind.as_str(), resource.value_of()), ("a::b", Some("port")));
        let second = cursor("a { 'x': b => 1; 'y': c => 2, ").resource().unwrap();
        assert_eq!((second.title.unwrap(), second.names()), ("'y'", vec!["c"]));
        assert_eq!(cursor("class { 'a::b': ").resource().unwrap().kind, "class");
        assert_eq!(cursor("File['/x'] { ").resource().unwrap().kind, "file");
        assert_eq!(cursor("if $a { b").resource(), None);
        assert_eq!(cursor("class a { b").resource(), None);
    }

    #[test]
    fn strings_and_comments() {
        assert_eq!(cursor("include 'a::").string_text(), Some("a::"));
        assert_eq!(cursor("$x = \"a ${fo").string_text(), None);
        assert_eq!(cursor("$x = \"a ${fo").word, "fo");
        assert_eq!(cursor("$x = \"a ${facts['o").string_text(), Some("o"));
        assert!(cursor("# include ").in_comment && !cursor("# x\n").in_comment);
        assert_eq!(cursor("if $a =~ /'/ { 'b").string_text(), Some("b"));
        assert!(Cursor::new("text", 4, true).in_comment);
        assert_eq!(Cursor::new("text <%= $a", 11, true).word, "a");
    }
}
