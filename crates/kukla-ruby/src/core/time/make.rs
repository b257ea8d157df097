//! Making times: `Time.now`, `Time.at`, `Time.new`, `Time.utc`, `Time.local`.

use kukla_values::time::calendar;
use num_bigint::BigInt;
use num_traits::Zero;

use super::moment::{Moment, Zone};
use super::{make, moment_of, text};
use crate::args::Args;
use crate::class::{ClassId, Native, method};
use crate::core::numeric::parse;
use crate::core::numeric::tower::{Ratio, as_big, as_ratio};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{HashObject, Value};

/// Methods of the class itself.
pub const MAKE: &[Native] = &[
    method("now", 0, 1, now),
    method("at", 1, 4, at),
    method("new", 0, 8, new),
    method("utc", 1, 10, |ruby, this, args| civil(ruby, this, args.list, Zone::Utc)),
    method("gm", 1, 10, |ruby, this, args| civil(ruby, this, args.list, Zone::Utc)),
    method("local", 1, 10, |ruby, this, args| civil(ruby, this, args.list, Zone::Local)),
    method("mktime", 1, 10, |ruby, this, args| civil(ruby, this, args.list, Zone::Local)),
];

fn class(this: &Value) -> ClassId {
    match this {
        Value::Class(class) => *class,
        _ => ClassId::TIME,
    }
}

fn zone_keyword(ruby: &mut Ruby<'_>, keywords: Option<&HashObject>) -> Result<Option<Zone>> {
    let Some(keywords) = keywords else { return Ok(None) };
    ruby.refuse_keywords_except(keywords, &["in"])?;
    match ruby.keyword(keywords, "in") {
        None | Some(Value::Nil) => Ok(None),
        Some(zone) => zone_argument(ruby, &zone).map(Some),
    }
}

/// The zone that an offset means: `"+09:00"`, `"UTC"`, a military letter, or seconds.
pub fn zone_argument(ruby: &mut Ruby<'_>, value: &Value) -> Result<Zone> {
    if let Some(string) = ruby.maybe_string(value)? {
        let text = string.text().to_str_lossy().into_owned();
        return match zone_text(&text) {
            Some(zone) => Ok(zone),
            None if hours_beyond_a_day(&text) => Err(ruby.argument_error("utc_offset out of range")),
            None => Err(ruby.argument_error(format!(
                "\"+HH:MM\", \"-HH:MM\", \"UTC\" or \"A\"..\"I\",\"K\"..\"Z\" expected for utc_offset: {text}"
            ))),
        };
    }
    let offset = exact(ruby, value)?.floor();
    match i32::try_from(&offset) {
        Ok(offset) if (-86_399..=86_399).contains(&offset) => Ok(Zone::Offset(offset)),
        _ => Err(ruby.argument_error("utc_offset out of range")),
    }
}

/// Whether all that is wrong with an offset is that there are no such hours.
fn hours_beyond_a_day(text: &str) -> bool {
    let digits: String = text.chars().skip(1).filter(|c| *c != ':').collect();
    let hours = digits.get(..2).and_then(|hours| hours.parse::<u8>().ok());
    let rest = digits.get(2..).unwrap_or_default();
    text.starts_with(['+', '-'])
        && hours.is_some_and(|hours| hours > 23)
        && zone_text(&format!("+00{}{rest}", if text.contains(':') { ":" } else { "" })).is_some()
}

