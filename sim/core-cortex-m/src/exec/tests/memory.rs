//! Stack pointer alignment, lists of registers, and the exclusive monitor.

use super::*;

#[test]
fn the_low_bits_of_sp_are_never_set() {
    let codes: [(&[u16], u32); 5] = [
        (&[0x46a5], 0x2000_0ffc),         // mov sp, r4
        (&[0x44a5], 0x4000_17fc),         // add sp, r4
        (&[0xf20d, 0x0d07], 0x2000_0804), // addw sp, sp, #7
        (&[0xf85d, 0x1b07], 0x2000_0804), // ldr r1, [sp], #7
        (&[0xf8d3, 0xd000], 0x2000_0ffc), // ldr sp, [r3]
    ];
    for (code, expected) in codes {
        let mut core = at(code);
        core.regs.r[4] = 0x2000_0fff;
        core.regs.r[3] = DATA;
        core.bus.load(DATA, &0x2000_0fff_u32.to_le_bytes());
        assert_eq!(executed(core, 1).regs.r[13], expected, "{code:x?}");
    }
}

#[test]
fn ldm_with_its_base_in_the_list_loads_it() {
    let mut core = at(&[0xcb0c]); // ldmia r3, {r2, r3}
    core.regs.r[3] = DATA;
    core.bus.load(DATA + 4, &77_u32.to_le_bytes());
    assert_eq!(executed(core, 1).regs.r[3], 77);
}

#[test]
fn stm_with_its_base_first_in_the_list_stores_the_old_base() {
    let mut core = at(&[0xc318]); // stmia r3!, {r3, r4}
    core.regs.r[3] = DATA;
    let core = executed(core, 1);
    assert_eq!((word(&core, DATA), core.regs.r[3]), (DATA, DATA + 8));
}

#[test]
fn push_puts_the_lowest_register_at_the_lowest_address() {
    let mut core = at(&[0xb506]); // push {r1, r2, lr}
    (core.regs.r[1], core.regs.r[2], core.regs.r[14]) = (1, 2, 3);
    let sp = core.regs.r[13];
    let core = executed(core, 1);
    let words = [12, 8, 4].map(|below| word(&core, sp - below));
    assert_eq!((words, core.regs.r[13]), ([1, 2, 3], sp - 12));
}

/// strex r1, r2, [r3]
const STREX: [u16; 2] = [0xe843, 0x2100];
/// ldrex r0, [r3]
const LDREX: [u16; 2] = [0xe853, 0x0f00];

fn exclusive(code: &[u16]) -> Core {
    let mut core = at(code);
    core.regs.r[1..4].copy_from_slice(&[9, 5, DATA]);
    core
}

#[test]
fn strex_without_ldrex_stores_nothing() {
    let core = executed(exclusive(&STREX), 1);
    assert_eq!((core.regs.r[1], word(&core, DATA)), (1, 0));
}

#[test]
fn strex_after_ldrex_stores_once() {
    let code = [LDREX, STREX, STREX].concat();
    let core = executed(exclusive(&code), 2);
    assert_eq!((core.regs.r[1], word(&core, DATA)), (0, 5));
    assert_eq!(executed(core, 1).regs.r[1], 1);
}

#[test]
fn the_monitor_covers_every_address() {
    let mut core = executed(exclusive(&[LDREX, STREX].concat()), 1);
    core.regs.r[3] = DATA + 64;
    let core = executed(core, 1);
    assert_eq!((core.regs.r[1], word(&core, DATA + 64)), (0, 5));
}

#[test]
fn clrex_opens_the_monitor() {
    let core = executed(exclusive(&[LDREX, [0xf3bf, 0x8f2f], STREX].concat()), 3);
    assert_eq!((core.regs.r[1], word(&core, DATA)), (1, 0));
}
