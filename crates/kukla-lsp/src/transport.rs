//! Frames of messages on a pair of streams. A frame that is not a message is answered with an error, and the session goes on.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, ErrorCode, Message};
use serde_json::{Value, json};

/// The threads that read and write messages.
#[derive(Debug)]
pub struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits until the client has sent its last message and received all of them.
    pub fn join(self) -> io::Result<()> {
        let crashed = |_| io::Error::other("a thread has failed");
        self.reader.join().map_err(crashed)??;
        self.writer.join().map_err(crashed)?
    }
}

/// The connection with a client that sends messages on one stream and receives them on another one.
pub fn connect(
    reader: impl BufRead + Send + 'static,
    writer: impl Write + Send + 'static,
) -> io::Result<(Connection, Threads)> {
    let writer = Arc::new(Mutex::new(writer));
    let (to_server, receiver) = unbounded();
    let (sender, from_server) = unbounded();
    let own = Arc::clone(&writer);
    let threads = Threads {
        reader: Builder::new().name("reader".into()).spawn(move || receive(reader, &to_server, &own))?,
        writer: Builder::new().name("writer".into()).spawn(move || send(&from_server, &writer))?,
    };
    Ok((Connection { sender, receiver }, threads))
}

/// Passes messages on until the client disconnects or ends the session.
fn receive(
    mut reader: impl BufRead,
    messages: &Sender<Message>,
    writer: &Mutex<impl Write>,
) -> io::Result<()> {
    while let Some(frame) = read_frame(&mut reader)? {
        let message = match parse(&frame) {
            Ok(message) => message,
            Err(refusal) => {
                write_frame(writer, &refusal)?;
                continue;
            }
        };
        let is_exit = matches!(&message, Message::Notification(one) if one.method == "exit");
        // Without a server, there is nothing more to do.
        if messages.send(message).is_err() || is_exit {
            break;
        }
    }
    Ok(())
}

fn send(messages: &Receiver<Message>, writer: &Mutex<impl Write>) -> io::Result<()> {
    for message in messages {
        let mut value = serde_json::to_value(&message)?;
        value["jsonrpc"] = "2.0".into();
        write_frame(writer, &value)?;
    }
    Ok(())
}

/// The message in a frame, or the answer that says why there is none.
fn parse(frame: &[u8]) -> Result<Message, Value> {
    let refusal = |code: ErrorCode, id: Value, message: String| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}});
    let value: Value = serde_json::from_slice(frame)
        .map_err(|error| refusal(ErrorCode::ParseError, Value::Null, format!("invalid JSON: {error}")))?;
    let id = value.get("id").filter(|id| id.is_i64() || id.is_string()).cloned().unwrap_or_default();
    let has_method = value.get("method").is_none_or(Value::is_string);
    if !value.is_object() || !has_method {
        return Err(refusal(ErrorCode::InvalidRequest, id, "invalid message".into()));
    }
    serde_json::from_value(value)
        .map_err(|error| refusal(ErrorCode::InvalidRequest, id, format!("invalid message: {error}")))
}

/// The body of the next frame; `None` at the end of the stream.
fn read_frame(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    /// The longest header line, far above those of the protocol.
    const LONGEST: u64 = 4096;
    let mut length: Option<u64> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        match text.trim_end() {
            // Blank lines between frames are harmless, and so is anything else without a length.
            "" if length.is_some() => break,
            text => {
                let header =
                    text.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
                length = header.and_then(|(_, value)| value.trim().parse().ok()).or(length);
            }
        }
    }
    let mut body = Vec::new();
    let length = length.unwrap_or_default();
    reader.by_ref().take(length).read_to_end(&mut body)?;
    Ok((body.len() as u64 == length).then_some(body))
}

fn write_frame(writer: &Mutex<impl Write>, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
    write!(writer, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    /// A stream that the test reads afterwards.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_malformed_frame_is_answered_and_the_session_goes_on() {
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let frames = ["{\"é", "[1]", r#"{"id":7,"method":8}"#, "", exit, exit].map(frame).concat();
        let input = format!("Content-Type: x\r\nnonsense\r\n\r\ncontent-length: 4\r\n\r\nnull{frames}");
        let written = Written::default();
        let (connection, threads) = connect(io::Cursor::new(input), written.clone()).unwrap();
        let messages: Vec<Message> = connection.receiver.iter().collect();
        assert!(
            matches!(&messages[..], [Message::Notification(one)] if one.method == "exit"),
            "{messages:?}"
        );
        drop(connection.sender);
        threads.join().unwrap();
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let mut reader = io::Cursor::new(text);
        let mut codes = Vec::new();
        while let Some(body) = read_frame(&mut reader).unwrap() {
            let answer: Value = serde_json::from_slice(&body).unwrap();
            codes.push((answer["error"]["code"].as_i64().unwrap(), answer["id"].clone()));
        }
        let (syntax, invalid) = (-32700, -32600);
        let (none, seven) = (Value::Null, json!(7));
        let expected = [
            (invalid, none.clone()),
            (syntax, none.clone()),
            (invalid, none.clone()),
            (invalid, seven),
            (syntax, none),
        ];
        assert_eq!(codes, expected);
    }

    #[test]
    fn an_unfinished_frame_ends_the_session() {
        let input = "Content-Length: 100\r\n\r\n{}";
        let (connection, threads) = connect(io::Cursor::new(input), io::sink()).unwrap();
        assert_eq!(connection.receiver.iter().count(), 0);
        drop(connection);
        threads.join().unwrap();
    }
}
