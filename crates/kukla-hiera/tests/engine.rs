//! Guarantees of the engine beyond Puppet's answers: positions, secrets, one reading of each file, hierarchies that follow
//! their variables.

use std::path::Path;
use std::sync::Arc;

use kukla_hiera::memory::MemoryHost;
use kukla_hiera::{DataCache, LookupRequest, Session, Settings};
use kukla_syntax::Strict;
use kukla_values::{Hash, Value};
use kukla_world::MemoryWorld;

fn host(files: &[(&str, &str)]) -> MemoryHost {
    let with = |world: MemoryWorld, (path, text): &(&str, &str)| world.with(format!("/env/{path}"), *text);
    MemoryHost {
        world: files.iter().fold(MemoryWorld::default(), with),
        modules: "/env/modules".into(),
        ..MemoryHost::default()
    }
}

fn session() -> Session {
    session_with(Arc::new(DataCache::new()))
}

fn session_with(cache: Arc<DataCache>) -> Session {
    let settings = Settings {
        global_config: None,
        environment: "production".into(),
        environment_root: Some("/env".into()),
        strict: Strict::Error,
        ..Settings::default()
    };
    Session::new(cache, settings)
}

fn get(session: &mut Session, host: &mut MemoryHost, key: &str) -> Value {
    session
        .lookup(host, &LookupRequest::key(key))
        .map_or_else(|error| error.message().into(), |found| found.value)
}

const COMMON: &str = "version: 5\nhierarchy:\n- name: Common\n  path: common.yaml\n";

#[test]
fn a_value_knows_where_it_came_from() {
    let hiera = "version: 5\nhierarchy:\n- name: Both\n  paths: [first.yaml, second.yaml]\n";
    let mut host = host(&[
        ("hiera.yaml", hiera),
        ("data/first.yaml", "# one\na: [1]\n"),
        ("data/second.yaml", "b: 1\n\na: [2]\n"),
    ]);
    let mut session = session();
    let found = session.class_parameter(&mut host, "a").expect("no error").expect("found");
    assert_eq!(found.origins.len(), 1);
    assert_eq!(found.origins[0].location.as_deref(), Some("/env/data/first.yaml"));
    assert_eq!((found.origins[0].line, found.origins[0].level.as_str()), (Some(2), "Both"));
    let merged = LookupRequest { merge: Some("unique".into()), ..LookupRequest::key("a") };
    let (found, explanation) = session.explain(&mut host, &merged);
    let lines: Vec<_> = found.expect("found").origins.iter().map(|origin| origin.line).collect();
    assert_eq!(lines, [Some(2), Some(3)]);
    assert!(explanation.text().contains("(/env/data/second.yaml:3)"), "{}", explanation.text());
    assert!(!explanation.puppet_text().contains("yaml:3"));
}

#[test]
fn a_hierarchy_follows_the_variables_it_reads() {
    let hiera = "version: 5\nhierarchy:\n- name: Role\n  path: \"%{role}.yaml\"\n";
    let mut host = host(&[("hiera.yaml", hiera), ("data/web.yaml", "a: web"), ("data/db.yaml", "a: db")]);
    let mut session = session();
    host.variables.insert("role", "web");
    assert_eq!(get(&mut session, &mut host, "a"), "web".into());
    host.variables.insert("role", "db");
    assert_eq!(get(&mut session, &mut host, "a"), "db".into());
    let (_, explanation) = session.explain(&mut host, &LookupRequest::key("a"));
    assert!(!explanation.puppet_text().contains("recreated"));
    host.variables.insert("role", "web");
    let (_, explanation) = session.explain(&mut host, &LookupRequest::key("a"));
    assert!(explanation.puppet_text().contains("recreated"));
}

#[test]
fn each_file_is_read_once_for_all_nodes() {
    let mut host = host(&[("hiera.yaml", COMMON), ("data/common.yaml", "a: 1")]);
    let cache = Arc::new(DataCache::new());
    for _ in 0..100 {
        assert_eq!(get(&mut session_with(cache.clone()), &mut host, "a"), 1.into());
    }
    assert_eq!((cache.files_read(), cache.readings()), (1, 1));
}

