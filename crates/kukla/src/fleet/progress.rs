//! Progress of a run over a fleet, and its cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kukla_syntax::Problem;

/// One step of a run over a fleet.
#[derive(Debug)]
#[non_exhaustive]
pub enum FleetEvent<'e> {
    /// The run begins. Most sources have one node.
    Started {
        /// The number of sources.
        sources: usize,
    },
    /// A source was read.
    SourceRead {
        /// The number of its selected nodes.
        nodes: usize,
    },
    /// A node is done.
    NodeDone {
        /// Its name.
        node: &'e str,
    },
    /// All nodes are done.
    Finished,
    /// A remark about the nodes or their facts, before the run begins.
    Notice(&'e Problem),
    /// The cache is ignored, or could not be written.
    CacheFailed(&'e Problem),
}

/// A receiver of progress, which any thread of a run may call. A closure is one; `()` ignores all events.
pub trait Observer: Sync {
    /// Receives an event.
    fn observe(&self, event: FleetEvent<'_>);
}

impl Observer for () {
    fn observe(&self, _: FleetEvent<'_>) {}
}

impl<F: Fn(FleetEvent<'_>) + Sync> Observer for F {
    fn observe(&self, event: FleetEvent<'_>) {
        self(event);
    }
}

/// A token that cancels a run from another thread. Nodes that have not begun are skipped; those that have end early if the settings have a
/// deadline, because only then a compilation looks at the clock.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Cancels the run.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
