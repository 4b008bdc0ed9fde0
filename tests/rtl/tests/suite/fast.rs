//! Checks that memoised pipelines take the same cycles as clocked ones, with and without listeners.

use crate::common::surroundings;
use crate::loops;
use crate::memories;
use crate::privileged;
use crate::programs::{MEMORY, entry, number, program};
use bus::{
    Bus, CacheShape, Effect, Flash, FlashSettings, FlashShape, L2, Memory, Region, Replacement, WaitStates,
};
use core_rv32::{Config, Family, Hart, Line, Protection, Stop, Timing, Translation};
use events::{Event, Flow, Interest, Pcs, Ranges, Silent, Sink};
use fastrand::Rng;
use machine::cores;

/// A program that jumps back at its end, to the code after the handler and the register setup.
pub(crate) fn endless(config: &Config, rng: &mut Rng) -> Vec<u8> {
    let mut memory = program(config, rng);
    let end = memory.windows(4).rposition(|word| word == [0x6f, 0, 0, 0]);
    let end = end.expect("it ends in a jump to itself");
    let back = 0x200u32.wrapping_sub(end as u32);
    let offset = (back >> 20 & 1) << 31
        | (back >> 1 & 0x3ff) << 21
        | (back >> 11 & 1) << 20
        | (back >> 12 & 0xff) << 12;
    memory[end..end + 4].copy_from_slice(&(0x6f | offset).to_le_bytes());
    memory
}

/// A timed core with interrupts, in memories of one speed, in several memories, some behind a shared cache, or behind a flash interface.
pub(crate) fn hart(config: &Config, memory: &[u8], rng: &mut Rng) -> Hart {
    let bus = match rng.u8(..4) {
        0 => pieces(config, memory, rng),
        1 => behind_flash(memory, rng),
        _ => surroundings(memory, wait(rng)),
    };
    let mut hart = Hart::new(*config, bus, entry(config));
    let mut cycle = 0;
    for _ in 0..rng.usize(..20) {
        cycle += rng.u64(1..20_000);
        let timer = rng.bool();
        let line = if timer {
            Line::Timer
        } else {
            Line::External(rng.u8(..32))
        };
        hart.pulse(cycle, line);
    }
    hart
}

fn wait(rng: &mut Rng) -> WaitStates {
    let latency = rng.u8(..8) * rng.u8(..3);
    WaitStates {
        fetch: latency,
        read: latency,
        write: rng.u8(..4) * latency,
        grant: 0,
        beat: rng.u8(..5),
        write_beat: 0,
    }
}

/// A program's memory split into several memories.
fn pieces(config: &Config, memory: &[u8], rng: &mut Rng) -> Bus {
    let (first, around) = memories::cut(config, memory.to_vec(), rng);
    let mut bus = Bus::new();
    let mut add = |base, bytes: &[u8], wait| {
        let region = Region::new("RAM", base, bytes.len() as u32);
        bus.add_memory(Memory::ram(Region { wait, ..region }));
        assert!(bus.load(base, bytes));
    };
    add(0, &first, around.wait.unwrap_or_default());
    for piece in &around.memories {
        add(piece.base, &piece.bytes, piece.wait);
    }
    add(0xfff0_0000, &[0; 0x1000], WaitStates::default());
    for cache in around.caches {
        bus.add_cache(L2::new(cache.shape), &cache.bases);
    }
    bus
}

/// A program's memory behind a flash interface with wait states, prefetch and caches.
fn behind_flash(memory: &[u8], rng: &mut Rng) -> Bus {
    let mut bus = surroundings(memory, wait(rng));
    let cache = |rng: &mut Rng| {
        rng.bool().then(|| CacheShape {
            lines: 8,
            ways: [1, 2, 8][rng.usize(..3)],
            line: 32,
            replacement: [Replacement::Lru, Replacement::Fifo][rng.usize(..2)],
        })
    };
    let shape = FlashShape {
        line: [8, 16, 32][rng.usize(..3)],
        prefetches: true,
        instruction_cache: cache(rng),
        data_cache: cache(rng),
        data_buffer: rng.bool(),
        shared: false,
        shared_cache: None,
    };
    bus.set_flash(Flash::new(vec![(0, MEMORY)], shape));
    bus.set(Effect::Flash(FlashSettings {
        latency: rng.u8(..6),
        prefetch: rng.bool(),
        instruction_cache: rng.bool(),
        data_cache: rng.bool(),
        ..FlashSettings::default()
    }));
    bus
}