fn zone_text(text: &str) -> Option<Zone> {
    if matches!(text, "UTC" | "Z" | "-00:00") {
        return Some(Zone::Utc);
    }
    if let [letter @ b'A'..=b'Y'] = text.as_bytes() {
        let hours = match letter {
            b'A'..=b'I' => i32::from(letter - b'A') + 1,
            b'K'..=b'M' => i32::from(letter - b'K') + 10,
            b'N'..=b'Y' => -i32::from(letter - b'N') - 1,
            _ => return None,
        };
        return Some(Zone::Offset(hours * 3600));
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let parts: Vec<&str> = if rest.contains(':') {
        rest.split(':').collect()
    } else {
        (0..rest.len()).step_by(2).map(|at| rest.get(at..at + 2)).collect::<Option<Vec<_>>>()?
    };
    if parts.is_empty() || parts.len() > 3 {
        return None;
    }
    let mut seconds = 0;
    for (part, (most, unit)) in parts.iter().zip([(23, 3600), (59, 60), (59, 1)]) {
        if part.len() != 2 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number: i32 = part.parse().ok()?;
        if number > most {
            return None;
        }
        seconds += number * unit;
    }
    Some(Zone::Offset(sign * seconds))
}

/// An exact number of seconds. Text does not count as a number here.
pub fn exact(ruby: &mut Ruby<'_>, value: &Value) -> Result<Ratio> {
    if let Some(number) = as_big(value) {
        return Ok(Ratio::whole(number));
    }
    if let Some(ratio) = as_ratio(value) {
        return Ok((*ratio).clone());
    }
    match value {
        Value::Float(number) if number.is_finite() => return Ok(Ratio::of_float(*number)),
        Value::Float(number) => {
            ruby.float_to_integer(*number)?;
        }
        Value::Nil | Value::String(_) => {}
        value => {
            if let Some(answer) = ruby.try_send(value, sym::TO_R, &[])?
                && let Some(ratio) = as_ratio(&answer)
            {
                return Ok((*ratio).clone());
            }
            if let Some(answer) = ruby.try_send(value, sym::TO_INT, &[])?
                && let Some(number) = as_big(&answer)
            {
                return Ok(Ratio::whole(number));
            }
        }
    }
    let word = ruby.class_name_of(value);
    Err(ruby.type_error(format!("can't convert {word} into an exact number")))
}

fn now(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    if !rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(rest.len(), 0));
    }
    let zone = zone_keyword(ruby, keywords.map(|hash| &**hash))?.unwrap_or(Zone::Local);
    let nanos = ruby.now()?;
    let seconds = Ratio::new(BigInt::from(nanos), BigInt::from(1_000_000_000));
    Ok(make(class(this), Moment { seconds, zone }))
}

fn at(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    if rest.is_empty() {
        return Err(ruby.wrong_number_of_arguments(0, "1..3"));
    }
    if rest.is_empty() || rest.len() > 3 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), "1..3"));
    }
    let zone = zone_keyword(ruby, keywords.map(|hash| &**hash))?;
    if rest.len() == 1
        && let Some(moment) = moment_of(&rest[0])
    {
        let zone = zone.unwrap_or(moment.zone);
        return Ok(make(class(this), Moment { zone, ..moment }));
    }
    if rest.len() > 1 && moment_of(&rest[0]).is_some() {
        return Err(ruby.type_error("can't convert Time into an exact number"));
    }
    let mut seconds = exact(ruby, &rest[0])?;
    if let Some(part) = rest.get(1) {
        let unit = match rest.get(2) {
            None => 1_000_000,
            Some(unit) => {
                let name = if let Value::Symbol(symbol) = unit { ruby.name(*symbol) } else { "" };
                match name {
                    "millisecond" => 1000,
                    "usec" | "microsecond" => 1_000_000,
                    "nsec" | "nanosecond" => 1_000_000_000,
                    _ => {
                        let shown = ruby.display(unit)?;
                        let message = format!("unexpected unit: {}", shown.to_str_lossy());
                        return Err(ruby.argument_error(message));
                    }
                }
            }
        };
        let part = exact(ruby, part)?;
        seconds = seconds.add(&part.divide(&Ratio::whole(BigInt::from(unit))));
    }
    Ok(make(class(this), Moment { seconds, zone: zone.unwrap_or(Zone::Local) }))
}

fn new(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    if rest.len() > 7 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), "0..7"));
    }
    let mut precision = Some(9);
    let mut zone = None;
    if let Some(keywords) = keywords {
        ruby.refuse_keywords_except(keywords, &["in", "precision"])?;
        if let Some(given) = ruby.keyword(keywords, "in").filter(|given| !given.is_nil()) {
            zone = Some(zone_argument(ruby, &given)?);
        }
        precision = match ruby.keyword(keywords, "precision") {
            None => precision,
            Some(Value::Nil) => None,
            Some(digits) => usize::try_from(ruby.to_int(&digits)?).ok(),
        };
    }
    if let [Value::String(string)] = rest {
        let source = string.text().to_str_lossy().into_owned();
        if let Some(written) = text::read(ruby, &source, precision)? {
            let zone = match written.zone {
                Some(name) => zone_argument(ruby, &Value::str(name))?,
                None => zone.unwrap_or(Zone::Local),
            };
            let made = civil(ruby, this, &written.parts, zone)?;
            ruby.call(&made, sym::INITIALIZE, args)?;
            return Ok(made);
        }
    }
    if let Some(given) = rest.get(6).filter(|given| !given.is_nil()) {
        if zone.is_some() {
            return Err(ruby.argument_error("timezone argument given as positional and keyword arguments"));
        }
        zone = Some(zone_argument(ruby, given)?);
    }
    let zone = zone.unwrap_or(Zone::Local);
    let made = if rest.is_empty() {
        let nanos = ruby.now()?;
        make(
            class(this),
            Moment { seconds: Ratio::new(BigInt::from(nanos), BigInt::from(1_000_000_000)), zone },
        )
    } else {
        civil(ruby, this, rest.get(..6.min(rest.len())).unwrap_or(rest), zone)?
    };
    ruby.call(&made, sym::INITIALIZE, args)?;
    Ok(made)
}

