//! Sites on disk for tests.
#![allow(dead_code, reason = "every test uses some of it")]
#![allow(clippy::disallowed_methods, reason = "a site has its files on disk")]

use std::path::{Path, PathBuf};

use kukla::eval::catalog::Provenance;
use kukla::rpc::Request;
use kukla::{Catalog, CompileOptions, Compiler, Outcome};
use serde_json::{Value as Json, json};

/// A site in a directory that goes away with it.
pub struct Site(pub PathBuf);

impl Drop for Site {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

impl Site {
    /// An environment `production` with these files, by their paths in it; `name` tells tests apart.
    pub fn new(name: &str, files: &[(&str, &str)]) -> Site {
        let root = std::env::temp_dir().join(format!("kukla-{name}-{}", std::process::id()));
        let site = Site(root);
        for (path, text) in files {
            site.put(path, text);
        }
        site
    }

    /// The environment's directory.
    pub fn root(&self) -> PathBuf {
        self.0.join("production")
    }

    /// Writes a file of the environment.
    pub fn put(&self, path: &str, text: &str) {
        write(&self.root().join(path), text);
    }

    /// Removes a file of the environment.
    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.root().join(path)).expect("a file");
    }

    /// A request about a node with one fact, its role.
    pub fn request(&self, node: &str, role: &str) -> Request {
        self.request_with(json!({"node": node, "facts": {"role": role}}))
    }

    /// A request with these parameters.
    pub fn request_with(&self, mut params: Json) -> Request {
        params["environmentpath"] = json!(self.0);
        let Json::Object(params) = params else { panic!("parameters are an object") };
        Request::from_json(&params).expect("a request")
    }

    /// Opens the site as it is now and compiles a catalog.
    pub fn compile(&self, compiler: &Compiler, node: &str, role: &str) -> Outcome<Catalog> {
        let Request { site, node, .. } = self.request(node, role);
        match compiler.open(&site) {
            Ok(site) => site.compile(&node),
            Err(failure) => failure.into(),
        }
    }

    /// The catalog of a node, and how its attributes got their values.
    pub fn traced(&self, node: &str, role: &str) -> (Catalog, Vec<Provenance>) {
        let Request { site, node, .. } = self.request(node, role);
        let options = CompileOptions { provenance: true, ..CompileOptions::default() };
        let site = Compiler::default().open(&site).expect("a site");
        let compiled = site.compile_with(&node, options).result.expect("compiles");
        (compiled.catalog, compiled.provenance.expect("asked for"))
    }

    /// A text about the site without the directory it happens to have.
    pub fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.root().display()), "")
    }
}

/// Writes a file, and the directories it is in.
pub fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("writable");
    std::fs::write(path, text).expect("writable");
}
