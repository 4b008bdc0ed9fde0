//! Exception numbers of the architecture (ARMv7-M ARM B1.5.2).

pub(crate) const RESET: u16 = 1;
pub(crate) const NMI: u16 = 2;
pub(crate) const HARD_FAULT: u16 = 3;
pub(crate) const MEM_MANAGE: u16 = 4;
pub(crate) const BUS_FAULT: u16 = 5;
pub(crate) const USAGE_FAULT: u16 = 6;
pub(crate) const SV_CALL: u16 = 11;
pub(crate) const DEBUG_MONITOR: u16 = 12;
pub(crate) const PEND_SV: u16 = 14;
pub(crate) const SYS_TICK: u16 = 15;
/// The first external interrupt.
pub(crate) const EXTERNAL: u16 = 16;

/// The exception of a line that ends at this core. One of another kind of core has none here.
pub(crate) fn of(irq: bus::Irq) -> Option<u16> {
    irq.as_external().map(|interrupt| EXTERNAL + interrupt)
}
