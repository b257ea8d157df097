//! Types and values by chance, each with the text that makes it in Puppet.

use std::sync::Arc;

use kukla_values::semver::{Version, VersionRange};
use kukla_values::time::{Timespan, Timestamp};
use kukla_values::types::parse::parse_value;
use kukla_values::types::{Type, TypeAlias};
use kukla_values::{Hash, Value};

/// Aliases both sides know.
pub const PRELUDE: &str = "type Port = Integer[1, 65535]
type Name = Pattern[/\\A[a-z]+\\z/]
type IntTree = Array[Variant[Integer, IntTree]]
type Tree = Hash[String, Variant[String, Tree]]
type Named = Struct[{name => String[1], Optional[port] => Port}]
type MaybePort = Optional[Port]
type Choice = Variant[Port, Enum['auto', 'none'], Array[Name]]
";

/// Something with its text.
#[derive(Clone)]
pub struct Sample<T> {
    /// How Puppet writes it.
    pub text: String,
    /// Its value here.
    pub value: T,
}

/// A source of types and values.
pub struct Generator {
    state: u64,
    aliases: Vec<(String, Type)>,
}

const NAMES: [&str; 8] = ["a", "b", "name", "port", "Auto", "none", "x y", ""];

const LEAVES: [&str; 62] = [
    "Any",
    "Scalar",
    "ScalarData",
    "Numeric",
    "Data",
    "RichData",
    "RichDataKey",
    "Undef",
    "Default",
    "Integer",
    "Float",
    "Boolean",
    "String",
    "Enum",
    "Pattern",
    "Regexp",
    "Binary",
    "SemVer",
    "SemVerRange",
    "Timestamp",
    "Timespan",
    "URI",
    "Collection",
    "Array",
    "Tuple",
    "Hash",
    "Struct",
    "Variant",
    "Optional",
    "NotUndef",
    "Iterable",
    "Iterator",
    "Sensitive",
    "Type",
    "Callable",
    "CatalogEntry",
    "Resource",
    "Class",
    "Object",
    "TypeSet",
    "Runtime",
    "Init",
    "Deferred",
    "File",
    "Port",
    "Name",
    "IntTree",
    "Tree",
    "Named",
    "MaybePort",
    "Choice",
    "Boolean[true]",
    "Boolean[false]",
    "File['a']",
    "Class['a']",
    "Regexp[/a/]",
    "String[1]",
    "String[1, 2]",
    "Integer[0]",
    "Array[1, 2]",
    "Hash[1, 2]",
    "Callable[0, 0]",
];

