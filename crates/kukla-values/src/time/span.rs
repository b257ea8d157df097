//! Lengths of time as text: `%D-%H:%M:%S.%N`.

use std::fmt;

use kukla_syntax::{bail, diagnostic};

use super::{NANOS, Timespan};
use crate::codes::{
    BAD_SPAN_FORMAT, FORMAT_PART_TOO_BIG, FRACTION_WITHOUT_SECONDS, TIME_IN_NO_FORMAT, TIME_NOT_IN_FORMAT,
    TIME_OUTSIDE_RANGE,
};
use crate::regexp::{self, Regexp};
use crate::{Error, Result};

/// Tried in this order when no format is given. The last is Kukla's own: the founding documents read `13:20` as hours and
/// minutes, which no other format accepts.
const DEFAULTS: [&str; 9] = [
    "%D-%H:%M:%S.%-N",
    "%H:%M:%S.%-N",
    "%M:%S.%-N",
    "%S.%-N",
    "%D-%H:%M:%S",
    "%H:%M:%S",
    "%D-%H:%M",
    "%S",
    "%H:%M",
];

const MINUTE: i128 = 60 * NANOS;
const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;

/// A format for lengths of time, read once.
#[derive(Clone, Debug)]
pub struct SpanFormat {
    text: String,
    segments: Vec<Segment>,
}

#[derive(Clone, Debug)]
enum Segment {
    Literal(String),
    Field { unit: Unit, pad: Pad, width: Option<usize>, total: bool },
}

/// The unit of a directive, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Nanos,
    Millis,
    Seconds,
    Minutes,
    Hours,
    Days,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pad {
    None,
    Space,
    Zero,
}

impl Unit {
    fn of(directive: char) -> Option<Unit> {
        Some(match directive {
            'D' => Unit::Days,
            'H' => Unit::Hours,
            'M' => Unit::Minutes,
            'S' => Unit::Seconds,
            'L' => Unit::Millis,
            'N' => Unit::Nanos,
            _ => return None,
        })
    }

    fn width(self) -> usize {
        match self {
            Unit::Days => 1,
            Unit::Hours | Unit::Minutes | Unit::Seconds => 2,
            Unit::Millis => 3,
            Unit::Nanos => 9,
        }
    }

    /// The nanoseconds in one, and how many make the next larger unit.
    fn size(self) -> (i128, i128) {
        match self {
            Unit::Days => (DAY, i128::MAX),
            Unit::Hours => (HOUR, 24),
            Unit::Minutes => (MINUTE, 60),
            Unit::Seconds => (NANOS, 60),
            Unit::Millis => (1_000_000, 1000),
            Unit::Nanos => (1, NANOS),
        }
    }
}

impl SpanFormat {
    /// Reads a format; the largest unit in it will hold all that larger units would.
    pub fn parse(text: &str) -> Result<SpanFormat> {
        super::check_widths(text)?;
        let bad = |start: usize, at: usize| {
            let part: String = text.chars().skip(start).take(at - start).collect();
            diagnostic!(BAD_SPAN_FORMAT { specifier: part, format: text, position: at })
        };
        let mut segments: Vec<Segment> = Vec::new();
        let literal = |segments: &mut Vec<Segment>, c: char| match segments.last_mut() {
            Some(Segment::Literal(text)) => text.push(c),
            _ => segments.push(Segment::Literal(c.into())),
        };
        let mut chars = text.chars().enumerate().peekable();
        while let Some((start, c)) = chars.next() {
            let mut last = start;
            if c != '%' {
                literal(&mut segments, c);
                continue;
            }
            let (mut pad, mut width, mut flagged) = (Pad::Zero, None::<usize>, false);
            loop {
                let Some((at, c)) = chars.next() else { return Err(bad(start, last).into()) };
                last = at;
                match c {
                    '%' => literal(&mut segments, c),
                    '-' | '_' if flagged => return Err(bad(start, at).into()),
                    '-' | '_' => {
                        pad = if c == '-' { Pad::None } else { Pad::Space };
                        flagged = true;
                        continue;
                    }
                    '0' if !flagged => {
                        flagged = true;
                        continue;
                    }
                    '0'..='9' => {
                        let digit = c.to_digit(10).unwrap_or(0) as usize;
                        let wider = width.unwrap_or(0) * 10 + digit;
                        width = Some(wider);
                        if wider > super::WIDEST {
                            bail!(FORMAT_PART_TOO_BIG { part: "width" });
                        }
                        flagged = true;
                        continue;
                    }
                    _ => match Unit::of(c) {
                        Some(unit) => segments.push(Segment::Field { unit, pad, width, total: false }),
                        None => return Err(bad(start, at).into()),
                    },
                }
                break;
            }
        }
        let largest = segments.iter().filter_map(Segment::unit).max();
        let first = segments.iter_mut().find(|segment| segment.unit() == largest && largest.is_some());
        if let Some(Segment::Field { total, .. }) = first {
            *total = true;
        }
        Ok(SpanFormat { text: text.into(), segments })
    }

