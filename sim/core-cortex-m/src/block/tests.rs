//! Cached costs and predicted flash reads must change neither a program's behaviour nor its timing.

use bus::{CacheShape, Effect, ExpectedLatency, Flash, FlashSettings, FlashShape, Replacement};
use events::{Event, Flow, Interest, Pcs, Retire, RuleSet, Silent, Sink};
use proptest::prelude::*;

use crate::block::{Block, CodeCache};
use crate::core::Core;
use crate::engine::Stop;
use crate::testing::{RAM, core, put};

const BEGIN: u32 = 0x800;
const LIMIT: u64 = 1 << 20;

/// Each piece puts the next random number into r4, and then multiplies with varying duration.
const MULTIPLYING: [&[u16]; 8] = [
    // eor r4, r4, r4, lsl #13; eor r4, r4, r4, lsr #17; eor r4, r4, r4, lsl #5
    &[0xea84, 0x3444, 0xea84, 0x4454, 0xea84, 0x1444],
    // mov r1, r4, asr #15; and r3, r4, #255; smlal r8, r9, r1, r3
    &[0xea4f, 0x31e4, 0xf004, 0x03ff, 0xfbc1, 0x8903],
    // smlal r8, r9, r1, r4; adds r5, #1
    &[0xfbc1, 0x8904, 0x3501],
    // mov r3, r4, lsr #16; umull r10, r11, r3, r4
    &[0xea4f, 0x4314, 0xfba3, 0xab04],
    // smlal r8, r9, r3, r1
    &[0xfbc3, 0x8901],
    // nop
    &[0xbf00],
    // ldr r1, [r7]; mov r3, r4, asr #15; ldr.w r10, [r7, #4]; smlal r8, r9, r1, r3
    &[0x6839, 0xea4f, 0x33e4, 0xf8d7, 0xa004, 0xfbc1, 0x8903],
    // ldr.w r10, [r7, #8]; mov r3, r4, asr #16; smlal r8, r9, r1, r3
    &[0xf8d7, 0xa008, 0xea4f, 0x4324, 0xfbc1, 0x8903],
];

/// Each piece puts the next random number into r4, and then loads from a table at r0, at an index masked by r7.
const READING: [&[u16]; 6] = [
    &[0xea84, 0x3444, 0xea84, 0x4454, 0xea84, 0x1444],
    // and r3, r7, r4; ldr r1, [r0, r3, lsl #2]; adds r5, r5, r1
    &[0xea07, 0x0304, 0xf850, 0x1023, 0x186d],
    // and r3, r7, r4, lsr #9; ldrb r1, [r0, r3]; adds r5, r5, r1
    &[0xea07, 0x2354, 0x5cc1, 0x186d],
    // and r3, r7, r4, lsr #18; ldrsh r1, [r0, r3, lsl #1]
    &[0xea07, 0x4394, 0xf930, 0x1013],
    // ldr r1, [r0]
    &[0x6801],
    // nop
    &[0xbf00],
];

/// Each piece puts the next random number into r4; then LR holds an address near the code in RAM, at r8, and a branch there is skipped.
const RETURNING: [&[u16]; 6] = [
    &[0xea84, 0x3444, 0xea84, 0x4454, 0xea84, 0x1444],
    // and lr, r4, #0x3c; add lr, lr, r8
    &[0xf004, 0x0e3c, 0xeb0e, 0x0e08],
    // cmp r0, r0; it ne; bxne lr
    &[0x4280, 0xbf18, 0x4770],
    // the same with add.w r1, r1, #1 behind it
    &[0x4280, 0xbf18, 0x4770, 0xf101, 0x0101],
    // add.w r1, r1, #1; nop
    &[0xf101, 0x0101],
    &[0xbf00],
];

/// A loop of these pieces, the first of all before them, that is executed so often.
fn looping(all: &[&[u16]], pieces: &[usize], times: u32) -> Core {
    looping_at(BEGIN, all, pieces, times)
}

