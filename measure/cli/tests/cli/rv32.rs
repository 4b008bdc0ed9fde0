//! Messages to users of RV32 boards.

pub(crate) mod programs;

use std::path::Path;
use std::process;

use report::Results;

use crate::{Desk, golden};
use programs::{EBREAK, EXIT, Program};

/// Runs a program on a board, and compares how it ends and what is said of it.
fn told(program: &Program, options: &str, code: i32, message: &str) {
    let desk = Desk::new().with("app.elf", program.elf());
    desk.run(&format!("run app.elf --limit 1000000 {options}"))
        .code(code)
        .stdout_eq("")
        .stderr_eq(golden(message));
}

#[test]
fn a_program_that_ends_in_good_order() {
    let desk = Desk::new().with("app.elf", Program::new(EXIT).elf());
    desk.run("run app.elf --board vexriscv-min").code(0).stderr_eq("");
}

#[test]
fn a_program_for_another_family_names_the_boards_that_run_it() {
    told(
        &Program::new(EXIT),
        "--board cortex-m3",
        2,
        "rv32-other-family.txt",
    );
}

#[test]
fn no_board_at_all() {
    told(&Program::new(EXIT), "", 2, "rv32-no-board.txt");
}

#[test]
fn a_program_for_rv64() {
    told(&Program::new(EXIT).wide(), "--board vexriscv-lite", 2, "rv64.txt");
}

#[test]
fn a_program_outside_the_memory_of_the_board() {
    told(
        &Program::new(EXIT).at(0x8000_0000),
        "--board vexriscv-lite",
        2,
        "rv32-outside.txt",
    );
}

#[test]
fn a_program_that_does_not_begin_where_the_core_does() {
    told(
        &Program::new(EXIT).at(0x8000_1000),
        "--board virt",
        2,
        "rv32-no-code.txt",
    );
}

#[test]
fn compressed_instructions_on_a_core_without_them() {
    // c.addi sp, -16; c.nop
    let program = Program::new(&[0x0001_1141]);
    told(&program, "--board vexriscv-lite", 3, "rv32-compressed.txt");
}

#[test]
fn a_multiplication_on_a_core_without_it() {
    // la t0, trap (4 instructions on); csrw mtvec, t0; mul a0, a0, a1; trap: j trap
    let program = Program::new(&[0x0100_0293, 0x3052_9073, 0x02b5_0533, EXIT[0], 0x0000_006f]);
    told(&program, "--board vexriscv-min", 3, "rv32-multiplication.txt");
}

#[test]
fn what_a_core_without_traps_cannot_do() {
    // csrw mtvec, t0; or waitirq a0
    let told = |instruction, message| {
        let program = Program::new(&[0x13, instruction]);
        told(&program, "--board picorv32", 3, message);
    };
    told(0x3052_9073, "rv32-no-traps.txt");
    told(0x0800_450b, "rv32-own-interrupts.txt");
}

#[test]
fn an_interrupt_for_a_core_that_takes_none() {
    let spec = "elf = \"app.elf\"\nboard = \"picorv32\"\n[[span]]\nid = \"t/a\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n\
                [[raise]]\nirq = \"MachineTimer\"\nat = 9\n";
    let desk = Desk::new()
        .with("app.elf", Program::new(EXIT).elf())
        .with("spec.toml", spec);
    desk.run("measure spec.toml")
        .code(2)
        .stderr_eq(golden("rv32-no-interrupts.txt"));
}

