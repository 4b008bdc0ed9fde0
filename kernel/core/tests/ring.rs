//! The ring: as a queue, and in every interleaving of its two ends.
//!
//! `cargo test -p mainspring-core --features loom --test ring` runs the second part.

#![allow(unsafe_code)] // The ring's ends are `unsafe` because the kernel promises to keep each to one user.

use mainspring_core::Ring;

#[cfg(not(feature = "loom"))]
mod sequential {
    use super::Ring;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_is_a_queue_of_limited_length(pushes in prop::collection::vec(any::<bool>(), 0..200)) {
            let ring = Ring::<u32, 4>::new();
            let mut model = VecDeque::new();
            for (value, push) in (0..).zip(pushes) {
                if push {
                    // SAFETY: one thread.
                    let pushed = unsafe { ring.push(value) };
                    prop_assert_eq!(pushed, if model.len() < 4 { Ok(()) } else { Err(value) });
                    if pushed.is_ok() {
                        model.push_back(value);
                    }
                } else {
                    // SAFETY: one thread.
                    prop_assert_eq!(unsafe { ring.pop() }, model.pop_front());
                }
            }
        }
    }

    #[test]
    fn a_ring_of_one_holds_one() {
        let ring = Ring::<&str, 1>::new();
        // SAFETY: one thread.
        unsafe {
            assert_eq!(ring.push("a"), Ok(()));
            assert_eq!(ring.push("b"), Err("b"));
            assert_eq!(ring.pop(), Some("a"));
            assert_eq!(ring.pop(), None);
        }
    }

    #[test]
    fn values_move_and_are_not_copied() {
        use std::rc::Rc;
        let ring = Ring::<Rc<()>, 2>::new();
        let value = Rc::new(());
        // SAFETY: one thread.
        unsafe {
            ring.push(value.clone()).expect("room");
            assert_eq!(Rc::strong_count(&value), 2);
            drop(ring.pop());
        }
        assert_eq!(Rc::strong_count(&value), 1);
    }
}

#[cfg(feature = "loom")]
mod interleaved {
    use super::Ring;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn everything_arrives_once_and_in_order() {
        in_a_ring_of::<2>();
    }

    #[test]
    fn also_in_a_ring_of_one() {
        in_a_ring_of::<1>();
    }

    fn in_a_ring_of<const N: usize>() {
        loom::model(|| {
            let ring = Arc::new(Ring::<u32, N>::new());
            let producer = {
                let ring = Arc::clone(&ring);
                thread::spawn(move || {
                    let mut sent = 0;
                    for value in 1..=3 {
                        // SAFETY: this thread alone pushes.
                        sent += u32::from(unsafe { ring.push(value) }.is_ok());
                    }
                    sent
                })
            };
            let mut received = Vec::new();
            for _ in 0..3 {
                // SAFETY: this thread alone pops.
                received.extend(unsafe { ring.pop() });
            }
            let sent = producer.join().expect("no panic");
            // SAFETY: the other thread is done.
            received.extend(std::iter::from_fn(|| unsafe { ring.pop() }));
            assert_eq!(received.len() as u32, sent);
            assert!(received.is_sorted() && received.first() == Some(&1));
        });
    }
}
