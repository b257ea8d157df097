//! A browser without a window, driven over its DevTools protocol: JSON in the frames of a WebSocket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Nothing that is asked of the browser takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// The browser of this machine: `KUKLA_CHROMIUM`, or what is on the path.
pub fn installed() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("KUKLA_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let names = ["chromium", "chromium-browser", "chromium-headless-shell", "google-chrome", "chrome"];
    let candidates = names.iter().flat_map(|name| places.iter().map(move |place| place.join(name)));
    candidates.into_iter().find(|candidate| candidate.is_file())
}

/// A browser with one page.
pub struct Browser {
    process: Child,
    socket: TcpStream,
    last: u64,
    /// Events that the page sent while answers were awaited.
    pub events: Vec<Value>,
}

impl Browser {
    /// Starts it; what it has to remember lies in `scratch`.
    pub fn start(program: &Path, scratch: &Path) -> Browser {
        let profile = scratch.join("profile");
        let process = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--remote-debugging-port=0", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let started = Instant::now();
        let port = loop {
            let text = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
            if let Some(port) = text.lines().next().and_then(|line| line.parse::<u16>().ok()) {
                break port;
            }
            assert!(started.elapsed() < PATIENCE, "the browser does not start");
            std::thread::sleep(Duration::from_millis(50));
        };
        let socket = connect(port, &page(port));
        Browser { process, socket, last: 0, events: Vec::new() }
    }

    /// Asks for something and waits for the answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let request = json!({"id": self.last, "method": method, "params": parameters});
        send(&mut self.socket, &request.to_string());
        loop {
            let answer: Value = serde_json::from_slice(&receive(&mut self.socket)).unwrap();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let answer = self.call(
            "Runtime.evaluate",
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
        );
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Opens a file, with something behind its name, and waits until it is there.
    pub fn open(&mut self, file: &Path, fragment: &str) {
        // A change of the fragment alone would not reload the page.
        self.load("about:blank");
        self.load(&format!("file://{}{fragment}", file.display()));
    }

    fn load(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        let started = Instant::now();
        let expression = format!(
            "location.href.startsWith({}) && document.readyState === 'complete'",
            json!(address.split('#').next())
        );
        while self.eval(&expression) != true {
            assert!(started.elapsed() < PATIENCE, "{address} does not load");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Types into what has the focus, as a person would.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // What starts a browser may be a script, and a browser is several processes.
        let group = rustix::process::Pid::from_child(&self.process);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.process.wait();
    }
}

/// The address of the first page's socket.
fn page(port: u16) -> String {
    let started = Instant::now();
    loop {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(stream, "GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut reader = BufReader::new(stream);
        let length = head(&mut reader);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let pages: Value = serde_json::from_slice(&body).unwrap();
        let mut pages = pages.as_array().unwrap().iter().filter(|page| page["type"] == "page");
        if let Some(address) = pages.next().and_then(|page| page["webSocketDebuggerUrl"].as_str()) {
            let (_, path) = address.split_once("/devtools/").unwrap();
            return format!("/devtools/{path}");
        }
        assert!(started.elapsed() < PATIENCE, "the browser has no page");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Reads the head of an answer and says how long the rest is.
fn head(reader: &mut impl BufRead) -> usize {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end();
        if line.is_empty() {
            return length;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
}

fn connect(port: u16, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    .unwrap();
    // Byte by byte: what follows the head are frames already.
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
    assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
    stream
}

/// Sends one text frame; a client has to mask it, and a mask of zeros is one.
fn send(stream: &mut TcpStream, text: &str) {
    let mut frame = vec![0x81];
    match text.len() {
        length @ 0..126 => frame.push(0x80 | u8::try_from(length).unwrap()),
        length => {
            frame.push(0x80 | 127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    stream.write_all(&frame).unwrap();
}

/// The next message, put together from its frames.
fn receive(stream: &mut TcpStream) -> Vec<u8> {
    let mut message = Vec::new();
    loop {
        let mut start = [0; 2];
        stream.read_exact(&mut start).unwrap();
        let length = match start[1] & 0x7f {
            126 => {
                let mut bytes = [0; 2];
                stream.read_exact(&mut bytes).unwrap();
                u64::from(u16::from_be_bytes(bytes))
            }
            127 => {
                let mut bytes = [0; 8];
                stream.read_exact(&mut bytes).unwrap();
                u64::from_be_bytes(bytes)
            }
            short => u64::from(short),
        };
        let mut part = vec![0; usize::try_from(length).unwrap()];
        stream.read_exact(&mut part).unwrap();
        let (is_last, opcode) = (start[0] & 0x80 != 0, start[0] & 0x0f);
        if opcode <= 2 {
            message.extend(part);
            if is_last {
                return message;
            }
        }
    }
}
