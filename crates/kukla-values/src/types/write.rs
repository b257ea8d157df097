//! Types back in Puppet notation.

use std::fmt::{self, Write as _};

use kukla_syntax::deep;

use super::object::TypeSet;
use super::{HashType, Range, StructField, Type, leaf};
use crate::format::float_text;
use crate::{Hash, Str, Value};

impl fmt::Display for Type {
    /// As interpolation shows it: an alias or an object type on its own is written out, inside another type it is a name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expanded = matches!(self, Type::Alias(_) | Type::Object(_) | Type::TypeSet(_));
        f.write_str(&Writer { expanded, ..Writer::default() }.ty(self))
    }
}

impl Type {
    /// The short form: names of aliases and objects stay names.
    pub fn short(&self) -> String {
        Writer::default().ty(self)
    }

    /// The form where every alias is followed by its definition: `Port = Integer[0, 65535]`.
    pub fn expanded(&self) -> String {
        Writer { expanded: true, ..Writer::default() }.ty(self)
    }

    /// The short form over several lines, `width` spaces to a level, starting at `level`.
    pub fn pretty(&self, level: usize, width: usize) -> String {
        Writer { indent: Some((level, width)), ..Writer::default() }.ty(self)
    }

    /// The name without parameters: `Integer`, `File`, the name of an alias.
    pub fn name(&self) -> Str {
        match self {
            Type::Alias(alias) => alias.name.clone(),
            Type::Object(object) => object.name.clone().unwrap_or_else(|| "Object".into()),
            Type::ObjectExtension(extension) => {
                extension.base.name.clone().unwrap_or_else(|| "Object".into())
            }
            Type::TypeSet(set) => set.name.clone(),
            ty => ty.kind().into(),
        }
    }

    /// The name of the kind of type it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Type::Any => "Any",
            Type::Unit => "Unit",
            Type::Undef => "Undef",
            Type::Default => "Default",
            Type::Scalar => "Scalar",
            Type::ScalarData => "ScalarData",
            Type::Numeric => "Numeric",
            Type::Data => "Data",
            Type::RichData => "RichData",
            Type::RichDataKey => "RichDataKey",
            Type::Integer(_) => "Integer",
            Type::Float(..) => "Float",
            Type::Boolean(_) => "Boolean",
            Type::String(_) | Type::Literal(_) => "String",
            Type::Enum(_) => "Enum",
            Type::Pattern(_) => "Pattern",
            Type::Regexp(_) => "Regexp",
            Type::Binary => "Binary",
            Type::SemVer(_) => "SemVer",
            Type::SemVerRange => "SemVerRange",
            Type::Timestamp(_) => "Timestamp",
            Type::Timespan(_) => "Timespan",
            Type::Uri(_) => "URI",
            Type::Collection(_) => "Collection",
            Type::Array(_) => "Array",
            Type::Tuple(_) => "Tuple",
            Type::Hash(_) => "Hash",
            Type::Struct(_) => "Struct",
            Type::Variant(_) => "Variant",
            Type::Optional(_) => "Optional",
            Type::NotUndef(_) => "NotUndef",
            Type::Iterable(_) => "Iterable",
            Type::Iterator(_) => "Iterator",
            Type::Sensitive(_) => "Sensitive",
            Type::Type(_) => "Type",
            Type::Init(_) => "Init",
            Type::Callable(_) => "Callable",
            Type::Runtime(_) => "Runtime",
            Type::CatalogEntry => "CatalogEntry",
            Type::Resource(_) => "Resource",
            Type::Class(_) => "Class",
            Type::Alias(_) => "TypeAlias",
            Type::Reference(_) => "TypeReference",
            Type::Object(_) => "Object",
            Type::ObjectExtension(_) => "ObjectTypeExtension",
            Type::TypeSet(_) => "TypeSet",
        }
    }
}

/// A value as it would be written inside the brackets of a type.
pub fn literal(value: &Value) -> String {
    let mut writer = Writer::default();
    writer.value(value);
    writer.out
}

/// The same over several lines, `width` spaces to a level, starting at `level`.
pub fn pretty_literal(value: &Value, level: usize, width: usize) -> String {
    let mut writer = Writer { indent: Some((level, width)), ..Writer::default() };
    writer.value(value);
    writer.out
}

