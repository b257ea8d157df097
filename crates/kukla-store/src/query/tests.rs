//! Queries, read and answered from tables in memory.

use std::ops::ControlFlow;

use serde_json::{Value as Json, json};

use super::{Column, Entity, Narrow, Question, Tables};
use crate::Result;

/// Three nodes with some facts and resources.
struct Site;

fn table(entity: &str) -> Json {
    match entity {
        "nodes" => {
            json!([{"certname": "a"}, {"certname": "b", "catalog_timestamp": "2026-01-01T00:00:00.000Z"}, {"certname": "c"}])
        }
        "facts" => json!([
            {"certname": "a", "name": "kernel", "value": "Linux"},
            {"certname": "a", "name": "cores", "value": 4},
            {"certname": "b", "name": "kernel", "value": "Linux"},
            {"certname": "b", "name": "cores", "value": 8},
            {"certname": "c", "name": "kernel", "value": "FreeBSD"},
            {"certname": "c", "name": "cores", "value": 2},
        ]),
        "inventory" => json!([
            {"certname": "a", "facts": {"os": {"family": "Debian", "release": {"major": "12"}}, "disks": ["sda", "sdb"]}},
            {"certname": "b", "facts": {"os": {"family": "RedHat", "release": {"major": "9"}}}},
            {"certname": "c", "facts": {}, "trusted": {"extensions": {"pp_role": "web"}}},
        ]),
        "resources" => json!([
            {"certname": "a", "type": "File", "title": "/a", "tags": ["file", "web"], "exported": false, "parameters": {"mode": "0644"}},
            {"certname": "a", "type": "Service", "title": "x", "tags": ["service"], "exported": true, "parameters": {}},
            {"certname": "b", "type": "File", "title": "/a", "tags": ["file"], "exported": false, "parameters": {"mode": "0600"}},
        ]),
        "fact_contents" => json!([
            {"certname": "a", "path": ["os", "family"], "name": "os", "value": "Debian"},
            {"certname": "a", "path": ["disks", 0], "name": "disks", "value": "sda"},
        ]),
        other => panic!("no {other} here"),
    }
}

