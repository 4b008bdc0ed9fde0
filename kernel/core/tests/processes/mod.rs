//! Processes, in every order in which they may ask, fail and be interrupted.

use mainspring_core::processes::{
    BUSY, Context, LENT, LENT_MUT, Machine, Operation, Region, Status, System, TICKS_FROM, Waits, time_limit,
};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// So many, of which the first has a frame, and the last is a thread of the one before it; all may call all.
const COUNT: usize = 5;

/// What each process reaches that is not its own, as it was told.
#[derive(Default)]
struct Model;

thread_local! {
    static OPEN: RefCell<BTreeSet<(usize, Region, bool)>> = const { RefCell::new(BTreeSet::new()) };
}

impl Machine for Model {
    const NOWHERE: Region = [usize::MAX; 2];

    fn lendable(context: &Context, _: bool) -> Option<Region> {
        (context.message[3] < 100).then_some([context.message[3], 0])
    }

    fn described(region: Region) -> [usize; 2] {
        region
    }

    fn begin(&mut self, context: &mut Context, index: usize) {
        context.pc = index + 1;
    }

    fn clear(&mut self, frame: Region) {
        assert_ne!(frame, Self::NOWHERE);
    }

    fn listen(&mut self, _: usize) {}

    fn open(&mut self, index: usize, region: Region, writes: bool) {
        OPEN.with_borrow_mut(|open| assert!(open.insert((index, region, writes)), "opened twice"));
    }

    fn close(&mut self, index: usize, region: Region) {
        OPEN.with_borrow_mut(|open| {
            assert!(open.remove(&(index, region, false)) || open.remove(&(index, region, true)));
        });
    }
}

/// Contexts of processes that started, with these priorities.
fn started(priorities: [u8; COUNT]) -> (Box<[Context; COUNT]>, u32) {
    let mut contexts = Box::new([Context::NONE; COUNT]);
    let base = contexts.as_ptr() as usize;
    for (index, context) in contexts.iter_mut().enumerate() {
        context.priority = priorities[index];
        context.process = index.min(3) as u8;
        context.thread = u8::from(index == 4);
        context.extra = Model::NOWHERE;
        for (number, connection) in context.connections.iter_mut().enumerate() {
            *connection = if number == 4 {
                0
            } else {
                base + number * Context::SIZE
            };
        }
    }
    (contexts[0].extra, contexts[0].frame) = ([7, 0], 1);
    contexts[1].restarts = 2;
    OPEN.with_borrow_mut(|open| *open = BTreeSet::from([(0, [7, 0], true)]));
    let mut ready = 0;
    System::new(&mut *contexts, &mut ready, Model).start();
    (contexts, ready)
}

#[derive(Clone, Debug)]
enum Step {
    Ask { number: usize, to: usize, memory: usize },
    Fault,
    Interrupt(usize),
    Tick,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ask = (0..17_usize, 0..128_usize, 90..102_usize).prop_map(|(number, to, memory)| Step::Ask {
        number,
        to,
        memory,
    });
    let step = prop_oneof![20 => ask, 1 => Just(Step::Fault), 2 => (0..COUNT).prop_map(Step::Interrupt), 3 => Just(Step::Tick)];
    prop::collection::vec(step, 1..200)
}

fn is_open(index: usize, region: Region, writes: bool) -> bool {
    OPEN.with_borrow(|open| open.contains(&(index, region, writes)))
}

fn opened(index: usize) -> usize {
    OPEN.with_borrow(|open| open.iter().filter(|(at, ..)| *at == index).count())
}

/// Whether memory of a process's threads is lent.
fn is_lending((contexts, base): (&[Context], usize), process: usize) -> bool {
    let lends = |thread: usize| {
        let is_lent = |context: &Context| {
            context.client & (LENT | LENT_MUT) != 0
                && (context.client & !mainspring_core::processes::FLAGS) == base + thread * Context::SIZE
        };
        contexts.iter().any(is_lent)
    };
    (0..COUNT).any(|thread| usize::from(contexts[thread].process) == process && lends(thread))
}