impl Generator {
    /// The same seed gives the same questions.
    pub fn new(seed: u64) -> Generator {
        let mut aliases: Vec<(String, Type)> = Vec::new();
        for line in PRELUDE.lines() {
            let (name, definition) = line.trim_start_matches("type ").split_once(" = ").expect("an alias");
            let alias = TypeAlias::new(name);
            aliases.push((name.to_string(), Type::Alias(alias.clone())));
            let ty = Type::parse_with(definition, &|name| find(&aliases, name)).expect("a type");
            alias.resolve(ty).expect("a real type");
        }
        Generator { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, aliases }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// One time in `n`.
    pub fn chance(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of them.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A type of any kind.
    pub fn ty(&mut self) -> Sample<Type> {
        let text = self.type_text(3);
        self.known(text)
    }

    /// Our side's reading of a type.
    fn known(&self, text: String) -> Sample<Type> {
        let value = Type::parse_with(&text, &|name| find(&self.aliases, name))
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        Sample { text, value }
    }

    /// A type as our side reads it.
    pub fn read(&self, text: &str) -> Type {
        self.known(text.to_string()).value
    }

    fn quoted(&mut self) -> String {
        format!("'{}'", self.pick(&NAMES))
    }

    fn word(&mut self) -> String {
        format!("'{}'", self.pick(&NAMES[..6]))
    }

    fn bounds(&mut self) -> String {
        let from = self.below(4);
        match self.below(10) % 4 {
            3 => format!("{from}, {}", i64::MAX - self.below(2) as i64),
            0 => format!("{from}"),
            1 => format!("{from}, {}", from + self.below(3)),
            _ => format!("default, {}", from + 1),
        }
    }

    fn list(&mut self, max: u64, mut item: impl FnMut(&mut Self) -> String) -> String {
        let n = 1 + self.below(max);
        (0..n).map(|_| item(self)).collect::<Vec<_>>().join(", ")
    }

    fn type_text(&mut self, depth: u64) -> String {
        if depth == 0 || self.chance(3) {
            return self.pick(&LEAVES).to_string();
        }
        let inner = depth - 1;
        match self.below(22) {
            0 => format!("Integer[{}]", self.bounds()),
            1 => format!("Float[{}.5, {}.0]", self.below(3), 3 + self.below(3)),
            2 => format!("String[{}]", self.bounds()),
            3 => {
                let flag = if self.chance(4) { ", true" } else { "" };
                format!("Enum[{}{flag}]", self.list(3, Self::word))
            }
            4 => format!(
                "Pattern[{}]",
                self.list(2, |g| g.pick(&["/a/", "/^b/", "/[0-9]/", "/\\Aau/"]).to_string())
            ),
            5 => format!("Array[{}]", self.type_text(inner)),
            6 => format!("Array[{}, {}]", self.type_text(inner), self.bounds()),
            7 => format!("Hash[{}, {}]", self.type_text(inner), self.type_text(inner)),
            8 => format!("Hash[{}, {}, {}]", self.type_text(inner), self.type_text(inner), self.bounds()),
            9 => format!("Tuple[{}]", self.list(3, |g| g.type_text(inner))),
            10 => format!("Tuple[{}, {}]", self.list(3, |g| g.type_text(inner)), self.bounds()),
            11 | 12 => self.struct_text(inner),
            13 | 14 => format!("Variant[{}]", self.list(3, |g| g.type_text(inner))),
            15 => format!("Optional[{}]", self.type_text(inner)),
            16 => format!("NotUndef[{}]", self.type_text(inner)),
            17 => format!("Type[{}]", self.type_text(inner)),
            18 => format!("{}[{}]", self.pick(&["Iterable", "Iterator", "Sensitive"]), self.type_text(inner)),
            19 => self.callable_text(inner),
            20 if self.chance(2) => self
                .pick(&[
                    "Init[Integer]",
                    "Init[Boolean]",
                    "Init[String]",
                    "Init[Array]",
                    "Init[Hash]",
                    "Init[Float]",
                    "Init[Numeric]",
                    "Init[Timespan]",
                    "Init[Timestamp]",
                    "Init[SemVer]",
                    "Init[SemVerRange]",
                    "Init[Binary]",
                    "Init[URI]",
                    "Init[Regexp]",
                    "Init[Sensitive]",
                    "Init[Integer, 16]",
                    "Init[Type]",
                    "Init[Deferred]",
                ])
                .to_string(),
            20 => format!("Collection[{}]", self.bounds()),
            _ => self
                .pick(&[
                    "SemVer['>=1.0.0']",
                    "SemVer['1.x', '3.x']",
                    "Timespan[1, 10]",
                    "Timespan[5]",
                    "Timestamp[0, 1000]",
                    "Timestamp['2020-01-01']",
                    "Regexp[/b/]",
                    "File['b']",
                    "Class['b']",
                    "Runtime['ruby', 'Foo']",
                    "Optional['a']",
                    "NotUndef['b']",
                    "Integer[-5, 5]",
                    "Float[0.0, 1.25]",
                    "Float[1]",
                ])
                .to_string(),
        }
    }

    fn struct_text(&mut self, inner: u64) -> String {
        let keys = ["a", "b", "name", "port"];
        let n = 1 + self.below(3) as usize;
        let fields: Vec<String> = (0..n)
            .map(|i| {
                let key = match self.below(4) {
                    0 => format!("Optional[{}]", keys[i]),
                    1 => format!("NotUndef[{}]", keys[i]),
                    _ => keys[i].to_string(),
                };
                format!("{key} => {}", self.type_text(inner))
            })
            .collect();
        format!("Struct[{{{}}}]", fields.join(", "))
    }

    fn callable_text(&mut self, inner: u64) -> String {
        let mut params = self.list(2, |g| g.type_text(inner.min(1)));
        if self.chance(3) {
            params = format!("{params}, {}", self.bounds());
        }
        if self.chance(4) {
            params =
                format!("{params}, {}", self.pick(&["Callable", "Optional[Callable]", "Callable[String]"]));
        }
        match self.chance(3) {
            true => format!("Callable[[{params}], {}]", self.type_text(inner.min(1))),
            false => format!("Callable[{params}]"),
        }
    }

    /// A value of any kind.
    pub fn value(&mut self) -> Sample<Value> {
        self.value_to(3)
    }

    fn value_to(&mut self, depth: u64) -> Sample<Value> {
        if depth > 0 && self.chance(2) {
            return match self.below(3) {
                0 => self.array(depth - 1),
                1 => self.hash(depth - 1, true),
                _ => self.hash(depth - 1, false),
            };
        }
        match self.below(14) {
            0 => self.literal("undef"),
            1 => self.literal("default"),
            2 => self.literal("true"),
            3 | 4 => {
                let n = self.below(12) as i64 - 3;
                Sample { text: format!("({n})"), value: Value::Integer(n) }
            }
            5 => {
                let n = self.below(40) as f64 / 4.0;
                Sample { text: format!("{n:?}"), value: Value::Float(n) }
            }
            6..=8 => {
                let text = self.quoted();
                self.literal(&text)
            }
            9 => {
                let text = self.pick(&["/a/", "/^b/", "/c\\/d/"]).to_string();
                self.literal(&text)
            }
            10 => {
                let ty = self.type_text(1);
                let ty = self.known(ty);
                Sample { text: ty.text, value: ty.value.into() }
            }
            11 => {
                let inner = self.value_to(depth.min(1));
                let value = Value::Sensitive(Arc::new(inner.value.clone()));
                match inner.value {
                    Value::Sensitive(_) => inner,
                    _ => Sample { text: format!("Sensitive({})", inner.text), value },
                }
            }
            12 => {
                let version = self.pick(&["1.0.0", "2.1.3", "3.0.0-rc1"]);
                let value = Value::SemVer(Arc::new(Version::parse(version).expect("a version")));
                Sample { text: format!("SemVer('{version}')"), value }
            }
            _ => match self.below(4) {
                0 => {
                    let n = self.below(20) as i64;
                    Sample {
                        text: format!("Timespan({n})"),
                        value: Value::Timespan(Timespan::from_seconds(n)),
                    }
                }
                1 => {
                    let n = self.below(2000) as i64;
                    Sample {
                        text: format!("Timestamp({n})"),
                        value: Value::Timestamp(Timestamp::from_seconds(n)),
                    }
                }
                2 => {
                    let range = self.pick(&[">=1.0.0", "1.x"]);
                    let value = Value::SemVerRange(Arc::new(VersionRange::parse(range).expect("a range")));
                    Sample { text: format!("SemVerRange('{range}')"), value }
                }
                _ => self.literal("false"),
            },
        }
    }

    fn literal(&self, text: &str) -> Sample<Value> {
        let value = parse_value(text, &|name| find(&self.aliases, name)).expect("a literal");
        Sample { text: text.to_string(), value }
    }

    fn array(&mut self, inner: u64) -> Sample<Value> {
        let items: Vec<_> = (0..self.below(4)).map(|_| self.value_to(inner)).collect();
        let text = items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join(", ");
        let values: Vec<Value> = items.into_iter().map(|item| item.value).collect();
        Sample { text: format!("[{text}]"), value: values.into() }
    }

    fn hash(&mut self, inner: u64, plain: bool) -> Sample<Value> {
        let mut hash = Hash::new();
        let mut texts = Vec::new();
        for _ in 0..self.below(4) {
            let key = match plain {
                true => {
                    let text = self.word();
                    self.literal(&text)
                }
                false => self.value_to(0),
            };
            if hash.contains_key(&key.value) || !plain && matches!(key.value, Value::Type(_)) {
                continue;
            }
            let value = self.value_to(inner);
            texts.push(format!("{} => {}", key.text, value.text));
            hash.insert(key.value, value.value);
        }
        Sample { text: format!("{{{}}}", texts.join(", ")), value: hash.into() }
    }

    /// A type that has something to do with a value: near its own, sometimes too narrow.
    pub fn near(&mut self, value: &Sample<Value>) -> Sample<Type> {
        let text = self.near_text(&value.value, 3);
        self.known(text)
    }

    fn near_text(&mut self, value: &Value, depth: u64) -> String {
        if depth == 0 || self.chance(8) {
            return self.type_text(1);
        }
        if self.chance(6) {
            return format!("Optional[{}]", self.near_text(value, depth - 1));
        }
        if self.chance(6) {
            return format!("Variant[{}, {}]", self.type_text(1), self.near_text(value, depth - 1));
        }
        match value {
            Value::Array(values) if values.is_empty() => "Array[Integer]".into(),
            Value::Array(values) if self.chance(2) => {
                let types: Vec<_> = values.iter().map(|v| self.near_text(v, depth - 1)).collect();
                let size = if self.chance(3) { format!(", {}", self.bounds()) } else { String::new() };
                format!("Tuple[{}{size}]", types.join(", "))
            }
            Value::Array(values) => {
                let first = values[0].clone();
                let size = if self.chance(3) { format!(", {}", self.bounds()) } else { String::new() };
                format!("Array[{}{size}]", self.near_text(&first, depth - 1))
            }
            Value::Hash(hash) => {
                let named = hash.keys().all(|key| key.as_str().is_some_and(|text| !text.is_empty()));
                if named && !hash.is_empty() && !self.chance(3) {
                    let mut fields = Vec::new();
                    for (key, value) in hash.iter() {
                        let key = format!("'{}'", key.as_str().unwrap_or_default());
                        let key = match self.below(5) {
                            0 => format!("Optional[{key}]"),
                            1 => format!("NotUndef[{key}]"),
                            2 if self.chance(2) => continue,
                            _ => key,
                        };
                        fields.push(format!("{key} => {}", self.near_text(value, depth - 1)));
                    }
                    if self.chance(3) {
                        fields.push(format!("'extra' => {}", self.type_text(0)));
                    }
                    if fields.is_empty() {
                        return "Struct".into();
                    }
                    return format!("Struct[{{{}}}]", fields.join(", "));
                }
                match hash.first() {
                    Some((key, value)) => {
                        let (key, value) = (key.clone(), value.clone());
                        format!(
                            "Hash[{}, {}]",
                            self.near_text(&key, depth - 1),
                            self.near_text(&value, depth - 1)
                        )
                    }
                    None => "Hash[String, Integer]".into(),
                }
            }
            Value::Integer(n) => match self.below(3) {
                0 => format!("Integer[{}]", n - 1 + self.below(3) as i64),
                1 => "Numeric".into(),
                _ => "Port".into(),
            },
            Value::String(_) => match self.below(4) {
                0 => format!("Enum[{}]", self.list(3, Self::word)),
                1 => "Pattern[/a/, /^n/]".into(),
                2 => format!("String[{}]", self.bounds()),
                _ => "Choice".into(),
            },
            Value::Sensitive(inner) => format!("Sensitive[{}]", self.near_text(inner, depth - 1)),
            Value::Type(ty) => format!("Type[{}]", ty.short()),
            other => Type::of_generalized(other).short(),
        }
    }
}

fn find(aliases: &[(String, Type)], name: &str) -> Option<Type> {
    if name == "File" {
        return Some(Type::resource("File", None));
    }
    aliases.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone())
}
