//! The queue of instants against a sorted list.

use mainspring_core::time::{Queue, Ticket, extended, following};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Insert(u64),
    Pop(u64),
    Pass(u64, Option<u64>),
    Cancel(usize),
    Reschedule(usize, u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..20_u64).prop_map(Step::Insert),
        2 => (0..20_u64).prop_map(Step::Pop),
        1 => ((0..20_u64), prop::option::of(0..20_u64)).prop_map(|(now, again)| Step::Pass(now, again)),
        1 => (0..30_usize).prop_map(Step::Cancel),
        1 => ((0..30_usize), (0..20_u64)).prop_map(|(which, at)| Step::Reschedule(which, at)),
    ];
    prop::collection::vec(step, 0..80)
}

/// The waiting items, in order: instant, ticket's number, item.
#[derive(Default)]
struct Model(Vec<(u64, usize, u32)>);

impl Model {
    fn insert(&mut self, at: u64, ticket: usize, item: u32) {
        let place = self.0.partition_point(|&(other, ..)| other <= at);
        self.0.insert(place, (at, ticket, item));
    }

    fn due(&mut self, now: u64) -> Option<(u64, usize, u32)> {
        let first = self.0.first().copied().filter(|&(at, ..)| at <= now)?;
        self.0.remove(0);
        Some(first)
    }

    fn take(&mut self, ticket: usize) -> Option<u32> {
        let place = self.0.iter().position(|&(_, other, _)| other == ticket)?;
        Some(self.0.remove(place).2)
    }
}

proptest! {
    #[test]
    fn a_queue_is_a_sorted_list(steps in steps()) {
        const PLACES: usize = 4;
        let mut queue: Queue<u32, PLACES> = Queue::new();
        let mut model = Model::default();
        let mut tickets: Vec<Ticket> = Vec::new();
        for (item, step) in (0..).zip(steps) {
            match step {
                Step::Insert(at) => match queue.insert(at, item) {
                    Ok(ticket) => {
                        model.insert(at, tickets.len(), item);
                        tickets.push(ticket);
                    }
                    Err(back) => prop_assert!(back == item && model.0.len() == PLACES),
                },
                Step::Pop(now) => {
                    prop_assert_eq!(queue.pop(now), model.due(now).map(|(at, _, item)| (at, item)));
                }
                Step::Pass(now, again) => {
                    let passed = queue.pass(now, |at, item| (again, (at, *item)));
                    let due = model.due(now);
                    prop_assert_eq!(passed, due.map(|(at, _, item)| (at, item)));
                    if let (Some((_, ticket, item)), Some(again)) = (due, again) {
                        model.insert(again, ticket, item);
                    }
                }
                Step::Cancel(which) => if let Some(&ticket) = tickets.get(which) {
                    prop_assert_eq!(queue.cancel(ticket), model.take(which));
                },
                Step::Reschedule(which, at) => if let Some(&ticket) = tickets.get(which) {
                    let waited = model.take(which);
                    if let Some(item) = waited {
                        model.insert(at, which, item);
                    }
                    prop_assert_eq!(queue.reschedule(ticket, at), waited.is_some());
                },
            }
            let found = queue.find(|item| item % 3 == 0);
            let modelled = model.0.iter().find(|(.., item)| item % 3 == 0);
            prop_assert_eq!(found, modelled.map(|&(at, ticket, _)| (at, tickets[ticket])));
            prop_assert_eq!(queue.next(), model.0.first().map(|&(at, ..)| at));
        }
    }

    #[test]
    fn a_period_does_not_drift(start in 0..1000_u64, period in 1..50_u64, late in prop::collection::vec(0..200_u64, 1..20)) {
        let (mut at, mut runs) = (start, 0);
        for late in late {
            let now = at + late;
            let (next, missed) = following(at, period, now);
            prop_assert!(next > now && next - period <= now, "the first one behind now");
            runs += 1 + missed;
            at = next;
            prop_assert_eq!(at, start + period * runs, "on the grid, and each one accounted for");
        }
    }

    #[test]
    fn a_short_counter_tells_a_long_time(steps in prop::collection::vec(0..=u64::from(u32::MAX), 1..20), start: u32) {
        let (mut now, mut told) = (u64::from(start), u64::from(start));
        for step in steps {
            now += step;
            told = extended(told, now as u32);
            prop_assert_eq!(told, now);
        }
    }
}
