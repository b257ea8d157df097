//! A whole server that is killed while it signs, keeps reports and catalogs, and goes from one version of the code to the next: what it had acknowledged
//! is there when it is started again, and every catalog came from one version.
//!
//! `KUKLA_KILLS` says how often (6 by default).

#![allow(clippy::disallowed_methods)]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::support::{ACCEPT, CONF, Client, Directory, FORM, catalog_form, wait_until};
use kukla_server::ca::certificate::Certificate;
use kukla_server::ca::keys::{Key, KeyKind};
use kukla_server::ca::request::Request;
use kukla_server::ca::{Authority, CertificateOptions, Layout, Practice, doctor, setup};
use kukla_server::settings::Overrides;
use kukla_store::{Options, Question};
use serde_json::{Value, json};

const DIRECTORY: &str = "KUKLA_TEST_SERVER";
const ADDRESS: &str = "KUKLA_TEST_ADDRESS";
const STORE: &str = "KUKLA_TEST_STORE";

/// Not a test of its own: the process that is killed.
#[test]
fn serves_until_it_is_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let overrides = Overrides {
        confdir: Some(directory.join("puppet")),
        store: std::env::var(STORE).ok(),
        listen: std::env::var(ADDRESS).unwrap().parse().ok(),
        ..Overrides::default()
    };
    kukla_server::run::run(&overrides).unwrap();
}