/// The invariants between any two steps.
fn look(system: &System<Model>, (contexts, base): (&[Context], usize), running: Option<usize>) {
    let mut waits = [Waits::Not; COUNT];
    for index in 0..COUNT {
        waits[index] = system.waits(index, running);
        let context = &contexts[index];
        let process = usize::from(contexts[index].process);
        if waits[index] == Waits::ForMessage {
            assert_eq!(
                contexts[process].senders, 0,
                "{index} waits, and others are not received"
            );
        }
        if system.is_ending(index) {
            assert!(
                running != Some(index) && !system.is_ready(index),
                "{index} goes on"
            );
            assert!(is_lending((contexts, base), process), "{index} never ends");
        } else if waits[index] == Waits::Not && running != Some(index) {
            assert!(system.is_ready(index), "{index} was lost");
        }
        let lent = context.client != 0 && context.client & LENT != 0;
        let lent_mut = context.client != 0 && context.client & LENT_MUT != 0;
        assert!(!(lent && lent_mut));
        assert!(!lent || context.lent != Model::NOWHERE);
        assert!(!lent_mut || context.lent_mut != Model::NOWHERE);
        if running == Some(index) {
            assert!(
                lent || context.lent == Model::NOWHERE,
                "{index} reads what nobody lends"
            );
            assert!(
                lent_mut || context.lent_mut == Model::NOWHERE,
                "{index} writes what nobody lends"
            );
        }
        assert_eq!(context.frame != 0, context.extra != Model::NOWHERE);
        assert!(
            !lent || is_open(index, context.lent, false),
            "{index} cannot read what is lent to it"
        );
        assert!(
            !lent_mut || is_open(index, context.lent_mut, true),
            "{index} cannot write what is lent to it"
        );
        assert!(
            context.frame == 0 || is_open(index, context.extra, true),
            "{index} has a frame out of reach"
        );
        let has = usize::from(lent) + usize::from(lent_mut) + usize::from(context.frame != 0);
        assert_eq!(opened(index), has, "{index} reaches what it should not");
        assert!(
            context.left == 0 || matches!(waits[index], Waits::ToSend(_) | Waits::ForAnswer(_)),
            "{index} waits for no time"
        );
    }
    assert_eq!(contexts.iter().filter(|context| context.frame == 1).count(), 1);
    // No thread waits for itself, over any number of others.
    for first in 0..COUNT {
        let mut at = first;
        for _ in 0..COUNT {
            match waits[at] {
                // Whoever of several threads waits for nothing may receive it.
                Waits::ToSend(3) => break,
                Waits::ToSend(next) | Waits::ForAnswer(next) => at = next,
                _ => break,
            }
            assert_ne!(at, first, "a circle of those who wait: {waits:?}");
        }
    }
    if let Some(running) = running {
        for other in (0..COUNT).filter(|&other| system.is_ready(other)) {
            assert!(
                system.urgency(other) <= system.urgency(running),
                "{other} is more urgent than {running}"
            );
        }
    }
}

proptest! {
    #[test]
    fn nobody_is_lost_and_nothing_stays_open(priorities in any::<[u8; COUNT]>(), steps in steps()) {
        let (mut contexts, mut ready) = started(priorities);
        let mut running = System::new(&mut *contexts, &mut ready, Model).choose(None);
        for step in steps {
            let mut system = System::new(&mut *contexts, &mut ready, Model);
            let goes_on = match (step, running) {
                (Step::Ask { number, to, memory }, Some(running)) => {
                    system.set_message(running, [1, 2, 3, memory, 0, 9, to * 4, number]);
                    system.operate(running)
                }
                (Step::Fault, Some(running)) => system.fault(running),
                (Step::Interrupt(index), running) => {
                    system.notice(index);
                    running.is_some()
                }
                (Step::Tick, running) => {
                    system.tick();
                    running.is_some()
                }
                (_, None) => {
                    system.notice(0);
                    false
                }
            };
            running = system.choose(running.filter(|_| goes_on));
            let copy = contexts.clone();
            let base = contexts.as_ptr() as usize;
            look(&System::new(&mut *contexts, &mut ready, Model), (&*copy, base), running);
        }
    }
}

