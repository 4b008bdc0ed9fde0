// Waits that end only by another thread's doing, each with what that thread does instead. The program and its test both include this.

/// The text before the number of the case, by which the test finds it in the program's file.
pub(crate) const BEFORE_CASE: [u32; 3] = [0x1eaf_5afe, 0x0ddc_0ffe, 0xb1ad_e5a5];

/// The outcome of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// Whoever waits goes on.
    Well,
    /// No thread ever could: a panic with this text.
    Told(&'static str),
}

macro_rules! cases {
    ($($(#[$what:meta])* $case:ident: $ends:expr,)*) => {
        /// The actions of the threads.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Case {
            $($(#[$what])* $case,)*
        }

        /// All of them, in their order.
        pub(crate) const CASES: &[(Case, Ends)] = &[$((Case::$case, $ends)),*];
    };
}

cases! {
    /// A thread forgets a guard and returns; another locks.
    ForgottenAndReturned: Ends::Well,
    /// As above; another tries to lock.
    ForgottenAndTried: Ends::Well,
    /// As above; another locks with a time limit.
    ForgottenAndLockedWithin: Ends::Well,
    /// The thread has begun anew by the time that another locks.
    ForgottenAndRestarted: Ends::Well,
    /// As above; another tries to lock.
    ForgottenRestartedAndTried: Ends::Well,
    /// The thread itself locks, in its next run.
    ForgottenByOneself: Ends::Well,
    /// As above, again and again.
    ForgottenInEachRun: Ends::Well,
    /// A thread waits already when the other returns.
    ForgottenWhileWantedAndReturned: Ends::Well,
    /// A thread waits for a condition whose mutex is not given back meanwhile.
    ForgottenWhileConditionIsAwaited: Ends::Well,
    /// The owner sleeps.
    OwnerSleeps: Ends::Well,
    /// The owner is suspended, and resumed by a third one.
    OwnerIsSuspended: Ends::Well,
    /// A thread locks what it has.
    LockedTwice: Ends::Told("thread `First` locks a mutex that it has already"),
    /// As above; the guard is forgotten.
    ForgottenAndLockedAgain: Ends::Told("thread `First` locks a mutex that it has already"),
    /// As above, with a time limit.
    LockedTwiceWithin: Ends::Told("thread `First` locks a mutex that it has already"),
    /// A thread tries to lock what it has.
    TriedTwice: Ends::Well,
    /// Two threads lock two mutexes, each in its own order.
    TwoMutexes: Ends::Told("thread `First` would wait for ever for thread `Second`, which waits for it: a deadlock"),
    /// As above; one of them with a time limit.
    TwoMutexesWithin: Ends::Well,
    /// Two threads wait for each other's end.
    TwoJoins: Ends::Told("thread `Second` would wait for ever for thread `First`, which waits for it: a deadlock"),
    /// A thread waits for the end of another, which wants its mutex.
    JoinedWithAMutex: Ends::Told("thread `Second` would wait for ever for thread `First`, which waits for it: a deadlock"),
    /// Three threads wait for one another: for a mutex and two ends.
    ThreeInACircle: Ends::Told("thread `Last` would wait for ever for thread `First`, which waits for it: a deadlock"),
    /// A thread that was waited for has begun anew before the one that waited runs.
    JoinedAndRestarted: Ends::Well,
    /// A thread waits for the end of one that has returned.
    JoinedTooLate: Ends::Well,
    /// A thread waits for the end of one that serves.
    JoinedServer: Ends::Told("thread `First` would wait for the end of thread `Serves`, which serves a port and never returns"),
    /// As above; it begins to serve later.
    JoinedThenServes: Ends::Told("thread `First` waits for thread `Serves`, which serves a port and never returns"),
    /// A thread asks one that has returned.
    AskedReturned: Ends::Told("thread `First` asks thread `Serves`, which has returned and answers nobody"),
    /// A thread asks one that returns then.
    AskedThenReturns: Ends::Told("thread `First` waits for thread `Serves`, which has returned and answers nobody"),
    /// A thread asks one that is suspended, and resumed by a third one.
    AskedSuspended: Ends::Well,
    /// A thread asks one that serves later.
    AskedBeforeServed: Ends::Well,
    /// An answer serves another port.
    ServedInAnAnswer: Ends::Told("thread `Serves` serves in the midst of an answer, which would never be given"),
    /// An answer serves the same port.
    ServedAgainInAnAnswer: Ends::Told("thread `Serves` serves in the midst of an answer, which would never be given"),
    /// An answer asks the asker.
    AskedInAnAnswer: Ends::Told("thread `Serves` would wait for ever for thread `First`, which waits for it: a deadlock"),
    /// An answer wants the mutex of the asker.
    LockedInAnAnswer: Ends::Told("thread `Serves` would wait for ever for thread `First`, which waits for it: a deadlock"),
    /// An answer waits for the end of the asker.
    JoinedInAnAnswer: Ends::Told("thread `Serves` would wait for ever for thread `First`, which waits for it: a deadlock"),
    /// An answer asks a thread that has been answered, and has not run since.
    AskedAfterTheAnswer: Ends::Well,
    /// A thread waits for no flag.
    NoFlag: Ends::Told("thread `First` waits for no flag at all"),
    /// A thread waits for no flag, all of them.
    NoFlagOfAll: Ends::Told("thread `First` waits for no flag at all"),
}
