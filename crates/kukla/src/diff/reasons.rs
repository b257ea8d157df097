//! The reasons of changes: lines of code and keys of data, those in which the sides differ first.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use kukla_catalog::ResourceRef;
use kukla_eval::catalog::{Part, Provenance, Trail};
use kukla_hiera::ValueOrigin;
use kukla_syntax::deep;
use kukla_values::{Str, Value};
use kukla_world::record::Question;
use rustc_hash::FxHashMap;

use super::changes::{Changes, Kind, ResourceChange};
use super::{Files, Reason, Sides, Subject};
use crate::exchange::Exchange;
use crate::provenance::is_secret;
use crate::{CompileOptions, Compiled};

/// The origins of the attribute values of a node, on both sides.
#[derive(Debug, Default)]
pub struct Evidence {
    before: Trails,
    after: Trails,
    /// Inputs of the node's catalogs in which the sides differ.
    read: BTreeSet<Str>,
    /// Values that were decrypted.
    secrets: BTreeSet<Str>,
}

/// The context of an explanation, besides the evidence of a node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'s> {
    /// The files in which the sides differ.
    pub files: Option<&'s Files<'s>>,
    /// The exported resources of each side.
    pub exports: Option<&'s Sides<Arc<Exchange>>>,
}

#[derive(Debug, Default)]
struct Trails {
    by_name: FxHashMap<ResourceRef, Provenance>,
}

/// The rank of a line or key in which the sides differ.
const TOUCHED: u8 = 2;

/// The most reasons of a change.
const MOST: usize = 3;

/// The longest chain of origins.
const DEEPEST: usize = 12;

impl Evidence {
    /// Compiles a node once more on both sides and records the origins of values.
    pub fn of(before: &Subject, after: &Subject, files: Option<&Files<'_>>) -> Evidence {
        let (mut read, mut secrets) = (BTreeSet::new(), BTreeSet::new());
        let mut trails = |subject: &Subject| {
            let Ok(site) = &subject.site else { return Trails::default() };
            // Exported resources are virtual.
            let options =
                CompileOptions { provenance: true, keep_virtual: true, ..CompileOptions::default() };
            let outcome = site.compile_with(&subject.node, options);
            if let (Some(record), Some(ledger), Some(files)) =
                (&outcome.record, site.environment.world.ledger(), files)
            {
                let mut inputs = record.code.clone();
                inputs.extend(&record.data);
                for input in ledger.inputs(&inputs) {
                    if let Question::Read(path) | Question::Data(path) = &input.question
                        && files.is_significant(path)
                        && let Some(shown) = files.shown(path).to_str()
                    {
                        read.insert(Str::from(shown));
                    }
                }
            }
            let provenance = match outcome.result {
                Ok(Compiled { provenance: Some(provenance), secrets: decrypted, .. }) => {
                    secrets.extend(decrypted);
                    provenance
                }
                _ => Vec::new(),
            };
            let named = provenance
                .into_iter()
                .map(|each| (ResourceRef::new(each.type_name.clone(), each.title.clone()), each));
            Trails { by_name: named.collect() }
        };
        let before = trails(before);
        let after = trails(after);
        Evidence { before, after, read, secrets }
    }

    /// Adds reasons to changes, and hides values that turn out to be secret.
    pub fn explain(&self, changes: &mut Changes, surroundings: Surroundings<'_>) {
        let Surroundings { files, exports } = surroundings;
        let exporter = |name: &ResourceRef, is_after: bool| {
            let exports = exports.map(|sides| if is_after { &sides.after } else { &sides.before })?;
            exports.exporter(name.type_name(), name.title())
        };
        for change in &mut changes.resources {
            self.hide(change);
            for attribute in &mut change.attributes {
                if change.kind == Kind::Changed && attribute.reasons.is_empty() {
                    let mut found = Candidates { files, places: Vec::new() };
                    for (trails, is_after) in [(&self.after, true), (&self.before, false)] {
                        if let Some(trail) = trails.attribute(&change.name, &attribute.name) {
                            found.trail(trail, is_after, 0);
                        } else if let Some(exported) = exporter(&change.name, is_after)
                            && let Some(file) = &exported.resource.file
                        {
                            found.place(file, exported.resource.line, None, is_after);
                        }
                    }
                    attribute.reasons = self.chosen(found);
                }
            }
            if change.kind != Kind::Changed || change.moved.is_some() {
                let mut found = Candidates { files, places: Vec::new() };
                let sides = [(&change.place_after, true), (&change.place_before, false)];
                for (place, is_after) in sides {
                    if let Some(place) = place {
                        found.place(&place.file, place.line, None, is_after);
                    } else if let Some(exported) = exporter(&change.name, is_after)
                        && let Some(file) = &exported.resource.file
                    {
                        found.place(file, exported.resource.line, None, is_after);
                    }
                }
                found.inclusions(&self.after, &change.name, true);
                found.inclusions(&self.before, &change.name, false);
                change.reasons = self.chosen(found);
            }
            for place in [&mut change.place_before, &mut change.place_after].into_iter().flatten() {
                if let Some(shown) =
                    files.and_then(|files| files.shown(Path::new(place.file.as_str())).to_str())
                {
                    place.file = Str::from(shown);
                }
            }
        }
    }

