//! The scheduler against what it means: the ready thread of the greatest urgency runs, where whoever waits for a mutex
//! lends its own to the one who has it, over as many mutexes as there are in between. Every state of a small world is
//! visited, and long random runs of a larger one.

mod processes;

use std::collections::{HashSet, VecDeque};

use mainspring_core::threads::{
    Awaited, Holder, Locking, Mutexes, Order, Outcome, Ownership, Scheduler, Set, Slot, Thread, Woken, bit,
    is_member, top,
};
use proptest::prelude::*;

/// What a thread does, or what happens to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// The running thread wants a mutex.
    Lock(usize),
    /// The running thread wants a mutex if that needs no waiting.
    TryLock(usize),
    /// The running thread gives a mutex back.
    Unlock(usize),
    /// The running thread waits for an event.
    Wait,
    /// The running thread lets an equal run.
    Pass,
    /// The running thread returns.
    Finish,
    /// A thread that has returned restarts.
    Restart(usize),
    /// An event comes.
    Event,
    /// The time of a wait is up.
    GiveUp(usize),
    /// A thread is suspended.
    Suspend(usize),
    /// A thread is resumed.
    Resume(usize),
}

/// What a thread is waiting for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum State {
    Ready,
    Mutex(usize),
    Event,
    Finished,
}

/// The owner of a mutex, as far as the reference knows.
type Owner = Holder;

/// The reference, without a word in it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Model {
    urgency: Vec<u8>,
    states: Vec<State>,
    suspended: Vec<bool>,
    owners: Vec<Owner>,
}

impl Model {
    /// By its own urgency, or by what it is lent. Whoever is suspended lends nothing of its own; what it is lent goes on to the one who has
    /// what it waits for.
    fn effective(&self, thread: usize) -> u8 {
        let mut lent = vec![0; self.urgency.len()];
        for _ in 0..lent.len() {
            for waits in 0..lent.len() {
                if let State::Mutex(mutex) = self.states[waits]
                    && let Owner::Thread(owner) = self.owners[mutex]
                {
                    let own = if self.suspended[waits] {
                        0
                    } else {
                        self.urgency[waits]
                    };
                    lent[owner] = lent[owner].max(own).max(lent[waits]);
                }
            }
        }
        self.urgency[thread].max(lent[thread])
    }

    fn waiting(&self, state: State) -> Vec<usize> {
        (0..self.states.len())
            .filter(|&i| self.states[i] == state)
            .collect()
    }

    fn runs(&self, thread: usize) -> bool {
        self.states[thread] == State::Ready && !self.suspended[thread]
    }
}

struct World {
    scheduler: &'static Scheduler,
    all: Mutexes,
    mutexes: Vec<&'static Ownership>,
    event: &'static Set,
    model: Model,
}

fn thread(priority: u8) -> Thread {
    Thread {
        name: "thread",
        priority,
        late: false,
        uses: &[],
    }
}

impl World {
    /// Threads by falling urgency, the idle loop last.
    fn new<const N: usize>(priorities: &[u8], mutexes: usize) -> Self {
        let rows: Vec<_> = priorities.iter().map(|&p| thread(p)).collect();
        let order = Order::new(&rows);
        let slots: [Slot; N] = std::array::from_fn(|rank| Slot::new(order.group_at(rank)));
        let mut urgency = priorities.to_vec();
        urgency.push(0);
        World {
            scheduler: Box::leak(Box::new(Scheduler::new(slots, order.equals()))),
            all: Mutexes::new(),
            mutexes: (0..mutexes).map(|_| &*Box::leak(Box::default())).collect(),
            event: Box::leak(Box::default()),
            model: Model {
                states: vec![State::Ready; urgency.len()],
                suspended: vec![false; urgency.len()],
                urgency,
                owners: vec![Owner::Nobody; mutexes],
            },
        }
    }

    fn idle(&self) -> usize {
        self.model.urgency.len() - 1
    }

    fn may(&self, step: Step) -> bool {
        let (model, runs) = (&self.model, self.scheduler.select());
        let thread = runs != self.idle();
        match step {
            Step::Lock(mutex) => thread && model.owners[mutex] != Owner::Thread(runs),
            Step::Unlock(mutex) => thread && model.owners[mutex] == Owner::Thread(runs),
            Step::TryLock(_) | Step::Wait | Step::Pass => thread,
            Step::Finish => thread && model.states[runs] == State::Ready,
            Step::Restart(who) => who < self.idle() && model.states[who] == State::Finished,
            Step::Event => true,
            Step::GiveUp(who) => {
                who < self.idle() && !matches!(model.states[who], State::Ready | State::Finished)
            }
            Step::Suspend(who) => {
                who < self.idle() && !model.suspended[who] && model.states[who] != State::Finished
            }
            Step::Resume(who) => who < self.idle() && model.suspended[who],
        }
    }

