//! What ends a run or resets a chip, on both families of cores: every effect that a device can leave, every watchdog, and what a reset keeps.

mod common;

use std::sync::{Arc, Mutex};

use bus::{
    Bus, ClockId, Device, DeviceError, Effect, End, FlashSettings, Incoming, Irq, Memory, Region, ResetCause,
};
use common::{flash, image, machine_on, rv32};
use events::{Event, Silent};
use machine::{Board, Debugger, Machine, OnReset, Options, Outcome};

const DEVICE: u32 = 0x4100_0000;
const RAM: u32 = 0x2000_0000;

/// The effect behind this one in a list of all: a new variant has no place in it, and does not compile.
fn after(effect: Option<Effect>) -> Option<Effect> {
    Some(match effect {
        None => Effect::Clock(ClockId::CORE, 3_000_000),
        Some(Effect::Clock(ClockId::CORE, _)) => Effect::Clock(ClockId(1), 4_000_000),
        Some(Effect::Clock(..)) => Effect::Voltage(2),
        Some(Effect::Voltage(_)) => Effect::Flash(FlashSettings {
            latency: 3,
            ..FlashSettings::default()
        }),
        Some(Effect::Flash(_)) => Effect::FlashReset {
            instructions: true,
            data: true,
        },
        Some(Effect::FlashReset { .. }) => Effect::Programming(true),
        Some(Effect::Programming(_)) => Effect::Programmed,
        Some(Effect::Programmed) => Effect::Erase {
            address: 0x8000_0000,
            size: 0x1000,
        },
        Some(Effect::Erase { .. }) => Effect::Pin {
            port: 1,
            pin: 2,
            level: true,
        },
        Some(Effect::Pin { .. }) => Effect::Wire {
            number: 5,
            level: true,
        },
        Some(Effect::Wire { .. }) => Effect::Pulse(6),
        Some(Effect::Pulse(_)) => Effect::End(End::Exit(7)),
        Some(Effect::End(End::Exit(_))) => Effect::End(End::Reset(ResetCause::Software)),
        Some(Effect::End(End::Reset(ResetCause::Software))) => Effect::End(End::Reset(ResetCause::Watchdog)),
        Some(Effect::End(End::Reset(ResetCause::Watchdog))) => {
            Effect::End(End::Reset(ResetCause::WindowWatchdog))
        }
        Some(Effect::End(End::Reset(ResetCause::WindowWatchdog))) => return None,
    })
}

/// Leaves an effect in a cycle, or at a store; and keeps what it hears.
#[derive(Clone)]
struct Leaves {
    at: u64,
    effect: Option<Effect>,
    is_due: bool,
    heard: Arc<Mutex<Vec<Effect>>>,
}

impl Device for Leaves {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, _: u32, _: u64) -> Result<(), DeviceError> {
        self.is_due = true;
        Ok(())
    }

    fn next_event(&self) -> u64 {
        self.effect.map_or(u64::MAX, |_| self.at)
    }

    fn poll(&mut self, now: u64, _: &mut dyn FnMut(Irq, bool)) {
        self.is_due |= self.at <= now;
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effect.take_if(|_| self.is_due)
    }

    fn hear(&mut self, effect: Effect, _: u64) -> Result<(), DeviceError> {
        self.heard.lock().unwrap().push(effect);
        Ok(())
    }
}

/// How a run ended on either family.
#[derive(PartialEq, Eq, Debug)]
enum Ended {
    Limit,
    Exit(u32),
    Reset(ResetCause),
}

/// The result of a run: its end, the clock and flash settings then, the effects and the events.
type Seen = (Ended, u32, FlashSettings, Vec<Effect>, Vec<Event>);

/// When a device leaves its effect.
#[derive(Clone, Copy, Debug)]
enum When {
    /// In a cycle, while the core loops.
    Awake,
    /// In a cycle, while it sleeps.
    Asleep,
    /// When the program stores to it.
    Store,
}

