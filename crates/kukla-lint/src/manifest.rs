//! One text as the rules see it: its tokens, the way from one to the next, and the constructs that they form.

use std::cell::OnceCell;
use std::ops::Range;

use crate::lexer::{self, LexError};
use crate::token::{At, Kind, Token};

/// A text with its tokens and constructs. Each construct is found once, when the first rule asks for it.
pub struct Manifest<'t> {
    /// The text.
    pub text: &'t str,
    /// The path of its file, as the caller names it.
    pub path: &'t str,
    /// The absolute path of its file; empty if it has none.
    pub full_path: &'t str,
    /// Whether it is data in YAML, which has no tokens.
    pub is_data: bool,
    /// Its tokens; none if the lexer could not read it.
    pub tokens: Vec<Token<'t>>,
    /// The error of the lexer.
    pub error: Option<LexError>,
    /// The positions of the tokens of each kind, one kind after the other.
    by_kind: Vec<u32>,
    /// The beginning of each kind in it.
    kinds: Vec<u32>,
    /// For each opening bracket the position of the one that closes it, and the other way around.
    partners: Vec<u32>,
    resources: OnceCell<Result<Vec<Resource>, At>>,
    classes: OnceCell<Vec<Definition>>,
    defines: OnceCell<Vec<Definition>>,
}

/// The body of a resource declaration: from the colon after the title to the semicolon or brace that ends it.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The colon.
    pub colon: At,
    /// The token that ends the body.
    pub end: At,
    /// The name of the type before the brace, or the token in that place.
    pub resource_type: Option<At>,
    /// The names of the attributes.
    pub attributes: Vec<At>,
}

impl Resource {
    /// The positions of its tokens, with the colon and the end.
    pub fn tokens(&self) -> Range<At> {
        self.colon..self.end + 1
    }
}

/// The definition of a class or a defined type.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The keyword.
    pub start: At,
    /// The closing brace.
    pub end: At,
    /// The tokens between the parentheses of its parameters.
    pub parameters: Option<Range<At>>,
    /// The name.
    pub name: Option<At>,
    /// The name of the class that it inherits from.
    pub inherited: Option<At>,
    /// The kind of the keyword.
    pub kind: Kind,
}

impl Definition {
    /// The positions of its tokens, with the keyword and the closing brace.
    pub fn tokens(&self) -> Range<At> {
        self.start..self.end + 1
    }
}

const NONE: u32 = u32::MAX;

fn closer(kind: Kind) -> Option<Kind> {
    match kind {
        Kind::Lbrace => Some(Kind::Rbrace),
        Kind::Lbrack => Some(Kind::Rbrack),
        Kind::Lparen => Some(Kind::Rparen),
        _ => None,
    }
}

fn opener(kind: Kind) -> Option<Kind> {
    match kind {
        Kind::Rbrace => Some(Kind::Lbrace),
        Kind::Rbrack => Some(Kind::Lbrack),
        Kind::Rparen => Some(Kind::Lparen),
        _ => None,
    }
}

