//! Fault status, escalation, derived exceptions, lock-up.

use crate::core::Core;
use crate::exception::Stuck;
use crate::fault::Fault;
use crate::testing::{BROKEN, HOLE, RAM, STACK, at, core, enter_at, get, handler, pend, put};
use events::Exception;

const TO_MAIN: u32 = 0xffff_fff9;
const FORCED: u32 = 1 << 30;
/// SHCSR: MemManage, BusFault and UsageFault are enabled.
const ALL_ENABLED: u32 = 7 << 16;

fn with_faults() -> Core {
    let mut core = core();
    put(&mut core, at::SHCSR, ALL_ENABLED);
    core
}

#[test]
fn each_fault_has_its_exception_and_its_bit() {
    for (fault, number, cfsr) in [
        (Fault::UndefInstr, 6, 1 << 16),
        (Fault::InvState, 6, 1 << 17),
        (Fault::InvPc, 6, 1 << 18),
        (Fault::NoCp, 6, 1 << 19),
        (Fault::Unaligned(RAM + 1), 6, 1 << 24),
        (Fault::DivByZero, 6, 1 << 25),
        (Fault::InstructionBus, 5, 1 << 8),
        (Fault::DataBus(RAM), 5, 1 << 9 | 1 << 15),
        (Fault::UnstackingBus, 5, 1 << 11),
        (Fault::StackingBus, 5, 1 << 12),
        (Fault::InstructionAccess, 4, 1 << 0),
        (Fault::DataAccess(RAM), 4, 1 << 1 | 1 << 7),
        (Fault::UnstackingAccess, 4, 1 << 3),
        (Fault::StackingAccess, 4, 1 << 4),
    ] {
        let mut core = with_faults();
        assert_eq!(core.raise(fault, 0x300), Ok(number), "{fault:?}");
        assert_eq!(core.pending_exception(), Some(number));
        assert_eq!(
            (get(&mut core, at::CFSR), get(&mut core, at::HFSR)),
            (cfsr, 0),
            "{fault:?}"
        );
    }
}

#[test]
fn fault_addresses_are_kept() {
    let mut core = with_faults();
    core.raise(Fault::DataBus(0x1234), 0x300).unwrap();
    core.raise(Fault::DataAccess(0x5678), 0x302).unwrap();
    assert_eq!(
        (get(&mut core, at::BFAR), get(&mut core, at::MMFAR)),
        (0x1234, 0x5678)
    );
}

#[test]
fn a_disabled_fault_becomes_hard_fault() {
    let mut core = core();
    assert_eq!(core.raise(Fault::UndefInstr, 0x300), Ok(3));
    assert_eq!(
        (core.pending_exception(), get(&mut core, at::HFSR)),
        (Some(3), FORCED)
    );
    assert_eq!(core.faults()[0].taken_as, Exception::HARD_FAULT);
}

#[test]
fn a_fault_that_is_not_urgent_enough_becomes_hard_fault() {
    for basepri in [0x40, 0x50] {
        let mut core = with_faults();
        core.sys.exceptions.set_priority_field(6, 0x40);
        core.regs.basepri = basepri;
        let expected = if basepri == 0x40 { 3 } else { 6 };
        assert_eq!(core.raise(Fault::UndefInstr, 0x300), Ok(expected));
    }
    let mut core = with_faults();
    core.raise(Fault::UndefInstr, 0x300).unwrap();
    enter_at(&mut core, 0x300);
    assert_eq!(
        core.raise(Fault::UndefInstr, 0x310),
        Ok(3),
        "in the UsageFault handler itself"
    );
}

#[test]
fn primask_escalates_every_configurable_fault() {
    let mut core = with_faults();
    core.regs.primask = true;
    assert_eq!(core.raise(Fault::DivByZero, 0x300), Ok(3));
}

#[test]
fn a_fault_below_priority_zero_locks_up() {
    let mut faultmask = with_faults();
    faultmask.regs.faultmask = true;
    assert_eq!(
        faultmask.raise(Fault::UndefInstr, 0x300),
        Err(Stuck::Lockup(Fault::UndefInstr))
    );
    for number in [2, 3] {
        let mut core = with_faults();
        core.sys.pend(number);
        assert_eq!(enter_at(&mut core, 0x300), number);
        assert_eq!(
            core.raise(Fault::UndefInstr, 0x400),
            Err(Stuck::Lockup(Fault::UndefInstr))
        );
        assert_eq!(
            core.supervisor_call(0x400),
            Err(Stuck::Lockup(Fault::SupervisorCall))
        );
        assert_eq!(
            core.raise(Fault::DebugEvent, 0x400),
            Err(Stuck::Lockup(Fault::DebugEvent))
        );
    }
}

