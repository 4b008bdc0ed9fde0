//! Unwinds a Cortex-M's stack.
//!
//! Callers are found by the compiler's call frame information (`.debug_frame`). Without it, the unwinder guesses: it takes a leaf
//! function's link register, or the first word up the stack that looks like a return address after a BL or BLX; such frames are marked. An
//! EXC_RETURN value instead of a return address means that the hardware pushed a frame at an exception (ARMv7-M ARM B1.5.8).

use bus::Bus;

use super::frames::{self, ARM, Described};
use crate::exception::Exception;
use crate::image::Image;

/// Deeper than any sensible stack on these chips; a damaged one may be circular.
pub(super) const DEEPEST: usize = 64;

/// How far up the stack to look for a return address, in words.
const SCAN_WORDS: u32 = 256;

/// How a frame was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The current activation.
    Innermost,
    /// The caller of the frame before.
    Call,
    /// This exception interrupted it. `None` during the entry: IPSR holds the number once the vector has been read.
    Interrupted(Option<Exception>),
    /// A guessed caller of the frame before, without call frame information.
    Guess,
}

/// One activation of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Activation {
    /// R0 to R15. Registers that a call may change hold the callee's values if the caller's are unknown.
    pub(crate) r: [u32; 16],
    pub(crate) origin: Origin,
    /// Exception being handled; 0 in thread mode.
    pub(crate) ipsr: u16,
    /// The frame that the hardware pushed when an exception interrupted this activation.
    pub(crate) frame: Option<PushedFrame>,
}

/// A frame that an exception entry pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PushedFrame {
    /// Its address.
    pub(crate) address: u32,
    /// Whether it has space for floating-point registers.
    pub(crate) extended: bool,
    /// The stacked xPSR.
    pub(crate) xpsr: u32,
}

impl Activation {
    pub(crate) fn pc(&self) -> u32 {
        self.r[15]
    }

    /// An address inside the current instruction: a return address may already belong to the next line.
    pub(crate) fn place(&self) -> u32 {
        match self.origin {
            Origin::Innermost | Origin::Interrupted(_) => self.pc(),
            Origin::Call | Origin::Guess => self.pc().wrapping_sub(2),
        }
    }
}

/// The state that unwinding needs.
pub(crate) struct Unwinder<'a> {
    pub(crate) image: &'a Image,
    pub(crate) bus: &'a Bus,
    /// The process stack pointer.
    pub(crate) psp: u32,
}

