//! `Time.new` of a text: `2020-12-25 00:56:17.5 +09:00`.

use num_bigint::BigInt;

use crate::core::numeric::tower::Ratio;
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::value::Value;

/// The fields of a time in a text.
pub(super) struct Written<'t> {
    /// Year, month, day, hour, minute and second.
    pub parts: Vec<Value>,
    /// The offset at its end, if there is one.
    pub zone: Option<&'t str>,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn digits(&mut self) -> &'t str {
        let rest = self.rest();
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        rest.get(..count).unwrap_or_default()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        self.at += usize::from(found);
        found
    }

    /// The next characters from a place on, for messages.
    fn excerpt(&self, from: usize, most: usize) -> &'t str {
        let rest = self.text.get(from..).unwrap_or_default();
        let end = rest.char_indices().nth(most).map_or(rest.len(), |(at, _)| at);
        rest.get(..end).unwrap_or_default()
    }

    /// A number of two digits behind a mark.
    fn two(&mut self, ruby: &mut Ruby<'_>, mark: char, name: &str) -> Result<Value> {
        let from = self.at.saturating_sub(1);
        let digits = self.digits();
        match digits.parse::<i64>() {
            Ok(number) if digits.len() == 2 => Ok(Value::Int(number)),
            _ => {
                let after =
                    if mark == ':' || mark == '-' { format!(" after `{mark}'") } else { String::new() };
                let shown = self.excerpt(from, 10);
                Err(ruby.argument_error(format!("two digits {name} is expected{after}: {shown}")))
            }
        }
    }
}

/// Reads a time; a text of digits alone is a year and not read here.
pub(super) fn read<'t>(
    ruby: &mut Ruby<'_>,
    text: &'t str,
    precision: Option<usize>,
) -> Result<Option<Written<'t>>> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let mut reader = Reader { text, at: 0 };
    let year = reader.digits();
    if year.is_empty() {
        return Err(unreadable(ruby, text));
    }
    if year.len() < 4 {
        return Err(ruby.argument_error(format!("year must be 4 or more digits: {year}")));
    }
    let Ok(year) = year.parse::<i64>() else { return Err(unreadable(ruby, text)) };
    let mut parts = vec![Value::Int(year)];
    for name in ["mon", "mday"] {
        if !reader.take('-') {
            return Err(ruby.argument_error("no time information"));
        }
        parts.push(reader.two(ruby, '-', name)?);
    }
    if !reader.take(' ') && !reader.take('T') {
        return Err(ruby.argument_error("no time information"));
    }
    let clock = reader.at;
    parts.push(reader.two(ruby, ' ', "hour")?);
    for (name, before) in [("min", "hour"), ("sec", "min")] {
        if !reader.take(':') {
            let shown = reader.excerpt(clock, reader.at - clock + 1);
            let message = if reader.rest().starts_with('.') {
                format!("fraction {before} is not supported: {shown}")
            } else {
                format!("missing {name} part: {shown}")
            };
            return Err(ruby.argument_error(message));
        }
        parts.push(reader.two(ruby, ':', name)?);
    }
    if reader.take('.') {
        let digits = reader.digits();
        if digits.is_empty() {
            let shown = reader.excerpt(clock, reader.at - clock + 1);
            return Err(ruby.argument_error(format!("subsecond expected after dot: {shown}")));
        }
        let digits = precision.and_then(|most| digits.get(..most)).unwrap_or(digits);
        ruby.charge(digits.len() as u64 / 8)?;
        if let (Some(Value::Int(second)), Ok(number)) = (parts.pop(), format!("0{digits}").parse::<BigInt>())
        {
            let unit = BigInt::from(10).pow(digits.len() as u32);
            parts.push(Ratio::new(BigInt::from(second) * &unit + number, unit).into_value());
        }
    }
    let zone = reader.rest();
    let zone = match zone.strip_prefix(' ') {
        Some(zone) => zone.trim_start_matches(' '),
        None => zone,
    };
    let behind = reader.rest();
    if behind.is_empty() {
        return Ok(Some(Written { parts, zone: None }));
    }
    if zone.is_empty() || zone.contains(char::is_whitespace) {
        return Err(ruby.argument_error(format!("can't parse at: {behind}")));
    }
    Ok(Some(Written { parts, zone: Some(zone) }))
}

fn unreadable(ruby: &mut Ruby<'_>, text: &str) -> Box<Unwind> {
    match ruby.inspect(&Value::str(text)) {
        Ok(shown) => ruby.argument_error(format!("can't parse: {}", shown.to_str_lossy())),
        Err(unwind) => unwind,
    }
}