#[test]
fn a_trace_tells_what_an_instruction_waited_for() {
    // addi a0, zero, 7; div a1, a0, a0; and the end
    let code = [&[0x0070_0513, 0x02a5_45b3], EXIT].concat();
    let desk = Desk::new().with("app.elf", Program::new(&code).at(0x80).elf());
    for (file, told) in [
        ("t.txt", " causes=issue:1,divide:"),
        ("t.jsonl", r#","causes":"issue:1,divide:"#),
    ] {
        desk.run(&format!("run app.elf --board ibex --trace {file}"))
            .code(0);
        let trace = std::fs::read_to_string(desk.path(file)).expect("it was written");
        let line = trace
            .lines()
            .find(|line| line.contains("0x00000084"))
            .expect("it retired");
        assert!(line.contains(told) && !trace.contains("wait-states"), "{trace}");
    }
}

#[test]
fn a_program_that_does_not_begin_where_ibex_does() {
    let short = &Program::new(EXIT);
    told(short, "--board ibex", 2, "rv32-not-at-reset.txt");
}

#[test]
fn a_breakpoint_without_a_debugger() {
    told(
        &Program::new(&[EBREAK]),
        "--board vexriscv-full",
        3,
        "rv32-breakpoint.txt",
    );
}

#[test]
fn an_endless_loop_with_a_limit() {
    // 1: addi a0, a0, 1; j 1b
    let program = Program::new(&[0x0015_0513, 0xffdf_f06f]);
    told(&program, "--board vexriscv-lite", 3, "rv32-limit.txt");
}

#[test]
fn a_sleep_from_which_nothing_wakes() {
    // 1: wfi; j 1b: it waits, or does nothing and spins.
    let program = Program::new(&[0x1050_0073, 0xffdf_f06f]);
    told(&program, "--board vexriscv-full", 3, "rv32-sleep.txt");
    told(&program, "--board vexriscv-min", 3, "rv32-sleep-spins.txt");
}

#[test]
fn an_access_to_a_peripheral_that_the_board_does_not_have() {
    // lui a0, 0xe0000; lw a0, 0(a0)
    let program = Program::new(&[0xe000_0537, 0x0005_2503]);
    told(&program, "--board vexriscv-lite", 3, "rv32-unmodelled.txt");
}

#[test]
fn a_jump_to_nowhere() {
    // lui a0, 0xa0000; jr a0
    let program = Program::new(&[0xa000_0537, 0x0005_0067]);
    told(&program, "--board vexriscv-lite", 3, "rv32-jump-to-nowhere.txt");
}

/// Builds `firmware/examples/c/crash.c`; false, and says so, where there is no compiler.
fn crash(desk: &Desk, address: &str) -> bool {
    const COMPILER: &str = "riscv64-unknown-elf-gcc";
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/examples/c");
    let sources = sources.canonicalize().expect("the examples");
    let mut gcc = process::Command::new(COMPILER);
    gcc.current_dir(&sources);
    gcc.args(["-march=rv32i", "-mabi=ilp32", "-Og", "-g", "-nostdlib"]);
    gcc.args(["-T", "link.ld", "-Wl,--no-warn-rwx-segments"]);
    gcc.arg(format!("-ffile-prefix-map={}=.", sources.display()));
    gcc.arg(format!("-DADDRESS={address}"));
    gcc.args(["start.S", "crash.c", "semihosting.c", "-lgcc", "-o"]);
    match gcc.arg(desk.path("app.elf")).output() {
        Err(error) => {
            skipped::skip(&format!("no {COMPILER}: {error}"));
            false
        }
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
            true
        }
    }
}

/// What depends on the compiler is `[..]` in these.
fn crashes(address: &str, message: &str) {
    let desk = Desk::new();
    if crash(&desk, address) {
        desk.run("run app.elf --board vexriscv-lite")
            .code(3)
            .stdout_eq("before\n")
            .stderr_eq(golden(message));
    }
}

#[test]
fn an_exception_in_a_c_program_shows_cause_registers_and_calls() {
    crashes("0x3", "rv32-c-exception.txt");
}

#[test]
fn an_access_to_nowhere_in_a_c_program_shows_the_calls() {
    crashes("0xa0000000", "rv32-c-nowhere.txt");
}

/// Enables source 10 of the PLIC of `virt` and loops; the handler claims, and ends if it was that source.
fn hears_source_10() -> Program {
    let mut code = vec![
        // lui t0, 0x80000; addi t0, t0, 56; csrw mtvec, t0
        0x8000_02b7,
        0x0382_8293,
        0x3052_9073,
        // lui t1, 0xc000; li t2, 1; sw t2, 40(t1): its priority
        0x0c00_0337,
        0x0010_0393,
        0x0273_2423,
        // lui t1, 0xc002; li t2, 1024; sw t2, 0(t1): enabled
        0x0c00_2337,
        0x4000_0393,
        0x0073_2023,
        // lui t1, 1; addi t1, t1, -2048; csrw mie, t1; csrsi mstatus, 8; 1: j 1b
        0x0000_1337,
        0x8003_0313,
        0x3043_1073,
        0x3004_6073,
        0x0000_006f,
        // The handler: lui t1, 0xc200; lw t2, 4(t1); addi t2, t2, -10; bnez t2, 1b
        0x0c20_0337,
        0x0043_2383,
        0xff63_8393,
        0xfe03_98e3,
    ];
    code.extend(EXIT);
    Program::new(&code).at(0x8000_0000)
}

#[test]
fn phases_on_rv32_are_as_that_many_runs() {
    // It spins from reset to the interrupt, which is longer than the machine waits for one that may not come.
    let measured = |raise: &str| {
        let text = format!(
            "elf = \"app.elf\"\nboard = \"virt\"\n[[span]]\nid = \"t/latency\"\nfrom = \"raise:PLIC:10\"\n\
             to = \"exception:MachineExternal\"\n[[raise]]\nirq = \"PLIC:10\"\n{raise}"
        );
        let desk = Desk::new()
            .with("app.elf", hears_source_10().elf())
            .with("spec.toml", text);
        desk.run("measure spec.toml --json out.json")
            .code(0)
            .stderr_eq("");
        Results::from_json(&desk.read("out.json"))
            .unwrap()
            .results
            .remove(0)
    };
    let all = measured("at = 70_000\nphases = 1500\n");
    let each = [0, 1, 2, 1024, 1025, 1498, 1499];
    let each = each.map(|phase| measured(&format!("at = {}\n", 70_000 + phase)));
    assert_eq!(all.count, 1500);
    assert_eq!(Some(all.min), each.iter().map(|row| row.min).min());
    assert_eq!(Some(all.max), each.iter().map(|row| row.max).max());
}

