//! Work on many modules at once. Most of it waits for servers, so there are more threads than processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The results of `run` for all items, in their order.
pub fn map<T: Sync, R: Send>(items: &[T], threads: usize, run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::default()).collect();
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let result = run(item);
            if let Ok(mut slot) = results[index].lock() {
                *slot = Some(result);
            }
        }
    };
    thread::scope(|scope| {
        let helpers = threads.min(items.len()).saturating_sub(1);
        // Where the system has no room for another thread, the others do its work.
        for _ in 0..helpers {
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    results.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}
