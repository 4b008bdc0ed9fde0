//! Jumps: interworking, returns from exceptions, the PC as an operand.

use super::*;
use crate::fault::Fault;

#[test]
fn bx_to_an_even_address_clears_t_and_the_next_instruction_faults() {
    let mut core = at(&[0x4718]); // bx r3
    core.regs.r[3] = 0x2000;
    let mut core = executed(core, 1);
    assert_eq!(core.regs.r[15], 0x2000);
    assert_eq!(core.execute_alone(), Effect::Fault(Fault::InvState));
    assert_eq!(core.regs.r[15], 0x2000, "the fault is that of the target");
}

#[test]
fn bx_pc_leads_to_the_address_four_bytes_on_and_clears_t() {
    let core = executed(at(&[0x4778]), 1); // bx pc
    assert_eq!((core.regs.r[15], core.regs.thumb), (CODE + 4, false));
}

#[test]
fn blx_reads_its_target_before_it_writes_lr() {
    let mut core = at(&[0x47f0]); // blx lr
    core.regs.r[14] = 0x2001;
    let core = executed(core, 1);
    assert_eq!((core.regs.r[15], core.regs.r[14]), (0x2000, (CODE + 2) | 1));
}

#[test]
fn in_handler_mode_bx_to_exc_return_ends_the_exception() {
    let mut core = in_handler(&[0x4770]); // bx lr
    core.regs.r[14] = 0xffff_fff9;
    assert_eq!(core.execute_alone(), Effect::ExceptionReturn(0xffff_fff9));
}

#[test]
fn in_thread_mode_exc_return_is_an_address_like_any_other() {
    let mut core = at(&[0x4770]); // bx lr
    core.regs.r[14] = 0xffff_fff9;
    let core = executed(core, 1);
    assert_eq!(core.regs.r[15], 0xffff_fff8);
}

#[test]
fn mov_and_blx_never_return_from_an_exception() {
    for code in [0x46f7, 0x47f0] {
        // mov pc, lr; blx lr
        let mut core = in_handler(&[code]);
        core.regs.r[14] = 0xffff_fff9;
        let core = executed(core, 1);
        assert_eq!(core.regs.r[15], 0xffff_fff8);
    }
}

#[test]
fn pop_of_exc_return_has_moved_sp_and_loaded_the_rest() {
    let mut core = in_handler(&[0xbd10]); // pop {r4, pc}
    let sp = core.regs.r[13] - 8;
    core.regs.r[13] = sp;
    core.bus.load(sp, &0x1234_u32.to_le_bytes());
    core.bus.load(sp + 4, &0xffff_fff1_u32.to_le_bytes());
    assert_eq!(core.execute_alone(), Effect::ExceptionReturn(0xffff_fff1));
    assert_eq!((core.regs.r[4], core.regs.r[13]), (0x1234, sp + 8));
}

#[test]
fn ldr_of_exc_return_has_moved_the_base() {
    let mut core = in_handler(&[0xf85d, 0xfb04]); // ldr pc, [sp], #4
    let sp = core.regs.r[13] - 4;
    core.regs.r[13] = sp;
    core.bus.load(sp, &0xffff_fffd_u32.to_le_bytes());
    assert_eq!(core.execute_alone(), Effect::ExceptionReturn(0xffff_fffd));
    assert_eq!(core.regs.r[13], sp + 4);
}

#[test]
fn a_literal_jumps() {
    let core = executed(at(&[0xf8df, 0xf000, 0x2001, 0x0000]), 1); // ldr pc, [pc]; .word 0x2001
    assert_eq!((core.regs.r[15], core.regs.thumb), (0x2000, true));
}

#[test]
fn mov_from_pc_reads_the_address_four_bytes_on() {
    let core = executed(at(&[0xbf00, 0x467b]), 2); // nop; mov r3, pc
    assert_eq!(core.regs.r[3], CODE + 6);
}

#[test]
fn mov_pc_to_pc_jumps_over_one_halfword() {
    let core = executed(at(&[0x46ff]), 1); // mov pc, pc
    assert_eq!((core.regs.r[15], core.regs.thumb), (CODE + 4, true));
}

#[test]
fn adr_aligns_the_pc_down() {
    let core = executed(at(&[0xbf00, 0xa301]), 2); // nop; adr r3, pc+4
    assert_eq!(core.regs.r[3], CODE + 8);
}

#[test]
fn a_table_branch_may_have_its_table_behind_it() {
    let mut core = at(&[0xe8df, 0xf003, 0x0705]); // tbb [pc, r3]; .byte 5, 7
    core.regs.r[3] = 1;
    assert_eq!(executed(core, 1).regs.r[15], CODE + 4 + 14);
}
