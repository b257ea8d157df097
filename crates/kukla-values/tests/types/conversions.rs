//! Questions about what values become: `new`, formats, `sprintf`, arithmetic and times.

use std::sync::Arc;

use kukla_values::arithmetic::{self, Operator};
use kukla_values::convert::{self, EmptyContext};
use kukla_values::format::{self, interpolate};
use kukla_values::semver::{Version, VersionRange};
use kukla_values::time::{Timespan, Timestamp};
use kukla_values::types::{Type, write};
use kukla_values::{Error, Hash, Value, richdata};
use serde_json::Value as Json;

use super::explained::Tally;
use super::generate::{Generator, PRELUDE, Sample};
use super::reference::Reference;

/// One question: what it is about, the program that asks it, and our own answer.
struct Question {
    about: &'static str,
    program: String,
    ours: Result<Json, String>,
}

/// Questions asked together.
const BATCH: usize = 20;

const TEXTS: [&str; 51] = [
    "",
    "abc",
    "0",
    "1",
    "10",
    "-5",
    "- 5",
    "+7",
    "017",
    "08",
    "0x1f",
    "0xFF",
    "0b101",
    "0B11",
    "1.5",
    "-1.5",
    "1e3",
    "1.5e-3",
    "0.0",
    "1_000",
    " 12 ",
    "true",
    "False",
    "YES",
    "no",
    "y",
    "nope",
    "1.0.0",
    "1.2.3-rc.1+b.2",
    "1.x",
    ">=1.0.0 <2.0.0",
    "~> 1.2",
    "^0.2",
    "1.0.0 - 2.0.0",
    "*",
    "aGVsbG8=",
    "aGVsbG8",
    "http://a/b?c#d",
    "mailto:x@y",
    "10:20:30",
    "1-02:03:04.5",
    "2016-09-06",
    "2016-09-06T08:34:59",
    "Hello::world",
    "it's \"q\" $x\n\t",
    "åÄß",
    "9223372036854775807",
    "99999999999999999999",
    "0777777777777777777777777",
    "-99999999999999999999.5",
    "99999999999999999999.0.0-99999999999999999999",
];

const FORMATS: [&str; 40] = [
    "%s", "%p", "%d", "%x", "%#x", "%X", "%o", "%#o", "%b", "%#b", "%e", "%E", "%f", "%.2f", "%10.3f", "%g",
    "%G", "%a", "%A", "%c", "%C", "%u", "%t", "%T", "%y", "%Y", "%#s", "%#p", "%-10s", "%10s", "%.2s",
    "%05d", "%+d", "% d", "%h", "%#h", "%#a", "%(a", "% a", "%q",
];

const DIRECTIVES: [&str; 36] = [
    "%s", "%p", "%d", "%i", "%u", "%x", "%X", "%o", "%b", "%B", "%e", "%E", "%f", "%g", "%G", "%a", "%A",
    "%c", "%%", "%5d", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%#x", "%#o", "%08.3f", "%+.2e", "%10s",
    "%-10s|", "%.2s", "%#b", "%+x", "%y", "%5",
];

const TARGETS: [&str; 26] = [
    "Integer",
    "Integer[0, 5]",
    "Float",
    "Numeric",
    "Boolean",
    "Boolean[true]",
    "String",
    "String[1, 3]",
    "Array",
    "Array[Integer]",
    "Hash",
    "Hash[String, Integer]",
    "Tuple[Integer, String]",
    "Struct[{a => Integer}]",
    "SemVer",
    "SemVerRange",
    "Binary",
    "URI",
    "Regexp",
    "Optional[Integer]",
    "NotUndef[Float]",
    "Variant[Integer, Boolean]",
    "Enum['a', 'b']",
    "Init[Integer]",
    "Init[String]",
    "Sensitive",
];

/// Types with a format of their own; many of them cover others.
const FORMATTED: [&str; 23] = [
    "Integer",
    "Numeric",
    "Float",
    "String",
    "Array",
    "Hash",
    "Any",
    "Boolean",
    "Undef",
    "Data",
    "RichData",
    "Scalar",
    "ScalarData",
    "Collection",
    "Iterable",
    "NotUndef",
    "Integer[0, 10]",
    "Optional[Integer]",
    "Variant[Integer, String]",
    "Enum['abc']",
    "Pattern[/a/]",
    "Tuple[Any, Any]",
    "Struct[{a => Any}]",
];

const STAMP_FORMATS: [&str; 24] = [
    "%F %T",
    "%Y-%m-%dT%H:%M:%S",
    "%c",
    "%D",
    "%v",
    "%x %X",
    "%r",
    "%R",
    "%a %A %b %B",
    "%j %U %W",
    "%G-%V-%u",
    "%y %C",
    "%s",
    "%L %N",
    "%3N %6N",
    "%e %k %l",
    "%I %p %P",
    "%z %:z %::z",
    "%Z",
    "%-d/%-m",
    "%_d %05d",
    "%^a %#B",
    "%10Y",
    "%n%t%% %Q",
];

