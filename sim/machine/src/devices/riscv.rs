//! What RISC-V systems of all vendors have: timer and software interrupts, the interrupt controller, and the devices of QEMU's
//! `virt` machine.

mod clint;
mod finisher;
mod ns16550;
mod plic;

pub(crate) use clint::ClintSettings;
pub(crate) use finisher::Finisher;
pub(crate) use ns16550::Ns16550;
pub(crate) use plic::PlicSettings;
