//! No command shows a sensitive value, whatever goes wrong on the way.

use super::Scratch;

const SECRET: &str = "hunter2";

/// Uses of `$s`, correct and mistaken.
const USES: &[&str] = &[
    "notice($s, [$s], {a => $s}, {$s => 1})",
    "warning($s) err({$s => $s}) crit([[$s]])",
    "fail(\"${s} ${[$s]}\")",
    "fail($s)",
    "notice(\"${s}\", String($s), String([$s], '%#p'))",
    "to_yaml($s)",
    "to_yaml({a => [$s]})",
    "to_json($s)",
    "to_json_pretty({a => $s})",
    "Integer($s)",
    "Timestamp($s)",
    "Binary($s)",
    "Array($s)",
    "$s + 1",
    "[$s] + {a => $s}",
    "{$s => 1, x => $s} - 3",
    "$s[0]",
    "$s.foo",
    "$s =~ /x/",
    "'a' =~ $s",
    "$s < 1",
    "case $s { /a/: {} }",
    "sprintf('%s %p %d', $s, $s, $s)",
    "join([$s], ',')",
    "split($s, ',')",
    "upcase($s)",
    "regsubst($s, 'h', 'x')",
    "unique([$s, $s])",
    "function f(Integer $x) { } f($s)",
    "class c(Integer $x) {} class { c: x => $s }",
    "define d(Integer $x) {} d { a: x => $s }",
    "assert_type(Sensitive[Integer], $s)",
    "assert_type(Integer, [$s])",
    "[1, $s].map |Integer $x| { $x }",
    "notify { $s: }",
    "notify { a: require => $s }",
    "notify { a: before => [$s] }",
    "notify { a: tag => $s }",
    "notify { a: message => $s } notify { a: message => $s }",
    "notify { a: no_such => $s }",
    "File[$s]",
    "include $s",
    "contain($s)",
    "tag($s)",
    "realize($s)",
    "Notify <| title == $s |>",
    "create_resources('notify', {$s => {}})",
    "create_resources('notify', {a => {no_such => $s}})",
    "lookup($s)",
    "lookup('m::secret')",
    "lookup('m::secret', Integer)",
    "lookup('m::secrets')",
    "lookup('m::secret_part')",
    "lookup('m::secret', {merge => $s})",
    "lookup('no::such', default_value => $s)",
    "include m",
    "file($s)",
    "epp($s)",
    "inline_epp('<%= $s %>', {s => $s})",
    "inline_epp('<%- | Integer $s | -%>x', {s => $s})",
    "template($s)",
    "generate($s)",
    "loadyaml($s)",
    "Deferred('f', [$s])",
    "Error($s)",
    "Init[Integer, $s]",
    "Enum[$s]",
    "Pattern[$s]",
    "Sensitive[Enum[$s]]",
    "Struct[{a => Integer}].new({a => $s})",
    "type T = Object[{attributes => {a => Any}}] T($s)",
    "type T = Object[{attributes => {a => Integer}}] T($s)",
    "$x = {a => $s} $x['a']['b']",
    "dig([$s], 0, 1)",
    "stdlib::to_toml({a => $s})",
    "pw_hash($s, 'no such', 'salt')",
    "validate_legacy(Integer, 'validate_re', $s, 'x')",
    "fqdn_rand($s)",
    "range($s, 3)",
    "merge($s, {})",
    "return($s)",
    "break($s)",
];

fn site(name: &str) -> Scratch {
    Scratch::new(name)
        .with(
            "hiera.yaml",
            "{version: 5, hierarchy: [{name: c, path: c.yaml}]}",
        )
        .with(
            "data/c.yaml",
            "lookup_options: {'^m::secret.*': {convert_to: Sensitive}}\nm::secret: hunter2\nm::secrets: {a: {b: hunter2}}\nm::secret_part: \"hunter2 %{lookup('no::such')}\"\n",
        )
        .with("modules/m/manifests/init.pp", "class m(Integer $secret) { }")
        .with("manifests/site.pp", "notify { 'a': }")
        .with("facts/n.json", "{}")
}

