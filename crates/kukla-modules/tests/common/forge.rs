//! A Forge on the loopback interface that serves modules from memory, and fails on request.

#![allow(dead_code)] // not every test uses all of it

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

/// How the server fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Not at all.
    #[default]
    None,
    /// It closes the connection in the middle of every archive.
    Cut,
    /// It closes the connection in the middle of the first archives only.
    CutFirst(usize),
    /// It sends other archives than it lists.
    WrongArchive,
    /// It answers with status 500.
    Broken,
    /// It never answers.
    Silent,
}

/// A release that the server has.
struct Release {
    name: String,
    version: String,
    metadata: Json,
    archive: Vec<u8>,
}

#[derive(Default)]
struct State {
    releases: Vec<Release>,
    deprecated: BTreeMap<String, String>,
    fault: Fault,
    key: Option<String>,
    /// The directory of git repositories.
    git: Option<PathBuf>,
}

/// A Forge, and a git server below `/git/`.
pub struct Server {
    /// Its URL.
    pub url: String,
    state: Arc<Mutex<State>>,
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Starts the server.
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (state, requests) = (Arc::new(Mutex::new(State::default())), Arc::new(AtomicUsize::new(0)));
        let server = Server { url, state: Arc::clone(&state), requests: Arc::clone(&requests) };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, requests) = (Arc::clone(&state), Arc::clone(&requests));
                thread::spawn(move || while answer(&stream, &state, &requests).is_some() {});
            }
        });
        server
    }

    /// The number of requests so far.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    /// Makes it fail.
    pub fn fail(&self, fault: Fault) {
        self.state.lock().unwrap().fault = fault;
    }

    /// Requires a key.
    pub fn require_key(&self, key: &str) {
        self.state.lock().unwrap().key = Some(key.to_owned());
    }

    /// Serves the git repositories of a directory.
    pub fn serve_git(&self, directory: &Path) {
        self.state.lock().unwrap().git = Some(directory.to_owned());
    }

    /// Marks a module as deprecated.
    pub fn deprecate(&self, name: &str, instead: &str) {
        self.state.lock().unwrap().deprecated.insert(name.to_owned(), instead.to_owned());
    }

    /// Adds a release with some files, besides its metadata.json.
    pub fn release(&self, name: &str, version: &str, dependencies: &[(&str, &str)], files: &[(&str, &str)]) {
        let metadata = metadata(name, version, dependencies);
        let mut all: Vec<(String, Vec<u8>)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        all.push(("metadata.json".to_owned(), format!("{metadata:#}\n").into_bytes()));
        self.release_archive(name, version, metadata, archive(&format!("{name}-{version}"), &all));
    }

    /// Adds a release with any archive.
    pub fn release_archive(&self, name: &str, version: &str, metadata: Json, archive: Vec<u8>) {
        let (name, version) = (name.to_owned(), version.to_owned());
        self.state.lock().unwrap().releases.push(Release { name, version, metadata, archive });
    }
}

/// A metadata.json.
pub fn metadata(name: &str, version: &str, dependencies: &[(&str, &str)]) -> Json {
    let dependencies: Vec<Json> = dependencies
        .iter()
        .map(|(name, range)| json!({"name": name.replacen('-', "/", 1), "version_requirement": range}))
        .collect();
    json!({
        "name": name, "version": version, "author": "test", "license": "Apache-2.0", "summary": "a module", "source": "x",
        "dependencies": dependencies, "requirements": [{"name": "puppet", "version_requirement": ">= 7.0.0 < 9.0.0"}],
    })
}

/// A compressed archive with these files in one directory.
pub fn archive(root: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(if path.ends_with(".sh") { 0o755 } else { 0o644 });
        builder.append_data(&mut header, format!("{root}/{path}"), &bytes[..]).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Release {
    fn json(&self) -> Json {
        json!({
            "slug": format!("{}-{}", self.name, self.version),
            "version": self.version,
            "metadata": self.metadata,
            "module": {"slug": self.name},
            "file_uri": format!("/v3/files/{}-{}.tar.gz", self.name, self.version),
            "file_size": self.archive.len(),
            "file_sha256": hex(&Sha256::digest(&self.archive)),
            "file_md5": "",
            "changelog": format!("# Changelog\n\n## {}\n\n- better than before\n", self.version),
            "deleted_at": null,
        })
    }
}

/// A request: method, path, headers and body.
struct Request {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

fn receive(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.insert(name.to_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    let mut body = Vec::new();
    if headers.get("transfer-encoding").is_some_and(|encoding| encoding == "chunked") {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).ok()?;
            body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                break;
            }
        }
    } else {
        body.resize(headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0), 0);
        reader.read_exact(&mut body).ok()?;
    }
    Some(Request { method, path, headers, body })
}

