//! Threads that come, go and change their urgency, as an interface for C has them: whatever happens, a thread is found that runs, and
//! none is more urgent, counting lent priorities.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use mainspring_core::threads::{Locking, Move, Ownership, Scheduler, Set, Slot, bit};
use proptest::collection::vec;
use proptest::prelude::*;

/// The most threads; the idle one comes after them.
const THREADS: usize = 5;
const IDLE: usize = THREADS;
const MUTEXES: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// A thread begins, of this urgency.
    Begin(usize, u32),
    End(usize),
    Change(usize, u32),
    /// The running thread waits for an event, for at most that many ticks if that is not 0.
    Wait(u32),
    Event,
    /// The running thread wants a mutex, within that many ticks.
    Lock(usize, u32),
    Unlock(usize),
    Pass,
    /// An exception ends the turn of the running thread.
    Over,
    Tick,
    Suspend(usize),
    Resume(usize),
}

fn steps() -> impl Strategy<Value = Step> {
    let (threads, urgencies, mutexes, ticks) = (0..THREADS, 1_u32..4, 0..MUTEXES, 0_u32..4);
    prop_oneof![
        3 => (threads.clone(), urgencies.clone()).prop_map(|(i, urgency)| Step::Begin(i, urgency)),
        1 => threads.clone().prop_map(Step::End),
        1 => (threads.clone(), urgencies).prop_map(|(i, urgency)| Step::Change(i, urgency)),
        2 => ticks.clone().prop_map(Step::Wait),
        2 => Just(Step::Event),
        2 => (mutexes.clone(), ticks).prop_map(|(mutex, ticks)| Step::Lock(mutex, ticks)),
        2 => mutexes.prop_map(Step::Unlock),
        2 => Just(Step::Pass),
        1 => Just(Step::Over),
        2 => Just(Step::Tick),
        1 => threads.clone().prop_map(Step::Suspend),
        1 => threads.prop_map(Step::Resume),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Nobody,
    Ready,
    Event,
    Mutex(usize),
}

/// What is known of a thread without the scheduler.
#[derive(Clone, Copy, Debug)]
struct Thread {
    rank: usize,
    urgency: u32,
    state: State,
    /// Ticks left of its wait, if that has an end.
    left: u32,
    is_suspended: bool,
}

struct World {
    scheduler: &'static Scheduler,
    event: &'static Set,
    mutexes: [&'static Ownership; MUTEXES],
    owners: [Option<usize>; MUTEXES],
    threads: Vec<Thread>,
    running: usize,
}

impl World {
    fn new() -> Self {
        let slots = [const { Slot::new(0) }; THREADS + 1];
        let scheduler: &'static Scheduler = Box::leak(Box::new(Scheduler::new(slots, 0)));
        (0..THREADS).for_each(|rank| scheduler.finish(rank));
        let thread = |rank| Thread {
            rank,
            urgency: 0,
            state: if rank == IDLE { State::Ready } else { State::Nobody },
            left: 0,
            is_suspended: false,
        };
        let mut world = World {
            scheduler,
            event: Box::leak(Box::default()),
            mutexes: [(); MUTEXES].map(|()| &*Box::leak(Box::default())),
            owners: [None; MUTEXES],
            threads: (0..=IDLE).map(thread).collect(),
            running: IDLE,
        };
        world.renumber(0, 0);
        world
    }

    fn at(&self, rank: usize) -> usize {
        let found = self.threads.iter().position(|thread| thread.rank == rank);
        found.expect("everyone has a rank")
    }

    fn renumber(&mut self, thread: usize, to: usize) {
        let from = self.threads[thread].rank;
        let change = Move { from, to };
        for thread in &mut self.threads {
            thread.rank = change.of(thread.rank);
        }
        change.set(self.event);
        self.mutexes.iter().for_each(|mutex| change.mutex(mutex));
        self.scheduler.renumber(change);
        self.scheduler.regroup(|rank| {
            let thread = self.threads[self.at(rank)];
            if thread.state == State::Nobody {
                1000 + rank as u32
            } else {
                thread.urgency
            }
        });
    }

    /// Puts it after all that are as urgent.
    fn place(&mut self, thread: usize) {
        let urgency = self.threads[thread].urgency;
        let is_before = |&other: &usize| {
            let them = self.threads[other];
            other != thread && other != IDLE && them.state != State::Nobody && them.urgency >= urgency
        };
        let before = (0..THREADS).filter(is_before).count();
        self.renumber(thread, before);
    }

    fn give_back(&mut self, mutex: usize) {
        let next = self.scheduler.unlock(self.mutexes[mutex]);
        self.owners[mutex] = next.map(|rank| self.at(rank));
        if let Some(next) = self.owners[mutex] {
            self.threads[next].state = State::Ready;
        }
    }

    fn end(&mut self, i: usize) {
        let (scheduler, rank) = (self.scheduler, self.threads[i].rank);
        scheduler.resume(rank);
        scheduler.withdraw(
            rank,
            (self.threads[i].state == State::Event).then_some(self.event),
        );
        scheduler.finish(rank);
        self.threads[i].state = State::Nobody;
        self.threads[i].is_suspended = false;
        (0..MUTEXES)
            .filter(|&mutex| self.owners[mutex] == Some(i))
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|mutex| self.give_back(mutex));
        self.renumber(i, THREADS - 1);
    }

    fn tick(&mut self) {
        self.scheduler.tick();
        for thread in &mut self.threads {
            let waits = matches!(thread.state, State::Event | State::Mutex(_)) && thread.left > 0;
            thread.left -= u32::from(waits);
            if waits && thread.left == 0 {
                thread.state = State::Ready;
            }
        }
    }

    /// The operation of the running thread.
    fn act(&mut self, step: Step) {
        let (scheduler, running) = (self.scheduler, self.running);
        let own = self.threads[running];
        match step {
            Step::Wait(ticks) => {
                scheduler.give_turn(own.rank);
                scheduler.wait(own.rank, Some(self.event));
                if ticks > 0 {
                    scheduler.end_after(own.rank, Some(self.event), ticks);
                }
                (self.threads[running].state, self.threads[running].left) = (State::Event, ticks);
            }
            Step::Lock(mutex, ticks) => {
                let until = (ticks > 0).then_some(ticks);
                match scheduler.lock(own.rank, self.mutexes[mutex], until) {
                    Locking::Waits => {
                        self.threads[running].state = State::Mutex(mutex);
                        self.threads[running].left = ticks;
                    }
                    Locking::Own => {}
                    Locking::Taken | Locking::Abandoned => self.owners[mutex] = Some(running),
                }
            }
            Step::Unlock(mutex) if self.owners[mutex] == Some(running) => self.give_back(mutex),
            Step::Pass => drop(scheduler.pass_turn(own.rank)),
            Step::Over => {
                scheduler.end_turn();
                let next = scheduler.preempt();
                self.goes_on(next);
            }
            _ => {}
        }
    }

    fn take(&mut self, step: Step) {
        let (scheduler, running) = (self.scheduler, self.running);
        match step {
            Step::Begin(i, urgency) if self.threads[i].state == State::Nobody => {
                (self.threads[i].state, self.threads[i].urgency) = (State::Ready, urgency);
                self.place(i);
                assert!(scheduler.restart(self.threads[i].rank), "it had ended");
            }
            Step::End(i) if self.threads[i].state != State::Nobody => self.end(i),
            Step::Change(i, urgency) if self.threads[i].state != State::Nobody => {
                self.threads[i].urgency = urgency;
                self.place(i);
            }
            Step::Event => {
                if let Some(woken) = scheduler.release(self.event) {
                    let woken = self.at(woken.rank);
                    assert_eq!(self.threads[woken].state, State::Event);
                    self.threads[woken].state = State::Ready;
                }
            }
            Step::Tick => self.tick(),
            Step::Suspend(i) if self.threads[i].state != State::Nobody => {
                scheduler.suspend(self.threads[i].rank);
                self.threads[i].is_suspended = true;
            }
            Step::Resume(i) if self.threads[i].is_suspended => {
                scheduler.resume(self.threads[i].rank);
                self.threads[i].is_suspended = false;
            }
            _ if running != IDLE => self.act(step),
            _ => {}
        }
        scheduler.keep_turn(self.threads[self.running].rank);
        let next = scheduler.select();
        self.goes_on(next);
    }

    /// No ready thread is more urgent than `next`, counting lent priorities.
    fn goes_on(&mut self, next: usize) {
        let next = self.at(next);
        let runs = |i: usize| self.threads[i].state == State::Ready && !self.threads[i].is_suspended;
        assert!(runs(next), "{next} cannot run: {:?}", self.threads);
        let most = (0..=IDLE).filter(|&i| runs(i)).map(|i| self.effective(i)).max();
        assert_eq!(Some(self.effective(next)), most, "{next} of {:?}", self.threads);
        self.scheduler.switch_to(self.threads[next].rank);
        self.running = next;
        let contends = self.scheduler.contending.get() & bit(self.threads[IDLE].rank) != 0;
        assert!(contends, "the idle loop always contends");
    }

    fn effective(&self, i: usize) -> u32 {
        let mut own: Vec<_> = self.threads.iter().map(|thread| thread.urgency).collect();
        for _ in 0..own.len() {
            for (lender, thread) in self.threads.iter().enumerate() {
                if let State::Mutex(mutex) = thread.state
                    && let Some(owner) = self.owners[mutex].filter(|_| !thread.is_suspended)
                {
                    own[owner] = own[owner].max(own[lender]);
                }
            }
        }
        own[i]
    }
}

/// Runs `f` on another thread, which has a minute: this finds an endless search for the next one.
fn within_a_minute(f: impl FnOnce() + Send + 'static) {
    let (ends, ended) = mpsc::channel();
    let runs = thread::spawn(move || {
        f();
        let _ = ends.send(()); // Nobody listens any more if the minute is over.
    });
    match ended.recv_timeout(Duration::from_mins(1)) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it does not end"),
        Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => {}
    }
    if let Err(panic) = runs.join() {
        std::panic::resume_unwind(panic);
    }
}

