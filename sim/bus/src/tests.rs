//! Lines between devices.

use super::*;

/// Raises a source of the interrupt controller when it is written to.
#[derive(Clone, Default)]
struct Button {
    pressed: Option<u64>,
}

impl Device for Button {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, _: u32, now: u64) -> Result<(), DeviceError> {
        self.pressed = Some(now + 5);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        self.pressed.unwrap_or(u64::MAX)
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if self.pressed.is_some_and(|at| at <= now) {
            self.pressed = None;
            line(Irq::Source(7), true);
        }
    }
}

/// Passes source 7 on to the core.
#[derive(Clone, Default)]
struct Controller {
    heard: Option<(u64, bool)>,
}

impl Device for Controller {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, _: u32, _: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    fn hear_source(&mut self, source: u16, level: bool, now: u64) {
        assert_eq!(source, 7);
        self.heard = Some((now, level));
    }

    fn next_event(&self) -> u64 {
        self.heard.map_or(u64::MAX, |(now, _)| now)
    }

    fn poll(&mut self, _: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some((_, level)) = self.heard.take() {
            line(Irq::MACHINE_EXTERNAL, level);
        }
    }
}

#[test]
fn a_source_reaches_the_core_through_the_controller_in_its_cycle() {
    let mut bus = Bus::new();
    // The controller comes first, so that it is polled before it has heard anything.
    bus.add_device(
        Region::new("controller", 0x1000, 0x1000),
        Box::new(Controller::default()),
    );
    bus.add_device(Region::new("button", 0x2000, 0x1000), Box::new(Button::default()));
    bus.write(0x2000, 4, 1, 10).unwrap();
    assert_eq!(bus.next_event(), 15);
    let mut lines = Vec::new();
    bus.poll(15, &mut |irq, level| lines.push((irq, level)));
    assert_eq!(lines, [(Irq::MACHINE_EXTERNAL, true)]);
    assert_eq!(bus.next_event(), u64::MAX);
}

#[test]
fn a_line_ends_at_one_place() {
    assert_eq!(Irq::Source(5).as_source(), Some(5));
    assert_eq!(Irq::Source(1023).as_source(), Some(1023));
    for core in [
        Irq::External(0),
        Irq::External(1024),
        Irq::MACHINE_TIMER,
        Irq::MACHINE_EXTERNAL,
    ] {
        assert_eq!(core.as_source(), None);
    }
}

/// A memory is found on the fast path even if another is adjacent; where two overlap, the first one answers.
#[test]
fn memories_that_are_neighbours_have_their_fast_path() {
    let mut bus = Bus::new();
    bus.add_memory(Memory::ram(Region::new("first", 0x2000_0000, 0x1_c000)));
    bus.add_memory(Memory::ram(Region::new("second", 0x2001_c000, 0x4000)));
    bus.add_memory(Memory::ram(Region::new("below", 0x2000_0000, 0x4_0000)));
    assert_eq!(&*bus.memory(0x2001_bfff).region().name, "first");
    assert_eq!(&*bus.memory(0x2001_c000).region().name, "second");
    let bytes: Vec<u8> = (0..=255).cycle().take(0x1_0000).collect();
    assert!(bus.load(0x2001_8000, &bytes));
    let mut read = vec![0; bytes.len()];
    assert!(bus.peek(0x2001_8000, &mut read));
    assert!(read == bytes, "across three memories");
    assert!(!bus.load(0x2003_ff00, &bytes[..0x101]), "beyond the last one");
    assert_eq!(bus.region(0x2002_0000).map(|region| &*region.name), Some("below"));
}

/// Counts how often it is polled.
#[derive(Clone, Default)]
struct Polled(std::sync::Arc<std::sync::atomic::AtomicU32>);

impl Device for Polled {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, _: u32, _: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    fn poll(&mut self, _: u64, _: &mut dyn FnMut(Irq, bool)) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

#[test]
fn only_what_was_accessed_is_polled() {
    let mut bus = Bus::new();
    let polled = [Polled::default(), Polled::default()];
    for (base, device) in [0x1000, 0x2000].into_iter().zip(polled.clone()) {
        bus.add_device(Region::new("device", base, 0x1000), Box::new(device));
    }
    let counts = |bus: &mut Bus| {
        bus.poll(0, &mut |_, _| {});
        polled
            .each_ref()
            .map(|device| device.0.load(std::sync::atomic::Ordering::Relaxed))
    };
    assert_eq!(counts(&mut bus), [1, 1], "their first levels");
    assert_eq!(counts(&mut bus), [1, 1]);
    bus.write(0x2000, 4, 1, 0).unwrap();
    assert_eq!(counts(&mut bus), [1, 2]);
    bus.set(Effect::Clock(ClockId::CORE, 1));
    assert_eq!(counts(&mut bus), [2, 3], "all hear of a clock");
}

/// Copies a word from one address to another on command.
#[derive(Clone, Default)]
struct Copier {
    wants: Vec<Request>,
    failed: bool,
    pace: Option<u32>,
}

impl Device for Copier {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        Ok(self.failed.into())
    }

