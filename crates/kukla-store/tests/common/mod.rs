//! Helpers for tests of stores.

#![allow(dead_code, clippy::disallowed_methods)] // each test uses its part, and all of them files

use std::path::PathBuf;
use std::sync::Arc;

use kukla_catalog::{Catalog, Edge, ExportQuery, Filter, Resource, ResourceKind};
use kukla_store::{Options, Store};
use kukla_values::Value;

/// A directory of a test, which goes with it.
pub struct Directory(PathBuf);

impl Directory {
    pub fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("kukla-store-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a test on an empty store of each sort that there is: a file, and a database of the server that `KUKLA_TEST_POSTGRES` names, which
/// `tests/store/with-postgres` starts.
pub fn each_store(name: &str, test: impl Fn(&str)) {
    let directory = Directory::new(name);
    test(&format!("sqlite:{}", directory.path("store.db")));
    match std::env::var("KUKLA_TEST_POSTGRES") {
        Ok(server) => test(&database(&server, name)),
        Err(_) => without_postgresql(name),
    }
}

/// Reports that a test does not run on PostgreSQL.
pub fn without_postgresql(name: &str) {
    let absent = "no PostgreSQL; tests/store/with-postgres starts one";
    kukla_testing::skip(&format!("kukla-store/{name}-postgresql"), absent);
}

/// The URL of an empty database on a server.
pub fn database(server: &str, name: &str) -> String {
    let name = format!("kukla_{}", name.replace('-', "_"));
    let mut client = postgres::Client::connect(&format!("{server}/postgres"), postgres::NoTls).unwrap();
    client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).unwrap();
    client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    format!("{server}/{name}")
}

pub fn open(url: &str) -> Arc<dyn Store> {
    kukla_store::open(url, &Options::default()).unwrap()
}

pub fn export_query(type_name: &str, node: &str, filter: Option<Filter>) -> ExportQuery {
    ExportQuery { type_name: type_name.into(), node: node.into(), filter }
}

/// A catalog with this number of files in a class.
pub fn catalog(node: &str, files: usize) -> Catalog {
    let class = Resource {
        type_name: "Class".into(),
        title: "Web".into(),
        tags: vec!["class".into(), "web".into()],
        ..Resource::default()
    };
    let file = |at: usize| Resource {
        type_name: "File".into(),
        title: format!("/srv/{node}/{at}").into(),
        tags: vec!["file".into(), "web".into(), "class".into()],
        file: Some("/etc/puppetlabs/code/environments/production/modules/web/manifests/init.pp".into()),
        line: Some(at as u32 + 1),
        kind: ResourceKind::CompilableType,
        parameters: vec![
            ("ensure".into(), "file".into()),
            ("mode".into(), "0644".into()),
            ("content".into(), format!("the file {at} of {node}\n\ttab \\ \"quoted\" \u{e9}\r\n").into()),
            ("require".into(), "Package[nginx]".into()),
        ],
        ..Resource::default()
    };
    Catalog {
        name: node.into(),
        version: 1_794_809_280.into(),
        uuid: Some("417b83d6-91ae-42a3-9aab-fa3fbd38e581".into()),
        environment: "production".into(),
        tags: vec!["web".into()],
        classes: vec!["web".into()],
        resources: std::iter::once(class).chain((0..files).map(file)).collect(),
        edges: (1..=files as u32).map(|target| Edge { source: 0, target }).collect(),
        ..Catalog::default()
    }
}

/// A catalog that exports this number of messages.
pub fn exporting(node: &str, messages: usize) -> Catalog {
    let notify = |at: usize| Resource {
        type_name: "Notify".into(),
        title: format!("{node}-{at}").into(),
        tags: vec!["notify".into(), "web".into()],
        exported: true,
        is_virtual: true,
        kind: ResourceKind::CompilableType,
        parameters: vec![
            ("message".into(), format!("from {node}").into()),
            ("number".into(), (at as i64).into()),
            ("list".into(), vec!["one".into(), "two".into()].into()),
        ],
        ..Resource::default()
    };
    Catalog { name: node.into(), resources: (0..messages).map(notify).collect(), ..Catalog::default() }
}

/// A catalog all of whose resources say which version it is.
pub fn version(node: &str, version: i64, resources: usize) -> Catalog {
    let mut catalog = exporting(node, resources);
    for resource in &mut catalog.resources {
        resource.parameters.push(("version".into(), version.into()));
    }
    catalog
}

/// The version that a catalog says it is, if it says so everywhere and is whole.
pub fn version_of(catalog: &Catalog, resources: usize) -> i64 {
    assert_eq!(catalog.resources.len(), resources, "{}", catalog.name);
    let versions: Vec<Option<&Value>> = catalog.resources.iter().map(|each| each.get("version")).collect();
    assert!(versions.iter().all(|each| *each == versions[0]), "{}: {versions:?}", catalog.name);
    match versions[0] {
        Some(Value::Integer(version)) => *version,
        other => panic!("{other:?}"),
    }
}
