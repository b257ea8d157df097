//! The match of a regular expression.

use std::cell::Ref;
use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, quick};
use crate::core::regexp;
use crate::core::regexp::matching::Spans;
use crate::core::string::index;
use crate::core::string::show;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{Object, RegexpObject, StringObject, Value};

/// The class `MatchData`.
pub const MATCH_DATA: NativeClass =
    NativeClass { methods: &[METHODS], ..NativeClass::class("MatchData", "Object") };

const METHODS: &[Native] = methods![
    method("==", 1, 1, equal).alias("eql?"),
    method("hash", 0, 0, hash),
    quick("[]", 1, 2, element),
    quick("begin", 1, 1, begin),
    method("bytebegin", 1, 1, byte_begin),
    method("byteend", 1, 1, byte_end),
    method("byteoffset", 1, 1, byte_offset),
    quick("captures", 0, 0, captures).alias("deconstruct"),
    method("deconstruct_keys", 1, 1, deconstruct_keys),
    quick("end", 1, 1, end),
    method("initialize_copy", 1, 1, initialize_copy),
    method("inspect", 0, 0, inspect),
    quick("length", 0, 0, length),
    method("match", 1, 1, match_group),
    method("match_length", 1, 1, match_length),
    method("named_captures", 0, 1, named_captures),
    quick("names", 0, 0, names),
    method("offset", 1, 1, offset),
    quick("post_match", 0, 0, post_match),
    quick("pre_match", 0, 0, pre_match),
    quick("regexp", 0, 0, regexp_of),
    quick("size", 0, 0, length),
    quick("string", 0, 0, subject),
    method("to_a", 0, 0, to_a),
    quick("to_s", 0, 0, to_s),
    quick("values_at", 0, ANY, values_at),
];

/// A match: of what, in what, where.
#[derive(Clone)]
pub struct Match {
    /// The pattern; `nil` when a plain string was looked for.
    pub regexp: Option<Rc<RegexpObject>>,
    /// The text in which it was found, frozen.
    pub subject: Rc<StringObject>,
    /// Where the match and its groups lie, in bytes.
    pub spans: Spans,
}

impl Match {
    /// Where the whole match lies.
    pub fn whole(&self) -> (usize, usize) {
        self.spans.first().copied().flatten().unwrap_or((0, 0))
    }

    /// The text of a group, if it took part.
    pub fn group(&self, number: usize) -> Option<Text> {
        let (start, end) = self.spans.get(number).copied().flatten()?;
        Some(self.subject.text().slice(start..end))
    }

    fn value(&self, number: usize) -> Value {
        self.group(number).map_or(Value::Nil, Value::str)
    }

    /// Whether the groups of the pattern have names.
    pub fn has_names(&self) -> bool {
        self.regexp.as_ref().is_some_and(|regexp| !regexp.pattern.names().is_empty())
    }

    /// The number of the group with a name: the last of that name that took part.
    pub fn named(&self, name: &str) -> Option<usize> {
        let regexp = self.regexp.as_ref()?;
        let (_, groups) = regexp.pattern.names().iter().find(|(known, _)| &**known == name)?;
        let took_part =
            groups.iter().rev().find(|group| self.spans.get(**group).is_some_and(Option::is_some));
        took_part.or(groups.last()).copied()
    }
}

/// The match as a value.
pub(crate) fn make(found: Match) -> Value {
    Value::Object(Object::with(ClassId::MATCH_DATA, found))
}

/// The subject of a match: a frozen string with the text that a string has now.
pub(crate) fn frozen_subject(string: &Rc<StringObject>) -> Rc<StringObject> {
    if string.head.is_frozen() && string.head.class() == ClassId::STRING {
        return string.clone();
    }
    let copy = StringObject::new(ClassId::STRING, string.text_mut().share());
    copy.head.freeze();
    copy
}

/// The match in a `MatchData`.
pub(crate) fn of<'v>(ruby: &mut Ruby<'_>, value: &'v Value) -> Result<Ref<'v, Match>> {
    if let Value::Object(object) = value
        && let Some(found) = object.payload::<Match>()
    {
        return Ok(found);
    }
    Err(ruby.type_error("uninitialized MatchData"))
}

/// The number of the group that a number, a name or a symbol means; `None` beyond the groups.
pub(crate) fn group_number(ruby: &mut Ruby<'_>, found: &Match, group: &Value) -> Result<Option<usize>> {
    let name = match group {
        Value::Symbol(symbol) => ruby.name(*symbol).to_owned(),
        Value::String(string) => string.text().to_str_lossy().into_owned(),
        other => {
            let number = ruby.to_int(other)?;
            let count = found.spans.len() as i64;
            // Counted from the end the whole match cannot be reached.
            if number < 0 && number + count <= 0 {
                return Ok(None);
            }
            let number = if number < 0 { number + count } else { number };
            return Ok(usize::try_from(number).ok().filter(|number| *number < found.spans.len()));
        }
    };
    match found.named(&name) {
        Some(number) => Ok(Some(number)),
        None => Err(ruby.index_error(format!("undefined group name reference: {name}"))),
    }
}

