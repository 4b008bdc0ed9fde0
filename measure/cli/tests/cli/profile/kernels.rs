//! Kernels of programs, by the names of their functions and without.

use serde_json::Value;

use super::repository_program;
use crate::Desk;

/// The JSON of a profile.
fn told(desk: &Desk, command: &str) -> Value {
    desk.run(&format!("profile {command} --json told.json")).code(0);
    serde_json::from_str(&desk.read("told.json")).unwrap()
}

/// The warnings of a profile.
fn told_beside(desk: &Desk, command: &str) -> String {
    let output = desk
        .run(&format!("profile {command}"))
        .code(0)
        .get_output()
        .clone();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap()
}

#[test]
fn kernels_are_known_by_the_names_of_their_functions() {
    for (name, kernel, entries, switches) in [
        (
            "threads-freertos-apart.elf",
            "FreeRTOS",
            &["works", "first", "second"][..],
            "vTaskSwitchContext",
        ),
        ("threads-mainspring.elf", "Mainspring", &[][..], ""),
    ] {
        let Some(elf) = repository_program(name) else {
            continue;
        };
        let desk = Desk::new().with("app.elf", elf);
        let told = told(&desk, "app.elf --board stm32f100rb");
        let [found] = list(&told, "kernels") else {
            panic!("{name}: {}", told["kernels"]);
        };
        assert_eq!(found["name"], kernel);
        let contexts = list(&told, "contexts");
        let runs =
            |name: &str| contexts.iter().find(|context| context["name"] == name).unwrap()["runs"].as_u64();
        for entry in entries {
            assert!(
                contexts.iter().any(|context| context["entry"] == *entry),
                "{name}: {entry}"
            );
        }
        if !switches.is_empty() {
            let used = list(found, "uses")
                .iter()
                .find(|used| used["function"] == switches)
                .unwrap();
            assert_eq!(
                (used["what"].as_str(), used["calls"].as_u64()),
                (Some("switch"), runs("PendSV"))
            );
        }
        // The longest stretch of all is the first one, and none is longer than all together.
        let masked = &told["masked"];
        let windows = list(masked, "windows");
        let lengths: Vec<u64> = windows
            .iter()
            .map(|window| window["cycles"].as_u64().unwrap())
            .collect();
        assert!(lengths.is_sorted_by(|a, b| a >= b));
        // Each place once. FreeRTOS masks in four functions.
        assert!((4..=5).contains(&lengths.len()), "{windows:?}");
        assert_eq!(masked["longest"].as_u64(), Some(lengths[0]));
        assert!(lengths.iter().sum::<u64>() <= masked["cycles"].as_u64().unwrap());
    }
}

/// Those of which no program is built here, by a function of a name of theirs.
#[test]
fn a_kernel_is_known_by_one_name_of_its_own() {
    for (function, kernel) in [
        ("_tx_thread_schedule", "ThreadX"),
        ("z_arm_pendsv", "Zephyr"),
        ("z_impl_k_thread_create", "Zephyr"),
        ("__port_switch", "ChibiOS"),
        ("chSchDoPreemption", "ChibiOS"),
    ] {
        let program = crate::firmware::calling().function(function, &[&[0x4770]]);
        let desk = Desk::new().with("app.elf", program.elf());
        let told = told(&desk, "app.elf --board stm32f100rb");
        let [found] = list(&told, "kernels") else {
            panic!("{function}: {}", told["kernels"]);
        };
        assert_eq!(found["name"], kernel, "{function}");
    }
}

/// As Zephyr begins: on the stack of the start, in which the kernel's first thread goes on. What the kernel asks for before the thread's
/// own function is not that.
#[test]
fn a_thread_is_named_by_what_its_kernel_begins_it_with() {
    // bl z_thread_entry
    let start: &[u16] = &[0xf000, 0xf806];
    // push {r4, lr}; bl z_impl_k_sched_current_thread_query; bl own; pop {r4, pc}
    let begin: &[u16] = &[0xb510, 0xf000, 0xf803, 0xf000, 0xf803, 0xbd10];
    let program = crate::firmware::Firmware::new(&[start, crate::firmware::EXIT])
        .function("z_thread_entry", &[begin])
        .function("z_impl_k_sched_current_thread_query", &[&[0x4770]])
        .function("own", &[&[0x4770]])
        .function("z_arm_pendsv", &[&[0x4770]]);
    let desk = Desk::new().with("app.elf", program.elf());
    let told = told(&desk, "app.elf --board stm32f100rb");
    assert_eq!(told["kernels"][0]["name"], "Zephyr");
    assert_eq!(told["contexts"][0]["entry"], "own");
}