const SPAN_FORMATS: [&str; 17] = [
    "%D",
    "%H",
    "%M",
    "%S",
    "%D-%H:%M:%S",
    "%H:%M",
    "%-H:%-M",
    "%_H %_M",
    "%5H",
    "%03D",
    "%%",
    "%D d %H h",
    "%M %S",
    "%Q",
    "%1001H",
    "%_2000S",
    "%1024D|",
];

/// Asks them all and counts the questions and the differences that nothing explains.
pub fn ask(
    reference: &mut Reference,
    generator: &mut Generator,
    rounds: u64,
    shown: usize,
    tally: &mut Tally,
) -> (usize, usize) {
    let questions: Vec<Question> = (0..rounds).flat_map(|_| round(generator)).collect();
    let mut differences = 0;
    let answers: Vec<Result<Json, String>> =
        questions.chunks(BATCH).flat_map(|batch| answers(reference, batch)).collect();
    for (question, theirs) in questions.iter().zip(answers) {
        let same = match (&theirs, &question.ours) {
            (Ok(theirs), Ok(ours)) => theirs == ours,
            (Err(theirs), Err(ours)) => theirs == ours,
            _ => false,
        };
        let text = |answer: &Result<Json, String>| match answer {
            Ok(json) => json.to_string(),
            Err(error) => format!("error: {error}"),
        };
        if same || tally.explains(&question.program, &text(&question.ours), &text(&theirs)) {
            continue;
        }
        differences += 1;
        if differences <= shown {
            println!(
                "{}: {}\n  ours   {}\n  theirs {}",
                question.about,
                question.program,
                text(&question.ours),
                text(&theirs)
            );
        }
    }
    (questions.len(), differences)
}

/// The reference's answers. Those we think have a value are asked together, one by one only if that fails.
fn answers(reference: &mut Reference, batch: &[Question]) -> Vec<Result<Json, String>> {
    let alone = |reference: &mut Reference, question: &Question| {
        let program = format!("[{}][0]", question.program);
        reference.eval(&program, PRELUDE).map_err(|error| without_frame(&error))
    };
    let programs: Vec<&str> = batch
        .iter()
        .filter(|question| question.ours.is_ok())
        .map(|question| question.program.as_str())
        .collect();
    let together = reference.eval(&format!("[{}]", programs.join(",\n")), PRELUDE);
    let mut together = match together {
        Ok(Json::Array(values)) if values.len() == programs.len() => Some(values.into_iter()),
        _ => None,
    };
    let mut answer = |question: &Question| match &mut together {
        Some(values) if question.ours.is_ok() => values.next().ok_or_else(String::new),
        _ => alone(reference, question),
    };
    batch.iter().map(&mut answer).collect()
}

/// A message without what was being evaluated.
fn without_frame(message: &str) -> String {
    let message = message.strip_prefix("Evaluation Error: ").unwrap_or(message);
    match message.strip_prefix("Error while evaluating ").and_then(|rest| rest.split_once(", ")) {
        Some((_, rest)) => rest.to_owned(),
        None => message.to_owned(),
    }
}

fn rich(value: Result<Value, Error>) -> Result<Json, String> {
    value.and_then(|value| richdata::to_json(&value)).map_err(|error| error.message())
}

fn text(value: &str) -> Sample<Value> {
    Sample { text: write::literal(&value.into()), value: value.into() }
}

/// A value that conversions are likely to know something about.
fn value(generator: &mut Generator) -> Sample<Value> {
    match generator.below(8) {
        0..=2 => text(generator.pick(&TEXTS)),
        3 => {
            let number = [0, 1, -1, 7, 65, 255, 8364, -255, 1 << 40, i64::MAX][generator.below(10) as usize];
            Sample { text: format!("({number})"), value: Value::Integer(number) }
        }
        4 => {
            let number = [0.0, 1.0, -1.5, 0.1, 3.15, 1e15, 1e16, 1e-5, 123_456.789, 1e100]
                [generator.below(10) as usize];
            // Some have two shortest texts that are equally near.
            let number = match generator.chance(3) {
                true => (generator.below(1 << 53) as f64 + 0.5) / f64::from(1 << generator.below(5)),
                false => number,
            };
            let text = format::float_text(number).replace("e+", "e");
            Sample { text: format!("({text})"), value: Value::Float(number) }
        }
        5 => {
            let items: Vec<Sample<Value>> = (0..generator.below(4)).map(|_| value(generator)).collect();
            let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
            let text = format!("[{}]", texts.join(", "));
            Sample { text, value: items.into_iter().map(|item| item.value).collect::<Vec<_>>().into() }
        }
        _ => generator.value(),
    }
}

