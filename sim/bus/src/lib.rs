//! The address map: memories, devices, and what an access to each of them costs in wait states.
//!
//! A [`Bus`] owns every byte outside the core. It knows no instruction: it answers one access of 1, 2 or 4 bytes
//! with a value and the wait states that the slave asked for. [`Bus::peek`] looks without any side effect.

mod cache;
mod device;
mod device_map;
mod effect;
mod error;
mod flash;
mod host_event;
mod inputs;
mod inspect;
mod jitter;
mod latency;
mod lines;
mod master;
mod memory;
mod parts;
mod program;
mod region;
mod reset;
mod slots;
mod snapshot;
mod transfers;

pub use cache::{L2, L2Shape, L2Wait, WritePolicy};
pub use device::{CoreInterrupt, Device, Irq};
pub use effect::{ClockId, Effect, End, FlashSettings, ResetCause};
pub use error::DeviceError;
pub use flash::{
    CacheShape, ExpectedLatency, Flash, FlashResponse, FlashShape, PredictedRead, Replacement,
    SharedCacheShape, Source,
};
pub use host_event::{HostEvent, Port};
pub use inputs::{Given, Incoming, NotTaken, Outside};
pub use jitter::Jitter;
pub use latency::{Access, BURST, Latency, Transfer};
pub use master::{Reach, Request};
pub use memory::Memory;
pub use region::{
    BusError, Evidence, Profile, ProfileId, Region, Slave, SuggestedStub, WRITE_ON_ITS_WAY, WaitStates, area,
};
pub use reset::ResetState;
pub use snapshot::Snapshot;

use std::collections::VecDeque;
use std::sync::Arc;

use device_map::DeviceMap;
use effect::Conditions;
use host_event::HostEvents;
use inputs::ScheduledInput;
use lines::{DrivenLines, PendingPolls};
use master::BusHolds;
use memory::{CacheId, MemoryId};
use slots::{NO_SLOTS, SLOT_BITS, Slots};

/// All memories and devices of one board.
#[derive(Clone)]
pub struct Bus {
    memories: Vec<Memory>,
    devices: Vec<MappedDevice>,
    /// For each part of the address space the memory that answers there, the first one if there are several, or the empty one.
    slots: Arc<Slots>,
    /// The distinct timing profiles. The first is that of the core's private peripheral bus.
    profiles: Vec<Profile>,
    conditions: Conditions,
    /// The first cycle at which some device wants to be polled.
    due: u64,
    /// To which devices something happened since the last poll.
    pending_polls: PendingPolls,
    /// The last read of a device had no side effect.
    quiet: bool,
    /// See [`Bus::effects`].
    effects: u64,
    device_map: DeviceMap,
    /// See [`Bus::set_reserved`].
    reserved: Arc<[(u32, u32)]>,
    /// Scheduled external inputs, by cycle.
    outside: VecDeque<ScheduledInput>,
    /// External inputs that stay applied: the device's index, and the last input of each pin and channel.
    applied: Vec<(usize, Incoming)>,
    /// Levels on their way to an interrupt controller; empty but while devices are polled.
    sources: Vec<(u16, bool)>,
    driven_lines: DrivenLines,
    /// The devices that were polled, and not yet asked what they changed for others and what they want to transfer.
    polled: Vec<usize>,
    flash: Option<Flash>,
    caches: Vec<L2>,
    /// See [`Bus::set_wait_elsewhere`].
    elsewhere: WaitStates,
    jitter: Option<Jitter>,
    /// See [`Bus::invert`].
    inverted: Option<(u32, u32)>,
    /// The flash interface before the last trial of transfers.
    tried: Option<Flash>,
    /// See [`Bus::take_code_changed`].
    code_changed: bool,
    /// A device's refusal that no access could report yet; the next device access does.
    refused: Option<BusError>,
    holds: BusHolds,
    host_events: HostEvents,
    /// Pending notes about accesses and transfers, each with the address of its instruction.
    notes: Vec<(Option<u32>, String)>,
    /// See [`Bus::accessed_from`].
    accessor: Option<u32>,
}

