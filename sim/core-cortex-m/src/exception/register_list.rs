//! The registers of LDM, STM, VLDM and VSTM, and from which of them on an interrupted one continues.

use isa_thumb::{Insn, Op};

/// The register to go on with, if these bits of EPSR are ICI and not ITSTATE.
pub(crate) fn continuation(it: u8) -> Option<u8> {
    (it & 15 == 0 && it != 0).then_some(it >> 4)
}

/// How many words LDM, STM, VLDM or VSTM still transfers from there.
pub(crate) fn words_from(insn: &Insn, from: u8) -> u8 {
    RegisterList::of(insn).left(from).count() as u8
}

/// The registers of a transfer, in their order.
#[derive(Clone, Copy)]
pub(super) enum RegisterList {
    /// Bit N for RN.
    Core(u16),
    /// `count` registers from this one on.
    Float { first: u8, count: u8 },
}

impl RegisterList {
    pub(super) fn of(insn: &Insn) -> Self {
        match insn.op {
            Op::Vldm | Op::Vstm => RegisterList::Float {
                first: insn.vd.0,
                count: insn.amount,
            },
            _ => RegisterList::Core(insn.list.0),
        }
    }

    pub(super) fn all(self) -> impl Iterator<Item = u8> {
        let (from, to) = match self {
            RegisterList::Core(_) => (0, 16),
            RegisterList::Float { first, count } => (first, first + count),
        };
        (from..to).filter(move |register| match self {
            RegisterList::Core(list) => list >> register & 1 != 0,
            RegisterList::Float { .. } => true,
        })
    }

    /// The value of ICI for a register.
    pub(super) fn name(self, register: u8) -> u8 {
        match self {
            RegisterList::Core(_) => register,
            RegisterList::Float { .. } => register / 2,
        }
    }

    /// The registers from the one that ICI names on.
    pub(super) fn left(self, from: u8) -> impl Iterator<Item = u8> {
        self.all().filter(move |&register| self.name(register) >= from)
    }

    pub(super) fn includes(self, name: u8) -> bool {
        self.all().any(|register| self.name(register) == name)
    }
}
