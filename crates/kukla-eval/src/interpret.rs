//! Types that are read rather than evaluated: the right-hand sides of aliases, and types given as text.
//!
//! Only literals have a meaning here, and a name that nothing defines is a reference, not an error. Errors are reported in
//! Puppet's words for types, where the type is used.

use std::sync::Arc;

use kukla_syntax::{NAMELESS, Strict, bail, diagnostic};
use kukla_values::types::TypeAlias;
use kukla_values::types::object::{ObjectType, TypeSet};
use kukla_values::{Array, Hash, Name, Str, Type, Value};

use crate::codes::{BOOLEAN_OF_NO_BOOLEAN, ENUM_OF_NO_WORDS, NOT_PARAMETERIZED, TYPE_PARAMETER_COUNT};
use crate::environment::LoadedAlias;
use crate::error::{Flow, Raise};
use crate::program::{Access, AttributeOperation, Expr, Kind};
use crate::vm::Vm;
use kukla_syntax::validate::codes::DUPLICATE_KEY;
use kukla_values::codes::INVALID_TYPE_SPECIFICATION;

/// An object type as written: its parent, if that is written before the hash, and the contents of the hash.
type Form<'e> = (Option<&'e str>, Vec<(&'e str, &'e Expr)>);

impl Vm<'_> {
    /// The type that the right-hand side of an alias spells. An object type or set of types gets the name of the alias.
    pub(crate) fn interpret_alias(&mut self, alias: &LoadedAlias) -> Flow<Type> {
        let expr = unfolded(&alias.definition.ty);
        let name = alias.definition.name.as_str();
        match named_access(expr) {
            Some(("object", access)) if access.keys.len() == 1 => {
                let object = match alias.ty.resolved() {
                    Type::Object(object) => Arc::clone(object),
                    _ => ObjectType::named(name),
                };
                alias.ty.resolve(Type::Object(Arc::clone(&object)))?;
                let Value::Hash(mut init) = self.interpret(&access.keys[0])? else {
                    return self.interpret_type(expr);
                };
                init.remove("name");
                object.define(&init)?;
                Ok(Type::Object(object))
            }
            Some(("typeset", access)) => match &*access.keys {
                [Expr { kind: Kind::Hash(entries), .. }] => self.interpret_set(name, entries),
                _ => self.interpret_type(expr),
            },
            _ => self.interpret_type(expr),
        }
    }

    /// The type an expression spells.
    pub(crate) fn interpret_type(&mut self, expr: &Expr) -> Flow<Type> {
        match self.interpret(expr)? {
            Value::Type(ty) => Ok((*ty).clone()),
            _ => Err(self.not_a_type(expr)),
        }
    }

    fn interpret(&mut self, expr: &Expr) -> Flow {
        match &expr.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Name(name) => Ok(Value::String(name.clone())),
            Kind::Array(elements) => {
                let mut values = Array::with_capacity(elements.len());
                for element in elements {
                    values.push(self.interpret(element)?);
                }
                Ok(Value::Array(values))
            }
            Kind::Hash(entries) => {
                let mut hash = Hash::new();
                for (key, value) in entries {
                    let key = self.interpret(key)?;
                    let value = self.interpret(value)?;
                    hash.insert(key, value);
                }
                Ok(Value::Hash(hash))
            }
            Kind::TypeName(name) => Ok(Value::of_type(match self.named_type(name.name, name.lower)? {
                Some(ty) => ty,
                None => Type::Reference(name.name.as_str().into()),
            })),
            Kind::Constant(constant) => self.interpret(&constant.expr),
            Kind::Negate(operand) => match self.interpret(operand)? {
                Value::Integer(n) => Ok(Value::Integer(n.wrapping_neg())),
                Value::Float(n) => Ok(Value::Float(-n)),
                _ => Err(self.not_a_type(expr)),
            },
            Kind::Heredoc(heredoc) => self.interpret(&heredoc.text),
            Kind::Access(access) => self.interpret_access(expr, access),
            _ => Err(self.not_a_type(expr)),
        }
    }

    /// `Resource[Nowhere['a']]`: a resource type that nothing defines is known by its name.
    fn name_resource(&mut self, access: &Access, keys: &mut Vec<Value>) -> Flow<()> {
        let Some(Type::Reference(text)) = keys.first().and_then(Value::as_type) else { return Ok(()) };
        let name = text.split('[').next().unwrap_or_default();
        let mut named = vec![Value::from(name)];
        if let Some(Kind::Access(inner)) = access.keys.first().map(|key| &unfolded(key).kind) {
            let [title] = &*inner.keys else { return Err(wrong_count(name, "1", inner.keys.len())) };
            named.push(self.interpret(title)?);
        } else {
            named.extend(keys.drain(1..));
        }
        *keys = named;
        Ok(())
    }

    fn interpret_access(&mut self, expr: &Expr, access: &Access) -> Flow {
        let mut keys = Vec::with_capacity(access.keys.len());
        for key in &access.keys {
            keys.push(self.interpret(key)?);
        }
        let Kind::TypeName(name) = &access.left.kind else { return Err(self.not_a_type(expr)) };
        if name.lower.as_str() == "resource" {
            self.name_resource(access, &mut keys)?;
        }
        self.check_brackets(name.lower.as_str(), &keys, expr, access)?;
        let Some(ty) = self.named_type(name.name, name.lower)? else {
            return Ok(Value::of_type(Type::Reference(self.written(expr))));
        };
        if matches!(ty, Type::Alias(_)) && Type::builtin(name.lower.as_str()).is_none() {
            return Err(self.unparameterized(access));
        }
        match (&ty, keys.as_slice()) {
            (Type::Reference(_), [Value::String(text)]) => {
                return Ok(Value::of_type(Type::Reference(text.clone())));
            }
            (Type::Resource(Some(resource)), keys) if keys.len() != 1 => {
                return Err(wrong_count(&resource.name, "1", keys.len()));
            }
            _ => {}
        }
        ty.with_brackets(&keys).map_err(|wrong| wrong.error.into_diagnostic().reported_as(NAMELESS).into())
    }

    /// The errors in a type that are found before it is created.
    fn check_brackets(&self, name: &str, keys: &[Value], expr: &Expr, access: &Access) -> Flow<()> {
        let is_type = |key: &Value| matches!(key, Value::Type(_));
        let is_bound = |key: &Value| matches!(key, Value::Integer(_) | Value::Default);
        let is_size =
            |key: &Value| is_bound(key) || key.as_type().is_some_and(|ty| matches!(ty, Type::Integer(_)));
        let is_text = |key: &Value| matches!(key, Value::String(_));
        let count = |label: &str, wanted: &str, right: bool| match right {
            true => Ok(()),
            false => Err(wrong_count(label, wanted, keys.len())),
        };
        let valid = match name {
            "array" => {
                count("Array", "1 to 3", (1..=3).contains(&keys.len()))?;
                match keys {
                    [ty] => is_type(ty),
                    [from, to] if !is_type(from) => is_bound(from) && is_bound(to),
                    [_, size] => is_size(size),
                    [ty, from, to] => is_type(ty) && is_bound(from) && is_bound(to),
                    _ => true,
                }
            }
            "hash" => {
                count("Hash", "2 to 4", (2..=4).contains(&keys.len()))?;
                match keys {
                    [key, value] => is_type(key) && is_type(value) || is_bound(key) && is_bound(value),
                    [key, value, size] => is_size(size) && is_type(key) && is_type(value),
                    [key, value, from, to] => {
                        is_bound(from) && is_bound(to) && is_type(key) && is_type(value)
                    }
                    _ => true,
                }
            }
            "collection" | "string" => {
                let label = if name == "string" { "String" } else { "Collection" };
                count(label, "1 to 2", (1..=2).contains(&keys.len()))?;
                match keys {
                    [size] => is_size(size),
                    keys => keys.iter().all(is_bound),
                }
            }
            "class" => return count("Class", "1", keys.len() == 1),
            "resource" => return count("Resource", "1 or 2", (1..=2).contains(&keys.len())),
            "regexp" => return count("Regexp", "1", keys.len() == 1),
            "enum" => {
                let names = match keys {
                    [names @ .., Value::Boolean(_)] => names,
                    names => names,
                };
                if names.is_empty() {
                    return Err(wrong_count("Enum", "1 or more", 0));
                }
                if !names.iter().all(is_text) {
                    bail!(ENUM_OF_NO_WORDS);
                }
                true
            }
            "pattern" => return count("Pattern", "1 or more", !keys.is_empty()),
            "uri" => return count("URI", "1", keys.len() == 1),
            "variant" => {
                count("Variant", "1 or more", !keys.is_empty())?;
                keys.iter().all(is_type)
            }
            "tuple" => return count("Tuple", "1 or more", !keys.is_empty()),
            "callable" => {
                let listed = keys.len() > 1 && matches!(keys[0], Value::Array(_));
                return count("callable", "2 when first parameter is an array", !listed || keys.len() == 2);
            }
            "struct" => {
                count("Struct", "1", keys.len() == 1)?;
                matches!(keys, [Value::Hash(_)])
            }
            "boolean" => {
                count("Boolean", "1", keys.len() == 1)?;
                if !matches!(keys, [Value::Boolean(_)]) {
                    bail!(BOOLEAN_OF_NO_BOOLEAN);
                }
                true
            }
            "integer" => return count("Integer", "1 or 2", (1..=2).contains(&keys.len())),
            "float" => return count("Float", "1 or 2", (1..=2).contains(&keys.len())),
            "object" | "typeset" => return count("Object", "1", keys.len() == 1),
            "init" => keys.first().is_some_and(is_type),
            "iterable" | "iterator" | "type" => {
                let label = match name {
                    "iterable" => "Iterable",
                    "iterator" => "Iterator",
                    _ => "Type",
                };
                count(label, "1", keys.len() == 1)?;
                keys.iter().all(is_type)
            }
            "sensitive" => {
                count("Sensitive", "0 to 1", keys.len() <= 1)?;
                keys.iter().all(is_type)
            }
            "optional" => {
                count("Optional", "1", keys.len() == 1)?;
                keys.iter().all(|key| is_type(key) || is_text(key))
            }
            "notundef" => {
                count("NotUndef", "0 to 1", keys.len() <= 1)?;
                keys.iter().all(|key| is_type(key) || is_text(key))
            }
            "runtime" => return count("Runtime", "2", keys.len() == 2),
            "timespan" => return count("Timespan", "0 to 2", keys.len() <= 2),
            "timestamp" => return count("Timestamp", "0 to 2", keys.len() <= 2),
            "semver" => return count("SemVer", "1 or more", !keys.is_empty()),
            "any" | "data" | "catalogentry" | "scalar" | "undef" | "numeric" | "default" | "semverrange" => {
                return Err(self.unparameterized(access));
            }
            _ => true,
        };
        if valid { Ok(()) } else { Err(self.not_a_type(expr)) }
    }

    /// A set of types: its members know each other by their short names, whatever their order.
    fn interpret_set(&mut self, name: &str, entries: &[(Expr, Expr)]) -> Flow<Type> {
        let mut members: &[(Expr, Expr)] = &[];
        let mut init = Hash::new();
        for (key, value) in entries {
            let key = self.interpret(key)?;
            let value = match (key.as_str(), &value.kind) {
                (Some("name"), _) => continue,
                (Some("types"), Kind::Hash(types)) => {
                    members = types;
                    // What they are is found out when the set is known to make sense.
                    let mut types = Hash::new();
                    for (name, _) in members {
                        types.insert(self.member_name(name)?, Type::Any);
                    }
                    Value::Hash(types)
                }
                (Some("references"), Kind::Hash(references)) => {
                    let mut hash = Hash::new();
                    for (alias, reference) in references {
                        hash.insert(self.member_name(alias)?, self.interpret(reference)?);
                    }
                    Value::Hash(hash)
                }
                _ => self.interpret(value)?,
            };
            init.insert(key, value);
        }
        let mut set = TypeSet::declared(name, &init)?;
        self.find_references(&mut set)?;
        let outside = self.open_types.members.len();
        self.use_references(&set, "", 0);
        let result = self.interpret_members(name, members);
        self.open_types.members.truncate(outside);
        set.types = result?;
        Ok(Type::TypeSet(Arc::new(set)))
    }

    fn find_references(&mut self, set: &mut TypeSet) -> Flow<()> {
        let mut references = std::mem::take(&mut set.references);
        for (_, reference) in &mut references {
            let lower = Name::new(&reference.name.to_lowercase());
            let found = self.named_type(Name::new(&reference.name), lower)?;
            reference.set = Some(set.check_reference(reference, found.as_ref())?);
        }
        set.references = references;
        Ok(())
    }

    /// Makes the members of the sets that a set refers to known by the names it has for them.
    fn use_references(&mut self, set: &TypeSet, prefix: &str, depth: usize) {
        for (alias, reference) in &set.references {
            let Some(used) = &reference.set else { continue };
            let prefix = format!("{prefix}{}::", alias.to_lowercase());
            for (short, ty) in &used.types {
                self.open_types
                    .members
                    .push((Name::new(&format!("{prefix}{}", short.to_lowercase())), ty.clone()));
            }
            // No one says longer names.
            if depth < 8 {
                self.use_references(used, &prefix, depth + 1);
            }
        }
    }

    fn interpret_members(&mut self, set: &str, members: &[(Expr, Expr)]) -> Flow<Vec<(Str, Type)>> {
        let mut types = Vec::with_capacity(members.len());
        // Names are known before what they stand for.
        let mut objects: Vec<(Arc<ObjectType>, Form<'_>)> = Vec::new();
        let mut aliases: Vec<(Arc<TypeAlias>, &Expr)> = Vec::new();
        for (name, member) in members {
            let Value::String(name) = self.member_name(name)? else { return Err(self.not_a_type(name)) };
            let full = format!("{set}::{name}");
            let ty = match object_form(unfolded(member)) {
                Some(form) => {
                    if form.0.is_some() && form.1.iter().any(|(key, _)| *key == "parent") {
                        self.second_parent(member)?;
                    }
                    let object = ObjectType::named(full);
                    objects.push((Arc::clone(&object), form));
                    Type::Object(object)
                }
                None => {
                    let alias = TypeAlias::new(full);
                    aliases.push((Arc::clone(&alias), member));
                    Type::Alias(alias)
                }
            };
            self.open_types.members.push((Name::new(&name.to_lowercase()), ty.clone()));
            types.push((name, ty));
        }
        for (alias, member) in aliases {
            let ty = self.interpret_type(member)?;
            alias.resolve(ty)?;
        }
        for (object, (parent, attributes)) in objects {
            let mut given = Hash::new();
            if let Some(parent) = parent {
                let lower = Name::new(&parent.to_lowercase());
                let ty = self.named_type(Name::new(parent), lower)?;
                given.insert("parent", ty.unwrap_or_else(|| Type::Reference(parent.into())));
            }
            for (key, value) in attributes {
                let value = self.interpret(value)?;
                given.insert(key, value);
            }
            given.remove("name");
            object.define(&given)?;
        }
        Ok(types)
    }

    /// A parent is written both before the hash and in it.
    fn second_parent(&mut self, member: &Expr) -> Flow<()> {
        let wrong = diagnostic!(DUPLICATE_KEY { key: "parent" });
        match self.environment().settings.strict {
            Strict::Off => {}
            Strict::Warning => self.warn_at(member.span, &wrong),
            Strict::Error => return Err(wrong.at(self.location(member.span)).into()),
        }
        Ok(())
    }

    /// The key of a member, which is a bare type name or text.
    fn member_name(&mut self, key: &Expr) -> Flow {
        match &key.kind {
            Kind::TypeName(name) => Ok(Value::String(name.name.as_str().into())),
            _ => self.interpret(key),
        }
    }

    fn not_a_type(&self, expr: &Expr) -> Raise {
        let text = self.written(expr);
        diagnostic!(INVALID_TYPE_SPECIFICATION { text }).into()
    }

    fn unparameterized(&self, access: &Access) -> Raise {
        diagnostic!(NOT_PARAMETERIZED { text: self.written(&access.left) }).into()
    }

    fn written(&self, expr: &Expr) -> Str {
        let (mut from, mut to) = (expr.span.start as usize, expr.span.end as usize);
        // For Puppet the right-hand side of an alias begins at the name, where it is reported, and ends with the last parameter.
        if let Kind::Access(access) = &unfolded(expr).kind
            && expr.span.point < access.left.span.start
        {
            from = expr.span.point as usize;
            to = access.keys.last().map_or(to, |key| key.span.end as usize);
        }
        self.unit().source.text().get(from..to).unwrap_or_default().into()
    }
}