#[test]
fn svc_is_taken_or_escalates() {
    let mut core = core();
    core.sys.exceptions.set_priority_field(11, 0x40);
    assert_eq!(core.supervisor_call(0x300), Ok(11));
    assert_eq!((core.pending_exception(), core.faults().len()), (Some(11), 0));
    core.sys.exceptions.unpend(11);
    core.regs.basepri = 0x40;
    assert_eq!(core.supervisor_call(0x300), Ok(3));
    assert_eq!(get(&mut core, at::HFSR), FORCED);
}

#[test]
fn a_breakpoint_without_a_debugger_is_a_hard_fault() {
    let mut core = core();
    assert_eq!(core.raise(Fault::DebugEvent, 0x300), Ok(3));
    assert_eq!(
        (get(&mut core, at::HFSR), get(&mut core, at::DFSR)),
        (1 << 31, 1 << 1)
    );
}

#[test]
fn debug_monitor_takes_a_breakpoint_if_its_priority_suffices() {
    let mut core = core();
    put(&mut core, at::DEMCR, 1 << 16);
    core.sys.exceptions.set_priority_field(12, 0x40);
    assert_eq!(core.raise(Fault::DebugEvent, 0x300), Ok(12));
    assert_eq!((get(&mut core, at::HFSR), get(&mut core, at::DFSR)), (0, 1 << 1));
    core.sys.exceptions.unpend(12);
    core.regs.basepri = 0x40;
    assert_eq!(core.raise(Fault::DebugEvent, 0x300), Ok(3));
    assert_eq!(get(&mut core, at::HFSR), 1 << 31);
}

#[test]
fn an_imprecise_fault_waits_for_its_priority() {
    let mut core = with_faults();
    core.sys.exceptions.set_priority_field(5, 0x40);
    core.regs.basepri = 0x40;
    core.pend_imprecise_bus_fault(0x300, 7);
    assert_eq!(core.pending_exception(), None, "it does not escalate");
    core.regs.basepri = 0;
    assert_eq!(core.pending_exception(), Some(5));
    assert_eq!((get(&mut core, at::CFSR), get(&mut core, at::HFSR)), (1 << 10, 0));
}

#[test]
fn an_imprecise_fault_in_hard_fault_does_not_lock_up() {
    let mut core = core();
    core.sys.pend(3);
    enter_at(&mut core, 0x300);
    core.pend_imprecise_bus_fault(0x400, 7);
    assert_eq!(core.pending_exception(), None);
    core.begin_return(TO_MAIN, 0x410).unwrap();
    assert_eq!(core.pending_exception(), Some(3));
}

/// A stack that answers with bus errors.
fn on_broken_stack() -> Core {
    let mut core = with_faults();
    core.regs.r[13] = BROKEN + 0x40;
    core
}

#[test]
fn a_stacking_fault_goes_first_if_it_is_more_urgent() {
    let mut core = on_broken_stack();
    core.sys.exceptions.set_priority_field(5, 0x20);
    pend(&mut core, 20, 0x40);
    assert_eq!(enter_at(&mut core, 0x300), 5);
    assert_eq!(get(&mut core, at::CFSR), 1 << 12);
    assert!(core.sys.exceptions.is_pending(20));
    assert_eq!(core.regs.r[13], BROKEN + 0x20, "the stack pointer moved");
}

#[test]
fn a_stacking_fault_waits_if_it_is_less_urgent() {
    let mut core = on_broken_stack();
    core.sys.exceptions.set_priority_field(5, 0x80);
    pend(&mut core, 20, 0x40);
    assert_eq!(enter_at(&mut core, 0x300), 20);
    assert!(core.sys.exceptions.is_pending(5));
}

#[test]
fn a_disabled_stacking_fault_is_a_hard_fault() {
    let mut core = on_broken_stack();
    put(&mut core, at::SHCSR, 0);
    pend(&mut core, 20, 0x40);
    assert_eq!(enter_at(&mut core, 0x300), 3);
    assert_eq!(get(&mut core, at::HFSR), FORCED);
}

#[test]
fn a_stacking_fault_of_nmi_does_not_lock_up() {
    let mut core = on_broken_stack();
    put(&mut core, at::SHCSR, 0);
    core.sys.pend(2);
    assert_eq!(enter_at(&mut core, 0x300), 2);
    assert!(core.sys.exceptions.is_pending(3));
}

#[test]
fn the_mpu_watches_the_stack_with_the_rights_of_the_code_that_uses_it() {
    let mut core = with_faults();
    put(&mut core, at::MPU_RNR, 1);
    put(&mut core, at::MPU_RBAR, RAM);
    put(&mut core, at::MPU_RASR, 1 << 24 | 9 << 1 | 1);
    put(&mut core, at::MPU_CTRL, 5);
    core.sys.exceptions.set_priority_field(4, 0x20);
    pend(&mut core, 20, 0x40);
    core.regs.other_sp = RAM + 0x200;
    core.regs.switch_stack(|regs| regs.process_stack = true);
    let mut privileged = core.clone();
    assert_eq!(enter_at(&mut privileged, 0x300), 20);
    core.regs.unprivileged = true;
    assert_eq!(enter_at(&mut core, 0x300), 4);
    assert_eq!(get(&mut core, at::CFSR), 1 << 4);
}

