//! From the catalog that was built to the one that is handed on.

use kukla_catalog::types::is_relationship;
use kukla_catalog::{Catalog, Edge, Resource, ResourceRef};
use kukla_syntax::Strict;
use kukla_values::{Hash, Name, Str, Type, Value, richdata};
use rustc_hash::FxHashMap;

use super::builder::{Building, CatalogBuilder, Param, ResourceId, flat};
use super::compile::OutputOptions;
use super::tags::TagSet;
use crate::error::{Flow, Frame};
use crate::settings::LogLevel;
use crate::vm::Vm;

const SEEDED_NUMBERS: &str = "Random numbers in this catalog follow from the node's name, so that it can be compiled again (see --randomness)";

impl Vm<'_> {
    /// The finished catalog: without what is still virtual, and with plain data only.
    pub(super) fn finished_catalog(&mut self, output: OutputOptions) -> Flow<Catalog> {
        let mut tags = TagSet::default();
        let table = &mut self.catalog.tag_table;
        for class in &self.catalog.classes {
            table.add_if_valid(&mut tags, class);
        }
        table.merge(&mut tags, &self.catalog.tags);
        self.catalog.check_aliases()?;
        let mut positions: Vec<Option<u32>> = vec![None; self.catalog.len()];
        let mut resources = Vec::with_capacity(self.catalog.len());
        let mut spellings = Spellings::default();
        for id in self.catalog.ids() {
            if output.keep_virtual || !self.catalog.get(id).is_virtual {
                positions[id.index()] = Some(resources.len() as u32);
                resources.push(self.output(id, output.is_last, &mut spellings)?);
            }
        }
        let mut edges = Vec::with_capacity(resources.len());
        for id in self.catalog.ids() {
            let Some(target) = positions[id.index()] else { continue };
            let containers = self.catalog.get(id).containers.iter();
            let sources = containers.filter_map(|container| positions[container.index()]);
            edges.extend(sources.map(|source| Edge { source, target }));
        }
        if self.compilation.has_seeded_numbers() {
            self.log(LogLevel::Notice, SEEDED_NUMBERS.to_owned());
        }
        Ok(Catalog {
            name: self.node().name.as_str().into(),
            version: self.environment().world.now().seconds().into(),
            environment: self.environment().name.as_str().into(),
            tags: self.catalog.tag_table.words(&tags),
            classes: self.catalog.classes.clone(),
            resources,
            edges,
            ..Catalog::default()
        })
    }

    /// A resource as the catalog shows it.
    fn output(&mut self, id: ResourceId, is_last: bool, spellings: &mut Spellings) -> Flow<Resource> {
        let parameters = self.parameters(id, is_last, spellings)?;
        parameters.iter().try_for_each(|(_, value)| self.budget().charge_written(value))?;
        let resource = self.catalog.get(id);
        self.budget().charge_memory(size_of::<Str>() * resource.tags.len())?;
        Ok(Resource {
            type_name: spellings.of(&resource.type_name),
            title: resource.title.clone(),
            tags: self.catalog.tag_table.words(&resource.tags),
            file: resource
                .location
                .as_ref()
                .map(|location| spellings.of(location.file().unwrap_or_default())),
            line: resource.location.as_ref().map(|location| location.line()),
            exported: resource.exported,
            is_virtual: resource.is_virtual,
            kind: resource.kind,
            parameters,
            sensitive_parameters: resource.sensitive.iter().map(|name| name.as_str().into()).collect(),
        })
    }

    /// The attributes as the document shows them: the name variable only where it differs from the title.
    fn parameters(
        &mut self,
        id: ResourceId,
        is_last: bool,
        spellings: &mut Spellings,
    ) -> Flow<Vec<(Str, Value)>> {
        let mut all = match self.catalog.get(id).title_is_name() {
            true => {
                // Nobody asks for them again, unless to say how they came about; a large catalog is held once.
                let params = match is_last && self.recorder.is_none() {
                    true => std::mem::take(&mut self.catalog.get_mut(id).params),
                    false => self.catalog.get(id).params.clone(),
                };
                let resource = self.catalog.get(id);
                plainly_named(params, resource.definition.namevar(), &resource.title, spellings)
            }
            false => named_parameters(self.catalog.get(id))?,
        };
        if all.iter().any(|(name, _)| name.bytes().any(|byte| byte.is_ascii_uppercase())) {
            all = in_lower_case(all);
        }
        for (name, value) in &mut all {
            if nests_or_lacks(value) && is_relationship(name) {
                *value = flat(value).into_iter().filter(|each| !each.is_undef()).collect::<Vec<_>>().into();
            }
            if let Some(shown) = self.with_bytes(value) {
                *value = shown;
            }
            if is_plain(value) {
                continue;
            }
            let is_secret =
                self.catalog.get(id).sensitive.iter().any(|secret| secret.eq_ignore_ascii_case(name));
            let given = std::mem::take(value);
            let text = if is_secret { given } else { as_text(flat_references(given)) };
            *value = if is_plain(&text) { text } else { self.rich(id, name, text)? };
        }
        Ok(all)
    }

    /// A value in the notation of rich data; without it such values become text, which is worth a warning or an error.
    fn rich(&mut self, id: ResourceId, name: &str, value: Value) -> Flow {
        let resource = self.catalog.get(id);
        let settings = &self.environment().settings;
        let options =
            richdata::Options { rich_data: settings.rich_data, prefix: resource.reference().into() };
        let strict = settings.strict;
        let mut warnings = Vec::new();
        let named: Hash = [(name, value)].into_iter().collect();
        let written = richdata::to_json_with(&named.into(), &options, &mut |error| match strict {
            Strict::Error => Err(error),
            Strict::Warning | Strict::Off => {
                warnings.push(error);
                Ok(())
            }
        });
        for warning in warnings {
            self.warn(warning.message());
        }
        match written {
            Ok(json) => Ok(json.get(name).map(kukla_catalog::read::data).unwrap_or_default()),
            Err(error) => {
                let location = self.catalog.get(id).location.clone();
                let mut failure = error.into_diagnostic().on_line_of(location);
                if failure.position.is_some() {
                    failure.frame = Frame::Rule;
                }
                Err(failure.into())
            }
        }
    }
}

