//! Compares the counters that a program reads, and where its time ends.

use crate::common::{FINISH, has_verilog, oracle, packaged, surroundings};
use crate::programs::entry;
use bus::{Memory, Region, WaitStates};
use core_rv32::{Config, Family, Hart, NotModelled, Stop, ibex, picorv32};
use events::Event;
use isa_rv32::Extension;
use machine::cores;
use rtl::Job;

/// nop; rdcycle x1; slli x0,x0,9; rdinstret x2; rdtime x3.
const PICORV32: [u32; 5] = [0x13, 0xc000_20f3, 0x0090_1013, 0xc020_2173, 0xc010_21f3];
/// lw x4,128(x0); csrr x1,mcycle; mul x4,x4,x4; csrr x2,minstret; c.nop; c.nop; csrwi mcycle,9; csrr x3,mcycle
const IBEX: [u32; 7] = [
    0x0800_2203,
    0xb000_20f3,
    0x0242_0233,
    0xb020_2173,
    0x0001_0001,
    0xb004_d073,
    0xb000_21f3,
];

/// csrwi minstret,3; nop; csrr x1,minstret; csrwi mcountinhibit,5; nop; csrr x2,mcycle; csrwi mcountinhibit,0; csrr x3,mcycle
const IBEX_STOPPED: [u32; 8] = [
    0xb021_d073,
    0x13,
    0xb020_20f3,
    0x3202_d073,
    0x13,
    0xb000_2173,
    0x3200_5073,
    0xb000_21f3,
];

/// Memory with the code and the end of a run at the core's start address, and that address.
fn placed(config: &Config, code: &[u32]) -> (Vec<u8>, u32) {
    let code = [code, &FINISH, &[0x6f]].concat();
    let start = entry(config);
    let mut memory = vec![0; start as usize];
    memory.extend(code.iter().flat_map(|word| word.to_le_bytes()));
    (memory, start)
}

/// The values of x1 to x3 that a program leaves on our core.
fn left(config: Config, code: &[u32], latency: u8) -> [u32; 3] {
    let (memory, start) = placed(&config, code);
    let wait = WaitStates {
        fetch: latency,
        read: latency,
        ..WaitStates::default()
    };
    let mut hart = Hart::new(config, surroundings(&memory, wait), start);
    assert_eq!(
        hart.run(200, &mut Vec::<Event>::new()),
        Stop::Cycle,
        "{}",
        config.name
    );
    let regs = &hart.core().regs;
    [regs[1], regs[2], regs[3]]
}

/// Compares them with the Verilog's, if it is available.
fn compare(config: Config, code: &[u32]) {
    let rtl = packaged(config.name).expect("the oracle has it");
    let Some(oracle) = oracle(rtl) else { return };
    let (memory, start) = placed(&config, code);
    for latency in 0..4 {
        let job = Job {
            reset_vector: start,
            memory: memory.clone(),
            latency,
            limit: 1000,
            ..Job::default()
        };
        let written = oracle.run(&job).unwrap().stream.into_iter();
        let mut theirs = [0; 3];
        for (register, value) in written.filter_map(|retired| retired.written) {
            if (1..=3).contains(&register) {
                theirs[usize::from(register) - 1] = value;
            }
        }
        let ours = left(config, code, latency as u8);
        assert_eq!(ours, theirs, "{}, latency {latency}", config.name);
    }
}

#[test]
fn the_counters_of_picorv32_are_those_of_the_verilog() {
    compare(picorv32::PICORV32, &PICORV32);
}

#[test]
fn the_counters_of_ibex_are_those_of_the_verilog() {
    for config in [ibex::IBEX, ibex::IBEX_WB] {
        compare(config, &IBEX);
        compare(config, &IBEX_STOPPED);
    }
}

/// A return through `csr` by the instruction `back`, to `beside` bytes after an instruction. Leaves the value read back from `csr` in x1,
/// and 5 and 6 in x2 and x3 if it returned to that instruction.
fn return_beside(beside: u32, csr: u32, back: u32) -> [u32; 11] {
    [
        // lui x5,2; addi x5,x5,-2048; csrs mstatus,x5: it stays in machine mode
        0x22b7,
        0x8002_8293,
        0x3002_a073,
        // auipc x5,0; addi x5,x5,24+beside; csrw CSR,x5; csrr x1,CSR
        0x297,
        (24 + beside) << 20 | 0x0002_8293,
        csr << 20 | 0x0002_9073,
        csr << 20 | 0x20f3,
        back,
        // li x2,1; li x2,5; li x3,6
        0x0010_0113,
        0x0050_0113,
        0x0060_0193,
    ]
}

/// `VexRiscv` fetches without looking at the bits of `mepc` and `sepc` that no instruction address can have.
#[test]
fn a_return_beside_an_instruction_goes_to_it() {
    let (machine, supervisor) = ((0x341, 0x3020_0073), (0x141, 0x1020_0073));
    let returns = |config: &Config| config.family == Family::VexRiscv && !config.halts;
    for config in cores::rv32().filter(|config| has_verilog(config) && returns(config)) {
        let aligned = if config.isa.has(Extension::C) { 2 } else { 4 };
        for beside in 1..aligned {
            for (csr, back) in [machine, supervisor] {
                if csr == machine.0 || config.supervisor {
                    let code = return_beside(beside, csr, back);
                    assert_eq!(left(config, &code, 0)[1..], [5, 6], "{}", config.name);
                    compare(config, &code);
                }
            }
        }
    }
}

#[test]
fn picorv32_halts_at_what_would_be_a_trap() {
    // ecall; lw x1,1(x0); csrw mtvec,x0; mret; fence.i
    for instruction in [0x73, 0x0010_2083, 0x3050_1073, 0x3020_0073, 0x100f] {
        let code = [0x13, instruction];
        let memory: Vec<u8> = code.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        let mut hart = Hart::new(
            picorv32::PICORV32,
            surroundings(&memory, WaitStates::default()),
            0,
        );
        let mut events: Vec<Event> = Vec::new();
        assert_eq!(hart.run(200, &mut events), Stop::Forever, "{instruction:#x}");
        assert_eq!((hart.core().pc, events.len()), (4, 1), "{instruction:#x}");
    }
}

#[test]
fn a_store_to_read_only_memory_stops_the_run() {
    // lui x1,0x20000; sw x0,0(x1)
    let code = [0x2000_00b7_u32, 0x0000_a023];
    for config in cores::rv32().filter(|config| config.timing.is_some()) {
        let start = entry(&config);
        let mut memory = vec![0; start as usize];
        memory.extend(code.iter().flat_map(|word| word.to_le_bytes()));
        let mut bus = surroundings(&memory, WaitStates::default());
        bus.add_memory(Memory::rom(Region::new("ROM", 0x2000_0000, 0x1000)));
        let mut hart = Hart::new(config, bus, start);
        let stop = hart.run(1000, &mut Vec::<Event>::new());
        let Stop::NotModelled(NotModelled::Device { region, .. }) = stop else {
            panic!("{}: {stop:?}", config.name);
        };
        assert_eq!((&*region, hart.core().pc), ("ROM", start + 4), "{}", config.name);
    }
}
