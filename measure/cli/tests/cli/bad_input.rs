//! Messages about each kind of bad input.

use object::elf::EM_386;

use crate::firmware::{EXIT, Firmware};
use crate::{Desk, golden};

/// A program that is right.
fn good() -> Firmware {
    Firmware::new(&[&[0xbf00], EXIT])
}

/// Runs a file as firmware and compares the message.
fn refused(content: &[u8], message: &str) {
    let desk = Desk::new().with("app.elf", content);
    desk.run("run app.elf --board stm32f100rb")
        .code(2)
        .stdout_eq("")
        .stderr_eq(golden(message));
}

#[test]
fn not_an_elf() {
    refused(b"#!/bin/sh\necho hello\n", "not-an-elf.txt");
}

#[test]
fn no_such_file() {
    Desk::new()
        .run("run app.elf")
        .code(2)
        .stderr_eq(golden("no-such-file.txt"));
}

#[test]
fn truncated_elf() {
    let elf = good().elf();
    refused(&elf[..0x1010], "truncated-elf.txt");
}

#[test]
fn wrong_architecture() {
    refused(&good().machine(EM_386).elf(), "wrong-architecture.txt");
}

#[test]
fn no_vector_table() {
    refused(&good().without_vectors().elf(), "no-vector-table.txt");
}

#[test]
fn stack_outside_memory() {
    refused(&good().stack(0x3000_0000).elf(), "stack-outside-memory.txt");
}

#[test]
fn unknown_board() {
    let desk = Desk::new().with("app.elf", good().elf());
    desk.run("run app.elf --board stm32f100")
        .code(2)
        .stderr_eq(golden("unknown-board.txt"));
}

#[test]
fn unknown_board_in_a_spec() {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f1oorb\"\n[[span]]\nid = \"a/b\"\nfrom = \"main\"\nto = \"main\"\n";
    let desk = Desk::new().with("app.elf", good().elf()).with("spec.toml", spec);
    desk.run("measure spec.toml")
        .code(2)
        .stderr_eq(golden("unknown-board-in-a-spec.txt"));
}

#[test]
fn an_endless_loop() {
    // loop: adds r0, #1; b loop
    let desk = Desk::new().with("app.elf", Firmware::new(&[&[0x3001, 0xe7fd]]).elf());
    let run = desk.run("run app.elf --board stm32f100rb --limit 10000");
    run.code(3).stdout_eq("").stderr_eq(golden("endless-loop.txt"));
}

#[test]
fn a_branch_to_itself() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[&[0xe7fe]]).elf());
    desk.run("run app.elf --board stm32f100rb")
        .code(3)
        .stderr_eq(golden("branch-to-itself.txt"));
}

#[test]
fn a_fault_in_the_firmware() {
    // main calls `broken`, which executes an undefined instruction; HardFault spins.
    let call = [0xb580, 0xf000, 0xf801, 0xbd80];
    let app = Firmware::new(&[&call])
        .function("broken", &[&[0xbf00, 0xde00]])
        .handler(3, "HardFault", &[&[0xe7fe]]);
    let desk = Desk::new().with("app.elf", app.elf());
    desk.run("run app.elf --board stm32f100rb")
        .code(3)
        .stderr_eq(golden("fault.txt"));
}

#[test]
fn a_breakpoint_without_a_debugger() {
    let app = Firmware::new(&[&[0xbe01], EXIT]).handler(3, "HardFault", &[&[0xe7fe]]);
    let desk = Desk::new().with("app.elf", app.elf());
    desk.run("run app.elf --board stm32f100rb")
        .code(3)
        .stderr_eq(golden("breakpoint.txt"));
}

/// `movw r0, #0x2800; movt r0, #0x4000; ldr r1, [r0]`: a register of RTC.
const READ_RTC: &[u16] = &[0xf642, 0x0000, 0xf2c4, 0x0000, 0x6801];

