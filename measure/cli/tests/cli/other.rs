//! The small commands.

use machine::board::Core;

use crate::firmware::{EXIT, Firmware};
use crate::{Desk, golden};

#[test]
fn boards_are_listed_with_their_memories() {
    Desk::new()
        .run("list boards")
        .code(0)
        .stdout_eq(golden("boards.out"));
}

#[test]
fn cores_are_listed_with_what_to_build_for_them() {
    let desk = Desk::new();
    desk.run("list cores --json cores.json")
        .code(0)
        .stdout_eq(golden("cores.out"));
    let list: serde_json::Value = serde_json::from_str(&desk.read("cores.json")).unwrap();
    let lite = &list["cores"][6];
    assert_eq!(lite["name"], "vexriscv-lite");
    assert_eq!(lite["targets"][1], "riscv32i-unknown-none-elf");
    assert_eq!(lite["verilog"], true);
    assert_eq!(list["cores"].as_array().unwrap().len(), Core::all().count());
}

#[test]
fn every_rule_is_listed() {
    for core in Core::all() {
        let run = Desk::new()
            .run(&format!("list rules --core {}", core.name()))
            .code(0);
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        // Lines are wrapped.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for rule in core.rule_book().rules() {
            let line = format!("{} [{}: {}]", rule.id, rule.mark.name(), rule.source);
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
fn the_view_of_the_fetch_needs_a_core_that_tells_it() {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"a/b\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n";
    let desk = Desk::new()
        .with("app.elf", Firmware::new(&[EXIT]).elf())
        .with("spec.toml", spec);
    for command in [
        "measure spec.toml",
        "run app.elf --board stm32f100rb --trace trace.txt",
    ] {
        desk.run(&format!("{command} --view fetch"))
            .code(2)
            .stderr_eq(golden("no-fetch-view.txt"));
    }
}

/// ldr r1, [r0]; ldr r2, [r0]; mov r1, r1; ldr r2, [r0]: a memory that has to be granted is, to the first and the last.
#[test]
fn a_memory_that_is_idle_may_have_to_be_granted() {
    let code: &[&[u16]] = &[
        &[0xf04f, 0x5000, 0xbe01, 0x6801, 0x6802, 0x4609, 0x6802, 0xbe02],
        EXIT,
    ];
    let spec = "elf = \"app.elf\"\nboard = \"./mine.toml\"\n[[span]]\nid = \"a/b\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n";
    let board = |grant: u8| {
        format!(
            "name = \"mine\"\ndescription = \"mine\"\ncore = \"cortex-m4\"\nrevision = \"r0p1\"\nclock_hz = 1_000_000\n\
             priority_bits = 4\n[[memory]]\nname = \"flash\"\nkind = \"rom\"\nbase = 0x0800_0000\nsize = \"64K\"\n\
             wait = {{ fetch = 0, read = 0, write = 0 }}\n[[memory]]\nname = \"at 0\"\nbase = 0\nalias_of = \"flash\"\n\
             [[memory]]\nname = \"RAM\"\nkind = \"ram\"\nbase = 0x2000_0000\nsize = \"64K\"\n\
             wait = {{ fetch = 0, read = 0, write = 0, grant = {grant} }}\n[interrupts]\ncount = 8\n"
        )
    };
    let cycles = |grant| {
        let desk = Desk::new()
            .with("app.elf", Firmware::new(code).elf())
            .with("spec.toml", spec)
            .with("mine.toml", board(grant));
        let run = desk.run("measure spec.toml --json r.json").code(0);
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        let row = text
            .lines()
            .find(|line| line.starts_with(" b "))
            .map(str::to_owned);
        let figure = row.and_then(|row| row.split_whitespace().nth(1)?.parse::<u32>().ok());
        figure.expect("a figure")
    };
    assert_eq!(cycles(1), cycles(0) + 2);
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
fn a_literal_pool_is_data() {
    // ldr r0, =0x40021000; bx lr
    let app = Firmware::new(&[EXIT])
        .function("load", &[&[0x4800, 0x4770]])
        .literals(&[0x4002_1000])
        .function("behind", &[&[0x4770]]);
    let run = Desk::new()
        .with("app.elf", app.elf())
        .run("disasm app.elf")
        .code(0);
    let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(text.contains(":\t40021000 \t.word 0x40021000\n"), "{text}");
    assert_eq!(text.matches("bx lr").count(), 2, "{text}");
}

#[test]
fn a_wrong_word_on_the_command_line_is_the_user_s_mistake() {
    Desk::new().run("mesure spec.toml").code(2).stdout_eq("");
}

#[test]
fn one_rule_is_told_with_its_cores() {
    let desk = Desk::new();
    desk.run("list rules branch-taken")
        .code(0)
        .stdout_eq(golden("rule.out"));
    desk.run("list rules branch-takn --core cortex-m3")
        .code(2)
        .stderr_eq(golden("rule-unknown.txt"));
}
