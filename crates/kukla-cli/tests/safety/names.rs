//! A node's name obeys Puppet's rule for certificates wherever it enters.

use super::Scratch;

const ODD: [&str; 6] = ["../../escaped", "/tmp/absolute", "a/b", "a\\b", "..", "line\nbreak"];

fn fleet(name: &str, facts: &[(&str, &str)]) -> Scratch {
    let site = "notify { $facts['kernel']: }";
    let scratch = Scratch::new(name).with("site/manifests/site.pp", site);
    facts.iter().fold(scratch, |scratch, (file, facts)| scratch.with(&format!("facts/{file}"), facts))
}

const ALL: [&str; 7] = ["compile", "site", "--all", "--facts", "facts", "--output", "out/catalogs"];

#[test]
fn facts_cannot_name_a_file_elsewhere() {
    for odd in ODD {
        let json = serde_json::json!({"kernel": "x", "networking": {"fqdn": odd}}).to_string();
        let stored = serde_json::json!({"name": odd, "values": {"kernel": "x"}}).to_string();
        let good = r#"{"kernel": "x", "fqdn": "good"}"#;
        let scratch = fleet("facts", &[("a.json", &json), ("b.json", &stored), ("c.json", good)]);
        let output = scratch.run(&ALL);
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.out.contains("1 compiled, 2 failed"), "{output:?}");
        assert!(output.err.contains("cannot be the name of a node"), "{output:?}");
        assert_eq!(output.out.lines().count(), 5, "a name breaks no line: {output:?}");
        assert_eq!(scratch.names("out/catalogs"), ["good.json"]);
        assert_eq!(
            (scratch.names("out"), scratch.names("")),
            (vec!["catalogs".to_owned()], vec!["facts".to_owned(), "out".to_owned(), "site".to_owned()])
        );
    }
}

#[test]
fn the_command_line_and_requests_cannot_either() {
    let scratch = fleet("requests", &[("good.json", "{}")]).with("secret.json", r#"{"kernel": "stolen"}"#);
    for odd in ODD {
        for command in ["compile", "eval"] {
            let output = scratch.run(&[command, "-e", "1", "--node", odd]);
            assert_eq!(output.code, Some(2), "{output:?}");
            assert!(output.err.contains("cannot be the name of a node"), "{output:?}");
        }
        let server = kukla::rpc::Server::default();
        let request =
            serde_json::json!({"method": "compile", "params": {"code": "1", "node": odd}}).to_string();
        let answer = server.answer(&request);
        assert!(answer.contains("BAD_NODE_NAME") && answer.contains(r#""kind":"request""#), "{answer}");
    }
    let output = scratch.run(&["compile", "site", "--facts", "facts", "--node", "../secret"]);
    assert!(output.code == Some(2) && !output.err.contains("stolen"), "{output:?}");
}

#[test]
fn two_files_cannot_be_one_node() {
    let same = r#"{"kernel": "x", "fqdn": "same"}"#;
    let other = r#"{"kernel": "x", "fqdn": "other"}"#;
    let scratch = fleet("twice", &[("one.json", same), ("other.json", other), ("two.json", same)])
        .with("out/catalogs/same.json", "as it was");
    let output = scratch.run(&ALL);
    assert!(output.code == Some(1) && output.out.contains("1 compiled, 2 failed"), "{output:?}");
    assert!(output.err.contains("facts/one.json and in facts/two.json"), "{output:?}");
    assert_eq!(scratch.names("out/catalogs"), ["other.json", "same.json"]);
    assert_eq!(std::fs::read_to_string(scratch.path("out/catalogs/same.json")).unwrap(), "as it was");
    let output = scratch.run(&["lookup", "k", "--in", "site", "--all", "--facts", "facts", "--default", "1"]);
    assert!(
        output.code == Some(2) && output.err.contains("facts/one.json and in facts/two.json"),
        "{output:?}"
    );
}
