//! Whole runs of small programs: how they end, and what is said about it.

mod common;

use std::time::{Duration, Instant};

use common::{CODE, DATA, LIMIT, elf, flash, image, load, machine_on, program, run, with_literals};
use events::{Event, Silent};
use machine::{Allow, Board, Console, Exception, Machine, Options, Outcome};

const BKPT_SEMIHOSTING: u16 = 0xbeab;
const SELF_BRANCH: u16 = 0xe7fe;
const WFI: u16 = 0xbf30;

/// Reads the word at `address` in a function that is called by the reset handler.
fn reads(address: u32) -> Vec<u16> {
    // 0x40 bl 0x48; 0x44 b .; 0x46 nop; 0x48 push {r4, lr}; 0x4a ldr r1, =address; 0x4c ldr r0, [r1]; 0x4e pop {r4, pc}
    let code = [
        0xf000,
        0xf802,
        SELF_BRANCH,
        0xbf00,
        0xb510,
        load(1, 0x4a, 0),
        0x6808,
        0xbd10,
    ];
    with_literals(&code, &[address])
}

#[test]
fn a_program_ends_with_its_exit_code() {
    // r0 = SYS_EXIT, r1 = ADP_Stopped_ApplicationExit or ADP_Stopped_RunTimeError
    for (reason, expected) in [(0x2_0026, 0), (0x2_0023, 1)] {
        let code = [0x2018, load(1, CODE + 2, 0), BKPT_SEMIHOSTING, SELF_BRANCH];
        let (_, outcome, _) = run(&program(&with_literals(&code, &[reason]), &[]));
        assert!(
            matches!(outcome, Outcome::Exit { code } if code == expected),
            "{outcome:?}"
        );
    }
    // r0 = SYS_EXIT_EXTENDED, r1 = address of { reason, 42 }
    let code = [0x2020, load(1, CODE + 2, 0), BKPT_SEMIHOSTING];
    let (_, outcome, _) = run(&program(&with_literals(&code, &[DATA]), &[0x2_0026, 42]));
    assert!(matches!(outcome, Outcome::Exit { code: 42 }), "{outcome:?}");
}

/// LLVM's compare-and-swap at `-O0` has it, with two low registers.
#[test]
fn the_long_reach_comparison_of_two_low_registers_takes_one_cycle() {
    let cycles = |board: &str, comparison: u16, count: usize| {
        // movs r0, #5; movs r1, #5; the comparisons; bne over the end; r0 = SYS_EXIT, r1 = ADP_Stopped_ApplicationExit
        let mut code = vec![0x2005, 0x2105];
        code.extend(std::iter::repeat_n(comparison, count));
        code.extend([
            0xd104,
            0x2018,
            0x2102,
            0x0409,
            0x3126,
            BKPT_SEMIHOSTING,
            SELF_BRANCH,
        ]);
        let (mut machine, _) = machine_on(board, &program(&code, &[]));
        let outcome = machine.run(LIMIT, &mut Silent);
        assert!(
            matches!(outcome, Outcome::Exit { code: 0 }),
            "{board}: {outcome:?}"
        );
        machine.cycle()
    };
    for board in [
        "cortex-m0",
        "cortex-m0plus",
        "cortex-m3",
        "cortex-m4",
        "cortex-m4f",
    ] {
        let [few, many] = [4, 24].map(|count| cycles(board, 0x4508, count));
        assert_eq!(many - few, 20, "{board}");
        assert_eq!(many, cycles(board, 0x4288, 24), "{board}: as the short encoding");
    }
}

#[test]
fn a_run_can_be_cut_anywhere() {
    // adds r0, #1; b back
    let endless = program(&[0x3001, 0xe7fd], &[]);
    let (mut whole, _) = machine_on("cortex-m3", &endless);
    assert!(matches!(whole.run(200_000, &mut Silent), Outcome::Limit { .. }));
    let (mut pieces, _) = machine_on("cortex-m3", &endless);
    for limit in [1, 777, 65_537, 131_072, 200_000] {
        assert!(matches!(pieces.run(limit, &mut Silent), Outcome::Limit { .. }));
    }
    assert_eq!(
        whole.cortex_m().unwrap().regs.r,
        pieces.cortex_m().unwrap().regs.r
    );
    assert_eq!(whole.cycle(), pieces.cycle());
}

