//! The commands and queries to PuppetDB are those that the terminus of a real Puppet server sends.

#![allow(clippy::disallowed_methods)] // a server is outside

use std::path::{Path, PathBuf};

use crate::common::{catalog, export_query, exporting};
use crate::fake::{Fake, Request};
use kukla_catalog::{Filter, Resource};
use kukla_store::codes::{BAD_STORE_QUERY, STORE_CERTIFICATE, STORE_UNREACHABLE};
use kukla_store::{Options, Question, Timestamp, Update, open};
use kukla_values::{Hash, Value};
use serde_json::{Value as Json, json};

const TIME: &str = "2026-11-16T06:08:00.264Z";

fn answer(request: &Request) -> (u16, String) {
    let rows = match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/pdb/cmd/v1") => json!({"uuid": "d75cc106-6b96-406b-962e-7fb190a6039f"}),
        ("GET", "/pdb/query/v4/resources") => json!([
            {"tags": ["notify", "web"], "file": "/s.pp", "type": "Notify", "title": "z", "line": 1, "certname": "b", "environment": "production",
             "parameters": {"tag": "web", "message": "from b"}, "exported": true},
            {"tags": ["notify", "web"], "file": null, "type": "Notify", "title": "a", "line": null, "certname": "b", "environment": "production",
             "parameters": {}, "exported": true},
            {"tags": ["notify", "web"], "file": null, "type": "Notify", "title": "m", "line": null, "certname": "a", "environment": "production",
             "parameters": {}, "exported": true},
        ]),
        ("POST", "/pdb/query/v4") if request.body["query"] == "nodes { bad = 1 }" => {
            return (400, "'bad' is not a queryable object for nodes.".to_owned());
        }
        ("POST", "/pdb/query/v4") => json!([{"certname": "a"}]),
        ("GET", "/pdb/query/v4/nodes/a/facts") => json!([
            {"certname": "a", "environment": "production", "name": "kernel", "value": "Linux"},
            {"certname": "a", "environment": "production", "name": "cores", "value": 4},
        ]),
        ("GET", "/pdb/query/v4/nodes/a") => json!({"certname": "a"}),
        ("GET", "/pdb/query/v4/catalogs/a") => json!({
            "certname": "a", "version": "7", "environment": "production", "catalog_uuid": "u", "code_id": null,
            "resources": {"data": [
                {"type": "Notify", "title": "n", "tags": ["notify"], "exported": false, "file": "/s.pp", "line": 6, "parameters": {"message": "m"}},
                {"type": "Class", "title": "main", "tags": ["class"], "exported": false, "file": null, "line": null, "parameters": {"name": "main"}},
            ]},
            "edges": {"data": [
                {"source_type": "Class", "source_title": "main", "target_type": "Notify", "target_title": "n", "relationship": "contains"},
                {"source_type": "Notify", "source_title": "n", "target_type": "Class", "target_title": "main", "relationship": "before"},
            ]},
        }),
        _ => return (404, json!({"error": "No information is known about it"}).to_string()),
    };
    (200, rows.to_string())
}

