//! Saving what can change on a bus, and putting it back.
//!
//! A memory of many mebibytes is mostly untouched. Every write marks the page that it begins in; a snapshot holds the marked pages only,
//! and shares with the snapshot before it those that were not written to meanwhile. So saving and restoring cost what the program changed
//! since, and not what the board has. Read-only memory that no controller programs does not change once an image is loaded, and is not
//! saved.

use std::collections::VecDeque;

use crate::effect::Conditions;
use crate::inputs::ScheduledInput;
use crate::lines::{DrivenLines, PendingPolls};
use crate::master::BusHolds;
use crate::memory::{Memory, SavedPage};
use crate::{Bus, Device, Flash, Incoming, L2};

/// The content of a bus at one moment.
#[derive(Clone)]
pub struct Snapshot {
    /// Of each memory its pages, by their places.
    memories: Vec<Vec<(usize, SavedPage)>>,
    /// Each with the cycle from which it is free as a master.
    devices: Vec<(Box<dyn Device>, u64)>,
    conditions: Conditions,
    flash: Option<Flash>,
    caches: Vec<L2>,
    outside: VecDeque<ScheduledInput>,
    applied: Vec<(usize, Incoming)>,
    high: DrivenLines,
    holds: BusHolds,
    /// Pending notes about accesses: an undone trial reports none.
    notes: Vec<(Option<u32>, String)>,
}

impl Bus {
    /// Saves all writable memory and every device.
    pub fn snapshot(&mut self) -> Snapshot {
        let save = |memory: &mut Memory| {
            if memory.can_change() {
                memory.save()
            } else {
                Vec::new()
            }
        };
        let memories = self.memories.iter_mut().map(save).collect();
        let devices = self
            .devices
            .iter()
            .map(|mapped| (mapped.device.clone(), mapped.free))
            .collect();
        Snapshot {
            memories,
            devices,
            conditions: self.conditions.clone(),
            flash: self.flash().cloned(),
            caches: self.caches.clone(),
            outside: self.outside.clone(),
            applied: self.applied.clone(),
            high: self.driven_lines.clone(),
            holds: self.holds.clone(),
            notes: self.notes.clone(),
        }
    }

