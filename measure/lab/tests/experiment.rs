//! Experiments defined in Rust: their measurements, and the messages about wrong ones.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use lab::batch::{Options, measure_spec};
use lab::diagnostic::Kind;
use lab::spec::{CodePlace, Point, parse};
use lab::{Board, Experiment, Image, Interrupt, Span};
use programs::{EXIT, Firmware, NOP};
use proptest::prelude::*;

fn board() -> Board {
    Board::find("stm32f100rb").expect("a board of the repository")
}

/// `main` enables IRQ6, whose handler returns at once, and continues into `work`, 40 NOPs, and `done`.
fn interruptible() -> Firmware {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0
    let enable: &[u16] = &[0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    Firmware::new(&[enable])
        .function("work", &[&[NOP; 40]])
        .function("done", &[EXIT])
        .handler(22, "IRQ6", &[&[0x4770]])
}

fn experiment(firmware: &Firmware) -> Experiment {
    let image = Image::parse("app.elf", &firmware.elf()).expect("an ELF file");
    Experiment::new(image, board())
}

#[test]
fn each_span_is_a_row() {
    let whole = Span::new("app/whole", "main", "done");
    let stack = Span::new("app/stack", "main", "exception:IRQ6").in_bytes_of_stack();
    let work = Point::Code {
        place: CodePlace::Symbol {
            name: "work".to_owned(),
            offset: 4,
        },
        halt: false,
    };
    let rows = experiment(&interruptible())
        .span(whole)
        .span(Span::new("app/work", work, "done"))
        .span(stack)
        .interrupt(Interrupt::after("IRQ6", "work", 1))
        .run()
        .expect("all is measured");
    let [whole, work, stack] = &rows[..] else {
        panic!("three rows: {rows:?}")
    };
    assert!(whole.own > 40 && whole.preempted > 0, "{whole:?}");
    assert_eq!(work.own, 38, "{work:?}");
    assert_eq!((stack.id.as_str(), stack.max), ("app/stack", 32));
}

#[test]
fn phases_are_runs_whose_samples_count_together() {
    let latency = || Span::new("app/latency", "raise:IRQ6", "exception:IRQ6");
    let raised = |interrupt| experiment(&interruptible()).span(latency()).interrupt(interrupt);
    let rows = raised(Interrupt::at("IRQ6", 30).phases(5)).run();
    assert_eq!(rows.expect("all is measured")[0].count, 5);
    let said = raised(Interrupt::at("IRQ6", 30).phases(0)).run();
    assert_eq!(said.expect_err("no run at all").kind(), Kind::Mistake);
}

#[test]
fn samples_are_skipped_and_counted() {
    // 1: nops; b 1b
    let code: &[u16] = &[NOP, NOP, NOP, 0xe7fb];
    let round = || Span::new("app/round", "loop", "loop");
    let looping = Firmware::new(&[&[NOP; 2]]).function("loop", &[code]);
    let rows = experiment(&looping).span(round().skip(2).count(7)).run();
    assert_eq!(rows.expect("all is measured")[0].count, 7);
    let outcome = experiment(&looping).span(round()).limit(500).outcome();
    assert_eq!(outcome.rows.len(), 1, "what there is is not lost");
    assert_eq!(outcome.messages[0].kind(), Kind::Firmware);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let app = experiment(&interruptible());
    let failed = |span| app.clone().span(span).run().expect_err("something is wrong");
    let misspelt = failed(Span::new("app/work", "wrok", "done").count(1));
    assert_snapshot!(misspelt.to_string(), @r#"
    error: no symbol `wrok`
     --> experiment:3:8
      |
    3 | from = "wrok"
      |        ^^^^^^
      |
      = note: looked up in app.elf
      = help: did you mean `work`?
    "#);
    let slow = failed(Span::new("app/work", "work", "done").max(39));
    assert_eq!(slow.kind(), Kind::Failed);
    assert_snapshot!(slow.to_string(), @r"
    error: app/work took 40 cycles; its limit is 39
     --> experiment:5:7
      |
    5 | max = 39
      |       ^^ its limit
      |
      = note: it began in cycle 7
    ");
    let without_group = failed(Span::new("work", "work", "done"));
    assert_snapshot!(without_group.to_string(), @r#"
    error: the id `work` is not `group/measurement`
     --> experiment:2:6
      |
    2 | id = "work"
      |      ^^^^^^
    "#);
}

#[test]
fn as_the_text_of_a_spec_it_measures_the_same() {
    let firmware = interruptible();
    let app = experiment(&firmware)
        .span(Span::new("app/work", "work", "done").max(100))
        .span(Span::new("app/latency", "raise:IRQ6", "exception:IRQ6"))
        .interrupt(Interrupt::after("IRQ6", "work", 3).phases(9))
        .limit(10_000);
    let folder = tempfile::tempdir().expect("a temporary directory");
    let elf = folder.path().join("app.elf");
    fs::write(&elf, firmware.elf()).expect("a file");
    let options = Options {
        elf: Some(elf),
        board: Some("stm32f100rb".to_owned()),
        ..Options::built_in(PathBuf::new())
    };
    let spec = parse("app.toml", &app.to_toml()).expect("a good spec");
    let mut rows = measure_spec(&spec, &options, || {}).rows;
    // Only the file's path differs.
    for program in rows.iter_mut().filter_map(|row| row.obtained.program.as_mut()) {
        "app.elf".clone_into(&mut program.elf);
    }
    assert_eq!(rows, app.run().expect("all is measured"));
}

proptest! {
    /// Any character may be in a name.
    #[test]
    fn any_name_survives(name in any::<String>().prop_filter("a name", |name| !name.is_empty())) {
        let span = Span::new(&format!("app/{name}"), "a", "b");
        let text = experiment(&interruptible())
            .span(span)
            .interrupt(Interrupt::at(&name, 1))
            .to_toml();
        let spec = parse("app.toml", &text).expect("a good spec");
        prop_assert_eq!(&spec.programs[0].raises[0].irq.value, &name);
        prop_assert_eq!(&spec.programs[0].spans[0].id.value, &format!("app/{name}"));
    }
}

#[test]
fn calls_are_measured_by_the_name_of_their_function() {
    let calls = Span::of_calls("app/calls", "work");
    let stack = Span::of_calls("app/stack", "work").in_bytes_of_stack();
    let between = Span::new("app/between", "work", "main+0x4");
    let asked = experiment(&programs::calling())
        .span(calls)
        .span(between)
        .span(stack);
    let rows = asked.run().expect("all is measured");
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids, ["app/calls", "app/between", "app/stack"]);
    assert_eq!((rows[0].count, rows[0].max), (rows[1].count, rows[1].max));
    assert_eq!(rows[2].max, 0);
    let said = experiment(&programs::calling()).span(Span::of_calls("app/none", "wrok"));
    assert_eq!(said.run().expect_err("no such function").kind(), Kind::Mistake);
}

/// `main` enables IRQ6 and calls `work`, which takes about 6000 cycles and makes a supervisor call where `inner` returns to.
fn long_work() -> Firmware {
    let enable: &[u16] = &[0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    // bl work; exit
    let call: &[u16] = &[0xf000, 0xf806];
    // push {r4, lr}; movw r0, #2000; 1: subs r0, #1; bne 1b; bl inner; svc 0; pop {r4, pc}
    let work: &[u16] = &[
        0xb510, 0xf240, 0x70d0, 0x3801, 0xd1fd, 0xf000, 0xf802, 0xdf00, 0xbd10,
    ];
    Firmware::new(&[enable, call, EXIT])
        .function("work", &[work])
        .function("inner", &[&[NOP, 0x4770]])
        .handler(11, "SVCall", &[&[0x4770]])
        .handler(22, "IRQ6", &[&[0x4770]])
}

#[test]
fn a_call_returns_to_a_call_of_the_supervisor() {
    let calls = experiment(&long_work()).span(Span::of_calls("app/inner", "inner"));
    let row = calls.run().expect("it returned").remove(0);
    // A NOP, and a return.
    assert_eq!((row.count, row.max, row.unfinished), (1, 3, 0));
}

#[test]
fn a_call_that_begins_long_before_the_interrupts_of_a_sweep_has_its_time() {
    let calls = || experiment(&long_work()).span(Span::of_calls("app/work", "work"));
    let alone = calls().run().expect("it returned").remove(0);
    let swept = calls().interrupt(Interrupt::at("IRQ6", 4000).phases(3)).run();
    let swept = swept.expect("it returned each time").remove(0);
    assert_eq!((swept.count, swept.own - alone.own), (3, 0));
    assert!(swept.preempted > alone.preempted);
    let time = swept.time_us.expect("the clock is known");
    assert_eq!((time.max * 8.0).round() as i64, swept.max);
}