#[derive(Clone)]
struct MappedDevice {
    region: Region,
    profile: ProfileId,
    device: Box<dyn Device>,
    /// Its [`Device::gives`].
    gives: bool,
    /// Its [`Device::next_event`].
    due: u64,
    /// Accessed, or received an input or effect, since its last poll: its lines may have changed.
    touched: bool,
    /// As a master of the bus, it asks for nothing before this cycle.
    free: u64,
    /// The reach of each of its master ports; `None`, or no entry, for everything.
    reach: Vec<Option<Arc<Reach>>>,
    /// An access outside its reach was not reported yet.
    untold: bool,
}

impl MappedDevice {
    /// Marks it as touched.
    fn touch(&mut self) {
        self.touched = true;
        self.due = self.next_event();
    }

    fn next_event(&self) -> u64 {
        self.device.next_event().max(self.free)
    }
}

impl Default for Bus {
    fn default() -> Self {
        Self::new()
    }
}

impl Bus {
    /// A bus with nothing on it: every access is [`BusError::Unmapped`].
    pub fn new() -> Self {
        Bus {
            memories: vec![Memory::empty()],
            devices: Vec::new(),
            slots: Arc::clone(&NO_SLOTS),
            profiles: vec![Profile::PRIVATE],
            conditions: Conditions::default(),
            due: u64::MAX,
            pending_polls: PendingPolls::Nobody,
            quiet: false,
            effects: 0,
            device_map: DeviceMap::default(),
            reserved: Arc::from([]),
            outside: VecDeque::new(),
            applied: Vec::new(),
            sources: Vec::new(),
            driven_lines: DrivenLines::default(),
            polled: Vec::new(),
            flash: None,
            caches: Vec::new(),
            elsewhere: WaitStates::default(),
            jitter: None,
            inverted: None,
            tried: None,
            code_changed: false,
            refused: None,
            holds: BusHolds::default(),
            host_events: HostEvents::default(),
            notes: Vec::new(),
            accessor: None,
        }
    }

    /// Adds a memory. Where two overlap, the one added first answers.
    pub fn add_memory(&mut self, mut memory: Memory) {
        memory.set_profile(self.intern(memory.region().profile()));
        self.memories.push(memory);
        self.index_slots();
    }

    /// Adds a device; memories take precedence over devices. Where several overlap, the one added first answers what it models.
    ///
    /// # Panics
    /// If the device, or one that is there already, refuses the conditions that the chip leaves reset with.
    pub fn add_device(&mut self, region: Region, device: Box<dyn Device>) {
        let added = self.try_add_device(region, device);
        assert!(added.is_ok(), "the board cannot leave reset: {added:?}");
    }

    /// As [`Bus::add_device`], for a board that was not validated.
    ///
    /// # Errors
    /// If the device refuses the conditions with which the chip leaves reset. The bus is unusable then.
    pub fn try_add_device(&mut self, region: Region, mut device: Box<dyn Device>) -> Result<(), BusError> {
        let profile = self.intern(region.profile());
        for effect in self.conditions.effects() {
            device
                .hear(effect, 0)
                .map_err(|error| region.device_error(error))?;
        }
        self.devices.push(MappedDevice {
            region,
            profile,
            gives: device.gives(),
            device,
            due: u64::MAX,
            touched: true,
            free: 0,
            reach: Vec::new(),
            untold: true,
        });
        let added = self.devices.len() - 1;
        self.device_map.add(&self.devices[added].region, added);
        self.settle(added, 0)
    }

    /// Says where the chip surely has nothing, by the first and the last address of each range, ascending: an access there is answered with
    /// an error, and not with [`BusError::Unmapped`].
    pub fn set_reserved(&mut self, ranges: &[(u32, u32)]) {
        self.reserved = ranges.into();
    }

    /// Whether nothing is at `address`, and the chip is known to have nothing there.
    pub fn is_reserved(&self, address: u32) -> bool {
        let behind = self.reserved.partition_point(|&(first, _)| first <= address);
        let range = behind.checked_sub(1).map(|index| self.reserved[index]);
        range.is_some_and(|(_, last)| address <= last) && self.region(address).is_none()
    }

    /// Sets a condition that no device sets, such as the clock of a board without a clock controller.
    ///
    /// # Panics
    /// If a device refuses it.
    pub fn set(&mut self, effect: Effect) {
        let told = self.tell(effect, 0);
        assert!(told.is_ok(), "the board cannot leave reset: {told:?}");
    }

