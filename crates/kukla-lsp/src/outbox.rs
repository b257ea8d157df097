//! Messages to the client.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crossbeam_channel::Sender;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;

use crate::log::Log;

/// The way to the client, shared by all threads.
#[derive(Clone, Debug)]
pub struct Outbox {
    sender: Sender<Message>,
    log: Log,
    next: Arc<AtomicI32>,
}

/// The reason why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code of the protocol.
    pub code: i32,
    /// The message for the user.
    pub message: String,
}

impl Refusal {
    /// A request that cannot be carried out, for a reason that the user should know.
    pub fn failed(message: impl Into<String>) -> Refusal {
        // RequestFailed of the protocol, which the crate does not list.
        Refusal { code: -32803, message: message.into() }
    }

    /// A request with invalid parameters.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal { code: ErrorCode::InvalidParams as i32, message: message.into() }
    }

    /// A request that the client has withdrawn.
    pub fn cancelled() -> Refusal {
        Refusal { code: ErrorCode::RequestCanceled as i32, message: "cancelled".into() }
    }
}

impl Outbox {
    /// An outbox that sends to this channel.
    pub fn new(sender: Sender<Message>, log: Log) -> Outbox {
        Outbox { sender, log, next: Arc::new(AtomicI32::new(1)) }
    }

    /// The log of the session.
    pub fn log(&self) -> &Log {
        &self.log
    }

    fn send(&self, message: Message) {
        self.log.message("server", &message);
        // Without a client there is nobody to tell.
        let _ = self.sender.send(message);
    }

    /// Answers a request.
    pub fn respond(&self, id: RequestId, result: Result<serde_json::Value, Refusal>) {
        let response = match result {
            Ok(value) => Response::new_ok(id, value),
            Err(refusal) => Response::new_err(id, refusal.code, refusal.message),
        };
        self.send(response.into());
    }

    /// Sends a notification.
    pub fn notify<N: lsp_types::notification::Notification>(&self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(Notification::new(N::METHOD.to_owned(), params).into());
    }

    /// Sends a request whose answer nobody waits for.
    pub fn request<R: lsp_types::request::Request>(&self, params: R::Params)
    where
        R::Params: Serialize,
    {
        let id = RequestId::from(self.next.fetch_add(1, Ordering::Relaxed));
        self.send(Request::new(id, R::METHOD.to_owned(), params).into());
    }

    /// Shows a message to the user.
    pub fn show(&self, typ: lsp_types::MessageType, message: impl Into<String>) {
        let params = lsp_types::ShowMessageParams { typ, message: message.into() };
        self.notify::<lsp_types::notification::ShowMessage>(params);
    }
}
