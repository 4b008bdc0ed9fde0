//! The system's controller (`litex/soc/integration/soc.py`, `SoCController`): reset, a scratch register, bus errors.
//!
//! Bus errors are not counted: an access to where nothing is ends the run.

use bus::{Effect, End, ResetCause};

use crate::devices::block::{Access, Peripheral, Regs, about, registers};

about! { Controller, B,
    "LiteX `soc/integration/soc.py`",
    "reset, scratch register",
    "a core held in reset; bus errors, which end the run"
}

registers! { Controller;
    RESET      = 0x0 .refuse(!RESET_SYSTEM, ": a core that is held in reset").then(|system, write| system.reset = write.value != 0);
    SCRATCH    = 0x4 .reset(0x1234_5678).write(!0);
    BUS_ERRORS = 0x8 .drops();
}

/// RESET: the whole system.
const RESET_SYSTEM: u32 = 1 << 0;

/// The controller.
#[derive(Clone, Default)]
pub(crate) struct Controller {
    regs: Regs<Self>,
    reset: bool,
}

impl Peripheral for Controller {
    const ACCESS: Access = Access::Words;

    fn effect(&mut self) -> Option<Effect> {
        std::mem::take(&mut self.reset).then_some(Effect::End(End::Reset(ResetCause::Software)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Device;

    #[test]
    fn the_scratch_register_shows_the_order_of_bytes() {
        let mut controller = Controller::default();
        assert_eq!(controller.read(4, 4, 0), Ok(0x1234_5678));
        controller.write(4, 4, 0xdead_beef, 0).unwrap();
        assert_eq!(controller.read(4, 4, 0), Ok(0xdead_beef));
        assert_eq!(controller.take_effect(), None);
    }

    #[test]
    fn resets_the_system_but_does_not_hold_the_core() {
        let mut controller = Controller::default();
        controller.write(0, 4, 1, 0).unwrap();
        assert_eq!(
            controller.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::Software)))
        );
        assert_eq!(controller.take_effect(), None);
        assert!(controller.write(0, 4, 2, 0).is_err());
    }
}