    /// The frequency of a clock in Hz; 0 if it is off or was never set.
    pub fn clock(&self, id: ClockId) -> u32 {
        self.conditions.clock(id)
    }

    /// The frequency in Hz of the clock that core cycles are counted in.
    pub fn core_clock(&self) -> u32 {
        self.clock(ClockId::CORE)
    }

    /// The highest frequency in Hz that the core's clock has had in this run, resets of the chip included.
    pub fn fastest_core_clock(&self) -> u32 {
        self.conditions.fastest()
    }

    /// Nanoseconds from reset to core cycle `now`, at the frequencies that the core's clock had meanwhile.
    pub fn nanoseconds(&self, now: u64) -> u64 {
        self.conditions.nanoseconds(now)
    }

    /// How the flash is accessed.
    pub fn flash_settings(&self) -> FlashSettings {
        self.conditions.flash()
    }

    /// Puts a flash interface before those memories, added already, that begin where one of its ranges does. It is set as the devices
    /// said, or [`Bus::set`].
    pub fn set_flash(&mut self, flash: Flash) {
        self.flash = Some(flash);
        self.guard_memories();
        let settings = self.flash_settings();
        self.tell_flash(Effect::Flash(settings), 0);
    }

    /// Puts an L2 before the memories, added already, that begin at these addresses.
    ///
    /// # Panics
    /// If there are more than 255 of them.
    pub fn add_cache(&mut self, cache: L2, bases: &[u32]) {
        let id = CacheId::new(self.caches.len());
        self.caches.push(cache);
        let behind = |memory: &&mut Memory| bases.contains(&memory.region().base);
        for memory in self.memories[1..].iter_mut().filter(behind) {
            memory.set_cache(id);
        }
    }

    /// The flash interface, if the board has one.
    #[inline]
    pub fn flash(&self) -> Option<&Flash> {
        self.flash.as_ref()
    }

    /// Whether all memories with this profile are behind the flash interface.
    pub fn is_of_flash(&self, profile: ProfileId) -> bool {
        let mut memories = self.memories.iter().filter(|memory| memory.profile() == profile);
        let flash = self.flash.as_ref();
        flash.is_some_and(|flash| memories.all(|memory| flash.contains(memory.region().base)))
    }

    /// The flash interface, to use it.
    #[inline]
    pub fn flash_mut(&mut self) -> Option<&mut Flash> {
        self.flash.as_mut()
    }

    /// Takes over what concerns the flash interface, if there is one, from core cycle `now` on.
    fn tell_flash(&mut self, effect: Effect, now: u64) {
        let Some(flash) = &mut self.flash else {
            return;
        };
        match effect {
            Effect::Flash(settings) => flash.set(settings, now as i64),
            Effect::FlashReset { instructions, data } => flash.reset_caches(instructions, data),
            Effect::Clock(..)
            | Effect::Voltage(_)
            | Effect::Programming(_)
            | Effect::Programmed
            | Effect::Erase { .. }
            | Effect::Pin { .. }
            | Effect::Wire { .. }
            | Effect::Pulse(_)
            | Effect::End(_) => return,
        }
        self.guard_memories();
    }

    /// While an access to it can meet a wait state, flash has no fast path; nor has a memory while masters transfer.
    fn guard_memories(&mut self) {
        let timed = self.flash.as_ref().filter(|flash| flash.is_timed());
        let contended = self.holds.is_asked();
        for memory in &mut self.memories {
            let base = memory.region().base;
            memory.guard(contended || timed.is_some_and(|flash| flash.contains(base)));
        }
    }

    /// The cost of an access with this profile.
    pub fn profile(&self, id: ProfileId) -> Profile {
        self.profiles[usize::from(id.0)]
    }

    /// The profile of whatever answers at `address`.
    pub fn profile_at(&self, address: u32) -> Option<ProfileId> {
        let memory = self.find_memory(address, 1).map(Memory::profile);
        let device = || {
            self.device_map
                .find(address)
                .map(|index| self.devices[index].profile)
        };
        memory.or_else(device)
    }

