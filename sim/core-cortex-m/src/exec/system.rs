//! Special registers, masks, exceptions on purpose, hints and barriers (ARMv7-M ARM B5.2).

use isa_thumb::Op;

use super::operand::{fault, read, trap, write};
use crate::core::{Core, Trap};
use crate::fault::{Fault, NotModelled};
use crate::microop::{Handler, MicroOp, Step};
use crate::regs::{Flags, Mode, xpsr_bits};

/// Special registers by their number in MRS and MSR (`SYSm`; ARMv7-M ARM B5.1.1). 0 to 7 are views of xPSR.
mod special {
    pub(super) const MSP: u32 = 8;
    pub(super) const PSP: u32 = 9;
    pub(super) const PRIMASK: u32 = 16;
    pub(super) const BASEPRI: u32 = 17;
    pub(super) const BASEPRI_MAX: u32 = 18;
    pub(super) const FAULTMASK: u32 = 19;
    pub(super) const CONTROL: u32 = 20;
}

fn mrs(core: &mut Core, op: &MicroOp) -> Step {
    let value = if op.imm < special::MSP {
        xpsr_part(core, op.imm)
    } else {
        special_register(core, op.imm)
    };
    write(core, op.rd, value);
    Step::Next
}

/// A view of xPSR: `SYSm` bit 0 selects IPSR, bit 2 deselects APSR. EPSR always reads as zero.
fn xpsr_part(core: &Core, number: u32) -> u32 {
    let ipsr = if number & 1 != 0 {
        u32::from(core.regs.ipsr)
    } else {
        0
    };
    let apsr = if number & 4 == 0 {
        core.regs.flags.bits()
    } else {
        0
    };
    ipsr | apsr
}

/// Unprivileged code reads zero, except from CONTROL.
fn special_register(core: &Core, number: u32) -> u32 {
    let regs = &core.regs;
    if number == special::CONTROL {
        return regs.control();
    }
    if !regs.privileged() {
        return 0;
    }
    let (main, process) = regs.stack_pointers();
    match number {
        special::MSP => main,
        special::PSP => process,
        special::PRIMASK => u32::from(regs.primask),
        special::FAULTMASK => u32::from(regs.faultmask),
        special::BASEPRI | special::BASEPRI_MAX => u32::from(regs.basepri),
        _ => 0,
    }
}

fn msr(core: &mut Core, op: &MicroOp) -> Step {
    let value = read(core, op.rn);
    match op.imm {
        number if number < special::MSP => msr_apsr(core, number, op.amount, value),
        _ if !core.regs.privileged() => Step::Next,
        special::MSP => msr_stack(core, value, false),
        special::PSP => msr_stack(core, value, true),
        number => msr_mask(core, number, value),
    }
}

/// Of xPSR only the flags can be written: those that `mask` says, bit 1 all but GE, bit 0 GE.
fn msr_apsr(core: &mut Core, number: u32, mask: u8, value: u32) -> Step {
    if number & 4 == 0 {
        let [flags, ge] = [mask & 2 != 0, mask & 1 != 0].map(|written| if written { u32::MAX } else { 0 });
        let written = flags & 0xf800_0000 | ge & 0x000f_0000;
        let written = written & xpsr_bits(core.config.core.isa);
        let old = core.regs.flags.bits();
        core.regs.flags = Flags::from_bits(old & !written | value & written);
    }
    Step::Next
}

fn msr_stack(core: &mut Core, value: u32, process: bool) -> Step {
    let regs = &mut core.regs;
    let in_use = process == regs.uses_process_stack();
    let place = if in_use {
        &mut regs.r[13]
    } else {
        &mut regs.other_sp
    };
    *place = value & !3;
    core.forget_floor(process);
    Step::Next
}

fn msr_mask(core: &mut Core, number: u32, value: u32) -> Step {
    match number {
        special::PRIMASK => core.regs.primask = value & 1 != 0,
        special::FAULTMASK => set_faultmask(core, value & 1 != 0),
        special::CONTROL => set_control(core, value),
        special::BASEPRI => set_basepri(core, value, false),
        special::BASEPRI_MAX => set_basepri(core, value, true),
        _ => {}
    }
    Step::Attention
}

