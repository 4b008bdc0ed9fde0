//! The test finisher of QEMU's `virt` machine (`sifive,test0`): one register that ends the run.

use bus::{Device, DeviceError, Effect, End, ResetCause};

use crate::devices::not_modelled;

const PASS: u32 = 0x5555;
/// With the exit code in the upper half.
const FAIL: u32 = 0x3333;
const RESET: u32 = 0x7777;

/// The register.
#[derive(Clone, Default)]
pub(crate) struct Finisher {
    end: Option<End>,
}

impl Device for Finisher {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, _offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        Ok(0)
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        self.end = Some(match (offset, size, value & 0xffff) {
            (0, 2 | 4, PASS) => End::Exit(0),
            (0, 2 | 4, FAIL) => End::Exit(value >> 16),
            (0, 2 | 4, RESET) => End::Reset(ResetCause::Software),
            _ => {
                return not_modelled(format!(
                    "a write of {value:#x} ({size} bytes) to offset {offset:#x}"
                ));
            }
        });
        Ok(())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.end.take().map(Effect::End)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
