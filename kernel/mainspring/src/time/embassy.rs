//! Time for `embassy-time`, and for all drivers and applications that wait by it.

use core::cell::RefCell;
use core::task::Waker;

use critical_section::{CriticalSection, Mutex};
use mainspring_core::time::{Queue, extended};

use super::Clock;

/// A driver of `embassy-time` by the clock `C`, at `HZ` counts a second, for `N` tasks that wait at once.
///
/// ```ignore
/// embassy_time_driver::time_driver_impl!(
///     // SAFETY: nothing else in this program uses SysTick or the cycle counter.
///     static TIME: Embassy<Cycles<8_000_000>, 8_000_000, 4> = Embassy::new(unsafe { Cycles::new() })
/// );
/// ```
///
/// `init` calls [`start`](Embassy::start), and the task on the clock's interrupt [`serve`](Embassy::serve). A program has one clock of a kind: this one is
/// instead of [`Timers`](super::Timers) by the same.
pub struct Embassy<C, const HZ: u32, const N: usize>(Mutex<RefCell<State<C, N>>>);

struct State<C, const N: usize> {
    queue: Queue<Waker, N>,
    clock: C,
    last: u64,
}

impl<C, const HZ: u32, const N: usize> Embassy<C, HZ, N>
where
    C: Clock<Duration = fugit::Duration<u64, 1, HZ>>,
{
    /// No task waits.
    pub const fn new(clock: C) -> Self {
        const {
            assert!(
                HZ as u64 == embassy_time_driver::TICK_HZ,
                "embassy-time has another rate: set its feature `tick-hz-…` to the clock's"
            );
            assert!(
                C::LONGEST < 1 << 31,
                "the clock's interrupt must come at every half turn of its counter"
            );
        }
        Embassy(Mutex::new(RefCell::new(State {
            queue: Queue::new(),
            clock,
            last: 0,
        })))
    }

    /// Starts the clock.
    pub fn start(&self) {
        self.with(|state| {
            state.clock.start();
            state.last = u64::from(C::count());
            state.wake();
        });
    }

    /// Wakes whose time has come.
    pub fn serve(&self) {
        while let Some(waker) = self.with(State::due) {
            waker.wake();
        }
    }

    fn with<O>(&self, f: impl FnOnce(&mut State<C, N>) -> O) -> O {
        critical_section::with(|cs: CriticalSection<'_>| f(&mut self.0.borrow_ref_mut(cs)))
    }
}

impl<C: Clock, const N: usize> State<C, N> {
    fn look(&mut self) -> u64 {
        self.last = extended(self.last, C::count());
        self.last
    }

    fn wake(&mut self) {
        let now = self.look();
        let wait = self.queue.next().map_or(u64::MAX, |at| at.saturating_sub(now));
        self.clock
            .wake_after(u32::try_from(wait).unwrap_or(u32::MAX).min(C::LONGEST));
    }

    fn due(&mut self) -> Option<Waker> {
        let now = self.look();
        let due = self.queue.pop(now).map(|(_, waker)| waker);
        if due.is_none() {
            self.wake();
        }
        due
    }

    /// Has `waker` woken then; a task that waits already, at the earlier of the two times.
    fn schedule(&mut self, at: u64, waker: &Waker) -> Result<(), Waker> {
        match self.queue.find(|other| other.will_wake(waker)) {
            Some((before, ticket)) if at < before => drop(self.queue.reschedule(ticket, at)),
            Some(_) => return Ok(()),
            None => drop(self.queue.insert(at, waker.clone())?),
        }
        self.wake();
        Ok(())
    }
}

impl<C, const HZ: u32, const N: usize> embassy_time_driver::Driver for Embassy<C, HZ, N>
where
    C: Clock<Duration = fugit::Duration<u64, 1, HZ>> + Send,
{
    fn now(&self) -> u64 {
        self.with(State::look)
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        // Without room it is woken at once, and asks again.
        if let Err(waker) = self.with(|state| state.schedule(at, waker)) {
            waker.wake();
        }
    }
}