    fn write(&mut self, _: u32, _: u32, value: u32, _: u64) -> Result<(), DeviceError> {
        self.wants = vec![Request::Read {
            address: value,
            size: 4,
        }];
        Ok(())
    }

    fn request(&mut self, _: u64) -> Option<Request> {
        self.wants.pop()
    }

    fn next_event(&self) -> u64 {
        if self.wants.is_empty() { u64::MAX } else { 0 }
    }

    fn pace(&self) -> Option<u32> {
        self.pace
    }

    fn answered(&mut self, value: Option<u32>, _: u64) {
        match value {
            None => self.failed = true,
            Some(0) => {}
            Some(value) => {
                let (address, size) = (0x2000_0010, 4);
                self.wants.push(Request::Write { address, size, value });
            }
        }
    }
}

fn with_copier() -> Bus {
    let mut bus = Bus::new();
    bus.add_memory(Memory::ram(Region::new("RAM", 0x2000_0000, 0x100)));
    bus.add_device(Region::new("copier", 0x1000, 0x1000), Box::new(Copier::default()));
    bus.add_device(Region::new("button", 0x3000, 0x1000), Box::new(Button::default()));
    bus
}

#[test]
fn a_master_transfers_when_it_is_polled() {
    let mut bus = with_copier();
    bus.write(0x2000_0000, 4, 0x1234, 0).unwrap();
    bus.mark_code(0x2000_0010);
    bus.write(0x1000, 4, 0x2000_0000, 0).unwrap();
    bus.poll(0, &mut |_, _| {});
    assert_eq!(bus.peek_word(0x2000_0010), Some(0x1234));
    assert!(
        bus.take_code_changed() && !bus.take_code_changed(),
        "code may have been there"
    );
}

/// A word takes a cycle and the wait states of its memory, and its memory is held for that long.
#[test]
fn a_master_with_a_pace_transfers_in_time_and_holds_its_memory() {
    let mut bus = Bus::new();
    let mut region = Region::new("RAM", 0x2000_0000, 0x100);
    region.wait.read = 2;
    bus.add_memory(Memory::ram(region));
    bus.add_memory(Memory::ram(Region::new("other", 0x2001_0000, 0x100)));
    let pace = Some(4);
    let copier = Copier {
        pace,
        ..Copier::default()
    };
    bus.add_device(Region::new("copier", 0x1000, 0x1000), Box::new(copier));
    bus.write(0x2000_0000, 4, 7, 0).unwrap();
    bus.write(0x1000, 4, 0x2000_0000, 10).unwrap();
    bus.poll(10, &mut |_, _| {});
    assert!(bus.is_contended());
    let held = |bus: &Bus, at| bus.held(0x2000_0040, at);
    assert_eq!([9, 10, 12, 13].map(|at| held(&bus, at)), [0, 3, 1, 0]);
    assert_eq!(bus.held(0x2001_0000, 10), 0, "another memory");
    assert_eq!(bus.next_event(), 10 + 3 + 4);
    assert_eq!(bus.peek_word(0x2000_0010), Some(0));
    let there = bus.snapshot();
    for _ in 0..2 {
        bus.poll(17, &mut |_, _| {});
        assert_eq!(bus.peek_word(0x2000_0010), Some(7));
        assert_eq!([17, 18].map(|at| held(&bus, at)), [1, 0]);
        bus.poll(bus.next_event(), &mut |_, _| {});
        assert!(!bus.is_contended() && bus.next_event() == u64::MAX);
        bus.restore(&there);
        assert!(bus.is_contended() && bus.next_event() == 17);
    }
}

#[test]
fn a_transfer_to_nowhere_is_named_at_the_next_access() {
    let mut bus = with_copier();
    bus.write(0x1000, 4, 0x5000_0000, 0).unwrap();
    bus.poll(0, &mut |_, _| {});
    let refused = bus.read(0x3000, 4, 0).unwrap_err();
    assert!(
        format!("{refused:?}").contains("a transfer at 0x50000000"),
        "{refused:?}"
    );
    assert_eq!(bus.read(0x1000, 4, 0), Ok(1), "the device heard of it too");
}

/// Drives a line that others drive too.
#[derive(Clone, Default)]
struct Shares(bool);

impl Device for Shares {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, value: u32, _: u64) -> Result<(), DeviceError> {
        self.0 = value != 0;
        Ok(())
    }

    fn poll(&mut self, _: u64, line: &mut dyn FnMut(Irq, bool)) {
        line(Irq::External(18), self.0);
    }
}

