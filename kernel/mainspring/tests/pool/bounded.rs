//! Arrays and texts of bounded length in boxes.

use super::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [64];
}

#[test]
fn arrays_and_texts_of_bounded_length() {
    let drops = counter();
    let mut array: Box<Array<Counted, 4>, Heap> = Box::with(Array::new).expect("room");
    for _ in 0..4 {
        array.push(Counted(drops.clone(), ())).expect("room");
    }
    let refused = array.push(Counted(drops.clone(), ()));
    assert_eq!((refused.is_err(), array.len(), drops.get()), (true, 4, 0));
    drop(refused);
    drop(array.pop());
    assert_eq!(drops.get(), 2);
    drop(array);
    assert_eq!(drops.get(), 5);

    let mut numbers = Array::<u8, 4>::new();
    assert_eq!(numbers.extend_from_slice(&[1, 2, 3]), Ok(()));
    assert_eq!(numbers.extend_from_slice(&[4, 5]), Err(TooLong));
    numbers.sort_by(|a, b| b.cmp(a));
    assert_eq!(*numbers, [3, 2, 1]);

    let mut text: Box<Text<12>, Heap> = Box::new(Text::new()).expect("room");
    write!(text, "{} + {}", 1, 2).expect("short enough");
    assert_eq!((text.push_str("seven more"), &**text), (Err(TooLong), "1 + 2"));
}
