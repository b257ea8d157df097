//! The body of a request as it arrives: within the limit of its route, at a minimum pace, and with memory that is taken byte by byte.

use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Incoming};
use tokio::time::{Instant, timeout_at};

use crate::answer::Answer;
use crate::limits::Limits;
use crate::pace::Pace;
use crate::room::{NoRoom, RoomShare};

/// Why a body was not received.
#[derive(Debug)]
pub enum NotReceived {
    /// It is larger than this.
    TooLarge(usize),
    /// It did not arrive in time.
    TooSlow,
    /// There is no memory for it.
    NoRoom,
    /// It ended early, or is malformed.
    Broken(String),
}

impl From<NoRoom> for NotReceived {
    fn from(_: NoRoom) -> NotReceived {
        NotReceived::NoRoom
    }
}

impl NotReceived {
    /// The answer; `retry` is the time after which there may be memory.
    pub fn answer(&self, retry: u64) -> Answer {
        let refused = |status, text: String| Answer::refused(status, text);
        match self {
            NotReceived::TooLarge(limit) => refused(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("Payload Too Large: at most {limit} bytes are accepted here"),
            ),
            NotReceived::TooSlow => refused(StatusCode::REQUEST_TIMEOUT, "Request Timeout".to_owned()),
            NotReceived::NoRoom => {
                Answer::busy(retry, "Service Unavailable: too many bytes are being received")
            }
            NotReceived::Broken(error) => refused(StatusCode::BAD_REQUEST, format!("Bad Request: {error}")),
        }
    }
}

/// Receives a body of at most `most` bytes.
pub async fn receive(
    mut body: Incoming,
    most: usize,
    limits: &Limits,
    share: &mut RoomShare,
) -> Result<Bytes, NotReceived> {
    // A body that is announced as too large is refused before any of it arrives.
    let announced = body.size_hint().lower();
    if announced > most as u64 {
        return Err(NotReceived::TooLarge(most));
    }
    let begun = Instant::now();
    let mut end = begun + limits.arrival;
    let mut pace = Pace::new(limits, begun);
    let mut received = Received::default();
    loop {
        let next = timeout_at(pace.deadline().min(end), body.frame()).await;
        let Some(frame) = next.map_err(|_| NotReceived::TooSlow)? else { break };
        let frame = frame.map_err(|error| NotReceived::Broken(error.to_string()))?;
        let Ok(piece) = frame.into_data() else { continue };
        if piece.len() > most - received.length {
            return Err(NotReceived::TooLarge(most));
        }
        let arrived = Instant::now();
        pace.count(piece.len(), arrived);
        share.take(piece.len(), limits, arrived + limits.wait).await?;
        // A client is not slow because there was no memory.
        let waited = arrived.elapsed();
        pace.excuse(waited);
        end += waited;
        if received.length == 0 && body.is_end_stream() {
            return Ok(piece);
        }
        received.push(&piece);
    }
    Ok(received.join())
}

/// The pieces of a body. They are copied, because a piece of one byte may keep a buffer of many.
#[derive(Debug, Default)]
struct Received {
    segments: Vec<Vec<u8>>,
    length: usize,
}

impl Received {
    fn push(&mut self, piece: &[u8]) {
        /// The bytes of a segment.
        const SEGMENT: usize = 64 << 10;
        self.length += piece.len();
        match self.segments.last_mut() {
            Some(last) if last.capacity() - last.len() >= piece.len() => last.extend_from_slice(piece),
            _ => {
                let mut segment = Vec::with_capacity(piece.len().max(SEGMENT));
                segment.extend_from_slice(piece);
                self.segments.push(segment);
            }
        }
    }

    /// Each segment is freed when it was copied, so the body is not in memory twice.
    fn join(self) -> Bytes {
        let mut all = Vec::with_capacity(self.length);
        for segment in self.segments {
            all.extend_from_slice(&segment);
        }
        all.into()
    }
}
