//! Points in time.

mod make;
pub mod moment;
mod text;

use kukla_values::time::calendar;
use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, methods, private, quick};
use crate::core::numeric::round::{Mode, half_keyword, round as round_number};
use crate::core::numeric::tower::Ratio;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{Object, Value};
use make::{exact, zone_argument};
use moment::{Civil, Moment, Zone};

/// The class `Time`.
pub const TIME: NativeClass = NativeClass {
    includes: &["Comparable"],
    methods: &[PARTS, METHODS],
    singleton: &[make::MAKE],
    ..NativeClass::class("Time", "Object")
};

/// A time of a class.
pub fn make(class: ClassId, moment: Moment) -> Value {
    Value::Object(Object::with(class, moment))
}

/// The moment that a value is, if it is a time.
pub fn moment_of(value: &Value) -> Option<Moment> {
    let Value::Object(object) = value else { return None };
    object.payload::<Moment>().map(|moment| moment.clone())
}

fn moment(ruby: &mut Ruby<'_>, this: &Value) -> Result<Moment> {
    match moment_of(this) {
        Some(moment) => Ok(moment),
        None => {
            let class = ruby.class_name_of(this);
            Err(ruby.type_error(format!("uninitialized {class}")))
        }
    }
}

fn part(ruby: &mut Ruby<'_>, this: &Value, of: impl Fn(&Civil) -> i64) -> Result {
    Ok(Value::Int(of(&moment(ruby, this)?.civil())))
}

fn is_day(ruby: &mut Ruby<'_>, this: &Value, day: u8) -> Result {
    Ok((calendar::weekday(moment(ruby, this)?.civil().days) == day).into())
}

fn yday(civil: &Civil) -> i64 {
    civil.days - calendar::days(civil.year, 1, 1) + 1
}

const PARTS: &[Native] = methods![
    quick("year", 0, 0, |ruby, this, _| part(ruby, this, |civil| civil.year)),
    quick("month", 0, 0, month).alias("mon"),
    quick("day", 0, 0, day).alias("mday"),
    quick("hour", 0, 0, |ruby, this, _| part(ruby, this, |civil| civil.hour.into())),
    quick("min", 0, 0, |ruby, this, _| part(ruby, this, |civil| civil.minute.into())),
    quick("sec", 0, 0, |ruby, this, _| part(ruby, this, |civil| civil.second.into())),
    quick("wday", 0, 0, |ruby, this, _| part(ruby, this, |civil| calendar::weekday(civil.days).into())),
    quick("yday", 0, 0, |ruby, this, _| part(ruby, this, yday)),
    quick("nsec", 0, 0, |ruby, this, _| fraction_in(ruby, this, 1_000_000_000)),
    method("tv_nsec", 0, 0, |ruby, this, _| fraction_in(ruby, this, 1_000_000_000)),
    quick("usec", 0, 0, |ruby, this, _| fraction_in(ruby, this, 1_000_000)),
    method("tv_usec", 0, 0, |ruby, this, _| fraction_in(ruby, this, 1_000_000)),
    method("subsec", 0, 0, |ruby, this, _| Ok(simplest(moment(ruby, this)?.fraction()))),
    method("sunday?", 0, 0, |ruby, this, _| is_day(ruby, this, 0)),
    method("monday?", 0, 0, |ruby, this, _| is_day(ruby, this, 1)),
    method("tuesday?", 0, 0, |ruby, this, _| is_day(ruby, this, 2)),
    method("wednesday?", 0, 0, |ruby, this, _| is_day(ruby, this, 3)),
    method("thursday?", 0, 0, |ruby, this, _| is_day(ruby, this, 4)),
    method("friday?", 0, 0, |ruby, this, _| is_day(ruby, this, 5)),
    method("saturday?", 0, 0, |ruby, this, _| is_day(ruby, this, 6)),
    method("zone", 0, 0, |ruby, this, _| Ok(moment(ruby, this)?.zone.name().map(ascii).into())),
    method("utc_offset", 0, 0, |ruby, this, _| offset(ruby, this)),
    method("gmt_offset", 0, 0, |ruby, this, _| offset(ruby, this)),
    method("gmtoff", 0, 0, |ruby, this, _| offset(ruby, this)),
    method("utc?", 0, 0, |ruby, this, _| Ok((moment(ruby, this)?.zone == Zone::Utc).into())),
    method("gmt?", 0, 0, |ruby, this, _| Ok((moment(ruby, this)?.zone == Zone::Utc).into())),
    method("dst?", 0, 0, |_, _, _| Ok(false.into())),
    method("isdst", 0, 0, |_, _, _| Ok(false.into())),
];

