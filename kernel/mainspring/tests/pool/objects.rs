//! Objects that are kept made.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::pool::{Object, ObjectPool};

mainspring::object_pool!(
    /// Two buffers.
    Buffers: [u8; 5], 2, [7; 5]
);

#[test]
fn an_object_comes_as_the_last_one_left_it() {
    let mut first: Object<Buffers> = Buffers.request().expect("one of two");
    let second = Buffers.request().expect("the other");
    assert!(Buffers.request().is_none());
    assert_eq!((*first, *second), ([7; 5], [7; 5]));
    first[1] = 1;
    drop(first);
    let again = Buffers.request().expect("the first again");
    assert_eq!(format!("{again:?}"), "[7, 1, 7, 7, 7]");
    drop((again, second));
    let both = (Buffers.request(), Buffers.request());
    assert!(both.0.is_some() && both.1.is_some() && Buffers.request().is_none());
}

static DROPS: AtomicU32 = AtomicU32::new(0);

struct Noted(u8);

impl Drop for Noted {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Relaxed);
    }
}

mainspring::object_pool!(NotedOnes: Noted, 1, Noted(3));
mainspring::object_pool!(Empty: (), 2, ());

#[test]
fn its_destructor_never_runs() {
    let noted = NotedOnes.request().expect("one");
    assert_eq!(noted.0, 3);
    drop(noted);
    assert!(NotedOnes.request().is_some());
    assert_eq!(DROPS.load(Relaxed), 0);
}

#[test]
fn they_may_be_empty() {
    let both = (Empty.request(), Empty.request());
    assert!(both.0.is_some() && both.1.is_some() && Empty.request().is_none());
}

mainspring::object_pool!(Counters: u32, 3, 0);

/// Nobody else has an object, or what many threads add would not come out.
#[test]
fn an_object_has_one_owner() {
    let rounds = if cfg!(miri) { 20 } else { 2000 };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..rounds {
                    *Counters.request().expect("one for each thread") += 1;
                }
            });
        }
    });
    let all = [(); 3].map(|()| Counters.request().expect("nobody has one"));
    assert_eq!(all.iter().map(|counter| **counter).sum::<u32>(), 3 * rounds);
}
