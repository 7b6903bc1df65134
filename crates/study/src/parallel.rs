//! Independent pieces of work on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::monitor::Monitor;

/// As many as there are cores.
pub fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does `work` for 0 … n − 1 on `workers` threads; `done` gets each result here, as it comes. True if it was cancelled: no piece is begun after that, and those that were under way are done as far as they came.
pub fn for_each<T: Send>(
    n: usize,
    workers: usize,
    what: &str,
    monitor: &Monitor,
    work: &(dyn Fn(usize) -> T + Sync),
    mut done: impl FnMut(usize, T),
) -> bool {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers.clamp(1, n.max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while !monitor.is_cancelled() {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= n || sender.send((k, work(k))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (count, (k, result)) in results.iter().enumerate() {
            done(k, result);
            monitor.progress.pieces(count + 1, n, what);
        }
    });
    monitor.progress.end();
    monitor.is_cancelled()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once() {
        for workers in [1, 3, 100] {
            let mut found = vec![0; 50];
            let cancelled = for_each(50, workers, "pieces", &Monitor::default(), &|k| k * k, |k, square| {
                found[k] += square + 1
            });
            assert!(!cancelled && found.iter().enumerate().all(|(k, v)| *v == k * k + 1));
        }
        assert!(!for_each(0, 2, "pieces", &Monitor::default(), &|_| (), |_, ()| panic!("there is none")));
    }
}
