//! What the blocks of chips have, by their board files.

use machine::Board;

/// GPIOA pin 0 wakes the flagship's EXTI0; RCC takes it to 24 MHz.
#[test]
fn the_stm32f100_has_ports_lines_and_clocks() {
    let mut bus = Board::find("stm32f100rb").unwrap().bus(&[]);
    let mut write = |address: u32, value: u32| bus.write(address, 4, value, 100).unwrap();
    write(0x4001_0400, 1);
    write(0x4001_0408, 1);
    // The clock of GPIOA.
    write(0x4002_1018, 1 << 2);
    // HSE on, PREDIV1 by 1, PLL times 3 of it.
    write(0x4002_1000, 0x0001_0083);
    assert_eq!(bus.read(0x4002_1000, 4, 100_000).unwrap() >> 17 & 1, 1, "HSERDY");
    bus.write(0x4002_1004, 4, 1 << 16 | 1 << 18, 100_000).unwrap();
    bus.write(0x4002_1000, 4, 0x0101_0083, 100_000).unwrap();
    bus.read(0x4002_1000, 4, 200_000).unwrap();
    bus.write(0x4002_1004, 4, 1 << 16 | 1 << 18 | 2, 200_000).unwrap();
    assert_eq!(bus.core_clock(), 24_000_000);
    let pin = |level| machine::Incoming::Pin { pin: 0, level };
    bus.schedule("gpioa", 300_000, pin(Some(true))).unwrap();
    let mut lines = Vec::new();
    for now in [299_999, 300_000] {
        assert_eq!(bus.next_event(), 300_000);
        bus.poll(now, &mut |irq, level| {
            lines.extend(level.then(|| (now, irq.as_external().unwrap())));
        });
    }
    assert_eq!(lines, [(300_000, 6)]);
    assert_eq!(bus.read(0x4001_0808, 4, 300_001), Ok(1));
    assert_eq!(
        bus.read(0x4001_0004, 4, 300_001),
        Ok(0),
        "AFIO's own registers lie between EXTI's"
    );
    assert!(bus.schedule("RCC", 0, pin(None)).is_err());
}

/// The script of the page about boards presses a button: its edges come to the EXTI in their cycles.
#[test]
fn a_script_around_the_chip_presses_a_button() {
    let page = include_str!("../../../../docs/boards.md");
    let script = page
        .split("```rhai\n")
        .find(|part| part.starts_with("// button.rhai"));
    let script = script.unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("button.rhai");
    let around = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let scripts = vec![path.clone()];
        let described = machine::board::Described {
            scripts,
            ..Default::default()
        };
        let board = Board::find("stm32f100rb").unwrap();
        board.described(&described, &machine::host::System)
    };
    let mut bus = around(script).unwrap().bus(&[]);
    let mut write = |address: u32, value: u32| bus.write(address, 4, value, 100).unwrap();
    // The clock of GPIOA; line 0 of the EXTI, at rising edges.
    write(0x4002_1018, 1 << 2);
    write(0x4001_0400, 1);
    write(0x4001_0408, 1);
    bus.poll(100, &mut |_, _| {});
    let mut lines = Vec::new();
    let mut is_raised = false;
    // Of each look at the lines, the one that is another than it was.
    let mut look = |now: u64, irq: u16, level: bool| {
        if level || (irq == 6 && is_raised) {
            lines.push((now, irq, level));
            is_raised = level;
        }
    };
    while bus.next_event() < 3_000 {
        let now = bus.next_event();
        bus.poll(now, &mut |irq, level| {
            look(now, irq.as_external().unwrap(), level);
        });
        bus.write(0x4001_0414, 4, 1, now).unwrap();
        bus.poll(now, &mut |irq, level| {
            look(now, irq.as_external().unwrap(), level);
        });
    }
    let pressed = [1_000, 2_000].map(|now| [(now, 6, true), (now, 6, false)]);
    assert_eq!(lines, pressed.concat());
    // What it gives to nobody ends the run at the next access to a device.
    let mut bus = around("fn reset() { wake_at(5); }\nfn wake() { give(\"USART9\", \"x\"); }")
        .unwrap()
        .bus(&[]);
    bus.poll(5, &mut |_, _| {});
    let told = format!("{:?}", bus.read(0x4002_1000, 4, 6).unwrap_err());
    assert!(
        told.contains("button") && told.contains("`USART9`, which the board does not have"),
        "{told}"
    );
    let told = around("fn read(offset, size) { 0 }").unwrap_err().to_string();
    assert!(told.contains("button.rhai: `read` is of a device"), "{told}");
}

/// The bytes of the stand-in for the boot ROM are what its source says.
#[test]
fn the_boot_rom_of_the_rp2040_is_its_source() {
    if !skipped::installed("arm-none-eabi-as") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/rom/rp2040.s");
    let run = |tool: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(format!("arm-none-eabi-{tool}"));
        let done = command
            .args(arguments)
            .current_dir(folder.path())
            .status()
            .unwrap();
        assert!(done.success(), "{tool}");
    };
    run("as", &["-mcpu=cortex-m0plus", source, "-o", "rom.o"]);
    run("ld", &["-Ttext=0", "-e", "0", "rom.o", "-o", "rom.elf"]);
    run("objcopy", &["-O", "binary", "rom.elf", "rom.bin"]);
    let made = std::fs::read(folder.path().join("rom.bin")).unwrap();
    assert!(
        made == include_bytes!("../../rom/rp2040.bin"),
        "rom/rp2040.bin is another one"
    );
}