/// The looping program at this address.
fn looping_at(begin: u32, all: &[&[u16]], pieces: &[usize], times: u32) -> Core {
    let pieces = [&[0], pieces].concat();
    let mut code: Vec<u16> = pieces.iter().flat_map(|&piece| all[piece]).copied().collect();
    // subs r6, #1; bne.w to the begin; b .
    let back = (-2 * (code.len() as i32 + 3)) as u32;
    let (backwards, not_equal) = (1 << 10, 1 << 6);
    let upper = 0xf000 | backwards | not_equal | (back >> 12 & 0x3f) as u16;
    code.extend([0x3e01, upper, 0xa800 | (back >> 1 & 0x7ff) as u16, 0xe7fe]);
    let mut core = core();
    put(&mut core, RAM, 0x1234_5678);
    let bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
    assert!(core.bus.load(begin, &bytes));
    core.regs.r[15] = begin;
    (core.regs.r[4], core.regs.r[6], core.regs.r[7]) = (1, times, RAM);
    core
}

/// The reading program in a flash whose instruction and data caches have `lines` lines.
fn reading(pieces: &[usize], times: u32, mask: u32, lines: [u32; 2]) -> Core {
    let mut core = looping(&READING, pieces, times);
    let cache = |lines| {
        Some(CacheShape {
            lines,
            ways: lines,
            line: 16,
            replacement: Replacement::Lru,
        })
    };
    let shape = FlashShape {
        line: 16,
        prefetches: true,
        instruction_cache: cache(lines[0]),
        data_cache: cache(lines[1]),
        data_buffer: true,
        shared: false,
        shared_cache: None,
    };
    core.bus.set_flash(Flash::new(vec![(0, 0x1_0000)], shape));
    core.bus.set(Effect::Flash(FlashSettings {
        latency: 5,
        prefetch: true,
        instruction_cache: true,
        data_cache: true,
        ..FlashSettings::default()
    }));
    (core.regs.r[0], core.regs.r[7]) = (0x4000, mask);
    core
}

/// How it ends, block in slices.
fn end(mut core: Core, remembers: bool, slice: u64) -> (Core, (Stop, [u32; 16], u64, u64, RuleSet)) {
    core.set_cost_reuse(remembers);
    let mut until = 0;
    let stop = loop {
        until = LIMIT.min(until + slice);
        let stop = core.run(until, &mut Silent);
        if stop != Stop::Cycle || until == LIMIT {
            break stop;
        }
    };
    let end = (
        stop,
        core.regs.r,
        core.cycle(),
        core.instructions(),
        core.rules_used(),
    );
    (core, end)
}

/// Checks that both ways come to the same end, and gives what was decoded on the fast one.
fn code_cache(begin: Core, slice: u64) -> CodeCache {
    let (mut fast, remembered) = end(begin.clone(), true, slice);
    let (_, clocked) = end(begin, false, LIMIT);
    assert_eq!(remembered, clocked);
    assert_eq!(clocked.0, Stop::Forever);
    fast.code.take()
}

/// A sink that asks for these instructions.
struct Hearing {
    pcs: Pcs,
    heard: Vec<Retire>,
}

