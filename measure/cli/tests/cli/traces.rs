//! `cyclescope run --trace`: each format is read by a parser of that format, and says what the others say.

mod perfetto;

use std::collections::BTreeMap;
use std::io::BufReader;

use serde_json::Value;
use vcd::{Command, Parser, ScopeItem};

use crate::firmware::{EXIT, Firmware, NOP, RAM};
use crate::{Desk, golden};
use perfetto::{slices, tracks};

/// `main` enables IRQ6, makes it pending, masks interrupts for a while, and calls `work`, which stores.
fn app() -> Firmware {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]; movw r0, #0xe200; movt r0, #0xe000; cpsid i;
    // str r1, [r0]; nop; cpsie i; bl work; bl work
    let main: &[u16] = &[
        0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001, 0xf24e, 0x2000, 0xf2ce, 0x0000, 0xb672, 0x6001, NOP,
        0xb662, 0xf000, 0xf808, 0xf000, 0xf806,
    ];
    // push {r4, lr}; movw r0, #0; movt r0, #0x2000; str r1, [r0]; pop {r4, pc}
    let work: &[u16] = &[0xb510, 0xf240, 0x0000, 0xf2c2, 0x0000, 0x6001, 0xbd10];
    Firmware::new(&[main, EXIT])
        .function("work", &[work])
        .handler(22, "IRQ6", &[&[NOP, 0x4770]])
        .object("word", RAM)
}

fn desk() -> Desk {
    Desk::new().with("app.elf", app().elf())
}

fn trace(desk: &Desk, file: &str, options: &str) {
    desk.run(&format!(
        "run app.elf --board stm32f100rb --trace {file} {options}"
    ))
    .code(0)
    .stderr_eq("");
}

fn events(desk: &Desk, file: &str) -> Vec<Value> {
    let text = desk.read(file);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_table_says_what_json_lines_say() {
    let desk = desk();
    trace(&desk, "t.jsonl", "");
    trace(&desk, "t.csv", "");
    let mut reader = csv::Reader::from_path(desk.path("t.csv")).unwrap();
    let head = reader.headers().unwrap().clone();
    let events = events(&desk, "t.jsonl");
    let mut rows = 0;
    for (row, event) in reader.records().zip(&events) {
        let row = row.unwrap();
        let told = head.iter().zip(&row).filter(|(_, value)| !value.is_empty());
        let told: BTreeMap<&str, &str> = told.collect();
        for (name, value) in event.as_object().unwrap() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(
                told.get(name.as_str()).copied().unwrap_or(""),
                value,
                "{name} of {event}"
            );
        }
        rows += 1;
    }
    assert_eq!(rows, events.len());
    assert!(events.iter().any(|event| event["insn"] == "push {r4, lr}"));
}

/// The values of a signal: when, and what.
fn signal(desk: &Desk, file: &str, name: &str) -> Vec<(u64, u64)> {
    let file = std::fs::File::open(desk.path(file)).unwrap();
    let mut parser = Parser::new(BufReader::new(file));
    let header = parser.parse_header().unwrap();
    let scopes = header.items.iter().filter_map(|item| match item {
        ScopeItem::Scope(scope) => Some(scope),
        _ => None,
    });
    let variable = scopes.flat_map(|scope| &scope.items).find_map(|item| match item {
        ScopeItem::Var(variable) if variable.reference == name => Some(variable.code),
        _ => None,
    });
    let (code, mut now, mut values) = (variable.expect(name), 0, Vec::new());
    for command in parser {
        match command.unwrap() {
            Command::Timestamp(cycle) => {
                assert!(cycle >= now, "time goes on");
                now = cycle;
            }
            Command::ChangeScalar(id, value) if id == code => {
                values.push((now, u64::from(value == vcd::Value::V1)));
            }
            Command::ChangeVector(id, bits) if id == code => {
                let bits = bits
                    .iter()
                    .fold(0, |sum, bit| sum << 1 | u64::from(bit == vcd::Value::V1));
                values.push((now, bits));
            }
            _ => {}
        }
    }
    values
}