    fn take(&mut self, step: Step) {
        let runs = self.scheduler.select();
        self.scheduler.switch_to(runs);
        match step {
            Step::Lock(mutex) => {
                self.all.add(self.mutexes[mutex]);
                let locking = self.scheduler.lock(runs, self.mutexes[mutex], Some(1000));
                self.has_locked(runs, mutex, locking);
            }
            Step::TryLock(mutex) => {
                self.all.add(self.mutexes[mutex]);
                let locking = self.scheduler.try_lock(runs, self.mutexes[mutex]);
                if let Owner::Thread(_) = self.model.owners[mutex] {
                    assert_eq!(locking, Locking::Waits);
                } else {
                    self.has_locked(runs, mutex, locking);
                }
            }
            Step::Unlock(mutex) => {
                let waiting = self.model.waiting(State::Mutex(mutex));
                let next = self.scheduler.unlock(self.mutexes[mutex]);
                self.is_first(next, &waiting);
                self.model.owners[mutex] = next.map_or(Owner::Nobody, Owner::Thread);
                if let Some(next) = next {
                    self.model.states[next] = State::Ready;
                }
            }
            Step::Wait => {
                self.scheduler.wait(runs, Some(self.event));
                self.scheduler.end_after(runs, Some(self.event), 1000);
                self.model.states[runs] = State::Event;
            }
            Step::Pass => {
                self.scheduler.pass_turn(runs);
            }
            Step::Finish => {
                self.scheduler.finish(runs);
                self.model.states[runs] = State::Finished;
                let waiting: Vec<_> = (0..self.mutexes.len())
                    .map(|mutex| self.model.waiting(State::Mutex(mutex)))
                    .collect();
                self.scheduler.leave_mutexes(runs, &self.all);
                for (mutex, waiting) in waiting.iter().enumerate() {
                    if self.model.owners[mutex] == Owner::Thread(runs) {
                        self.was_left(mutex, waiting);
                    }
                }
            }
            Step::Restart(who) => {
                assert!(self.scheduler.restart(who));
                self.model.states[who] = State::Ready;
            }
            Step::Event => {
                let waiting = self.model.waiting(State::Event);
                let woken = self.scheduler.release(self.event);
                if let Some(woken) = woken {
                    self.keeps_its_word(woken, runs);
                }
                let next = woken.map(|woken| woken.rank);
                self.is_first(next, &waiting);
                if let Some(next) = next {
                    self.model.states[next] = State::Ready;
                    assert_eq!(self.scheduler.outcome(next), Outcome::Came);
                }
            }
            Step::GiveUp(who) => {
                self.scheduler.give_up(who);
                self.model.states[who] = State::Ready;
                assert_eq!(self.scheduler.outcome(who), Outcome::TimedOut);
            }
            Step::Suspend(who) => {
                self.scheduler.suspend(who);
                self.model.suspended[who] = true;
            }
            Step::Resume(who) => {
                self.scheduler.resume(who);
                self.model.suspended[who] = false;
            }
        }
        self.is_right(step);
    }

    /// `runs` wanted `mutex`, and this is what became of it.
    fn has_locked(&mut self, runs: usize, mutex: usize, locking: Locking) {
        let owner = &mut self.model.owners[mutex];
        let (is, state) = match *owner {
            Owner::Nobody => (Locking::Taken, State::Ready),
            Owner::Abandoned => (Locking::Abandoned, State::Ready),
            Owner::Thread(_) => (Locking::Waits, State::Mutex(mutex)),
        };
        assert_eq!(locking, is);
        if state == State::Ready {
            *owner = Owner::Thread(runs);
        }
        self.model.states[runs] = state;
    }

    /// The owner of `mutex`, for which these waited, has returned.
    fn was_left(&mut self, mutex: usize, waiting: &[usize]) {
        let holder = self.mutexes[mutex].holder();
        self.model.owners[mutex] = holder;
        if waiting.is_empty() {
            assert_eq!(holder, Owner::Abandoned);
        } else {
            let Owner::Thread(next) = holder else {
                panic!("{waiting:?} wait, and nobody has it")
            };
            assert!(waiting.contains(&next));
            assert_eq!(self.scheduler.outcome(next), Outcome::Abandoned);
            self.model.states[next] = State::Ready;
        }
    }

