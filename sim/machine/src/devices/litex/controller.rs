//! The system's controller (`litex/soc/integration/soc.py`, `SoCController`): reset, a scratch register, bus errors.
//!
//! Bus errors are not counted: an access to where nothing is ends the run.

use bus::{Device, DeviceError, Effect, End, ResetCause};

use super::register;
use crate::devices::not_modelled;

const RESET: u32 = 0;
const SCRATCH: u32 = 1;
const BUS_ERRORS: u32 = 2;

/// RESET: the whole system.
const RESET_SYSTEM: u32 = 1 << 0;

/// The controller.
#[derive(Clone)]
pub(crate) struct Controller {
    scratch: u32,
    reset: bool,
}

impl Controller {
    pub(crate) fn new() -> Self {
        Controller {
            scratch: 0x1234_5678,
            reset: false,
        }
    }
}

impl Device for Controller {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        match register(offset, size)? {
            RESET | BUS_ERRORS => Ok(0),
            SCRATCH => Ok(self.scratch),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match register(offset, size)? {
            RESET if value & !RESET_SYSTEM != 0 => {
                return not_modelled(format!(
                    "RESET, a write of {value:#x}: a core that is held in reset"
                ));
            }
            RESET => self.reset = value != 0,
            SCRATCH => self.scratch = value,
            BUS_ERRORS => {}
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        Ok(())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        std::mem::take(&mut self.reset).then_some(Effect::End(End::Reset(ResetCause::Software)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scratch_register_shows_the_order_of_bytes() {
        let mut controller = Controller::new();
        assert_eq!(controller.read(4, 4, 0), Ok(0x1234_5678));
        controller.write(4, 4, 0xdead_beef, 0).unwrap();
        assert_eq!(controller.read(4, 4, 0), Ok(0xdead_beef));
        assert_eq!(controller.take_effect(), None);
    }

    #[test]
    fn resets_the_system_but_does_not_hold_the_core() {
        let mut controller = Controller::new();
        controller.write(0, 4, 1, 0).unwrap();
        assert_eq!(
            controller.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::Software)))
        );
        assert_eq!(controller.take_effect(), None);
        assert!(controller.write(0, 4, 2, 0).is_err());
    }
}