fn round(generator: &mut Generator) -> Vec<Question> {
    let mut all = Vec::new();
    let mut ask = |about, program, ours| all.push(Question { about, program, ours });

    let target = generator.pick(&TARGETS);
    let ty = Type::parse(target).expect("a type");
    let args: Vec<Sample<Value>> =
        (0..if generator.chance(8) { 2 } else { 1 }).map(|_| value(generator)).collect();
    let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    let values: Vec<Value> = args.iter().map(|arg| arg.value.clone()).collect();
    // An integer is as good as the list of those below it, and Puppet makes that list.
    if !matches!(values[0], Value::Integer(count) if count > 1000) {
        ask(
            "new",
            format!("{target}.new({})", texts.join(", ")),
            rich(convert::new_instance(&ty, &values, &EmptyContext)),
        );
    }

    let from = value(generator);
    ask(
        "interpolation",
        format!("\"${{[{}][0]}}\"", from.text),
        Ok(interpolate(&from.value).as_str().into()),
    );
    let format = generator.pick(&FORMATS);
    ask(
        "format",
        format!("String.new({}, '{format}')", from.text),
        rich(format::format_value(&from.value, &format.into()).map(Value::String)),
    );
    let (formats, map) = formats(generator);
    ask(
        "formats",
        format!("String.new({}, {formats})", from.text),
        rich(convert::new_instance(
            &Type::parse("String").expect("a type"),
            &[from.value.clone(), map],
            &EmptyContext,
        )),
    );

    let pattern = format!("{} {}", generator.pick(&DIRECTIVES), generator.pick(&DIRECTIVES));
    let (one, two) = (value(generator), value(generator));
    let plain = |value: &Value| !matches!(value, Value::Hash(_));
    if plain(&one.value) && plain(&two.value) {
        ask(
            "sprintf",
            format!("sprintf('{pattern}', {}, {})", one.text, two.text),
            rich(
                format::sprintf(&pattern, &[&one.value, &two.value].map(format::old_argument))
                    .map(Value::String),
            ),
        );
    }

    let operator = [
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Divide,
        Operator::Modulo,
        Operator::ShiftLeft,
        Operator::ShiftRight,
    ][generator.below(7) as usize];
    let shifts = matches!(operator, Operator::ShiftLeft | Operator::ShiftRight);
    // Puppet makes the number that is shifted by a billion places before it finds that too large.
    if !(shifts && matches!(two.value, Value::Integer(places) if places.abs() > 1000)) {
        let result = arithmetic::calculate(operator, &one.value, &two.value, &mut Err);
        // In parentheses, as a slash after a brace begins a pattern.
        let program = format!("({}) {operator} ({})", one.text, two.text);
        ask("arithmetic", program, rich(result.map_err(Error::from)));
    }

    times(generator, &mut ask);
    versions(generator, &mut ask);
    all
}

fn formats(generator: &mut Generator) -> (String, Value) {
    let mut hash = Hash::new();
    let mut texts = Vec::new();
    for _ in 0..=generator.below(5) {
        let key = generator.pick(&FORMATTED);
        let key_type = Value::of_type(Type::parse(key).expect("a type"));
        if hash.contains_key(&key_type) {
            continue;
        }
        if matches!(key, "Array" | "Hash") && generator.chance(2) {
            let format = match key {
                "Array" => generator.pick(&["%a", "%#a", "%(a", "% a", "%#10a", "%s", "%#p"]),
                _ => generator.pick(&["%h", "%#h", "%a", "%<h", "% h", "%s", "%#p"]),
            };
            let separator = generator.pick(&[",", ", ", ";\n", " | "]);
            let inside = generator.pick(&["%d", "%s", "%p", "%#x"]);
            let mut container: Hash = [("format", format), ("separator", separator)].into_iter().collect();
            let mut text =
                format!("format => '{format}', separator => {}", write::literal(&separator.into()));
            if generator.chance(2) {
                container.insert("separator2", "=>");
                text.push_str(", separator2 => '=>'");
            }
            if generator.chance(2) {
                let any = Value::of_type(Type::Any);
                let map: Hash = [(any, inside)].into_iter().collect();
                container.insert("string_formats", map);
                text.push_str(&format!(", string_formats => {{Any => '{inside}'}}"));
            }
            hash.insert(key_type, container);
            texts.push(format!("{key} => {{{text}}}"));
        } else {
            let format = generator.pick(&FORMATS);
            hash.insert(key_type, format);
            texts.push(format!("{key} => '{format}'"));
        }
    }
    (format!("{{{}}}", texts.join(", ")), hash.into())
}

