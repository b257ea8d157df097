//! Memory for the bodies of requests: taken as bytes arrive, never before, with a limit for all together and one for each client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::limits::Limits;
use crate::peer::ClientKey;

/// The memory for bodies.
#[derive(Debug, Default)]
pub struct Room {
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_client: HashMap<ClientKey, usize>,
}

/// The part of the memory that one request occupies; dropping it frees the memory.
#[derive(Debug)]
pub struct RoomShare {
    room: Arc<Room>,
    client: ClientKey,
    bytes: usize,
}

/// There was no memory in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

impl Room {
    /// A request that occupies nothing yet.
    pub fn share(self: &Arc<Room>, client: ClientKey) -> RoomShare {
        RoomShare { room: Arc::clone(self), client, bytes: 0 }
    }

    /// The bytes that all requests occupy.
    pub fn occupied(&self) -> usize {
        self.lock().all
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_take(&self, client: &ClientKey, bytes: usize, limits: &Limits) -> bool {
        let most = match client {
            ClientKey::Node(_) => limits.requests_per_node,
            ClientKey::Address(_) => limits.requests_per_address,
        };
        let mut taken = self.lock();
        let own = taken.by_client.get(client).copied().unwrap_or(0);
        // Whatever the limits are, one request at a time gets through.
        let fits = |already: usize, most: usize| already == 0 || already.saturating_add(bytes) <= most;
        if !fits(own, most) || !fits(taken.all, limits.requests) {
            return false;
        }
        taken.all += bytes;
        taken.by_client.insert(client.clone(), own + bytes);
        true
    }
}

impl RoomShare {
    /// Takes memory for further bytes; waits until `deadline` for other requests to free some.
    pub async fn take(&mut self, bytes: usize, limits: &Limits, deadline: Instant) -> Result<(), NoRoom> {
        loop {
            let freed = self.room.freed.notified();
            tokio::pin!(freed);
            // From here on nothing that is freed goes unnoticed.
            freed.as_mut().enable();
            if self.room.try_take(&self.client, bytes, limits) {
                self.bytes += bytes;
                return Ok(());
            }
            timeout_at(deadline, freed).await.map_err(|_| NoRoom)?;
        }
    }
}

impl Drop for RoomShare {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut taken = self.room.lock();
        taken.all = taken.all.saturating_sub(self.bytes);
        if let Some(own) = taken.by_client.get_mut(&self.client) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                taken.by_client.remove(&self.client);
            }
        }
        drop(taken);
        self.room.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_its_part_and_all_have_theirs() {
        let limits =
            Limits { requests: 100, requests_per_node: 60, requests_per_address: 10, ..Limits::default() };
        let room = Arc::new(Room::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let now = Instant::now;
            let node = |name: &str| ClientKey::Node(name.into());
            let stranger = ClientKey::of_address([192, 0, 2, 1].into());
            let (mut a, mut a2) = (room.share(node("a")), room.share(node("a")));
            let (mut b, mut s, mut s2) =
                (room.share(node("b")), room.share(stranger.clone()), room.share(stranger));
            assert_eq!(a.take(50, &limits, now()).await, Ok(()));
            assert_eq!(a2.take(20, &limits, now()).await, Err(NoRoom), "more than a node may have");
            assert_eq!(s.take(5, &limits, now()).await, Ok(()));
            assert_eq!(s2.take(6, &limits, now()).await, Err(NoRoom), "more than an address may have");
            assert_eq!(b.take(46, &limits, now()).await, Err(NoRoom), "more than there is");
            assert_eq!(b.take(45, &limits, now()).await, Ok(()));
            drop(a);
            assert_eq!(a2.take(20, &limits, now()).await, Ok(()));
            drop((a2, b, s, s2));
            assert_eq!(room.occupied(), 0);
            assert!(room.lock().by_client.is_empty());
        });
    }
}