#[test]
fn secrets_stay_out_of_explanations() {
    let data = "lookup_options: {a: {convert_to: Sensitive}}\na: hush\n";
    let mut host = host(&[("hiera.yaml", COMMON), ("data/common.yaml", data)]);
    let (found, explanation) = session().explain(&mut host, &LookupRequest::key("a"));
    assert!(matches!(found.expect("found").value, Value::Sensitive(_)));
    assert!(!explanation.text().contains("hush"), "{}", explanation.text());
    assert!(explanation.text().contains("Found key: \"a\" value: Sensitive [value redacted]"));
}

#[test]
fn functions_are_backends() {
    let hiera = "version: 5\nhierarchy:\n- name: Keys\n  lookup_key: keys\n  options: {prefix: \"%{role}-\"}\n- name: Digs\n  data_dig: digs\n- name: Data\n  data_hash: data\n";
    let mut host = host(&[("hiera.yaml", hiera)]);
    host.variables.insert("role", "web");
    host.functions.insert(
        "keys".into(),
        Arc::new(|session, host, arguments, context| {
            let [Value::String(key), Value::Hash(options)] = &arguments[..] else { return Ok(None) };
            if key != "greeting" {
                session.remark(format!("no {key} here"));
                return Ok(None);
            }
            let calls = context.cached_value(&"calls".into());
            assert!(calls.is_undef(), "a found value is kept");
            context.cache("calls".into(), 1.into());
            let prefix = options.get("prefix").and_then(Value::as_str).unwrap_or_default();
            context.interpolate(session, host, &format!("{prefix}%{{lookup('name')}}").into()).map(Some)
        }),
    );
    host.functions.insert(
        "digs".into(),
        Arc::new(|_, _, arguments, _| {
            let path: Value = vec!["tree".into(), "leaf".into()].into();
            Ok((arguments[0] == path).then(|| "green".into()))
        }),
    );
    host.functions.insert(
        "data".into(),
        Arc::new(|_, _, _, _| {
            Ok(Some(
                [("name", "%{role}"), ("loop", "%{lookup('loop')}")].into_iter().collect::<Hash>().into(),
            ))
        }),
    );
    let mut session = session();
    assert_eq!(get(&mut session, &mut host, "greeting"), "web-web".into());
    assert_eq!(get(&mut session, &mut host, "greeting"), "web-web".into());
    assert_eq!(get(&mut session, &mut host, "tree.leaf"), "green".into());
    assert_eq!(
        get(&mut session, &mut host, "loop"),
        "Lookup of key 'loop' failed: Recursive lookup detected in [loop]".into()
    );
    let (_, explanation) = session.explain(&mut host, &LookupRequest::key("name"));
    assert!(explanation.puppet_text().contains("no name here"), "{}", explanation.puppet_text());
}

#[test]
fn an_old_function_stays_global_unless_the_environment_has_data() {
    let mut host = host(&[("hiera.yaml", COMMON), ("data/common.yaml", "a: 1")]);
    let request = LookupRequest { hiera_function: true, ..LookupRequest::key("a") };
    assert!(session().lookup(&mut host, &request).is_ok());
    host.world.files.remove(Path::new("/env/hiera.yaml"));
    assert!(session().lookup(&mut host, &request).is_err());
}

#[test]
fn a_missing_private_key_says_so_and_nothing_else() {
    let hiera = "version: 5\nhierarchy:\n- name: Secret\n  path: s.yaml\n  lookup_key: eyaml_lookup_key\n  options: {pkcs7_private_key: /keys/k.pem}\n";
    let mut host =
        host(&[("hiera.yaml", hiera), ("data/s.yaml", "a: near ENC[PKCS7,MIIBiQ==] it\nb: plain")]);
    let mut session = session();
    let error = get(&mut session, &mut host, "a");
    let text = error.as_str().unwrap_or_default();
    assert!(
        text.contains("/keys/k.pem") && text.contains("/env/data/s.yaml") && !text.contains("near"),
        "{text}"
    );
    assert_eq!(get(&mut session, &mut host, "b"), "plain".into());
}

const VERSION_3: &str = "\
:backends: [yaml, json, custom]
:hierarchy: ['%{role}', '%{calling_module}', common]
:yaml:
  :datadir: /data
