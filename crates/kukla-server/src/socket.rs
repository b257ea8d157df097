//! The socket of a connection, shared by the tasks that read and write it and by compilations, which check whether the client is still there.

use std::future::Future;
use std::io::{ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::limits::Limits;
use crate::pace::Pace;

/// How long someone may go on sending who has been answered.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A socket.
#[derive(Clone, Debug)]
pub struct Socket(Arc<TcpStream>);

impl Socket {
    /// The socket of a connection.
    pub fn new(stream: TcpStream) -> Socket {
        // Answers are written at once and whole, so there is nothing to wait for.
        let _ = stream.set_nodelay(true);
        Socket(Arc::new(stream))
    }

    /// Whether the other end has gone away: it will send nothing more, whatever it has sent before.
    pub fn is_abandoned(&self) -> bool {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut asked = [PollFd::new(&*self.0, PollFlags::RDHUP)];
        let answered = poll(&mut asked, Some(&at_once));
        answered.is_ok_and(|number| number > 0)
    }

    /// Reads what still comes and forgets it, until the other end stops sending or has had time enough.
    pub async fn drain(&self) {
        let mut forgotten = [0; 16 << 10];
        let until_the_end = async {
            while self.0.readable().await.is_ok() {
                match self.0.try_read(&mut forgotten) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                    Err(_) => break,
                }
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, until_the_end).await;
    }

    /// Does something when the socket is ready for it.
    fn attempt<T>(
        &self,
        interest: Interest,
        context: &mut Context<'_>,
        mut work: impl FnMut(&TcpStream) -> Result<T>,
    ) -> Poll<Result<T>> {
        loop {
            ready!(match interest.is_readable() {
                true => self.0.poll_read_ready(context),
                false => self.0.poll_write_ready(context),
            })?;
            match work(&self.0) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
        }
    }
}

/// A socket whose other end has to accept bytes at a minimum pace: a client that stops reading does not keep an answer for ever.
#[derive(Debug)]
pub struct PacedSocket {
    socket: Socket,
    pace: Pace,
    /// The end of the last write: until the next one begins, the client is not waited for.
    idle_since: Option<Instant>,
    /// The end of the client's time, while it is waited for.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl PacedSocket {
    /// A socket with the pace that the limits allow.
    pub fn new(socket: Socket, limits: &Limits) -> PacedSocket {
        let now = Instant::now();
        PacedSocket { socket, pace: Pace::new(limits, now), idle_since: Some(now), alarm: None }
    }

    fn paced(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut Socket>, &mut Context<'_>) -> Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        let now = Instant::now();
        if let Some(idle) = self.idle_since.take() {
            self.pace.excuse(now - idle);
        }
        match write(Pin::new(&mut self.socket), context) {
            Poll::Ready(written) => {
                self.pace.count(*written.as_ref().unwrap_or(&0), now);
                (self.idle_since, self.alarm) = (Some(now), None);
                Poll::Ready(written)
            }
            Poll::Pending => {
                let deadline = self.pace.deadline();
                let alarm = self.alarm.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
                ready!(alarm.as_mut().poll(context));
                Poll::Ready(Err(ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncRead for PacedSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, into)
    }
}

impl AsyncWrite for PacedSocket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        self.paced(context, |socket, context| socket.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.paced(context, |socket, context| socket.poll_write_vectored(context, parts))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        self.attempt(Interest::READABLE, context, |stream| {
            let read = stream.try_read(into.initialize_unfilled())?;
            into.advance(read);
            Ok(())
        })
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        self.attempt(Interest::WRITABLE, context, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.attempt(Interest::WRITABLE, context, |stream| stream.try_write_vectored(parts))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(shutdown(&*self.0, Shutdown::Write).map_err(Into::into))
    }
}
