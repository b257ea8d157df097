//! Relationships: `Package['a'] -> File['b'] ~> Service['c']`.
//!
//! A chain is noted when it is evaluated and drawn at the end, when the collectors in it know what they collected. It ends
//! up in the `before` or `notify` of its left side. An empty collector in the middle of a chain is passed over.

use kukla_catalog::ResourceRef;
use kukla_syntax::{Span, diagnostic};
use kukla_values::{Array, Name, Type, Value, meter};
use rustc_hash::FxHashSet;

use super::builder::{CatalogBuilder, ResourceId, flat};
use super::collect::CollectorValue;
use crate::codes::{
    ILLEGAL_RELATIONSHIP_OPERAND_TYPE, NOT_CATALOG_TYPE, RELATIONSHIP_WITHOUT_SOURCE,
    RELATIONSHIP_WITHOUT_TARGET,
};
use crate::error::{Flow, Location};
use crate::label;
use crate::program::{Arrow, Expr};
use crate::vm::Vm;

/// A relationship to be drawn at the end.
#[derive(Clone, Debug)]
pub(crate) struct Relationship {
    from: RelationOperand,
    to: RelationOperand,
    attribute: &'static str,
    /// Where it is written, if origins are recorded.
    location: Option<Location>,
}

/// A relationship between two resources, and the code that draws it.
#[derive(Clone, Debug)]
pub struct DrawnRelationship {
    /// The resource that comes first.
    pub from: ResourceRef,
    /// The resource that waits for it.
    pub to: ResourceRef,
    /// The arrow.
    pub location: Location,
}

/// One side of a relationship.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RelationOperand {
    /// A resource.
    Resource(ResourceRef),
    /// The resources that a collector finds.
    Collector(usize),
}

/// A resource at one end of a relationship, if it is there.
struct End {
    id: Option<ResourceId>,
    /// How it was referred to, unless a collector found it.
    written: Option<ResourceRef>,
}

impl End {
    fn reference(&self, catalog: &CatalogBuilder) -> ResourceRef {
        let found = || self.id.map(|id| catalog.get(id).reference());
        self.written.clone().or_else(found).unwrap_or_else(|| ResourceRef::new("Class", ""))
    }
}

impl Vm<'_> {
    pub(crate) fn eval_relationship(&mut self, arrow: Arrow, operands: &[Expr; 2], span: Span) -> Flow {
        let left = self.eval(&operands[0])?;
        let right = self.eval(&operands[1])?;
        let left = self.sides(&left, span)?;
        let right = self.sides(&right, span)?;
        let (from, to) = match arrow {
            Arrow::Before | Arrow::Notify => (&left, &right),
            Arrow::After | Arrow::Subscribe => (&right, &left),
        };
        let attribute = match arrow {
            Arrow::Before | Arrow::After => "before",
            Arrow::Notify | Arrow::Subscribe => "notify",
        };
        let pairs = from.len().saturating_mul(to.len());
        self.budget().charge_memory(pairs.saturating_mul(size_of::<Relationship>()))?;
        self.catalog.relationships.reserve(pairs);
        let location = self.recorder.is_some().then(|| self.location(span));
        for (from, _) in from {
            meter::work(to.len());
            for (to, _) in to {
                let (from, to, location) = (from.clone(), to.clone(), location.clone());
                self.catalog.relationships.push(Relationship { from, to, attribute, location });
            }
        }
        if right.is_empty() {
            return Ok(left.into_iter().map(|(_, value)| value).collect::<Array>().into());
        }
        if let [(RelationOperand::Collector(at), _)] = right[..] {
            self.catalog.collectors[at].instead = Some(left.into_iter().map(|(side, _)| side).collect());
        }
        Ok(right.into_iter().map(|(_, value)| value).collect::<Array>().into())
    }

    /// The members of an operand, each once, with the values they came from.
    fn sides(&mut self, operand: &Value, span: Span) -> Flow<Vec<(RelationOperand, Value)>> {
        let mut sides: Vec<(RelationOperand, Value)> = Vec::new();
        let mut known = FxHashSet::default();
        let members = flat(operand);
        let is_single = members.len() == 1;
        for value in members {
            let (side, value) = self.side(value, span)?;
            if is_single || known.insert(side.clone()) {
                sides.push((side, value));
            }
        }
        Ok(sides)
    }

    fn side(&mut self, value: Value, span: Span) -> Flow<(RelationOperand, Value)> {
        match &value {
            Value::Host(host) if let Some(collector) = host.as_any().downcast_ref::<CollectorValue>() => {
                Ok((RelationOperand::Collector(collector.at), value))
            }
            Value::Type(ty) => match ResourceRef::of_type(ty) {
                Some(reference) => Ok((RelationOperand::Resource(reference), value)),
                None => self.untitled(ty, span).map(|side| (side, value.clone())),
            },
            Value::String(text) => {
                let ty = self.spelled(text)?;
                self.side(Value::of_type(ty), span)
            }
            other => {
                let actual = label::a_an(&label::of_value(other));
                Err(self.fail(span, diagnostic!(ILLEGAL_RELATIONSHIP_OPERAND_TYPE { actual })))
            }
        }
    }

    /// A type that names no single resource: one that could is noted all the same, and missed at the end.
    fn untitled(&self, ty: &Type, span: Span) -> Flow<RelationOperand> {
        match ty {
            Type::Resource(Some(resource)) => {
                Ok(RelationOperand::Resource(ResourceRef::written(&resource.name, "")))
            }
            Type::Resource(None) | Type::Class(_) | Type::CatalogEntry => {
                Ok(RelationOperand::Resource(ResourceRef::new("Class", "")))
            }
            other => Err(self.fail(span, diagnostic!(NOT_CATALOG_TYPE { actual: other }))),
        }
    }

    /// The reference in a text, or (not in Puppet) a class by its bare name.
    fn spelled(&mut self, text: &str) -> Flow<Type> {
        let plain = |c: char| c == '_' || c == ':' || c.is_ascii_lowercase() || c.is_ascii_digit();
        let name = text.strip_prefix("::").unwrap_or(text);
        if ResourceRef::parse(text).is_none()
            && name.chars().all(plain)
            && name.starts_with(|c: char| c.is_ascii_lowercase())
        {
            return Ok(Type::Class(Some(name.into())));
        }
        self.parse_type(text)
    }
}