:json:
  :datadir: /data
  :extension: js
:merge_behavior: deeper
";

fn version_3() -> (Session, MemoryHost) {
    let mut host = host(&[]);
    for (path, text) in [
        ("/etc/hiera.yaml", VERSION_3),
        ("/data/web.yaml", "a: web\nh: {x: {w: 1}}\n"),
        (
            "/data/common.yaml",
            "a: common\nh: {x: {c: 2}}\nwho: '%{calling_module}'\nref: \"%{hiera('j')}\"\n",
        ),
        ("/data/common.js", "{\"j\": \"json\", \"h\": {\"x\": {\"j\": 3}}}"),
        ("/data/extra.yaml", "a: extra\n"),
        ("/data/mod.yaml", "m: of the module\n"),
    ] {
        host.world.files.insert(path.into(), text.into());
    }
    host.variables.insert("role", "web");
    host.variables.insert("module_name", "mod");
    host.variables.insert("environment", "production");
    let settings = Settings { global_config: Some("/etc/hiera.yaml".into()), ..Settings::default() };
    (Session::new(Arc::default(), settings), host)
}

#[test]
fn version_3_is_a_level_per_backend() {
    let (mut session, mut host) = version_3();
    for (key, wanted) in
        [("a", "web"), ("m", "of the module"), ("j", "json"), ("ref", "json"), ("who", "mod")]
    {
        assert_eq!(get(&mut session, &mut host, key), wanted.into());
    }
    assert!(host.warnings[0].contains("Use of 'hiera.yaml' version 3 is deprecated"), "{:?}", host.warnings);
    assert_eq!(
        get(&mut session, &mut host, "nothing"),
        "Function lookup() did not find a value for the name 'nothing'".into()
    );
    let skipped = "Unable to load backend 'custom'";
    assert!(host.warnings.iter().any(|warning| warning.contains(skipped)), "{:?}", host.warnings);
}

#[test]
fn old_functions_see_more_of_version_3() {
    let (mut session, mut host) = version_3();
    let extra_paths = vec!["extra".into()];
    let request = LookupRequest { hiera_function: true, extra_paths, ..LookupRequest::key("a") };
    assert_eq!(session.lookup(&mut host, &request).expect("found").value, "extra".into());
    let merged = |hiera_function| LookupRequest {
        hiera_function,
        merge: Some("hash".into()),
        ..LookupRequest::key("h")
    };
    let mut count = |request: &LookupRequest, host: &mut MemoryHost| {
        let found = session.lookup(host, request).expect("found").value;
        found.as_hash().and_then(|h| h.get("x")).and_then(Value::as_hash).map(|h| h.iter().count())
    };
    // The configured way to merge is for them alone.
    assert_eq!(count(&merged(true), &mut host), Some(3));
    assert_eq!(count(&merged(false), &mut host), Some(1));
}

#[test]
fn answers_are_kept_while_their_variables_stay() {
    let hiera = "version: 5\nhierarchy:\n- name: Role\n  paths: [\"%{role}.yaml\", common.yaml]\n";
    let files = [
        ("hiera.yaml", hiera),
        ("data/web.yaml", "a: \"web %{tier}\""),
        ("data/common.yaml", "a: none\nb: \"%{lookup('a')}\"\n"),
    ];
    let cache = Arc::new(DataCache::new());
    let session = || {
        let settings = Settings { environment_root: Some("/env".into()), ..Settings::default() };
        Session::new(cache.clone(), settings)
    };
    let mut host = host(&files);
    let mut one = session();
    for (role, tier, wanted) in [
        ("web", "gold", "web gold"),
        ("web", "gold", "web gold"),
        ("web", "tin", "web tin"),
        ("db", "tin", "none"),
        ("web", "gold", "web gold"),
    ] {
        host.variables.insert("role", role);
        host.variables.insert("tier", tier);
        // The same compilation, and another one that shares its files and answers.
        for session in [&mut one, &mut session()] {
            assert_eq!(get(session, &mut host, "a"), wanted.into());
            assert_eq!(get(session, &mut host, "b"), wanted.into());
        }
    }
}