fn bus_with(effect: Effect, when: When, code: u32, bytes: &[u8]) -> (Bus, Arc<Mutex<Vec<Effect>>>) {
    let heard = Arc::<Mutex<Vec<Effect>>>::default();
    let mut bus = Bus::new();
    bus.set(Effect::Clock(ClockId::CORE, 1_000_000));
    bus.add_memory(Memory::ram(Region::new("code", code, 0x1000)));
    bus.add_memory(Memory::ram(Region::new("ram", RAM, 0x1000)));
    bus.load(code, bytes);
    let leaves = Leaves {
        at: if matches!(when, When::Store) {
            u64::MAX
        } else {
            200
        },
        effect: Some(effect),
        is_due: false,
        heard: Arc::clone(&heard),
    };
    bus.add_device(Region::new("leaves", DEVICE, 0x100), Box::new(leaves));
    heard.lock().unwrap().clear();
    (bus, heard)
}

fn on_cortex_m(effect: Effect, when: When) -> Seen {
    // movs r0, #0x41; lsls r0, r0, #24; then str r0, [r0] or NOP; then wfi or NOP; b .-2
    let [store, sleep] = match when {
        When::Awake => [0xbf00, 0xbf00],
        When::Asleep => [0xbf00, 0xbf30],
        When::Store => [0x6000, 0xbf00],
    };
    let vectors = [RAM + 0x800, 0x41].map(u32::to_le_bytes).concat();
    let code = [0x2041u16, 0x0600, store, sleep, 0xe7fd]
        .map(u16::to_le_bytes)
        .concat();
    let bytes = [vectors, vec![0; 0x38], code].concat();
    let (bus, heard) = bus_with(effect, when, 0, &bytes);
    let config = Board::find("cortex-m3")
        .unwrap()
        .core_config(Debugger::None)
        .unwrap();
    let mut core = core_cortex_m::Core::new(config, bus);
    core.reset().unwrap();
    let mut told: Vec<Event> = Vec::new();
    let ended = match core.run(1000, &mut told) {
        core_cortex_m::Stop::Cycle | core_cortex_m::Stop::Forever => Ended::Limit,
        core_cortex_m::Stop::Exit(code) => Ended::Exit(code),
        core_cortex_m::Stop::Reset(cause) => Ended::Reset(cause),
        other => panic!("{other:?}"),
    };
    let heard = heard.lock().unwrap().clone();
    (
        ended,
        core.bus.core_clock(),
        core.bus.flash_settings(),
        heard,
        told,
    )
}

fn on_rv32(effect: Effect, when: When) -> Seen {
    // lui t0, 0x41000; then sw t0, 0(t0) or NOP; then wfi or NOP; j .-4
    const NOP: u32 = 0x13;
    let [store, sleep] = match when {
        When::Awake => [NOP, NOP],
        When::Asleep => [NOP, 0x1050_0073],
        When::Store => [0x0052_a023, NOP],
    };
    let code = [0x4100_02b7, store, sleep, 0xffdf_f06f]
        .map(u32::to_le_bytes)
        .concat();
    let (bus, heard) = bus_with(effect, when, 0x8000_0000, &code);
    let mut hart = core_rv32::Hart::new(core_rv32::vexriscv::FULL, bus, 0x8000_0000);
    let mut told: Vec<Event> = Vec::new();
    let ended = match hart.run(1000, &mut told) {
        core_rv32::Stop::Cycle | core_rv32::Stop::Forever => Ended::Limit,
        core_rv32::Stop::Exit(code) => Ended::Exit(code),
        core_rv32::Stop::Reset(cause) => Ended::Reset(cause),
        other => panic!("{other:?}"),
    };
    let heard = heard.lock().unwrap().clone();
    let bus = &hart.core().bus;
    (ended, bus.core_clock(), bus.flash_settings(), heard, told)
}