impl Tables for Site {
    fn scan(
        &mut self,
        entity: &'static Entity,
        _: &Narrow,
        columns: &[Column],
        visit: &mut dyn FnMut(&[Json]) -> ControlFlow<()>,
    ) -> Result<()> {
        for row in table(entity.name).as_array().unwrap() {
            let values: Vec<Json> = columns.iter().map(|column| row[column.name].clone()).collect();
            if visit(&values).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn answer(question: &Question) -> Json {
    question
        .parse()
        .and_then(|query| query.answer(&mut Site))
        .map_or_else(|wrong| wrong.message().into(), Json::from)
}

#[track_caller]
fn gives(pql: &str, expected: Json) {
    assert_eq!(answer(&Question::pql(pql)), expected, "{pql}");
}

/// The names of the nodes that a query finds.
#[track_caller]
fn finds(pql: &str, expected: &str) {
    let rows = answer(&Question::pql(pql));
    let names = rows
        .as_array()
        .unwrap_or_else(|| panic!("{pql}: {rows}"))
        .iter()
        .filter_map(|row| row["certname"].as_str());
    assert_eq!(names.collect::<Vec<_>>().join(" "), expected, "{pql}");
}

#[test]
fn conditions() {
    finds("nodes[certname] { }", "a b c");
    finds("nodes[certname] { certname = 'a' or certname = \"c\" }", "a c");
    finds("nodes[certname] { !(certname = 'a' or certname = 'c') }", "b");
    finds("nodes[certname] { certname != 'a' and certname !~ '^[c]$' }", "b");
    finds("nodes[certname] { certname in ['a', 'b'] }", "a b");
    finds("nodes[certname] { catalog_timestamp is not null }", "b");
    finds(
        "nodes[certname] { catalog_timestamp > '2025-12-31' and catalog_timestamp <= '2026-01-01T01:00+01:00' }",
        "b",
    );
    finds("inventory[certname] { facts.os.family ~ 'De' }", "a");
    finds(
        "inventory[certname] { facts.os.release.major = '9' or trusted.extensions.pp_role = 'web' }",
        "b c",
    );
    finds("inventory[certname] { facts.disks[1] = 'sdb' }", "a");
    // Within a column, what is not there is unequal.
    finds("inventory[certname] { facts.os.family != 'Debian' }", "b c");
    finds("inventory[certname] { facts.os.family !~ 'Deb' and trusted.extensions.pp_role is null }", "b");
    finds("nodes[certname] { catalog_timestamp != '2026-01-02' }", "b");
    finds("resources[certname] { type = 'File' and tag = 'WEB' }", "a");
    finds("resources[certname] { parameters.mode = '0600' }", "b");
    finds("resources[certname] { exported = true }", "a");
    finds("facts[certname] { name = 'cores' and value >= 4 }", "a b");
    finds("fact_contents[certname] { path ~> ['di.*', '\\d'] }", "a");
    finds("fact_contents[certname] { path = ['os', 'family'] }", "a");
}

#[test]
fn subqueries() {
    finds("nodes[certname] { facts { name = 'kernel' and value = 'Linux' } }", "a b");
    finds("nodes[certname] { certname in facts[certname] { name = 'cores' and value < 8 } }", "a c");
    finds("resources[certname] { [certname, title] in resources[certname, title] { exported = true } }", "a");
    finds(r#"["from", "nodes", ["extract", ["certname"], ["=", ["fact", "kernel"], "Linux"]]]"#, "a b");
    finds(
        r#"["from", "nodes", ["extract", "certname", ["in", ["certname"], ["extract", ["certname"], ["select_facts", ["and", ["=", "name", "cores"], [">", "value", 3]]]]]]]"#,
        "a b",
    );
    finds(
        r#"["from", "nodes", ["extract", ["certname"], ["not", ["subquery", "resources", ["=", "type", "File"]]]]]"#,
        "c",
    );
    finds(r#"["from", "nodes", ["in", "certname", ["array", ["b"]]]]"#, "b");
    finds(r#"["from", "nodes", ["extract", "certname", ["=", ["node", "active"], true]]]"#, "a b c");
    finds(r#"["from", "resources", ["extract", ["certname"], ["=", ["parameter", "mode"], "0644"]]]"#, "a");
    finds(
        r#"["from", "nodes", ["extract", ["certname"]], ["order_by", [["certname", "desc"]]], ["limit", 2]]"#,
        "c b",
    );
}

#[test]
fn projections_and_groups() {
    gives("resources[count()] { }", json!([{"count": 3}]));
    gives("resources[count()] { type = 'Nothing' }", json!([{"count": 0}]));
    gives(
        "resources[type, count()] { group by type order by type desc }",
        json!([{"type": "Service", "count": 1}, {"type": "File", "count": 2}]),
    );
    gives(
        "facts[avg(value), sum(value), min(value), max(value)] { name = 'cores' }",
        json!([{"avg": 14.0 / 3.0, "sum": 14, "min": 2, "max": 8}]),
    );
    gives(
        "inventory[certname, facts.os.family] { limit 1 offset 1 }",
        json!([{"certname": "b", "facts.os.family": "RedHat"}]),
    );
    finds("facts { name = 'cores' order by value desc }", "b a c");
}

#[test]
fn what_is_wrong_is_told() {
    for (pql, part) in [
        ("nosuch { }", "unknown entity 'nosuch'"),
        ("nodes { nosuch = 1 }", "'nosuch' is not a queryable object for nodes"),
        ("nodes { certname = }", "a value"),
        ("nodes { certname 'a' }", "an operator"),
        ("nodes { certname = 'a' ", "expected '}' at the end"),
        ("nodes { certname = 'a", "quotation mark"),
        ("nodes { certname ~ '(' }", "regular expression"),
        ("nodes { } x", "the end"),
        ("nodes[nosuch()] { }", "unknown function"),
        ("nodes { certname in facts[certname, name] { } }", "compares 1 fields with 2"),
        (r#"["=", "certname", "a"]"#, "begins with"),
        (r#"["from", "nodes", ["?", "certname", "a"]]"#, "unknown operator"),
        (r#"["from", "nodes", []]"#, "operator"),
        ("", "the name of an entity"),
    ] {
        let message = answer(&Question::pql(pql));
        assert!(message.as_str().is_some_and(|message| message.contains(part)), "{pql}: {message}");
    }
}
