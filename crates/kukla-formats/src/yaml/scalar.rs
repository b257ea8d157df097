//! The meaning of plain scalars in Psych.
//!
//! Psych follows neither YAML 1.1 nor 1.2: `yes` and even `tRue` are booleans but `y` is text, `017` is fifteen but
//! `0o17` is text, `1,000` is a thousand, an exponent needs both a dot and a sign, and `12:30` is 45000. The order of
//! the questions below is Psych's and matters: the first that answers decides.

use kukla_values::format::digit_run;

/// The meaning of a plain scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// `~`, `null`, nothing at all.
    Null,
    /// `yes`, `true`, `on` and their opposites, in any case.
    Boolean(bool),
    /// An integer that fits 64 bits.
    Integer(i64),
    /// An integer that does not.
    Big,
    /// A float.
    Float(f64),
    /// `:name`, without the colon.
    Symbol(&'a str),
    /// `2001-12-14`.
    Date,
    /// `2001-12-14 21:59:43`.
    Time,
    /// Anything else.
    Text,
    /// Something Psych takes for a number and Ruby then refuses; the message is Ruby's.
    Refused(String),
}

/// How long the longest word is that means something.
const LONGEST: usize = "false".len();

/// Whether a plain scalar is text at first sight, as most are.
#[inline]
pub(super) fn is_surely_text(text: &str) -> bool {
    text.len() > LONGEST && text.as_bytes()[0].is_ascii_alphabetic() && (text.len() > 20 || text.is_ascii())
}

/// Decides what the plain scalar `text` means.
pub fn resolve(text: &str) -> Scalar<'_> {
    let Some(first) = text.as_bytes().first() else { return Scalar::Null };
    // Most scalars begin with a letter, and none of those is anything but a word or text.
    if first.is_ascii_alphabetic() {
        return word(text);
    }
    if let Some(number) = plain_number(text.as_bytes()) {
        return Scalar::Integer(number);
    }
    if looks_like_text(text) {
        return word(text);
    }
    // From here on there is no line break in the text, so Ruby's line anchors are anchors of the whole.
    let bytes = text.as_bytes();
    if let Some(valid) = time(text) {
        return if valid { Scalar::Time } else { Scalar::Text };
    }
    if let Some(valid) = date(bytes) {
        return if valid { Scalar::Date } else { Scalar::Text };
    }
    if let Some(special) = special_float(text) {
        return Scalar::Float(special);
    }
    if bytes[0] == b':' && bytes.len() > 1 {
        return Scalar::Symbol(symbol_name(text));
    }
    if let Some(sexagesimal) = sexagesimal(text) {
        return sexagesimal;
    }
    if is_float(bytes) {
        return float(text);
    }
    if let Some(integer) = integer(text) {
        return integer;
    }
    Scalar::Text
}

