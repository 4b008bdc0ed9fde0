//! A cache of permissions: repeated accesses then need no search of the regions.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Mpu, MpuRegion, Want};

/// Granule of permissions as a power of two: the smallest region and subregion have 32 bytes.
const GRANULE_BITS: u32 = 5;
/// Lines of the table; a power of two.
const LINES: usize = 512;
/// Settings that are known by a number: those of the processes that take turns.
const RECENT: usize = 8;

/// The code that makes an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Accessor {
    pub(crate) privileged: bool,
    /// Its priority is below 0 (HardFault, NMI, FAULTMASK).
    pub(crate) below_zero: bool,
}

/// All settings that determine permissions.
#[derive(Clone, PartialEq, Eq, Debug)]
struct MpuSettings {
    control: u32,
    regions: Vec<MpuRegion>,
}

/// A granule, the code that asked and the number of the settings; and what was answered, by [`Want`].
#[derive(Clone, Copy, Default, Debug)]
struct CachedPermission {
    key: u64,
    allowed: u8,
}

#[derive(Clone, Default, Debug)]
pub(super) struct PermissionCache {
    /// The number of the present settings; 0 if they were written since.
    number: u64,
    recent: Vec<(MpuSettings, u64)>,
    lines: Vec<CachedPermission>,
}

impl PermissionCache {
    /// Settings were written.
    pub(super) fn change(&mut self) {
        self.number = 0;
    }
}

/// The number of the next settings. No two have the same one, not those of two cores nor those of a core that went back to an
/// earlier state.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Mpu {
    /// As [`Mpu::allows`] for `N` bytes that an access may want of one granule.
    pub(crate) fn permits(&mut self, address: u32, want: Want, by: Accessor) -> bool {
        let granule = address >> GRANULE_BITS;
        let key = self.view(by) << (32 - GRANULE_BITS) | u64::from(granule);
        if self.known.lines.is_empty() {
            self.known.lines = vec![CachedPermission::default(); LINES];
        }
        let place = (u64::from(granule) ^ (key >> (32 - GRANULE_BITS)).wrapping_mul(37)) as usize % LINES;
        if self.known.lines[place].key != key {
            let wants = [Want::Read, Want::Write, Want::Execute];
            let allowed = wants
                .into_iter()
                .filter(|want| self.allows(address, *want, by.privileged, by.below_zero))
                .fold(0, |all, want| all | 1 << want as u8);
            self.known.lines[place] = CachedPermission { key, allowed };
        }
        self.known.lines[place].allowed >> want as u8 & 1 != 0
    }

    /// Whether each granule of the bytes from `from` up to, but not including, `to` is permitted.
    pub(crate) fn permits_all(&mut self, from: u32, to: u32, want: Want, by: Accessor) -> bool {
        let granules = from >> GRANULE_BITS..=to.wrapping_sub(1) >> GRANULE_BITS;
        granules
            .into_iter()
            .all(|granule| self.permits(granule << GRANULE_BITS, want, by))
    }

    /// The number of what the unit says to this code with its present settings: never 0, and the same only where all answers are.
    pub(crate) fn view(&mut self, by: Accessor) -> u64 {
        if self.known.number == 0 {
            self.recall();
        }
        self.known.number << 2 | u64::from(by.privileged) << 1 | u64::from(by.below_zero)
    }

    /// Finds the number of the present settings, or gives them one.
    #[cold]
    fn recall(&mut self) {
        let present = MpuSettings {
            control: self.control,
            regions: self.regions.clone(),
        };
        let recent = &mut self.known.recent;
        let known = recent.iter().position(|(settings, _)| *settings == present);
        let last = match known {
            Some(place) => recent.remove(place),
            None => (present, NEXT.fetch_add(1, Ordering::Relaxed)),
        };
        self.known.number = last.1;
        recent.insert(0, last);
        recent.truncate(RECENT);
    }
}
