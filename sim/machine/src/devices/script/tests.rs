use std::fmt::Write as _;

use super::*;
use crate::campaign::{Random, campaign};
use crate::devices::gated::{Gated, Guard};

fn script(text: &str) -> Script {
    Script::new("a.rhai", text, &DEVICE, Some(Irq::External(7))).unwrap()
}

/// What a read of a word says that goes wrong.
fn refused(body: &str) -> String {
    let text = format!("fn reset() {{ this.x = 1; }}\nfn read(offset, size) {{\n{body}\n}}");
    script(&text).read(4, 4, 10).unwrap_err().to_string()
}

#[test]
fn registers_state_and_sizes_are_the_scripts() {
    let text = "fn reset() { this.held = 5; }\nfn read(o, size) { this.held + o }\nfn write(o, size, v) { this.held = v; }";
    let mut device = script(text);
    assert_eq!(device.read(8, 4, 0), Ok(13));
    let before = device.clone();
    device.write(0, 4, u32::MAX, 1).unwrap();
    assert_eq!(
        (device.read(0, 4, 2), device.read(0, 1, 2)),
        (Ok(u32::MAX), Ok(0xff))
    );
    assert_eq!(device.read(1, 4, 2), Ok(0), "a word has 32 bits");
    let mut before = before;
    assert_eq!(before.read(0, 4, 3), Ok(5), "a copy is of its own");
}

#[test]
fn it_wakes_in_its_cycle_and_drives_its_line() {
    let text = "fn reset() { this.n = 0; wake_at(100); }\nfn wake() { this.n += 1; irq(this.n % 2 == 1); wake_at(0); wake_in(core_hz()); }";
    let mut device = script(text);
    device.hear(Effect::Clock(ClockId::CORE, 50), 0).unwrap();
    let mut told = Vec::new();
    for _ in 0..3 {
        let now = device.next_event();
        device.poll(now, &mut |irq, level| {
            told.push((now, irq.as_external().unwrap(), level));
        });
    }
    assert_eq!(told, [(100, 7, true), (150, 7, false), (200, 7, true)]);
    // One that asks for the present cycle lets time pass all the same.
    let mut busy = script("fn reset() { wake_at(5); }\nfn wake() { wake_at(now()); }");
    busy.poll(5, &mut |_, _| {});
    assert_eq!(busy.next_event(), 6);
}

/// What it gave before a reset was given then.
#[test]
fn what_it_gave_is_not_given_again_behind_a_reset() {
    let text = "fn read(o, size) { 0 }\nfn port(port, pin, level) { drive(\"GPIOB\", pin, level); }";
    let mut device = Gated::over(Box::new(script(text)), "A", vec![Guard::reset(3)]);
    let pin = Effect::Pin {
        port: 0,
        pin: 5,
        level: true,
    };
    let held = |level| Effect::Wire { number: 3, level };
    device.hear(held(true), 0).unwrap();
    device.hear(pin, 10).unwrap();
    assert!(device.take_given().is_some() && device.take_given().is_none());
    device.hear(held(false), 20).unwrap();
    device.hear(held(true), 30).unwrap();
    assert_eq!(device.take_given(), None);
}

/// Behind the reset of another block, as a board has it.
#[test]
fn it_is_silent_while_it_is_held_and_begins_again_then() {
    let folder = tempfile::tempdir().unwrap();
    let text = "fn reset() { this.n = 0; wake_in(10); }\nfn wake() { this.n += 1; send(\".\"); wake_in(10); }\nfn read(o, size) { this.n }";
    std::fs::write(folder.path().join("a.rhai"), text).unwrap();
    let board = "like = \"cortex-m3\"\nname = \"mine\"\ndescription = \"d\"\n[[peripheral]]\nname = \"A\"\nkind = \"script\"\nbase = 0x40000000\nscript = \"a.rhai\"\n\
                 [[peripheral]]\nname = \"R\"\nkind = \"registers\"\nbase = 0x40010000\nregisters = [{ name = \"R\", offset = 0, reset = 0, write = 1 }]\n\
                 resets = [[\"R[0]\", \"A\"]]\n";
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, board).unwrap();
    let board = crate::Board::find(file.to_str().unwrap()).unwrap();
    let mut bus = board.bus(&[]);
    let to = |bus: &mut bus::Bus, times: std::ops::RangeInclusive<u64>| {
        times.for_each(|now| bus.poll(now, &mut |_, _| {}));
    };
    to(&mut bus, 1..=20);
    assert_eq!(bus.read(0x4000_0000, 4, 20), Ok(2));
    bus.write(0x4001_0000, 4, 1, 21).unwrap();
    to(&mut bus, 21..=54);
    assert_eq!(bus.read(0x4000_0000, 4, 54), Ok(0));
    bus.write(0x4001_0000, 4, 0, 55).unwrap();
    to(&mut bus, 55..=64);
    assert_eq!(bus.read(0x4000_0000, 4, 64), Ok(0));
    to(&mut bus, 65..=65);
    assert_eq!(bus.read(0x4000_0000, 4, 65), Ok(1));
    let mut sent = Vec::new();
    bus.drain_output(&mut |_, _, bytes| sent.extend_from_slice(bytes));
    assert_eq!(sent, b"...");
}

