//! What a chip's makers say of its registers, given with `--svd`.

use crate::Desk;
use crate::firmware::{EXIT, Firmware};

const SVD: &str = include_str!("../../../../sim/machine/tests/small.svd");

/// Reads I2C1's SR1 until bit 7 is set, writes and reads CR2, and exits with what it reads there as its code.
fn waits() -> Firmware {
    let main: &[u16] = &[
        0xf245, 0x4000, // movw r0, #0x5400
        0xf2c4, 0x0000, // movt r0, #0x4000
        0x6941, // ldr r1, [r0, #0x14]
        0x0609, // lsls r1, r1, #24
        0xd5fc, // bpl: again
        0x2108, // movs r1, #8
        0x6041, // str r1, [r0, #4]
        0x6841, // ldr r1, [r0, #4]
        0xb403, // push {r0, r1}
        0xf240, 0x0026, // movw r0, #0x26
        0xf2c0, 0x0002, // movt r0, #2
        0x9000, // str r0, [sp]: the reason, and the code behind it
        0x4669, // mov r1, sp
        0x2020, // movs r0, #0x20: SYS_EXIT_EXTENDED
        0xbeab,
    ];
    Firmware::new(&[main])
}

fn desk() -> Desk {
    Desk::new().with("app.elf", waits().elf()).with("chip.svd", SVD)
}

