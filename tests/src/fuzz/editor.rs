//! Sessions of editors with the language server.

use std::sync::Arc;

use kukla::MemoryWorld;
use kukla_lsp::{Connection, Message, ServerOptions, serve};

/// The code of an answer that owns up to a mistake of the server.
const INTERNAL_ERROR: i32 = -32603;

/// A session: one message of the protocol in each line, after the first one. Every request gets an answer, and none is an internal error.
pub(super) fn lsp(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    // Commands compile on threads of their own, and are the business of other targets.
    let is_command = |message: &Message| matches!(message, Message::Request(request) if request.method == "workspace/executeCommand");
    let messages: Vec<Message> = messages.filter(|message| !is_command(message)).collect();
    let world = MemoryWorld::default()
        .with("/site/environment.conf", "")
        .with("/site/manifests/site.pp", "include a\n")
        .with("/site/modules/a/manifests/init.pp", "class a ($x = 1) { notify { \"é ${x}\": } }\n")
        .with("/site/data/common.yaml", "a::x: 2\n")
        .with("/site/hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n");
    let (client, server) = Connection::memory();
    let options = ServerOptions { world: Arc::new(world), node: None, log: None, draw: None };
    let thread = std::thread::spawn(move || serve(server, options));
    let first =
        r#"{"id":"first","method":"initialize","params":{"capabilities":{},"rootUri":"file:///site"}}"#;
    let first = serde_json::from_str::<Message>(first).into_iter();
    let mut asked = 0;
    for message in first.chain(messages) {
        let is_exit = matches!(&message, Message::Notification(note) if note.method == "exit");
        asked += usize::from(matches!(message, Message::Request(_)));
        if client.sender.send(message).is_err() || is_exit {
            break;
        }
    }
    let Connection { sender, receiver } = client;
    drop(sender);
    let mut answered = 0;
    for message in receiver {
        if let Message::Response(response) = message {
            answered += 1;
            let is_internal = response.error.as_ref().is_some_and(|error| error.code == INTERNAL_ERROR);
            assert!(!is_internal, "{response:?}");
        }
    }
    assert!(thread.join().is_ok_and(|ended| ended.is_ok()));
    assert_eq!(answered, asked);
}
