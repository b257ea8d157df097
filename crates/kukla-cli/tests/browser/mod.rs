//! The page of `kukla diff --format html` in a real browser: search and filters work, nothing that others wrote runs, and without
//! scripts it is still a document. Where there is no Chromium, this says so and does nothing.
//!
//! `KUKLA_UPDATE=1` also takes the screenshot that the manual shows.

#![allow(clippy::disallowed_methods)] // a test reads the disk

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use devtools::Browser;
use kukla_testing::skip;

mod devtools;
mod profile;

/// Written wherever someone can write something; it must be seen and never run.
const HOSTILE: &str =
    r#"</script></pre><script>window.owned=1</script><img src="x" onerror="window.owned=1">"#;

fn site(extra: &str, port: u16) -> String {
    format!(
        r#"class base {{ package {{ 'ntp': ensure => '4.2' }} }}
class app {{
  file {{ '/etc/app.conf': content => "listen\nport {port}\nend\n" }}
  $text = @(END)
    {HOSTILE}
    {port}
    | END
  file {{ '/etc/hostile': content => $text }}
}}
{extra}
include base
include app
"#
    )
}

fn write(root: &Path, name: &str, text: &str) {
    let file = root.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// Two sites that differ in everything the page can show, and the page of what is different.
fn page(scratch: &Path) -> PathBuf {
    let before = "class old { service { 'app': } }\ninclude old\n";
    let after = format!(
        "class new {{ service {{ 'app': }} }}\ninclude new\nnotify {{ '{}': }}\nif $facts['role'] == 'db' {{ fail('{}') }}\n",
        HOSTILE.replace('\'', "\\'"),
        "no <b>database</b> any more"
    );
    write(scratch, "before/manifests/site.pp", &site(before, 80));
    write(scratch, "after/manifests/site.pp", &site(&after, 443));
    for (node, role) in [("web1", "web"), ("web2", "web"), ("db1", "db")] {
        write(scratch, &format!("facts/{node}.json"), &json!({"role": role}).to_string());
    }
    report(scratch, &["before", "after", "--facts", "facts"])
}

fn report(scratch: &Path, sides: &[&str]) -> PathBuf {
    let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
        .arg("diff")
        .args(sides)
        .args(["--format", "html", "--output", "page.html", "--no-cache"])
        .current_dir(scratch)
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(1 | 2)), "{}", String::from_utf8_lossy(&output.stderr));
    scratch.join("page.html")
}

/// The titles of the changes that can be seen.
const SEEN: &str = "[...document.querySelectorAll('article.change')].filter((one) => one.checkVisibility()).map((one) => one.querySelector('h3').textContent)";

fn seen(browser: &mut Browser) -> Vec<String> {
    serde_json::from_value(browser.eval(SEEN)).unwrap()
}

fn nothing_ran(browser: &mut Browser) {
    assert_eq!(browser.eval("typeof window.owned"), "undefined");
    assert_eq!(browser.eval("document.scripts.length"), 1);
    assert_eq!(browser.eval("document.images.length"), 0);
}

fn search_and_filters(browser: &mut Browser, page: &Path) {
    browser.open(page, "");
    nothing_ran(browser);
    let all = seen(browser);
    assert!(all.iter().any(|title| title.contains("</script>")), "{all:?}");
    assert!(all.len() > 5, "{all:?}");
    assert_eq!(browser.eval("document.querySelector('.controls').checkVisibility()"), true);
    browser.eval("document.querySelector('[name=q]').focus()");
    browser.type_text("APP.conf");
    assert_eq!(seen(browser), ["~File[/etc/app.conf]"]);
    let count = format!("1 of {} changes", all.len() + 1);
    assert_eq!(browser.eval("document.querySelector('output').textContent"), count);
    assert_eq!(browser.eval("location.hash"), "#q=APP.conf");
    // A word that is in no change hides everything; two words must both be there.
    browser.type_text(" nowhere");
    assert!(seen(browser).is_empty());
    browser.open(page, "");
    browser.eval("document.querySelector('[value=added]').click()");
    let some = seen(browser);
    assert!(!some.is_empty() && some.len() < all.len());
    assert!(some.iter().all(|title| title != "+Class[New]"), "{some:?}");
    // The name of a node finds what changes there.
    browser.open(page, "#q=web2&hide=changed");
    assert!(!seen(browser).is_empty() && seen(browser).iter().all(|title| !title.starts_with("~File")));
    assert_eq!(browser.eval("document.querySelector('[value=changed]').checked"), false);
    assert_eq!(browser.eval("[...document.querySelectorAll('tbody tr')].filter((row) => row.checkVisibility() && row.cells[0].textContent === 'web1').length"), 0);
}