/// `BASEPRI_MAX` only raises the priority: writes that would lower it, or zero, do nothing. Bits that are not implemented count
/// there (CC2650, published with CMEmu: `msr_mrs_priority_boosters`).
fn set_basepri(core: &mut Core, value: u32, only_raise: bool) {
    let implemented = 0xff_u8 << (8 - core.config.priority_bits);
    let new = value as u8;
    let old = core.regs.basepri;
    if !only_raise || new != 0 && (new < old || old == 0) {
        core.regs.basepri = new & implemented;
    }
    core.basepri_written = new;
}

/// FAULTMASK cannot be set at the priority of NMI or HardFault (ARMv7-M ARM B1.4.3).
fn set_faultmask(core: &mut Core, value: bool) {
    let too_high = matches!(core.regs.ipsr, 2 | 3);
    core.regs.faultmask = value && (core.regs.faultmask || !too_high);
}

/// SPSEL can be written in thread mode only; FPCA exists with the floating-point extension.
fn set_control(core: &mut Core, value: u32) {
    core.regs.fp_active = core.sys.fp.is_present() && value & 4 != 0;
    let may_drop = core.config.options.unprivileged;
    core.switch_stack(|regs| {
        regs.unprivileged = may_drop && value & 1 != 0;
        if regs.mode() == Mode::Thread {
            regs.process_stack = value & 2 != 0;
        }
    });
}

/// CPSIE, CPSID: `imm` bit 4 is the new value, bit 1 means PRIMASK, bit 0 FAULTMASK.
fn cps(core: &mut Core, op: &MicroOp) -> Step {
    if !core.regs.privileged() {
        return Step::Next;
    }
    let masked = op.imm & 16 != 0;
    if op.imm & 2 != 0 {
        core.regs.primask = masked;
    }
    if op.imm & 1 != 0 {
        set_faultmask(core, masked);
    }
    Step::Attention
}

pub(super) fn nop(_: &mut Core, _: &MicroOp) -> Step {
    Step::Next
}

/// The next instruction must see everything that was written before: it is fetched anew.
fn isb(core: &mut Core, op: &MicroOp) -> Step {
    core.refilled_from = op.pc.wrapping_add(u32::from(op.size));
    Step::Attention
}

fn svc(core: &mut Core, _: &MicroOp) -> Step {
    trap(core, Trap::Svc)
}

fn bkpt(core: &mut Core, op: &MicroOp) -> Step {
    trap(core, Trap::Bkpt(op.imm as u8))
}

fn wfi(core: &mut Core, _: &MicroOp) -> Step {
    trap(core, Trap::WaitForInterrupt)
}

fn wfe(core: &mut Core, _: &MicroOp) -> Step {
    if core.take_event() {
        Step::Next
    } else {
        trap(core, Trap::WaitForEvent)
    }
}

fn sev(core: &mut Core, _: &MicroOp) -> Step {
    core.event = true;
    Step::Next
}

pub(super) fn undefined(core: &mut Core, _: &MicroOp) -> Step {
    fault(core, Fault::UndefInstr)
}

fn no_coprocessor(core: &mut Core, _: &MicroOp) -> Step {
    fault(core, Fault::NoCp)
}

/// Stops the run: the architecture does not say what this does.
pub(super) fn unpredictable(core: &mut Core, raw: u32, why: &'static str) -> Step {
    trap(
        core,
        Trap::NotModelled(Box::new(NotModelled::Unpredictable { raw, why })),
    )
}

/// An instruction at a place in an IT block where it may not stand.
pub(super) fn misplaced(core: &mut Core, op: &MicroOp) -> Step {
    unpredictable(core, op.raw, "it may not stand at this place of an IT block")
}

/// The handler of a system instruction, or `None` if `op` is not one.
pub(super) fn handler(op: Op) -> Option<Handler> {
    Some(match op {
        Op::Mrs => mrs,
        Op::Msr => msr,
        Op::Cps => cps,
        Op::Svc => svc,
        Op::Bkpt => bkpt,
        Op::Wfi => wfi,
        Op::Wfe => wfe,
        Op::Sev => sev,
        Op::Isb => isb,
        Op::Udf => undefined,
        Op::Coproc => no_coprocessor,
        Op::It | Op::Nop | Op::Yield | Op::Dbg | Op::Dsb | Op::Dmb | Op::Pld => nop,
        _ => return None,
    })
}
