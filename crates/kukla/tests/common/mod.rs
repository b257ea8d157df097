//! Sites on disk for tests.
#![allow(dead_code, reason = "every test uses some of it")]
#![allow(clippy::disallowed_methods, reason = "a site has its files on disk")]

use std::path::{Path, PathBuf};

use kukla::request::Request;
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
