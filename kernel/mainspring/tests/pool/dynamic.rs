//! Slices, texts, traits and closures in boxes, and what happens on every path.

use super::*;

mainspring::pool! {
    struct Heap;
    bytes = 256;
    classes = [16, 32, 64];
    statistics = On;
}

fn in_use() -> [u32; 3] {
    [0, 1, 2].map(|class| Heap::STORE.statistics().of(class).in_use)
}

#[test]
fn what_has_no_size_of_its_own() {
    let drops = counter();
    // A trait's object: its class is that of the value in it.
    let boxed: Box<_, Heap> = Box::new(Counted(drops.clone(), [0_u64; 3])).expect("room");
    let object: Dyn<dyn std::fmt::Debug, Heap> = mainspring::unsize!(boxed => dyn std::fmt::Debug);
    assert_eq!(in_use(), [0, 1, 0]);
    assert!(format!("{object:?}").contains("[0, 0, 0]"));
    drop(object);
    assert_eq!((in_use(), drops.get()), ([0; 3], 1));

    // A slice, a string: the smallest class that holds them.
    let slice: Dyn<[u16], Heap> = Dyn::copy(&[1, 2, 3]).expect("room");
    let text: Dyn<str, Heap> = Dyn::copy_str("as long as thirty-three bytes are").expect("room");
    assert_eq!(
        (&*slice, &*text, in_use()),
        (&[1, 2, 3][..], "as long as thirty-three bytes are", [1, 0, 1])
    );
    let array: Dyn<[u64], Heap> =
        mainspring::unsize!(Box::<[u64; 2], Heap>::new([4, 5]).expect("room") => [u64]);
    assert_eq!((&*array, in_use()), (&[4, 5][..], [2, 0, 1]));
    drop((slice, text, array));
    assert_eq!(in_use(), [0; 3]);

    // A closure, called or not.
    let job: Job<Heap, u32, u32> = Job::new({
        let numbers = [1_u32, 2];
        move |number| number + numbers.iter().sum::<u32>()
    })
    .ok()
    .expect("room");
    assert_eq!((in_use(), job.call(4), in_use()), ([1, 0, 0], 7, [0; 3]));
    let held = std::sync::Arc::new(());
    let kept = held.clone();
    let job: Job<Heap> = Job::new(move |()| drop(kept)).ok().expect("room");
    drop(job);
    assert_eq!((in_use(), std::sync::Arc::strong_count(&held)), ([0; 3], 1));

    // The block is back before the closure runs: it can have it.
    let jobs: Vec<Job<Heap, (), bool>> = (0..)
        .map_while(|_| Job::new(|()| Job::<Heap>::new(|()| ()).is_ok()).ok())
        .collect();
    assert!(!jobs.is_empty());
    assert!(jobs.into_iter().all(|job| job.call(())));
    assert_eq!(in_use(), [0; 3]);

    // Futures.
    let mut future: Pin<Box<_, Heap>> = Box::pin(Twice(0)).ok().expect("room");
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(future.as_mut().poll(&mut context), Poll::Pending);
    assert_eq!(future.as_mut().poll(&mut context), Poll::Ready(2));
    let boxed: Box<_, Heap> = Box::new(Twice(1)).ok().expect("room");
    let object = Dyn::into_pin(mainspring::unsize!(boxed => dyn Future<Output = u32>));
    assert_eq!(pin!(object).poll(&mut context), Poll::Ready(2));
    drop(future);
    assert_eq!(in_use(), [0; 3]);

    let kept: &'static mut [u32; 4] = Box::leak(Box::<_, Heap>::new([1; 4]).expect("room"));
    kept[0] = 2;
    assert_eq!(in_use(), [1, 0, 0]);
}

/// Ready the second time.
struct Twice(u32);

impl Future for Twice {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> {
        self.0 += 1;
        if self.0 < 2 {
            Poll::Pending
        } else {
            Poll::Ready(self.0)
        }
    }
}