#[test]
fn it_takes_stimuli_gives_some_and_sends() {
    let text = "fn bytes(list) { give(\"U\", list); send(list[0]); send(\"!\"); }\nfn pin(n, level) { drive(\"P\", n + 1, level); }\n\
                fn port(port, pin, level) { measure(\"A\", port, pin); }";
    let mut device = script(text);
    device.stimulate(&Incoming::Bytes(b"ab".to_vec()), 1).unwrap();
    device
        .stimulate(&Incoming::Pin { pin: 2, level: None }, 2)
        .unwrap();
    let (port, pin) = (3, 4);
    device
        .hear(
            Effect::Pin {
                port,
                pin,
                level: true,
            },
            3,
        )
        .unwrap();
    let given: Vec<_> = std::iter::from_fn(|| device.take_given())
        .map(Result::unwrap)
        .collect();
    let expected = [
        ("U".to_owned(), Incoming::Bytes(b"ab".to_vec())),
        ("P".to_owned(), Incoming::Pin { pin: 3, level: None }),
        ("A".to_owned(), Incoming::Value { channel: 3, value: 4 }),
    ];
    assert_eq!(given, expected);
    let mut sent = Vec::new();
    device.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
    assert_eq!(sent, b"a!");
    let value = Incoming::Value { channel: 0, value: 1 };
    assert_eq!(
        device.stimulate(&value, 4).unwrap_err().to_string(),
        "a.rhai has no `value`"
    );
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (text, expected) in [
        ("fn reset() {\n let x = ;\n}", "a.rhai:2: "),
        ("fn reset() {\n\n this.y += 1;\n}", "a.rhai:3: "),
        ("let limit = 3;\nfn wake() {\n limit\n}", "a.rhai:3: "),
        ("fn reset() { eval(\"1\") }", "a.rhai:1: "),
        ("fn reset() { sleep(1) }", "a.rhai:1: Runtime error: time is"),
        ("import \"b\" as b;\nfn reset() { }", "a.rhai:1: "),
        (
            "\nfn read(offset) { 0 }",
            "a.rhai:2: `read` has 2 arguments, not 1",
        ),
        (
            "fn help() { 0 }",
            "none of the functions that are called: `reset`, `read`",
        ),
        ("", "none of the functions"),
        (
            "fn reset() { }\nfn wirte(offset, size, value) { }",
            "a.rhai:2: nobody calls `wirte`: did you mean `write`?",
        ),
        (
            "// fn reset()\nfn reset() { this = 3; }",
            "a.rhai:2: `reset` leaves a `this` that is no map",
        ),
        (
            "fn reset() { bus_error(); }",
            "a.rhai:1: `reset` answers no access",
        ),
        ("fn reset() { refuse(\"so\"); }", "a.rhai: so"),
    ] {
        let told = Script::new("a.rhai", text, &DEVICE, None)
            .err()
            .unwrap_or_default();
        assert!(told.contains(expected), "{text}: {told}");
    }
    let called = "fn reset() { resets(); }\nfn resets() { }\nfn unused() { }";
    assert!(Script::new("a.rhai", called, &DEVICE, None).is_ok());
}

