//! From Ruby's pattern syntax to a tree, with Ruby's words for what is wrong.

mod refer;
mod repeat;

use std::sync::Arc;

use super::fold::{self, Folded};
use super::set::Set;
use super::tree::{Boundary, Condition, Look, Node, Pattern};
use super::unicode::{self, Letters};
use super::{Encoding, Options, check};
use crate::Str;

/// Why a pattern is refused.
pub(super) type Refusal = std::borrow::Cow<'static, str>;
pub(super) type Parsed<T> = Result<T, Refusal>;

/// How deep groups, classes and repetitions may nest.
const MAX_DEPTH: usize = 250;
/// Ruby's largest count in `{n,m}`.
const MAX_REPEAT: u32 = 100_000;
/// Ruby's largest number of groups.
const MAX_GROUPS: usize = 32_767;
/// The largest group a plain number refers to.
const MAX_BACKREF: usize = 1000;

/// Reads a pattern of which the escapes have been replaced.
pub(super) fn parse(codes: &[u32], options: Options, encoding: Encoding) -> Parsed<Pattern> {
    let mut parser = Parser::new(codes, options, encoding);
    let root = parser.alternatives(0)?;
    if parser.at < codes.len() {
        return Err("unmatched close parenthesis".into());
    }
    let expands = parser.expands && !parser.properties;
    Ok(Pattern { expands, ..check::finish(root, parser.groups, parser.calls, parser.numbered)? })
}

#[derive(Clone, Copy)]
pub(super) struct Flags {
    pub ignore_case: bool,
    pub newline: bool,
    pub extended: bool,
    pub letters: Letters,
}

/// A call of a group, resolved once all groups are known.
pub(super) struct Call {
    /// As written, for messages.
    pub name: Str,
    /// By number; 0 is the whole pattern.
    pub number: Option<usize>,
}

pub(super) struct Parser<'s> {
    pub codes: &'s [u32],
    pub at: usize,
    pub flags: Flags,
    pub encoding: Encoding,
    /// The groups so far with their names.
    groups: Vec<Option<Str>>,
    /// By group: whether its end has been read.
    closed: Vec<bool>,
    calls: Vec<Call>,
    /// Whether a group is mentioned by its number.
    numbered: bool,
    /// Whether a class matches texts of several characters.
    expands: bool,
    /// Whether a property is named.
    properties: bool,
}

/// A number or a name in `\k<...>`, `\g<...>` and `(?<...>`.
enum Reference {
    Number(i64),
    Name(Str),
}

impl<'s> Parser<'s> {
    pub fn new(codes: &'s [u32], options: Options, encoding: Encoding) -> Self {
        Parser {
            codes,
            at: 0,
            flags: Flags {
                ignore_case: options.ignore_case,
                newline: options.multiline,
                extended: options.extended,
                letters: Letters::Default,
            },
            encoding,
            groups: Vec::new(),
            closed: Vec::new(),
            calls: Vec::new(),
            numbered: false,
            expands: false,
            properties: false,
        }
    }

    pub fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub fn peek_at(&self, ahead: usize) -> Option<char> {
        // Bytes that are not a character are not syntax either.
        self.codes.get(self.at + ahead).map(|&code| char::from_u32(code).unwrap_or('\u{fffd}'))
    }

    pub fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    pub fn text(&self, start: usize, end: usize) -> String {
        let codes = self.codes.get(start..end.min(self.codes.len())).unwrap_or_default();
        if self.encoding == Encoding::Binary {
            let bytes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        codes.iter().filter_map(|&code| char::from_u32(code)).collect()
    }

    pub fn binary(&self) -> bool {
        self.encoding == Encoding::Binary
    }

    /// Steps over comments, and over blanks where these do not count.
    fn skip_ignored(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                Some('(') if self.peek_at(1) == Some('?') && self.peek_at(2) == Some('#') => {
                    self.at += 3;
                    loop {
                        match self.peek() {
                            None => return Err("end pattern in group".into()),
                            Some(')') => break,
                            Some('\\') => self.at += 2,
                            Some(_) => self.at += 1,
                        }
                    }
                    self.at += 1;
                }
                Some('#') if self.flags.extended => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                    self.at += usize::from(self.peek().is_some());
                }
                Some(' ' | '\t' | '\n' | '\r' | '\x0c') if self.flags.extended => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    /// Alternatives up to the end or a closing parenthesis, which is left for the caller.
    fn alternatives(&mut self, depth: usize) -> Parsed<Node> {
        if depth > MAX_DEPTH {
            return Err("parse depth limit over".into());
        }
        let mut choices = vec![self.branch(depth)?];
        while self.eat('|') {
            choices.push(self.branch(depth)?);
        }
        Ok(if choices.len() == 1 { choices.remove(0) } else { Node::Choice(choices) })
    }

    fn branch(&mut self, depth: usize) -> Parsed<Node> {
        let mut nodes = Vec::new();
        loop {
            self.skip_ignored()?;
            match self.peek() {
                None | Some('|' | ')') => break,
                Some(_) => self.expression(depth, &mut nodes)?,
            }
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Sequence(nodes),
        })
    }