fn links_and_folds(browser: &mut Browser, page: &Path) {
    browser.open(page, "");
    browser.eval("document.querySelector('[name=fold]').click()");
    assert!(seen(browser).is_empty());
    browser.eval("document.querySelector('a[href=\"#group-1\"]').click()");
    browser.eval("new Promise((done) => setTimeout(done, 100))");
    assert_eq!(browser.eval("document.querySelector('#group-1').open"), true);
    assert!(!seen(browser).is_empty());
}

fn what_is_shown(browser: &mut Browser, page: &Path) {
    browser.open(page, "");
    assert_eq!(browser.eval("document.querySelector('.sides mark').textContent"), "80");
    assert_eq!(browser.eval("document.querySelectorAll('.moves path').length"), 1);
    let excerpt = browser.eval("document.querySelector('.excerpt').textContent");
    assert!(excerpt.as_str().is_some_and(|text| text.contains("no <b>database</b> any more")), "{excerpt}");
    let mut back = |scheme: &str| {
        let feature = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        browser.call("Emulation.setEmulatedMedia", json!({"features": feature}));
        browser.eval("getComputedStyle(document.body).backgroundColor")
    };
    assert_ne!(back("light"), back("dark"));
    back("light");
}

/// Even if something were not escaped, the page would not let it run.
fn second_wall(browser: &mut Browser, page: &Path) {
    browser.open(page, "");
    browser.eval("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.owned=1\">')");
    browser.eval("document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.owned=1' }))");
    browser.eval("new Promise((done) => setTimeout(done, 200))");
    assert_eq!(browser.eval("typeof window.owned"), "undefined");
}

fn without_scripts(browser: &mut Browser, page: &Path) {
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.open(page, "");
    assert_eq!(browser.eval("document.querySelector('.controls').checkVisibility()"), false);
    assert!(seen(browser).len() > 5);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": false}));
}

#[test]
fn in_a_browser() {
    let Some(program) = devtools::installed() else {
        return skip("kukla-cli/browser", "no Chromium");
    };
    let scratch = std::env::temp_dir().join(format!("kukla-browser-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    let page = page(&scratch);
    let mut browser = Browser::start(&program, &scratch);
    for domain in ["Page", "Runtime", "Log"] {
        browser.call(&format!("{domain}.enable"), json!({}));
    }
    search_and_filters(&mut browser, &page);
    links_and_folds(&mut browser, &page);
    what_is_shown(&mut browser, &page);
    without_scripts(&mut browser, &page);
    let complaints: Vec<&Value> = browser.events.iter().filter(|event| is_complaint(event)).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    second_wall(&mut browser, &page);
    if std::env::var_os("KUKLA_UPDATE").is_some() {
        take_screenshot(&mut browser, &scratch);
    }
    drop(browser);
    std::fs::remove_dir_all(&scratch).unwrap();
}

fn is_complaint(event: &Value) -> bool {
    let method = event["method"].as_str().unwrap_or_default();
    method == "Runtime.exceptionThrown"
        || (method == "Log.entryAdded" && event["params"]["entry"]["level"] == "error")
}

/// Takes the screenshot of the manual: an edit of the example's control repository, on ten nodes.
fn take_screenshot(browser: &mut Browser, scratch: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join("examples/site").join(name)).unwrap();
    for side in ["main", "edit"] {
        let status =
            Command::new("cp").arg("-r").arg(root.join("examples/site")).arg(scratch.join(side)).status();
        assert!(status.unwrap().success());
        std::fs::remove_dir_all(scratch.join(side).join("facts")).unwrap();
    }
    for n in 1..=9 {
        let facts = read("facts/web1.example.com.json").replace("web1", &format!("web{n}"));
        write(scratch, &format!("fleet/web{n}.example.com.json"), &facts);
    }
    write(scratch, "fleet/db1.example.com.json", &read("facts/db1.example.com.json"));
    let edited = |name: &str, from: &str, to: &str| {
        let text = read(name);
        assert!(text.contains(from), "{name} has no {from}");
        write(scratch, &format!("edit/{name}"), &text.replace(from, to));
    };
    edited("data/common.yaml", "  - 1.pool.ntp.org\n", "  - time.example.com\n  - 1.pool.ntp.org\n");
    edited("data/os/Debian.yaml", "apt-transport-https", "ca-certificates");
    edited("data/nodes/web1.example.com.yaml", "    port: 8080\n", "    port: 8443\n");
    let page = report(scratch, &["main", "edit", "--facts", "fleet"]);
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": 1100, "height": 780, "deviceScaleFactor": 1, "mobile": false}),
    );
    browser.open(&page, "");
    let shot = browser.call("Page.captureScreenshot", json!({"format": "png"}));
    let bytes = STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
    assert!(bytes.len() < 200_000, "{} bytes", bytes.len());
    std::fs::write(root.join("docs/manual/diff.png"), bytes).unwrap();
}
