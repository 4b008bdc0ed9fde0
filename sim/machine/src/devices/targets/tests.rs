use super::*;
use bus::{ClockId, Outside};

/// A sensor of temperatures whose register 0 is the temperature, and whose register 1 says above what it alarms by a pin.
const SENSOR: &str = r#"
fn reset() { this.now = 21; this.most = 50; this.pointer = (); this.writes = false; }
fn address(reads) { this.writes = !reads; this.pointer == () || reads }
fn write(byte) { if this.pointer == () { this.pointer = byte; } else { this.most = byte; this.pointer = (); } }
fn read() { let at = this.pointer; this.pointer = (); if at == 0 { this.now } else { this.most } }
fn value(channel, value) { this.now = value; wake_in(core_hz() / 1000); }
fn wake() { drive("GPIOA", 3, this.now > this.most); }
"#;

fn with(text: &str) -> Targets {
    let mut targets = Targets::memory();
    let script = TargetScript::of_text(text, false).unwrap();
    targets.add_script(0x48, script).unwrap();
    targets
}

/// Whether somebody acknowledges the address.
fn there(bus: &mut Targets, address: u8, reads: bool) -> bool {
    bus.address(address, reads, 0) == (Answer::Addressed(true), 0)
}

/// The next byte of who was addressed.
fn byte(bus: &mut Targets) -> u8 {
    match bus.read(0) {
        (Answer::Read(byte), 0) => byte,
        other => panic!("{other:?}"),
    }
}

fn value(channel: u8, value: u32) -> Incoming {
    Incoming::Value { channel, value }
}

#[test]
fn a_script_answers_at_its_address_and_a_memory_at_its_own() {
    let mut bus = with(SENSOR);
    assert!(there(&mut bus, 0x48, false) && !there(&mut bus, 0x49, false));
    assert_eq!(byte(&mut bus), 0xff, "nobody was addressed");
    assert!(there(&mut bus, 0x48, false));
    bus.write(0, 1);
    assert!(!there(&mut bus, 0x48, false), "it is busy");
    assert!(there(&mut bus, 0x48, true));
    assert_eq!(byte(&mut bus), 21);
    assert!(there(&mut bus, 0x50, true));
    assert_eq!(byte(&mut bus), 0);
    let mut before = bus.clone();
    bus.stimulate(&value(0x48, 35), 7).unwrap();
    for (bus, temperature) in [(&mut bus, 35), (&mut before, 21)] {
        assert!(there(bus, 0x48, false));
        bus.write(0, 9);
        assert!(there(bus, 0x48, true));
        assert_eq!(byte(bus), temperature, "a copy is of its own");
    }
}

#[test]
fn a_script_wakes_and_drives_a_pin() {
    let mut bus = with(SENSOR);
    bus.hear(Effect::Clock(ClockId::CORE, 8_000_000), 0).unwrap();
    assert_eq!(bus.due(), u64::MAX);
    bus.stimulate(&value(0x48, 51), 100).unwrap();
    assert_eq!(bus.due(), 8_100);
    bus.poll(8_100);
    let pin = Incoming::Pin {
        pin: 3,
        level: Some(true),
    };
    assert_eq!(bus.take_given(), Some(Ok(("GPIOA".to_owned(), pin))));
    assert_eq!((bus.take_given(), bus.due()), (None, u64::MAX));
}

#[test]
fn a_script_refuses_bytes_and_holds_the_clock() {
    let mut bus = with(
        "fn address(reads) { stretch(100); true }\n\
         fn write(byte) { if byte > 9 { stretch(7); stretch(30); return false; } }\n\
         fn read() { stretch(9223372036854775807); 5 }",
    );
    assert_eq!(bus.address(0x48, false, 10), (Answer::Addressed(true), 110));
    assert_eq!(bus.write(9, 120), (Answer::Written(true), 120));
    assert_eq!(
        bus.write(10, 130),
        (Answer::Written(false), 160),
        "the last one counts"
    );
    assert_eq!(
        bus.address(0x50, false, 200),
        (Answer::Addressed(true), 200),
        "a memory never does"
    );
    assert_eq!(bus.write(10, 210), (Answer::Written(true), 210));
    bus.address(0x48, true, 300);
    assert_eq!(bus.read(i64::MAX as u64 + 400), (Answer::Read(5), u64::MAX));
}

#[test]
fn values_are_for_scripts_and_bytes_for_memories() {
    let mut bus = with(SENSOR);
    let refused = bus.stimulate(&value(0x50, 1), 0).unwrap_err().to_string();
    assert!(refused.contains("no script at the address 0x50"), "{refused}");
    bus.stimulate(&Incoming::Bytes(vec![7]), 0).unwrap();
    assert!(there(&mut bus, 0x50, true));
    assert_eq!(byte(&mut bus), 7);
    let pin = Incoming::Pin { pin: 0, level: None };
    assert!(bus.stimulate(&pin, 0).is_err());
}

/// What a script that goes wrong says, as the next access to the master has it.
fn mistake(text: &str, what: impl FnOnce(&mut Targets)) -> String {
    let mut bus = with(text);
    assert!(there(&mut bus, 0x48, true), "{text}");
    what(&mut bus);
    let given = bus.take_given().expect("something went wrong");
    assert!(bus.take_given().is_none() && bus.note().is_none());
    given.unwrap_err().to_string()
}