    /// Reads a length of time.
    pub fn read(&self, text: &str) -> Result<Timespan> {
        let refuse = || Error::from(diagnostic!(TIME_NOT_IN_FORMAT { text, format: self.text }));
        let pattern: String = self.segments.iter().map(Segment::pattern).collect();
        let regexp = Regexp::new(&format!(r"\A-?{pattern}\z"))?;
        let captures = regexp.captures(text)?.ok_or_else(refuse)?;
        let mut nanos = Some(0i128);
        let fields = self.segments.iter().filter_map(|segment| match segment {
            Segment::Field { unit, total, .. } => Some((unit, total)),
            Segment::Literal(_) => None,
        });
        for (at, (unit, total)) in fields.enumerate() {
            let digits = captures.get(at + 1).unwrap_or_default().trim_start();
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(refuse());
            }
            let number: Option<i128> = digits.parse().ok();
            let part = match unit {
                Unit::Millis | Unit::Nanos if *total => {
                    bail!(FRACTION_WITHOUT_SECONDS);
                }
                Unit::Millis | Unit::Nanos => {
                    let scale = 10i128.pow(9u32.saturating_sub(digits.len() as u32));
                    number.and_then(|number| number.checked_mul(scale))
                }
                _ => number.and_then(|number| number.checked_mul(unit.size().0)),
            };
            nanos = nanos.zip(part).and_then(|(nanos, part)| nanos.checked_add(part));
        }
        Timespan::within(nanos.map(|nanos| if text.starts_with('-') { -nanos } else { nanos }))
    }

    /// Writes a length of time.
    pub fn write(&self, span: Timespan) -> String {
        let nanos = span.nanos();
        let mut out = String::from(if nanos < 0 { "-" } else { "" });
        for segment in &self.segments {
            segment.write(nanos.saturating_abs(), &mut out);
        }
        out
    }
}

impl Segment {
    fn unit(&self) -> Option<Unit> {
        match self {
            Segment::Field { unit, .. } => Some(*unit),
            Segment::Literal(_) => None,
        }
    }

    fn pattern(&self) -> String {
        match self {
            Segment::Literal(text) => regexp::escape(text),
            Segment::Field { unit, pad, width: None, total } => match (pad, total) {
                (Pad::Space, true) => r"\s*([0-9]+)".into(),
                (Pad::Space, false) => format!(r"([0-9\s]{{1,{}}})", unit.width()),
                (_, true) => "([0-9]+)".into(),
                (_, false) => format!("([0-9]{{1,{}}})", unit.width()),
            },
            Segment::Field { pad, width: Some(width), .. } => match pad {
                Pad::None => format!("([0-9]{{1,{width}}})"),
                Pad::Zero => format!("([0-9]{{{width}}})"),
                Pad::Space => format!(r"([0-9\s]{{{width}}})"),
            },
        }
    }