/// The other bracket of each, where blocks in between are skipped.
fn partners(tokens: &[Token<'_>]) -> Vec<u32> {
    let mut partners = vec![NONE; tokens.len()];
    for at in (0..tokens.len()).rev() {
        let Some(close) = closer(tokens[at].kind) else { continue };
        let mut next = at + 1;
        while let Some(token) = tokens.get(next) {
            if token.kind == close {
                partners[at] = u32::try_from(next).unwrap_or(NONE);
                break;
            }
            if closer(token.kind).is_some() {
                match partners[next] {
                    NONE => break,
                    partner => next = partner as usize,
                }
            }
            next += 1;
        }
    }
    for at in 0..tokens.len() {
        let Some(open) = opener(tokens[at].kind) else { continue };
        let mut before = at;
        while before > 0 {
            before -= 1;
            let kind = tokens[before].kind;
            if kind == open {
                partners[at] = u32::try_from(before).unwrap_or(NONE);
                break;
            }
            if opener(kind).is_some() {
                match partners[before] {
                    NONE => break,
                    partner => before = partner as usize,
                }
            }
        }
    }
    partners
}

/// The positions of all tokens, sorted by their kind, and the beginning of each kind.
fn sorted(tokens: &[Token<'_>]) -> (Vec<u32>, Vec<u32>) {
    let mut kinds = vec![0u32; Kind::COUNT + 1];
    for token in tokens {
        kinds[token.kind as usize + 1] += 1;
    }
    for kind in 0..Kind::COUNT {
        kinds[kind + 1] += kinds[kind];
    }
    let mut next = kinds.clone();
    let mut positions = vec![0u32; tokens.len()];
    for (at, token) in (0u32..).zip(tokens) {
        let place = &mut next[token.kind as usize];
        positions[*place as usize] = at;
        *place += 1;
    }
    (positions, kinds)
}

impl<'t> Manifest<'t> {
    /// Reads a text.
    pub fn new(text: &'t str, path: &'t str, full_path: &'t str) -> Manifest<'t> {
        let lower = path.to_ascii_lowercase();
        let is_data = lower.ends_with(".yaml") || lower.ends_with(".yml");
        let (tokens, error) = match lexer::tokens(if is_data { "" } else { text }) {
            Ok(tokens) => (tokens, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let partners = partners(&tokens);
        let (by_kind, kinds) = sorted(&tokens);
        Manifest {
            text,
            path,
            full_path,
            is_data,
            tokens,
            error,
            by_kind,
            kinds,
            partners,
            resources: OnceCell::new(),
            classes: OnceCell::new(),
            defines: OnceCell::new(),
        }
    }

    /// The token at a position.
    pub fn get(&self, at: At) -> &Token<'t> {
        &self.tokens[at]
    }

    /// Its kind.
    pub fn kind(&self, at: At) -> Kind {
        self.tokens[at].kind
    }

    /// Its text without quotes, `$`, `#` and the like.
    pub fn value(&self, at: At) -> &'t str {
        self.tokens[at].value
    }

    /// Its text as it is written.
    pub fn source(&self, at: At) -> &'t str {
        let token = &self.tokens[at];
        self.text.get(token.start()..token.end()).unwrap_or_default()
    }

    /// Its number of characters as puppet-lint writes it: of an empty interpolation, the braces are not part of the texts around it.
    pub fn length(&self, at: At) -> u32 {
        let length = u32::try_from(self.source(at).chars().count()).unwrap_or(u32::MAX);
        let is_before = |kind: Option<Kind>| matches!(kind, Some(Kind::Dqmid | Kind::Dqpost));
        let is_after = |kind: Option<Kind>| matches!(kind, Some(Kind::Dqpre | Kind::Dqmid));
        let kind = Some(self.kind(at));
        let open = if is_after(kind) && is_before(self.next_kind(at)) { 2 } else { 0 };
        let close = u32::from(is_before(kind) && is_after(self.previous_kind(at)));
        length.saturating_sub(open + close)
    }

    /// The positions of all tokens of a kind.
    pub fn of_kind(&self, kind: Kind) -> impl DoubleEndedIterator<Item = At> + '_ {
        let range = self.kinds[kind as usize] as usize..self.kinds[kind as usize + 1] as usize;
        self.by_kind[range].iter().map(|at| *at as usize)
    }

    /// The positions of all tokens of some kinds, in the order of the text.
    pub fn of_kinds(&self, kinds: &[Kind]) -> Vec<At> {
        let mut positions: Vec<At> = kinds.iter().flat_map(|kind| self.of_kind(*kind)).collect();
        positions.sort_unstable();
        positions
    }

    /// The positions of all tokens.
    pub fn positions(&self) -> Range<At> {
        0..self.tokens.len()
    }

    /// The next token.
    pub fn next(&self, at: At) -> Option<At> {
        (at + 1 < self.tokens.len()).then_some(at + 1)
    }

    /// The previous token.
    pub fn previous(&self, at: At) -> Option<At> {
        at.checked_sub(1)
    }

    /// The kind of the next token.
    pub fn next_kind(&self, at: At) -> Option<Kind> {
        self.tokens.get(at + 1).map(|token| token.kind)
    }

    /// The kind of the previous token.
    pub fn previous_kind(&self, at: At) -> Option<Kind> {
        self.previous(at).map(|at| self.kind(at))
    }

    /// The code token after a code token.
    pub fn next_code(&self, at: At) -> Option<At> {
        self.tokens[at].next_code.map(|at| at as usize)
    }

    /// The code token before a code token.
    pub fn previous_code(&self, at: At) -> Option<At> {
        self.tokens[at].previous_code.map(|at| at as usize)
    }

    /// The kind of the code token after a code token.
    pub fn next_code_kind(&self, at: At) -> Option<Kind> {
        self.next_code(at).map(|at| self.kind(at))
    }

    /// The kind of the code token before a code token.
    pub fn previous_code_kind(&self, at: At) -> Option<Kind> {
        self.previous_code(at).map(|at| self.kind(at))
    }

    /// The next token that is not blank.
    pub fn next_solid(&self, at: At) -> Option<At> {
        (at + 1..self.tokens.len()).find(|at| !self.kind(*at).is_blank())
    }

    /// The previous token that is not blank.
    pub fn previous_solid(&self, at: At) -> Option<At> {
        (0..at).rev().find(|at| !self.kind(*at).is_blank())
    }

    /// The bracket that closes an opening one, or opens a closing one.
    pub fn partner(&self, at: At) -> Option<At> {
        Some(self.partners[at]).filter(|partner| *partner != NONE).map(|partner| partner as usize)
    }

    /// The next token of these kinds. Blocks are skipped; one that does not end ends the search.
    pub fn next_of(&self, at: At, kinds: &[Kind]) -> Option<At> {
        let mut next = at + 1;
        while let Some(token) = self.tokens.get(next) {
            if kinds.contains(&token.kind) {
                return Some(next);
            }
            if closer(token.kind).is_some() {
                next = self.partner(next)?;
            }
            next += 1;
        }
        None
    }

    /// The previous token of these kinds. Blocks are skipped; one that does not begin ends the search.
    pub fn previous_of(&self, at: At, kinds: &[Kind]) -> Option<At> {
        let mut before = at;
        while before > 0 {
            before -= 1;
            let kind = self.kind(before);
            if kinds.contains(&kind) {
                return Some(before);
            }
            if opener(kind).is_some() {
                before = self.partner(before)?;
            }
        }
        None
    }

    /// The resource declarations, or the token at which one of them does not end.
    pub fn resources(&self) -> Result<&[Resource], At> {
        self.resources.get_or_init(|| self.find_resources()).as_deref().map_err(|at| *at)
    }

    /// The class definitions.
    pub fn classes(&self) -> &[Definition] {
        self.classes.get_or_init(|| self.find_definitions(Kind::Class))
    }

    /// The definitions of defined types.
    pub fn defines(&self) -> &[Definition] {
        self.defines.get_or_init(|| self.find_definitions(Kind::Define))
    }

    /// The definitions of classes, and then those of defined types.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.classes().iter().chain(self.defines())
    }

    fn find_resources(&self) -> Result<Vec<Resource>, At> {
        let (mut marker, mut resources) = (0, Vec::new());
        for colon in self.of_kind(Kind::Colon) {
            if self.next_code_kind(colon).is_none_or(|kind| kind == Kind::Lbrace)
                || self.follows_classref(colon)
            {
                continue;
            }
            // A colon within a resource ends the list, whatever follows.
            if colon < marker {
                break;
            }
            let end = self.next_of(colon, &[Kind::Semic, Kind::Rbrace]).ok_or(colon)?;
            marker = end;
            let resource_type = self.resource_type(colon)?;
            resources.push(Resource { colon, end, resource_type, attributes: self.attributes(colon, end) });
        }
        Ok(resources)
    }

    /// Whether a capitalised name comes before a colon, and no other name in between: it belongs to defaults or to an override.
    fn follows_classref(&self, colon: At) -> bool {
        let mut at = colon;
        while let Some(before) = self.previous_code(at) {
            match self.kind(before) {
                Kind::Classref => return true,
                Kind::Name => return false,
                _ => at = before,
            }
        }
        false
    }

    fn resource_type(&self, colon: At) -> Result<Option<At>, At> {
        let is_brace =
            |at: &At| self.kind(*at) == Kind::Lbrace && self.previous_code_kind(*at) != Some(Kind::Qmark);
        let brace = (0..=colon).rev().find(is_brace).ok_or(colon)?;
        Ok(self.previous_code(brace))
    }

    fn attributes(&self, colon: At, end: At) -> Vec<At> {
        let mut attributes = Vec::new();
        let mut at = colon;
        while colon > 0
            && let Some(name) = self.next_of(at, &[Kind::Name]).filter(|name| *name <= end)
        {
            if self.next_code_kind(name) == Some(Kind::Farrow) {
                attributes.push(name);
            }
            at = name;
        }
        attributes
    }

    fn find_definitions(&self, kind: Kind) -> Vec<Definition> {
        self.of_kind(kind).filter_map(|start| self.definition(start, kind)).collect()
    }

    fn definition(&self, start: At, kind: Kind) -> Option<Definition> {
        let name = self.next_code(start)?;
        // A resource of the type `class`.
        if self.kind(name) == Kind::Lbrace {
            return None;
        }
        let (mut braces, mut parentheses, mut in_parameters, mut inherited) = (0i32, 0i32, false, None);
        for at in start + 1..self.tokens.len() {
            match self.kind(at) {
                Kind::Inherits => inherited = self.next_code(at),
                Kind::Lparen => {
                    in_parameters |= parentheses == 0;
                    parentheses += 1;
                }
                Kind::Rparen => {
                    in_parameters &= parentheses != 1;
                    parentheses -= 1;
                }
                Kind::Lbrace => braces += 1,
                Kind::Rbrace => {
                    braces -= 1;
                    if braces == 0 && !in_parameters {
                        let parameters = self.parameters(start, at);
                        return Some(Definition {
                            start,
                            end: at,
                            parameters,
                            name: Some(name),
                            inherited,
                            kind,
                        });
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn parameters(&self, start: At, end: At) -> Option<Range<At>> {
        let (mut depth, mut open) = (0i32, None);
        for at in start..=end {
            match self.kind(at) {
                Kind::Lparen => {
                    depth += 1;
                    if depth == 1 {
                        open = Some(at);
                    }
                }
                Kind::Rparen => {
                    depth -= 1;
                    if depth == 0 {
                        return open.map(|open| open + 1..at);
                    }
                }
                Kind::Lbrace if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// The titles of resources: the token before a colon, or the strings and names of the array before it.
    pub fn titles(&self) -> Vec<At> {
        let mut titles = Vec::new();
        let last_bracket = self.of_kind(Kind::Lbrack).next_back();
        for colon in self.of_kind(Kind::Colon) {
            let before = colon.checked_sub(1).unwrap_or(self.tokens.len() - 1);
            if self.kind(before) == Kind::Rbrack {
                // Only the last array of a text counts, as in puppet-lint.
                let Some(open) = last_bracket else { continue };
                let inside = open + 1..colon.saturating_sub(1);
                titles.extend(inside.filter(|at| matches!(self.kind(*at), Kind::String | Kind::Name)));
            } else if self.next_code_kind(colon).is_some_and(|kind| kind != Kind::Lbrace) {
                titles.push(before);
            }
        }
        titles
    }

    /// The lines of the text, without the line feeds that end them.
    pub fn lines(&self) -> impl Iterator<Item = &'t str> {
        self.text.split('\n')
    }
}