const METHODS: &[Native] = &[
    private("initialize", 0, 8, |_, _, _| Ok(Value::Nil)),
    private("initialize_copy", 1, 1, |ruby, this, args| {
        let moment = moment(ruby, &args[0])?;
        if let Value::Object(object) = this {
            object.set_payload(moment);
        }
        Ok(this.clone())
    }),
    quick("to_i", 0, 0, |ruby, this, _| Ok(Value::integer(moment(ruby, this)?.whole()))),
    method("tv_sec", 0, 0, |ruby, this, _| Ok(Value::integer(moment(ruby, this)?.whole()))),
    quick("to_f", 0, 0, |ruby, this, _| Ok(Value::Float(moment(ruby, this)?.seconds.to_f64()))),
    method("to_r", 0, 0, |ruby, this, _| Ok(moment(ruby, this)?.seconds.into_value())),
    method("to_a", 0, 0, to_a),
    method("to_s", 0, 0, to_s),
    method("inspect", 0, 0, inspect),
    method("ctime", 0, 0, |ruby, this, _| shown(ruby, this, "%a %b %e %T %Y")),
    method("asctime", 0, 0, |ruby, this, _| shown(ruby, this, "%a %b %e %T %Y")),
    method("strftime", 1, 1, |ruby, this, args| {
        let format = ruby.to_text(&args[0])?;
        let civil = moment(ruby, this)?.civil();
        let text = formatted(ruby, &civil, &format)?;
        Ok(Value::str(Text::new(text, format.encoding())))
    }),
    method("+", 1, 1, |ruby, this, args| {
        if moment_of(&args[0]).is_some() {
            return Err(ruby.type_error("time + time?"));
        }
        let distance = exact(ruby, &args[0])?;
        moved(ruby, this, |seconds| seconds.add(&distance))
    }),
    method("-", 1, 1, |ruby, this, args| {
        let own = moment(ruby, this)?;
        if let Some(other) = moment_of(&args[0]) {
            return Ok(Value::Float(distance_of(&own.seconds.subtract(&other.seconds))));
        }
        let distance = exact(ruby, &args[0])?;
        moved(ruby, this, |seconds| seconds.subtract(&distance))
    }),
    method("<=>", 1, 1, |ruby, this, args| {
        let own = moment(ruby, this)?;
        if let Some(other) = moment_of(&args[0]) {
            return Ok(Value::Int(own.seconds.cmp(&other.seconds) as i64));
        }
        match ruby.try_send(&args[0], sym::CMP, std::slice::from_ref(this))? {
            None | Some(Value::Nil) => Ok(Value::Nil),
            Some(answer) => {
                let order = ruby.ordering(&answer, &args[0], this)?;
                Ok(order.map(|order| order.reverse() as i64).into())
            }
        }
    }),
    method("eql?", 1, 1, |ruby, this, args| {
        let own = moment(ruby, this)?;
        Ok(moment_of(&args[0]).is_some_and(|other| other.seconds == own.seconds).into())
    }),
    method("hash", 0, 0, |ruby, this, _| {
        let seconds = moment(ruby, this)?.seconds.into_value();
        ruby.send(&seconds, sym::HASH, &[])
    }),
    method("round", 0, 2, |ruby, this, args| {
        let (rest, keywords) = args.split();
        let half = half_keyword(ruby, keywords.map(|hash| &**hash))?;
        rounded(ruby, this, rest.first(), half)
    }),
    method("floor", 0, 1, |ruby, this, args| rounded(ruby, this, args.get(0), Mode::Floor)),
    method("ceil", 0, 1, |ruby, this, args| rounded(ruby, this, args.get(0), Mode::Ceil)),
    method("utc", 0, 0, |ruby, this, _| set_zone(ruby, this, Zone::Utc)),
    method("gmtime", 0, 0, |ruby, this, _| set_zone(ruby, this, Zone::Utc)),
    method("localtime", 0, 1, |ruby, this, args| {
        let zone = local_zone(ruby, args)?;
        set_zone(ruby, this, zone)
    }),
    method("getutc", 0, 0, |ruby, this, _| in_zone(ruby, this, Zone::Utc)),
    method("getgm", 0, 0, |ruby, this, _| in_zone(ruby, this, Zone::Utc)),
    method("getlocal", 0, 1, |ruby, this, args| {
        let zone = local_zone(ruby, args)?;
        in_zone(ruby, this, zone)
    }),
    method("deconstruct_keys", 1, 1, deconstruct_keys),
];