/// All program-visible state: cycle and retired instructions, PC, registers, control registers, memory.
pub(crate) fn state(hart: &mut Hart) -> ((u64, u64), u32, [u32; 32], String, Vec<u8>) {
    let core = hart.core();
    let mut memory = vec![0; MEMORY as usize];
    assert!(core.bus.peek(0, &mut memory));
    let seen = (core.pc, core.regs, format!("{:?}", core.csrs));
    ((hart.cycle(), hart.retired()), seen.0, seen.1, seen.2, memory)
}

fn ahead(hart: &mut Hart) -> Vec<(u64, u32)> {
    let mut events: Vec<Event> = Vec::new();
    hart.run(hart.cycle() + 1000, &mut events);
    let retired = events.iter().filter_map(|event| match *event {
        Event::Retire(retire) => Some((retire.issued, retire.pc)),
        _ => None,
    });
    retired.collect()
}

fn compare(config: &Config, memory: &[u8], rng: &mut Rng) {
    let mut quick = hart(config, memory, rng);
    let mut clocked = quick.clone();
    for _ in 0..4 {
        let until = clocked.cycle() + rng.u64(1..100_000);
        let stop = clocked.run(until, &mut Vec::<Event>::new());
        assert_eq!(quick.run(until, &mut Silent), stop, "{}", config.name);
        let (theirs, ours) = (state(&mut clocked), state(&mut quick));
        assert!(
            theirs == ours,
            "{}: {:x?} but clocked {:x?}",
            config.name,
            (ours.0, ours.1, ours.2, ours.3),
            (theirs.0, theirs.1, theirs.2, theirs.3)
        );
        // If everything traps, a program may reach something that is not modelled.
        if stop != Stop::Cycle {
            return;
        }
        assert_eq!(ahead(&mut quick), ahead(&mut clocked), "{}", config.name);
    }
}

/// Keeps the events that it asked for, and pauses after a number of them.
struct Kept {
    interest: Interest,
    events: Vec<Event>,
    pause: usize,
}

impl Sink for Kept {
    fn interest(&self) -> Interest {
        self.interest.clone()
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.events.push(*event);
        if self.events.len() == self.pause {
            Flow::Pause
        } else {
            Flow::On
        }
    }
}

/// A random interest of a listener.
fn interest(rng: &mut Rng) -> Interest {
    let few = |rng: &mut Rng| {
        (0..rng.u32(1..5))
            .map(|_| rng.u32(..0x600) & !1)
            .collect::<Vec<_>>()
    };
    let ranges = |rng: &mut Rng| match rng.u8(..4) {
        0 => Ranges::all(),
        1 => {
            let first = rng.u32(..MEMORY);
            Ranges::of([(first, first + rng.u32(..64))])
        }
        _ => Ranges::NONE,
    };
    Interest {
        pcs: match rng.u8(..5) {
            0 | 1 => Pcs::All,
            2 | 3 => Pcs::at(few(rng)),
            _ => Pcs::None,
        },
        steps: false,
        control: rng.bool(),
        writes: ranges(rng),
        reads: ranges(rng),
        fetch: rng.u8(..20) == 0,
        stops: Pcs::None,
        text: true,
    }
}

/// Compares event streams: they must not depend on memoisation, on the listeners, or on where the run is cut.
fn compare_streams(config: &Config, memory: &[u8], rng: &mut Rng) {
    let mut quick = hart(config, memory, rng);
    let mut clocked = quick.clone();
    clocked.set_cost_reuse(false);
    let mut wanted = interest(rng);
    let mut saved = None;
    for _ in 0..30 {
        match (rng.u8(..6), &saved) {
            (0, _) => saved = Some((clocked.snapshot(), quick.snapshot())),
            (1, Some((theirs, ours))) => {
                clocked.rewind(theirs);
                quick.rewind(ours);
            }
            _ => {}
        }
        if rng.bool() {
            wanted = interest(rng);
        }
        let until = clocked.cycle() + rng.u64(1..8_000);
        let pause = [usize::MAX, rng.usize(1..1000), rng.usize(1..10)][rng.usize(..3)];
        let [theirs, ours] = [&mut clocked, &mut quick].map(|hart| {
            let mut kept = Kept {
                interest: wanted.clone(),
                events: Vec::new(),
                pause,
            };
            let stop = hart.run(until, &mut kept);
            (stop, kept.events)
        });
        let place = format!("{} {wanted:?} until {until}", config.name);
        let pairs = ours.1.iter().zip(&theirs.1);
        for (at, (our, their)) in pairs.enumerate() {
            assert_eq!(our, their, "{place}: event {at}");
        }
        assert_eq!(ours.1.len(), theirs.1.len(), "{place}");
        assert_eq!(ours.0, theirs.0, "{place}");
        assert_eq!(quick.cycle(), clocked.cycle(), "{place}");
        assert!(state(&mut quick) == state(&mut clocked), "{place}");
    }
}

