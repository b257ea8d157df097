//! The memory of a request: the largest one, of whatever shape, takes at most ten times its size, whether or not it goes to a store. The server is a
//! process of its own, so that nothing else is counted.

#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::{Client, Directory, FORM, Harness, encoded};

const DIRECTORY: &str = "KUKLA_TEST_MEMORY";
const LARGEST: usize = 16 << 20;

/// The largest memory of this process so far.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<usize>().unwrap() * 1024
}

fn filled(begin: &str, unit: &str, end: &str) -> Vec<u8> {
    filled_to(LARGEST, begin, unit, end)
}

fn filled_to(size: usize, begin: &str, unit: &str, end: &str) -> Vec<u8> {
    let room = size - begin.len() - end.len() - 1;
    format!("{begin}{}0{end}", unit.repeat(room / unit.len())).into_bytes()
}

/// Not a test of its own: the process that is measured, for one kind of request.
#[test]
fn measures_itself() {
    let Some(kind) = std::env::var_os(DIRECTORY) else { return };
    let settings = if kind.to_string_lossy().starts_with("stored") { "# with a store" } else { "" };
    let harness = Harness::new(settings, |directory: &Directory| {
        directory.write("code/environments/production/manifests/site.pp", "notify { 'a': }");
    });
    let client: Client = harness.node("web1");
    let catalog = "/puppet/v3/catalog/web1?environment=production";
    let (method, path, headers, body) = match kind.to_str().unwrap() {
        "facts" | "stored facts" => {
            let body = filled("{\"name\":\"web1\",\"values\":{\"a\":[", "0,", "]}}");
            ("PUT", "/puppet/v3/facts/web1?environment=production", vec![], body)
        }
        "form" => {
            let facts = filled("{\"name\":\"web1\",\"values\":{\"a\":[", "0,", "]}}");
            let facts = String::from_utf8(facts[..LARGEST / 4].to_vec()).unwrap();
            let form = format!("facts_format=application%2Fjson&facts={}", encoded(&facts));
            ("POST", catalog, vec![FORM], form.into_bytes())
        }
        "parameters" => ("POST", catalog, vec![FORM], filled("a=", "&&&&", "")),
        "names" => {
            let names = (0..1_500_000).map(|number| format!("{number}=&")).collect::<String>();
            ("POST", catalog, vec![FORM], names.into_bytes())
        }
        shape => {
            let begin =
                "{\"host\":\"web1\",\"time\":\"2026-11-16T05:26:58Z\",\"environment\":\"production\",";
            let log = "{\"level\":\"notice\",\"message\":\"defined content as something\",\"source\":\"/Stage[main]/Main/File[/tmp/a]/content\",\"tags\":[\"notice\",\"file\",\"class\"],\"time\":\"2026-11-16T05:26:58.084943225+00:00\",\"file\":null,\"line\":12},";
            let status = "{\"resource_type\":\"File\",\"title\":\"/tmp/a\",\"time\":\"2026-11-16T05:26:58Z\",\"skipped\":false,\"file\":\"/etc/site.pp\",\"line\":12,\"containment_path\":[\"Stage[main]\",\"Main\"],\"events\":[{\"status\":\"success\",\"name\":\"mode_changed\",\"property\":\"mode\",\"desired_value\":\"0644\",\"previous_value\":\"0600\",\"time\":\"2026-11-16T05:26:58Z\"}]},";
            let (part, unit) = match shape {
                "report" | "stored report" => ("\"logs\":[", log),
                "stored statuses" => ("\"resource_statuses\":[", status),
                "dense logs" => ("\"logs\":[", "0,"),
                _ => ("\"logs\":[[", "0,"),
            };
            let end = if shape == "one piece" || shape == "stored piece" { "]]}" } else { "]}" };
            (
                "PUT",
                "/puppet/v3/report/web1?environment=production",
                vec![],
                // What goes to a store takes long without optimisation.
                filled_to(
                    if shape.starts_with("stored") { LARGEST / 4 } else { LARGEST },
                    &format!("{begin}{part}"),
                    unit,
                    end,
                ),
            )
        }
    };
    assert!(body.len() <= LARGEST, "{}", body.len());
    let (size, before) = (body.len(), peak());
    let reply = client.send(method, path, &headers, &body);
    // The copy of the client, which sends from this process, is not the server's.
    let grown = (peak() - before).saturating_sub(size);
    println!("{:.1} times the size", grown as f64 / size as f64);
    assert!(
        grown <= size * 10,
        "{:.1} times the size of the request; {}",
        grown as f64 / size as f64,
        reply.status
    );
}

#[test]
fn a_request_takes_at_most_ten_times_its_size() {
    for kind in [
        "facts",
        "stored facts",
        "form",
        "parameters",
        "names",
        "report",
        "stored report",
        "stored statuses",
        "dense logs",
        "one piece",
        "stored piece",
    ] {
        let program: PathBuf = std::env::current_exe().unwrap();
        let measured = Command::new(program)
            .args(["--exact", "memory::measures_itself", "--nocapture"])
            .env(DIRECTORY, kind)
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&measured.stderr);
        let reason = log.lines().find(|line| line.contains("times the size")).unwrap_or(&log);
        assert!(measured.status.success(), "{kind}: {reason}");
    }
}
