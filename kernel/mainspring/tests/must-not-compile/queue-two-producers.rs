//! The end of a queue is one task's: it can be neither doubled nor shared.

use mainspring::queue::Queue;

static QUEUE: Queue<u32, 4> = Queue::new();

fn is_shared<T: Sync>(_: &T) {}

fn main() {
    if let Some((producer, _consumer)) = QUEUE.split() {
        is_shared(&producer);
        let _another = producer.clone();
    }
}
