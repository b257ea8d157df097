//! The queue of branches that wait for their deployment. A branch is in it once, however often it is pushed to.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::deployer::PushedBranch;

/// The queue.
#[derive(Debug, Default)]
pub struct DeploymentQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<QueuedBranch>,
    seen: VecDeque<String>,
    is_stopped: bool,
}

/// A branch that waits, and the pushes that made it wait.
#[derive(Clone, Debug)]
pub struct QueuedBranch {
    /// The branch.
    pub branch: PushedBranch,
    /// The number of pushes.
    pub pushes: u32,
    /// The client that sent the first of them.
    pub client: IpAddr,
    /// When that was.
    pub since: Instant,
    deliveries: Vec<String>,
}

/// The result of adding a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Its branch waits now.
    Queued,
    /// Its branch was waiting.
    Merged,
}

/// Too many branches wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFull;

/// The number of branches that may wait.
const MOST_WAITING: usize = 2000;
/// The number of deliveries that are remembered.
const MOST_SEEN: usize = 4096;

impl QueuedBranch {
    /// A branch that was pushed to just now.
    pub fn new(branch: PushedBranch, client: IpAddr, delivery: Option<&str>) -> QueuedBranch {
        let deliveries = delivery.map(str::to_owned).into_iter().collect();
        QueuedBranch { branch, pushes: 1, client, since: Instant::now(), deliveries }
    }
}

impl DeploymentQueue {
    /// Adds the branches of a push: all of them, or none if there is no room.
    pub fn add(&self, push: Vec<QueuedBranch>) -> Result<Vec<Placement>, QueueFull> {
        let mut state = self.state();
        if state.waiting.len() + push.len() > MOST_WAITING {
            return Err(QueueFull);
        }
        let placements = push.into_iter().map(|queued| state.place(queued)).collect();
        let extra = state.seen.len().saturating_sub(MOST_SEEN);
        state.seen.drain(..extra);
        self.changed.notify_all();
        Ok(placements)
    }

    /// Whether a delivery was added before, and its deployment has not failed.
    pub fn has_seen(&self, delivery: &str) -> bool {
        self.state().seen.iter().any(|seen| seen == delivery)
    }

    /// Forgets the deliveries of branches whose deployment has failed, so that they can be repeated.
    pub fn forget(&self, failed: &[QueuedBranch]) {
        let is_failed = |seen: &String| failed.iter().any(|branch| branch.deliveries.contains(seen));
        self.state().seen.retain(|seen| !is_failed(seen));
    }

    /// Waits for branches and takes all of them; none once the queue is stopped.
    pub fn take(&self) -> Option<Vec<QueuedBranch>> {
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_stopped;
        let mut state =
            self.changed.wait_while(self.state(), is_idle).unwrap_or_else(PoisonError::into_inner);
        (!state.is_stopped).then(|| std::mem::take(&mut state.waiting))
    }

    /// The number of branches that wait.
    pub fn waiting(&self) -> usize {
        self.state().waiting.len()
    }

    /// Ends the work: branches that wait are not deployed any more.
    pub fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn place(&mut self, queued: QueuedBranch) -> Placement {
        for delivery in &queued.deliveries {
            if !self.seen.contains(delivery) {
                self.seen.push_back(delivery.clone());
            }
        }
        match self.waiting.iter_mut().find(|waiting| waiting.branch == queued.branch) {
            Some(waiting) => {
                waiting.pushes += queued.pushes;
                waiting.deliveries.extend(queued.deliveries);
                Placement::Merged
            }
            None => {
                self.waiting.push(queued);
                Placement::Queued
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(name: &str, delivery: &str) -> QueuedBranch {
        let branch = PushedBranch { repositories: vec!["ops/control".into()], name: name.into() };
        QueuedBranch::new(branch, [192, 0, 2, 1].into(), Some(delivery))
    }

    #[test]
    fn repeated_pushes_become_one_deployment() {
        let queue = DeploymentQueue::default();
        for (name, delivery, placement) in
            [("a", "1", Placement::Queued), ("b", "2", Placement::Queued), ("a", "3", Placement::Merged)]
        {
            assert_eq!(queue.add(vec![queued(name, delivery)]), Ok(vec![placement]), "{delivery}");
        }
        let taken = queue.take().unwrap();
        let pushes: Vec<(&str, u32)> =
            taken.iter().map(|each| (each.branch.name.as_str(), each.pushes)).collect();
        assert_eq!(pushes, [("a", 2), ("b", 1)]);
        // What is being deployed does not wait any more: a further push is another deployment.
        assert_eq!(queue.add(vec![queued("a", "4")]), Ok(vec![Placement::Queued]));
        assert!(["1", "2", "3", "4"].iter().all(|delivery| queue.has_seen(delivery)));
        queue.forget(&taken[..1]);
        assert!(!queue.has_seen("1") && !queue.has_seen("3") && queue.has_seen("2"));
    }

    #[test]
    fn a_queue_has_an_end() {
        let queue = DeploymentQueue::default();
        for number in 0..MOST_WAITING - 1 {
            queue.add(vec![queued(&format!("b{number}"), &number.to_string())]).unwrap();
        }
        assert_eq!(queue.add(vec![queued("x", "x"), queued("y", "x")]), Err(QueueFull));
        assert!(!queue.has_seen("x"), "a push that was refused can be repeated");
        for number in 0..2 * MOST_SEEN {
            assert_eq!(queue.add(vec![queued("b7", &format!("d{number}"))]), Ok(vec![Placement::Merged]));
        }
        assert_eq!(queue.state().seen.len(), MOST_SEEN);
        assert_eq!(queue.waiting(), MOST_WAITING - 1);
        queue.stop();
        assert!(queue.take().is_none());
    }
}
