//! The socket of a connection, shared by the tasks that read and write it and by compilations, which check whether the client is still there.

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

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
