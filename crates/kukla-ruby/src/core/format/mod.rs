//! `format`, `sprintf` and `String#%`: directives and arguments; [`FormatField`] lays out what they show.

mod float;
mod integer;

use std::rc::Rc;

use kukla_values::format::FormatField;

use crate::args::Args;
use crate::class::{ANY, Native, method, private};
use crate::core::encoding;
use crate::core::string::common_encoding;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::{HashObject, Value};

/// Functions of `Kernel`.
pub(crate) const KERNEL_METHODS: &[Native] =
    &[private("format", 1, ANY, format_function), private("sprintf", 1, ANY, format_function)];

/// Methods of `String`.
pub(crate) const STRING_METHODS: &[Native] = &[method("%", 1, 1, percent)];

/// The largest field.
const WIDEST: usize = 1 << 28;

fn format_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let template = ruby.to_text(&args[0])?;
    Ok(Value::str(format(ruby, &template, &args.list[1..])?))
}

fn percent(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let template = ruby.to_text(this)?;
    let list = match ruby.maybe_array(&args[0])? {
        Some(array) => array.to_vec(),
        None => vec![args[0].clone()],
    };
    Ok(Value::str(format(ruby, &template, &list)?))
}

/// Text filled up to the width with blanks.
fn padded(field: &FormatField, text: Text) -> Text {
    let missing = field.fill(text.chars_count());
    if missing == 0 {
        return text;
    }
    let blanks = vec![b' '; missing];
    let bytes = if field.minus { [&text[..], &blanks].concat() } else { [&blanks, &text[..]].concat() };
    text.with_bytes(bytes)
}

/// How arguments have been named so far; ways do not mix.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    Unknown,
    InOrder(usize),
    Numbered,
    Named,
}

struct Arguments<'a> {
    list: &'a [Value],
    way: Way,
    hash: Option<Rc<HashObject>>,
}

impl Arguments<'_> {
    fn next(&mut self, ruby: &mut Ruby<'_>) -> Result {
        let number = match self.way {
            Way::Unknown => 0,
            Way::InOrder(last) => last,
            Way::Numbered => return Err(ruby.argument_error("unnumbered(1) mixed with numbered")),
            Way::Named => return Err(ruby.argument_error("unnumbered(1) mixed with named")),
        };
        self.way = Way::InOrder(number + 1);
        match self.list.get(number) {
            Some(value) => Ok(value.clone()),
            None => Err(ruby.argument_error("too few arguments")),
        }
    }

    fn numbered(&mut self, ruby: &mut Ruby<'_>, number: i64) -> Result {
        match self.way {
            Way::InOrder(last) => {
                return Err(ruby.argument_error(format!("numbered({number}) after unnumbered({last})")));
            }
            Way::Named => return Err(ruby.argument_error(format!("numbered({number}) after named"))),
            Way::Unknown | Way::Numbered => {}
        }
        if number < 1 {
            return Err(ruby.argument_error(format!("invalid index - {number}$")));
        }
        self.way = Way::Numbered;
        match self.list.get(number as usize - 1) {
            Some(value) => Ok(value.clone()),
            None => Err(ruby.argument_error("too few arguments")),
        }
    }

    fn named(&mut self, ruby: &mut Ruby<'_>, name: &str, shown: &str) -> Result {
        match self.way {
            Way::InOrder(last) => {
                return Err(ruby.argument_error(format!("named{shown} after unnumbered({last})")));
            }
            Way::Numbered => return Err(ruby.argument_error(format!("named{shown} after numbered"))),
            Way::Unknown | Way::Named => {}
        }
        self.way = Way::Named;
        let hash = match &self.hash {
            Some(hash) => hash.clone(),
            None => {
                let hash = match self.list {
                    [only] => ruby.maybe_hash(only)?,
                    _ => None,
                };
                let Some(hash) = hash else { return Err(ruby.argument_error("one hash required")) };
                self.hash = Some(hash.clone());
                hash
            }
        };
        let key = ruby.symbol(name);
        if let Some(value) = ruby.hash_get(&hash, &key)? {
            return Ok(value);
        }
        let default = ruby.symbols.intern("default");
        let value = ruby.send(&Value::Hash(hash.clone()), default, std::slice::from_ref(&key))?;
        if value.is_nil() {
            return Err(ruby.key_error(format!("key{shown} not found"), &Value::Hash(hash), &key));
        }
        Ok(value)
    }
}

/// Reads a template and fills it.
struct Formatter<'t, 'a> {
    template: &'t Text,
    at: usize,
    arguments: Arguments<'a>,
    out: Text,
}

