//! Regression programs for values in which the model once differed from the Verilog: every written register, trap and bus write is
//! compared.

use crate::common::{FINISH, oracle, packaged};
use crate::programs::entry;
use core_rv32::{Config, Family};
use isa_rv32::Extension;
use machine::cores;
use rtl::comparison::{Difference, compare};
use rtl::{Change, Job, Line, model};

/// j 0x40 or, after a vector table, 0x84; with a handler that ends the run.
fn placed(config: &Config, code: &[u32]) -> Vec<u8> {
    let first = entry(config) as usize / 4;
    let mut words = vec![0x13; first];
    if config.vectored {
        words[..32].copy_from_slice(&crate::programs::handlers(0x90));
    }
    words.push(0x0400_006f);
    words.resize(first + 4, 0x13);
    words.extend(FINISH);
    words.resize(first + 16, 0x13);
    // li x5,0x10; csrw mtvec,x5: for a core without a vector table.
    let set_up = if config.vectored {
        [0x13, 0x13]
    } else {
        [0x0100_0293, 0x3052_9073]
    };
    words.extend(set_up.iter().chain(code).chain(&FINISH).chain(&[0x6f]));
    let mut memory: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    memory.resize(0x1000, 0);
    memory
}

pub(crate) fn job(config: &Config, code: &[u32], latency: u32, changes: Vec<Change>) -> Job {
    Job {
        reset_vector: entry(config),
        memory: placed(config, code),
        latency,
        changes,
        limit: 3000,
        ..Job::default()
    }
}

/// The value that the code leaves in a register of our core.
fn left(config: Config, code: &[u32], register: u8) -> u32 {
    let record = model::record(config, &job(&config, code, 0, Vec::new()), 3000).unwrap();
    let written = record.retired.iter().filter_map(|retired| retired.written);
    let mut values = written.filter(|&(rd, _)| rd == register);
    values.next_back().map_or(0, |(_, value)| value)
}

/// Checks that both sides agree, at three latencies.
fn same(config: Config, code: &[u32], changes: &[Change]) {
    let Some(oracle) = oracle(packaged(config.name).expect("the oracle has it")) else {
        return;
    };
    for latency in 0..3 {
        let job = job(&config, code, latency, changes.to_vec());
        if let Err(Difference(text)) = compare(&oracle, config, &job).unwrap() {
            panic!("{}, latency {latency}, {code:x?}:\n{text}", config.name);
        }
    }
}

fn with_verilog() -> impl Iterator<Item = Config> {
    cores::rv32().filter(|config| packaged(config.name).is_some() && !config.halts)
}

fn vexriscv() -> impl Iterator<Item = Config> {
    with_verilog().filter(|config| config.family == Family::VexRiscv)
}

#[test]
fn a_counter_that_was_written_is_not_counted_up_in_that_cycle() {
    // csrwi mcycle,0; csrr x1,mcycle; csrwi mcycleh,3; csrr x2,mcycle; csrwi minstret,7; csrr x3,minstret
    let code = [
        0xb000_5073,
        0xb000_20f3,
        0xb801_d073,
        0xb000_2173,
        0xb023_d073,
        0xb020_21f3,
    ];
    for config in with_verilog() {
        same(config, &code, &[]);
    }
    for name in ["vexriscv-full", "vexriscv-imac", "vexriscv-secure"] {
        assert_eq!(left(cores::rv32_named(name).unwrap(), &code, 1), 2, "{name}");
    }
}

#[test]
fn mcycle_begins_with_the_first_cycle() {
    // csrr x1,mcycle, as the first instruction
    for config in with_verilog() {
        same(config, &[0xb000_20f3], &[]);
    }
}

#[test]
fn what_protects_memory_reads_as_it_was_written() {
    // li x1,0x1f; csrrw x2,pmpcfg1,x1; csrrw x3,pmpaddr9,x1; csrrc x4,pmpcfg1,x1
    let code = [0x01f0_0093, 0x3a10_9173, 0x3b90_91f3, 0x3a10_b273];
    let config = cores::rv32_named("vexriscv-secure").unwrap();
    assert_eq!(
        [2, 3, 4].map(|register| left(config, &code, register)),
        [0x1f, 0x1f, 0]
    );
    same(config, &code, &[]);
}

#[test]
fn an_illegal_compressed_instruction_tells_nothing_and_a_breakpoint_all() {
    let config = cores::rv32_named("vexriscv-imac").unwrap();
    // c.fld, which the core lacks; c.ebreak
    for (halves, value) in [(0x0001_2000, 0), (0x0001_9002, 0x0010_0073)] {
        let record = model::record(config, &job(&config, &[halves], 0, Vec::new()), 3000).unwrap();
        assert_eq!(record.traps[0].value, value, "{halves:#x}");
        same(config, &[halves], &[]);
    }
}