fn wrong_count(label: &str, wanted: &str, given: usize) -> Raise {
    diagnostic!(TYPE_PARAMETER_COUNT { label, wanted, given }).into()
}

/// An expression whose value is computed once is still that expression.
fn unfolded(expr: &Expr) -> &Expr {
    match &expr.kind {
        Kind::Constant(constant) => &constant.expr,
        _ => expr,
    }
}

/// `Name[...]`, with the name in lower case.
fn named_access(expr: &Expr) -> Option<(&str, &Access)> {
    let Kind::Access(access) = &expr.kind else { return None };
    let Kind::TypeName(name) = &access.left.kind else { return None };
    Some((name.lower.as_str(), access))
}

/// `Object[{...}]`, `{...}`, `Object {...}` or `Parent {...}`: the parent and the attributes.
fn object_form(expr: &Expr) -> Option<Form<'_>> {
    match &expr.kind {
        Kind::Hash(entries) => Some((None, literal_entries(entries)?)),
        Kind::Defaults(defaults) => {
            let Kind::TypeName(name) = &defaults.ty.kind else { return None };
            let mut attributes = Vec::with_capacity(defaults.attributes.len());
            for attribute in &defaults.attributes {
                let AttributeOperation::Set(name, value) = &attribute.operation else { return None };
                attributes.push((name.as_str(), value));
            }
            let parent = (name.lower.as_str() != "object").then(|| name.name.as_str());
            Some((parent, attributes))
        }
        _ => match named_access(expr)? {
            ("object", access) => match &*access.keys {
                [Expr { kind: Kind::Hash(entries), .. }] => Some((None, literal_entries(entries)?)),
                _ => None,
            },
            _ => None,
        },
    }
}

fn literal_entries(entries: &[(Expr, Expr)]) -> Option<Vec<(&str, &Expr)>> {
    let mut found = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match &key.kind {
            Kind::Name(name) => found.push((name.as_str(), value)),
            Kind::Literal(Value::String(name)) => found.push((name.as_str(), value)),
            _ => return None,
        }
    }
    Some(found)
}
