//! The registers of the NVIC and the priorities of system handlers: views of [`Exceptions`].

use super::Lanes;
use super::exceptions::{Exceptions, number::EXTERNAL};

/// The registers of the NVIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Register {
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
fn first_of(register: Register, index: u32) -> u16 {
    match register {
        Register::SystemPriority(first) => first,
        _ => EXTERNAL + 4 * index as u16,
    }
}

pub(crate) fn read(exceptions: &Exceptions, register: Register, index: u32, irqs: u16) -> u32 {
    let bits = |state: &dyn Fn(u16) -> bool| {
        interrupts(index)
            .filter(|&(number, _)| exceptions.exists(number) && state(number))
            .map(|(_, bit)| bit)
            .sum()
    };
    match register {
        Register::ControllerType => u32::from(irqs.max(1) - 1) / 32,
        Register::SetEnable | Register::ClearEnable => bits(&|number| exceptions.is_enabled(number)),
        Register::SetPending | Register::ClearPending => bits(&|number| exceptions.is_pending(number)),
        Register::Active => bits(&|number| exceptions.is_active(number)),
        Register::Priority | Register::SystemPriority(_) => {
            let first = first_of(register, index);
            u32::from_le_bytes(std::array::from_fn(|i| {
                exceptions.priority_field(first + i as u16)
            }))
        }
        Register::SoftwareTrigger => 0,
    }
}

pub(crate) fn write(exceptions: &mut Exceptions, register: Register, index: u32, value: u32, lanes: Lanes) {
    let chosen = || {
        let set = |bits: u32| (bits != 0).then_some(bits);
        let left = std::iter::successors(set(value), move |&bits| set(bits & (bits - 1)));
        left.map(|bits| EXTERNAL + index as u16 * 32 + bits.trailing_zeros() as u16)
    };
    match register {
        Register::ControllerType | Register::Active => {}
        Register::SetEnable => chosen().for_each(|number| exceptions.set_enabled(number, true)),
        Register::ClearEnable => chosen().for_each(|number| exceptions.set_enabled(number, false)),
        Register::SetPending => chosen().for_each(|number| exceptions.pend(number)),
        Register::ClearPending => chosen().for_each(|number| exceptions.unpend(number)),
        Register::Priority | Register::SystemPriority(_) => {
            let first = first_of(register, index);
            let bytes = (first..).zip(value.to_le_bytes()).zip(lanes.mask.to_le_bytes());
            for ((number, priority), _) in bytes.filter(|&(_, mask)| mask != 0) {
                exceptions.set_priority_field(number, priority);
            }
        }
        Register::SoftwareTrigger => exceptions.pend(EXTERNAL + (value & 0x1ff) as u16),
    }
}
