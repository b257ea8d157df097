//! `String.new`: any value in any format.
//!
//! A format map says for types how their values are written; the most specific type that fits wins. What is inside an
//! array or a hash is written by the formats of its container, containers inside it by those of the whole.

use std::sync::LazyLock;

use kukla_syntax::{bail, deep};

use super::pattern::Format;
use super::{inspect, quote, sprintf, to_s};
use crate::case;
use crate::codes::{
    FORMAT_FOR_NO_TYPE, FORMATS_NO_HASH, FORMATTED_TOO_DEEP, ILLEGAL_FORMAT_LETTER, NO_CHARACTER_NUMBER,
    UNKNOWN_CONTAINER_FORMAT,
};
use crate::iterator::Lister;
use crate::types::write;
use crate::{Array, Hash, Result, Str, Type, Value};

/// Formats by type, in the order they are tried.
#[derive(Clone, Debug, Default)]
pub struct Formats(Vec<(Type, Format)>);

static DEFAULTS: LazyLock<Formats> = LazyLock::new(|| {
    let format = |text: &str| Format::parse(text).expect("a valid format");
    let inside = Formats(vec![(Type::Any, format("%p"))]);
    let container = |text: &str, separator2: &str| Format {
        separator: Some(", ".into()),
        separator2: Some(separator2.into()),
        inside: Some(inside.clone()),
        ..format(text)
    };
    Formats(vec![
        (Type::any_object(), format("%p")),
        (Type::Float(f64::NEG_INFINITY, f64::INFINITY), format("%f")),
        (Type::Numeric, format("%d")),
        (Type::any_array(), container("%a", ", ")),
        (Type::any_hash(), container("%h", " => ")),
        (Type::Binary, format("%B")),
        (Type::Any, format("%s")),
    ])
});
static INSIDE: LazyLock<Formats> = LazyLock::new(|| {
    let format = Format::parse("%p").expect("a valid format");
    Formats(vec![(Type::Any, format)])
});

/// Writes a value as `String.new(value, formats)` does; `formats` is `default`, one format, or a hash of them by type.
pub fn format_value(value: &Value, formats: &Value) -> Result<Str> {
    match formats {
        Value::Default => format_with(value, &DEFAULTS),
        Value::String(text) => {
            let key = match value {
                Value::Array(_) => Type::any_array(),
                Value::Hash(_) => Type::any_hash(),
                value => Type::of(value),
            };
            format_with(value, &DEFAULTS.merge(&Formats(vec![(key, Format::parse(text)?)])))
        }
        Value::Hash(hash) => format_with(value, &DEFAULTS.merge(&Formats::parse(hash)?)),
        other => bail!(FORMATS_NO_HASH { actual: Type::of(other).name() }),
    }
}

/// Writes a value by a format map.
pub fn format_with(value: &Value, formats: &Formats) -> Result<Str> {
    let mut writer = Writer { depth: 0, lister: Lister::default() };
    writer.write(value, formats, Indent { level: 0, first: true, on: false }).map(Str::from)
}

impl Formats {
    /// Reads a hash of formats by type.
    pub fn parse(hash: &Hash) -> Result<Formats> {
        let mut formats = Vec::with_capacity(hash.len());
        for (key, value) in hash {
            let Value::Type(ty) = key else {
                bail!(FORMAT_FOR_NO_TYPE { actual: Type::of(key).name() });
            };
            let format = match value {
                Value::Hash(container) => Formats::container(container)?,
                value => Format::parse(&to_s(value))?,
            };
            formats.push(((**ty).clone(), format));
        }
        Ok(Formats(formats))
    }