fn times(generator: &mut Generator, ask: &mut impl FnMut(&'static str, String, Result<Json, String>)) {
    let seconds = generator.below(4_000_000_000) as i64 - 1_000_000_000;
    let format = generator.pick(&STAMP_FORMATS);
    let stamp = Timestamp::from_seconds(seconds);
    let zone = generator.pick(&[
        "",
        "UTC",
        "+02:00",
        "PDT",
        "cet",
        "-0330",
        "Eastern Standard Time",
        "z",
        "Europe/Paris",
        "jst",
        "Mountain Daylight Time",
        "nowhere",
        "GMT+3",
    ]);
    let given = if zone.is_empty() { String::new() } else { format!(", '{zone}'") };
    let written = stamp.format(format, Some(zone));
    ask(
        "strftime",
        format!("strftime(Timestamp({seconds}), '{format}'{given})"),
        rich(written.map(Value::String)),
    );
    let plain = generator.pick(&[
        "%F %T",
        "%FT%T",
        "%c",
        "%D %r",
        "%Y%m%d%H%M%S",
        "%d %b %y %R",
        "%v %X",
        "%F %T %z",
    ]);
    let text = stamp.format(plain, None).unwrap_or_default();
    let read = Timestamp::parse_with(&text, plain, None).map(Value::Timestamp);
    ask("strptime", format!("Timestamp('{text}', '{plain}')"), rich(read));
    let format = generator.pick(&SPAN_FORMATS);
    let seconds = if generator.chance(4) { i64::MAX - seconds.abs() } else { seconds % 1_000_000 };
    let span = Timespan::from_seconds(seconds);
    let written = span.format(format).map(Value::from);
    ask("strftime", format!("strftime(Timespan({seconds}), '{format}')"), rich(written));
    let (more, nanos) = (generator.below(1 << 62) as i64, span.nanos());
    let sum = Timespan::from_nanos(nanos + Timespan::from_seconds(more).nanos());
    ask("long", format!("Timespan({seconds}) + Timespan({more})"), rich(Ok(Value::Timespan(sum))));
    let product = Timespan::from_nanos(nanos * 1000);
    ask("long", format!("Timespan({seconds}) * 1000"), rich(Ok(Value::Timespan(product))));
    let letter = i64::from(b'A') + generator.below(26) as i64;
    let written = format::format_value(&Value::Timespan(Timespan::from_seconds(letter)), &"%c".into());
    ask("format", format!("String.new(Timespan({letter}), '%c')"), rich(written.map(Value::String)));
}

fn versions(generator: &mut Generator, ask: &mut impl FnMut(&'static str, String, Result<Json, String>)) {
    let number = |generator: &mut Generator| match generator.chance(12) {
        true => generator.pick(&["99999999999999999999", "18446744073709551615"]).to_owned(),
        false => generator.pick(&["0", "1", "2", "10", "x", "*"]).to_owned(),
    };
    let partial = |generator: &mut Generator| {
        let mut text = number(generator);
        for _ in 0..generator.below(3) {
            text = format!("{text}.{}", number(generator));
        }
        if text.matches('.').count() == 2 && generator.chance(3) {
            text.push_str(generator.pick(&["-a", "-rc.1", "+b", "-1"]));
        }
        text
    };
    let comparator = |generator: &mut Generator| {
        let sign = generator.pick(&["", "", "=", ">", ">=", "<", "<=", "~", "~>", "^", ">= "]);
        format!("{sign}{}", partial(generator))
    };
    let mut range = match generator.below(4) {
        0 => format!("{} - {}", partial(generator), partial(generator)),
        1 => format!("{} {}", comparator(generator), comparator(generator)),
        _ => comparator(generator),
    };
    if generator.chance(5) {
        range = format!("{range} || {}", comparator(generator));
    }
    if generator.chance(6) {
        range.push(' ');
    }
    let version = generator.pick(&[
        "99999999999999999999.0.0",
        "1.0.0-99999999999999999999",
        "0.0.0",
        "1.0.0",
        "1.2.0",
        "1.2.3",
        "2.0.0",
        "10.1.0",
        "1.0.0-a",
        "2.0.0-rc.1",
        "1.0.0+b",
    ]);
    let parsed = VersionRange::parse(&range);
    let normal = parsed.clone().map(|range| Value::from(range.normalized()));
    ask("range", format!("String.new(SemVerRange('{range}'), '%p')"), rich(normal));
    let included = parsed.and_then(|range| {
        let ty = Type::SemVer([Arc::new(range)].into());
        Ok(Value::Boolean(ty.contains(&Value::SemVer(Arc::new(Version::parse(version)?)))))
    });
    ask("range", format!("SemVer('{version}') =~ SemVer[SemVerRange('{range}')]"), rich(included));
}