    fn write(&self, nanos: i128, out: &mut String) {
        let Segment::Field { unit, pad, width, total } = self else {
            if let Segment::Literal(text) = self {
                out.push_str(text);
            }
            return;
        };
        let width = width.unwrap_or(unit.width());
        let (size, limit) = unit.size();
        let number = if *unit == Unit::Nanos && width < 9 {
            nanos / 10i128.pow(9 - width as u32)
        } else {
            nanos / size
        };
        if *unit <= Unit::Millis && !total {
            return fraction(nanos % NANOS, *unit, *pad, width, out);
        }
        let number = if *total { number } else { number % limit };
        let digits = number.to_string();
        let filler = match pad {
            Pad::None => None,
            Pad::Space => Some(' '),
            Pad::Zero => Some('0'),
        };
        // Rust's own padding ends at 65,535.
        if let Some(filler) = filler {
            out.extend(std::iter::repeat_n(filler, width.saturating_sub(digits.len())));
        }
        out.push_str(&digits);
    }
}

/// The digits after the decimal point: as many as asked for, or as many as there are.
fn fraction(nanos: i128, unit: Unit, pad: Pad, width: usize, out: &mut String) {
    let nine = format!("{nanos:09}");
    let kept = if unit == Unit::Millis { 3 } else { width.min(9) };
    let digits = &nine[..kept];
    let short = match digits.trim_end_matches('0') {
        "" => "0",
        short => short,
    };
    match pad {
        Pad::Zero => {
            out.push_str(digits);
            out.extend(std::iter::repeat_n('0', width.saturating_sub(kept)));
        }
        Pad::None => out.push_str(short),
        Pad::Space => {
            out.push_str(short);
            out.extend(std::iter::repeat_n(' ', width.saturating_sub(short.len())));
        }
    }
}

impl Timespan {
    /// Reads a text with the default formats.
    pub fn parse(text: &str) -> Result<Timespan> {
        Timespan::parse_any(text, &DEFAULTS)
    }

    /// Reads a text with the first format that fits.
    pub fn parse_any(text: &str, formats: &[&str]) -> Result<Timespan> {
        for format in formats {
            match SpanFormat::parse(format)?.read(text) {
                Ok(span) => return Ok(span),
                Err(error) if error.is(&TIME_OUTSIDE_RANGE) => return Err(error),
                Err(_) => {}
            }
        }
        bail!(TIME_IN_NO_FORMAT { text, formats: formats.join(", ") })
    }

    /// Reads a text with one format.
    pub fn parse_with(text: &str, format: &str) -> Result<Timespan> {
        SpanFormat::parse(format)?.read(text)
    }

    /// Writes it in a format.
    pub fn format(self, format: &str) -> Result<String> {
        Ok(SpanFormat::parse(format)?.write(self))
    }

    /// The sum of fields: days, hours, minutes, seconds, milli-, micro- and nanoseconds.
    pub fn from_fields(negative: bool, fields: [i64; 7]) -> Timespan {
        let sizes = [DAY, HOUR, MINUTE, NANOS, 1_000_000, 1000, 1];
        let nanos: i128 = fields.iter().zip(sizes).map(|(&field, size)| i128::from(field) * size).sum();
        Timespan::from_nanos(if negative { -nanos } else { nanos })
    }
}

impl fmt::Display for Timespan {
    /// `%D-%H:%M:%S.%-N`, as interpolation shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.nanos();
        let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.saturating_abs());
        let (days, hours) = (nanos / DAY, nanos / HOUR % 24);
        let (minutes, seconds) = (nanos / MINUTE % 60, nanos / NANOS % 60);
        let mut digits = String::new();
        fraction(nanos % NANOS, Unit::Nanos, Pad::None, 9, &mut digits);
        write!(f, "{sign}{days}-{hours:02}:{minutes:02}:{seconds:02}.{digits}")
    }
}