    /// One item with its repetitions.
    fn expression(&mut self, depth: usize, nodes: &mut Vec<Node>) -> Parsed<()> {
        let Some(c) = self.peek() else { return Ok(()) };
        let item = match c {
            '(' => {
                self.at += 1;
                match self.group(depth + 1)? {
                    Grouping::Whole(node) => Item::Node(node),
                    Grouping::Rest(node) => {
                        nodes.push(node);
                        return Ok(());
                    }
                }
            }
            '*' | '+' | '?' => return Err("target of repeat operator is not specified".into()),
            '{' if self.interval()?.is_some() => {
                return Err("target of repeat operator is not specified".into());
            }
            '[' => {
                self.at += 1;
                match self.bracket_node(depth)? {
                    Ok(node) => Item::Node(node),
                    Err(code) => self.run(vec![code])?,
                }
            }
            '.' => {
                self.at += 1;
                Item::Node(Node::Any { newline: self.flags.newline })
            }
            '^' => self.place(1, Boundary::LineStart),
            '$' => self.place(1, Boundary::LineEnd),
            '\\' => self.escape(depth)?,
            _ => self.run(Vec::new())?,
        };
        self.repetitions(item, depth, nodes)
    }

    fn place(&mut self, length: usize, place: Boundary) -> Item {
        self.at += length;
        Item::Node(Node::At(place))
    }

    /// The character of the next item if it is one, with the length of its spelling.
    fn plain_ahead(&mut self) -> Parsed<Option<(u32, usize)>> {
        let (Some(c), Some(&code)) = (self.peek(), self.codes.get(self.at)) else { return Ok(None) };
        Ok(match c {
            '(' | ')' | '|' | '*' | '+' | '?' | '[' | '.' | '^' | '$' => None,
            '{' => {
                let start = self.at;
                let interval = self.interval()?;
                self.at = start;
                interval.is_none().then_some((code, 1))
            }
            '\\' => {
                let (Some(c), Some(&code)) = (self.peek_at(1), self.codes.get(self.at + 1)) else {
                    return Err("end pattern at escape".into());
                };
                let braced = matches!(self.peek_at(2), Some('<' | '\''));
                match c {
                    'w'
                    | 'W'
                    | 'd'
                    | 'D'
                    | 's'
                    | 'S'
                    | 'h'
                    | 'H'
                    | 'b'
                    | 'B'
                    | 'A'
                    | 'Z'
                    | 'z'
                    | 'G'
                    | 'R'
                    | 'X'
                    | 'K'
                    | 'x'
                    | '0'..='9' => None,
                    'p' | 'P' if self.peek_at(2) == Some('{') => None,
                    'k' | 'g' if braced => None,
                    _ => Some((control(c).unwrap_or(code), 2)),
                }
            }
            _ => Some((code, 1)),
        })
    }

    /// A run of plain characters, which are compared as one text.
    fn run(&mut self, mut text: Vec<u32>) -> Parsed<Item> {
        loop {
            if !text.is_empty() {
                self.skip_ignored()?;
            }
            let Some((code, length)) = self.plain_ahead()? else { break };
            text.push(code);
            self.at += length;
        }
        Ok(Item::Run(text))
    }

