//! The behaviour that all stores share.

#![allow(clippy::disallowed_methods)] // stores are outside

use crate::common::{catalog, each_store, export_query, exporting, open};
use kukla_catalog::{Filter, Resource};
use kukla_store::{Question, Report, Timestamp, Update};
use kukla_values::{Hash, Value};
use serde_json::json;

#[test]
fn a_catalog_comes_back_as_it_was() {
    each_store("catalog", |url| {
        let store = open(url);
        let mut catalog = catalog("web1", 3);
        catalog.resources[2].sensitive_parameters = vec!["content".into()];
        store
            .update(&Update { catalog: Some(&catalog), ..Update::of("web1", "production", Timestamp(1000)) })
            .unwrap();
        let again = open(url).catalog("web1").unwrap().unwrap();
        // Nobody collects the resource, so nobody needs its secret.
        let content = catalog.resources[2].parameters.iter_mut().find(|(name, _)| name == "content").unwrap();
        content.1 = "Sensitive [value redacted]".into();
        assert_eq!(again.to_json(), catalog.to_json());
    });
}

#[test]
fn collectors_find_what_others_export() {
    each_store("collect", |url| {
        let store = open(url);
        for node in ["c", "a", "b"] {
            let catalog = exporting(node, 2);
            store
                .update(&Update {
                    catalog: Some(&catalog),
                    ..Update::of(node, "production", Timestamp(1000))
                })
                .unwrap();
        }
        let found = |filter: Option<Filter>| -> Vec<String> {
            let found = store.exported(&export_query("Notify", "b", filter)).unwrap();
            found.iter().map(|each| format!("{} {}", each.node, each.resource.title)).collect()
        };
        assert_eq!(found(None), ["a a-0", "a a-1", "c c-0", "c c-1"]);
        assert_eq!(found(Some(Filter::Title("c-1".into()))), ["c c-1"]);
        assert_eq!(found(Some(Filter::Title("b-1".into()))), [""; 0]);
        assert_eq!(found(Some(Filter::Tagged("web".into()))).len(), 4);
        assert_eq!(found(Some(Filter::Attribute("number".into(), 1.into()))), ["a a-1", "c c-1"]);
        let list: Value = vec!["one".into(), "two".into()].into();
        assert_eq!(found(Some(Filter::Attribute("list".into(), list))).len(), 4);
        assert_eq!(found(Some(Filter::Attribute("list".into(), "two".into()))), [""; 0]);
        assert_eq!(found(Some(Filter::Attribute("list".into(), Value::Undef))), [""; 0]);
        assert_eq!(found(Some(Filter::Attribute("nothing".into(), Value::Undef))).len(), 4);
        let title = |text: &str| Filter::Title(text.into());
        assert_eq!(
            found(Some(Filter::Any(vec![title("a-0"), title("c-1"), title("x")]))),
            ["a a-0", "c c-1"]
        );
        assert_eq!(found(Some(Filter::Not(Box::new(title("a-0"))))), ["a a-1", "c c-0", "c c-1"]);
        let one = Filter::Attribute("number".into(), 1.into());
        assert_eq!(
            found(Some(Filter::All(vec![one.clone(), Filter::Tagged("web".into())]))),
            ["a a-1", "c c-1"]
        );
        assert_eq!(
            found(Some(Filter::Any(vec![
                Filter::All(vec![one, Filter::Tagged("web".into())]),
                title("a-0")
            ]))),
            ["a a-0", "a a-1", "c c-1"]
        );
        assert_eq!(found(Some(Filter::Any(Vec::new()))), [""; 0]);
        // What several of them lead to is found once.
        let tagged = |text: &str| Filter::Tagged(text.into());
        let both = Filter::Any(vec![tagged("web"), tagged("notify"), title("a-0")]);
        assert_eq!(found(Some(both.clone())).len(), 4);
        assert_eq!(found(Some(Filter::All(vec![both, tagged("web"), title("a-0")]))), ["a a-0"]);

        // Who is gone exports nothing, until something is heard again.
        assert!(
            store.deactivate("c", Timestamp(2000)).unwrap()
                && !store.deactivate("nobody", Timestamp(2000)).unwrap()
        );
        assert_eq!(found(None), ["a a-0", "a a-1"]);
        let late = exporting("c", 1);
        store
            .update(&Update { catalog: Some(&late), ..Update::of("c", "production", Timestamp(1500)) })
            .unwrap();
        assert_eq!(found(None), ["a a-0", "a a-1"]);
        store
            .update(&Update { catalog: Some(&late), ..Update::of("c", "production", Timestamp(2500)) })
            .unwrap();
        assert_eq!(found(None), ["a a-0", "a a-1", "c c-0"]);
        // What is older than what is known is not taken.
        store
            .update(&Update {
                catalog: Some(&exporting("c", 9)),
                ..Update::of("c", "production", Timestamp(2400))
            })
            .unwrap();
        assert_eq!(found(None), ["a a-0", "a a-1", "c c-0"]);
    });
}