    fn container(hash: &Hash) -> Result<Format> {
        const KEYS: [&str; 4] = ["separator", "separator2", "format", "string_formats"];
        if hash.keys().any(|key| !KEYS.iter().any(|known| key.as_str() == Some(known))) {
            bail!(UNKNOWN_CONTAINER_FORMAT { hash: to_s(&Value::Hash(hash.clone())) });
        }
        let text = |key: &str| hash.get(key).map(to_s);
        let mut format = Format::parse(&text("format").unwrap_or_default())?;
        format.separator = text("separator");
        format.separator2 = text("separator2");
        format.inside =
            hash.get("string_formats").and_then(Value::as_hash).map(Formats::parse).transpose()?;
        Ok(format)
    }

    /// Lays more specific formats over these.
    pub(super) fn merge(&self, over: &Formats) -> Formats {
        let hidden = |ty: &Type| over.0.iter().any(|(other, _)| other != ty && other.covers(ty));
        let mut merged: Vec<(Type, Format)> = Vec::new();
        for (ty, format) in self.0.iter().filter(|(ty, _)| !hidden(ty)) {
            let format = match over.get(ty) {
                Some(higher) => format.merge(higher),
                None => format.clone(),
            };
            merged.push((ty.clone(), format));
        }
        for (ty, format) in &over.0 {
            if !merged.iter().any(|(known, _)| known == ty) {
                merged.push((ty.clone(), format.clone()));
            }
        }
        Formats(sorted(merged))
    }

    fn get(&self, ty: &Type) -> Option<&Format> {
        self.0.iter().find(|(known, _)| known == ty).map(|(_, format)| format)
    }

    /// The format for values of a type.
    fn of(&self, ty: &Type) -> Format {
        match self.0.iter().find(|(key, _)| key.covers(ty)) {
            Some((_, format)) => format.clone(),
            None => INSIDE.0[0].1.merge(&DEFAULTS.0[DEFAULTS.0.len() - 1].1),
        }
    }
}

/// Specific types first, and unrelated ones by rank or name. This is not a total order on which all sorting algorithms
/// sorting would agree on, so this is the way that Ruby sorts: halves are sorted and merged.
fn sorted(mut formats: Vec<(Type, Format)>) -> Vec<(Type, Format)> {
    if formats.len() < 2 {
        return formats;
    }
    let later = sorted(formats.split_off(formats.len() / 2));
    let mut later = later.into_iter().peekable();
    let mut merged = Vec::with_capacity(formats.len() + later.len());
    for entry in sorted(formats) {
        while let Some(other) = later.next_if(|other| comes_before(&other.0, &entry.0)) {
            merged.push(other);
        }
        merged.push(entry);
    }
    merged.extend(later);
    merged
}

fn comes_before(a: &Type, b: &Type) -> bool {
    let rank = |ty: &Type| match ty {
        Type::Struct(_) => 1,
        Type::Hash(_) => 2,
        Type::Tuple(_) => 3,
        Type::Array(_) => 4,
        Type::Pattern(_) => 10,
        Type::Enum(_) => 11,
        Type::String(_) | Type::Literal(_) => 12,
        _ => 0,
    };
    match (b.covers(a), a.covers(b)) {
        _ if a == b => false,
        (true, false) => true,
        (false, true) => false,
        _ if rank(a) == 0 || rank(b) == 0 => a.to_string() < b.to_string(),
        _ => rank(a) < rank(b),
    }
}

#[derive(Clone, Copy)]
struct Indent {
    level: usize,
    first: bool,
    on: bool,
}

impl Indent {
    fn padding(self) -> String {
        "  ".repeat(self.level)
    }

    /// Starts a line of its own, unless it is the first there is.
    fn start(self) -> String {
        if self.on && self.level > 0 && !self.first { format!("\n{}", self.padding()) } else { String::new() }
    }

    fn inside(self, on: bool) -> Indent {
        Indent { level: self.level + 1, first: true, on }
    }
}

/// How deep containers may nest before writing them is refused.
const MAX_DEPTH: usize = 400;

struct Writer {
    depth: usize,
    lister: Lister,
}