/// A part of a date or time, as an integer or as text that is one.
fn part(ruby: &mut Ruby<'_>, value: &Value) -> Result<i64> {
    if let Value::String(string) = value {
        let bytes = string.text().as_bytes().to_vec();
        return match parse::integer(&bytes, 10, true).and_then(|number| i64::try_from(&number).ok()) {
            Some(number) => Ok(number),
            None => {
                let shown = ruby.inspect(value)?;
                let message = format!("invalid value for Integer(): {}", shown.to_str_lossy());
                Err(ruby.argument_error(message))
            }
        };
    }
    if value.is_nil() {
        return Err(ruby.type_error("no implicit conversion of nil into Integer"));
    }
    ruby.to_int(value)
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A time from year, month, day, hour, minute, second and microseconds, or from the ten that `to_a` gives.
fn civil(ruby: &mut Ruby<'_>, this: &Value, list: &[Value], zone: Zone) -> Result {
    let reordered;
    let list = match list {
        [second, minute, hour, day, month, year, _, _, _, _] => {
            reordered = [year, month, day, hour, minute, second].map(Clone::clone);
            &reordered[..]
        }
        list if list.len() > 8 => return Err(ruby.wrong_number_of_arguments(list.len(), "1..8")),
        list => list,
    };
    let given = |at: usize| list.get(at).filter(|value| !value.is_nil());
    let year = part(ruby, list.first().unwrap_or(&Value::Nil))?;
    if year.abs() > 100_000_000_000 {
        return Err(ruby.argument_error("year too big to marshal"));
    }
    let month = match given(1) {
        None => 1,
        Some(month) => {
            let name = match ruby.maybe_string(month)? {
                Some(name) => name.text().to_str_lossy().to_ascii_lowercase(),
                None => String::new(),
            };
            match MONTHS.iter().position(|known| *known == name) {
                Some(at) => at as i64 + 1,
                None if !name.is_empty() => part(ruby, &Value::str(name))?,
                None => part(ruby, month)?,
            }
        }
    };
    // What does not even fit the bits that Ruby has for a part is refused first, and in other words.
    let mut parts = [month, 1, 0, 0];
    for (at, (number, bits)) in parts.iter_mut().zip([4, 5, 5, 6]).enumerate() {
        if at > 0
            && let Some(value) = given(at + 1)
        {
            *number = part(ruby, value)?;
        }
        if !(0..1 << bits).contains(number) {
            return Err(ruby.argument_error("argument out of range"));
        }
    }
    let [month, day, hour, minute] = parts;
    let most_minutes = if hour == 24 { 0 } else { 59 };
    let limits = [
        (month, 1, 12, "mon"),
        (day, 1, 31, "mday"),
        (hour, 0, 24, "hour"),
        (minute, 0, most_minutes, "min"),
    ];
    for (number, least, most, name) in limits {
        if !(least..=most).contains(&number) {
            return Err(ruby.argument_error(format!("{name} out of range")));
        }
    }
    let second = match given(5) {
        None => Ratio::whole(BigInt::zero()),
        Some(text @ Value::String(_)) => Ratio::whole(BigInt::from(part(ruby, text)?)),
        Some(second) => exact(ruby, second)?,
    };
    let most = Ratio::whole(BigInt::from(if hour == 24 { 1 } else { 61 }));
    if second < Ratio::whole(BigInt::zero()) || second >= most {
        let fits = second >= Ratio::whole(BigInt::zero()) && second < Ratio::whole(BigInt::from(64));
        return Err(ruby.argument_error(if fits { "sec out of range" } else { "argument out of range" }));
    }
    // Microseconds of their own take the place of a fraction of the second.
    let second = if given(6).is_some() { Ratio::whole(second.floor()) } else { second };
    let micros = match given(6) {
        None => Ratio::whole(BigInt::zero()),
        Some(text @ Value::String(_)) => Ratio::whole(BigInt::from(part(ruby, text)?)),
        Some(micros) => exact(ruby, micros)?,
    };
    let million = Ratio::whole(BigInt::from(1_000_000));
    if micros < Ratio::whole(BigInt::zero()) || micros >= million {
        return Err(ruby.argument_error("subsecx out of range"));
    }
    // A day that the month does not have is one of the next month.
    let days = calendar::days(year, month as u8, 1) + day - 1;
    let whole = days * 86_400 + hour * 3600 + minute * 60 - i64::from(zone.offset());
    let seconds = Ratio::whole(BigInt::from(whole)).add(&second).add(&micros.divide(&million));
    Ok(make(class(this), Moment { seconds, zone }))
}