/// A number of resources at which no single key leads to few of them.
#[test]
fn several_keys_narrow_each_other() {
    each_store("narrow", |url| {
        let store = open(url);
        let mut catalog = exporting("a", 2000);
        for (at, resource) in catalog.resources.iter_mut().enumerate() {
            for (every, tag) in [(2, "two"), (3, "three")] {
                resource.tags.extend((at % every == 0).then(|| tag.into()));
            }
        }
        store
            .update(&Update { catalog: Some(&catalog), ..Update::of("a", "production", Timestamp(1000)) })
            .unwrap();
        let tagged = |text: &str| Filter::Tagged(text.into());
        let number =
            |filter: Filter| store.exported(&export_query("Notify", "b", Some(filter))).unwrap().len();
        let (two, three) = (tagged("two"), tagged("three"));
        assert_eq!((number(two.clone()), number(three.clone())), (1000, 667));
        let both = Filter::All(vec![two.clone(), three.clone()]);
        assert_eq!(number(both.clone()), 334);
        let any = Filter::Any(vec![two.clone(), three.clone()]);
        assert_eq!(number(any.clone()), 1333);
        assert_eq!(number(Filter::All(vec![any.clone(), three.clone(), both.clone()])), 334);
        let first = Filter::All(vec![three, Filter::Attribute("number".into(), 6.into())]);
        assert_eq!(number(Filter::Any(vec![first.clone(), both.clone()])), 334);
        assert_eq!(number(Filter::All(vec![two, tagged("nobody")])), 0);
        assert_eq!(number(Filter::All(vec![any, Filter::Not(Box::new(both))])), 999);
        assert_eq!(number(first), 1);
    });
}

#[test]
fn secrets_are_for_collectors_alone() {
    each_store("secrets", |url| {
        let store = open(url);
        let mut catalog = exporting("a", 1);
        catalog.resources[0].sensitive_parameters = vec!["message".into()];
        store
            .update(&Update { catalog: Some(&catalog), ..Update::of("a", "production", Timestamp(1000)) })
            .unwrap();
        let found: Vec<Resource> = store
            .exported(&export_query("Notify", "b", None))
            .unwrap()
            .iter()
            .map(|each| each.resource.clone())
            .collect();
        assert_eq!(found, catalog.resources);
        let rows = store.query(&Question::pql("resources { type = 'Notify' }")).unwrap();
        assert_eq!(rows[0]["parameters"], json!({"number": 0, "list": ["one", "two"]}));
    });
}

/// Rich data as catalogs have it.
fn rich(type_name: &str, value: impl Into<Value>) -> Value {
    let entries = [("__ptype", Value::from(type_name)), ("__pvalue", value.into())];
    Value::Hash(entries.into_iter().collect())
}

#[test]
fn no_query_shows_or_digests_a_secret_at_any_depth() {
    each_store("nested", |url| {
        let store = open(url);
        let store_secret = |secret: &str, is_exported: bool| {
            let secret = rich("Sensitive", secret);
            let mut catalog = exporting("a", 1);
            let resource = &mut catalog.resources[0];
            (resource.exported, resource.is_virtual) = (is_exported, is_exported);
            resource.sensitive_parameters = vec!["message".into()];
            resource.parameters.push(("secrets".into(), vec![secret.clone()].into()));
            resource.parameters.push(("pairs".into(), rich("Hash", vec![secret.clone(), 1.into()])));
            let deferred = [("__ptype", Value::from("Deferred")), ("arguments", vec![secret].into())];
            resource.parameters.push(("later".into(), Value::Hash(deferred.into_iter().collect())));
            let update = Update::of("a", "production", Timestamp(1000));
            store.update(&Update { catalog: Some(&catalog), ..update }).unwrap();
            let ask = |query: &str| format!("{:?}", store.query(&Question::pql(query)).unwrap());
            let all = ["resources { }", "catalogs { }", "resources { parameters.number = 0 }"];
            (all.map(ask).concat(), store.exported(&export_query("Notify", "b", None)).unwrap(), catalog)
        };
        for is_exported in [true, false] {
            let (first, found, catalog) = store_secret("hunter2", is_exported);
            assert!(first.contains("value redacted") && !first.contains("hunter2"), "{first}");
            let found: Vec<Resource> = found.iter().map(|each| each.resource.clone()).collect();
            assert_eq!(found, if is_exported { catalog.resources } else { Vec::new() });
            let (second, found, catalog) = store_secret("*******", is_exported);
            assert_eq!(first, second, "the digests of the secrets can be compared");
            let found: Vec<Resource> = found.iter().map(|each| each.resource.clone()).collect();
            assert_eq!(found, if is_exported { catalog.resources } else { Vec::new() });
        }
        let guess =
            Filter::Attribute("message".into(), exporting("a", 1).resources[0].parameters[0].1.clone());
        store_secret("hunter2", true);
        assert_eq!(store.exported(&export_query("Notify", "b", Some(guess))).unwrap(), []);
    });
}

