//! A value that several owners see at once, in several tasks, must be `Sync`.

use core::cell::Cell;

use mainspring::pool::Arc;

mainspring::pool! {
    struct Heap;
    bytes = 64;
    classes = [16];
}

fn goes_to_another_task<T: Send>(_: T) {}

fn main() {
    if let Ok(shared) = Arc::<Cell<u32>, Heap>::new(Cell::new(1)) {
        goes_to_another_task(shared);
    }
}