    fn literal(&self, text: Vec<u32>) -> Node {
        if text.is_empty() {
            return Node::Empty;
        }
        if self.flags.ignore_case {
            let folded = Folded::new(&text, self.binary());
            if !folded.is_plain() {
                return Node::Folded(Arc::new(folded));
            }
        }
        Node::Text(text)
    }

    /// A group from just after its `(`.
    fn group(&mut self, depth: usize) -> Parsed<Grouping> {
        if self.at >= self.codes.len() {
            return Err("end pattern with unmatched parenthesis".into());
        }
        if !self.eat('?') {
            let number = self.open(None)?;
            return self.capture(number, depth);
        }
        let Some(c) = self.peek() else { return Err("end pattern in group".into()) };
        self.at += 1;
        let look =
            |node, negative, behind| Grouping::Whole(Node::Look(Box::new(Look { node, negative, behind })));
        Ok(match c {
            ':' => Grouping::Whole(self.inside(depth)?),
            '=' => look(self.inside(depth)?, false, None),
            '!' => look(self.inside(depth)?, true, None),
            '>' => Grouping::Whole(Node::Atomic(Box::new(self.inside(depth)?))),
            '~' => Grouping::Whole(Node::Absent(Box::new(self.inside(depth)?))),
            '\'' => self.named('\'', depth)?,
            '<' => {
                let Some(c) = self.peek() else {
                    return Err("end pattern with unmatched parenthesis".into());
                };
                match c {
                    '=' | '!' => {
                        self.at += 1;
                        // How far back is counted when all groups are known.
                        look(self.inside(depth)?, c == '!', Some(0))
                    }
                    _ => self.named('>', depth)?,
                }
            }
            '(' => self.condition(depth)?,
            '-' | 'i' | 'm' | 'x' | 'a' | 'd' | 'u' => {
                self.at -= 1;
                self.options(depth)?
            }
            _ => return Err("undefined group option".into()),
        })
    }

    fn open(&mut self, name: Option<Str>) -> Parsed<usize> {
        if self.groups.len() >= MAX_GROUPS {
            return Err("too many capture groups are specified".into());
        }
        self.groups.push(name);
        self.closed.push(false);
        Ok(self.groups.len())
    }

    fn capture(&mut self, number: usize, depth: usize) -> Parsed<Grouping> {
        let inside = self.inside(depth)?;
        self.closed[number - 1] = true;
        Ok(Grouping::Whole(Node::Group(number, Box::new(inside))))
    }

    fn inside(&mut self, depth: usize) -> Parsed<Node> {
        let outer = self.flags;
        let node = self.alternatives(depth)?;
        self.flags = outer;
        if !self.eat(')') {
            return Err("end pattern with unmatched parenthesis".into());
        }
        Ok(node)
    }

    fn named(&mut self, end: char, depth: usize) -> Parsed<Grouping> {
        let Reference::Name(name) = self.reference(end, false)? else {
            return Err("group name is empty".into());
        };
        let number = self.open(Some(name))?;
        self.capture(number, depth)
    }

    /// `(?i-mx)` for the rest of the group, `(?i-mx:...)` for its own.
    fn options(&mut self, depth: usize) -> Parsed<Grouping> {
        let outer = self.flags;
        let mut flags = outer;
        let mut on = true;
        loop {
            let Some(c) = self.peek() else { return Err("end pattern in group".into()) };
            self.at += 1;
            match c {
                '-' => on = false,
                'i' => flags.ignore_case = on,
                'm' => flags.newline = on,
                'x' => flags.extended = on,
                'a' if on => flags.letters = Letters::Ascii,
                'u' if on => flags.letters = Letters::Unicode,
                'd' if on => flags.letters = Letters::Default,
                ':' => {
                    self.flags = flags;
                    let node = self.inside(depth)?;
                    self.flags = outer;
                    return Ok(Grouping::Whole(isolated(node)));
                }
                ')' => {
                    self.flags = flags;
                    let node = self.alternatives(depth)?;
                    self.flags = outer;
                    return Ok(Grouping::Rest(isolated(node)));
                }
                _ => return Err("undefined group option".into()),
            }
        }
    }

