//! The page of `kukla compile --profile=FILE.html` in a real browser.

use std::process::Command;

use kukla_testing::skip;
use serde_json::{Value, json};

use super::devtools::{self, Browser};
use super::is_complaint;
use crate::common::Directory;

const HOSTILE: &str = "</script><script>window.owned=1</script>";

/// The names of the boxes of the flame graph.
fn boxes(browser: &mut Browser) -> Vec<String> {
    let names = "[...document.querySelectorAll('.flame div')].map((one) => one.spot.name)";
    serde_json::from_value(browser.eval(names)).unwrap()
}

#[test]
fn a_flame_graph_in_a_browser() {
    let Some(program) = devtools::installed() else {
        return skip("kukla-cli/browser", "no Chromium");
    };
    let directory = Directory::new("flame");
    directory.put("manifests/site.pp", &format!("class inner {{ $x = Integer[1, 3000].map |$n| {{ $n * 2 }} }}\nclass outer {{ include inner }}\nnode a {{ include outer }}\nnode b {{ include inner\n lookup('{HOSTILE}', default_value => 1) }}\n"));
    let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
        .args(["compile", "--all", "--facts", "debian-12", "--profile=page.html"])
        .current_dir(&directory.root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = directory.root.join("page.html");
    let mut browser = Browser::start(&program, &directory.root);
    for domain in ["Page", "Runtime", "Log"] {
        browser.call(&format!("{domain}.enable"), json!({}));
    }
    browser.open(&page, "");
    assert_eq!(browser.eval("typeof window.owned"), "undefined");
    assert_eq!(browser.eval("document.scripts.length"), 2);
    assert_eq!(browser.eval("[...document.querySelectorAll('option')].length"), 3);
    assert_eq!(browser.eval("document.querySelectorAll('.legend span').length"), 7);
    let all = boxes(&mut browser);
    assert!(
        all.first().is_some_and(|name| name == "all nodes") && all.iter().any(|name| name == "inner"),
        "{all:?}"
    );
    // A click zooms: what is above spans the width, what is beside is gone.
    browser.eval(
        "[...document.querySelectorAll('.flame div')].find((one) => one.spot.name === 'outer').click()",
    );
    let zoomed = boxes(&mut browser);
    assert!(zoomed.len() < all.len() && zoomed[..3] == ["all nodes", "include", "outer"], "{zoomed:?}");
    assert_eq!(browser.eval("document.querySelectorAll('.flame div')[2].style.width"), "100%");
    assert!(
        browser.eval("document.querySelector('.detail').textContent").to_string().contains("outer (class)")
    );
    browser.eval("document.querySelector('[name=reset]').click()");
    assert_eq!(boxes(&mut browser).len(), all.len());
    browser.eval("document.querySelector('[name=q]').focus()");
    browser.type_text("INNER");
    assert!(browser.eval("document.querySelectorAll('.flame div.dim').length").as_u64().unwrap() > 0);
    assert!(browser.eval("document.querySelector('output').textContent").to_string().contains("found"));
    // A node alone.
    browser.eval("const choice = document.querySelector('select'); choice.value = [...choice.options].find((one) => one.textContent.startsWith('b ')).value; choice.dispatchEvent(new Event('change'))");
    let own = boxes(&mut browser);
    assert!(own[0] == "b" && !own.contains(&"outer".to_owned()), "{own:?}");
    let complaints: Vec<&Value> = browser.events.iter().filter(|event| is_complaint(event)).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    let mut back = |scheme: &str| {
        let feature = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        browser.call("Emulation.setEmulatedMedia", json!({"features": feature}));
        browser.eval("getComputedStyle(document.querySelector('.flame div')).backgroundColor")
    };
    assert_ne!(back("light"), back("dark"));
}