/// Number of programs per core, and the first seed.
fn compare_all(name: &str) {
    let config = cores::rv32_named(name).expect("it is known");
    let seed = number("RTL_SEED", Rng::new().u64(..));
    println!("{name}: RTL_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    for _ in 0..number("RTL_PROGRAMS", 5) {
        let memory = endless(&config, &mut rng);
        compare(&config, &memory, &mut rng);
        compare_streams(&config, &memory, &mut rng);
        let memory = loops::endless(&config, &mut rng);
        compare(&config, &memory, &mut rng);
        compare_streams(&config, &memory, &mut rng);
        let pages = config.translation == Translation::VexRiscv;
        if pages || config.name == "vexriscv-secure" {
            let memory = privileged::program(&config, &mut rng);
            compare(&config, &memory, &mut rng);
            compare_streams(&config, &memory, &mut rng);
        }
    }
}

#[test]
fn silence_changes_no_cycle() {
    let cores = cores::rv32().filter(|config| config.family != Family::Ibex && !config.halts);
    cores.for_each(|config| compare_all(config.name));
}

#[test]
fn silence_changes_no_cycle_of_ibex() {
    compare_all("ibex");
    compare_all("ibex-wb");
}

#[test]
fn silence_changes_no_cycle_of_picorv32() {
    compare_all("picorv32");
}

/// A user-mode loop that counts, loads and stores, under protection regions that allow everything, and with a large page if the core has
/// paging.
fn guarded_loop(config: &Config) -> Vec<u8> {
    const LOOP: u32 = 0x40;
    const TABLE: u32 = 0x4000;
    let csrw = |csr: u32, register: u32| csr << 20 | register << 15 | 0x1073;
    let li = |value: u32| value << 20 | 0x293;
    let mut code = Vec::new();
    if config.protection != Protection::None {
        code.extend([li(0xfff), csrw(0x3b0, 5), li(0x1f), csrw(0x3a0, 5)]);
    }
    if config.translation != Translation::None {
        // lui x5,0x80000; addi x5,x5,TABLE >> 12; csrw satp,x5
        code.extend([0x8000_02b7, (TABLE >> 12) << 20 | 0x0002_8293, csrw(0x180, 5)]);
    }
    // li x5,LOOP; csrw mepc,x5; csrw mstatus,x0; mret
    code.extend([li(LOOP), csrw(0x341, 5), csrw(0x300, 0), 0x3020_0073]);
    code.resize(LOOP as usize / 4, 0x13);
    // lw x7,0x400(x0); addi x6,x6,1; sw x6,0x440(x0); bne x6,x0,LOOP
    code.extend([0x4000_2383, 0x0013_0313, 0x4460_2023, 0xfe03_1ae3]);
    let mut memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.resize(MEMORY as usize, 0);
    // Valid, all rights, for users, accessed and dirty.
    memory[TABLE as usize..][..4].copy_from_slice(&0xdfu32.to_le_bytes());
    memory
}

#[test]
fn what_is_translated_or_protected_is_remembered_too() {
    let guarded = |config: &Config| {
        config.user && (config.protection != Protection::None || config.translation != Translation::None)
    };
    for config in cores::rv32().filter(guarded) {
        let memory = guarded_loop(&config);
        for shared in [false, true] {
            let mut bus = surroundings(&memory, WaitStates::default());
            if shared {
                bus.add_cache(L2::new(memories::large_cache()), &[0]);
            }
            let mut quick = Hart::new(config, bus, 0);
            let mut clocked = quick.clone();
            clocked.set_cost_reuse(false);
            for hart in [&mut quick, &mut clocked] {
                assert_eq!(hart.run(100_000, &mut Silent), Stop::Cycle);
            }
            assert!(state(&mut quick) == state(&mut clocked), "{}", config.name);
            assert!(quick.core().regs[6] > 4_000, "{}", config.name);
            if !shared || config.timing.is_some_and(keeps_transfers) {
                assert!(quick.clocked() < 5_000, "{}: {}", config.name, quick.clocked());
            }
        }
    }
}