#[test]
fn a_run_can_be_cut_inside_an_it_block() {
    // adds r0, #1; lsls r1, r0, #31; itt mi; addmi r2, #1; addmi r3, #1; adds r4, #1; b back
    let endless = program(&[0x3001, 0x07c1, 0xbf44, 0x3201, 0x3301, 0x3401, 0xe7f8], &[]);
    let (mut whole, _) = machine_on("cortex-m3", &endless);
    whole.run(1000, &mut Silent);
    for (first, second) in (40..60).flat_map(|first| (1..40).map(move |more| (first, first + more))) {
        let (mut pieces, _) = machine_on("cortex-m3", &endless);
        for limit in [first, second, 1000] {
            pieces.run(limit, &mut Silent);
        }
        assert_eq!(
            whole.cortex_m().unwrap().regs.r,
            pieces.cortex_m().unwrap().regs.r,
            "cut at {first} and {second}"
        );
        assert_eq!(whole.cycle(), pieces.cycle(), "cut at {first} and {second}");
    }
}

#[test]
fn an_undescribed_access_names_block_and_place_and_says_how_to_allow_it() {
    let image = image(&elf(&[flash(0x0800_0000, &reads(0x4000_2818))]));
    let (mut machine, _) = machine_on("stm32f100rb", &image);
    let Outcome::NotModelled(report) = machine.run(LIMIT, &mut Silent) else {
        panic!("not modelled")
    };
    insta::assert_snapshot!(format!("{report}{}", report.hint().unwrap()));
    let allow: Allow = "0x40002800..0x40002c00".parse().unwrap();
    let options = Options {
        allow: vec![allow],
        ..Options::default()
    };
    let mut machine = Machine::new(&Board::find("stm32f100rb").unwrap(), &image, options).unwrap();
    assert!(
        matches!(machine.run(LIMIT, &mut Silent), Outcome::Stuck(_)),
        "it reads zero and goes on"
    );
}

#[test]
fn a_fault_without_end_is_a_crash_with_its_cause_and_calls() {
    let allow: Allow = "0x60000000..0x60000400=fault".parse().unwrap();
    let options = Options {
        allow: vec![allow],
        ..Options::default()
    };
    let image = program(&reads(0x6000_0010), &[]);
    let mut machine = Machine::new(&Board::find("cortex-m3").unwrap(), &image, options).unwrap();
    let Outcome::Crash(report) = machine.run(LIMIT, &mut Silent) else {
        panic!("a crash")
    };
    assert_eq!(report.backtrace[0].site.pc, 0x4c);
    insta::assert_snapshot!(report);
}

#[test]
fn a_fault_in_the_fault_handler_locks_up() {
    // udf #0 in the program and in the handler
    let mut part = flash(0, &[0xde00]);
    part.bytes[common::HANDLER as usize..][..2].copy_from_slice(&0xde01u16.to_le_bytes());
    let (_, outcome, _) = run(&image(&elf(&[part])));
    let Outcome::Crash(report) = outcome else {
        panic!("a crash")
    };
    assert!(report.locked_up);
    insta::assert_snapshot!(report);
}

/// Enables floating point, puts 1 into S0 and then executes UDF.
const FLOAT_THEN_UDF: [u16; 10] = [
    0xf64e, 0x5088, // movw r0, #0xed88
    0xf2ce, 0x0000, // movt r0, #0xe000: CPACR
    0xf44f, 0x0170, // mov.w r1, #0xf00000
    0x6001, // str r1, [r0]
    0xeeb7, 0x0a00, // vmov.f32 s0, #1.0
    0xde00, // udf #0
];

#[test]
fn a_crash_shows_floating_point_registers_that_are_in_use() {
    let image = program(&FLOAT_THEN_UDF, &[]);
    let mut machine = Machine::new(&Board::find("cortex-m4f").unwrap(), &image, Options::default()).unwrap();
    let Outcome::Crash(report) = machine.run(LIMIT, &mut Silent) else {
        panic!("a crash")
    };
    let float = report.float.expect("floating point is in use");
    assert_eq!(float.s[0], 0x3f80_0000, "never saved: still in the registers");
    assert_eq!(report.registers[13], 0x2000_1000, "behind the extended frame");
    insta::assert_snapshot!(report);
}

