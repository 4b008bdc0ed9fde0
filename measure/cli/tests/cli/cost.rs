//! `cyclescope cost`.

use std::path::Path;

use report::{Results, Row};
use serde_json::Value;

use crate::firmware::{EXIT, FLASH, Firmware, NOP, calling};
use crate::rv32::programs::{EXIT as RV32_EXIT, Program};
use crate::{Desk, golden};

/// `bl` to an instruction so many bytes behind it.
fn bl(offset: i32) -> [u16; 2] {
    let halfwords = (offset - 4) >> 1;
    [
        0xf000 | (halfwords >> 11 & 0x7ff) as u16,
        0xf800 | (halfwords & 0x7ff) as u16,
    ]
}

const BX_LR: u16 = 0x4770;
const FOREVER: u16 = 0xe7fe;

fn desk(app: &Firmware) -> Desk {
    Desk::new().with("app.elf", app.elf())
}

/// The rows of a command.
fn rows(desk: &Desk, command: &str) -> Vec<Row> {
    desk.run(&format!("cost app.elf {command} --json out.json"))
        .code(0);
    Results::from_json(&desk.read("out.json")).unwrap().results
}

fn row(app: &Firmware, command: &str) -> Row {
    let mut rows = rows(&desk(app), command);
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

/// Functions of every shape, in the instructions that every Cortex-M has; `base` is where the flash begins.
pub(crate) fn shapes(base: u32) -> Firmware {
    let main: Vec<u16> = [
        &[0x2003][..], // movs r0, #3
        &bl(34),       // recurse
        &[0x2000],     // movs r0, #0
        &bl(40),       // returns
        &[0x2001],     // movs r0, #1
        &bl(34),       // returns
        &bl(42),       // tail
        &[FOREVER, NOP, NOP, NOP, NOP, NOP],
    ]
    .concat();
    // push {lr}; subs r0, #1; beq 2f; bl recurse; 2: pop {pc}
    let recurse: Vec<u16> = [&[0xb500, 0x3801, 0xd001][..], &bl(-6), &[0xbd00]].concat();
    Firmware::at(base, &[&main])
        .function("recurse", &[&recurse])
        // cmp r0, #0; bne 2f; bx lr; nop; 2: bx lr
        .function("returns", &[&[0x2800, 0xd101, BX_LR, NOP, BX_LR]])
        // b returns
        .function("tail", &[&[0xe7f8]])
}

/// The same for an RV32 core with memory at 0 and above: `main` calls `work`.
pub(crate) fn rv32() -> Program {
    // lui sp, 0x10008; li a0, 3; jal work
    let main = [0x1000_8137, 0x0030_0513, 0x01c0_00ef];
    // addi sp, sp, -16; sw ra, 12(sp); lw a1, 12(sp); add a0, a0, a1; lw ra, 12(sp); addi sp, sp, 16; ret
    let work = [
        0xff01_0113,
        0x0011_2623,
        0x00c1_2583,
        0x00b5_0533,
        0x00c1_2083,
        0x0101_0113,
        0x0000_8067,
    ];
    Program::new(&[&main, RV32_EXIT, &work].concat())
        .function("main", 0, 0x24)
        .function("work", 0x24, 0x1c)
}

#[test]
fn each_core_is_told_with_cycles_time_and_evidence() {
    let all = "recurse returns tail --stack";
    for (board, base) in [("samd20", 0), ("stm32f100rb", FLASH), ("stm32f407-168mhz", FLASH)] {
        desk(&shapes(base))
            .run(&format!("cost app.elf {all} --board {board}"))
            .code(0)
            .stderr_eq("")
            .stdout_eq(golden(&format!("cost-{board}.out")));
    }
    Desk::new()
        .with("app.elf", rv32().elf())
        .run("cost app.elf work --stack --board vexriscv-full")
        .code(0)
        .stderr_eq("")
        .stdout_eq(golden("cost-vexriscv-full.out"));
}

#[test]
fn a_call_costs_what_a_span_between_its_ends_does() {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f407-168mhz\"\n[[span]]\nid = \"a/points\"\nfrom = \"work\"\n\
                to = \"main+0x4\"\n[[span]]\nid = \"a/calls\"\nfunction = \"work\"\n";
    let desk = desk(&calling()).with("spec.toml", spec);
    desk.run("measure spec.toml --json out.json")
        .code(0)
        .stderr_eq("");
    let measured = Results::from_json(&desk.read("out.json")).unwrap().results;
    let cost = rows(&desk, "work --board stm32f407-168mhz").remove(0);
    let figures = |row: &Row| (row.count, row.min, row.max, row.own, row.evidence);
    assert_eq!(figures(&measured[0]), figures(&cost));
    assert_eq!(figures(&measured[1]), figures(&cost));
    assert_eq!(cost.id, "cost/work");
    let time = cost.time_us.unwrap();
    assert!((time.max * 168.0).round() as i64 == cost.max && time.min <= time.mean);
}

#[test]
fn recursion_is_a_call_in_a_call() {
    let row = row(&shapes(FLASH), "recurse --stack --board stm32f100rb");
    assert_eq!((row.count, row.stack), (3, Some(12)));
    // Each is what it does itself, and the next one.
    assert!(row.max - row.min > row.min && row.own == row.max);
}

#[test]
fn either_return_ends_a_call_and_so_does_that_of_a_tail_call() {
    let rows = rows(&desk(&shapes(FLASH)), "returns tail --board stm32f100rb");
    // The third call is reached by the branch of `tail`, and both end at once.
    assert_eq!((rows[0].count, rows[1].count), (3, 1));
    assert!(rows[0].min < rows[0].max && rows[1].max > rows[0].max);
}

#[test]
fn an_interrupt_is_pre_emption_and_its_handler_a_call() {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0
    let enable: &[u16] = &[0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    let call: &[u16] = &bl(16);
    let app = Firmware::new(&[enable, call, EXIT])
        .function("work", &[&[NOP; 40], &[BX_LR]])
        .handler(22, "IRQ6", &[&[NOP, NOP, BX_LR]]);
    let desk = desk(&app);
    let alone = &rows(&desk, "work --board stm32f100rb")[0];
    let rows = rows(&desk, "work IRQ6 --board stm32f100rb --raise IRQ6@30");
    assert_eq!(
        (rows[0].own, rows[0].own + rows[0].preempted),
        (alone.max, rows[0].max)
    );
    // All of the interruption but its entry is the handler's.
    assert_eq!((rows[1].count, rows[1].own), (1, rows[1].max));
    assert!(rows[1].max > 3 && rows[0].preempted > rows[1].max);
}

#[test]
fn a_thread_that_yields_is_blocked_while_the_other_runs() {
    let thread: u16 = 0x60 + 96;
    let main: Vec<u16> = [
        &[0xf241, 0x0000, 0xf2c2, 0x0000, 0xf380, 0x8809][..], // psp = 0x2000_1000
        &[0xf640, 0x0100, 0xf2c2, 0x0100], // r1 = 0x2000_0800: the frame of the other thread
        &[0xf240, 0x0200 | (thread | 1), 0xf6c0, 0x0200], // r2 = where it begins
        &[0x618a, 0x2301, 0x061b, 0x61cb], // PC and xPSR in the frame
        &[0x2420, 0x0624, 0x6021],         // [0x2000_0000] = its frame
        &[0x2002, 0xf380, 0x8814, 0xf3bf, 0x8f6f], // from here on, this is a thread as well
        &bl(16),
        EXIT,
    ]
    .concat();
    assert_eq!(main.len(), 34);
    // mrs r0, psp; movs r2, #32; lsls r2, #24; ldr r3, [r2]; str r0, [r2]; msr psp, r3; bx lr
    let swap = &[
        0xf3ef, 0x8009, 0x2220, 0x0612, 0x6813, 0x6010, 0xf383, 0x8809, BX_LR,
    ];
    let app = Firmware::new(&[&main])
        // nop; svc 0; bx lr
        .function("hand_over", &[&[NOP, 0xdf00, BX_LR]])
        .handler(11, "SVCall", &[swap])
        .function("thread", &[&[NOP; 20], &bl(-68), &[FOREVER]]);
    let desk = desk(&app);
    let run = desk
        .run("cost app.elf hand_over SVCall --board stm32f100rb --json out.json")
        .code(0)
        .stderr_eq(golden("cost-unfinished.txt"));
    drop(run);
    let rows = Results::from_json(&desk.read("out.json")).unwrap().results;
    assert_eq!((rows[0].count, rows[0].unfinished, rows[1].count), (1, 1, 2));
    assert!(rows[0].blocked >= 20, "{:?}", rows[0]);
    assert_eq!(rows[0].own + rows[0].preempted + rows[0].blocked, rows[0].max);
    // A span between points is shared out in the same way.
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"a/points\"\nfrom = \"main+0x34\"\n\
                to = \"main+0x38\"\n";
    let desk = desk.with("spec.toml", spec);
    desk.run("measure spec.toml --json out.json")
        .code(0)
        .stderr_eq("");
    let points = &Results::from_json(&desk.read("out.json")).unwrap().results[0];
    assert_eq!(points.blocked, rows[0].blocked);
}

/// What `-msave-restore` makes of a prologue: a call that links by `t0` and leaves the caller's frame behind.
#[test]
fn a_call_that_links_by_t0_returns_there() {
    // lui sp, 0x10008; jal t0, save
    let main = [0x1000_8137, 0x01c0_02ef];
    // addi sp, sp, -16; sw ra, 12(sp); jr t0
    let save = [0xff01_0113, 0x0011_2623, 0x0002_8067];
    let program = Program::new(&[&main, RV32_EXIT, &save].concat())
        .function("main", 0, 0x20)
        .function("save", 0x20, 0xc);
    let desk = Desk::new().with("app.elf", program.elf());
    for board in ["vexriscv-full", "picorv32"] {
        let row = rows(&desk, &format!("save --board {board} --stack")).remove(0);
        assert_eq!(
            (row.count, row.unfinished, row.stack),
            (1, 0, Some(16)),
            "{board}"
        );
    }
}

#[test]
fn a_short_handler_that_is_tail_chained_has_its_time() {
    // movs r1, #0xc0; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0
    let enable: &[u16] = &[0x21c0, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    let app = Firmware::new(&[enable, &[NOP; 40], EXIT])
        .handler(22, "IRQ6", &[&[BX_LR]])
        .handler(23, "IRQ7", &[&[BX_LR]]);
    let raises = "--raise IRQ6@30 --raise IRQ7@30";
    let rows = rows(&desk(&app), &format!("IRQ6 IRQ7 --board stm32f100rb {raises}"));
    assert!(rows.iter().all(|row| row.time_us.is_some()), "{rows:?}");
}

#[test]
fn static_functions_of_one_name_are_told_apart_by_their_files() {
    let main: Vec<u16> = [&bl(20)[..], &bl(20), EXIT].concat();
    let app = Firmware::new(&[&main])
        .static_function("src/a.c", "helper", &[&[NOP, BX_LR]])
        .static_function("src/b.c", "helper", &[&[NOP, NOP, NOP, BX_LR]]);
    let desk = desk(&app);
    let ids = |command: &str| {
        let rows = rows(&desk, &format!("{command} --board stm32f100rb"));
        rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids("helper"), ["cost/src/a.c:helper", "cost/src/b.c:helper"]);
    assert_eq!(ids("b.c:helper"), ["cost/b.c:helper"]);
    desk.run("cost app.elf c.c:helper --board stm32f100rb").code(2);
    desk.run("disasm app.elf helper")
        .code(2)
        .stderr_eq(golden("disasm-two-symbols.txt"));
}

#[test]
fn a_handler_s_stack_has_its_frame_and_what_it_interrupted_has_not() {
    // movs r1, #0xc0; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0
    let enable: &[u16] = &[0x21c0, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    let call: &[u16] = &bl(16);
    // push {r4, lr}; pop {r4, pc}
    let pushes: &[u16] = &[0xb510, 0xbd10];
    let app = Firmware::new(&[enable, call, EXIT])
        .function("work", &[&[NOP; 40], &[BX_LR]])
        .handler(22, "IRQ6", &[pushes])
        .handler(23, "IRQ7", &[pushes]);
    let raises = "--raise IRQ6@40 --raise IRQ7@40";
    let rows = rows(
        &desk(&app),
        &format!("work IRQ6 IRQ7 --stack --board stm32f100rb {raises}"),
    );
    let stacks: Vec<_> = rows.iter().map(|row| row.stack.unwrap()).collect();
    assert_eq!(stacks, [0, 40, 40], "the second one is tail-chained");
}

#[test]
fn what_the_run_did_not_get_to_is_said_as_such() {
    let main: Vec<u16> = [&bl(8)[..], &bl(8)].concat();
    let app = Firmware::new(&[&main])
        .function("work", &[&[0xde00]])
        .function("later", &[&[BX_LR]]);
    let run = desk(&app)
        .run("cost app.elf work later --board stm32f100rb")
        .code(3);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        text.contains("the run failed at the first instruction of `work`"),
        "{text}"
    );
    assert!(
        text.contains("`later` was not called before the run failed"),
        "{text}"
    );
    assert!(!text.contains("inline"), "{text}");
}

#[test]
fn a_thread_of_an_rv32_program_is_blocked_as_well() {
    // Stacks at 0x1000_2000 and 0x1000_1000; what the other thread goes on with is at 0x1000_0000.
    let main = [
        0x1000_2137, // lui sp, 0x10002
        0x0480_0293, // li t0, handler
        0x3052_9073, // csrw mtvec, t0
        0x1000_0337, // lui t1, 0x10000
        0x1000_13b7, // lui t2, 0x10001
        0x0073_2023, // sw t2, 0(t1)
        0x0780_0393, // li t2, thread
        0x0073_2223, // sw t2, 4(t1)
        0x01c0_00ef, // jal hand_over
    ];
    // nop; ecall; ret
    let hand_over = [0x13, 0x73, 0x8067];
    let handler = [
        0x3410_23f3, // csrr t2, mepc
        0x0043_8393, // addi t2, t2, 4
        0x0003_2e03, // lw t3, 0(t1)
        0x0043_2e83, // lw t4, 4(t1)
        0x0083_2f03, // lw t5, 8(t1)
        0x0023_2023, // sw sp, 0(t1)
        0x0073_2223, // sw t2, 4(t1)
        0x0013_2423, // sw ra, 8(t1)
        0x341e_9073, // csrw mepc, t4
        0x000e_0113, // mv sp, t3
        0x000f_0093, // mv ra, t5
        0x3020_0073, // mret
    ];
    // jal hand_over; j .
    let thread = [&[0x13; 10][..], &[0xf9df_f0ef, 0x6f]].concat();
    let program = Program::new(&[&main, RV32_EXIT, &hand_over, &handler, &thread].concat())
        .function("main", 0, 0x3c)
        .function("hand_over", 0x3c, 0xc)
        .function("handler", 0x48, 0x30)
        .function("thread", 0x78, 0x30);
    let desk = Desk::new().with("app.elf", program.elf());
    let rows = rows(&desk, "hand_over handler --board vexriscv-full");
    assert_eq!((rows[0].count, rows[0].unfinished, rows[1].count), (1, 1, 2));
    assert!(rows[0].blocked >= 10, "{:?}", rows[0]);
    assert_eq!(rows[0].own + rows[0].preempted + rows[0].blocked, rows[0].max);
}

#[test]
fn a_call_that_is_abandoned_does_not_count() {
    // movs r4, #2; again: bl leave; exit
    let main: Vec<u16> = [&[0x2402][..], &bl(18), EXIT].concat();
    let app = Firmware::new(&[&main, &[NOP]])
        // push {lr}; subs r4, #1; beq 2f; add sp, #4; b again; 2: pop {pc}
        .function("leave", &[&[0xb500, 0x3c01, 0xd001, 0xb001, 0xe7f1, 0xbd00]]);
    let row = row(&app, "leave --board stm32f100rb");
    assert_eq!((row.count, row.unfinished), (1, 1));
    assert!(row.max < 12, "only the second one: {}", row.max);
}

#[test]
fn a_loop_at_the_first_instruction_is_one_call() {
    // movs r0, #9; bl wait
    let main: Vec<u16> = [&[0x2009][..], &bl(18), EXIT].concat();
    // wait: subs r0, #1; bne wait; bx lr
    let app = Firmware::new(&[&main, &[NOP]]).function("wait", &[&[0x3801, 0xd1fd, BX_LR]]);
    let row = row(&app, "wait --board stm32f100rb");
    assert_eq!((row.count, row.unfinished), (1, 0));
}

#[test]
fn what_is_not_measured_is_said() {
    let desk = desk(&shapes(FLASH));
    for (command, code, message) in [
        ("recurs", 2, "cost-no-function.txt"),
        ("main", 2, "cost-never-returned.txt"),
        ("IRQ7 returns", 2, "cost-no-such-function.txt"),
        ("returns --raise IRQ6", 2, "cost-no-cycle.txt"),
    ] {
        desk.run(&format!("cost app.elf {command} --board stm32f100rb"))
            .code(code)
            .stderr_eq(golden(message));
    }
}

#[test]
fn a_run_that_does_not_end_ends_with_the_last_call() {
    // again: bl work; b again
    let main: Vec<u16> = [&bl(8)[..], &[0xe7fc, NOP]].concat();
    let app = Firmware::new(&[&main]).function("work", &[&[NOP, BX_LR]]);
    let row = row(&app, "work --count 7 --board stm32f100rb");
    assert_eq!(row.count, 7);
    desk(&app)
        .run("cost app.elf work --limit 5000 --board stm32f100rb")
        .code(3)
        .stderr_eq(golden("cost-limit.txt"));
}

/// The repository's own programs, as far as they were built, with a board that runs each.
pub(crate) fn built() -> Vec<(Vec<u8>, &'static str)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/firmware");
    let programs = [
        ("thumbv6m-none-eabi/cores-coremark-like.elf", "samd20"),
        ("cores-coremark-like.elf", "stm32f100rb"),
        (
            "thumbv7em-none-eabihf/cores-coremark-like.elf",
            "stm32f407-168mhz",
        ),
    ];
    let read = |(name, board)| match std::fs::read(folder.join(name)) {
        Ok(elf) => Some((elf, board)),
        Err(error) => {
            skipped::skip(&format!("no {name}: {error}"));
            None
        }
    };
    programs.into_iter().filter_map(read).collect()
}

/// What each call of the function at `entry` took, worked out from the trace of every instruction.
fn calls_in(trace: &str, entry: &str) -> Vec<u64> {
    let number = |event: &Value, key: &str| event[key].as_u64().unwrap();
    let address = |event: &Value, key: &str| {
        u32::from_str_radix(event[key].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    };
    let (mut totals, mut open): (Vec<u64>, Option<(u64, u32, u32)>) = (Vec::new(), None);
    let mut before: Option<(u32, u32)> = None;
    for line in trace.lines().filter(|line| line.contains(r#""event":"retire""#)) {
        let event: Value = serde_json::from_str(line).unwrap();
        let (pc, issued) = (address(&event, "pc"), number(&event, "issued"));
        let (caller, sp) = before.unwrap_or_default();
        if let Some((began, ..)) = open.filter(|call| (call.1, call.2) == (pc, sp)) {
            totals.push(issued - began);
            open = None;
        }
        if event["pc"] == entry {
            // A `bl` of four bytes leads there.
            open = Some((issued, caller + 4, sp));
        }
        before = Some((pc, address(&event, "sp")));
    }
    totals
}

#[test]
fn calls_of_real_firmware_are_those_that_a_trace_of_it_shows() {
    for (elf, board) in built() {
        let desk = Desk::new().with("app.elf", elf);
        let listing = desk.run("disasm app.elf crc_word").code(0);
        let listing = String::from_utf8_lossy(&listing.get_output().stdout).into_owned();
        let entry = format!("0x{}", listing.split_whitespace().next().unwrap());
        desk.run(&format!(
            "run app.elf --board {board} --limit 60000 --trace t.jsonl"
        ));
        let calls = calls_in(&desk.read("t.jsonl"), &entry);
        assert!(calls.len() > 3, "{board}: {}", calls.len());
        let count = calls.len() as u64;
        let row = rows(&desk, &format!("crc_word --board {board} --count {count}")).remove(0);
        let (min, max) = (calls.iter().min().unwrap(), calls.iter().max().unwrap());
        assert_eq!(
            (row.count, row.min as u64, row.max as u64),
            (count, *min, *max),
            "{board}"
        );
        let sum = (row.mean * 1e3).round() as u64;
        assert_eq!(
            sum,
            (1000 * calls.iter().sum::<u64>() + count / 2) / count,
            "{board}"
        );
    }
}

/// Two names of one place are both called.
#[test]
fn a_place_with_two_names_is_called_by_both() {
    let desk = Desk::new().with("app.elf", calling().elf());
    let once = desk
        .run("cost app.elf work --board stm32f100rb --json one.json")
        .code(0);
    drop(once);
    let twice = desk
        .run("cost app.elf work work --board stm32f100rb --json two.json")
        .code(0);
    drop(twice);
    assert_eq!(
        desk.read("one.json"),
        desk.read("two.json"),
        "asked for twice, said once"
    );
}
