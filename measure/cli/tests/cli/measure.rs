//! `cyclescope measure`.

use report::{Results, Row};

use crate::firmware::{EXIT, Firmware, NOP, RAM};
use crate::{Desk, golden};

/// `main` enables IRQ6 and runs into `work`, forty NOPs, and `done`. IRQ6 counts in `count`.
fn interruptible() -> Firmware {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0
    let enable = [0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    // movw r0, #0; movt r0, #0x2000; ldr r1, [r0]; adds r1, #1; str r1, [r0]; bx lr
    let count = [0xf240, 0x0000, 0xf2c2, 0x0000, 0x6801, 0x3101, 0x6001, 0x4770];
    Firmware::new(&[&enable])
        .function("work", &[&[NOP; 40]])
        .function("done", &[EXIT])
        .handler(22, "IRQ6", &[&count])
        .object("count", RAM)
}

/// A spec for `interruptible`.
fn spec(rest: &str) -> String {
    format!("elf = \"app.elf\"\nboard = \"stm32f100rb\"\n{rest}")
}

const WORK: &str = "[[span]]\nid = \"t/work\"\nfrom = \"work\"\nto = \"done\"\n";

fn desk(rest: &str) -> Desk {
    Desk::new()
        .with("app.elf", interruptible().elf())
        .with("spec.toml", spec(rest))
}

/// The rows that a spec gives.
fn rows(rest: &str) -> Vec<Row> {
    let desk = desk(rest);
    desk.run("measure spec.toml --json out.json")
        .code(0)
        .stderr_eq("");
    results(&desk)
}

/// What was measured.
fn results(desk: &Desk) -> Vec<Row> {
    Results::from_json(&desk.read("out.json")).unwrap().results
}

#[test]
fn straight_code() {
    let [row] = &rows(WORK)[..] else { panic!("one row") };
    assert_eq!((row.count, row.min, row.max, row.own), (1, 40, 40, 40));
    assert_eq!(
        (row.board.as_str(), row.core.as_str()),
        ("stm32f100rb", "cortex-m3")
    );
}

#[test]
fn an_interrupt_s_latency_over_its_phases() {
    // Everything is one NOP after the other here, so that each phase is like the first.
    let latency = "[[span]]\nid = \"t/latency\"\nfrom = \"raise:IRQ6\"\nto = \"exception:IRQ6\"\n";
    let raise = "[[raise]]\nirq = 6\nafter = \"work\"\ndelay = 4\nphases = 7\n";
    let [row] = &rows(&format!("{latency}{raise}"))[..] else {
        panic!("one row")
    };
    assert_eq!((row.count, row.min, row.max), (7, 12, 12));
}

#[test]
fn phases_are_as_that_many_runs() {
    let raise =
        |delay: u64, more: &str| format!("[[raise]]\nirq = 6\nafter = \"work\"\ndelay = {delay}\n{more}");
    // The span begins in front of the interrupt, and ends behind it.
    let single = |delay| {
        let desk = desk(&format!("{WORK}{}", raise(delay, "")));
        // There is a warning about the last ones, which come too late.
        desk.run("measure spec.toml --json out.json").code(0);
        results(&desk).remove(0)
    };
    let each: Vec<Row> = (30..45).map(single).collect();
    let all = rows(&format!("{WORK}{}", raise(30, "phases = 15\n"))).remove(0);
    assert_eq!(all.count, 15);
    assert_eq!(Some(all.min), each.iter().map(|row| row.min).min());
    assert_eq!(Some(all.max), each.iter().map(|row| row.max).max());
    let sum: f64 = each.iter().map(|row| row.mean).sum();
    assert!((all.mean - sum / 15.0).abs() < 1e-9);
    assert!(all.min < all.max, "the last ones come too late to count");
}

#[test]
fn every_phase_wakes_a_program_that_has_slept_for_long() {
    // As `interruptible` does, and then `wfi`.
    let sleep: &[u16] = &[0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001, 0xbf30];
    let asleep = Firmware::new(&[sleep, EXIT]).handler(22, "IRQ6", &[&[0x4770]]);
    let latency = "[[span]]\nid = \"t/latency\"\nfrom = \"raise:IRQ6\"\nto = \"exception:IRQ6\"\n";
    let raise = "[[raise]]\nirq = 6\nat = 70_000\nphases = 1500\n";
    let desk = Desk::new()
        .with("app.elf", asleep.elf())
        .with("spec.toml", spec(&format!("{latency}{raise}")));
    desk.run("measure spec.toml --json out.json")
        .code(0)
        .stderr_eq("");
    let [row] = &Results::from_json(&desk.read("out.json")).unwrap().results[..] else {
        panic!("one row")
    };
    assert_eq!((row.count, row.min), (1500, row.max));
}

#[test]
fn several_boards_in_one_spec() {
    let text = format!("elf = \"app.elf\"\nboards = [\"stm32f100rb\", \"cortex-m3\"]\n{WORK}");
    let desk = Desk::new()
        .with("app.elf", interruptible().elf())
        .with("spec.toml", text);
    let boards = |command: &str| {
        desk.run(command).code(0).stderr_eq("");
        let rows = Results::from_json(&desk.read("out.json")).unwrap().results;
        rows.into_iter().map(|row| row.board).collect::<Vec<_>>()
    };
    assert_eq!(
        boards("measure spec.toml --json out.json"),
        ["stm32f100rb", "cortex-m3"]
    );
    assert_eq!(
        boards("measure spec.toml --json out.json --board cortex-m3"),
        ["cortex-m3"]
    );
}

#[test]
fn a_board_file_is_beside_its_spec_or_where_the_command_runs() {
    let board = |name: &str| format!("like = \"stm32f100rb\"\nname = \"{name}\"\ndescription = \"mine\"\n");
    let text = format!("elf = \"app.elf\"\nboards = [\"mine.toml\", \"sub/other.toml\"]\n{WORK}");
    let desk = Desk::new()
        .with("sub/app.elf", interruptible().elf())
        .with("sub/spec.toml", text)
        .with("sub/mine.toml", board("beside"))
        .with("mine.toml", board("elsewhere"))
        .with("sub/other.toml", board("here"));
    desk.run("measure sub/spec.toml --json out.json")
        .code(0)
        .stderr_eq("");
    let boards: Vec<_> = results(&desk).into_iter().map(|row| row.board).collect();
    assert_eq!(boards, ["beside", "here"]);
    desk.run("measure sub/spec.toml --json sub/mine.toml").code(2);
}

#[test]
fn an_interrupt_is_pre_emption_and_leaves_the_own_cycles() {
    for when in ["after = \"work\"\ndelay = 10", "at = 30", "after = \"work+0x10\""] {
        let raise = format!("\n[[raise]]\nirq = 6\n{when}\n");
        let count = "\n[[span]]\nid = \"t/count\"\nvalue = \"count\"\n";
        let [row, counted] = &rows(&format!("{WORK}{count}{raise}"))[..] else {
            panic!("two rows")
        };
        assert_eq!((row.own, row.own + row.preempted), (40, row.max), "{when}");
        assert!(row.preempted > 20, "{when}: an entry and an exit take more");
        assert_eq!((counted.max, counted.own), (1, 1));
    }
}

#[test]
fn interrupts_come_at_the_cycle_that_the_spec_says() {
    let latency = "[[span]]\nid = \"t/latency\"\nfrom = \"work\"\nto = \"exception:EXTI0\"\n";
    let raised = |delay: u32| {
        let raise = format!("\n[[raise]]\nirq = \"EXTI0\"\nafter = \"work\"\ndelay = {delay}\n");
        rows(&format!("{latency}{raise}"))[0].max
    };
    let at_once = raised(0);
    for delay in 1..12 {
        assert_eq!(raised(delay), at_once + i64::from(delay), "delay {delay}");
    }
}

#[test]
fn every_interrupt_of_a_chain_is_placed() {
    // The second follows a point in the handler of the first, which only runs once the first is placed.
    let raises =
        "\n[[raise]]\nirq = 6\nafter = \"IRQ6\"\ndelay = 200\n\n[[raise]]\nirq = 6\nafter = \"work\"\n";
    let span = "[[span]]\nid = \"t/handler\"\nfrom = \"exception:IRQ6\"\nto = \"exception:IRQ6:exit\"\n";
    let text = spec(&format!("{span}{raises}"));
    let desk = Desk::new()
        .with("app.elf", long_work().elf())
        .with("spec.toml", text);
    desk.run("measure spec.toml --json out.json")
        .code(0)
        .stderr_eq("");
    let results = Results::from_json(&desk.read("out.json")).unwrap().results;
    assert_eq!((results[0].count, results[0].preempted), (2, 0));
}

/// The same with ten times the work, so that a later interrupt still finds it there.
fn long_work() -> Firmware {
    let enable = [0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    Firmware::new(&[&enable])
        .function("work", &[&[NOP; 400]])
        .function("done", &[EXIT])
        .handler(22, "IRQ6", &[&[NOP, 0x4770]])
}

#[test]
fn stack_bytes() {
    let span = "[[span]]\nid = \"t/frame\"\nunit = \"bytes\"\nfrom = \"work\"\nto = \"IRQ6\"\n\n\
                [[raise]]\nirq = 6\nafter = \"work\"\n";
    let [row] = &rows(span)[..] else { panic!("one row") };
    assert_eq!((row.max, row.unit), (32, report::Unit::Bytes));
}

#[test]
fn a_halt_drains_the_pipeline() {
    // movw r0, #0; movt r0, #0x2000; ldr r1, [r0]: the load waits a cycle for the address that MOVT leaves, unless the
    // debugger held the core in between.
    let code = [0xf240, 0x0000, 0xf2c2, 0x0000, 0x6801];
    let app = Firmware::new(&[&[0xbe01], &code, &[0xbe02], EXIT]).elf();
    let whole = "[[span]]\nid = \"t/whole\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n";
    let cycles = |other: &str| {
        let load = format!("[[span]]\nid = \"t/load\"\nfrom = \"{other}\"\nto = \"bkpt:2\"\n");
        let text = spec(&format!("{whole}{load}"));
        let desk = Desk::new().with("app.elf", &app).with("spec.toml", text);
        desk.run("measure spec.toml --json out.json")
            .code(0)
            .stderr_eq("");
        Results::from_json(&desk.read("out.json")).unwrap().results[0].max
    };
    assert_eq!(cycles("main+0xa") - cycles("halt:main+0xa"), 1);
}

#[test]
fn a_limit_that_is_exceeded_fails() {
    let desk = desk(&format!("{WORK}max = 39\n"));
    desk.run("measure spec.toml")
        .code(1)
        .stderr_eq(golden("max-exceeded.txt"));
    let desk = self::desk(&format!("{WORK}max = 40\n"));
    desk.run("measure spec.toml").code(0).stderr_eq("");
}

#[test]
fn nothing_measured_is_lost_when_one_span_fails() {
    let bad = "\n[[span]]\nid = \"t/bad\"\nfrom = \"wrok\"\nto = \"done\"\n\n\
               [[span]]\nid = \"t/never\"\nfrom = \"IRQ6\"\nto = \"done\"\n";
    let desk = desk(&format!("{bad}{WORK}"));
    let run = desk
        .run("measure spec.toml --json out.json")
        .code(2)
        .stderr_eq(golden("one-span-fails.txt"));
    run.stdout_eq(golden("one-span-fails.out"));
    assert_eq!(
        Results::from_json(&desk.read("out.json")).unwrap().results.len(),
        1
    );
}

#[test]
fn a_crash_keeps_what_was_measured_before_it() {
    let app = Firmware::new(&[&[0xbe01, NOP, 0xbe02, 0xde00]]).handler(3, "HardFault", &[&[0xe7fe]]);
    let span = "[[span]]\nid = \"t/nop\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n";
    let desk = Desk::new()
        .with("app.elf", app.elf())
        .with("spec.toml", spec(span));
    desk.run("measure spec.toml --json out.json").code(3);
    assert_eq!(
        Results::from_json(&desk.read("out.json")).unwrap().results[0].max,
        1
    );
}

#[test]
fn a_count_ends_the_run() {
    // loop: adds r0, #1; b loop, which never ends by itself
    let app = Firmware::new(&[&[NOP]]).function("again", &[&[0x3001, 0xe7fd]]);
    let span = "[[span]]\nid = \"t/round\"\nfrom = \"again\"\nto = \"again\"\ncount = 100\n";
    let desk = Desk::new()
        .with("app.elf", app.elf())
        .with("spec.toml", spec(span));
    desk.run("measure spec.toml --json out.json")
        .code(0)
        .stderr_eq("");
    let results = Results::from_json(&desk.read("out.json")).unwrap().results;
    assert_eq!((results[0].count, results[0].min), (100, results[0].max));
    let endless = spec(&span.replace("count = 100", "")).replace("board", "limit = 5000\nboard");
    let desk = desk.with("endless.toml", endless);
    desk.run("measure endless.toml")
        .code(3)
        .stderr_eq(golden("measure-limit.txt"));
}

#[test]
fn the_command_line_goes_before_the_spec() {
    let text = spec(WORK)
        .replace("app.elf", "other.elf")
        .replace("stm32f100rb", "mps2-an385");
    let desk = desk(WORK).with("other.toml", text);
    let run = "measure other.toml --elf app.elf --board cortex-m3 --json out.json";
    desk.run(run).code(0).stderr_eq("");
    assert_eq!(
        Results::from_json(&desk.read("out.json")).unwrap().results[0].board,
        "cortex-m3"
    );
}

#[test]
fn two_runs_write_the_same_bytes() {
    let desk = desk(WORK);
    desk.run("measure spec.toml --json one.json").code(0);
    desk.run("measure spec.toml --json two.json").code(0);
    assert_eq!(desk.read("one.json"), desk.read("two.json"));
}

#[test]
fn a_row_may_be_a_difference() {
    // What `work` takes beyond its first 0x10 bytes, eight NOPs.
    let base = "[[span]]\nid = \"t/base\"\nfrom = \"work\"\nto = \"work+0x10\"\n\n";
    let rest = "minus = \"t/base\"\n";
    let [base, rest] = &rows(&format!("{base}{WORK}{rest}"))[..] else {
        panic!("two rows")
    };
    assert_eq!((base.max, rest.max, rest.own), (8, 32, 32));
}

#[test]
fn a_difference_needs_what_it_is_taken_from() {
    let base = "[[span]]\nid = \"t/base\"\nfrom = \"work\"\nto = \"IRQ6\"\n\n";
    let desk = desk(&format!("{base}{WORK}minus = \"t/base\"\n"));
    desk.run("measure spec.toml --json out.json")
        .code(2)
        .stderr_eq(golden("no-base.txt"));
    assert!(
        Results::from_json(&desk.read("out.json"))
            .unwrap()
            .results
            .is_empty()
    );
}

#[test]
fn a_difference_is_of_one_unit() {
    let base = "[[span]]\nid = \"t/base\"\nfrom = \"work\"\nto = \"work+0x10\"\nunit = \"bytes\"\n\n";
    let run = desk(&format!("{base}{WORK}minus = \"t/base\"\n"))
        .run("measure spec.toml")
        .code(2);
    let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        told.contains("t/work is in cycles, and `t/base` in bytes"),
        "{told}"
    );
}

/// `main` enables IRQ6 and calls `work`; behind the call it is `done`.
fn documented() -> Firmware {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0; bl work
    let main = [0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001, 0xf000, 0xf806];
    Firmware::new(&[&main])
        .function("done", &[EXIT])
        .function("work", &[&[NOP; 39], &[0x4770]])
        .handler(22, "IRQ6", &[&[NOP, 0x4770]])
}

#[test]
fn the_examples_of_the_page_about_specs_run() {
    let page = include_str!("../../../../docs/spec.md");
    let examples: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        let desk = Desk::new()
            .with("app.elf", documented().elf())
            .with("spec.toml", example);
        desk.run("measure spec.toml --json out.json")
            .code(0)
            .stderr_eq("");
        let rows = Results::from_json(&desk.read("out.json")).unwrap().results;
        assert!(rows.len() >= 3, "{example}");
    }
}

