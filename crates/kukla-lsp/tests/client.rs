//! A client that speaks the protocol, without an editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kukla::DiskWorld;
use kukla::world::World;
use kukla_lsp::{Connection, ServerOptions, serve};
use lsp_server::{Message, Notification, Request, Response};
use serde_json::{Value, json};

/// A session with a server on its own thread.
pub struct Client {
    connection: Connection,
    next: i32,
    /// Notifications and requests of the server that nobody has asked for yet.
    pub received: Vec<Message>,
    thread: Option<std::thread::JoinHandle<bool>>,
}

/// The control repository that comes with Kukla.
pub fn site() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site").canonicalize().unwrap()
}

/// The URI of a path.
pub fn uri(path: &Path) -> String {
    kukla_lsp::uris::uri_of(path).unwrap().as_str().to_owned()
}

/// The abilities of a modern client.
pub fn capabilities() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": {
            "completion": {"completionItem": {"snippetSupport": true}},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "publishDiagnostics": {"relatedInformation": true},
        },
        "workspace": {
            "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"]},
            "didChangeWatchedFiles": {"dynamicRegistration": true},
        },
    })
}

impl Client {
    /// A session on the disk.
    pub fn on_disk(root: &Path) -> Client {
        Client::new(Arc::new(DiskWorld::default()), root, capabilities(), json!({}))
    }

    /// A session in a world, with the abilities and settings of a client.
    pub fn new(world: Arc<dyn World>, root: &Path, capabilities: Value, settings: Value) -> Client {
        let mut client = Client::uninitialized(world);
        let params = json!({
            "processId": null,
            "capabilities": capabilities,
            "initializationOptions": settings,
            "workspaceFolders": [{"uri": uri(root), "name": "root"}],
        });
        client.request("initialize", params).unwrap();
        client.notify("initialized", json!({}));
        client
    }

    /// A session that has not begun.
    pub fn uninitialized(world: Arc<dyn World>) -> Client {
        let (connection, server) = Connection::memory();
        let options = ServerOptions { world, node: None, log: None, draw: Some(|_| "<svg/>".into()) };
        let thread = std::thread::spawn(move || serve(server, options).unwrap());
        Client { connection, next: 0, received: Vec::new(), thread: Some(thread) }
    }

    /// Sends a request without waiting for its answer, and returns its id.
    pub fn send(&mut self, method: &str, params: Value) -> i32 {
        self.next += 1;
        let request = Request::new(self.next.into(), method.to_owned(), params);
        self.connection.sender.send(request.into()).unwrap();
        self.next
    }

    /// Waits for the answer to a request.
    pub fn wait(&mut self, id: i32) -> Result<Value, (i32, String)> {
        loop {
            let message = self.connection.receiver.recv_timeout(Duration::from_secs(120)).unwrap();
            match message {
                Message::Response(Response { id: own, result, error }) if own == id.into() => {
                    return match error {
                        Some(error) => Err((error.code, error.message)),
                        None => Ok(result.unwrap_or_default()),
                    };
                }
                other => self.received.push(other),
            }
        }
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        let id = self.send(method, params);
        self.wait(id)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        let notification = Notification::new(method.to_owned(), params);
        self.connection.sender.send(notification.into()).unwrap();
    }

    /// Opens a text.
    pub fn open(&mut self, path: &Path, text: &str) {
        let language =
            if path.extension().is_some_and(|extension| extension == "pp") { "puppet" } else { "" };
        let document = json!({"uri": uri(path), "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Opens a file as it is, and returns its text.
    pub fn open_file(&mut self, path: &Path) -> String {
        let text = std::fs::read_to_string(path).unwrap();
        self.open(path, &text);
        text
    }

    /// Replaces an open text.
    pub fn replace(&mut self, path: &Path, version: i32, text: &str) {
        let params = json!({
            "textDocument": {"uri": uri(path), "version": version},
            "contentChanges": [{"text": text}],
        });
        self.notify("textDocument/didChange", params);
    }

    /// A request about a position of a text, marked by the nth occurrence of a word and an offset in it.
    pub fn at(&mut self, method: &str, path: &Path, text: &str, word: &str, inside: usize) -> Value {
        let params = json!({"textDocument": {"uri": uri(path)}, "position": position(text, word, inside)});
        self.request(method, params).unwrap()
    }

    /// The labels of the completions at a position.
    pub fn complete(&mut self, path: &Path, text: &str, mark: &str) -> Vec<String> {
        let at = text.find(mark).unwrap() + mark.len();
        let params = json!({"textDocument": {"uri": uri(path)}, "position": position_of(text, at)});
        let found = self.request("textDocument/completion", params).unwrap();
        let items = found["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    }

    /// The diagnostics of a file, when the server has nothing else to do.
    pub fn diagnostics(&mut self, path: &Path) -> Vec<Value> {
        let params = json!({"textDocument": {"uri": uri(path)}});
        let report = self.request("textDocument/diagnostic", params).unwrap();
        report["items"].as_array().cloned().unwrap_or_default()
    }

    /// The codes of the findings of the checker in a file.
    pub fn codes(&mut self, path: &Path) -> Vec<String> {
        let found = self.diagnostics(path);
        let own = found.iter().filter(|one| one["source"] == "kukla");
        own.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    }

    /// Ends the session. The result is whether the server ended in order.
    pub fn shut_down(mut self) -> bool {
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.thread.take().unwrap().join().unwrap()
    }
}

/// The position of an offset in a word of a text, in UTF-16.
pub fn position(text: &str, word: &str, inside: usize) -> Value {
    position_of(text, text.find(word).unwrap_or_else(|| panic!("no {word:?} in {text}")) + inside)
}

/// The position of an offset, in UTF-16.
pub fn position_of(text: &str, at: usize) -> Value {
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": text[start..at].encode_utf16().count()})
}

/// The text of a range.
pub fn text_of<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset_of(text, &range["start"])..offset_of(text, &range["end"])]
}

/// The offset of a position, in UTF-16.
pub fn offset_of(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut left = position["character"].as_u64().unwrap() as usize;
    let mut at = start;
    for c in text[start..].chars() {
        if left == 0 || c == '\n' {
            break;
        }
        left = left.saturating_sub(c.len_utf16());
        at += c.len_utf8();
    }
    at
}

/// A text with the edits of an answer.
pub fn apply(text: &str, edits: &Value) -> String {
    let edits = edits.as_array().cloned().unwrap_or_default();
    let mut spans: Vec<(usize, usize, String)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap().to_owned();
            (offset_of(text, &range["start"]), offset_of(text, &range["end"]), new)
        })
        .collect();
    spans.sort();
    let mut out = text.to_owned();
    for (start, end, new) in spans.into_iter().rev() {
        out.replace_range(start..end, &new);
    }
    out
}
