//! `cyclescope why`.

use serde_json::Value;

use crate::cost::{built, rv32, shapes};
use crate::firmware::{EXIT, FLASH, Firmware, NOP, RAM};
use crate::{Desk, golden};

/// Loads, stores, a call and a loop, for every Cortex-M.
fn busy(base: u32) -> Firmware {
    // movs r0, #32; lsls r0, #24; movs r1, #3; bl work; b .
    let main: &[u16] = &[0x2020, 0x0600, 0x2103, 0xf000, 0xf801, 0xe7fe];
    // push {r4, lr}; again: ldr r4, [r0]; adds r4, #1; str r4, [r0]; muls r4, r1; subs r1, #1; bne again; pop {r4, pc}
    let work: &[u16] = &[0xb510, 0x6804, 0x3401, 0x6004, 0x434c, 0x3901, 0xd1f9, 0xbd10];
    Firmware::at(base, &[main])
        .function("work", &[work])
        .object("counter", RAM)
}

fn desk(elf: Vec<u8>) -> Desk {
    Desk::new().with("app.elf", elf)
}

/// The answer, after checking that every window adds up, follows the one before, and is in the totals.
fn answer(desk: &Desk, command: &str) -> Value {
    desk.run(&format!("why app.elf {command} --json out.json"))
        .code(0)
        .stderr_eq("");
    let answer: Value = serde_json::from_str(&desk.read("out.json")).unwrap();
    let windows = answer["windows"].as_array().unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let of = |causes: &Value| {
        causes
            .as_array()
            .unwrap()
            .iter()
            .map(|cost| number(&cost["cycles"]))
            .sum::<u64>()
    };
    for window in windows {
        assert_eq!(
            of(&window["causes"]),
            number(&window["to"]) - number(&window["from"]),
            "{window}"
        );
    }
    for pair in windows.windows(2) {
        assert_eq!(pair[0]["to"], pair[1]["from"]);
    }
    assert_eq!(of(&answer["rules"]), number(&answer["cycles"]));
    assert_eq!(
        windows.iter().map(|window| of(&window["causes"])).sum::<u64>(),
        number(&answer["cycles"])
    );
    assert_eq!(windows.iter().filter(|window| window["point"] == true).count(), 1);
    answer
}

#[test]
fn each_core_shows_the_windows_around_a_point() {
    for (board, base) in [("samd20", 0), ("stm32f100rb", FLASH), ("stm32f407-168mhz", FLASH)] {
        desk(busy(base).elf())
            .run(&format!(
                "why app.elf work+0x2 --hit 2 --around 5 --board {board}"
            ))
            .code(0)
            .stderr_eq("")
            .stdout_eq(golden(&format!("why-{board}.out")));
    }
    desk(rv32().elf())
        .run("why app.elf work --around 2 --board vexriscv-full")
        .code(0)
        .stderr_eq("")
        .stdout_eq(golden("why-vexriscv-full.out"));
}

#[test]
fn causes_add_up_wherever_one_looks() {
    for (board, base) in [("samd20", 0), ("stm32f100rb", FLASH), ("stm32f407-168mhz", FLASH)] {
        let desk = desk(busy(base).elf());
        for point in [
            "main",
            "work",
            "work+0x4 --hit 3",
            "write:counter --hit 2",
            "main+0xa",
        ] {
            for around in [0, 1, 7, 200] {
                let options = format!("--board {board} --around {around}");
                let answer = answer(&desk, &format!("{point} {options}"));
                assert!(answer["windows"].as_array().unwrap().len() <= 2 * around + 1);
            }
        }
    }
    for board in ["vexriscv-min", "vexriscv-full", "vexriscv-imac", "picorv32"] {
        let desk = desk(rv32().elf());
        for point in ["main", "work+0x4", "work+0x18"] {
            answer(&desk, &format!("{point} --board {board} --around 3"));
        }
    }
}

