//! Boards by their names, and the ratings of their chips.

use machine::{Board, BoardError};

/// By what chip or core is meant, whatever its name is like; and in any case.
#[test]
fn the_nearest_board_has_the_core_of_the_chip() {
    let near = |name: &str| match Board::find(name) {
        Err(BoardError::Unknown { nearest, .. }) => nearest,
        other => panic!("{name}: {other:?}"),
    };
    for (name, first) in [
        ("h743", "stm32f407"),
        ("STM32H743ZI", "stm32f407"),
        ("nucleo-f401re", "stm32f4"),
        ("stm32f103c8", "stm32f100rb"),
        ("bluepill", "stm32f100rb"),
        ("stm32f470", "stm32f407"),
        ("cortex-m33", "cortex-m4f"),
        ("cortex-m7", "cortex-m4f"),
        ("Cortex-M1", "cortex-m0"),
        ("pico", "rp2040"),
        ("pico2", "cortex-m4f"),
        ("nrf52833", "nrf52840"),
        ("nrf51822", "microbit"),
        ("esp32c3", "sifive_e"),
        ("hifive1", "sifive_e"),
        ("samd21", "samd20"),
        ("cortxe-m3", "cortex-m3"),
    ] {
        let near = near(name);
        assert!(
            near.first().is_some_and(|board| board.starts_with(first)),
            "{name}: {near:?}"
        );
    }
    assert!(near("zzzzzz").is_empty());
    for name in ["STM32F407", "Cortex-M3", "nRF52840"] {
        assert!(Board::find(name).is_ok(), "{name}");
    }
    let hint = Board::find("h743").unwrap_err().hint().unwrap();
    assert!(
        hint.contains("stm32h743 has a Cortex-M7, which is not modelled (cortex-m4f comes nearest)"),
        "{hint}"
    );
    assert!(
        hint.contains("cyclescope board new") && hint.contains("like = \"stm32f407\""),
        "{hint}"
    );
}

/// Where a program sets the clock, the chip has a rating. What has none is no chip: a core alone, a design for an FPGA whose clock depends on the
/// FPGA, a machine of QEMU's.
#[test]
fn each_chip_has_its_highest_clock() {
    let no_chip = |name: &str| {
        let prefixes = [
            "cortex-m",
            "vexriscv-",
            "ibex",
            "picorv32",
            "litex-",
            "precursor",
            "aquila",
            "virt",
        ];
        prefixes.iter().any(|prefix| name.starts_with(prefix))
    };
    for name in Board::names() {
        let board = Board::find(name).unwrap();
        let Some(most) = board.max_clock_hz() else {
            assert!(no_chip(name), "{name} has no `max_clock_hz`");
            continue;
        };
        assert!(!no_chip(name), "{name}");
        assert!(board.clock_hz() <= most, "{name} leaves reset beyond its rating");
    }
    let like = "like = \"stm32f407\"\nname = \"a\"\n";
    let most = |more: &str| {
        Board::parse("a.toml", &format!("{like}{more}"))
            .unwrap()
            .max_clock_hz()
    };
    assert_eq!(
        (most(""), most("max_clock_hz = 180_000_000\n")),
        (Some(168_000_000), Some(180_000_000))
    );
}
