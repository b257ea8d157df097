//! Literals.

use kukla_values::regexp::{Options, Regexp};
use num_bigint::{BigInt, Sign};
use ruby_prism as prism;

use super::{Lowerer, line_of};
use crate::program::{Literal, Node, Regex};
use crate::text::Encoding;

fn big(integer: &prism::Integer<'_>) -> BigInt {
    let (negative, digits) = integer.to_u32_digits();
    BigInt::from_slice(if negative { Sign::Minus } else { Sign::Plus }, digits)
}

/// Flags of prism's regular expressions, in the order of Ruby's options.
const IGNORE_CASE: u8 = 1;
const EXTENDED: u8 = 2;
const MULTI_LINE: u8 = 4;
const FIXED_ENCODING: u8 = 16;
const NO_ENCODING: u8 = 32;

/// The options that a number encodes.
fn options(bits: u8) -> Options {
    Options {
        ignore_case: bits & IGNORE_CASE != 0,
        extended: bits & EXTENDED != 0,
        multiline: bits & MULTI_LINE != 0,
    }
}

macro_rules! option_bits {
    ($node:expr) => {
        (u8::from($node.is_ignore_case()) * IGNORE_CASE)
            | (u8::from($node.is_extended()) * EXTENDED)
            | (u8::from($node.is_multi_line()) * MULTI_LINE)
            | (u8::from($node.is_utf_8()) * FIXED_ENCODING)
            | (u8::from($node.is_ascii_8bit()) * NO_ENCODING)
    };
}

impl Lowerer {
    pub(super) fn integer(&mut self, value: &prism::Integer<'_>) -> Node {
        let number = big(value);
        match i64::try_from(&number) {
            Ok(small) => Node::Int(small),
            Err(_) => Node::Literal(self.literal(Literal::Big(number))),
        }
    }

    pub(super) fn rational(&mut self, node: &prism::RationalNode<'_>) -> Node {
        let literal = Literal::Rational(big(&node.numerator()), big(&node.denominator()));
        Node::Literal(self.literal(literal))
    }

    /// A string, in the encoding of the source unless it says otherwise itself.
    pub(super) fn string(&mut self, bytes: &[u8], frozen: bool, says: Option<Encoding>) -> Node {
        let encoding = says.unwrap_or(self.encoding);
        let literal = match std::str::from_utf8(bytes) {
            Ok(text) if encoding == Encoding::Utf8 => Literal::Text(text.into()),
            _ => Literal::Bytes(bytes.into(), encoding),
        };
        let number = self.literal(literal);
        if frozen { Node::Literal(number) } else { Node::Text(number) }
    }

    /// The pieces of an interpolated text; adjacent literals are one.
    pub(super) fn parts(&mut self, parts: &prism::NodeList<'_>) -> Box<[Node]> {
        let mut nodes = Vec::new();
        if self.encoding != Encoding::Utf8 {
            nodes.push(self.string(b"", true, None));
        }
        for part in parts {
            match part.as_string_node() {
                Some(text) => nodes.push(self.string(text.unescaped(), true, explicit_encoding(&text))),
                None => nodes.push(self.expression(&part)),
            }
        }
        nodes.into()
    }

    pub(super) fn regexp(&mut self, node: &prism::RegularExpressionNode<'_>) -> Node {
        let bits = option_bits!(node);
        self.plain_regexp(node.unescaped(), bits, line_of(&node.location()))
    }

    fn plain_regexp(&mut self, source: &[u8], bits: u8, line: u32) -> Node {
        if let Ok(text) = std::str::from_utf8(source)
            && bits & (FIXED_ENCODING | NO_ENCODING) == 0
            && let Ok(pattern) = Regexp::with_options(text, options(bits))
        {
            return Node::Literal(self.literal(Literal::Regexp(pattern)));
        }
        // One that is not valid complains when it is run, as it may stand where nothing ever comes.
        let text = self.string(source, true, None);
        let once = Some(self.constant());
        Node::Regexp(Box::new(Regex { parts: Box::new([text]), options: bits, once, line }))
    }

    pub(super) fn interpolated_regexp(
        &mut self,
        node: &prism::InterpolatedRegularExpressionNode<'_>,
    ) -> Node {
        let parts = self.parts(&node.parts());
        let once = if node.is_once() { Some(self.constant()) } else { None };
        let line = line_of(&node.location());
        Node::Regexp(Box::new(Regex { parts, options: option_bits!(node), once, line }))
    }

    /// `if /a/`: matched against `$_`.
    pub(super) fn match_last_line(&mut self, source: &[u8], flags: u16, line: u32) -> Node {
        let bits = ((flags >> 2) & 7) as u8;
        let pattern = self.plain_regexp(source, bits, line);
        let last = Node::Gvar(self.name(b"$_"));
        self.send(pattern, b"=~", vec![last], line)
    }

    pub(super) fn source_encoding(&mut self) -> Node {
        let name = self.encoding.name().replace('-', "_").to_ascii_uppercase();
        let encoding = Node::Const(self.name(b"Encoding"), self.constant(), 0);
        Node::ConstPath(Box::new((Some(encoding), self.name(name.as_bytes()), self.constant(), 0)))
    }
}

/// The encoding that a string says it has, by the escapes in it.
pub(super) fn explicit_encoding(node: &prism::StringNode<'_>) -> Option<Encoding> {
    if node.is_forced_binary_encoding() {
        Some(Encoding::Binary)
    } else if node.is_forced_utf8_encoding() {
        Some(Encoding::Utf8)
    } else {
        None
    }
}

/// The encoding that a comment at the top of the source names.
pub(super) fn of_source(parsed: &prism::ParseResult<'_>) -> Encoding {
    for comment in parsed.magic_comments() {
        if matches!(comment.key(), b"encoding" | b"coding") {
            let name = String::from_utf8_lossy(comment.value());
            return Encoding::named(&name).unwrap_or_default();
        }
    }
    Encoding::Utf8
}