    /// Restores a [`Bus::snapshot`] of this bus or a clone. Returns whether a memory with decoded code ([`Memory::mark_code`]) changed, or
    /// the cost of its instructions: then the caller discards its decoded code.
    pub fn restore(&mut self, snapshot: &Snapshot) -> bool {
        for (mapped, (device, free)) in self.devices.iter_mut().zip(&snapshot.devices) {
            mapped.device = device.clone();
            mapped.free = *free;
            mapped.touch();
        }
        self.pending_polls = PendingPolls::Several;
        self.outside.clone_from(&snapshot.outside);
        self.applied.clone_from(&snapshot.applied);
        self.driven_lines.clone_from(&snapshot.high);
        self.conditions.clone_from(&snapshot.conditions);
        self.holds.clone_from(&snapshot.holds);
        self.notes.clone_from(&snapshot.notes);
        self.refresh_due();
        if let (Some(flash), Some(saved)) = (self.flash_mut(), &snapshot.flash) {
            flash.restore(saved);
        }
        self.guard_memories();
        self.caches.clone_from(&snapshot.caches);
        let memories = self.memories.iter_mut().zip(&snapshot.memories);
        let changing = memories.filter(|(memory, _)| memory.can_change());
        changing.fold(false, |changed, (memory, pages)| {
            memory.put_back(pages) || changed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Access, ClockId, DeviceError, Effect, FlashSettings, FlashShape, L2Shape, L2Wait, Region, Replacement,
    };
    use crate::{Transfer, WritePolicy};

    fn bus() -> Bus {
        let mut bus = Bus::new();
        bus.add_memory(Memory::rom(Region::new("flash", 0, 0x1000)));
        bus.add_memory(Memory::ram(Region::new("ram", 0x2000_0000, 0x10_0000)));
        bus
    }

    #[test]
    fn restores_every_byte_written_since_and_before() {
        let mut bus = bus();
        bus.write(0x2000_0010, 4, 1, 0).unwrap();
        let snapshot = bus.snapshot();
        bus.write(0x2000_0010, 4, 2, 0).unwrap();
        bus.write(0x2000_7000, 1, 3, 0).unwrap();
        assert!(!bus.restore(&snapshot), "no code was decoded from the memory");
        assert_eq!(bus.peek_word(0x2000_0010), Some(1));
        assert_eq!(bus.peek_word(0x2000_7000), Some(0));
    }

    #[test]
    fn a_store_over_the_end_of_a_page_is_restored_whole() {
        let mut bus = bus();
        let snapshot = bus.snapshot();
        *bus.memory_mut(0x2000_0ffe).get_mut(0x2000_0ffe).unwrap() = [1, 2, 3, 4];
        let after = bus.snapshot();
        bus.restore(&snapshot);
        assert_eq!(bus.peek_word(0x2000_0ffe), Some(0));
        bus.restore(&after);
        assert_eq!(bus.peek_word(0x2000_0ffe), Some(0x0403_0201));
    }

    #[test]
    fn a_page_that_was_not_written_to_is_shared() {
        let mut bus = bus();
        bus.write(0x2000_0000, 4, 1, 0).unwrap();
        bus.write(0x2000_1000, 4, 1, 0).unwrap();
        let before = bus.snapshot();
        bus.write(0x2000_1000, 4, 2, 0).unwrap();
        let after = bus.snapshot();
        let shared = |page: usize| {
            let [before, after] = [&before, &after].map(|snapshot| &snapshot.memories[2][page].1);
            std::sync::Arc::ptr_eq(before, after)
        };
        assert_eq!([shared(0), shared(1)], [true, false]);
    }

    proptest::proptest! {
        /// Stores at the ends of pages among them, snapshots taken and restored in any order: the bytes are those of that moment.
        #[test]
        fn any_sequence_of_snapshots_has_the_bytes_of_its_moments(
            steps in proptest::collection::vec((0u8..8, 0u32..6, 0u32..4, 0u8..255), 1..60),
        ) {
            let mut bus = bus();
            let mut kept = Vec::new();
            let bytes = |bus: &Bus| bus.memories[2].bytes()[..0x7000].to_vec();
            for (action, page, place, value) in steps {
                let at = 0x2000_0000 + page * 0x1000 + [0, 4, 0xffc, 0xffe][place as usize];
                match action {
                    0 | 1 => kept.push((bus.snapshot(), bytes(&bus))),
                    2 | 3 if !kept.is_empty() => {
                        let (snapshot, expected) = &kept[usize::from(value) % kept.len()];
                        bus.restore(snapshot);
                        proptest::prop_assert!(bytes(&bus) == *expected);
                    }
                    4 => assert!(bus.load(at, &[value; 16])),
                    _ => *bus.memory_mut(at).get_mut(at).unwrap() = [value; 4],
                }
            }
        }
    }

    #[test]
    fn says_when_code_in_ram_changed() {
        let mut bus = bus();
        bus.memory_mut(0x2000_0000).mark_code();
        let snapshot = bus.snapshot();
        assert!(!bus.restore(&snapshot));
        bus.write(0x2000_0000, 4, 0xbf00_bf00, 0).unwrap();
        assert!(bus.restore(&snapshot));
    }

    /// Sets the flash's latency to what is written to it.
    #[derive(Clone)]
    struct Latency(Option<u32>);

    impl Device for Latency {
        fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
            Ok(0)
        }

        fn write(&mut self, _: u32, _: u32, value: u32, _: u64) -> Result<(), DeviceError> {
            self.0 = Some(value);
            Ok(())
        }

        fn take_effect(&mut self) -> Option<Effect> {
            let latency = self.0.take()? as u8;
            let settings = FlashSettings {
                latency,
                ..FlashSettings::default()
            };
            Some(Effect::Flash(settings))
        }
    }

    #[test]
    fn other_flash_settings_are_another_cost_and_are_restored() {
        let mut bus = bus();
        let shape = FlashShape {
            line: 8,
            prefetches: false,
            instruction_cache: None,
            data_cache: None,
            data_buffer: false,
            shared: false,
            shared_cache: None,
        };
        bus.set_flash(Flash::new(vec![(0, 0x1000)], shape));
        let interface = Region::new("interface", 0x4000_0000, 4);
        bus.add_device(interface, Box::new(Latency(None)));
        let snapshot = bus.snapshot();
        bus.write(0x4000_0000, 4, 5, 0).unwrap();
        assert_eq!(bus.flash_settings().latency, 5);
        let epoch = bus.flash().map(Flash::epoch);
        assert_eq!(bus.flash_mut().map(|flash| flash.fetch(0, 0).wait), Some(5));
        bus.restore(&snapshot);
        assert_eq!(bus.flash_settings().latency, 0);
        assert_eq!(bus.flash_mut().map(|flash| flash.fetch(8, 0).wait), Some(0));
        assert_ne!(bus.flash().map(Flash::epoch), epoch, "what was known is stale");
    }

    #[test]
    fn what_an_l2_holds_is_restored() {
        let mut bus = bus();
        let shape = L2Shape {
            size: 64,
            ways: 1,
            line: 32,
            width: 4,
            replacement: Replacement::Fifo,
            write: WritePolicy::Back,
            allocates: true,
            wait: L2Wait::default(),
        };
        bus.add_cache(L2::new(shape), &[0x2000_0000]);
        let read = |bus: &mut Bus, start| {
            let transfer = Transfer {
                port: 0,
                access: Access::Read,
                address: 0x2000_0000,
                words: 1,
                start,
            };
            bus.transfer(transfer).word(0)
        };
        let snapshot = bus.snapshot();
        assert_eq!([read(&mut bus, 100), read(&mut bus, 200)], [8, 0]);
        bus.restore(&snapshot);
        assert_eq!(read(&mut bus, 50), 8, "it is empty and free again");
    }

    #[test]
    fn time_is_at_the_clock_that_was_set_meanwhile() {
        let mut bus = bus();
        bus.set(Effect::Clock(ClockId::CORE, 1_000_000));
        assert_eq!(bus.nanoseconds(16), 16_000);
        bus.tell(Effect::Clock(ClockId::CORE, 100_000_000), 100).unwrap();
        assert_eq!(bus.core_clock(), 100_000_000);
        assert_eq!(bus.nanoseconds(200), 100_000 + 1_000);
    }

    #[test]
    fn a_snapshot_holds_only_pages_that_were_touched() {
        let mut bus = bus();
        bus.write(0x2000_0000, 4, 1, 0).unwrap();
        bus.write(0x2008_0000, 4, 1, 0).unwrap();
        let pages: usize = bus.snapshot().memories.iter().map(Vec::len).sum();
        assert_eq!(pages, 2);
    }

    #[test]
    fn what_is_undone_leaves_no_note() {
        let told = |bus: &mut Bus| {
            let mut notes = Vec::new();
            bus.drain_notes(&mut |_, note| notes.push(note.to_owned()));
            notes
        };
        let mut bus = Bus::new();
        bus.note_at(4, "before".to_owned());
        let state = bus.snapshot();
        bus.note_at(8, "a trial".to_owned());
        bus.restore(&state);
        assert_eq!(told(&mut bus), ["before"]);
        // Nor is one said again, or lost, by going back and forth.
        let state = bus.snapshot();
        bus.restore(&state);
        assert!(told(&mut bus).is_empty());
    }
}
