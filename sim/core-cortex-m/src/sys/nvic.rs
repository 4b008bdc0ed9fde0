//! The registers of the NVIC and the priorities of system handlers: views of [`Exceptions`].

use super::Lanes;
use super::exceptions::{Exceptions, number::EXTERNAL};

/// The registers of the NVIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NvicRegister {
    ControllerType,
    SetEnable,
    ClearEnable,
    SetPending,
    ClearPending,
    Active,
    /// IPR: four interrupts per word.
    Priority,
    /// SHPR: four system handlers, beginning with this exception.
    SystemPriority(u16),
    SoftwareTrigger,
}

/// The interrupts of word `index` in the registers with a bit for each.
fn interrupts(index: u32) -> impl Iterator<Item = (u16, u32)> {
    (0..32).map(move |bit| (EXTERNAL + index as u16 * 32 + bit, 1 << bit))
}

/// The first exception of a word of priorities.
fn first_of(register: NvicRegister, index: u32) -> u16 {
    match register {
        NvicRegister::SystemPriority(first) => first,
        _ => EXTERNAL + 4 * index as u16,
    }
}

pub(crate) fn read(exceptions: &Exceptions, register: NvicRegister, index: u32, irqs: u16) -> u32 {
    let bits = |state: &dyn Fn(u16) -> bool| {
        interrupts(index)
            .filter(|&(number, _)| exceptions.exists(number) && state(number))
            .map(|(_, bit)| bit)
            .sum()
    };
    match register {
        NvicRegister::ControllerType => u32::from(irqs.max(1) - 1) / 32,
        NvicRegister::SetEnable | NvicRegister::ClearEnable => bits(&|number| exceptions.is_enabled(number)),
        NvicRegister::SetPending | NvicRegister::ClearPending => {
            bits(&|number| exceptions.is_pending(number))
        }
        NvicRegister::Active => bits(&|number| exceptions.is_active(number)),
        NvicRegister::Priority | NvicRegister::SystemPriority(_) => {
            let first = first_of(register, index);
            u32::from_le_bytes(std::array::from_fn(|i| {
                exceptions.priority_field(first + i as u16)
            }))
        }
        NvicRegister::SoftwareTrigger => 0,
    }
}

pub(crate) fn write(
    exceptions: &mut Exceptions,
    register: NvicRegister,
    index: u32,
    value: u32,
    lanes: Lanes,
) {
    let chosen = || {
        let set = |bits: u32| (bits != 0).then_some(bits);
        let left = std::iter::successors(set(value), move |&bits| set(bits & (bits - 1)));
        left.map(|bits| EXTERNAL + index as u16 * 32 + bits.trailing_zeros() as u16)
    };
    match register {
        NvicRegister::ControllerType | NvicRegister::Active => {}
        NvicRegister::SetEnable => chosen().for_each(|number| exceptions.set_enabled(number, true)),
        NvicRegister::ClearEnable => chosen().for_each(|number| exceptions.set_enabled(number, false)),
        NvicRegister::SetPending => chosen().for_each(|number| exceptions.pend(number)),
        NvicRegister::ClearPending => chosen().for_each(|number| exceptions.unpend(number)),
        NvicRegister::Priority | NvicRegister::SystemPriority(_) => {
            let first = first_of(register, index);
            let bytes = (first..).zip(value.to_le_bytes()).zip(lanes.mask.to_le_bytes());
            for ((number, priority), _) in bytes.filter(|&(_, mask)| mask != 0) {
                exceptions.set_priority_field(number, priority);
            }
        }
        NvicRegister::SoftwareTrigger => exceptions.pend(EXTERNAL + (value & 0x1ff) as u16),
    }
}
