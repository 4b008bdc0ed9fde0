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
