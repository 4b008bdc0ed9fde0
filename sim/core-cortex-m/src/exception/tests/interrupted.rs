//! LDM, STM and divides that an exception interrupts.

use events::{Enter, Event, Silent};

use super::running::{load, program};
use crate::core::Core;
use crate::engine::Stop;
use crate::testing::{RAM, at, put};

const DATA: u32 = RAM + 0x200;

/// Code that moves registers in every way; it ends in a jump to `END`.
#[rustfmt::skip] // one instruction per line
const CODE: [u16; 19] = [
    0xc8fe, // 1000 ldmia r0!, {r1-r7}
    0xe92d, 0x0ff0, // 1002 push {r4-r11}
    0xe8bd, 0x0ff0, // 1006 pop {r4-r11}
    0xfbb1, 0xf8f2, // 100a udiv r8, r1, r2
    0xfb98, 0xf9f2, // 100e sdiv r9, r8, r2
    0x42ad, // 1012 cmp r5, r5
    0xbf08, // 1014 it eq
    0xe896, 0x1c00, // 1016 ldmeq r6, {r10, r11, r12}
    0xc8fe, // 101a ldmia r0!, {r1-r7}
    0xc0fe, // 101c stmia r0!, {r1-r7}
    0xe890, 0x00ff, // 101e ldm r0, {r0-r7}: the base is loaded
    0xe8bd, 0x8ff0, // 1022 pop {r4-r11, pc}
];
const END: u32 = 0x1100;
/// Cycles after which the code has ended, interrupted or not.
const ENOUGH: u64 = 400;

fn prepared() -> Core {
    let mut core = program(&CODE);
    // nop; b .-2
    load(&mut core, END, &[0xbf00, 0xe7fd]);
    for word in 0..64 {
        core.bus
            .load(DATA + 4 * word, &(DATA + 4 * (word * 7 % 48)).to_le_bytes());
    }
    core.regs.r[0] = DATA;
    core.regs.r[8..12].copy_from_slice(&[8, 9, 10, 11]);
    core.bus.load(DATA + 4, &3u32.to_le_bytes());
    let sp = core.regs.r[13] - 36;
    for (word, value) in (0..9).zip([0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, END | 1]) {
        core.bus.load(sp + 4 * word, &value.to_le_bytes());
    }
    core.regs.r[13] = sp;
    core
}

/// The final registers, flags and memory of the program.
fn outcome(core: &Core) -> ([u32; 15], u8, Vec<u8>) {
    let mut data = vec![0; 256];
    assert!(core.bus.peek(DATA, &mut data));
    assert!(
        (END..END + 4).contains(&core.regs.r[15]),
        "it is in its last loop"
    );
    (*core.regs.r.first_chunk().unwrap(), core.regs.it, data)
}

fn interrupted_at(cycle: u64) -> Core {
    let mut core = prepared();
    core.sys.exceptions.set_enabled(20, true);
    core.raise_at(cycle, 20);
    core
}

/// The stacked return address and xPSR of each frame that was written, at the cycle of the entry.
fn frames(core: &mut Core) -> Vec<(u32, u32)> {
    let mut frames = Vec::new();
    for until in 1..ENOUGH {
        let mut events = Vec::new();
        assert_eq!(core.run(until, &mut events), Stop::Cycle);
        for event in events {
            if let Event::Enter(Enter { sp, .. }) = event {
                frames.push((
                    core.bus.peek_word(sp + 24).unwrap(),
                    core.bus.peek_word(sp + 28).unwrap(),
                ));
            }
        }
    }
    frames
}

#[test]
fn an_interrupt_in_any_cycle_changes_nothing_for_the_program() {
    let mut undisturbed = prepared();
    assert_eq!(undisturbed.run(ENOUGH, &mut Silent), Stop::Cycle);
    for cycle in 0..120 {
        let mut core = interrupted_at(cycle);
        assert_eq!(core.run(ENOUGH, &mut Silent), Stop::Cycle);
        assert_eq!(
            outcome(&core),
            outcome(&undisturbed),
            "an interrupt in cycle {cycle}"
        );
        let mut watched = interrupted_at(cycle);
        watched.run(ENOUGH, &mut Vec::new());
        assert_eq!(outcome(&watched), outcome(&core), "watched, in cycle {cycle}");
        assert_eq!(watched.cycle(), core.cycle(), "watched, in cycle {cycle}");
    }
}

/// Any interrupt's frame is one of: before an instruction; LDM or STM with ICI; a restarting divide or LDM. The test covers all of these.
#[test]
fn multiples_continue_and_divides_start_again() {
    let mut met = std::collections::BTreeSet::new();
    for cycle in 0..120 {
        for (pc, psr) in frames(&mut interrupted_at(cycle)) {
            let ici = psr >> 12 & 15;
            if ici != 0 && psr & 0x0600_0c00 == 0 {
                met.insert((pc, ici));
            }
        }
    }
    let of = |pc: u32| {
        met.iter()
            .filter(|&&(at, _)| at == pc)
            .map(|&(_, register)| register)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(0x1000), [3, 4, 5, 6, 7]);
    assert!(of(0x1006).contains(&8) && of(0x101a).contains(&5) && of(0x101c).contains(&5));
    assert!(of(0x1022).contains(&15), "the PC itself can be what is left");
    assert!(of(0x1002).is_empty(), "the frame overwrites what PUSH has stored");
    assert!(of(0x1016).is_empty(), "in an IT block");
    assert!(of(0x101e).is_empty(), "the base is loaded");
}

#[test]
fn dismcycint_lets_instructions_end() {
    for cycle in 0..120 {
        let mut core = interrupted_at(cycle);
        put(&mut core, at::ACTLR, 1);
        assert!(
            frames(&mut core)
                .iter()
                .all(|&(_, psr)| psr >> 12 & 15 == 0 || psr & 0x0600_0c00 != 0)
        );
    }
}

#[test]
fn a_long_divide_does_not_delay_an_interrupt() {
    let entry = |code: &[u16]| {
        let mut core = program(code);
        core.regs.r[1] = u32::MAX;
        core.regs.r[2] = 1;
        core.sys.exceptions.set_enabled(20, true);
        core.raise_at(20, 20);
        let mut events = Vec::new();
        core.run(200, &mut events);
        events.iter().find_map(|event| match event {
            Event::Enter(enter) => Some(enter.recognised),
            _ => None,
        })
    };
    // udiv r3, r1, r2 sixteen times, against as many two-cycle loads.
    let divides: Vec<u16> = [0xfbb1, 0xf3f2]
        .into_iter()
        .cycle()
        .take(32)
        .chain([0xe7fe])
        .collect();
    let nops: Vec<u16> = [0xbf00].into_iter().cycle().take(60).chain([0xe7fe]).collect();
    assert_eq!(entry(&divides), entry(&nops));
}

#[test]
fn ici_before_another_instruction_is_an_invalid_state() {
    for code in [vec![0x3401, 0xe7fe], vec![0xc806, 0xe7fe]] {
        let mut core = program(&code);
        load(&mut core, crate::testing::handler(6), &[0xe7fe]);
        core.sys.exceptions.set_enabled(6, true);
        core.regs.it = 5 << 4;
        core.run(100, &mut Silent);
        assert_eq!(
            (core.regs.ipsr, core.sys.scb.cfsr, core.regs.r[4]),
            (6, 1 << 17, 0)
        );
    }
}