#[test]
fn bkpt_without_a_debugger_is_a_crash() {
    let (_, outcome, _) = run(&program(&[0xbe01, SELF_BRANCH], &[]));
    let Outcome::Crash(report) = outcome else {
        panic!("a crash")
    };
    insta::assert_snapshot!(report);
}

#[test]
fn a_spin_or_sleep_that_nothing_can_end_is_noticed() {
    let (machine, outcome, _) = run(&program(&[0xbf00, SELF_BRANCH], &[]));
    let Outcome::Stuck(report) = outcome else {
        panic!("stuck")
    };
    assert!(!report.asleep);
    assert!(machine.cycle() < LIMIT);
    let (_, outcome, _) = run(&program(&[WFI, 0xe7fd], &[]));
    let Outcome::Stuck(report) = outcome else {
        panic!("stuck")
    };
    assert!(report.asleep);
}

#[test]
fn an_interrupt_that_is_still_to_come_ends_a_spin() {
    let spin = program(&[SELF_BRANCH], &[]);
    let (mut machine, _) = machine_on("cortex-m3", &spin);
    machine.raise(Exception::NMI, 500_000);
    let mut events: Vec<Event> = Vec::new();
    let outcome = machine.run(LIMIT, &mut events);
    assert!(
        matches!(outcome, Outcome::Stuck(_)),
        "NMI's handler spins too: {outcome:?}"
    );
    let entry = events.iter().find_map(|event| match event {
        Event::Enter(enter) if enter.exception == Exception::NMI => Some(enter.recognised),
        _ => None,
    });
    assert!((500_000..500_020).contains(&entry.unwrap()), "{entry:?}");
}

#[test]
fn an_unknown_request_is_named() {
    let (_, outcome, _) = run(&program(&[0x2012, BKPT_SEMIHOSTING, SELF_BRANCH], &[]));
    let Outcome::NotModelled(report) = outcome else {
        panic!("not modelled")
    };
    assert_eq!(report.what, "semihosting operation 0x12, SYS_SYSTEM");
    let (_, outcome, _) = run(&program(&[0x2077, BKPT_SEMIHOSTING, SELF_BRANCH], &[]));
    let Outcome::NotModelled(report) = outcome else {
        panic!("not modelled")
    };
    assert_eq!(
        report.what,
        "semihosting operation 0x77, which the specification does not define"
    );
}

#[test]
fn a_uart_prints() {
    // ldr r0, =UART0 data; movs r1, 'h'; strb r1, [r0]; movs r1, 'i'; strb r1, [r0]; b .
    let code = [load(0, CODE, 0), 0x2168, 0x7001, 0x2169, 0x7001, SELF_BRANCH];
    let (mut machine, captured) = machine_on(
        "lm3s6965evb",
        &program(&with_literals(&code, &[0x4000_c000]), &[]),
    );
    machine.run(LIMIT, &mut Silent);
    assert_eq!(captured.text(), "hi");
}

/// Counts in RAM: ldr r1, =DATA; loop: ldr r0, [r1]; adds r0, #1; str r0, [r1]; b loop
fn counter() -> Vec<u16> {
    with_literals(&[load(1, CODE, 0), 0x6808, 0x3001, 0x6008, 0xe7fb], &[DATA])
}

#[test]
fn two_runs_are_the_same_event_for_event() {
    let image = program(&counter(), &[]);
    let trace = || {
        let (mut machine, _) = machine_on("cortex-m3", &image);
        let mut events: Vec<Event> = Vec::new();
        machine.run(10_000, &mut events);
        (events, machine.cycle(), machine.peek_word(DATA))
    };
    assert_eq!(trace(), trace());
}

#[test]
fn a_snapshot_brings_back_registers_memory_and_time() {
    let (mut machine, _) = machine_on("cortex-m3", &program(&counter(), &[]));
    machine.run(1_000, &mut Silent);
    let snapshot = machine.snapshot();
    let finish = |machine: &mut Machine| {
        machine.run(5_000, &mut Silent);
        (
            machine.cycle(),
            machine.cortex_m().unwrap().regs.r,
            machine.peek_word(DATA),
        )
    };
    let first = finish(&mut machine);
    machine.restore(&snapshot);
    assert!(machine.peek_word(DATA) < first.2);
    assert_eq!(finish(&mut machine), first);
}

