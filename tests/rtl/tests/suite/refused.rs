//! Checks accesses that a device does not model: the run stops at the accessing instruction, whatever later instructions are in flight.

use bus::{Device, DeviceError, Region, WaitStates};
use core_rv32::{Config, Hart, NotModelled, Stop};
use events::Event;
use fastrand::Rng;
use machine::cores;

use crate::common::{machine, surroundings};
use crate::programs::number;

const HANDLER: u32 = 0x10;
const START: u32 = 0x80;
/// Address of the device, and number of bytes that it models.
const DEVICE: u32 = 0x2000_0000;
const KNOWN: u32 = 0x400;

/// A device without registers from [`KNOWN`] on.
#[derive(Clone)]
struct Half;

impl Device for Half {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        answer(offset).map(|()| 7)
    }

    fn write(&mut self, offset: u32, _: u32, _: u32, _: u64) -> Result<(), DeviceError> {
        answer(offset)
    }
}

fn answer(offset: u32) -> Result<(), DeviceError> {
    if offset < KNOWN {
        Ok(())
    } else {
        Err(DeviceError::NotModelled(format!("a register at {offset:#x}")))
    }
}

fn device(wait: WaitStates) -> (Region, Box<dyn Device>) {
    let region = Region {
        wait,
        ..Region::new("half", DEVICE, 0x1000)
    };
    (region, Box::new(Half))
}

fn load(register: u32, base: u32, offset: u32) -> u32 {
    offset << 20 | base << 15 | register << 7 | 0x2003
}

fn store(register: u32, base: u32, offset: u32) -> u32 {
    (offset >> 5) << 25 | register << 20 | base << 15 | (offset & 31) << 7 | 0x2023
}

/// x8 points to data, x9 to the device. On cores with traps there are also calls, whose handler returns after them.
fn program(config: &Config, rng: &mut Rng) -> Vec<u8> {
    let traps = !config.halts && !config.vectored;
    // j START; at HANDLER: csrr x30,mepc; addi x30,x30,4; csrw mepc,x30; mret
    let mut code = vec![
        0x0800_006f,
        0x13,
        0x13,
        0x13,
        0x3410_2f73,
        0x004f_0f13,
        0x341f_1073,
        0x3020_0073,
    ];
    code.resize(START as usize / 4, 0x13);
    // lui x8,2; lui x9,0x20000
    code.extend([0x0000_2437, 0x2000_04b7]);
    if traps {
        // li x30,HANDLER; csrw mtvec,x30
        code.extend([HANDLER << 20 | 0x0f13, 0x305f_1073]);
    }
    for _ in 0..60 {
        let (register, offset) = (10 + rng.u32(..4), 4 * rng.u32(..0x100));
        code.push(match rng.u8(..20) {
            0..3 => load(register, 9, offset),
            3..6 => store(register, 9, offset),
            6 => load(register, 9, KNOWN + offset),
            7 => store(register, 9, KNOWN + offset),
            8..10 => load(register, 8, offset),
            10..12 => store(register, 8, offset),
            // mul, or ecall
            12 if config.isa.has(isa_rv32::Extension::M) => 0x02b5_0533 | register << 7,
            13 if traps => 0x73,
            // beq x10,x11,+8
            14 => 0x00b5_0463,
            // addi
            _ => rng.u32(..) << 20 | 10 << 15 | register << 7 | 0x13,
        });
    }
    code.extend([load(10, 9, KNOWN), 0x6f]);
    code.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn check(config: Config, memory: &[u8], waits: u8) {
    let mut expected = machine(config, memory);
    expected.pc = 0;
    let (region, half) = device(WaitStates::default());
    expected.bus.add_device(region, half);
    let what = (0..).find_map(|now| expected.step(now).err());
    let Some(NotModelled::Device { what, .. }) = what else {
        panic!("{what:?}");
    };
    let wait = WaitStates {
        fetch: waits,
        read: waits,
        write: waits,
        ..WaitStates::default()
    };
    let mut bus = surroundings(memory, wait);
    let (region, half) = device(wait);
    bus.add_device(region, half);
    let mut hart = Hart::new(config, bus, 0);
    let stop = hart.run(100_000, &mut Vec::<Event>::new());
    let place = format!("{}, {waits} wait states", config.name);
    let Stop::NotModelled(NotModelled::Device { what: theirs, .. }) = stop else {
        panic!("{place}: {stop:?}");
    };
    let again = hart.run(200_000, &mut Vec::<Event>::new());
    let is_same = matches!(&again, Stop::NotModelled(NotModelled::Device { what, .. }) if *what == theirs);
    assert!(is_same, "{place}: it stays where it is: {again:?}");
    let core = hart.core();
    assert_eq!((core.pc, theirs), (expected.pc, what), "{place}");
    let raw = core.bus.peek_word(core.pc).expect("code");
    if raw & 0x7f == 3 {
        // No instruction after a load completes before it. A store may already have left the pipeline.
        assert_eq!(core.regs, expected.regs, "{place}");
    }
}

#[test]
fn what_a_device_lacks_stops_the_run_where_it_was_asked_for() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    println!("RTL_SEED={seed}");
    for config in cores::rv32().filter(|config| config.timing.is_some()) {
        let mut rng = Rng::with_seed(seed);
        for _ in 0..20 * number("RTL_PROGRAMS", 10) {
            let memory = program(&config, &mut rng);
            check(config, &memory, rng.u8(..5));
        }
    }
}

/// An access, an ordinary instruction, and another access.
#[test]
fn an_access_behind_one_that_is_refused_is_not_made() {
    // lui x10,0x20000; sw x10,0x7f0(x10); nop; sw x10,0(x10)
    let code = [0x2000_0537, store(10, 10, 0x7f0), 0x13, store(10, 10, 0)];
    let memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    for config in cores::rv32().filter(|config| config.timing.is_some()) {
        for waits in 0..4 {
            check(config, &memory, waits);
        }
    }
}