/// A number of nothing but digits, which is what most numbers are; no longer than is certain to fit.
fn plain_number(digits: &[u8]) -> Option<i64> {
    let is_one =
        matches!(digits, [b'1'..=b'9', ..]) && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit);
    is_one.then(|| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

/// Psych's first, cheap test: letters, blanks or punctuation within the first two characters of a line.
fn looks_like_text(text: &str) -> bool {
    let mut chars = text.chars();
    let (first, second) = (chars.next(), chars.next());
    first.is_some_and(wordy)
        || first.is_some_and(|c| !c.is_ascii_digit() && !matches!(c, '.' | ':' | '-'))
            && second.is_some_and(wordy)
        || text.contains('\n')
}

fn wordy(c: char) -> bool {
    c.is_alphabetic()
        || matches!(c, '_' | ' ' | '\t' | '\r' | '\n' | '\x0b' | '\x0c')
        || u8::try_from(c).is_ok_and(|byte| b"!@#$%^&*(){}<>|/\\~;=".contains(&byte))
}

fn word(text: &str) -> Scalar<'_> {
    // Most are longer than any word that means something.
    if text.len() > LONGEST && (text.len() > 20 || text.is_ascii() || text.chars().nth(LONGEST).is_some()) {
        return Scalar::Text;
    }
    if !text.as_bytes().contains(&b'\n') {
        let is = |word: &str| text.eq_ignore_ascii_case(word);
        return match text.len() {
            1 if text == "~" => Scalar::Null,
            2 if is("on") => Scalar::Boolean(true),
            2 if is("no") => Scalar::Boolean(false),
            3 if is("yes") => Scalar::Boolean(true),
            3 if is("off") => Scalar::Boolean(false),
            4 if is("null") => Scalar::Null,
            4 if is("true") => Scalar::Boolean(true),
            5 if is("false") => Scalar::Boolean(false),
            _ => Scalar::Text,
        };
    }
    // Ruby's anchors hold at every line, and short texts of several lines do get here.
    let lines =
        || text.split('\n').enumerate().filter(|(n, line)| *n == 0 || !line.is_empty()).map(|(_, line)| line);
    let any = |words: &[&str]| lines().any(|line| words.iter().any(|word| line.eq_ignore_ascii_case(word)));
    let mut starts = text.split_inclusive('\n').filter_map(|line| line.chars().next());
    if starts.any(|c| !"ytonf~YTONF".contains(c)) {
        Scalar::Text
    } else if text == "~" || any(&["null"]) {
        Scalar::Null
    } else if any(&["yes", "true", "on"]) {
        Scalar::Boolean(true)
    } else if any(&["no", "false", "off"]) {
        Scalar::Boolean(false)
    } else {
        Scalar::Text
    }
}

fn special_float(text: &str) -> Option<f64> {
    let is = |what: &str| text.eq_ignore_ascii_case(what);
    if is(".inf") || is("+.inf") {
        Some(f64::INFINITY)
    } else if is("-.inf") {
        Some(f64::NEG_INFINITY)
    } else if is(".nan") {
        Some(f64::NAN)
    } else {
        None
    }
}

/// The name in `:name`, `:"name"` or `:'name'` (and, oddly, in `:":name"`).
fn symbol_name(text: &str) -> &str {
    let rest = &text[1..];
    for quote in ['"', '\''] {
        if let Some(inner) = rest.strip_prefix(quote)
            && let Some(end) = inner.rfind(quote)
        {
            let name = &inner[..end];
            return name.strip_prefix(':').unwrap_or(name);
        }
    }
    rest
}

/// A reader of digits for the patterns below.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let found = self.peek().is_some_and(wanted);
        self.at += usize::from(found);
        found
    }

    /// Between `min` and `max` digits, as a number.
    fn digits(&mut self, min: usize, max: usize) -> Option<u32> {
        let start = self.at;
        let mut number = 0u32;
        while self.at - start < max
            && let Some(digit @ b'0'..=b'9') = self.peek()
        {
            number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        (self.at - start >= min).then_some(number)
    }

    fn blanks(&mut self) -> usize {
        let start = self.at;
        while self.eat(|b| b.is_ascii_whitespace() || b == 0x0b) {}
        self.at - start
    }

    fn done(&self) -> bool {
        self.at == self.bytes.len()
    }
}

/// Whether this has the shape of a time stamp and, if so, whether Ruby can make one of it.
fn time(text: &str) -> Option<bool> {
    let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
    cursor.eat(|b| b == b'-');
    cursor.digits(4, 4)?;
    cursor.eat(|b| b == b'-').then_some(())?;
    let month = cursor.digits(1, 2)?;
    cursor.eat(|b| b == b'-').then_some(())?;
    let day = cursor.digits(1, 2)?;
    if !cursor.eat(|b| matches!(b, b'T' | b't')) && cursor.blanks() == 0 {
        return None;
    }
    let hour = cursor.digits(1, 2)?;
    cursor.eat(|b| b == b':').then_some(())?;
    let minute = cursor.digits(2, 2)?;
    cursor.eat(|b| b == b':').then_some(())?;
    let second = cursor.digits(2, 2)?;
    if cursor.eat(|b| b == b'.') {
        cursor.digits(0, usize::MAX)?;
    }
    cursor.blanks();
    if !cursor.done() && !cursor.eat(|b| b == b'Z') {
        cursor.eat(|b| matches!(b, b'-' | b'+')).then_some(())?;
        cursor.digits(1, 2)?;
        cursor.eat(|b| b == b':');
        cursor.digits(0, 2)?;
    }
    cursor.done().then_some(())?;
    let clock = hour < 24 && minute < 60 && second <= 60 || hour == 24 && minute == 0 && second == 0;
    Some((1..=12).contains(&month) && (1..=31).contains(&day) && clock)
}