fn shows_nothing(scratch: &Scratch, command: &[&str]) {
    let output = scratch.run(command);
    assert!(matches!(output.code, Some(0 | 1)), "{command:?}: {output:?}");
    let printed = format!("{}{}", output.out, output.err);
    assert!(!printed.contains(SECRET), "{command:?}:\n{printed}");
}

#[test]
fn evaluation_shows_no_secret() {
    let scratch = site("eval");
    // The secret is not written out anywhere, so no source excerpt could show it.
    for used in USES {
        let code = format!("$s = Sensitive(\"hunt${{'er2'}}\") {used}");
        for format in ["puppet", "json", "yaml", "text"] {
            shows_nothing(&scratch, &["eval", "-e", &code, "--node", "n", "--format", format]);
        }
        shows_nothing(&scratch, &["eval", "-e", &code, "--node", "n", "--type"]);
        for errors in ["puppet", "json"] {
            shows_nothing(&scratch, &["eval", "-e", &code, "--node", "n", "--errors", errors]);
        }
    }
}

#[test]
fn compilation_shows_no_secret_but_to_agents() {
    let scratch = site("compile");
    for used in USES {
        let code = format!("$s = Sensitive(\"hunt${{'er2'}}\") {used}");
        for format in ["summary", "dot"] {
            shows_nothing(&scratch, &["compile", "-e", &code, "--node", "n", "--format", format]);
        }
        let output = scratch.run(&["compile", "-e", &code, "--node", "n", "--provenance", "p.json"]);
        assert!(!output.err.contains(SECRET), "{code}: {output:?}");
        if output.code == Some(0) {
            assert!(!std::fs::read_to_string(scratch.path("p.json")).unwrap().contains(SECRET), "{code}");
        }
        let server = kukla::rpc::Server::default();
        let request = serde_json::json!({"method": "compile", "params": {"code": code, "explain": true}});
        let answer: serde_json::Value = serde_json::from_str(&server.answer(&request.to_string())).unwrap();
        for part in [
            &answer["error"],
            &answer["errors"],
            &answer["logs"],
            &answer["result"]["logs"],
            &answer["result"]["explain"],
        ] {
            assert!(!part.to_string().contains(SECRET), "{code}: {part}");
        }
    }
}

#[test]
fn why_shows_no_secret() {
    let scratch = site("why");
    for value in [
        "$s",
        "[$s]",
        "{x => {y => $s}}",
        "{$s => 1}",
        "Deferred('f', [$s, {a => $s}])",
        "Sensitive({a => $s})",
    ] {
        let code = format!("$s = Sensitive(\"hunt${{'er2'}}\") notify {{ a: message => {value} }}");
        shows_nothing(&scratch, &["why", "Notify[a]", "-e", &code, "--node", "n"]);
        shows_nothing(&scratch, &["why", "Notify[a]", "message", "-e", &code, "--node", "n"]);
    }
}

#[test]
fn lookups_show_no_secret() {
    let scratch = site("lookup");
    for key in ["m::secret", "m::secrets", "m::secret_part", "m::secrets.a", "m::secret.no.such"] {
        for format in ["puppet", "json", "yaml", "text"] {
            shows_nothing(&scratch, &["lookup", key, "--node", "n", "--format", format]);
            shows_nothing(&scratch, &["lookup", key, "--all", "--format", format]);
            shows_nothing(&scratch, &["lookup", key, "--node", "n", "--explain", "--format", format]);
        }
        shows_nothing(&scratch, &["lookup", key, "--node", "n", "--type", "Integer"]);
    }
}

#[test]
fn values_show_no_secret_to_who_debugs() {
    let secret = kukla::Value::Sensitive(std::sync::Arc::new(SECRET.into()));
    let nested = kukla::Value::from(vec![secret]);
    assert!(!format!("{nested:?} {nested:#?}").contains(SECRET));
}