#[test]
fn a_shared_line_is_high_as_long_as_somebody_drives_it() {
    let mut bus = Bus::new();
    for base in [0x1000, 0x2000] {
        bus.add_device(Region::new("one", base, 0x1000), Box::new(Shares::default()));
    }
    let mut level = |address: u32, value: u32| {
        bus.write(address, 4, value, 0).unwrap();
        let mut level = None;
        bus.poll(0, &mut |_, told| level = Some(told));
        level
    };
    assert_eq!(level(0x1000, 1), Some(true));
    assert_eq!(level(0x2000, 1), Some(true));
    assert_eq!(level(0x1000, 0), Some(true));
    assert_eq!(level(0x2000, 0), Some(false));
}

/// Counts its polls; a read at 4 has no side effect.
#[derive(Clone, Default)]
struct Counting {
    polls: std::sync::Arc<std::sync::atomic::AtomicU32>,
    quiet: bool,
}

impl Counting {
    fn polls(&self) -> u32 {
        self.polls.load(std::sync::atomic::Ordering::Relaxed)
    }
}

impl Device for Counting {
    fn read(&mut self, offset: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        self.quiet = offset == 4;
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, _: u32, _: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    fn read_quietly(&self) -> bool {
        self.quiet
    }

    fn poll(&mut self, _: u64, _: &mut dyn FnMut(Irq, bool)) {
        self.polls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

#[test]
fn only_the_device_that_was_accessed_is_polled() {
    let all: [Counting; 3] = Default::default();
    let mut bus = Bus::new();
    for (base, device) in [0x1000, 0x2000, 0x3000].into_iter().zip(&all) {
        bus.add_device(Region::new("counting", base, 0x1000), Box::new(device.clone()));
    }
    let polls_in = |bus: &mut Bus, now| {
        bus.poll(now, &mut |_, _| {});
        all.each_ref().map(Counting::polls)
    };
    assert_eq!(polls_in(&mut bus, 0), [1, 1, 1], "none was polled yet");
    bus.write(0x2000, 4, 1, 1).unwrap();
    assert!(bus.has_to_poll(1));
    assert_eq!(polls_in(&mut bus, 1), [1, 2, 1]);
    assert!(!bus.has_to_poll(1));
    bus.read(0x1000, 4, 2).unwrap();
    bus.read(0x3000, 4, 2).unwrap();
    assert_eq!(polls_in(&mut bus, 2), [2, 2, 2]);
}

#[test]
fn a_read_that_changes_nothing_asks_for_no_poll() {
    let device = Counting::default();
    let mut bus = Bus::new();
    bus.add_device(Region::new("counting", 0x1000, 0x1000), Box::new(device.clone()));
    bus.poll(0, &mut |_, _| {});
    bus.read(0x1004, 4, 1).unwrap();
    assert!(!bus.has_to_poll(1) && !bus.moves_a_line(0x1004, 1));
    bus.read(0x1000, 4, 2).unwrap();
    assert!(bus.has_to_poll(2));
}

/// Takes writes at one offset alone.
#[derive(Clone)]
struct Single(u32, u32);

impl Device for Single {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        Ok(self.1)
    }

    fn write(&mut self, offset: u32, _: u32, value: u32, _: u64) -> Result<(), DeviceError> {
        if offset != self.0 {
            return Err(DeviceError::NotModelled(format!("offset {offset}")));
        }
        self.1 = value;
        Ok(())
    }
}

#[test]
fn what_the_first_device_does_not_model_the_next_one_there_may() {
    let mut bus = Bus::new();
    bus.add_device(Region::new("elsewhere", 0, 0x100), Box::new(Single(0, 0)));
    bus.add_device(Region::new("first", 0x1000, 0x100), Box::new(Single(0, 0)));
    bus.add_device(Region::new("second", 0x1000, 0x100), Box::new(Single(8, 0)));
    bus.write(0x1000, 4, 5, 0).unwrap();
    bus.write(0x1008, 4, 6, 0).unwrap();
    assert_eq!(bus.read(0x1000, 4, 0), Ok(5));
    let refused = bus.write(0x1004, 4, 7, 0).unwrap_err();
    assert!(
        format!("{refused:?}").contains("first"),
        "the first is named: {refused:?}"
    );
}

#[test]
fn a_reset_does_not_forget_how_fast_the_clock_was() {
    let mut bus = Bus::new();
    bus.set(Effect::Clock(ClockId::CORE, 8_000_000));
    let first = bus.at_reset();
    bus.set(Effect::Clock(ClockId::CORE, 72_000_000));
    bus.reset(&first, ResetCause::Software, 10).unwrap();
    assert_eq!(
        (bus.core_clock(), bus.fastest_core_clock()),
        (8_000_000, 72_000_000)
    );
}
