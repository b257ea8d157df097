//! The session itself: its beginning and end, requests that are withdrawn, messages that make no sense.

use std::sync::Arc;

use kukla::MemoryWorld;
use serde_json::{Value, json};

use crate::client::{Client, capabilities, site, uri};

#[test]
fn a_session_begins_and_ends() {
    let mut client = Client::uninitialized(Arc::new(MemoryWorld::default()));
    let refused = client.request("textDocument/hover", json!({})).unwrap_err();
    assert_eq!(refused.0, -32002);
    let params = json!({"processId": null, "capabilities": {}, "rootUri": uri(&site())});
    let answer = client.request("initialize", params.clone()).unwrap();
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(answer["serverInfo"]["name"], "kukla");
    assert_eq!(client.request("initialize", params).unwrap_err().0, -32600);
    assert_eq!(client.request("no/such", json!({})).unwrap_err().0, -32601);
    assert_eq!(client.request("textDocument/hover", json!(1)).unwrap_err().0, -32602);
    client.notify("textDocument/didOpen", json!("nonsense"));
    client.notify("$/unknown", Value::Null);
    assert!(client.shut_down());
}

#[test]
fn bytes_are_the_unit_of_columns_where_the_client_knows_them() {
    let mut own = capabilities();
    own["general"]["positionEncodings"] = json!(["utf-16", "utf-8"]);
    let mut client = Client::uninitialized(Arc::new(MemoryWorld::default()));
    let params = json!({"processId": null, "capabilities": own, "rootUri": uri(&site())});
    let answer = client.request("initialize", params).unwrap();
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
}

#[test]
fn a_request_can_be_withdrawn() {
    let mut client = Client::on_disk(&site());
    let path = site().join("manifests/site.pp");
    client.open_file(&path);
    // The first one is analysed first, so that the others wait.
    let params = json!({"textDocument": {"uri": uri(&path)}});
    let ids: Vec<i32> = (0..20).map(|_| client.send("textDocument/documentSymbol", params.clone())).collect();
    for id in &ids {
        client.notify("$/cancelRequest", json!({"id": id}));
    }
    let answers: Vec<_> = ids.iter().map(|id| client.wait(*id)).collect();
    let is_known = |answer: &Result<Value, (i32, String)>| match answer {
        Ok(_) => true,
        Err((code, _)) => *code == -32800,
    };
    assert!(answers.iter().all(is_known), "{answers:?}");
    assert!(client.shut_down());
}

#[test]
fn findings_are_sent_unasked() {
    let world =
        MemoryWorld::default().with("/site/environment.conf", "").with("/site/manifests/site.pp", "$a = 1");
    let mut client =
        Client::new(Arc::new(world), std::path::Path::new("/site"), json!({}), json!({"lint": false}));
    let path = std::path::Path::new("/site/manifests/site.pp");
    client.open(path, "$a = [80]\n$a * 2\nnotice($b)\n");
    // Published when there is nothing else to do.
    std::thread::sleep(std::time::Duration::from_millis(300));
    client.request("workspace/symbol", json!({"query": "x"})).unwrap();
    let mut published = client.received.iter().filter_map(|message| match message {
        lsp_server::Message::Notification(note) if note.method == "textDocument/publishDiagnostics" => {
            Some(note.params.clone())
        }
        _ => None,
    });
    let last = published.next_back().expect("diagnostics are published");
    assert_eq!(last["version"], 1);
    assert!(last["diagnostics"].as_array().is_some_and(|all| !all.is_empty()), "{last}");
    assert_eq!(client.codes(path).len(), last["diagnostics"].as_array().unwrap().len());
}
