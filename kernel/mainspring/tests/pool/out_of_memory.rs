//! What is dropped when nothing is left.

use super::*;

mainspring::pool! {
    struct Heap;
    bytes = 96;
    classes = [32];
    statistics = On;
}

/// Three boxes, one of them in another, or nothing.
fn three(drops: &Rc<Cell<u32>>) -> Option<impl Sized + use<>> {
    let inner: Box<_, Heap> = Box::new(Counted(drops.clone(), [0_u8; 8])).ok()?;
    let outer: Box<_, Heap> = Box::new((Counted(drops.clone(), 1_u8), inner)).ok()?;
    let last: Box<_, Heap> = Box::new(Counted(drops.clone(), 2_u8)).ok()?;
    Some((outer, last))
}

#[test]
fn at_every_step_everything_is_dropped_once_and_given_back() {
    for held in 0..=3 {
        let blocks: Vec<Box<[u64; 4], Heap>> = (0..held).map(|_| Box::new([7; 4]).expect("room")).collect();
        let drops = counter();
        let boxes = three(&drops);
        assert_eq!(boxes.is_some(), held == 0);
        drop(boxes);
        // The value that found no room came back and was dropped, too.
        assert_eq!(drops.get(), if held == 0 { 3 } else { 4 - held });
        assert!(
            blocks.iter().all(|block| **block == [7; 4]),
            "somebody wrote into them"
        );
        drop(blocks);
        assert_eq!(room::<u64, Heap>(), 3);
    }
    assert_eq!(Heap::STORE.statistics().of(0).most, 3);
    // One for each failure, and one for each count of the room that is left.
    assert_eq!(Heap::STORE.statistics().of(0).refused, 3 + 4);
}

mainspring::pool! {
    struct Small;
    bytes = 16;
    classes = [16];
}

#[test]
fn what_found_no_room_comes_back() {
    let first: Box<u64, Small> = Box::new(5).expect("room");
    assert_eq!(Box::<u64, Small>::new(6).err(), Some(Exhausted(6)));
    assert_eq!(
        Box::<u64, Small>::with(|| unreachable!()).err(),
        Some(Exhausted(()))
    );
    assert_eq!(Box::<u64, Small>::pin(7).err(), Some(Exhausted(7)));
    assert_eq!(Dyn::<[u8], Small>::copy(&[1]).err(), Some(Refused::Exhausted));
    assert_eq!(Dyn::<[u8], Small>::copy(&[1; 17]).err(), Some(Refused::TooLarge));
    let job: Result<Job<Small, u8, u8>, _> = Job::new(|number| number + 1);
    let Err(Exhausted(closure)) = job else {
        panic!("no room")
    };
    assert_eq!((closure(1), *first), (2, 5));
}
