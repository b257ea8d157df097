//! Answers: what handlers give back.

use std::cell::RefCell;
use std::fs::File;
use std::future::Future;
use std::io::Read as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use flate2::{Compress, Compression, FlushCompress, Status};
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// A response before it is sent.
#[derive(Debug)]
pub struct Answer {
    /// How it went.
    pub status: StatusCode,
    /// The kind of the content; nothing where there is none.
    pub content_type: Option<&'static str>,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// The content.
    pub content: Content,
    /// Further fields of the log line.
    pub notes: Vec<(&'static str, Value)>,
}

/// The content of a response.
#[derive(Debug)]
pub enum Content {
    /// Something that is there.
    Bytes(Bytes),
    /// The same, packed, and how long it was before.
    Packed(Bytes, u64),
    /// A file, and how long it is.
    File(File, u64),
}

/// JSON as Puppet labels it.
pub const JSON: &str = "application/json;charset=utf-8";
/// Plain text.
pub const TEXT: &str = "text/plain";
/// Plain text as Puppet labels that of errors.
pub const TEXT_UTF8: &str = "text/plain;charset=utf-8";
/// Any bytes.
pub const OCTETS: &str = "application/octet-stream";

/// The names of Puppet's errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// Something went wrong, usually in someone's code.
    Runtime,
    /// It is not there.
    NotFound,
    /// None of the formats that are welcome is one we have.
    Format,
    /// The request is not understood.
    Request,
    /// The body is not what its format says.
    Body,
    /// The body has a format that is not one of ours.
    MediaType,
}

impl Answer {
    /// With this status and content.
    pub fn new(status: StatusCode, content_type: &'static str, content: impl Into<Bytes>) -> Answer {
        Answer {
            status,
            content_type: Some(content_type),
            headers: Vec::new(),
            content: Content::Bytes(content.into()),
            notes: Vec::new(),
        }
    }

    /// A good answer in JSON.
    pub fn json(value: &Value) -> Answer {
        Answer::new(StatusCode::OK, JSON, value.to_string())
    }

    /// A good answer in plain text.
    pub fn text(text: impl Into<String>) -> Answer {
        Answer::new(StatusCode::OK, TEXT, text.into())
    }

    /// Plain text with another status.
    pub fn refused(status: StatusCode, text: impl Into<String>) -> Answer {
        Answer::new(status, TEXT_UTF8, text.into())
    }

    /// Nothing but a status.
    pub fn empty(status: StatusCode, content_type: &'static str) -> Answer {
        Answer::new(status, content_type, Bytes::new())
    }

    /// An error as agents read it.
    pub fn error(issue: Issue, message: impl std::fmt::Display) -> Answer {
        let (status, prefix, kind) = match issue {
            Issue::Runtime => (StatusCode::INTERNAL_SERVER_ERROR, "Server Error", "RUNTIME_ERROR"),
            Issue::NotFound => (StatusCode::NOT_FOUND, "Not Found", "RESOURCE_NOT_FOUND"),
            Issue::Format => (StatusCode::NOT_ACCEPTABLE, "Not Acceptable", "UNSUPPORTED_FORMAT"),
            Issue::Request => (StatusCode::BAD_REQUEST, "Bad Request", "MISSING_REQUIRED_QUERY_PARAMETER"),
            Issue::Body => {
                (StatusCode::BAD_REQUEST, "Bad Request: The request body is invalid", "RUNTIME_ERROR")
            }
            Issue::MediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported Media Type", "UNSUPPORTED_MEDIA_TYPE")
            }
        };
        let body = json!({"message": format!("{prefix}: {message}"), "issue_kind": kind});
        let mut answer = Answer::json(&body).note("error", message.to_string());
        answer.status = status;
        answer
    }

    /// Come back later.
    pub fn busy(seconds: u64, message: &str) -> Answer {
        let mut answer = Answer::refused(StatusCode::SERVICE_UNAVAILABLE, message).note("error", message);
        answer.headers.push(("retry-after", seconds.to_string()));
        answer
    }

    /// The contents of a file.
    pub fn file(file: File) -> std::io::Result<Answer> {
        /// Smaller files are read at once.
        const SMALL: u64 = 256 << 10;
        let length = file.metadata()?.len();
        let content = if length <= SMALL {
            let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
            (&file).take(SMALL + 1).read_to_end(&mut bytes)?;
            Content::Bytes(bytes.into())
        } else {
            Content::File(file, length)
        };
        Ok(Answer { content, ..Answer::empty(StatusCode::OK, OCTETS) })
    }

    /// The same, with something for the log.
    #[must_use]
    pub fn note(mut self, name: &'static str, value: impl Into<Value>) -> Answer {
        self.notes.push((name, value.into()));
        self
    }

    /// How many bytes it has, or had before it was packed.
    pub fn unpacked_length(&self) -> u64 {
        match &self.content {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::Packed(_, length) | Content::File(_, length) => *length,
        }
    }

    /// Packs it if that is welcome and worth it.
    pub fn pack(&mut self, accept_encoding: Option<&str>) {
        /// Smaller ones do not get smaller.
        const LEAST: usize = 200;
        let Content::Bytes(bytes) = &self.content else { return };
        let is_welcome = accept_encoding.is_some_and(|header| {
            header.split(',').any(|each| {
                let mut parts = each.split(';').map(str::trim);
                parts.next() == Some("gzip") && parts.all(|part| !matches!(part, "q=0" | "q=0.0"))
            })
        });
        if !is_welcome || bytes.len() < LEAST || !self.status.is_success() {
            return;
        }
        if let Some(packed) = gzip(bytes) {
            self.content = Content::Packed(packed.into(), bytes.len() as u64);
            self.headers.push(("content-encoding", "gzip".to_owned()));
            self.headers.push(("vary", "Accept-Encoding, User-Agent".to_owned()));
        }
    }

    /// As it goes over the wire.
    pub fn into_response(self) -> Response<Body> {
        let mut response = Response::builder().status(self.status);
        if let Some(content_type) = self.content_type {
            response = response.header("content-type", content_type);
        }
        for (name, value) in &self.headers {
            response = response.header(*name, value);
        }
        let body = match self.content {
            Content::Bytes(bytes) | Content::Packed(bytes, _) => Body::Bytes(bytes),
            Content::File(file, left) => Body::File(FileBody { left, state: FileState::Idle(file) }),
        };
        // A header that a handler made up is text without line breaks, so this does not fail.
        response.body(body).unwrap_or_else(|_| Response::new(Body::Bytes(Bytes::new())))
    }
}