/// Whether this has the shape of a date and, if so, whether the calendar has it.
fn date(bytes: &[u8]) -> Option<bool> {
    let mut cursor = Cursor { bytes, at: 0 };
    let year = cursor.digits(4, 4)?;
    cursor.eat(|b| b == b'-').then_some(())?;
    let month = cursor.digits(1, 2)?;
    cursor.eat(|b| b == b'-').then_some(())?;
    let day = cursor.digits(1, 2)?;
    (cursor.done() && month <= 12 && day <= 31).then_some(())?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 31,
    };
    Some(month >= 1 && day >= 1 && day <= days)
}

/// `12:30`, `12:30:45`, `1:30.5`: base sixty, the hours always first.
fn sexagesimal(text: &str) -> Option<Scalar<'_>> {
    let mut parts = text.split(':');
    let first = parts.next()?;
    let digits = first.strip_prefix(['-', '+']).unwrap_or(first);
    if !digits.starts_with(|c: char| c.is_ascii_digit())
        || !digits.bytes().all(|b| b.is_ascii_digit() || b == b'_')
    {
        return None;
    }
    let rest: Vec<&str> = parts.collect();
    if rest.is_empty() || rest.len() > 2 {
        return None;
    }
    let mut fraction = false;
    for (n, part) in rest.iter().enumerate() {
        let whole = match part.split_once('.') {
            Some((whole, decimals))
                if n + 1 == rest.len() && decimals.bytes().all(|b| b.is_ascii_digit() || b == b'_') =>
            {
                fraction = true;
                whole
            }
            Some(_) => return None,
            None => part,
        };
        let good = matches!(whole.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        if !good {
            return None;
        }
    }
    const WEIGHTS: [i64; 3] = [3600, 60, 1];
    let parts = std::iter::once(first).chain(rest.iter().copied()).zip(WEIGHTS);
    if fraction {
        return Some(Scalar::Float(parts.map(|(part, weight)| lenient_float(part) * weight as f64).sum()));
    }
    let mut sum = 0i64;
    for (part, weight) in parts {
        match lenient_integer(part).checked_mul(weight).and_then(|n| sum.checked_add(n)) {
            Some(n) => sum = n,
            None => return Some(Scalar::Float(f64::INFINITY)),
        }
    }
    Some(Scalar::Integer(sum))
}

/// Ruby's `to_i`: the leading digits, single underscores between them allowed.
fn lenient_integer(text: &str) -> i64 {
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'-') => (-1, &text[1..]),
        Some(b'+') => (1, &text[1..]),
        _ => (1, text),
    };
    let mut number = 0i64;
    for b in leading_digits(digits).bytes().filter(|b| *b != b'_') {
        number = number.saturating_mul(10).saturating_add(i64::from(b - b'0'));
    }
    sign * number
}

/// Ruby's `to_f` on digits with at most one dot.
fn lenient_float(text: &str) -> f64 {
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'-') => (-1.0, &text[1..]),
        Some(b'+') => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let whole = leading_digits(digits);
    let mut number = whole.replace('_', "");
    if let Some(decimals) = digits[whole.len()..].strip_prefix('.') {
        number.push('.');
        number.push_str(&leading_digits(decimals).replace('_', ""));
    }
    sign * number.parse().unwrap_or(0.0)
}

fn leading_digits(text: &str) -> &str {
    &text[..digit_run(text.as_bytes(), 10)]
}

fn is_float(bytes: &[u8]) -> bool {
    let mut cursor = Cursor { bytes, at: 0 };
    cursor.eat(|b| matches!(b, b'-' | b'+'));
    if cursor.eat(|b| b.is_ascii_digit()) {
        while cursor.eat(|b| b.is_ascii_digit() || matches!(b, b'_' | b',')) {}
    }
    if !cursor.eat(|b| b == b'.') {
        return false;
    }
    while cursor.eat(|b| b.is_ascii_digit()) {}
    if cursor.eat(|b| matches!(b, b'e' | b'E')) {
        return cursor.eat(|b| matches!(b, b'-' | b'+'))
            && cursor.digits(1, usize::MAX).is_some()
            && cursor.done();
    }
    cursor.done()
}

