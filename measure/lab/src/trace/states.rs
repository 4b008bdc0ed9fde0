//! What each thread does, as tracks of a timeline: it runs, is ready, or waits in a function of its kernel; and arrows from what gave to the
//! thread that then went on.
//!
//! A kernel is known by the names of its functions, so this is what follows from calls and switches: a thread that leaves the core by itself
//! inside a function that waits, waits; one that an interrupt makes leave is ready.

use events::{Enter, EntryKind};
use report::perfetto::{Arrow, Mark, Packets};

/// First number of the tracks, above those of contexts.
const STATES: u64 = 1 << 32;

/// A call path, as the names of its functions that matter here.
#[derive(Clone, Default, Debug)]
pub(super) struct Calls {
    /// The function in which the thread waits, if it leaves the core.
    pub(super) waits_in: Option<String>,
    /// Whether it is inside a function that gives to others.
    pub(super) gives: bool,
}

/// A thread's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Running,
    Ready,
    Waiting,
}

/// The states of the threads.
#[derive(Default, Debug)]
pub(super) struct ThreadStates {
    threads: Vec<(usize, State)>,
    /// The running thread, its calls when it was last looked at, and the cycle from which it runs.
    running: Option<(usize, Calls, u64)>,
    /// Exceptions entered since a thread last ran.
    entered: u32,
    /// Whether an exception has just returned: another one may begin before the thread below executes anything.
    returned: bool,
    /// The arrow that begins where something was given last, and the interrupt or thread in which that was.
    given: Option<(u64, usize)>,
}

impl ThreadStates {
    pub(super) fn enters(&mut self, enter: &Enter) {
        // The handler that a late arrival replaces has not run.
        if enter.kind != EntryKind::LateArrival || self.entered == 0 {
            self.entered += 1;
        }
    }

    pub(super) fn exits(&mut self) {
        self.returned = true;
    }

    /// A function that gives was called in this context; an arrow with this number begins there.
    pub(super) fn gives(&mut self, context: usize, arrow: u64) {
        self.given = Some((arrow, context));
    }

    /// A thread runs, with these calls; `name` gives the name of a thread, and its calls are on track `calls_of` plus its number. The first
    /// thread has a state once there is a second one.
    pub(super) fn runs(
        &mut self,
        cycle: u64,
        (thread, calls): (usize, Calls),
        (calls_of, name): (u64, impl Fn(usize) -> String),
        (packets, out): (&mut Packets, &mut Vec<u8>),
    ) {
        let returned = std::mem::take(&mut self.returned);
        if returned
            && self
                .running
                .as_ref()
                .is_some_and(|(running, ..)| *running == thread)
        {
            return;
        }
        let by_itself = std::mem::take(&mut self.entered) <= 1;
        let (left, waits, since) = match self.running.take() {
            Some((left, _, since)) if left == thread => {
                // What was given made nobody run.
                self.given.take_if(|_| !calls.gives);
                self.running = Some((thread, calls, since));
                return;
            }
            Some((left, left_in, since)) => (left, left_in.waits_in.filter(|_| by_itself), since),
            None => {
                self.running = Some((thread, calls, cycle));
                return;
            }
        };
        self.running = Some((thread, calls, cycle));
        let describe = |thread: usize, out: &mut Vec<u8>| {
            let name = format!("{}: state", name(thread));
            let parent = Some(calls_of + thread as u64);
            packets.track(STATES + thread as u64, &name, parent, None, out);
        };
        let [old, track] = [left, thread].map(|thread| STATES + thread as u64);
        let [was_known, was] = [left, thread].map(|thread| self.state(thread));
        if was_known.is_none() {
            describe(left, out);
        }
        if was.is_none() {
            describe(thread, out);
        }
        if was_known.is_none() {
            packets.mark(since, old, Mark::Begin("runs"), Arrow::None, out);
        }
        packets.mark(cycle, old, Mark::End, Arrow::None, out);
        let state = if waits.is_some() {
            State::Waiting
        } else {
            State::Ready
        };
        let text = waits.map_or("ready".to_owned(), |function| format!("waits in {function}"));
        packets.mark(cycle, old, Mark::Begin(&text), Arrow::None, out);
        self.set(left, state);
        if was.is_some() {
            packets.mark(cycle, track, Mark::End, Arrow::None, out);
        }
        let given = self.given.take();
        let arrow = match given {
            Some((arrow, context)) if was == Some(State::Waiting) && context != thread => Arrow::To(arrow),
            _ => Arrow::None,
        };
        packets.mark(cycle, track, Mark::Begin("runs"), arrow, out);
        self.set(thread, State::Running);
    }

    fn state(&self, thread: usize) -> Option<State> {
        let known = self.threads.iter().find(|(known, _)| *known == thread);
        known.map(|(_, state)| *state)
    }

    fn set(&mut self, thread: usize, state: State) {
        match self.threads.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, known)) => *known = state,
            None => self.threads.push((thread, state)),
        }
    }

    /// Ends every slice.
    pub(super) fn end(&mut self, cycle: u64, packets: &mut Packets, out: &mut Vec<u8>) {
        for (thread, _) in self.threads.drain(..) {
            packets.mark(cycle, STATES + thread as u64, Mark::End, Arrow::None, out);
        }
        *self = ThreadStates::default();
    }
}
