//! Any halfwords as a program, with interrupts at any time: nobody listens, somebody listens, or the run is cut into
//! pieces and gone back over. All of it ends in the same cycle, with the same registers and the same memory.

#![no_main]

use std::sync::Arc;

use arbitrary::Arbitrary;
use events::{Event, Silent};
use fuzz::{BOARDS, RAM, RAM_SIZE, program};
use libfuzzer_sys::fuzz_target;
use machine::{Debugger, Exception, Image, Machine, Options, Outcome};

const LIMIT: u64 = 3_000;

#[derive(Arbitrary, Debug)]
struct Trial {
    /// Where the run is cut.
    cut: u16,
    attached: bool,
    /// Exception and cycle.
    raises: [(u8, u16); 3],
    code: Vec<u16>,
}

fuzz_target!(|trial: Trial| {
    let Ok(image) = Image::parse("fuzz.elf", &program(&trial.code)) else {
        panic!("the program is sound")
    };
    let image = Arc::new(image);
    let mut quiet = machine(&trial, &image);
    let outcome = quiet.run(LIMIT, &mut Silent);
    let expected = state(&quiet, &outcome);

    let mut heard = machine(&trial, &image);
    let mut events: Vec<Event> = Vec::new();
    let outcome = heard.run(LIMIT, &mut events);
    assert_eq!(state(&heard, &outcome), expected, "with somebody listening");
    let others = events.iter().filter(|event| {
        !matches!(
            event,
            Event::Write { .. } | Event::Read { .. } | Event::Input { .. }
        )
    });
    assert!(
        others.is_sorted_by_key(|event| event.cycle()),
        "events are in the order of their cycles"
    );

    let mut cut = machine(&trial, &image);
    let first = cut.run(u64::from(trial.cut) % LIMIT, &mut Silent);
    if matches!(first, Outcome::Limit { .. }) {
        let there = cut.snapshot();
        let outcome = cut.run(LIMIT, &mut Silent);
        assert_eq!(state(&cut, &outcome), expected, "cut");
        cut.restore(&there);
        let outcome = cut.run(LIMIT, &mut Silent);
        assert_eq!(state(&cut, &outcome), expected, "gone back");
    }
});

fn machine(trial: &Trial, image: &Arc<Image>) -> Machine {
    let debugger = if trial.attached {
        Debugger::Attached
    } else {
        Debugger::None
    };
    let options = Options {
        debugger,
        ..Options::default()
    };
    let mut machine = Machine::new(&BOARDS[0], image, options).expect("the program is sound");
    for (number, cycle) in trial.raises {
        machine.raise(Exception(2 + u16::from(number) % 30), u64::from(cycle) % LIMIT);
    }
    machine
}

/// Everything that a program could see, and how it ended. Of memory, the words that are not 0.
fn state(machine: &Machine, outcome: &Outcome) -> (u64, String, String, Vec<(u32, u32)>) {
    let core = machine.cortex_m().expect("the board has a Cortex-M");
    let words = (RAM..RAM + RAM_SIZE).step_by(4);
    let words = words.filter_map(|address| Some((address, core.bus.peek_word(address)?)));
    let memory = words.filter(|(_, word)| *word != 0).collect();
    let registers = format!(
        "{:x?} {:x} {:?}",
        core.regs,
        core.regs.xpsr(),
        core.fault_status()
    );
    (machine.cycle(), registers, format!("{outcome:x?}"), memory)
}