fn start(directory: &Path, store: &str, address: SocketAddr) -> KilledServer {
    let server = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_server::serves_until_it_is_killed", "--nocapture"])
        .envs([
            (DIRECTORY, directory.display().to_string()),
            (ADDRESS, address.to_string()),
            (STORE, store.to_owned()),
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    KilledServer(server)
}

/// A server that is killed at the end, also if the test fails.
struct KilledServer(Child);

impl Drop for KilledServer {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Puts the next version of the code in place, as deployments do: a link is another one from one moment to the next.
fn deploy(directory: &Directory, version: u64) {
    let release = format!("releases/{version}");
    let class = format!("class web {{ notify {{ 'class {version}': }} }}");
    directory.write(
        &format!("{release}/manifests/site.pp"),
        format!("notify {{ 'site {version}': }} include web @@notify {{ 'exported {version}': }}"),
    );
    directory.write(&format!("{release}/modules/web/manifests/init.pp"), class);
    let environments = directory.0.join("code/environments");
    std::fs::create_dir_all(&environments).unwrap();
    let _ = std::fs::remove_file(environments.join(".next"));
    std::os::unix::fs::symlink(directory.0.join(release), environments.join(".next")).unwrap();
    std::fs::rename(environments.join(".next"), environments.join("production")).unwrap();
}

/// The versions that a catalog tells of.
fn versions(catalog: &Value) -> Vec<String> {
    let titles = catalog["resources"].as_array().unwrap().iter().filter_map(|each| each["title"].as_str());
    titles
        .filter_map(|title| title.strip_prefix("site ").or(title.strip_prefix("class ")))
        .map(str::to_owned)
        .collect()
}

/// The work that a server has acknowledged.
#[derive(Default)]
struct Acknowledged {
    reports: Vec<u64>,
    certificates: Vec<(String, Vec<u8>)>,
    catalogs: u64,
}

/// Ends the work of all threads when one of them fails or is done.
struct EndsAll<'a>(&'a AtomicBool);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_server_that_is_killed_loses_nothing_it_had_acknowledged() {
    let directory = Directory::new();
    kill_over_and_over(&format!("sqlite:{}/store.db", directory.0.display()));
}

/// The same over a database of the server that `tests/store/with-postgres` starts.
#[test]
fn nor_with_postgresql() {
    let Ok(server) = std::env::var("KUKLA_TEST_POSTGRES") else {
        let absent = "no PostgreSQL; tests/store/with-postgres starts one";
        return kukla_testing::skip("kukla-server/killed-postgresql", absent);
    };
    let name = format!("kukla_server_{}", std::process::id());
    let made =
        Command::new("createdb").args(["--maintenance-db", &format!("{server}/postgres"), &name]).status();
    assert!(made.is_ok_and(|status| status.success()), "createdb");
    kill_over_and_over(&format!("{server}/{name}"));
}

fn kill_over_and_over(store: &str) {
    let kills: u64 = std::env::var("KUKLA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let directory = Directory::new();
    let root = directory.0.display();
    directory.write("puppet/puppet.conf", format!("{CONF}vardir = {root}/var\nautosign = true\n"));
    deploy(&directory, 0);
    let practice = Practice { keys: KeyKind::Ec, ..Practice::default() };
    let layout = Layout::at(directory.0.join("puppetserver/ca"));
    let authority = setup::make(&layout, practice.clone(), "localhost").unwrap();
    let own = authority.generate("web1", &CertificateOptions::default()).unwrap();
    let address = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let (node, stranger) =
        (Client::new(address, authority.chain(), Some(own)), Client::new(address, authority.chain(), None));
    let number = AtomicU64::new(1);
    let mut known = Acknowledged::default();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for kill in 0..kills {
        let server = start(&directory.0, store, address);
        await_server(&stranger);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let is_over = AtomicBool::new(false);
        // How many of the four kinds of work were acknowledged at least once.
        let acknowledged_kinds = AtomicU64::new(0);
        let answered_catalogs = AtomicU64::new(0);
        let until_over = |mut work: Box<dyn FnMut() -> Option<()> + Send + '_>| {
            let _ends_all = EndsAll(&is_over);
            let mut is_acknowledged = false;
            while !is_over.load(Ordering::Relaxed) {
                // Without an answer nothing is acknowledged.
                if work().is_some() && !std::mem::replace(&mut is_acknowledged, true) {
                    acknowledged_kinds.fetch_add(1, Ordering::Relaxed);
                }
            }
        };
        let Acknowledged { reports, certificates, catalogs } = &mut known;
        let next = || number.fetch_add(1, Ordering::Relaxed);
        std::thread::scope(|scope| {
            // A failure here would wait for the threads without end.
            let _ends_all = EndsAll(&is_over);
            scope.spawn(|| {
                until_over(Box::new(|| {
                    reports.push(report(&node, next())?);
                    Some(())
                }));
            });
            scope.spawn(|| {
                until_over(Box::new(|| {
                    certificates.push(sign(&stranger, next())?);
                    Some(())
                }));
            });
            scope.spawn(|| {
                until_over(Box::new(|| {
                    let catalog = ask(&node)?;
                    let found = versions(&catalog);
                    assert!(found.len() == 2 && found[0] == found[1], "{found:?}");
                    *catalogs += 1;
                    answered_catalogs.fetch_add(1, Ordering::Relaxed);
                    Some(())
                }));
            });
            scope.spawn(|| {
                let (mut pause, mut answered) = (Duration::from_millis(40), 0);
                until_over(Box::new(|| {
                    deploy(&directory, next());
                    std::thread::sleep(pause);
                    // On a busy machine a catalog takes longer than the pause, and would never be of one version.
                    let before = std::mem::replace(&mut answered, answered_catalogs.load(Ordering::Relaxed));
                    if answered == before {
                        pause = (pause * 2).min(Duration::from_secs(5));
                    }
                    Some(())
                }));
            });
            // The first server gets something done; the others are killed at any moment of their work.
            match kill {
                0 => wait_until("the server answers everyone", || {
                    acknowledged_kinds.load(Ordering::Relaxed) == 4 || is_over.load(Ordering::Relaxed)
                }),
                _ => std::thread::sleep(Duration::from_millis(100 + random % 900)),
            }
            drop(server);
        });
    }
    let server = start(&directory.0, store, address);
    await_server(&stranger);
    assert!(ask(&node).is_some());
    drop(server);
    let Acknowledged { reports, certificates, catalogs } = known;
    eprintln!(
        "{store}: killed {kills} times: {} reports, {} certificates and {catalogs} catalogs were acknowledged",
        reports.len(),
        certificates.len()
    );
    assert!(!reports.is_empty() && !certificates.is_empty() && catalogs > 0, "the servers got nowhere");
    examine(&directory.0, store, &reports, &certificates);
    let authority = Authority::open(layout, practice).unwrap();
    let wrong = doctor::examine(&authority, None).unwrap();
    let wrong: Vec<_> = wrong.into_iter().filter(|each| each.grade == doctor::Grade::Wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Everything that was acknowledged is there, and nothing is half there.
fn examine(directory: &Path, store: &str, reports: &[u64], certificates: &[(String, Vec<u8>)]) {
    let kept = std::fs::read_dir(directory.join("var/reports/web1")).unwrap().flatten();
    let kept: Vec<String> = kept
        .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "yaml"))
        .map(|entry| std::fs::read_to_string(entry.path()).unwrap())
        .collect();
    assert!(kept.iter().all(|text| text.contains("status: changed") && text.contains("number-")));
    let store = kukla_store::open(store, &Options::default()).unwrap();
    let stored = store.query(&Question::pql("reports[transaction_uuid] { }")).unwrap();
    let stored: Vec<&str> = stored.iter().filter_map(|row| row["transaction_uuid"].as_str()).collect();
    for number in reports.iter().map(|number| format!("number-{number}")) {
        assert!(kept.iter().any(|text| text.contains(&number)), "{number} is in no file");
        assert!(stored.contains(&number.as_str()), "{number} is not in the store");
    }
    for (name, pem) in certificates {
        let signed = std::fs::read(directory.join(format!("puppetserver/ca/signed/{name}.pem"))).unwrap();
        assert_eq!(
            Certificate::from_pem(&signed).unwrap().der(),
            Certificate::from_pem(pem).unwrap().der(),
            "{name}"
        );
    }
    let catalog: Value = serde_json::from_str(&store.catalog("web1").unwrap().unwrap().to_json()).unwrap();
    let found = versions(&catalog);
    assert!(found.len() == 2 && found[0] == found[1], "{found:?}");
    let exported = store.query(&Question::pql("resources[title] { exported = true }")).unwrap();
    assert_eq!(exported, [json!({"title": format!("exported {}", found[0])})]);
}

fn await_server(client: &Client) {
    wait_until("the server starts", || client.try_send("GET", "/status/v1/simple", &[], b"").is_ok());
}

/// The number of a report that was taken.
fn report(client: &Client, number: u64) -> Option<u64> {
    let report = json!({
        "host": "web1", "time": "2026-11-16T06:08:01.455Z", "environment": "production", "status": "changed", "report_format": 12,
        "configuration_version": 7, "transaction_uuid": format!("number-{number}"), "logs": [], "metrics": {}, "resource_statuses": {},
    });
    let headers = [("Content-Type", "application/json")];
    let path = "/puppet/v3/report/web1?environment=production";
    let reply = client.try_send("PUT", path, &headers, report.to_string().as_bytes()).ok()?;
    assert_eq!(reply.status, 200, "{}", reply.text());
    Some(number)
}

/// A certificate that was signed.
fn sign(client: &Client, number: u64) -> Option<(String, Vec<u8>)> {
    let name = format!("node{number}");
    let key = Key::generate(KeyKind::Ec).unwrap();
    let request = Request::new(&name, &key, Vec::new()).unwrap().to_pem();
    let headers = [("Content-Type", "text/plain")];
    let path = format!("/puppet-ca/v1/certificate_request/{name}");
    let asked = client.try_send("PUT", &path, &headers, request.as_bytes()).ok()?;
    assert_eq!(asked.status, 200, "{}", asked.text());
    let given = client.try_send("GET", &format!("/puppet-ca/v1/certificate/{name}"), &[], b"").ok()?;
    assert_eq!(given.status, 200, "{}", given.text());
    Some((name, given.body))
}

/// A catalog; nothing if the code keeps changing, which is not the server's fault.
fn ask(client: &Client) -> Option<Value> {
    let form = catalog_form("web1", "production", &json!({"a": 1}));
    let path = "/puppet/v3/catalog/web1?environment=production";
    let reply = client.try_send("POST", path, &[FORM, ACCEPT], form.as_bytes()).ok()?;
    assert!(matches!(reply.status, 200 | 503), "{}", reply.text());
    (reply.status == 200).then(|| reply.json())
}