    /// The profile of the device at `address`, where surely no memory answers.
    #[inline]
    pub fn device_profile(&self, address: u32) -> Option<ProfileId> {
        let free = self.slots[(address >> SLOT_BITS) as usize].index() == MemoryId::EMPTY.index();
        let device = self.device_map.find(address).filter(|_| free)?;
        Some(self.devices[device].profile)
    }

    /// Every region: memories first, each kind in the order of its addition.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        let memories = self.memories[1..].iter().map(Memory::region);
        memories.chain(self.devices.iter().map(|mapped| &mapped.region))
    }

    /// The area of an address; see [`Profile::area`].
    #[inline]
    pub fn area(&self, address: u32) -> u8 {
        let area = area(address);
        if region::has_memories(area) {
            area | self.memory(address).region().area() & 0xf0
        } else {
            area
        }
    }

    /// The memory at `address`: the empty one if there is none there.
    #[inline(always)]
    pub fn memory(&self, address: u32) -> &Memory {
        &self.memories[self.slots[(address >> SLOT_BITS) as usize].index()]
    }

    /// As [`Bus::memory`], to write to.
    #[inline(always)]
    pub fn memory_mut(&mut self, address: u32) -> &mut Memory {
        &mut self.memories[self.slots[(address >> SLOT_BITS) as usize].index()]
    }

    /// Reads `size` (1, 2 or 4) bytes at an address aligned to it, at core cycle `now`.
    ///
    /// # Errors
    /// [`BusError`]: nothing there, a slave that answers with an error, or something a device does not model.
    pub fn read(&mut self, address: u32, size: u32, now: u64) -> Result<u32, BusError> {
        if let Some(memory) = self.find_memory(address, size) {
            return Ok(memory.read(address, size));
        }
        let (index, value) = self.ask(address, |device, offset| parts::read(device, offset, size, now))?;
        self.quiet = self.devices[index].device.read_quietly();
        if !self.quiet {
            self.settle(index, now)?;
        }
        Ok(match self.inverted {
            Some((inverted, bits)) if inverted == address => value ^ bits,
            _ => value,
        })
    }

    /// Writes the low `size` (1, 2 or 4) bytes of `value` at an address aligned to it, at core cycle `now`.
    ///
    /// # Errors
    /// As [`Bus::read`]; also [`BusError::ReadOnly`].
    pub fn write(&mut self, address: u32, size: u32, value: u32, now: u64) -> Result<(), BusError> {
        if let Some(index) = self.memory_index(address, size) {
            if self.conditions.programming() && self.memories[index].is_programmable() {
                return self.program(index, address, size, value, now);
            }
            return self.memories[index].write(address, size, value);
        }
        let write = |device: &mut dyn Device, offset| parts::write(device, offset, size, value, now);
        let (index, ()) = self.ask(address, write)?;
        if let Some(note) = self.devices[index].device.note() {
            self.notes.push((self.accessor, note));
        }
        self.settle(index, now)
    }

    /// Sets the address of the instruction that makes the following accesses, for notes about them.
    #[inline]
    pub fn accessed_from(&mut self, pc: u32) {
        self.accessor = Some(pc);
    }

    /// Whether memory answers at `address`, and not a device.
    pub fn is_memory(&self, address: u32) -> bool {
        self.find_memory(address, 1).is_some()
    }

    /// Whether instructions were decoded from the writable memory at `address`; see [`Memory::mark_code`].
    pub fn holds_code(&self, address: u32) -> bool {
        self.find_memory(address, 1).is_some_and(Memory::holds_code)
    }

    /// Writes `bytes` at `address`, read-only memory too: for loading an image. False if any byte falls outside.
    pub fn load(&mut self, address: u32, bytes: &[u8]) -> bool {
        let mut done = 0;
        while done < bytes.len() {
            let address = address.wrapping_add(done as u32);
            let Some(index) = self.memory_index(address, 1) else {
                return false;
            };
            let rest = &bytes[done..];
            let length = rest.len().min(self.reach(&self.memories[index], address));
            self.memories[index].load(address, &rest[..length]);
            done += length;
        }
        true
    }

    /// Number of bytes from `address` on that this memory surely answers: those in its slot, if it is the first memory there.
    fn reach(&self, memory: &Memory, address: u32) -> usize {
        let first = std::ptr::eq(self.memory(address), memory);
        let end = (u64::from(address >> SLOT_BITS) + 1) << SLOT_BITS;
        let slot = (end - u64::from(address)) as usize;
        if first { slot.min(memory.left(address)) } else { 1 }
    }

    /// Says that instructions were decoded from the memory at `address`; see [`Memory::mark_code`].
    pub fn mark_code(&mut self, address: u32) {
        if let Some(index) = self.memory_index(address, 1) {
            self.memories[index].mark_code();
        }
    }

    /// How a device ended the run, until [`Bus::reset`]. [`Bus::next_event`] is 0 then, so that no caller skips it.
    #[inline]
    pub fn end(&self) -> Option<End> {
        self.conditions.end()
    }

    /// The first cycle at which some device wants [`Bus::poll`] to be called.
    pub fn next_event(&self) -> u64 {
        self.due
    }

    /// The next spontaneous change, by a device or an external input, with its core cycle. `None` if there is none.
    pub fn next_change(&self) -> Option<(u64, &str)> {
        let devices = self.devices.iter();
        let devices = devices.map(|mapped| (mapped.due, &*mapped.region.name));
        let changes = devices.chain(self.scheduled_inputs());
        let next = changes.min_by_key(|(cycle, _)| *cycle);
        next.filter(|(cycle, _)| *cycle != u64::MAX)
    }

    /// How often a device changed something for others, such as a clock or the way the flash is accessed.
    pub fn effects(&self) -> u64 {
        self.effects
    }

    fn intern(&mut self, profile: Profile) -> ProfileId {
        let known = self.profiles.iter().position(|&known| known == profile);
        let index = known.unwrap_or_else(|| {
            self.profiles.push(profile);
            self.profiles.len() - 1
        });
        assert!(
            index < usize::from(ProfileId::NONE.0),
            "a board has at most 255 different costs of an access"
        );
        ProfileId(index as u8)
    }

    fn find_memory(&self, address: u32, size: u32) -> Option<&Memory> {
        self.memory_index(address, size)
            .map(|index| &self.memories[index])
    }

    fn memory_index(&self, address: u32, size: u32) -> Option<usize> {
        let slot = self.slots[(address >> SLOT_BITS) as usize].index();
        if slot == MemoryId::EMPTY.index() {
            return None;
        }
        if self.memories[slot].contains(address, size) {
            return Some(slot);
        }
        self.memories
            .iter()
            .position(|memory| memory.contains(address, size))
    }

    fn find_device(&self, address: u32) -> Result<usize, BusError> {
        let nothing = || {
            if self.is_reserved(address) {
                BusError::Slave
            } else {
                BusError::Unmapped
            }
        };
        self.device_map.find(address).ok_or_else(nothing)
    }

    /// Sends the effects of an access on a device to all devices.
    fn settle(&mut self, index: usize, now: u64) -> Result<(), BusError> {
        self.pending_polls.add(index);
        self.devices[index].touched = true;
        while let Some(effect) = self.devices[index].device.take_effect() {
            self.note(index, effect, now);
            self.tell(effect, now)?;
        }
        self.keep_sent(index);
        let due = self.devices[index].next_event();
        if std::mem::replace(&mut self.devices[index].due, due) != due {
            self.refresh_due();
        }
        Ok(())
    }

    fn tell(&mut self, effect: Effect, now: u64) -> Result<(), BusError> {
        self.effects += 1;
        self.conditions.apply(effect, now);
        self.tell_flash(effect, now);
        self.erase(effect);
        for mapped in &mut self.devices {
            let heard = mapped.device.hear(effect, now);
            heard.map_err(|error| mapped.region.device_error(error).without_stub())?;
            mapped.touch();
        }
        self.pending_polls = PendingPolls::Several;
        self.refresh_due();
        Ok(())
    }

    fn index_slots(&mut self) {
        // Earlier memories are entered later, so that they take precedence.
        let memories = self.memories.iter().enumerate().skip(1).rev();
        self.slots = slots::of(memories.map(|(index, memory)| (index, memory.region())));
    }
}

#[cfg(test)]
mod tests;
