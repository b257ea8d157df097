//! Values of a type, and simpler values.

use std::sync::Arc;

use kukla::Value;
use kukla::values::types::Range;
use kukla::values::{Hash, Type};

/// A source of values that follow from a seed.
pub(super) struct Generator(u64);

/// The deepest nesting of values.
const DEEPEST: usize = 4;

/// Strings of many common forms, for types that only a pattern describes. Each is tried before anything else.
const SAMPLES: [&str; 48] = [
    "a",
    "example",
    "present",
    "absent",
    "/tmp/example",
    "/",
    "web1.example.com",
    "example.com",
    "192.0.2.1",
    "192.0.2.0/24",
    "2001:db8::1",
    "2001:db8::/32",
    "https://example.com/",
    "http://example.com/a?b=c",
    "ldap://example.com",
    "0644",
    "644",
    "u=rw,go=r",
    "1.2.3",
    "1",
    "80",
    "80-90",
    "user@example.com",
    "00:11:22:33:44:55",
    "C:/example",
    "C:\\example",
    "UTC",
    "Europe/Berlin",
    "yes",
    "no",
    "on",
    "true",
    "10%",
    "512M",
    "1G",
    "30s",
    "5m",
    "1h",
    "daily",
    "puppet:///modules/a/b",
    "file:///tmp/a",
    "-----BEGIN CERTIFICATE-----",
    "d41d8cd98f00b204e9800998ecf8427e",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "ZXhhbXBsZQ==",
    "example::name",
    "@daily",
    "!example",
];

impl Generator {
    pub(super) fn new(seed: u64) -> Generator {
        Generator(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// The next number (splitmix64).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(super) fn flip(&mut self) -> bool {
        self.next() & 1 == 1
    }

    pub(super) fn choose<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        from.get(self.below(from.len()))
    }

    /// A value of a type, if one can be found.
    pub(super) fn value(&mut self, ty: &Type, depth: usize) -> Option<Value> {
        let value = self.candidate(ty, depth)?;
        // A value of another type would be the mistake of the generator.
        ty.contains(&value).then_some(value)
    }

    fn candidate(&mut self, ty: &Type, depth: usize) -> Option<Value> {
        Some(match ty {
            Type::Undef => Value::Undef,
            Type::Default => Value::Default,
            Type::Boolean(fixed) => Value::Boolean(fixed.unwrap_or_else(|| self.flip())),
            Type::Integer(range) => Value::Integer(self.integer(range)),
            Type::Numeric => Value::Integer(self.integer(&Range::ANY)),
            Type::Float(low, high) => {
                let (low, high) = (low.max(-1000.0), high.min(1000.0));
                Value::Float(low + (high - low) * (self.below(1001) as f64 / 1000.0))
            }
            Type::Literal(text) => Value::String(text.clone()),
            Type::Enum(values) => Value::String(self.choose(&values.values)?.clone()),
            Type::String(range) => self.string(range),
            Type::Pattern(_) => self.sample(ty)?,
            Type::Optional(inner) => match inner {
                Some(inner) if depth < DEEPEST && self.flip() => self.value(inner, depth)?,
                _ => Value::Undef,
            },
            Type::NotUndef(Some(inner)) | Type::Iterable(Some(inner)) => self.value(inner, depth)?,
            Type::Variant(types) => {
                let start = self.below(types.len());
                let turned = types.iter().cycle().skip(start).take(types.len());
                turned.filter_map(|one| self.value(one, depth)).next()?
            }
            Type::Sensitive(inner) => Value::Sensitive(Arc::new(self.value(inner, depth)?)),
            Type::Array(array) => {
                let count = self.size(&array.size, depth);
                let elements: Option<Vec<Value>> =
                    (0..count).map(|_| self.value(&array.element, depth + 1)).collect();
                elements?.into()
            }
            Type::Tuple(tuple) => {
                let elements: Option<Vec<Value>> =
                    tuple.types.iter().map(|one| self.value(one, depth + 1)).collect();
                elements?.into()
            }
            Type::Hash(hash) => {
                let mut entries = Hash::new();
                for _ in 0..self.size(&hash.size, depth) {
                    entries.insert(self.value(&hash.key, depth + 1)?, self.value(&hash.value, depth + 1)?);
                }
                Value::Hash(entries)
            }
            Type::Struct(fields) => {
                let mut entries = Hash::new();
                for field in fields.iter() {
                    if !field.optional || depth < DEEPEST && self.flip() {
                        match self.value(&field.value, depth + 1) {
                            Some(value) => drop(entries.insert(field.name.clone(), value)),
                            None if field.optional => {}
                            None => return None,
                        }
                    }
                }
                Value::Hash(entries)
            }
            Type::Alias(alias) => self.value(alias.resolved(), depth)?,
            Type::Any
            | Type::Data
            | Type::Scalar
            | Type::ScalarData
            | Type::RichData
            | Type::NotUndef(None) => Value::String("example".into()),
            _ => self.sample(ty)?,
        })
    }

