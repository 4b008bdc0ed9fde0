//! A fault leaves the instruction undone, so that it can be repeated.

use super::*;
use crate::fault::Fault;
use crate::testing::{BROKEN, at as register, put};

/// One word below the region that answers with bus errors.
const EDGE: u32 = BROKEN - 4;

fn registers_after(core: &mut Core, fault: Fault) -> [u32; 16] {
    assert_eq!(core.execute_alone(), Effect::Fault(fault));
    core.regs.r
}

/// A core without the write buffer, which would let a store end before its fault is known.
fn unbuffered(code: &[u16]) -> Core {
    let mut core = at(code);
    put(&mut core, register::ACTLR, 1 << 1);
    core
}

#[test]
fn a_faulting_load_changes_neither_its_base_nor_its_data() {
    let mut core = at(&[0xf853, 0x2b04]); // ldr r2, [r3], #4
    core.regs.r[3] = BROKEN;
    let before = core.regs.r;
    assert_eq!(registers_after(&mut core, Fault::DataBus(BROKEN)), before);
}

#[test]
fn a_faulting_store_does_not_move_its_base() {
    let mut core = unbuffered(&[0xf843, 0x2d04]); // str r2, [r3, #-4]!
    core.regs.r[3] = BROKEN + 4;
    let before = core.regs.r;
    assert_eq!(registers_after(&mut core, Fault::DataBus(BROKEN)), before);
}

#[test]
fn ldm_that_faults_in_the_middle_has_loaded_nothing() {
    let mut core = at(&[0xcb0c]); // ldmia r3, {r2, r3}
    core.regs.r[3] = EDGE;
    let before = core.regs.r;
    assert_eq!(registers_after(&mut core, Fault::DataBus(BROKEN)), before);
}

#[test]
fn stm_that_faults_in_the_middle_has_not_moved_its_base() {
    let mut core = unbuffered(&[0xc306]); // stmia r3!, {r1, r2}
    core.regs.r[3] = EDGE;
    let before = core.regs.r;
    assert_eq!(registers_after(&mut core, Fault::DataBus(BROKEN)), before);
}

#[test]
fn ldrd_that_faults_at_its_second_word_has_loaded_nothing() {
    let mut core = at(&[0xe8f3, 0x1202]); // ldrd r1, r2, [r3], #8
    core.regs.r[3] = EDGE;
    let before = core.regs.r;
    assert_eq!(registers_after(&mut core, Fault::DataBus(BROKEN)), before);
}

#[test]
fn a_faulting_pop_of_pc_does_not_jump() {
    let mut core = at(&[0xbd00]); // pop {pc}
    core.regs.r[13] = BROKEN;
    let before = core.regs.r;
    assert_eq!(registers_after(&mut core, Fault::DataBus(BROKEN)), before);
}

#[test]
fn multiple_double_and_exclusive_accesses_want_aligned_addresses() {
    let codes: [(&[u16], u32); 8] = [
        (&[0xcb04], 2),         // ldmia r3!, {r2}
        (&[0xc304], 2),         // stmia r3!, {r2}
        (&[0xe9d3, 0x1200], 2), // ldrd r1, r2, [r3]
        (&[0xe9c3, 0x1200], 2), // strd r1, r2, [r3]
        (&[0xe853, 0x2f00], 2), // ldrex r2, [r3]
        (&[0xe8d3, 0x2f5f], 1), // ldrexh r2, [r3]
        (&[0xe843, 0x2100], 2), // strex r1, r2, [r3]
        (&[0xe8c3, 0x2f51], 1), // strexh r1, r2, [r3]
    ];
    for (code, offset) in codes {
        let mut core = at(code);
        core.regs.r[3] = DATA + offset;
        let before = core.regs.r;
        let fault = Fault::Unaligned(DATA + offset);
        assert_eq!(registers_after(&mut core, fault), before, "{code:x?}");
    }
}

#[test]
fn single_accesses_may_be_unaligned() {
    let mut core = at(&[0x601a, 0x6819]); // str r2, [r3]; ldr r1, [r3]
    (core.regs.r[2], core.regs.r[3]) = (0x1234_5678, DATA + 1);
    assert_eq!(executed(core, 2).regs.r[1], 0x1234_5678);
}

#[test]
fn a_load_of_the_pc_may_not() {
    let mut core = at(&[0xf8d3, 0xf000]); // ldr pc, [r3]
    core.regs.r[3] = DATA + 2;
    assert_eq!(
        unpredictable(&core.execute_alone()),
        Some("it loads the PC from an unaligned address")
    );
}

#[test]
fn a_division_by_zero_gives_zero_unless_it_is_trapped() {
    let code = [0xfb91, 0xf0f2]; // sdiv r0, r1, r2
    let mut core = at(&code);
    core.regs.r[..3].copy_from_slice(&[7, 5, 0]);
    assert_eq!(executed(core.clone(), 1).regs.r[0], 0);
    put(&mut core, register::CCR, 1 << 4);
    let before = core.regs.r;
    assert_eq!(registers_after(&mut core, Fault::DivByZero), before);
}

#[test]
fn the_one_quotient_that_does_not_fit_wraps() {
    let mut core = at(&[0xfb91, 0xf0f2]); // sdiv r0, r1, r2
    (core.regs.r[1], core.regs.r[2]) = (0x8000_0000, u32::MAX);
    assert_eq!(executed(core, 1).regs.r[0], 0x8000_0000);
}

#[test]
fn undefined_and_coprocessor_instructions_fault() {
    assert_eq!(at(&[0xde00]).execute_alone(), Effect::Fault(Fault::UndefInstr)); // udf #0
    assert_eq!(at(&[0xb800]).execute_alone(), Effect::Fault(Fault::UndefInstr)); // reserved
    assert_eq!(at(&[0xee11, 0x0f10]).execute_alone(), Effect::Fault(Fault::NoCp)); // mrc p15, ...
}

#[test]
fn an_unpredictable_encoding_stops_with_its_reason() {
    let effect = at(&[0xfb90, 0xfdf1]).execute_alone(); // sdiv sp, r0, r1
    assert_eq!(unpredictable(&effect), Some("Rd is SP or PC"));
}