/// Text in quotes: single ones unless a control character needs an escape.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

fn push_quoted(out: &mut String, text: &str) {
    if text.chars().any(|c| c < ' ') {
        return push_double_quoted(out, text);
    }
    out.push('\'');
    let mut escaped = false;
    for c in text.chars() {
        if escaped {
            out.push('\\');
            out.push(c);
            escaped = false;
        } else if c == '\'' {
            out.push_str("\\'");
        } else if c == '\\' {
            escaped = true;
        } else {
            out.push(c);
        }
    }
    if escaped {
        out.push('\\');
    }
    out.push('\'');
}

/// Writes text in double quotes, with escapes.
pub(crate) fn push_double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '$' => out.push_str("\\$"),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{{{:X}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The length at which writing stops: a type that contains itself would never end, and text of this length
/// is rejected anyway.
const MOST_WRITTEN: usize = 17 << 20;

/// How long a text may be before names in it are no longer followed by their meaning: what names lead to by many ways is
/// written as often.
const MOST_EXPANDED: usize = 1 << 20;

/// The text being built, and how.
#[derive(Default)]
struct Writer<'a> {
    out: String,
    /// Whether aliases are followed by their meaning.
    expanded: bool,
    /// Level and spaces per level, when written over several lines.
    indent: Option<(usize, usize)>,
    /// Recursive aliases already opened.
    open: Vec<*const super::TypeAlias>,
    /// The set whose members have short names here.
    set: Option<&'a TypeSet>,
}

impl<'a> Writer<'a> {
    fn ty(mut self, ty: &'a Type) -> String {
        self.write(ty);
        self.out
    }

    fn write(&mut self, ty: &'a Type) {
        if self.out.len() > MOST_WRITTEN {
            return;
        }
        match ty {
            Type::Integer(range) => self.bounds("Integer", int_bounds(*range)),
            Type::Float(from, to) => {
                let from = (*from != f64::NEG_INFINITY).then(|| float_text(*from));
                let to = (*to != f64::INFINITY).then(|| float_text(*to));
                self.bounds("Float", bounds_of(from, to));
            }
            Type::Boolean(Some(value)) => {
                self.bracketed("Boolean", |w| w.out.push_str(if *value { "true" } else { "false" }))
            }
            Type::String(size) => self.bounds("String", int_bounds(*size)),
            Type::Collection(size) => self.bounds("Collection", int_bounds(*size)),
            Type::Enum(values) if !values.values.is_empty() => self.bracketed("Enum", |w| {
                w.list(values.values.iter(), |w, text| push_quoted(&mut w.out, text));
                if values.case_insensitive {
                    w.out.push_str(", true");
                }
            }),
            Type::Pattern(patterns) if !patterns.is_empty() => self.bracketed("Pattern", |w| {
                w.list(patterns.iter(), |w, pattern| w.out.push_str(&pattern.to_literal()));
            }),
            Type::Regexp(Some(regexp)) => {
                self.bracketed("Regexp", |w| w.out.push_str(&regexp.to_literal()));
            }
            Type::SemVer(ranges) if !ranges.is_empty() => self.bracketed("SemVer", |w| {
                w.list(ranges.iter(), |w, range| {
                    let _ = write!(w.out, "'{}'", range);
                });
            }),
            Type::Timestamp(range) => {
                let (from, to) = leaf::timestamp_bounds(range);
                self.bounds("Timestamp", time_bounds(from, to));
            }
            Type::Timespan(range) => {
                let (from, to) = leaf::timespan_bounds(range);
                self.bounds("Timespan", time_bounds(from, to));
            }
            Type::Uri(Some(parameters)) => self.bracketed("URI", |w| w.value(parameters)),
            Type::Array(array) if array.size == Range::exactly(0) => self.out.push_str("Array[0, 0]"),
            Type::Array(array) if !(matches!(array.element, Type::Any) && array.size.is_any()) => {
                self.bracketed("Array", |w| {
                    w.write(&array.element);
                    w.more_bounds(int_bounds(array.size));
                });
            }
            Type::Hash(hash) if hash.size == Range::exactly(0) => self.out.push_str("Hash[0, 0]"),
            Type::Hash(hash) if !HashType::is_any(hash) => self.bracketed("Hash", |w| {
                w.write(&hash.key);
                w.out.push_str(", ");
                w.write(&hash.value);
                w.more_bounds(int_bounds(hash.size));
            }),
            Type::Tuple(tuple) if !tuple.types.is_empty() => self.bracketed("Tuple", |w| {
                w.list(tuple.types.iter(), Writer::write);
                w.more_bounds(tuple.size.map(int_bounds).unwrap_or_default());
            }),
            Type::Struct(fields) if !fields.is_empty() => {
                self.bracketed("Struct", |w| w.entries(fields.iter(), |w, field| w.field(field)));
            }
            Type::Variant(types) if !types.is_empty() => {
                self.bracketed("Variant", |w| w.list(types.iter(), Writer::write));
            }
            Type::Optional(Some(ty)) => self.bracketed("Optional", |w| w.key_or_type(ty)),
            Type::NotUndef(Some(ty)) => self.bracketed("NotUndef", |w| w.key_or_type(ty)),
            Type::Iterable(Some(ty)) => self.bracketed("Iterable", |w| w.write(ty)),
            Type::Iterator(Some(ty)) => self.bracketed("Iterator", |w| w.write(ty)),
            Type::Type(Some(ty)) => self.bracketed("Type", |w| w.write(ty)),
            Type::Sensitive(ty) if !matches!(**ty, Type::Any) => self.bracketed("Sensitive", |w| w.write(ty)),
            Type::Init(init) => match &init.ty {
                Some(ty) => self.bracketed("Init", |w| {
                    w.write(ty);
                    for arg in &init.args {
                        w.out.push_str(", ");
                        w.value(arg);
                    }
                }),
                None => self.out.push_str("Init"),
            },
            Type::Callable(Some(callable)) => self.bracketed("Callable", |w| match &callable.returns {
                Some(returns) => {
                    w.bracketed("", |w| w.params(callable));
                    w.out.push_str(", ");
                    w.write(returns);
                }
                None => w.params(callable),
            }),
            Type::Runtime(runtime) if runtime.runtime.is_some() || runtime.name.is_some() => {
                self.bracketed("Runtime", |w| {
                    w.out.push_str(runtime.runtime.as_deref().unwrap_or("undef"));
                    w.out.push_str(", ");
                    w.value(runtime.name.as_ref().unwrap_or(&Value::Undef));
                });
            }
            Type::Resource(Some(resource)) => match &resource.title {
                Some(title) => self.bracketed(&resource.name, |w| push_quoted(&mut w.out, title)),
                None => self.out.push_str(&resource.name),
            },
            Type::Class(Some(name)) => self.bracketed("Class", |w| w.out.push_str(name)),
            Type::Reference(text) => self.bracketed("TypeReference", |w| push_quoted(&mut w.out, text)),
            Type::Alias(alias) => self.alias(alias),
            Type::Object(object) => self.object(object),
            Type::ObjectExtension(extension) => {
                let name = extension.base.label();
                self.bracketed(&name, |w| match extension.init_parameters() {
                    Value::Array(values) => w.list(values.iter(), Writer::value),
                    other => w.value(&other),
                });
            }
            Type::TypeSet(set) => self.type_set(set),
            ty => self.out.push_str(ty.kind()),
        }
    }

    fn bracketed(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.out.push_str(name);
        self.out.push('[');
        deep(|| inside(self));
        self.out.push(']');
    }

    fn bounds(&mut self, name: &str, bounds: Vec<String>) {
        if bounds.is_empty() {
            self.out.push_str(name);
        } else {
            self.bracketed(name, |w| w.out.push_str(&bounds.join(", ")));
        }
    }

    fn more_bounds(&mut self, bounds: Vec<String>) {
        for bound in bounds {
            self.out.push_str(", ");
            self.out.push_str(&bound);
        }
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            write(self, item);
        }
    }

    /// `{...}`, one entry to a line when indenting.
    fn entries<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.out.push('{');
        if let Some((level, _)) = &mut self.indent {
            *level += 1;
        }
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.newline();
            write(self, item);
        }
        if let Some((level, _)) = &mut self.indent {
            *level -= 1;
        }
        self.newline();
        self.out.push('}');
    }

    fn newline(&mut self) {
        if let Some((level, width)) = self.indent {
            self.out.truncate(self.out.trim_end().len());
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', level * width));
        }
    }

    /// `Optional['key']` as keys of a Struct have it, `Optional[T]` otherwise.
    fn key_or_type(&mut self, ty: &'a Type) {
        match ty {
            Type::Literal(text) => push_quoted(&mut self.out, text),
            ty => self.write(ty),
        }
    }

    fn field(&mut self, field: &'a StructField) {
        let wrapper = match (field.optional, field.value.accepts_undef()) {
            (true, false) => "Optional",
            (false, true) => "NotUndef",
            _ => "",
        };
        if wrapper.is_empty() {
            push_quoted(&mut self.out, &field.name);
        } else {
            self.bracketed(wrapper, |w| push_quoted(&mut w.out, &field.name));
        }
        self.out.push_str(" => ");
        self.write(&field.value);
    }

    fn params(&mut self, callable: &'a super::callable::CallableType) {
        let mut parts = 0;
        let mut part = |w: &mut Self| {
            if parts > 0 {
                w.out.push_str(", ");
            }
            parts += 1;
        };
        for ty in callable.params.iter().filter(|ty| !matches!(ty, Type::Unit)) {
            part(self);
            self.write(ty);
        }
        let bounds = match callable.size {
            _ if callable.params.is_empty() => vec!["0".into(), "0".into()],
            Some(size) => int_bounds(size),
            None => Vec::new(),
        };
        for bound in bounds {
            part(self);
            self.out.push_str(&bound);
        }
        if let Some(block) = &callable.block {
            part(self);
            self.write(block);
        }
    }

    fn alias(&mut self, alias: &'a std::sync::Arc<super::TypeAlias>) {
        let this = std::sync::Arc::as_ptr(alias);
        let expands = self.expanded && self.out.len() < MOST_EXPANDED && !self.open.contains(&this);
        let member = match self.set {
            Some(set) if expands && set.defines(&alias.name) => true,
            Some(set) => return self.out.push_str(&set.name_for(&alias.name)),
            None => false,
        };
        if !member {
            self.out.push_str(&alias.name);
        }
        if expands && !alias.is_builtin() {
            self.open.push(this);
            self.out.push_str(if member { "" } else { " = " });
            self.write(alias.resolved());
            self.open.pop();
        }
    }

    fn object(&mut self, object: &'a super::object::ObjectType) {
        let label = object.label();
        if self.expanded {
            self.object_hash(&object.describe(!self.set.is_some_and(|set| set.defines(&label))));
        } else {
            match self.set {
                Some(set) => self.out.push_str(&set.name_for(&label)),
                None => self.out.push_str(&label),
            }
        }
    }

    /// `Object[{...}]`: well known keys stand without quotes, and so do kinds of attributes.
    fn object_hash(&mut self, description: &Hash) {
        let expanded = std::mem::replace(&mut self.expanded, false);
        self.bracketed("Object", |w| {
            w.entries(description.iter(), |w, (key, value)| {
                w.out.push_str(key.as_str().unwrap_or_default());
                w.out.push_str(" => ");
                match (key.as_str(), value) {
                    (Some("attributes" | "functions"), Value::Hash(members)) => {
                        w.entries(members.iter(), |w, (name, member)| {
                            w.value(name);
                            w.out.push_str(" => ");
                            match member {
                                Value::Hash(details) => w.entries(details.iter(), |w, (key, value)| {
                                    w.out.push_str(key.as_str().unwrap_or_default());
                                    w.out.push_str(" => ");
                                    match (key.as_str(), value.as_str()) {
                                        (Some("kind"), Some(kind)) => w.out.push_str(kind),
                                        _ => w.value(value),
                                    }
                                }),
                                member => w.value(member),
                            }
                        });
                    }
                    (_, value) => w.value(value),
                }
            });
        });
        self.expanded = expanded;
    }

    fn type_set(&mut self, set: &'a TypeSet) {
        let description = set.describe();
        self.bracketed("TypeSet", |w| {
            w.entries(description.iter(), |w, (key, value)| {
                w.out.push_str(key.as_str().unwrap_or_default());
                w.out.push_str(" => ");
                match (key.as_str(), value) {
                    (Some("types"), Value::Hash(_)) => {
                        w.set = Some(set);
                        w.entries(set.types.iter(), |w, (name, ty)| {
                            w.out.push_str(name);
                            w.out.push_str(" => ");
                            w.write(ty);
                        });
                        w.set = None;
                    }
                    (Some("references"), Value::Hash(references)) => {
                        w.entries(references.iter(), |w, (name, reference)| {
                            w.out.push_str(name.as_str().unwrap_or_default());
                            w.out.push_str(" => ");
                            w.value(reference);
                        });
                    }
                    (_, value) => w.value(value),
                }
            });
        });
    }

    fn value(&mut self, value: &Value) {
        if self.out.len() > MOST_WRITTEN {
            return;
        }
        match value {
            Value::Undef => self.out.push_str("undef"),
            Value::Default => self.out.push_str("default"),
            Value::Boolean(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Value::Integer(n) => {
                let _ = write!(self.out, "{n}");
            }
            Value::Float(n) => self.out.push_str(&float_text(*n)),
            Value::String(text) => push_quoted(&mut self.out, text),
            Value::Regexp(regexp) => self.out.push_str(&regexp.to_literal()),
            Value::Array(values) => self.array(values),
            Value::Hash(hash) => self.entries(hash.iter(), |w, (key, value)| {
                w.value(key);
                w.out.push_str(" => ");
                w.value(value);
            }),
            Value::Type(ty) => {
                let inner = Writer {
                    expanded: self.expanded,
                    indent: self.indent,
                    set: self.set,
                    ..Writer::default()
                };
                self.out.push_str(&inner.ty(ty));
            }
            Value::Object(object) => {
                self.out.push_str(&object.ty.label());
                self.out.push('(');
                self.value(&Value::Hash(object.init_hash()));
                self.out.push(')');
            }
            Value::Uri(uri) => {
                self.out.push_str("URI(");
                push_quoted(&mut self.out, &leaf::uri_text(uri));
                self.out.push(')');
            }
            other => match leaf::text(other) {
                Some(text) => {
                    let _ = write!(self.out, "'{text}'");
                }
                None => {
                    self.out.push_str("Instance of ");
                    self.out.push_str(&Type::of_reduced(other).short());
                }
            },
        }
    }

    fn array(&mut self, values: &[Value]) {
        self.out.push('[');
        match self.indent {
            Some((level, width)) if !is_short(values, level * width) => {
                self.indent = Some((level + 1, width));
                self.list(values, |w, value| {
                    w.newline();
                    w.value(value);
                });
                self.indent = Some((level, width));
                self.newline();
            }
            _ => self.list(values, Writer::value),
        }
        self.out.push(']');
    }
}

