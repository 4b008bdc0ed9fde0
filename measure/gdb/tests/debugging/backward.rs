//! Going back: to accesses, to breakpoints, and over the marks on the way.

use std::sync::Arc;

use gdb::{Session, Stopped, Watched};
use machine::Image;
use programs::{EXIT, Firmware, NOP, RAM};

use super::{GDB, by_gdb, counting, counting_firmware, go_on, register, session, shows};

fn watched(address: u32) -> Watched {
    Watched {
        address,
        size: 4,
        writes: true,
        reads: false,
    }
}

fn word(session: &mut Session, address: u32) -> u32 {
    let mut word = [0; 4];
    assert!(session.target().memory().unwrap().read(address, &mut word));
    u32::from_le_bytes(word)
}

/// Three stores are met, and each is undone, from the one where the program stopped.
fn undone(session: &mut Session, address: u32, store: u32) {
    session.add_watched(watched(address));
    let met = Stopped::Watched(watched(address), address);
    for count in 1..=3 {
        assert_eq!(go_on(session), met);
        assert_eq!(word(session, address), count);
    }
    for count in (0..3).rev() {
        assert_eq!(session.go_back(|| false).unwrap(), met);
        assert_eq!((word(session, address), session.pc()), (count, store));
    }
    assert_eq!(session.go_back(|| false).unwrap(), Stopped::AtBeginning);
    assert_eq!(go_on(session), met);
    assert_eq!(word(session, address), 1);
    // Further on than the store, it is met as well.
    for _ in 0..3 {
        session.step().unwrap();
    }
    assert_eq!(session.go_back(|| false).unwrap(), met);
    assert_eq!((word(session, address), session.pc()), (0, store));
}

#[test]
fn an_access_is_undone_where_the_program_stopped_at_it() {
    let (image, begin) = counting();
    for drains in ["on", "off"] {
        let (mut session, _) = session("stm32f100rb", &image);
        session.monitor(&format!("drain {drains}")).unwrap();
        undone(&mut session, RAM, begin + 2);
    }
}

#[test]
fn an_access_on_rv32_is_undone_too() {
    // lui t1, 0x80001; loop: addi t0, t0, 1; addi t2, t2, 1; sw t0, 0(t1); addi t2, t2, 1; j loop.
    let code = [
        0x8000_1337u32,
        0x0012_8293,
        0x0013_8393,
        0x0053_2023,
        0x0013_8393,
        0xff1f_f06f,
    ];
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let file = programs::rv32(0x8000_0000, &code);
    let image = Arc::new(Image::parse("app.elf", &file).unwrap());
    let (mut session, _) = session("virt", &image);
    undone(&mut session, 0x8000_1000, 0x8000_000c);
}

/// In GDB: the values are those that were, in the order backwards.
#[test]
fn gdb_goes_back_to_the_access_where_it_stopped() {
    if !skipped::installed(GDB) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("app.elf");
    std::fs::write(&path, counting_firmware().elf()).unwrap();
    let typed = [
        "watch *(int *)0x20000000",
        "continue",
        "continue",
        "continue",
        "echo back\\n",
        "reverse-continue",
        "reverse-continue",
        "reverse-continue",
        "reverse-continue",
    ];
    let text = by_gdb("stm32f100rb", &path, &typed);
    let (_, back) = text.split_once("back\n").unwrap();
    let values: Vec<&str> = back.lines().filter(|line| line.contains(" value = ")).collect();
    let expected = [
        "Old value = 3",
        "New value = 2",
        "Old value = 2",
        "New value = 1",
        "Old value = 1",
        "New value = 0",
    ];
    assert_eq!(values, expected, "{text}");
    shows(back, &["No more reverse-execution history"]);
}

/// Counts R6 down from 16,000 in a loop of 64 NOPs, which takes a little more than 2^20 cycles, and exits.
fn long_loop() -> Arc<Image> {
    // movw r6, #16000; loop: 64 times nop; subs r6, #1; bne loop.
    let code: &[&[u16]] = &[&[0xf643, 0x6680], &[NOP; 64], &[0x3e01, 0xd1bd], EXIT];
    Arc::new(Image::parse("app.elf", &Firmware::new(code).elf()).unwrap())
}

