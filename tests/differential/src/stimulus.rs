//! Registers, flags and memory values that make random instructions meaningful.

use fastrand::Rng;
use isa_thumb::{Index, Insn, Op, Operand, Reg};

use crate::patch::{Fresh, Patch};
use crate::{DATA, DATA_SIZE, Target, access, known};

/// Builds the patch of one group.
pub(crate) struct Stimulus<'a> {
    target: Target,
    rng: &'a mut Rng,
    patch: Patch,
}

impl<'a> Stimulus<'a> {
    pub(crate) fn new(target: Target, rng: &'a mut Rng) -> Self {
        Stimulus {
            target,
            rng,
            patch: Patch::default(),
        }
    }

    /// Builds the patch for these instructions at `start`; `targets` are the valid jump targets.
    pub(crate) fn patch(mut self, insns: &[Insn], start: u32, targets: &[u32]) -> Patch {
        for n in 0..15 {
            if self.rng.u8(..3) == 0 {
                self.patch.r[n] = Some(self.value());
            }
        }
        self.patch.r[13] = self.patch.r[13].map(|_| self.data_address() & !3);
        self.patch.flags = self.rng.bool().then(|| self.rng.u32(..) & self.target.flags());
        if insns.iter().any(|insn| insn.op.is_float()) {
            self.suit_floats(insns);
        }
        let mut address = start;
        for insn in insns {
            self.suit(insn, address, targets);
            address += u32::from(insn.size);
        }
        self.patch
    }

    /// Values for the whole state, to start from.
    pub(crate) fn fresh(mut self) -> Fresh {
        for n in 0..15 {
            self.patch.r[n] = Some(self.value());
        }
        let other_sp = self.data_address() & !3;
        if self.target.core().isa.has_float() {
            self.patch.s = std::array::from_fn(|_| Some(float(self.rng)));
            self.patch.fpscr = Some(self.rng.u32(..));
        }
        self.patch.r[13] = Some(self.data_address() & !3);
        self.patch.flags = Some(self.rng.u32(..) & self.target.flags());
        let mut sometimes = |mask: u32| {
            if self.rng.u8(..4) == 0 {
                self.rng.u32(..) & mask
            } else {
                0
            }
        };
        // The floating-point context is always active; `core-cortex-m` tests its creation from FPDSCR.
        let active = u32::from(self.target.core().isa.has_float()) << 2;
        let [control, primask, basepri, faultmask] = self.target.masks().map(&mut sometimes);
        let control = control | active;
        Fresh {
            patch: self.patch,
            control,
            other_sp,
            primask,
            basepri,
            faultmask,
        }
    }

    /// A number that is likely to reach an edge case.
    fn value(&mut self) -> u32 {
        let random = self.rng.u32(..);
        match self.rng.u8(..10) {
            0 => 0,
            1 => random & 0xff,
            2 => random as i8 as u32,
            3 => 1 << (random & 31),
            4 => (1u32 << (random & 31)).wrapping_sub(1),
            5 => u32::MAX << (random & 31),
            6 => 0x7fff_ffff_u32.wrapping_add(random & 3).wrapping_sub(1),
            _ => random,
        }
    }

    /// Sets floating-point modes and registers; most registers that the instructions name get new values.
    fn suit_floats(&mut self, insns: &[Insn]) {
        let modes = match self.rng.u8(..4) {
            0 => Some(0),
            1 => Some(self.rng.u32(..) & 0x07c0_0000),
            2 => Some(self.rng.u32(..)),
            _ => None,
        };
        let bits = insns
            .iter()
            .map(known::bits_of_fpscr)
            .fold(u32::MAX, |all, bits| all & bits);
        self.patch.fpscr = if bits == u32::MAX {
            modes
        } else {
            Some(modes.unwrap_or(0) & bits)
        };
        for insn in insns {
            for register in [insn.vd, insn.vn, insn.vm] {
                if register.is_some() && self.rng.u8(..4) != 0 {
                    self.patch.s[register.index()] = Some(self.float());
                }
            }
        }
        for register in &mut self.patch.s {
            if register.is_none() && self.rng.u8(..16) == 0 {
                *register = Some(float(self.rng));
            }
        }
    }

    fn float(&mut self) -> u32 {
        float(self.rng)
    }

    /// Mostly well inside RAM and word-aligned, rarely near its ends.
    fn data_address(&mut self) -> u32 {
        let aligned = |address: u32, odd: bool| if odd { address } else { address & !3 };
        let odd = self.rng.u8(..4) == 0;
        match self.rng.u8(..64) {
            0 => DATA.wrapping_add(self.rng.u32(..16)).wrapping_sub(8),
            1 => DATA + DATA_SIZE + self.rng.u32(..16) - 8,
            _ => aligned(DATA + DATA_SIZE / 4 + self.rng.u32(..DATA_SIZE / 2), odd),
        }
    }

    fn set(&mut self, reg: Reg, value: u32) {
        if reg.index() < 15 && reg.is_some() {
            self.patch.r[reg.index()] = Some(if reg == Reg::SP { value & !3 } else { value });
        }
    }

