//! Fast path, slow path, runs cut into calls, and single instructions must all end in the same state.

mod campaign;

use bus::{
    Bus, CacheShape, Flash, FlashSettings, FlashShape, Memory, Region, Replacement, SharedCacheShape, Slave,
    WaitStates,
};
use core_cortex_m::{Config, Core, Effect, Stop};
use differential::{CODE, CODE_SIZE, CONTROL, CONTROL_SIZE, DATA, DATA_SIZE, Length, Standalone, Target};
use events::{Event, Flow, Interest, Silent, Sink};
use fastrand::Rng;

/// Cycle limit, since a wild jump may loop.
const LIMIT: u64 = 200_000;

/// The length of programs that run in many ways.
const SHORT: Length = Length {
    blocks: 20,
    passes: 4,
};

/// Receives every event and checks that windows tile the run: each begins where the last ended, and its costs add up to its length.
#[derive(Default)]
struct Listening {
    end: Option<u64>,
}

impl Sink for Listening {
    fn interest(&self) -> Interest {
        Interest::everything()
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Some((at, costs)) = event.window() {
            assert_eq!(at.from, self.end.unwrap_or(at.from), "{event:?}");
            assert_eq!(costs.total(), at.length(), "{event:?}");
            self.end = Some(at.to);
        }
        Flow::On
    }
}

fn region(name: &str, base: u32, size: u32, rng: &mut Rng) -> Region {
    let wait = WaitStates {
        fetch: rng.u8(..3),
        read: rng.u8(..3),
        write: rng.u8(..3),
        grant: rng.u8(..2),
        beat: 0,
        write_beat: 0,
    };
    Region {
        wait,
        slave: Slave(rng.u8(..2)),
        ..Region::new(name, base, size)
    }
}

/// A cache shared by fetches and data, or none.
fn shared_cache(line: u32, rng: &mut Rng) -> Option<SharedCacheShape> {
    let ways = 2 << rng.u32(..2);
    let lines = ways << rng.u32(..6);
    let line = line << rng.u32(..2);
    rng.bool().then_some(SharedCacheShape { lines, ways, line })
}

/// Adds a flash interface of random shape, large enough for some programs and too small for others.
fn add_flash(bus: &mut Bus, rng: &mut Rng) {
    let line = 8 << rng.u32(..2);
    let mut cache = || {
        let ways = 1 << rng.u32(..6);
        let replacement = if rng.bool() {
            Replacement::Lru
        } else {
            Replacement::Fifo
        };
        let (lines, line) = (ways << rng.u32(..4), line << rng.u32(..3));
        Some(CacheShape {
            lines,
            ways,
            line,
            replacement,
        })
        .filter(|_| rng.u32(..8) != 0)
    };
    let shape = FlashShape {
        line,
        prefetches: true,
        instruction_cache: cache(),
        data_cache: cache(),
        data_buffer: rng.bool(),
        shared: false,
        shared_cache: None,
    };
    let shape = if rng.u32(..4) == 0 {
        FlashShape {
            prefetches: false,
            instruction_cache: None,
            data_cache: None,
            shared: true,
            shared_cache: shared_cache(line, &mut rng.clone()),
            ..shape
        }
    } else {
        shape
    };
    let settings = FlashSettings {
        latency: rng.u8(..7),
        prefetch: rng.bool(),
        instruction_cache: rng.u32(..4) != 0,
        data_cache: rng.u32(..4) != 0,
        unbuffered: rng.bool(),
        shared_cache: rng.bool(),
    };
    bus.set_flash(Flash::new(vec![(CODE, CODE_SIZE)], shape));
    bus.set(bus::Effect::Flash(settings));
}

/// The memory system that a program runs in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Memory,
    Flash,
    /// Memory, with an MPU whose permissions change.
    Mpu,
}

/// An MPU region over everything, and a few over parts of the memories.
fn regions(rng: &mut Rng) -> Vec<[u32; 2]> {
    let all = [1 << 4, 3 << 24 | 31 << 1 | 1];
    let mut regions = vec![all];
    for number in 1..=rng.u32(1..5) {
        let size = rng.u32(4..13);
        let base = [CODE, DATA, DATA, CONTROL][rng.usize(..4)] + rng.u32(..DATA_SIZE);
        let permission = [3, 3, 3, 6, 5, 2, 1, 0][rng.usize(..8)];
        let never = u32::from(rng.u32(..4) == 0);
        let subregions = u32::from(rng.u8(..));
        let attributes = never << 28 | permission << 24 | subregions << 8 | size << 1 | 1;
        regions.push([base & !31 | 1 << 4 | number, attributes]);
    }
    regions
}