fn illegal<T>(kind: &str, letter: char, allowed: &str) -> Result<T> {
    bail!(ILLEGAL_FORMAT_LETTER { letter, kind, allowed })
}

fn print(format: &str, value: impl Into<Value>) -> Result<String> {
    sprintf(format, &[value.into()]).map(String::from)
}

/// Applies width and precision alone.
fn sized(format: &Format, text: &str) -> Result<String> {
    if !format.left && format.width.is_none() && format.precision.is_none() {
        return Ok(text.into());
    }
    let left = if format.left { "-" } else { "" };
    let width = format.width.map_or(String::new(), |width| width.to_string());
    let precision = format.precision.map_or(String::new(), |precision| format!(".{precision}"));
    print(&format!("%{left}{width}{precision}s"), text)
}

fn is_collection(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}

impl Writer {
    fn write(&mut self, value: &Value, formats: &Formats, indent: Indent) -> Result<String> {
        if self.depth > MAX_DEPTH {
            bail!(FORMATTED_TOO_DEEP);
        }
        let ty = Type::of(value);
        let format = formats.of(&ty);
        match value {
            Value::Undef => undef(&format),
            Value::Default => default(&format),
            Value::Boolean(flag) => boolean(*flag, &format),
            Value::Integer(number) => integer(*number, &format),
            Value::Float(number) => float(*number, &format),
            Value::String(text) => string(text, &format),
            Value::Regexp(regexp) => match format.letter {
                'p' => print(&format.with_letter('s'), regexp.to_literal()),
                's' if format.alternate => print(&format.text, quote(&regexp.to_kept(), false)),
                's' => print(&format.text, regexp.to_kept()),
                letter => illegal("Regexp", letter, "sp"),
            },
            Value::Binary(bytes) => binary(bytes, &format),
            Value::Array(values) => deep(|| self.array(values, &format, formats, indent)),
            Value::Hash(hash) => deep(|| self.hash(hash, &format, formats, indent)),
            Value::Iterator(_) => {
                let members = self.lister.list(value)?;
                self.write(&Value::Array(members), formats, indent)
            }
            Value::Type(ty) => match format.letter {
                's' if format.alternate => print(&format.text, format!("\"{ty}\"")),
                's' | 'p' => print(&format.with_letter('s'), ty.to_string()),
                letter => illegal("Type", letter, "sp"),
            },
            Value::Uri(uri) => match format.letter {
                'p' => Ok(write::literal(value)),
                's' if format.alternate => print(&format.text, quote(&uri.to_string(), false)),
                's' => print(&format.text, uri.to_string()),
                letter => illegal("URI", letter, "sp"),
            },
            Value::Object(_) => match format.letter {
                'p' if format.alternate || indent.on => Ok(write::pretty_literal(value, indent.level, 2)),
                'p' | 's' => Ok(write::literal(value)),
                'q' => Ok(inspect(value).into()),
                letter => illegal("Object", letter, "spq"),
            },
            Value::Timestamp(stamp) if format.letter == 'c' => print(&format.text, stamp.seconds()),
            Value::Timespan(span) if format.letter == 'c' => print(&format.text, span.whole_seconds()?),
            Value::Sensitive(_)
            | Value::Timestamp(_)
            | Value::Timespan(_)
            | Value::SemVer(_)
            | Value::SemVerRange(_)
            | Value::Host(_) => print(&format.text, value.clone()),
        }
    }

    fn inner(&mut self, value: &Value, format: &Format, formats: &Formats, indent: Indent) -> Result<String> {
        self.depth += 1;
        let written = if matches!(value, Value::Array(_) | Value::Hash(_) | Value::Object(_)) {
            self.write(value, formats, indent)
        } else {
            self.write(value, format.inside.as_ref().unwrap_or(&INSIDE), indent)
        };
        self.depth -= 1;
        written
    }