#[test]
fn a_refused_instruction_of_debug_mode_is_counted_without_a_write_back_stage() {
    // csrwi minstret,0; dret. The trap ends the program, so the handler reads the count.
    for name in ["ibex", "ibex-wb"] {
        let config = cores::rv32_named(name).unwrap();
        let mut job = job(&config, &[0xb020_5073, 0x7b20_0073], 0, Vec::new());
        // At the handler: csrr x1,minstret; csrr x2,mepc
        let handler = [0xb020_20f3_u32, 0x3410_2173, FINISH[0], FINISH[1], 0x6f];
        job.memory[0x90..0xa4].copy_from_slice(&handler.map(u32::to_le_bytes).concat());
        let Some(oracle) = oracle(packaged(name).unwrap()) else {
            return;
        };
        if let Err(Difference(text)) = compare(&oracle, config, &job).unwrap() {
            panic!("{name}:\n{text}");
        }
    }
}

#[test]
fn what_stops_counting_is_counted_as_before() {
    // csrwi mcountinhibit,4; nop; csrr x1,minstret; csrwi mcountinhibit,0; nop; csrr x2,minstret
    let code = [0x3202_5073, 0x13, 0xb020_20f3, 0x3200_5073, 0x13, 0xb020_2173];
    for config in with_verilog().filter(|config| config.family == Family::Ibex) {
        same(config, &code, &[]);
    }
}

/// By its bits alone, an illegal instruction waits for registers, is predicted to jump, and flushes the instruction cache.
#[test]
fn an_illegal_instruction_takes_its_time_in_the_decode_stage() {
    // lw x17,0(x0) or a plain instruction, followed by: flw f4,344(x17); a backward branch with no valid condition; FENCE.I of an unknown
    // kind; an atomic operation of no valid width
    let before = [0x0000_2883, 0x0010_0893];
    let illegal = [
        0x1588_9207,
        0xfe2d_ae63,
        0x0000_300f,
        0x0000_700f,
        0x0a38_b02f,
        0x0318_a06b,
    ];
    for config in vexriscv() {
        for before in before {
            for illegal in illegal {
                same(config, &[0x13, before, illegal], &[]);
            }
        }
    }
}

/// With compressed instructions, the jump that it is predicted to be changes the decode stage's address while it still waits there.
#[test]
fn an_illegal_instruction_that_waits_can_lose_its_address() {
    let config = cores::rv32_named("vexriscv-imac").unwrap();
    // lw x17,0(x0); flw f4,344(x17)
    let code = [0x0000_2883, 0x1588_9207];
    let record = model::record(config, &job(&config, &code, 0, Vec::new()), 3000).unwrap();
    let own = 0x4c;
    assert_eq!(record.traps[0].epc, own + 0x8_9158);
    same(config, &code, &[]);
    // Without a wait it keeps its address.
    let record = model::record(config, &job(&config, &[0x13, 0x13, code[1]], 0, Vec::new()), 3000).unwrap();
    assert_eq!(record.traps[0].epc, own + 4);
}

/// A port reads back the value that the program wrote, whatever else drives its line.
#[test]
fn a_port_reads_as_it_was_written() {
    // lui x6,0xfff00; lw x1,4(x6); lw x2,12(x6); sw x5,4(x6); lw x3,4(x6)
    let code = [0xfff0_0337, 0x0043_2083, 0x00c3_2103, 0x0053_2223, 0x0043_2183];
    let raise = |line| Change {
        cycle: 1,
        line,
        level: true,
    };
    let changes = [raise(Line::Timer), raise(Line::External(3))];
    for config in with_verilog() {
        same(config, &code, &changes);
    }
}

/// A fetch from an unmapped address takes the bus's time.
#[test]
fn a_fetch_from_nowhere_takes_its_time() {
    // lui x6,0x40000; jalr x0,0(x6): enters the handler.
    let code = [0x4000_0337, 0x0003_0067];
    for config in with_verilog().filter(|config| config.refuses_fetch) {
        same(config, &code, &[]);
    }
}

#[test]
fn a_conditional_store_that_fails_writes_nothing() {
    // lui x6,2; sc.w x0,x5,(x6); sw x5,4(x6); lr.w x7,(x6); sc.w x0,x6,(x6)
    let code = [0x0000_0337, 0x1853_202f, 0x0053_2223, 0x1003_23af, 0x1863_202f];
    for config in with_verilog().filter(|config| config.isa.has(Extension::Zalrsc)) {
        let record = model::record(config, &job(&config, &code, 0, Vec::new()), 3000).unwrap();
        let written: Vec<u32> = record.writes.iter().map(|write| write.address).collect();
        assert_eq!(written[..2], [4, 0], "{}", config.name);
        same(config, &code, &[]);
    }
}
