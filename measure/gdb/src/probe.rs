//! The model as a chip behind a debug probe, for tools that use probe-rs as a library; no board is needed.
//!
//! It models the debug registers of a Cortex-M3 or M4 (ARMv7-M ARM C1): halting, stepping, registers, breakpoints and reset. The program
//! runs in its own thread, because a probe may move between threads and a program may not.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use probe_rs::MemoryInterface;
use probe_rs::architecture::arm::ap::CSW;
use probe_rs::architecture::arm::dp::{DpAddress, DpRegisterAddress};
use probe_rs::architecture::arm::memory::ArmMemoryInterface;
use probe_rs::architecture::arm::sequences::ArmDebugSequence;
use probe_rs::architecture::arm::{
    ArmDebugInterface, ArmError, DapAccess, FullyQualifiedApAddress, SwdSequence, SwoAccess, SwoConfig,
};
use probe_rs::probe::{DebugProbe, DebugProbeError, Probe, WireProtocol};

use crate::Session;
use crate::chip::Chip;

/// A request to the chip's thread.
enum Ask {
    Read(u32, u32),
    Write(u32, u32, u32),
}

/// The channels to the chip's thread.
struct Wire {
    to: Sender<Ask>,
    from: Receiver<Option<u32>>,
}

impl Wire {
    fn ask(&self, what: Ask) -> Result<u32, ArmError> {
        let gone = || ArmError::Other("the chip is gone".into());
        self.to.send(what).map_err(|_| gone())?;
        let answer = self.from.recv().map_err(|_| gone())?;
        answer.ok_or_else(|| ArmError::Other("nothing answers there".into()))
    }
}

/// A probe with a chip on which the program of `session` runs.
pub fn probe(session: impl FnOnce() -> Session + Send + 'static) -> Probe {
    let (to, asked) = channel();
    let (answer, from) = channel();
    thread::spawn(move || {
        let mut chip = Chip::new(session());
        for what in asked {
            let answered = match what {
                Ask::Read(address, size) => chip.read(address, size),
                Ask::Write(address, size, value) => chip.write(address, size, value).then_some(0),
            };
            if answer.send(answered).is_err() {
                break;
            }
        }
    });
    let wire = Arc::new(Mutex::new(Wire { to, from }));
    Probe::from_specific_probe(Box::new(Modelled { wire }))
}

#[derive(Clone)]
struct Modelled {
    wire: Arc<Mutex<Wire>>,
}

impl fmt::Debug for Modelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a modelled chip")
    }
}

fn not_there<T>() -> Result<T, ArmError> {
    Err(ArmError::Other("a modelled chip has memory alone".into()))
}

impl Modelled {
    fn ask(&self, what: Ask) -> Result<u32, ArmError> {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner).ask(what)
    }

    fn read_all<T: TryFrom<u32>>(&self, address: u64, data: &mut [T]) -> Result<(), ArmError> {
        let size = size_of::<T>() as u32;
        for (at, value) in (address as u32..).step_by(size as usize).zip(data) {
            let read = self.ask(Ask::Read(at, size))?;
            *value = T::try_from(read).map_err(|_| ArmError::Other("too wide".into()))?;
        }
        Ok(())
    }

    fn write_all<T: Copy + Into<u32>>(&self, address: u64, data: &[T]) -> Result<(), ArmError> {
        let size = size_of::<T>() as u32;
        for (at, &value) in (address as u32..).step_by(size as usize).zip(data) {
            self.ask(Ask::Write(at, size, value.into()))?;
        }
        Ok(())
    }
}

impl DebugProbe for Modelled {
    fn get_name(&self) -> &'static str {
        "Cyclescope"
    }

    fn speed_khz(&self) -> u32 {
        0
    }

    fn set_speed(&mut self, speed_khz: u32) -> Result<u32, DebugProbeError> {
        Ok(speed_khz)
    }

    fn attach(&mut self) -> Result<(), DebugProbeError> {
        Ok(())
    }

    fn detach(&mut self) -> Result<(), probe_rs::Error> {
        Ok(())
    }

    fn target_reset(&mut self) -> Result<(), DebugProbeError> {
        Ok(())
    }

    fn target_reset_assert(&mut self) -> Result<(), DebugProbeError> {
        Ok(())
    }

    fn target_reset_deassert(&mut self) -> Result<(), DebugProbeError> {
        Ok(())
    }

    fn select_protocol(&mut self, _: WireProtocol) -> Result<(), DebugProbeError> {
        Ok(())
    }

    fn active_protocol(&self) -> Option<WireProtocol> {
        Some(WireProtocol::Swd)
    }

    fn has_arm_interface(&self) -> bool {
        true
    }

    fn try_get_arm_debug_interface<'probe>(
        self: Box<Self>,
        _: Arc<dyn ArmDebugSequence>,
    ) -> Result<Box<dyn ArmDebugInterface + 'probe>, (Box<dyn DebugProbe>, ArmError)> {
        Ok(self)
    }

    fn into_probe(self: Box<Self>) -> Box<dyn DebugProbe> {
        self
    }
}