#[test]
fn with_several_boards_a_message_names_its_board() {
    let spec = "elf = \"app.elf\"\nboards = [\"stm32f100rb\", \"cortex-m4\"]\n\
                [[span]]\nid = \"t/work\"\nfrom = \"work\"\nto = \"done\"\nmax = 39\n";
    let desk = Desk::new()
        .with("app.elf", interruptible().elf())
        .with("spec.toml", spec);
    let run = desk.run("measure spec.toml").code(1);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    for board in ["stm32f100rb", "cortex-m4"] {
        assert!(text.contains(&format!("on board `{board}`")), "{text}");
    }
}

#[test]
fn an_interrupt_that_is_not_taken_is_said() {
    let desk = desk(&format!(
        "{WORK}[[raise]]\nirq = 7\nat = 12\n[[raise]]\nirq = 6\nat = 90_000\n"
    ));
    let run = desk.run("measure spec.toml").code(0);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        text.contains("EXTI1 was raised in cycle 12, and never taken"),
        "{text}"
    );
    assert!(
        text.contains("EXTI0 should have been raised in cycle 90000, and never was"),
        "{text}"
    );
    assert!(text.contains("the run was over in cycle"), "{text}");
}

#[test]
fn results_do_not_go_where_something_is_read() {
    let desk = desk(WORK);
    desk.run("measure spec.toml --json spec.toml").code(2);
    assert!(desk.read("spec.toml").contains("t/work"), "it is as it was");
    desk.run("run app.elf --board stm32f100rb --json ./app.elf")
        .code(2);
    let run = desk.run("run app.elf --board stm32f100rb --trace t.txt --json ./t.txt");
    let text = String::from_utf8_lossy(&run.code(2).get_output().stderr).into_owned();
    assert!(text.contains("--json and --trace are the same file"), "{text}");
    for command in [
        "prices spec.toml --json spec.toml",
        "prices spec.toml --markdown ./spec.toml",
    ] {
        let run = desk.run(command).code(2);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(text.contains("and what it reads are the same file"), "{text}");
    }
    let run = desk.run("profile app.elf --against other.elf --flamegraph other.elf");
    let text = String::from_utf8_lossy(&run.code(2).get_output().stderr).into_owned();
    assert!(
        text.contains("--flamegraph and what it reads are the same file"),
        "{text}"
    );
    desk.run("run app.elf --board stm32f100rb --trace /dev/null --json /dev/null")
        .code(0);
}

#[test]
fn a_span_of_what_calls_itself_says_which_passes_it_measured() {
    let desk = Desk::new()
        .with("app.elf", crate::cost::shapes(crate::firmware::FLASH).elf())
        .with(
            "spec.toml",
            "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"app/pass\"\nfrom = \"recurse\"\nto = \"recurse+0xa\"\n\
             [[span]]\nid = \"app/once\"\nfrom = \"returns\"\nto = \"tail\"\n",
        );
    let run = desk.run("measure spec.toml").code(0);
    let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        told.contains("`app/pass` calls itself: only the innermost passes are measured"),
        "{told}"
    );
    assert!(
        told.contains("2 times `recurse+0xa` was met for an outer pass") && told.contains("spec.toml:5"),
        "{told}"
    );
    assert!(!told.contains("app/once"), "{told}");
}
