// Threads that wait for what another thread alone can give, and what that one does instead: `waits/cases.rs`. Included after the table,
// whose threads are, from the most urgent on, `Serves`, `First`, `Second` and `Last`; `exit` and `fail` are the chip's.

use core::mem::forget;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::threads::{Condition, Flags, Guard, Mutex, Port, Semaphore, Thread, Threaded, Ticks, Wanted};
use mainspring::{Context, Handles};

#[path = "waits/cases.rs"]
mod cases;
use cases::{BEFORE_CASE, CASES, Case};

/// The text after which the test writes the number of a case.
#[used]
static SELECTED: [u32; 4] = [BEFORE_CASE[0], BEFORE_CASE[1], BEFORE_CASE[2], 0];

fn case() -> Case {
    // SAFETY: a reference.
    let number = unsafe { (&raw const SELECTED[3]).read_volatile() };
    CASES[number as usize].0
}

static MUTEX: Mutex<Scenario, u32> = Mutex::new(0);
static OTHER: Mutex<Scenario, u32> = Mutex::new(0);
static CHANGED: Condition<Scenario> = Condition::new();
static FLAGS: Flags<Scenario> = Flags::new();
static GO: Semaphore<Scenario> = Semaphore::new(0);
static PORT: Port<Serves, u32, u32> = Port::new();
static MORE: Port<Serves, u32, u32> = Port::new();
static BACK: Port<First, u32, u32> = Port::new();

/// Runs of `First` that have begun.
static RUNS: AtomicU32 = AtomicU32::new(0);

/// The program ends, well if this holds.
fn ends(well: bool) -> ! {
    if well { exit() } else { fail() }
}

/// The guard of a mutex whose owner returned: that is allowed.
fn is_left<T: Threaded>(guard: &Guard<'_, T, u32>) -> ! {
    ends(guard.is_abandoned())
}

struct First;
impl Thread for First {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        let run = RUNS.load(Relaxed) + 1;
        RUNS.store(run, Relaxed);
        match case() {
            Case::ForgottenAndReturned | Case::ForgottenAndTried | Case::ForgottenAndLockedWithin => {
                forget(MUTEX.lock(&mut cx));
            }
            Case::ForgottenAndRestarted | Case::ForgottenRestartedAndTried if run == 1 => {
                forget(MUTEX.lock(&mut cx));
            }
            Case::ForgottenByOneself if run == 1 => forget(MUTEX.lock(&mut cx)),
            Case::ForgottenByOneself => is_left(&MUTEX.lock(&mut cx)),
            Case::ForgottenInEachRun => {
                let guard = MUTEX.lock(&mut cx);
                if guard.is_abandoned() != (run > 1) {
                    fail()
                }
                forget(guard);
                if run == 4 {
                    exit()
                }
            }
            Case::ForgottenWhileWantedAndReturned => {
                let guard = MUTEX.lock(&mut cx);
                cx.sleep(Ticks(2));
                forget(guard);
            }
            Case::ForgottenWhileConditionIsAwaited => {
                cx.sleep(Ticks(2));
                forget(MUTEX.lock(&mut cx));
                CHANGED.notify_one(&mut cx);
            }
            Case::OwnerSleeps | Case::OwnerIsSuspended => {
                cx.sleep(Ticks(2));
                ends(!MUTEX.lock(&mut cx).is_abandoned())
            }
            Case::LockedTwice => {
                let _guard = MUTEX.lock(&mut cx);
                drop(MUTEX.lock(&mut cx));
            }
            Case::ForgottenAndLockedAgain => {
                forget(MUTEX.lock(&mut cx));
                drop(MUTEX.lock(&mut cx));
            }
            Case::LockedTwiceWithin => {
                let _guard = MUTEX.lock(&mut cx);
                let _ = MUTEX.lock_within(&mut cx, Ticks(2));
            }
            Case::TriedTwice => {
                let _guard = MUTEX.try_lock(&mut cx);
                ends(MUTEX.try_lock(&mut cx).is_none())
            }
            Case::TwoMutexes => {
                let _mutex = MUTEX.lock(&mut cx);
                cx.sleep(Ticks(2));
                drop(OTHER.lock(&mut cx));
            }
            Case::TwoMutexesWithin => {
                let _mutex = MUTEX.lock(&mut cx);
                cx.sleep(Ticks(2));
                ends(OTHER.lock_within(&mut cx, Ticks(2)).is_err())
            }
            Case::TwoJoins => cx.join::<Second>(),
            Case::JoinedWithAMutex | Case::ThreeInACircle => {
                let _mutex = MUTEX.lock(&mut cx);
                cx.join::<Second>();
            }
            Case::JoinedAndRestarted if run == 1 => cx.sleep(Ticks(2)),
            Case::ForgottenAndRestarted | Case::ForgottenRestartedAndTried | Case::JoinedAndRestarted => loop {
                cx.sleep(Ticks(100));
            },
            Case::JoinedTooLate => {}
            Case::JoinedServer | Case::JoinedThenServes => cx.join::<Serves>(),
            Case::AskedReturned | Case::AskedThenReturns | Case::AskedBeforeServed => {
                ends(PORT.call(&mut cx, 7) == 8)
            }
            Case::AskedSuspended => {
                cx.suspend::<Serves>();
                ends(PORT.call(&mut cx, 7) == 8)
            }
            Case::ServedInAnAnswer
            | Case::ServedAgainInAnAnswer
            | Case::AskedInAnAnswer
            | Case::JoinedInAnAnswer => ends(PORT.call(&mut cx, 7) == 8),
            Case::LockedInAnAnswer => {
                let _mutex = MUTEX.lock(&mut cx);
                ends(PORT.call(&mut cx, 7) == 8)
            }
            Case::AskedAfterTheAnswer => {
                GO.take(&mut cx);
                PORT.call(&mut cx, 2);
                BACK.serve(&mut cx, |question, _| question)
            }
            Case::NoFlag => drop(FLAGS.wait(&mut cx, Wanted::Any(0))),
            Case::NoFlagOfAll => drop(FLAGS.wait(&mut cx, Wanted::All(1 << 31))),
        }
    }
}

