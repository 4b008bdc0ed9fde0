//! The instrumentation trace macrocell (ARMv7-M ARM C1.7): the program's own words to a host.
//!
//! A stimulus port is always ready; what was written to an enabled one is kept until the host takes it.

use super::{Lanes, View};

/// The registers of the macrocell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ItmRegister {
    Stimulus,
    TraceEnable,
    TracePrivilege,
    TraceControl,
    LockAccess,
    LockStatus,
}

/// One write to a stimulus port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The core cycle of the write.
    pub cycle: u64,
    /// Port, 0 to 31.
    pub port: u8,
    /// 1, 2 or 4 bytes.
    pub size: u8,
    /// The value, zero-extended.
    pub value: u32,
}

const ENABLED: u32 = 1;
/// TCR: all but BUSY.
const CONTROL: u32 = 0x007f_030f;
const KEY: u32 = 0xc5ac_ce55;

/// The instrumentation trace macrocell.
#[derive(Clone, Debug)]
pub(crate) struct Itm {
    /// DEMCR.TRCENA.
    pub(crate) on: bool,
    control: u32,
    enabled_ports: u32,
    /// Bit n: ports 8n to 8n+7 are for privileged code only.
    privileged_ports: u32,
    locked: bool,
    output: Vec<Packet>,
}

impl Itm {
    pub(crate) fn new() -> Self {
        Itm {
            on: false,
            control: 0,
            enabled_ports: 0,
            privileged_ports: 0,
            locked: true,
            output: Vec::new(),
        }
    }

    pub(crate) fn take_output(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.output)
    }

    pub(crate) fn read(&self, register: ItmRegister) -> u32 {
        if !self.on {
            return 0;
        }
        match register {
            ItmRegister::Stimulus => 1,
            ItmRegister::TraceEnable => self.enabled_ports,
            ItmRegister::TracePrivilege => self.privileged_ports,
            ItmRegister::TraceControl => self.control,
            ItmRegister::LockAccess => 0,
            ItmRegister::LockStatus => 1 | u32::from(self.locked) << 1,
        }
    }

    pub(crate) fn write(&mut self, register: ItmRegister, index: u32, value: u32, lanes: Lanes, view: View) {
        if !self.on {
            return;
        }
        match register {
            ItmRegister::Stimulus => self.stimulate(index, value >> lanes.shift, lanes.size, view),
            ItmRegister::LockAccess => self.locked = value != KEY,
            ItmRegister::LockStatus => {}
            _ if self.locked => {}
            ItmRegister::TraceEnable => self.enabled_ports = value,
            ItmRegister::TracePrivilege => self.privileged_ports = value & 15,
            ItmRegister::TraceControl => self.control = value & CONTROL,
        }
    }

    fn stimulate(&mut self, port: u32, value: u32, size: u32, view: View) {
        let permitted = view.privileged || self.privileged_ports >> (port / 8) & 1 == 0;
        if permitted && self.control & ENABLED != 0 && self.enabled_ports >> port & 1 != 0 {
            self.output.push(Packet {
                cycle: view.cycle,
                port: port as u8,
                size: size as u8,
                value,
            });
        }
    }
}
