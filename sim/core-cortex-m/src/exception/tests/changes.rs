//! A change to the exception logic by the program takes effect in the same cycle, with or without cached runs.

use bus::{Effect, Flash, FlashSettings, FlashShape};
use events::{Event, Flow, Interest, Silent, Sink};
use proptest::prelude::*;

use super::running::program;
use crate::core::Core;
use crate::engine::Stop;
use crate::state::Deviation;
use crate::testing::{PORT, RAM, at, put};

const LIMIT: u64 = 4000;

/// Hears of exceptions, masks and the like, so that all else goes the fast path.
#[derive(Default)]
struct Control(Vec<Event>);

impl Sink for Control {
    fn interest(&self) -> Interest {
        Interest {
            control: true,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.0.push(*event);
        Flow::On
    }
}

/// Pieces of code: r4 points to `NVIC_ISER`, r5 to `NVIC_ISPR`, r3 to `NVIC_ICER`, r7 to a device, r6 has two interrupts.
const PIECES: [&[u16]; 12] = [
    // str r6, [r4]; str r6, [r5]; str r6, [r3]; str r6, [r7]
    &[0x6026],
    &[0x602e],
    &[0x601e],
    &[0x603e],
    // cpsid i; cpsie i
    &[0xb672],
    &[0xb662],
    // nop; adds r0, #1; ldr r1, [r7]
    &[0xbf00],
    &[0x3001],
    &[0x6839],
    // dsb; isb; svc 0
    &[0xf3bf, 0x8f4f],
    &[0xf3bf, 0x8f6f],
    &[0xdf00],
];

/// A loop of these pieces, with inputs that rise in these cycles.
fn looping(pieces: &[usize], rises: &[(u64, u16)]) -> Core {
    let mut code: Vec<u16> = pieces.iter().flat_map(|&piece| PIECES[piece]).copied().collect();
    // subs r2, #1; bne to the begin; cpsie i; b .
    let back = code.len() as u16 + 3;
    code.extend([0x3a01, 0xd100 | back.wrapping_neg() & 0xff, 0xb662, 0xe7fe]);
    let mut core = program(&code);
    let registers = [0, 0, 12, 0xe000_e180, at::NVIC_ISER, at::NVIC_ISPR, 3 << 4, PORT];
    core.regs.r[..8].copy_from_slice(&registers);
    put(&mut core, at::NVIC_IPR + 20, 0x40);
    // The facts of that access do not belong to the program's first instruction.
    core.deviation = Deviation::NONE;
    for &(cycle, number) in rises {
        core.raise_at(cycle, 20 + number);
    }
    core
}

fn run(core: &mut Core, remembers: bool, slice: u64) -> (Stop, Vec<Event>, u64) {
    core.set_cost_reuse(remembers);
    let mut heard = Control::default();
    let mut until = 0;
    let stop = loop {
        until = LIMIT.min(until + slice);
        let stop = core.run(until, &mut heard);
        if stop != Stop::Cycle || until == LIMIT {
            break stop;
        }
    };
    (stop, heard.0, core.instructions())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn changes_are_seen_in_the_same_cycle(
        pieces in prop::collection::vec(0..PIECES.len(), 1..24),
        rises in prop::collection::vec((0_u64..600, 0_u16..2), 0..6),
        slice in prop_oneof![Just(LIMIT), 1..200_u64],
    ) {
        let [mut fast, mut careful] = [(); 2].map(|()| looping(&pieces, &rises));
        let remembered = run(&mut fast, true, slice);
        let clocked = run(&mut careful, false, LIMIT);
        for (one, other) in remembered.1.iter().zip(&clocked.1) {
            prop_assert_eq!(one, other);
        }
        prop_assert!(remembered == clocked, "as far as both were told the same");
        let memory = |core: &Core| {
            let mut bytes = [0; 0x1000];
            assert!(core.bus.peek(RAM, &mut bytes));
            (bytes, core.regs.r)
        };
        prop_assert_eq!(memory(&fast), memory(&careful));
    }
}

#[test]
fn the_programs_above_take_interrupts() {
    let mut core = looping(&[0, 1, 6, 2, 1, 4, 0, 5], &[(50, 0)]);
    let (_, heard, _) = run(&mut core, true, LIMIT);
    let entries = heard
        .iter()
        .filter(|event| matches!(event, Event::Enter(_)))
        .count();
    assert!(entries > 12, "{entries} entries");
}

/// More pieces: r7 points to RAM or to the cycle counter.
const MEETING: [&[u16]; 6] = [
    // ldr r1, [r7]; adds r0, r0, r1; eor r7, r7, r8
    &[0x6839],
    &[0x1840],
    &[0xea87, 0x0708],
    // ldr r1, [r3]; str r0, [r3, #4]; nop
    &[0x6819],
    &[0x6058],
    &[0xbf00],
];

/// A loop of these pieces, whose words come from the array of a flash each time.
fn meeting(pieces: &[usize], latency: u8) -> Core {
    let mut code: Vec<u16> = pieces.iter().flat_map(|&piece| MEETING[piece]).copied().collect();
    // subs r2, #1; bne.w to the begin; b .
    let back = (-2 * (code.len() as i32 + 3)) as u32;
    let backwards = 1 << 10;
    let not_equal = 1 << 6;
    code.extend([
        0x3a01,
        0xf000 | backwards | not_equal | (back >> 12 & 0x3f) as u16,
        0xa800 | (back >> 1 & 0x7ff) as u16,
        0xe7fe,
    ]);
    let mut core = program(&code);
    let shape = FlashShape {
        line: 8,
        prefetches: true,
        instruction_cache: None,
        data_cache: None,
        data_buffer: false,
        shared: false,
        shared_cache: None,
    };
    core.bus.set_flash(Flash::new(vec![(0, 0x1_0000)], shape));
    core.bus.set(Effect::Flash(FlashSettings {
        latency,
        prefetch: true,
        ..FlashSettings::default()
    }));
    put(&mut core, at::DEMCR, 1 << 24);
    put(&mut core, at::DWT_CTRL, 1);
    let (memory, counter) = (RAM + 0x40, at::DWT_CYCCNT);
    core.regs.r[2] = 60;
    (core.regs.r[3], core.regs.r[7], core.regs.r[8]) = (RAM + 0x80, memory, memory ^ counter);
    core
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    /// A trace executes a load before it is known which memory it accesses: the counter must be read in its own cycle.
    #[test]
    fn other_memory_than_before_is_met_in_the_same_cycle(
        pieces in prop::collection::vec(0..MEETING.len(), 6..24),
        latency in 1..7_u8,
        slice in prop_oneof![Just(40 * LIMIT), 1..900_u64],
    ) {
        let ends = [(true, slice), (false, 40 * LIMIT)].map(|(remembers, slice)| {
            let mut core = meeting(&pieces, latency);
            core.set_cost_reuse(remembers);
            let mut until = 0;
            let stop = loop {
                until = (40 * LIMIT).min(until + slice);
                let stop = core.run(until, &mut Silent);
                if stop != Stop::Cycle || until == 40 * LIMIT {
                    break stop;
                }
            };
            (stop, core.regs.r, core.cycle(), core.instructions())
        });
        prop_assert_eq!(ends[0].2, ends[1].2);
        prop_assert!(ends[0] == ends[1]);
        prop_assert!(ends[0].0 == Stop::Forever && ends[0].3 > 400, "it ends: {:?}", ends[0].0);
    }
}