#[test]
fn restoring_is_quick_on_a_board_with_much_memory() {
    let (mut machine, _) = machine_on("mps2-an385", &program(&counter(), &[]));
    machine.run(1_000, &mut Silent);
    let snapshot = machine.snapshot();
    let once = |machine: &mut Machine| {
        machine.run(2_000, &mut Silent);
        let start = Instant::now();
        machine.restore(&snapshot);
        start.elapsed()
    };
    // The best of many: other work on the host only ever adds.
    let best = (0..50).map(|_| once(&mut machine)).min().unwrap();
    assert!(best < Duration::from_micros(500), "{best:?}");
}

#[test]
fn output_goes_where_the_caller_says() {
    // r0 = SYS_WRITE0, r1 = text
    let code = [0x2004, load(1, CODE + 2, 0), BKPT_SEMIHOSTING, SELF_BRANCH];
    let text = u32::from_le_bytes(*b"abc\0");
    let image = program(&with_literals(&code, &[DATA]), &[text]);
    let (_, _, output) = run(&image);
    assert_eq!(output, "abc");
    let options = Options {
        console: Console::none(),
        ..Options::default()
    };
    let mut machine = Machine::new(&Board::find("cortex-m3").unwrap(), &image, options).unwrap();
    assert!(matches!(machine.run(LIMIT, &mut Silent), Outcome::Stuck(_)));
}

/// An address that no STM32F407 has is a bus fault, as on the chip, and the report says that nothing is there; a peripheral that the board
/// lacks is told as that.
#[test]
fn a_wild_pointer_is_a_bus_fault_and_a_missing_peripheral_is_none() {
    let on = |address: u32| {
        let file = elf(&[flash(0x0800_0000, &reads(address))]);
        let (mut machine, _) = machine_on("stm32f407", &image(&file));
        machine.run(LIMIT, &mut Silent)
    };
    for wild in [0xdead_beec, 0x0f00_0000, 0x2002_0000, 0x3000_0000, 0xc000_0000] {
        let Outcome::Crash(report) = on(wild) else {
            panic!("{wild:#x}: {:?}", on(wild));
        };
        assert_eq!(report.nowhere, Some(wild));
        let told = format!("{wild:#010x}: the chip has nothing there; a wild pointer?");
        assert!(report.to_string().contains(&told), "{report}");
    }
    for named in [0x4000_6400, 0x4000_fc00, 0xa000_0000, 0x1fff_0000] {
        let outcome = on(named);
        assert!(
            matches!(outcome, Outcome::NotModelled(_)),
            "{named:#x}: {outcome:?}"
        );
    }
}

/// Nor is there any code: a call through such a pointer is a bus fault of its own.
#[test]
fn a_call_through_a_wild_pointer_is_a_bus_fault() {
    // ldr r0, =address; bx r0
    let code = with_literals(&[load(0, CODE, 0), 0x4700], &[0x3000_0001]);
    let (mut machine, _) = machine_on("stm32f407", &image(&elf(&[flash(0x0800_0000, &code)])));
    let Outcome::Crash(report) = machine.run(LIMIT, &mut Silent) else {
        panic!("no crash");
    };
    assert_eq!(report.nowhere, Some(0x3000_0000));
}

/// Whatever the jump is, a core that jumps to where it is does not sleep.
#[test]
fn an_endless_loop_of_one_instruction_is_no_sleep() {
    // adr r0, spin + 1 by ADD to PC; mov lr, r0; spin: bx lr
    let returns = [0x4678, 0x3005, 0x4686, 0xbf00, 0x4770];
    let branches = [SELF_BRANCH];
    let sleeps = [WFI, SELF_BRANCH];
    for (code, asleep) in [(&returns[..], false), (&branches[..], false), (&sleeps[..], true)] {
        let (_, outcome, _) = run(&program(code, &[]));
        let Outcome::Stuck(report) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(report.asleep, asleep, "{report}");
        let words = if asleep {
            "the program sleeps"
        } else {
            "spins in an endless loop"
        };
        assert!(report.to_string().contains(words), "{report}");
    }
}
