//! A reset of the chip, by the core or by a device, wherever it comes.

use bus::{Device, DeviceError, Effect, End, Irq, Region, ResetCause};
use events::Event;

use super::running::{load, program};
use crate::core::Core;
use crate::engine::Stop;
use crate::testing::{RAM, at, get, handler, put};

const DEVICE: u32 = 0x4100_0000;
const FOREVER: u16 = 0xe7fe;
const NOP: u16 = 0xbf00;

/// Ends something in a cycle.
#[derive(Clone)]
struct Ends(u64, Option<End>);

impl Device for Ends {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, _: u32, now: u64) -> Result<(), DeviceError> {
        self.0 = now;
        Ok(())
    }

    fn next_event(&self) -> u64 {
        if self.1.is_some() { self.0 } else { u64::MAX }
    }

    fn poll(&mut self, now: u64, _: &mut dyn FnMut(Irq, bool)) {
        // The event that ends the run is taken as an effect.
        self.0 = if self.0 <= now { 0 } else { self.0 };
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.1.take_if(|_| self.0 == 0).map(Effect::End)
    }
}

fn ending(code: &[u16], cycle: u64, end: End) -> Core {
    let mut core = program(code);
    let region = Region::new("ends", DEVICE, 0x100);
    core.bus.add_device(region, Box::new(Ends(cycle, Some(end))));
    core
}

/// The run stops in any state of the core, and stays stopped until the core restarts.
#[test]
fn a_device_ends_a_run_wherever_it_comes() {
    const WFI: u16 = 0xbf30;
    // A loop; a sleep; a loop of pop and push; a divide; an access that is interrupted.
    let programs: [&[u16]; 4] = [
        &[FOREVER],
        &[NOP, WFI, FOREVER],
        &[0xb4ff, 0xbcff, 0xe7fc],
        &[0xfb90, 0xf1f2, 0xe7fc],
    ];
    for code in programs {
        for cycle in 90..130 {
            let mut core = ending(code, cycle, End::Reset(ResetCause::Watchdog));
            core.sys.exceptions.set_enabled(20, true);
            load(&mut core, handler(20), &[0x4770]);
            core.raise_at(100, 20);
            for _ in 0..2 {
                assert_eq!(
                    core.run(5000, &mut events::Silent),
                    Stop::Reset(ResetCause::Watchdog)
                );
                assert!(core.cycle().abs_diff(cycle) < 40, "{} {cycle}", core.cycle());
            }
            let mut exits = ending(code, cycle, End::Exit(7));
            assert_eq!(exits.run(5000, &mut events::Silent), Stop::Exit(7));
        }
    }
}

#[test]
fn a_core_is_reset_asleep_in_the_very_cycle_and_else_behind_an_instruction() {
    for cycle in 90..100 {
        let mut core = ending(&[FOREVER], cycle, End::Reset(ResetCause::Watchdog));
        core.run(5000, &mut events::Silent);
        assert!(
            (cycle..cycle + 3).contains(&core.cycle()),
            "{} {cycle}",
            core.cycle()
        );
        let mut asleep = ending(&[0xbf30, FOREVER], cycle, End::Reset(ResetCause::Watchdog));
        asleep.run(5000, &mut events::Silent);
        assert_eq!(asleep.cycle(), cycle);
    }
}

/// Memory, time and the count of instructions stay; registers, masks, exceptions and the system registers do not.
#[test]
fn a_core_that_restarts_has_its_memory_and_nothing_else() {
    // At reset: cpsid i; adds r4, #1; str r4, [r5]; b .
    let mut core = ending(&[], u64::MAX, End::Exit(0));
    let at_reset = core.bus.at_reset();
    load(&mut core, handler(1), &[0xb672, 0x3401, FOREVER]);
    put(&mut core, RAM, 5);
    put(&mut core, at::SYST_RVR, 99);
    put(&mut core, at::SYST_CSR, 7);
    (core.regs.r[4], core.regs.primask) = (9, true);
    core.regs.r[15] = handler(1);
    let mut events: Vec<Event> = Vec::new();
    core.run(200, &mut events);
    let (cycle, instructions) = (core.cycle(), core.instructions());
    core.bus.reset(&at_reset, ResetCause::Software, cycle).unwrap();
    core.restart(&mut events).unwrap();
    assert_eq!(
        (core.regs.r[4], core.regs.primask, core.regs.r[15]),
        (0, false, handler(1))
    );
    assert_eq!([get(&mut core, RAM), get(&mut core, at::SYST_RVR)], [5, 0]);
    assert!(core.cycle() >= cycle && core.instructions() == instructions);
    core.run(cycle + 100, &mut events);
    assert_eq!((core.regs.r[4], core.regs.primask), (1, true));
    let resets = events.iter().filter(|event| matches!(event, Event::Reset { .. }));
    assert_eq!(resets.count(), 1);
    let windows: Vec<_> = events.iter().filter_map(Event::window).collect();
    for pair in windows.windows(2) {
        assert_eq!(pair[0].0.to, pair[1].0.from);
    }
    assert!(windows.iter().all(|(at, costs)| costs.total() == at.length()));
}

/// State that a debugger or observer set up survives a reset of the program.
#[test]
fn a_core_that_restarts_keeps_its_trace_units_and_what_watches_its_stack() {
    const DEMCR: u32 = 0xe000_edfc;
    const DWT_CTRL: u32 = 0xe000_1000;
    let mut core = ending(&[FOREVER], u64::MAX, End::Exit(0));
    let at_reset = core.bus.at_reset();
    load(&mut core, handler(1), &[FOREVER]);
    put(&mut core, DEMCR, 1 << 24 | 1 << 16);
    put(&mut core, DWT_CTRL, 1);
    core.run(50, &mut events::Silent);
    let sp = core.regs.r[13];
    core.set_variables(vec![(sp - 64, sp - 60)]);
    // sub sp, #80; push {r4}; b .
    load(&mut core, handler(1), &[0xb094, 0xb410, FOREVER]);
    for first in [false, true] {
        let cycle = core.cycle();
        core.bus.reset(&at_reset, ResetCause::Software, cycle).unwrap();
        core.restart(&mut events::Silent).unwrap();
        assert_eq!(core.stack_overrun().is_some(), first);
        let cycle = core.cycle();
        core.run(cycle + 100, &mut events::Silent);
        assert!(core.stack_overrun().is_some());
        assert_eq!(
            get(&mut core, DEMCR) & (1 << 24 | 1 << 16),
            1 << 24,
            "not DebugMonitor"
        );
        assert_eq!(get(&mut core, DWT_CTRL) & 1, 1, "it counts on");
    }
}