#[test]
fn what_goes_wrong_in_a_run_stops_it() {
    for (body, expected) in [
        ("1 / (this.x - 1)", "a.rhai:3: Division by zero"),
        ("refuse(\"offset \" + offset)", "offset 4"),
        ("try { refuse(\"caught\") } catch { 5 }", "caught"),
        ("\"text\"", "a.rhai:2: `read` returned string and not a number"),
        ("this.absent", "a.rhai:3: "),
        (
            "loop { }",
            "a.rhai:2: Too many operations: a call has 100000 operations",
        ),
        ("this.read(offset, size)", "a.rhai:2: Stack overflow"),
        (
            "let s = \"a\"; loop { s += s; }",
            "a.rhai:2: Length of string too large",
        ),
        ("let a = [0]; loop { a += a; }", "a.rhai:2: Size of array"),
        ("send(256)", "256 is no byte"),
        ("irq(1)", "a.rhai:3: Function not found: irq"),
        ("drive(\"GPIOA\", 300, true)", "300 is not a pin"),
        ("wake_at(-1)", "-1 is not a cycle"),
    ] {
        let told = refused(body);
        assert!(told.contains(expected), "{body}: {told}");
    }
    let mut device = script("fn read(offset, size) { bus_error() }");
    assert_eq!(device.read(0, 4, 0), Err(DeviceError::Bus));
    assert!(device.write(0, 4, 0, 0).is_err(), "it has no `write`");
    // Nobody waits for the answer of `wake`: it ends the run at the next access, and is told once.
    let mut device = script("fn reset() { wake_at(5); }\nfn wake() { this.absent }\nfn read(o, s) { 0 }");
    device.poll(5, &mut |_, _| {});
    let told = device.take_given().unwrap().unwrap_err().to_string();
    assert!(
        told.starts_with("mistake in script a.rhai:2: ") && told.ends_with(", in cycle 5"),
        "{told}"
    );
    assert_eq!(device.note(), None);
}

/// Lists within lists, of which each call makes some more: whoever walks them does so by recursion.
#[test]
fn a_state_is_not_nested_without_an_end() {
    for more in ["this.a = [this.a]", "let m = #{}; m.b = this.a; this.a = m"] {
        let text = format!(
            "fn reset() {{ this.a = []; }}\nfn read(o, s) {{ let i = 0; while i < 30 {{ {more}; i += 1; }} 7 }}"
        );
        let mut device = script(&text);
        assert_eq!(
            (device.read(0, 4, 0), device.read(0, 4, 1)),
            (Ok(7), Ok(7)),
            "{more}"
        );
        let told = device.read(0, 4, 2).unwrap_err().to_string();
        let expected = "mistake in script a.rhai:2: `read` leaves lists or maps in `this` that are more than 64 deep within each other";
        assert_eq!(told, expected, "{more}");
    }
}

#[test]
fn who_asks_to_be_woken_can_be() {
    let mut device = script("fn read(offset, size) { wake_in(5); 1 }");
    let told = device.read(0, 4, 1).unwrap_err().to_string();
    assert!(
        told.contains("`read` asks to be woken, and there is no function `wake`"),
        "{told}"
    );
    assert_eq!(
        script("fn read(offset, size) { wake_never(); 1 }").read(0, 4, 1),
        Ok(1)
    );
}

#[test]
fn what_a_script_gives_and_sends_has_an_end() {
    let head = "fn reset() { let s = \"x\"; while s.len() < 30000 { s += s; } this.s = s; }\n";
    let gives =
        format!("{head}fn read(o, s) {{ let i = 0; while i < 1000 {{ give(\"U\", this.s); i += 1; }} 7 }}");
    let mut device = script(&gives);
    assert_eq!((device.read(0, 4, 0), device.read(0, 4, 1)), (Ok(7), Ok(7)));
    let told = device.read(0, 4, 2).unwrap_err().to_string();
    assert!(
        told.ends_with("a.rhai:2: `read` gives more than 64 MiB in a run"),
        "{told}"
    );
    // What was sent is taken every now and then.
    let mut device = script(&format!("{head}fn read(o, s) {{ send(this.s); 7 }}"));
    for now in 0..1000 {
        assert_eq!(device.read(0, 4, now), Ok(7));
        device.drain_output(&mut |_| {});
    }
    let mut calls = (0..1000).map(|now| device.read(0, 4, now));
    let told = calls.find_map(Result::err).unwrap().to_string();
    assert!(
        told.ends_with("a.rhai:2: `read` sends 16 MiB in no time"),
        "{told}"
    );
}

#[test]
fn what_a_script_says_is_one_line() {
    let mut device = script(
        "fn read(o, s) { if o == 0 { note(\"\\x1b[31ma\\nerror: b\"); 1 } else if o == 4 { refuse(\"c\\nd\") } else { throw \"e\\nf\" } }",
    );
    assert_eq!(device.read(0, 4, 0), Ok(1));
    assert_eq!(device.note().unwrap(), "\\u{1b}[31ma\\nerror: b");
    for (offset, expected) in [(4, "c\\nd"), (8, "e\\nf")] {
        let told = device.read(offset, 4, 0).unwrap_err().to_string();
        assert!(
            told.contains(expected) && !told.contains(char::is_control),
            "{told}"
        );
    }
}

