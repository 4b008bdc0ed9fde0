//! Values with several owners, and queues between two tasks.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use mainspring::pool::{Arc, Exhausted};
use mainspring::queue::Queue;
use proptest::prelude::*;

mainspring::pool! {
    struct Heap;
    bytes = 64;
    classes = [16];
}

mainspring::pool! {
    struct Many;
    bytes = 2048;
    classes = [16];
}

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Noticed(u32);

impl Drop for Noticed {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Relaxed);
    }
}

#[test]
fn the_last_owner_drops_the_value_and_gives_the_block_back() {
    let mut first: Arc<Noticed, Heap> = Arc::new(Noticed(7)).ok().expect("room");
    assert_eq!(Arc::get_mut(&mut first).map(|value| value.0), Some(7));
    let second = first.clone();
    assert_eq!((Arc::owners(&first), second.0), (2, 7));
    assert!(Arc::get_mut(&mut first).is_none());
    drop(first);
    assert_eq!((Arc::owners(&second), DROPPED.load(Relaxed)), (1, 0));
    drop(second);
    assert_eq!(DROPPED.load(Relaxed), 1);
    let all: Vec<_> = (0..4)
        .map(|i| Arc::<u32, Heap>::new(i).expect("room for four"))
        .collect();
    assert_eq!(Arc::<u32, Heap>::new(9).err(), Some(Exhausted(9)));
    drop(all);
    assert!(Arc::<u32, Heap>::new(9).is_ok());
}

#[test]
fn owners_in_several_threads_lose_no_count() {
    for _ in 0..if cfg!(miri) { 3 } else { 300 } {
        let first: Arc<[u32; 2], Many> = Arc::new([1, 2]).expect("room");
        thread::scope(|scope| {
            for _ in 0..3 {
                let mut mine = first.clone();
                scope.spawn(move || {
                    for _ in 0..10 {
                        mine = mine.clone();
                        assert_eq!(*mine, [1, 2]);
                    }
                });
            }
        });
        assert_eq!(Arc::owners(&first), 1);
    }
}

#[test]
fn prepared_blocks_are_there_and_no_more_than_fit() {
    mainspring::pool! {
        struct Small;
        bytes = 48;
        classes = [8, 16];
    }
    use mainspring::pool::{Box, high_water, prepare};
    assert_eq!(prepare::<[u32; 2], Small>(2), 2);
    assert_eq!(high_water::<Small>(), 16);
    let pair = [Box::<_, Small>::new([1_u32, 2]), Box::new([3, 4])];
    assert!(pair.iter().all(Result::is_ok));
    assert_eq!(high_water::<Small>(), 16, "they were the prepared ones");
    assert_eq!(prepare::<[u32; 4], Small>(5), 2, "of 32 bytes");
    assert_eq!(prepare::<(), Small>(5), 5, "no block is needed");
    let large: Vec<_> = (0..3)
        .map(|i| Box::<[u32; 4], Small>::new([i; 4]).is_ok())
        .collect();
    assert_eq!(large, [true; 3], "each goes back before the next");
}

#[test]
fn a_queue_is_split_once() {
    static QUEUE: Queue<u32, 2> = Queue::new();
    assert!(QUEUE.split().is_some());
    assert!(QUEUE.split().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_queue_keeps_the_order_and_says_when_it_is_ready(adds in prop::collection::vec(any::<bool>(), 0..60)) {
        let queue: &'static Queue<u32, 4> = Box::leak(Box::new(Queue::new()));
        let (mut producer, mut consumer) = queue.split().expect("the first who asks");
        let mut model = std::collections::VecDeque::new();
        for (value, add) in (0..).zip(adds) {
            prop_assert_eq!((producer.ready(), consumer.ready()), (model.len() < 4, !model.is_empty()));
            if add {
                let room = model.len() < 4;
                prop_assert_eq!(producer.enqueue(value), if room { Ok(()) } else { Err(value) });
                model.extend(room.then_some(value));
            } else {
                prop_assert_eq!(consumer.dequeue(), model.pop_front());
            }
        }
    }
}
