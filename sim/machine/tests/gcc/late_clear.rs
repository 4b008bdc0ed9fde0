//! Handlers that clear their request right before they return.

use events::Silent;
use machine::{Board, Machine, Options, Outcome};

use super::{build, image};

/// A timer of `mps2-an385` interrupts three times; its handler clears the request first, or last.
const TIMER: &str = r#"
#define R(address) (*(volatile unsigned *)(address))
extern unsigned stack_top;
void reset(void);
void fault(void) { for (;;); }
volatile unsigned ran;
void timer(void) {
#ifdef FIRST
    R(0x4000000c) = 1;
#endif
    for (volatile int turns = 0; turns < 10; turns++);
    ran++;
#ifndef FIRST
    R(0x4000000c) = 1;
#endif
}
__attribute__((section(".isr_vector"), used)) void *const vectors[25] = {
    &stack_top, reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, timer };
void reset(void) {
    R(0x40000008) = 2000;
    R(0x40000004) = 2000;
    R(0x40000000) = 9;
    R(0xe000e100) = 1 << 8;
    while (ran < 3);
    register unsigned call __asm("r0") = 0x18, why __asm("r1") = 0x20026;
    __asm volatile("bkpt 0xab" :: "r"(call), "r"(why));
}
"#;

fn told(options: &[&str]) -> Option<String> {
    let directory = tempfile::tempdir().unwrap();
    let options = [&["-nostdlib"], options].concat();
    let elf = build(directory.path(), "timer.c", TIMER, &options)?;
    let board = Board::find("mps2-an385").unwrap();
    let mut machine = Machine::new(&board, &image(&elf), Options::default()).unwrap();
    let outcome = machine.run(1_000_000, &mut Silent);
    assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
    Some(machine.notes().join("\n"))
}

/// On a chip with bridges it may run once more, which the model does not do.
#[test]
fn a_handler_that_clears_its_request_last_is_told_of_once() {
    let Some(last) = told(&[]) else { return };
    assert!(
        last.starts_with("the handler of interrupt 8 clears its request ") && last.lines().count() == 1,
        "{last}"
    );
    assert!(last.contains("timer.c:"), "{last}");
    assert_eq!(told(&["-DFIRST"]).as_deref(), Some(""));
}
