//! What comes in from outside is bounded: files without an end, programs that ask for more than they get, and devices that are not there.

use std::fs;
use std::process::Command;

use crate::Desk;
use crate::firmware::{EXIT, Firmware};
use crate::rv32::programs::{EXIT as RV32_EXIT, Program};

fn told(desk: &Desk, command: &str, code: i32) -> String {
    let run = desk.run(command).code(code);
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

/// `sw a0, offset(a0)`
fn store(offset: u32) -> u32 {
    (offset >> 5) << 25 | 10 << 20 | 10 << 15 | 2 << 12 | (offset & 31) << 7 | 0x23
}

/// A register that a device lacks, one ordinary instruction, another access to the device: all cores stop at the first.
#[test]
fn what_a_device_lacks_is_named_by_every_rv32_core() {
    let nop = 0x13;
    let program = |upper: u32, base: u32| {
        let begins = [upper << 12 | 10 << 7 | 0x37, store(1000), nop, store(0)];
        // Ibex begins at 0x80.
        Program::new(&[&[nop; 32], &begins[..], RV32_EXIT].concat())
            .at(base)
            .elf()
    };
    let vexriscv =
        ["min", "lite", "standard", "full", "imac", "linux", "secure"].map(|kind| format!("vexriscv-{kind}"));
    let others = ["litex-sram", "ibex", "picorv32"].map(str::to_owned);
    let desk = Desk::new()
        .with("csr.elf", program(0xf0001, 0))
        .with("clint.elf", program(0x02000, 0x8000_0000));
    for board in vexriscv.iter().chain(&others) {
        let text = told(&desk, &format!("run csr.elf --board {board} --limit 10000"), 3);
        assert!(
            text.contains("3e8") && !text.contains("panicked"),
            "{board}: {text}"
        );
    }
    let text = told(&desk, "run clint.elf --board virt --limit 10000", 3);
    assert!(text.contains("3e8") && !text.contains("panicked"), "{text}");
}

/// MRET to the middle of a word, on a core without compressed instructions: the word is executed.
#[test]
fn a_return_into_the_middle_of_a_word_begins_at_the_word() {
    // addi t0,x0,0x1e; csrw mepc,t0; lui t1,2; addi t1,t1,-0x800; csrw mstatus,t1 (to machine mode); mret; behind them what must not be met
    let code = [
        0x01e0_0293,
        0x3412_9073,
        0x0000_2337,
        0x8003_0313,
        0x3003_1073,
        0x3020_0073,
        0,
    ];
    let app = Program::new(&[&code, RV32_EXIT].concat());
    let desk = Desk::new().with("app.elf", app.elf());
    for board in ["vexriscv-full", "vexriscv-standard", "vexriscv-linux"] {
        assert_eq!(
            told(&desk, &format!("run app.elf --board {board} --limit 10000"), 0),
            "",
            "{board}"
        );
    }
}

#[test]
fn a_start_that_the_chip_refuses_is_a_mistake_of_the_file() {
    let board = "like = \"stm32f407\"\nname = \"mine\"\ndescription = \"mine\"\nstart = [\n  \
                 { peripheral = \"RCC\", register = \"CFGR\", value = 0x0000_940a },\n]\n";
    let desk = Desk::new()
        .with("app.elf", Firmware::new(&[EXIT]).elf())
        .with("mine.toml", board);
    let text = told(&desk, "run app.elf --board mine.toml", 2);
    assert!(
        text.starts_with("error: ") && text.contains("mine.toml:5"),
        "{text}"
    );
}

/// A pipe that nobody writes to, and files that are larger than such a file is.
#[test]
fn files_without_an_end_are_refused() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[EXIT]).elf());
    let made = Command::new("mkfifo")
        .args(["pipe", "unread"].map(|name| desk.path(name)))
        .status();
    assert!(made.expect("mkfifo").success());
    for (name, size) in [
        ("long.toml", 5 << 20),
        ("long.json", 33 << 20),
        ("long.elf", 2_u64 << 30),
    ] {
        let file = fs::File::create(desk.path(name)).expect("a file");
        file.set_len(size).expect("it takes no room");
    }
    let mark = |name: &str, bytes: &[u8]| {
        use std::io::Write as _;
        let mut file = fs::OpenOptions::new()
            .write(true)
            .open(desk.path(name))
            .expect("it is there");
        file.write_all(bytes).expect("there is room");
    };
    mark("long.elf", b"\x7fELF");
    let commands = [
        ("run pipe", "nobody is at its other end"),
        ("run app.elf --board ./pipe", "nobody is at its other end"),
        ("measure pipe", "nobody is at its other end"),
        ("gate pipe --limits pipe", "nobody is at its other end"),
        (
            "run app.elf --board stm32f100rb --json unread",
            "nobody is at its other end",
        ),
        ("run long.elf", "more than 512 MiB"),
        ("run app.elf --board ./long.toml", "more than 4 MiB"),
        ("measure long.toml", "more than 4 MiB"),
        ("report long.json -o out.html", "more than 32 MiB"),
        ("diff long.json long.json", "more than 32 MiB"),
    ];
    // A pipe is waited for.
    std::thread::scope(|scope| {
        for (command, words) in commands {
            let desk = &desk;
            scope.spawn(move || {
                let text = told(desk, command, 2);
                assert!(text.contains(words), "{command}: {text}");
            });
        }
    });
}