#[test]
fn each_effect_of_a_device_is_seen_on_both_families() {
    for effect in std::iter::successors(after(None), |effect| after(Some(*effect))) {
        for when in [When::Awake, When::Asleep, When::Store] {
            for seen in [on_cortex_m(effect, when), on_rv32(effect, when)] {
                let (ended, hz, flash, heard, told) = seen;
                assert_eq!(heard, [effect], "{when:?}");
                let what = match effect {
                    Effect::End(End::Exit(code)) => Ended::Exit(code),
                    Effect::End(End::Reset(cause)) => Ended::Reset(cause),
                    _ => Ended::Limit,
                };
                assert_eq!(ended, what, "{effect:?} {when:?}");
                match effect {
                    Effect::Clock(ClockId::CORE, now) => {
                        assert_eq!(hz, now);
                        let is_told = |event: &Event| matches!(event, Event::Clock { hz, .. } if *hz == now);
                        assert!(told.iter().any(is_told), "{when:?}");
                    }
                    Effect::Flash(settings) => assert_eq!(flash, settings),
                    Effect::Pin { pin, level, .. } => {
                        let is_told = |event: &Event| matches!(event, Event::Pin { pin: p, level: l, .. } if (*p, *l) == (pin, level));
                        assert!(told.iter().any(is_told), "{when:?}");
                    }
                    // Other devices hear of these, and the core of none.
                    Effect::Clock(..)
                    | Effect::Voltage(_)
                    | Effect::FlashReset { .. }
                    | Effect::Programming(_)
                    | Effect::Programmed
                    | Effect::Erase { .. }
                    | Effect::Wire { .. }
                    | Effect::Pulse(_)
                    | Effect::End(_) => {}
                }
            }
        }
    }
}

/// Logs the word at `reason` in RAM, writes these words to these addresses, and loops or sleeps.
fn watched(reason: u32, writes: &[(u32, u32)], sleeps: bool) -> Vec<u16> {
    // adr r4, pairs; ldr r5, =LOG; ldr r0, =reason; ldr r1, [r0]; ldr r2, [r5]; adds r2, #4; str r2, [r5]; str r1, [r5, r2];
    // next: ldmia r4!, {r0, r1}; cmp r0, #0; beq done; str r1, [r0]; b next; done: wfi or nop; b done; nop
    let mut code = vec![
        0xa409, 0x4d07, 0x4807, 0x6801, 0x682a, 0x3204, 0x602a, 0x50a9, 0xcc03, 0x2800, 0xd001, 0x6001,
        0xe7fa,
    ];
    code.extend([if sleeps { 0xbf30 } else { 0xbf00 }, 0xe7fd, 0xbf00]);
    let pairs = writes.iter().flat_map(|&(address, value)| [address, value]);
    let words = [LOG, reason].into_iter().chain(pairs).chain([0, 0]);
    code.extend(words.flat_map(|word| [word as u16, (word >> 16) as u16]));
    code
}

/// The number of bytes in the log; the words follow.
const LOG: u32 = RAM + 0x800;

fn log(machine: &Machine) -> Vec<u32> {
    let bytes = machine.peek_word(LOG).unwrap();
    let words = (0..bytes / 4).map(|word| machine.peek_word(LOG + 4 + 4 * word).unwrap());
    words.collect()
}

/// A board, where its vector table is; where its chip says why it was reset; what makes it be reset; and the word there at first, and then.
type Reset = (&'static str, u32, u32, &'static [(u32, u32)], [u32; 2]);

