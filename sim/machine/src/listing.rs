//! Machine code as text, in either instruction set.

use bus::Bus;
use isa_thumb::ItState;

use crate::image::Architecture;

/// Disassembles consecutive instructions; it tracks IT blocks, which change the Thumb instructions in them.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    architecture: Architecture,
    it: ItState,
}

impl Listing {
    /// A listing that begins outside any IT block.
    pub fn new(architecture: Architecture) -> Listing {
        Listing {
            architecture,
            it: ItState::OUTSIDE,
        }
    }

    /// The size of the instruction that begins with this halfword, in bytes: 2 or 4.
    pub fn length(&self, first: u16) -> u32 {
        let wide = match self.architecture {
            Architecture::Arm => isa_thumb::is_wide(first),
            Architecture::RiscV => isa_rv32::length(first) == 4,
        };
        if wide { 4 } else { 2 }
    }

    /// The instruction at `pc` as text. `raw` is its encoding as in an event.
    ///
    /// # Errors
    /// The decoder's message for an undefined encoding.
    pub fn line(&mut self, pc: u32, raw: u32) -> Result<String, String> {
        match self.architecture {
            Architecture::Arm => self.thumb(pc, isa_thumb::Isa::ARMV7EM_FLOAT.decode(raw)),
            Architecture::RiscV => isa_rv32::decode(raw, isa_rv32::Isa::ALL)
                .map(|insn| insn.disassemble(pc).to_string())
                .map_err(|error| error.to_string()),
        }
    }

    /// The instruction with the halfwords `first` and, if memory goes on, `second`.
    ///
    /// # Errors
    /// The errors of [`Listing::line`].
    pub fn line_at(&mut self, pc: u32, first: u16, second: Option<u16>) -> Result<String, String> {
        match self.architecture {
            Architecture::Arm => self.thumb(pc, isa_thumb::Isa::ARMV7EM_FLOAT.decode_at(first, second)),
            Architecture::RiscV => self.line(pc, u32::from(first) | u32::from(second.unwrap_or(0)) << 16),
        }
    }

    fn thumb(
        &mut self,
        pc: u32,
        decoded: Result<isa_thumb::Insn, isa_thumb::DecodeError>,
    ) -> Result<String, String> {
        match decoded {
            Ok(insn) => {
                let text = format!("{:#}", insn.disassemble_in(pc, self.it));
                self.it = self.it.after(&insn);
                Ok(text)
            }
            Err(error) => {
                self.it = self.it.advance();
                Err(error.to_string())
            }
        }
    }

    /// Continues at another address, outside any IT block.
    pub fn jump(&mut self) {
        self.it = ItState::OUTSIDE;
    }
}

/// The halfword at `address`, without side effects, if it is memory.
pub(crate) fn halfword(bus: &Bus, address: u32) -> Option<u16> {
    let mut bytes = [0; 2];
    bus.peek(address, &mut bytes).then(|| u16::from_le_bytes(bytes))
}
