//! Reading text by a format, as C's scanf and Ruby's library of that name do.

use kukla_syntax::bail;
use kukla_values::codes::OUTSIDE_INTEGER_RANGE;
use kukla_values::{Array, Result, Value, meter};

use crate::ruby;

/// One directive of a format.
#[derive(Clone, Debug, PartialEq)]
enum Directive {
    /// White space in the format: any amount of it in the text, none included.
    Space,
    /// A character that must stand in the text.
    Literal(char),
    /// `%d`, `%u`: decimal; `%i`: by prefix; `%o`, `%x`: with or without prefix.
    Integer(char),
    /// `%f`, `%e`, `%g`, `%a`.
    Float,
    /// `%s`: up to white space.
    Word,
    /// `%c`: exactly as many characters as the width says.
    Chars,
    /// `%[a-z]`, `%[^a-z]`.
    Set { members: Vec<(char, char)>, negated: bool },
}

/// A directive with its width and whether its value is kept.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    directive: Directive,
    width: Option<usize>,
    kept: bool,
}

/// The values read from a text, up to the first place where text and format part.
pub fn scan(text: &str, format: &str) -> Result<Array> {
    let mut values = Array::new();
    let mut rest = text;
    for field in fields(format) {
        match field.read(rest)? {
            Some((value, after)) => {
                rest = after;
                if let Some(value) = value.filter(|_| field.kept) {
                    values.push(value);
                }
            }
            None => break,
        }
    }
    Ok(values)
}

fn fields(format: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut chars = format.chars().peekable();
    let plain = |directive| Field { directive, width: None, kept: true };
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            fields.push(plain(Directive::Space));
            continue;
        }
        if c != '%' {
            fields.push(plain(Directive::Literal(c)));
            continue;
        }
        let kept = chars.next_if_eq(&'*').is_none();
        let mut width = None;
        while let Some(digit) = chars.next_if(char::is_ascii_digit) {
            width = Some(
                width.unwrap_or(0usize).saturating_mul(10).saturating_add(digit as usize - '0' as usize),
            );
        }
        while chars.next_if(|c| matches!(c, 'h' | 'l' | 'L')).is_some() {}
        let directive = match chars.next() {
            Some(kind @ ('d' | 'u' | 'i' | 'o' | 'x' | 'X')) => Directive::Integer(kind.to_ascii_lowercase()),
            Some('f' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A') => Directive::Float,
            Some('s') => Directive::Word,
            Some('c') => Directive::Chars,
            Some('[') => set(&mut chars),
            Some(other) => Directive::Literal(other),
            None => Directive::Literal('%'),
        };
        if !matches!(directive, Directive::Chars | Directive::Set { .. } | Directive::Literal(_)) {
            fields.push(plain(Directive::Space));
        }
        fields.push(Field { directive, width, kept });
    }
    fields
}

fn set(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Directive {
    let negated = chars.next_if_eq(&'^').is_some();
    let mut members = Vec::new();
    let mut first = true;
    while let Some(c) = chars.next() {
        if c == ']' && !first {
            break;
        }
        first = false;
        let mut end = c;
        if chars.peek() == Some(&'-') {
            chars.next();
            match chars.next_if(|c| *c != ']') {
                Some(last) => end = last,
                None => members.push(('-', '-')),
            }
        }
        members.push((c, end));
    }
    Directive::Set { members, negated }
}

impl Field {
    /// The value that the field reads at the start of a text, and the rest of the text.
    fn read<'t>(&self, text: &'t str) -> Result<Option<(Option<Value>, &'t str)>> {
        let end = self.width.and_then(|limit| text.char_indices().nth(limit));
        let window = end.map_or(text, |(end, _)| &text[..end]);
        let length = match &self.directive {
            Directive::Space => return Ok(Some((None, text.trim_start()))),
            Directive::Literal(c) => return Ok(text.strip_prefix(*c).map(|after| (None, after))),
            Directive::Integer(kind) => integer_length(window, *kind),
            Directive::Float => float_length(window),
            Directive::Word => window.find(char::is_whitespace).unwrap_or(window.len()),
            Directive::Chars => {
                window.char_indices().nth(self.width.unwrap_or(1)).map_or(window.len(), |(end, _)| end)
            }
            Directive::Set { members, negated } => {
                let within =
                    |c: char| members.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated;
                window.find(|c| !within(c)).unwrap_or(window.len())
            }
        };
        if length == 0 {
            return Ok(None);
        }
        let (read, after) = text.split_at(length);
        meter::work(self.directive.work_of(length));
        let value = match &self.directive {
            Directive::Integer(kind) => integer(read, *kind)?,
            Directive::Float => ruby::to_f(read).into(),
            _ => read.into(),
        };
        Ok(Some((Some(value), after)))
    }
}

impl Directive {
    /// The work of reading a text of this length.
    fn work_of(&self, length: usize) -> usize {
        match self {
            Directive::Set { members, .. } => 1 + length.saturating_mul(1 + members.len()),
            _ => 1 + length,
        }
    }
}

/// The digits' base, and how long sign and prefix are.
fn integer_head(text: &str, kind: char) -> (u32, usize) {
    let sign = usize::from(text.starts_with(['+', '-']));
    let digits = &text[sign..];
    let hexadecimal = (digits.starts_with("0x") || digits.starts_with("0X"))
        && digits[2..].starts_with(|c: char| c.is_ascii_hexdigit());
    match kind {
        'x' | 'i' if hexadecimal => (16, sign + 2),
        'x' => (16, sign),
        'o' => (8, sign),
        'i' if digits.starts_with('0') => (8, sign),
        _ => (10, sign),
    }
}

fn integer_length(text: &str, kind: char) -> usize {
    let (base, head) = integer_head(text, kind);
    let digits = text[head..].find(|c: char| !c.is_digit(base)).unwrap_or(text.len() - head);
    if digits == 0 { 0 } else { head + digits }
}

fn integer(text: &str, kind: char) -> Result<Value> {
    let (base, head) = integer_head(text, kind);
    let sign = if text.starts_with('-') { "-" } else { "" };
    match i64::from_str_radix(&format!("{sign}{}", &text[head..]), base) {
        Ok(number) => Ok(Value::Integer(number)),
        Err(_) => bail!(OUTSIDE_INTEGER_RANGE { value: text }),
    }
}

fn float_length(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
    };
    let sign = usize::from(text.starts_with(['+', '-']));
    let whole = sign + digits(sign);
    // Only a number with a point may have an exponent.
    if !text[whole..].starts_with('.') {
        return if whole == sign { 0 } else { whole };
    }
    let end = whole + 1 + digits(whole + 1);
    if text[end..].starts_with(['e', 'E']) {
        let signed = end + 1 + usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(signed);
        if exponent > 0 {
            return signed + exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_until_it_parts_from_the_format() {
        let read = |text: &str, format: &str| ruby::inspect(&scan(text, format).unwrap().into());
        assert_eq!(read("42 is 0x2a", "%d is %i"), "[42, 42]");
        assert_eq!(read("a 1.5e2 x", "%s %f%c%c"), r#"["a", 150.0, " ", "x"]"#);
        assert_eq!(read("12345", "%2d%*1d%d"), "[12, 45]");
        assert_eq!(read("abc-1", "%[a-z]-%d"), r#"["abc", 1]"#);
        assert_eq!(read("10 x 5", "%d %d"), "[10]");
        assert_eq!(read("-0x1F 077", "%x %i"), "[-31, 63]");
        assert_eq!(read("", "%d"), "[]");
    }
}
