//! The floating-point status and control register (ARMv7-M ARM B1.4.8).

use crate::regs::Flags;

/// FPSCR: comparison flags, modes, cumulative exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Fpscr(u32);

/// How a value between two numbers is rounded, in the order of `RMode`'s encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounding {
    /// To the nearest; of two as near, the even one.
    Nearest,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
}

/// A cumulative exception bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatException {
    InvalidOperation = 1 << 0,
    DivisionByZero = 1 << 1,
    Overflow = 1 << 2,
    Underflow = 1 << 3,
    Inexact = 1 << 4,
    /// A denormal operand was flushed to zero.
    InputDenormal = 1 << 7,
}

/// N, Z, C, V.
const FLAGS: u32 = 0xf000_0000;
/// Alternative half precision.
const AHP: u32 = 1 << 26;
/// Default NaN.
const DN: u32 = 1 << 25;
/// Flush to zero.
const FZ: u32 = 1 << 24;
const ROUNDING: u32 = 3 << 22;
/// AHP, DN, FZ, `RMode`: the modes that a new context copies from FPDSCR.
pub(crate) const MODES: u32 = AHP | DN | FZ | ROUNDING;
const EXCEPTIONS: u32 = 0x9f;

impl Fpscr {
    /// From a register's value; bits that do not exist are dropped.
    pub const fn from_bits(value: u32) -> Self {
        Fpscr(value & (FLAGS | MODES | EXCEPTIONS))
    }

    /// The value that VMRS reads.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Takes the modes of another value, as a new context does from FPDSCR.
    pub(crate) fn set_modes(&mut self, value: u32) {
        self.0 = self.0 & !MODES | value & MODES;
    }

    /// The comparison flags, in their places of xPSR; what VMRS to APSR copies.
    pub(crate) fn flags(self) -> u32 {
        self.0 & FLAGS
    }

    /// APSR with N, Z, C, V from here.
    pub(crate) fn over(self, apsr: Flags) -> Flags {
        Flags::from_bits(apsr.bits() & !FLAGS | self.flags())
    }

    pub(crate) fn set_flags(&mut self, nzcv: u32) {
        self.0 = self.0 & !FLAGS | nzcv & FLAGS;
    }

    #[inline(always)]
    pub(crate) fn raise(&mut self, exception: FloatException) {
        self.0 |= exception as u32;
    }

    #[inline(always)]
    pub(crate) const fn raised(self, exception: FloatException) -> bool {
        self.0 & exception as u32 != 0
    }

    /// As the host rounds.
    #[inline(always)]
    pub(crate) const fn rounds_to_nearest(self) -> bool {
        self.0 & ROUNDING == 0
    }

    pub(crate) const fn rounding(self) -> Rounding {
        match self.0 >> 22 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }

    #[inline(always)]
    pub(crate) const fn flushes(self) -> bool {
        self.0 & FZ != 0
    }

    pub(crate) const fn default_nan(self) -> bool {
        self.0 & DN != 0
    }

    pub(crate) const fn alternative_half(self) -> bool {
        self.0 & AHP != 0
    }
}
