//! What a process remembers of data while it compiles for many nodes.
#![allow(clippy::disallowed_methods, reason = "a fleet has its files on disk")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kukla::compiler::Compiler;
use kukla::request::Request;
use serde_json::{Value as Json, json};

const NODES: usize = 1_000;
const ROLES: usize = 300;
const PLACES: usize = 199;

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn put(root: &Path, name: &str, text: String) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("writable");
    std::fs::write(path, text).expect("writable");
}

fn site(root: &Path) {
    let hierarchy = "version: 5\nhierarchy:\n  - name: All\n    paths: [\"nodes/%{trusted.certname}.yaml\", \"roles/%{facts.role}.yaml\", \"places/%{facts.place}.yaml\", common.yaml]\n";
    put(root, "hiera.yaml", hierarchy.into());
    put(root, "manifests/site.pp", "include profile\nlookup('users', Hash, 'deep')\n".into());
    put(
        root,
        "modules/profile/manifests/init.pp",
        "class profile ($node, $role, $place, $common, $absent = 'default') {\n  notify { \"${node} ${role} ${place} ${common} ${absent}\": }\n}\n".into(),
    );
    for n in 0..NODES {
        put(
            root,
            &format!("data/nodes/n{n}.yaml"),
            format!("profile::node: n{n}\nusers: {{u{n}: {{uid: {n}}}}}\n"),
        );
    }
    for n in 0..ROLES {
        put(
            root,
            &format!("data/roles/r{n}.yaml"),
            format!("profile::role: r{n}\nusers: {{role: {{uid: {n}}}}}\n"),
        );
    }
    for n in 0..PLACES {
        put(root, &format!("data/places/p{n}.yaml"), format!("profile::place: p{n}\n"));
    }
    put(root, "data/common.yaml", "profile::common: everywhere\nusers: {all: {uid: 1}}\n".into());
}

fn request(root: &Path, n: usize) -> Request {
    let params = json!({
        "node": format!("n{n}"),
        "facts": {"role": format!("r{}", n % ROLES), "place": format!("p{}", n % PLACES)},
        "environmentpath": root.parent(),
        "environment": root.file_name().and_then(|name| name.to_str()),
    });
    let Json::Object(params) = params else { unreachable!("it is an object") };
    Request::from_json(&params).expect("a good request")
}

#[test]
fn reads_each_data_file_once() {
    let scratch = Scratch(std::env::temp_dir().join(format!("kukla-fleet-{}", std::process::id())));
    let root = scratch.0.join("production");
    site(&root);
    let compiler = Compiler::default();
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= NODES {
                        break;
                    }
                    let catalog = compiler.compile(&request(&root, n)).result.expect("compiles");
                    let wanted = format!("n{n} r{} p{} everywhere default", n % ROLES, n % PLACES);
                    assert!(catalog.resources.iter().any(|resource| resource.title == wanted), "{wanted}");
                }
            });
        }
    });
    let site = compiler.site(&request(&root, 0)).expect("a site");
    eprintln!("{NODES} nodes, {} data files read, {:.2?}", site.data.files_read(), start.elapsed());
    assert_eq!(site.data.files_read(), NODES + ROLES + PLACES + 1);
    assert_eq!(site.data.readings(), NODES + ROLES + PLACES + 1, "a file was read twice");
}