fn core(target: Target, program: &Standalone, around: Around, rng: &mut Rng) -> Core {
    let mut bus = Bus::new();
    bus.add_memory(Memory::rom(region("code", CODE, CODE_SIZE, rng)));
    bus.add_memory(Memory::ram(region("data", DATA, DATA_SIZE, rng)));
    bus.add_memory(Memory::ram(region("control", CONTROL, CONTROL_SIZE, rng)));
    for (address, bytes) in &program.memories {
        assert!(bus.load(*address, bytes), "{address:#x}");
    }
    if around == Around::Flash {
        add_flash(&mut bus, rng);
    }
    let config = Config {
        mpu_regions: if around == Around::Mpu { 8 } else { 0 },
        ..target.config()
    };
    let mut core = Core::new(config, bus);
    core.reset().expect("the vector table is there");
    core
}

/// Removes groups that end the program early when run as single instructions.
fn mend(target: Target, program: &mut Standalone, around: Around) {
    let around = if around == Around::Flash {
        Around::Memory
    } else {
        around
    };
    for _ in 0..500 {
        let mut core = core(target, program, around, &mut Rng::with_seed(0));
        let (mut last, mut budget) = (0, LIMIT);
        let effect = loop {
            let pc = core.regs.r[15];
            match core.execute_alone() {
                Effect::Done | Effect::Skipped if budget > 0 => budget -= 1,
                effect => break effect,
            }
            last = pc;
        };
        let ended = matches!(effect, Effect::Breakpoint(_));
        if ended || program.silence(core.regs.r[15]).is_none() && program.silence(last).is_none() {
            return;
        }
    }
}

/// Runs until something other than the end of a slice stops it.
fn run_in_slices(core: &mut Core, mut slice: impl FnMut() -> u64, mut listens: impl FnMut() -> bool) -> Stop {
    let mut until = core.cycle();
    loop {
        until = (until + slice()).min(LIMIT);
        let stop = if listens() {
            core.run(until, &mut Listening::default())
        } else {
            core.run(until, &mut Silent)
        };
        if stop != Stop::Cycle || until == LIMIT {
            return stop;
        }
    }
}

/// The final cycle, and all program-visible state.
fn end_of(core: &Core) -> String {
    let regs = &core.regs;
    let (stacks, masks) = (
        regs.stack_pointers(),
        (regs.primask, regs.faultmask, regs.basepri),
    );
    let modes = (regs.unprivileged, regs.process_stack, regs.it);
    let memory = [DATA, CONTROL].map(|base| fnv(core.bus.memory(base).bytes()));
    let (cycle, faults) = (core.cycle(), core.faults());
    let floats = (regs.s, regs.fpscr, regs.fp_active);
    format!(
        "{:x?} {:x} {floats:x?} {stacks:x?} {masks:?} {modes:?} memory {memory:x?} cycle {cycle} {faults:x?}",
        regs.r,
        regs.xpsr()
    )
}

/// FNV-1a hash of memory.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// A program's first events must be the same on the fast path and with each instruction timed separately.
fn check_events(start: &Core, seed: u64) {
    let [fast, careful] = [true, false].map(|remembers| {
        let (mut core, mut events) = (start.clone(), Vec::<Event>::new());
        core.set_cost_reuse(remembers);
        core.run(LIMIT / 20, &mut events);
        events
    });
    let different = fast.iter().zip(&careful).find(|(one, other)| one != other);
    assert_eq!(different, None, "seed {seed}");
    assert_eq!(fast.len(), careful.len(), "seed {seed}");
}

