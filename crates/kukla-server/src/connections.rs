//! Open connections, with quotas for each client.
//!
//! A client beyond its quota does not lock others out, nor itself: its oldest connection is closed for the new one. Who has opened a
//! thousand connections from an address does not keep an agent behind the same address from its catalog.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::limits::Limits;
use crate::peer::ClientKey;

/// All open connections.
#[derive(Debug, Default)]
pub struct Connections {
    table: Mutex<Table>,
    all_closed: Notify,
}

#[derive(Debug, Default)]
struct Table {
    /// The number of the next connection; a smaller number is an older connection.
    next: u64,
    closers: HashMap<u64, Arc<Notify>>,
    by_client: HashMap<ClientKey, BTreeSet<u64>>,
}

/// An open connection; dropping it removes it from the table.
#[derive(Debug)]
pub struct OpenConnection {
    connections: Arc<Connections>,
    number: u64,
    client: ClientKey,
    closer: Arc<Notify>,
}

impl Connections {
    /// Admits a new connection of a client, for which older ones may be closed.
    pub fn admit(self: &Arc<Connections>, client: ClientKey, limits: &Limits) -> OpenConnection {
        let closer = Arc::new(Notify::new());
        let mut table = self.lock();
        let number = table.next;
        table.next += 1;
        if table.closers.len() >= limits.connections {
            table.close_oldest_of_largest();
        }
        table.add(&client, number, limits);
        table.closers.insert(number, Arc::clone(&closer));
        drop(table);
        OpenConnection { connections: Arc::clone(self), number, client, closer }
    }

    /// The number of open connections.
    pub fn count(&self) -> usize {
        self.lock().closers.len()
    }

    /// Waits until no connection is open.
    pub async fn all_closed(&self) {
        loop {
            let closed = self.all_closed.notified();
            tokio::pin!(closed);
            closed.as_mut().enable();
            if self.count() == 0 {
                return;
            }
            closed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn add(&mut self, client: &ClientKey, number: u64, limits: &Limits) {
        let most = match client {
            ClientKey::Node(_) => limits.connections_per_node,
            ClientKey::Address(_) => limits.connections_per_address,
        };
        while self.by_client.get(client).is_some_and(|open| open.len() >= most.max(1)) {
            self.close_oldest(client);
        }
        self.by_client.entry(client.clone()).or_default().insert(number);
    }

    /// Makes room if there are too many connections altogether: strangers with most of them go first.
    fn close_oldest_of_largest(&mut self) {
        let weight = |client: &ClientKey, open: &BTreeSet<u64>| {
            (matches!(client, ClientKey::Address(_)), open.len(), std::cmp::Reverse(client.clone()))
        };
        let largest = self.by_client.iter().max_by_key(|(client, open)| weight(client, open));
        if let Some(client) = largest.map(|(client, _)| client.clone()) {
            self.close_oldest(&client);
        }
    }

    fn close_oldest(&mut self, client: &ClientKey) {
        let Some(open) = self.by_client.get_mut(client) else { return };
        if let Some(number) = open.pop_first()
            && let Some(closer) = self.closers.remove(&number)
        {
            closer.notify_one();
        }
        self.forget_if_empty(client);
    }

    fn remove(&mut self, client: &ClientKey, number: u64) {
        if let Some(open) = self.by_client.get_mut(client) {
            open.remove(&number);
        }
        self.forget_if_empty(client);
    }

    fn forget_if_empty(&mut self, client: &ClientKey) {
        if self.by_client.get(client).is_some_and(BTreeSet::is_empty) {
            self.by_client.remove(client);
        }
    }
}

impl OpenConnection {
    /// Counts the connection to another client: the certificate that was shown on it.
    pub fn identify(&mut self, client: ClientKey, limits: &Limits) {
        let mut table = self.connections.lock();
        table.remove(&self.client, self.number);
        if table.closers.contains_key(&self.number) {
            table.add(&client, self.number, limits);
        }
        self.client = client;
    }

    /// The signal that the connection has to be closed for a newer one.
    pub fn closer(&self) -> Arc<Notify> {
        Arc::clone(&self.closer)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut table = self.connections.lock();
        table.remove(&self.client, self.number);
        table.closers.remove(&self.number);
        let is_last = table.closers.is_empty();
        drop(table);
        if is_last {
            self.connections.all_closed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    fn is_closed(connection: &OpenConnection) -> bool {
        let closer = connection.closer();
        let mut closed = std::pin::pin!(closer.notified());
        closed.as_mut().poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    #[test]
    fn the_oldest_connection_of_a_client_beyond_its_quota_is_closed() {
        let limits = Limits {
            connections: 5,
            connections_per_address: 3,
            connections_per_node: 2,
            ..Limits::default()
        };
        let connections = Arc::new(Connections::default());
        let address = |last: u8| ClientKey::of_address([192, 0, 2, last].into());
        let node = || ClientKey::Node("web1".into());
        let mut one: Vec<_> = (0..3).map(|_| connections.admit(address(1), &limits)).collect();
        assert!(!one.iter().any(is_closed));
        // Behind the same address a node identifies itself, and is counted by its name from then on.
        let mut agent = connections.admit(address(1), &limits);
        assert!(is_closed(&one[0]) && !is_closed(&one[1]));
        agent.identify(node(), &limits);
        drop(one.remove(0));
        assert_eq!(connections.count(), 3);
        let second = connections.admit(node(), &limits);
        let third = connections.admit(node(), &limits);
        assert!(is_closed(&agent) && !is_closed(&second));
        // All together: strangers go before nodes.
        let (other, _more) = (connections.admit(address(2), &limits), connections.admit(address(3), &limits));
        assert!(is_closed(&one[0]) && !is_closed(&third) && !is_closed(&other));
        let v6 = |text: &str| ClientKey::of_address(text.parse().unwrap());
        assert_eq!(v6("2001:db8::1"), v6("2001:db8::2"));
        assert_eq!(v6("::ffff:192.0.2.1"), address(1));
    }
}