    /// What `woken`, whom `running` let go, says of itself is so.
    fn keeps_its_word(&self, woken: Woken, running: usize) {
        assert_eq!(woken.is_first, self.scheduler.is_top(woken.rank));
        if woken.is_plain {
            let is_more_urgent = woken.rank < top(self.scheduler.equals_of(running));
            assert_eq!(self.scheduler.select() == woken.rank, is_more_urgent, "{woken:?}");
        }
    }

    /// None of `waiting` was more urgent than `next`.
    fn is_first(&self, next: Option<usize>, waiting: &[usize]) {
        let most = waiting.iter().map(|&i| self.model.effective(i)).max();
        assert_eq!(next.map(|next| self.model.effective(next)), most, "{waiting:?}");
        assert!(next.is_none_or(|next| waiting.contains(&next)));
    }

    fn is_right(&self, step: Step) {
        let runs = self.scheduler.select();
        assert!(self.model.runs(runs), "{step:?}: {runs} runs in {:?}", self.model);
        for (mutex, &owner) in self.model.owners.iter().enumerate() {
            assert_eq!(self.mutexes[mutex].holder(), owner, "{step:?}: mutex {mutex}");
        }
        for other in 0..self.model.urgency.len() {
            if self.model.runs(other) {
                let (own, theirs) = (self.model.effective(runs), self.model.effective(other));
                assert!(
                    own >= theirs,
                    "{step:?}: {runs} runs, not {other}, in {:?}",
                    self.model
                );
            }
        }
    }
}

fn steps(threads: usize, mutexes: usize) -> Vec<Step> {
    let mut all = vec![Step::Wait, Step::Pass, Step::Finish, Step::Event];
    all.extend((0..mutexes).flat_map(|m| [Step::Lock(m), Step::TryLock(m), Step::Unlock(m)]));
    all.extend((0..threads).flat_map(|t| {
        [
            Step::GiveUp(t),
            Step::Suspend(t),
            Step::Resume(t),
            Step::Restart(t),
        ]
    }));
    all
}

/// Visits every state that can be reached, each by the shortest way there.
fn visit<const N: usize>(priorities: &[u8], mutexes: usize) -> usize {
    let world = |path: &[Step]| {
        let mut world = World::new::<N>(priorities, mutexes);
        for &step in path {
            world.take(step);
        }
        world
    };
    let steps = steps(priorities.len(), mutexes);
    let (mut seen, mut left) = (HashSet::new(), VecDeque::from([Vec::new()]));
    while let Some(path) = left.pop_front() {
        let here = world(&path);
        if !seen.insert((here.model.clone(), here.scheduler.select())) {
            continue;
        }
        for &step in steps.iter().filter(|&&step| here.may(step)) {
            let mut longer: Vec<Step> = path.clone();
            longer.push(step);
            left.push_back(longer);
        }
    }
    seen.len()
}

#[test]
fn in_every_state_of_three_threads_and_two_mutexes() {
    let states = visit::<4>(&[3, 2, 1], 2);
    assert!(states > 500, "{states} states are too few to mean anything");
}

#[test]
fn in_every_state_of_three_threads_of_which_two_are_equals() {
    let states = visit::<4>(&[2, 1, 1], 2);
    assert!(states > 500, "{states} states are too few to mean anything");
}

proptest! {
    #[test]
    fn in_long_runs(
        priorities in prop::collection::vec(1..4_u8, 5),
        path in prop::collection::vec(any::<prop::sample::Index>(), 1..80),
    ) {
        let mut priorities = priorities;
        priorities.sort_by_key(|&p| std::cmp::Reverse(p));
        let mut world = World::new::<6>(&priorities, 3);
        let steps = steps(5, 3);
        for index in path {
            let may: Vec<_> = steps.iter().copied().filter(|&step| world.may(step)).collect();
            world.take(*index.get(&may));
        }
    }
}