#[test]
fn an_unmodelled_peripheral() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[READ_RTC, EXIT]).elf());
    desk.run("run app.elf --board stm32f100rb")
        .code(3)
        .stderr_eq(golden("unmodelled-peripheral.txt"));
}

#[test]
fn the_advice_about_an_unmodelled_peripheral_works() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[READ_RTC, EXIT]).elf());
    desk.run("run app.elf --board stm32f100rb --allow 0x40002800..0x40002c00")
        .code(0)
        .stderr_eq("");
}

/// A spec of one span on a program that is right.
fn measured(from: &str, to: &str, message: &str) {
    let spec = format!(
        "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n\n[[span]]\nid = \"a/b\"\nfrom = \"{from}\"\nto = \"{to}\"\n"
    );
    let app = good()
        .function("never_called", &[&[0x4770]])
        .object("counter", crate::firmware::RAM);
    let desk = Desk::new().with("app.elf", app.elf()).with("spec.toml", spec);
    desk.run("measure spec.toml").code(2).stderr_eq(golden(message));
}

#[test]
fn a_spec_with_a_typo() {
    let spec = "elf = \"app.elf\"\n\n[[span]]\nid = \"a/b\"\nform = \"main\"\nto = \"main\"\n";
    let desk = Desk::new().with("spec.toml", spec);
    desk.run("measure spec.toml")
        .code(2)
        .stdout_eq("")
        .stderr_eq(golden("spec-typo.txt"));
}

#[test]
fn a_symbol_that_is_not_there() {
    measured("main", "never_caled", "no-such-symbol.txt");
}

#[test]
fn an_offset_beyond_the_function() {
    measured("main", "main+0x40", "offset-beyond.txt");
}

#[test]
fn a_point_that_is_no_code() {
    measured("main", "counter", "no-code.txt");
}

#[test]
fn a_line_without_debug_information() {
    measured("main", "main.rs:12", "no-lines.txt");
}

#[test]
fn an_exception_that_is_not_there() {
    measured("main", "exception:EXTI00", "no-such-exception.txt");
}

#[test]
fn a_point_never_reached() {
    measured("main", "never_called", "never-reached.txt");
}

#[test]
fn a_span_never_closed() {
    measured("main+0x2", "main", "never-closed.txt");
}

#[test]
fn an_interrupt_that_waits_for_ever() {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"a/b\"\nfrom = \"main\"\nto = \"main+2\"\n\
                [[raise]]\nirq = 6\nafter = \"never_called\"\n";
    let app = good().function("never_called", &[&[0x4770]]);
    let desk = Desk::new().with("app.elf", app.elf()).with("spec.toml", spec);
    desk.run("measure spec.toml")
        .code(2)
        .stderr_eq(golden("never-raised.txt"));
}

#[test]
fn a_missing_file_of_a_spec() {
    let spec = "elf = \"app.elf\"\n[[span]]\nid = \"a/b\"\nfrom = \"main\"\nto = \"main\"\n";
    let desk = Desk::new().with("specs/spec.toml", spec);
    desk.run("measure specs/spec.toml")
        .code(2)
        .stderr_eq(golden("missing-elf.txt"));
}

#[test]
fn a_trace_that_cannot_be_written() {
    let desk = Desk::new().with("app.elf", good().elf());
    let run = desk.run("run app.elf --board stm32f100rb --trace nowhere/trace.txt");
    run.code(2).stderr_eq(golden("trace-unwritable.txt"));
}

/// None of these is read to an end that there is not.
#[test]
fn a_device_in_place_of_a_file() {
    let desk = Desk::new().with("app.elf", good().elf());
    for command in [
        "run /dev/zero",
        "run app.elf --board /dev/zero",
        "measure /dev/zero",
        "disasm /dev/zero",
    ] {
        let run = desk.run(command).code(2);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        let clear = text.contains("not an ELF file") || text.contains("more than 4 MiB");
        assert!(clear, "{command}: {text}");
    }
}