    fn hide(&self, change: &mut ResourceChange) {
        for attribute in &mut change.attributes {
            let secret = [&self.before, &self.after]
                .iter()
                .any(|trails| trails.attribute(&change.name, &attribute.name).is_some_and(is_secret));
            // Decrypted values may arrive without a recorded origin.
            let values = attribute.parts.iter().flat_map(|part| [&part.before, &part.after]);
            let is_decrypted = values.flatten().any(|value| self.holds_secret(value.as_value()));
            if secret || is_decrypted {
                attribute.hide();
            }
        }
    }

    fn holds_secret(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.secrets.iter().any(|secret| text.contains(secret.as_str())),
            Value::Array(values) => deep(|| values.iter().any(|value| self.holds_secret(value))),
            Value::Hash(entries) => {
                deep(|| entries.iter().any(|(key, value)| self.holds_secret(key) || self.holds_secret(value)))
            }
            _ => false,
        }
    }

    /// The best candidates: lines and keys in which the sides differ, else files that differ, else the origin
    /// of the value.
    fn chosen(&self, found: Candidates<'_>) -> Vec<Reason> {
        let best = found.places.iter().map(|(rank, _)| *rank).max().unwrap_or_default();
        // If the node reads only one file that differs, nothing else can be the reason.
        if let (0, 1, Some(file)) = (best, self.read.len(), self.read.first()) {
            return vec![Reason {
                file: file.clone(),
                line: None,
                key: None,
                is_after: true,
                is_touched: true,
            }];
        }
        let mut reasons = Vec::new();
        for (rank, reason) in found.places {
            let is_known = reasons.iter().any(|known: &Reason| {
                known.file == reason.file
                    && known.key == reason.key
                    && (known.line == reason.line || known.is_after != reason.is_after)
            });
            if rank == best && !is_known {
                reasons.push(reason);
            }
        }
        match best {
            // The last step is the origin.
            0 => reasons.pop().into_iter().collect(),
            _ => {
                reasons.truncate(MOST);
                reasons
            }
        }
    }
}

impl Trails {
    fn attribute(&self, name: &ResourceRef, attribute: &str) -> Option<&Trail> {
        let found = self.by_name.get(name)?.parameters.iter().find(|(own, _)| *own == *attribute)?;
        found.1.as_deref()
    }
}

struct Candidates<'f> {
    files: Option<&'f Files<'f>>,
    /// Places with how well they explain a change.
    places: Vec<(u8, Reason)>,
}

impl Candidates<'_> {
    fn trail(&mut self, trail: &Trail, is_after: bool, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        if let Some(location) = &trail.location
            && let Some(file) = location.file()
        {
            self.place(file, Some(location.line()), None, is_after);
        }
        for part in trail.parts.iter() {
            match part {
                Part::Data(places) => {
                    self.data(places, is_after, depth);
                }
                Part::Parameter(_, _, Some(trail)) | Part::Variable(_, Some(trail)) => {
                    self.trail(trail, is_after, depth + 1);
                }
                Part::File(file) => {
                    let line =
                        self.files.and_then(|files| files.first_line(Path::new(file.as_str()), is_after));
                    self.place(file, line, None, is_after);
                }
                Part::Parameter(..) | Part::Variable(..) => {}
            }
        }
    }

    fn data(&mut self, origins: &[Arc<ValueOrigin>], is_after: bool, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for origin in origins {
            if let Some(file) = &origin.location {
                self.place(file, origin.line, Some(&origin.key), is_after);
            }
            self.data(&origin.interpolated, is_after, depth + 1);
        }
    }

    /// The code that declares the resource: the calls that include its classes, as far as the sides differ there.
    fn inclusions(&mut self, trails: &Trails, name: &ResourceRef, is_after: bool) {
        let Some(own) = trails.by_name.get(name) else { return };
        let around = own.containers.iter().filter_map(|container| trails.by_name.get(container));
        for each in std::iter::once(own).chain(around) {
            let mut found = Candidates { files: self.files, places: Vec::new() };
            if let Some(inclusion) = &each.inclusion {
                found.trail(inclusion, is_after, 0);
            }
            if let (Some(location), true) = (&each.location, each.type_name != own.type_name)
                && let Some(file) = location.file()
            {
                found.place(file, Some(location.line()), None, is_after);
            }
            self.places.extend(found.places.into_iter().filter(|(rank, _)| *rank == TOUCHED));
        }
    }

    fn place(&mut self, file: &str, line: Option<u32>, key: Option<&Str>, is_after: bool) {
        let path = Path::new(file);
        let rank =
            self.files.map_or(0, |files| files.rank(path, line, key.map(|key| key.as_str()), is_after));
        let shown = self.files.and_then(|files| files.shown(path).to_str()).unwrap_or(file);
        let reason =
            Reason { file: shown.into(), line, key: key.cloned(), is_after, is_touched: rank == TOUCHED };
        self.places.push((rank, reason));
    }
}