impl ArmDebugInterface for Modelled {
    fn reinitialize(&mut self) -> Result<(), ArmError> {
        Ok(())
    }

    fn access_ports(&mut self, _: DpAddress) -> Result<BTreeSet<FullyQualifiedApAddress>, ArmError> {
        Ok(BTreeSet::from([FullyQualifiedApAddress::v1_with_default_dp(0)]))
    }

    fn close(self: Box<Self>) -> Probe {
        Probe::from_specific_probe(self)
    }

    fn select_debug_port(&mut self, _: DpAddress) -> Result<(), ArmError> {
        Ok(())
    }

    fn current_debug_port(&self) -> Option<DpAddress> {
        Some(DpAddress::Default)
    }

    fn memory_interface(
        &mut self,
        _: &FullyQualifiedApAddress,
    ) -> Result<Box<dyn ArmMemoryInterface + '_>, ArmError> {
        Ok(Box::new(self.clone()))
    }
}

impl DapAccess for Modelled {
    fn read_raw_dp_register(&mut self, _: DpAddress, _: DpRegisterAddress) -> Result<u32, ArmError> {
        not_there()
    }

    fn write_raw_dp_register(&mut self, _: DpAddress, _: DpRegisterAddress, _: u32) -> Result<(), ArmError> {
        not_there()
    }

    fn read_raw_ap_register(&mut self, _: &FullyQualifiedApAddress, _: u64) -> Result<u32, ArmError> {
        not_there()
    }

    fn write_raw_ap_register(&mut self, _: &FullyQualifiedApAddress, _: u64, _: u32) -> Result<(), ArmError> {
        not_there()
    }

    fn try_dap_probe(&self) -> Option<&dyn probe_rs::architecture::arm::DapProbe> {
        None
    }

    fn try_dap_probe_mut(&mut self) -> Option<&mut dyn probe_rs::architecture::arm::DapProbe> {
        None
    }
}

impl SwdSequence for Modelled {
    fn swj_sequence(&mut self, _: u8, _: u64) -> Result<(), DebugProbeError> {
        Ok(())
    }

    fn swj_pins(&mut self, _: u32, _: u32, _: u32) -> Result<u32, DebugProbeError> {
        Ok(0)
    }
}

impl SwoAccess for Modelled {
    fn enable_swo(&mut self, _: &SwoConfig) -> Result<(), ArmError> {
        not_there()
    }

    fn disable_swo(&mut self) -> Result<(), ArmError> {
        not_there()
    }

    fn read_swo_timeout(&mut self, _: Duration) -> Result<Vec<u8>, ArmError> {
        not_there()
    }
}

impl ArmMemoryInterface for Modelled {
    fn fully_qualified_address(&self) -> FullyQualifiedApAddress {
        FullyQualifiedApAddress::v1_with_default_dp(0)
    }

    fn base_address(&mut self) -> Result<u64, ArmError> {
        not_there()
    }

    fn get_arm_debug_interface(&mut self) -> Result<&mut dyn ArmDebugInterface, DebugProbeError> {
        Ok(self)
    }

    fn generic_status(&mut self) -> Result<CSW, ArmError> {
        not_there()
    }
}

impl MemoryInterface<ArmError> for Modelled {
    fn supports_native_64bit_access(&mut self) -> bool {
        false
    }

    fn read_64(&mut self, _: u64, _: &mut [u64]) -> Result<(), ArmError> {
        not_there()
    }

    fn read_32(&mut self, address: u64, data: &mut [u32]) -> Result<(), ArmError> {
        self.read_all(address, data)
    }

    fn read_16(&mut self, address: u64, data: &mut [u16]) -> Result<(), ArmError> {
        self.read_all(address, data)
    }

    fn read_8(&mut self, address: u64, data: &mut [u8]) -> Result<(), ArmError> {
        self.read_all(address, data)
    }

    fn write_64(&mut self, _: u64, _: &[u64]) -> Result<(), ArmError> {
        not_there()
    }

    fn write_32(&mut self, address: u64, data: &[u32]) -> Result<(), ArmError> {
        self.write_all(address, data)
    }

    fn write_16(&mut self, address: u64, data: &[u16]) -> Result<(), ArmError> {
        self.write_all(address, data)
    }

    fn write_8(&mut self, address: u64, data: &[u8]) -> Result<(), ArmError> {
        self.write_all(address, data)
    }

    fn supports_8bit_transfers(&self) -> Result<bool, ArmError> {
        Ok(true)
    }

    fn flush(&mut self) -> Result<(), ArmError> {
        Ok(())
    }
}
