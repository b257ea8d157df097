//! The data that a process remembers while it compiles for many nodes.
#![allow(clippy::disallowed_methods, reason = "it says how long it took")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kukla::Compiler;
use kukla::rpc::Request;
use serde_json::json;

use crate::common::Site;

const NODES: usize = 1_000;
const ROLES: usize = 300;
const PLACES: usize = 199;

fn site() -> Site {
    let site = Site::new("fleet", &[]);
    let put = |path: &str, text: String| site.put(path, &text);
    let hierarchy = "version: 5\nhierarchy:\n  - name: All\n    paths: [\"nodes/%{trusted.certname}.yaml\", \"roles/%{facts.role}.yaml\", \"places/%{facts.place}.yaml\", common.yaml]\n";
    put("hiera.yaml", hierarchy.into());
    put("manifests/site.pp", "include profile\nlookup('users', Hash, 'deep')\n".into());
    put(
        "modules/profile/manifests/init.pp",
        "class profile ($node, $role, $place, $common, $absent = 'default') {\n  notify { \"${node} ${role} ${place} ${common} ${absent}\": }\n}\n".into(),
    );
    for n in 0..NODES {
        put(
            &format!("data/nodes/n{n}.yaml"),
            format!("profile::node: n{n}\nusers: {{u{n}: {{uid: {n}}}}}\n"),
        );
    }
    for n in 0..ROLES {
        put(
            &format!("data/roles/r{n}.yaml"),
            format!("profile::role: r{n}\nusers: {{role: {{uid: {n}}}}}\n"),
        );
    }
    for n in 0..PLACES {
        put(&format!("data/places/p{n}.yaml"), format!("profile::place: p{n}\n"));
    }
    put("data/common.yaml", "profile::common: everywhere\nusers: {all: {uid: 1}}\n".into());
    site
}

fn request(site: &Site, n: usize) -> Request {
    let facts = json!({"role": format!("r{}", n % ROLES), "place": format!("p{}", n % PLACES)});
    site.request_with(json!({"node": format!("n{n}"), "facts": facts}))
}

#[test]
fn reads_each_data_file_once() {
    let fleet = site();
    let compiler = Compiler::default();
    let site = compiler.open(&request(&fleet, 0).site).expect("a site");
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
                    let catalog = site.compile(&request(&fleet, n).node).result.expect("compiles");
                    let wanted = format!("n{n} r{} p{} everywhere default", n % ROLES, n % PLACES);
                    assert!(catalog.resources.iter().any(|resource| resource.title == wanted), "{wanted}");
                }
            });
        }
    });
    eprintln!("{NODES} nodes, {} data files read, {:.2?}", site.data.files_read(), start.elapsed());
    assert_eq!(site.data.files_read(), NODES + ROLES + PLACES + 1);
    assert_eq!(site.data.readings(), NODES + ROLES + PLACES + 1, "a file was read twice");
}