fn check(target: Target, seed: u64, period: Option<u32>, around: Around) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let regions = if around == Around::Mpu {
        regions(&mut rng)
    } else {
        Vec::new()
    };
    let mut program = Standalone::random(target, SHORT, period, &regions, &mut rng);
    if !seed.is_multiple_of(4) {
        mend(target, &mut program, around);
    }
    let start = core(target, &program, around, &mut rng);
    let mut silent = start.clone();
    let stop = run_in_slices(&mut silent, || LIMIT, || false);
    let expected = (stop, end_of(&silent));
    let longest = 1 + rng.u64(..200);
    for listened in [0, 1, 2, 3] {
        let mut cut = start.clone();
        cut.set_cost_reuse(listened != 3);
        let mut lengths = Rng::with_seed(seed);
        let mut turns = Rng::with_seed(seed + 1);
        let slice = || {
            if listened & 1 != 0 {
                LIMIT
            } else {
                lengths.u64(1..=longest)
            }
        };
        let stop = run_in_slices(&mut cut, slice, || {
            listened & 1 != 0 || listened == 2 && turns.bool()
        });
        let way = [
            "cut into slices",
            "listened to",
            "cut, and at times listened to",
            "each instruction timed by itself",
        ][listened];
        assert_eq!((stop, end_of(&cut)), expected, "seed {seed}, {way}");
    }
    check_events(&start, seed);
    if period.is_none() {
        check_alone(start, &silent, &expected.0, seed);
    }
    silent.cycle()
}

/// Steps single instructions to the first fault or to the end, and compares with the engine's result.
fn check_alone(mut core: Core, engine: &Core, stop: &Stop, seed: u64) {
    let mut budget = LIMIT;
    let effect = loop {
        match core.execute_alone() {
            Effect::Done | Effect::Skipped if budget > 0 => budget -= 1,
            effect => break effect,
        }
    };
    match effect {
        // A BKPT other than the semihosting one is a fault.
        Effect::Breakpoint(0xab) => {
            assert_eq!(*stop, Stop::Semihosting, "seed {seed}");
            // The engine's PC is after the BKPT, where it would continue.
            assert_eq!(core.regs.r[..15], engine.regs.r[..15], "seed {seed}");
            assert_eq!(core.regs.xpsr(), engine.regs.xpsr(), "seed {seed}");
            assert_eq!(
                core.bus.memory(DATA).bytes(),
                engine.bus.memory(DATA).bytes(),
                "seed {seed}"
            );
        }
        Effect::Fault(fault) => {
            let first = engine.faults().first().map(|record| (record.fault, record.pc));
            assert_eq!(first, Some((fault, core.regs.r[15])), "seed {seed}");
        }
        Effect::NotModelled(what) => {
            assert_eq!(*stop, Stop::NotModelled(what), "seed {seed}");
            assert_eq!(core.regs.r, engine.regs.r, "seed {seed}");
        }
        _ => {}
    }
}

/// Compares random programs by state and cycle; `DIFFERENTIAL_PROGRAMS` raises their number.
fn check_all(target: Target, around: Around, period: impl Fn(u64) -> Option<u32>) {
    let programs = std::env::var("DIFFERENTIAL_PROGRAMS").ok();
    let programs = programs.map_or(60, |text| {
        text.parse().expect("DIFFERENTIAL_PROGRAMS is a number")
    });
    let cycles: u64 = (0..programs)
        .map(|seed| check(target, seed, period(seed), around))
        .sum();
    assert!(
        cycles > 200 * programs,
        "the programs end too early: {cycles} cycles"
    );
}

#[test]
fn every_way_to_run_comes_to_the_same_end() {
    check_all(Target::CortexM3, Around::Memory, |_| None);
    check_all(Target::CortexM4F, Around::Memory, |_| None);
}

#[test]
fn every_way_to_run_comes_to_the_same_end_with_interrupts() {
    check_all(Target::CortexM3, Around::Memory, |seed| {
        Some(60 + seed as u32 % 300)
    });
    check_all(Target::CortexM4F, Around::Memory, |seed| {
        Some(60 + seed as u32 % 300)
    });
}

#[test]
fn every_way_to_run_from_a_flash_comes_to_the_same_end() {
    check_all(Target::CortexM3, Around::Flash, |_| None);
    check_all(Target::CortexM4F, Around::Flash, |_| None);
}

#[test]
fn every_way_to_run_from_a_flash_comes_to_the_same_end_with_interrupts() {
    check_all(Target::CortexM3, Around::Flash, |seed| {
        Some(60 + seed as u32 % 300)
    });
    check_all(Target::CortexM4F, Around::Flash, |seed| {
        Some(60 + seed as u32 % 300)
    });
}

#[test]
fn every_way_to_run_under_an_mpu_comes_to_the_same_end() {
    check_all(Target::CortexM3, Around::Mpu, |_| None);
    check_all(Target::CortexM4F, Around::Mpu, |seed| {
        Some(60 + seed as u32 % 300)
    });
}
