//! git over HTTP through the client of all other requests, so that no second one is needed.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use gix_transport::client::AuthenticationRequired;
use gix_transport::client::blocking_io::http::{GetResponse, Http, PostBodyDataKind, PostResponse};
use ureq::Agent;

/// The transport of git over HTTP.
#[derive(Debug)]
pub struct GitHttp {
    /// The client.
    pub agent: Agent,
}

/// A request that is sent when its answer is first read: until then its body is written.
struct Exchange {
    agent: Agent,
    url: String,
    headers: Vec<(String, String)>,
    /// The body of a POST.
    body: Option<Vec<u8>>,
    answer: Option<Answer>,
}

struct Answer {
    headers: Cursor<Vec<u8>>,
    body: Box<dyn BufRead + Send>,
}

type Shared = Arc<Mutex<Exchange>>;

impl Exchange {
    fn answer(&mut self) -> io::Result<&mut Answer> {
        let answer = match self.answer.take() {
            Some(answer) => answer,
            None => self.send()?,
        };
        Ok(self.answer.insert(answer))
    }

    fn send(&mut self) -> io::Result<Answer> {
        let sent = match self.body.take() {
            None => {
                let mut request = self.agent.get(&self.url);
                for (name, value) in &self.headers {
                    request = request.header(name, value);
                }
                request.call()
            }
            Some(body) => {
                let mut request = self.agent.post(&self.url);
                for (name, value) in &self.headers {
                    request = request.header(name, value);
                }
                request.send(&body[..])
            }
        };
        let response = sent.map_err(|error| match error {
            ureq::Error::Timeout(_) => io::Error::new(io::ErrorKind::TimedOut, error.to_string()),
            error => io::Error::new(io::ErrorKind::ConnectionAborted, error.to_string()),
        })?;
        match response.status().as_u16() {
            200..300 => {}
            401 => {
                let all = response.headers().get_all("www-authenticate");
                let www_authenticate = all.iter().map(|value| value.as_bytes().into()).collect();
                let required = AuthenticationRequired { www_authenticate };
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, required));
            }
            404 => return Err(io::Error::new(io::ErrorKind::NotFound, "HTTP status 404")),
            status @ 500.. => {
                return Err(io::Error::new(
                    io::ErrorKind::ConnectionAborted,
                    format!("HTTP status {status}"),
                ));
            }
            status => return Err(io::Error::other(format!("HTTP status {status}"))),
        }
        let mut headers = Vec::new();
        for (name, value) in response.headers() {
            writeln!(headers, "{name}: {}", String::from_utf8_lossy(value.as_bytes()))?;
        }
        let body = response.into_body().into_with_config().limit(u64::MAX).reader();
        Ok(Answer { headers: Cursor::new(headers), body: Box::new(BufReader::new(body)) })
    }
}

/// A part of an answer.
pub struct AnswerReader {
    shared: Shared,
    is_headers: bool,
    /// Bytes that were read ahead, since the answer itself is behind a lock.
    buffer: Vec<u8>,
    position: usize,
}

impl AnswerReader {
    fn new(shared: &Shared, is_headers: bool) -> AnswerReader {
        AnswerReader { shared: Arc::clone(shared), is_headers, buffer: Vec::new(), position: 0 }
    }
}

impl Read for AnswerReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(to.len());
        to[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for AnswerReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.position >= self.buffer.len() {
            let mut exchange = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = exchange.answer()?;
            self.buffer.resize(64 << 10, 0);
            self.position = 0;
            let read = match self.is_headers {
                true => answer.headers.read(&mut self.buffer),
                false => answer.body.read(&mut self.buffer),
            };
            self.buffer.truncate(*read.as_ref().unwrap_or(&0));
            read?;
        }
        Ok(&self.buffer[self.position..])
    }

    fn consume(&mut self, count: usize) {
        self.position += count;
    }
}

/// The body of a request that is not sent yet.
pub struct RequestBody(Shared);

impl Write for RequestBody {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut exchange = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        exchange.body.get_or_insert_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl GitHttp {
    fn exchange(
        &self,
        url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        body: Option<Vec<u8>>,
    ) -> Shared {
        let split = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let headers = headers.into_iter().filter_map(|line| split(line.as_ref())).collect();
        let (agent, url) = (self.agent.clone(), url.to_owned());
        Arc::new(Mutex::new(Exchange { agent, url, headers, body, answer: None }))
    }
}

impl Http for GitHttp {
    type Headers = AnswerReader;
    type ResponseBody = AnswerReader;
    type PostBody = RequestBody;

    fn get(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::error::Result<GetResponse<AnswerReader, AnswerReader>> {
        let shared = self.exchange(url, headers, None);
        Ok(GetResponse { headers: AnswerReader::new(&shared, true), body: AnswerReader::new(&shared, false) })
    }

    fn post(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        _body: PostBodyDataKind,
    ) -> gix::error::Result<PostResponse<AnswerReader, AnswerReader, RequestBody>> {
        let shared = self.exchange(url, headers, Some(Vec::new()));
        Ok(PostResponse {
            headers: AnswerReader::new(&shared, true),
            body: AnswerReader::new(&shared, false),
            post_body: RequestBody(shared),
        })
    }

    fn configure(&mut self, _config: &dyn std::any::Any) -> gix::error::Result<()> {
        Ok(())
    }
}