#[test]
fn a_source_of_the_plic_is_raised_by_its_number_and_by_its_peripheral() {
    let latency = |irq: &str| {
        let text = format!(
            "elf = \"app.elf\"\nboard = \"virt\"\nlimit = 100000\n[[span]]\nid = \"t/latency\"\nfrom = \"raise:{irq}\"\n\
             to = \"exception:MachineExternal\"\n[[raise]]\nirq = \"{irq}\"\nat = 1000\n"
        );
        let desk = Desk::new()
            .with("app.elf", hears_source_10().elf())
            .with("spec.toml", text);
        desk.run("measure spec.toml --json out.json")
            .code(0)
            .stderr_eq("");
        let results = Results::from_json(&desk.read("out.json")).unwrap().results;
        (results[0].count, results[0].max)
    };
    let (count, cycles) = latency("PLIC:10");
    assert_eq!(count, 1);
    assert!((4..30).contains(&cycles), "{cycles} cycles");
    assert_eq!(latency("UART"), (1, cycles));
}

/// The windows of a run that ended by itself cover all of it, and what ended it is among them.
#[test]
fn a_trace_ends_where_the_run_does() {
    // lui a0, 0xfff00; li a1, 0; nop; sw a1, 0(a0): the way out through the ports; nop; nop; j .
    let store = [0xfff0_0537, 0x0593, 0x13, 0x00b5_2023, 0x13, 0x13, 0x6f];
    for board in [
        "vexriscv-min",
        "vexriscv-lite",
        "vexriscv-full",
        "vexriscv-imac",
        "ibex",
        "ibex-wb",
        "picorv32",
    ] {
        let base = if board.starts_with("ibex") { 0x80 } else { 0 };
        for (code, last) in [(EXIT, "semihost"), (&store, "sw a1,0(a0)")] {
            let desk = Desk::new().with("app.elf", Program::new(code).at(base).elf());
            let run = desk
                .run(&format!("run app.elf --board {board} --stats --trace t.jsonl"))
                .code(0);
            let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
            let trace = desk.read("t.jsonl");
            let ends = trace.lines().filter_map(|line| {
                let event: serde_json::Value = serde_json::from_str(line).unwrap();
                event["end"].as_u64()
            });
            let end = ends.max().unwrap();
            assert!(
                text.contains(&format!("\ncycles: {end}\n")),
                "{board}: {end}, {text}"
            );
            assert!(trace.contains(last), "{board}: {trace}");
        }
    }
}

/// A stretch is masked from the instruction that the program does it with; a trap's handler is none, nor what reset masks.
#[test]
fn a_trace_and_a_profile_tell_where_interrupts_are_masked() {
    const NOP: u32 = 0x13;
    const MASK: u32 = 0x3004_7073; // csrci mstatus, 8
    const LET_IN: u32 = 0x3004_6073; // csrsi mstatus, 8
    const ECALL: u32 = 0x73;
    // li t0, 0x100; csrw mtvec, t0
    let mut code = vec![0x1000_0293, 0x3052_9073, NOP, ECALL, LET_IN, ECALL, NOP];
    code.extend([MASK, NOP, NOP, NOP, LET_IN, NOP, MASK, ECALL, NOP, LET_IN, NOP]);
    code.extend(EXIT);
    for board in [
        "vexriscv-imac",
        "vexriscv-full",
        "vexriscv-linux",
        "ibex",
        "ibex-wb",
    ] {
        let base: u32 = if board.starts_with("ibex") { 0x80 } else { 0 };
        let mut code = code.clone();
        code.resize((0x100 - base as usize) / 4, NOP);
        // csrr t1, mepc; addi t1, t1, 4; csrw mepc, t1; mret
        code.extend([0x3410_2373, 0x0043_0313, 0x3413_1073, 0x3020_0073]);
        let desk = Desk::new().with("app.elf", Program::new(&code).at(base).elf());
        desk.run(&format!("run app.elf --board {board} --trace t.jsonl"))
            .code(0);
        let changes: Vec<_> = desk
            .read("t.jsonl")
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .filter(|event| event["mask"] == "MIE")
            .map(|event| (event["pc"].clone(), event["new"].as_u64().unwrap()))
            .collect();
        let at = |index: u32| format!("{:#010x}", base + 4 * index);
        let expected = [(7, 1), (11, 0), (13, 1), (16, 0)].map(|(index, new)| (at(index).into(), new));
        assert_eq!(changes, expected, "{board}");

        desk.run(&format!("profile app.elf --board {board} --json p.json"))
            .code(0);
        let profile: serde_json::Value = serde_json::from_str(&desk.read("p.json")).unwrap();
        let masked = &profile["masked"];
        assert_eq!(masked["count"], 2, "{board}: {masked}");
        assert_eq!(
            masked["from"],
            at(13),
            "{board}: the one with a trap in it is longer"
        );
        assert_eq!(masked["to"], at(16), "{board}");
    }
}
