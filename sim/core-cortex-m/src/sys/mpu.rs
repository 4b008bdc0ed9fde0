//! The memory protection unit: eight regions with subregions over a background (ARMv7-M ARM B3.5).
//!
//! The unit of ARMv6-M has the same registers without the aliases, no TEX, and regions of 256 bytes or more (ARMv6-M ARM B3.5).

mod permission_cache;

use crate::config::Config;
use crate::cores::MpuLayout;

pub(crate) use permission_cache::Accessor;
use permission_cache::PermissionCache;

/// The registers of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MpuRegister {
    Type,
    Control,
    Number,
    /// RBAR and RASR, four times: the last three pairs are aliases of the first.
    Regions,
}

const ENABLE: u32 = 1 << 0;
/// HFNMIENA: the MPU also watches code at a priority below 0.
const BELOW_ZERO: u32 = 1 << 1;
/// PRIVDEFENA: privileged code sees the default map where no region is.
const BACKGROUND: u32 = 1 << 2;
/// RBAR.VALID: the low bits name the region that is written.
const VALID: u32 = 1 << 4;

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Want {
    Read,
    Write,
    Execute,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct MpuRegion {
    base: u32,
    attributes: u32,
}

impl MpuRegion {
    fn size_bits(self) -> u32 {
        (self.attributes >> 1 & 31) + 1
    }

    fn covers(self, address: u32) -> bool {
        let bits = self.size_bits();
        let same = u64::from(self.base) >> bits == u64::from(address) >> bits;
        self.attributes & 1 != 0 && same && !self.subregion_disabled(address)
    }

    /// Only regions of 256 bytes and more have subregions.
    fn subregion_disabled(self, address: u32) -> bool {
        let bits = self.size_bits();
        bits >= 8 && self.attributes >> (8 + (address >> (bits - 3) & 7)) & 1 != 0
    }

    fn allows(self, want: Want, privileged: bool) -> bool {
        let (read, write) = match (self.attributes >> 24 & 7, privileged) {
            (1 | 2, true) | (3, _) => (true, true),
            (2, false) | (5, true) | (6 | 7, _) => (true, false),
            _ => (false, false),
        };
        match want {
            Want::Read => read,
            Want::Write => write,
            Want::Execute => read && self.attributes >> 28 & 1 == 0,
        }
    }

    /// TEX, C and B all 0: strongly ordered, so a write waits for its answer.
    fn strongly_ordered(self) -> bool {
        self.attributes >> 16 & 0b11_1011 == 0
    }
}

/// The memory protection unit.
#[derive(Clone, Debug)]
pub(crate) struct Mpu {
    control: u32,
    number: usize,
    regions: Vec<MpuRegion>,
    layout: MpuLayout,
    known: PermissionCache,
}

impl Mpu {
    pub(crate) fn new(config: &Config) -> Self {
        Mpu {
            control: 0,
            number: 0,
            layout: config.core.architecture.mpu,
            regions: vec![MpuRegion::default(); usize::from(config.mpu_regions)],
            known: PermissionCache::default(),
        }
    }

    /// Whether it checks anything.
    pub(crate) fn enabled(&self) -> bool {
        self.control & ENABLE != 0
    }

    /// Whether an access is permitted. `below_zero` says that code at a priority below 0 makes it (HardFault, NMI,
    /// FAULTMASK). The execute-never parts of the default map are the caller's matter.
    pub(crate) fn allows(&self, address: u32, want: Want, privileged: bool, below_zero: bool) -> bool {
        if !self.enabled() || below_zero && self.control & BELOW_ZERO == 0 {
            return true;
        }
        let background = privileged && self.control & BACKGROUND != 0;
        self.region(address)
            .map_or(background, |region| region.allows(want, privileged))
    }

    /// Whether some region, and not the default map, rules over an address.
    pub(crate) fn covers(&self, address: u32, below_zero: bool) -> bool {
        self.enabled() && !(below_zero && self.control & BELOW_ZERO == 0) && self.region(address).is_some()
    }

    /// Whether a region makes an address strongly ordered.
    pub(crate) fn strongly_ordered(&self, address: u32) -> bool {
        self.enabled() && self.region(address).is_some_and(MpuRegion::strongly_ordered)
    }

    /// The region that rules over an address: of several, the one with the highest number.
    fn region(&self, address: u32) -> Option<MpuRegion> {
        self.regions
            .iter()
            .rev()
            .find(|region| region.covers(address))
            .copied()
    }

    pub(crate) fn read(&self, register: MpuRegister, index: u32) -> u32 {
        match register {
            MpuRegister::Type => (self.regions.len() as u32) << 8,
            MpuRegister::Control => self.control,
            MpuRegister::Number => self.number as u32,
            MpuRegister::Regions => self.regions.get(self.number).map_or(0, |region| match index % 2 {
                0 => region.base | self.number as u32,
                _ => region.attributes,
            }),
        }
    }

    /// # Errors
    /// A setting that the architecture leaves open, in words.
    pub(crate) fn write(
        &mut self,
        register: MpuRegister,
        index: u32,
        value: u32,
    ) -> Result<(), &'static str> {
        if self.regions.is_empty() {
            return Ok(());
        }
        self.known.change();
        match (register, index % 2) {
            (MpuRegister::Type, _) => {}
            (MpuRegister::Control, _) if value & 3 == BELOW_ZERO => return Err("HFNMIENA without ENABLE"),
            (MpuRegister::Control, _) => self.control = value & (ENABLE | BELOW_ZERO | BACKGROUND),
            (MpuRegister::Number, _) => self.select(value & 0xff)?,
            (MpuRegister::Regions, 0) => self.set_base(value)?,
            (MpuRegister::Regions, _) => self.set_attributes(value)?,
        }
        Ok(())
    }

    fn select(&mut self, number: u32) -> Result<(), &'static str> {
        if number as usize >= self.regions.len() {
            return Err("the number of a region that does not exist");
        }
        self.number = number as usize;
        Ok(())
    }

    fn set_base(&mut self, value: u32) -> Result<(), &'static str> {
        if value & VALID != 0 {
            self.select(value & 15)?;
        }
        self.regions[self.number].base = value & !(self.layout.smallest - 1);
        Ok(())
    }

    fn set_attributes(&mut self, value: u32) -> Result<(), &'static str> {
        if value & 1 != 0 && 2 << (value >> 1 & 31) < u64::from(self.layout.smallest) {
            return Err("an enabled region smaller than the core's smallest");
        }
        if value & 1 != 0 && value >> 24 & 7 == 4 {
            return Err("the reserved access permission 4");
        }
        self.regions[self.number].attributes = value & self.layout.attributes;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
