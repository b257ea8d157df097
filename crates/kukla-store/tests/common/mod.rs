//! What tests of stores share.

#![allow(dead_code, clippy::disallowed_methods)] // each test uses its part, and all of them files

use std::path::PathBuf;
use std::sync::Arc;

use kukla_catalog::{Catalog, Edge, Filter, Resource, ResourceKind, Wanted};
use kukla_store::{Options, Store};

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

    pub fn url(&self) -> String {
        format!("sqlite:{}", self.path("store.db"))
    }

    pub fn store(&self) -> Arc<dyn Store> {
        kukla_store::open(&self.url(), &Options::default()).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn wanted(type_name: &str, node: &str, filter: Option<Filter>) -> Wanted {
    Wanted { type_name: type_name.into(), node: node.into(), filter }
}

/// A catalog with so many files in a class.
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
            ("content".into(), format!("the file {at} of {node}\n").into()),
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

/// A catalog that exports so many messages.
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
