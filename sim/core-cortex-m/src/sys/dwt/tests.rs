use super::{Counter, Dwt, DwtRegister};
use crate::sys::mpu::Want;

const MATCHED: u32 = 1 << 24;

fn on() -> Dwt {
    let mut dwt = Dwt::new();
    dwt.switch(true, 0);
    dwt
}

#[test]
fn the_cycle_counter_counts_from_what_was_written() {
    let mut dwt = on();
    dwt.write(DwtRegister::CycleCount, 0, 100, 5).unwrap();
    assert_eq!(
        dwt.read(DwtRegister::CycleCount, 0, 9),
        100,
        "it is not enabled yet"
    );
    dwt.write(DwtRegister::Control, 0, 1, 10).unwrap();
    assert_eq!(dwt.read(DwtRegister::CycleCount, 0, 10), 100);
    assert_eq!(dwt.read(DwtRegister::CycleCount, 0, 12), 102);
    dwt.write(DwtRegister::CycleCount, 0, u32::MAX, 20).unwrap();
    assert_eq!(dwt.read(DwtRegister::CycleCount, 0, 22), 1, "it wraps");
    dwt.write(DwtRegister::Control, 0, 0, 30).unwrap();
    assert_eq!(dwt.read(DwtRegister::CycleCount, 0, 99), 9, "it stands");
}

#[test]
fn switched_off_it_reads_as_zero_and_ignores_writes() {
    let mut dwt = Dwt::new();
    dwt.write(DwtRegister::Control, 0, 1, 0).unwrap();
    assert_eq!(dwt.read(DwtRegister::Control, 0, 0), 0);
    dwt.switch(true, 10);
    assert_eq!(
        dwt.read(DwtRegister::Control, 0, 10),
        4 << 28,
        "the write was ignored"
    );
    dwt.write(DwtRegister::Control, 0, 1, 10).unwrap();
    dwt.switch(false, 15);
    dwt.switch(true, 20);
    assert_eq!(
        dwt.read(DwtRegister::CycleCount, 0, 20),
        5,
        "it stood while the unit was off"
    );
}

#[test]
fn a_data_match_is_seen_once() {
    let mut dwt = on();
    dwt.write(DwtRegister::Comparator(2), 0, 0x2000_0013, 0).unwrap();
    dwt.write(DwtRegister::Mask(2), 0, 2, 0).unwrap();
    dwt.write(DwtRegister::Function(2), 0, 6, 0).unwrap();
    assert!(dwt.watching());
    assert!(!dwt.access(0x2000_0010, 4, Want::Read), "writes only");
    assert!(!dwt.access(0x2000_0014, 4, Want::Write), "behind it");
    assert!(!dwt.access(0x2000_000c, 4, Want::Write), "before it");
    assert_eq!(dwt.read(DwtRegister::Function(2), 0, 0), 6);
    assert!(
        dwt.access(0x2000_0012, 1, Want::Write),
        "the mask widens it to four bytes"
    );
    assert_eq!(dwt.read(DwtRegister::Function(2), 0, 0), MATCHED | 6);
    assert_eq!(dwt.read(DwtRegister::Function(2), 0, 0), 6, "the read cleared it");
}

#[test]
fn only_watchpoint_functions_raise_a_debug_event() {
    let mut dwt = on();
    for function in 0..16 {
        if dwt.write(DwtRegister::Function(0), 0, function, 0).is_ok() {
            assert_eq!(
                dwt.access(0, 4, Want::Read),
                [5, 7].contains(&function),
                "function {function}"
            );
        }
    }
}

#[test]
fn the_cycle_counter_matches_when_it_passes_the_comparator() {
    let mut dwt = on();
    dwt.write(DwtRegister::Control, 0, 1, 0).unwrap();
    dwt.write(DwtRegister::Comparator(0), 0, 50, 0).unwrap();
    dwt.write(DwtRegister::Function(0), 0, 4 | 1 << 7, 10).unwrap();
    let function = |dwt: &mut Dwt, cycle| dwt.read(DwtRegister::Function(0), 0, cycle);
    assert_eq!(function(&mut dwt, 49), 0x84);
    assert_eq!(function(&mut dwt, 50), MATCHED | 0x84);
    assert_eq!(function(&mut dwt, 60), 0x84, "once per revolution");
    assert_eq!(function(&mut dwt, (1 << 32) + 49), 0x84);
    assert_eq!(function(&mut dwt, (1 << 32) + 50), MATCHED | 0x84);
}

#[test]
fn what_is_not_modelled_says_so() {
    let mut dwt = on();
    assert_eq!(
        dwt.write(DwtRegister::Control, 0, 1 << 22, 0),
        Err("DWT_CTRL.CYCEVTENA".into())
    );
    assert!(
        dwt.write(DwtRegister::Function(3), 0, 4, 0)
            .unwrap_err()
            .contains("PC")
    );
    assert!(
        dwt.write(DwtRegister::Function(1), 0, 5 | 1 << 8, 0)
            .unwrap_err()
            .contains("DATAVMATCH")
    );
}

#[test]
fn an_event_counter_counts_while_it_is_on_and_has_eight_bits() {
    let mut dwt = on();
    dwt.write(DwtRegister::EventCount, Counter::LoadStore as u32, 3, 0)
        .unwrap();
    dwt.count(Counter::LoadStore, 3);
    dwt.write(DwtRegister::Control, 0, 1 << 20, 0).unwrap();
    assert!(dwt.counts());
    dwt.count(Counter::LoadStore, 258);
    dwt.count(Counter::Fold, 1);
    let read = |dwt: &mut Dwt, counter: Counter| dwt.read(DwtRegister::EventCount, counter as u32, 0);
    assert_eq!(read(&mut dwt, Counter::LoadStore), 2);
    assert_eq!(read(&mut dwt, Counter::Fold), 0);
    dwt.expect(Counter::LoadStore, -3);
    assert_eq!(read(&mut dwt, Counter::LoadStore), 0xff);
}