#[test]
fn waveforms_show_when_each_instruction_began() {
    let desk = desk();
    trace(&desk, "t.jsonl", "");
    trace(&desk, "t.vcd", "");
    let events = events(&desk, "t.jsonl");
    let number = |event: &Value| u64::from_str_radix(&event["pc"].as_str().unwrap()[2..], 16).unwrap();
    let mut wanted: Vec<(u64, u64)> = events
        .iter()
        .filter(|event| ["retire", "semihost"].contains(&event["event"].as_str().unwrap()))
        .map(|event| (event["cycle"].as_u64().unwrap(), number(event)))
        .collect();
    wanted.dedup_by_key(|(_, pc)| *pc);
    assert_eq!(signal(&desk, "t.vcd", "pc"), wanted);
    let when = |kind: &str| {
        events.iter().find(|event| event["event"] == kind).unwrap()["end"]
            .as_u64()
            .unwrap()
    };
    let context = signal(&desk, "t.vcd", "context");
    assert_eq!(context, [(0, 0), (when("enter"), 22), (when("exit"), 0)]);
    let masks: Vec<u64> = events
        .iter()
        .filter(|event| event["event"] == "mask")
        .map(|event| event["cycle"].as_u64().unwrap())
        .collect();
    assert_eq!(
        signal(&desk, "t.vcd", "primask"),
        [(0, 0), (masks[0], 1), (masks[1], 0)]
    );
}

/// `movw`, `movt`: a number for a register.
fn load(register: u16, value: u32) -> [u16; 4] {
    let half = |opcode: u16, value: u32| {
        let field = |from: u32, mask: u32| (value >> from & mask) as u16;
        let first = opcode | field(11, 1) << 10 | field(12, 15);
        [first, field(8, 7) << 12 | register << 8 | field(0, 255)]
    };
    let ([a, b], [c, d]) = (half(0xf240, value & 0xffff), half(0xf2c0, value >> 16));
    [a, b, c, d]
}

/// `str r1, [r0]` of this value to this address.
fn store(address: u32, value: u32) -> Vec<u16> {
    [&load(0, address)[..], &load(1, value), &[0x6001]].concat()
}

/// Halves the clock, makes PC8 an output that is high for a while; IRQ6 has priority 0x50, and locks to 0x20 and 0x10 in that.
fn outside() -> Firmware {
    let basepri = |value: u16| [0x2300 | value, 0xf383, 0x8811]; // movs r3, #value; msr basepri, r3
    let lock = [&basepri(0x20)[..], &basepri(0x10), &basepri(0x20), &basepri(0)].concat();
    Firmware::new(&[
        &store(0x4002_1004, 8 << 4),      // RCC_CFGR: AHB's prescaler is 2
        &store(0x4002_1018, 1 << 4),      // RCC_APB2ENR: port C
        &store(0x4001_1004, 0x4444_4441), // GPIOC_CRH
        &store(0x4001_1010, 1 << 8),      // GPIOC_BSRR
        &store(0xe000_e404, 0x0050_0000), // NVIC_IPR1
        &store(0xe000_e100, 1 << 6),      // NVIC_ISER0
        &store(0xe000_e200, 1 << 6),      // NVIC_ISPR0
        &store(0x4001_1010, 1 << 24),
        &lock,
        EXIT,
    ])
    .handler(22, "IRQ6", &[&[NOP, 0x4770]])
}

#[test]
fn pins_the_clock_and_priorities_are_seen() {
    let desk = Desk::new().with("app.elf", outside().elf());
    for file in ["t.vcd", "t.jsonl", "t.perfetto"] {
        trace(&desk, file, "");
    }
    let events = events(&desk, "t.jsonl");
    let number = |event: &Value, key: &str| event[key].as_u64().unwrap();
    let all = |kind: &str| -> Vec<&Value> { events.iter().filter(|event| event["event"] == kind).collect() };
    let pins: Vec<_> = all("pin")
        .into_iter()
        .map(|pin| (number(pin, "cycle"), number(pin, "level")))
        .collect();
    assert!(all("pin").iter().all(|pin| pin["name"] == "GPIOC.8"));
    // A store is told before its instruction, and the pin behind it.
    let stores = all("write")
        .into_iter()
        .filter(|write| write["address"] == "0x40011010");
    let stores: Vec<_> = stores.map(|write| number(write, "cycle")).collect();
    assert_eq!(pins, [(stores[0], 1), (stores[1], 0)]);
    assert_eq!(signal(&desk, "t.vcd", "GPIOC_8"), [(0, 0), pins[0], pins[1]]);
    let [clock] = all("clock")[..] else {
        panic!("{events:?}")
    };
    assert_eq!(clock["hz"], 4_000_000);
    let ([enter], [exit]) = (&all("enter")[..], &all("exit")[..]) else {
        panic!("{events:?}")
    };
    assert_eq!(enter["priority"], 0x50);
    let locks = all("mask")
        .into_iter()
        .map(|mask| (number(mask, "cycle"), number(mask, "priority")));
    let locks: Vec<_> = locks.collect();
    assert_eq!(
        locks.iter().map(|lock| lock.1).collect::<Vec<_>>(),
        [0x20, 0x10, 0x20, 256]
    );
    let handled = [(0, 256), (number(enter, "end"), 0x50), (number(exit, "end"), 256)];
    assert_eq!(
        signal(&desk, "t.vcd", "priority"),
        [&handled[..], &locks].concat()
    );
    let tracks = tracks(&std::fs::read(desk.path("t.perfetto")).unwrap());
    let values: Vec<_> = tracks["clock"]
        .iter()
        .map(|mark| (mark.0, mark.2.as_str()))
        .collect();
    assert_eq!(values, [(0, "8000000"), (number(clock, "cycle"), "4000000")]);
    // A lock in a lock is a slice in a slice, and says which function holds it.
    let slices: Vec<_> = tracks["BASEPRI"]
        .iter()
        .map(|mark| (mark.0, mark.1, mark.2.as_str()))
        .collect();
    let [first, second, third, last] = [0, 1, 2, 3].map(|index: usize| locks[index].0);
    let wanted = [
        (first, 1, "main (0x20)"),
        (second, 1, "main (0x10)"),
        (third, 2, ""),
        (last, 2, ""),
    ];
    assert_eq!(slices, wanted);
    // What is not known where a trace begins is not told.
    trace(&desk, "part.vcd", "--trace-from exception:IRQ6:exit");
    assert_eq!(signal(&desk, "part.vcd", "GPIOC_8"), [pins[1]]);
    assert_eq!(signal(&desk, "part.vcd", "primask"), []);
}

