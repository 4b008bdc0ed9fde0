//! Unwinds by call frame information: the caller's registers from the callee's.

use bus::Bus;
use gimli::{BaseAddresses, CfaRule, CieOrFde, RegisterRule, UnwindContext, UnwindSection};

use crate::image::Image;

/// DWARF numbers of an architecture's registers; PC comes last if it has no number.
#[derive(Clone, Copy)]
pub(super) struct Registers {
    pub(super) stack: usize,
    pub(super) link: usize,
    pub(super) pc: usize,
}

/// R0 to R15 (Arm, "DWARF for the Arm Architecture").
pub(super) const ARM: Registers = Registers {
    stack: 13,
    link: 14,
    pc: 15,
};

/// x0 to x31, then PC (RISC-V ELF psABI 7).
pub(super) const RV32: Registers = Registers {
    stack: 2,
    link: 1,
    pc: 32,
};

/// The result of unwinding one activation.
pub(super) enum Described<const N: usize> {
    /// The outermost activation, without a caller.
    Outermost,
    /// The registers after the return.
    Returns([u32; N]),
}

/// Unwinds the caller of the code at `place` with registers `r`; `None` without call frame information.
pub(super) fn caller<const N: usize>(
    image: &Image,
    bus: &Bus,
    registers: Registers,
    place: u32,
    r: &[u32; N],
) -> Option<Described<N>> {
    let mut each = image.call_frames();
    each.find_map(|frames| caller_in(frames, bus, registers, place, r))
}

/// Unwinds by the call frame information of one file.
fn caller_in<const N: usize>(
    frames: &gimli::DebugFrame<gimli::EndianArcSlice<gimli::LittleEndian>>,
    bus: &Bus,
    registers: Registers,
    place: u32,
    r: &[u32; N],
) -> Option<Described<N>> {
    let bases = BaseAddresses::default();
    let place = u64::from(place);
    let mut entries = frames.entries(&bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let Ok(fde) = partial.parse(gimli::DebugFrame::cie_from_offset) else {
            continue;
        };
        // An entry at 0 belongs to a function that the linker dropped.
        if fde.initial_address() == 0 || !fde.contains(place) {
            continue;
        }
        let mut context = UnwindContext::new();
        let row = fde
            .unwind_info_for_address(frames, &bases, &mut context, place)
            .ok()?;
        return apply(row, bus, registers, r);
    }
    None
}

fn apply<const N: usize>(
    row: &gimli::UnwindTableRow<usize>,
    bus: &Bus,
    registers: Registers,
    r: &[u32; N],
) -> Option<Described<N>> {
    let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else {
        return None;
    };
    let cfa = r.get(usize::from(register.0))?.wrapping_add(offset as u32);
    let mut caller = *r;
    (caller[registers.stack], caller[registers.pc]) = (cfa, r[registers.link]);
    for (register, rule) in row.registers() {
        let index = usize::from(register.0);
        let link = index == registers.link;
        if index >= N {
            continue;
        }
        let value = match rule {
            RegisterRule::Undefined if link => return Some(Described::Outermost),
            RegisterRule::Undefined | RegisterRule::SameValue => r[index],
            RegisterRule::Offset(offset) => bus.peek_word(cfa.wrapping_add(*offset as u32))?,
            RegisterRule::ValOffset(offset) => cfa.wrapping_add(*offset as u32),
            RegisterRule::Register(other) => *r.get(usize::from(other.0))?,
            _ => return None,
        };
        caller[index] = value;
        if link {
            caller[registers.pc] = value;
        }
    }
    Some(Described::Returns(caller))
}
