use super::*;

const SYSTEM: ClockId = ClockId(7);

fn register(name: &str, offset: u32, reset: u32, write: u32) -> Register {
    Register {
        name: name.into(),
        offset,
        reset,
        write,
        clear: 0,
        refuse: 0,
        count: None,
        step: None,
        strobe: 0,
        absent: Vec::new(),
    }
}

fn block(text: &str) -> Result<Registers, String> {
    #[derive(serde::Deserialize)]
    struct Text {
        registers: Vec<Register>,
        access: Option<Vec<u8>>,
        #[serde(default)]
        shows: Vec<ShowEntry>,
        #[serde(default)]
        clocks: Vec<ClockEntry>,
        flash: Option<FlashEntry>,
        voltage: Option<VoltageEntry>,
        #[serde(default)]
        holds: Vec<[String; 2]>,
    }
    let text: Text = toml::from_str(text).map_err(|error| error.to_string())?;
    let listing = Listing {
        registers: text.registers,
        access: text.access,
        shows: text.shows,
        clocks: text.clocks,
        flash: text.flash,
        voltage: text.voltage,
        holds: text.holds,
        ..Listing::default()
    };
    Registers::new(
        listing,
        |name| if name == "core" { ClockId::CORE } else { SYSTEM },
    )
}

fn effects(block: &mut Registers) -> Vec<Effect> {
    std::iter::from_fn(|| block.take_effect()).collect()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, DeviceError>) -> String {
    match result {
        Err(DeviceError::NotModelled(what)) => what,
        other => panic!("not refused by name: {other:?}"),
    }
}

/// A chip with one oscillator, a PLL that doubles to eightfold it, and a divider.
const CLOCKS: &str = r#"
registers = [
  { name = "CR", offset = 0, reset = 0x1, write = 0x5 },
  { name = "CFGR", offset = 4, reset = 0, write = 0xffff_fff3 },
]
shows = [
  { field = "CR[1]", of = "CR[0]" },
  { field = "CR[3]", of = "CR[2]", after_us = 100 },
  { field = "CFGR[3:2]", of = "CFGR[1:0]" },
]
clocks = [
  { name = "osc", hz = 8_000_000 },
  { name = "pll", from = ["osc"], multiply = { field = "CFGR[10:8]", plus = 1 }, ready = "CR[3]" },
  { name = "sys", select = "CFGR[1:0]", from = ["osc", "", "pll"] },
  { name = "core", from = ["sys"], divide = { field = "CFGR[4]", values = [1, 2] } },
]
"#;

#[test]
fn holds_writable_bits_only() {
    let list = vec![register("RCC", 0x60, 0xf0, 0x0f)];
    let listing = Listing {
        registers: list,
        ..Listing::default()
    };
    let mut block = Registers::new(listing, |_| SYSTEM).unwrap();
    block.write(0x60, 4, 0xffff_ffff, 0).unwrap();
    assert_eq!(block.read(0x60, 4, 0), Ok(0xff));
    assert!(refusal(block.read(0x64, 4, 0)).contains("0x64"));
    assert!(refusal(block.read(0x60, 1, 0)).contains("RCC"));
}

#[test]
fn a_constant_is_read_in_parts() {
    let text = "registers = [{ name = \"SIZE\", offset = 0, reset = 0x0200_1234, write = 0 }]";
    let mut block = block(text).unwrap();
    assert_eq!(block.read(2, 2, 0), Ok(0x200));
    assert_eq!(block.read(1, 1, 0), Ok(0x12));
}

#[test]
fn a_narrow_write_changes_its_bytes_where_there_are_such() {
    let list = "registers = [{ name = \"ACR\", offset = 4, reset = 0x0004_0600, write = 0x00ff_ff0f, clear = 0x8000_0000, \
                refuse = 0x4000_0000 }]";
    let mut words = block(list).unwrap();
    for size in [1, 2] {
        assert!(refusal(words.write(4, size, 5, 0)).contains("ACR"));
    }
    let mut block = block(&format!("access = [1, 2, 4]\n{list}")).unwrap();
    block.write(4, 1, 5, 0).unwrap();
    assert_eq!(block.read(4, 4, 0), Ok(0x0004_0605));
    block.write(5, 1, 0x17, 0).unwrap();
    assert_eq!(block.read(4, 2, 0), Ok(0x1705));
    assert_eq!(block.read(5, 1, 0), Ok(0x17));
    block.write(6, 2, 0x8012, 0).unwrap();
    assert_eq!(
        block.read(4, 4, 0),
        Ok(0x0012_1705),
        "bits that clear do so in their byte"
    );
    assert!(refusal(block.write(7, 1, 0x40, 0)).contains("0x40000000"));
    assert!(
        refusal(block.write(5, 2, 0, 0)).contains("ACR"),
        "across two halves"
    );
}