fn ascii(text: &str) -> Value {
    Value::str(Text::new(text.as_bytes().to_vec(), Encoding::Ascii))
}

/// An integer if the fraction is one.
fn simplest(ratio: Ratio) -> Value {
    if ratio.denominator.is_one() { Value::integer(ratio.numerator) } else { ratio.into_value() }
}

fn fraction_in(ruby: &mut Ruby<'_>, this: &Value, per_second: u32) -> Result {
    Ok(Value::Int(moment(ruby, this)?.fraction_in(per_second).into()))
}

fn offset(ruby: &mut Ruby<'_>, this: &Value) -> Result {
    Ok(Value::Int(moment(ruby, this)?.zone.offset().into()))
}

fn month(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    part(ruby, this, |civil| civil.month.into())
}

fn day(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    part(ruby, this, |civil| civil.day.into())
}

/// Seconds as a float, by way of nanoseconds as Ruby counts them.
fn distance_of(seconds: &Ratio) -> f64 {
    let nanos = seconds.multiply(&Ratio::whole(1_000_000_000.into()));
    if seconds.denominator == 1.into() || nanos.denominator != 1.into() {
        return seconds.to_f64();
    }
    nanos.to_f64() / 1e9
}

fn moved(ruby: &mut Ruby<'_>, this: &Value, by: impl FnOnce(&Ratio) -> Ratio) -> Result {
    let own = moment(ruby, this)?;
    Ok(make(ClassId::TIME, Moment { seconds: by(&own.seconds), zone: own.zone }))
}

fn rounded(ruby: &mut Ruby<'_>, this: &Value, digits: Option<&Value>, mode: Mode) -> Result {
    let seconds = moment(ruby, this)?.seconds.into_value();
    let digits = match digits {
        Some(digits) => ruby.to_int(digits)?,
        None => 0,
    };
    if digits < 0 {
        return Err(ruby.argument_error("negative ndigits given"));
    }
    let number = round_number(ruby, &seconds, Some(&Value::Int(digits)), mode)?;
    let seconds = exact(ruby, &number)?;
    moved(ruby, this, |_| seconds)
}

