//! Nobody listening changes nothing: what is remembered of a pipeline comes to the same cycles as clocking it.

use crate::common::{has_verilog, surroundings};
use crate::loops;
use crate::privileged;
use crate::programs::{MEMORY, entry, number, program};
use bus::WaitStates;
use core_rv32::{Config, Family, Hart, Line, Stop};
use events::{Event, Flow, Interest, Pcs, Ranges, Silent, Sink};
use fastrand::Rng;
use machine::cores;

/// A program that begins again at its end, in a place where the handler and what sets the registers are behind it.
fn endless(config: &Config, rng: &mut Rng) -> Vec<u8> {
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

fn hart(config: Config, memory: &[u8], wait: WaitStates, pulses: &[(u64, Line)]) -> Hart {
    let mut hart = Hart::new(config, surroundings(memory, wait), entry(&config));
    for &(cycle, line) in pulses {
        hart.pulse(cycle, line);
    }
    hart
}

/// Everything that a program can see, and what comes next.
fn state(hart: &mut Hart) -> ((u64, u64), u32, [u32; 32], String, Vec<u8>) {
    let core = hart.core();
    let mut memory = vec![0; MEMORY as usize];
    assert!(core.bus.peek(0, &mut memory));
    let seen = (core.pc, core.regs, format!("{:?}", core.csrs));
    ((hart.cycle(), hart.retired()), seen.0, seen.1, seen.2, memory)
}

fn ahead(hart: &mut Hart) -> Vec<(u64, u32)> {
    let mut events: Vec<Event> = Vec::new();
    assert_eq!(hart.run(hart.cycle() + 1000, &mut events), Stop::Cycle);
    let retired = events.iter().filter_map(|event| match *event {
        Event::Retire(retire) => Some((retire.issued, retire.pc)),
        _ => None,
    });
    retired.collect()
}

fn compare(config: Config, memory: &[u8], rng: &mut Rng) {
    let latency = rng.u8(..8) * rng.u8(..3);
    let wait = WaitStates {
        fetch: latency,
        read: latency,
        write: rng.u8(..4) * latency,
        turn_around: 0,
        beat: rng.u8(..5),
        write_beat: 0,
    };
    let mut cycle = 0;
    let pulses: Vec<_> = (0..rng.usize(..20))
        .map(|_| {
            cycle += rng.u64(1..20_000);
            (
                cycle,
                if rng.bool() {
                    Line::Timer
                } else {
                    Line::External(rng.u8(..32))
                },
            )
        })
        .collect();
    let mut clocked = hart(config, memory, wait, &pulses);
    let mut quick = hart(config, memory, wait, &pulses);
    for _ in 0..4 {
        let until = clocked.cycle() + rng.u64(1..100_000);
        assert_eq!(clocked.run(until, &mut Vec::<Event>::new()), Stop::Cycle);
        assert_eq!(quick.run(until, &mut Silent), Stop::Cycle);
        let (theirs, ours) = (state(&mut clocked), state(&mut quick));
        assert!(
            theirs == ours,
            "{} {wait:?}: {:x?} but clocked {:x?}",
            config.name,
            (ours.0, ours.1, ours.2, ours.3),
            (theirs.0, theirs.1, theirs.2, theirs.3)
        );
        assert_eq!(ahead(&mut quick), ahead(&mut clocked), "{}", config.name);
    }
}

/// Keeps what it asked for, and pauses behind so many events.
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

/// What some listener wants to hear of.
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
        control: rng.bool(),
        writes: ranges(rng),
        reads: ranges(rng),
        fetch: rng.u8(..20) == 0,
    }
}

/// What is told does not depend on what is remembered, whoever listens to what, and however the run is cut.
fn compare_streams(config: Config, memory: &[u8], rng: &mut Rng) {
    let latency = rng.u8(..8) * rng.u8(..3);
    let wait = WaitStates {
        fetch: latency,
        read: latency,
        write: rng.u8(..4) * latency,
        turn_around: 0,
        beat: rng.u8(..5),
        write_beat: 0,
    };
    let mut cycle = 0;
    let pulses: Vec<_> = (0..rng.usize(..20))
        .map(|_| {
            cycle += rng.u64(1..20_000);
            let timer = rng.bool();
            let line = if timer {
                Line::Timer
            } else {
                Line::External(rng.u8(..32))
            };
            (cycle, line)
        })
        .collect();
    let mut clocked = hart(config, memory, wait, &pulses);
    let mut quick = hart(config, memory, wait, &pulses);
    clocked.set_remembering(false);
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
        let place = format!("{} {wait:?} {wanted:?} until {until}", config.name);
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

/// How many programs for each core, from which seed.
fn compare_all(name: &str) {
    let config = cores::rv32_named(name).expect("it is known");
    let seed = number("RTL_SEED", Rng::new().u64(..));
    println!("{name}: RTL_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    for _ in 0..number("RTL_PROGRAMS", 5) {
        let memory = endless(&config, &mut rng);
        compare(config, &memory, &mut rng);
        compare_streams(config, &memory, &mut rng);
        let memory = loops::endless(&config, &mut rng);
        compare(config, &memory, &mut rng);
        compare_streams(config, &memory, &mut rng);
        if config.supervisor && has_verilog(&config) || config.name == "vexriscv-secure" {
            let memory = privileged::program(&config, &mut rng);
            compare(config, &memory, &mut rng);
            compare_streams(config, &memory, &mut rng);
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