/// Whether an array fits on the rest of a line.
fn is_short(values: &[Value], indent: usize) -> bool {
    let width = |value: &Value| match value {
        Value::Boolean(_) | Value::Undef | Value::Default | Value::Integer(_) | Value::Float(_) => {
            literal(value).len()
        }
        Value::String(text) => text.chars().count() + 2,
        Value::Array(values) if values.is_empty() => 2,
        Value::Hash(hash) if hash.is_empty() => 2,
        _ => 1000,
    };
    values.is_empty() || values.iter().map(width).sum::<usize>() + indent < 100
}

/// Nothing for a range without ends, otherwise its lower end and its upper end if it has one.
fn bounds_of(from: Option<String>, to: Option<String>) -> Vec<String> {
    match (from, to) {
        (None, None) => Vec::new(),
        (from, to) => std::iter::once(from.unwrap_or_else(|| "default".into())).chain(to).collect(),
    }
}

fn int_bounds(range: Range) -> Vec<String> {
    bounds_of(range.from().map(|from| from.to_string()), range.to().map(|to| to.to_string()))
}

fn time_bounds(from: Option<String>, to: Option<String>) -> Vec<String> {
    let quoted = |text: String| format!("'{text}'");
    match (from, to) {
        (Some(from), Some(to)) if from == to => vec![quoted(from)],
        (from, to) => bounds_of(from.map(quoted), to.map(quoted)),
    }
}
