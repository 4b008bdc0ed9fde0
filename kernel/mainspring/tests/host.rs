//! An application on the host: who runs when, and what a section holds back.

use std::sync::Mutex;

use mainspring::{
    Context, Full, Handles, Init, Initials, Main, Post, Read, Receive, Run, Write, ceiling, host,
};

struct Chip;

enum Interrupt {
    Low = 0,
    Mid = 1,
    High = 40,
    Mail = 3,
}

// SAFETY: the host has any number of priorities, and no vectors; nothing here writes BASEPRI but the application.
#[allow(unsafe_code)]
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
    const OWNS_BASEPRI: bool = true;
}

mainspring::app! {
    struct Demo;
    device = Chip;
    resources {
        /// Users at 1 and 2.
        Shared: Vec<u32>;
        /// Users at 2 and at the chip's highest level.
        Highest: u32 = 0;
        /// Written at 1, read at 8.
        Setting: u32 = 5;
    }
    tasks {
        Low, on Low, priority 1, uses (Write<Shared>, Post<Mail>, Write<Setting>);
        Mid = Mid, on Mid, priority 2, uses (Write<Shared>, Write<Highest>);
        High = High, on High, priority 8, uses (Write<Highest>, Read<Setting>), enabled false;
        Mail = Mail, on Mail, priority 3, inbox [u8; 2];
    }
    idle uses (Write<Shared>, Read<Setting>, Post<Mail>);
}

struct Low {
    runs: u32,
}
struct Mid;
struct High;
struct Mail;

/// What happened, in its order.
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn log(what: impl Into<String>) {
    LOG.lock().expect("one thread").push(what.into());
}

fn logged() -> Vec<String> {
    std::mem::take(&mut *LOG.lock().expect("one thread"))
}

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (mut shared, mut mail, mut setting): Handles<Self>) {
        self.runs += 1;
        log(format!("low {}", self.runs));
        cx.lock(&mut shared, |shared, cx| {
            cx.pend::<Mid>();
            log("mid is asked for");
            // Above the ceiling, so it comes at once.
            assert_eq!(cx.post(&mut mail, 7), Ok(()));
            shared.push(self.runs);
        });
        log("unlocked");
        cx.lock(&mut setting, |setting, _| *setting += 1);
    }
}

impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, (mut shared, mut highest): Handles<Self>) {
        log(format!("mid sees {:?}", cx.get(&mut shared)));
        cx.lock(&mut highest, |highest, cx| {
            *highest += 1;
            cx.pend::<High>();
            log("mid holds all back");
        });
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, (mut highest, setting): Handles<Self>) {
        log(format!(
            "high sees {} and {}",
            cx.get(&mut highest),
            cx.get(&setting)
        ));
    }
}

impl Receive for Mail {
    fn receive(&mut self, message: u8, _: Context<Self>, (): Handles<Self>) {
        log(format!("mail {message}"));
    }
}

impl Main for Demo {
    fn init(mut cx: Init<Self>) -> Initials<Self> {
        *cx.get::<Setting>() += 5;
        assert_eq!(cx.post::<Mail>(1), Ok(()));
        assert_eq!(cx.post::<Mail>(2), Ok(()));
        assert_eq!(cx.post::<Mail>(3), Err(Full(3)), "an inbox of two");
        log("init");
        Initials::<Self> {
            Shared: Vec::new(),
            Low: Low { runs: 0 },
        }
    }
}

#[test]
fn ceilings_follow_from_the_table() {
    assert_eq!(
        (ceiling::<Shared>(), ceiling::<Highest>(), ceiling::<Setting>()),
        (2, 8, 8)
    );
}

