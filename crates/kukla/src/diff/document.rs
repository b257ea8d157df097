//! The report as JSON. Programs read it: fields are added, none is taken away or given another meaning under the same
//! version.

use kukla_catalog::ResourceRef;
use kukla_catalog::difference::PartChange;
use kukla_values::Shown;
use serde_json::{Map, Value as Json, json};

use super::{
    AttributeChange, Changes, DeclarationPosition, Failure, FleetDifference, NodeDifference, Outcome, Reason,
    Relation, ResourceChange,
};
use crate::rpc;

/// The version of the document.
const VERSION: u32 = 1;

/// The report as JSON.
pub fn document(report: &FleetDifference) -> Json {
    let counts = report.counts();
    json!({
        "version": VERSION,
        "from": report.from,
        "to": report.to,
        "counts": {
            "nodes": counts.nodes,
            "unchanged": counts.unchanged,
            "same_inputs": counts.same_inputs,
            "changed": counts.changed,
            "added": counts.added,
            "removed": counts.removed,
            "breaks": counts.breaks,
            "repaired": counts.repaired,
            "fails": counts.fails,
        },
        "nodes": report.nodes.iter().map(node).collect::<Json>(),
        "groups": report.groups.iter().map(|group| {
            json!({"nodes": group.nodes, "changes": changes(&group.changes)})
        }).collect::<Json>(),
        "files": report.files.iter().map(|file| json!({
            "path": file.path.to_string_lossy(),
            "status": file.status.name(),
            "significant": file.is_significant,
            "nodes": file.nodes,
        })).collect::<Json>(),
        "denied": report.denied.iter().map(|denied| json!({
            "rule": denied.rule,
            "resource": denied.resource,
            "nodes": denied.nodes,
        })).collect::<Json>(),
        "warnings": report.warnings,
        "notes": report.notes,
    })
}

fn node(NodeDifference { node, outcome }: &NodeDifference) -> Json {
    let mut json = json!({"node": node, "outcome": outcome.name()});
    if let Outcome::Changed(groups) = outcome {
        json["groups"] = groups.clone().into();
    }
    if let Outcome::Added(Ok(resources)) | Outcome::Removed(Ok(resources)) = outcome {
        json["resources"] = (*resources).into();
    }
    let (before, after) = outcome.failures();
    for (side, found) in [("error_before", before), ("error_after", after)] {
        if let Some(found) = found {
            json[side] = failure(found);
        }
    }
    json
}

fn failure(failure: &Failure) -> Json {
    match failure {
        Failure::Compile(failure) => rpc::errors(failure).into(),
        Failure::Problem(problem) => json!([{"message": problem.to_string()}]),
    }
}

/// The changes of a node's catalog, as JSON. Empty parts are left out.
pub fn changes(changes: &Changes) -> Json {
    let mut json = Map::new();
    let mut put = |name: &str, list: Vec<Json>| {
        if !list.is_empty() {
            json.insert(name.to_owned(), list.into());
        }
    };
    put("resources", changes.resources.iter().map(resource).collect());
    let names = |list: &[kukla_values::Str]| list.iter().map(|name| name.as_str().into()).collect();
    put("classes_added", names(&changes.classes_added));
    put("classes_removed", names(&changes.classes_removed));
    put("relations_added", changes.relations_added.iter().map(relation).collect());
    put("relations_removed", changes.relations_removed.iter().map(relation).collect());
    let cycles = |list: &[Vec<String>]| list.iter().map(|cycle| cycle.clone().into()).collect();
    put("cycles_added", cycles(&changes.cycles_added));
    put("cycles_removed", cycles(&changes.cycles_removed));
    json.into()
}

pub(super) fn relation(relation: &Relation) -> Json {
    json!({
        "from": relation.from.to_string(),
        "arrow": relation.kind.arrow(),
        "to": relation.to.to_string(),
    })
}

pub(super) fn resource(change: &ResourceChange) -> Json {
    let mut json = json!({
        "change": change.kind.name(),
        "type": change.name.type_name().as_str(),
        "title": change.name.title().as_str(),
    });
    let texts = |list: &[kukla_values::Str]| list.iter().map(|text| text.as_str()).collect::<Json>();
    if !change.attributes.is_empty() {
        json["attributes"] = change.attributes.iter().map(attribute).collect();
    }
    if let Some((from, to)) = &change.moved {
        let name = |place: &Option<ResourceRef>| place.as_ref().map(ToString::to_string);
        json["moved"] = json!({"from": name(from), "to": name(to)});
    }
    for (name, tags) in [("tags_added", &change.tags_added), ("tags_removed", &change.tags_removed)] {
        if !tags.is_empty() {
            json[name] = texts(tags);
        }
    }
    if change.exported != (false, false) {
        json["exported"] = json!({"before": change.exported.0, "after": change.exported.1});
    }
    for (name, place) in [("declared_before", &change.place_before), ("declared_after", &change.place_after)]
    {
        if let Some(DeclarationPosition { file, line }) = place {
            json[name] = json!({"file": file.as_str(), "line": line});
        }
    }
    reasons(&mut json, &change.reasons);
    json
}

fn attribute(change: &AttributeChange) -> Json {
    let mut json = json!({"name": change.name.as_str()});
    if change.is_secret {
        json["sensitive"] = true.into();
    }
    json["parts"] = change.parts.iter().map(|one| part(one, change.is_secret)).collect();
    reasons(&mut json, &change.reasons);
    json
}

/// A side without a value has no member in the part; an undefined value is `null`.
fn part(part: &PartChange, is_secret_as_a_whole: bool) -> Json {
    let mut json = Map::new();
    if !part.path.is_empty() {
        json.insert("path".into(), part.path.iter().map(Shown::to_json).collect());
    }
    let mut side = |name: &str, value: &Option<Shown>| {
        if let Some(value) = value {
            json.insert(name.into(), value.to_json());
        }
    };
    side("before", &part.before);
    side("after", &part.after);
    if part.is_secret && !is_secret_as_a_whole {
        json.insert("sensitive".into(), true.into());
    }
    json.into()
}

fn reasons(json: &mut Json, reasons: &[Reason]) {
    if reasons.is_empty() {
        return;
    }
    let shape = |reason: &Reason| {
        json!({
            "file": reason.file.as_str(),
            "line": reason.line,
            "key": reason.key.as_ref().map(|key| key.as_str()),
            "side": if reason.is_after { "after" } else { "before" },
            "touched": reason.is_touched,
        })
    };
    json["reasons"] = reasons.iter().map(shape).collect();
}