#[test]
fn what_a_script_does_wrong_is_told_with_its_place() {
    let read = |bus: &mut Targets| assert!(matches!(byte(bus), 0 | 0xff));
    let cases = [
        ("fn read() { 256 }", "`read` returned no byte but 256"),
        ("fn read() { }", "`read` returned no byte but ()"),
        ("fn read() { this.x }", "a.rhai:1: "),
        ("fn read() { irq(true); 1 }", "asks for `irq` or `send`"),
        ("fn read() { send(1); 1 }", "asks for `irq` or `send`"),
        ("fn read() { wake_in(1); 1 }", "there is no function `wake`"),
        ("fn read() { refuse(\"not now\"); }", "not now"),
        ("fn read() { stretch(-1); 1 }", "-1 is not a number of cycles"),
    ];
    for (text, wanted) in cases {
        let told = mistake(text, read);
        assert!(told.contains(wanted), "{text}: {told}");
    }
    let told = mistake("fn write(byte) { throw \"no\"; }", |bus| {
        bus.write(3, 10);
    });
    assert!(told.contains("a.rhai:1: "), "{told}");
    let told = mistake("fn write(byte) { 0 }", |bus| {
        bus.write(3, 10);
    });
    assert!(
        told.contains("`write` returned neither true nor false but 0"),
        "{told}"
    );
    let mut bus = with("fn address(reads) { 1 }\nfn read() { 1 }");
    assert!(!there(&mut bus, 0x48, true));
    let told = bus.take_given().unwrap().unwrap_err().to_string();
    assert!(
        told.contains("`address` returned neither true nor false but 1"),
        "{told}"
    );
}

#[test]
fn a_target_has_the_functions_of_its_bus() {
    let refused = |text, is_spi| TargetScript::of_text(text, is_spi).err().unwrap_or_default();
    for (text, is_spi, wanted) in [
        (
            "fn wake() {}",
            false,
            "a target on I2C has `fn read()` or `fn write(byte)`",
        ),
        (
            "fn wake() {}",
            true,
            "a target on SPI has `fn exchange(frame, bits)`",
        ),
        (
            "fn read(offset, size) { 1 }",
            false,
            "`read` has 0 arguments, not 2",
        ),
        ("fn exchang(frame, bits) { 1 }", true, "nobody calls `exchang`"),
        (
            "fn reset() { irq(true); }\nfn read() { 1 }",
            false,
            "asks for `irq` or `send`",
        ),
        (
            "fn reset() { stretch(1); }\nfn read() { 1 }",
            false,
            "asks for `stretch`",
        ),
    ] {
        let told = refused(text, is_spi);
        assert!(told.contains(wanted), "{text}: {told}");
    }
}

#[test]
fn an_address_has_seven_bits_and_one_target() {
    let mut bus = Targets::memory();
    assert!(bus.add_memory(0x80).unwrap_err().contains("seven bits"));
    assert!(bus.add_memory(0x50).unwrap_err().contains("the address 0x50"));
}

#[test]
fn they_keep_their_memory_when_their_master_is_reset() {
    let mut old = Targets::memory();
    let mut new = old.clone();
    assert!(there(&mut old, 0x50, false));
    old.write(3, 0);
    old.write(0xa5, 0);
    let mut outside = Outside::default();
    outside.carry(&mut old);
    outside.carry(&mut new);
    assert!(there(&mut new, 0x50, false) && !there(&mut old, 0x50, false));
    new.write(3, 0);
    assert_eq!(byte(&mut new), 0xa5);
}

/// Beside a board file, whose mistakes have their line.
#[test]
fn a_board_file_names_targets_and_scripts() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rhai"), "fn read() { 1 }").unwrap();
    std::fs::write(folder.path().join("b.rhai"), "fn exchange(frame, bits) { frame }").unwrap();
    let file = folder.path().join("mine.toml");
    let board = |kind: &str, key: &str| {
        let clock = if kind == "nrf-spim-twim" {
            ""
        } else {
            "clock = \"core\"\n"
        };
        let text = format!(
            "like = \"cortex-m3\"\nname = \"mine\"\ndescription = \"d\"\n[[peripheral]]\nname = \"A\"\nkind = \"{kind}\"\nbase = 0x40000000\n{clock}{key}\n"
        );
        std::fs::write(&file, text).unwrap();
        crate::Board::find(file.to_str().unwrap())
            .map(drop)
            .map_err(|error| error.to_string())
    };
    for kind in ["dw-i2c", "nrf-spim-twim", "stm32-i2c", "stm32-i2c-isr"] {
        board(kind, "targets = [0x50, { address = 0x48, script = \"a.rhai\" }]").unwrap();
        let wrong = [
            (
                "[{ adress = 1, script = \"a.rhai\" }]",
                "a target is an address, or",
            ),
            ("[{ address = 1, script = \"c.rhai\" }]", "c.rhai"),
            ("[{ address = 1, script = \"b.rhai\" }]", "b.rhai"),
            (
                "[0x48, { address = 0x48, script = \"a.rhai\" }]",
                "the address 0x48",
            ),
        ];
        for (targets, wanted) in wrong {
            let told = board(kind, &format!("targets = {targets}")).unwrap_err();
            assert!(
                told.contains(wanted) && told.contains("mine.toml:"),
                "{kind}: {told}"
            );
        }
    }
    for kind in ["pl022", "nrf-spim-twim", "stm32-spi"] {
        board(kind, "target = \"b.rhai\"").unwrap();
        let told = board(kind, "target = \"a.rhai\"").unwrap_err();
        assert!(told.contains("a.rhai"), "{kind}: {told}");
    }
    let told = board("stm32-spi", "loopback = true\ntarget = \"b.rhai\"").unwrap_err();
    assert!(told.contains("no `target`"), "{told}");
}