const RESETS: [Reset; 10] = [
    (
        "stm32f407",
        0x0800_0000,
        0x4002_3874,
        &[
            (0x4000_3000, 0xcccc),
            (0x4000_3000, 0x5555),
            (0x4000_3008, 79),
            (0x4000_3000, 0xaaaa),
        ],
        [0x0e00_0000, 0x2e00_0000],
    ),
    (
        "stm32f407",
        0x0800_0000,
        0x4002_3874,
        &[(0x4002_3840, 0x800), (0x4000_2c00, 0xff)],
        [0x0e00_0000, 0x4e00_0000],
    ),
    (
        "stm32f407",
        0x0800_0000,
        0x4002_3874,
        &[(0xe000_ed0c, 0x05fa_0004)],
        [0x0e00_0000, 0x1e00_0000],
    ),
    (
        "stm32f100rb",
        0x0800_0000,
        0x4002_1024,
        &[
            (0x4000_3000, 0xcccc),
            (0x4000_3000, 0x5555),
            (0x4000_3008, 9),
            (0x4000_3000, 0xaaaa),
        ],
        [0x0c00_0000, 0x2c00_0000],
    ),
    (
        "stm32l432",
        0x0800_0000,
        0x4002_1094,
        &[
            (0x4000_3000, 0xcccc),
            (0x4000_3000, 0x5555),
            (0x4000_3008, 9),
            (0x4000_3000, 0xaaaa),
        ],
        [0x0c00_0600, 0x2c00_0600],
    ),
    (
        "nrf52840",
        0,
        0x4000_0400,
        &[(0x4001_0504, 15), (0x4001_0508, 1), (0x4001_0000, 1)],
        [0, 2],
    ),
    ("nrf52840", 0, 0x4000_0400, &[(0xe000_ed0c, 0x05fa_0004)], [0, 4]),
    (
        "rp2040",
        0x1000_0100,
        0x4005_8008,
        &[(0x4005_8004, 200), (0x4005_8000, 1 << 30)],
        [0, 1],
    ),
    (
        "rp2040",
        0x1000_0100,
        0x4005_8008,
        &[(0x4005_8000, 1 << 31)],
        [0, 2],
    ),
    (
        "mps2-an385",
        0,
        0x4001_f010,
        &[(0x4000_8000, 250), (0x4000_8008, 3)],
        [0, 2],
    ),
];

/// Awake and asleep, with what was worked out reused or not: memory is kept, and the cause is there to be read.
#[test]
fn a_watchdog_resets_its_chip_and_says_so() {
    for (board, base, reason, writes, causes) in RESETS {
        for (sleeps, remember) in [(false, true), (true, true), (false, false)] {
            let program = image(&common::elf(&[flash(base, &watched(reason, writes, sleeps))]));
            let options = Options {
                remember,
                ..Options::default()
            };
            let mut machine = Machine::new(&Board::find(board).unwrap(), &program, options).unwrap();
            while log(&machine).len() < 3 {
                let outcome = machine.run(machine.cycle() + 20_000, &mut Silent);
                let goes_on = matches!(outcome, Outcome::Limit { .. } | Outcome::Reset { count: 10, .. });
                assert!(goes_on, "{board}: {outcome:?}");
                assert!(machine.cycle() < 20_000_000, "{board} {writes:x?} is never reset");
            }
            assert_eq!(
                log(&machine)[..3],
                [causes[0], causes[1], causes[1]],
                "{board} {writes:x?}"
            );
        }
    }
}

/// The chip resets itself in its first cycles, for ever.
fn always() -> Arc<machine::Image> {
    let code = watched(0x4002_3874, &[(0xe000_ed0c, 0x05fa_0004)], false);
    image(&common::elf(&[flash(0x0800_0000, &code)]))
}