/// A handler is privileged, whatever the thread below it is: its frame is read as it was written.
#[test]
fn a_return_to_a_handler_over_an_unprivileged_thread_reads_with_the_rights_of_a_handler() {
    const TO_HANDLER: u32 = 0xffff_fff1;
    let mut core = with_faults();
    // The lower half of RAM, with the main stack, is for privileged code alone; the thread's stack is for both.
    for (region, base, access) in [(0, RAM, 1 << 24), (1, RAM + 0x800, 3 << 24)] {
        put(&mut core, at::MPU_RNR, region);
        put(&mut core, at::MPU_RBAR, base);
        put(&mut core, at::MPU_RASR, access | 10 << 1 | 1);
    }
    put(&mut core, at::MPU_CTRL, 5);
    core.regs.other_sp = RAM + 0xa00;
    core.regs.switch_stack(|regs| regs.process_stack = true);
    core.regs.unprivileged = true;
    pend(&mut core, 20, 0x80);
    assert_eq!(enter_at(&mut core, 0x300), 20);
    pend(&mut core, 21, 0x40);
    assert_eq!(enter_at(&mut core, 0x500), 21);
    core.begin_return(TO_HANDLER, 0x600).unwrap();
    assert_eq!(core.unstack(TO_HANDLER, 0x600), Ok(true));
    assert_eq!((core.regs.ipsr, core.regs.r[15]), (20, 0x500));
}

#[test]
fn a_vector_that_cannot_be_read_is_a_hard_fault_and_the_exception_waits() {
    let mut core = core();
    // Only the vectors up to 31 lie in its half that can be read.
    put(&mut core, at::VTOR, HOLE + 0x80);
    put(&mut core, HOLE, 0x901);
    pend(&mut core, 40, 0);
    assert_eq!(enter_at(&mut core, 0x300), 3);
    assert_eq!(core.regs.r[15], 0x900);
    assert_eq!(get(&mut core, at::HFSR), 1 << 1);
    assert!(core.sys.exceptions.is_pending(40) && !core.sys.exceptions.is_active(40));
}

#[test]
fn without_the_vector_of_hard_fault_the_core_locks_up() {
    let mut core = core();
    put(&mut core, at::VTOR, HOLE + 0x100);
    pend(&mut core, 20, 0);
    core.stack(0x300, 0).unwrap();
    assert_eq!(core.take(20), Err(Stuck::Lockup(Fault::VectorRead)));
}

#[test]
fn an_unstacking_fault_is_tail_chained_with_the_frame_in_place() {
    let mut core = with_faults();
    pend(&mut core, 20, 0x40);
    enter_at(&mut core, 0x300);
    core.regs.r[13] = BROKEN;
    core.begin_return(TO_MAIN, 0x500).unwrap();
    assert_eq!(core.unstack(TO_MAIN, 0x500), Ok(false));
    assert_eq!(core.pending_exception(), Some(5));
    core.take(5).unwrap();
    assert_eq!(
        (core.regs.r[13], core.regs.r[14], core.regs.r[15]),
        (BROKEN, TO_MAIN, handler(5))
    );
    assert_eq!(get(&mut core, at::CFSR), 1 << 11);
}

#[test]
fn an_unstacking_fault_escalates_against_the_code_that_is_returned_to() {
    let mut core = with_faults();
    core.sys.exceptions.set_priority_field(5, 0x80);
    pend(&mut core, 20, 0x80);
    enter_at(&mut core, 0x300);
    pend(&mut core, 21, 0x40);
    enter_at(&mut core, 0x440);
    core.regs.r[13] = BROKEN;
    core.begin_return(0xffff_fff1, 0x500).unwrap();
    assert_eq!(core.unstack(0xffff_fff1, 0x500), Ok(false));
    assert_eq!(core.pending_exception(), Some(3));
}

#[test]
fn a_stack_where_the_board_has_nothing_stops_the_run() {
    let mut core = core();
    core.regs.r[13] = 0x7000_0000;
    pend(&mut core, 20, 0);
    assert!(matches!(core.stack(0x300, 0), Err(Stuck::NotModelled(_))));
}

#[test]
fn the_last_sixteen_faults_are_remembered() {
    let mut core = with_faults();
    core.cycle = 77;
    for number in 0..20 {
        core.raise(Fault::UndefInstr, number).unwrap();
    }
    let places: Vec<u32> = core.faults().iter().map(|record| record.pc).collect();
    assert_eq!(places, (4..20).collect::<Vec<_>>());
    assert_eq!(
        (core.faults()[0].cycle, core.faults()[0].taken_as),
        (77, Exception::System(6))
    );
    assert_eq!(core.regs.r[13], STACK);
}
