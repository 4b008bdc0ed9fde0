//! `cyclescope gdb`, with `measure` at the other end.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use report::Results;

use crate::Desk;
use crate::firmware::{EXIT, Firmware, NOP};

/// `bkpt 1`, five NOPs, `bkpt 2`, a call of `work`.
fn program() -> Firmware {
    let code: &[&[u16]] = &[&[0xbe01], &[NOP; 5], &[0xbe02], &[0xf000, 0xf807], EXIT];
    Firmware::new(code).function("work", &[&[NOP; 39], &[0x4770]])
}

const SPEC: &str = "
elf = \"app.elf\"
board = \"stm32f100rb\"
[[span]]
id = \"app/nops\"
from = \"bkpt:1\"
to = \"bkpt:2\"
count = 1
[[span]]
id = \"app/work\"
from = \"halt:work\"
to = \"halt:main+0x12\"
count = 1
";

/// A server with the program of this file, and where it listens.
fn served(desk: &Desk, elf: &str) -> (Child, String) {
    let (server, address, _) = served_on(desk, elf, "stm32f100rb");
    (server, address)
}

/// The same on another board, with what it says after that.
fn served_on(desk: &Desk, elf: &str, board: &str) -> (Child, String, BufReader<ChildStderr>) {
    let mut server = Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
        .current_dir(desk.dir.path())
        .args(["gdb", elf, "--board", board, "--port", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(server.stderr.take().expect("piped"));
    // The first line tells the board.
    said.read_line(&mut String::new()).expect("a line");
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    let address = line.trim().rsplit(' ').next().expect("an address").to_owned();
    assert!(
        line.starts_with("waiting for GDB: target remote 127.0.0.1:"),
        "{line}"
    );
    (server, address, said)
}

#[test]
fn a_session_tells_a_clock_beyond_the_rating() {
    let board = "like = \"stm32f100rb\"\nname = \"mine\"\nclock_hz = 72_000_000\n";
    let desk = Desk::new()
        .with("app.elf", program().elf())
        .with("fast.toml", board);
    let (mut server, address, mut said) = served_on(&desk, "app.elf", "fast.toml");
    drop(TcpStream::connect(address).expect("it listens"));
    let mut told = String::new();
    said.read_to_string(&mut told).expect("text");
    server.wait().expect("it ends with the connection");
    assert!(
        told.contains("the core ran at 72 MHz, and the chip of board `mine` is rated for 24 MHz"),
        "{told}"
    );
}

#[test]
fn a_server_measures_what_the_model_measures() {
    let desk = Desk::new()
        .with("app.elf", program().elf())
        .with("spec.toml", SPEC);
    desk.run("measure spec.toml --json model.json").code(0);
    let (mut server, address) = served(&desk, "app.elf");
    desk.run(&format!(
        "measure spec.toml --backend gdb:{address} --json board.json"
    ))
    .code(0);
    server.wait().expect("it ends with the connection");
    let rows = |name: &str| {
        let results = Results::from_json(&desk.read(name)).expect(name);
        let row = |row: &report::Row| (row.id.clone(), row.count, row.min, row.max, row.own);
        results.results.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(rows("board.json"), rows("model.json"));
    assert_eq!(rows("model.json")[0].2, 5);
    assert!(desk.read("board.json").contains("the GDB server at 127.0.0.1"));
}

#[test]
fn the_model_beside_a_board_is_told_with_the_rules_to_blame() {
    let desk = Desk::new()
        .with("app.elf", program().elf())
        .with("spec.toml", SPEC);
    let compared = |spec: &str, more: &str, code: i32| {
        let (mut server, address) = served(&desk, "app.elf");
        let run = desk
            .run(&format!("compare {spec} --backend gdb:{address} {more}"))
            .code(code);
        server.wait().expect("it ends with the connection");
        let output = run.get_output();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        text(&output.stdout) + &text(&output.stderr)
    };
    let text = compared("spec.toml", "--within 0", 0);
    assert!(
        text.contains("2 of 2 are the same; the greatest difference is 0 cycles"),
        "{text}"
    );
    // A board whose flash is slower than its model's, as the board file has it here.
    let slow = "like = \"stm32f100rb\"\nname = \"slow\"\ndescription = \"slow\"\n[[memory]]\nname = \"flash\"\n\
                wait = { fetch = 2, read = 2, write = 0 }\n";
    std::fs::write(desk.path("slow.toml"), slow).expect("a file");
    let text = compared("spec.toml", "--board slow.toml --within 1 --json both.json", 1);
    assert!(text.contains("1 of 2 are the same"), "{text}");
    assert!(text.contains("differs by more than 1 cycles"), "{text}");
    let line = text
        .lines()
        .find(|line| line.contains("app/work"))
        .expect("a row");
    assert!(
        line.contains("+18") && line.contains("wait-states B 17, nop A 39"),
        "{line}"
    );
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/debugging.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let table = text.split("error").next().expect("it comes first").trim_end();
    assert!(page.contains(table), "not in docs/debugging.md:\n{table}");
    let both = Results::from_json(&desk.read("both.json")).expect("rows");
    let differences: Vec<_> = both.results.iter().map(report::Row::difference).collect();
    assert_eq!(differences, [Some(0.0), Some(18.0)]);
    let run = desk.run("compare spec.toml").code(2);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(text.contains("not compared with itself"), "{text}");
}

#[test]
fn a_server_with_another_program_is_told() {
    let other = Firmware::new(&[EXIT]);
    let desk = Desk::new()
        .with("app.elf", program().elf())
        .with("other.elf", other.elf())
        .with("spec.toml", SPEC);
    let (mut server, address) = served(&desk, "other.elf");
    let run = desk
        .run(&format!("measure spec.toml --backend gdb:{address}"))
        .code(2);
    let text = String::from_utf8(run.get_output().stderr.clone()).expect("text");
    assert!(text.contains("has another program at 0x08000000"), "{text}");
    server.wait().expect("it ends with the connection");
    let nobody = desk.run("measure spec.toml --backend gdb:127.0.0.1:1").code(2);
    let text = String::from_utf8(nobody.get_output().stderr.clone()).expect("text");
    assert!(text.contains("no GDB server at 127.0.0.1:1"), "{text}");
    desk.run("measure spec.toml --backend gdb").code(2);
    desk.run("gdb app.elf --board stm32f100rb --port 99999").code(2);
}
