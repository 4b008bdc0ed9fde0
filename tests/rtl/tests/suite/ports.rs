//! Programs that raise interrupts through a device and sleep until they arrive. Their timing matches the Verilog's only if the device's
//! accesses are in the same cycles.

use crate::common::{FINISH, has_verilog, oracle, packaged};
use crate::programs::{entry, handlers, number};
use core_rv32::Config;
use fastrand::Rng;
use machine::cores;
use rtl::comparison::{context, first_difference};
use rtl::{Job, Oracle, Step, model};

const MEMORY: u32 = 0x4000;

/// sw or lw of a register at a port relative to x27.
fn store(register: u32, port: u32) -> u32 {
    port << 7 | 27 << 15 | register << 20 | 0x2023
}

fn load(register: u32, port: u32) -> u32 {
    port << 20 | 27 << 15 | register << 7 | 0x2003
}

/// Address of the handler.
const HANDLER: u32 = 0x10;
const VECTORED_HANDLER: u32 = 0x84;

/// A program with this body and a handler that lowers all lines. x8 points to data, x27 to the ports; x5 is 1.
fn program(config: &Config, body: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let mut code = if config.vectored {
        handlers(VECTORED_HANDLER)
    } else {
        // j 0x40; the handler is at 0x10.
        vec![0x0400_006f, 0x13, 0x13, 0x13]
    };
    if config.vectored {
        // j over the handler
        code.push(0x0140_006f);
    }
    code.extend([store(0, 4), store(0, 8), store(0, 12), 0x3020_0073]);
    code.resize(code.len().max(16), 0x13);
    // lui x27,0xfff00; lui x8,2; li x5,1; li x1,0x10; csrw mtvec,x1; li x1,-1; csrw mie,x1; csrw 0xbc0,x1; csrsi mstatus,8
    code.extend([0xfff0_0db7, 0x0000_2437, 0x0010_0293, 0x0100_0093, 0x3050_9073]);
    let external = if config.vectored { 0x13 } else { 0xbc00_9073 };
    code.extend([0xfff0_0093, 0x3040_9073, external, 0x3004_6073]);
    code.extend(body);
    code.extend(FINISH);
    code.push(0x6f);
    let mut memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.resize(MEMORY as usize, 0);
    memory
}

/// Instructions that raise interrupts, wait for them, and access memory in between.
fn body(config: &Config, rng: &mut Rng) -> Vec<u32> {
    let mut code = Vec::new();
    for _ in 0..400 {
        let port = 4 * rng.u32(1..4);
        match rng.u8(..24) {
            0 => code.push(store(5, port)),
            1 | 2 => code.push(load(10 + rng.u32(..3), port)),
            3 => code.push(store(0, port)),
            // sw x10,0(x8); lw x11,offset(x8); add x12,x10,x11; srai x10,x12,3; or x11,x11,x5
            4..8 => code.push(0x00a4_2023),
            8..12 => code.push(0x0004_2583 | rng.u32(..256) << 22),
            12..15 => code.push(0x00b5_0633),
            15..18 => code.push(0x4036_5513),
            18 if config.waits => code.extend([store(5, port), 0x1050_0073]),
            _ => code.push(0x0055_e5b3),
        }
    }
    code
}

/// A program in memory with this latency, and cycles per further word of a burst.
fn job(config: &Config, memory: Vec<u8>, [latency, beat]: [u32; 2]) -> Job {
    Job {
        reset_vector: entry(config),
        memory,
        latency,
        beat,
        limit: 40_000,
        ..Job::default()
    }
}

/// Checks that every instruction, the handler's included, retires in the same cycle as on the Verilog.
fn compare(config: Config, oracle: &Oracle, job: &Job, which: &str) {
    let handler = if config.vectored {
        VECTORED_HANDLER
    } else {
        HANDLER
    };
    let theirs = oracle.run(job).unwrap().stream;
    let theirs: Vec<Step> = theirs.iter().map(Step::from).collect();
    assert!(theirs.iter().any(|step| step.pc == handler), "the handler runs");
    let ours = model::run(config, job, theirs.len()).unwrap();
    if let Some(at) = first_difference(&ours, &theirs) {
        panic!(
            "{}, {which}, latency {}, instruction {at}:\n{}",
            config.name,
            job.latency,
            context(job, &ours, &theirs, at)
        );
    }
}

#[test]
fn devices_interrupt_as_on_the_verilog() {
    // The seed is fixed, so that the commit that changes a result is the one that fails.
    let seed = number("RTL_SEED", 1);
    let mut rng = Rng::with_seed(seed);
    for config in cores::rv32().filter(|config| has_verilog(config) && !config.halts) {
        let Some(oracle) = oracle(packaged(config.name).expect("the oracle has it")) else {
            return;
        };
        for round in 0..number("RTL_PROGRAMS", 10) {
            let memory = program(&config, body(&config, &mut rng));
            let waits = [rng.u32(..8) * rng.u32(..3), rng.u32(..5)];
            let which = format!("RTL_SEED={seed}, program {round}");
            compare(config, &oracle, &job(&config, memory, waits), &which);
        }
    }
}

#[test]
fn a_load_from_a_device_hastens_no_store_behind_it() {
    // A load, a store that raises a line, and a load from the same port are in flight together.
    let pieces = [load(10, 4), store(5, 8), load(11, 4)];
    let others = [0x00b5_0633, 0x4036_5513, 0x0055_e5b3];
    let body = || {
        let rounds = (0..24).map(|round| others.into_iter().cycle().take(8 + round % 7));
        rounds.flat_map(move |others| pieces.into_iter().chain(others))
    };
    for config in cores::rv32().filter(|config| has_verilog(config) && !config.halts) {
        let Some(oracle) = oracle(packaged(config.name).expect("the oracle has it")) else {
            return;
        };
        for latency in [0, 2, 5] {
            let job = job(&config, program(&config, body()), [latency, 1]);
            compare(config, &oracle, &job, "loads around a store");
        }
    }
}