/// A system of three: 0 calls 1, which calls 2.
fn chain() -> (Box<[Context; COUNT]>, u32) {
    let (mut contexts, mut ready) = started([9, 2, 3, 0, 0]);
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    for (index, message) in [(2, Operation::Receive), (1, Operation::Receive)] {
        system.set_message(index, [0, 0, 0, 0, 0, 0, 0, message as usize]);
        system.run(index);
        assert!(!system.operate(index));
    }
    for (caller, called) in [(0, 1), (1, 2)] {
        system.set_message(caller, [1, 2, 3, 4, 5, 6, called * 4, Operation::Call as usize]);
        system.run(caller);
        assert!(!system.operate(caller));
    }
    (contexts, ready)
}

#[test]
fn who_serves_is_as_urgent_as_who_waits() {
    let (mut contexts, mut ready) = chain();
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert_eq!((system.urgency(2), system.urgency(1)), (9, 9));
    assert_eq!(system.choose(None), Some(2));
    assert_eq!(system.waits(0, Some(2)), Waits::ForAnswer(1));
    assert_eq!(
        contexts[2].message,
        [1, 2, 3, 4, 5, 6, &raw const contexts[1] as usize, 0]
    );
}

#[test]
fn a_fault_is_told_to_who_waits_and_to_nobody_else() {
    let (mut contexts, mut ready) = chain();
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert_eq!(system.choose(None), Some(2));
    assert!(system.fault(2));
    assert_eq!(system.choose(Some(2)), Some(1), "as urgent as its client");
    assert_eq!(contexts[1].message[5], 1);
    assert_eq!((contexts[2].client, contexts[2].pc), (BUSY, 3));
    assert_eq!(contexts[0].message[5], 6, "it waits on");
}

#[test]
fn who_would_wait_for_himself_is_told() {
    let (mut contexts, mut ready) = chain();
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert_eq!(system.choose(None), Some(2));
    system.set_message(2, [0, 0, 0, 0, 0, 0, 0, Operation::Call as usize]);
    assert!(system.operate(2), "to 0, who waits for 1, who waits for 2");
    assert_eq!(contexts[2].message[5], 7);
}

/// The first waits for 1, which serves it, for that many ticks.
fn waits_within(operation: Operation, ticks: usize) -> (Box<[Context; COUNT]>, u32) {
    let (mut contexts, mut ready) = started([9, 2, 3, 0, 0]);
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    system.set_message(1, [0, 0, 0, 0, 0, 0, 0, Operation::Receive as usize]);
    system.run(1);
    assert!(!system.operate(1));
    system.set_message(0, [1, 2, 3, 4, 5, 6, 4 | ticks << TICKS_FROM, operation as usize]);
    system.run(0);
    assert!(!system.operate(0));
    (contexts, ready)
}

#[test]
fn who_has_waited_long_enough_is_told_and_the_late_answer_goes_to_nobody() {
    let (mut contexts, mut ready) = waits_within(Operation::CallWithin, 2);
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert_eq!(system.choose(None), Some(1), "as urgent as who waits for it");
    system.tick();
    assert_eq!(system.waits(0, Some(1)), Waits::ForAnswer(1));
    system.tick();
    assert_eq!(system.waits(0, Some(1)), Waits::Not);
    assert_eq!(system.choose(Some(1)), Some(0));
    system.set_message(1, [7, 7, 7, 7, 7, 7, 7, usize::MAX]);
    assert!(!system.operate(1));
    assert_eq!(contexts[0].message, [0, 0, 0, 7, 0, 8, 0, 4], "and its own frame");
}

#[test]
fn an_answer_in_time_ends_the_wait() {
    let (mut contexts, mut ready) = waits_within(Operation::CallWithin, 2);
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert_eq!(system.choose(None), Some(1));
    system.set_message(1, [7, 0, 0, 0, 0, 0, 0, usize::MAX]);
    assert!(!system.operate(1));
    assert_eq!(system.choose(None), Some(0));
    for _ in 0..3 {
        system.tick();
    }
    assert_eq!((contexts[0].message[0], contexts[0].message[5]), (7, 0));
}

/// The receiver would lose what it works with: its answer is waited for.
#[test]
fn what_is_lent_is_not_taken_back_in_the_midst() {
    let (mut contexts, mut ready) = waits_within(Operation::LendMutWithin, 1);
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert_eq!(system.choose(None), Some(1));
    system.tick();
    assert_eq!(system.waits(0, Some(1)), Waits::ForAnswer(1));
    assert!(is_open(1, [4, 0], true));
}