/// Fills a template with arguments.
pub(crate) fn format(ruby: &mut Ruby<'_>, template: &Text, list: &[Value]) -> Result<Text> {
    ruby.charge(1 + template.len() as u64 / 16)?;
    let mut formatter = Formatter {
        template,
        at: 0,
        arguments: Arguments { list, way: Way::Unknown, hash: None },
        out: Text::new(Vec::with_capacity(template.len() + 16), template.encoding()),
    };
    formatter.run(ruby)?;
    Ok(formatter.out)
}

impl Formatter<'_, '_> {
    fn run(&mut self, ruby: &mut Ruby<'_>) -> Result<()> {
        loop {
            let rest = &self.template[self.at..];
            match memchr::memchr(b'%', rest) {
                None => {
                    let text = self.template.slice(self.at..self.template.len());
                    self.out.push_text(&text);
                    return Ok(());
                }
                Some(len) => {
                    let text = self.template.slice(self.at..self.at + len);
                    self.out.push_text(&text);
                    self.at += len + 1;
                    self.directive(ruby)?;
                    ruby.grown(self.out.len())?;
                }
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.template.get(self.at).copied()
    }

    /// The number written here, if there is one.
    fn number(&mut self, ruby: &mut Ruby<'_>, what: &str) -> Result<i64> {
        let mut number: i64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number * 10 + i64::from(digit - b'0');
            if number > i64::from(i32::MAX) {
                return Err(ruby.argument_error(format!("{what} too big")));
            }
            self.at += 1;
        }
        if self.peek().is_none() {
            return Err(ruby.argument_error("malformed format string - %*[0-9]"));
        }
        Ok(number)
    }

    /// The number that `*` or `*2$` takes from the arguments.
    fn star(&mut self, ruby: &mut Ruby<'_>, what: &str) -> Result<i64> {
        let start = self.at;
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            let number = self.number(ruby, what)?;
            if self.peek() == Some(b'$') {
                self.at += 1;
                let value = self.arguments.numbered(ruby, number)?;
                return ruby.to_int(&value);
            }
            self.at = start;
        }
        let value = self.arguments.next(ruby)?;
        ruby.to_int(&value)
    }

    fn directive(&mut self, ruby: &mut Ruby<'_>) -> Result<()> {
        let mut field = FormatField::default();
        let mut value: Option<Value> = None;
        let mut name: Option<String> = None;
        let mut any_flag = false;
        loop {
            let Some(byte) = self.peek() else {
                return Err(ruby.argument_error("incomplete format specifier; use %% (double %) instead"));
            };
            self.at += 1;
            match byte {
                b' ' | b'#' | b'+' | b'-' | b'0' => {
                    if field.precision.is_some() {
                        return Err(ruby.argument_error("flag after precision"));
                    }
                    if field.width.is_some() {
                        return Err(ruby.argument_error("flag after width"));
                    }
                    any_flag = true;
                    field.set_flag(char::from(byte));
                    if self.peek().is_none() {
                        return Err(ruby.argument_error("invalid format character - %"));
                    }
                }
                b'1'..=b'9' => {
                    self.at -= 1;
                    let number = self.number(ruby, "width")?;
                    if self.peek() == Some(b'$') {
                        self.at += 1;
                        if value.is_some() {
                            return Err(ruby.argument_error(format!("value given twice - {number}$")));
                        }
                        value = Some(self.arguments.numbered(ruby, number)?);
                    } else {
                        self.set_width(ruby, &mut field, number)?;
                    }
                }
                b'*' => {
                    if field.width.is_some() {
                        return Err(ruby.argument_error("width given twice"));
                    }
                    if field.precision.is_some() {
                        return Err(ruby.argument_error("width after precision"));
                    }
                    let width = self.star(ruby, "width")?;
                    if width < 0 {
                        field.minus = true;
                    }
                    self.set_width(ruby, &mut field, width.saturating_abs())?;
                }
                b'.' => {
                    if field.precision.is_some() {
                        return Err(ruby.argument_error("precision given twice"));
                    }
                    if self.peek() == Some(b'*') {
                        self.at += 1;
                        let precision = self.star(ruby, "precision")?;
                        field.precision = usize::try_from(precision).ok();
                    } else {
                        field.precision = usize::try_from(self.number(ruby, "precision")?).ok();
                    }
                    if field.precision.is_some_and(|precision| precision > WIDEST) {
                        return Err(ruby.argument_error("precision too big"));
                    }
                }
                b'<' | b'{' => {
                    let close = if byte == b'<' { b'>' } else { b'}' };
                    let Some(len) = memchr::memchr(close, &self.template[self.at..]) else {
                        return Err(ruby.argument_error("malformed name - unmatched parenthesis"));
                    };
                    let inner = String::from_utf8_lossy(&self.template[self.at..self.at + len]).into_owned();
                    let shown = format!("{}{inner}{}", char::from(byte), char::from(close));
                    self.at += len + 1;
                    if let Some(before) = &name {
                        return Err(ruby.argument_error(format!("named{shown} after <{before}>")));
                    }
                    let found = self.arguments.named(ruby, &inner, &shown)?;
                    name = Some(inner);
                    if byte == b'{' {
                        return self.text(ruby, &field, &found, false);
                    }
                    value = Some(found);
                }
                b'%' | b'\n' | 0 => {
                    let plain =
                        !any_flag && field.width.is_none() && field.precision.is_none() && value.is_none();
                    if !plain {
                        return Err(ruby.argument_error("invalid format character - %"));
                    }
                    self.out.push_str("%");
                    if byte != b'%' {
                        self.at -= 1;
                    }
                    return Ok(());
                }
                letter => return self.convert(ruby, field, letter, value),
            }
        }
    }

