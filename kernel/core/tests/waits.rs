//! Waits with an end: they last as long as was asked for, and neither the length of a wait nor how seldom anybody looks at the time is limited
//! by how times are compared.

use mainspring_core::threads::{Scheduler, Slot, bit, is_member};
use proptest::collection::vec;
use proptest::prelude::*;

const THREADS: usize = 3;

/// Any number, and those near both ends of them.
fn ticks(least: u32) -> impl Strategy<Value = u32> {
    prop_oneof![
        least..,
        least..9,
        u32::MAX - 9..=u32::MAX,
        (1 << 31) - 9..(1_u32 << 31) + 9
    ]
}

proptest! {
    #[test]
    fn each_ends_at_its_tick(
        waits in vec(ticks(1), THREADS),
        passes in vec(ticks(0), 1..9),
        later in 0_usize..4,
        start: u32,
    ) {
        let slots: [Slot; THREADS + 1] = std::array::from_fn(|rank| Slot::new(bit(rank)));
        let scheduler: &Scheduler = &Scheduler::new(slots, 0);
        scheduler.now.set(start);
        let (mut ends, mut now) = ([None; THREADS], 0_u64);
        let begin = |ends: &mut [Option<u64>; THREADS], rank: usize, now: u64| {
            scheduler.wait(rank, None);
            scheduler.end_after(rank, None, waits[rank]);
            ends[rank] = Some(now + u64::from(waits[rank]));
        };
        begin(&mut ends, 0, now);
        begin(&mut ends, 1, now);
        for (at, &ticks) in passes.iter().enumerate() {
            if at == later {
                begin(&mut ends, 2, now);
            }
            now += u64::from(ticks);
            scheduler.pass(scheduler.now.get().wrapping_add(ticks));
            for (rank, end) in ends.iter().enumerate() {
                let waits = end.is_some_and(|end| end > now);
                prop_assert_eq!(is_member(scheduler.contending.get(), rank), !waits, "{} at {}", rank, now);
            }
            let next = ends.iter().flatten().filter(|&&end| end > now).min();
            prop_assert_eq!(scheduler.idle_ticks().map(u64::from), next.map(|&end| end - now));
        }
    }
}