/// One whose turn it once was began anew, among equals whose turn it was one of: none could ever be chosen.
#[test]
fn it_is_the_turn_of_one_of_the_equals() {
    within_a_minute(|| {
        let mut world = World::new();
        for step in [
            Step::Begin(0, 2),
            Step::Begin(1, 2),
            Step::Wait(0),
            Step::Wait(0),
            Step::Event,
            Step::End(1),
            Step::Begin(2, 2),
            Step::Wait(0),
            Step::End(0),
            Step::Begin(3, 2),
            Step::Begin(1, 2),
            Step::Pass,
            Step::Wait(0),
            Step::Wait(0),
            Step::Event,
        ] {
            world.take(step);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 2000 }))]
    #[test]
    fn somebody_runs_and_nobody_is_more_urgent(all in vec(steps(), 1..60)) {
        within_a_minute(move || {
            let mut world = World::new();
            for step in all {
                world.take(step);
            }
        });
    }
}

/// What a thread once waited in may be gone when it ends: no code looks there.
#[test]
fn a_thread_that_ends_is_taken_out_of_what_it_waits_in_alone() {
    let mut world = World::new();
    world.take(Step::Begin(0, 2));
    world.take(Step::Wait(3));
    world.take(Step::Event);
    assert_eq!(world.running, 0);
    // Another thread's by now: a word with that bit.
    world.event.insert(world.threads[0].rank);
    world.scheduler.wait(world.threads[0].rank, None);
    world.scheduler.withdraw(world.threads[0].rank, None);
    assert_eq!(world.event.members(), bit(world.threads[0].rank));
}
