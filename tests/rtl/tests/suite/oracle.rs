//! Checks that the oracle runs every core, with the same result each time.

use crate::common::{FINISH, oracle};
use rtl::{Change, Core, Job, Line, Outcome, ports};

fn job(code: &[u32]) -> Job {
    let mut memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.resize(0x1000, 0);
    Job {
        memory,
        limit: 100_000,
        ..Job::default()
    }
}

/// Runs a job, shifted to the lowest address at which the core can start.
fn ended(core: Core, job: &Job) -> Option<Outcome> {
    let entry = core.lowest_entry();
    let job = Job {
        reset_vector: entry,
        base: job.base + entry,
        ..job.clone()
    };
    let mut outcome = oracle(core)?.run(&job).unwrap();
    for retired in &mut outcome.stream {
        retired.pc -= entry;
    }
    assert!(
        outcome.exit.is_some(),
        "{}: no end in {} cycles",
        core.name,
        outcome.cycles
    );
    Some(outcome)
}

#[test]
fn every_core_retires_what_it_executes() {
    // li a0,3; li a1,4; add a0,a0,a1
    let code = [&[0x0030_0513, 0x0040_0593, 0x00b5_0533][..], &FINISH].concat();
    for core in Core::ALL {
        let Some(outcome) = ended(core, &job(&code)) else {
            return;
        };
        assert_eq!(outcome.exit, Some(7), "{}", core.name);
        let written: Vec<_> = outcome
            .stream
            .iter()
            .filter_map(|retired| retired.written)
            .take(4)
            .collect();
        assert_eq!(
            written,
            [(10, 3), (11, 4), (10, 7), (15, ports::FINISH)],
            "{}",
            core.name
        );
        assert!(outcome.stream.iter().all(|retired| retired.privilege == 3));
        let path = outcome.stream.iter().map(|retired| retired.pc);
        assert!(path.take(4).eq((0..16).step_by(4)), "{}", core.name);
    }
}

#[test]
fn a_run_that_nobody_watches_is_the_same_run() {
    let code = [&[0x0030_0513][..], &FINISH].concat();
    for core in Core::ALL {
        let Some(oracle) = oracle(core) else { return };
        let entry = core.lowest_entry();
        let job = Job {
            reset_vector: entry,
            base: entry,
            ..job(&code)
        };
        let watched = oracle.run(&job).unwrap();
        assert!(!watched.stream.is_empty());
        let expected = Outcome {
            stream: Vec::new(),
            traps: Vec::new(),
            writes: Vec::new(),
            ..watched
        };
        assert_eq!(oracle.run_unwatched(&job).unwrap(), expected, "{}", core.name);
    }
}

#[test]
fn slower_memory_takes_longer() {
    // A loop of ten loads: li a1,10; lw a2,0x100(x0); addi a1,a1,-1; bnez a1,-8
    let code = [&[0x00a0_0593, 0x1000_2603, 0xfff5_8593, 0xfe05_9ce3][..], &FINISH].concat();
    for core in Core::ALL {
        let cycles = |latency, beat| {
            ended(
                core,
                &Job {
                    latency,
                    beat,
                    ..job(&code)
                },
            )
            .map(|outcome| outcome.cycles)
        };
        let Some(fast) = cycles(0, 0) else { return };
        assert_eq!(cycles(0, 0), Some(fast), "{}: the same every time", core.name);
        assert!(cycles(3, 0) > Some(fast), "{}", core.name);
        let bursts = core.name.starts_with("vexriscv") && core.name != "vexriscv-min";
        assert_eq!(
            cycles(0, 2) > Some(fast),
            bursts,
            "{}: only a cache asks for bursts",
            core.name
        );
    }
}

#[test]
fn an_interrupt_comes_when_it_is_scheduled() {
    // li t0,0x100; csrw mtvec,t0; li t0,0x80; csrw mie,t0; csrsi mstatus,8; j .
    let set_up = [
        0x1000_0293,
        0x3052_9073,
        0x0800_0293,
        0x3042_9073,
        0x3004_6073,
        0x0000_006f,
    ];
    for core in Core::ALL.into_iter().filter(Core::takes_interrupts) {
        // The handler, or a table of jumps to handlers, is at 0x100.
        let handlers = 0x100 - core.lowest_entry();
        let mut code = set_up.to_vec();
        code.resize(handlers as usize / 4 + 16, 0x13);
        code.extend(FINISH);
        let handler = |cycle| {
            let job = Job {
                changes: vec![Change {
                    cycle,
                    line: Line::Timer,
                    level: true,
                }],
                ..job(&code)
            };
            let outcome = ended(core, &job)?;
            let entered = outcome.stream.iter().find(|retired| retired.pc >= handlers);
            Some(entered.unwrap().cycle)
        };
        let Some(first) = handler(300) else { return };
        assert!((300..340).contains(&first), "{}: {first}", core.name);
        assert!(handler(400) > Some(400), "{}", core.name);
    }
}