/// Three equals, each of which passes: everyone has as many turns, in a circle.
#[test]
fn equals_take_turns() {
    let world = World::new::<4>(&[1, 1, 1], 0);
    let mut turns = Vec::new();
    for _ in 0..9 {
        let runs = world.scheduler.select();
        turns.push(runs);
        world.scheduler.switch_to(runs);
        world.scheduler.pass_turn(runs);
    }
    assert_eq!(turns, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
}

/// A pre-empted thread continues before its equals; one whose turn is over does not.
#[test]
fn who_is_preempted_keeps_its_turn() {
    let world = World::new::<4>(&[2, 1, 1], 0);
    let scheduler = world.scheduler;
    scheduler.wait(0, Some(world.event));
    scheduler.switch_to(1);
    scheduler.give_turn(2);
    assert_eq!(scheduler.select(), 2);
    scheduler.switch_to(2);
    scheduler.release(world.event);
    assert_eq!(scheduler.preempt(), 0);
    scheduler.switch_to(0);
    scheduler.wait(0, Some(world.event));
    assert_eq!(scheduler.select(), 2, "it was its turn");
    scheduler.switch_to(2);
    assert!(scheduler.end_turn());
    assert_eq!(scheduler.preempt(), 1);
}

/// Where who switches looks at the next one alone, that one is marked if the one who runs has equals, until somebody has chosen, and
/// whatever else is worked out meanwhile.
#[test]
fn the_next_one_is_marked_for_who_has_equals() {
    let world = World::new::<4>(&[2, 1, 1], 0);
    let scheduler = world.scheduler;
    let is_marked = || is_member(scheduler.special.get(), 0);
    scheduler.wait(0, Some(world.event));
    scheduler.end_after(0, Some(world.event), 1);
    scheduler.switch_to(1);
    assert_eq!(scheduler.tick(), Some(0));
    assert!(!is_marked());
    scheduler.mind_turn(scheduler.with_equals());
    scheduler.resume(2);
    assert!(is_marked());
    assert_eq!(scheduler.preempt(), 0);
    assert!(!is_marked());
    scheduler.switch_to(0);
    scheduler.mind_turn(scheduler.with_equals());
    assert!(!is_marked(), "who runs has no equals");
    scheduler.switch_to(1);
    assert!(scheduler.end_turn());
    assert!(is_marked());
}

/// Each wait ends at its tick, across the wrap of the count, and none before.
#[test]
fn waits_end_at_their_tick() {
    let world = World::new::<4>(&[3, 2, 1], 0);
    let scheduler = world.scheduler;
    scheduler.now.set(u32::MAX - 3);
    for (rank, ticks) in [(0, 5), (1, 2), (2, 9)] {
        scheduler.wait(rank, None);
        scheduler.end_after(rank, None, ticks);
    }
    let mut woken = Vec::new();
    for tick in 1..=10 {
        let before = scheduler.contending.get();
        if scheduler.tick().is_some() {
            woken.push((tick, (scheduler.contending.get() & !before).leading_zeros()));
        }
    }
    assert_eq!(woken, [(2, 1), (5, 0), (9, 2)]);
}

proptest! {
    /// Whoever looks now and then finds what the ticks would have done until then.
    #[test]
    fn to_pass_several_ticks_is_to_tick_as_often(
        waits in prop::collection::vec(1_u32..60, 3),
        woken in prop::option::of((0_usize..3, 0_usize..6)),
        passes in prop::collection::vec(0_u32..20, 6),
        start: u32,
    ) {
        let worlds = [(); 2].map(|()| World::new::<4>(&[2, 1, 1], 0));
        for world in &worlds {
            world.scheduler.now.set(start);
            for (rank, &ticks) in waits.iter().enumerate() {
                world.scheduler.wait(rank, Some(world.event));
                world.scheduler.end_after(rank, Some(world.event), ticks);
            }
        }
        let [ticking, passing] = worlds;
        for (at, &ticks) in passes.iter().enumerate() {
            let mut ended = false;
            for _ in 0..ticks {
                ended |= ticking.scheduler.tick().is_some();
            }
            let now = passing.scheduler.now.get().wrapping_add(ticks);
            prop_assert_eq!(passing.scheduler.pass(now).is_some(), ended);
            if let Some((rank, when)) = woken && when == at && passing.event.members() & bit(rank) != 0 {
                for world in [&ticking, &passing] {
                    world.scheduler.release_member(world.event, rank);
                }
            }
            prop_assert_eq!(passing.scheduler.contending.get(), ticking.scheduler.contending.get());
            prop_assert_eq!(passing.event.members(), ticking.event.members());
            if let Some(left) = passing.scheduler.idle_ticks() {
                prop_assert!(left > 0 || ticking.scheduler.idle_ticks() == Some(left), "a wait is over and still waits");
            }
        }
    }
}

/// A mutex that its owner forgot is the next one's, whether or not the owner has begun anew by then: the owner's own, too.
#[test]
fn a_forgotten_mutex_outlives_a_restart() {
    for next in [0, 1] {
        let (world, all) = (World::new::<3>(&[2, 1], 1), Mutexes::new());
        let (scheduler, mutex) = (world.scheduler, world.mutexes[0]);
        all.add(mutex);
        assert_eq!(scheduler.lock(0, mutex, None), Locking::Taken);
        scheduler.finish(0);
        scheduler.leave_mutexes(0, &all);
        assert!(scheduler.restart(0));
        all.add(mutex);
        assert_eq!(scheduler.try_lock(next, mutex), Locking::Abandoned);
        assert_eq!(mutex.holder(), Holder::Thread(next));
        assert_eq!(scheduler.unlock(mutex), None);
        assert_eq!(scheduler.lock(1 - next, mutex, None), Locking::Taken, "told once");
    }
}

/// Threads that wait for one another in a circle are found when the last one begins to, whatever they wait for.
#[test]
fn a_circle_of_waits() {
    let world = World::new::<4>(&[3, 2, 1], 1);
    let scheduler = world.scheduler;
    let closes = |rank, other| scheduler.closes_circle(rank, other, |rank| scheduler.awaited(rank));
    scheduler.lock(2, world.mutexes[0], None);
    scheduler.lock(0, world.mutexes[0], None);
    assert!(closes(2, 0), "it would wait for who waits for its mutex");
    assert!(!closes(1, 0) && !closes(2, 1));
    scheduler.wait(1, Some(world.event));
    scheduler.awaits(1, Awaited::End(0));
    assert!(closes(2, 1), "by way of another one");
    scheduler.suspend(1);
    assert!(closes(2, 1), "whether or not that one is suspended");
    scheduler.resume(1);
    assert_eq!(scheduler.who_awaits(Awaited::End(0)), Some(1));
    assert_eq!(scheduler.who_awaits(Awaited::Answer(0)), None);
    scheduler.end_after(1, Some(world.event), 5);
    assert!(!closes(2, 1), "that one's wait has an end");
    scheduler.release(world.event);
    assert!(!closes(2, 1), "what that one waited for has come");
    assert_eq!(scheduler.who_awaits(Awaited::End(0)), None);
    assert!(!closes(1, 3), "the idle loop waits for nobody");
}

/// Both orders of a word say the same of its members.
mod words {
    use mainspring_core::threads::{Move, Word, bit};
    use proptest::prelude::*;

    /// The same members in the other order.
    fn other(members: u32) -> u32 {
        members.reverse_bits()
    }

    proptest! {
        #[test]
        fn the_first_is_the_same_in_both_orders(members in 1_u32.., rank in 0_usize..32) {
            prop_assert_eq!(Word::<false>::top(members), Word::<true>::top(other(members)));
            prop_assert_eq!(
                Word::<false>::is_top(members, rank),
                Word::<true>::is_top(other(members), rank)
            );
            let bit = Word::<false>::bit(rank);
            prop_assert_eq!(other(bit), Word::<true>::bit(rank));
            prop_assert_eq!(other(Word::<false>::behind(bit)), Word::<true>::behind(other(bit)));
            // Of others, itself among them or not; of none of them nobody asks.
            if members != 0 {
                prop_assert_eq!(
                    Word::<false>::is_before(bit, members),
                    Word::<true>::is_before(other(bit), other(members))
                );
            }
            prop_assert!(!Word::<true>::is_before(bit, bit) && !Word::<true>::is_before(0, bit));
        }

        #[test]
        fn a_move_keeps_the_order_of_all_others(members: u32, from in 0_usize..31, to in 0_usize..31) {
            let there = Move { from, to };
            prop_assert_eq!(there.of(from), to);
            let mut others: Vec<_> = (0..31).filter(|&rank| rank != from).map(|rank| there.of(rank)).collect();
            prop_assert!(others.is_sorted() && !others.contains(&to));
            others.dedup();
            prop_assert_eq!(others.len(), 30);
            let moved = there.word(members);
            prop_assert_eq!(moved & bit(to) != 0, members & bit(from) != 0);
            prop_assert_eq!(Move { from: to, to: from }.word(moved), members);
        }
    }
}