    fn array(
        &mut self,
        values: &[Value],
        format: &Format,
        formats: &Formats,
        indent: Indent,
    ) -> Result<String> {
        if !matches!(format.letter, 'a' | 's' | 'p') {
            return illegal("Array", format.letter, "asp");
        }
        let separator = format.separator.as_deref().unwrap_or(", ");
        let (open, close) = format.delimiters(("[", "]"));
        let indent = Indent { on: format.alternate || indent.on, ..indent };
        let inside = Indent { first: false, ..indent.inside(format.alternate) };
        let mut out = indent.start();
        out.push_str(open);
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            parts.push(self.inner(value, format, formats, inside)?);
        }
        // With a width, runs of plain values longer than it are broken into lines.
        let breaks = format.alternate
            && format.width.is_some_and(|width| {
                let mut runs = vec![0];
                for (value, part) in values.iter().zip(&parts) {
                    match runs.last_mut() {
                        Some(run) if !is_collection(value) => *run += part.chars().count(),
                        _ => runs.push(0),
                    }
                }
                runs.into_iter().max().unwrap_or(0) > width
            });
        for (at, (value, part)) in values.iter().zip(&parts).enumerate() {
            let plain = !is_collection(value);
            if at == 0 {
                out.push_str(if breaks && plain { " " } else { "" });
            } else {
                out.push_str(separator);
                if plain && (breaks || (format.alternate && is_collection(&values[at - 1]))) {
                    if !out.ends_with('\n') {
                        out.truncate(out.trim_end().len());
                    }
                    out.push('\n');
                    out.push_str(&inside.padding());
                }
            }
            if out.ends_with(' ') && part.starts_with('\n') {
                out.truncate(out.trim_end().len());
            }
            out.push_str(part);
        }
        out.push_str(close);
        Ok(out)
    }

    fn hash(&mut self, hash: &Hash, format: &Format, formats: &Formats, indent: Indent) -> Result<String> {
        if format.letter == 'a' {
            let pairs: Array =
                hash.iter().map(|(key, value)| Value::from(vec![key.clone(), value.clone()])).collect();
            return self.write(&Value::Array(pairs), formats, indent);
        }
        if !matches!(format.letter, 'h' | 's' | 'p') {
            return illegal("Hash", format.letter, "hasp");
        }
        let mut separator = format.separator.clone().unwrap_or(", ".into());
        let arrow = format.separator2.as_deref().unwrap_or(" => ");
        let (open, close) = format.delimiters(("{", "}"));
        let indent = Indent { on: format.alternate || indent.on, ..indent };
        let inside = indent.inside(false);
        let mut padding = String::new();
        let mut out = indent.start();
        out.push_str(open);
        if format.alternate {
            if !separator.ends_with('\n') {
                separator = separator.trim_end().into();
            }
            separator.push('\n');
            padding = inside.padding();
            out.push('\n');
        }
        for (at, (key, value)) in hash.iter().enumerate() {
            out.push_str(if at > 0 { &separator } else { "" });
            out.push_str(&padding);
            out.push_str(&self.inner(key, format, formats, inside)?);
            out.push_str(arrow);
            out.push_str(&self.inner(value, format, formats, inside)?);
        }
        if format.alternate {
            out.push('\n');
            out.push_str(&indent.padding());
        }
        out.push_str(close);
        Ok(out)
    }
}

fn undef(format: &Format) -> Result<String> {
    let alternate = format.alternate;
    let text = match format.letter {
        'n' if alternate => "null",
        'n' => "nil",
        'u' if alternate => "undefined",
        'u' => "undef",
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => "NaN",
        'v' => "n/a",
        'V' => "N/A",
        's' if alternate => "\"\"",
        's' => "",
        'p' if alternate => "\"undef\"",
        'p' => "undef",
        letter => return illegal("Undef", letter, "nudxXobBeEfgGaAvVsp"),
    };
    sized(format, text)
}