#[test]
fn a_sweep_has_only_so_many_phases() {
    let spec = "elf = \"app.elf\"\n[[raise]]\nirq = 6\nat = 5\nphases = 4000000000\n[[span]]\nid = \"t/a\"\nfunction = \"main\"\n";
    let desk = Desk::new()
        .with("app.elf", Firmware::new(&[EXIT]).elf())
        .with("spec.toml", spec);
    let text = told(&desk, "measure spec.toml", 2);
    assert!(
        text.contains("`phases` must be at most") && text.contains("spec.toml:5"),
        "{text}"
    );
}

/// Thousands of mistakes are not thousands of messages, and each of them is known.
#[test]
fn of_many_mistakes_the_first_are_shown() {
    let span = |n: usize| format!("[[span]]\nid = \"t/{n}\"\nfrom = \"gone\"\nto = \"main\"\n");
    let spec: String = (0..150).map(span).collect();
    let desk = Desk::new().with("app.elf", Firmware::new(&[EXIT]).elf()).with(
        "spec.toml",
        format!("elf = \"app.elf\"\nboard = \"stm32f100rb\"\n{spec}"),
    );
    let text = told(&desk, "measure spec.toml", 2);
    assert_eq!(text.matches("--> spec.toml").count(), 100, "{text}");
    assert!(text.ends_with("error: and 50 more like these\n"), "{text}");
}

/// Opens a file of this name by semihosting, again and again until it is refused if that is wanted, and ends with the handle and one
/// more, or 0 if there is none.
fn opens(name: &str, mode: u16, until_refused: bool) -> Firmware {
    assert!(name.len() < 256);
    // adds r2, r0, #1; bne: back to what opens it
    let again = if until_refused { 0xd1f9 } else { 0xbf00 };
    let code = [
        0x2420,
        0x0624, // r4 = RAM
        0xa509,
        0x6025, // adr r5, name
        0x2500 | mode,
        0x6065,
        0x2500 | name.len() as u16,
        0x60a5,
        0x0021,
        0x2001,
        0xbeab, // SYS_OPEN
        0x1c42,
        again,
        0x2302,
        0x041b,
        0x3326,
        0x6023,
        0x6062,
        0x0021,
        0x2020,
        0xbeab,
        0xe7fe,
    ];
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize(name.len() / 2 * 2 + 2, 0);
    let name: Vec<u16> = bytes
        .chunks(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    Firmware::new(&[&code, &name])
}

/// What a program reaches of the host's files is what lies in the directory.
#[cfg(unix)]
#[test]
fn a_directory_is_all_that_a_program_reaches() {
    use std::os::unix::fs::symlink;

    let desk = Desk::new().with("files/inside", "text").with("secret", "secret");
    symlink("../secret", desk.path("files/link")).expect("a link");
    symlink("/dev/zero", desk.path("files/zero")).expect("a link");
    symlink("inside", desk.path("files/good")).expect("a link");
    let made = Command::new("mkfifo").arg(desk.path("files/pipe")).status();
    assert!(made.expect("mkfifo").success());
    let open = |app: Firmware, files: &str, code: i32| {
        fs::write(desk.path("app.elf"), app.elf()).expect("there is room");
        told(&desk, &format!("run app.elf --board stm32f100rb{files}"), code)
    };
    let (within, read, write) = (" --files files", 0, 4);
    // The first handle is 3.
    for name in ["inside", "good"] {
        open(opens(name, read, false), within, 4);
    }
    for name in ["link", "zero", "../secret", "/etc/hostname", "nothing"] {
        open(opens(name, read, false), within, 0);
    }
    for name in ["link", "../secret", "../new"] {
        open(opens(name, write, false), within, 0);
    }
    let text = open(opens("pipe", read, false), within, 3);
    assert!(
        text.contains("`pipe` is neither a file nor a directory"),
        "{text}"
    );
    // As many as it may have, and then no more.
    open(opens("inside", read, true), within, 0);
    // Without the option there is nothing.
    open(opens("inside", read, false), "", 0);
    assert_eq!(desk.read("secret"), "secret");
    assert!(!desk.path("new").exists());
}

/// The gravest of several mistakes decides, and none hides another.
#[test]
fn a_limit_that_fails_is_told_beside_another_mistake() {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n\
                [[span]]\nid = \"t/dear\"\nfunction = \"work\"\nmax = 1\n[[span]]\nid = \"t/bad\"\nfunction = \"wrok\"\n";
    let desk = Desk::new()
        .with("app.elf", crate::firmware::calling().elf())
        .with("spec.toml", spec);
    let text = told(&desk, "measure spec.toml", 2);
    assert!(text.contains("t/dear took") && text.contains("`wrok`"), "{text}");
}
