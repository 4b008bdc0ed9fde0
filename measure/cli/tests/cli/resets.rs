//! Resets of the chip that a run goes on after: each command tells them, as its own words and not as the program's.

use snapbox::cmd::OutputAssert;

use crate::Desk;
use crate::firmware::{EXIT, Firmware, NOP};

/// Resets the chip once, and then calls `work` and ends. A word of memory, which a reset leaves as it is, says whether it was.
fn once() -> Firmware {
    let main = [
        // movw r2, #0; movt r2, #0x2000; ldr r3, [r2]; cmp r3, #1; beq done; movs r3, #1; str r3, [r2]
        0xf240, 0x0200, 0xf2c2, 0x0200, 0x6813, 0x2b01, 0xd00d, 0x2301, 0x6013,
        // movw r0, #0xed0c; movt r0, #0xe000; movw r1, #4; movt r1, #0x5fa
        0xf64e, 0x500c, 0xf2ce, 0x0000, 0xf240, 0x0104, 0xf2c0, 0x51fa,
        // opened: nop; str r1, [r0]; b .; nop; done: bl work
        NOP, 0x6001, 0xe7fe, NOP, 0xf000, 0xf807,
    ];
    Firmware::new(&[&main, EXIT]).function("work", &[&[NOP, 0x4770]])
}

fn desk(spec: &str) -> Desk {
    let spec = format!("elf = \"app.elf\"\nboard = \"stm32f100rb\"\n{spec}");
    Desk::new().with("app.elf", once().elf()).with("spec.toml", spec)
}

const WORK: &str = "[[span]]\nid = \"t/work\"\nfunction = \"work\"\n";

fn told(run: &OutputAssert) -> String {
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

#[test]
fn every_command_tells_a_reset_behind_which_all_went_well() {
    let desk = desk(WORK);
    for words in [
        "measure spec.toml",
        "cost app.elf work --board stm32f100rb",
        "profile app.elf --board stm32f100rb",
        "why app.elf work --board stm32f100rb",
        "run app.elf --board stm32f100rb --trace all.txt",
    ] {
        let text = told(&desk.run(words).code(0));
        let notes = text.matches("the chip was reset by the program in cycle").count();
        assert_eq!(notes, 1, "{words}: {text}");
        assert!(!text.contains("it printed"), "{words}: {text}");
    }
    let trace = desk.read("all.txt");
    assert!(trace.contains(" reset ") && !trace.contains("text"), "{trace}");
}

#[test]
fn what_failed_did_not_print_the_note() {
    let text = told(&desk(WORK).run("measure spec.toml --limit 22").code(3));
    assert!(
        text.contains("the chip was reset by the program") && !text.contains("it printed"),
        "{text}"
    );
}

#[test]
fn a_span_that_a_reset_cuts_is_told_so() {
    let text = told(
        &desk("[[span]]\nid = \"t/cut\"\nfrom = \"main+0x22\"\nto = \"work\"\n")
            .run("measure spec.toml")
            .code(2),
    );
    assert!(
        text.contains("a reset of the chip came between `main+0x22`, which was last met in cycle")
            && !text.contains("never reached"),
        "{text}"
    );
}
