//! Counts what a thread allocates.

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::Cell;

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(memory) }
    }
    unsafe fn dealloc(&self, at: *mut u8, memory: Memory) {
        unsafe { System.dealloc(at, memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far.
pub fn allocations() -> usize {
    COUNT.with(Cell::get)
}