impl CatalogBuilder {
    /// Aliases that were inherited from a container may clash although none did when they were declared.
    fn check_aliases(&self) -> Flow<()> {
        let mut taken: FxHashMap<(Name, Str), ResourceId> = FxHashMap::default();
        for id in self.ids() {
            let resource = self.get(id);
            for alias in resource.value("alias").map(flat).unwrap_or_default() {
                let Value::String(alias) = alias else { continue };
                if alias == resource.title {
                    continue;
                }
                let type_name = resource.type_name;
                let declared = self.find(&type_name, &alias).filter(|&found| found != id);
                let earlier = taken.insert((type_name, alias.clone()), id).filter(|&found| found != id);
                if let Some(earlier) = declared.or(earlier) {
                    let shown = format!("{alias:?}");
                    let wrong = self.alias_taken(id, earlier, &shown, &shown);
                    return Err(wrong.reported_as("ARGUMENT_ERROR").into());
                }
            }
        }
        Ok(())
    }
}

/// Names and files as texts of the catalog, by where they stand: most are those of many resources, which share what is long.
/// The named resources live as long as those in the output.
#[derive(Default)]
struct Spellings(FxHashMap<(usize, usize), Str>);

impl Spellings {
    fn of(&mut self, text: &str) -> Str {
        // Short values are written inline.
        match text.len() <= Str::INLINE_LIMIT {
            true => text.into(),
            false => self.0.entry((text.as_ptr().addr(), text.len())).or_insert_with(|| text.into()).clone(),
        }
    }
}