#[test]
fn few_windows_are_those_in_the_middle_of_many() {
    let desk = desk(busy(FLASH).elf());
    let windows = |around: u32| {
        let point = "work+0x6 --hit 3 --board stm32f407-168mhz";
        answer(&desk, &format!("{point} --around {around}"))["windows"]
            .as_array()
            .unwrap()
            .clone()
    };
    let (few, many) = (windows(2), windows(1000));
    let middle = many.iter().position(|window| window["point"] == true).unwrap();
    assert_eq!(few.len(), 5);
    assert_eq!(few, many[middle - 2..=middle + 2]);
}

#[test]
fn an_interrupt_and_the_sleep_before_it_are_windows() {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]; wfi
    let sleep: &[u16] = &[0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001, 0xbf30];
    let app = Firmware::new(&[sleep, EXIT]).handler(22, "IRQ6", &[&[NOP, 0x4770]]);
    let desk = desk(app.elf());
    let kinds = |point: &str| {
        // The sleep began long before what is listened to at first.
        let answer = answer(
            &desk,
            &format!("{point} --board stm32f100rb --around 4 --raise IRQ6@90000"),
        );
        let windows = answer["windows"].as_array().unwrap().clone();
        let point = windows.iter().position(|window| window["point"] == true).unwrap();
        let kind = |window: &Value| window["event"].as_str().unwrap().to_owned();
        (windows.iter().map(kind).collect::<Vec<_>>(), point)
    };
    let (all, point) = kinds("exception:IRQ6");
    assert_eq!(
        all[2..8],
        ["retire", "sleep", "enter", "retire", "retire", "exit"]
    );
    assert_eq!(point, 4);
    assert_eq!(kinds("raise:IRQ6").0[kinds("raise:IRQ6").1], "sleep");
    let (all, point) = kinds("exception:IRQ6:exit");
    assert_eq!(all[point], "exit");
}

#[test]
fn a_point_that_is_not_met_is_said() {
    let desk = desk(shapes(FLASH).elf());
    for (command, message) in [
        ("returns --hit 9", "why-too-few.txt"),
        ("retruns", "why-no-symbol.txt"),
        ("raise:IRQ6", "why-not-raised.txt"),
        ("bkpt:x", "why-no-point.txt"),
    ] {
        desk.run(&format!("why app.elf {command} --board stm32f100rb"))
            .code(2)
            .stdout_eq("")
            .stderr_eq(golden(message));
    }
}

#[test]
fn causes_add_up_in_real_firmware() {
    for (elf, board) in built() {
        let desk = desk(elf);
        for point in ["crc_word --hit 5", "lists", "main"] {
            let answer = answer(&desk, &format!("{point} --board {board} --around 300"));
            assert!(answer["windows"].as_array().unwrap().len() > 300, "{board}");
        }
    }
}

/// An interrupt that would come behind the program's end is no point of its run.
#[test]
fn an_interrupt_behind_the_end_is_never_reached() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[&[0xbf00, 0xbf00], EXIT]).elf());
    let run = desk.run("why app.elf raise:IRQ6 --board stm32f100rb --raise IRQ6@30000");
    let text = String::from_utf8_lossy(&run.code(2).get_output().stderr).into_owned();
    assert!(text.contains("`raise:IRQ6` was never reached"), "{text}");
    assert!(text.contains("raised in cycle 30000"), "{text}");
}

/// As far as a time goes: a point is met in it, or was never reached.
#[test]
fn a_point_is_looked_for_in_a_time() {
    let desk = Desk::new().with("app.elf", busy(FLASH).elf());
    let why = "why app.elf work --board stm32f100rb --for";
    desk.run(&format!("{why} 1ms")).code(0);
    let missed = desk.run(&format!("{why} 50ns --hit 2")).code(2);
    let told = String::from_utf8_lossy(&missed.get_output().stderr).into_owned();
    assert!(told.contains("`work` was met only once"), "{told}");
    desk.run(&format!("{why} 1ms --limit 5")).code(2);
}