fn float(text: &str) -> Scalar<'_> {
    if matches!(text, "." | "+." | "-.") {
        return Scalar::Text;
    }
    let mut plain: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    if plain.ends_with('.') {
        plain.pop();
    }
    let plain = plain.replace(".e", "e").replace(".E", "E");
    let digits = plain.strip_prefix(['-', '+']).unwrap_or(&plain);
    match digits.parse::<f64>() {
        Ok(number) if !digits.starts_with(['e', 'E']) => {
            Scalar::Float(if plain.starts_with('-') { -number } else { number })
        }
        _ => Scalar::Refused(format!("invalid value for Float(): {plain:?}")),
    }
}

fn integer(text: &str) -> Option<Scalar<'_>> {
    let (negative, digits) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let all = |text: &str, wanted: fn(u8) -> bool| {
        !text.is_empty() && text.bytes().all(|b| wanted(b) || matches!(b, b'_' | b','))
    };
    let (radix, digits) = if let Some(bits) =
        digits.strip_prefix("0b").filter(|d| all(d, |b| matches!(b, b'0' | b'1')))
    {
        (2, bits)
    } else if let Some(octal) = digits.strip_prefix('0').filter(|d| all(d, |b| matches!(b, b'0'..=b'7'))) {
        (8, octal)
    } else if is_decimal(digits.as_bytes()) {
        (10, digits)
    } else if let Some(hex) = digits.strip_prefix("0x").filter(|d| all(d, |b| b.is_ascii_hexdigit())) {
        (16, hex)
    } else {
        return None;
    };
    let plain: String = digits.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    if plain.is_empty() {
        return Some(match radix {
            8 => Scalar::Integer(0),
            _ => Scalar::Refused(format!("invalid value for Integer(): {:?}", text.replace([',', '_'], ""))),
        });
    }
    let signed = if negative { format!("-{plain}") } else { plain };
    Some(match i64::from_str_radix(&signed, radix) {
        Ok(number) => Scalar::Integer(number),
        Err(_) => Scalar::Big,
    })
}

/// `0`, or digits that do not begin with zero, each comma or underscore followed by a digit.
fn is_decimal(bytes: &[u8]) -> bool {
    match bytes {
        b"0" => true,
        [b'1'..=b'9', rest @ ..] => {
            let mut cursor = Cursor { bytes: rest, at: 0 };
            while !cursor.done() {
                cursor.eat(|b| matches!(b, b',' | b'_'));
                if !cursor.eat(|b| b.is_ascii_digit()) {
                    return false;
                }
            }
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn psych_rules() {
        use Scalar::*;
        for (text, meaning) in [
            ("tRue", Boolean(true)),
            ("OFF", Boolean(false)),
            ("y", Text),
            ("~", Null),
            ("NULL", Null),
            ("017", Integer(15)),
            ("08", Text),
            ("0o17", Text),
            ("1_000", Integer(1000)),
            ("1,000", Integer(1000)),
            ("1__2", Text),
            ("1e3", Text),
            ("1.5e3", Text),
            ("1.5e+3", Float(1500.0)),
            ("1.", Float(1.0)),
            (".5", Float(0.5)),
            (".", Text),
            ("12:30", Integer(45000)),
            ("12:30:45", Integer(45045)),
            ("1:30.5", Float(5430.0)),
            ("-1:30", Integer(-1800)),
            ("2001-12-14", Date),
            ("2001-02-30", Text),
            ("2001-12-14 21:59:43", Time),
            (":sym", Symbol("sym")),
            (":", Text),
            ("0x1F", Integer(31)),
            ("18446744073709551616", Big),
            ("0xFFFFFFFFFFFFFFFF", Big),
        ] {
            assert_eq!(resolve(text), meaning, "{text}");
        }
    }
}