impl CatalogBuilder {
    /// Draws the relationships.
    pub(super) fn evaluate_relationships(&mut self) -> Flow<()> {
        for Relationship { from, to, attribute, location } in std::mem::take(&mut self.relationships) {
            // Many a collector finds nothing.
            let (sources, instead) = self.sources(&from);
            if sources.is_empty() {
                continue;
            }
            let attribute = Name::new(attribute);
            let targets = self.ends(&to);
            // Each takes a reference in a list, and time to find both ends.
            self.budget.charge_memory(sources.len().saturating_mul(targets.len()).saturating_mul(128))?;
            let targets: Vec<(End, Value)> = targets
                .into_iter()
                .map(|end| {
                    let text = Value::String(end.reference(self).into());
                    (end, text)
                })
                .collect();
            for source in sources {
                for (target, text) in &targets {
                    self.relate(&source, instead, target, text, attribute)?;
                    if let Some(location) = &location {
                        let (from, to) = (source.reference(self), target.reference(self));
                        self.drawn.push(DrawnRelationship { from, to, location: location.clone() });
                    }
                }
            }
        }
        Ok(())
    }

    fn ends(&self, side: &RelationOperand) -> Vec<End> {
        match side {
            RelationOperand::Resource(reference) => {
                vec![End { id: self.find_reference(reference), written: Some(reference.clone()) }]
            }
            RelationOperand::Collector(at) => self.collected(*at),
        }
    }

    fn collected(&self, at: usize) -> Vec<End> {
        let collected = self.collectors[at].collected.iter();
        collected.map(|&id| End { id: Some(id), written: None }).collect()
    }

    /// The left operand: for a collector that found nothing, the operand left of it, and whether that is the case.
    fn sources(&self, side: &RelationOperand) -> (Vec<End>, bool) {
        let RelationOperand::Collector(mut at) = *side else { return (self.ends(side), false) };
        // Each step goes left in a chain, so there are at most as many as collectors.
        for _ in 0..=self.collectors.len() {
            let collector = &self.collectors[at];
            match &collector.instead {
                _ if !collector.collected.is_empty() => return (self.collected(at), false),
                None => break,
                Some(instead) => match instead[..] {
                    [RelationOperand::Collector(left)] => at = left,
                    _ => return (instead.iter().flat_map(|side| self.ends(side)).collect(), true),
                },
            }
        }
        (Vec::new(), false)
    }

    fn relate(
        &mut self,
        source: &End,
        instead: bool,
        target: &End,
        text: &Value,
        attribute: Name,
    ) -> Flow<()> {
        let Some(id) = source.id else {
            let (source, target) = (&source.reference(self), &target.reference(self));
            let wanted = source;
            // The replacement of an empty collector is still a type, and messages show it as one.
            let source = match instead {
                false => source.to_string(),
                true if source.type_name() == "Class" => format!("Class[{}]", source.title().to_lowercase()),
                true => format!("{}['{}']", source.type_name(), source.title()),
            };
            let wrong = diagnostic!(RELATIONSHIP_WITHOUT_SOURCE { from: source, to: target });
            return Err(self.with_near(wrong, wanted).into());
        };
        if target.id.is_none() {
            let (source, target) = (&source.reference(self), &target.reference(self));
            let wrong = diagnostic!(RELATIONSHIP_WITHOUT_TARGET { from: source, to: target });
            return Err(self.with_near(wrong, target).into());
        }
        if self.append(id, attribute, text) {
            return Ok(());
        }
        let resource = self.get(id);
        let mut all: Array = resource.value(&attribute).cloned().into_iter().collect();
        all.push(text.clone());
        let set = self.set_value(id, attribute, all.into());
        debug_assert!(set.is_ok(), "only tags can be refused");
        Ok(())
    }
}