/// Whether transfers to memory behind a shared cache are memoised.
fn keeps_transfers(timing: Timing) -> bool {
    matches!(timing, Timing::Cached | Timing::Compressed)
}

/// Number of clocked cycles among the next `cycles`.
fn clocks(hart: &mut Hart, cycles: u64, sink: &mut dyn Sink) -> u64 {
    let before = hart.clocked();
    assert_eq!(hart.run(hart.cycle() + cycles, sink), Stop::Cycle);
    hart.clocked() - before
}

/// A computing program, and a straight-line loop longer than an instruction cache: repeated code is not clocked again, with any listener,
/// and after a snapshot.
#[test]
fn what_comes_round_is_not_clocked_again() {
    let timed = || cores::rv32().filter(|config| config.timing.is_some());
    let behind_caches = timed().filter(|config| config.timing.is_some_and(keeps_transfers));
    let all = timed().map(|config| (config, false));
    for (config, shared) in all.chain(behind_caches.map(|config| (config, true))) {
        // addi x6,x6,1; lw x7,0x7f0(x0); ...; j back
        let mut code = vec![0x13; 0x80 / 4];
        for at in 0..1500 {
            code.push([0x0013_0313, 0x7f00_2383, 0x0073_4433][at % 3]);
        }
        let offset = (-6000i32) as u32;
        let bits = (offset >> 20 & 1) << 31
            | (offset >> 1 & 0x3ff) << 21
            | (offset >> 11 & 1) << 20
            | (offset >> 12 & 0xff) << 12;
        code.push(0x6f | bits);
        let memory: Vec<u8> = code.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        let mut bus = surroundings(&memory, WaitStates::default());
        // A second memory next to the first.
        bus.add_memory(Memory::ram(Region::new("more", MEMORY, 0x1000)));
        if shared {
            bus.add_cache(L2::new(memories::large_cache()), &[0]);
        }
        let mut hart = Hart::new(config, bus, entry(&config));
        hart.run(200_000, &mut Silent);
        let few = 3_000;
        let silent = clocks(&mut hart, 50_000, &mut Silent);
        assert!(silent < few, "{}: {silent}", config.name);
        let told = clocks(&mut hart, 50_000, &mut Vec::<Event>::new());
        assert!(told < few, "{}: {told}", config.name);
        let snapshot = hart.snapshot();
        hart.run(hart.cycle() + 10_000, &mut Silent);
        hart.rewind(&snapshot);
        let again = clocks(&mut hart, 50_000, &mut Silent);
        assert!(again < few, "{}: {again}", config.name);
    }
}

/// A loop that stores next to its code in every round, and into it in some: `addi x8,x8,N` at `0xac` gets another N.
fn rewriting_loop() -> Vec<u8> {
    const CODE: [u32; 13] = [
        0x0004_0537, // lui x10,0x40
        0x4135_0513, // addi x10,x10,0x413: addi x8,x8,0
        0x0013_0313, // 88: addi x6,x6,1
        0x03f3_7393, // andi x7,x6,63
        0x0e60_2a23, // sw x6,0xf4(x0)
        0x0003_9c63, // bne x7,x0,0xac
        0x0143_1493, // slli x9,x6,20
        0x00a4_e4b3, // or x9,x9,x10
        0x0000_0013, // nop
        0x0a90_2623, // sw x9,0xac(x0)
        0x0000_100f, // fence.i
        0x0004_0413, // ac: addi x8,x8,0
        0xfd9f_f06f, // j 0x88
    ];
    let mut words = vec![0x13; 0x80 / 4];
    words.extend(CODE);
    // Code that is fetched after the jump.
    words.extend([0x13; 8]);
    let mut memory: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.resize(MEMORY as usize, 0);
    memory
}

/// Changed code is clocked again; stores next to it cause no clocking.
#[test]
fn code_that_changes_is_remembered_as_it_is() {
    let mut rng = Rng::with_seed(1);
    for config in cores::rv32().filter(|config| config.timing.is_some() && !config.halts) {
        let memory = rewriting_loop();
        for _ in 0..3 {
            compare_streams(&config, &memory, &mut rng);
        }
        let mut hart = Hart::new(config, surroundings(&memory, WaitStates::default()), 0);
        assert_eq!(hart.run(100_000, &mut Silent), Stop::Cycle);
        let [rounds, sum] = [hart.core().regs[6], hart.core().regs[8]];
        assert!(rounds > 2000 && sum != 0, "{}: {rounds}, {sum}", config.name);
        assert!(hart.clocked() < 30_000, "{}: {}", config.name, hart.clocked());
    }
}
