//! The ports of the harness in which the Verilog of RV32 cores runs (`sim/rtl/harness`): a program that uses them runs the same
//! on the model and on the Verilog.

use bus::{Device, DeviceError, Effect, End, Irq};

use super::block::about;
use super::not_modelled;

about! { without table RtlPorts, Rtl,
    "`sim/rtl/harness`",
    "the way out, a console and the levels of interrupts, as the harness of the Verilog has them",
    ""
}

/// A write ends the run; the value is the exit code.
const FINISH: u32 = 0x00;
/// Bit 0 is the level of the timer interrupt.
const TIMER: u32 = 0x04;
/// Bit 0 is the level of the software interrupt.
const SOFTWARE: u32 = 0x08;
/// The levels of the 32 external interrupts.
const EXTERNAL: u32 = 0x0c;
/// The low byte of a write is printed.
const CONSOLE: u32 = 0x10;

/// The ports: the way out, a console, and the levels of interrupt inputs, as the harness has them.
#[derive(Clone, Default)]
pub struct RtlPorts {
    finished: Option<u32>,
    timer: u32,
    software: u32,
    external: u32,
    printed: Vec<u8>,
    /// Levels changed in this cycle, and are to be told.
    changed: Option<u64>,
    /// The levels that were told last: timer, software and external. Only others are told, for a peripheral may drive a line
    /// that the program leaves alone here.
    told: [u32; 3],
}

impl Device for RtlPorts {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        match offset {
            FINISH | CONSOLE => Ok(0),
            TIMER => Ok(self.timer),
            SOFTWARE => Ok(self.software),
            EXTERNAL => Ok(self.external),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        match offset {
            _ if size != 4 => return not_modelled(format!("a write of {size} bytes to offset {offset:#x}")),
            FINISH => self.finished = Some(value),
            TIMER => self.timer = value & 1,
            SOFTWARE => self.software = value & 1,
            EXTERNAL => self.external = value,
            CONSOLE => self.printed.push(value as u8),
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        if matches!(offset, TIMER | SOFTWARE | EXTERNAL) {
            self.changed = Some(now);
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        self.changed.unwrap_or(u64::MAX)
    }

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.changed = None;
        let now = [self.timer, self.software, self.external];
        let [timer, software, external] = std::mem::replace(&mut self.told, now);
        if timer != self.timer {
            line(Irq::MACHINE_TIMER, self.timer != 0);
        }
        if software != self.software {
            line(Irq::MACHINE_SOFTWARE, self.software != 0);
        }
        for number in (0..32).filter(|number| (external ^ self.external) >> number & 1 != 0) {
            line(Irq::External(number), self.external >> number & 1 != 0);
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.finished.take().map(|code| Effect::End(End::Exit(code)))
    }

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        if !self.printed.is_empty() {
            sink(&self.printed);
            self.printed.clear();
        }
    }
}