#[test]
fn a_stripped_program_is_profiled_by_what_it_does() {
    const STRIP: &str = "arm-none-eabi-strip";
    let Some(elf) = repository_program("threads-freertos-apart.elf") else {
        return;
    };
    if !skipped::installed(STRIP) {
        return;
    }
    let desk = Desk::new().with("app.elf", &elf).with("stripped.elf", elf);
    let strip = std::process::Command::new(STRIP)
        .arg(desk.path("stripped.elf"))
        .status();
    assert!(strip.unwrap().success());
    let (whole, stripped) = (
        told(&desk, "app.elf --board stm32f100rb"),
        told(&desk, "stripped.elf --board stm32f100rb"),
    );
    let runs = |told: &Value| -> Vec<(Value, Value, Value)> {
        let contexts = list(told, "contexts").iter();
        contexts
            .map(|context| {
                (
                    context["name"].clone(),
                    context["runs"].clone(),
                    context["cycles"].clone(),
                )
            })
            .collect()
    };
    assert_eq!(
        (runs(&whole), &whole["cycles"]),
        (runs(&stripped), &stripped["cycles"])
    );
    assert!(list(&stripped, "kernels").is_empty());
    let said = told_beside(&desk, "stripped.elf --board stm32f100rb");
    assert!(
        said.contains("no symbols: its functions and its kernel are not known"),
        "{said}"
    );
}

/// Functions, kernel and threads are known by symbols; lines are not, which is told to who asks for them.
#[test]
fn a_program_without_debug_information_is_profiled_by_its_symbols() {
    const STRIP: &str = "arm-none-eabi-strip";
    let Some(elf) = repository_program("threads-freertos-apart.elf") else {
        return;
    };
    if !skipped::installed(STRIP) {
        return;
    }
    let desk = Desk::new().with("app.elf", &elf).with("bare.elf", elf);
    let strip = std::process::Command::new(STRIP)
        .arg("-g")
        .arg(desk.path("bare.elf"))
        .status();
    assert!(strip.unwrap().success());
    let (whole, bare) = (
        told(&desk, "app.elf --board stm32f100rb"),
        told(&desk, "bare.elf --board stm32f100rb"),
    );
    assert_eq!(whole["contexts"], bare["contexts"]);
    assert_eq!(whole["kernels"][0]["name"], bare["kernels"][0]["name"]);
    assert_eq!(told_beside(&desk, "bare.elf --board stm32f100rb"), "");
    for asked in ["--lines", "--lcov lines.info"] {
        let said = told_beside(&desk, &format!("bare.elf --board stm32f100rb {asked}"));
        assert!(
            said.contains("no debug information: its source lines are not known"),
            "{said}"
        );
        assert!(said.contains("compile with `-g`"), "{said}");
    }
}

#[test]
fn a_kernel_of_ones_own_is_known_by_a_file_of_marks() {
    let marks = "[[kernel]]\nname = \"mine\"\nfound_by = [\"wo*\"]\nlock = [\"work\"]\n";
    let desk = Desk::new()
        .with("app.elf", crate::firmware::calling().elf())
        .with("mine.toml", marks)
        .with("wrong.toml", "[[kernel]]\nfound_by = 3\n");
    let told = told(&desk, "app.elf --board stm32f100rb --kernels mine.toml");
    let [kernel] = list(&told, "kernels") else {
        panic!("{}", told["kernels"]);
    };
    let used = &kernel["uses"][0];
    assert_eq!((&kernel["name"], &used["what"]), (&"mine".into(), &"lock".into()));
    // `rtfm/call-return`: 39 instructions and a return of two.
    assert_eq!(
        (used["calls"].as_u64(), used["cycles"].as_u64()),
        (Some(1), Some(41))
    );
    desk.run("profile app.elf --board stm32f100rb --kernels wrong.toml")
        .code(2);
}