/// The number of a group for `begin` and the like, which complain of one that is not there.
fn must_be_group(ruby: &mut Ruby<'_>, this: &Value, group: &Value) -> Result<usize> {
    let found = of(ruby, this)?.clone();
    if let Value::Symbol(_) | Value::String(_) = group {
        return Ok(group_number(ruby, &found, group)?.unwrap_or(0));
    }
    let number = ruby.to_int(group)?;
    match usize::try_from(number).ok().filter(|number| *number < found.spans.len()) {
        Some(number) => Ok(number),
        None => Err(ruby.index_error(format!("index {number} out of matches"))),
    }
}

fn span(ruby: &mut Ruby<'_>, this: &Value, group: &Value) -> Result<Option<(usize, usize)>> {
    let number = must_be_group(ruby, this, group)?;
    Ok(of(ruby, this)?.spans.get(number).copied().flatten())
}

fn char_span(ruby: &mut Ruby<'_>, this: &Value, group: &Value) -> Result<Option<(usize, usize)>> {
    let Some((start, end)) = span(ruby, this, group)? else { return Ok(None) };
    let found = of(ruby, this)?;
    let text = found.subject.text();
    Ok(Some((text.char_of_byte(start), text.char_of_byte(end))))
}

fn number(at: Option<usize>) -> Value {
    at.map_or(Value::Nil, |at| Value::Int(at as i64))
}

fn pair(span: Option<(usize, usize)>) -> Value {
    Value::array(vec![number(span.map(|span| span.0)), number(span.map(|span| span.1))])
}

fn begin(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(number(char_span(ruby, this, &args[0])?.map(|span| span.0)))
}

fn end(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(number(char_span(ruby, this, &args[0])?.map(|span| span.1)))
}

fn offset(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(pair(char_span(ruby, this, &args[0])?))
}

fn byte_begin(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(number(span(ruby, this, &args[0])?.map(|span| span.0)))
}

fn byte_end(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(number(span(ruby, this, &args[0])?.map(|span| span.1)))
}

fn byte_offset(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(pair(span(ruby, this, &args[0])?))
}

fn match_group(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let number = must_be_group(ruby, this, &args[0])?;
    Ok(of(ruby, this)?.value(number))
}

fn match_length(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(number(char_span(ruby, this, &args[0])?.map(|(start, end)| end - start)))
}

fn equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if this.is_same(&args[0]) {
        return Ok(true.into());
    }
    let Value::Object(other) = &args[0] else { return Ok(false.into()) };
    let Some(other) = other.payload::<Match>() else { return Ok(false.into()) };
    let found = of(ruby, this)?;
    let same_pattern = match (&found.regexp, &other.regexp) {
        (Some(a), Some(b)) => a.pattern == b.pattern,
        (None, None) => true,
        _ => false,
    };
    Ok((same_pattern && found.spans == other.spans && found.subject.text().same_text(&other.subject.text()))
        .into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let found = of(ruby, this)?.clone();
    let code = ruby.hash_code(&Value::String(found.subject.clone()))?;
    let (start, end) = found.whole();
    let code = code.wrapping_mul(31).wrapping_add(start as u64).wrapping_mul(31).wrapping_add(end as u64);
    Ok(Value::Int((code >> 2) as i64))
}

/// The whole match and all groups.
pub(crate) fn all_groups(found: &Match) -> Vec<Value> {
    (0..found.spans.len()).map(|number| found.value(number)).collect()
}

/// The groups without the whole match.
pub(crate) fn groups(found: &Match) -> Vec<Value> {
    (1..found.spans.len()).map(|number| found.value(number)).collect()
}

fn to_a(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::array(all_groups(&*of(ruby, this)?)))
}

fn captures(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::array(groups(&*of(ruby, this)?)))
}

fn element(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let found = of(ruby, this)?.clone();
    if args.len() == 1 && !matches!(args[0], Value::Range(_)) {
        return Ok(group_number(ruby, &found, &args[0])?.map_or(Value::Nil, |number| found.value(number)));
    }
    let mut all = all_groups(&found);
    if let [Value::Int(start @ ..0), Value::Int(len @ 0..)] = args.list
        && let Ok(start) = usize::try_from(start + all.len() as i64)
    {
        // Counted from the end as many values are given as were asked for.
        ruby.charge(*len as u64)?;
        let wanted = start.saturating_add(*len as usize).min(1 << 24);
        all.resize(wanted.max(all.len()), Value::Nil);
        return Ok(Value::array(&all[start..wanted]));
    }
    ruby.send(&Value::array(all), sym::INDEX, args.list)
}