    fn get(&self, reg: Reg) -> Option<u32> {
        self.patch.r.get(usize::from(reg.0)).copied().flatten()
    }

    /// Values that one instruction at `pc` needs.
    fn suit(&mut self, insn: &Insn, pc: u32, targets: &[u32]) {
        if let Some(bits) = known::bits_to_keep(insn) {
            let value = self.data_address();
            self.set(insn.rn, value & bits);
        }
        if let Some(bits) = known::flags_to_keep(self.target, insn) {
            let value = self.value();
            self.set(insn.rn, value & bits);
        }
        if known::bits_to_set(insn) != 0 {
            let value = self.value() | known::bits_to_set(insn);
            self.set(insn.rn, value);
        }
        if insn.is_load() || insn.is_store() {
            self.suit_access(insn, pc);
        }
        let Some(&target) = targets.get(self.rng.usize(..4)) else {
            return;
        };
        // An even address clears EPSR.T if the instruction can change it; the next one then faults.
        let state = u32::from(self.rng.u8(..32) != 0);
        match insn.op {
            Op::Bx | Op::Blx => self.set(insn.rm, target | state),
            Op::Mov if insn.rd == Reg::PC => self.set(insn.rm, target | state),
            Op::Add if insn.rd == Reg::PC => self.set(insn.rm, (target | state).wrapping_sub(pc + 4)),
            Op::Cbz | Op::Cbnz if self.rng.bool() => self.set(insn.rn, 0),
            Op::Ldr if insn.rd == Reg::PC => self.place(self.address(insn, pc), target | state),
            Op::Ldm if insn.list.contains(Reg::PC) => {
                let words = access::length(insn);
                self.place(
                    self.address(insn, pc)
                        .map(|lowest| lowest.wrapping_add(words - 4)),
                    target | state,
                );
            }
            Op::Tbb => {
                let forward = targets
                    .iter()
                    .find(|&&target| target >= pc + 4)
                    .map_or(0, |&target| target - pc - 4);
                let entry = (forward / 2) & 0xff;
                self.place(self.address(insn, pc), entry);
            }
            _ => {}
        }
    }

    /// Points the address of a load or store into RAM.
    fn suit_access(&mut self, insn: &Insn, pc: u32) {
        let mut address = self.data_address();
        if known::misses_alignment_fault(insn) || insn.rd == Reg::PC {
            address &= !3;
        }
        let scale = 1 << (insn.amount & 3);
        match (insn.operand, insn.rn) {
            (Operand::Reg, base) if base == insn.rm => {
                self.set(
                    base,
                    address.wrapping_mul(inverse(scale + 1)) >> u32::from(scale == 1),
                );
            }
            (Operand::Reg, Reg::PC) => self.set(insn.rm, (address & !3).wrapping_sub(pc + 4) / scale),
            (Operand::Reg, base) => {
                let index = self.rng.u32(..256);
                self.set(insn.rm, index);
                self.set(base, address.wrapping_sub(index * scale));
            }
            (Operand::Imm, base) if insn.index != Index::Post => {
                self.set(base, address.wrapping_sub(insn.imm));
            }
            (_, base) => self.set(base, address),
        }
    }

    /// The address that a load or store accesses with this patch.
    fn address(&self, insn: &Insn, pc: u32) -> Option<u32> {
        access::address(insn, pc, |register| self.get(register))
    }

    fn place(&mut self, address: Option<u32>, word: u32) {
        let inside = |address: &u32| (DATA..DATA + DATA_SIZE - 4).contains(address);
        if let Some(address) = address.filter(inside) {
            self.patch.memory.push((address, word));
        }
    }
}

/// A single-precision number: an edge case for rounding, flushing or conversion, a neighbour of one, or any other.
fn float(rng: &mut Rng) -> u32 {
    const SPECIAL: [u32; 22] = [
        0x0000_0000,
        0x0000_0001,
        0x0040_0000,
        0x007f_ffff,
        0x0080_0000,
        0x0100_0000,
        0x2000_0000,
        0x3380_0000,
        0x3f00_0000,
        0x3f80_0000,
        0x4000_0000,
        0x4700_0000,
        0x477f_f000,
        0x4b00_0000,
        0x4f00_0000,
        0x4f80_0000,
        0x7f00_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
    ];
    let random = rng.u32(..);
    let sign = random & 1 << 31;
    match rng.u8(..8) {
        0..=2 => SPECIAL[rng.usize(..SPECIAL.len())] | sign,
        3 => (SPECIAL[rng.usize(..SPECIAL.len())] | sign)
            .wrapping_add(random & 7)
            .wrapping_sub(3),
        // Exponents near each other, so that sums cancel and products stay in range.
        4 | 5 => random & 0x807f_ffff | (0x70 + rng.u32(..0x20)) << 23,
        6 => random & 0xff,
        _ => random,
    }
}

/// The inverse of an odd number modulo 2^32; for 2, that of 1 (the caller halves).
fn inverse(number: u32) -> u32 {
    let odd = if number == 2 { 1 } else { number };
    (0..5).fold(odd, |inverse, _| {
        inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse)))
    })
}