#[test]
fn sizes_of_access_are_those_that_there_are() {
    let list = "registers = [{ name = \"ACR\", offset = 0, reset = 0, write = 0 }]";
    for sizes in ["[]", "[1, 2]", "[3, 4]", "[4, 8]"] {
        let wrong = block(&format!("access = {sizes}\n{list}")).err().unwrap();
        assert!(wrong.contains("`access`"), "{wrong}");
    }
}

#[test]
fn some_bits_clear_and_some_are_refused() {
    let text =
        "registers = [{ name = \"SR\", offset = 0, reset = 0xff, write = 0, clear = 0x0f, refuse = 0x100 }]";
    let mut block = block(text).unwrap();
    block.write(0, 4, 0x33, 0).unwrap();
    assert_eq!(block.read(0, 4, 0), Ok(0xfc));
    assert!(refusal(block.write(0, 4, 0x100, 0)).contains("SR"));
}

#[test]
fn a_ready_flag_rises_late_and_falls_at_once() {
    let mut block = block(CLOCKS).unwrap();
    block.hear(Effect::Clock(ClockId::CORE, 8_000_000), 0).unwrap();
    block.write(0, 4, 5, 1_000).unwrap();
    assert_eq!(block.read(0, 4, 1_799), Ok(0b0111), "100 us are 800 cycles");
    assert_eq!(block.read(0, 4, 1_800), Ok(0b1111));
    block.write(0, 4, 1, 2_000).unwrap();
    assert_eq!(block.read(0, 4, 2_000), Ok(0b0011));
}

#[test]
fn the_core_runs_from_what_the_fields_choose() {
    let mut block = block(CLOCKS).unwrap();
    let core = |effects: Vec<Effect>| {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Clock(ClockId::CORE, hz) => Some(hz),
            _ => None,
        })
    };
    assert_eq!(core(effects(&mut block)), Some(8_000_000));
    block.write(4, 4, 0x700, 0).unwrap();
    block.write(0, 4, 5, 0).unwrap();
    block.read(0, 4, 1_000_000).unwrap();
    assert_eq!(core(effects(&mut block)), None, "the core's clock is as before");
    block.write(4, 4, 0x702, 1_000_000).unwrap();
    assert_eq!(core(effects(&mut block)), Some(64_000_000));
    assert_eq!(block.read(4, 4, 1_000_000), Ok(0x70a));
    block.write(4, 4, 0x712, 1_000_000).unwrap();
    assert_eq!(core(effects(&mut block)), Some(32_000_000));
}

#[test]
fn a_core_without_clock_is_named() {
    let mut block = block(CLOCKS).unwrap();
    let refused = refusal(block.write(4, 4, 0x702, 0));
    assert!(refused.contains("`pll` does not run"), "{refused}");
}

#[test]
fn flash_says_its_settings_and_wants_its_wait_states() {
    let mut block = block(
        r#"
registers = [{ name = "ACR", offset = 0, reset = 0, write = 0xfff }]
[flash]
latency = "ACR[2:0]"
instruction_cache = "ACR[9]"
reset_data_cache = "ACR[11]"
source = "RM0000 table 1"
highest_hz = [[30_000_000, 60_000_000, 90_000_000], [20_000_000, 40_000_000]]
"#,
    )
    .unwrap();
    effects(&mut block);
    block.hear(Effect::Clock(ClockId::CORE, 16_000_000), 0).unwrap();
    block.write(0, 4, 0xa02, 0).unwrap();
    let settings = bus::FlashSettings {
        latency: 2,
        instruction_cache: true,
        ..bus::FlashSettings::default()
    };
    let reset = Effect::FlashReset {
        instructions: false,
        data: true,
    };
    assert_eq!(effects(&mut block), [Effect::Flash(settings), reset]);
    block.hear(Effect::Clock(ClockId::CORE, 84_000_000), 0).unwrap();
    let refused = refusal(block.write(0, 4, 1, 0));
    assert_eq!(refused, "flash latency 1 at 84 MHz: RM0000 table 1 asks for 2");
    block.write(0, 4, 1, 0).unwrap_err();
    block.hear(Effect::Clock(ClockId::CORE, 30_000_000), 0).unwrap();
    block.write(0, 4, 0, 0).unwrap();
    let refused = refusal(block.hear(Effect::Voltage(1), 0));
    assert!(refused.contains("asks for 1"), "{refused}");
}

#[test]
fn voltage_is_what_its_fields_say_together() {
    let mut block = block(
        r#"
registers = [{ name = "CR1", offset = 0, reset = 2, write = 3 }, { name = "CR5", offset = 4, reset = 1, write = 1 }]
voltage = { fields = ["CR1[1:0]", "CR5[0]"], ranges = [9, 9, 0, 1, 2, 2, 9, 9] }
"#,
    )
    .unwrap();
    assert_eq!(effects(&mut block), [Effect::Voltage(2)]);
    block.write(0, 4, 1, 0).unwrap();
    assert_eq!(effects(&mut block), [Effect::Voltage(1)]);
    block.write(4, 4, 0, 0).unwrap();
    assert_eq!(effects(&mut block), [Effect::Voltage(0)]);
}