fn values_at(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let found = of(ruby, this)?.clone();
    let mut values = Vec::new();
    for group in args.list {
        match group {
            Value::Range(range) => {
                let Some((start, len)) = index::range_within(ruby, range, found.spans.len(), true)? else {
                    continue;
                };
                let wanted = index::range_length(ruby, range, start, found.spans.len())?.max(len);
                values.extend((start..start + wanted).map(|number| found.value(number)));
            }
            group => values
                .push(group_number(ruby, &found, group)?.map_or(Value::Nil, |number| found.value(number))),
        }
    }
    Ok(Value::array(values))
}

fn group_names(found: &Match) -> Vec<String> {
    found.regexp.as_ref().map_or_else(Vec::new, |regexp| {
        regexp.pattern.names().iter().map(|(name, _)| name.to_string()).collect()
    })
}

fn names(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let names = group_names(&*of(ruby, this)?);
    Ok(Value::array(names.iter().map(|name| Value::str(regexp::group_name(name))).collect::<Vec<_>>()))
}

fn named_captures(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let symbols = match args.split() {
        ([], None) => false,
        ([], Some(keywords)) => {
            ruby.keyword(keywords, "symbolize_names").is_some_and(|given| given.is_true())
        }
        (given, _) => return Err(ruby.wrong_number_of_arguments(given.len(), 0)),
    };
    let found = of(ruby, this)?.clone();
    let mut pairs = Vec::new();
    for name in group_names(&found) {
        let value = found.named(&name).map_or(Value::Nil, |number| found.value(number));
        pairs.push((if symbols { ruby.symbol(&name) } else { name.into() }, value));
    }
    ruby.make_hash(pairs)
}

fn deconstruct_keys(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let found = of(ruby, this)?.clone();
    let keys = match &args[0] {
        Value::Nil => group_names(&found).iter().map(|name| ruby.symbol(name)).collect(),
        Value::Array(keys) => keys.to_vec(),
        other => {
            let word = ruby.class_name_of(other);
            return Err(ruby.type_error(format!("wrong argument type {word} (expected Array)")));
        }
    };
    let mut pairs = Vec::new();
    if keys.len() > group_names(&found).len() {
        return ruby.make_hash(pairs);
    }
    for key in keys {
        let Value::Symbol(symbol) = key else {
            let word = ruby.class_name_of(&key);
            return Err(ruby.type_error(format!("wrong argument type {word} (expected Symbol)")));
        };
        let Some(number) = found.named(ruby.name(symbol)) else { break };
        pairs.push((key, found.value(number)));
    }
    ruby.make_hash(pairs)
}

fn length(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(of(ruby, this)?.spans.len() as i64))
}

fn pre_match(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let found = of(ruby, this)?;
    Ok(Value::str(found.subject.text().slice(0..found.whole().0)))
}

fn post_match(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let found = of(ruby, this)?;
    Ok(Value::str(found.subject.text().slice(found.whole().1..usize::MAX)))
}

fn regexp_of(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let found = of(ruby, this)?.clone();
    match &found.regexp {
        Some(regexp) => Ok(Value::Regexp(regexp.clone())),
        None => {
            let literal = found.group(0).map(|text| regexp::escape(&text));
            regexp::from_source(ruby, &literal.unwrap_or_else(|| "".into()))
        }
    }
}

fn subject(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::String(of(ruby, this)?.subject.clone()))
}

fn to_s(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(of(ruby, this)?.group(0).map_or_else(|| "".into(), Value::str))
}

fn initialize_copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let copy = of(ruby, &args[0])?.clone();
    if let Value::Object(object) = this {
        object.set_payload(copy);
    }
    Ok(this.clone())
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let found = of(ruby, this)?.clone();
    let mut shown = b"#<MatchData".to_vec();
    let mut labels: Vec<Option<String>> = vec![None; found.spans.len()];
    if let Some(regexp) = &found.regexp {
        for (name, groups) in regexp.pattern.names() {
            for group in groups {
                if let Some(label) = labels.get_mut(*group) {
                    *label = Some(name.to_string());
                }
            }
        }
    }
    for (number, label) in labels.into_iter().enumerate() {
        shown.push(b' ');
        match label {
            Some(name) => shown.extend_from_slice(format!("{name}:").as_bytes()),
            None if number > 0 => shown.extend_from_slice(format!("{number}:").as_bytes()),
            None => {}
        }
        match found.group(number) {
            Some(text) => shown.extend_from_slice(&show::inspect_text(&text)),
            None => shown.extend_from_slice(b"nil"),
        }
    }
    shown.push(b'>');
    let shown = Text::from(shown);
    Ok(Value::str(if shown.is_ascii() { shown.in_encoding(Encoding::Binary) } else { shown }))
}