#[test]
fn who_was_not_received_in_time_is_told() {
    let (mut contexts, mut ready) = started([9, 2, 3, 0, 0]);
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    system.set_message(
        0,
        [
            1,
            2,
            3,
            4,
            5,
            6,
            4 | 1 << TICKS_FROM,
            Operation::LendWithin as usize,
        ],
    );
    system.run(0);
    assert!(!system.operate(0), "1 does not receive yet");
    assert_eq!(system.waits(0, None), Waits::ToSend(1));
    system.tick();
    assert_eq!(system.waits(0, None), Waits::Not);
    assert_eq!(contexts[0].message[5], 8);
    assert_eq!(contexts[1].senders, 0);
}

/// Words 3 and 4 of an answer are its own then.
#[test]
fn a_frame_goes_to_nobody_who_gave_none() {
    let (mut contexts, mut ready) = started([2, 9, 3, 0, 0]);
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    system.set_message(0, [0, 0, 0, 0, 0, 0, 0, Operation::Receive as usize]);
    system.run(0);
    assert!(!system.operate(0));
    system.set_message(1, [0; 8]);
    system.run(1);
    assert!(!system.operate(1), "a call of 0, which has a frame");
    system.run(0);
    system.set_message(0, [1, 2, 3, 4, 5, 0, 0, Operation::ReplyMove as usize]);
    assert!(!system.operate(0));
    assert_eq!(contexts[1].message, [1, 2, 3, 4, 5, 0, 0, 0]);
    assert_eq!((contexts[0].frame, contexts[1].frame), (1, 0));
}

/// The threads of process 3 wait for a message, and so does process 2.
fn team() -> (Box<[Context; COUNT]>, u32) {
    let (mut contexts, mut ready) = started([9, 1, 1, 3, 3]);
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    for index in [3, 4, 2] {
        ask(&mut system, index, Operation::Receive, 0);
    }
    (contexts, ready)
}

fn ask(system: &mut System<Model>, index: usize, operation: Operation, word: usize) -> bool {
    system.set_message(index, [word, 2, 3, 4, 5, 0, word * 4, operation as usize]);
    system.run(index);
    system.operate(index)
}

#[test]
fn whichever_thread_waits_receives_and_the_next_one_waits_for_the_first_that_is_done() {
    let (mut contexts, mut ready) = team();
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert!(!ask(&mut system, 0, Operation::Call, 3) && !ask(&mut system, 1, Operation::Call, 3));
    assert_eq!(
        (system.waits(0, None), system.waits(1, None)),
        (Waits::ForAnswer(3), Waits::ForAnswer(4))
    );
    // 3 asks 2, which asks 3's process too: 4 could serve it, so that is no circle.
    assert!(!ask(&mut system, 3, Operation::Call, 2));
    assert!(!ask(&mut system, 2, Operation::Call, 3));
    assert_eq!(system.waits(2, None), Waits::ToSend(3));
    // But it is if 4 asks 2.
    assert!(ask(&mut system, 4, Operation::Call, 2));
    assert!(ask(&mut system, 4, Operation::Reply, 0), "it has the next one");
    assert_eq!(
        (system.waits(1, None), system.waits(2, None)),
        (Waits::Not, Waits::ForAnswer(4))
    );
    assert_eq!(contexts[4].message[..6], [3, 2, 3, 4, 5, 0]);
    assert_eq!(contexts[1].message[5], Status::Done as usize);
}

/// Of urgencies 9, 1, 3 and 3: whoever may let the first go on is as urgent as it is.
#[test]
fn all_threads_are_as_urgent_as_who_waits_to_be_received_by_one() {
    let (mut contexts, mut ready) = team();
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert!(!ask(&mut system, 1, Operation::Call, 3) && !ask(&mut system, 2, Operation::Call, 3));
    assert_eq!((system.urgency(3), system.urgency(4)), (3, 3));
    assert!(!ask(&mut system, 0, Operation::Call, 3));
    assert_eq!(system.waits(0, None), Waits::ToSend(3));
    assert_eq!((system.urgency(3), system.urgency(4)), (9, 9));
}