    /// `(?(1)yes|no)` and `(?(<name>)yes|no)`, from after the inner parenthesis.
    fn condition(&mut self, depth: usize) -> Parsed<Grouping> {
        let mut numbered = false;
        let group = match self.peek() {
            None => return Err("undefined group option".into()),
            Some('0'..='9') => {
                let Reference::Number(number) = self.reference(')', true)? else {
                    return Err("invalid conditional pattern".into());
                };
                numbered = true;
                number as usize
            }
            Some(quote @ ('<' | '\'')) => {
                self.at += 1;
                let end = if quote == '<' { '>' } else { '\'' };
                let groups = self.mentioned(end)?.0;
                if !self.eat(')') {
                    return Err("undefined group option".into());
                }
                groups.last().copied().unwrap_or(0)
            }
            Some(_) => return Err("invalid conditional pattern".into()),
        };
        let mut choices = match self.inside(depth)? {
            Node::Choice(choices) => choices,
            yes => vec![yes, Node::Empty],
        };
        let branches = choices.len();
        let no = choices.remove(1);
        let yes = choices.swap_remove(0);
        Ok(Grouping::Whole(Node::Condition(Box::new(Condition { group, numbered, branches, yes, no }))))
    }

    /// An item that starts with a backslash.
    fn escape(&mut self, depth: usize) -> Parsed<Item> {
        let Some(c) = self.peek_at(1) else { return Err("end pattern at escape".into()) };
        let word = |parser: &mut Self, boundary| {
            let ascii = parser.flags.letters == Letters::Ascii || parser.binary();
            parser.place(2, Boundary::Word { ascii, boundary })
        };
        Ok(match c {
            'w' | 'W' | 'd' | 'D' | 's' | 'S' | 'h' | 'H' => {
                self.at += 2;
                Item::Node(Node::Set(Arc::new(self.letter(c))))
            }
            'b' => word(self, true),
            'B' => word(self, false),
            'A' => self.place(2, Boundary::TextStart),
            'Z' => self.place(2, Boundary::TextEndOrNewline),
            'z' => self.place(2, Boundary::TextEnd),
            'G' => self.place(2, Boundary::SearchStart),
            'K' => {
                self.at += 2;
                Item::Node(Node::Keep)
            }
            'R' => {
                self.at += 2;
                let mut breaks = Set::of([(0x0a, 0x0d)]);
                if !self.binary() {
                    breaks.add(0x85, 0x85);
                    breaks.add(0x2028, 0x2029);
                }
                let pair = Node::Text(vec![0x0d, 0x0a]);
                let choices = vec![pair, Node::Set(Arc::new(breaks))];
                Item::Node(Node::Atomic(Box::new(Node::Choice(choices))))
            }
            'X' => {
                self.at += 2;
                Item::Node(self.grapheme(depth)?)
            }
            'x' | '0' => {
                self.at += 2;
                Item::Run(vec![self.byte(c)?])
            }
            '1'..='9' => self.numeral()?,
            'p' | 'P' if self.peek_at(2) == Some('{') => {
                self.at += 3;
                let (set, negated, ascii) = self.property(c == 'P')?;
                Item::Node(if self.flags.ignore_case && !ascii {
                    self.with_expansions(fold::fold_set(&set, &set, self.binary()), &set, negated)
                } else {
                    Node::Set(Arc::new(if negated { set.complement() } else { set }))
                })
            }
            'k' | 'g' if matches!(self.peek_at(2), Some('<' | '\'')) => {
                let end = if self.peek_at(2) == Some('<') { '>' } else { '\'' };
                self.at += 3;
                if c == 'g' {
                    return Ok(Item::Node(self.call(end)?));
                }
                let (groups, level) = self.mentioned(end)?;
                self.backref(groups, level)
            }
            _ => self.run(Vec::new())?,
        })
    }