/// A mark that was taken on the way stands before an instruction with a breakpoint: going back stops there once.
#[test]
fn a_breakpoint_where_a_mark_was_taken_on_the_way_is_met_once() {
    let image = long_loop();
    let (mut scout, _) = session("stm32f100rb", &image);
    scout.go_on(|| true).unwrap();
    let (pc, cycle) = (scout.pc(), scout.cycle());
    assert!(cycle > (1 << 20) - 100, "{cycle}");
    let left = register(&mut scout, "r6");
    assert!((1..1000).contains(&left), "{left}");
    let end = image.symbol("main").unwrap().address + 4 + 2 * 66;
    let (mut session, _) = session("stm32f100rb", &image);
    session.add_breakpoint(end);
    assert_eq!(go_on(&mut session), Stopped::Breakpoint);
    session.add_breakpoint(pc);
    for count in 1..left + 3 {
        assert_eq!(session.go_back(|| false).unwrap(), Stopped::Breakpoint);
        assert_eq!((session.pc(), register(&mut session, "r6")), (pc, count));
    }
    // And forward again.
    for count in (1..left + 2).rev() {
        assert_eq!(go_on(&mut session), Stopped::Breakpoint);
        assert_eq!((session.pc(), register(&mut session, "r6")), (pc, count));
    }
}

/// The same where a watchpoint stopped it meanwhile, in a loop that is remembered.
#[test]
fn a_breakpoint_is_met_at_once_after_a_watchpoint() {
    // movw r4, #0; movt r4, #0x2000; loop: adds r5, #1; nop; nop; str r5, [r4]; nop; b loop
    let code: &[u16] = &[
        0xf240, 0x0400, 0xf2c2, 0x0400, 0x3501, NOP, NOP, 0x6025, NOP, 0xe7f9,
    ];
    let image = Arc::new(Image::parse("app.elf", &Firmware::new(&[code]).elf()).unwrap());
    let place = image.symbol("main").unwrap().address + 10;
    for drains in ["on", "off"] {
        let (mut session, _) = session("stm32f100rb", &image);
        session.monitor(&format!("drain {drains}")).unwrap();
        for turn in 1..40 {
            session.add_breakpoint(place);
            assert_eq!((go_on(&mut session), session.pc()), (Stopped::Breakpoint, place));
            assert_eq!(register(&mut session, "r5"), turn);
            session.remove_breakpoint(place);
            session.add_watched(watched(RAM));
            assert_eq!(go_on(&mut session), Stopped::Watched(watched(RAM), RAM));
            session.remove_watched(watched(RAM));
        }
    }
}

/// A breakpoint at an address where the program stopped before, and that it has left since.
#[test]
fn a_breakpoint_that_was_removed_and_set_again_is_met_at_once() {
    let image = long_loop();
    let (mut session, _) = session("stm32f100rb", &image);
    let place = image.symbol("main").unwrap().address + 4 + 20;
    session.add_breakpoint(place);
    assert_eq!(go_on(&mut session), Stopped::Breakpoint);
    session.remove_breakpoint(place);
    session.go_on(|| true).unwrap();
    let left = register(&mut session, "r6");
    session.add_breakpoint(place);
    assert_eq!(go_on(&mut session), Stopped::Breakpoint);
    assert!(left - register(&mut session, "r6") <= 1);
}

#[test]
fn a_step_over_an_access_that_is_watched_stops_at_it() {
    let (image, _) = counting();
    let (mut session, _) = session("stm32f100rb", &image);
    session.add_watched(watched(RAM));
    let met = Stopped::Watched(watched(RAM), RAM);
    let steps = (0..20).filter(|_| session.step().unwrap() == met);
    assert!(steps.count() > 1);
    let met_in_range = session.step_in(0..u32::MAX, || false).unwrap();
    assert_eq!(met_in_range, met);
}
