//! Reading dates and times by a format, as Ruby's `strptime` does.

use kukla_syntax::{bail, diagnostic};

use super::{calendar, zones};
use crate::Result;
use crate::codes::{TIME_OUT_OF_RANGE, TIME_WITHOUT_YEAR};

/// The fields of a parsed text.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    year: Option<i64>,
    century: Option<i64>,
    month: Option<u8>,
    day: Option<u8>,
    year_day: Option<i64>,
    iso_year: Option<i64>,
    iso_week: Option<i64>,
    iso_day: Option<i64>,
    week_day: Option<i64>,
    sunday_week: Option<i64>,
    monday_week: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    afternoon: Option<bool>,
    epoch: Option<i64>,
    pub nanos: u32,
    pub zone: Option<String>,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// Reads the whole text; `None` if it does not fit or something is left over.
pub(super) fn parse(text: &str, format: &str) -> Option<Parsed> {
    let mut reader = Reader { rest: text, parsed: Parsed::default() };
    reader.directives(format)?;
    reader.rest.is_empty().then_some(reader.parsed)
}

struct Reader<'t> {
    rest: &'t str,
    parsed: Parsed,
}

impl Reader<'_> {
    fn directives(&mut self, format: &str) -> Option<()> {
        let mut format = format;
        while let Some(c) = format.chars().next() {
            format = &format[c.len_utf8()..];
            match c {
                '%' => {
                    let mut flags = format.trim_start_matches([':', 'E', 'O']);
                    if !format.starts_with(':') && format.len() - flags.len() > 1 {
                        flags = &format[1..];
                    }
                    let Some(directive) = flags.chars().next() else {
                        self.literal('%')?;
                        continue;
                    };
                    let before_number = starts_number(&flags[directive.len_utf8()..]);
                    if !format.starts_with(directive)
                        && !known_with_flag(&format[..format.len() - flags.len()], directive)
                    {
                        self.literal('%')?;
                        continue;
                    }
                    format = &flags[directive.len_utf8()..];
                    if self.directive(directive, before_number)?.is_none() {
                        self.literal('%')?;
                        self.literal(directive)?;
                    }
                }
                c if is_space(c) => self.spaces(),
                c => self.literal(c)?,
            }
        }
        Some(())
    }

    /// Reads one directive; the inner `None` says there is no such directive.
    fn directive(&mut self, directive: char, before_number: bool) -> Option<Option<()>> {
        match directive {
            'A' | 'a' => self.parsed.week_day = Some(self.name(&DAYS)? as i64),
            'B' | 'b' | 'h' => self.parsed.month = Some(self.name(&MONTHS)? as u8 + 1),
            'C' => self.parsed.century = Some(self.signed(if before_number { 2 } else { usize::MAX })?),
            'c' => self.directives("%a %b %e %H:%M:%S %Y")?,
            'D' | 'x' => self.directives("%m/%d/%y")?,
            'd' | 'e' => self.parsed.day = Some(self.padded(1, 31)? as u8),
            'F' => self.directives("%Y-%m-%d")?,
            'G' => self.parsed.iso_year = Some(self.signed(if before_number { 4 } else { usize::MAX })?),
            'g' => {
                let year = self.number(2, 0, 99)?;
                self.parsed.iso_year = Some(year);
                self.default_century(year);
            }
            'H' | 'k' => self.parsed.hour = Some(self.padded(0, 24)?),
            'I' | 'l' => self.parsed.hour = Some(self.padded(1, 12)?),
            'j' => self.parsed.year_day = Some(self.number(3, 1, 366)?),
            'L' => self.fraction(if before_number { 3 } else { usize::MAX })?,
            'M' => self.parsed.minute = Some(self.number(2, 0, 59)?),
            'm' => self.parsed.month = Some(self.number(2, 1, 12)? as u8),
            'N' => self.fraction(if before_number { 9 } else { usize::MAX })?,
            'n' | 't' => self.spaces(),
            'P' | 'p' => self.meridian()?,
            'Q' => {
                let millis = self.signed(usize::MAX)?;
                self.parsed.epoch = Some(millis.div_euclid(1000));
                self.parsed.nanos = millis.rem_euclid(1000) as u32 * 1_000_000;
            }
            'R' => self.directives("%H:%M")?,
            'r' => self.directives("%I:%M:%S %p")?,
            'S' => self.parsed.second = Some(self.number(2, 0, 60)?),
            's' => self.parsed.epoch = Some(self.signed(usize::MAX)?),
            'T' | 'X' => self.directives("%H:%M:%S")?,
            'U' => self.parsed.sunday_week = Some(self.number(2, 0, 53)?),
            'u' => self.parsed.iso_day = Some(self.number(1, 1, 7)?),
            'V' => self.parsed.iso_week = Some(self.number(2, 1, 53)?),
            'v' => self.directives("%e-%b-%Y")?,
            'W' => self.parsed.monday_week = Some(self.number(2, 0, 53)?),
            'w' => self.parsed.week_day = Some(self.number(1, 0, 6)?),
            'Y' => self.parsed.year = Some(self.signed(if before_number { 4 } else { usize::MAX })?),
            'y' => {
                let year = self.number(2, 0, 99)?;
                self.parsed.year = Some(year);
                self.default_century(year);
            }
            'Z' | 'z' => {
                let (_, rest) = zones::designator(self.rest)?;
                self.parsed.zone = Some(self.rest[..self.rest.len() - rest.len()].to_owned());
                self.rest = rest;
            }
            '%' => self.literal('%')?,
            '+' => self.directives("%a %b %e %H:%M:%S %Z %Y")?,
            _ => return Some(None),
        }
        Some(Some(()))
    }

    fn default_century(&mut self, year: i64) {
        self.parsed.century.get_or_insert(if year >= 69 { 19 } else { 20 });
    }

    fn literal(&mut self, c: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(c)?;
        Some(())
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_start_matches(is_space);
    }

    /// A full name or its first three letters, in any case.
    fn name(&mut self, names: &[&str]) -> Option<usize> {
        let starts =
            |text: &str| self.rest.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
        let at = names.iter().position(|name| starts(&name[..3]))?;
        let length = if starts(names[at]) { names[at].len() } else { 3 };
        self.rest = &self.rest[length..];
        Some(at)
    }

    fn digits(&mut self, width: usize) -> Option<&str> {
        let end = self.rest.bytes().take(width).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        (end > 0).then_some(digits)
    }

    fn number(&mut self, width: usize, min: i64, max: i64) -> Option<i64> {
        let number = self.digits(width)?.parse().ok()?;
        (min..=max).contains(&number).then_some(number)
    }

    /// Two digits, or a blank and one.
    fn padded(&mut self, min: i64, max: i64) -> Option<i64> {
        if let Some(rest) = self.rest.strip_prefix(' ') {
            self.rest = rest;
            return self.number(1, min, max);
        }
        self.number(2, min, max)
    }

    fn signed(&mut self, width: usize) -> Option<i64> {
        let negative = self.rest.starts_with('-');
        self.rest = self.rest.strip_prefix(['-', '+']).unwrap_or(self.rest);
        let number: i64 = self.digits(width)?.parse().ok()?;
        Some(if negative { -number } else { number })
    }

    fn fraction(&mut self, width: usize) -> Option<()> {
        self.rest = self.rest.strip_prefix(['-', '+']).unwrap_or(self.rest);
        let digits = self.digits(width)?;
        let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
        self.parsed.nanos = nine.parse().ok()?;
        Some(())
    }

    fn meridian(&mut self) -> Option<()> {
        let lower = self.rest.to_ascii_lowercase();
        let found = ["a.m.", "am", "p.m.", "pm"].iter().find(|word| lower.starts_with(**word))?;
        self.parsed.afternoon = Some(found.starts_with('p'));
        self.rest = &self.rest[found.len()..];
        Some(())
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

fn known_with_flag(flags: &str, directive: char) -> bool {
    match flags {
        "E" => matches!(directive, 'c' | 'C' | 'x' | 'X' | 'y' | 'Y'),
        "O" => matches!(
            directive,
            'd' | 'e' | 'H' | 'k' | 'I' | 'l' | 'm' | 'M' | 'S' | 'u' | 'U' | 'V' | 'w' | 'W' | 'y'
        ),
        _ => directive == 'z' && flags.len() <= 3 && flags.bytes().all(|flag| flag == b':'),
    }
}

/// Whether a format goes on with something that reads digits, so that what comes before must not read them all.
fn starts_number(format: &str) -> bool {
    let mut chars = format.chars();
    match chars.next() {
        Some(c) if c.is_ascii_digit() => true,
        Some('%') => {
            let mut directive = chars.next();
            if matches!(directive, Some('E' | 'O')) {
                directive = chars.next();
            }
            directive.is_some_and(|c| c.is_ascii_digit() || "CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy".contains(c))
        }
        _ => false,
    }
}

impl Parsed {
    /// Seconds since the epoch in UTC, before any zone is applied.
    pub(super) fn seconds(&self) -> Result<i64> {
        if let Some(epoch) = self.epoch {
            return Ok(epoch);
        }
        let day = self.day_number()?;
        let mut hour = self.hour.unwrap_or(0);
        if let Some(afternoon) = self.afternoon.filter(|_| self.hour.is_some()) {
            hour = hour % 12 + if afternoon { 12 } else { 0 };
        }
        let (minute, second) = (self.minute.unwrap_or(0), self.second.unwrap_or(0));
        if hour == 24 && (minute > 0 || second > 0) {
            bail!(TIME_OUT_OF_RANGE);
        }
        day.checked_mul(86_400)
            .and_then(|seconds| seconds.checked_add(hour * 3600 + minute * 60 + second))
            .ok_or_else(|| diagnostic!(TIME_OUT_OF_RANGE).into())
    }

    fn day_number(&self) -> Result<i64> {
        let whole = |year: i64| self.century.map_or(year, |century| century * 100 + year);
        let year = self.year.map(whole);
        if year.is_none()
            && let Some(iso_year) = self.iso_year
        {
            let week = self.iso_week.unwrap_or(1);
            let day = self.iso_day.or(self.week_day.map(|day| if day == 0 { 7 } else { day })).unwrap_or(1);
            return in_range(whole(iso_year))
                .map(|year| calendar::iso_year_start(year) + (week - 1) * 7 + day - 1);
        }
        let year = match year.or(self.century.map(|century| century * 100)) {
            Some(year) if self.year.is_some() => in_range(year)?,
            _ => bail!(TIME_WITHOUT_YEAR),
        };
        if let Some(year_day) = self.year_day {
            return Ok(calendar::days(year, 1, 1) + year_day - 1);
        }
        if self.month.is_none() && self.day.is_none() {
            let start = calendar::days(year, 1, 1);
            let first = i64::from(calendar::weekday(start));
            let sunday_day = self.week_day.or(self.iso_day.map(|day| day % 7));
            if let (Some(week), Some(day)) = (self.sunday_week, sunday_day) {
                return Ok(start - first + week * 7 + day - if first == 0 { 7 } else { 0 });
            }
            if let (Some(week), Some(day)) = (self.monday_week, sunday_day) {
                let monday = (first + 6) % 7;
                return Ok(start - monday + week * 7 + (day + 6) % 7 - if monday == 0 { 7 } else { 0 });
            }
        }
        // Days past the end of a short month run into the next, as Ruby's `Time.utc` has it.
        Ok(calendar::days(year, self.month.unwrap_or(1), 1) + i64::from(self.day.unwrap_or(1)) - 1)
    }
}

fn in_range(year: i64) -> Result<i64> {
    if year.abs() < 100_000_000_000 { Ok(year) } else { bail!(TIME_OUT_OF_RANGE) }
}