    fn set_width(&self, ruby: &mut Ruby<'_>, field: &mut FormatField, width: i64) -> Result<()> {
        if field.width.is_some() {
            return Err(ruby.argument_error("width given twice"));
        }
        if field.precision.is_some() {
            return Err(ruby.argument_error("width after precision"));
        }
        let width = usize::try_from(width).ok().filter(|width| *width <= WIDEST);
        if width.is_none() {
            return Err(ruby.argument_error("width too big"));
        }
        field.width = width;
        Ok(())
    }

    fn convert(
        &mut self,
        ruby: &mut Ruby<'_>,
        field: FormatField,
        letter: u8,
        value: Option<Value>,
    ) -> Result<()> {
        if !b"diubBoxXfeEgGaAcsp".contains(&letter) {
            let bytes = &self.template[self.at - 1..];
            let len = self.template.encoding().char_len(bytes);
            let shown = String::from_utf8_lossy(&bytes[..len]).into_owned();
            return Err(ruby.argument_error(format!("malformed format string - %{shown}")));
        }
        let value = match value {
            Some(value) => value,
            None => self.arguments.next(ruby)?,
        };
        let size = field.fill(0).saturating_add(field.precision.unwrap_or(0));
        ruby.charge(1 + size as u64 / 16)?;
        ruby.grown(size)?;
        match letter {
            b's' | b'p' => self.text(ruby, &field, &value, letter == b'p'),
            b'c' => {
                let char = self.character(ruby, &value)?;
                let char = padded(&field, char);
                self.push(ruby, &char)
            }
            b'd' | b'i' | b'u' | b'b' | b'B' | b'o' | b'x' | b'X' => {
                let number = integer::argument(ruby, &value)?;
                let mut shown = String::new();
                field.push_integer(char::from(letter), &number, &mut shown);
                self.out.push_str(&shown);
                Ok(())
            }
            _ => {
                let shown = float::show(ruby, &field, letter, &value)?;
                self.out.push_str(&shown);
                Ok(())
            }
        }
    }

    fn character(&self, ruby: &mut Ruby<'_>, value: &Value) -> Result<Text> {
        if let Some(string) = ruby.maybe_string(value)? {
            let text = string.text();
            if text.chars_count() != 1 {
                return Err(ruby.argument_error("%c requires a character"));
            }
            return Ok(text.slice(0..text.char_len_at(0)));
        }
        let code = ruby.to_int(value)?;
        if i32::try_from(code).is_err() {
            let size = if code < 0 { "small" } else { "big" };
            return Err(ruby.range_error(format!("integer {code} too {size} to convert to `int'")));
        }
        // Two numbers that no character has stand for bytes that no text in UTF-8 has.
        if (-2..0).contains(&code) && self.out.encoding() == Encoding::Utf8 {
            return Ok(Text::new(vec![code as u8], Encoding::Utf8));
        }
        if !(0..=0x10_ffff).contains(&code) {
            return Err(ruby.argument_error("invalid character"));
        }
        encoding::char_text(ruby, code, self.out.encoding())
    }

    fn text(&mut self, ruby: &mut Ruby<'_>, field: &FormatField, value: &Value, inspect: bool) -> Result<()> {
        let mut text = if inspect { ruby.inspect(value)? } else { ruby.display(value)? };
        if let Some(precision) = field.precision
            && let Some(end) = text.byte_of_char(precision)
        {
            text = text.slice(0..end);
        }
        let text = padded(field, text);
        self.push(ruby, &text)
    }

    fn push(&mut self, ruby: &mut Ruby<'_>, text: &Text) -> Result<()> {
        let encoding = common_encoding(ruby, &self.out, text)?;
        self.out.push_text(text);
        self.out.set_encoding(encoding);
        Ok(())
    }
}