impl Unwinder<'_> {
    /// The activations from `innermost` outward.
    pub(crate) fn unwind(&self, innermost: Activation) -> Vec<Activation> {
        let mut chain = vec![innermost];
        while chain.len() < DEEPEST {
            let current = &chain[chain.len() - 1];
            match self.caller(current) {
                Some(caller) if (caller.pc(), caller.r[13]) != (current.pc(), current.r[13]) => {
                    chain.push(caller);
                }
                _ => break,
            }
        }
        chain
    }

    fn caller(&self, current: &Activation) -> Option<Activation> {
        match self.by_call_frames(current) {
            Some(Described::Outermost) => None,
            Some(Described::Returns(r)) => self.return_to(r, current.ipsr, Origin::Call),
            None => self.guess(current),
        }
    }

    /// The activation to which `r[15]` returns, as an address or EXC_RETURN.
    fn return_to(&self, mut r: [u32; 16], ipsr: u16, origin: Origin) -> Option<Activation> {
        if is_exception_return(r[15]) {
            return self.leave_exception(r, ipsr);
        }
        r[15] &= !1;
        // A function that ends with a call has no code at its return address.
        let called = self.image.has_code(r[15]) || self.image.has_code(r[15].wrapping_sub(2));
        called.then_some(Activation {
            r,
            origin,
            ipsr,
            frame: None,
        })
    }

    fn leave_exception(&self, r: [u32; 16], ipsr: u16) -> Option<Activation> {
        let frame = if r[15] & 4 != 0 { self.psp } else { r[13] };
        self.interrupted(r, frame, ipsr, is_extended(r[15]))
    }

    /// The activation whose state the hardware pushed at `frame`.
    pub(crate) fn interrupted(
        &self,
        mut r: [u32; 16],
        frame: u32,
        ipsr: u16,
        extended: bool,
    ) -> Option<Activation> {
        let word = |index: u32| self.bus.peek_word(frame.checked_add(4 * index)?);
        for (index, register) in [0, 1, 2, 3, 12, 14, 15].into_iter().enumerate() {
            r[register] = word(index as u32)?;
        }
        let xpsr = word(7)?;
        let padding = if xpsr & 1 << 9 != 0 { 4 } else { 0 };
        let size = if extended { 104 } else { 32 };
        r[13] = frame.wrapping_add(size + padding);
        let origin = Origin::Interrupted(Exception::of_ipsr(ipsr));
        Some(Activation {
            r,
            origin,
            ipsr: (xpsr & 0x1ff) as u16,
            frame: Some(PushedFrame {
                address: frame,
                extended,
                xpsr,
            }),
        })
    }

    /// The frame, from `sp` upward, that the hardware pushed for an instruction at `pc`.
    pub(crate) fn find_exception_frame(&self, sp: u32, pc: u32) -> Option<u32> {
        let words = (0..SCAN_WORDS).map(|index| sp.wrapping_add(4 * index));
        let mut frames = words.filter(|&frame| self.bus.peek_word(frame.wrapping_add(24)) == Some(pc));
        frames.find(|&frame| {
            self.bus
                .peek_word(frame.wrapping_add(28))
                .is_some_and(|xpsr| xpsr & 1 << 24 != 0)
        })
    }

    fn by_call_frames(&self, current: &Activation) -> Option<Described<16>> {
        frames::caller(self.image, self.bus, ARM, current.place(), &current.r)
    }

    fn guess(&self, current: &Activation) -> Option<Activation> {
        let leaf = matches!(current.origin, Origin::Innermost | Origin::Interrupted(_));
        let link = current.r[14];
        let by_stack = self.scan(current);
        // A function that saved its link register has that value on the stack, and so reveals its caller's stack.
        let saved = by_stack.as_ref().is_some_and(|found| found.r[14] == link);
        if leaf && !saved && self.may_return_to(link) && !self.same_function(link, current.pc()) {
            let mut r = current.r;
            r[15] = link;
            return self.return_to(r, current.ipsr, Origin::Guess);
        }
        by_stack
    }

    /// The first word up the stack that may be a return address.
    fn scan(&self, current: &Activation) -> Option<Activation> {
        for index in 0..SCAN_WORDS {
            let address = current.r[13].checked_add(4 * index)?;
            let value = self.bus.peek_word(address)?;
            if !self.may_return_to(value) {
                continue;
            }
            let mut r = current.r;
            (r[13], r[14], r[15]) = (address.wrapping_add(4), value, value);
            let found = self.return_to(r, current.ipsr, Origin::Guess);
            if found
                .as_ref()
                .is_some_and(|found| self.image.has_code(found.place()))
            {
                return found;
            }
        }
        None
    }

    fn same_function(&self, a: u32, b: u32) -> bool {
        let start = |address: u32| {
            self.image
                .symbol_at(address & !1)
                .map(|(symbol, _)| symbol.address)
        };
        start(a).is_some() && start(a) == start(b)
    }

    /// Whether `value` is EXC_RETURN or the address after a call, with the Thumb bit.
    fn may_return_to(&self, value: u32) -> bool {
        let address = value & !1;
        is_exception_return(value)
            || value & 1 != 0 && self.image.has_code(address.wrapping_sub(2)) && self.follows_call(address)
    }

    fn follows_call(&self, address: u32) -> bool {
        let mut bytes = [0; 4];
        if !self.bus.peek(address.wrapping_sub(4), &mut bytes) {
            return false;
        }
        let (first, second) = (
            u16::from_le_bytes([bytes[0], bytes[1]]),
            u16::from_le_bytes([bytes[2], bytes[3]]),
        );
        let bl = first & 0xf800 == 0xf000 && second & 0xd000 == 0xd000;
        let blx = second & 0xff87 == 0x4780;
        bl || blx
    }
}

/// EXC_RETURN (ARMv7-M ARM, tables B1-8 and B1-9). Bit 4 is zero if the frame is an extended one.
fn is_exception_return(value: u32) -> bool {
    matches!(value | 1 << 4, 0xffff_fff1 | 0xffff_fff9 | 0xffff_fffd)
}

/// Whether an EXC_RETURN value means an extended frame, with floating-point registers.
pub(super) fn is_extended(value: u32) -> bool {
    is_exception_return(value) && value & 1 << 4 == 0
}