fn local_zone(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<Zone> {
    match args.get(0) {
        None | Some(Value::Nil) => Ok(Zone::Local),
        Some(zone) => zone_argument(ruby, zone),
    }
}

fn set_zone(ruby: &mut Ruby<'_>, this: &Value, zone: Zone) -> Result {
    let own = moment(ruby, this)?;
    if own.zone != zone {
        ruby.check_frozen(this)?;
    }
    if let Value::Object(object) = this {
        object.set_payload(Moment { zone, ..own });
    }
    Ok(this.clone())
}

fn in_zone(ruby: &mut Ruby<'_>, this: &Value, zone: Zone) -> Result {
    let own = moment(ruby, this)?;
    let class = ruby.real_class_of(this);
    Ok(make(class, Moment { zone, ..own }))
}

fn formatted(ruby: &mut Ruby<'_>, civil: &Civil, format: &[u8]) -> Result<Vec<u8>> {
    ruby.charge(format.len() as u64)?;
    let spelled = calendar::with_offset(format, civil.zone.offset());
    match strftime::bytes::strftime(civil, &spelled) {
        Ok(text) => Ok(text),
        Err(strftime::Error::InvalidFormatString) => {
            let shown = String::from_utf8_lossy(format).into_owned();
            Err(ruby.argument_error(format!("invalid format: {shown}")))
        }
        Err(_) => Err(ruby.errno("ERANGE", "Numerical result out of range - result of strftime is too long")),
    }
}

fn shown(ruby: &mut Ruby<'_>, this: &Value, format: &str) -> Result {
    let civil = moment(ruby, this)?.civil();
    let text = formatted(ruby, &civil, format.as_bytes())?;
    Ok(Value::str(Text::new(text, Encoding::Ascii)))
}

fn to_s(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let utc = moment(ruby, this)?.zone == Zone::Utc;
    shown(ruby, this, if utc { "%Y-%m-%d %H:%M:%S UTC" } else { "%Y-%m-%d %H:%M:%S %z" })
}

/// Like `to_s` with the fraction of a second, as digits if nine are enough and otherwise as a fraction.
fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let own = moment(ruby, this)?;
    let civil = own.civil();
    let mut text = formatted(ruby, &civil, b"%Y-%m-%d %H:%M:%S")?;
    let fraction = own.fraction();
    if !fraction.numerator.is_zero() {
        let nanos = fraction.multiply(&Ratio::whole(BigInt::from(1_000_000_000)));
        if nanos.denominator.is_one() {
            let digits = format!(".{:09}", civil.nanos);
            text.extend_from_slice(digits.trim_end_matches('0').as_bytes());
        } else {
            text.extend_from_slice(format!(" {}", crate::core::rational::shown(&fraction)).as_bytes());
        }
    }
    let zone = formatted(ruby, &civil, if own.zone == Zone::Utc { b" UTC" } else { b" %z" })?;
    text.extend_from_slice(&zone);
    Ok(Value::str(Text::new(text, Encoding::Ascii)))
}

fn to_a(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let civil = moment(ruby, this)?.civil();
    let mut list: Vec<Value> = [
        civil.second.into(),
        civil.minute.into(),
        civil.hour.into(),
        civil.day.into(),
        civil.month.into(),
        civil.year,
        calendar::weekday(civil.days).into(),
        yday(&civil),
    ]
    .map(Value::Int)
    .to_vec();
    list.push(Value::Bool(false));
    list.push(civil.zone.name().map(ascii).into());
    Ok(Value::array(list))
}

fn deconstruct_keys(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    const KEYS: [&str; 11] =
        ["year", "month", "day", "yday", "wday", "hour", "min", "sec", "subsec", "dst", "zone"];
    if !args[0].is_nil() && !matches!(args[0], Value::Array(_)) {
        let word = ruby.class_name_of(&args[0]);
        return Err(ruby.type_error(format!("wrong argument type {word} (expected Array or nil)")));
    }
    let mut pairs = Vec::new();
    for key in KEYS {
        let symbol = ruby.symbols.intern(key);
        let wanted = match &args[0] {
            Value::Array(keys) => keys.items().iter().any(|key| key.is_same(&Value::Symbol(symbol))),
            _ => true,
        };
        if wanted {
            let method = if key == "dst" { ruby.symbols.intern("dst?") } else { symbol };
            pairs.push((Value::Symbol(symbol), ruby.send(this, method, &[])?));
        }
    }
    ruby.make_hash(pairs)
}
