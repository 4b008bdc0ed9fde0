//! The small commands.

use core_cortex_m::timing::CoreKind;

use crate::firmware::{EXIT, Firmware};
use crate::{Desk, golden};

#[test]
fn boards_are_listed_with_their_memories() {
    Desk::new().run("boards").code(0).stdout_eq(golden("boards.out"));
}

#[test]
fn every_rule_is_listed() {
    for core in CoreKind::ALL {
        let run = Desk::new().run(&format!("rules --core {}", core.name())).code(0);
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        for known in core.rules() {
            let line = format!("{}  [{}: {}]", known.rule.id(), known.mark.letter(), known.source);
            assert!(text.contains(&line), "{line}");
        }
    }
}

/// str r1, [r0]; ldr r2, [r0]: the load waits for the store's data phase, unless that rule is off.
#[test]
fn a_rule_can_be_switched_off() {
    let code: &[&[u16]] = &[&[0xf04f, 0x5000, 0xbe01, 0x6001, 0x6802, 0xbe02], EXIT];
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"a/b\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n";
    let desk = Desk::new()
        .with("app.elf", Firmware::new(code).elf())
        .with("spec.toml", spec);
    desk.run("measure spec.toml")
        .code(0)
        .stdout_eq(golden("rule-on.out"));
    desk.run("measure spec.toml --without-rule store-then-load")
        .code(0)
        .stdout_eq(golden("rule-off.out"));
    desk.run("measure spec.toml --without-rule stor-then-load")
        .code(2)
        .stderr_eq(golden("no-such-rule.txt"));
}

#[test]
fn code_is_disassembled() {
    // ite eq; moveq r0, #1; movne r0, #2; bx lr
    let app = Firmware::new(&[&[0xbf00], EXIT]).function("choose", &[&[0xbf0c, 0x2001, 0x2002, 0x4770]]);
    let desk = Desk::new().with("app.elf", app.elf());
    desk.run("disasm app.elf").code(0).stdout_eq(golden("disasm.out"));
    desk.run("disasm app.elf chose")
        .code(2)
        .stderr_eq(golden("disasm-no-symbol.txt"));
}

#[test]
fn a_wrong_word_on_the_command_line_is_the_user_s_mistake() {
    Desk::new().run("mesure spec.toml").code(2).stdout_eq("");
}