/// Bytes as gzip has them. What a packer works with is a quarter of a megabyte, which each thread has once.
fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    /// The largest window.
    const WINDOW: u8 = 15;
    thread_local! {
        static PACKER: RefCell<Compress> = RefCell::new(Compress::new_gzip(Compression::new(1), WINDOW));
    }
    PACKER.with_borrow_mut(|packer| {
        packer.reset();
        let mut packed = Vec::with_capacity(bytes.len() / 4 + 64);
        loop {
            let rest = bytes.get(usize::try_from(packer.total_in()).ok()?..)?;
            match packer.compress_vec(rest, &mut packed, FlushCompress::Finish).ok()? {
                Status::StreamEnd => return Some(packed),
                _ => packed.reserve(packed.capacity()),
            }
        }
    })
}

/// The content on its way.
#[derive(Debug)]
pub enum Body {
    /// All at once.
    Bytes(Bytes),
    /// A file, piece by piece.
    File(FileBody),
}

/// A file that is read while it is sent: a piece at a time, when the one before has gone. A thread is occupied only while a piece is read, so a client
/// that reads slowly holds none.
#[derive(Debug)]
pub struct FileBody {
    left: u64,
    state: FileState,
}

#[derive(Debug)]
enum FileState {
    Idle(File),
    Reading(JoinHandle<(File, std::io::Result<Bytes>)>),
    Failed,
}

impl FileBody {
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<std::io::Result<Bytes>>> {
        /// The bytes of a piece.
        const PIECE: u64 = 64 << 10;
        loop {
            match std::mem::replace(&mut self.state, FileState::Failed) {
                FileState::Failed => return Poll::Ready(None),
                FileState::Idle(_) if self.left == 0 => return Poll::Ready(None),
                FileState::Idle(file) => {
                    let length = self.left.min(PIECE);
                    let read = move || {
                        let mut piece = vec![0; usize::try_from(length).unwrap_or(0)];
                        let read = (&file).read_exact(&mut piece).map(|()| piece.into());
                        (file, read)
                    };
                    self.state = FileState::Reading(tokio::task::spawn_blocking(read));
                }
                FileState::Reading(mut reading) => match Pin::new(&mut reading).poll(context) {
                    Poll::Pending => {
                        self.state = FileState::Reading(reading);
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok((file, Ok(piece)))) => {
                        self.left -= piece.len() as u64;
                        self.state = FileState::Idle(file);
                        return Poll::Ready(Some(Ok(piece)));
                    }
                    Poll::Ready(Ok((_, Err(error)))) => return Poll::Ready(Some(Err(error))),
                    Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(std::io::Error::other(error)))),
                },
            }
        }
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Body::Bytes(bytes) if bytes.is_empty() => Poll::Ready(None),
            Body::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Body::File(file) => file.poll_piece(context).map(|piece| Some(piece?.map(Frame::data))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Body::Bytes(bytes) => bytes.is_empty(),
            Body::File(file) => file.left == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::File(file) => file.left,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_whole() {
        // Little, much, what packs well and what does not; one after the other on the same thread.
        let noise: Vec<u8> =
            (0..700_000_u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        for bytes in [&b"a"[..], &[b'x'; 3_000_000], &noise, &noise[..777], b""] {
            let mut again = Vec::new();
            let packed = gzip(bytes).unwrap();
            flate2::bufread::GzDecoder::new(&packed[..]).read_to_end(&mut again).unwrap();
            assert!(again == bytes, "{} bytes", bytes.len());
        }
        let mut answer = Answer::text("text ".repeat(100));
        answer.pack(Some("deflate, gzip;q=0.5"));
        assert_eq!(answer.unpacked_length(), 500);
        assert!(matches!(&answer.content, Content::Packed(bytes, 500) if bytes.len() < 100));
        let mut plain = Answer::text("text ".repeat(100));
        plain.pack(Some("gzip;q=0"));
        assert!(matches!(plain.content, Content::Bytes(_)));
    }
}