fn answer(mut stream: &TcpStream, state: &Mutex<State>, requests: &AtomicUsize) -> Option<()> {
    let request = receive(stream)?;
    requests.fetch_add(1, Ordering::Relaxed);
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let mut send = |status: &str, kind: &str, body: &[u8], sent: usize| {
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(&body[..sent.min(body.len())]).ok()?;
        if sent < body.len() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return None;
        }
        Some(())
    };
    let mut locked = state.lock().unwrap();
    if let Some(rest) = path.strip_prefix("/git/") {
        let directory = locked.git.clone()?;
        drop(locked);
        let (kind, body) = run_git(&directory, rest, query, &request)?;
        return send("200 OK", &kind, &body, usize::MAX);
    }
    let is_known = |key: &String| request.headers.get("authorization") == Some(&format!("Bearer {key}"));
    if locked.key.as_ref().is_some_and(|key| !is_known(key)) {
        return send("401 Unauthorized", "text/plain", b"no", usize::MAX);
    }
    match locked.fault {
        Fault::Broken => return send("500 Internal Server Error", "text/plain", b"failed", usize::MAX),
        Fault::Silent => {
            drop(locked);
            thread::sleep(std::time::Duration::from_secs(20));
            return None;
        }
        _ => {}
    }
    let json = |value: &Json| value.to_string().into_bytes();
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let found = match parts.as_slice() {
        ["v3", "releases"] => {
            let module = query.split('&').find_map(|pair| pair.strip_prefix("module=")).unwrap_or_default();
            let offset: usize =
                query.split('&').find_map(|pair| pair.strip_prefix("offset=")?.parse().ok()).unwrap_or(0);
            let all: Vec<Json> =
                locked.releases.iter().filter(|release| release.name == module).map(Release::json).collect();
            // Pages are short, so that every test reads several.
            let page: Vec<Json> = all.iter().skip(offset).take(2).cloned().collect();
            let next = (offset + 2 < all.len())
                .then(|| format!("/v3/releases?module={module}&offset={}", offset + 2));
            Some(json(&json!({"pagination": {"next": next, "total": all.len()}, "results": page})))
        }
        ["v3", "releases", slug] => {
            let found = locked
                .releases
                .iter()
                .find(|release| format!("{}-{}", release.name, release.version) == *slug);
            found.map(|release| json(&release.json()))
        }
        ["v3", "modules", name] => {
            let releases: Vec<Json> =
                locked.releases.iter().filter(|release| release.name == *name).map(Release::json).collect();
            let deprecated = locked.deprecated.get(*name);
            releases.last().map(|last| {
                json(&json!({
                    "slug": name, "current_release": last, "releases": releases,
                    "deprecated_at": deprecated.map(|_| "2024-05-06 00:00:00 -0700"),
                    "deprecated_for": deprecated.map(|_| "nobody maintains it"),
                    "superseded_by": deprecated.map(|slug| json!({"slug": slug})),
                }))
            })
        }
        ["v3", "files", file] => {
            let found = locked
                .releases
                .iter()
                .find(|release| format!("{}-{}.tar.gz", release.name, release.version) == *file);
            let mut body = found.map(|release| release.archive.clone()).unwrap_or_default();
            let mut sent = usize::MAX;
            match locked.fault {
                Fault::Cut => sent = body.len() / 2,
                Fault::CutFirst(count) => {
                    sent = body.len() / 2;
                    locked.fault = if count > 1 { Fault::CutFirst(count - 1) } else { Fault::None };
                }
                Fault::WrongArchive => {
                    body = archive("x-y-1.0.0", &[("metadata.json".to_owned(), b"{}".to_vec())])
                }
                _ => {}
            }
            drop(locked);
            return send("200 OK", "application/gzip", &body, sent);
        }
        _ => None,
    };
    drop(locked);
    match found {
        Some(body) => send("200 OK", "application/json", &body, usize::MAX),
        None => send("404 Not Found", "application/json", b"{}", usize::MAX),
    }
}

/// Runs git's own HTTP server for one request.
fn run_git(directory: &Path, path: &str, query: &str, request: &Request) -> Option<(String, Vec<u8>)> {
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", directory)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", format!("/{path}"))
        .env("QUERY_STRING", query)
        .env("REQUEST_METHOD", &request.method)
        .env("CONTENT_TYPE", request.headers.get("content-type").map_or("", String::as_str))
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", request.headers.get("content-encoding").map_or("", String::as_str))
        .env("GIT_PROTOCOL", request.headers.get("git-protocol").map_or("", String::as_str))
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(&request.body).ok()?;
    let output = child.wait_with_output().ok()?.stdout;
    let end = output.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let kind = head.lines().find_map(|line| line.strip_prefix("Content-Type: ")).unwrap_or("text/plain");
    Some((kind.to_owned(), output[end + 4..].to_vec()))
}

/// A git repository in a directory, for tests.
pub struct GitRepository {
    /// Its directory.
    pub root: PathBuf,
}

impl GitRepository {
    /// A new one.
    pub fn new(root: &Path) -> GitRepository {
        std::fs::create_dir_all(root).unwrap();
        let repository = GitRepository { root: root.to_owned() };
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    /// Runs a command of git.
    pub fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(&self.root)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Writes a file.
    pub fn put(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Commits everything; the commit.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }
}