#[test]
fn it_is_told_what_the_terminus_tells() {
    let fake = Fake::start(false, answer);
    let options = Options { producer: Some("puppet".into()), ..Options::default() };
    let store = open(&format!("puppetdb+http://127.0.0.1:{}", fake.port), &options).unwrap();
    let mut facts = Hash::new();
    facts.insert("kernel", "Linux");
    let mut catalog = catalog("web1", 2);
    catalog.resources.push(Resource {
        type_name: "Package".into(),
        title: "nginx".into(),
        ..Resource::default()
    });
    catalog.resources[2].sensitive_parameters = vec!["content".into()];
    catalog.resources[2].parameters.push(("path".into(), "/real/path".into()));
    catalog.resources[2].parameters.push(("tag".into(), vec!["z".into(), "a".into()].into()));
    catalog.resources.push(exporting("web1", 1).resources[0].clone());
    let secret: Hash = [("__ptype", "Sensitive"), ("__pvalue", "hunter2")].into_iter().collect();
    for resource in &mut catalog.resources[3..] {
        resource.parameters.push(("install_options".into(), vec![Value::Hash(secret.clone())].into()));
    }
    catalog.resources.push(Resource {
        type_name: "Notify".into(),
        title: "virtual".into(),
        is_virtual: true,
        ..Resource::default()
    });
    let time = Timestamp::parse(TIME).unwrap();
    store
        .update(&Update {
            facts: Some(&facts),
            catalog: Some(&catalog),
            transaction: Some("t"),
            ..Update::of("web1", "production", time)
        })
        .unwrap();

    let [facts, catalog] = &fake.requests()[..] else { panic!("two commands") };
    for (request, command, version) in [(facts, "replace_facts", "5"), (catalog, "replace_catalog", "9")] {
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/pdb/cmd/v1"));
        let parameter = |name: &str| request.parameters.get(name).map(String::as_str);
        assert_eq!(parameter("command"), Some(command));
        assert_eq!(parameter("version"), Some(version));
        assert_eq!(parameter("certname"), Some("web1"));
        assert_eq!(parameter("producer-timestamp"), Some(TIME));
        assert_eq!(parameter("checksum").map(str::len), Some(40));
        assert_eq!(request.headers["content-type"], "application/json; charset=utf-8");
        assert_eq!(request.headers["accept"], "application/json");
        assert_eq!(request.headers["x-uncompressed-length"], request.headers["content-length"]);
    }
    assert_eq!(
        facts.body,
        json!({"certname": "web1", "values": {"kernel": "Linux"}, "environment": "production", "producer_timestamp": TIME, "producer": "puppet"})
    );
    let sent = &catalog.body;
    let keys: Vec<&String> = sent.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "version",
            "code_id",
            "catalog_uuid",
            "resources",
            "edges",
            "job_id",
            "certname",
            "transaction_uuid",
            "environment",
            "producer_timestamp",
            "producer"
        ]
    );
    assert_eq!((&sent["version"], &sent["transaction_uuid"]), (&json!("1794809280"), &json!("t")));
    let titles: Vec<&Json> =
        sent["resources"].as_array().unwrap().iter().map(|each| &each["title"]).collect();
    assert_eq!(titles, ["Web", "/srv/web1/0", "/srv/web1/1", "nginx", "web1-0"]);
    // A secret is left out, the name goes beside the title, and lists without an order get one.
    assert_eq!(
        sent["resources"][2]["parameters"],
        json!({"ensure": "file", "mode": "0644", "require": "Package[nginx]", "path": "/real/path", "tag": ["a", "z"], "alias": ["/real/path"]})
    );
    assert_eq!(
        sent["resources"][3]["parameters"],
        json!({"install_options": ["Sensitive [value redacted]"]})
    );
    // A collector would take the replacement for the value.
    assert_eq!(sent["resources"][4]["exported"], json!(true));
    assert_eq!(sent["resources"][4]["parameters"]["install_options"], Json::Null);
    assert_eq!(
        sent["edges"],
        json!([
            {"source": {"type": "Class", "title": "Web"}, "target": {"type": "File", "title": "/srv/web1/0"}, "relationship": "contains"},
            {"source": {"type": "Class", "title": "Web"}, "target": {"type": "File", "title": "/srv/web1/1"}, "relationship": "contains"},
            {"source": {"type": "Package", "title": "nginx"}, "target": {"type": "File", "title": "/srv/web1/0"}, "relationship": "required-by"},
            {"source": {"type": "Package", "title": "nginx"}, "target": {"type": "File", "title": "/srv/web1/1"}, "relationship": "required-by"},
        ])
    );
}