impl Sink for Hearing {
    fn interest(&self) -> Interest {
        Interest {
            pcs: self.pcs.clone(),
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        let Event::Retire(retire) = *event else {
            return Flow::On;
        };
        // The instruction that was told last may count among what came since, and behind a stop the rule by which a flash served the
        // next one may be missing.
        self.heard.push(Retire {
            since: RuleSet::EMPTY,
            rules: RuleSet::EMPTY,
            ..retire
        });
        Flow::On
    }
}

/// The events of a block whose sink asks for different instructions in each slice, and returns to earlier ones.
fn heard(mut core: Core, remembers: bool, slice: u64, asked: &[Pcs]) -> Vec<Retire> {
    core.set_cost_reuse(remembers);
    let mut sink = Hearing {
        pcs: Pcs::None,
        heard: Vec::new(),
    };
    for round in 1..200 {
        sink.pcs = asked[round as usize % asked.len()].clone();
        if core.run(round * slice, &mut sink) != Stop::Cycle {
            break;
        }
    }
    sink.heard
}

fn runs(cache: &CodeCache) -> impl Iterator<Item = &Block> {
    cache.blocks.iter().map(|cached| &*cached.block)
}

#[test]
fn what_the_array_mostly_serves_is_expected_of_it() {
    let cache = code_cache(reading(&[1, 3, 1, 2, 3], 600, 0xff, [64, 4]), LIMIT);
    assert!(runs(&cache).any(|block| block.ops.iter().any(|op| op.reads.is_of_array())));
    // Behind each load two ways go on, and only a few instructions until they meet: without that, twice as many are worked out.
    let all: usize = runs(&cache).map(|block| block.ops.len()).sum();
    assert!(all < 80, "{all} instructions");
}

/// A loop in RAM whose first instruction, STRH r4, [r7], stores to this address; whether that is known when the loop has ended.
fn knows_a_loop_that_stores_to(address: u32) -> bool {
    let begin = RAM + 0x400;
    let store = 0x803c;
    let mut core = looping_at(begin, &[&[store]], &[], 50);
    (core.regs.r[4], core.regs.r[7]) = (store.into(), address);
    runs(&code_cache(core, LIMIT)).any(|block| block.pc == begin)
}

#[test]
fn only_a_store_to_code_has_it_decoded_again() {
    assert!(knows_a_loop_that_stores_to(RAM + 0x40));
    assert!(knows_a_loop_that_stores_to(RAM + 0x3fa));
    assert!(!knows_a_loop_that_stores_to(RAM + 0x400));
}

/// No block begins where a stop splits a block.
#[test]
fn what_is_decoded_does_not_grow_with_the_stops() {
    // adds r5, #1
    let straight = [0x3501; 40];
    let instructions = |slice: u64| {
        let cache = code_cache(looping(&[&straight], &[], 300), slice);
        runs(&cache).map(|block| block.ops.len()).sum::<usize>()
    };
    let (whole, cut) = (instructions(LIMIT), instructions(61));
    assert!(cut < 3 * whole, "{cut} instructions instead of {whole}");
}

#[test]
fn what_was_missed_once_and_is_in_the_cache_then_is_expected_there() {
    let cache = code_cache(reading(&[4, 5, 5], 2000, 0, [64, 4]), LIMIT);
    let looping = runs(&cache).find(|block| block.pc == BEGIN && block.ops.len() > 3);
    let load = looping.and_then(|block| block.ops.iter().find(|op| op.reads.is_some()));
    assert_eq!(load.expect("the loop reads").reads, ExpectedLatency::CACHED);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn runs_that_end_in_the_midst_of_others_go_on_as_they_would(
        pieces in prop::collection::vec(1..MULTIPLYING.len(), 1..30),
        slice in prop_oneof![Just(LIMIT), 50..2000_u64],
    ) {
        code_cache(looping(&MULTIPLYING, &pieces, 80), slice);
    }

    /// Blocks stay split where another sink asked for an instruction.
    #[test]
    fn what_a_sink_hears_depends_on_no_sink_before(
        pieces in prop::collection::vec(1..READING.len(), 1..30),
        places in prop::collection::vec(0..40_u32, 1..5),
        slice in 50..2000_u64,
        timed: bool,
    ) {
        let core = if timed { reading(&pieces, 200, 0x1f, [8, 4]) } else { looping(&READING, &pieces, 200) };
        let at = |place: &u32| Pcs::at([BEGIN + 2 * place, BEGIN + 4 * place]);
        let asked: Vec<Pcs> = places.iter().map(at).chain([Pcs::None, Pcs::All]).collect();
        let remembered = heard(core.clone(), true, slice, &asked);
        prop_assert_eq!(remembered, heard(core, false, slice, &asked));
    }

    /// A skipped branch requests the address in LR over the system bus: it may be the next word, or not.
    #[test]
    fn a_branch_to_lr_is_skipped_as_it_would_be(
        pieces in prop::collection::vec(1..RETURNING.len(), 1..30),
        slice in prop_oneof![Just(LIMIT), 50..2000_u64],
    ) {
        let begin = RAM + 0x400;
        let mut core = looping_at(begin, &RETURNING, &pieces, 80);
        core.regs.r[8] = begin;
        code_cache(core, slice);
    }

    /// Lines of the caches make room in the same order, whichever block requests them.
    #[test]
    fn a_flash_is_read_as_it_would_be(
        pieces in prop::collection::vec(1..READING.len(), 1..30),
        mask in prop_oneof![Just(0x3_u32), Just(0x1f), Just(0xff), Just(0x3ff)],
        instructions in prop_oneof![Just(4_u32), Just(8), Just(12), Just(64)],
        data in prop_oneof![Just(1_u32), Just(4), Just(8)],
        slice in prop_oneof![Just(LIMIT), 50..2000_u64],
    ) {
        code_cache(reading(&pieces, 200, mask, [instructions, data]), slice);
    }
}