#[test]
fn a_chip_that_is_always_reset_comes_to_an_end() {
    let (mut machine, _) = machine_on("stm32f407", &always());
    let outcome = machine.run(u64::MAX, &mut Silent);
    let Outcome::Reset { cause, count, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(
        (cause, count, log(&machine).len()),
        (ResetCause::Software, 10, 11)
    );
    let told = machine.notes();
    let is_reset = |note: &&String| note.starts_with("the chip was reset by the program in cycle");
    assert_eq!(told.iter().filter(is_reset).count(), 3, "{told:?}");
    assert_eq!(
        told.last().map(String::as_str),
        Some("further resets are not reported")
    );
    let stops = Board::find("stm32f407").unwrap().with_resets(OnReset::Stop);
    let mut machine = Machine::new(&stops, &always(), Options::default()).unwrap();
    let outcome = machine.run(u64::MAX, &mut Silent);
    assert!(matches!(outcome, Outcome::Reset { count: 0, .. }), "{outcome:?}");
}

/// Where a run is cut, and that it went back in between, changes nothing.
#[test]
fn a_snapshot_knows_how_often_the_chip_was_reset() {
    let (mut machine, _) = machine_on("stm32f407", &always());
    machine.run(100, &mut Silent);
    let (snapshot, resets) = (machine.snapshot(), log(&machine).len());
    assert!((2..10).contains(&resets));
    let mut end = || {
        let outcome = machine.run(u64::MAX, &mut Silent);
        let end = (format!("{outcome:?}"), machine.cycle(), log(&machine));
        machine.restore(&snapshot);
        end
    };
    let first = end();
    assert_eq!(first, end());
    let (mut whole, _) = machine_on("stm32f407", &always());
    let outcome = whole.run(u64::MAX, &mut Silent);
    assert_eq!((format!("{outcome:?}"), whole.cycle(), log(&whole)), first);
}

/// What was stored in RAM at first is there again, as a loader puts it there; the rest is as it was.
#[test]
fn an_rv32_program_begins_again_in_the_ram_that_it_is_loaded_to() {
    // auipc t0, 0; lw t1, 64(t0); addi t1, t1, 1; sw t1, 64(t0); lw t2, 0x100(t0); add t2, t2, t1; sw t2, 0x100(t0); then the
    // finisher's reset: lui t3, 0x100; lui t4, 7; addi t4, t4, 0x777; sw t4, 0(t3); j .
    let code = [
        0x0000_0297,
        0x0402_a303,
        0x0013_0313,
        0x0462_a023,
        0x1002_a383,
        0x0063_83b3,
        0x1072_a023,
        0x0010_0e37,
        0x0000_7eb7,
        0x777e_8e93,
        0x01de_2023,
        0x0000_006f,
        0,
        0,
        0,
        0,
        41u32,
    ];
    let program = Arc::new(rv32(0x8000_0000, code.map(u32::to_le_bytes).concat()));
    let (mut machine, _) = machine_on("virt", &program);
    let outcome = machine.run(u64::MAX, &mut Silent);
    assert!(matches!(outcome, Outcome::Reset { count: 10, .. }), "{outcome:?}");
    let words = [0x8000_0040, 0x8000_0100].map(|address| machine.peek_word(address));
    assert_eq!(words, [Some(42), Some(11 * 42)]);
}

/// Registers, gates and timers are as at first; the backup domain and what is applied from outside are as they were.
#[test]
fn a_reset_keeps_the_backup_domain_and_the_world_outside() {
    const RCC: u32 = 0x4002_3800;
    const GPIOA: u32 = 0x4002_0000;
    const BDCR: u32 = RCC + 0x70;
    const BACKUP: u32 = 0x4000_2850;
    let mut bus = Board::find("stm32f407").unwrap().bus(&[]);
    let first = bus.at_reset();
    let pin = Incoming::Pin {
        pin: 3,
        level: Some(true),
    };
    bus.schedule("GPIOA", 5, pin).unwrap();
    let lines = &mut |_, _| {};
    // Port A and PWR on; the backup domain writable; LSE on and chosen; a backup register; pin 5 of port A is a high output.
    for (register, value) in [
        (RCC + 0x30, 1),
        (RCC + 0x40, 1 << 28),
        (0x4000_7000, 1 << 8),
        (BDCR, 0x8101),
        (BACKUP, 77),
    ] {
        bus.write(register, 4, value, 10).unwrap();
    }
    for (register, value) in [(0, 0xa800_0400), (0x14, 1 << 5)] {
        bus.write(GPIOA + register, 4, value, 11).unwrap();
    }
    bus.poll(12, lines);
    assert_eq!(bus.read(GPIOA + 0x10, 4, 13).unwrap() & 0x28, 0x28);
    bus.reset(&first, ResetCause::Watchdog, 1000).unwrap();
    assert_eq!(bus.read(RCC + 0x30, 4, 1001), Ok(0x0010_0000), "AHB1ENR");
    bus.write(RCC + 0x30, 4, 1, 1002).unwrap();
    bus.poll(1003, lines);
    assert_eq!(bus.read(GPIOA, 4, 1004), Ok(0xa800_0000), "MODER");
    assert_eq!(
        bus.read(GPIOA + 0x10, 4, 1005).unwrap() & 0x28,
        0x08,
        "the pin is still driven"
    );
    assert_eq!(bus.read(BDCR, 4, 1006).unwrap() & 0x8101, 0x8101);
    assert_eq!(bus.read(BACKUP, 4, 1007), Ok(77));
}
