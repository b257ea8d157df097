//! Threads for handlers, in pools that do not take from each other: strangers who ask for certificates leave those of agents alone, and
//! slow reports leave files alone. Waiting for a thread has a limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A kind of work with threads of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// Catalogs.
    Catalogs,
    /// The classification of nodes.
    Nodes,
    /// Files and their metadata.
    Files,
    /// Facts, reports and backups.
    Reports,
    /// Requests of nodes to the certificate authority.
    Authority,
    /// Requests of clients without certificates.
    Strangers,
}

impl Pool {
    /// All pools.
    pub const ALL: [Pool; 6] =
        [Pool::Catalogs, Pool::Nodes, Pool::Files, Pool::Reports, Pool::Authority, Pool::Strangers];

    /// Its name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Pool::Catalogs => "catalogs",
            Pool::Nodes => "nodes",
            Pool::Files => "files",
            Pool::Reports => "reports",
            Pool::Authority => "authority",
            Pool::Strangers => "strangers",
        }
    }

    fn size(self, catalogs: usize) -> usize {
        match self {
            Pool::Catalogs => catalogs,
            Pool::Files => 48,
            Pool::Reports => 32,
            Pool::Nodes | Pool::Authority | Pool::Strangers => 16,
        }
    }
}

/// All pools of a server.
#[derive(Debug)]
pub struct Pools {
    all: [PoolSlots; Pool::ALL.len()],
}

#[derive(Debug)]
struct PoolSlots {
    size: usize,
    free: Arc<Semaphore>,
    waiting: AtomicU64,
    refused: AtomicU64,
}

/// The figures of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolFigures {
    /// Its size.
    pub size: usize,
    /// The number of handlers that are running.
    pub running: usize,
    /// The number of requests that wait.
    pub waiting: u64,
    /// The number of requests that have waited for too long.
    pub refused: u64,
}

impl Pools {
    /// Pools for this number of catalogs at once.
    pub fn new(catalogs: usize) -> Pools {
        let slots = |pool: Pool| {
            let size = pool.size(catalogs);
            PoolSlots {
                size,
                free: Arc::new(Semaphore::new(size)),
                waiting: AtomicU64::new(0),
                refused: AtomicU64::new(0),
            }
        };
        Pools { all: Pool::ALL.map(slots) }
    }

    /// The number of threads of all pools.
    pub fn threads(catalogs: usize) -> usize {
        Pool::ALL.iter().map(|pool| pool.size(catalogs)).sum()
    }

    /// Waits for a free thread; nothing if there is none in time.
    pub async fn enter(&self, pool: Pool, wait: Duration) -> Option<OwnedSemaphorePermit> {
        let slots = &self.all[pool as usize];
        if let Ok(permit) = Arc::clone(&slots.free).try_acquire_owned() {
            return Some(permit);
        }
        let _waiting = Waiting::new(&slots.waiting);
        let free = Arc::clone(&slots.free).acquire_owned();
        let permit = tokio::time::timeout(wait, free).await.ok().and_then(Result::ok);
        if permit.is_none() {
            slots.refused.fetch_add(1, Ordering::Relaxed);
        }
        permit
    }

    /// The figures of a pool.
    pub fn figures(&self, pool: Pool) -> PoolFigures {
        let slots = &self.all[pool as usize];
        PoolFigures {
            size: slots.size,
            running: slots.size.saturating_sub(slots.free.available_permits()),
            waiting: slots.waiting.load(Ordering::Relaxed),
            refused: slots.refused.load(Ordering::Relaxed),
        }
    }
}

/// A request that waits, also if nobody waits for it any more before its turn.
struct Waiting<'w>(&'w AtomicU64);

impl Waiting<'_> {
    fn new(counter: &AtomicU64) -> Waiting<'_> {
        counter.fetch_add(1, Ordering::Relaxed);
        Waiting(counter)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_pool_leaves_the_others_alone() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let pools = Pools::new(1);
            let mut strangers = Vec::new();
            while let Some(permit) = pools.enter(Pool::Strangers, Duration::ZERO).await {
                strangers.push(permit);
            }
            let figures = pools.figures(Pool::Strangers);
            assert_eq!(figures, PoolFigures { size: 16, running: 16, waiting: 0, refused: 1 });
            for pool in Pool::ALL.into_iter().filter(|pool| *pool != Pool::Strangers) {
                assert!(pools.enter(pool, Duration::ZERO).await.is_some(), "{}", pool.name());
            }
        });
    }
}