#[test]
fn waveforms_name_what_runs_and_sort_signals_into_scopes() {
    let desk = desk();
    trace(&desk, "t.vcd", "");
    let text = desk.read("t.vcd");
    let scopes: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("$scope module "))
        .collect();
    assert_eq!(scopes, ["core $end", "interrupts $end", "pins $end"]);
    let values: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix('s')?.split(' ').next())
        .collect();
    let position = |value: &str| {
        values
            .iter()
            .position(|known| *known == value)
            .unwrap_or_else(|| panic!("{value}: {values:?}"))
    };
    assert!(position("main") < position("IRQ6") && position("EXTI0") < position("work"));
    assert_eq!(
        values.iter().filter(|value| **value == "thread_0").count(),
        2,
        "{values:?}"
    );
}

#[test]
fn a_trace_shows_only_what_is_asked_for_in_every_format() {
    let desk = desk();
    trace(&desk, "all.jsonl", "");
    let all = events(&desk, "all.jsonl");
    let cycle = |event: &Value| event["cycle"].as_u64().unwrap();
    let work: Vec<Value> = all
        .iter()
        .filter(|event| event["at"].as_str().is_some_and(|at| at.contains("work")))
        .cloned()
        .collect();
    assert_eq!(work.len(), 10);
    trace(&desk, "t.jsonl", "--trace-function wor*");
    let some = events(&desk, "t.jsonl");
    let retired = |events: &[Value]| -> Vec<Value> {
        let those = events.iter().filter(|event| event["event"] == "retire");
        those.cloned().collect()
    };
    assert_eq!(retired(&some), work);
    let others = |events: &[Value]| events.iter().filter(|event| event["event"] == "enter").count();
    assert_eq!((others(&some), others(&all)), (1, 1));
    let from = work[0]["pc"].as_str().unwrap();
    let end = u32::from_str_radix(&from[2..], 16).unwrap() + 14;
    trace(
        &desk,
        "same.jsonl",
        &format!("--trace-addresses {from}..{end:#010x}"),
    );
    assert_eq!(desk.read("same.jsonl"), desk.read("t.jsonl"));
    trace(&desk, "thread.jsonl", "--trace-thread EXTI0");
    let handler = retired(&events(&desk, "thread.jsonl"));
    assert_eq!(handler.len(), 2);
    let (first, last) = (cycle(&work[0]), cycle(&work[4]));
    let cycles = format!("--trace-cycles {first}..{last}");
    for file in ["c.jsonl", "c.csv", "c.txt", "c.vcd", "c.perfetto"] {
        trace(&desk, file, &cycles);
    }
    let inside: Vec<Value> = retired(&all)
        .into_iter()
        .filter(|event| (first..last).contains(&cycle(event)))
        .collect();
    assert_eq!(retired(&events(&desk, "c.jsonl")), inside);
    let pcs = signal(&desk, "c.vcd", "pc");
    assert_eq!(pcs.len(), inside.len());
    trace(&desk, "f.vcd", "--trace-function work");
    assert_eq!(signal(&desk, "f.vcd", "pc").len(), 10);
    trace(&desk, "f.perfetto", "--trace-function work");
    let shown = tracks(&std::fs::read(desk.path("f.perfetto")).unwrap());
    let names: Vec<&str> = slices(&shown["thread 0"]).iter().map(|slice| slice.1).collect();
    assert_eq!(names, ["thread 0", "work", "work"]);
    let short = tracks(&std::fs::read(desk.path("c.perfetto")).unwrap());
    let marks = short.values().flatten();
    assert!(
        marks
            .map(|mark| mark.0)
            .all(|at| (first..=last + 20).contains(&at)),
        "{short:?}"
    );
    for wrong in [
        "--trace t.txt --trace-function worc",
        "--trace t.txt --trace-cycles 9..3",
        "--trace t.txt --trace-addresses 0..0x100000001",
        "--trace t.perfetto --trace-thread EXTI0",
        "--trace-thread EXTI0",
    ] {
        desk.run(&format!("run app.elf --board stm32f100rb {wrong}"))
            .code(2);
    }
}

