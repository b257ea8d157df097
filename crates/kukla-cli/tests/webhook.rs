//! The webhook of `kukla serve` with a control repository, from the push to the environment.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Directory;
use crate::modules::forge::GitRepository;

const SECRET: &str = "a secret of more than 16 bytes";

/// A server whose webhook deploys a control repository.
struct Hooked {
    directory: Directory,
    control: GitRepository,
    address: SocketAddr,
    server: Child,
}

impl Hooked {
    fn new(name: &str) -> Hooked {
        let directory = Directory::new(name);
        let module = GitRepository::new(&directory.root.join("module"));
        module.put("files/a", "one");
        module.commit("one");
        let control = GitRepository::new(&directory.root.join("ops/control"));
        control.put(
            "Puppetfile",
            &format!("mod 'a', git: 'file://{}', branch: 'main'\n", module.root.display()),
        );
        control.put("manifests/site.pp", "notify { 'one': }\n");
        control.commit("one");
        control.git(&["branch", "production"]);
        control.git(&["branch", "feature/x"]);
        let root = directory.root.display();
        directory.put("secret", SECRET);
        directory.put(
            "r10k.yaml",
            &format!("sources:\n  control:\n    remote: file://{root}/ops/control\n    basedir: {root}/environments\npostrun: [/bin/sh, -c, 'echo \"$modifiedenvs\" >> {root}/postrun']\n"),
        );
        // Nobody else gets this port between here and the start of the server but by chance.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        directory.put(
            "puppet/kukla.toml",
            &format!(
                "[webserver]\nhost = \"127.0.0.1\"\nport = {}\n[puppet]\ncertname = \"localhost\"\nkey_type = \"ec\"\nenvironmentpath = \"{root}/environments\"\nvardir = \"{root}/var\"\n[webhook]\nsecret-file = \"{root}/secret\"\nr10k-config = \"{root}/r10k.yaml\"\nmodule-store = \"{root}/store\"\naudit-log = \"{root}/audit\"\ncommands = \"/bin/sh\"\n",
                address.port()
            ),
        );
        let server = Command::new(env!("CARGO_BIN_EXE_kukla"))
            .args(["serve", "--log-level", "error", "--confdir"])
            .arg(directory.root.join("puppet"))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let hooked = Hooked { directory, control, address, server };
        hooked.wait_until("the server listens", || TcpStream::connect(address).is_ok());
        hooked
    }

    fn wait_until(&self, condition: &str, holds: impl Fn() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !holds() {
            assert!(Instant::now() < deadline, "timed out: {condition}: {:?}", self.audit());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Reports a push; the status of the answer.
    fn push(&self, branch: &str) -> u16 {
        let url = format!("https://git.example.com{}/ops/control.git", self.directory.root.display());
        let body =
            json!({"ref": format!("refs/heads/{branch}"), "project": {"git_http_url": url}}).to_string();
        let request = format!(
            "POST /webhook HTTP/1.1\r\nHost: localhost\r\nX-Gitlab-Token: {SECRET}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply.split(' ').nth(1).unwrap().parse().unwrap()
    }

    fn audit(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.directory.root.join("audit")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Reports a push and waits for the line of its deployment.
    fn deploy(&self, branch: &str) -> Value {
        let before = self.audit().len();
        assert_eq!(self.push(branch), 202);
        self.wait_until("the deployment", || self.audit().len() > before);
        self.audit().pop().unwrap()
    }

    fn exists(&self, path: &str) -> bool {
        self.directory.root.join("environments").join(path).exists()
    }
}

impl Drop for Hooked {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn a_push_deploys_its_branch_and_a_deleted_branch_loses_its_environment() {
    let hooked = Hooked::new("webhook-deploys");
    let line = hooked.deploy("production");
    let commit = hooked.control.git(&["rev-parse", "production"]);
    assert_eq!(
        (&line["environment"], &line["change"], line["commit"].as_str()),
        (&json!("production"), &json!("added"), Some(commit.trim()))
    );
    assert!(hooked.exists("production/modules/a/files/a") && !hooked.exists("main"));
    assert_eq!(hooked.deploy("production")["change"], "unchanged");
    hooked.control.put("manifests/site.pp", "notify { 'two': }\n");
    hooked.control.commit("two");
    hooked.control.git(&["branch", "-f", "production"]);
    assert_eq!(hooked.deploy("production")["change"], "changed");

    // The branch decides whether it is gone, not the request.
    assert_eq!(hooked.deploy("feature/x")["environment"], "feature_x");
    assert_eq!(hooked.deploy("feature/x")["change"], "unchanged");
    hooked.control.git(&["branch", "-D", "feature/x"]);
    assert_eq!(hooked.deploy("feature/x")["change"], "removed");
    assert!(hooked.exists("production") && !hooked.exists("feature_x"));
    let nothing = hooked.deploy("no-such-branch");
    assert_eq!(
        (&nothing["action"], &nothing["environment"]),
        (&json!("no environment belongs to the pushed branches"), &Value::Null)
    );
    let postrun = std::fs::read_to_string(hooked.directory.root.join("postrun")).unwrap();
    assert!(postrun.starts_with("production\n\nproduction\nfeature_x\n"), "{postrun:?}");
}

#[test]
fn a_failed_deployment_leaves_the_environment_as_it_was() {
    let hooked = Hooked::new("webhook-fails");
    hooked.deploy("production");
    hooked.control.put("Puppetfile", "mod 'a', git: 'file:///no/such/repository'\n");
    hooked.control.commit("broken");
    hooked.control.git(&["branch", "-f", "production"]);
    let line = hooked.deploy("production");
    assert_eq!((&line["action"], &line["environment"]), (&json!("cannot deploy"), &json!("production")));
    assert!(line["error"].as_str().is_some_and(|error| error.contains("/no/such/repository")), "{line}");
    assert!(hooked.exists("production/modules/a/files/a"));
    assert_eq!(hooked.deploy("feature/x")["change"], "added");
}

#[test]
fn a_webhook_that_could_not_deploy_is_refused_at_the_start() {
    let directory = Directory::new("webhook-refused");
    directory.put("secret", SECRET);
    let check = |table: &str| {
        let text = format!("[puppet]\ncertname = \"localhost\"\nkey_type = \"ec\"\n[webhook]\n{table}");
        directory.put("puppet/kukla.toml", &text);
        let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
            .args(["serve", "--check", "--confdir", "puppet"])
            .current_dir(&directory.root)
            .env("KUKLA_MODULE_STORE", directory.root.join("store"))
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    directory.put("r10k.yaml", "sources:\n  control:\n    remote: control\n    basedir: environments\n");
    directory.put("short", "secret\n");
    directory.put("empty", "\n");
    directory.put(
        "postrun.yaml",
        "sources:\n  control:\n    remote: control\n    basedir: environments\npostrun: [/bin/true]\n",
    );
    assert_eq!(check("secret-file = \"secret\"\n"), (Some(0), String::new()));
    for (table, expected) in [
        ("secret-file = \"none\"\n", "none"),
        ("secret-file = \"short\"\n", "at least 16 characters, got 6"),
        ("secret-file = \"empty\"\n", "the file is empty"),
        ("audit-log = \"audit\"\n", "no secret-file"),
        ("secret-flie = \"secret\"\n", "did you mean `secret-file`?"),
        ("secret-file = \"secret\"\nr10k-config = \"none.yaml\"\n", "none.yaml"),
        (
            "secret-file = \"secret\"\nr10k-config = \"postrun.yaml\"\n",
            "name the command in `commands` of [webhook]",
        ),
        ("secret-file = \"secret\"\ncommands = \"any\"\n", "expected off, on, or a list of commands"),
    ] {
        let (code, errors) = check(table);
        assert!(code == Some(2) && errors.contains(expected), "{table}: {code:?} {errors}");
    }
}
