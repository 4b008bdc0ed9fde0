//! The test finisher of QEMU's `virt` machine (`sifive,test0`): one register that ends the run.

use bus::{DeviceError, Effect, End, ResetCause};

use crate::devices::block::{Access, Peripheral, Regs, Write, about, registers};
use crate::devices::not_modelled;

about! { Finisher, D,
    "QEMU `virt`",
    "ends the run with an exit code, or resets the chip",
    ""
}

registers! { Finisher;
    FINISH = 0x00 .tries(Finisher::finish);
}

const PASS: u32 = 0x5555;
/// With the exit code in the upper half.
const FAIL: u32 = 0x3333;
const RESET: u32 = 0x7777;

/// The device.
#[derive(Clone, Default)]
pub(crate) struct Finisher {
    regs: Regs<Self>,
    end: Option<End>,
}

impl Finisher {
    fn finish(&mut self, Write { value, size, .. }: Write) -> Result<(), DeviceError> {
        self.end = Some(match (size, value & 0xffff) {
            (2 | 4, PASS) => End::Exit(0),
            (2 | 4, FAIL) => End::Exit(value >> 16),
            (2 | 4, RESET) => End::Reset(ResetCause::Software),
            _ => return not_modelled(format!("a write of {value:#x} ({size} bytes) to offset 0x0")),
        });
        Ok(())
    }
}

impl Peripheral for Finisher {
    const ACCESS: Access = Access::Sized;

    fn effect(&mut self) -> Option<Effect> {
        self.end.take().map(Effect::End)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Device;

    fn end(value: u32) -> Option<Effect> {
        let mut finisher = Finisher::default();
        finisher.write(0, 4, value, 0).unwrap();
        finisher.take_effect()
    }

    #[test]
    fn passes_fails_with_a_code_and_resets() {
        assert_eq!(end(0x5555), Some(Effect::End(End::Exit(0))));
        assert_eq!(end(0x002a_3333), Some(Effect::End(End::Exit(42))));
        assert_eq!(end(0x7777), Some(Effect::End(End::Reset(ResetCause::Software))));
    }

    #[test]
    fn another_word_is_named() {
        let refused = Finisher::default().write(0, 4, 0x1234, 0);
        assert!(matches!(refused, Err(DeviceError::NotModelled(what)) if what.contains("0x1234")));
    }
}