#[test]
fn collectors_ask_as_the_terminus_asks() {
    let fake = Fake::start(false, answer);
    let store = open(&format!("puppetdb+http://127.0.0.1:{}", fake.port), &Options::default()).unwrap();
    let tagged = Filter::Tagged("web".into());
    let attribute = |name: &str, value: &str| Filter::Attribute(name.into(), value.into());
    let filter = Filter::Any(vec![
        tagged.clone(),
        Filter::All(vec![attribute("mode", "0644"), attribute("owner", "root")]),
    ]);
    let found = store.exported(&export_query("Notify", "me", Some(filter))).unwrap();
    let names: Vec<String> =
        found.iter().map(|each| format!("{} {}", each.node, each.resource.title)).collect();
    assert_eq!(names, ["a m", "b a", "b z"]);
    assert_eq!(found[2].resource.get("message"), Some(&"from b".into()));
    store
        .exported(&export_query("Notify", "me", Some(Filter::Not(Box::new(Filter::Title("x".into()))))))
        .unwrap();
    let asked: Vec<Json> = fake
        .requests()
        .iter()
        .map(|request| serde_json::from_str(&request.parameters["query"]).unwrap())
        .collect();
    let start = || {
        vec![
            json!("and"),
            json!(["=", "type", "Notify"]),
            json!(["=", "exported", true]),
            json!(["not", ["=", "certname", "me"]]),
        ]
    };
    let mut first = start();
    first.push(json!([
        "or",
        ["=", "tag", "web"],
        ["and", ["=", ["parameter", "mode"], "0644"], ["=", ["parameter", "owner"], "root"]]
    ]));
    let mut second = start();
    second.push(json!(["not", ["=", "title", "x"]]));
    assert_eq!(asked, [Json::from(first), Json::from(second)]);
}

#[test]
fn queries_are_handed_on() {
    let fake = Fake::start(false, answer);
    let store = open(&format!("puppetdb+http://127.0.0.1:{}", fake.port), &Options::default()).unwrap();
    assert_eq!(store.query(&Question::pql("nodes[certname] { }")).unwrap(), [json!({"certname": "a"})]);
    store.query(&Question::pql(r#"["from", "nodes"]"#)).unwrap();
    let bodies: Vec<Json> = fake.requests().iter().map(|request| request.body.clone()).collect();
    assert_eq!(bodies, [json!({"query": "nodes[certname] { }"}), json!({"query": ["from", "nodes"]})]);
    assert!(store.query(&Question::pql("nodes { bad = 1 }")).unwrap_err().is(&BAD_STORE_QUERY));
    assert_eq!(store.facts("a").unwrap().unwrap().len(), 2);
    assert!(store.facts("nobody").unwrap().is_none() && store.catalog("nobody").unwrap().is_none());
    let catalog = store.catalog("a").unwrap().unwrap();
    assert_eq!((catalog.resources.len(), catalog.edges.len()), (2, 1));
    assert!(
        store.deactivate("a", Timestamp(0)).unwrap() && !store.deactivate("nobody", Timestamp(0)).unwrap()
    );
    let error =
        fake.requests().into_iter().find(|request| request.parameters.contains_key("command")).unwrap();
    assert_eq!(
        (error.parameters["command"].as_str(), error.parameters["version"].as_str()),
        ("deactivate_node", "3")
    );
    assert_eq!(error.body, json!({"certname": "a", "producer_timestamp": "1970-01-01T00:00:00.000Z"}));
    assert!(!store.expire(Timestamp(0), Timestamp(0)).unwrap_err().hints.is_empty());
}

#[test]
fn both_sides_show_certificates() {
    let place =
        |name: &str| Some::<PathBuf>(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name));
    let fake = Fake::start(true, answer);
    let url = format!("puppetdb+https://localhost:{}", fake.port);
    let query =
        |options: &Options| open(&url, options).and_then(|store| store.query(&Question::pql("nodes { }")));
    let good = Options {
        certificate: place("client.pem"),
        key: place("client.key"),
        authorities: place("ca.pem"),
        ..Options::default()
    };
    assert_eq!(query(&good).unwrap(), [json!({"certname": "a"})]);
    for wrong in [
        Options { authorities: place("other.pem"), ..good.clone() },
        Options { authorities: None, ..good.clone() },
        Options { certificate: None, key: None, ..good.clone() },
        Options { key: None, ..good.clone() },
        Options { certificate: place("client.key"), ..good.clone() },
        Options { authorities: place("nothing.pem"), ..good.clone() },
    ] {
        let error = query(&wrong).unwrap_err();
        assert!(error.is(&STORE_CERTIFICATE), "{error}");
    }
}

#[test]
fn a_server_that_is_not_there_is_told_with_a_hint() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for url in
        [format!("puppetdb+http://127.0.0.1:{port}"), format!("postgres://kukla@127.0.0.1:{port}/kukla")]
    {
        let error = open(&url, &Options::default())
            .and_then(|store| store.exported(&export_query("Notify", "a", None)))
            .unwrap_err();
        assert!(error.is(&STORE_UNREACHABLE) && !error.hints.is_empty(), "{error}");
    }
}
