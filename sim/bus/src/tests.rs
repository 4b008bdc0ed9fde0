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
            line(Irq::source(7), true);
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
    assert_eq!(Irq::source(5).as_source(), Some(5));
    assert_eq!(Irq::source(1023).as_source(), Some(1023));
    for core in [Irq(0), Irq(255), Irq::MACHINE_TIMER, Irq::MACHINE_EXTERNAL] {
        assert_eq!(core.as_source(), None);
    }
}