#[test]
fn a_thread_ends_the_wait_of_another_and_the_answer_goes_to_nobody() {
    let (mut contexts, mut ready) = team();
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    system.notice(3);
    assert!(!ask(&mut system, 3, Operation::Call, 2));
    // 4 is called, and ends the wait of the first thread, once.
    assert!(!ask(&mut system, 1, Operation::Call, 3));
    for status in [Status::Done, Status::Busy] {
        assert!(ask(&mut system, 4, Operation::Cancel, 0));
        assert_eq!(system.status(4), status as usize);
    }
    assert_eq!(system.status(3), Status::Cancelled as usize);
    assert!(system.is_ready(3) && !ask(&mut system, 2, Operation::Reply, 7));
    assert_eq!(system.status(3), Status::Cancelled as usize);
    // Lent memory is not taken from the process that has it.
    assert!(!ask(&mut system, 3, Operation::LendMut, 2));
    assert!(ask(&mut system, 4, Operation::Cancel, 0));
    assert_eq!(
        (system.status(4), system.waits(3, None)),
        (Status::Busy as usize, Waits::ForAnswer(2))
    );
}

/// One fails while memory of the other one is lent: both begin anew, when it is back.
#[test]
fn a_process_ends_when_nothing_of_it_is_lent_any_more() {
    let (mut contexts, mut ready) = team();
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert!(!ask(&mut system, 0, Operation::Call, 3) && !ask(&mut system, 1, Operation::Call, 3));
    assert!(!ask(&mut system, 3, Operation::LendMut, 2));
    system.run(4);
    assert!(!system.fault(4));
    assert!(system.is_ending(3) && is_open(2, [4, 0], true));
    for asker in [0, 1] {
        assert_eq!(system.status(asker), Status::Died as usize);
        assert!(system.is_ready(asker), "whom either served is told at once");
    }
    assert!(!system.is_ready(3) && !system.is_ready(4));
    // A call in between is received later; the answer ends it.
    assert!(!ask(&mut system, 0, Operation::Call, 3));
    assert!(!ask(&mut system, 2, Operation::Reply, 0));
    assert!(!system.is_ending(3) && !is_open(2, [4, 0], true));
    assert!(system.is_ready(3) && system.is_ready(4));
    assert_eq!(system.waits(0, None), Waits::ToSend(3));
    assert!(
        ask(&mut system, 4, Operation::Receive, 0),
        "it begins by receiving"
    );
}

/// The waits of a process that dies: to be received, and an answer. No other process hears of it.
#[test]
fn whoever_dies_waiting_is_forgotten() {
    for served in [false, true] {
        let (mut contexts, mut ready) = team();
        let mut system = System::new(&mut *contexts, &mut ready, Model);
        system.notice(3);
        if !served {
            assert!(!ask(&mut system, 1, Operation::Call, 2));
        }
        assert!(!ask(&mut system, 3, Operation::Call, 2));
        system.run(4);
        assert!(system.fault(4), "nothing is lent");
        assert_eq!(system.waits(3, None), Waits::Not);
        assert!(
            !ask(&mut system, 2, Operation::Reply, 0),
            "to nobody, and nobody is next"
        );
        assert_eq!(system.status(3), 0, "it begins");
    }
}

#[test]
fn who_gave_a_frame_hears_with_the_news_that_it_is_back() {
    let (mut contexts, mut ready) = team();
    let mut system = System::new(&mut *contexts, &mut ready, Model);
    assert!(!ask(&mut system, 0, Operation::Move, 3));
    system.run(3);
    assert!(system.fault(3));
    assert_eq!(
        contexts[0].message,
        [0, 0, 0, 7, 0, Status::Died as usize, 0, Operation::Move as usize]
    );
    assert_eq!((contexts[0].frame, contexts[3].frame), (1, 0));
}

/// More ticks than the word has room for would end the wait early.
#[test]
fn a_time_limit_is_what_was_asked_for_or_none() {
    for ticks in [1, 1000, (1 << 27) - 1] {
        assert_eq!(time_limit(ticks) >> TICKS_FROM, ticks as usize);
        assert_eq!(
            time_limit(ticks) as u32 >> TICKS_FROM,
            ticks,
            "in a word of 32 bits"
        );
    }
    for ticks in [1 << 27, (1 << 27) + 1, u32::MAX] {
        assert!(std::panic::catch_unwind(|| time_limit(ticks)).is_err(), "{ticks}");
    }
}
