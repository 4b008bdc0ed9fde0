//! A pool whose memory one key hands out.

use super::*;

mainspring::pool! {
    struct Heap;
    bytes = 64;
    classes = [16, 32];
    statistics = On;
    sharing = Exclusive;
}

#[test]
fn one_key_hands_out_and_everybody_may_drop() {
    let mut key: Key<Heap> = Key::claim().expect("the first");
    assert!(Key::<Heap>::claim().is_none(), "there is one key");
    let drops = counter();
    let make = |key: &mut Key<Heap>| key.make(Counted(drops.clone(), ()));
    let boxes: Vec<_> = std::iter::from_fn(|| make(&mut key).ok()).collect();
    assert_eq!(boxes.len(), 4);
    // Half by the key, half by dropping them.
    for (number, boxed) in boxes.into_iter().enumerate() {
        if number % 2 == 0 {
            key.free(boxed);
        } else {
            drop(boxed);
        }
    }
    assert_eq!(
        (drops.get(), Heap::STORE.statistics().of(0).in_use),
        (5, 0),
        "one found no room"
    );
    let boxes: Vec<_> = std::iter::from_fn(|| key.make([0_u64; 2]).ok()).collect();
    assert_eq!(boxes.len(), 4, "both lists are used");
    drop(boxes);
    let unit: Box<(), Heap> = key.make(()).expect("takes no block");
    key.free(unit);
    assert!(key.make([0_u64; 4]).is_err());
    assert_eq!(key.high_water(), 64);
}

mainspring::pool! {
    struct Larger;
    bytes = 32;
    classes = [8, 16, 32];
    when_dry = TakeLarger;
    statistics = On;
    sharing = Exclusive;
}

#[test]
fn what_others_returned_to_a_larger_class_is_found() {
    let mut key: Key<Larger> = Key::claim().expect("the first");
    // Dropped, not given to the key: all of the memory is on the second list of its class.
    drop(key.make([0_u64; 4]).expect("room"));
    let small: Box<u64, Larger> = key.make(1).expect("32 of 32 bytes are free");
    assert!(key.make(2_u64).is_err(), "the block stays whole");
    assert_eq!(
        [0, 2].map(|class| Larger::STORE.statistics().of(class).refused),
        [1, 0],
        "to look at larger classes is no refusal"
    );
    drop(small);
}

mainspring::pool! {
    struct Tallied;
    bytes = 64;
    classes = [16];
    statistics = On;
    sharing = Exclusive;
}

/// The key's context counts, and so do those who drop boxes: Miri sees it if they do it at once.
#[test]
fn the_key_and_those_who_drop_boxes_count_together() {
    let rounds = if cfg!(miri) { 40 } else { 20_000 };
    let mut key: Key<Tallied> = Key::claim().expect("the first");
    std::thread::scope(|scope| {
        let (give, got) = std::sync::mpsc::sync_channel::<Box<u64, Tallied>>(2);
        let dropping = scope.spawn(move || got.into_iter().count());
        let mut given = 0;
        while given < rounds {
            match key.make(given as u64) {
                Ok(boxed) if given % 2 == 0 => give.send(boxed).expect("a receiver"),
                Ok(boxed) => key.free(boxed),
                Err(_) => continue,
            }
            given += 1;
        }
        drop(give);
        assert_eq!(dropping.join().expect("no panic"), rounds / 2);
    });
    assert_eq!(Tallied::STORE.statistics().of(0).in_use, 0);
}
