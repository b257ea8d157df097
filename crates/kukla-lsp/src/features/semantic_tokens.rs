//! Semantic tokens: the meaning of each name, for colours.

use kukla::syntax::{Span, SyntaxKind as K};
use kukla_check::symbols::{Owner, Role, Symbol};
use lsp_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
    SemanticTokensParams, SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
};

use crate::outbox::Refusal;
use crate::session::Session;
use crate::uris::path_of;
use crate::view::View;

/// The types of tokens, in the order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenType {
    Class,
    Struct,
    Function,
    DataType,
    Variable,
    Parameter,
    Property,
    Keyword,
    String,
    Number,
    Comment,
    Regexp,
    Operator,
}

const TYPES: [SemanticTokenType; 13] = [
    SemanticTokenType::CLASS,
    SemanticTokenType::STRUCT,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::TYPE,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::COMMENT,
    SemanticTokenType::REGEXP,
    SemanticTokenType::OPERATOR,
];

const DEFINITION: u32 = 1;
const WRITE: u32 = 2;
const DEFAULT_LIBRARY: u32 = 4;
const DEPRECATED: u32 = 8;

/// The names of types and modifiers.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.to_vec(),
        token_modifiers: vec![
            SemanticTokenModifier::DEFINITION,
            SemanticTokenModifier::MODIFICATION,
            SemanticTokenModifier::DEFAULT_LIBRARY,
            SemanticTokenModifier::DEPRECATED,
        ],
    }
}

/// The tokens of a document.
pub fn full(
    session: &mut Session,
    params: &SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>, Refusal> {
    let view = session.view(&path_of(&params.text_document.uri))?;
    let whole = Span::new(0, view.text().len() as u32);
    Ok(Some(SemanticTokensResult::Tokens(encode(&view, whole))))
}

/// The tokens of a part of a document.
pub fn range(
    session: &mut Session,
    params: &SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>, Refusal> {
    let view = session.view(&path_of(&params.text_document.uri))?;
    let part = view.positions().span(params.range);
    Ok(Some(SemanticTokensRangeResult::Tokens(encode(&view, part))))
}

/// A token with its type and modifiers.
type Token = (Span, TokenType, u32);

fn encode(view: &View<'_>, part: Span) -> SemanticTokens {
    let positions = view.positions();
    let (mut last_line, mut last_column) = (0, 0);
    let mut data = Vec::new();
    for (span, ty, modifiers) in tokens(view) {
        if span.end <= part.start || span.start >= part.end {
            continue;
        }
        // Clients need not know tokens of several lines.
        let mut start = span.start;
        while start < span.end {
            let line = view.lines.line(start);
            let Some(range) = view.lines.range(view.text(), line) else { break };
            let end = span.end.min(range.end as u32);
            if end > start {
                let from = positions.position(start);
                let length = view.encoding().length(&view.text()[start as usize..end as usize]);
                let delta_line = from.line - last_line;
                let delta_start = if delta_line == 0 { from.character - last_column } else { from.character };
                (last_line, last_column) = (from.line, from.character);
                data.push(SemanticToken {
                    delta_line,
                    delta_start,
                    length,
                    token_type: ty as u32,
                    token_modifiers_bitset: modifiers,
                });
            }
            match view.lines.range(view.text(), line + 1) {
                Some(next) => start = next.start as u32,
                None => break,
            }
        }
    }
    SemanticTokens { result_id: None, data }
}

/// The tokens of a text, in order and without overlap.
fn tokens(view: &View<'_>) -> Vec<Token> {
    let mut found: Vec<Token> = view.occurrences().iter().map(|one| of_name(view, one)).collect();
    if let Some(text) = view.parsed() {
        let covered: Vec<Span> = found.iter().map(|(span, ..)| *span).collect();
        for node in text.tree.elements().filter(|node| node.kind().is_token()) {
            let span = node.span();
            let ty = match node.kind() {
                K::LineComment | K::BlockComment => TokenType::Comment,
                K::SqString | K::DqString | K::DqStart | K::DqText | K::DqEnd | K::HeredocText => {
                    TokenType::String
                }
                K::HeredocTag | K::HeredocEnd => TokenType::String,
                K::Number => TokenType::Number,
                K::Regex => TokenType::Regexp,
                K::FatArrow | K::PlusArrow | K::Before | K::Notify | K::After | K::Subscribe => {
                    TokenType::Operator
                }
                kind if kind.is_keyword() => TokenType::Keyword,
                _ => continue,
            };
            // The parts of a string that no name covers.
            let first = covered.partition_point(|own| own.end <= span.start);
            let mut start = span.start;
            for own in covered[first..].iter().take_while(|own| own.start < span.end) {
                if own.start > start {
                    found.push((Span::new(start, own.start), ty, 0));
                }
                start = start.max(own.end);
            }
            if start < span.end {
                found.push((Span::new(start, span.end), ty, 0));
            }
        }
    }
    found.sort_by_key(|(span, ..)| (span.start, span.end));
    let mut end = 0;
    found.retain(|(span, ..)| {
        let is_free = span.start >= end;
        if is_free {
            end = span.end;
        }
        is_free
    });
    found
}

/// The token of a name.
fn of_name(view: &View<'_>, one: &kukla_check::symbols::Occurrence) -> Token {
    let symbol = view.resolve(&one.symbol).unwrap_or_else(|| one.symbol.clone());
    let mut modifiers = match one.role {
        Role::Definition => DEFINITION,
        Role::Write => WRITE,
        Role::Read => 0,
    };
    let index = view.index();
    let ty = match &symbol {
        Symbol::Class(_) => TokenType::Class,
        Symbol::ResourceType(name) => {
            if index.is_some_and(|index| !index.defines.contains_key(name)) {
                modifiers |= DEFAULT_LIBRARY;
            }
            TokenType::Struct
        }
        Symbol::Function(name) => {
            if index.is_some_and(|index| !index.functions.contains_key(name)) {
                modifiers |= DEFAULT_LIBRARY;
            }
            TokenType::Function
        }
        Symbol::DataType(name) | Symbol::Capitalized(name) => {
            if index.is_some_and(|index| !index.aliases.contains_key(name)) {
                modifiers |= DEFAULT_LIBRARY;
            }
            TokenType::DataType
        }
        Symbol::Variable { owner: Owner::Class(_) | Owner::Define(_) | Owner::Function(_), .. } => {
            if view.parameter(&symbol).is_some() { TokenType::Parameter } else { TokenType::Variable }
        }
        Symbol::Variable { .. } => TokenType::Variable,
        Symbol::Attribute { .. } | Symbol::DataKey(_) => TokenType::Property,
        Symbol::Resource { .. } | Symbol::Template(_) | Symbol::File(_) => TokenType::String,
        Symbol::Fact(name) => {
            if kukla_check::repository::facts::is_legacy(name) {
                modifiers |= DEPRECATED;
            }
            TokenType::Variable
        }
    };
    (one.span, ty, modifiers)
}