fn default(format: &Format) -> Result<String> {
    let text = match format.letter {
        'd' | 's' | 'p' if format.alternate => "\"default\"",
        'd' | 's' | 'p' => "default",
        'D' if format.alternate => "\"Default\"",
        'D' => "Default",
        letter => return illegal("Default", letter, "dDsp"),
    };
    sized(format, text)
}

fn boolean(flag: bool, format: &Format) -> Result<String> {
    let short = |text: &str| if format.alternate { text[..1].to_owned() } else { text.to_owned() };
    let text = match format.letter {
        't' => short(if flag { "true" } else { "false" }),
        'T' => short(if flag { "True" } else { "False" }),
        'y' => short(if flag { "yes" } else { "no" }),
        'Y' => short(if flag { "Yes" } else { "No" }),
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => return integer(flag.into(), format),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => return float(f64::from(u8::from(flag)), format),
        's' | 'p' => flag.to_string(),
        letter => return illegal("Boolean", letter, "tTyYdxXobBeEfgGaAsp"),
    };
    sized(format, &text)
}

fn integer(number: i64, format: &Format) -> Result<String> {
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'p' => print(&format.text, number),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => print(&format.text, number as f64),
        'c' => {
            let Some(c) = u32::try_from(number).ok().and_then(char::from_u32) else {
                bail!(NO_CHARACTER_NUMBER);
            };
            let text = if format.alternate { format!("\"{c}\"") } else { c.to_string() };
            print(&format.with_letter('s'), text)
        }
        's' => print(&format.with_letter(if format.alternate { 'p' } else { 's' }), number.to_string()),
        letter => illegal("Integer", letter, "dxXobBeEfgGaAspc"),
    }
}

fn float(number: f64, format: &Format) -> Result<String> {
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => print(&format.text, number.trunc()),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' | 'p' => print(&format.text, number),
        's' if format.alternate => print(&format.text, format!("\"{}\"", super::float_text(number))),
        's' => print(&format.text, super::float_text(number)),
        'c' => integer(number as i64, format),
        letter => illegal("Float", letter, "dxXobBeEfgGaAsp"),
    }
}

fn string(text: &str, format: &Format) -> Result<String> {
    let changed = match format.letter {
        's' => return print(&format.text, text),
        'p' => return sized(format, &quote(text, format.alternate)),
        'c' => case::capitalize(text).into(),
        'C' => {
            // As Ruby's `split`: empty parts at the end are dropped.
            let mut parts: Vec<String> = text.split("::").map(|part| case::capitalize(part).into()).collect();
            while parts.last().is_some_and(String::is_empty) {
                parts.pop();
            }
            parts.join("::")
        }
        'u' => case::upcase(text).into(),
        'd' => case::downcase(text).into(),
        't' => stripped(text).to_owned(),
        letter => return illegal("String", letter, "cCudspt"),
    };
    if format.alternate {
        sized(format, &quote(&changed, false))
    } else {
        print(&format.with_letter('s'), changed)
    }
}

fn stripped(text: &str) -> &str {
    let space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | '\0');
    text.trim_matches(space)
}

fn binary(bytes: &crate::binary::Binary, format: &Format) -> Result<String> {
    let letter = if format.alternate { 'p' } else { 's' };
    let text = match format.letter {
        's' if format.alternate => {
            return print(&format.with_letter('s'), super::ruby::inspect_bytes(&bytes.0));
        }
        's' => return print(&format.text, bytes.to_text()?),
        'p' => return Ok(format!("Binary(\"{}\")", print(&format.with_letter('s'), bytes.to_base64())?)),
        'b' => bytes.to_relaxed(),
        'B' => bytes.to_base64(),
        'u' => bytes.to_urlsafe(),
        't' => "Binary".into(),
        'T' => "BINARY".into(),
        letter => return illegal("Binary", letter, "bButTsp"),
    };
    print(&format.with_letter(letter), text)
}