#[test]
fn a_part_of_a_run_is_traced_from_point_to_point() {
    let desk = desk();
    trace(&desk, "all.jsonl", "");
    trace(&desk, "part.jsonl", "--trace-from work --trace-to write:word");
    let (all, part) = (events(&desk, "all.jsonl"), events(&desk, "part.jsonl"));
    let first = all.iter().position(|event| event["at"] == "work").unwrap();
    let last = all
        .iter()
        .position(|event| event["event"] == "write" && event["address"] == "0x20000000")
        .unwrap();
    assert_eq!(part, all[first..=last]);
    desk.run("run app.elf --board stm32f100rb --trace t.txt --trace-from wrok")
        .code(2)
        .stderr_eq(golden("trace-no-point.txt"));
    desk.run("run app.elf --board stm32f100rb --trace t.txt --trace-from bkpt:#9")
        .code(0)
        .stderr_eq(golden("trace-empty.txt"));
}

/// What is written is not kept: it is more than the process may have.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_bounded_however_long_a_trace_is() {
    let endless = Firmware::new(&[&[NOP, NOP, NOP, 0xe7fb]]);
    let desk = Desk::new().with("app.elf", endless.elf());
    let program = snapbox::cmd::cargo_bin!("cyclescope").display().to_string();
    let words = "run app.elf --board stm32f100rb --limit 4000000 --trace /dev/null --trace-format jsonl";
    let limited = format!("ulimit -v 250000; exec {program} {words}");
    let mut shell = std::process::Command::new("sh");
    let run = shell
        .args(["-c", &limited])
        .current_dir(desk.path("."))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.code() == Some(3) && said.contains("4000000 cycles"),
        "{said}"
    );
}

#[test]
fn a_trace_is_no_longer_than_it_may_be_and_still_sound() {
    for file in ["t.txt", "t.jsonl", "t.csv", "t.vcd", "t.perfetto"] {
        let desk = desk();
        trace(&desk, file, "");
        let whole = std::fs::metadata(desk.path(file)).unwrap().len();
        // Most of the waveforms are the names of their signals.
        let size = whole - whole / if file == "t.vcd" { 32 } else { 8 };
        let run = desk.run(&format!(
            "run app.elf --board stm32f100rb --trace {file} --trace-size {size}"
        ));
        let said = String::from_utf8_lossy(&run.code(0).get_output().stderr).into_owned();
        assert!(said.contains("the trace ends in cycle"), "{file}: {said}");
        let written = std::fs::metadata(desk.path(file)).unwrap().len();
        // What ends a file comes on top.
        assert!(
            written < size + 100 && written > size / 2,
            "{file}: {written} of {whole}"
        );
        match file {
            "t.jsonl" => assert!(!events(&desk, file).is_empty()),
            "t.vcd" => assert!(signal(&desk, file, "pc").len() > 3),
            "t.perfetto" => assert!(!tracks(&std::fs::read(desk.path(file)).unwrap()).is_empty()),
            _ => {}
        }
    }
}

#[test]
fn the_format_can_be_said() {
    let desk = desk();
    trace(&desk, "t.vcd", "");
    trace(&desk, "other.bin", "--trace-format vcd");
    assert_eq!(desk.read("t.vcd"), desk.read("other.bin"));
}

#[test]
fn the_page_shows_a_trace() {
    let desk = desk();
    trace(
        &desk,
        "trace.txt",
        "--trace-from exception:IRQ6 --trace-to exception:IRQ6:exit",
    );
    snapbox::assert_data_eq!(desk.read("trace.txt"), golden("traces.txt"));
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/traces.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&golden("traces.txt").to_string()));
    for (_, name, ends) in lab::trace::Format::ALL {
        assert!(page.contains(&format!("| `{name}` | ")), "{name}");
        assert!(
            ends.iter()
                .all(|end| name == "text" || page.contains(&format!("`.{end}`"))),
            "{name}"
        );
    }
}