/// The attributes of a resource whose title is the value of its only name variable, unless an attribute says otherwise: that
/// comes first then.
fn plainly_named(
    params: Vec<Param>,
    namevar: &str,
    title: &Str,
    spellings: &mut Spellings,
) -> Vec<(Str, Value)> {
    let mut all: Vec<(Str, Value)> = Vec::with_capacity(params.len());
    let mut named: Option<Value> = None;
    for param in params {
        if param.value.is_undef() {
            continue;
        }
        // `name` is an alias of the name variable, and wins over it.
        match param.name.as_str() {
            "name" => named = Some(param.value),
            name if name == namevar => named = named.or(Some(param.value)),
            _ => all.push((spellings.of(&param.name), param.value)),
        }
    }
    if let Some(value) = named
        && !matches!(&value, Value::String(text) if text == title)
    {
        all.insert(0, (namevar.into(), value));
    }
    all
}

/// The attributes of a resource whose name variables are worth showing.
fn named_parameters(resource: &Building) -> Flow<Vec<(Str, Value)>> {
    let namevar = resource.definition.namevar();
    let attributes = resource.attributes()?;
    let mut all: Vec<(&'static str, Value)> = Vec::with_capacity(attributes.len());
    for (name, value) in attributes {
        let name = if name.as_str() == "name" { namevar } else { name.as_str() };
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => all.push((name, value)),
        }
    }
    let is_title = |value: &Value| {
        !resource.is_main()
            && resource.given.is_none()
            && matches!(value, Value::String(text) if *text == resource.title)
    };
    all.retain(|(name, value)| !(*name == namevar && is_title(value)));
    Ok(all.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// Attributes have lower case names in the document; of two that become one the later counts.
fn in_lower_case(attributes: Vec<(Str, Value)>) -> Vec<(Str, Value)> {
    let mut all: Vec<(Str, Value)> = Vec::with_capacity(attributes.len());
    for (name, value) in attributes {
        let name = Str::from(name.to_lowercase());
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => all.push((name, value)),
        }
    }
    all
}

/// A list that holds references anywhere is shown flat.
fn flat_references(value: Value) -> Value {
    match &value {
        Value::Array(values) if values.iter().any(nests_reference) => flat(&value).into(),
        _ => value,
    }
}

fn nests_reference(value: &Value) -> bool {
    match value {
        Value::Type(ty) => ResourceRef::of_type(ty).is_some(),
        Value::Array(values) => values.iter().any(nests_reference),
        _ => false,
    }
}

/// Whether a list has members that are lists, or undef.
fn nests_or_lacks(value: &Value) -> bool {
    let Value::Array(values) = value else { return false };
    values.iter().any(|value| matches!(value, Value::Array(_) | Value::Undef))
}

/// Whether JSON knows a value as it is.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::String(_) => true,
        Value::Float(number) => number.is_finite(),
        Value::Array(values) => values.iter().all(is_plain),
        Value::Hash(hash) => hash.iter().all(|(key, value)| {
            matches!(key, Value::String(text) if text != richdata::TYPE_KEY) && is_plain(value)
        }),
        _ => false,
    }
}

/// A value with the references in it as text.
fn as_text(value: Value) -> Value {
    match &value {
        Value::Type(ty) => match (ResourceRef::of_type(ty), &**ty) {
            (Some(reference), _) => Value::String(reference.into()),
            (None, Type::Resource(Some(resource))) => format!("{}[]", resource.name).into(),
            _ => value,
        },
        Value::Array(values) if values.iter().any(holds_reference) => {
            Value::Array(values.iter().cloned().map(as_text).collect())
        }
        Value::Hash(hash)
            if hash.iter().any(|(key, value)| holds_reference(key) || holds_reference(value)) =>
        {
            Value::Hash(
                hash.iter().map(|(key, value)| (as_text(key.clone()), as_text(value.clone()))).collect(),
            )
        }
        _ => value,
    }
}

fn holds_reference(value: &Value) -> bool {
    match value {
        Value::Type(ty) => {
            matches!(&**ty, Type::Resource(Some(_)) | Type::Class(Some(_)))
                || ResourceRef::of_type(ty).is_some()
        }
        Value::Array(values) => values.iter().any(holds_reference),
        Value::Hash(hash) => hash.iter().any(|(key, value)| holds_reference(key) || holds_reference(value)),
        _ => false,
    }
}