#[test]
fn mistakes_in_the_list_are_named() {
    let registers = "registers = [{ name = \"CR\", offset = 0, reset = 0, write = 0 }]\n";
    let wrong = |rest: &str| block(&format!("{registers}{rest}")).map(|_| ()).unwrap_err();
    assert!(wrong("shows = [{ field = \"CR[1:2]\", of = \"CR[0]\" }]").contains("CR[1:2]"));
    assert!(wrong("shows = [{ field = \"CR[3:2]\", of = \"CR[0]\" }]").contains("another width"));
    assert!(wrong("clocks = [{ name = \"a\", from = [\"b\"] }]").contains("`b`"));
    assert!(wrong("clocks = [{ name = \"a\" }]").contains("needs `hz`"));
    assert!(wrong("voltage = { fields = [\"XR[0]\"], ranges = [] }").contains("XR"));
}

#[test]
fn an_entry_with_a_count_is_several_registers_and_a_field_can_show_the_opposite() {
    let listing = r#"
        registers = [
            { name = "RESET", offset = 0, reset = 0x3, write = 0x3 },
            { name = "DONE", offset = 8, reset = 0, write = 0 },
            { name = "GPIO#", offset = 16, reset = 5, write = 0, count = 2, step = 8 },
        ]
        shows = [{ field = "DONE[1:0]", of = "RESET[1:0]", inverted = true }]
    "#;
    let listing: Listing = toml::from_str(listing).unwrap();
    let names: Vec<_> = listing
        .registers
        .iter()
        .map(|register| (&*register.name, register.offset))
        .collect();
    assert_eq!(names[2..], [("GPIO0", 16), ("GPIO1", 24)]);
    let mut block = Registers::new(listing, |_| SYSTEM).unwrap();
    block.write(0, 4, 1, 0).unwrap();
    assert_eq!((block.read(8, 4, 0), block.read(24, 4, 0)), (Ok(2), Ok(5)));
}

#[test]
fn a_field_holds_another_at_its_value_after_reset() {
    let registers = "registers = [{ name = \"BDCR\", offset = 0, reset = 0x18, write = 0x1_83ff }]\n";
    let mut domain = block(&format!("{registers}holds = [[\"BDCR[16]\", \"BDCR[15:0]\"]]")).unwrap();
    let mut write = |value| {
        domain.write(0, 4, value, 1).unwrap();
        domain.read(0, 4, 2).unwrap()
    };
    assert_eq!(write(0x8301), 0x8301);
    assert_eq!(write(0x1_8301), 0x1_0018);
    assert_eq!(write(0x8100), 0x8100);
    let itself = block(&format!("{registers}holds = [[\"BDCR[3]\", \"BDCR[15:0]\"]]")).map(drop);
    assert!(itself.unwrap_err().contains("holds itself"));
}

#[test]
fn two_registers_are_not_at_one_place() {
    let text = "registers = [{ name = \"A\", offset = 0, reset = 0, write = 1 }, { name = \"B\", offset = 4, reset = 0, write = 1 }, \
                { name = \"C\", offset = 0, reset = 1, write = 0 }]";
    let told = block(text).err().unwrap();
    assert_eq!(told, "registers `A` and `C` have the same offset");
}

/// A read-modify-write, a status, a strobe and all ones are no news; a bit that is not there is, once.
#[test]
fn a_write_to_bits_that_are_not_there_is_told_once() {
    let mut acr = register("ACR", 0, 0x30, 0x08);
    acr.absent = vec!["LATENCY[2:0]".into()];
    let mut cr = register("CR", 4, 0, 0x01);
    cr.strobe = 0x4;
    let listing = Listing {
        registers: vec![acr, cr, register("KEYR", 8, 0, 0)],
        shows: vec![ShowEntry {
            field: "CR[1]".into(),
            of: "CR[0]".into(),
            after_us: 0,
            inverted: false,
        }],
        ..Listing::default()
    };
    let mut block = Registers::new(listing, |_| ClockId::CORE).unwrap();
    block.absent.call("FLASH");
    let mut told = |offset, value| {
        block.write(offset, 4, value, 0).unwrap();
        block.note()
    };
    assert_eq!(told(0, 0x38), None, "what it reads, and a bit that it has");
    assert_eq!(told(0, u32::MAX), None);
    assert_eq!(told(4, 0x7), None, "a status and a strobe");
    assert_eq!(told(8, 0x4567_0123), None, "a key");
    let latency = "FLASH ACR: the chip does not have LATENCY[2:0]: a write of 0x32 leaves them 0";
    assert_eq!(told(0, 0x32).as_deref(), Some(latency));
    assert_eq!(told(0, 0x32), None, "once");
    let other = "FLASH ACR: the chip does not have LATENCY[2:0], bits 8, 9: a write of 0x301 leaves them 0";
    assert_eq!(told(0, 0x301).as_deref(), Some(other));
}