    /// The value of `\xNN` or an octal escape, from after its first character.
    pub fn byte(&mut self, first: char) -> Parsed<u32> {
        let radix = if first == 'x' { 16 } else { 8 };
        let mut value = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = value * radix + digit;
            self.at += 1;
        }
        if value > 0xff {
            return Err("too big number".into());
        }
        Ok(value)
    }

    /// The members of `\w` and the like, or of their complements.
    pub fn letter(&self, c: char) -> Set {
        let unicode = self.flags.letters == Letters::Unicode && !self.binary();
        let set = unicode::letter(c.to_ascii_lowercase(), unicode);
        if c.is_ascii_uppercase() { set.complement() } else { set }
    }

    /// `\p{Name}` from after its brace, whether its complement is meant, and whether it is ASCII, of which the case stays as it is.
    pub fn property(&mut self, mut negated: bool) -> Parsed<(Set, bool, bool)> {
        self.properties = true;
        negated ^= self.eat('^');
        let start = self.at;
        let mut last = start;
        let closed = loop {
            last = self.at.max(last);
            match self.peek() {
                Some('}') => break true,
                Some('(' | ')' | '{' | '|') => break false,
                Some(_) => self.at += 1,
                None => {
                    last = self.at.saturating_sub(1).max(start);
                    break false;
                }
            }
        };
        let name = self.text(start, last);
        let set = if !closed {
            None
        } else if self.binary() {
            unicode::posix(&name.to_lowercase(), true)
        } else {
            unicode::property(&name)
        };
        let Some(set) = set else {
            return Err(format!("invalid character property name {{{}}}", shortened(&name)).into());
        };
        self.at += 1;
        let ascii = name.eq_ignore_ascii_case("ascii");
        Ok((set, negated, ascii))
    }

    /// `\X`: what a reader takes for one character.
    fn grapheme(&self, depth: usize) -> Parsed<Node> {
        let source = if self.binary() { BYTE_GRAPHEME } else { GRAPHEME };
        let codes: Vec<u32> = source.chars().map(u32::from).collect();
        let options = Options { multiline: true, extended: true, ..Options::default() };
        Parser::new(&codes, options, self.encoding).alternatives(depth + 1)
    }

    /// A class with the texts of several characters that equal one of its members.
    pub fn with_expansions(&mut self, folded: Set, set: &Set, negated: bool) -> Node {
        let expansions = if negated || self.binary() { Vec::new() } else { fold::expansions_in(set) };
        let folded = if negated { folded.complement() } else { folded };
        let class = Node::Set(Arc::new(folded));
        if expansions.is_empty() {
            return class;
        }
        self.expands = true;
        let texts = expansions.iter().map(|text| Node::Folded(Arc::new(Folded::new(text, false))));
        Node::Choice(std::iter::once(class).chain(texts).collect())
    }
}

/// Something that can be repeated.
enum Item {
    /// Plain characters, of which only the last is.
    Run(Vec<u32>),
    Node(Node),
}

/// The kind of group that a parenthesis opened.
enum Grouping {
    /// A group.
    Whole(Node),
    /// An option with all that follows it in the enclosing group.
    Rest(Node),
}

/// A group with options is one unit to its surroundings, whatever is inside.
fn isolated(node: Node) -> Node {
    Node::Sequence(vec![node])
}

/// A name as messages quote it: of a long one the beginning.
pub(super) fn shortened(name: &str) -> String {
    const LONGEST: usize = 47;
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let end = (0..=LONGEST).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    format!("{}...", &name[..end])
}

/// The control character of an escaped letter.
pub(super) fn control(c: char) -> Option<u32> {
    Some(match c {
        'n' => 0x0a,
        't' => 0x09,
        'r' => 0x0d,
        'f' => 0x0c,
        'v' => 0x0b,
        'a' => 0x07,
        'b' => 0x08,
        'e' => 0x1b,
        _ => return None,
    })
}

/// Extended grapheme clusters (Unicode Standard Annex 29).
const GRAPHEME: &str = r"(?>
    \r\n
  | [\p{gcb=cn}\p{gcb=cr}\p{gcb=lf}]
  | \p{gcb=pp}*
    (?: \p{gcb=l}* (?: \p{gcb=v}+ | \p{gcb=lv} \p{gcb=v}* | \p{gcb=lvt} ) \p{gcb=t}*
      | \p{gcb=l}+
      | \p{gcb=t}+
      | \p{gcb=ri} \p{gcb=ri}
      | \p{Extended_Pictographic} (?: \p{gcb=ex}* \p{gcb=zwj} \p{Extended_Pictographic} )*
      | [^\p{gcb=cn}\p{gcb=cr}\p{gcb=lf}] )
    [\p{gcb=ex}\p{gcb=zwj}\p{gcb=sm}]*
  | . )";
const BYTE_GRAPHEME: &str = r"(?> \r\n | . )";
