//! How much memory a call takes, counted by the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count for each thread: tests run beside each other.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Bytes in use, and the most that were since the count was set back. Less than nothing is in use where a thread frees
    /// what another one took.
    static USE: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    // A thread that ends frees a little after its count is gone.
    let _ = USE.try_with(|counted| {
        let (used, most) = counted.get();
        let used = used + bytes;
        counted.set((used, most.max(used)));
    });
}

// SAFETY: every call is handed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are there for a moment.
        count(size as isize);
        count(-(layout.size() as isize));
        unsafe { System.realloc(place, layout, size) }
    }
}

/// What does not grow with the text: paths, messages, the first places of vectors.
const FIXED: usize = 4096;

/// Calls `read`, which reads `text`.
///
/// # Panics
/// If more than `factor` times the text was in use at once besides what was before.
pub fn within<T>(factor: usize, text: &[u8], read: impl FnOnce() -> T) -> T {
    let before = USE.with(|counted| {
        let (used, _) = counted.get();
        counted.set((used, used));
        used
    });
    let result = read();
    let most = USE.with(Cell::get).1 - before;
    let limit = FIXED + factor * text.len();
    assert!(
        most <= limit as isize,
        "{most} bytes in use for a text of {}",
        text.len()
    );
    result
}