/// A whole device, each of whose functions does something.
fn device_of(random: &mut Random, text: &str) -> String {
    let mut device = format!("fn reset() {{ this.n = 0; wake_in({}); }}\n", 1 + random.below(3));
    let heads = [
        "read(offset, size)",
        "write(offset, size, value)",
        "wake()",
        "bytes(list)",
        "pin(offset, size)",
        "value(offset, size)",
        "port(offset, size, value)",
    ];
    for (index, head) in heads.into_iter().enumerate() {
        if index > 1 && random.below(2) == 0 {
            continue;
        }
        let mut some: String = (0..random.below(4)).map(|_| random.one_of(&SOUND)).collect();
        if random.below(40) == 0 {
            some = text.to_owned();
        }
        some += " this.n";
        let _ = writeln!(device, "fn {head} {{ {some} }}");
    }
    device
}

/// Statements that any function may have.
const SOUND: [&str; 17] = [
    "this.n = (this.n + 7) & 255;",
    "wake_in(3);",
    "wake_at(now() + 90);",
    "if this.n > 99 { wake_never(); }",
    "irq(true);",
    "irq(false);",
    "send([1, 2]);",
    "send(\"a\");",
    "note(`n is ${this.n}`);",
    "drive(\"GPIOA\", 3, this.n > 5);",
    "give(\"USART1\", [this.n]);",
    "measure(\"ADC1\", 1, this.n);",
    "let i = 0; while i < 50 { i += 1; }",
    "this.a = [this.n, [1, #{b: \"c\"}]];",
    "try { throw 5; } catch { this.n = 3; }",
    "if this.n == 28 { throw 5; }",
    "if now() > 250 { refuse(\"late\"); }",
];

/// Scripts of any parts: refused with one message, or run, whatever they do, without harm.
#[test]
fn campaign_of_any_scripts() {
    let parts = [
        "fn reset() {",
        "fn read(offset, size) {",
        "fn write(offset, size, value) {",
        "fn wake() {",
        "}",
        "this.n = 1;",
        "this.n += offset;",
        "wake_in(3);",
        "irq(true);",
        "irq(size);",
        "send([1, 2]);",
        "send(\"a\");",
        "refuse(\"no\")",
        "loop {",
        "while this.n < 9 {",
        "this = 1;",
        "let a = [0]; loop { a += a; }",
        "read(offset, size)",
        "offset",
        "throw 5;",
        "drive(\"GPIOA\", 3, true);",
        "feed(\"USART1\", [1]);",
        "switch offset { 0 => 1, _ => 2 }",
        "9223372036854775807 + 1",
        "1 / 0",
        "note(\"x\");",
        "this.n",
        "`${this}`",
        "eval(\"1\")",
        "print(1);",
        "import \"a\";",
        "//",
        "\"",
        "\u{7f}",
        "sleep(1000000);",
        "bus_error();",
    ];
    campaign("script", |random| {
        let mut text = String::new();
        for _ in 0..=random.below(12) {
            text += random.one_of(&parts);
            text += if random.below(4) == 0 { "\n" } else { " " };
        }
        // Most of them in functions that are called: whole devices, each of whose functions does some of it.
        if random.below(4) > 0 {
            text = device_of(random, &text);
        }
        let mut device = match Script::new("a.rhai", &text, &DEVICE, Some(Irq::External(7))) {
            Ok(device) => device,
            Err(message) => {
                assert!(message.starts_with("a.rhai"), "{message}");
                return "refused";
            }
        };
        let mut outcome = "ran";
        for now in 0..4 {
            let read = device.read(4, 4, 100 * now);
            if read.and_then(|_| device.write(8, 1, 7, 100 * now + 1)).is_err() {
                outcome = "stopped";
            }
            device.poll(100 * now + 2, &mut |_, _| {});
            let inputs = [
                Incoming::Bytes(vec![1, 2]),
                Incoming::Pin {
                    pin: 3,
                    level: Some(true),
                },
                Incoming::Value { channel: 1, value: 9 },
            ];
            if device
                .stimulate(&inputs[random.below(inputs.len())], 100 * now + 3)
                .is_err()
            {
                outcome = "stopped";
            }
            let _ = device.hear(
                Effect::Pin {
                    port: 0,
                    pin: 1,
                    level: true,
                },
                100 * now + 4,
            );
            while device.take_given().is_some() {}
            device.drain_output(&mut |_| {});
        }
        outcome
    });
}
