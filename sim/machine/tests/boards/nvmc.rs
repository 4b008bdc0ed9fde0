//! Flash and UICR of an nRF52840, which the program writes and erases with NVMC.

use bus::{Bus, BusError};
use machine::Board;

const READY: u32 = 0x4001_e400;
const CONFIG: u32 = 0x4001_e504;
const ERASEPAGE: u32 = 0x4001_e508;
const ERASEUICR: u32 = 0x4001_e514;
const APPROTECT: u32 = 0x1000_1208;
const PAGE: u32 = 0x0008_0000;

fn nrf52840() -> Bus {
    Board::find("nrf52840").unwrap().bus(&[])
}

/// What `embassy-nrf` does before it resets the chip: 41 microseconds at 64 MHz for the word.
#[test]
fn a_word_of_uicr_is_written_while_config_enables_it() {
    let mut bus = nrf52840();
    assert_eq!(bus.read(APPROTECT, 4, 0), Ok(u32::MAX));
    assert_eq!(bus.write(APPROTECT, 4, 0x5a, 0), Err(BusError::ReadOnly));
    bus.write(CONFIG, 4, 1, 1).unwrap();
    assert_eq!(bus.read(READY, 4, 2), Ok(1));
    bus.write(APPROTECT, 4, 0xffff_ff5a, 3).unwrap();
    let ready = 3 + 41 * 64;
    assert_eq!(
        (bus.read(READY, 4, ready - 1), bus.read(READY, 4, ready)),
        (Ok(0), Ok(1))
    );
    bus.write(CONFIG, 4, 0, ready).unwrap();
    assert_eq!(bus.read(APPROTECT, 4, ready), Ok(0xffff_ff5a));
    assert_eq!(bus.write(APPROTECT, 4, 0, ready), Err(BusError::ReadOnly));
}

#[test]
fn a_page_is_erased_while_config_enables_that() {
    let mut bus = nrf52840();
    bus.load(PAGE, &[0; 8]);
    bus.load(PAGE + 0x1000, &[0; 4]);
    bus.write(ERASEPAGE, 4, PAGE, 1).unwrap();
    assert_eq!(bus.read(PAGE, 4, 2), Ok(0));
    let mut notes = Vec::new();
    bus.drain_notes(&mut |_, note| notes.push(note.to_owned()));
    assert_eq!(
        notes,
        ["NVMC: an erase while CONFIG does not enable it: nothing comes of it"]
    );
    bus.write(CONFIG, 4, 2, 3).unwrap();
    bus.write(ERASEPAGE, 4, PAGE + 4, 4).unwrap();
    let ready = 4 + 85_000 * 64;
    assert_eq!(
        (bus.read(READY, 4, ready - 1), bus.read(READY, 4, ready)),
        (Ok(0), Ok(1))
    );
    assert_eq!(
        (bus.read(PAGE + 4, 4, ready), bus.read(PAGE + 0x1000, 4, ready)),
        (Ok(u32::MAX), Ok(0))
    );
    bus.load(APPROTECT, &[0; 4]);
    bus.write(ERASEUICR, 4, 1, ready).unwrap();
    assert_eq!(bus.read(APPROTECT, 4, ready + 1), Ok(u32::MAX));
}
