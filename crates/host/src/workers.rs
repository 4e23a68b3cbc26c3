//! The processors of the machine.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// As much stack as the main thread of a program has on most machines: expressions may be deeply nested.
const STACK: usize = 8 << 20;

/// Does all tasks, as many at once as there are processors, and gives the results in the order of the tasks. A thread
/// takes the next task when it is done with one; `done` is called, by the caller's thread, whenever one is.
pub fn side_by_side<T: Sync, R: Send>(tasks: &[T], work: impl Fn(&T) -> R + Sync, mut done: impl FnMut()) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let worker = |sender: mpsc::Sender<(usize, R)>| {
        while let Some((k, task)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|k| Some((k, tasks.get(k)?))) {
            // Nobody is left to be told only if the caller's thread has ended.
            let _ = sender.send((k, work(task)));
        }
    };
    let mut found: Vec<(usize, R)> = thread::scope(|scope| {
        let start = |_: usize| {
            let sender = sender.clone();
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || worker(sender)).is_ok()
        };
        let threads = (0..processors.min(tasks.len())).filter(|k| start(*k)).count();
        if threads == 0 {
            worker(sender.clone());
        }
        drop(sender);
        results.iter().inspect(|_| done()).collect()
    });
    found.sort_by_key(|(k, _)| *k);
    found.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        let tasks: Vec<u64> = (0..100).collect();
        let mut count = 0;
        let squares = side_by_side(&tasks, |k| k * k, || count += 1);
        assert_eq!(squares, tasks.iter().map(|k| k * k).collect::<Vec<_>>());
        assert_eq!(count, 100);
        assert_eq!(side_by_side(&[] as &[u64], |k| *k, || {}), []);
    }
}