    /// One of the samples that is of the type.
    fn sample(&mut self, ty: &Type) -> Option<Value> {
        let start = self.below(SAMPLES.len());
        let turned = SAMPLES.iter().cycle().skip(start).take(SAMPLES.len());
        turned.map(|text| Value::from(*text)).find(|value| ty.contains(value))
    }

    fn integer(&mut self, range: &Range) -> i64 {
        let (low, high) = (range.from().unwrap_or(i64::MIN), range.to().unwrap_or(i64::MAX));
        // The ends and small numbers find more mistakes than the others.
        let common = [low, high, 0, 1, -1, 2, 80, 443, 1024, 65_535];
        let fitting: Vec<i64> = common.into_iter().filter(|one| (low..=high).contains(one)).collect();
        let inside =
            i128::from(low) + i128::from(self.next() >> 1) % (i128::from(high) - i128::from(low) + 1);
        match self.below(fitting.len() + 1) {
            0 => i64::try_from(inside).unwrap_or(low),
            at => fitting[at - 1],
        }
    }

    fn string(&mut self, range: &Range) -> Value {
        let (low, high) =
            (range.from().unwrap_or(0).max(0) as usize, range.to().unwrap_or(64).clamp(0, 64) as usize);
        if low == 0 && self.below(8) == 0 {
            return Value::from("");
        }
        let text = self.choose(&SAMPLES).copied().unwrap_or("a");
        let mut text: String = text.chars().take(high.max(low)).collect();
        while text.chars().count() < low {
            text.push('x');
        }
        Value::from(text.as_str())
    }

    fn size(&mut self, range: &Range, depth: usize) -> usize {
        let low = range.from().unwrap_or(0).max(0) as usize;
        let high = range.to().unwrap_or(3).clamp(0, 3).max(low as i64) as usize;
        if depth >= DEEPEST { low } else { low + self.below(high - low + 1) }
    }
}

/// Values that are simpler by one step.
pub(super) fn simpler(value: &Value) -> Vec<Value> {
    match value {
        Value::Undef | Value::Boolean(false) => Vec::new(),
        Value::Boolean(true) => vec![Value::Boolean(false)],
        Value::Integer(0) => Vec::new(),
        Value::Integer(n) => vec![Value::Integer(0), Value::Integer(n / 2), Value::Integer(n - n.signum())],
        Value::String(text) if !text.is_empty() => {
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            let less: String = text.chars().take(text.chars().count() - 1).collect();
            let mut all = vec![Value::from("")];
            all.extend([half, less].iter().map(|one| Value::from(one.as_str())));
            if text.as_str() != "a" {
                all.push(Value::from("a"));
            }
            all.retain(|one| one != value);
            all
        }
        Value::Array(elements) => {
            let mut all: Vec<Value> = Vec::new();
            for at in 0..elements.len() {
                let others = elements.iter().enumerate().filter(|(other, _)| *other != at);
                all.push(others.map(|(_, one)| one.clone()).collect::<Vec<_>>().into());
            }
            for (at, element) in elements.iter().enumerate() {
                for simple in simpler(element) {
                    let mut changed: Vec<Value> = elements.iter().cloned().collect();
                    changed[at] = simple;
                    all.push(changed.into());
                }
            }
            all
        }
        Value::Hash(entries) => {
            let mut all = Vec::new();
            for (key, entry) in entries {
                let without: Hash = entries
                    .iter()
                    .filter(|(other, _)| *other != key)
                    .map(|(k, v)| (k.clone(), v.clone()))
                    .collect();
                all.push(Value::Hash(without));
                for simple in simpler(entry) {
                    let mut changed = entries.clone();
                    changed.insert(key.clone(), simple);
                    all.push(Value::Hash(changed));
                }
            }
            all
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_of_their_types() {
        for text in [
            "Integer[1, 65535]",
            "String[1, 3]",
            "Array[Enum['a', 'b'], 1, 2]",
            "Struct[{a => Integer, Optional[b] => Boolean}]",
            "Variant[Pattern[/^\\/[a-z]/], Undef]",
            "Hash[String[1], Optional[Float[0.0, 1.0]]]",
            "Tuple[Integer, Boolean]",
            "Sensitive[String[1]]",
        ] {
            let ty = Type::parse(text).expect("it parses");
            for seed in 0..200 {
                let value = Generator::new(seed).value(&ty, 0).unwrap_or_else(|| panic!("{text}: {seed}"));
                assert!(ty.contains(&value), "{text}: {value:?}");
                // Making it simpler comes to an end.
                let mut smallest = value;
                for _ in 0..1000 {
                    match simpler(&smallest).into_iter().find(|one| ty.contains(one)) {
                        Some(one) => smallest = one,
                        None => break,
                    }
                }
                let left = simpler(&smallest).into_iter().find(|one| ty.contains(one));
                assert_eq!(left, None, "{text}: {smallest:?}");
            }
        }
        assert!(Generator::new(1).value(&Type::parse("Pattern[/^zq{9}$/]").unwrap(), 0).is_none());
    }
}