struct Second;
impl Thread for Second {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        match case() {
            Case::ForgottenAndReturned | Case::ForgottenWhileWantedAndReturned => is_left(&MUTEX.lock(&mut cx)),
            Case::ForgottenAndTried => is_left(&MUTEX.try_lock(&mut cx).unwrap()),
            Case::ForgottenAndLockedWithin => is_left(&MUTEX.lock_within(&mut cx, Ticks(2)).unwrap()),
            Case::ForgottenAndRestarted => {
                cx.restart::<First>();
                is_left(&MUTEX.lock(&mut cx))
            }
            Case::ForgottenRestartedAndTried => {
                cx.restart::<First>();
                is_left(&MUTEX.try_lock(&mut cx).unwrap())
            }
            Case::ForgottenByOneself | Case::ForgottenInEachRun => {
                while cx.restart::<First>() {}
            }
            Case::ForgottenWhileConditionIsAwaited => {
                let guard = MUTEX.lock(&mut cx);
                is_left(&CHANGED.wait(&mut cx, guard))
            }
            Case::OwnerSleeps => {
                let _guard = MUTEX.lock(&mut cx);
                cx.sleep(Ticks(4));
            }
            Case::OwnerIsSuspended => {
                let _guard = MUTEX.lock(&mut cx);
                cx.suspend::<Self>();
            }
            Case::TwoMutexes | Case::TwoMutexesWithin => {
                let _other = OTHER.lock(&mut cx);
                drop(MUTEX.lock(&mut cx));
            }
            Case::TwoJoins => cx.join::<First>(),
            Case::JoinedWithAMutex => drop(MUTEX.lock(&mut cx)),
            Case::ThreeInACircle => cx.join::<Last>(),
            Case::JoinedAndRestarted => {
                cx.sleep(Ticks(1));
                while !cx.restart::<First>() {}
            }
            Case::JoinedTooLate => {
                cx.join::<First>();
                exit()
            }
            Case::AskedSuspended => cx.resume::<Serves>(),
            Case::AskedAfterTheAnswer => {
                PORT.call(&mut cx, 1);
            }
            _ => {}
        }
    }
}

struct Last;
impl Thread for Last {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        match case() {
            Case::OwnerIsSuspended => {
                cx.sleep(Ticks(4));
                cx.resume::<Second>();
            }
            Case::ThreeInACircle => drop(MUTEX.lock(&mut cx)),
            Case::JoinedAndRestarted => {
                cx.join::<First>();
                ends(RUNS.load(Relaxed) == 2)
            }
            Case::AskedAfterTheAnswer => {
                let _ = GO.give(&mut cx);
                ends(PORT.call(&mut cx, 3) == 4)
            }
            _ => {}
        }
    }
}

struct Serves;
impl Thread for Serves {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        match case() {
            Case::JoinedThenServes | Case::AskedBeforeServed => cx.sleep(Ticks(2)),
            Case::AskedThenReturns => return cx.sleep(Ticks(2)),
            Case::JoinedServer
            | Case::AskedSuspended
            | Case::ServedInAnAnswer
            | Case::ServedAgainInAnAnswer
            | Case::AskedInAnAnswer
            | Case::LockedInAnAnswer
            | Case::JoinedInAnAnswer
            | Case::AskedAfterTheAnswer => {}
            _ => return,
        }
        PORT.serve(&mut cx, |question, cx| {
            match case() {
                Case::ServedInAnAnswer => MORE.serve(cx, |question, _| question),
                Case::ServedAgainInAnAnswer => PORT.serve(cx, |question, _| question),
                Case::AskedInAnAnswer => drop(BACK.call(cx, question)),
                Case::LockedInAnAnswer => drop(MUTEX.lock(cx)),
                Case::JoinedInAnAnswer => cx.join::<First>(),
                // `Last` and `First` ask meanwhile.
                Case::AskedAfterTheAnswer if question == 1 => cx.sleep(Ticks(2)),
                Case::AskedAfterTheAnswer if question == 3 => drop(BACK.call(cx, question)),
                _ => {}
            }
            question + 1
        })
    }
}