fn error(desk: &Desk, command: &str, code: i32) -> String {
    let run = desk.run(command).code(code);
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

#[test]
fn what_is_not_modelled_is_named_and_can_be_stubbed() {
    let desk = desk();
    let told = error(&desk, "run app.elf --svd chip.svd", 3);
    for part in [
        "I2C1.SR1 (Status register 1); fields AF, TXE",
        "--stub I2C1`",
        "peripheral = \"I2C1\"",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    let run = |stubs: &str, code| {
        desk.run(&format!("run app.elf --svd chip.svd {stubs}"))
            .code(code);
    };
    // TXE is set after reset, and CR2 keeps what is written.
    run("--stub I2C1", 8);
    run("--stub *", 8);
    // Reset values alone: what was written is not there.
    run("--stub I2C1=reset", 16);
    // All bits set at first, and then none.
    run("--stub i2c1=toggles", 0);
    // One register in another way than the rest.
    run("--stub I2C1 --stub I2C1.CR2=0x15", 21);
    let told = error(&desk, "run app.elf --svd chip.svd --stub I2C1.SR1", 3);
    assert!(told.contains("I2C1.CR2 (Control register 2)"), "{told}");
    let told = error(&desk, "run app.elf --svd chip.svd --stub I2C3", 2);
    assert!(
        told.contains("no peripheral `I2C3`") && told.contains("`I2C1`"),
        "{told}"
    );
    let told = error(&desk, "run app.elf --stub I2C1", 2);
    assert!(
        told.contains("no SVD file says what `I2C1` is") && told.contains("--svd FILE"),
        "{told}"
    );
    let told = error(&desk, "run app.elf --svd app.elf", 2);
    assert!(told.contains("app.elf"), "{told}");
    let measured =
        "elf = \"app.elf\"\n[[span]]\nid = \"a/b\"\nfrom = \"main\"\nto = \"main+14\"\ncount = 1\n";
    let desk = desk.with("spec.toml", measured);
    desk.run("measure spec.toml --svd chip.svd --stub I2C1").code(0);
    error(&desk, "measure spec.toml --svd chip.svd", 3);
}

#[test]
fn a_modelled_peripheral_is_filled_up_register_by_register() {
    let board = "like = \"stm32f100rb\"\nname = \"mine\"\ndescription = \"mine\"\nsvd = \"chip.svd\"\n";
    let svd = SVD
        .replace("0x40005400", "0x40004400")
        .replace("<addressOffset>0x14<", "<addressOffset>0x20<");
    let app = Firmware::new(&[&app_code(), EXIT]);
    let desk = Desk::new()
        .with("app.elf", app.elf())
        .with("boards/mine.toml", board)
        .with("boards/chip.svd", svd);
    let told = error(&desk, "run app.elf --board boards/mine.toml", 3);
    for part in [
        "USART2",
        "I2C1.SR1 (Status register 1)",
        "--stub I2C1.SR1`",
        "register = \"SR1\"",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    let stub = "[[stub]]\nperipheral = \"I2C1\"\nregister = \"SR1\"\nread = \"reset\"\n";
    let desk = desk.with("boards/mine.toml", format!("{board}{stub}"));
    desk.run("run app.elf --board boards/mine.toml").code(0);
    for (from, to, message) in [
        ("\"SR1\"", "\"SR9\"", "mine.toml:5: `I2C1` has no register `SR9`"),
        ("\"reset\"", "\"never\"", "`never` is neither"),
        ("register =", "regster =", "mine.toml:7"),
        ("chip.svd", "chap.svd", "mine.toml:4"),
    ] {
        let wrong = format!("{board}{stub}").replace(from, to);
        let desk = Desk::new()
            .with("app.elf", waits().elf())
            .with("mine.toml", wrong)
            .with("chip.svd", SVD);
        let told = error(&desk, "run app.elf --board mine.toml", 2);
        assert!(told.contains(message), "no {message} in {told}");
    }
}

/// Turns USART2's clock on in RCC's APB1ENR, and writes 0x20 behind where it begins, which the model of a USART has not.
fn app_code() -> Vec<u16> {
    let clock = [0xf241, 0x0000, 0xf2c4, 0x0002, 0x2101, 0x0449, 0x61c1];
    let write = [0xf244, 0x4000, 0xf2c4, 0x0000, 0x6201];
    [&clock[..], &write].concat()
}

#[test]
fn a_board_file_is_written_that_runs() {
    let desk = desk();
    let text = desk.run("board new --svd chip.svd --name mine").code(0);
    let text = String::from_utf8_lossy(&text.get_output().stdout).into_owned();
    assert!(
        text.starts_with("name = \"mine\"\n") && text.contains("# [[stub]]"),
        "{text}"
    );
    let new = "board new --svd chip.svd --rom 0x08000000:64K --ram 0x20000000:8K -o mine.toml";
    let told = desk.run(new).code(0);
    let told = String::from_utf8_lossy(&told.get_output().stdout).into_owned();
    assert_eq!(told, "mine.toml: SMALL, 5 peripherals with 13 registers\n");
    assert!(error(&desk, new, 2).contains("exists already"));
    let text = desk.read("mine.toml");
    assert!(text.contains("\nvector_table = 0x08000000\n"), "{text}");
    let text = text.replacen("# [[stub]] # 0x40005400\n# peripheral", "[[stub]]\nperipheral", 1);
    let desk = desk.with("mine.toml", text);
    desk.run("run app.elf --board mine.toml").code(8);
    let apart = "board new --svd chip.svd --rom 0x08000000:64K --ram 0x0800ffff:8K -o other.toml";
    assert!(error(&desk, apart, 2).contains("the memories at 0x08000000 and 0x0800ffff overlap"));
    let system = "board new --svd chip.svd --ram 0xe0000000:8K -o other.toml";
    assert!(error(&desk, system, 2).contains("the core's own registers"));
    assert!(
        !desk.path("other.toml").exists(),
        "what cannot be read is not written"
    );
    assert!(error(&desk, "board new --svd none.svd", 2).contains("none.svd"));
    assert!(error(&desk, "board new --svd app.elf", 2).contains("app.elf"));
}

/// The page about boards has a device as a script, and a board file with it; the program above finds its registers there.
#[test]
fn a_script_of_the_page_about_boards_is_a_device() {
    let page = include_str!("../../../../docs/boards.md");
    let (board, rest) = page
        .split("## A script")
        .nth(1)
        .and_then(|text| {
            let (_, text) = text.split_once("```text\n")?;
            text.split_once("```")
        })
        .expect("a board file");
    let (_, rest) = rest.split_once("```rhai\n").expect("a script");
    let (script, _) = rest.split_once("```").expect("its end");
    let board = board.replace("stm32f100rb", "cortex-m3");
    let base = || {
        Desk::new()
            .with("app.elf", waits().elf())
            .with("mine.toml", &board)
    };
    let desk = base().with("converter.rhai", script);
    desk.run("run app.elf --board mine.toml").code(8);
    let cycles = |desk: &Desk| {
        let told = desk.run("run app.elf --board mine.toml --stats").code(8);
        String::from_utf8_lossy(&told.get_output().stderr).into_owned()
    };
    assert_eq!(cycles(&desk), cycles(&desk));
    let told = error(&base(), "run app.elf --board mine.toml", 2);
    assert!(
        told.contains("mine.toml:") && told.contains("`converter.rhai` cannot be read"),
        "{told}"
    );
    let told = error(
        &base().with("converter.rhai", "fn read(offset, size) {\n  nothing\n}"),
        "run app.elf --board mine.toml",
        2,
    );
    assert!(
        told.contains("mine.toml:5") && told.contains("converter.rhai:2:"),
        "{told}"
    );
    let told = error(
        &base().with(
            "converter.rhai",
            "fn read(offset, size) {\n  1 / (offset - 0x14)\n}",
        ),
        "run app.elf --board mine.toml",
        3,
    );
    assert!(
        told.contains("CONVERTER") && told.contains("converter.rhai:2: Division by zero"),
        "{told}"
    );
    assert!(!told.contains("--allow") && !told.contains("--stub"), "{told}");
    let told = error(&desk, "run app.elf --board mine.toml --script converter.rhai", 2);
    assert!(told.contains("`read` is of a device"), "{told}");
}

#[test]
fn a_script_that_gives_to_nobody_hears_who_there_is() {
    for other in ["USART9", "SAURT1"] {
        let script = format!("fn reset() {{ wake_in(1); }}\nfn wake() {{ give(\"{other}\", [1]); }}\n");
        let desk = crate::written::desk().with("s.rhai", script);
        let told = error(&desk, "run app.elf --board stm32f100rb --script s.rhai", 3);
        let expected = format!("`{other}`, which the board does not have; it has `USART1`");
        assert!(told.contains(&expected), "{told}");
    }
}

/// Lists within lists: whoever walks them does so by recursion, on a stack that does not depend on the shell's limit.
#[test]
fn a_script_that_nests_has_the_room_that_it_takes() {
    let nest = "let a = []; let n = 0; while n < 1500 { a = [a]; n += 1; }";
    let script = format!("fn reset() {{ wake_in(1); }}\nfn wake() {{ {nest} note(\"so deep: \" + n); }}\n");
    let desk = crate::written::desk().with("deep.rhai", script);
    let program = snapbox::cmd::cargo_bin!("cyclescope").display().to_string();
    let words = "run app.elf --board stm32f100rb --script deep.rhai";
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("ulimit -s 512; exec {program} {words}")])
        .current_dir(desk.path("."))
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("note: so deep: 1500"), "{text}");
}

/// Firmware for an STM32F103 sets two wait states on an STM32F100, which has none.
#[test]
fn bits_that_a_register_does_not_have_are_told_once_with_their_place() {
    let main: &[u16] = &[
        0xf242, 0x0000, // movw r0, #0x2000
        0xf2c4, 0x0002, // movt r0, #0x4002
        0x2132, // movs r1, #0x32
        0x6001, // str r1, [r0]
        0x6001,
    ];
    let desk = Desk::new().with("app.elf", Firmware::new(&[main, EXIT]).elf());
    let run = desk.run("run app.elf --board stm32f100rb").code(0);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    let told = "note: flash interface ACR: the chip does not have LATENCY[2:0]: a write of 0x32 leaves them 0 (at 0x080";
    assert!(text.starts_with(told) && text.lines().count() == 1, "{text}");
    assert!(text.contains("main+0xa"), "{text}");
}
