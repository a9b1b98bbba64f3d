//! A first-come, first-served lock for one thread's async tasks, one for each key.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Held by one task at a time; waiting tasks get it in the order they asked.
#[derive(Clone, Default)]
pub struct Lock(Rc<Queue>);

#[derive(Default)]
struct Queue {
    /// The ticket that may go in.
    serving: Cell<u64>,
    next_ticket: Cell<u64>,
    waiting: RefCell<Vec<(u64, Option<Waker>)>>,
}

/// The right to go on; given back when dropped.
pub struct LockGuard(Rc<Queue>);

/// A place in the queue that steps out when its task is dropped while waiting.
struct Place {
    queue: Rc<Queue>,
    ticket: u64,
    entered: bool,
}

impl Lock {
    /// Waits for the lock.
    pub async fn lock(&self) -> LockGuard {
        let queue = Rc::clone(&self.0);
        let ticket = queue.next_ticket.replace(queue.next_ticket.get() + 1);
        queue.waiting.borrow_mut().push((ticket, None));
        let mut place = Place {
            queue,
            ticket,
            entered: false,
        };
        poll_fn(|context| {
            if place.queue.serving.get() == ticket {
                return Poll::Ready(());
            }
            if let Some(slot) = place
                .queue
                .waiting
                .borrow_mut()
                .iter_mut()
                .find(|slot| slot.0 == ticket)
            {
                slot.1 = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
        place.entered = true;
        LockGuard(Rc::clone(&place.queue))
    }

    /// Whether nobody holds the lock or waits for it.
    pub fn is_free(&self) -> bool {
        self.0.waiting.borrow().is_empty()
    }
}

impl Queue {
    /// Takes the ticket out and, when it was the one served, serves the next one waiting.
    fn leave(&self, ticket: u64) {
        let mut waiting = self.waiting.borrow_mut();
        waiting.retain(|slot| slot.0 != ticket);
        if self.serving.get() != ticket {
            return;
        }
        let next = waiting.first_mut();
        self.serving
            .set(next.as_ref().map_or(self.next_ticket.get(), |slot| slot.0));
        let waker = next.and_then(|slot| slot.1.take());
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        self.0.leave(self.0.serving.get());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.entered {
            self.queue.leave(self.ticket);
        }
    }
}

/// One lock for each key, forgotten when nobody wants it.
#[derive(Clone, Default)]
pub struct Locks(Rc<RefCell<Vec<(String, Lock)>>>);

impl Locks {
    /// Runs `work` while no other task runs under the same key.
    pub async fn with<T>(&self, key: &str, work: impl Future<Output = T>) -> T {
        let lock = self.lock_of(key);
        let guard = lock.lock().await;
        let result = work.await;
        drop(guard);
        if lock.is_free() {
            self.0.borrow_mut().retain(|(other, _)| other != key);
        }
        result
    }

    /// Few keys are in use at once, so a list does.
    fn lock_of(&self, key: &str) -> Lock {
        let mut locks = self.0.borrow_mut();
        if let Some((_, lock)) = locks.iter().find(|(other, _)| other == key) {
            return lock.clone();
        }
        let lock = Lock::default();
        locks.push((key.to_owned(), lock.clone()));
        lock
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use futures::executor::LocalPool;
    use futures::task::LocalSpawnExt;

    async fn step_aside() {
        let mut first = true;
        poll_fn(|context| {
            if std::mem::take(&mut first) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }

    #[test]
    fn tasks_go_in_one_at_a_time_in_the_order_they_asked() {
        let (locks, trace) = (Locks::default(), Rc::new(RefCell::new(Vec::new())));
        let mut pool = LocalPool::new();
        for task in 0..5 {
            let (locks, trace) = (locks.clone(), Rc::clone(&trace));
            pool.spawner()
                .spawn_local(async move {
                    locks
                        .with("k", async {
                            trace.borrow_mut().push((task, "in"));
                            step_aside().await;
                            trace.borrow_mut().push((task, "out"));
                        })
                        .await;
                })
                .unwrap();
        }
        pool.run();
        let expected: Vec<_> = (0..5)
            .flat_map(|task| [(task, "in"), (task, "out")])
            .collect();
        assert_eq!(*trace.borrow(), expected);
        assert!(locks.0.borrow().is_empty(), "unused locks are forgotten");
    }

    #[test]
    fn a_task_that_is_dropped_while_it_waits_blocks_nobody() {
        let lock = Lock::default();
        let mut pool = LocalPool::new();
        let guard = pool.run_until(lock.lock());
        let mut waiting = Box::pin(lock.lock());
        pool.run_until(poll_fn(|context| {
            assert!(waiting.as_mut().poll(context).is_pending());
            Poll::Ready(())
        }));
        drop(waiting);
        drop(guard);
        drop(pool.run_until(lock.lock()));
        assert!(lock.is_free());
    }
}