/// RCC lets the ports of an STM32 work, RESETS the blocks of an RP2040, and what its boot ROM lacks is told by name.
#[test]
fn a_block_works_once_its_clock_is_on_and_its_reset_released() {
    let notes = |bus: &mut bus::Bus| {
        let mut notes = Vec::new();
        bus.drain_notes(&mut |_, note| notes.push(note.to_owned()));
        notes
    };
    let mut stm32 = Board::find("stm32f407").unwrap().bus(&[]);
    stm32.write(0x4002_0014, 4, 5, 10).unwrap();
    assert_eq!(stm32.read(0x4002_0014, 4, 11), Ok(0));
    assert_eq!(
        notes(&mut stm32),
        [
            "GPIOA was accessed in cycle 10 (offset 0x14) while RCC has its clock off (AHB1ENR[0]): it reads as 0 and takes no writes"
        ]
    );
    stm32.write(0x4002_3830, 4, 1, 12).unwrap();
    stm32.write(0x4002_0014, 4, 5, 13).unwrap();
    assert_eq!(
        (stm32.read(0x4002_0014, 4, 14), notes(&mut stm32)),
        (Ok(5), vec![])
    );
    let mut rp2040 = Board::find("rp2040").unwrap().bus(&[]);
    // RESET, by the alias that clears: the converter.
    assert_eq!(rp2040.read(0x4004_c010, 4, 1), Ok(0));
    assert!(
        notes(&mut rp2040)[0]
            .contains("ADC was accessed in cycle 1 (offset 0x10) while RESETS holds it in reset (RESET[0])")
    );
    rp2040.write(0x4000_f000, 4, 1, 2).unwrap();
    rp2040.write(0x4004_c010, 4, 0x100, 3).unwrap();
    assert_eq!(rp2040.read(0x4004_c010, 4, 4), Ok(0x100));
}

#[test]
fn a_gate_and_contents_name_what_there_is() {
    let wrong = |text: &str, from: &str, to: &str| {
        let text = text.replacen(from, to, 1);
        Board::parse("mine.toml", &text).unwrap_err().to_string()
    };
    let f407 = include_str!("../../boards/stm32f407.toml");
    let gate = wrong(f407, "\"GPIOA\"]", "\"GPIOAA\"]");
    assert!(gate.contains("no peripheral is called `GPIOAA`"), "{gate}");
    let field = wrong(f407, "[\"AHB1ENR[0]\"", "[\"AHB9ENR[0]\"");
    assert!(field.contains("AHB9ENR"), "{field}");
    let rp2040 = include_str!("../../boards/rp2040.toml");
    let contents = wrong(rp2040, "rp2040-boot-rom", "rp2040-boot-ram");
    assert!(
        contents.contains("no contents are called `rp2040-boot-ram`"),
        "{contents}"
    );
}

/// As Luminary's driver library sets the clock and the pins of the display.
#[test]
fn the_lm3s6965_has_its_system_control_and_ports() {
    let mut bus = Board::find("lm3s6965evb").unwrap().bus(&[]);
    for (address, value) in [
        (0x400f_e058, 1 << 6),
        (0x400f_e060, 0x07c0_3ad0),
        (0x400f_e104, 1 << 4),
        (0x400f_e108, 1 << 0),
        (0x4000_4400, 0x0c),
        (0x4000_4000 + (0x3c << 2), 0xff),
        (0x4000_8004, 1 << 1),
    ] {
        bus.write(address, 4, value, 100).unwrap();
    }
    assert_eq!(bus.read(0x400f_e050, 4, 100), Ok(1 << 6), "PLLLRIS");
    assert_eq!(bus.read(0x4000_43fc, 4, 100), Ok(0x0c));
    assert_eq!(bus.read(0x4000_8004, 4, 100), Ok(1 << 1));
    // Software reset, as RCC's bits of an STM32.
    for (address, value) in [(0x400f_e044, 1 << 4), (0x400f_e048, 1 << 0)] {
        bus.write(address, 4, value, 200).unwrap();
        bus.write(address, 4, 0, 201).unwrap();
    }
    assert_eq!(bus.read(0x4000_43fc, 4, 300), Ok(0));
    assert_eq!(bus.read(0x4000_8004, 4, 300), Ok(0));
    assert!(bus.write(0x400f_e054, 4, 1 << 6, 300).is_err(), "its interrupt");
}

/// Start-up code of pico-sdk 2 turns the USB's PHY off, if nobody uses it; and asserts how many functions the boot ROM's tables of floating point have.
#[test]
fn what_the_start_up_code_of_pico_sdk_asks_of_an_rp2040_is_there() {
    const SIE_CTRL: u32 = 0x5011_004c;
    let board = Board::find("rp2040").unwrap();
    let mut bus = board.bus(&[]);
    assert_eq!(bus.read(SIE_CTRL, 4, 1), Ok(0));
    bus.write(SIE_CTRL + 0x2000, 4, 1 << 18, 2).unwrap();
    assert_eq!(bus.read(SIE_CTRL, 4, 3), Ok(1 << 18));
    assert!(
        bus.write(SIE_CTRL, 4, 1 << 16, 4).is_err(),
        "a pull-up is of use to somebody"
    );
    let rom = include_bytes!("../../rom/rp2040.bin");
    let halfword = |at: usize| usize::from(u16::from_le_bytes([rom[at], rom[at + 1]]));
    let data = halfword(0x16);
    let tables = (0..).map(|entry| data + 4 * entry);
    let pointer = |code: &[u8]| {
        let entry = tables.clone().find(|&at| &rom[at..at + 2] == code).unwrap();
        halfword(entry + 2)
    };
    for code in [b"SF", b"SD"] {
        assert_eq!(rom[pointer(code) - 2], 32, "SF_TABLE_V2_SIZE is 0x80");
    }
}