#[test]
fn nodes_live_and_end() {
    each_store("lives", |url| {
        let store = open(url);
        let mut facts = Hash::new();
        facts.insert("kernel", "Linux");
        for (node, time) in [("old", 1000), ("new", 5000)] {
            store
                .update(&Update { facts: Some(&facts), ..Update::of(node, "test", Timestamp(time)) })
                .unwrap();
        }
        let names = |query: &str| -> Vec<String> {
            let rows = store.query(&Question::pql(query)).unwrap();
            rows.iter().map(|row| row["certname"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(store.expire(Timestamp(2000), Timestamp(6000)).unwrap(), ["old"]);
        assert_eq!(names("nodes { }"), ["new"]);
        assert_eq!(names("nodes { node_state = 'inactive' }"), ["old"]);
        assert_eq!(names("facts { node_state = 'any' and name = 'kernel' }"), ["new", "old"]);
        assert_eq!(store.purge_nodes(Timestamp(5999)).unwrap(), [""; 0]);
        assert_eq!(store.purge_nodes(Timestamp(6000)).unwrap(), ["old"]);
        assert_eq!(names("nodes { node_state = 'any' }"), ["new"]);
        assert!(store.facts("old").unwrap().is_none());
        assert_eq!(store.facts("new").unwrap(), Some(facts));
    });
}

#[test]
fn reports_are_kept_once_and_purged() {
    each_store("reports", |url| {
        let store = open(url);
        let sent = json!({
            "host": "a", "time": "2026-11-16T06:08:01.455Z", "environment": "production", "status": "changed", "report_format": 12,
            "configuration_version": 7, "transaction_uuid": "u", "logs": [], "noop": false,
            "metrics": {"time": {"name": "time", "values": [["total", "Total", 1.5]]}},
            "resource_statuses": {
                "File[/a]": {"resource_type": "File", "title": "/a", "time": "2026-11-16T06:08:02Z", "skipped": false,
                    "events": [{"status": "success", "name": "mode_changed", "property": "mode", "desired_value": "0644", "previous_value": "0600", "time": "2026-11-16T06:08:02Z"}]},
                "File[/b]": {"resource_type": "File", "title": "/b", "skipped": false, "events": []},
            },
        });
        let report = Report::from_agent(
            &sent.to_string(),
            "puppet",
            Timestamp::parse("2026-11-16T06:08:03Z").unwrap(),
        )
        .unwrap();
        store.add_report(&report).unwrap();
        store.add_report(&report).unwrap();
        let rows = store
            .query(&Question::pql(
                "reports[certname, end_time, status, configuration_version, latest_report?] { }",
            ))
            .unwrap();
        assert_eq!(
            rows,
            [
                json!({"certname": "a", "end_time": "2026-11-16T06:08:02.955Z", "status": "changed", "configuration_version": "7", "latest_report?": true})
            ]
        );
        let rows =
            store.query(&Question::pql("events[resource_title, new_value] { status = 'success' }")).unwrap();
        assert_eq!(rows, [json!({"resource_title": "/a", "new_value": "0644"})]);
        let rows =
            store.query(&Question::pql("nodes[latest_report_status, latest_report_noop] { }")).unwrap();
        assert_eq!(rows, [json!({"latest_report_status": "changed", "latest_report_noop": false})]);
        assert_eq!(store.purge_reports(Timestamp::parse("2026-11-17").unwrap()).unwrap(), 1);
        assert!(Report::from_agent("{}", "puppet", Timestamp(0)).is_err());
    });
}