#[test]
fn tasks_run_by_their_priorities_and_sections_hold_them_back() {
    host::run::<Demo, _>(|mut cx, (mut shared, setting, mut mail)| {
        assert_eq!(logged(), ["init", "mail 1", "mail 2"]);

        cx.pend::<Low>();
        let expected = [
            "low 1",
            "mid is asked for",
            "mail 7",
            "mid sees [1]",
            "mid holds all back",
            "unlocked",
        ];
        assert_eq!(logged(), expected);

        // It was asked for while it was disabled, and comes when it no longer is.
        cx.enable::<High>();
        assert_eq!(logged(), ["high sees 1 and 11"]);
        cx.disable::<High>();

        cx.lock(&mut shared, |shared, cx| {
            cx.pend::<Low>();
            cx.pend::<Mid>();
            assert!(logged().is_empty(), "both share what is locked");
            assert_eq!(cx.post(&mut mail, 9), Ok(()));
            assert_eq!(logged(), ["mail 9"], "above the ceiling");
            shared.clear();
        });
        let after = logged();
        assert_eq!(
            (after[0].as_str(), after[2].as_str()),
            ("mid sees []", "low 2"),
            "the more urgent one first"
        );

        cx.atomic(|cx| {
            cx.pend::<Mid>();
            assert!(logged().is_empty(), "everything is held back");
        });
        assert_eq!(logged().len(), 2);
        assert_eq!(cx.lock(&setting, |setting, _| *setting), 12);
    });
}

/// Rows with conditions, on one interrupt, with named handles.
mod rows {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use mainspring::{Context, Handles, Init, Initials, Main, Post, Read, Receive, Run, Write, host};

    use super::Chip;

    mainspring::app! {
        struct Rows;
        device = Chip;
        resources {
            /// As many as `init` says.
            Limit: u32;
            Count: u32;
            #[cfg(any())]
            Missing: NoSuchType;
        }
        tasks {
            Third = Third, behind Second, uses { count: Write<Count> }, inbox [u32; 2];
            First = First, on Low, priority 2, uses { limit: Read<Limit>, count: Write<Count> };
            Second = Second, behind First, uses Write<Count>;
            #[cfg(any())]
            Gone = Gone, on NoSuchInterrupt, priority 9;
        }
        idle uses { count: Write<Count>, limit: Read<Limit>, third: Post<Third>, };
    }

    static RUNS: AtomicU32 = AtomicU32::new(0);

    struct First;
    impl Run for First {
        fn run(&mut self, cx: Context<Self>, mut shared: Handles<Self>) {
            // Nobody is more urgent: it takes no lock.
            *cx.get(&mut shared.count) = *cx.get(&shared.limit);
        }
    }

    struct Second;
    impl Run for Second {
        fn run(&mut self, cx: Context<Self>, mut count: Handles<Self>) {
            RUNS.fetch_add(1, Relaxed);
            *cx.get(&mut count) *= 3;
        }
    }

    struct Third;
    impl Receive for Third {
        fn receive(&mut self, message: u32, cx: Context<Self>, mut shared: Handles<Self>) {
            *cx.get(&mut shared.count) += message;
        }
    }

    impl Main for Rows {
        fn init(_: Init<Self>) -> Initials<Self> {
            Initials::<Self> { Count: 0, Limit: 100 }
        }
    }

    #[test]
    fn those_on_one_interrupt_run_one_after_the_other() {
        host::run::<Rows, _>(|mut cx, mut shared| {
            cx.pend::<Second>();
            assert_eq!(cx.lock(&mut shared.count, |count, _| *count), 300);
            // The first is always first, the others as the table has them.
            assert_eq!(cx.post(&mut shared.third, 5), Ok(()));
            assert_eq!(cx.lock(&mut shared.count, |count, _| *count), (100 + 5) * 3);
            cx.disable::<Third>();
            cx.pend::<First>();
            assert_eq!(RUNS.load(Relaxed), 2, "disabled together");
            cx.enable::<First>();
            assert_eq!(RUNS.load(Relaxed), 3);
            assert_eq!(cx.lock(&shared.limit, |limit, _| *limit), 100);
        });
    }
}
